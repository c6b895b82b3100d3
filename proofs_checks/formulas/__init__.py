"""The judge of formulas: hunt, branch and bound, the ladder, and refutations as data."""
