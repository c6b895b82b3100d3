"""Proofs of the page shariff18: one module for each chapter, as in `reference/papers`."""
