"""The reference led along the pulls of runs, against a twin that goes through each run's past; and replayed draws."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from dpbandits import Pulls, Seeded, Table, Verdict, play, replay
from dpbandits.audit.statistics import along
from dpbandits.audit.statistics.along import ReferenceStep, pull_sequence, releases_in_turn, steps_along
from dpbandits.audit.statistics.e_values import TILTS, evidence_groups, groups_by_label, log_factors, stack_pasts
from dpbandits.extensions.conformance.draws import addresses_in_words, by_equal_quantiles
from dpbandits.reference.bandits.policy import Law, one_arm
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.papers.ou24 import ThompsonSampling

REFERENCE = ThompsonSampling(3, 5)
TABLE = Table(np.random.default_rng(1).integers(0, 5, (3, 5)) / 4)
PULLED = pull_sequence(play(REFERENCE, TABLE, Seeded(4, 70), 70))


def law_after(past: tuple[int, ...]) -> Any:
    """The reference's law after these pulls, taught one by one."""
    state, made = REFERENCE.init(1), np.zeros((1, 3), dtype=np.int64)
    for t, arm in enumerate(past, 1):
        counts = Pulls.one(np.array([arm]), 3).counts
        sums = TABLE.draw(t, made, counts, None, Seeded(0, 1))
        state, made = REFERENCE.learn(t, state, Pulls(counts), sums, Seeded(0, 1)), made + counts
    return REFERENCE.law(len(past) + 1, state).chance[0]


def led(pulled: Any = PULLED) -> list[ReferenceStep]:
    steps = steps_along(REFERENCE, TABLE, releases_in_turn(pulled, 3))
    assert isinstance(steps, list)
    return steps[: REFERENCE.horizon]


def test_runs_with_the_same_past_are_one_row() -> None:
    for t, step in enumerate(led()):
        assert step.t == t + 1
        before, after = (
            Counter(tuple(run[:t]) for run in PULLED.tolist()),
            Counter(map(tuple, PULLED[:, : t + 1].tolist())),
        )
        assert sorted(step.past) == sorted("".join(f" {arm}" for arm in past) for past in before)
        for row, told in enumerate(step.past):
            past = tuple(map(int, told.split()))
            assert step.last[row] == (past[-1] if past else -1)
            assert step.visits[row] == before[past]
            assert step.released[row].tolist() == [after[*past, arm] for arm in range(3)]
            assert step.law[row] == pytest.approx(law_after(past), rel=1e-9, abs=0)
        assert step.slack < 1e-10


def test_of_many_pasts_those_that_leave_the_same_state_and_last_arm_are_one_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pull counts, what they paid, and the last arm: so many runs, and the same releases, however they came there."""
    monkeypatch.setattr(along, "MAX_PASTS", 2)
    rewards = np.asarray(TABLE.rewards)
    for t, step in list(enumerate(led()))[2:]:
        found: Counter[Any] = Counter()
        for run in PULLED.tolist():
            made = [run[:t].count(arm) for arm in range(3)]
            paid = tuple(float(rewards[arm, : made[arm]].sum()) for arm in range(3))
            found[f" {made} pulls, arm {run[t - 1]} last", paid, run[t]] += 1
        assert Counter(dict(zip(step.past, [0] * len(step.past), strict=True))).keys() == {name for name, *_ in found}
        for name in set(step.past):
            rows = [row for row, told in enumerate(step.past) if told == name]
            assert len(rows) == len({paid for told, paid, _ in found if told == name})
            for arm in range(3):
                due = sum(many for (told, _, pulled), many in found.items() if (told, pulled) == (name, arm))
                assert step.released[rows, arm].sum() == due
            assert {int(name.split()[-2])} == {int(step.last[row]) for row in rows}
        assert step.law.sum(axis=1) == pytest.approx(np.ones(len(step.law)), rel=1e-9)


def test_groups_count_visits_and_releases_and_what_was_due() -> None:
    """Of every step's pasts, of each step, of all steps, and after a pull of each arm."""
    steps = led()
    groups = evidence_groups(steps, "here", 0.0)
    for step, group in zip(steps, groups, strict=False):
        assert group.visits.tolist() == step.visits.tolist()
        assert group.released.tolist() == step.released.tolist()
        assert group.due == pytest.approx(step.visits[:, None] * step.law, rel=1e-12, abs=0)
    by_name = {group.name(k): (group, k) for group in groups[len(steps) :] for k in range(len(group.visits))}
    last = np.concatenate([step.last for step in steps])
    visits, released, due = (
        np.concatenate(each)
        for each in zip(*((step.visits, step.released, step.visits[:, None] * step.law) for step in steps), strict=True)
    )
    number = np.repeat([step.t for step in steps], [len(step.visits) for step in steps])
    wanted = {"here: all steps": number > 0, "here: the first step": last < 0}
    wanted |= {f"here: step {t}": number == t for t in range(1, 6)}
    wanted |= {f"here: steps after a pull of arm {arm}": last == arm for arm in range(3)}
    chance = np.concatenate([step.law for step in steps])
    wanted |= {
        f"here: steps where arm {arm} has a chance of {k / 10} to {(k + 1) / 10}": np.floor(10 * chance[:, arm]) == k
        for arm in range(3)
        for k in range(10)
    }
    for name, some in wanted.items():
        group, k = by_name[name]
        assert group.visits[k] == visits[some].sum()
        assert group.released[k].tolist() == released[some].sum(axis=0).tolist()
        assert group.due[k] == pytest.approx(due[some].sum(axis=0), rel=1e-12, abs=1e-15)


