"""Is this formula true? Exact algebra, search for counterexamples, branch and bound, and certificates of
refutations.
"""
