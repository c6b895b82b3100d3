"""Proofs and attacks of the page tao22: a file a chapter, or a statement of a long one, named as the page's."""
