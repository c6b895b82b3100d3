"""Reductions for the claims of Appendix C.1: report noisy max, Lemma 12, Theorem 7, Corollary 1."""

from __future__ import annotations

from math import inf

import numpy as np

from dpbandits.proofs_checks.judge.reductions import Reduction, Step, encloses, never_less, same
from dpbandits.proofs_checks.papers.ou24.section_2_to_4 import ATTAINED, NOT_NEGATIVE, SLOPE, TAIL
from dpbandits.proofs_checks.vocabulary.boxes import Span, boxes
from dpbandits.proofs_checks.vocabulary.contexts import certainly_at_most, iv
from dpbandits.reference.curves import advanced_composition, gaussian_delta
from dpbandits.reference.ledger import Basis, Real
from dpbandits.reference.noise import Array
from dpbandits.reference.papers.ou24.privacy_formulas import half, lemma_3_mu, tail_shift, two_arm_eps

LAPLACE_GAP = Reduction(
    "Let W be the tail of the difference of two standard Laplace variables and w its density. W(x) e^x does not fall "
    "where w <= W. For x >= 0 both have the factor e^-x, and (1 + x)/4 <= (2 + x)/4. For x = -y < 0, w <= W is "
    "e^-y (1 + y)/4 <= 1 - e^-y (2 + y)/4, that is (3 + 2y)/4 <= e^y, which follows from e^y >= 1 + y.",
    (
        never_less(
            "(1 + x)/4 <= (2 + x)/4",
            lambda m, x: (1 + x) / 4,
            lambda m, x: (2 + x) / 4,
            {"x": NOT_NEGATIVE},
        ),
        never_less(
            "(3 + 2y)/4 <= 1 + y",
            lambda m, y: (3 + 2 * y) / 4,
            lambda m, y: 1 + y,
            {"y": NOT_NEGATIVE},
        ),
    ),
)
CLASSICAL = Reduction(
    "Only the largest shift, a = eps/k with k = sqrt(2 log(1.25/delta)), matters (Definition 2 and monotonicity), and "
    "delta(eps; a) <= Q(k - eps/(2k)) <= Q(k - 1/(2k)) as eps < 1, to be compared with delta = 1.25 exp(-k^2/2). For "
    "k >= 1/sqrt 2 the argument is not negative, and Q(k - 1/(2k)) <= exp(-(k - 1/(2k))^2/2)/2 <= (sqrt(e)/2) "
    "exp(-k^2/2). delta < 1 leaves 0.668 < k < 1/sqrt 2.",
    (
        SLOPE,
        ATTAINED,
        TAIL,
        same(
            "eps/a - a/2 = k - eps/(2k) for a = eps/k",
            lambda m, eps, k: eps / (eps / k) - eps / k / 2,
            lambda m, eps, k: k - eps / (2 * k),
            "eps",
            "k",
        ),
        same(
            "(k - 1/(2k))^2 = k^2 - 1 + 1/(4k^2)",
            lambda m, k: (k - 1 / (2 * k)) ** 2,
            lambda m, k: k**2 - 1 + 1 / (4 * k**2),
            "k",
        ),
        encloses("sqrt(e)/2 <= 1.25", lambda m: m.exp(half(m)) / 2, lambda m: m.number("1.25"), {}),
        encloses(
            "0.668 <= sqrt(2 log 1.25)",
            lambda m: m.number("0.668"),
            lambda m: m.sqrt(2 * m.log(m.number("1.25"))),
            {},
        ),
        encloses(
            "Q(k - 1/(2k)) <= 1.25 exp(-k^2/2) for 0.668 <= k <= 0.708",
            lambda m, k: m.ncdf(1 / (2 * k) - k),
            lambda m, k: m.number("1.25") * m.exp(-k * k / 2),
            {"k": Real(0.668, 0.708, closed=True)},
        ),
    ),
)
EVERY_EPS = Reduction(
    "Only the largest shift a matters (Definition 2 and monotonicity). a^2 + 2az = 2 eps, so eps/a - a/2 = z, and "
    "delta(eps; a) <= Q(z) <= exp(-z^2/2)/2 = delta.",
    (
        SLOPE,
        ATTAINED,
        TAIL,
        same(
            "a^2 + 2az = 2 eps for a = sqrt(z^2 + 2 eps) - z, z = sqrt(2 log(1/(2 delta)))",
            lambda m, eps, delta: (
                tail_shift(m, eps, delta) ** 2 + 2 * tail_shift(m, eps, delta) * m.sqrt(2 * m.log(1 / (2 * delta)))
            ),
            lambda m, eps, delta: 2 * eps,
            "eps",
            "delta",
        ),
    ),
)
LAST = 8  # from k = 9 on, 1 + 1/k is below two_arm_eps


