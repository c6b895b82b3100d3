"""Proofs and attacks of the page azize22: a file a chapter, named as the page's."""
