"""What the chapters share: domains and conditions.

Moments are of order 1 + v with v in (0, 1]. A domain with one end excluded is written in w = 1/v >= 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.ledger import Real

W = Real(1, np.inf, closed=True)  # 1/v
POSITIVE = Real(0, np.inf)
SHARE = Real(0, 1)
HORIZON = Real(3, np.inf, closed=True)  # log T >= 1; K >= 2 arms and a choice take T >= 3
PROOF = "judged by its own argument: see the lemma file"
U_CONSTANT = (
    "The paper takes v and u for constants, so that an O may hide every power of u; but it prints one, and that is "
    "what is judged."
)


def largest_moment(environment: Any, order: float) -> float:
    """The largest moment of this order; a Bernoulli arm has its mean for all of them."""
    return float(environment.moment(order)) if hasattr(environment, "moment") else max(environment.means)
