"""The table of implementations: what the laws of the pages say of libraries that people use.

python implementations/table.py     judges all, writes results.json beside this file and PAGE, in the docs

Exit status 1 where a verdict is a surprise: a known failure that passes, or one that nobody knew.
"""

from __future__ import annotations

import json
import sys
import textwrap
import warnings
from importlib import metadata
from pathlib import Path
from typing import Any

from adapters import BETA, DISJOINT, GAUSSIAN, IMPLEMENTATIONS, LINEAR, ExploringItsScores, Implementation, TiesAtRandom

from dpbandits import Verdict, follows_law
from dpbandits.reference.claims.findings import CheckFound

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "contributing" / "libraries.md"
ARMS, HORIZON, SEED = 3, 6, 0
PAGES = {
    GAUSSIAN: "ou24.ThompsonSampling",
    BETA: "bernoulli.ThompsonSampling",
    LINEAR: "agrawal13.LinearThompsonSampling",
    DISJOINT: "contextual.DisjointLinearThompsonSampling",
    TiesAtRandom: "contextual.LinUCB",
    ExploringItsScores: "laws.softmax",
}
WORDS = {
    "what": "Libraries that install from the Python package index, each through the few lines of `adapters.py`, "
    "against the law of the policy that its documentation names: {arms} arms, {horizon} pulls, some tables of rewards; "
    "those that see contexts in two lists of rounds, with two features of each arm. "
    "`make implementations` judges them anew, in the versions of `requirements.txt`.",
    "fair": "Another law (REFUTED) means: the arms that were released do not fit the law of the page's policy; the "
    "evidence is the factor by which they are likelier otherwise (an e-value; true conformance exceeds 10^6 once in a "
    "million). A library may mean another policy, and be right. Nothing here is about privacy: none of these libraries "
    "promises any, and a posterior that differs from the page's may be as private, or more.",
    "adapters": "`thompson` owns its loop, and is run through `from_loop`; the others are objects, through "
    "`from_object`. vowpalwabbit's learner is taken as it is: the law is softmax's, of the costs that it predicts by "
    "itself (`--cb_adf`). A cause is what its row says it is where the library follows, just as well, the law of a "
    "policy that does exactly this; that of river's Gaussian is read in its code.",
    "begun": "The linear ones of mabwiser and coba are begun by what their first `fit` or `predict` does inside, since "
    "no reward has been paid yet; and each run of coba draws with a seed of its own, where the library has 1 for all.",
    "none": "mabby 0.1.2 does not install beside these versions. pymab 2.0.1, pybandits 8.4.1 and rlberry install, and "
    "have no row yet; obp 0.5.7 asks for an older Python. contextualbandits comes as source, and wants a C compiler; "
    "vowpalwabbit's `--squarecb` has no row, since it explores by other costs than `--cb_adf` predicts.",
    "seen": "Of those that follow the law, a chance of about one half that is off by {seen} in one step of all runs "
    "would have been seen with probability 0.9. A failure is expected by name and reason: a library that mends it "
    "turns `make implementations` red, until its row says so.",
}
ABOUT = """# Libraries, held against the pages

*Do the bandit libraries that people use release what their documentation says?* Each was asked by `follows_law`, as
any policy of your own can be.

{what}

## What a verdict says, and what it does not

{fair}

## The table

| library | verdict | policy | page's policy | runs |
|---|---|---|---|---|
{rows}

## What each claims to be, and what it does instead

{causes}

{adapters}

{begun}

{none}

## What would have been seen

{seen}
"""
WIDTH = 120  # of the page's lines


def judged(each: Implementation) -> dict[str, Any]:
    page, policy = each.page(ARMS, HORIZON), each.make(ARMS, HORIZON)
    played = each.environments(ARMS, HORIZON) if each.environments else None
    finding = follows_law(policy, page, played, each.trials, SEED)
    instead = follows_law(policy, each.instead(ARMS, HORIZON), played, each.trials, SEED) if each.instead else None
    body = finding.body if isinstance(finding.body, CheckFound) else CheckFound()
    return {
        "library": each.library,
        "version": metadata.version(each.library),
        "policy": each.name,
        "claims": each.claims,
        "page": PAGES[type(page)],
        "verdict": str(finding.verdict),
        "evidence": body.log10_evidence,
        "one_step": body.one_step,
        "trials": each.trials,
        "cause": each.differs,
        "as described": str(instead.verdict) if instead else "",
        "summary": finding.summary,
        "resolution": finding.resolution,
    }


def surprising(row: dict[str, Any]) -> bool:
    """A known failure that did not fail or is another than described, or one that nobody knew."""
    expected = Verdict.REFUTED if row["cause"] else Verdict.CONSISTENT
    return bool(row["verdict"] != expected or row["as described"] not in ("", Verdict.CONSISTENT))


def page(rows: list[dict[str, Any]]) -> str:
    """The page of the docs."""
    lines, causes = [], []
    for row in rows:
        said = row["verdict"] + (f", 10^{int(row['evidence'])}" if row["evidence"] is not None else "")
        cells = (f"{row['library']} {row['version']}", said, row["policy"], f"`{row['page']}`", str(row["trials"]))
        lines.append(f"| {' | '.join(cells)} |")
        held = " (Judged: it follows the law described so.)" if row["as described"] == Verdict.CONSISTENT else ""
        differs = f" Instead: {row['cause']}.{held}" if row["cause"] else ""
        text = f"**{row['library']}, {row['policy']}**: {row['claims']}.{differs}"
        causes.append("\n".join(textwrap.wrap(text, WIDTH, initial_indent="- ", subsequent_indent="  ")))
    said = {name: "\n".join(textwrap.wrap(text, WIDTH)) for name, text in words(rows).items()}
    return ABOUT.format(rows="\n".join(lines), causes="\n".join(causes), **said)


def words(rows: list[dict[str, Any]]) -> dict[str, str]:
    """What the page says about its table, a paragraph each."""
    seen = sorted({row["one_step"] for row in rows if row["one_step"] is not None})
    off = f"{seen[0]:.2g} to {seen[-1]:.2g}, by the number of runs,"
    return {name: text.format(arms=ARMS, horizon=HORIZON, seen=off) for name, text in WORDS.items()}


def main() -> int:
    warnings.filterwarnings("ignore")  # of the libraries
    rows = []
    for each in IMPLEMENTATIONS:
        row = judged(each)
        rows.append(row)
        about = f"{row['library']} {row['version']}, {each.name}"
        print(
            f"{about}: {row['verdict']}{' (a surprise)' if surprising(row) else ''}\n    {row['summary']}", flush=True
        )
    written = {"arms": ARMS, "horizon": HORIZON, "seed": SEED, "words": words(rows), "implementations": rows}
    (HERE / "results.json").write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(rows), encoding="utf-8")
    return int(any(surprising(row) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
