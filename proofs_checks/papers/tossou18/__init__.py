"""Proofs and attacks of the page tossou18: one module for each chapter, as in `reference/papers`."""
