"""Registers the extension `conformance`: the commands `check` and `vectors`, a report page about public libraries, and
an additional check in the audits of users' own policies."""

from __future__ import annotations

from dpbandits.registry import Extension, FileKind, ReportPage

HERE = "dpbandits.extensions.conformance"
EXTENSION = Extension(
    name="conformance",
    commands={"check": f"{HERE}.command:check", "vectors": f"{HERE}.vectors_command:vectors"},
    pages={
        "libraries": ReportPage(
            data="libraries",
            link="Libraries that people use",
            sentence=", compared with the policies that they claim to implement.",
            wanted=f"{HERE}.libraries_page:belongs_in_report",
            make=f"{HERE}.libraries_page:libraries_page",
        ),
    },
    own_policy_looks=(f"{HERE}.frozen:look_at_own_policy",),
    file_kinds={
        "badge": FileKind(("schemaVersion", "label", "message"), values={"label": "dpbandits"}, or_marked=True)
    },
)
