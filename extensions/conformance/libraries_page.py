"""The report's page that compares policies of public libraries with the reference policies. No side effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from dpbandits.reference.claims.findings import columns_of
from dpbandits.reports.page import filled

LIBRARY_COLUMNS = ("result", "implementation", "specification; reference policy", "difference")
FIELDS = ("library", "version", "policy", "claims", "page", "verdict", "evidence", "cause", "as described")
REQUIRED_TEXTS = ("what", "fair", "adapters", "begun", "none", "seen")
TEMPLATE = Path(__file__).parent / "templates" / "libraries.html"
FOUND = {"CONSISTENT": "agrees", "REFUTED": "differs"}  # not REFUTED: the library may intend another policy


def validate_table(results: Any) -> Mapping[str, Any]:
    """The results, as `implementations/results.json` has them. Raises ValueError for anything else."""
    rows = results.get("implementations") if isinstance(results, Mapping) else None
    if not isinstance(rows, Sequence) or not set(REQUIRED_TEXTS) <= set(results.get("words", ())):
        raise ValueError("the results of implementations must have the keys 'implementations' and 'words'")
    for place, row in enumerate(rows):
        if lacking := [field for field in FIELDS if not isinstance(row, Mapping) or field not in row]:
            raise ValueError(f"the results of implementations, row {place}: missing keys: {', '.join(lacking)}")
    return dict(results)


def belongs_in_report(results: Mapping[str, Any], papers: Set[str]) -> bool:
    """Whether a library is held against a policy of one of these papers, by their keys."""
    return bool(papers & {row["page"].partition(".")[0] for row in results["implementations"]})


def libraries_page(results: Any, variables: Mapping[str, Any]) -> str:
    """The page. results: as `implementations/results.json` has them. variables: what every template may use. ValueError
    for other results."""
    results = validate_table(results)
    rows = results["implementations"]
    follow = sum(row["verdict"] == "CONSISTENT" for row in rows)
    return filled(
        TEMPLATE,
        **variables,
        words=results["words"],
        columns=columns_of(LIBRARY_COLUMNS),
        rows=[cells(row) for row in rows],
        libraries=len({row["library"] for row in rows}),
        follow=follow,
        differ=len(rows) - follow,
    )


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A row of the table, by LIBRARY_COLUMNS."""
    found = FOUND.get(row["verdict"], row["verdict"].lower())
    if row["evidence"] is not None:
        found += f", evidence 10^{int(row['evidence'])}"  # rounded down
    held = ". Confirmed" if row["as described"] == "CONSISTENT" else ""
    implementation = f"{row['library']} {row['version']}: {row['policy']}"
    return found, implementation, f"{row['claims']}; {row['page']}", row["cause"] + held
