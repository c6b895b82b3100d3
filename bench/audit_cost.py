"""What a quick audit costs: its processor seconds by stage and by claim, its memory, and how costs grow.

Run as `python bench/audit_cost.py [GLOB]...`; without GLOB all claims are checked, in one process. The timer of the
processor interrupts the audit a hundred times a second. The stage is that of the outermost function on the stack that
belongs to one, so runs that a search plays and scores count as search. Seconds depend on the machine and on its other
work; shares and ratios depend on them much less. So the total is also shown as a multiple of a fixed amount of work,
measured in the same run. `python bench/audit_cost.py growth` measures how seconds grow, and fits exponents.
"""

from __future__ import annotations

import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np

INTERVAL = 0.01  # seconds of the processor between two samples
STAGES = {  # parts of the paths of files
    "search for neighbouring tables": ("audit/privacy/search/", "audit/privacy/exact_pairs"),
    "proofs by randomness alignment": ("proofs_checks/alignment/", "audit/privacy/aligned"),
    "exact privacy profiles": ("proofs_checks/exact/",),
    "drawing runs": ("audit/play/", "reference/bandits/play"),
    "scores and certified bounds": ("audit/privacy/scores/", "audit/statistics/", "audit/privacy/goodness"),
    "printed experiments and regret": ("audit/regret/",),
    "formulas": ("proofs_checks/formulas/search_or_prove", "proofs_checks/formulas/algebra/"),
    "proofs of papers": ("proofs_checks/papers/", "proofs_checks/checker/"),
    "report": ("reports/", "audit/runner/documents"),
}
REST = "everything else, and imports"
SHOWN_CLAIMS = 15
REPETITIONS = 2  # of a measurement, of which the fastest counts


def stage_of(frame: FrameType | None) -> str:
    """The stage of the outermost frame that belongs to one."""
    found = REST
    while frame is not None:
        path = frame.f_code.co_filename
        found = next((name for name, parts in STAGES.items() if any(part in path for part in parts)), found)
        frame = frame.f_back
    return found


def fixed_work() -> float:
    """Processor seconds of a fixed amount of work in Python and numpy."""
    start, numbers = time.process_time(), np.arange(1.0, 20_000.0)
    for _ in range(4_000):
        numbers = np.sqrt(numbers * numbers + 1.0)
        sum(range(5_000))
    return time.process_time() - start


def audited(globs: Sequence[str]) -> tuple[Counter[str], dict[str, float]]:
    """Processor seconds by stage, and by claim."""
    from dpbandits import QUICK
    from dpbandits.audit.runner import run_claims
    from dpbandits.audit.runner.selection import selected
    from dpbandits.reference.claims.ledger import ledger

    seconds, last = Counter[str](), time.process_time()

    def sample(number: int, frame: FrameType | None) -> None:
        nonlocal last
        now = time.process_time()  # a long call into a library delays the signal: its time counts as well
        seconds[stage_of(frame)] += now - last
        last = now

    by_claim: dict[str, float] = {}
    write = run_claims.documents.write_report

    def noted(document: Any, out: Any, spent: Any, *more: Any) -> None:
        by_claim.update(spent)
        write(document, out, spent, *more)

    run_claims.documents.write_report = noted
    signal.signal(signal.SIGPROF, sample)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    try:
        with tempfile.TemporaryDirectory() as folder:
            run_claims.audit(selected(ledger(), globs), QUICK, out=folder)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        run_claims.documents.write_report = write
    return seconds, by_claim


def costs(globs: Sequence[str]) -> None:
    before = fixed_work()
    seconds, by_claim = audited(globs)
    unit, total = (before + fixed_work()) / 2, sum(seconds.values())
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(by_claim)} claims in one process: {total:.1f} processor seconds, {megabytes:.0f} MB at most")
    print(f"that is {total / unit:.0f} times the fixed work, which took {unit * 1000:.0f} ms in the same run\n")
    print(f"{'stage':34}{'seconds':>9}{'share':>8}")
    for stage, spent in seconds.most_common():
        print(f"{stage:34}{spent:9.1f}{spent / total:8.1%}")
    print(f"\n{'most expensive claims':50}{'seconds':>9}{'share':>8}")
    for name, spent in Counter(by_claim).most_common(SHOWN_CLAIMS):
        print(f"{name:50}{spent:9.2f}{spent / total:8.1%}")


# -- growth ------------------------------------------------------------------------------------------------------------


def least_seconds(work: Callable[[], Any]) -> float:
    found = []
    for _ in range(REPETITIONS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def growth() -> None:
    """Seconds against T, K and trials, and the exponent of a power that fits them best."""
    from dpbandits import QUICK, audit_policy
    from dpbandits.audit.privacy.search.pairs import candidates
    from dpbandits.proofs_checks.exact.engine import exact_profile
    from dpbandits.reference.papers.ou24 import ThompsonSampling

    def profile(arms: int, horizon: int) -> None:
        policy = ThompsonSampling(arms, horizon)
        exact_profile(policy, candidates(policy, "pull")[0], 0.02)

    def audit(arms: int, horizon: int, trials: int) -> None:
        # Less than randomness alignment proves, so that the law and samples decide
        audit_policy(ThompsonSampling(arms, horizon), mu=0.2 * horizon**0.5, profile=QUICK, trials=trials)

    rows: dict[str, tuple[Callable[[int], None], Sequence[int]]] = {
        "exact profile, 2 arms: T": (lambda horizon: profile(2, horizon), (25, 50, 100, 200)),
        "exact profile, 3 arms: T": (lambda horizon: profile(3, horizon), (10, 20, 40)),
        "audit of a policy, 2 arms, T = 10: trials": (lambda many: audit(2, 10, many), (4_000, 16_000, 64_000)),
        "audit of a policy, 2 arms: T": (lambda horizon: audit(2, horizon, 8_000), (5, 10, 20, 40)),
        "audit of a policy, T = 6: arms": (lambda arms: audit(arms, 6, 8_000), (2, 4, 8)),
    }
    print(f"{'what':44}{'exponent':>9}  seconds")
    for name, (work, sizes) in rows.items():
        work(sizes[0])  # imports
        seconds = [least_seconds(lambda size=size, work=work: work(size)) for size in sizes]  # type: ignore[misc]
        exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        print(f"{name:44}{exponent:9.2f}  {', '.join(f'{s:.2f} ({n})' for n, s in zip(sizes, seconds, strict=True))}")


def main(arguments: Sequence[str]) -> None:
    if list(arguments) == ["growth"]:
        growth()
        return
    costs(arguments)
    if not arguments:
        print()
        growth()


if __name__ == "__main__":
    main(sys.argv[1:])
