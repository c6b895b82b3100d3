"""What to use, in a sentence: nothing that is not certified, nobody on a promise that is not established."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dpbandits.audit.comparison import document as d
from dpbandits.audit.comparison.playing import IN_TURNS
from dpbandits.reference.claims.offers import Wanted
from dpbandits.reference.curves.approximate import delta_text


class Differences(NamedTuple):
    """What is certified of those who may be named, and of arms in turns. running: their names. families: by name.
    beats: (family, better, worse)."""

    running: tuple[str, ...]
    families: tuple[str, ...]
    beats: frozenset[tuple[str, str, str]]

    def leaders(self, family: str) -> list[str]:
        """Whom nobody is certified to beat there."""
        return [one for one in self.running if not any((family, other, one) in self.beats for other in self.running)]

    def apart(self, one: str, other: str) -> bool:
        """Whether something certifies that `one` costs less than `other` somewhere."""
        return any((family, one, other) in self.beats for family in self.families)


def advised(
    wanted: Wanted,
    runs: int,
    risk: float,
    families: Sequence[d.Family],
    candidates: Sequence[d.Candidate],
    orders: Sequence[d.Order],
) -> d.Advice:
    """The advice. runs: of every policy on every family. risk: that any of all limits is wrong. orders: all that is
    certified; those about policies that are not ranked count for nothing. Nobody is named who is not certified to cost
    less than arms in turns on one family at least."""
    ranked = [each.name for each in candidates if each.standing == d.RANKED]
    beats = frozenset((one.family, one.better, one.worse) for one in orders)
    known = Differences((*ranked, IN_TURNS.name), tuple(family.name for family in families), beats)
    nobody = ("No policy keeps this privacy on a promise that is established: raise eps or delta.", "", ())
    return d.Advice(*(recommendation(known, runs) if ranked else nobody), conditions_of(wanted, risk, families))


def recommendation(known: Differences, runs: int) -> tuple[str, str, tuple[str, ...]]:
    """The sentence, who is named, and ties."""
    leading = {family: known.leaders(family) for family in known.families}
    everywhere = [one for one in known.running if all(one in found for found in leading.values())]
    if IN_TURNS.name in everywhere:
        beaten = "no private policy is certified to cost less than pulling the arms in turns, which reads no reward"
        said = f"In {runs} runs of each, {beaten}: raise the runs, eps or the horizon."
        return said, "", tuple(one for one in everywhere if one != IN_TURNS.name)
    worth = [one for one in known.running if known.apart(one, IN_TURNS.name)]
    open_to = {
        one: [other for other in known.running if other != one and not known.apart(one, other)]
        for one in everywhere
        if one in worth
    }
    best = [one for one, others in open_to.items() if not others]
    if len(best) == 1:
        level = [family for family in known.families if (family, best[0], IN_TURNS.name) not in known.beats]
        return alone(best[0], known.families, level), best[0], ()
    if open_to:
        return tied(open_to, runs), "", tuple(open_to)
    told = "; ".join(
        f"{family}: {' or '.join(one for one in found if one in worth) or IN_TURNS.name}"
        for family, found in leading.items()
    )
    return f"It hangs on the arms. Nothing beats, by certified differences: {told}.", "", ()


def alone(name: str, families: Sequence[str], level: Sequence[str]) -> str:
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


def conditions_of(wanted: Wanted, risk: float, families: Sequence[d.Family]) -> tuple[str, ...]:
    arms = "The means are those given" if len(families) == 1 else "The arms are of these families"
    return (
        f"Privacy means ({wanted.eps:g}, {delta_text(wanted.delta)})-DP of all released pulls, for tables of rewards "
        "that differ in one pull.",
        f"{arms}: rewards of 0 or 1, independent, T = {wanted.horizon}; regret is an expectation over runs.",
        f"All limits hold together but for a risk of {risk:g}, for a number of runs that was chosen before: who "
        "looks, and asks again with more, takes that risk again.",
        "Noise is what the papers say, real numbers drawn exactly: what its bits in a computer tell is another matter.",
        "Parameters, as shown, are those of the papers, or the least variance of our bound; others may do better.",
    )
