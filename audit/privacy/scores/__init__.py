"""Distinguishers: scores that tend to be larger on the right side than on the left."""
