"""Registers linear contextual bandits: a kind of certificate, how it is written, and how it is matched to a claim."""

from __future__ import annotations

from dpbandits.registry import Extension

HERE = "dpbandits.extensions.contextual"
EXTENSION = Extension(
    name="contextual",
    refutations_in_context=(f"{HERE}.certificates:linear_refutation",),
    differences={"linear": f"{HERE}.matching:linear_bandit_difference"},
    checkers={"linear": f"{HERE}.certificates:LINEAR"},
)
