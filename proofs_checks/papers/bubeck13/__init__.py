"""Proofs and attacks of the page bubeck13: a file a chapter, named as the page's."""
