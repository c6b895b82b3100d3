"""AdaP-UCB at the wanted eps, without a delta."""

from __future__ import annotations

from dpbandits.reference.claims.offers import Offer, Wanted
from dpbandits.reference.papers.azize22.algorithms import AdaPUCB


def adap_ucb(wanted: Wanted) -> AdaPUCB:
    return AdaPUCB(wanted.arms, wanted.horizon, wanted.eps)


OFFERS = (Offer("AdaP-UCB", adap_ucb, "azize22/privacy/pull", ("eps", "alpha")),)
