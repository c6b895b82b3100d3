"""Proofs and attacks of the page auer02: a file a chapter, named as the page's."""
