"""Proofs and attacks of the page azize22: one module for each chapter, as in `reference/papers`."""
