"""Writes certificates that releasing a policy's noisy values violates DP, because their centres differ between two
neighbouring reward tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple, cast

import numpy as np

from dpbandits.proofs_checks.formulas.release_certificates import NotCertifiable, Step
from dpbandits.proofs_checks.vocabularies.decimals import exact_text
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.environments import Table
from dpbandits.reference.bandits.noisy_values import Moving, Shifts

NOISE = {"normal": "gaussian", "laplace": "laplace"}  # what certificates call the kinds
MOST_STEPS = 250  # of a certificate


class NoisyValue(NamedTuple):
    """One value: its composition, and its centres."""

    made: Moving
    left: float
    right: float

    @property
    def size(self) -> float:
        """The distance between the value's centres on the two tables, in units of the noise scale."""
        return abs(self.left - self.right) / self.made.scale

    def output_at_loss(self, loss: float) -> float:
        """The output of Laplace noise at which the privacy loss log(p_left/p_right) is `loss`, from -size to size.
        For -size and size, the nearest such value."""
        sign = 1 if self.left > self.right else -1
        return (self.left + self.right + sign * self.made.scale * loss) / 2


def noisy_values_of(declaration: Shifts, pair: Pair) -> list[NoisyValue]:
    """The noisy values that a policy declares as shifted, with their centres on both tables of the pair.
    Raises NotCertifiable if the policy does not declare how they are computed."""
    if declaration.made is None or len(declaration.made) != len(declaration.sizes) or pair.relation != "pull":
        raise NotCertifiable(
            "`shifts` of the policy does not declare from which rewards of a table each shifted value is computed "
            "(made=None)"
        )
    sides = [cast(Table, side) for side in pair.environments()]
    return [NoisyValue(made, *(made.centre(side) for side in sides)) for made in declaration.made]


def shifted_steps(declaration: Shifts, pair: Pair, eps: float, pieces: int) -> list[Step]:
    """Returns the certificate's steps about the event that the total privacy loss of all noisy values exceeds eps.
    For Laplace values the event is approximate. pieces: into how many pieces the loss of a Laplace value is cut. Raises
    NotCertifiable if the total loss cannot exceed eps, and for too many steps."""
    values = [value for value in noisy_values_of(declaration, pair) if value.left != value.right]
    if not values:
        raise NotCertifiable("there is no leak to certify: `shifts` of the policy declares that no value is shifted")
    return normal_steps(values, eps) if declaration.kind == "normal" else laplace_steps(values, eps, pieces)


def normal_steps(values: list[NoisyValue], eps: float) -> list[Step]:
    """Returns the certificate's single step for normal values: their total privacy loss exceeds eps.
    The loss of the values x is the sum of (left - right)/scale^2 x - (left^2 - right^2)/(2 scale^2)."""
    weights = [(value.left - value.right) / value.made.scale**2 for value in values]
    middle = sum(weight * (value.left + value.right) / 2 for weight, value in zip(weights, values, strict=True))
    step = value_step("normal", [value.made for value in values], [eps + middle])
    step["weights"] = [[exact_text(weight) for weight in weights]]
    return [step | {"releases": [{"kept": [1], "next": -1}]}]


Ways = list[tuple[int, int | None]]  # the number of a piece, and what comes then: a loss of the next level, or an end


def laplace_steps(values: list[NoisyValue], eps: float, pieces: int) -> list[Step]:
    """The certificate's steps for Laplace values: one for each value and each possible loss of the earlier values."""
    levels = total_losses_by_value([value.size for value in values], eps, pieces)
    begins = np.cumsum([0, *map(len, levels)]).tolist()
    if begins[-1] > MOST_STEPS:
        raise NotCertifiable(f"the number of steps would be {begins[-1]}; a certificate may have at most {MOST_STEPS}")
    steps: list[Step] = []
    for begin, value, level, after in zip(begins[1:], values, levels, [*levels[1:], {}], strict=False):
        place = {key: begin + number for number, key in enumerate(after)}
        rises = value.left > value.right  # otherwise the intervals count from the other end
        for before, ways in level.values():
            if not after:
                cuts, kept = [value.output_at_loss(max(eps - before, -value.size))], [(int(rises), -1)]
            else:
                cuts = sorted(
                    value.output_at_loss(float(end)) for end in np.linspace(-value.size, value.size, pieces + 1)
                )
                kept = [(k if rises else pieces + 1 - k, -1 if to is None else place[to]) for k, to in ways]
            step = value_step("laplace", [value.made], cuts)
            steps.append(step | {"releases": [{"kept": [k], "next": to} for k, to in sorted(kept)]})
    return steps


