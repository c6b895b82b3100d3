"""Algorithms 1 to 4, a file each but for 3 and 4, which are one with two kinds of noise."""
