"""Proofs and attacks of the page karnin13: a file a chapter, named as the page's."""
