"""The checker of certificates of kind "linear": it imports `proofs_checks.checker` and nothing else of ours."""
