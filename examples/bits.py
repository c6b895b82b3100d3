"""One mechanism, written twice: a noisy sum that is private as mathematics, in floating point and in whole numbers.

Both add noise that is right for a promise of eps = 1. The first draws Laplace noise in doubles, whose bits tell the
input; the second draws discrete Laplace noise from random bits, exactly, and its bits tell no more than its value.

    python examples/bits.py
"""

from fractions import Fraction

import numpy as np

from dpbandits import Seeded, audit_mechanism
from dpbandits.pages import discrete_laplace


def in_doubles(values, trials, seed):
    return sum(values) + np.random.default_rng(seed).laplace(size=trials)


def in_whole_numbers(values, trials, seed):
    return sum(values) + discrete_laplace(Seeded(seed, trials), "noise", 0, (), scale=Fraction(1))


if __name__ == "__main__":
    for mechanism in (in_doubles, in_whole_numbers):
        finding = audit_mechanism(mechanism, [1, 0, 1], [1, 0, 0], eps=1.0, trials=40_000)
        print(finding.verdict, finding.summary)
