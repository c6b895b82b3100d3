"""Proofs and attacks of the page tossou18: a file a chapter, named as the page's."""
