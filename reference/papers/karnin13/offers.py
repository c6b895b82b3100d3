"""Sequential Halving, the non-private baseline for finding the best arm."""

from __future__ import annotations

from dpbandits.reference.claims.offers import Offer
from dpbandits.reference.papers.karnin13.algorithms import SequentialHalving

OFFERS = (Offer("Sequential Halving", lambda wanted: SequentialHalving(wanted.arms, wanted.horizon), best_arm=True),)
