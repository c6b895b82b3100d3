"""Proofs and attacks of the page hu21: one module for each chapter, as in `reference/papers`."""
