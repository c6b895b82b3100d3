"""Parts of a run for machines that share nothing but a folder: which claims are whose.

Claims about one experiment stay together, unless it is so long that it is divided. Who gets which depends on the
claims, the profile and the number of shards, and on nothing that was measured or is already finished: every shard must
come to the same division by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dpbandits.audit.run.costs import Shared, estimated
from dpbandits.audit.run.plan import Plan
from dpbandits.reference.ledger import Claim

MOST = 100_000


class Shard(NamedTuple):
    """The `number`-th of `of` parts, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard_of(text: str) -> Shard:
    """The shard that "2/5" names. Raises ValueError."""
    found = re.fullmatch(r"(\d+)/(\d+)", text.strip(), re.ASCII)
    if found and 1 <= int(found[1]) <= int(found[2]) <= MOST:
        return Shard(int(found[1]), int(found[2]))
    raise ValueError(f"--shard {text}: write i/n, the i-th of n parts, such as 1/4 to 4/4")


class Dealt(NamedTuple):
    """What is a shard's. claims: whole, or of experiments that are divided. pieces: of those the numbers of its own."""

    claims: list[Claim]
    pieces: dict[str, list[int]]


def dealt(
    groups: Mapping[str, Sequence[Claim]], plan: Plan, shard: Shard, owners: Mapping[str, Sequence[int]]
) -> Dealt:
    """What is this shard's: the dearest first, each to the shard that has least so far. owners: the pieces of each
    group that is divided, as `pieces.owners`, which are taken for equally dear."""
    shared = Shared()
    costs = {key: sum(estimated(claim, plan.run(claim), shared) for claim in group) for key, group in groups.items()}
    many = {key: len(owners.get(key, (0,))) for key in groups}
    units = [(key, number) for key in groups for number in range(many[key])]
    each = {key: cost / many[key] for key, cost in costs.items()}
    load = [0.0] * shard.of
    mine: dict[str, list[int]] = {}
    for key, number in sorted(units, key=lambda unit: (-each[unit[0]], groups[unit[0]][0].id, unit[1])):
        least = min(range(shard.of), key=lambda place: (load[place], place))
        load[least] += each[key]
        if least == shard.number - 1:
            mine.setdefault(key, []).append(number)
    claims = [claim for key in mine for claim in groups[key]]
    return Dealt(claims, {key: numbers for key, numbers in mine.items() if key in owners})
