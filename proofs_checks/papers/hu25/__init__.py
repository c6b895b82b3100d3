"""Proofs and attacks of the page hu25: one module for each chapter or long statement, as in `reference/papers`."""
