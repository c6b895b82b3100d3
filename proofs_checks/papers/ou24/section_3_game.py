"""The threshold game beside Theorem 3, and an attack beside the game, at horizons that take seconds."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np

from dpbandits.proofs_checks.exact.gaussian import log_gaussian_delta
from dpbandits.proofs_checks.game.attack import Attack, attack
from dpbandits.proofs_checks.game.bound import Upper, upper
from dpbandits.proofs_checks.game.recipe import Shape, pair_of
from dpbandits.proofs_checks.game.rules import Sampler
from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.reference.ledger import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.papers.ou24.section_3_game import DELTA, ENOUGH, SHARES, SHOWN

GAME = (
    "Fix two tables that differ in one reward of one arm. Given the same released past, everything agrees on both "
    "sides but this arm's mean, which moves by d/(n+1), |d| <= 1, once n of its pulls hold the reward. Give the "
    "adversary the largest of the other samples, in units of the arm's deviation, and let her choose it: she only "
    "gains. A round is then a coin, Phi(-x) on one side and Phi(s - x) on the other, s = d/sqrt(c(n+1)); where it "
    "comes up, n grows by one. The most that she can reach from masses P and Q is convex and homogeneous in them, so "
    "masses may be split onto a grid with both kept, and the supremum over x in a cell is bounded at the corners of a"
    " polygon around the curve of coins. Every step, with its proof, stands in proofs_checks/game/README.md; sums are"
    " rounded outward."
)
WORDS = {"kind": "text", "text": GAME}
ATTACKED, WANTED = 100, 23.9
SHAPE = Shape(level=0.85, until=0.65, late=0.45, threshold=0.682, slope=-0.2)  # the worst tables that a search found
LONG = 1000
THOUSAND = Shape(level=1.0, until=0.5, late=0.55, threshold=2.2, slope=0.0)  # and at T = LONG
LEVELS = 38  # pulls of the changed arm that the attack there follows
FINENESS = 0.6  # of the bound there: less than a per cent, for half the time
POINTS = 60  # of a curve


def theorem_3_reaches(horizon: int, eps: float) -> bool:
    """Whether Theorem 3 promises DELTA at this eps."""
    return bool(log_gaussian_delta(np.array([eps]), sqrt(horizon / 2))[0] <= log(DELTA))


def theorem_3_eps(horizon: int) -> float:
    """Where Theorem 3's delta falls to DELTA, from below: the theorem promises it at no smaller eps."""
    low, high = 0.0, 1.0
    while not theorem_3_reaches(horizon, high):
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if theorem_3_reaches(horizon, middle) else (middle, high)
    return low


