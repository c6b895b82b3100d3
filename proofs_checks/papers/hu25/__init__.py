"""Proofs and attacks of the page hu25: a file a chapter, named as the page's."""
