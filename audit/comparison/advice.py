"""What to use, in a sentence: nothing that is not certified, nobody on a promise that is not established."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dpbandits.audit.comparison import document as d
from dpbandits.audit.comparison.playing import IN_TURNS
from dpbandits.audit.comparison.words import delta_text


class Asked(NamedTuple):
    """What was wanted, and how it was played. horizon: T. runs: of every policy on every family. risk: that any of all
    limits is wrong."""

    eps: float
    delta: float
    horizon: int
    runs: int
    risk: float


def advised(
    asked: Asked,
    families: Sequence[d.Family],
    candidates: Sequence[d.Candidate],
    orders: Sequence[d.Order],
) -> d.Advice:
    """The advice. orders: all that is certified; those about policies that are not ranked count for nothing."""
    ranked = [each.name for each in candidates if each.standing == d.RANKED]
    running = [*ranked, IN_TURNS.name]
    beats = {(one.family, one.better, one.worse) for one in orders}

    def leaders(family: d.Family) -> list[str]:
        """Whom nobody is certified to beat there."""
        return [one for one in running if not any((family.name, other, one) in beats for other in running)]

    def apart(one: str, other: str) -> bool:
        """Whether something certifies that `one` costs less than `other` somewhere."""
        return any((family.name, one, other) in beats for family in families)

    leading = {family.name: leaders(family) for family in families}
    everywhere = [one for one in running if all(one in found for found in leading.values())]
    conditions = conditions_of(asked, families)
    if not ranked:
        return d.Advice(
            "No policy keeps this privacy on a promise that is established: raise eps or delta.", "", (), conditions
        )
    if IN_TURNS.name in everywhere:
        ties = tuple(one for one in everywhere if one != IN_TURNS.name)
        beaten = "no private policy is certified to cost less than pulling the arms in turns, which reads no reward"
        said = f"In {asked.runs} runs of each, {beaten}: raise the runs, eps or the horizon."
        return d.Advice(said, "", ties, conditions)
    best = [one for one in everywhere if all(apart(one, other) for other in running if other != one)]
    if len(best) == 1:
        level = [family.name for family in families if (family.name, best[0], IN_TURNS.name) not in beats]
        return d.Advice(alone(best[0], families, level), best[0], (), conditions)
    if everywhere:
        ties = tuple(everywhere)
        return d.Advice(tied(everywhere, running, asked.runs), "", ties, conditions)
    told = "; ".join(f"{name}: {' or '.join(found)}" for name, found in leading.items())
    return d.Advice(f"It hangs on the arms. Nothing beats, by certified differences: {told}.", "", (), conditions)


def alone(name: str, families: Sequence[d.Family], level: Sequence[str]) -> str:
    """level: families on which it is not certified to cost less than arms in turns."""
    where = "this family" if len(families) == 1 else f"all {len(families)} families"
    beside = f" On {', '.join(level)} it is not certified to cost less than arms in turns." if level else ""
    return (
        f"Use {name}: on {where} of arms no other policy that keeps this privacy is certified to cost less, and each "
        f"of them is certified to cost more on one at least.{beside}"
    )


def tied(everywhere: Sequence[str], running: Sequence[str], runs: int) -> str:
    if len(everywhere) == 1:
        open_to = [one for one in running if one != everywhere[0]]
        beside = f"and, in {runs} runs of each, not certified to be better than all of {', '.join(open_to)}"
        return f"{everywhere[0]} is beaten by nobody, {beside}."
    return f"A tie, as far as {runs} runs of each certify: {' or '.join(everywhere)}; more may part them."


def conditions_of(asked: Asked, families: Sequence[d.Family]) -> tuple[str, ...]:
    arms = "The means are those given" if len(families) == 1 else "The arms are of these families"
    return (
        f"Privacy means ({asked.eps:g}, {delta_text(asked.delta)})-DP of all released pulls, for tables of rewards "
        "that differ in one pull.",
        f"{arms}: rewards of 0 or 1, independent, T = {asked.horizon}; regret is an expectation over runs.",
        f"All limits hold together but for a risk of {asked.risk:g}, for a number of runs that was chosen before: who "
        "looks, and asks again with more, takes that risk again.",
        "Noise is what the papers say, real numbers drawn exactly: what its bits in a computer tell is another matter.",
        "The parameters are those of the papers, and where these leave a choice those shown; others may do better.",
    )
