"""Registers Rocq: its kernel checks theorems that prove claims, and gives a second opinion on certificates."""

from __future__ import annotations

from dpbandits.registry import Extension, Kernel

HERE = "dpbandits.extensions.rocq"
EXTENSION = Extension(
    name="rocq",
    kernel=Kernel(
        evidence=f"{HERE}.carrying:evidence_of",
        demand=f"{HERE}.carrying:demand_kernel",
        program=f"{HERE}.carrying:program",
        installation=f"{HERE}.coqc:installation",
        install_words=f"{HERE}.terminal:install_words",
        demand_compiler=f"{HERE}.terminal:demand_compiler",
        statement_page=f"{HERE}.kept_statements:statement_page",
        second_opinions=f"{HERE}.second_opinions:beside_kernel",
    ),
)
