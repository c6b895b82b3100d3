"""Theorems and proofs in Rocq, and the code that runs coqc to check them."""