def test_evidence_is_the_same_however_many_rows_are_held_at_once() -> None:
    rows = stack_pasts(led())
    ways = [(rows.step, str, int(rows.step.max()) + 1), (rows.last + 1, str, 4)]
    wanted, found = (groups_by_label(rows, ways, -1.0, at_once * 3 * len(TILTS)) for at_once in (10**6, 7))
    assert len(rows.step) > 7
    for one, other in zip(found, wanted, strict=True):
        assert one.log_evidence == pytest.approx(other.log_evidence, rel=1e-12, abs=1e-12)
        assert (one.name(0), one.log_weight) == (other.name(0), other.log_weight)


def test_where_a_law_may_be_off_evidence_errs_on_the_policy_s_side() -> None:
    """By a chance that is off by up to 0.1 no product of factors has an expectation above 1, and at one end it is 1;
    no chance is above 1 or below 0. Of five visits, two of which pulled arm 0."""
    law = np.array([[0.3, 0.7], [0.95, 0.05]])
    step = ReferenceStep(
        1, ["", ""], np.array([-1, -1]), np.array([1, 5]), np.array([[1, 0], [2, 3]]), law, 1, True, 0.1
    )
    found = np.exp(log_factors(stack_pasts([step])))
    for k, tilt in enumerate(TILTS):
        grown = np.expm1(tilt)
        for row, arm in ((0, 0), (0, 1), (1, 0), (1, 1)):
            due = min(law[row, arm] + 0.1, 1.0) if tilt > 0 else max(law[row, arm] - 0.1, 0.0)
            pulled, visits = int(step.released[row, arm]), int(step.visits[row])
            wanted = (1 + grown) ** pulled / (1 + due * grown) ** visits
            assert found[row, arm, k] == pytest.approx(wanted, rel=1e-9, abs=0)
        ends = [1 + chance * grown for chance in (0.2, 0.4)]  # what is expected without the denominator
        assert max(ends) * found[0, 0, k] / np.exp(tilt) == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize(
    ("error", "absolute_error", "slack"), [(0.0, 1e-14, 1e-12), (1e-5, 1e-7, 1e-5), (1e-9, 1e-6, 1e-6)]
)
def test_a_step_may_be_off_by_what_its_law_states(error: float, absolute_error: float, slack: float) -> None:
    class Stated(ThompsonSampling):
        def law(self, t: int, state: Any) -> Law:
            return one_arm(super().law(t, state).chance, error=error, absolute_error=absolute_error)

    steps = steps_along(Stated(3, 2), TABLE, releases_in_turn(PULLED[:, :2], 3))
    assert isinstance(steps, list)
    assert [step.slack for step in steps] == [slack] * len(steps)


# -- replayed draws ----------------------------------------------------------------------------------------------------


class Other(ThompsonSampling):
    """Pulls the next arm in one step, in every fifth run."""

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        pulls = super().act(t, state, noise)
        if t != 3:
            return pulls
        chosen = pulls.counts.argmax(axis=1)
        return Pulls.one(np.where(np.arange(len(chosen)) % 5 == 2, (chosen + 1) % 3, chosen), 3)


@dataclass(frozen=True)
class Drawing(ThompsonSampling):
    """Algorithm 1 with standard normal noise of this kind, drawn in each step."""

    draws: Any = None

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        mean, deviation = self.posterior(t, state)
        theta = mean + deviation * self.draws(t, noise, state.pulls.shape)
        return Pulls.one(theta.argmax(axis=1), self.arms)


def more(t: int, noise: Any, shape: Any) -> Any:
    noise.normal("theta", t + 100, (3,))
    return noise.normal("theta", t, (3,))


def each_by_itself(t: int, noise: Any, shape: Any) -> Any:
    return np.stack([noise.normal("theta", 3 * t + arm) for arm in range(3)], axis=1)


def own_generator(seed: int | None) -> Any:
    generator = np.random.default_rng(seed)
    return lambda t, noise, shape: generator.standard_normal(shape)


def half_its_own(t: int, noise: Any, shape: Any) -> Any:
    drawn = np.random.default_rng(t).standard_normal(shape)
    return noise.normal("theta", t, (3,)) if t < 3 else drawn


def test_a_replay_tells_the_first_pull_that_differs() -> None:
    found = replay(Other(3, 4), ThompsonSampling(3, 4), {"zeros": Table(np.zeros((3, 4)))}, trials=40, seed=6)
    assert found.verdict is Verdict.REFUTED
    assert found.summary.startswith('in the environment "zeros", run 2: pull 3 is of arm ')
    assert "; 20.0% of the runs differ somewhere. This says nothing about privacy" in found.summary
    assert found.repro.endswith("replay(policy, reference, trials=40, seed=6)")


