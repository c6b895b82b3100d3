"""The threshold game of DP-TS-UCB compared with Theorem 4.4 and with an attack, while no budget is spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dpbandits.extensions.thompson.epochs import FINE_ATTACK_STEP, Epochs, certified_attack, epochs_curve
from dpbandits.extensions.thompson.formatting import four_digits_down, four_digits_up
from dpbandits.proofs_checks.exact.gaussian_profile import log_gaussian_delta
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.bisection import crossing_bracket
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.policy import Pulls
from dpbandits.reference.claims.findings import Side, above, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import Item, SeriesRecord, text_item
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25.page import page
from dpbandits.reference.papers.hu25.section_4_3_game import DELTA, ENOUGH, HORIZON, SHARES, SHOWN
from dpbandits.reference.papers.hu25.shared import printed_eta, sharp_eta

proves = Proofs(page)

GAME = (
    "Fix two tables that differ in one reward of one arm, and the same released past. The reward enters one mean, of "
    "n = 2^r observations, which serves while the arm is pulled 2n times: only there do the two sides differ, by d/n, "
    "|d| <= 1. No budget is spent, so every score is a fresh draw, N(mean, v/n), v = ln^alpha T, independent of the "
    "past. Give the adversary the largest of the other scores, which has one law on both sides, in units of the arm's "
    "deviation, and let her choose it: she only gains. A round is then a coin, Phi(-x) on one side and Phi(s - x) on "
    "the other, s = d/sqrt(v n), and the 2n-th pull ends the game. The most that she can reach from masses P and Q is "
    "convex and homogeneous in them; from there on it is computed as for Thompson sampling. Every step, with its "
    "proof, stands in `extensions/thompson/threshold_game.md` (sections 1, 2 and 6); sums are rounded outward."
)
WORDS = text_item(GAME)
# Tables for two arms by horizon, the worst that a search found: what arm 0 pays before the changed epoch; and arm 1.
TABLES: dict[int, tuple[tuple[float, ...], tuple[float, ...]]] = {
    30: ((), (0.125, 0.0, 0.125, 0.25)),
    100: ((), (1.0,)),
    1000: ((1.0, 1.0), (1.0, 0.875, 0.75, 0.75, 0.875, 1.0)),
}


class Surrounded(NamedTuple):
    """eps at DELTA for alpha = 0: by Theorem 4.4, by the sharp parameter, enough for any number of arms and for two,
    and shown by an attack on two."""

    horizon: int
    printed: float
    sharp: float
    any: float
    two: float
    shown: float


def gaussian_eps(mu: float) -> float:
    """Where the profile of mu-GDP falls to DELTA."""
    return crossing_bracket(lambda eps: float(el.exp(log_gaussian_delta(np.array([eps]), mu))[0]), DELTA, 1e-9)[1]


def game_of(policy: DPTSUCB, arms: int | None) -> Epochs:
    """Its game. Raises ValueError where its budget may be spent, or its means do not serve as the game has it."""
    if int(np.floor(policy.phi)) < policy.horizon - policy.arms:
        raise ValueError(
            f"{policy}: the budget of {policy.phi} draws may be used up in {policy.horizon} rounds, which the "
            "game does not model; give a larger budget, or a shorter horizon"
        )
    return Epochs(policy.horizon, float(policy.variance), arms)


def serves(policy: DPTSUCB) -> list[tuple[int, int, bool]]:
    """The algorithm itself, where arm 0 is pulled in every round: for each mean of its, how many observations are in
    it, during how many pulls it serves, and whether all scores were fresh meanwhile. The last one, cut off by the end,
    is left out."""
    state, noise, found = policy.init(1), Seeded(trials=1, seed=0), []
    used, pulls, fresh = 0, 0, True
    for t in range(1, policy.horizon + 1):
        arm = t - 1 if t <= policy.arms else 0
        if t > policy.arms:
            fresh &= bool((state.left >= 1).all())
            pulls += 1
        counts = np.zeros((1, policy.arms), dtype=np.int64)
        counts[0, arm] = 1
        state = policy.learn(t, state, Pulls(counts), np.zeros((1, policy.arms)), noise)
        if int(state.used[0, 0]) != used:
            found.append((used, pulls, fresh))
            used, pulls, fresh = int(state.used[0, 0]), 0, True
    return found[1:]


def surrounded(horizon: int) -> Surrounded:
    policy = DPTSUCB(2, horizon, 0.0)
    any_arms, two = (epochs_curve(game_of(policy, arms), DELTA / 10, deltas=[DELTA]).eps(DELTA) for arms in (None, 2))
    shown = certified_attack(game_of(policy, 2), *TABLES[horizon], FINE_ATTACK_STEP, (-12.0, two + 15)).eps(DELTA)
    return Surrounded(horizon, gaussian_eps(printed_eta(policy)), gaussian_eps(sharp_eta(policy)), any_arms, two, shown)


def evidence(found: list[Surrounded]) -> tuple[Item, ...]:
    """The numbers as a table, how long means serve in the algorithm itself, and the argument."""
    columns = [
        "T",
        nearest("Theorem 4.4's eps"),
        nearest("eps of sqrt(T - 2)-GDP"),
        above("enough for any number of arms"),
    ]
    columns += [above("enough for two arms"), below("shown by an attack on two arms: at least")]
    longest = DPTSUCB(2, max(each.horizon for each in found), 0.0)
    rows = [[n, pulls, "yes" if fresh else "no"] for n, pulls, fresh in serves(longest)]
    title = f"eps at delta = {DELTA:g}, alpha = 0"
    return (
        table_item(title, columns, [list(each) for each in found]),
        table_item(
            f"Played on the algorithm itself, T = {longest.horizon}, arm 0 in every round",
            ["observations in a mean", "pulls while it serves", "all scores fresh"],
            rows,
        ),
        WORDS,
    )


def as_played(policy: DPTSUCB) -> bool:
    """Whether means serve in the algorithm itself as the game has it."""
    found = serves(policy)
    return len(found) > 0 and found == [(2**r, 2 ** (r + 1), True) for r in range(len(found))]


@proves("theorem-4.4/game")
def sharper(claim: Claim, effort: Effort, seed: int, *, shares: Mapping[int, float] = SHARES) -> Finding:
    """The game's eps for any number of arms beside those of both parameters."""
    found = [surrounded(horizon) for horizon in shares]
    shown, last = evidence(found), found[-1]
    enough = four_digits_up(last.any)
    text = f"For T = {last.horizon}, eps <= {enough} is certified. The sharp parameter gives {last.sharp:.4g}."
    if not all(as_played(DPTSUCB(2, each.horizon, 0.0)) for each in found):
        return Finding(claim.id, Verdict.UNSUPPORTED, "the algorithm's means do not serve as in the game", shown)
    if any(each.any > shares[each.horizon] * each.sharp for each in found):
        return Finding(claim.id, Verdict.UNSUPPORTED, "the game does not bound as well as that", shown)
    return established(claim.id, text, (drawn(found), *shown), Basis.WORDS, Basis.DOUBLES, Basis.EXACT_LAW)