def first_arms() -> bool:
    """log(Q(sqrt k - 1/sqrt k)/Q(sqrt k)) <= two_arm_eps for k = 3 ... LAST (k = 2 is its definition)."""
    return all(
        certainly_at_most(iv.log(iv.ncdf(1 / iv.sqrt(k) - iv.sqrt(k)) / iv.ncdf(-iv.sqrt(k))), two_arm_eps(iv))
        for k in range(3, LAST + 1)
    )


TWO_ARMS = Reduction(
    "Let k = n + 1 and s^2 = 1/k + 1/(other+1). The event 'arm 1' has the ratio Q(w - 1/(ks))/Q(w), w = -lead/s. Q is "
    "log-concave, so this increases with w, and lead >= -1 gives w <= 1/s =: r <= sqrt k; Q(r - r/k)/Q(r) increases "
    "with r, as the hazard rate does. So it is at most Q(sqrt k - 1/sqrt k)/Q(sqrt k). Its logarithm is an integral of "
    "the hazard rate, which is below z + 1/z, over a length of 1/sqrt k: at most 1 + 1/k. For the event 'arm 2' the "
    "same holds with w <= (1 - 1/k)/s.",
    (
        Step("k = 3, ..., 8: the logarithm is at most that at k = 2", first_arms, Basis.INTERVALS),
        encloses("k >= 9: 1 + 1/9 <= two_arm_eps", lambda m: 1 + m.number("1/9"), two_arm_eps, {}),
    ),
)
GENERATIONS = 60  # 12 are enough
ROUNDS = 109  # 2 e^4 = 109.2: beyond, delta < 1/T makes the step's eps larger than 1/sqrt 2


def small_eps_cells() -> bool:
    """Corollary 1 at N = 2, for the step's eps in (0, 0.708], every slack, T = 1 ... ROUNDS.

    With eps, delta = exp(-8 eps^2)/2. The left side, GDP's delta at eps_TS, falls as eps or l = log(1/slack) grows;
    so does delta_TS. So on a cell (low, high, near, far: eps from low to high, l from near to far) the left side at
    the low corner is compared with delta_TS at the high corner. Rows of `cells`: T, low, high, near, far.
    """
    strips = [(0.0, 1.0), (1.0, 4.0), (4.0, 16.0), (16.0, inf)]
    cells = np.array([(T, 0.0, 0.708, *strip) for T in range(1, ROUNDS + 1) for strip in strips])
    for _ in range(GENERATIONS):
        T, low, high, near, far = (exact_span(column) for column in cells.T)
        with np.errstate(all="ignore"):
            promised = boxes.exp(-8 * high * high) * T / 2 + boxes.exp(-far)
            total = advanced_composition(boxes, low, T, boxes.exp(-near))
            left = gaussian_delta(boxes, total, lemma_3_mu(boxes, T))
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
    "Let l = log(1/slack), mu = sqrt(T/2), eps the step's. At given eps and slack, N = 2 has the smallest delta, so "
    "the smallest delta_TS. eps_TS/mu - mu/2 = 2 eps sqrt(l) + sqrt(T/8) (4 eps (e^eps - 1) - 1). For eps >= 1/sqrt 2 "
    "this is at least sqrt(2l), so GDP's delta is at most Q(sqrt(2l)) <= slack/2. For eps < 1/sqrt 2, T delta < 1 "
    "means T < 2 e^4 < 110, and finitely many cells remain.",
    (
        TAIL,
        same(
            "(eps sqrt(2Tl)/mu)^2 = (2 eps)^2 l",
            lambda m, eps, T, rest: (eps * m.sqrt(2 * T * rest) / lemma_3_mu(m, T)) ** 2,
            lambda m, eps, T, rest: 4 * eps * eps * rest,
            "eps",
            "T",
            "rest",
        ),
        same(
            "T x/mu - mu/2 = (mu/2) (4x - 1), x = eps (e^eps - 1)",
            lambda m, T, x: T * x / lemma_3_mu(m, T) - lemma_3_mu(m, T) / 2,
            lambda m, T, x: lemma_3_mu(m, T) / 2 * (4 * x - 1),
            "T",
            "x",
        ),
        encloses(
            "1 <= 4 eps (e^eps - 1) at eps = 1/sqrt 2",
            lambda m: m.number(1),
            lambda m: 4 * m.sqrt(half(m)) * (m.exp(m.sqrt(half(m))) - 1),
            {},
        ),
        encloses("2 e^4 < 110", lambda m: 2 * m.exp(m.number(4)), lambda m: m.number(110), {}),
        encloses("1/sqrt 2 <= 0.708", lambda m: m.sqrt(half(m)), lambda m: m.number("0.708"), {}),
        Step("all cells with eps <= 0.708, T <= 109", small_eps_cells, Basis.INTERVALS),
    ),
)
