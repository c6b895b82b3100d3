"""UCB1, the non-private baseline."""

from __future__ import annotations

from dpbandits.reference.claims.offers import Offer
from dpbandits.reference.papers.auer02.algorithms import UCB1

OFFERS = (Offer("UCB1", lambda wanted: UCB1(wanted.arms, wanted.horizon)),)
