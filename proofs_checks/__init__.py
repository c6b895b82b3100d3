"""Proofs and exact computation: formulas, exact laws, certificates."""
