"""Proofs and attacks of the page hu21: a file a chapter, named as the page's."""
