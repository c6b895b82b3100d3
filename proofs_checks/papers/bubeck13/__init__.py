"""Proofs and attacks of the page bubeck13: one module for each chapter, as in `reference/papers`."""
