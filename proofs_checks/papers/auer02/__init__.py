"""Proofs and attacks of the page auer02: one module for each chapter, as in `reference/papers`."""
