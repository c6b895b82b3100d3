"""Proofs and attacks of the page karnin13: one module for each chapter, as in `reference/papers`."""
