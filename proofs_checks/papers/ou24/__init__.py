"""Proofs and attacks of the page ou24: a file a chapter, or a statement of a long one, named as the page's."""
