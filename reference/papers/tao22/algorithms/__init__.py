"""Algorithms 1 to 4. Algorithms 3 and 4 share a module, because they differ mainly in the noise."""
