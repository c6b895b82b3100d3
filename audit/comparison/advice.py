"""What to use, in a sentence: nothing that is not certified, nobody on a promise that is not established."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dpbandits.audit.comparison import document as d
from dpbandits.audit.comparison.playing import IN_TURNS
from dpbandits.reference.curves.approximate import delta_text


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
    """The advice. orders: all that is certified; those about policies that are not ranked count for nothing. Nobody is
    named who is not certified to cost less than arms in turns on one family at least."""
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
    named = [one for one in everywhere if apart(one, IN_TURNS.name)]
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
    open_to = {one: [other for other in running if other != one and not apart(one, other)] for one in named}
    best = [one for one in named if not open_to[one]]
    if len(best) == 1:
        level = [family.name for family in families if (family.name, best[0], IN_TURNS.name) not in beats]
        return d.Advice(alone(best[0], families, level), best[0], (), conditions)
    if named:
        return d.Advice(tied(open_to, asked.runs), "", tuple(named), conditions)
    worth = {one for one in running if apart(one, IN_TURNS.name)}
    told = "; ".join(
        f"{name}: {' or '.join(one for one in found if one in worth) or IN_TURNS.name}"
        for name, found in leading.items()
    )
    return d.Advice(f"It hangs on the arms. Nothing beats, by certified differences: {told}.", "", (), conditions)


def alone(name: str, families: Sequence[d.Family], level: Sequence[str]) -> str:
    """level: families on which it is not certified to cost less than arms in turns."""
    where = "this family" if len(families) == 1 else f"all {len(families)} families"
    somewhere = "" if len(families) == 1 else " on one at least"
    beside = f" On {', '.join(level)} it is not certified to cost less than arms in turns." if level else ""
    return (
        f"Use {name}: on {where} of arms no other policy that keeps this privacy is certified to cost less, and each "
        f"of them is certified to cost more{somewhere}.{beside}"
    )


def tied(open_to: Mapping[str, Sequence[str]], runs: int) -> str:
    """open_to: by name, than whom it is nowhere certified to cost less."""
    if len(open_to) == 1:
        ((name, others),) = open_to.items()
        beside = f"and, in {runs} runs of each, not certified to cost less than {' or '.join(others)} on any"
        return f"{name} is beaten by nobody on any family, {beside}."
    return f"A tie, as far as {runs} runs of each certify: {' or '.join(open_to)}."


def conditions_of(asked: Asked, families: Sequence[d.Family]) -> tuple[str, ...]:
    arms = "The means are those given" if len(families) == 1 else "The arms are of these families"
    return (
        f"Privacy means ({asked.eps:g}, {delta_text(asked.delta)})-DP of all released pulls, for tables of rewards "
        "that differ in one pull.",
        f"{arms}: rewards of 0 or 1, independent, T = {asked.horizon}; regret is an expectation over runs.",
        f"All limits hold together but for a risk of {asked.risk:g}, for a number of runs that was chosen before: who "
        "looks, and asks again with more, takes that risk again.",
        "Noise is what the papers say, real numbers drawn exactly: what its bits in a computer tell is another matter.",
        "Parameters, as shown, are those of the papers, or the least variance of our bound; others may do better.",
    )