def total_losses_by_value(sizes: list[float], eps: float, pieces: int) -> list[dict[int, tuple[float, Ways]]]:
    """Returns, for each Laplace value, the total losses that earlier values can have, and how its pieces change them.
    They are listed by their rounded number, with the pieces that lead on. Losses that can no longer exceed eps are left
    out; losses that exceed it in any case are ends."""
    rest = [*np.cumsum(sizes[::-1])[::-1].tolist(), 0.0]  # what this value and the later ones can add
    if not rest[0] > eps:
        raise NotCertifiable("there is no violation to certify: the privacy loss of these values never exceeds eps")
    unit = max(sizes) / (2 * pieces)
    levels: list[dict[int, tuple[float, Ways]]] = [{0: (0.0, [])}]
    for size, more in zip(sizes[:-1], rest[1:], strict=False):
        after: dict[int, tuple[float, Ways]] = {}
        for before, ways in levels[-1].values():
            for piece, loss in enumerate(piece_losses(size, pieces)):
                total = before + loss
                if total - more > eps:
                    ways.append((piece, None))
                elif total + more > eps:
                    ways.append((piece, round(total / unit)))
                    after.setdefault(round(total / unit), (total, []))
        levels.append(after)
    return levels


def piece_losses(size: float, pieces: int) -> list[float]:
    """The privacy losses that represent the pieces of one noisy value: below, inside and above its range.
    Below all pieces, at the midpoint of each, and above them."""
    ends = np.linspace(-size, size, pieces + 1)
    return [-size, *((ends[1:] + ends[:-1]) / 2).tolist(), size]


def value_step(kind: str, values: list[Moving], cuts: list[float]) -> Step:
    """A step of a certificate about these noisy values, without its releases.
    cuts: the ends of the intervals that it releases."""
    return {
        "noise": NOISE[kind],
        "rule": "between",
        "size": "0",
        "options": [each.arm for each in values][:1],
        "windows": [[place, each.arm, str(each.first), str(each.last)] for place, each in enumerate(values)],
        "divisors": [exact_text(each.divisor) for each in values],
        "bounds": ["inf" if each.bound == inf else exact_text(each.bound) for each in values],
        "scales": [exact_text(each.scale) for each in values],
        "cuts": [exact_text(cut) for cut in cuts],
        "releases": [],
    }


def difference_in_words(
    steps: Sequence[Step], declaration: Shifts, pair: Pair, equal_fields: Callable[[Any, Any], bool]
) -> str:
    """A sentence that states how a certificate's steps differ from the policy's noisy values; "" if they do not.
    Each expected step releases one shifted value, in order. equal_fields: compares two fields of steps, up to
    rounding."""
    made = [value.made for value in noisy_values_of(declaration, pair) if value.left != value.right]
    groups, depth = [made] if declaration.kind == "normal" else [[each] for each in made], {0: 0}
    for place, step in enumerate(steps):
        if place not in depth:
            return f"no way leads to its step {place}"
        if depth[place] >= len(groups):
            return f"it asks for more than the {len(groups)} values that move"
        plain = value_step(declaration.kind, groups[depth[place]], [])
        chosen = {"cuts", "weights", "releases"}  # by whoever asks; all else is the value's own
        asks = set(plain) - chosen
        if set(step) - chosen != asks or not all(equal_fields(step[name], plain[name]) for name in asks):
            return f"its step {place} is not about value {depth[place]} of those that move"
        for release in step["releases"]:
            if release["next"] != -1 and depth.setdefault(release["next"], depth[place] + 1) != depth[place] + 1:
                return f"its step {release['next']} asks for different values"
    return ""
