"""Conformance draw by draw: both get the same noise values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dpbandits.audit.conformance.evidence import POWER
from dpbandits.audit.conformance.games import all_said, call, probes, same_shape
from dpbandits.audit.effort import demand_trials
from dpbandits.reference.checks import whole
from dpbandits.reference.environments import Environment
from dpbandits.reference.ledger import Finding, Verdict
from dpbandits.reference.noise import Array, Recorder, Seeded, Tape, address
from dpbandits.reference.policy import Policy, play
from dpbandits.reference.protocol import demand_policy

DIFFERS = (
    "This says nothing about privacy by itself: a policy may differ from the reference and be as private, or more."
)


def replay(
    policy: Policy,
    reference: Policy,
    environments: Mapping[str, Environment] | None = None,
    trials: int = 500,
    seed: int = 0,
) -> Finding:
    """Whether a policy makes exactly the reference's pulls, and gives its answers, when both get the same noise values.

    The reference's draws are recorded. NOT_APPLICABLE to a policy that draws at other sites: its pulls
    cannot be compared draw by draw. Raises ValueError where arms or horizons differ or a number is no such
    number, and TypeError for what is no policy.
    """
    demand_policy(policy)
    demand_policy(reference)
    same_shape(policy, reference)
    demand_trials("trials", trials)
    seed = whole(seed, "seed", 0, 2**64 - 1)
    if environments is not None and not environments:
        raise ValueError("environments is empty: give some by name, or None for `probes`")
    chosen = probes(reference) if environments is None else environments
    repro = call("replay", trials, seed)
    for name, environment in chosen.items():
        recorder = Recorder(Seeded(address(seed, "replay", name), trials))
        due = all_said(play(reference, environment, recorder, trials), reference.horizon)
        try:
            made = all_said(play(policy, environment, Followed(recorder.tape()), trials), reference.horizon)
        except Elsewhere as elsewhere:
            summary = (
                f"{name}: the policy draws at {elsewhere}, the reference at {places(recorder)}: nothing can be "
                "replayed. Give the draws the reference's sites and indices, or use `follows_law`, which needs none"
            )
            return Finding("conformance/replay", Verdict.NOT_APPLICABLE, summary, repro=repro)
        except OtherDraw as other:
            return Finding("conformance/replay", Verdict.REFUTED, f"{name}: {other}. {DIFFERS}", repro=repro)
        if not np.array_equal(made, due):
            pull = int((made != due).any(axis=0).argmax())
            trial = int((made != due)[:, pull].argmax())
            what = f"pull {pull + 1}" if pull < reference.horizon else "the answer"
            own, theirs = (f"arm {arm}" if arm >= 0 else "no arm" for arm in (made[trial, pull], due[trial, pull]))
            summary = (
                f"{name}, run {trial}: {what} is of {own}, the reference makes it of {theirs}; "
                f"{(made != due).any(axis=1).mean():.1%} of the runs differ somewhere. {DIFFERS}"
            )
            return Finding("conformance/replay", Verdict.REFUTED, summary, repro=repro)
    share = 1 - (1 - POWER) ** (1 / (trials * len(chosen)))
    return Finding(
        "conformance/replay",
        Verdict.CONSISTENT,
        f"all pulls of {trials} runs in each of {len(chosen)} environments are the reference's",
        resolution=f"a difference in {share:.2g} of the runs would be caught with probability {POWER}",
        repro=repro,
    )


class Elsewhere(Exception):
    """A draw at a site where the reference never draws."""


class OtherDraw(Exception):
    """A draw that the reference does not make, at a site where it draws."""


class Followed(NamedTuple):
    """A tape that tells its own refusals from a policy's errors."""

    tape: Tape

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.replay("normal", site, index, shape)

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.replay("laplace", site, index, shape)

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.replay("uniform", site, index, shape)

    def replay(self, kind: str, site: str, index: int, shape: tuple[int, ...]) -> Array:
        if site not in {known for known, _ in self.tape.values}:
            raise Elsewhere(f"site {site!r}, index {index}")
        try:
            return self.tape.replay(kind, site, index, shape)
        except (KeyError, ValueError) as error:
            raise OtherDraw(str(error.args[0])) from None


def places(recorder: Recorder) -> str:
    """Where the reference drew, in words."""
    indices: dict[str, list[int]] = {}
    for site, index in recorder.values:
        indices.setdefault(site, []).append(index)
    ends = {site: sorted({min(each), max(each)}) for site, each in indices.items()}
    return (
        ", ".join(f"site {site!r}, index {' to '.join(map(str, between))}" for site, between in sorted(ends.items()))
        or "none"
    )
