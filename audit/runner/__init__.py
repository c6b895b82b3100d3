"""A run over claims: the loop, the dispatch to judges, its files."""
