"""Proofs of the page shariff18: a file a chapter, named as the page's."""
