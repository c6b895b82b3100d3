"""The effort that is spent on checking a formula: how many points are tried, and how many boxes are bounded."""

from __future__ import annotations

from dataclasses import dataclass, replace

NOMINAL = 150  # operations of a formula that gets the whole effort
MOST_SUBDIVIDED = 1500  # beyond, no subdivision: on few boxes each operation costs as much as on many


@dataclass(frozen=True)
class Effort:
    """The effort for a formula, in counts, never in seconds: the same effort finds the same on every machine.

    points: evaluations of simple, extreme and random points in doubles. rounds: of local improvement. boxes: how many
    boxes branch and bound may examine. exact: points evaluated in 50-digit intervals. kernel: whether Rocq's kernel
    checks the theorems that prove claims.
    """

    points: int = 8000
    rounds: int = 40
    boxes: int = 8000
    exact: int = 24
    kernel: bool = False

    def scaled(self, operations: int) -> Effort:
        """Returns an effort with fewer points and boxes for a formula with this many operations, so that the total work
        stays about the same."""
        share = min(1.0, NOMINAL / max(operations, 1))
        points, boxes = max(round(share * self.points), 20), round(share * self.boxes)
        if operations > MOST_SUBDIVIDED:
            boxes = 0
        rounds, exact = round(share * self.rounds), max(round(share * self.exact), 1)
        return replace(self, points=points, rounds=rounds, boxes=boxes, exact=exact)
