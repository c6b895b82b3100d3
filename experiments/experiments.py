"""The printed experiments, with several hundred repetitions: what they cost, their run, and a table of how they ended.

python experiments/experiments.py                says what each experiment costs, plays them all, writes the table
python experiments/experiments.py --cost         says it, and nothing more
python experiments/experiments.py --table        writes the table from what has been played

An experiment whose runs are longer than the profile plays is played in the next profile that plays them. Findings are
kept in experiments/out, one by one: who interrupts loses none, and the next run goes on. The table is the page, in the
docs, and results.json beside this file is what it is made of. Exit status: that of the audit.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits.audit.judges.effort import PROFILES, Profile
from dpbandits.audit.regret.orderings import longest_run
from dpbandits.reference.claims.codec import as_data, found_in
from dpbandits.reference.claims.findings import OrderFound
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, Ordering
from dpbandits.reference.claims.text import AS_CLAIMED, REVERSED, UNDECIDED

HERE = Path(__file__).parent


class Places(NamedTuple):
    """Where findings are kept, and where the table and the page of the docs are written."""

    out: Path = HERE / "out"
    results: Path = HERE / "results.json"
    page: Path = HERE.parent / "docs" / "contributing" / "experiments.md"


ABOUT = """# The experiments of the papers, repeated

The papers compare settings of algorithms by experiments. For each such comparison, this page shows whether repetitions
of the experiment agree with the paper. `make experiments` repeats the experiments and writes this page. It prints the
expected time before it starts, and stores finished runs.

The runs for this page used the profile {profile}.

A claim compares pairs of settings. For each pair, the paper states which of the two settings has the smaller regret, or
the smaller value of another quantity. We repeat the experiment and count how often each of the two settings has the
smaller value.

A sign test then shows which setting has the smaller value with probability above 1/2. The pair is *as claimed* if the
test confirms the paper's order, *reversed* if it confirms the opposite order, and *undecided* if it confirms neither.
The error probability is the same as in an audit of all claims.

