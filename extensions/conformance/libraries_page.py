"""The report's page that compares policies of public libraries with the reference policies. No side effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from dpbandits.reference.claims.findings import columns_of
from dpbandits.reports.page import PageVariables, rendered_page

LIBRARY_COLUMNS = ("result", "implementation", "specification; compared with", "difference")
FIELDS = (
    "library", "version", "policy", "claims", "reference", "verdict", "number", "evidence", "log10_evidence", "differs",
    "confirmed",
)  # fmt: skip
REQUIRED_TEXTS = ("what", "how", "mechanisms", "fair", "open", "confirmed", "begun", "none", "install", "seen")
TEMPLATE = Path(__file__).parent / "templates" / "libraries.html"
# Not REFUTED: the library may intend another policy.
FOUND = {
    "AGREES": "agrees", "REFUTED": "differs", "NOT_APPLICABLE": "no verdict", "NOT_INSTALLED": "not installed",
    "NOT_RUN": "not run",
}  # fmt: skip


def validate_table(results: Any) -> Mapping[str, Any]:
    """Returns the results, which must have the form of `implementations/results.json`.
    Raises ValueError for anything else."""
    rows = results.get("implementations") if isinstance(results, Mapping) else None
    if not isinstance(rows, Sequence) or not set(REQUIRED_TEXTS) <= set(results.get("words", ())):
        raise ValueError("the results of implementations must have the keys 'implementations' and 'words'")
    for place, row in enumerate(rows):
        if lacking := [field for field in FIELDS if not isinstance(row, Mapping) or field not in row]:
            raise ValueError(f"the results of implementations, row {place}: missing keys: {', '.join(lacking)}")
    return dict(results)


def belongs_in_report(results: Mapping[str, Any], papers: Set[str]) -> bool:
    """Whether a library is compared with a policy of one of these papers, given by key."""
    return bool(papers & {row["reference"].partition(".")[0] for row in results["implementations"]})


def libraries_page(results: Any, variables: PageVariables) -> str:
    """Returns the HTML page about the compared libraries.
    results: in the form of `implementations/results.json`. variables: those of every template."""
    results = validate_table(results)
    rows = results["implementations"]
    follow, differ = (sum(row["verdict"] == verdict for row in rows) for verdict in ("AGREES", "REFUTED"))
    return rendered_page(
        TEMPLATE,
        **variables,
        words=results["words"],
        columns=columns_of(LIBRARY_COLUMNS),
        rows=[cells(row) for row in sorted(rows, key=lambda row: row["verdict"] != "REFUTED")],
        libraries=len({row["library"] for row in rows}),
        follow=follow,
        differ=differ,
    )


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns a row of the table of libraries, with the cells in the order of LIBRARY_COLUMNS."""
    found = FOUND.get(row["verdict"], row["verdict"])
    if row["log10_evidence"] is not None:
        found += f", evidence 10^{int(row['log10_evidence'])}"  # rounded down
    held = ". Confirmed" if row["confirmed"] else ""
    implementation = f"{row['library']} {row['version']}: `{row['policy']}`"
    return found, implementation, f"{row['claims']}; {row['reference']}", row["differs"] + held
