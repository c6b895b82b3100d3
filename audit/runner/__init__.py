"""Who judges what, when, and what is kept and written down? The loop over claims, the dispatch to judges, its files."""
