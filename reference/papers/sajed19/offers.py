"""DP-SE at the wanted eps, without a delta."""

from __future__ import annotations

from dpbandits.reference.claims.offers import Offer
from dpbandits.reference.papers.sajed19.algorithms import DPSE

OFFERS = (Offer("DP-SE", lambda wanted: DPSE(wanted.arms, wanted.horizon, wanted.eps), "sajed19/privacy", ("eps",)),)
