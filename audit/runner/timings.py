"""Processor seconds of claims in earlier runs, used for the plan of a run, its order, and its division into shards.

Every run writes `timings.json` into its folder: the seconds of each claim on one core, by profile. The timings of one
whole run are installed with the package (`shipped/timings.json`), so that a first run can be planned as well. A claim
without timings in a profile has no estimate there. No finding depends on timings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import dpbandits
from dpbandits.audit.judges.effort import PROFILES, Profile, asking_kernel, kernel_option
from dpbandits.audit.runner.progress import duration_in_words
from dpbandits.reference.claims.model import Claim

Timings = Mapping[str, Mapping[str, float]]  # seconds by profile, as `profile_key` names it, and claim id
SHIPPED = Path(dpbandits.__file__).parent / "shipped" / "timings.json"
LISTED_CLAIMS = 30  # claims that a plan lists
UNMEASURED_SECONDS = 0.1  # what a claim without timings counts where work is divided
MAX_SHARDS = 100_000


def profile_key(profile: Profile) -> str:
    """Returns the name under which a profile's timings are stored, such as "quick" or "quick --rocq".
    The use of Rocq's kernel changes the timings."""
    return f"{profile.name}{kernel_option(profile)}"


def read_timings(path: Path) -> dict[str, dict[str, float]]:
    """Returns the timings in a file; empty if the file is missing or contains no timings."""
    try:
        profiles = json.loads(path.read_text(encoding="utf-8")).get("profiles", {})
        return {
            str(profile): {str(claim): float(seconds) for claim, seconds in claims.items()}
            for profile, claims in profiles.items()
        }
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


@cache
def shipped_timings() -> dict[str, dict[str, float]]:
    """Reads the timings that are installed with the package."""
    return read_timings(SHIPPED)


def updated(earlier: Timings, key: str, seconds: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Returns the timings, updated by the seconds that each claim took in a run.
    key: the key of the run's profile. seconds: by claim id."""
    found = {name: dict(each) for name, each in earlier.items()}
    return found | {key: {**found.get(key, {}), **seconds}}


def seconds_of_group(group: Sequence[Claim], profile: Profile) -> float | None:
    """Returns the seconds, by the installed timings, of claims that are checked together; None if one is unknown."""
    known = shipped_timings().get(profile_key(profile), {})
    found = [known.get(claim.id) for claim in group]
    return None if None in found else sum(each for each in found if each is not None)


# -- the plan of a run -------------------------------------------------------------------------------------------------


def plan_text(
    claims: Sequence[Claim], profile: Profile, jobs: int, timings: Timings, finished: Collection[str] = ()
) -> str:
    """Returns the expected time of a run as text, for `audit --plan`.

    timings: of earlier runs. finished: the ids of claims whose findings are stored from an interrupted run.
    """
    key = profile_key(profile)
    todo = [claim for claim in claims if claim.id not in finished]
    known = timings.get(key, {})
    measured = sorted((claim for claim in todo if claim.id in known), key=lambda claim: -known[claim.id])
    lines = [f"{'core seconds':>14}  claim, in the profile {key}"]
    lines += [f"{known[claim.id]:14.1f}  {claim.id}" for claim in measured[:LISTED_CLAIMS]]
    if rest := measured[LISTED_CLAIMS:]:
        lines.append(f"{sum(known[claim.id] for claim in rest):14.1f}  {len(rest)} more claims together")
    kernel = profile.effort.kernel if kernel_option(profile) else None
    for name, other in PROFILES.items():
        here = todo if name == profile.name else claims
        lines.append(profile_line(asking_kernel(other, kernel), here, jobs, timings))
    if finished:
        lines.append(f"finished in the folder, and not counted above: {claims_in_words(len(claims) - len(todo))}")
    return "\n".join(lines)


def profile_line(profile: Profile, claims: Sequence[Claim], jobs: int, timings: Timings) -> str:
    """A line with the sum of the claims' seconds in a profile, in words."""
    key = profile_key(profile)
    known = timings.get(key, {})
    found = [known[claim.id] for claim in claims if claim.id in known]
    if not claims:
        return f"profile {key}: nothing is left to judge"
    if not found:
        return f"profile {key}: no earlier run is known; its timings.json will say"
    missing = len(claims) - len(found)
    unmeasured = f"; {claims_in_words(missing)} {'was' if missing == 1 else 'were'} not measured" if missing else ""
    return (
        f"profile {key}: {sum(found):.0f} core seconds for {claims_in_words(len(found))}, about "
        f"{duration_in_words(sum(found) / jobs)} with --jobs {jobs}{unmeasured}"
    )


def claims_in_words(many: int) -> str:
    """The number of claims in words, such as "1 claim" or "7 claims"."""
    return f"{many} claim" if many == 1 else f"{many} claims"


# -- shards ------------------------------------------------------------------------------------------------------------


class Shard(NamedTuple):
    """One of `of` parts of a run. number: from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        """The shard as text, "2/5" for the second of five shards."""
        return f"{self.number}/{self.of}"


def parse_shard(text: str) -> Shard:
    """The shard that a text such as "2/5" names. Raises ValueError for any other text."""
    found = re.fullmatch(r"(\d+)/(\d+)", text.strip(), re.ASCII)
    if found and 1 <= int(found[1]) <= int(found[2]) <= MAX_SHARDS:
        return Shard(int(found[1]), int(found[2]))
    raise ValueError(f"--shard {text!r}: it must have the form I/N (the I-th of N parts), for example 1/4")


def claims_of_shard(groups: Sequence[Sequence[Claim]], profile: Profile, shard: Shard) -> list[Claim]:
    """Returns the claims of one shard.
    Groups are assigned in order of decreasing time, each to the shard with the smallest sum so far.

    The result depends only on the claims, the profile and the installed timings, not on finished claims or later
    measurements. So all shards, which share nothing but a folder, compute the same division.
    """
    costs = [seconds_of_group(group, profile) for group in groups]
    load = [0.0] * shard.of
    mine: list[Claim] = []
    for place in sorted(range(len(groups)), key=lambda place: (-(costs[place] or 0.0), groups[place][0].id)):
        least = min(range(shard.of), key=lambda number: (load[number], number))
        load[least] += costs[place] or UNMEASURED_SECONDS * len(groups[place])
        mine += groups[place] if least == shard.number - 1 else []
    return mine
