"""The threshold game beside Theorem 3, and an attack beside the game, at horizons that take seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from dpbandits.extensions.thompson.answers import followed_pull_counts
from dpbandits.extensions.thompson.attack import Attack, attack
from dpbandits.extensions.thompson.bound import Upper, certified_curve
from dpbandits.extensions.thompson.curve_table import KeptAttack, tabled_attack, tabled_eps
from dpbandits.extensions.thompson.formatting import four_digits_down, four_digits_up
from dpbandits.extensions.thompson.initial_tables import TableShape, pair_of_shape
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.proofs_checks.exact.gaussian_profile import log_gaussian_delta
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.findings import Side, above, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import Item, SeriesRecord, text_item
from dpbandits.reference.curves.derived import adaptive_abscissae
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.section_3_game import DELTA, ENOUGH, SHARES, SHOWN, SHOWN_HUNDRED

proves = Proofs(page)

GAME = (
    "Fix two tables that differ in one reward of one arm. Given the same released past, the two inputs differ in the "
    "mean of this arm only. The two means differ by d/(n+1) with |d| <= 1 once the changed reward is one of the arm's "
    "n rewards. Let an adversary choose x, the largest of the other samples in units of the arm's standard deviation. "
    "The adversary's choice can only increase the privacy loss. Then the changed arm is pulled with probability "
    "Phi(-x) on one input and Phi(s - x) on the other, with s = d/sqrt(c(n+1)). If the changed arm is pulled, n grows "
    "by one. The largest value that the adversary reaches from probabilities P and Q is convex and homogeneous in (P, "
    "Q). So each pair of probabilities may be replaced by a mixture of grid points with the same total. The supremum "
    "over x in a cell is bounded at the corners of a polygon around the curve of pairs (Phi(-x), Phi(s - x)). The file "
    "`extensions/thompson/threshold_game.md` proves every step. Sums are rounded outward."
)
WORDS = text_item(GAME)
ATTACKED = 100
SHAPE = TableShape(
    level=0.85, until=0.65, late=0.45, threshold=0.682, slope=-0.2
)  # the worst tables that a search found
LONG = 1000
# T of the curves, of which those of SHARES are what is claimed; and the worst tables that a search found there, for eps
# and for mu.
CURVE = {
    20: (TableShape(0.025, 1.0, 0.0, 0.0, 0.0), TableShape(0.4, 1.0, 0.0, 0.0, 0.0)),
    50: (TableShape(0.6, 0.125, 0.5, 0.4, -0.2), TableShape(1.0, 0.35, 0.65, 0.682, -0.2)),
    100: (SHAPE, TableShape(1.0, 0.35, 0.5, 1.6, 0.0)),
    300: (TableShape(1.0, 0.5, 0.4, 1.65, 0.0), TableShape(1.0, 0.5, 0.6, 2.1, -0.2)),
}
POINTS = 60  # of a curve of delta, at first

known_curve = lru_cache(maxsize=8)(certified_curve)  # several claims are about one sampler


def theorem_3_reaches(horizon: int, eps: float, delta: float) -> bool:
    """Whether Theorem 3 promises delta at this eps."""
    return bool(log_gaussian_delta(np.array([eps]), sqrt(horizon / 2))[0] <= log(delta))


def theorem_3_eps(horizon: int, delta: float = DELTA) -> float:
    """Where Theorem 3's delta falls to this one, from below: the theorem promises it at no smaller eps."""
    low, high = 0.0, 1.0
    while not theorem_3_reaches(horizon, high, delta):
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if theorem_3_reaches(horizon, middle, delta) else (middle, high)
    return low


GAME_SAYS = f"""game_value is the value of the game as the page defines it: after n pulls of the changed arm, the coin
of the threshold x is Phi(-x) on one side and Phi(shift - x) on the other, and the value of a round is the supremum over
all real x. rises says which side is P's. game_delta is the larger value of the two games, with T - 1 rounds to come
after one pull, at the likelihoods 1 and e^eps. arms is any finite list of two or more different arms, and r either
relation. Algorithm 1 has variance = 1; the theorem holds for every variance. pulls_private is (eps, delta)-DP of the
list of all pulls of a run whose samples are drawn one after another. {INTEGRALS}"""
proves("theorem-3/game/bound")(
    machine_checked(__file__, "game_bound", GAME_SAYS)(lemma_by_argument(Reduction(GAME, ())))
)


