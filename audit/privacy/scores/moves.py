"""Checks, in every run, whether the centres of a policy's noisy values differ between the two neighbouring tables by
the shifts that the policy declares, in the declared order.

For the declaration of shifts see `reference.bandits.noisy_values`. Proofs trust this declaration, so every run is
compared with it, just as a declared law is compared with frequencies.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.privacy.scores.values import BROKEN_VALUES
from dpbandits.proofs_checks.exact.shifted_noise import shifted_noise_profile
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.environments import Table
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.noisy_values import HasShifts, Noisy, Shifts, Undeclared
from dpbandits.reference.bandits.policy import Ints
from dpbandits.reference.curves import Curve, derived
from dpbandits.reference.curves.curve import ExactPrivacy

# Scales: centres at most 2^27 scales from 0 differ by a few 2^-26 where nothing but rounding moves them
MOVE_TOLERANCE = 1e-7
MAX_UNSEEN_MOVE = 2 * MOVE_TOLERANCE  # a declared size up to which a move need not be seen


class DeclaredShifts:
    """The declared shifts of the runs in a batch, and how much of them each run has seen so far. which: (trials,), the
    pair of each run among those declared, None if unknown. pairs: these pairs."""

    def __init__(self, declared: Sequence[Shifts | None], which: Ints, pairs: Sequence[Pair]) -> None:
        """Stores the shifts that the policy declares for several pairs. which: the pair that each trial plays."""
        most = max(len(each.sizes) if each else 0 for each in declared)
        sizes = np.zeros((len(declared), most + 1))  # and a 0 at the end: nothing moves any more
        for row, each in zip(sizes, declared, strict=True):
            row[: len(each.sizes) if each else 0] = each.sizes if each else ()
        self.known = np.array([each is not None for each in declared])[which]
        self.kind = np.array([each.kind if each else "" for each in declared])[which]
        self.sizes = sizes[which]
        made = np.full((3, *sizes.shape), np.nan)  # two centres, the smaller first, and the scale; nan: not said
        for place, (each, pair) in enumerate(zip(declared, pairs, strict=True)):
            if each is not None and each.made is not None:
                made[:, place, : len(each.sizes)] = made_of(each, pair)
        self.parts = made[:, which]
        self.made = np.zeros(len(which), dtype=np.int64)

    def enter(self, one: Noisy, other: Noisy, live: NDArray[np.bool_], step: int) -> None:
        """Compares one more step's values on both sides with the policy's declared shifts.
        Raises Undeclared if a shift differs."""
        fresh = (one.scale > 0) & (live & self.known)[:, None]
        scale = np.where(fresh, one.scale, 1.0)
        with np.errstate(invalid="ignore"):
            moved = np.where(fresh, np.abs(one.centre - other.centre) / scale, 0.0)
        if (fresh & (one.scale != other.scale)).any():
            raise Undeclared(
                f"{BROKEN_VALUES}in step {step} the noise has different scales on the two reward tables, but "
                "`shifts` declares equal ones"
            )
        for place, every in enumerate(moved.T):
            trials = np.flatnonzero(every > MOVE_TOLERANCE)
            size = every[trials]
            centres = np.sort([each[trials, place] for each in (one.centre, other.centre)], axis=0)
            seen = np.stack([*centres, one.scale[trials, place]])
            self.pass_by(trials, size, one.kind, seen)
            due = self.sizes[trials, self.made[trials]]
            odd = np.flatnonzero(~self.is_next_declared(trials, size, one.kind))
            if len(odd):
                row = odd[0]
                said = f"{self.kind[trials[row]]} {due[row]:.6g}" if due[row] else "nothing more"
                raise Undeclared(
                    f"{BROKEN_VALUES}in step {step}, in {len(odd)} of {len(every)} runs, the centre of a {one.kind} "
                    f"value differs by {size[row]:.6g} times its scale between the two reward tables, but "
                    f"`shifts` declares {said}"
                )
            odd = np.flatnonzero(~self.follows_declared_rewards(trials, seen))
            if len(odd):
                said_of = self.parts[:, trials, self.made[trials]]
                numbers = [f"{each[odd[0]]:.6g}" for each in (*seen, *said_of)]
                raise Undeclared(
                    f"{BROKEN_VALUES}in step {step} a value has the centres {numbers[0]} and {numbers[1]} on "
                    f"the two reward tables and the scale {numbers[2]}, but according to `shifts` the centres are "
                    f"{numbers[3]} and {numbers[4]} and the scale is {numbers[5]} (in {len(odd)} of {len(every)} runs)"
                )
            self.made[trials] += 1

    def is_next_declared(self, trials: Ints, size: Array, kind: str) -> NDArray[np.bool_]:
        """Whether the next declared shift of each of these trials has this size and this kind of noise."""
        due = self.sizes[trials, self.made[trials]]
        return np.asarray((np.abs(size - due) <= MOVE_TOLERANCE * (1 + due)) & (self.kind[trials] == kind))

    def follows_declared_rewards(self, trials: Ints, seen: Array) -> NDArray[np.bool_]:
        """Whether the observed centres and scales, (3, trials), agree with those that the declared rewards imply.
        True if the declaration names no rewards."""
        said = self.parts[:, trials, self.made[trials]]
        return np.asarray(~(np.abs(seen - said) > MOVE_TOLERANCE * (seen[2] + np.abs(seen))).any(axis=0))

    def pass_by(self, trials: Ints, size: Array, kind: str, seen: Array) -> None:
        """Skips declared shifts that are too small to be detected reliably, where the observed shift is another one.
        Only in trials where the present shift is another one."""
        while True:
            due = self.sizes[trials, self.made[trials]]
            small = (due > 0) & (due <= MAX_UNSEEN_MOVE)
            gone = small & ~(self.is_next_declared(trials, size, kind) & self.follows_declared_rewards(trials, seen))
            if not gone.any():
                return
            self.made[trials[gone]] += 1

    def end(self) -> None:
        """Raises Undeclared if a run has ended before all declared shifts occurred."""
        left = np.arange(self.sizes.shape[1]) >= self.made[:, None]
        odd = np.flatnonzero(self.known & (left & (self.sizes > MAX_UNSEEN_MOVE)).any(axis=1))
        if len(odd):
            raise Undeclared(
                f"{BROKEN_VALUES}in {len(odd)} of {len(self.made)} runs the number of noisy values whose "
                f"centre moves is {self.made[odd[0]]}, but `shifts` declares "
                f"{int((self.sizes[odd[0]] > 0).sum())}"
            )


def made_of(said: Shifts, pair: Pair) -> Array:
    """Returns both declared centres of each shifted value, the smaller first, and its scale, (3, n).
    Raises ValueError unless there is one entry for each size, on tables that differ in a pull."""
    sides, made = pair.environments(), said.made or ()
    if len(made) != len(said.sizes) or pair.relation != "pull":
        raise ValueError(
            f"`shifts` returned `made` of length {len(made)} and `sizes` of length {len(said.sizes)}, and the relation "
            f"is {pair.relation!r}. With relation 'pull', `made` must have one Moving for each size; with other "
            "relations, return made=None"
        )
    parts = [[*sorted(value.centre(cast(Table, side)) for side in sides), value.scale] for value in made]
    return np.array(parts).reshape(-1, 3).T


def worst_shifts(policy: HasShifts, curve: Curve, pairs: Sequence[Pair]) -> tuple[int, ExactPrivacy] | None:
    """Returns the index of the pair that violates the claim most by the declared shifts, and its exact profile.
    None if there is no such pair."""
    profile = cache(shifted_noise_profile)
    declared = {place: said for place, pair in enumerate(pairs) if (said := policy.shifts(pair)) is not None}
    known = {place: exact for place, said in declared.items() if (exact := profile(*said[:2])) is not None}
    if not known:
        return None
    worst = max(known, key=lambda place: derived.certified_lower_bound(curve, known[place]))
    return worst, known[worst]