Quotations are from the papers. The regret of each setting is in `experiments/results.json`, and each HTML report plots
it. An order that holds in most single runs need not hold on average; see [this
benchmark](benchmarks.md#orderingspy-how-often-a-true-order-is-refuted).{missing}

{papers}
"""
ENDS = {"certified": "as claimed", "reversed": "reversed", "undecided": "undecided"}
MARKDOWN = re.compile(r"[\\`*_$<>\[\]|#]")  # what a quote must not mean in Markdown


def experiments() -> list[Claim]:
    return [claim for claim in ledger().claims if isinstance(claim.says, Ordering)]


def shared_out(claims: Sequence[Claim], profiles: Sequence[Profile]) -> dict[Profile, list[Claim]]:
    """Which profile plays what: the first that plays so long runs, or the last."""
    parts: dict[Profile, list[Claim]] = {profile: [] for profile in profiles}
    for claim in claims:
        fit = (each for each in profiles if longest_run(claim.says, each.experiment_horizon) <= each.experiment_horizon)
        parts[next(fit, profiles[-1])].append(claim)
    return {profile: part for profile, part in parts.items() if part}


# -- the table ---------------------------------------------------------------------------------------------------------


def ended(finding: Mapping[str, Any]) -> dict[str, Any] | None:
    """What an experiment's finding says, in a row; None where nothing was played."""
    found = found_in(finding)
    if not isinstance(found, OrderFound):
        return None
    words = [each.certified for each in found.orders]
    return {
        "claim": finding["id"],
        "paper": finding["paper"],
        "section": finding["section"],
        "quote": finding["quote"],
        "reading": finding["reading"],
        "verdict": finding["verdict"],
        "repetitions": found.repetitions,
        "certified": words.count(AS_CLAIMED),
        "reversed": words.count(REVERSED),
        "undecided": words.count(UNDECIDED),
        "figure": found.figure,
        "measure": f"The {found.quantity} of every setting",
        "settings": [[each.label, rounded(each.average), rounded(each.spread)] for each in found.settings],
        "parts": {each.label: as_data(each.parts) for each in found.settings if each.parts},
    }


def rounded(value: str | float) -> str | float:
    """A number to five digits, more than its spread lets one read."""
    return float(f"{value:.5g}") if isinstance(value, float) else value


def page(profile: str, rows: list[dict[str, Any]], claims: Sequence[Claim]) -> str:
    """The page of the docs. rows: in the order of the ledger, a paper's together. claims: all experiments."""
    played = {row["claim"] for row in rows}
    absent = ", ".join(f"`{claim.id}`" for claim in claims if claim.id not in played)
    return ABOUT.format(
        profile=profile,
        papers="\n\n".join(line for _, own in groupby(rows, lambda row: row["paper"]) for line in told(list(own))),
        missing=f"\n\nNot repeated for this page: {absent}." if absent else "",
    )


def told(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """One paper's experiments, below what it says of them: a sentence that several are about stands once."""
    yield f"## {rows[0]['paper']}"
    for quote in dict.fromkeys(row["quote"] for row in rows):
        yield "> " + MARKDOWN.sub(r"\\\g<0>", quote)
        yield "\n".join(ended_so(row) for row in rows if row["quote"] == quote)


def ended_so(row: Mapping[str, Any]) -> str:
    words = (f"{row[kind]} {name}" for kind, name in ENDS.items() if row[kind])
    verdict = row["verdict"] if row["verdict"] == "CONSISTENT" else f"**{row['verdict']}**"
    pairs = ", ".join(words) or "no pair"
    return f"- `{row['claim']}` ({row['reading']}): {verdict}; {pairs}, in {row['repetitions']} repetitions"


def in_words(profiles: Sequence[Profile]) -> str:
    """Which profiles played what."""
    first, *more = profiles
    words, most = first.name, first.experiment_horizon
    for profile in more:
        words += f", runs of more than {most:_} steps in {profile.name}".replace("_", " ")
        most = profile.experiment_horizon
    return words


def write(profiles: Sequence[Profile], claims: Sequence[Claim], places: Places) -> None:
    """results.json and the page, of everything that was played, in the order of the claims. Rows of the table that
    were played elsewhere, and not here, stay. SystemExit where nothing was played, or with another seed."""
    files = [path for profile in profiles if (path := places.out / profile.name / "findings.json").exists()]
    if not files:
        raise SystemExit(f"{places.out} contains no results; run this without --table first")
    played, before = [json.loads(path.read_text("utf-8")) for path in files], []
    if places.results.exists():
        table = json.loads(places.results.read_text("utf-8"))
        played, before = [*played, table], table["experiments"]
    seeds = {findings["seed"] for findings in played}
    if len(seeds) > 1:
        raise SystemExit(
            f"the results were computed with the seeds {sorted(seeds)}, but a table needs one seed; delete the "
            f"old results in {places.out}"
        )
    place = {claim.id: number for number, claim in enumerate(claims)}
    found = (row for findings in played for row in map(ended, findings.get("findings", [])) if row is not None)
    rows = {row["claim"]: row for row in (*before, *found) if row["claim"] in place}
    profile = in_words(profiles)
    ordered = sorted(rows.values(), key=lambda row: place[row["claim"]])
    shown = {"profile": profile, "seed": seeds.pop(), "experiments": ordered}
    places.results.write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")
    places.page.write_text(page(profile, ordered, claims), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", choices=list(PROFILES), default="ci")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--cost", action="store_true", help="say what it costs, and nothing more")
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    names = list(PROFILES)
    every, places = experiments(), Places()
    in_profiles = shared_out(every, [PROFILES[name] for name in names[names.index(asked.profile) :]])
    commands = []
    for profile, claims in in_profiles.items():
        globs = [part for claim in claims for part in ("--claims", claim.id)]
        out = str(places.out / profile.name)
        run = ["audit", "--profile", profile.name, "--jobs", asked.jobs, "--out", out, *globs]
        commands.append([str(Path(sys.executable).parent / "dpbandits"), *run])
    statuses = [0]
    if not asked.table:
        statuses = [subprocess.run([*command, "--plan"], check=False).returncode for command in commands]
        if asked.cost or max(statuses):
            return max(statuses)
        statuses = [subprocess.run(command, check=False).returncode for command in commands]
    write(list(in_profiles), every, places)
    return max(statuses)


if __name__ == "__main__":
    sys.exit(main())
