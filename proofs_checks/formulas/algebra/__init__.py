"""Exact identities: polynomials, roots and exponentials, real powers."""
