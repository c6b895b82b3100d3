"""Compares policies of public libraries with the reference policies, and writes the table of results.

python implementations/table.py     compares all, writes results.json next to this file and the page PAGE of the docs

Exit status 1 if a verdict is unexpected: a known difference that is gone, or an unknown one.
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
    "what": "Each policy was compared, by `follows_law`, with the distribution that its documentation specifies. The "
    "libraries install from the Python package index; `adapters.py` has a few lines for each. All runs have "
    "{arms} arms and {horizon} pulls, on several reward tables. Contextual policies see two sequences of "
    "contexts with two features for each arm. `make implementations` repeats the comparison with the versions"
    " in `requirements.txt`.",
    "fair": "A difference (REFUTED) means that the pulled arms do not have the distribution of the reference policy. "
    "The number is the evidence, an e-value: if the distributions agree, it exceeds 10^6 with probability at "
    "most one in a million. A library may implement another policy on purpose. The verdict does not concern "
    "privacy: none of these libraries claims to be private, and another posterior may be equally private.",
    "adapters": "`thompson` contains its own loop and is run with `from_loop`; all others are objects, run with "
    "`from_object`. For vowpalwabbit, the reference is the softmax distribution of the costs that it predicts"
    " itself (`--cb_adf`). A cause was confirmed where the list says so: the library has the distribution of "
    "a policy that differs from the reference in exactly this respect. The cause for the Gaussian policy of "
    "river was found by reading its code.",
    "begun": "The linear policies of mabwiser and coba are initialised as their first `fit` or `predict` does "
    "internally, because there is no reward yet. Each run of coba has its own seed; by default the library "
    "uses seed 1 for all runs.",
    "none": "mabby 0.1.2 cannot be installed together with these versions. pymab 2.0.1, pybandits 8.4.1 and rlberry "
    "can be installed and have not been compared yet. obp 0.5.7 needs an older Python. contextualbandits is "
    "distributed as source and needs a C compiler. The exploration `--squarecb` of vowpalwabbit was left out,"
    " because it uses other costs than `--cb_adf` predicts.",
    "seen": "For the policies with the verdict CONSISTENT: if a probability of about one half differed by {seen} in "
    "one step of all runs, the comparison would have detected it with probability 0.9. Each known difference "
    "is recorded with its reason. If a library corrects it, `make implementations` fails until its row is "
    "updated.",
}
ABOUT = """# Libraries compared with the reference policies

This page shows which policies of public bandit libraries sample from the distribution that their documentation
specifies. You can compare your own policy in the same way: [check an implementation](../how-to/implementations.md).

{what}

## What a verdict means

{fair}

## The table

| library | verdict | policy | reference policy | runs |
|---|---|---|---|---|
{rows}

## What each policy specifies, and how it differs

{causes}

{adapters}

{begun}

{none}

## Power

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
        held = " Confirmed." if row["as described"] == Verdict.CONSISTENT else ""
        differs = f" Difference: {row['cause']}.{held}" if row["cause"] else ""
        text = f"**{row['library']}, {row['policy']}**: {row['claims']}.{differs}"
        causes.append("\n".join(textwrap.wrap(text, WIDTH, initial_indent="- ", subsequent_indent="  ")))
    said = {name: "\n".join(textwrap.wrap(text, WIDTH)) for name, text in words(rows).items()}
    return ABOUT.format(rows="\n".join(lines), causes="\n".join(causes), **said)


def words(rows: list[dict[str, Any]]) -> dict[str, str]:
    """What the page says about its table, a paragraph each."""
    seen = sorted({row["one_step"] for row in rows if row["one_step"] is not None})
    off = f"{seen[0]:.2g} to {seen[-1]:.2g} (depending on the number of runs)"
    return {name: text.format(arms=ARMS, horizon=HORIZON, seen=off) for name, text in WORDS.items()}


def main() -> int:
    warnings.filterwarnings("ignore")  # of the libraries
    rows = []
    for each in IMPLEMENTATIONS:
        row = judged(each)
        rows.append(row)
        about = f"{row['library']} {row['version']}, {each.name}"
        print(
            f"{about}: {row['verdict']}{' (unexpected)' if surprising(row) else ''}\n    {row['summary']}", flush=True
        )
    written = {"arms": ARMS, "horizon": HORIZON, "seed": SEED, "words": words(rows), "implementations": rows}
    (HERE / "results.json").write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(rows), encoding="utf-8")
    return int(any(surprising(row) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
