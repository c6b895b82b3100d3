"""Independent trials pass the probes; randomness of one's own and trials that share something do not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from elimination import Elimination
from mutants import Silent

from dpbandits import QUICK, Bernoulli, Gaussian, Pulls, Step, Table, Verdict, follows_law
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.probes import RotatedNoise, TrialFault, probe, same_rows, trial_fault
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.regret.bounds import judge_regret
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.claims.model import AtMost, Claim, Private, Source
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling


@dataclass(frozen=True)
class Drawing(ThompsonSampling):
    """Algorithm 1 with a draw of its own: kind says which."""

    kind: str = ""

    def drawn(self, t: int, noise: Any, shape: tuple[int, ...]) -> Any:
        z = noise.normal("theta", t, shape)
        if self.kind == "common":  # 1 % of the variance is the same in all trials
            return np.sqrt(0.99) * z + 0.1 * noise.normal("common", t, shape)[:1]
        if self.kind == "centred":
            return z - z.mean(axis=0)
        if self.kind == "batch size":
            return z if len(z) > 200 else z / 2
        if self.kind == "alone":
            return z if len(z) > 1 else z / 2
        return np.random.default_rng().standard_normal(z.shape)

    def act(self, t, state, noise):
        mean, deviation = self.posterior(t, state)
        return Pulls.one((mean + deviation * self.drawn(t, noise, (self.arms,))).argmax(axis=1), self.arms)


def probed(policy):
    return probe(policy, Table(np.full((policy.arms, policy.horizon), 0.5)), seed=1)


@pytest.mark.parametrize(
    "policy",
    [ThompsonSampling(2, 20), ModifiedThompsonSampling(3, 40, prepulls=2), Elimination(3, 200), DPTSUCB(2, 20, 1.0)],
    ids=repr,
)
@pytest.mark.first(1)
def test_independent_trials_need_no_remark(policy):
    assert probed(policy) is None


@pytest.mark.parametrize("kind", ["common", "centred", "batch size"])
def test_trials_that_share_something_are_dependent(kind):
    assert probed(Drawing(2, 20, kind=kind)) is TrialFault.DEPENDENT_TRIALS


@pytest.mark.thorough
def test_a_lone_trial_must_be_the_first_of_many():
    """Only its steps can show it: so the horizon is long."""
    assert probed(Drawing(2, 400, kind="alone")) is TrialFault.DEPENDENT_TRIALS


def test_randomness_of_ones_own_is_said():
    assert probed(Drawing(2, 20, kind="own")) is TrialFault.OWN_RANDOMNESS


# -- whoever judges asks first ---------------------------------------------------------------------------------------
# One run of each of these policies does what it should: it is the trials that share something, and so their errors
# cannot be counted as if they were independent. No judge may take that for a violation.


@dataclass(frozen=True)
class Shared(ThompsonSampling):
    """Algorithm 1, its law, and draws that all trials of a batch share: of the run's noise, or of a generator of its
    own. (A new one each, so that a test does the same whoever ran before. What a batch shares may by chance be the same
    on either side of every pair; then nothing was exercised, which is no violation either.)"""

    own: bool = False
    generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0), compare=False)

    def act(self, t, state, noise):
        mean, deviation = self.posterior(t, state)
        z = self.generator.standard_normal(self.arms) if self.own else noise.normal("theta", t, (self.arms,))
        return Pulls.one((mean + deviation * (z if self.own else z[:1])).argmax(axis=1), self.arms)


SMALL = Run(replace(QUICK, trials=2_000, pair_tries=1), 0, 1e-9)
SOME = Private("pull", "arms", lambda _: Gaussian(1.25))


def about(says):
    return Claim("toy/promise", Source("toy", "Toy", "a promise"), says, expect=Verdict.CONSISTENT)


@pytest.mark.planted
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("lawful", [False, True])
def test_what_trials_share_is_no_violation(own, lawful):
    policy = Shared(2, 3, own=own)
    finding = judge_private(about(SOME), SMALL, policy if lawful else Silent(policy))
    assert finding.verdict == (Verdict.CONSISTENT if own else Verdict.NOT_APPLICABLE)
    assert ("one at a time" if own else "not independent") in finding.summary + finding.resolution


@pytest.mark.planted
def test_a_leak_is_seen_beside_randomness_of_ones_own():
    finding = judge_private(about(SOME), SMALL, Silent(Telling(2, 3, own=True)))
    assert finding.verdict == Verdict.REFUTED


@dataclass(frozen=True)
class Telling(Shared):
    """The same; but the second arm tells the first reward."""

    def act(self, t, state, noise):
        pulls = super().act(t, state, noise)
        return pulls if t == 1 else Pulls.one((state.total.sum(axis=1) > 0.5).astype(int), self.arms)


@pytest.mark.parametrize("own", [False, True])
def test_what_trials_share_is_no_departure_from_the_law(own):
    finding = follows_law(Silent(Shared(2, 3, own=own)), ThompsonSampling(2, 3), trials=100)
    assert finding.verdict == (Verdict.CONSISTENT if own else Verdict.NOT_APPLICABLE)


@pytest.mark.parametrize("own", [False, True])
def test_a_mean_of_dependent_runs_refutes_no_bound(own):
    low = AtMost(PSEUDO_REGRET, lambda policy, environment: 0.01)
    claim = replace(about(low), params=({"environment": Bernoulli((0.9, 0.1))},))
    assert judge_regret(claim, SMALL, Silent(Shared(2, 20, own=own))).verdict == Verdict.NOT_APPLICABLE
    assert judge_regret(claim, SMALL, ThompsonSampling(2, 20)).verdict == Verdict.REFUTED


class OneCoin(NamedTuple):
    """A one-shot mechanism whose trials share their noise."""

    def release(self, values, noise):
        return np.full(noise.trials, int(values[0] + noise.normal("coin", 0)[0] > 0))


def test_a_step_whose_trials_share_their_noise_is_not_judged():
    step = Step(OneCoin(), (0.0, 0.0), (1.0, 0.0), (1.0, 0.0))
    finding = judge_private(about(replace(SOME, relation="query")), SMALL, step)
    assert finding.verdict == Verdict.NOT_APPLICABLE


def test_releases_are_the_same_but_for_steps_that_released_nothing() -> None:
    """Whichever of them was recorded for more steps; of one number a trial, all have to be the same."""
    one = np.array([[[1, 0], [0, 2]], [[0, 1], [1, 0]]])
    for more, same in (
        (np.zeros((2, 3, 2)), True),
        (np.ones((2, 1, 2)), False),
        (np.eye(2)[None, :1] + 0 * one, False),
    ):
        longer = np.concatenate([one, more[:, :3]], axis=1)
        assert same_rows(one, longer) is same_rows(longer, one) is same
    other = one.copy()
    other[1, 0] = [1, 0]
    for longer in (other, np.concatenate([other, np.zeros((2, 1, 2))], axis=1)):
        assert same_rows(one, longer) is same_rows(longer, one) is False
    assert same_rows(np.array([3, 1]), np.array([3, 1]))
    assert not same_rows(np.array([3, 1]), np.array([3, 1, 0]))


@pytest.mark.parametrize(("trials", "few"), [(512, 16), (16, 16), (5, 5)])
def test_noise_is_passed_round_by_one_and_of_few_trials_by_up_to_eight(trials: int, few: int) -> None:
    asked: list[tuple[int, int]] = []

    def released(noise: Any) -> Any:
        asked.append((noise.trials, noise.by if isinstance(noise, RotatedNoise) else 0))
        return noise.uniform("x", 1)

    assert trial_fault(released, 3, trials) is None
    alone = [size for size, by in asked if not by]
    smaller = [size for size in (1, 2, 3, 5, 8, 12, trials // 3) if size < trials]
    assert alone == [trials, trials, *12 * [few], *smaller, *12 * [few, 1]]
    assert [each for each in asked if each[1]] == [(trials, 1), *((few, by) for by in range(2, min(few, 9)))]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 12])
def test_what_is_otherwise_in_small_batches_alone_is_dependent(size: int) -> None:
    def released(noise: Any) -> Any:
        return noise.uniform("x", 1) + (noise.trials == size)

    assert trial_fault(released, 3) is TrialFault.DEPENDENT_TRIALS


def test_noise_that_is_added_only_if_all_trials_need_it_is_dependent() -> None:
    """In a batch of several trials, hardly any noise is added; in a trial alone, it is added half of the time."""

    def released(noise: Any) -> np.ndarray:
        needs = noise.uniform("needs", 1) < 0.5
        return np.where(needs.all(), noise.laplace("noise", 1) > 0, needs)[:, None]

    assert [trial_fault(released, seed) for seed in range(10)] == [TrialFault.DEPENDENT_TRIALS] * 10