def drawn(found: list[Surrounded]) -> Item:
    """All of it against T."""
    styles = (
        ("Theorem 4.4", "claimed", Side.NEAREST),
        ("sqrt(T - 2)-GDP", "other", Side.NEAREST),
        ("enough for any number of arms", "exact", Side.ABOVE),
        ("enough for two arms", "exact", Side.ABOVE),
        ("shown on two arms", "certified", Side.BELOW),
    )
    series: list[SeriesRecord] = [
        {"label": label, "style": style, "side": side, "points": [[each.horizon, each[place]] for each in found]}
        for place, (label, style, side) in enumerate(styles, start=1)
    ]
    title = f"How private is DP-TS-UCB, alpha = 0? eps at delta = {DELTA:g}"
    return {"kind": "lines", "title": title, "x": "T", "y": "eps", "log_x": True, "log_y": True, "series": series}


@proves("theorem-4.4/game/attained")
def attained(
    claim: Claim,
    effort: Effort,
    seed: int,
    *,
    horizon: int = HORIZON,
    at_most: float = ENOUGH,
    at_least: float = SHOWN,
) -> Finding:
    """Two arms, from above and from below."""
    found = surrounded(horizon)
    text = (
        f"For T = {horizon} and two arms, eps <= {four_digits_up(found.two)} is certified, and an attack rules out "
        f"every eps < {four_digits_down(found.shown)}."
    )
    if found.two > at_most or found.shown < at_least or not as_played(DPTSUCB(2, horizon, 0.0)):
        return Finding(claim.id, Verdict.UNSUPPORTED, text, evidence([found]))
    return established(claim.id, text, evidence([found]), Basis.WORDS, Basis.DOUBLES, Basis.EXACT_LAW)
