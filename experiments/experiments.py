"""The printed experiments, with several hundred repetitions: what they cost, their run, and a table of how they ended.

python experiments/experiments.py                says what each experiment costs, plays them all, writes the table
python experiments/experiments.py --cost         says it, and nothing more
python experiments/experiments.py --table        writes the table from what has been played

Findings are kept in experiments/out, one by one: who interrupts loses none, and the next run goes on. The table is
README.md beside this file, and results.json is what it is made of. Exit status: that of the audit.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from dpbandits.audit.effort import PROFILES, Profile
from dpbandits.audit.play.runs import Counting, TooLong, kind, side_by_side, steps_of
from dpbandits.audit.regret.orderings import runs_of
from dpbandits.reference.ledger import Claim, Ordering
from dpbandits.reference.library import ledger

HERE = Path(__file__).parent
OUT = HERE / "out"
PROBE = 100  # steps of every kind of policy that are played to know the pace
ABOUT = """# The printed experiments, played anew

Every comparison that an experiment of the papers makes, with the runs of the profile {profile} (`make experiments`;
what it costs is said before it starts, and what has been played is kept). The words are the papers'; a pair is
certified where one order came out in so many of the repetitions that it is the order of more than half of all, at the
risk of the ledger; whoever wants numbers finds every setting's in the report, `experiments/out/index.html`.

| experiment | what the paper says of it | reading | verdict | repetitions | as claimed | reversed | undecided |
|---|---|---|---|---|---|---|---|
{rows}
"""


class Cost(NamedTuple):
    """Of one experiment. claims: that speak of it. seconds: of one processor, in all; None where it is not played."""

    claims: tuple[str, ...]
    settings: int
    runs: int
    steps: int
    seconds: float | None


def experiments() -> list[Claim]:
    return [claim for claim in ledger().claims if isinstance(claim.says, Ordering)]


def costs(claims: Iterable[Claim], profile: Profile) -> list[Cost]:
    """Of every experiment once, however many claims speak of it."""
    groups: dict[Any, list[Claim]] = {}
    for claim in claims:
        assert isinstance(claim.says, Ordering)
        groups.setdefault(tuple(claim.says.settings.items()), []).append(claim)
    return [cost(settings, tuple(each.id for each in group), profile) for settings, group in groups.items()]


def cost(settings: tuple[tuple[str, tuple[Any, Any]], ...], claims: tuple[str, ...], profile: Profile) -> Cost:
    """Every kind of policy is played for PROBE steps, with all its runs; the others take as long."""
    kinds: dict[Any, list[Any]] = {}
    for _, (policies, environment) in settings:
        for policy in policies if isinstance(policies, tuple) else (policies,):
            chosen = kinds.setdefault((environment, kind(policy, id(policy))), [])
            if policy not in chosen:
                chosen.append(policy)
    most = profile.experiment_horizon
    steps = {key: steps_of(policies[0], key[0], most) for key, policies in kinds.items()}
    runs = runs_of(profile, max(steps.values()))
    if max(steps.values()) > most:
        return Cost(claims, len(settings), runs, max(steps.values()), None)
    seconds = sum(
        paced(tuple(policies), environment, runs) * max(1.0, steps[environment, which] / PROBE)
        for (environment, which), policies in kinds.items()
    )
    return Cost(claims, len(settings), runs, max(steps.values()), seconds)


def paced(policies: tuple[Any, ...], environment: Any, runs: int) -> float:
    """The seconds that PROBE steps take, or the whole of shorter runs."""
    start = process_time()
    with contextlib.suppress(TooLong):
        side_by_side(policies, Counting(environment, PROBE, policies[0].horizon), runs, 0)
    return process_time() - start


def told(found: list[Cost]) -> str:
    """The costs in lines, the dearest first, and their sum."""
    lines = [
        f"{'not played' if each.seconds is None else f'{each.seconds:8.0f} s'}  {each.settings:3} settings, "
        f"{each.runs} runs, {each.steps} steps: {each.claims[0]}"
        + (f" and {len(each.claims) - 1} more" if len(each.claims) > 1 else "")
        for each in sorted(found, key=lambda each: -(each.seconds or 0))
    ]
    total = sum(each.seconds or 0 for each in found)
    return "\n".join([*lines, f"{total:8.0f} s of one processor in all"])


# -- the table ---------------------------------------------------------------------------------------------------------


def ended(finding: Mapping[str, Any]) -> dict[str, Any] | None:
    """What an experiment's finding says, in a row; None where nothing was played."""
    tables = [item for item in finding["evidence"] if item["kind"] == "table" and "certified" in item["columns"]]
    if not tables:
        return None
    (table,) = tables
    words = [row[table["columns"].index("certified")] for row in table["rows"]]
    first = table["rows"][0]
    return {
        "claim": finding["id"],
        "quote": finding["quote"],
        "reading": finding["reading"],
        "verdict": finding["verdict"],
        "repetitions": sum(first[table["columns"].index(name)] for name in ("as claimed", "other way round", "tied")),
        "certified": words.count("as claimed"),
        "reversed": words.count("other way round"),
        "undecided": words.count("undecided"),
    }


def readme(profile: str, rows: list[dict[str, Any]]) -> str:
    lines = [
        f"| {row['claim']} | {row['quote'].replace('|', chr(92) + '|')} | {row['reading']} | {row['verdict']} | "
        f"{row['repetitions']} | {row['certified']} | {row['reversed']} | {row['undecided']} |"
        for row in rows
    ]
    return ABOUT.format(profile=profile, rows="\n".join(lines))


def write(findings: Mapping[str, Any]) -> None:
    """results.json and README.md, of everything that was played."""
    rows = [row for row in map(ended, findings["findings"]) if row is not None]
    profile = findings["profile"]["name"]
    shown = {"profile": profile, "seed": findings["seed"], "experiments": rows}
    (HERE / "results.json").write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")
    (HERE / "README.md").write_text(readme(profile, rows), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", choices=list(PROFILES), default="ci")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    status, claims = 0, experiments()
    if not asked.table:
        print(told(costs(claims, PROFILES[asked.profile])), flush=True)
    if asked.cost:
        return 0
    if not asked.table:
        globs = [part for claim in claims for part in ("--claims", claim.id)]
        run = ["audit", "--profile", asked.profile, "--jobs", asked.jobs, "--out", str(OUT), *globs]
        status = subprocess.run([str(Path(sys.executable).parent / "dpbandits"), *run], check=False).returncode
    write(json.loads((OUT / "findings.json").read_text(encoding="utf-8")))
    return status


if __name__ == "__main__":
    sys.exit(main())