def test_a_replay_says_what_share_of_runs_it_would_have_caught() -> None:
    """So that at least one of 40 runs in each of two environments differs with probability 0.9: 1 - 0.1^(1/80)."""
    both = {name: Table(np.full((3, 4), pays)) for name, pays in (("zeros", 0.0), ("ones", 1.0))}
    found = replay(ThompsonSampling(3, 4), ThompsonSampling(3, 4), both, trials=40)
    assert found.summary == "all pulls of 40 runs in each of 2 environments are the reference's"
    assert found.resolution == "a difference in 0.028 of the runs would be detected with probability 0.9"


@pytest.mark.parametrize(
    ("draws", "verdict", "words"),
    [
        (lambda t, noise, shape: noise.normal("theta", t, (3, 1))[..., 0], "CONSISTENT", "environments are the"),
        (more, "CONSISTENT", "environments are the reference's"),
        (lambda t, noise, shape: ndtri(noise.uniform("theta", t, (3,))), "CONSISTENT", "environments are the"),
        (lambda t, noise, shape: noise.normal("theta", t - 1, (3,)), "CONSISTENT", "compared in their order"),
        (lambda t, noise, shape: noise.normal("theta", t + 7, (3,)), "CONSISTENT", "compared in their order"),
        (each_by_itself, "CONSISTENT", "compared in their order"),
        (own_generator(None), "NOT_APPLICABLE", "hang on more than the 0 draws that the policy makes"),
        (own_generator(5), "NOT_APPLICABLE", "It leaves out 4 draws: it draws at none, the reference at site 'theta'"),
        (half_its_own, "NOT_APPLICABLE", "hang on more than the 2 draws"),
        (lambda t, noise, shape: noise.normal("other", t, (3,)), "NOT_APPLICABLE", "draws at site 'other', index 1,"),
        (lambda t, noise, shape: np.zeros(shape), "REFUTED", "the reference makes it of"),
        (lambda t, noise, shape: noise.normal("theta", 1, (3,)), "REFUTED", "the reference makes it of"),
        (lambda t, noise, shape: noise.normal("theta", t)[:, None], "REFUTED", "the reference makes it of"),
        (lambda t, noise, shape: noise.laplace("theta", t, (3,)), "REFUTED", "the reference makes it of"),
        (lambda t, noise, shape: 1.1 * noise.normal("theta", t + 7, (3,)), "REFUTED", "the reference makes it of"),
    ],
    ids=["column", "more", "quantiles", "from 0", "later", "arm by arm", "its own", "its own, seeded", "half its own",
         "other site", "none", "one for all steps", "one for all arms", "Laplace", "later and wider"],
)  # fmt: skip
def test_who_draws_otherwise_is_compared_by_order_or_not_at_all(draws: Any, verdict: str, words: str) -> None:
    """Its law may be the reference's all the same; where pulls are other functions of the same draws, they differ."""
    found = replay(Drawing(3, 4, draws=draws), ThompsonSampling(3, 4), trials=200)
    assert found.verdict == verdict
    assert words in found.summary


@pytest.mark.parametrize("kind", ["normal", "laplace", "uniform"])
@pytest.mark.parametrize("recorded", ["normal", "laplace", "uniform"])
def test_noise_of_another_kind_has_the_same_quantiles(kind: str, recorded: str) -> None:
    shares = np.array([1e-9, 0.2, 0.5, 0.7, 1 - 1e-9])
    of = {"normal": ndtri(shares), "laplace": stats.laplace.ppf(shares), "uniform": shares}
    assert by_equal_quantiles(of[recorded], recorded, kind) == pytest.approx(of[kind], rel=1e-6, abs=1e-9)


def test_pulls_after_rare_rewards_differ_where_every_run_has_rewards_of_its_own() -> None:
    """After a first reward between 0.6 and 0.62, which none of the tables holds that are the same for all runs."""

    class Rare(ThompsonSampling):
        def act(self, t: int, state: Any, noise: Any) -> Pulls:
            pulls = super().act(t, state, noise)
            told = (t == 2) & (state.total.sum(axis=1) > 0.6) & (state.total.sum(axis=1) < 0.62)
            return Pulls(np.where(told[:, None], np.roll(pulls.counts, 1, axis=1), pulls.counts))

    found = replay(Rare(2, 4), ThompsonSampling(2, 4))
    assert found.verdict is Verdict.REFUTED
    assert found.summary.startswith('in the environment "uneven rewards of its own for every run", run ')


def test_where_a_reference_drew_is_told_by_the_ends() -> None:
    recorder = Recorder(Seeded(0, 2))
    assert addresses_in_words(recorder.values) == "none"
    for site, index in (("b", 7), ("b", 2), ("a", 5), ("b", 3)):
        recorder.uniform(site, index)
    assert addresses_in_words(recorder.values) == "site 'a', index 5, site 'b', index 2 to 7"
