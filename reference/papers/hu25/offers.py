"""DP-TS-UCB with the smallest trade-off parameter that satisfies the wanted guarantee."""

from __future__ import annotations

from dpbandits.reference.claims.offers import Offer, OutOfReach, Wanted, promised_eps_at
from dpbandits.reference.curves import Gaussian
from dpbandits.reference.papers.hu25.algorithms import DPTSUCB
from dpbandits.reference.papers.hu25.shared import sharp_eta

STEPS = 50  # of alpha


def dp_ts_ucb(wanted: Wanted) -> DPTSUCB:
    """A larger alpha gives more privacy and more regret."""

    def at(step: int) -> DPTSUCB:
        return DPTSUCB(wanted.arms, wanted.horizon, step / STEPS)

    def promised_eps(step: int) -> float:
        return promised_eps_at(Gaussian(sharp_eta(at(step))), wanted.delta)

    if wanted.delta == 0:
        raise OutOfReach("Normal samples are not eps-DP for delta = 0.")
    promised = [promised_eps(step) for step in range(STEPS + 1)]
    found = next((step for step, eps in enumerate(promised) if eps <= wanted.eps), None)
    if found is None:
        raise OutOfReach(
            f"No alpha in [0, 1] guarantees eps = {wanted.eps:g} at delta = {wanted.delta:g}; the smallest "
            f"guaranteed eps is {min(promised):.3g}."
        )
    return at(found)


OFFERS = (Offer("DP-TS-UCB", dp_ts_ucb, "hu25/theorem-4.4/sharp", ("alpha",)),)
