"""Broken and private policies, one a row, as three public checks judge them: alignment, sampled audit, frozen replay.

The policies that are held back (bench/held_back.py and the second and third set), with a lower bound on their true eps,
those of bench/usual_policies.py, or those of tests/late_leaks.py at one horizon. None declares its law.

The alignment bound holds for all reward tables at the horizon: a value up to the claim proves it, "eps > 3" is of a
search that was not finished, "none" says that no noise makes up for a changed reward, and "-" that the method does not
follow this policy, or has found nothing within its effort. The sampled audit runs at default settings, without a proof
or a replay before it: in how many of the seeds it refutes the claim, and the largest certified number. The frozen
replay says what a reward costs in single runs, "clear" for one that is read without noise.
A check names a fault if the bound or a cost exceeds the claim, or samples refute it. All claim eps = 1, but for one
policy with normal noise (mu = 1) and one with delta = 0.01. The whole audit is `audit_policy` with seed 0.

Run with: python bench/policies.py [--sets held-back second third usual late] [--horizon 6] [--seeds 2] [--trials 20000]
[--kinds broken private] [--only NAME] [--profile many-trials]; about twenty minutes. The profile many-trials is the
sampled audit alone, of broken policies of the second and third set, with one seed and 200 000 trials: five minutes of
one processor. The profile private-proofs says in words why alignment proves private policies of these sets or not. The
profile usual is the whole audit of usual policies.
"""

from __future__ import annotations

import re
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import held_back
import held_back_second
import held_back_third
import usual_policies
from late_leaks import BROKEN, CLAIMS, HELD_BACK, RIGHT

from dpbandits import Approximate, Verdict, audit_policy
from dpbandits.audit.judges.effort import QUICK, Run
from dpbandits.audit.privacy.alignment import bound_text, implies_curve, unfinished_text, unproved_remark
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.extensions.conformance.frozen import limits_of, replay
from dpbandits.proofs_checks.alignment.bounds import Outcome
from dpbandits.proofs_checks.alignment.merged_bounds import bound_on_runs_or_states
from dpbandits.reference.claims.findings import PrivacyFound
from dpbandits.reference.claims.model import Claim, Private, Source

RISK = 1e-9
SETS: dict[str, Any] = {"held-back": held_back, "second": held_back_second, "third": held_back_third}
PROFILES: dict[str, dict[str, Any]] = {
    "default": {},
    "many-trials": {
        "sets": ["second", "third"],
        "kinds": ["broken"],
        "checks": ["sampled audit"],
        "seeds": 1,
        "trials": 200_000,
    },
    "private-proofs": {"sets": ["second", "third"], "kinds": ["private"], "checks": ["alignment in words"]},
    "usual": {"sets": ["usual"], "checks": ["whole audit"], "seeds": 1},
}  # settings of a run, where they differ from the defaults; other arguments change them further


class Row(NamedTuple):
    """A policy. kind: "broken", "held back" or "private". witness: of a broken one, where its true eps is known."""

    kind: str
    name: str
    policy: Any
    curve: Any
    witness: Any = None

    def truth(self, which: str) -> str:
        """Its true eps as text: a lower bound where it is broken."""
        if self.witness is None:
            return "<= 1" if self.kind == "private" else ""
        return f"{SETS[which].true_eps(self.policy, self.witness):.3g}"


class Said(NamedTuple):
    """What a check says of a policy. names: whether it says that the claim does not hold, or is not kept by the noise,
    as a share of the seeds. seconds: of the processor, for one seed."""

    text: str
    names: float
    seconds: float = 0.0


def rows(which: str, horizon: int) -> Iterator[Row]:
    if which in SETS:
        given = SETS[which]
        for name, policy in given.BROKEN_POLICIES.items():
            yield Row("broken", name, policy, Approximate(1.0), given.WITNESSES[name])
        for name, policy in given.PRIVATE_POLICIES.items():
            yield Row("private", name, policy, Approximate(1.0))
        return
    if which == "usual":
        for name, (private, twin) in usual_policies.POLICIES.items():
            curve = usual_policies.CLAIMS.get(name, Approximate(1.0))
            yield Row("private", name, private, curve)
            yield Row("broken", name, twin, curve)
        return
    for kind, policies in (("broken", BROKEN), ("held back", HELD_BACK), ("private", RIGHT)):
        for name, make in policies.items():
            yield Row(kind, name, make(horizon), CLAIMS.get(name) or Approximate(1.0))


