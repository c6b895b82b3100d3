"""Recorded runs, judged against the law of a page's policy: for whoever has logs, and nothing that could be played.

    run,arm,reward              or a line of JSON for each run:
    0,1,0.5                     {"arms": [1, 0, 0], "rewards": [0.5, 1, 0]}
    0,0,1

Rewards may be anything, also what happened to be paid in the world: the policy is led along what each run pulled and
was paid, and its law says what should have been pulled next. The evidence is a mean of e-values, as in `conformance`;
it stays one where a run ends because of what happened in it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from dpbandits.audit.conformance.along import SLACK, Step, Uneven
from dpbandits.audit.conformance.draws import DIFFERS
from dpbandits.audit.conformance.evidence import log_factors, pooled, shift, worst
from dpbandits.audit.effort import RISK
from dpbandits.audit.lawful import lawful
from dpbandits.proofs_checks.exact.walk import Silence
from dpbandits.reference.answers import answers
from dpbandits.reference.checks import reals, within
from dpbandits.reference.laws import NoLaw, checked_law
from dpbandits.reference.ledger import Finding, Verdict
from dpbandits.reference.noise import Array, frozen
from dpbandits.reference.policy import HasLaw, Ints, Policy, Pulls, owned, rows

LARGEST = 4_000_000  # pulls times arms of a log: about a gigabyte of evidence


class Log(NamedTuple):
    """Runs, one in a row, padded at the end with arms -1 and rewards 0."""

    arms: Ints  # (runs, pulls)
    rewards: Array  # (runs, pulls)

    @property
    def lengths(self) -> Ints:
        return np.asarray((self.arms >= 0).sum(axis=1))


class Wrong(Exception):
    """A pull that the policy cannot make, in words."""


def fits_law(log: Log, reference: Policy, level: float = RISK) -> Finding:
    """Whether recorded runs fit the law of the reference, a policy with the arms and the horizon of who made them.

    level: the probability with which runs of the reference itself are refuted. Runs may be shorter than the horizon. A
    single long run will do. NOT_APPLICABLE to a reference whose law nobody knows, or that may pull differently often in
    a step. Raises ValueError for arms that there are none of, for longer runs, and for a log that is too large.
    """
    within("level", level, 0, 1)
    name, known = f"the law of {type(reference).__name__}", lawful(reference)
    checked(log, reference)
    if known is None or answers(reference):
        said = "says no law" if known is None else "gives an answer, which a log does not hold"
        return Finding("log/law", Verdict.NOT_APPLICABLE, f"{type(reference).__name__} {said}")
    try:
        steps = list(led(known, log))
    except (NoLaw, Uneven) as reason:
        return Finding("log/law", Verdict.NOT_APPLICABLE, str(reason))
    except Wrong as wrong:
        return Finding("log/law", Verdict.REFUTED, f"{wrong}. {DIFFERS}")
    groups = pooled(steps, [log_factors(step) for step in steps], "", -float(np.log(4))) if steps else []
    evidence = float(logsumexp([logsumexp(each.log_evidence) + each.log_weight for each in groups])) if groups else 0.0
    pulls, runs = int(log.lengths.sum()), len(log.arms)
    of = f"{pulls} pulls of {runs} run{'s' if runs > 1 else ''}"
    if not any(bool(((step.law > SLACK) & (step.law < 1 - SLACK)).any()) for step in steps):
        return Finding("log/law", Verdict.NOT_EXERCISED, f"{of}: {name} leaves nothing to chance in them")
    columns = ["where", "arm", "visits", "released", "expected", "log10 of its evidence"]
    table = {"kind": "table", "title": "Where the log fits the law worst", "columns": columns, "rows": worst(groups)}
    if evidence >= -np.log(level):
        where, arm, visits, released, wanted, _ = table["rows"][0]  # type: ignore[index]
        said = (
            f"{of}: evidence of 10^{evidence / np.log(10):.1f} against {name}; most of it in {where.strip(': ')}: arm "
            f"{arm} was pulled {released} times in {visits} where {wanted:.1f} were expected. {DIFFERS}"
        )
        return Finding("log/law", Verdict.REFUTED, said, (table,))
    visits = sum(len(step.visits) for step in steps)
    off = shift(visits, -float(np.log(4 * reference.arms)), level)
    limit = f"caught with probability 0.9: chances of about one half that are all off by about {off:.2g}"
    return Finding("log/law", Verdict.CONSISTENT, f"{of} fit {name}", (table,), limit)


def checked(log: Log, reference: Policy) -> None:
    arms, horizon = reference.arms, reference.horizon
    if log.arms.size and log.arms.max() >= arms:
        run, pull = (int(k) for k in np.argwhere(log.arms >= arms)[0])
        raise ValueError(f"run {run}, pull {pull + 1}: arm {log.arms[run, pull]}; the arms are 0 to {arms - 1}")
    if log.arms.shape[1] > horizon:
        raise ValueError(
            f"a run of {log.arms.shape[1]} pulls, where the horizon is {horizon}: give the horizon of who made it"
        )
    if log.arms.size * arms > LARGEST:
        raise ValueError(
            f"{log.arms.size} pulls of {arms} arms are more than {LARGEST // arms}: give a part of the runs"
        )


# -- leading the reference along -------------------------------------------------------------------------------------


def led(reference: HasLaw, log: Log) -> Iterator[Step]:
    """The reference's steps along the log, each run by itself. Raises Wrong, Uneven, and what the law raises."""
    live, done, lengths = np.arange(len(log.arms)), np.zeros(len(log.arms), dtype=np.int64), log.lengths
    state, last, t = reference.init(len(log.arms)), np.full(len(log.arms), -1), 0
    live = live[lengths > 0]
    while live.size:
        t += 1
        before = rows(state, live) if t == 1 else state
        law = checked_law(reference, t, before, live.size)
        size = sizes(law.counts, law.chance > 0, t)
        whole = done[live] + size <= lengths[live]  # a log may end inside of a block
        if not whole.all():
            live, size, before = live[whole], size[whole], rows(before, whole)
            law = law._replace(counts=law.counts[whole], chance=law.chance[whole],
                               bound=None if law.bound is None else law.bound[whole])  # fmt: skip
            if not live.size:
                return
        counts, sums, way = taken(log, live, done[live], size, law, t)
        heads = (law.counts > 0) * law.chance[:, :, None]
        chance = np.minimum(heads.sum(axis=1), 1.0)
        yield Step(t, [""] * live.size, last[live], np.ones(live.size, dtype=np.int64),
                   (counts > 0).astype(np.int64), chance, max(SLACK, law.blur))  # fmt: skip
        bound = None if law.bound is None else law.bound[np.arange(live.size), way]
        silence: Any = Silence()
        state = owned(reference.learn(t, before, Pulls(frozen(counts), bound), frozen(sums), silence))
        done[live] += size
        last[live] = counts.argmax(axis=1)
        on = done[live] < lengths[live]
        live, state = live[on], rows(state, on)


