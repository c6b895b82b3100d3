"""Certification from samples: the joint confidence region of a test's errors, the choice of tests, the power of a run,
e-values of releases against a law, and expectations. No policies are played here.

Names state the operation, the property, the relation and the bound, in this order and as far as there are several:
`mean_limits_by_anderson`, `probability_upper_limit`, `min_caught_truth`. The operations: `plan_...` chooses with trials
that certify nothing; `certify_...` and `certified_...` hold with their level; `..._limits` miss the truth with at most
that probability; `min_...` and `refuting_...` are about the power of a run; `require_...` raises; and `..._in_words` is
a sentence.
"""
