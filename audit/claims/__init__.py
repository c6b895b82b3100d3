"""Statements of claims in words, and implications between claims. Nothing is checked here."""
