"""Lemma checks, one file per page, same basename."""
