"""Proofs and attacks of the page sajed19: a file a chapter, named as the page's."""
