"""Sets of features that the claims use."""

from __future__ import annotations

Features = tuple[tuple[float, ...], ...]

UNITS: Features = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
LINE: Features = ((1.0, 0.0), (0.5, 0.0))  # one arm is pulled, and its mean decides
PLANE: Features = ((1.0, 0.0), (0.0, 1.0), (0.5, 0.6), (0.9, 0.9), (1.0, 0.2))  # d_p = 2 < sqrt(5): two are pulled
SKEW: Features = ((-6.0, 6.0), (3.0, 5.0), (3.0, 7.0))  # the longest one lies on a diagonal of its coordinates
# In a plane of three dimensions, whose singular vectors lie across its axes; and another such set.
FLAT: Features = ((8.0, 0.0, 0.0), (0.0, 8.0, 0.0), (-4.0, 3.0, 0.0))
FLAT_AND_LONG: Features = ((-2.0, 0.0, -10.0), (-3.0, 0.0, 12.0), (-16.0, 0.0, 1.0))
# Six on a line: one is pulled in every phase, and nobody sees which are active.
FOUR_PHASES: Features = (
    (1.0, 0.0, 0.0),
    (-1.0, 0.0, 0.0),
    (0.5, 0.0, 0.0),
    (-0.4, 0.0, 0.0),
    (0.9, 0.0, 0.0),
    (0.0,) * 3,
)
