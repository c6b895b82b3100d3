"""Rocq theorems with specific numbers (eps, delta), returned after Rocq's kernel has accepted them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dpbandits.extensions.rocq.carrying import written_proofs
from dpbandits.extensions.rocq.kernel import checked
from dpbandits.extensions.thompson.theorems.game_instances import write_game
from dpbandits.extensions.thompson.theorems.game_values import GameTheorem
from dpbandits.extensions.thompson.theorems.instances import Prices, write_instance
from dpbandits.proofs_checks.formulas.theorems import Checked


@cache
def written_instance(prices: Prices) -> Path:
    """Writes the Rocq theorem for these prices, and returns its file. Raises ValueError for too small prices."""
    return write_instance(prices, written_proofs())


@cache
def instance_checked(prices: Prices) -> Checked:
    """Lets Rocq's kernel check the theorem for these prices, and returns the checked statement.
    Raises KernelError, and ValueError for prices that are too small."""
    return checked(written_instance(prices), "thompson_private_here")


@cache
def game_checked(theorem: GameTheorem) -> Checked:
    """Lets Rocq's kernel check a theorem by computing the threshold game's value; returns the checked statement.
    Raises the same errors as `instance_checked`."""
    return checked(write_game(theorem, written_proofs()), "thompson_private_here")
