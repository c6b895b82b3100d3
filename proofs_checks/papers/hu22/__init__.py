"""Proofs and attacks of the page hu22: a file a chapter, named as the page's."""
