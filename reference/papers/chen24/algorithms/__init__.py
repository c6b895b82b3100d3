"""The algorithms of the paper, those that it compares with, and their parts."""
