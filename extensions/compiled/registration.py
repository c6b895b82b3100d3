"""Registers the extension `compiled`, which plays long runs of policies with code compiled by numba."""

from __future__ import annotations

from dpbandits.registry import Extension, Player

HERE = "dpbandits.extensions.compiled"
NUMBA = Player(
    steps=f"{HERE}.compiled:steps_by_numba",
    worth=4 * 10**7,  # so many numbers take numpy about as long as numba its compilation
)
EXTENSION = Extension(name="compiled", players=(NUMBA,))
