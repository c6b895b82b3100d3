"""Algorithms 1 and 2 with the guarantees of the paper's theorems, and Thompson sampling without a privacy guarantee."""

from __future__ import annotations

from collections.abc import Callable

from dpbandits.reference.claims.offers import Offer, OutOfReach, Wanted
from dpbandits.reference.curves import Gaussian
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling, ThompsonSampling

QUIETEST_MU, LOUDEST_MU = 1e-12, 1e6
PREPULLED = 20


def plain(wanted: Wanted) -> ThompsonSampling:
    return ThompsonSampling(wanted.arms, wanted.horizon)


def without_prepulls(wanted: Wanted) -> int:
    return 0


def some_prepulls(wanted: Wanted) -> int:
    """An intermediate b, as Section 5 finds best: pre-pulls take one round in PREPULLED. Raises OutOfReach if not even
    one pre-pull of each arm fits."""
    if wanted.horizon < PREPULLED * wanted.arms:
        raise OutOfReach(
            f"For each arm, one round in {PREPULLED} is used for pre-pulls, so arms = {wanted.arms} needs T >= "
            f"{PREPULLED * wanted.arms}, but T = {wanted.horizon}."
        )
    return wanted.horizon // (PREPULLED * wanted.arms)


def largest_reaching(reaches: Callable[[float], bool], low: float, high: float) -> float:
    """The largest number that `reaches`, within a factor of 1 + 1e-6, from below, between two of which the lower one
    does, and the upper one does not."""
    while high > low * (1 + 1e-6):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if reaches(middle) else (low, middle)
    return low


def by_theorem_4(wanted: Wanted, prepulls: int) -> ModifiedThompsonSampling:
    """Algorithm 2 with b pre-pulls, and the variance whose sqrt(T/(c (b+1)))-GDP keeps what is wanted."""
    if wanted.delta == 0:
        raise OutOfReach("Normal samples are not eps-DP for delta = 0.")

    def reaches(mu: float) -> bool:
        return float(Gaussian(mu).delta_at(wanted.eps)) <= wanted.delta

    mu = largest_reaching(reaches, QUIETEST_MU, LOUDEST_MU)
    variance = wanted.horizon / (mu**2 * (prepulls + 1))
    return ModifiedThompsonSampling(wanted.arms, wanted.horizon, prepulls, variance)


TOLD = ("prepulls", "variance")
OFFERS = (
    Offer("Thompson sampling by Theorem 3", plain, "ou24/theorem-3", short="TS by Theorem 3"),
    Offer(
        "TS, variance by Theorem 4",
        lambda w: by_theorem_4(w, without_prepulls(w)),
        "ou24/theorem-4",
        TOLD,
        short="TS, c by Theorem 4",
    ),
    Offer(
        "TS, pre-pulls and variance by Theorem 4",
        lambda w: by_theorem_4(w, some_prepulls(w)),
        "ou24/theorem-4",
        TOLD,
        short="TS, b, c by Theorem 4",
    ),
    Offer("Thompson sampling without privacy", plain, short="TS without privacy"),
)
