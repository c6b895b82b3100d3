"""Anytime-Lazy-UCB at the wanted eps, without a delta."""

from __future__ import annotations

from dpbandits.reference.claims.offers import Offer, Wanted
from dpbandits.reference.papers.hu21.algorithms import AnytimeLazyUCB


def anytime_lazy_ucb(wanted: Wanted) -> AnytimeLazyUCB:
    return AnytimeLazyUCB(wanted.arms, wanted.horizon, wanted.eps)


OFFERS = (Offer("Anytime-Lazy-UCB", anytime_lazy_ucb, "hu21/privacy", ("eps",)),)
