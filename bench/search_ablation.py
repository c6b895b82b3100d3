"""What every part of the search for neighbouring pairs is worth: recall and processor time without it.

Policies of tests/late_leaks.py at T = 8 and 12 (late, small and rare leaks), those of tests/leaks.py at T = 8 (a leak
in one place), and private ones. A row leaves one part out, or adds one; recall is how many audits of broken policies
refute the claim. One audit is noise: differences of one or two say nothing.

Private policies are audited in the first row alone: no choice of a pair refutes them more often than the risk says.

Run with: python bench/search_ablation.py [--seeds 2] [--horizons 8 12] [--policies] [row ...]; some minutes. --policies
prints a line for each policy.
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

from late_leaks import BROKEN, CLAIMS, RIGHT
from leaks import LEAKS, Leaky

from dpbandits import Approximate, Verdict
from dpbandits.audit.judges.effort import QUICK, Run
from dpbandits.audit.privacy import released_runs
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.scores import learning, violation
from dpbandits.audit.privacy.search import search
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.model import Claim, Private, Source

RISK, RARE_TRIALS = 1e-9, 10_000
RARE_HORIZON = 8


@dataclass(frozen=True)
class Audited:
    """One audit: of a kind of policies ("late", "rare" or "right"), with its verdict and processor seconds."""

    kind: str
    name: str
    refuted: bool
    seconds: float


def audits(seeds: int, horizons: list[int], kinds: tuple[str, ...]) -> Iterator[Audited]:
    for seed in range(seeds):
        for kind, policies in (("late", BROKEN), ("right", RIGHT)):
            for name, make in policies.items() if kind in kinds else ():
                for horizon in horizons:
                    yield audited(kind, f"{name}, T = {horizon}", make(horizon), seed, CLAIMS.get(name))
        for name, (arms, rule) in LEAKS.items() if "rare" in kinds else ():
            yield audited("rare", name, Leaky(arms, RARE_HORIZON, rule), seed, trials=RARE_TRIALS)


def audited(kind: str, name: str, policy: Any, seed: int, curve: Any = None, trials: int = QUICK.trials) -> Audited:
    start = time.process_time()
    says = Private("pull", "arms", lambda _: curve or Approximate(1.0))
    claim = Claim(f"bench/{name}", Source("bench", name, ""), says, expect=Verdict.CONSISTENT)
    run = Run(replace(QUICK, trials=trials), seed, RISK)
    verdict = judge_private(claim, run, policy).verdict
    return Audited(kind, name, verdict is Verdict.REFUTED, time.process_time() - start)


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
    return violation.gaps(scores)


def chains(*some: Any) -> Any:
    """The scores that certification chooses from, without the linear one, or with fewer contexts."""
    real = learning.contenders
    return put(learning, "contenders", lambda first, rest, pair, _, leans: real(first, rest, pair, some, leans))


ROWS = {
    "all": lambda: planned(),
    "with structured tables": lambda: planned(structured=True),
    "without mutations": lambda: planned(mutants=0.0),
    "without values between the ends": lambda: planned(between=False),
    "without changes in turn": lambda: planned(in_turn=False),
    "without quotas by place": lambda: planned(by_place=10**9),
    "without both": lambda: planned(in_turn=False, by_place=10**9),
    "ranked by distinguishability, not violation": lambda: put(search, "violations", share_that_differs),
    "half the runs": lambda: planned(proposal_share=0.3, look_share=0.3, pairs=180),
    "twice the runs": lambda: planned(proposal_share=1.2, look_share=1.2, pairs=720),
    "search: ratios by step alone": lambda: put(violation, "CHAIN", ("step",)),
    "search: ratios by step and counts": lambda: put(violation, "CHAIN", ("step", "changed arm", "counts")),
    "certify: no chain by order": lambda: chains(learning.CONTEXT_COUNTS),
    "certify: no chain by counts": lambda: chains(learning.ORDER),
    "certify: no learnt ratios": lambda: put(learning, "contenders", lambda *_: ()),
    "certify: no later stages": lambda: put(released_runs.ReleasedRuns, "later_stages", lambda *_: None),
}


def main(arguments: list[str]) -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("rows", nargs="*", help=f"of {', '.join(ROWS)}; all unless given")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--horizons", type=int, nargs="+", default=[8])
    parser.add_argument("--policies", action="store_true", help="a line for each policy")
    asked = parser.parse_args(arguments)
    print("| search | late and small leaks | leaks in one place | private, REFUTED | CPU s an audit |")
    print("|---|--:|--:|--:|--:|", flush=True)
    for row in asked.rows or ROWS:
        with ROWS[row]():
            kinds = ("late", "rare", "right") if row == next(iter(ROWS)) else ("late", "rare")
            found = list(audits(asked.seeds, asked.horizons, kinds))
        counts = [[each.refuted for each in found if each.kind == kind] for kind in ("late", "rare", "right")]
        cells = [f"{sum(count)} of {len(count)}" if count else "" for count in counts]
        late = [each.seconds for each in found if each.kind == "late"]
        print(f"| {row} | {' | '.join(cells)} | {sum(late) / len(late):.2f} |", flush=True)
        for name in dict.fromkeys(each.name for each in found) if asked.policies else ():
            own = [each for each in found if each.name == name]
            print(f"    {name}: {sum(each.refuted for each in own)} of {len(own)}")


if __name__ == "__main__":
    main(sys.argv[1:])