@proves("theorem-3/game")
def enough(
    claim: Claim,
    effort: Effort,
    seed: int,
    *,
    horizons: Sequence[int] = tuple(CURVE),
    shares: Mapping[int, float] = SHARES,
) -> Finding:
    """The game's eps for any number of arms, and for two, beside the theorem's."""
    found = [surrounded(horizon) for horizon in horizons]
    rows: list[list[Any]] = [[*each[:5], each.certified / each.promised] for each in found]
    columns = ["T", nearest("Theorem 3's eps"), above("enough for any number of arms"), above("enough for two arms")]
    columns += [below("shown by an attack on two arms: at least"), above("share of the theorem's that is enough")]
    tests = f"tests with errors above {DELTA:g}"
    errors = [[each.horizon, sqrt(each.horizon / 2), each.mu_enough, each.mu_shown] for each in found]
    heads = [
        "T",
        nearest("Theorem 3's mu, for all tests"),
        above(f"enough against {tests}"),
        below(f"shown by such {tests.split()[0]}"),
    ]
    evidence: tuple[Item, ...] = (
        table_item(f"eps at delta = {DELTA:g}", columns, rows),
        table_item(f"mu for two arms, among {tests}", heads, errors),
    )
    last = rows[-1]
    bound = four_digits_up(last[2])
    text = f"For T = {last[0]} and any number of arms, eps <= {bound} is certified. Theorem 3 gives {last[1]:.4g}."
    if not all(each.certified <= shares.get(each.horizon, 1.0) * each.promised for each in found):
        return Finding(claim.id, Verdict.UNSUPPORTED, "the game does not bound as well as that", evidence)
    pictures = (
        drawn(
            f"How private is Thompson sampling? eps at delta = {DELTA:g}",
            "eps",
            rows,
            ("any number of arms", "two arms"),
        ),
        drawn(f"The same as mu: two arms, {tests}", "mu", errors, (f"two arms, {tests}",)),
    )
    return established(claim.id, text, (*pictures, *evidence, WORDS), Basis.WORDS, Basis.DOUBLES, Basis.EXACT_LAW)


class Surrounded(NamedTuple):
    """One horizon, at DELTA: eps by Theorem 3, enough for any number of arms and for two, and shown by an attack on
    two; and mu for two arms among tests whose errors are both above DELTA: enough, and shown."""

    horizon: int
    promised: float
    certified: float
    two: float
    shown: float
    mu_enough: float
    mu_shown: float


def surrounded(horizon: int) -> Surrounded:
    two = Sampler(horizon, 2)
    bound = known_curve(two)
    attacks = [attack(two, pair_of_shape(two, shape), reach=attack_reach(bound)) for shape in CURVE[horizon]]
    shown = [each.eps(DELTA) for each in attacks]
    if (kept := kept_attack(two)) is not None:
        shown.append(confirmed_attack(kept, bound)[1])
    return Surrounded(
        horizon,
        theorem_3_eps(horizon),
        confirmed_eps(known_curve(Sampler(horizon))),
        confirmed_eps(bound),
        max(shown),
        bound.mu(DELTA),
        max(each.mu(DELTA) for each in attacks),
    )


def confirmed_eps(bound: Upper) -> float:
    """The certified eps at DELTA. Where the shipped table of curves, which the command quotes, has this sampler, and
    the curve computed now certifies the table's number, it is that number; else the curve's own."""
    computed = bound.eps(DELTA)
    if not isinstance(bound.sampler, Sampler):
        return computed
    tabled, row = tabled_eps(bound.sampler, bound.relation, DELTA)
    return tabled if row is not None and row.sampler == bound.sampler and computed <= tabled else computed


def kept_attack(sampler: Sampler) -> KeptAttack | None:
    """The shipped table's attack on this sampler at DELTA; None where the table has none."""
    kept = tabled_attack(sampler, "pull", DELTA)
    return kept if kept is not None and (kept.sampler, kept.delta) == (sampler, DELTA) else None


def attack_reach(bound: Upper) -> tuple[float, float]:
    """The privacy losses that an attack follows."""
    return -12.0, bound.eps(DELTA) + 15


def confirmed_attack(kept: KeptAttack, bound: Upper) -> tuple[Attack, float]:
    """The attack on the kept tables of rewards, computed now, and the eps that it certifies at DELTA: the kept number
    where it is confirmed, else the computed one. bound: on the same sampler."""
    found = attack(kept.sampler, kept.pair, levels=followed_pull_counts(kept.sampler), reach=attack_reach(bound))
    computed = found.eps(DELTA)
    return found, kept.eps if computed >= kept.eps else computed


def drawn(title: str, y: str, rows: list[list[Any]], about: tuple[str, ...]) -> Item:
    """The rows against T: what the theorem promises, what is enough, and what an attack shows."""
    styles = [
        ("Theorem 3", "claimed", Side.NEAREST),
        *((f"enough for {each}", "exact", Side.ABOVE) for each in about),
        ("shown on two arms, by the worst tables that a search found", "certified", Side.BELOW),
    ]
    series: list[SeriesRecord] = [
        {"label": label, "style": style, "side": side, "points": [[row[0], row[place]] for row in rows]}
        for place, (label, style, side) in enumerate(styles, start=1)
    ]
    return {"kind": "lines", "title": title, "x": "T", "y": y, "log_x": True, "log_y": True, "series": series}


