"""The threshold game played out, its growth in closed form, and three arms against two."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import log_ndtr

from dpbandits.extensions.thompson.bound import certified_curve
from dpbandits.extensions.thompson.formatting import four_digits_down, four_digits_up
from dpbandits.extensions.thompson.many_arm_attack import many_arm_attack
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.extensions.thompson.worst_coins import pair_of_coins
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.papers.ou24.section_3_game import WORDS
from dpbandits.proofs_checks.papers.ou24.section_3_game_played import played_out
from dpbandits.proofs_checks.vocabularies.intervals import Intervals
from dpbandits.reference.claims.findings import above, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import text_item
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.section_3_game_limits import CROWD, DELTA, GROWTH, LOSS, PLAYED, THREE, TWO

proves = Proofs(page)

m = Intervals(30)
SMALL = 1e-6  # the delta of GROWTH
TABLES = (1.0, 0.2, 0.65, 0.6827, 0.0)  # for three arms, the worst that a search found; see `pair_of_coins`
FOLLOWED, STEP = 22, 0.1  # pulls of the changed arm, and the losses' step, of that attack
FINENESS = 0.6  # of the bound beside it


@proves("theorem-3/game/exact")
def played(claim: Claim, effort: Effort, seed: int, *, loss: float = LOSS) -> Finding:
    """The other arm's score is set by somebody, without noise: to the lower mean of the changed arm plus x of its
    deviations. Then the arm is pulled with probability Phi(-x) on one side and Phi(s - x) on the other, whatever x: so
    everything that the game allows can be played, and the game's value is attained. Its bound says which x to choose;
    the chances of all 2^(T-1) transcripts of that choice are computed one by one."""
    sampler = Sampler(PLAYED, 2)
    bound = certified_curve(sampler._replace(arms=None), smallest=DELTA / 10)
    enough = bound.eps(DELTA)
    shown = played_out(bound, enough).eps(DELTA)
    columns = ["T", "transcripts", "delta", above("the game says: enough"), below("played: no less is")]
    rows = [[PLAYED, 2 ** (PLAYED - 1), DELTA, enough, shown]]
    evidence = (
        table_item("Who sets the other score", columns, rows),
        text_item(one_line(played)),
        WORDS,
    )
    text = (
        f"For T = {PLAYED} and delta = {DELTA:g}, the threshold game certifies eps <= {four_digits_up(enough)}, and an "
        f"adversary attains {four_digits_down(shown)}."
    )
    if not (1 - loss) * enough <= shown <= enough:
        return Finding(claim.id, Verdict.UNSUPPORTED, text, evidence)
    return established(claim.id, text, evidence, Basis.WORDS, Basis.DOUBLES, Basis.EXACT_LAW)


def unpulled(rounds: int, x: float) -> float:
    """The eps that one threshold shows at SMALL: the arm is pulled in no round, with Phi(x)^R on the left side and
    Phi(x - s)^R on the right one. By intervals; 0 where it shows nothing."""
    s = 1 / m.sqrt(m.number(2))
    left = m.exp(rounds * m.log(m.ncdf(m.number(x)))) - m.number(SMALL)
    if not left.low > 0:
        return 0.0
    eps = m.log(left) - rounds * m.log(m.ncdf(m.number(x) - s))
    return max(float(eps.low), 0.0)


def best_threshold(rounds: int) -> float:
    """Where `unpulled` is largest, in doubles."""
    x = np.linspace(0.0, 8.0, 8001)
    gain = np.exp(rounds * log_ndtr(x)) - SMALL
    eps = np.log(np.maximum(gain, 1e-300)) - rounds * log_ndtr(x - sqrt(0.5))
    return float(x[np.argmax(np.where(gain > 0, eps, 0.0))])


@proves("theorem-3/game/growth")
def grown(claim: Claim, effort: Effort, seed: int, *, growth: Mapping[int, float] = GROWTH) -> Finding:
    """One threshold x for all R = T - 1 rounds with n = 1: "never pulled" has the probabilities Phi(x)^R, and Phi(x -
    s)^R = (1 - Phi(s - x))^R <= exp(-R Phi(s - x)), s = 1/sqrt 2. Let Phi(x)^R = 2 delta. So delta is exceeded for all
    eps < R Phi(s - x) - ln(1/delta). As T grows, R Phi(-x) tends to ln(1/(2 delta)) and x^2/(2 ln T) to 1; and Phi(s -
    x)/Phi(-x) >= e^(sx - s^2/2), for the slope of the curve of coins is at least that up to its point at x. So the eps
    of the threshold game is at least ln(1/(2 delta)) exp(s sqrt(2 ln T) (1 - o(1))) - ln(1/delta): this grows faster
    than any power of ln T."""
    rows: list[list[Any]] = []
    for horizon, wanted in growth.items():
        x = best_threshold(horizon - 1)
        rows.append([horizon, x, unpulled(horizon - 1, x), wanted])
    columns = ["T", nearest("threshold"), below("the eps of the threshold game is at least"), nearest("claimed")]
    evidence = (
        table_item(f"delta = {SMALL:g}", columns, rows),
        text_item(one_line(grown)),
    )
    text = (
        f"At T = {rows[-1][0]}, the eps of the threshold game is at least {four_digits_down(rows[-1][2])}: an "
        "adversary who uses the same threshold in all rounds attains this number."
    )
    if any(shown < wanted for _, _, shown, wanted in rows):
        return Finding(claim.id, Verdict.UNSUPPORTED, text, evidence)
    return established(claim.id, text, evidence, Basis.WORDS, Basis.INTERVALS)


@proves("theorem-3/game/arms")
def crowded(
    claim: Claim, effort: Effort, seed: int, *, horizon: int = CROWD, at_most: float = TWO, at_least: float = THREE
) -> Finding:
    """Tables for three arms, and all tables for two."""
    two, three = Sampler(horizon, 2), Sampler(horizon, 3)
    enough = certified_curve(two, smallest=DELTA / 10, fineness=FINENESS).eps(DELTA)
    shown = many_arm_attack(three, pair_of_coins(three, "pull", TABLES), FOLLOWED, STEP, (-8.0, enough + 12)).eps(DELTA)
    columns = ["T", "delta", above("two arms, all tables: enough"), below("three arms, some tables: no less is")]
    table = table_item("eps", columns, [[horizon, DELTA, enough, shown]])
    text = (
        f"For T = {horizon} and delta = {DELTA:g}, eps <= {four_digits_up(enough)} is certified for two arms. With "
        f"three arms, no eps < {four_digits_down(shown)} is valid."
    )
    if enough > at_most or shown < at_least or not enough < shown:
        return Finding(claim.id, Verdict.UNSUPPORTED, text, (table,))
    return established(claim.id, text, (table, WORDS), Basis.WORDS, Basis.DOUBLES, Basis.EXACT_LAW)
