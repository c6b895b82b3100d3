"""Why is this statement so? Proofs of single statements: a package a page, found by its key, in it a file a chapter."""
