"""Proofs and attacks of the page hu22: one module for each chapter, as in `reference/papers`."""
