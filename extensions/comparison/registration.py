"""Registers the comparison of private policies: the command `compare`, and a page of the report."""

from __future__ import annotations

from dpbandits.registry import Extension, FileKind, ReportPage

HERE = "dpbandits.extensions.comparison"
EXTENSION = Extension(
    name="comparison",
    commands={"compare": f"{HERE}.command:compare_command"},
    pages={
        "comparison": ReportPage(
            data="compared",
            link="Which private bandit?",
            sentence=" Private policies of these papers at one (eps, delta), and what each costs.",
            wanted=f"{HERE}.page:belongs_in_report",
            make=f"{HERE}.page:report_page",
        ),
    },
    file_kinds={"comparison": FileKind(("schema", "version", "comparisons"))},
    file_marks=(b"arms,horizon,eps,delta,family,policy,",),  # the first line of the table, CSV
)
