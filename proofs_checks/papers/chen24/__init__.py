"""Proofs and attacks of the page chen24: a file a chapter, named as the page's."""
