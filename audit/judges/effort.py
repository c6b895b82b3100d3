"""The effort of a run (Profile) and its error probability (RISK), which are independent of each other.

RISK bounds the probability that a run over the whole ledger refutes any true claim. It is the same in every profile: a
larger profile detects smaller violations, and is not more often right. Every page has a share of it (`Page.share`),
which is divided evenly (a union bound) among the statistical audits of *all* its claims. So neither selecting a few
claims nor adding a page changes a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpbandits.audit.judges.judge_registry import row_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.reference.arithmetic.checks import at_least
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.claims.model import Claim

if TYPE_CHECKING:
    from dpbandits.reference.claims.ledger import Ledger

RISK = 1e-6
OWN = RISK / 1000  # of one audit of a user's own subject: a thousand of them have the risk of a ledger
MOST_TRIALS = 10**8  # 200 times those of DEEP: more would take days, or all memory, and are probably a mistake


@dataclass(frozen=True)
class Profile:
    """The amount of computation of a run: a larger profile detects smaller violations.

    trials: the largest number of runs with each of two neighbouring inputs. steps: the largest number of simulated
    steps with each input; policies with a long horizon get fewer trials. search: the share of the trials that is used
    to choose a distinguisher and a threshold. pair_trials: the number of trials in the search for a pair of tables (if
    no law chooses one), as a multiple of the trials of an audit. grid: the exact engine's rounding step for privacy
    losses. pair_tries: the number of pairs of tables that the exact engine evaluates in the search for the worst one.
    pair_effort: the number of lattice states that the exact engine may visit in this search. exact_states: the largest
    lattice of pull counts for which the exact engine is used. regret_runs: the number of runs that check a regret
    bound. experiment_runs: the number of runs for each setting of a printed experiment with a long horizon; a short
    horizon gets more runs (`orderings.runs_of`). At least 30 repetitions are needed to certify an order at a risk of
    1e-9. If a paper prints averages of 20 runs, 640 runs are 32 repetitions. experiment_horizon: the most steps in a
    run of a printed experiment that this profile plays; a block is one step. all_instances: whether the instances in a
    claim's `more_params` are audited as well. effort: the effort of proofs and of searches for formulas, including
    whether Rocq's kernel is used.
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
    all_instances: bool = True
    effort: Effort = field(default_factory=Effort)


QUICK = Profile("quick", trials=20_000, steps=500_000, regret_runs=100, experiment_runs=32, all_instances=False)
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


def asking_kernel(profile: Profile, use_kernel: bool | None) -> Profile:
    """Returns a copy of the profile that uses Rocq's kernel if `use_kernel` is True, and not if it is False.
    The profile itself for None."""
    return profile if use_kernel is None else replace(profile, effort=replace(profile.effort, kernel=use_kernel))


def kernel_option(profile: Profile) -> str:
    """Returns the option that makes `dpbandits audit` use the kernel as this profile does.
    The option follows a space. "" if the profile of this name does so without an option."""
    usual = PROFILES.get(profile.name)
    if usual is None or usual.effort.kernel == profile.effort.kernel:
        return ""
    return " --rocq" if profile.effort.kernel else " --no-rocq"


def demand_trials(name: str, value: Any, min_trials: int = 1) -> int:
    """The number of trials, unchanged. Raises ValueError unless it is an integer in [min_trials, MOST_TRIALS]."""
    at_least(name, value, min_trials)
    if value > MOST_TRIALS:
        raise ValueError(f"{name} = {value!r} is too large; it must be at most {MOST_TRIALS}")
    return int(value)


def demand_profile(profile: Any) -> Profile:
    """Returns the profile itself. Raises TypeError for another object, such as the name of a profile."""
    if isinstance(profile, Profile):
        return profile
    known = profile.upper() if isinstance(profile, str) and profile in PROFILES else "QUICK, CI or DEEP"
    raise TypeError(f"profile is {profile!r}; it must be one of the profiles of dpbandits: {known}")


def with_trials(profile: Profile, policy: object, trials: int | None) -> Profile:
    """Returns the profile with this number of trials of the policy on each side; unchanged for None.
    (A privacy audit uses at least `privacy.pipeline.MIN_TRIALS`: fewer teach no score.)"""
    profile = demand_profile(profile)
    if trials is None:
        return profile
    trials = demand_trials("trials", trials)
    return replace(profile, trials=trials, steps=trials * getattr(policy, "horizon", 1))  # a single step has none


@dataclass(frozen=True)
class Run:
    """The settings of one audit. level: the probability that *one* audit (an instance of a privacy or regret claim, or
    a pair of an ordering) refutes a true claim; it is divided among all that is certified about this instance.
    suggestions: pairs of tables with which a search for neighbouring inputs begins."""

    profile: Profile
    seed: int
    level: float
    suggestions: tuple[Pair, ...] = ()


def audits(claim: Claim) -> int:
    """The number of statistical audits of a claim: its instances, or the pairs of an ordering; 0 without samples."""
    return row_of(claim).audits(claim)


def run_over(claims: Iterable[Claim], profile: Profile, seed: int, share: float = 1.0) -> Run:
    """Returns the settings for all audits of these claims, which share the error probability RISK evenly.
    share: the fraction of RISK that these claims get."""
    return Run(profile, seed, share * RISK / max(1, sum(audits(claim) for claim in claims)))


@dataclass(frozen=True)
class Plan:
    """The settings of a run over claims of a ledger, and over claims that are on no page."""

    ledger: Ledger
    profile: Profile
    seed: int

    @cached_property
    def known(self) -> dict[str, Run]:
        """The settings of audits, by paper key, for the papers whose settings were requested so far."""
        return {}

    def run(self, claim: Claim) -> Run:
        """Returns the settings of the claim's audits: those of its paper, or `own` for a claim without a paper."""
        volume = self.ledger.volume(claim)
        if volume is None:
            return self.own
        page = volume.page
        if page.key not in self.known:
            self.known[page.key] = run_over(volume.claims, self.profile, self.seed, page.share)
        return self.known[page.key]

    @property
    def own(self) -> Run:
        """The settings of an audit of a user's own subject: profile, seed, and the error probability OWN."""
        return Run(self.profile, self.seed, OWN)

    def file(self, claim: Claim) -> str:
        """The file of the claim's module if this module is not installed, otherwise ""."""
        volume = self.ledger.volume(claim)
        return volume.file if volume else ""
