"""Appendix E.2, Figure 7: DP-TS-UCB and M-TS-Gaussian against (eps, 0)-DP algorithms, eps = 0.5.

The figure draws the regret over time; what is compared is where its curves end. It does not print its horizon; those of
Section 5.3, whose privacy guarantees it has, end at T = 10^6, where the claims say what most averages of 20 runs show.
What most single runs show at T = 3000 costs a thousandth, and is ours.
"""

from __future__ import annotations

from typing import Any

from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import Ordering, Parameter, Reading, SettingLabel, Source, Verdict
from dpbandits.reference.papers.hu21 import AnytimeLazyUCB
from dpbandits.reference.papers.hu22 import LazyDPTS
from dpbandits.reference.papers.hu25.experiments import (
    ARMS,
    AVERAGED,
    BEST,
    LATE,
    MILLION,
    Settings,
    equal_privacy,
    named,
    ours,
    rival,
    rounds,
)
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.sajed19 import DPSE

chapter = page.chapter("Appendix E.2: Figure 7")

EPS = 0.5
PURE = ("DP-SE", "Anytime-Lazy-UCB", "Lazy-DP-TS")
SHORT = 3_000
GIVEN = (
    "DP-SE, Anytime-Lazy-UCB and Lazy-DP-TS as on the pages sajed19, hu21 and hu22, from secondary sources; c_H = 3 of "
    "Anytime-Lazy-UCB is unconfirmed"
)
FIGURE_7A = "when alpha = 0, both DP-TS-UCB and M-TS-Gaussian perform better than the (eps, 0)-DP algorithms"
FIGURE_7B = (
    "When we increase alpha = 1, M-TS-Gaussian performs worse than the (eps, 0)-DP algorithms, but DP-TS-UCB still "
    "outperforms Anytime-Lazy-UCB"
)


def pure(name: str, horizon: int) -> str:
    return SettingLabel([name, Parameter("eps", EPS, f"eps={EPS:g}"), rounds(horizon)])


def figure_7(horizon: int) -> Settings:
    """One experiment for both panels."""
    policies: dict[str, Any] = {
        **{named(alpha, horizon): ours(alpha, horizon) for alpha in BEST},
        **{rival(alpha, horizon, b): equal_privacy(alpha, horizon, b) for alpha, b in BEST.items() if 5 * b < horizon},
        **{
            pure(name, horizon): kind(5, horizon, EPS)
            for name, kind in zip(PURE, (DPSE, AnytimeLazyUCB, LazyDPTS), strict=True)
        },
    }
    return {label: (policy, ARMS) for label, policy in policies.items()}


def figure(panel: str, quote: str, horizon: int, pairs: list[tuple[str, str]], scope: str, **beats: Any) -> None:
    late = horizon == MILLION
    chapter.add(
        f"figure-7{panel}" if late else f"figure-7{panel}/T={horizon}",
        Source("hu25", "Appendix E.2, Figure 7", quote),
        Ordering(PSEUDO_REGRET, figure_7(horizon), tuple(pairs), AVERAGED if late else 1, f"Figure 7{panel}"),
        scope=scope,
        given=GIVEN,
        **{"expect": LATE if late else Verdict.CONSISTENT, **beats},
    )


figure(
    "a",
    FIGURE_7A,
    MILLION,
    [(label, pure(name, MILLION)) for label in (named(0, MILLION), rival(0, MILLION, BEST[0])) for name in PURE],
    "The claim is at T = 10^6, with b and c of M-TS-Gaussian as in Section 5.3.",
    note="In a few runs the regrets were about 660 (DP-TS-UCB) and 210 (M-TS-Gaussian), against 4480, 2630 and 1030 "
    "for the other three algorithms.",
)
figure(
    "a",
    FIGURE_7A,
    SHORT,
    [(label, pure(name, SHORT)) for label in (named(0, SHORT), rival(0, SHORT, BEST[0])) for name in PURE],
    f"The claim is the same order at T = {SHORT}.",
    reading=Reading.OURS,
)
figure(
    "b",
    FIGURE_7B,
    MILLION,
    [
        *((pure(name, MILLION), rival(1, MILLION, BEST[1])) for name in PURE),
        (named(1, MILLION), pure("Anytime-Lazy-UCB", MILLION)),
    ],
    "The claim is at T = 10^6, with b and c of M-TS-Gaussian as in Section 5.3.",
    note="In a few runs the regrets were about 7020 (M-TS-Gaussian) and 1950 (DP-TS-UCB), against 4480, 2630 and 1030 "
    "for the other three algorithms.",
)
figure(
    "b",
    FIGURE_7B,
    SHORT,
    [(named(1, SHORT), pure("Anytime-Lazy-UCB", SHORT))],
    f"The claim is the second half of the sentence at T = {SHORT}. The first half cannot be tested at this T: the "
    "2000 pre-pulls of each arm of M-TS-Gaussian take all rounds.",
    reading=Reading.OURS,
)
