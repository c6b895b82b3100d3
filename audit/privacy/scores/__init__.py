"""Distinguishers: numbers that tend to be larger on the right than on the left."""
