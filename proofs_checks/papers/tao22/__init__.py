"""Proofs and attacks of the page tao22: one module for each chapter or long statement, as in `reference/papers`."""