def enough(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The game's eps for any number of arms, and for two, beside the theorem's."""
    rows: list[list[Any]] = []
    good = True
    for horizon, share in SHARES.items():
        promised = theorem_3_eps(horizon)
        certified = upper(Sampler(horizon), smallest=1e-9).eps(DELTA)
        two = upper(Sampler(horizon, 2), smallest=1e-9).eps(DELTA)
        good = good and certified <= share * promised
        rows.append([horizon, promised, certified, two, certified / promised])
    columns = ["T", "Theorem 3's eps", "enough for any number of arms", "enough for two arms", "share"]
    evidence = ({"kind": "table", "title": "eps at delta = 1e-6", "columns": columns, "rows": rows},)
    last = rows[-1]
    text = f"eps = {last[2]:.4g} at T = {last[0]}, where Theorem 3 says {last[1]:.4g}"
    if not good:
        return Finding(claim.id, Verdict.UNSUPPORTED, "the game does not bound as well as that", evidence)
    return established(claim.id, text, (picture(rows), *evidence, WORDS), Basis.WORDS, Basis.INTERVALS)


def picture(rows: list[list[Any]]) -> dict[str, Any]:
    """The rows' eps against T: what the theorem promises, and what is enough."""
    styles = (("Theorem 3", "claimed"), ("enough for any number of arms", "exact"), ("enough for two arms", "other"))
    series = [
        {"label": label, "style": style, "points": [[row[0], row[place]] for row in rows]}
        for place, (label, style) in enumerate(styles, start=1)
    ]
    title = f"How private is Thompson sampling? eps at delta = {DELTA:g}"
    return {"kind": "lines", "title": title, "x": "T", "y": "eps", "log_x": True, "log_y": True, "series": series}


def improved(claim: Claim, effort: Effort, seed: int) -> Finding:
    """One horizon at which the game promises less eps than the theorem at the same delta."""
    promised, certified = theorem_3_eps(ATTACKED), upper(Sampler(ATTACKED), smallest=1e-9).eps(DELTA)
    text = f"T = {ATTACKED}, delta = {DELTA:g}: eps = {certified:.4g} instead of {promised:.4g}"
    if certified >= promised:
        return Finding(claim.id, Verdict.CONSISTENT, text)
    return established(claim.id, text, (WORDS,), Basis.WORDS, Basis.INTERVALS)


def reached(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The certified attack on the worst tables found."""
    sampler = Sampler(ATTACKED, 2)
    shown = attack(sampler, pair_of(sampler, SHAPE)).eps(DELTA)
    rows = [[ATTACKED, theorem_3_eps(ATTACKED), upper(sampler, smallest=1e-9).eps(DELTA), shown]]
    columns = ["T", "Theorem 3's eps", "the game's eps, two arms", "attack"]
    evidence = ({"kind": "table", "title": "eps at delta = 1e-6", "columns": columns, "rows": rows},)
    text = f"no eps below {shown:.5g} is private at T = {ATTACKED} and delta = {DELTA:g}"
    if shown < WANTED:
        return Finding(claim.id, Verdict.CONSISTENT, text, evidence)
    return established(claim.id, text, evidence, Basis.EXACT_LAW)


def between(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Two arms at T = LONG: the theorem's eps, the game's, and an attack's."""
    sampler = Sampler(LONG, 2)
    promised, bound = theorem_3_eps(sampler.horizon), upper(sampler, smallest=DELTA / 10, fineness=FINENESS)
    certified = bound.eps(DELTA)
    shown = attack(sampler, pair_of(sampler, THOUSAND), levels=LEVELS, reach=(-12.0, certified + 15))
    lowest = shown.eps(DELTA)
    columns = ["T", "Theorem 3's eps", "certified: enough for two arms", "attack: no eps below it is private"]
    rows = [[sampler.horizon, promised, certified, lowest]]
    table = {"kind": "table", "title": "eps at delta = 1e-6", "columns": columns, "rows": rows}
    found = f"Theorem 3 says eps = {promised:.0f}; certified to be enough for two arms: {certified:.1f}"
    text = f"T = {LONG}, delta = {DELTA:g}: {found}; an attack shows that no eps below {lowest:.1f} is"
    if certified > ENOUGH or lowest < SHOWN:
        return Finding(claim.id, Verdict.UNSUPPORTED, text, (table,))
    evidence = (curves(bound, shown, 1.5 * certified), table, WORDS)
    return established(claim.id, text, evidence, Basis.WORDS, Basis.INTERVALS, Basis.EXACT_LAW)


def curves(bound: Upper, shown: Attack, end: float) -> dict[str, Any]:
    """delta against eps, up to `end`: the theorem's, the certified one, and what the attack achieves."""
    eps = np.linspace(0, end, POINTS)
    horizon = bound.sampler.horizon
    drawn = (
        ("Theorem 3", "claimed", np.exp(log_gaussian_delta(eps, sqrt(horizon / 2)))),
        ("certified: enough", "exact", bound.delta(eps)),
        ("attack: no less is enough", "other", np.array([shown.delta(float(x)) for x in eps])),
    )
    series = [
        {
            "label": label,
            "style": style,
            "points": [[float(x), float(y)] for x, y in zip(eps, delta, strict=True) if y > DELTA / 10],
        }
        for label, style, delta in drawn
    ]
    title = f"How private is Thompson sampling? Two arms, T = {horizon}"
    return {"kind": "lines", "title": title, "x": "eps", "y": "delta", "log_x": False, "log_y": True, "series": series}


LEMMAS: dict[str, Lemma] = {
    "ou24/theorem-3/game/thousand": between,
    "ou24/theorem-3/game": enough,
    "ou24/theorem-3/game/attained": reached,
    "ou24/remark-2/accounting": improved,
}
