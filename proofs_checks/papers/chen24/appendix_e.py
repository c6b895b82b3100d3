"""Appendix E.2: the number of pulls of DP-OD on two orthogonal arms, and a lower bound on its error probability."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import mpmath

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument, one_line
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.chen24.evidence import tried
from dpbandits.reference.claims.model import Claim, Finding
from dpbandits.reference.papers.chen24.algorithms.od_linbai import OptimalDesign, dp_od
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)

LENGTHS = ((1.0, 1.0), (1.0, 2.0), (50.0, 1.0), (1e-3, 1e3))  # x and y
HORIZONS = (3, 4, 5, 12, 101, 1000)


class Two(NamedTuple):
    """DP-OD on (x, 0) and (0, y) with rewards that are certain, `gap` apart."""

    x: float
    y: float
    gap: float
    eps: float
    n: int


def wrong_pulls(case: tuple[tuple[float, float], int], make: Callable[[Any, int, float], OptimalDesign] = dp_od) -> str:
    (x, y), horizon = case
    policy = make(((x, 0.0), (0.0, y)), horizon, 1.0)
    (counts,) = policy.block(policy.init(1).active).tolist()
    wanted = -(-(horizon - 2) // 2)
    return "" if (policy.rounds, counts) == (1, [wanted, wanted]) else f"x = {x}, y = {y}, T = {horizon}: {counts}"


DESIGN = """od_rounds d is ceil(log2 d), and od_share K d T is m of DP-OD for K arms in d dimensions, here 2 and 2.
w and 1 - w are the weights of a G-optimal design on (x, 0) and (0, y): V = w a a' + (1 - w) b b' is invertible, and
the larger one of a' V^-1 a and b' V^-1 b, with V^-1 written out, is as small as possible. n1 = T_1 is ceil(w m) and
n2 = T_2 is ceil((1 - w) m). The theorem says that there is one round, that w = 1/2, and that T_1 = T_2 = ceil((T -
2)/2)."""


@proves("proposition-e.1/pulls")
@machine_checked(__file__, "two_orthogonal_arms", DESIGN)
def pulls(claim: Claim, effort: Effort, seed: int) -> Finding:
    """For d = 2 there is ceil(log_2 2) = 1 round, and m = T - min(K, 3) = T - 2. With weights w and 1 - w, V is
    diagonal with w x^2 and (1 - w) y^2, and the variances of the two estimates are 1/w and 1/(1 - w). The larger of the
    two variances is smallest at w = 1/2, whatever x and y are. So both arms are pulled ceil(m/2) times."""
    cases = product(LENGTHS, HORIZONS)
    return tried(claim, one_line(pulls), cases, wrong_pulls, "lengths and horizons", how="the policy's own pulls")


def cases() -> Iterator[Two]:
    for (x, y), gap, eps, n in product(LENGTHS, (0.01, 0.3, 1.0), (0.1, 1.0, 10.0), (1, 10, 100)):
        yield Two(x, y, gap, eps, n)


def below(first: mpmath.mpf, second: mpmath.mpf, far: mpmath.mpf) -> mpmath.mpf:
    """P(X - Y < -far) for Laplace variables of these scales."""
    if first == second:
        return mpmath.exp(-far / first) * (2 + far / first) / 4
    tails = [scale**2 * mpmath.exp(-far / scale) for scale in (first, second)]
    return (tails[0] - tails[1]) / (first**2 - second**2) / 2


def wrong_lower(case: Two, *, tail: Callable[[mpmath.mpf, mpmath.mpf, mpmath.mpf], mpmath.mpf] = below) -> str:
    x, y, gap, eps, n = (mpmath.mpf(each) for each in case)
    with mpmath.workdps(50):
        longest = max(x, y)
        error = tail(longest / (eps * x * n), longest / (eps * y * n), gap)
        bound = (1 - mpmath.exp(-n * gap**2)) * mpmath.exp(-2 * n * gap * eps * min(x, y) / longest) / 4
    return "" if error >= bound else f"{case}: {mpmath.nstr(error, 5)} is below {mpmath.nstr(bound, 5)}"


@proves("proposition-e.1/lower")
def lower(claim: Claim, effort: Effort, seed: int) -> Finding:
    """DP-OD errs if three independent events happen. First, the noise of the shorter arm's estimate, of scale max(x,
    y)/(min(x, y) eps n), exceeds 2 gap in the wrong direction. Second, the noise of the other estimate does not go in
    the right direction. Third, the means of the rewards are less than 2 gap apart. The first two events have
    probabilities exp(-2 n gap eps min(x, y)/max(x, y))/2 and 1/2. The third event has probability at least 1 - exp(-n
    gap^2), by Hoeffding's inequality for 2n rewards and the deviation n * gap."""
    return tried(
        claim,
        one_line(lower),
        cases(),
        wrong_lower,
        "instances with certain rewards",
        how="the tail of a difference of two Laplace variables, in 50 digits",
    )


PRIVATE = Reduction(
    "Every reward of the table enters the moment vector of one round, or is not read. The design of a round, its "
    "coordinates and its features in these coordinates are functions of the earlier noisy moment vectors. In these "
    "coordinates one reward changes the vector by at most ||a||_1 <= L. So on two tables that differ in one reward, "
    "the joint density of all noisy moment vectors is a product in which at most one factor differs. The two values "
    "of this factor have a quotient of at most e^eps. The pulls and the recommendation are functions of these "
    "vectors.",
    (),
)
THEOREM = f"""rounds_chance draws the coordinates of the noisy moment vectors in turn, with noise of scale L/eps; block,
feature, dimension, longest and recommended are what is computed from the vectors of earlier rounds, any functions, the
algorithm's among them: the pulls of the next round, the features in its coordinates, L, which is positive and at least
the 1-norm of every feature that is pulled, and the recommendation. bounded is a table in [0, 1], near pull one reward
changed, and an event is any set of pulls of all rounds with a recommendation. {INTEGRALS}"""

proves("dp-od/privacy")(machine_checked(__file__, "dp_od_private", THEOREM)(lemma_by_argument(PRIVATE)))
