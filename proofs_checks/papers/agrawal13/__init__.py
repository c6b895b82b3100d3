"""Proofs and attacks of the page agrawal13: a file a chapter, named as the page's."""
