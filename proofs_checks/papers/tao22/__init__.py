"""Proofs and attacks of the page tao22: a file a chapter, named as the page's."""