def by_alignment(row: Row, seeds: int, trials: int) -> Said:
    found = bound_on_runs_or_states(row.policy)
    if found.outcome is Outcome.NO_BOUND:
        return Said("none", 1.0)
    if unfinished_text(found, row.curve):
        found = replace(found, outcome=Outcome.BOUND)
        return Said(f"{found.parameter[0]} > {found.parameter[1]:.4g}", 1.0)
    if found.outcome is not Outcome.BOUND:
        return Said("-", 0.0)
    name, value = found.parameter
    return Said(f"{name} <= {value:.4g}", float(not implies_curve(found, row.curve)))


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


def by_alignment_in_words(row: Row, seeds: int, trials: int) -> Said:
    """Whether alignment proves the claim, and why it does not."""
    found = bound_on_runs_or_states(row.policy)
    if found.outcome is Outcome.BOUND and implies_curve(found, row.curve):
        return Said(f"proved: {bound_text(found)}", 0.0)
    if found.outcome in (Outcome.BOUND, Outcome.NO_BOUND):
        return Said(unproved_remark(found), 1.0)
    return Said(unfinished_text(found, row.curve) or f"not applicable: {found.reason}", 0.0)


def by_audit(row: Row, seeds: int, trials: int) -> Said:
    """The verdict of `audit_policy`, with the bound or the certified number, and whether the replay names a fault."""
    finding = audit_policy(row.policy, curve=row.curve)
    number = re.search(r"eps (<=|>=) [0-9.]+", finding.summary)
    replayed = ", replayed" * ("Replayed with frozen releases" in finding.summary)
    said = f"{finding.verdict}{f', {number.group()}' if number else ''}{replayed}"
    return Said(said, float(finding.verdict is Verdict.REFUTED))


USUAL_CHECKS: dict[str, Callable[[Row, int, int], Said]] = {
    "alignment bound": by_alignment,
    "sampled audit": by_samples,
    "frozen replay": by_replay,
}
CHECKS = {**USUAL_CHECKS, "alignment in words": by_alignment_in_words, "whole audit": by_audit}


def main(arguments: list[str]) -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--profile", choices=[*PROFILES], default="default")
    parser.add_argument("--sets", nargs="+", choices=[*SETS, "usual", "late"], default=[*SETS])
    parser.add_argument("--horizon", type=int, default=6, help="of the set late")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--trials", type=int, default=QUICK.trials)
    parser.add_argument("--quick", action="store_true", help="without the true eps of broken policies")
    parser.add_argument(
        "--checks", nargs="+", choices=[*CHECKS], default=[*USUAL_CHECKS], help="the first three unless given"
    )
    parser.add_argument("--kinds", nargs="+", choices=["broken", "held back", "private"], help="all unless given")
    parser.add_argument("--only", default="", help="a part of the names of the policies")
    parser.set_defaults(**PROFILES[parser.parse_args(arguments).profile])
    asked = parser.parse_args(arguments)
    for which in asked.sets:
        print_set(which, asked)


def print_set(which: str, asked: Namespace) -> None:
    """A row for each policy of a set, and how many of them each check names."""
    print(f"\n| {which}: policy | true eps | {' | '.join(f'{name} | s' for name in asked.checks)} |")
    print(f"|---|--:|{'---|--:|' * len(asked.checks)}", flush=True)
    said: dict[str, list[list[Said]]] = {"broken": [], "private": []}
    for row in rows(which, asked.horizon):
        if asked.only not in row.name or (asked.kinds and row.kind not in asked.kinds):
            continue
        found = []
        for name in asked.checks:
            start = time.process_time()
            one = CHECKS[name](row, asked.seeds, asked.trials)
            seconds = (time.process_time() - start) / (1 if name.startswith("alignment") else asked.seeds)
            found.append(one._replace(seconds=seconds))
        said["private" if row.kind == "private" else "broken"].append(found)
        cells = [cell for each in found for cell in (each.text, f"{each.seconds:.1f}")]
        truth = "" if asked.quick else row.truth(which)
        print(f"| {row.kind}: {row.name} | {truth} | {' | '.join(cells)} |", flush=True)
    for kind, every in said.items():
        if every:  # seeds go side by side: the share of a policy is at least that of its best check
            print(f"| **{kind}, mean of {len(every)}** | | {' | '.join(summary(every))} |")
            print(f"named by some check: {sum(max(each.names for each in row) for row in every):.1f} of {len(every)}")


def summary(every: list[list[Said]]) -> list[str]:
    """For every check, how many policies it names and its mean seconds."""
    cells = []
    for place in range(len(every[0])):
        column = [row[place] for row in every]
        cells += [f"{sum(each.names for each in column):.1f} named",
                  f"{sum(each.seconds for each in column) / len(column):.1f}"]  # fmt: skip
    return cells


if __name__ == "__main__":
    main(sys.argv[1:])
