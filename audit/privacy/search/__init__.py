"""Neighbouring pairs that reveal much: candidate pairs, and the search for the worst pair."""
