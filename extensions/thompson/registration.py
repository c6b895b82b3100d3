"""Registers the extension for the privacy of Thompson sampling: the command `privacy`, and two kinds of
certificates."""

from __future__ import annotations

from dpbandits.registry import Extension

HERE = "dpbandits.extensions.thompson"
EXTENSION = Extension(
    name="thompson",
    uses=("rocq",),
    commands={"privacy": f"{HERE}.command:privacy"},
    headlines={"ou24/theorem-3/game/thousand": f"{HERE}.overview:headline_block"},
    checkers={"run": f"{HERE}.checking:RUN"},
    opinions={"ceiling": f"{HERE}.proving:kernel_outcome"},
    durations={"ceiling": f"{HERE}.ceilings.statement:expected_seconds"},
    outcomes={"ceiling": f"{HERE}.checking:outcome_of_ceiling"},
)
