"""Proofs and attacks of the page agrawal13: one module for each chapter, as in `reference/papers`."""
