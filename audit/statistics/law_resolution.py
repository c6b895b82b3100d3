"""What evidence against a law could have shown: how far off its chances would have been seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
from scipy.special import ndtri

from dpbandits.audit.statistics.e_values import TILTS, WAYS, EvidenceGroup, strongest_rows
from dpbandits.audit.statistics.resolution import RESOLUTION_POWER
from dpbandits.reference.arithmetic import elementary as el

EVERY_STEP = re.compile(r"by ([\d.e-]+) in all \d+ steps")  # of a resolution: the shift


def evidence_table(groups: Sequence[EvidenceGroup], title: str) -> dict[str, Any]:
    """The sets that speak loudest against the law, as an item of a finding."""
    columns = ["where", "arm", "visits", "released", "expected", "log10 of its evidence"]
    return {"kind": "table", "title": title, "columns": columns, "rows": strongest_rows(groups)}


def evidence_in_words(evidence: float, law: str, table: Mapping[str, Any], done: str) -> str:
    """How much speaks against the law, a natural logarithm, and where most of it is. done: to an arm, in words."""
    where, arm, visits, released, due, _ = table["rows"][0]
    return (
        f"evidence of 10^{evidence / el.log(10):.1f} against {law}; most of it in {where.strip(': ')}: arm {arm} was "
        f"{done} {released} times in {visits} where {due:.1f} were expected"
    )


def too_few(many: str, most: float, telling: str, level: float) -> str:
    """A sentence that these runs, in words, could not have refuted anything, and why: as in `strongest`."""
    return (
        f"{many} are too few: the most telling releases ({telling}) are evidence of 10^{most / np.log(10):.1f}, where "
        f"10^{-np.log10(level):.1f} refutes; give more runs"
    )


def resolution(
    trials: int, environments: int, steps: int, arms: int, level: float, lightest: float, visits: int
) -> str:
    """By how much a chance of about one half would have to be off in one step of all runs, whichever it is, or in all
    steps; "" where none can be off by so much. steps: of the longest runs. lightest: the least of all `log_weights`.
    visits: the fewest (run, step) pairs of an environment that leave anything to chance."""
    weight = -float(np.log(environments * WAYS * arms))  # as in `compared`
    one, every = shift(trials, weight + lightest, level), shift(visits, weight, level)
    if every == inf:
        return ""
    return (
        f"caught with probability {RESOLUTION_POWER}: in one environment, a chance off by {format_shift(one)} in one "
        "step of all "
        f"{trials} runs, or by {every:.2g} in all {steps} steps"
    )


def shift_in_words(resolutions: Iterable[str]) -> str:
    """The largest shift in all steps that these resolutions, made by `resolution`, promise to see; "" for none."""
    found = [match[1] for each in resolutions if (match := EVERY_STEP.search(each))]
    return max(found, key=float, default="")


def shift(visits: int, log_weight: float, level: float) -> float:
    """The shift d of a chance of one half that passes the threshold, by the tilt s that shows it best: of n visits,
    n (1/2 + d) release the arm, or fewer by some standard errors, and the evidence is s times as many, less
    n log(1 + (e^s - 1)/2). inf where not even a certain release would pass it: there are too few visits."""
    bar = -np.log(level) - log_weight + np.log(len(TILTS))  # one tilt has to pass it for all of them
    tilts = TILTS[TILTS > 0]
    least = ((bar / visits + np.log1p(np.expm1(tilts) / 2)) / tilts).min() - 0.5
    return float(min(0.5, least + ndtri(RESOLUTION_POWER) * 0.5 / np.sqrt(visits))) if least <= 0.5 else inf


def format_shift(off: float) -> str:
    """A shift in words."""
    return f"about {off:.2g}" if off < inf else "more than 0.5 (which none is: too few runs)"
