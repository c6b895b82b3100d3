"""Proofs and attacks of the page sajed19: one module for each chapter, as in `reference/papers`."""
