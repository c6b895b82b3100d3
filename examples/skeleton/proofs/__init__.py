"""Proofs of this page: a file a chapter, named as the page's."""
