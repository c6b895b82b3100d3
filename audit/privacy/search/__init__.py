"""Neighbouring pairs that reveal much: candidates, and the search for the worst pair."""
