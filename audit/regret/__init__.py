"""Checks of bounds on the expectation of regret (or of another quantity), and of orderings between settings of an
experiment."""