def sizes(counts: Ints, possible: Any, t: int) -> Ints:
    """How many pulls the step makes in each run, (runs,)."""
    many = counts.sum(axis=2)
    least = np.where(possible, many, np.iinfo(np.int64).max).min(axis=1)
    if (np.where(possible, many, 0).max(axis=1) != least).any():
        raise Uneven(f"step {t}: the reference may pull differently often, so that a log does not show where steps end")
    return np.asarray(least)


def taken(log: Log, live: Ints, done: Ints, size: Ints, law: Any, t: int) -> tuple[Ints, Array, Ints]:
    """The pulls of the step, (runs, arms), what they paid, and which of the law's outcomes they are."""
    counts = np.zeros((live.size, law.counts.shape[2]), dtype=np.int64)
    for k in range(int(size.max())):
        some = np.flatnonzero(k < size)
        counts[some, log.arms[live[some], done[some] + k]] += 1
    match = (law.counts == counts[:, None, :]).all(axis=2) & (law.chance > 0)
    if not match.any(axis=1).all():
        run = int((~match.any(axis=1)).argmax())
        offered = [each.tolist() for each, chance in zip(law.counts[run], law.chance[run], strict=True) if chance > 0]
        first, pulled = done[run], log.arms[live[run], done[run] : done[run] + size[run]].tolist()
        raise Wrong(
            f"run {live[run]}, from pull {first + 1}: arms {pulled}, where the reference pulls each arm so often: "
            f"{', or '.join(map(str, offered[:4]))}"
        )
    way = match.argmax(axis=1)
    sums = np.zeros(counts.shape)
    for k in range(int(size.max())):
        some = np.flatnonzero(k < size)
        arm, paid = log.arms[live[some], done[some] + k], log.rewards[live[some], done[some] + k]
        if law.bound is not None:
            paid = np.where(np.abs(paid) <= law.bound[some, way[some], arm], paid, 0.0)
        sums[some, arm] += paid
    return counts, sums, way


