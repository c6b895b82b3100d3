"""Proofs of single statements, a package a page, in it files named as the page's; each is found by its page's key."""
