"""Plays long runs sooner: numba compiles the text of a policy's own methods."""
