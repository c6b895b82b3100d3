"""Proofs and attacks of the page ou24: a file a chapter, named as the page's."""
