"""Why is this statement true? Proofs of single statements: one package for each paper, with the same file names as in
`reference/papers`."""
