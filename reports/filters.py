"""By what the statements of a page can be chosen, and the style that hides the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpbandits.reference.claims.model import Reading
from dpbandits.reports import glossary
from dpbandits.reports.tally import HARMS, Finding

BASES = (
    "machine-checked proof",
    "interval arithmetic",
    "doubles rounded outward",
    "exact algebra",
    "randomness alignment",
    "exact law",
    "samples",
    "cited theorem",
    "argument in words",
)


Options = list[tuple[str, str, list[tuple[str, str, int]]]]


def classes(finding: Finding, sections: Mapping[str, int]) -> str:
    """The classes by which a page's filters choose claims."""
    chosen = [f"v-{finding['verdict']}", f"s-{sections.get(finding['section'], 0)}", f"r-{reading(finding)}"]
    if finding["verdict"] == "REFUTED":
        chosen.append(f"h-{list(HARMS).index(finding['harm'])}")
    return " ".join(chosen + [f"b-{BASES.index(basis)}" for basis in finding["rests_on"]])


def reading(finding: Finding) -> int:
    """The number of the finding's reading, in the order of the enum."""
    return list(Reading).index(finding["reading"])


def filter_options(findings: Sequence[Finding], sections: Mapping[str, int]) -> Options:
    """What the claims of a page can be chosen by: (name, legend, [(value, label, how many)])."""

    def counts(name: str, labels: Sequence[tuple[str, str]]) -> list[tuple[str, str, int]]:
        carried = [set(classes(finding, sections).split()) for finding in findings]
        made = [(value, label, sum(f"{name}-{value}" in each for each in carried)) for value, label in labels]
        return [option for option in made if option[2]]

    return [
        ("v", "verdict", counts("v", [(verdict, word.name) for verdict, word in glossary.VERDICTS.items()])),
        ("h", "what breaks", counts("h", [(str(i), text) for i, text in enumerate(HARMS.values())])),
        ("s", "section", counts("s", [(str(i), name or "elsewhere") for name, i in sections.items()])),
        ("b", "rests on", counts("b", [(str(i), basis) for i, basis in enumerate(BASES)])),
        ("r", "reading", counts("r", [(str(i), glossary.READING_NAMES[each]) for i, each in enumerate(Reading)])),
    ]


def filter_rules(options: Options) -> str:
    """The style by which a chosen option hides what it does not choose."""
    return "".join(
        f"body:has(#{name}-{value}:checked) .claim:not(.{name}-{value}){{display:none}}\n"
        for name, _, each in options
        for value, _, _ in each
    )
