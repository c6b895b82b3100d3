"""How a linear bandit explores: what it says of itself for whoever writes its releases down."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable


class LinearRule(NamedTuple):
    """A bandit with contexts that explores with ridge regressions, one for each arm, or one for all (`shared`).

    A is ridge times the identity plus the sum of x x' over its pulls, b the sum of r x; an arm is predicted to pay
    x'A^-1 b, to within a deviation width sqrt(x'A^-1 x). rule: "ucb" (the arm with the largest sum of both, the first
    of equal ones) or "thompson" (with the largest of normal samples: independent ones, or x times a sample of the
    parameter where arms share it; the first where all are equal).
    """

    rule: str
    width: float
    ridge: float = 1.0
    shared: bool = False


@runtime_checkable
class SaysLinearRule(Protocol):
    """A policy that is a linear bandit of these kinds, and says so. With a law: certificates of violations."""

    @property
    def linear_rule(self) -> LinearRule: ...
