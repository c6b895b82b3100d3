"""Faster long runs: numba compiles the source of a policy's own methods."""
