"""Broken and private policies, one a row, as three public checks judge them: alignment, sampled audit, frozen replay.

The policies that are held back (bench/held_back.py), with a lower bound on their true eps by quadrature or by their
law, or those of tests/late_leaks.py at one horizon. None declares its law.

The alignment bound holds for all reward tables at the horizon: a value up to the claim proves it, "none" says that no
noise makes up for a changed reward, and "-" that the method does not follow this policy. The sampled audit runs at
default settings, without a proof or a replay before it: in how many of the seeds it refutes the claim, and the largest
certified number. The frozen replay says what a reward costs in single runs, "clear" for one that is read without noise.
A check names a fault if the bound or a cost exceeds the claim, or samples refute it. All claim eps = 1, but for one
policy with normal noise (mu = 1).

Run with: python bench/policies.py [--set held-back|late] [--horizon 6] [--seeds 3] [--trials 20000] [--only NAME];
about four minutes.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from held_back import BROKEN_POLICIES, PRIVATE_POLICIES, WITNESSES, true_eps
from late_leaks import BROKEN, CLAIMS, HELD_BACK, RIGHT

from dpbandits import Approximate, Verdict
from dpbandits.audit.judges.effort import QUICK, Run
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.extensions.conformance.frozen import limits_of, replay
from dpbandits.proofs_checks.alignment.bounds import Outcome, alignment_bound
from dpbandits.reference.claims.findings import PrivacyFound
from dpbandits.reference.claims.model import Claim, Private, Source

RISK = 1e-9


class Row(NamedTuple):
    """A policy. kind: "broken", "held back" or "private". truth: of its eps, as text."""

    kind: str
    name: str
    policy: Any
    curve: Any
    truth: str = ""


class Said(NamedTuple):
    """What a check says of a policy. names: whether it says that the claim does not hold, or is not kept by the noise,
    as a share of the seeds. seconds: of the processor, for one seed."""

    text: str
    names: float
    seconds: float = 0.0


def rows(which: str, horizon: int) -> Iterator[Row]:
    if which == "held-back":
        for name, policy in BROKEN_POLICIES.items():
            truth = f"{true_eps(policy, WITNESSES[name]):.3g}" if name in WITNESSES else ""
            yield Row("broken", name, policy, Approximate(1.0), truth)
        for name, policy in PRIVATE_POLICIES.items():
            yield Row("private", name, policy, Approximate(1.0), "<= 1")
        return
    for kind, policies in (("broken", BROKEN), ("held back", HELD_BACK), ("private", RIGHT)):
        for name, make in policies.items():
            yield Row(kind, name, make(horizon), CLAIMS.get(name) or Approximate(1.0))


def by_alignment(row: Row, seeds: int, trials: int) -> Said:
    found = alignment_bound(row.policy)
    if found.outcome is Outcome.NO_BOUND:
        return Said("none", 1.0)
    if found.outcome is not Outcome.BOUND:
        return Said("-", 0.0)
    unit, value = ("eps", found.eps) if found.noise == "laplace" else ("mu", found.mu)
    limits = limits_of([row.curve])
    return Said(f"{unit} <= {value:.4g}", float(found.noise in limits and found.cost > limits[found.noise]))


def by_samples(row: Row, seeds: int, trials: int) -> Said:
    says = Private("pull", "arms", lambda _: row.curve)
    claim = Claim(f"bench/{row.name}", Source("bench", row.name, ""), says, expect=Verdict.CONSISTENT)
    refuted, certified = 0, 0.0
    for seed in range(seeds):
        finding = judge_private(claim, Run(replace(QUICK, trials=trials), seed, RISK), row.policy)
        refuted += finding.verdict is Verdict.REFUTED
        body = finding.body
        sampled = body.instances[0].sampled if isinstance(body, PrivacyFound) else None
        certified = max(certified, (sampled.certified.value or 0.0) if sampled is not None else 0.0)
    return Said(f"{refuted} of {seeds}, {certified:.4g}", refuted / seeds)


def by_replay(row: Row, seeds: int, trials: int) -> Said:
    named, said = 0, ""
    for seed in range(seeds):
        found = replay(row.policy, seed=seed, limits=limits_of([row.curve]))
        account = found.account
        named += found.verdict is Verdict.REFUTED
        if found.verdict is Verdict.REFUTED or not said:
            clear = account is None or account.value == float("inf")
            unit = "mu" if account is not None and account.noise == "normal" else "eps"
            fault = account.failing[0].fault if account is not None and account.failing else None
            cost = "clear" if clear or account is None else f"{unit} = {account.value:.4g}"
            said = f"{cost}{f' ({fault})' * bool(fault)}"
            if found.verdict is not Verdict.REFUTED:
                said = "-" if account is None else cost
    return Said(f"{named} of {seeds}, {said}", named / seeds)


CHECKS: dict[str, Callable[[Row, int, int], Said]] = {
    "alignment bound": by_alignment,
    "sampled audit": by_samples,
    "frozen replay": by_replay,
}


def main(arguments: list[str]) -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--set", choices=["held-back", "late"], default="held-back")
    parser.add_argument("--horizon", type=int, default=6, help="of the set late")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--trials", type=int, default=QUICK.trials)
    parser.add_argument("--only", default="", help="a part of the names of the policies")
    asked = parser.parse_args(arguments)
    print(f"| policy | true eps | {' | '.join(f'{name} | s' for name in CHECKS)} |")
    print(f"|---|--:|{'---|--:|' * len(CHECKS)}", flush=True)
    said: dict[str, list[list[Said]]] = {"broken": [], "private": []}
    for row in rows(asked.set, asked.horizon):
        if asked.only not in row.name:
            continue
        found = []
        for name, check in CHECKS.items():
            start = time.process_time()
            one = check(row, asked.seeds, asked.trials)
            seconds = (time.process_time() - start) / (1 if name == "alignment bound" else asked.seeds)
            found.append(one._replace(seconds=seconds))
        said["private" if row.kind == "private" else "broken"].append(found)
        cells = [cell for each in found for cell in (each.text, f"{each.seconds:.1f}")]
        print(f"| {row.kind}: {row.name} | {row.truth} | {' | '.join(cells)} |", flush=True)
    for kind, every in said.items():
        print(f"| **{kind}, mean of {len(every)}** | | {' | '.join(summary(every))} |" if every else "", flush=True)
        if every:  # seeds go side by side: the share of a policy is at least that of its best check
            print(f"named by some check: {sum(max(each.names for each in row) for row in every):.1f} of {len(every)}")


def summary(every: list[list[Said]]) -> list[str]:
    """For every check, how many policies it names and its mean seconds."""
    cells = []
    for place in range(len(CHECKS)):
        column = [row[place] for row in every]
        cells += [f"{sum(each.names for each in column):.1f} named",
                  f"{sum(each.seconds for each in column) / len(column):.1f}"]  # fmt: skip
    return cells


if __name__ == "__main__":
    main(sys.argv[1:])
