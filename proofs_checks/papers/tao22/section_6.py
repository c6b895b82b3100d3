"""Section 6 at horizons where its algorithms do something: orders by arithmetic, and pictures beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, add_evidence, lemma_by_argument
from dpbandits.proofs_checks.papers.tao22 import optimism
from dpbandits.proofs_checks.papers.tao22.horizons import SETTINGS, central, gaps, local, optimistic
from dpbandits.proofs_checks.papers.tao22.phases import regret
from dpbandits.proofs_checks.papers.tao22.pictures import against_horizon, first_horizons, local_against_horizon
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.claims.findings import above, below, nearest, table_item
from dpbandits.reference.claims.records import Cell
from dpbandits.reference.papers.tao22 import DPRSE, Elimination
from dpbandits.reference.papers.tao22.arms import S_2, S_3, section_6
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

MARGIN = 1e-6  # relative; doubles err by less than 1e-11


class Order(NamedTuple):
    """One comparison: that the first regret is smaller."""

    setting: str
    smaller: str
    high: float
    larger: str
    low: float


def compared(orders: list[Order], title: str) -> tuple[bool, Evidence]:
    rows: list[list[Cell]] = [[each.setting, each.smaller, each.high, each.larger, each.low] for each in orders]
    columns = ["setting", "the smaller regret", above("at most"), "the larger regret", below("at least")]
    fits = all(each.high * (1 + MARGIN) < each.low for each in orders)
    return fits, table_item(title, columns, rows)


def elimination_against_optimism() -> tuple[bool, Evidence]:
    orders = [
        Order(
            f"{name}, v = {v}, eps = {eps}, T = {horizon:g}",
            "DPRSE",
            central(means, horizon, eps, v).high,
            "DPRUCB",
            optimistic(means, horizon, eps, v),
        )
        for v, horizon in ((0.9, 1e9), (0.5, 1e14))
        for name, means in SETTINGS.items()
        for eps in (0.5, 1.0)
    ]
    return compared(orders, "DPRSE against DPRUCB")


def order_of_eps() -> tuple[bool, Evidence]:
    orders = [
        Order(
            f"{name}, v = {v}, T = {horizon:g}",
            "DPRSE, eps = 1",
            central(means, horizon, 1.0, v).high,
            "DPRSE, eps = 0.5",
            central(means, horizon, 0.5, v).low,
        )
        for v, horizon in ((0.9, 6e6), (0.5, 1e9))
        for name, means in SETTINGS.items()
    ]
    return compared(orders, "A smaller eps, a larger regret")


def drawn(make: Callable[..., Elimination] = DPRSE) -> tuple[bool, Evidence]:
    """Single runs of six million rewards: where the arithmetic says that they are."""
    environment, horizon = section_6(S_2, 0.9), 6_000_000
    costs, rows, fits = np.array(gaps(S_2)), [], True
    for eps in (0.5, 1.0):
        known = 5, horizon, eps, 0.9, environment.moment(1.9)
        pulls = play(make(*known), environment, Seeded(0, 1), 1, keep=False).pulls[0]
        low, high = regret(DPRSE(*known), environment)
        fits &= low <= float(pulls @ costs) <= high
        rows.append([eps, low, float(pulls @ costs), high])
    columns = [nearest("eps"), below("regret, at least"), nearest("a run"), above("at most")]
    return fits, table_item("Drawn: DPRSE on S_2, v = 0.9, T = 6 10^6", columns, rows)


def order_of_v() -> tuple[bool, Evidence]:
    orders = [
        Order(
            f"{name}, eps = {eps}, T = 1e9",
            "DPRSE, v = 0.9",
            central(means, 1e9, eps, 0.9).high,
            "DPRSE, v = 0.5",
            central(means, 1e9, eps, 0.5).low,
        )
        for name, means in SETTINGS.items()
        for eps in (0.5, 1.0)
    ]
    return compared(orders, "A larger v, a smaller regret")


def local_orders() -> tuple[bool, Evidence]:
    eps_orders = [
        Order(
            f"S_3, v = {v}, T = {horizon:g}",
            f"LDPRSE, eps = {2 * eps:g}",
            local(S_3, horizon, 2 * eps, v).high,
            f"LDPRSE, eps = {eps:g}",
            local(S_3, horizon, eps, v).low,
        )
        for v, horizons in ((0.9, (2e11, 5e10)), (0.5, (1e16, 2e15)))
        for eps, horizon in zip((5.0, 10.0), horizons, strict=True)
    ]
    v_orders = [
        Order(
            f"S_3, eps = {eps:g}, T = 1e12",
            "LDPRSE, v = 0.9",
            local(S_3, 1e12, eps, 0.9).high,
            "LDPRSE, v = 0.5",
            local(S_3, 1e12, eps, 0.5).low,
        )
        for eps in (5.0, 10.0, 20.0)
    ]
    return compared([*eps_orders, *v_orders], "The local algorithm")


def local_against_central() -> tuple[bool, Evidence]:
    orders = [
        Order(
            f"S_3, v = {v}, T = {horizon:g}",
            f"DPRSE, eps = {eps}",
            central(S_3, horizon, eps, v).high,
            f"LDPRSE, eps = {local_eps:g}",
            local(S_3, horizon, local_eps, v).low,
        )
        for v, horizon in ((0.9, 1e9), (0.5, 1e12))
        for eps in (0.5, 1.0)
        for local_eps in (5.0, 10.0, 20.0)
    ]
    return compared(orders, "The central model against the local one")


CHAIN = (
    "The regret of DPRSE and LDPRSE is computed epoch by epoch, because after an epoch the law of the run depends "
    "only on the set of remaining arms. Each arm's noisy mean lies near the mean of its truncated reward, except with "
    "probability 10^-18 on either side. This follows from Bernstein's inequality with the exact variance, and from "
    "the tail of the noise. So for each arm it is certain whether the arm is eliminated, except near the threshold, "
    "where the computation covers both cases. Until the end of the first epoch the arms are pulled in turn. "
)
LATE = Reduction(CHAIN + "The regret of DPRUCB is bounded from below as follows. " + optimism.WORDS, ())

proves("figure-1/late")(
    lemma_by_argument(
        LATE,
        elimination_against_optimism,
        *(partial(against_horizon, name, v) for name in SETTINGS for v in (0.9, 0.5)),
    )
)

EPOCHS = Reduction(CHAIN, ())

proves("figure-1/eps")(lemma_by_argument(EPOCHS, order_of_eps, drawn))
proves("figure-1/v")(lemma_by_argument(EPOCHS, order_of_v))
proves("figure-2/order")(
    lemma_by_argument(EPOCHS, local_orders, *(partial(local_against_horizon, v) for v in (0.9, 0.5)))
)
proves("figure-2/central/order")(lemma_by_argument(EPOCHS, local_against_central))

FIRST_EPOCHS = (
    "figure-1/first-epoch/v-0.5",
    "figure-1/first-epoch/v-0.9",
    "figure-2/first-epoch",
)

proves(*FIRST_EPOCHS)(add_evidence(first_horizons))
