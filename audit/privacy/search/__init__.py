"""Neighbouring pairs that tell: candidates, and the search for the worst."""