# -- reading ---------------------------------------------------------------------------------------------------------


def read(path: Path | str) -> Log:
    """The log in a file: CSV with the columns run, arm, reward (in the order of the pulls), or a line of JSON for each
    run, {"arms": [...], "rewards": [...]}. Raises ValueError, with the line, for what is neither."""
    text = Path(path).read_text(encoding="utf-8-sig")
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise ValueError(f"{path}: the file is empty")
    runs = of_json(path, lines) if lines[0][1].lstrip().startswith("{") else of_csv(path, text)
    return log_of(runs, str(path))


def log_of(runs: list[tuple[list[Any], list[Any]]], what: str = "log") -> Log:
    """The log of runs, each given by its arms and its rewards. ValueError for arms that are no whole numbers of at
    least 0, rewards that are no finite numbers, and lists of different lengths."""
    longest = max((len(arms) for arms, _ in runs), default=0)
    arms, rewards = np.full((len(runs), longest), -1, dtype=np.int64), np.zeros((len(runs), longest))
    for run, (pulled, paid) in enumerate(runs):
        values, given = reals(f"{what}: run {run}: rewards", paid), np.asarray(pulled)
        if given.size and (given.dtype.kind not in "iu" or given.min() < 0):
            raise ValueError(f"{what}: run {run}: arms {str(pulled)[:60]}; they must be whole numbers of at least 0")
        if given.shape != values.shape or given.ndim != 1 or not np.isfinite(values).all():
            raise ValueError(
                f"{what}: run {run}: {given.size} arms and {values.size} rewards; give a finite reward each"
            )
        arms[run, : len(given)], rewards[run, : len(given)] = given, values
    return Log(arms, rewards)


def of_json(path: Any, lines: list[tuple[int, str]]) -> list[tuple[list[Any], list[Any]]]:
    runs = []
    for number, line in lines:
        try:
            told = json.loads(line)
            runs.append((list(told["arms"]), list(told["rewards"])))
        except (ValueError, KeyError, TypeError):
            raise ValueError(
                f'{path}, line {number}: {line.strip()[:60]!r} is no run; write {{"arms": [1, 0], "rewards": [0.5, 1]}}'
            ) from None
    return runs


def of_csv(path: Any, text: str) -> list[tuple[list[Any], list[Any]]]:
    rows_ = csv.DictReader(text.splitlines())
    lacking = {"run", "arm", "reward"} - set(rows_.fieldnames or ())
    if lacking:
        raise ValueError(
            f"{path}: the first line names no column {', '.join(sorted(lacking))}; it needs run,arm,reward"
        )
    runs: dict[str, tuple[list[Any], list[Any]]] = {}
    for row in rows_:
        arms, rewards = runs.setdefault(row["run"], ([], []))
        try:
            arms.append(int(row["arm"]))
            rewards.append(float(row["reward"]))
        except (TypeError, ValueError):
            raise ValueError(f"{path}, line {rows_.line_num}: {dict(row)} is no pull; write e.g. 0,1,0.5") from None
    return list(runs.values())
