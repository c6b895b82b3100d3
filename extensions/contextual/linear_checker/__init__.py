"""The checker of certificates of kind "linear": it imports `proofs_checks.checker` and no other module of this
project."""
