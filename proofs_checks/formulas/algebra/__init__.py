"""Exact identities and inequalities: polynomials, roots and exponentials, real powers."""