@proves("remark-2/accounting")
def improved(claim: Claim, effort: Effort, seed: int) -> Finding:
    """One horizon at which the game promises less eps than the theorem at the same delta."""
    promised, certified = theorem_3_eps(ATTACKED), confirmed_eps(known_curve(Sampler(ATTACKED)))
    setting = f"For T = {ATTACKED} and delta = {DELTA:g}"
    text = f"{setting}, eps <= {four_digits_up(certified)} is certified. Theorem 3 gives {promised:.4g}."
    if certified >= promised:
        return Finding(claim.id, Verdict.CONSISTENT, text)
    return established(claim.id, text, (WORDS,), Basis.WORDS, Basis.DOUBLES)


@proves("theorem-3/game/attained")
def reached(claim: Claim, effort: Effort, seed: int, *, least: float = SHOWN_HUNDRED) -> Finding:
    """The attack on the tables of rewards that the table of certified curves keeps."""
    two = Sampler(ATTACKED, 2)
    bound, kept = known_curve(two), kept_attack(two)
    shown = 0.0 if kept is None else confirmed_attack(kept, bound)[1]
    rows = [[ATTACKED, theorem_3_eps(ATTACKED), confirmed_eps(bound), shown]]
    columns = ["T", nearest("Theorem 3's eps"), above("the game's eps, two arms"), below("attack")]
    evidence = (table_item("eps at delta = 1e-6", columns, rows),)
    text = f"For T = {ATTACKED}, (eps, {DELTA:g})-DP does not hold for any eps < {four_digits_down(shown)}."
    if shown < least:
        return Finding(claim.id, Verdict.CONSISTENT, text, evidence)
    return established(claim.id, text, evidence, Basis.EXACT_LAW)


@proves("theorem-3/game/thousand")
def between(
    claim: Claim,
    effort: Effort,
    seed: int,
    *,
    asked: KeptAttack | None = None,
    at_most: float = ENOUGH,
    at_least: float = SHOWN,
) -> Finding:
    """Two arms at T = LONG: the theorem's eps, the game's, and an attack's. asked: another attack than the table's."""
    sampler = Sampler(LONG, 2) if asked is None else asked.sampler
    promised = theorem_3_eps(sampler.horizon)
    bound = known_curve(sampler)
    certified, kept = confirmed_eps(bound), asked or kept_attack(sampler)
    if kept is None:
        return Finding(claim.id, Verdict.UNSUPPORTED, f"no attack on {LONG} rounds is kept in the table of curves")
    shown, lowest = confirmed_attack(kept, bound)
    columns = [
        "T",
        nearest("Theorem 3's eps"),
        above("certified for two arms: at most"),
        below("shown by an attack: at least"),
    ]
    rows = [[sampler.horizon, promised, certified, lowest]]
    table = table_item(f"Privacy lost, eps at delta = {DELTA:g}: smaller is more private", columns, rows)
    text = (
        f"For T = {sampler.horizon} and delta = {DELTA:g}, Theorem 3 gives eps = {promised:.0f}. For two arms, eps <= "
        f"{four_digits_up(certified)} is certified, and an attack rules out every eps < {four_digits_down(lowest)}."
    )
    if certified > at_most or lowest < at_least:
        return Finding(claim.id, Verdict.UNSUPPORTED, text, (table,))
    evidence = (curves(bound, shown, 1.04 * promised), table, WORDS)
    return established(claim.id, text, evidence, Basis.WORDS, Basis.DOUBLES, Basis.EXACT_LAW)


def curves(bound: Upper, shown: Attack, end: float) -> Item:
    """delta against eps, up to `end`: the theorem's, the certified one, and what the attack achieves."""
    eps, near = np.linspace(0, end, POINTS), np.linspace(0, 1.2 * bound.eps(DELTA), POINTS)
    mu = sqrt(bound.sampler.horizon / 2)

    def attacked(at: Array) -> Array:
        return np.array([shown.delta(float(x)) for x in at])

    curves: tuple[tuple[str, str, Side, Array, Callable[[Array], Array]], ...] = (
        ("Theorem 3 promises", "claimed", Side.NEAREST, eps, lambda at: np.exp(log_gaussian_delta(at, mu))),
        ("certified to be true", "exact", Side.ABOVE, near, bound.delta),
        ("attack: no curve below it is true", "other", Side.BELOW, near, attacked),
    )
    series: list[SeriesRecord] = [
        {"label": label, "style": style, "side": side, "points": shown_above(at, curve)}
        for label, style, side, at, curve in curves
    ]
    level: SeriesRecord = {"label": f"delta = {DELTA:g}", "style": "other", "points": [[0.0, DELTA], [end, DELTA]]}
    title = f"How private is Thompson sampling? Two arms, T = {bound.sampler.horizon}"
    return {
        "kind": "lines",
        "title": title,
        "x": "eps",
        "y": "delta",
        "log_x": False,
        "log_y": True,
        "series": [*series, level],
    }


def shown_above(eps: Array, curve: Callable[[Array], Array]) -> list[list[float]]:
    """The curve's points down to a tenth of DELTA."""
    at = adaptive_abscissae(lambda x: np.maximum(curve(x), DELTA / 10), eps, log_y=True)
    return [[float(x), float(y)] for x, y in zip(at, curve(at), strict=True) if y > DELTA / 10]
