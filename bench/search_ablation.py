"""What every proposer and every feature of the privacy audits is worth: recall, processor time, certified numbers.

Runs of policies, which have no law: those of tests/late_leaks.py (late, small and rare leaks; some of them held back,
on which nothing was tried while the search was made), and those of tests/leaks.py at T = 8 (a leak in one place). A row
leaves one part out, or adds one; recall is how many audits of broken policies refute the claim. Private policies are
audited in the first row alone: no choice of a pair refutes them more often than the risk says. The kind "sets" are the
broken policies of bench/held_back.py and bench/held_back_second.py, at their own horizons.

Pairs are suggested in the last row only: those on which a frozen replay shows a fault, as `audit_policy` suggests them.
Its seconds leave out the replay. A table of its own says how many policies with suggestions this row finds that the row
"all" misses, how many it loses, and the ratio of processor time without and with what it takes to find the suggestions.

Outputs of mechanisms: those of tests/leaking_mechanisms.py. A row leaves one feature out; beside recall stands on which
mechanisms less is certified, by a twentieth or more.

One audit is noise: differences of one or two say nothing.

Run with: python bench/search_ablation.py [--seeds 1] [--horizons 8] [--trials 10000] [--kinds late] [--policies]
[row ...]; half an hour. --policies prints a line for each policy. Rows of either table may be named; `outputs` is all
of the second.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import held_back
import held_back_second
import leaking_mechanisms
import numpy as np
from late_leaks import BROKEN, CLAIMS, HELD_BACK, RIGHT
from leaks import LEAKS, Leaky

from dpbandits import Approximate, Verdict, audit_mechanism
from dpbandits.audit.judges.effort import QUICK, Run
from dpbandits.audit.privacy import released_runs
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.scores import bit_features, classifier, learning, output_features, violation
from dpbandits.audit.privacy.search import search
from dpbandits.audit.privacy.search.pairs import checked_hint
from dpbandits.audit.privacy.search.proposals import TABLES
from dpbandits.extensions.conformance.frozen import look_at_own_policy
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.model import Claim, Private, Source

RISK = 1e-9
TRIALS = 10_000  # half of the default, where parts make more of a difference
RARE_HORIZON = 8
KINDS = ("late", "held back", "rare", "sets", "right")
USUAL_KINDS = ("late", "held back", "rare")


@dataclass(frozen=True)
class Audited:
    """One audit. kind: of the policy, one of KINDS. seconds: of the processor. suggested: how many pairs were. before:
    the seconds that it took to find these."""

    kind: str
    name: str
    refuted: bool
    seconds: float
    suggested: int = 0
    before: float = 0.0


def audits(seeds: int, horizons: list[int], kinds: tuple[str, ...], trials: int) -> Iterator[Audited]:
    for seed in range(seeds):
        for kind, policies in (("late", BROKEN), ("held back", HELD_BACK), ("right", RIGHT)):
            for name, make in policies.items() if kind in kinds else ():
                for horizon in horizons:
                    yield audited(kind, f"{name}, T = {horizon}", make(horizon), seed, trials, CLAIMS.get(name))
        for name, policy in {**held_back.BROKEN_POLICIES, **held_back_second.BROKEN_POLICIES}.items():
            if "sets" in kinds:
                yield audited("sets", name, policy, seed, trials)
        for name, (arms, rule) in LEAKS.items() if "rare" in kinds else ():
            yield audited("rare", name, Leaky(arms, RARE_HORIZON, rule), seed, trials)


def audited(kind: str, name: str, policy: Any, seed: int, trials: int, curve: Any = None) -> Audited:
    says = Private("pull", "arms", lambda _: curve or Approximate(1.0))
    claim = Claim(f"bench/{name}", Source("bench", name, ""), says, expect=Verdict.CONSISTENT)
    suggestions, before = suggested_pairs(claim, policy, seed)
    run = Run(replace(QUICK, trials=trials), seed, RISK, suggestions=suggestions)
    start = time.process_time()
    verdict = judge_private(claim, run, policy).verdict
    return Audited(kind, name, verdict is Verdict.REFUTED, time.process_time() - start, len(suggestions), before)


# -- pairs that are suggested ------------------------------------------------------------------------------------------

Suggested = tuple[tuple[Pair, ...], float]  # pairs, and the seconds of the processor that it took to find them


def suggested_pairs(claim: Claim, policy: Any, seed: int) -> Suggested:
    """None; the row with suggestions replaces this."""
    return (), 0.0


def by_replay(claim: Claim, policy: Any, seed: int) -> Suggested:
    """The pairs that `audit_policy` suggests."""
    start = time.process_time()
    pairs = look_at_own_policy(claim, policy, seed)[1]
    seconds = time.process_time() - start
    return tuple(checked_hint(policy, pair.relation, pair, 0) for pair in pairs), seconds


def print_suggestions(found: dict[str, list[Audited]], kinds: tuple[str, ...]) -> None:
    """What each row with suggestions finds and loses, beside the row without any; for every kind of broken policy."""
    print("\n| suggestions | kind | policies with suggestions | found | lost | CPU, audit | CPU, with its source |")
    print("|---|---|--:|---|---|--:|--:|")
    for row, audited in found.items():
        for kind in kinds if row.startswith("suggestions") and "all" in found else ():
            both = [
                *zip(*([each for each in every if each.kind == kind] for every in (found["all"], audited)), strict=True)
            ]
            with_pairs = [(one, other) for one, other in both if other.suggested]
            more = [other.name for one, other in with_pairs if other.refuted and not one.refuted]
            less = [other.name for one, other in with_pairs if one.refuted and not other.refuted]
            before = sum(one.seconds for one, _ in both)
            ratios = [sum(other.seconds + share * other.before for _, other in both) / before for share in (0, 1)]
            cells = [row, kind, f"{len(with_pairs)} of {len(both)}", named(more), named(less)]
            print(f"| {' | '.join(cells)} | {' | '.join(f'{ratio:.2f}' for ratio in ratios)} |", flush=True)


def named(policies: list[str]) -> str:
    return f"{len(policies)}{': ' * bool(policies)}{'; '.join(policies)}"


# -- rows --------------------------------------------------------------------------------------------------------------


@contextmanager
def put(module: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def planned(**settings: Any) -> Any:
    """The search with another plan."""
    plan = replace(search.PLAN, **settings)
    return put(released_runs, "Search", partial(search.Search, plan=plan))


def share_that_differs(curve: Any, scores: violation.Scores) -> Array:
    return violation.separations(scores)


def without_tables(*kinds: str) -> Any:
    return planned(tables=tuple(kind for kind in TABLES if kind not in kinds))


def learnt_by(chains: Any = None, leans: Any = None) -> Any:
    """The ratios that certification chooses from, along fewer chains, or with fewer strengths of leaning."""
    real = learning.learnt_ratio_scores
    return put(
        learning,
        "learnt_ratio_scores",
        lambda first, rest, pair, every, each: real(first, rest, pair, chains or every, leans or each),
    )


ROWS = {
    "all": lambda: planned(),
    "with structured tables": lambda: planned(structured=True),
    "no table with a value for each reward": lambda: without_tables("a value for each reward"),
    "no uniform tables": lambda: without_tables("uniform", "ascending or descending"),
    "no tables of zeros and ones": lambda: without_tables("zeros and ones"),
    "no levels": lambda: without_tables("a level for each arm", "levels that switch once"),
    "no mutations": lambda: planned(mutants=0.0),
    "no values between the ends": lambda: planned(between=False),
    "no changes in turn": lambda: planned(in_turn=False),
    "no quotas by place": lambda: planned(by_place=10**9),
    "ranked by distinguishability, not violation": lambda: put(search, "violations", share_that_differs),
    "half the runs": lambda: planned(proposal_share=0.3, look_share=0.3, pairs=180),
    "search: ratios by step alone": lambda: put(violation, "CHAIN", ("step",)),
    "search: ratios by step and counts": lambda: put(violation, "CHAIN", ("step", "changed arm", "counts")),
    "certify: no chain by order": lambda: learnt_by((learning.CONTEXT_COUNTS,)),
    "certify: no chain by counts": lambda: learnt_by((learning.ORDER,)),
    "certify: leaning weakly alone": lambda: learnt_by(leans=learning.LEANS[:1]),
    "certify: leaning strongly alone": lambda: learnt_by(leans=learning.LEANS[1:]),
    "certify: no later stages": lambda: put(released_runs.ReleasedRuns, "later_stages", lambda *_: None),
    "suggestions by replay": lambda: put(sys.modules[__name__], "suggested_pairs", by_replay),
}


# -- outputs -----------------------------------------------------------------------------------------------------

OUTPUT_TRIALS, LESS = 30_000, 0.95
FEATURES = {
    "outputs: all": "",
    "outputs: no output itself": "the output",
    "outputs: no distance from the middle": "its distance",
    "outputs: no sorted numbers": "the sorted numbers",
    "outputs: no differences": "differences of neighbours",
    "outputs: no numbers that come again": "numbers that come again",
    "outputs: no differences that come again": "differences that come again",
    "outputs: no whole outputs": "whole outputs",
    "outputs: no remainder": "its remainder",
    "outputs: no logistic regression": "regression",
    "outputs: no single column": "itself",
    "outputs: no grid of bits": "the grid",
    "outputs: no last bits": "the last bits",
    "outputs: no membership of Laplace noise": "what Laplace",
    "outputs: no membership of products": "what a product",
}


def without_feature(left_out: str, features: Any, left: Array, right: Array) -> Iterator[classifier.Candidate]:
    """The candidates of all features but those whose names begin so; "regression" and "itself" leave out this use."""
    switched = {left_out: False} if left_out in ("regression", "itself") else {}
    kept = [each._replace(**switched) for each in features if not left_out or not each.name.startswith(left_out)]
    yield from REAL(kept, left, right)
    if not kept:
        yield classifier.Candidate("nothing", lambda outputs: np.zeros(len(outputs)))


REAL = classifier.candidates


def mechanisms(left_out: str, seeds: int) -> tuple[dict[tuple[str, int], tuple[bool, float]], float]:
    """Of every broken mechanism and seed whether it is refuted, and the certified number; and processor seconds."""
    start, found = time.process_time(), {}
    fewer = partial(without_feature, left_out)
    with put(output_features, "candidates", fewer), put(bit_features, "candidates", fewer):
        for name, subject in leaking_mechanisms.BROKEN.items():
            for seed in range(seeds):
                finding = audit_mechanism(
                    *subject[:3],
                    **subject.claim,
                    floating_point=subject.floating_point,
                    trials=OUTPUT_TRIALS,
                    seed=seed,
                )
                samples = finding.body.instances[0].sampled
                certified = 0.0 if samples is None else samples.certified.value or 0.0
                found[name, seed] = finding.verdict is Verdict.REFUTED, certified
    return found, time.process_time() - start


def print_outputs(rows: list[str], seeds: int) -> None:
    print("\n| outputs | REFUTED | less is certified of | CPU s |\n|---|--:|---|--:|", flush=True)
    before, _ = mechanisms("", seeds)
    for row in rows:
        found, seconds = mechanisms(FEATURES[row], seeds)
        less = dict.fromkeys(key[0] for key, each in found.items() if each[1] < LESS * before[key][1])
        recall = f"{sum(each[0] for each in found.values())} of {len(found)}"
        print(f"| {row} | {recall} | {'; '.join(less)} | {seconds:.1f} |", flush=True)


def main(arguments: list[str]) -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("rows", nargs="*", help=f"of {', '.join([*ROWS, *FEATURES])}; all unless given")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--horizons", type=int, nargs="+", default=[8])
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"of every audit; {TRIALS} unless given")
    parser.add_argument("--kinds", nargs="+", choices=KINDS[:-1], default=USUAL_KINDS, help="of broken policies")
    parser.add_argument("--policies", action="store_true", help="a line for each policy")
    asked = parser.parse_args(arguments)
    rows = [row for row in ROWS if row in asked.rows or not asked.rows]
    if rows:
        print("| search | late and small leaks | held back | in one place | sets | private, REFUTED | CPU s an audit |")
        print("|---|--:|--:|--:|--:|--:|--:|", flush=True)
    by_row: dict[str, list[Audited]] = {}
    for row in rows:
        with ROWS[row]():
            kinds = (*asked.kinds, *("right",) * (row == next(iter(ROWS))))
            by_row[row] = found = list(audits(asked.seeds, asked.horizons, kinds, asked.trials))
        counts = [[each.refuted for each in found if each.kind == kind] for kind in KINDS]
        cells = [f"{sum(count)} of {len(count)}" if count else "" for count in counts]
        broken = [each.seconds for each in found if each.kind != "right"]
        print(f"| {row} | {' | '.join(cells)} | {sum(broken) / len(broken):.2f} |", flush=True)
        for name in dict.fromkeys(each.name for each in found) if asked.policies else ():
            own = [each for each in found if each.name == name]
            print(f"    {name}: {sum(each.refuted for each in own)} of {len(own)}")
    if any(row.startswith("suggestions") for row in rows):
        print_suggestions(by_row, tuple(asked.kinds))
    outputs = [row for row in FEATURES if row in asked.rows or "outputs" in asked.rows or not asked.rows]
    if outputs:
        print_outputs(outputs, asked.seeds)


if __name__ == "__main__":
    main(sys.argv[1:])
