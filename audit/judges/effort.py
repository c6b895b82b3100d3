"""How hard a run looks (Profile), and how often it may be wrong (RISK): the two are kept apart.

RISK is the probability that a run over the whole ledger refutes anything that is true. It is the same in every
profile: what a larger profile buys is resolution, never certainty. Every page owns a share of it (`Page.share`),
and divides that evenly (a union bound) over the statistical audits of *all* its claims: neither selecting a few claims
nor another page that joins changes a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from dpbandits.audit.judges.judge_registry import row_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.reference.arithmetic.checks import at_least
from dpbandits.reference.claims.model import Claim

RISK = 1e-6
OWN = RISK / 1000  # of one audit of what is on no page: a thousand of them take the risk of a ledger
MOST_TRIALS = 10**8  # two hundred times those of DEEP: more would take days, or all memory, and are taken for a slip


@dataclass(frozen=True)
class Profile:
    """The resolution of a run.

    trials: runs on each side of a neighbouring pair, at most. steps: simulated steps on each side, at most; a long
    horizon gets fewer trials. search: the share of the trials that chooses distinguisher and threshold. pair_trials: on
    either side, so many times the trials of an audit look for a pair of tables, where no law chooses one. grid: the
    exact engine's rounding step for privacy losses. pair_tries: how many pairs of tables it is asked about on the
    way to a bad one. pair_effort: and how many lattice states it may visit for that.
    exact_states: the largest lattice of pull counts that the exact engine is asked for. regret_runs: runs of a
    regret bound's check. experiment_runs: runs of each setting of a printed experiment with a long horizon, a
    short one gets more (`orderings.runs_of`); 30 repetitions are the fewest that can certify an order at a risk of
    1e-9, and where a paper prints averages of 20 runs, 640 runs are 32 repetitions.
    experiment_horizon: the most steps in a run of a printed experiment that this profile plays; a block is one step.
    effort: of proofs and of searches among formulas; whether Rocq's kernel is asked is part of it.
    """

    name: str
    trials: int
    steps: int
    regret_runs: int
    experiment_runs: int
    search: float = 0.25
    pair_trials: float = 1.0
    grid: float = 0.02
    pair_tries: int = 8
    pair_effort: int = 3_000
    exact_states: int = 21_000
    experiment_horizon: int = 100_000
    effort: Effort = field(default_factory=Effort)


QUICK = Profile("quick", trials=20_000, steps=500_000, regret_runs=100, experiment_runs=32)
CI = Profile(
    "ci", trials=200_000, steps=8_000_000, regret_runs=400, experiment_runs=640, grid=0.01, pair_tries=300,
    pair_effort=60_000, exact_states=60_000,
    experiment_horizon=1_000_000,
    effort=Effort(points=32_000, rounds=80, boxes=64_000, exact=48),
)  # fmt: skip
DEEP = Profile(
    "deep", trials=500_000, steps=25_000_000, regret_runs=2_000, experiment_runs=640, pair_trials=0.3, grid=0.005,
    pair_tries=600, pair_effort=200_000, exact_states=500_000, experiment_horizon=1_000_000,
    effort=Effort(points=200_000, rounds=160, boxes=400_000, exact=96, kernel=True),
)  # fmt: skip
PROFILES = {profile.name: profile for profile in (QUICK, CI, DEEP)}


def asking_kernel(profile: Profile, asked: bool | None) -> Profile:
    """The profile in which Rocq's kernel is asked or not; None leaves that to the profile."""
    return profile if asked is None else replace(profile, effort=replace(profile.effort, kernel=asked))


def kernel_option(profile: Profile) -> str:
    """The option of `dpbandits audit` that makes a profile of this name ask the kernel as this one does, after a space;
    empty where it does so anyway."""
    usual = PROFILES.get(profile.name)
    if usual is None or usual.effort.kernel == profile.effort.kernel:
        return ""
    return " --rocq" if profile.effort.kernel else " --no-rocq"


def demand_trials(name: str, value: Any, least: int = 1) -> int:
    """So many trials. Raises ValueError for what is no whole number, for fewer than `least` and for too many."""
    at_least(name, value, least)
    if value > MOST_TRIALS:
        raise ValueError(f"{name} is {value!r}; at most {MOST_TRIALS} are played: what they cannot see, none will")
    return int(value)


def demand_profile(profile: Any) -> Profile:
    """The profile. Raises TypeError for what is none."""
    if isinstance(profile, Profile):
        return profile
    known = profile.upper() if isinstance(profile, str) and profile in PROFILES else "QUICK, CI or DEEP"
    raise TypeError(f"profile is {profile!r}; give {known} of dpbandits")


@dataclass(frozen=True)
class Run:
    """One run's settings for one audit. level: the probability with which *one* audit (one instance of a privacy
    or regret statement, or one pair of an ordering) may refute a true claim; the judge spends it on all that it
    certifies about this instance."""

    profile: Profile
    seed: int
    level: float


def audits(claim: Claim) -> int:
    """How many statistical audits a claim takes: instances, or pairs of an ordering."""
    return row_of(claim).audits(claim)


def run_over(claims: Iterable[Claim], profile: Profile, seed: int, share: float = 1.0) -> Run:
    """The run that spends a share of RISK evenly over all claims of a page."""
    return Run(profile, seed, share * RISK / max(1, sum(audits(claim) for claim in claims)))
