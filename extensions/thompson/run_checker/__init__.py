"""The checker of certificates of kind "run": it imports `proofs_checks.checker` and nothing else of ours."""
