"""Compares a policy with a reference policy draw by draw: both get the same noise values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from dpbandits.audit.claims.proofs import lawful
from dpbandits.audit.judges.effort import demand_trials
from dpbandits.audit.play.many import TableBatch
from dpbandits.audit.play.probes import RotatedNoise
from dpbandits.audit.statistics.resolution import RESOLUTION_POWER
from dpbandits.extensions.conformance.games import (
    Ints,
    all_pulls_and_answers,
    decides_by_scores,
    probes,
    random_tables_for_each_run,
    repro_call,
    same_shape,
)
from dpbandits.extensions.conformance.law import fixed_environments, follows_law
from dpbandits.reference.arithmetic.checks import checked_integer
from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Array, ByKind, Flags, Seeded, address, draw_of_kind, separate_noise
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.protocol import demand_policy
from dpbandits.reference.bandits.tapes import Recorder, Tape
from dpbandits.reference.claims.model import Finding, Verdict

Address = tuple[str, int]  # a site and an index
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
    """Tests whether a policy makes exactly the pulls and recommendations of a reference policy, given the same noise.

    policy, reference: two policies with the same arms and horizon. environments: rewards to play on, by name. None
    means the environments of `follows_law`, and rewards that are drawn for every run. trials: the number of runs in
    each environment. seed: the seed of all random numbers.

    The draws of the reference are recorded. The policy receives them at the same sites and indices, or, if its pulls
    then differ, site by site in the same order. If the reference draws nothing and decides by scores, every decision is
    compared, as in `follows_law`. The verdict is NOT_APPLICABLE for a policy that draws at other sites, or that omits
    draws and uses another source of randomness. Such a policy may follow the same law, but cannot be compared draw by
    draw. Raises ValueError if arms or horizons differ or a number is invalid, and TypeError if policy is not a policy.
    """
    demand_policy(policy)
    demand_policy(reference)
    same_shape(policy, reference)
    demand_trials("trials", trials)
    seed = checked_integer(seed, "seed", 0, 2**64 - 1)
    if environments is not None and not environments:
        raise ValueError(
            "environments is empty; give a dict of environments by name, or None for the default ones (`probes`)"
        )
    known, fixed = lawful(reference), probes(reference)
    if environments is None and known is not None and decides_by_scores(known, fixed_environments(fixed)):
        decided = follows_law(policy, reference, None, trials, seed)
        return replace(decided, claim="conformance/replay", repro=repro_call("replay", trials, seed))
    chosen = fixed | random_tables_for_each_run(reference, trials) if environments is None else environments
    return replace(replayed(policy, reference, chosen, trials, seed), repro=repro_call("replay", trials, seed))


def replayed(
    policy: Policy, reference: Policy, environments: Mapping[str, Environment], trials: int, seed: int
) -> Finding:
    """Compares a policy with its reference, run by run with the same noise, in these environments; returns the finding.
    The finding does not yet contain the command line that repeats it."""
    orders = []
    for name, environment in environments.items():
        fresh = Seeded(address(seed, "replay", name), trials)
        recorder = Recorder(fresh)
        due = all_pulls_and_answers(play(reference, environment, recorder, trials), reference.horizon)
        one = compared(policy, environment, Followed(recorder.tape(), fresh), due)
        if one.why:
            summary = (
                f"{name}: {one.why}, the reference at {addresses_in_words(recorder.values)}: nothing can be replayed. "
                "Give the draws the reference's sites and indices, or use `follows_law`, which needs none"
            )
            return Finding("conformance/replay", Verdict.NOT_APPLICABLE, summary)
        if one.differs:
            summary = f'in the environment "{name}", {difference(one.made, due, reference.horizon)}'
            return Finding("conformance/replay", Verdict.REFUTED, summary)
        orders.append(one.in_order)
    share = 1 - (1 - RESOLUTION_POWER) ** (1 / (trials * len(environments)))
    order = "; its draws have other indices, and were compared in their order" if any(orders) else ""
    return Finding(
        "conformance/replay",
        Verdict.CONSISTENT,
        f"all pulls of {trials} runs in each of {len(environments)} environments are the reference's{order}",
        resolution=f"a difference in {share:.2g} of the runs would be detected with probability {RESOLUTION_POWER}",
    )


class Compared(NamedTuple):
    """The result of playing a policy with the reference's draws. made: the policy's releases. differs: whether they
    differ from the reference's. in_order: whether they agree if draws are assigned in their order. why: the reason why
    they cannot be compared."""

    made: Ints
    differs: bool
    in_order: bool
    why: str


def compared(policy: Policy, environment: Environment, noise: Followed, expected: Ints) -> Compared:
    """Plays the policy with the reference's draws, and compares its pulls and answers with the reference's.
    expected: the pulls and answers of the reference."""
    try:
        made = pulls_and_answers(policy, environment, noise)
        if np.array_equal(made, expected):
            return Compared(made, False, False, "")
        other = pulls_and_answers(policy, environment, Followed(noise.tape, noise.fresh, by_order=True))
        if np.array_equal(other, expected):
            return Compared(made, False, True, "")
        return Compared(made, True, False, other_randomness(policy, environment, noise, made))
    except Elsewhere as elsewhere:
        return Compared(expected, True, False, f"the policy draws at {elsewhere}")


def difference(pulls: Ints, expected: Ints, horizon: int) -> str:
    """Describes the first pull that differs from the reference, and the run in which it occurs, in words."""
    pull = int((pulls != expected).any(axis=0).argmax())
    trial = int((pulls != expected)[:, pull].argmax())
    what = f"pull {pull + 1}" if pull < horizon else "the answer"
    own, theirs = (f"arm {arm}" if arm >= 0 else "no arm" for arm in (pulls[trial, pull], expected[trial, pull]))
    return (
        f"run {trial}: {what} is of {own}, the reference makes it of {theirs}; "
        f"{(pulls != expected).any(axis=1).mean():.1%} of the runs differ somewhere. {DIFFERS}"
    )


def pulls_and_answers(policy: Policy, environment: Environment, noise: Followed | RotatedNoise) -> Ints:
    """Plays a policy with this noise; returns the pulls and the answer of each run, (trials, horizon + 1)."""
    return all_pulls_and_answers(play(policy, environment, noise, noise.trials), policy.horizon)


def other_randomness(policy: Policy, environment: Environment, noise: Followed, pulls: Ints) -> str:
    """Returns a sentence if the policy's pulls depend on more than its own draws, such as a generator of its own.
    Otherwise "". Only a policy that omits some of the reference's draws is examined: its runs must be repeatable, and
    must be rotated when their draws are rotated."""
    left_out = noise.tape.values.keys() - noise.drawn.keys()
    if not left_out:
        return ""
    rolled = environment.playing(np.roll(environment.which, 1)) if isinstance(environment, TableBatch) else environment
    again, passed = (
        pulls_and_answers(policy, environment, noise),
        pulls_and_answers(policy, rolled, RotatedNoise(noise)),
    )
    if np.array_equal(again, pulls) and np.array_equal(passed, np.roll(pulls, 1, axis=0)):
        return ""
    return (
        f"the pulls hang on more than the {len(noise.drawn)} draws that the policy makes, such as a generator of its "
        f"own. It leaves out {len(left_out)} draws: it draws at {addresses_in_words(noise.drawn)}"
    )


class Elsewhere(Exception):
    """Raised for a draw at a site at which the reference never draws."""


@dataclass(frozen=True)
class Followed(ByKind):
    """A noise that gives a policy the reference's recorded draws at the same sites, and fresh numbers for additional
    draws. A draw is the one at the same address; with by_order: the next unused numbers of its site, whatever the
    indices and shapes. For a draw of another kind it is the same quantile, so that, for example, a policy that makes
    normal noise from uniform noise gets the reference's noise. drawn: the addresses so far."""

    tape: Tape
    fresh: Seeded
    by_order: bool = False
    drawn: dict[Address, Array] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        """The number of trials of the noise."""
        return self.fresh.trials

    @cached_property
    def sites(self) -> dict[str, list[tuple[str, Array]]]:
        """Returns the recorded numbers of every site in order, each (trials,) with its kind of noise."""
        found: dict[str, list[tuple[str, Array]]] = {}
        for (site, index), values in self.tape.values.items():
            kind = self.tape.kinds[site, index]
            found.setdefault(site, []).extend((kind, column) for column in values.reshape(self.trials, -1).T)
        return found

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """Returns the recorded draw at this address, or a fresh draw if there is none.
        With `by_order`, the address is the order within the site. Raises Elsewhere if the reference never drew at the
        site."""
        if site not in self.sites:
            raise Elsewhere(f"site {site!r}, index {index}")
        if (site, index) not in self.drawn:
            draw = (self.next_draws_of_site if self.by_order else self.draw_at_address)(kind, site, index, shape)
            if draw is None:
                draw = draw_of_kind(separate_noise(self.fresh, "beyond the tape"), kind, site, index, shape)
            self.drawn[site, index] = draw
        return self.drawn[site, index]

    def draw_at_address(self, kind: str, site: str, index: int, shape: tuple[int, ...]) -> Array | None:
        """Returns the recorded draw at this address; None if there is none of this size."""
        known = self.tape.values.get((site, index))
        if known is None or known[:1].size != int(np.prod(shape)):
            return None
        return by_equal_quantiles(known.reshape(-1, *shape), self.tape.kinds[site, index], kind)

    def next_draws_of_site(self, kind: str, site: str, index: int, shape: tuple[int, ...]) -> Array | None:
        """Returns the site's next recorded numbers, as many as the shape needs; None if too few are left."""
        many = int(np.prod(shape))
        known, self.sites[site][:many] = self.sites[site][:many], []
        if len(known) < many:
            return None
        every = [by_equal_quantiles(column, recorded, kind) for recorded, column in known]
        return np.stack(every, axis=1).reshape(-1, *shape) if many else None


def by_equal_quantiles(values: Array, recorded: str, kind: str) -> Array:
    """Converts draws of one kind of noise to another kind, by equal quantiles. recorded: the kind of `values`.
    kind: the new one."""
    if recorded == kind:
        return values
    share = values
    if recorded == "normal":
        share = ndtr(values)
    if recorded == "laplace":
        share = np.where(values < 0, np.exp(-np.abs(values)) / 2, 1 - np.exp(-np.abs(values)) / 2)
    if kind == "laplace":
        return np.where(share < 0.5, np.log(2 * share), -np.log(2 * (1 - share)))
    return np.asarray(ndtri(share) if kind == "normal" else share)


def addresses_in_words(drawn: Iterable[Address]) -> str:
    """Lists the sites of draws in words, each with its smallest and largest index."""
    indices: dict[str, list[int]] = {}
    for site, index in drawn:
        indices.setdefault(site, []).append(index)
    ends = {site: sorted({min(each), max(each)}) for site, each in indices.items()}
    return (
        ", ".join(f"site {site!r}, index {' to '.join(map(str, between))}" for site, between in sorted(ends.items()))
        or "none"
    )
