"""The algorithms of the paper, those that it compares with, and what they are made of."""
