"""Proofs of single statements, a package a page, in it a file a chapter; each is found by its page's key."""
