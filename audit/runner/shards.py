"""Parts of a run for machines that share nothing but a folder: which claims are whose.

Claims about one experiment stay together. Who gets which depends on the claims, the profile and the number of shards,
and on nothing that was measured or is already finished: every shard must come to the same division by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from dpbandits.audit.judges.effort import Profile
from dpbandits.audit.runner.cost import group_seconds
from dpbandits.reference.claims.model import Claim

MAX_SHARDS = 100_000


class Shard(NamedTuple):
    """The `number`-th of `of` parts, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard_of(text: str) -> Shard:
    """The shard that "2/5" names. Raises ValueError."""
    found = re.fullmatch(r"(\d+)/(\d+)", text.strip(), re.ASCII)
    if found and 1 <= int(found[1]) <= int(found[2]) <= MAX_SHARDS:
        return Shard(int(found[1]), int(found[2]))
    raise ValueError(f"--shard {text}: write i/n, the i-th of n parts, such as 1/4 to 4/4")


def deal(groups: Sequence[Sequence[Claim]], profile: Profile, shard: Shard) -> list[Claim]:
    """The claims of this shard: the dearest group first, each to the shard that has least so far."""
    costs = [group_seconds(group, profile) for group in groups]
    load = [0.0] * shard.of
    mine: list[Claim] = []
    for place in sorted(range(len(groups)), key=lambda place: (-costs[place], groups[place][0].id)):
        least = min(range(shard.of), key=lambda number: (load[number], number))
        load[least] += costs[place]
        mine += groups[place] if least == shard.number - 1 else []
    return mine
