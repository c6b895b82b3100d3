"""Appendix C.1, Theorem 7 and Corollary 1: Thompson sampling by noisy maxima and advanced composition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, inf, sqrt

import numpy as np
import scipy  # whose submodules are imported where they are first used
from scipy.special import log_ndtr, ndtr

from dpbandits.proofs_checks.formulas.certificates import step_certificate
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    ProofStep,
    Reduction,
    add_evidence,
    enclosure_step,
    equality_step,
    lemma_by_argument,
    reductions_of_chapter,
)
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.ou24.appendix_c_1_algorithm_3 import carried
from dpbandits.proofs_checks.papers.ou24.section_2 import PHI, TAIL
from dpbandits.proofs_checks.papers.ou24.shared import with_evidence
from dpbandits.proofs_checks.vocabularies.boxes import Span, boxes
from dpbandits.proofs_checks.vocabularies.intervals import certainly_at_most, iv
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.findings import FailingRange, above, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim
from dpbandits.reference.claims.records import Item
from dpbandits.reference.curves import advanced_composition, gaussian_delta
from dpbandits.reference.papers.ou24.appendix_c_1_standard_dp import chapter
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import half, lemma_3_mu, two_arm_eps

proves = Proofs(page)

LAST = 8  # from k = 9 on, 1 + 1/k is below two_arm_eps


def first_arms() -> bool:
    """log(Q(sqrt k - 1/sqrt k)/Q(sqrt k)) <= two_arm_eps for k = 3 ... LAST (k = 2 is its definition)."""
    return all(
        certainly_at_most(iv.log(iv.ncdf(1 / iv.sqrt(k) - iv.sqrt(k)) / iv.ncdf(-iv.sqrt(k))), two_arm_eps(iv))
        for k in range(3, LAST + 1)
    )


TWO_ARMS = Reduction(
    "Let k = n + 1 and s^2 = 1/k + 1/(other+1). The two probabilities of the event 'arm 1' have the ratio Q(w - "
    "1/(ks))/Q(w), where w = -lead/s. Q is log-concave, so this ratio increases with w. Let r = 1/s. Then w <= r, "
    "because lead >= -1, and r <= sqrt k. Q(r - r/k)/Q(r) increases with r, because the hazard rate increases. So the "
    "ratio is at most Q(sqrt k - 1/sqrt k)/Q(sqrt k). The logarithm of this bound is the integral of the hazard rate "
    "over an interval of length 1/sqrt k. The hazard rate is below z + 1/z, so the logarithm is at most 1 + 1/k. For "
    "the event 'arm 2' the same argument holds, with w <= (1 - 1/k)/s.",
    (
        ProofStep("k = 3, ..., 8: the logarithm is at most that at k = 2", first_arms, Basis.INTERVALS),
        enclosure_step("k >= 9: 1 + 1/9 <= two_arm_eps", lambda m: 1 + m.number("1/9"), two_arm_eps, {}),
    ),
)

GENERATIONS = 60  # 12 are enough

ROUNDS = 109  # 2 e^4 = 109.2: beyond, delta < 1/T makes the step's eps larger than 1/sqrt 2


def small_eps_cells(
    *, generations: int = GENERATIONS, delta_of: Callable[[Vocabulary, Number, Number], Number] = gaussian_delta
) -> bool:
    """Corollary 1 at N = 2, for the step's eps in (0, 0.708], every slack, T = 1 ... ROUNDS.

    With eps, delta = exp(-8 eps^2)/2. The left side, GDP's delta at eps_TS, falls as eps or l = log(1/slack) grows;
    so does delta_TS. So on a cell (low, high, near, far: eps from low to high, l from near to far) the left side at
    the low corner is compared with delta_TS at the high corner. Rows of `cells`: T, low, high, near, far.
    """
    strips = [(0.0, 1.0), (1.0, 4.0), (4.0, 16.0), (16.0, inf)]
    cells = np.array([(T, 0.0, 0.708, *strip) for T in range(1, ROUNDS + 1) for strip in strips])
    for _ in range(generations):
        T, low, high, near, far = (exact_span(column) for column in cells.T)
        with np.errstate(all="ignore"):
            promised = boxes.exp(-8 * high * high) * T / 2 + boxes.exp(-far)
            total = advanced_composition(boxes, low, T, boxes.exp(-near))
            left = delta_of(boxes, total, lemma_3_mu(boxes, T))
        closed = (left.high <= promised.low) | (promised.low >= 1)  # delta_TS >= 1 promises nothing
        cells = cells[~closed]
        if not len(cells):
            return True
        cells = np.concatenate([split(cells, upper) for upper in (False, True)])
    return False


def exact_span(values: Array) -> Span:
    """The numbers themselves, as enclosures."""
    closed = np.zeros(len(values), dtype=bool)
    return Span(values, values, closed, closed, np.full(len(values), 2, dtype=np.int8))


def split(cells: Array, upper: bool) -> Array:
    """The lower or the upper half of each cell, along eps or along l, whichever is the wider one in its scale."""
    low, high, near, far = cells.T[1:]
    along = np.isinf(far) | ((high - low) * 8 > far - near)
    with np.errstate(invalid="ignore"):
        middle = np.where(along, (low + high) / 2, (near + far) / 2)
    out = cells.copy()
    for axis, chosen in ((1, along), (3, ~along)):
        out[chosen, axis if upper else axis + 1] = middle[chosen]
    return out


COROLLARY_1 = Reduction(
    "Let l = log(1/slack) and mu = sqrt(T/2), and let eps be the eps of one step. For given eps and slack, N = 2 gives "
    "the smallest delta and so the smallest delta_TS. eps_TS/mu - mu/2 = 2 eps sqrt(l) + sqrt(T/8) (4 eps (e^eps - 1) "
    "- 1). For eps >= 1/sqrt 2 this number is at least sqrt(2l), so GDP's delta is at most Q(sqrt(2l)) <= slack/2. For "
    "eps < 1/sqrt 2, T delta < 1 implies T < 2 e^4 < 110, and interval arithmetic checks the finitely many remaining "
    "boxes.",
    (
        TAIL,
        equality_step(
            "(eps sqrt(2Tl)/mu)^2 = (2 eps)^2 l",
            lambda m, eps, T, rest: (eps * m.sqrt(2 * T * rest) / lemma_3_mu(m, T)) ** 2,
            lambda m, eps, T, rest: 4 * eps * eps * rest,
            "eps",
            "T",
            "rest",
        ),
        equality_step(
            "T x/mu - mu/2 = (mu/2) (4x - 1), x = eps (e^eps - 1)",
            lambda m, T, x: T * x / lemma_3_mu(m, T) - lemma_3_mu(m, T) / 2,
            lambda m, T, x: lemma_3_mu(m, T) / 2 * (4 * x - 1),
            "T",
            "x",
        ),
        enclosure_step(
            "1 <= 4 eps (e^eps - 1) at eps = 1/sqrt 2",
            lambda m: m.number(1),
            lambda m: 4 * m.sqrt(half(m)) * (m.exp(m.sqrt(half(m))) - 1),
            {},
        ),
        enclosure_step("2 e^4 < 110", lambda m: 2 * m.exp(m.number(4)), lambda m: m.number(110), {}),
        enclosure_step("1/sqrt 2 <= 0.708", lambda m: m.sqrt(half(m)), lambda m: m.number("0.708"), {}),
        ProofStep("all cells with eps <= 0.708, T <= 109", small_eps_cells, Basis.INTERVALS),
    ),
)


def reached_state(claim: Claim) -> tuple[Item, ...]:
    """Theorem 7 at delta = 1/100, in a state where all scales are rational: arm 1 was pulled 3 times and paid 1 or 0
    in all, arm 2 was pulled 99 times and paid 75."""
    eps = "sqrt(log(1/(2*delta)))/(2*sqrt(2))"
    return carried(
        step_certificate(
            "ou24/theorem-7",
            "gaussian",
            ["1/2", "1/10"],
            ["1/4", "3/4"],
            ["0", "3/4"],
            ["1/4", "1/100"],
            [0],
            eps,
            "delta",
            variables={"delta": "1/100"},
        )
    )


def first_arm_wins(total: float, others: int, pulls: int, paid: float) -> float:
    """P(arm 1 wins): pulled once, paid `total`; the others pulled `pulls` times each, paid so much on average."""
    mean, spread = paid * pulls / (pulls + 1), 1 / sqrt(pulls + 1)

    def density(x: float) -> float:
        return exp(-x * x / 2 + others * float(log_ndtr((total / 2 + x * sqrt(0.5) - mean) / spread)))

    return float(
        scipy.integrate.quad(density, -9, 9, points=[0.0, 2.0, 4.0], epsabs=0, epsrel=1e-9, limit=200)[0]
    ) / sqrt(2 * np.pi)


def theorem_7_ranges(claim: Claim) -> tuple[Item, ...]:
    """The range of delta in which Theorem 7 fails for states where all other arms look alike."""
    rows = []
    for arms in (2, 3, 10, 30, 100):
        states = [
            (first_arm_wins(1, arms - 1, pulls, paid), first_arm_wins(0, arms - 1, pulls, paid), pulls)
            for pulls in (0, 1, 2, 5, 20, 100, 10**6)
            for paid in (0.4, 0.65, 1.0)
        ]
        deltas = 10.0 ** -np.arange(0.5, 14, 0.01)
        step = np.sqrt(np.log((arms - 1) / (2 * deltas)) / 8)
        chances = np.array([(p, q) for p, q, _ in states])
        # The eps of the event "arm 1" at every delta, (states, deltas)
        needed = np.log(np.maximum(chances[:, :1] - deltas, 1e-300) / chances[:, 1:])
        failing = deltas[(needed > step).any(axis=0)]
        state, at = np.unravel_index((needed - step).argmax(), needed.shape)
        worst = float(deltas[at]), float(step[at]), float(needed[state, at]), states[state][2]
        rows.append([arms, float(failing.min()), float(failing.max()), *worst])
    columns = [
        "arms",
        above("Theorem 7 fails from delta ="),
        below("and up to delta ="),
        nearest("it fails most at delta ="),
        nearest("where it promises eps ="),
        nearest("and the event 'arm 1' has eps ="),
        "after so many pulls of each other arm",
    ]
    title = "Theorem 7: one arm pulled once (reward 1 or 0), the others all alike"
    return (table_item(title, columns, rows, FailingRange("delta", low=1, high=2)),)


def corollary_1_margins(claim: Claim) -> tuple[Item, ...]:
    """The largest share of the promised delta_TS that Lemma 3 leaves possible (N = 2)."""
    step = np.linspace(1e-6, 2, 2001)[:, None]
    log_slack = np.concatenate([np.linspace(1e-6, 6, 600), np.linspace(6, 60, 200)])[None, :]
    rows = []
    for rounds in (1, 2, 3, 5, 10, 20, 50, 100):
        mu = sqrt(rounds / 2)
        promised = rounds / 2 * np.exp(-8 * step**2) + np.exp(-log_slack)
        total = step * np.sqrt(2 * rounds * log_slack) + rounds * step * np.expm1(step)
        with np.errstate(over="ignore"):
            delta = ndtr(mu / 2 - total / mu) - np.exp(total + log_ndtr(-total / mu - mu / 2))
        share = np.where(promised < 1, delta / promised, 0)
        worst = np.unravel_index(int(share.argmax()), share.shape)
        rows.append([rounds, *(float(each[worst]) for each in (total, promised, delta, share))])
    columns = [
        "T",
        nearest("eps_TS"),
        nearest("delta_TS, promised"),
        nearest("GDP's delta there"),
        nearest("GDP's/promised, the largest"),
    ]
    return (table_item("Corollary 1 at N = 2, where it is closest to Lemma 3", columns, rows),)


WORDS: Mapping[str, Reduction] = {"theorem-7/two-arms": TWO_ARMS, "corollary-1/formula": COROLLARY_1}
TWO_ARMS_SAYS = f"""two_arm_win is the chance of arm 1, two_arm_lead its lead where the changed reward is 0, and
two_arm_eps the formula's eps. The first half is the claim, over its whole domain; the second one says the same of the
event that arm 2 is played, where the changed reward is 0 against 1. {PHI}"""
FORMULA_SAYS = f"""corollary_1_eps is the corollary's eps_TS, over the claim's whole domain. {PHI}"""
EVERY_RUN = Reduction("At this eps, `ou24/lemma-3/every-run` gives a smaller delta (`ou24/corollary-1/formula`).", ())
EVERY_RUN_SAYS = f"""pulls_private is (eps, delta)-DP of the list of all pulls of a run; corollary_1_eps is eps_TS of
the quote, whose delta_TS is T delta + slack. Algorithm 1 has no pre-pulls ([]), variance and prior count 1, and the
first one among ties; neighbours are of either relation r, and rewards lie in [0, 1]. {INTEGRALS}"""

decided = with_evidence(
    {**reductions_of_chapter(chapter, WORDS), "theorem-7/formula": add_evidence(reached_state)},
    {"theorem-7/formula": theorem_7_ranges, "corollary-1/formula": corollary_1_margins},
)
proves("theorem-7/formula")(decided["theorem-7/formula"])
proves("theorem-7/two-arms")(
    machine_checked(__file__, "theorem_7_two_arms", TWO_ARMS_SAYS)(decided["theorem-7/two-arms"])
)
proves("corollary-1/formula")(
    machine_checked(__file__, "corollary_1_formula", FORMULA_SAYS)(decided["corollary-1/formula"])
)
proves("corollary-1/every-run")(machine_checked(__file__, "corollary_1", EVERY_RUN_SAYS)(lemma_by_argument(EVERY_RUN)))
