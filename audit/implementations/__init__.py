"""Implementations from outside: objects of one trial, programs in any language, and the battery that checks them."""
