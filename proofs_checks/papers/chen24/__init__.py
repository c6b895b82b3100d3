"""Proofs and attacks of the page chen24: a file a chapter, or a statement of a long one, named as the page's."""
