"""Broken and private policies, one a row, as three public checks judge them: alignment bound, sampled audit, replay.

The policies of tests/late_leaks.py, which declare no law. The alignment bound holds for all reward tables at the
horizon: a value up to the claim proves it, "none" says that a reward is compared without noise, and "-" that the method
does not follow this policy. The sampled audit is the one at default settings, without a proof first: its verdict, and
the certified number. The frozen replay repeats a run's noise on neighbouring tables. All claim eps = 1, but for normal
noise (mu = 1).

Run with: python bench/policies.py [--horizon 6] [--seed 0]; about two minutes.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from late_leaks import BROKEN, CLAIMS, HELD_BACK, RIGHT

from dpbandits import Approximate, Verdict
from dpbandits.audit.judges.effort import QUICK, Run
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.extensions.conformance.frozen import replay_frozen
from dpbandits.proofs_checks.alignment.bounds import Outcome, alignment_bound
from dpbandits.reference.claims.findings import PrivacyFound
from dpbandits.reference.claims.model import Claim, Private, Source

RISK = 1e-9


def bound_by_alignment(policy: Any, name: str, seed: int) -> str:
    found = alignment_bound(policy, seed=seed)
    if found.outcome is Outcome.BOUND:
        unit, value = ("eps", found.eps) if found.noise == "laplace" else ("mu", found.mu)
        return f"{unit} <= {value:.4g}"
    return "none" if found.outcome is Outcome.NO_BOUND else "-"


def verdict_by_samples(policy: Any, name: str, seed: int) -> str:
    says = Private("pull", "arms", lambda _: CLAIMS.get(name) or Approximate(1.0))
    claim = Claim(f"bench/{name}", Source("bench", name, ""), says, expect=Verdict.CONSISTENT)
    finding = judge_private(claim, Run(QUICK, seed, RISK), policy)
    body = finding.body
    sampled = body.instances[0].sampled if isinstance(body, PrivacyFound) else None
    certified = "" if sampled is None else f", {sampled.certified.unit} >= {sampled.certified.value:.4g}"
    return f"{finding.verdict.name}{certified}"


def verdict_by_replay(policy: Any, name: str, seed: int) -> str:
    return replay_frozen(policy, seed=seed).verdict.name


CHECKS: dict[str, Callable[[Any, str, int], str]] = {
    "alignment bound": bound_by_alignment,
    "sampled audit": verdict_by_samples,
    "frozen replay": verdict_by_replay,
}


def main(arguments: list[str]) -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--horizon", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    print(f"| policy | {' | '.join(f'{name} | s' for name in CHECKS)} |\n|---|{'---|--:|' * len(CHECKS)}", flush=True)
    for kind, policies in (("broken", BROKEN), ("held back", HELD_BACK), ("private", RIGHT)):
        for name, make in policies.items():
            cells = []
            for check in CHECKS.values():
                start = time.process_time()
                cells.append(check(make(asked.horizon), name, asked.seed))
                cells.append(f"{time.process_time() - start:.1f}")
            print(f"| {kind}: {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
