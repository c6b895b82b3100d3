"""Why is this statement so? Proofs of single statements: a package a page, found by its key, in it files named as the
page's."""
