"""Proofs and attacks of the page ou24: one module for each chapter or long statement, as in `reference/papers`."""
