"""Checks of formulas: exact algebra, search for counterexamples, branch and bound, and certificates of refutations."""
