"""The result of a comparison as data classes, JSON (`comparison.schema.json`) and CSV.

Every number is finite, or None (null). The document contains no timestamps, so equal questions give equal documents.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from inspect import cleandoc
from typing import Any

SCHEMA = 1
EPS_DIGITS = 4  # of an eps that a claim gives, in a sentence or a table; rounded up
RANKED, UNREACHABLE, REFUTED, OPEN = "ranked", "unreachable", "refuted", "open"
BASELINE, APART = "baseline", "apart"
OF_REGRET, MISSED = "pseudo-regret", "wrong answers"
COLUMNS = (
    *("arms", "horizon", "eps", "delta", "family", "policy", "standing", "relation", "promised_eps", "verdict"),
    *("quantity", "mean", "low", "high", "most", "runs", "claim", "parameters"),
)


@dataclass(frozen=True)
class Promise:
    """The reason why a policy guarantees (eps, delta) with its parameters.

    claim: id of the claim of the ledger, "" for the guarantee of a user's policy. words: the guarantee with these
    parameters, such as "0.245-GDP". relation: of the neighbours that it is about, "pull" (one reward of the table of
    pulls) or "round" (one round of a stream). reading: as in findings. eps: the smallest eps at the wanted delta that
    it implies, at most the wanted one if that is reached. verdict: of the claim. rests_on: the bases of the verdict, as
    in findings. judged: where the verdict is from, "in this run" or "findings of a version".
    """

    claim: str
    words: str
    relation: str
    reading: str
    eps: float | None
    verdict: str
    rests_on: tuple[str, ...]
    judged: str


@dataclass(frozen=True)
class Candidate:
    """A policy that was considered, whether it is ranked or not.

    name: unique in the comparison. short: the same for pictures, in at most 22 characters, "" where it is short. paper:
    key of its paper, "" for a user's policy. title: a short title of the paper. standing: "ranked" (satisfies the
    wanted privacy by a guarantee that holds, and is played for regret); "unreachable" (by its claim none of its allowed
    parameters reach the wanted privacy); "refuted" (its guarantee is false, so it is neither played nor recommended);
    "open" (nothing was found for or against its guarantee, or the claim was not tested: played, never recommended);
    "baseline" (not private, to show what privacy costs; or ignores rewards, to show what a private policy has to beat);
    "apart" (identifies the best arm, and is measured by its frequency of errors). why: one sentence, always.
    parameters: by name, numbers. promise: None for a baseline, and if no parameters were found. audit: for a user's
    policy, the result of the accompanying small audit, otherwise "". paper_read: how the paper was read, such as "as
    quoted in ..." or "as it was submitted", "" if the paper itself was read. algorithm: the class of the policy with
    its module, "" for a user's policy, and if no parameters were found.
    """

    name: str
    paper: str
    title: str
    standing: str
    why: str
    parameters: Mapping[str, float]
    promise: Promise | None
    audit: str = ""
    paper_read: str = ""
    algorithm: str = ""
    short: str = ""


@dataclass(frozen=True)
class Family:
    """Arms that pay 0 or 1. name: unique. means: (arms,)."""

    name: str
    means: tuple[float, ...]


@dataclass(frozen=True)
class Measured:
    """The measured cost of a policy on a family of arms, over all runs.

    quantity: "pseudo-regret" (the sum over rounds of the gap of the pulled arm), or "wrong answers" (the fraction of
    runs whose recommended arm is not a best one; for policies with standing "apart"). mean: of the runs. low, high:
    limits of the expectation; those of all rows of the comparison hold together, except with probability `risk`. most:
    an upper bound for every policy.
    """

    policy: str
    family: str
    quantity: str
    mean: float
    low: float
    high: float
    most: float


@dataclass(frozen=True)
class Order:
    """A certified difference: on this family the expectation of `better` lies below that of `worse` by `at_least` or
    more (> 0), by the limits of both."""

    family: str
    better: str
    worse: str
    at_least: float


@dataclass(frozen=True)
class Advice:
    """The advice. sentence: which policy to use, or why none is named. policy: the recommended one, "" for none. ties:
    the policies from which it is not certified to differ. conditions: the conditions of the advice, a sentence each."""

    sentence: str
    policy: str
    ties: tuple[str, ...]
    conditions: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """One question, (arms, horizon, eps, delta), and its answer.

    runs: of every policy on every family. risk: the probability that any of all limits is wrong. Rows of `measured` are
    in the order of `candidates`, then of `families`; so are those of `orders`, by `better`.
    """

    arms: int
    horizon: int
    eps: float
    delta: float
    runs: int
    seed: int
    risk: float
    families: tuple[Family, ...]
    candidates: tuple[Candidate, ...]
    measured: tuple[Measured, ...]
    orders: tuple[Order, ...]
    advice: Advice


def comparisons_json(comparisons: Sequence[Comparison]) -> str:
    """Returns the document of one comparison or several as JSON text, with one table row on each line.
    One comparison for a question, several if the number of arms, horizon or eps varies. The pseudo-code of each policy
    occurs only once."""
    return as_json(metadata.version("dpbandits"), [asdict(one) for one in comparisons])


def as_json(version: str, comparisons: Sequence[Mapping[str, Any]]) -> str:
    """Returns the JSON text of a document with several comparisons.
    version: of the dpbandits that made the comparisons."""
    fields = ([f"{in_json(name)}: {rows_by_line(value)}" for name, value in one.items()] for one in comparisons)
    told = ",\n".join("{\n" + ",\n".join(each) + "\n}" for each in fields)
    names = dict.fromkeys(each["algorithm"] for one in comparisons for each in one["candidates"] if each["algorithm"])
    texts = rows_by_line([{"name": name, "text": pseudo_code(name)} for name in names])
    head = f'"schema": {SCHEMA}, "version": {in_json(version)}, "algorithms": {texts}'
    return f'{{{head}, "comparisons": [\n{told}\n]}}\n'


def pseudo_code(algorithm: str) -> str:
    """Returns the pseudo-code of a policy and the source from which it was read: the docstring of the policy's module.
    algorithm: the policy's class, with the module."""
    return cleandoc(import_module(algorithm.rpartition(".")[0]).__doc__ or "")


def rows_by_line(value: Any) -> str:
    """Returns a value as JSON text: a sequence with one entry on each line, other values on one line."""
    if isinstance(value, tuple | list) and value:
        return "[\n" + ",\n".join(in_json(row) for row in value) + "\n]"
    return in_json(value)


def in_json(value: Any) -> str:
    """Returns a value as JSON text on one line. Raises ValueError for nan and infinite numbers."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def comparisons_csv(comparisons: Sequence[Comparison]) -> str:
    """Returns the comparisons as CSV.
    A line for each measured regret, and a line without numbers for each candidate that was not played."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in comparisons:
        asked = one.arms, one.horizon, one.eps, one.delta
        for each in one.candidates:
            promise = each.promise
            rests = promise.claim if promise else "", ";".join(f"{name}={at}" for name, at in each.parameters.items())
            says = (promise.relation, promise.eps, promise.verdict) if promise else ("", "", "")
            rows = [row for row in one.measured if row.policy == each.name]
            for row in rows:
                numbers = row.quantity, row.mean, row.low, row.high, row.most, one.runs
                writer.writerow([*asked, row.family, each.name, each.standing, *says, *numbers, *rests])
            if not rows:
                writer.writerow([*asked, "", each.name, each.standing, *says, *[""] * 5, one.runs, *rests])
    return text.getvalue()
