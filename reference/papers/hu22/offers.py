"""Lazy-DP-TS at the wanted eps, without a delta."""

from __future__ import annotations

from dpbandits.reference.claims.offers import Offer, Wanted
from dpbandits.reference.papers.hu22.algorithms import LazyDPTS


def lazy_dp_ts(wanted: Wanted) -> LazyDPTS:
    return LazyDPTS(wanted.arms, wanted.horizon, wanted.eps)


OFFERS = (Offer("Lazy-DP-TS", lazy_dp_ts, "hu22/privacy", ("eps",)),)
