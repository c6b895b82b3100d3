"""The content of a file of recorded runs before it becomes a `Log`: the pulls in order, with their line numbers and, if
given, their propensities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

RecordedRun = tuple[Any, ...]  # its arms and its rewards, and its contexts, where there are some
DECIMALS = 12  # that are taken into account of a propensity


class Recording(NamedTuple):
    """Recorded runs. propensities: of every pull, nan if none is logged. decimals: of the printed propensities. lines:
    the line of every pull in the file. names: of arms that are not integers, by number. judged: whether all arms were
    available, for every pull; None if they always were. remarks: notes about the file for the reader of the log."""

    runs: list[RecordedRun]
    propensities: list[list[float]]
    decimals: int
    lines: list[list[int]]
    names: tuple[str, ...] = ()
    judged: list[list[bool]] | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordedPulls:
    """The pulls of one run so far."""

    arms: list[str] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    propensities: list[float] = field(default_factory=list)
    contexts: list[Sequence[Sequence[float]]] = field(default_factory=list)


class RecordingBuilder:
    """Collects pulls by run, in the order of the file."""

    def __init__(self) -> None:
        """Starts without any pull."""
        self.runs: dict[str, RecordedPulls] = {}
        self.decimals = 0

    def add(
        self, run: str, arm: str, reward: float, line: int, propensity: float, printed: str,
        context: Sequence[Sequence[float]] | None = None,
    ) -> None:  # fmt: skip
        """Adds one more pull to a run.
        reward: nan if it is missing. printed: the propensity as printed in the file. context: the features, (arms, d),
        or (1, d) if they are equal for all arms; None for a log without contexts."""
        pulls = self.runs.setdefault(run, RecordedPulls())
        pulls.arms.append(arm)
        pulls.rewards.append(reward)
        pulls.lines.append(line)
        pulls.propensities.append(propensity)
        self.decimals = max(self.decimals, decimals_of(printed))
        if context is not None:
            pulls.contexts.append(context)

    def recording(self, name: str) -> Recording:
        """Returns all runs that were added.
        A run ends with the pull of its first missing reward, because later pulls depend on it."""
        every = list(self.runs.values())
        given = list(dict.fromkeys(arm for pulls in every for arm in pulls.arms))
        names = arm_names(given, name)
        number = {name: k for k, name in enumerate(names)} or {arm: int(arm.partition(".")[0]) for arm in given}
        missing = sum(isnan(reward) for pulls in every for reward in pulls.rewards)
        ends = [next((k + 1 for k, r in enumerate(p.rewards) if isnan(r)), len(p.rewards)) for p in every]
        runs: list[RecordedRun] = []
        for pulls, end in zip(every, ends, strict=True):
            arms = [number[arm] for arm in pulls.arms[:end]]
            paid = [0.0 if isnan(reward) else reward for reward in pulls.rewards[:end]]
            runs.append((arms, paid, pulls.contexts[:end]) if pulls.contexts else (arms, paid))
        remarks = []
        if missing:
            left_out = sum(len(p.rewards) - end for p, end in zip(every, ends, strict=True))
            remarks.append(missing_in_words(missing, sum(len(p.rewards) for p in every), left_out))
        if names:
            remarks.append("arms by name: " + ", ".join(f"{name} = {k}" for k, name in enumerate(names)))
        return Recording(
            runs,
            [p.propensities[:end] for p, end in zip(every, ends, strict=True)],
            self.decimals,
            [p.lines[:end] for p, end in zip(every, ends, strict=True)],
            names,
            None,
            tuple(remarks),
        )


def missing_in_words(missing: int, pulls: int, left_out: int) -> str:
    """Returns the remark that some rewards are missing, as a sentence for the user."""
    return (
        f"{missing} of {pulls} rewards are missing, or not there yet: each run is used up to its first missing reward, "
        f"because later pulls depend on it; {left_out} pulls are left out"
    )


def decimals_of(printed: str) -> int:
    """Returns the number of decimals of a printed number."""
    if found := re.fullmatch(r"\s*\d*\.?(\d*)(?:[eE]([-+]?\d+))?\s*", printed):
        return min(DECIMALS, max(0, len(found[1]) - int(found[2] or 0)))
    return 0


def arm_names(arms: list[str], name: str) -> tuple[str, ...]:
    """Returns the names of the arms in natural order if at least one arm has a name.
    () if all arms are integers of at least 0."""
    if all(re.fullmatch(r"\d+(\.0*)?", arm) for arm in arms):
        return ()
    if negative := next((arm for arm in arms if re.fullmatch(r"-\d+", arm)), None):
        raise ValueError(f"{name}: the arm is {negative}; arms must be integers of at least 0, or names")
    return tuple(sorted(sorted(arms), key=natural_sort_key))  # natural does not part a1 from a01


def natural_sort_key(name: str) -> list[tuple[int, int, str]]:
    """A sort key that puts Ad2 before Ad10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name)]


def varying_in_words(rounds: int, actions: int) -> str:
    """Returns the remark that fewer actions are available in so many rounds, as a sentence for the user."""
    return (
        f"in {rounds} rounds fewer than {actions} actions are available: these pulls are learnt from, and not compared "
        "with the law, which is of all arms"
    )
