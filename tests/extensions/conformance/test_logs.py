"""Recorded runs against a law: e-values that are e-values, bugs that are seen in one run, files that are none."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from mutants import Silent
from scipy.special import logsumexp
from tournament import Tournament

from dpbandits import Log, Pulls, Seeded, Verdict, fits_law, log_of, read_log
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.statistics.along import UnevenSteps
from dpbandits.audit.statistics.e_values import groups_over_states, log_weights, log_weights_of_growing
from dpbandits.extensions.conformance import fitting_logs, logs
from dpbandits.extensions.conformance.logs import lead_along_log
from dpbandits.extensions.conformance.records import decoded_text
from dpbandits.reference.bandits.beta_thompson import ThompsonSampling as Bernoulli
from dpbandits.reference.bandits.policy import Law, one_arm
from dpbandits.reference.bandits.release_laws.explorations import epsilon_greedy
from dpbandits.reference.papers.auer02 import UCB1
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25.shared import Draws
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling
from dpbandits.reference.papers.sajed19 import DPSE


def recorded(policy, trials, seed=0, pays=lambda rng, arm: rng.random(len(arm))):
    """Runs whose rewards are drawn anew in each, as in the world."""
    rng, noise = np.random.default_rng(seed), Seeded(seed, trials)
    state, arms, rewards = policy.init(trials), [], []
    for t in range(1, policy.horizon + 1):
        counts = policy.act(t, state, noise).counts
        assert (counts.sum(axis=1) == 1).all()
        arm = counts.argmax(axis=1)
        paid = pays(rng, arm)
        state = policy.learn(t, state, Pulls(counts), counts * paid[:, None], noise)
        arms.append(arm)
        rewards.append(paid)
    return Log(np.stack(arms, axis=1), np.stack(rewards, axis=1))


def test_the_evidence_has_expectation_one():
    """By enumeration of two runs of two pulls with their exact probabilities; the second may end after the first pull
    if this was of arm 1. The allowance for numerical errors only lowers it."""
    policy, paid = ThompsonSampling(2, 2), np.array([[0.25, 1.0], [0.5, 0.0]])

    def chance(run, arms):
        second = policy.init(1)
        if len(arms) < 2:
            return 0.5
        counts = np.eye(2, dtype=np.int64)[arms[:1]]
        second = policy.learn(1, second, Pulls(counts), counts * paid[run, 0], Seeded(0, 1))
        return 0.5 * policy.law(2, second).chance[0, arms[1]]

    total = 0.0
    for one, other in itertools.product(itertools.product((0, 1), repeat=2), [(1,), (0, 0), (0, 1)]):
        log = log_of([(list(arms), paid[run, : len(arms)].tolist()) for run, arms in enumerate((one, other))])
        steps = [step for step, _ in lead_along_log(policy, log)]
        groups = groups_over_states(steps, "", -np.log(4))
        assert sum(np.exp(each.log_weight) * each.log_evidence.size for each in groups) == pytest.approx(1, rel=1e-12)
        evidence = logsumexp([logsumexp(each.log_evidence) + each.log_weight for each in groups])
        total += chance(0, one) * chance(1, other) * np.exp(evidence)
    assert 1 - 1e-6 <= total <= 1 + 1e-9


def test_the_weights_of_a_log_s_steps_do_not_hang_on_how_long_its_runs_are():
    """But on the horizon, or on how many pulls of a run are judged at most; blocks count as what may be short."""
    policy, log = ThompsonSampling(2, 50), log_of([([0, 1, 1], [0.0] * 3), ([0], [1.0])])
    for first, most in ((20_000, 50), (10, 10)):
        steps = [step for step, _ in lead_along_log(policy, log, first)]
        assert [(step.left, step.even) for step in steps] == [(most, True), (most - 1, True), (most - 2, True)]
        assert np.exp(log_weights(steps)) == pytest.approx(np.full(3, 1 / most), rel=1e-12, abs=0)
    blocks = ModifiedThompsonSampling(2, 12, prepulls=3)
    steps = [step for step, _ in lead_along_log(blocks, log_of([([0] * 3 + [1] * 3 + [0, 1], [0.5] * 8)]))]
    assert [(step.left, step.even) for step in steps] == [(12, False), (9, False), (6, True), (5, True)]


def test_a_log_of_the_page_fits_and_one_with_less_noise_does_not():
    page = ThompsonSampling(2, 100)
    quiet = ThompsonSampling(2, 100, spread=lambda n: 0.25 / (n + 1))
    assert fits_law(recorded(page, 40), page).verdict == Verdict.CONSISTENT
    finding = fits_law(recorded(quiet, 40), page)
    assert finding.verdict == Verdict.REFUTED
    assert "4000 pulls of 40 runs: an e-value of 10^" in finding.summary


@pytest.mark.thorough
def test_a_single_long_run_will_do():
    page, greedy = ThompsonSampling(2, 300), ThompsonSampling(2, 300, spread=lambda n: 1e-9 + 0.0 * n)
    assert fits_law(recorded(page, 1), page).verdict == Verdict.CONSISTENT
    finding = fits_law(recorded(greedy, 1), page)
    assert finding.verdict == Verdict.REFUTED
    assert "300 pulls of 1 run: " in finding.summary


def test_runs_may_be_of_different_length_and_blocks_may_be_cut():
    page = ModifiedThompsonSampling(2, 12, prepulls=3)
    with_blocks = [
        ([0] * 3 + [1] * 3 + [0, 1], [0.5] * 8),
        ([0] * 3 + [1] * 2, [1.0] * 5),
        ([0] * 2, [1.0] * 2),
        ([], []),
    ]
    assert fits_law(log_of(with_blocks), page).verdict == Verdict.NOT_EXERCISED
    finding = fits_law(log_of([([0, 1, 0], [0.0] * 3)]), page)
    assert finding.verdict == Verdict.REFUTED
    assert (
        "run 0, from pull 1: the log contains pulls of the arms [0, 1, 0], but the reference policy "
        "makes the pull counts [3, 0]" in finding.summary
    )
    certain = fits_law(log_of([([0] * 3, [0.0] * 3)]), page)
    assert certain.verdict == Verdict.CONSISTENT
    assert "1 decisions are those of the law" in certain.summary


@pytest.mark.thorough
def test_laws_that_need_the_past_and_laws_that_nobody_knows():
    page = DPTSUCB(2, 7, 1.0, budget=Draws(1.0))
    assert fits_law(recorded(page, 60), page).verdict == Verdict.CONSISTENT
    assert fits_law(recorded(DPTSUCB(2, 7, 1.0, budget=Draws(2.0)), 60), page).verdict == Verdict.REFUTED
    assert fits_law(log_of([([0], [1.0])]), DPSE(2, 50, 1.0)).verdict in (Verdict.NOT_APPLICABLE, Verdict.NOT_EXERCISED)
    for nobodys, why in (
        (Silent(ThompsonSampling(2, 50)), "Silent declares no law"),
        (
            Tournament(arms=2, horizon=10),
            "Tournament ends its runs with a final recommendation, which a log does not contain",
        ),
    ):
        finding = fits_law(log_of([([0], [1.0])]), nobodys)
        assert (finding.verdict, finding.summary) == (Verdict.NOT_APPLICABLE, why)


@pytest.mark.thorough
def test_a_long_horizon_of_a_bernoulli_bandit():
    """Its law is integrated within a blur from some two thousand pulls on; a bug shows as well."""
    page, told = Bernoulli(2, 5_000), []
    log = recorded(replace(page, horizon=200), 1, pays=lambda rng, arm: (rng.random(len(arm)) < 0.5).astype(float))
    finding = fits_law(log, page, heard=told.append)
    assert finding.verdict == Verdict.CONSISTENT
    assert finding.summary == "200 pulls of 1 run fit the law of ThompsonSampling, 2 arms, T = 5000"
    assert told == list(range(1, 201))
    stuck = Log(np.where(np.arange(200) < 100, log.arms, 0), np.where(np.arange(200) < 100, log.rewards, [0, 1] * 100))
    assert fits_law(stuck, page).verdict == Verdict.REFUTED
    part = fits_law(stuck, page, first=100)
    assert part.verdict == Verdict.CONSISTENT
    assert "100 pulls of 1 run (the first 100 of each, of 200 in the log) fit" in part.summary
    with pytest.raises(ValueError, match="first is 0"):
        fits_law(log, page, first=0)


def test_a_block_of_one_arm_counts_though_the_log_does_not_end_it():
    page = ModifiedThompsonSampling(2, 12, prepulls=3)
    finding = fits_law(log_of([([0] * 3 + [1] * 3 + [0, 1], [0.5] * 8), ([0] * 3 + [1] * 2, [1.0] * 5)]), page)
    assert finding.summary.startswith(
        "13 pulls of 2 runs are too few: even the releases that differ most from the law ("
    )


def test_what_is_no_log_is_refused(tmp_path):
    page = ThompsonSampling(2, 3)
    for runs, message in (
        (
            [([2], [0.0])],
            "run 0, pull 1: the arm is 2, but the policy has the arms 0 to 1; .* 2 to 2: give 3 arms .--arms 3.",
        ),
        (
            [([1, 2], [0.0, 0.0])],
            "the arms in the log are 1 to 2, but arms are counted from 0; subtract 1 from each, or give 3 arms",
        ),
        (
            [([0] * 4, [0.0] * 4)],
            "of the log has length 4, which exceeds the horizon 3; give the horizon of the policy that wrote the log",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            fits_law(log_of(runs), page)
    for arms, rewards, message in (
        ([0.5], [1], "arms is 0.5; .*integers"), ([0, -1], [1, 1], "arms is -1; .*integers"),
        ([0, 1], [1], "arms has length 2 and rewards has length 1"),
        ([0, 0], [1, np.nan], "run 0, pull 2: the reward is nan"),
        ([0], ["x"], "not an array of real numbers"), ([0], [[1]], "finite"), ([[0]], [1], "must contain integers"),
        ([[0], [0, 1]], [1, 1], "must contain integers"), ([True], [1], "arms is True"),
        ([0, True], [1, 1], "arms is True"),
        ([2**63], [1], "must contain integers"), ([10**30], [1], "must contain integers"),
        ([0], [10**400], "real numbers|finite"), ([0], [None], "real numbers|finite"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            log_of([(arms, rewards)])
    with pytest.raises(ValueError, match=r"needs too much memory \(runs: 50000, longest run: 50000\)"):
        log_of([([0] * 50_000, [0.0] * 50_000), *[([], [])] * 49_999])
    assert log_of([]).arms.shape == log_of([([], [])] * 0).rewards.shape == (0, 0)


FILES = {
    b"": "empty", b" \n\n": "empty", b"run,arm\n0,1\n": "missing columns: reward; .*or one run per line",
    b"run,arm,reward\n0,x,1\n": "line 2: '0,x,1' is not a pull", b"run,arm,reward\n0,0,1\n0,0\n": "line 3",
    b"run,arm,reward\n0,0,nan\n": "line 2", b"run,arm,reward\n0,0,1e999\n": "line 2",
    b"run,arm,reward\n0,-1,1\n": "line 2", b"run,arm,reward\n0,0.0,1\n": "line 2",
    b"run,arm,reward\n0,1_0,1\n": "line 2", b"run,arm,reward\n0,0,1_0\n": "line 2",
    b"run,arm,reward\n0,0,1\n0,\xff,1\n": "line 3: the byte 0xff is not valid UTF-8", b"\x89PNG\r\n": "the byte 0x89",
    b"run,arm,reward\n0,0," + b"1" * 200_000: "line 2", b"run,arm,reward\n\x00,\x00,\x00\n": "line 2",
    b'{"arms": [0]}\n': "line 1", b'{"arms": [0], "rewards": [1]}\n{"arms": [0], "rew': "line 2: .*is not a run",
    b'{"arms": "01", "rewards": [1, 2]}': "line 1", b'{"arms": {"0": 1}, "rewards": [1]}': "line 1",
    b"run,arm,reward\n0,0,1\n0,1,0,5\n": "line 3: '0,1,0,5' is not a pull", b"run,arm,reward\n ,0,1\n": "line 2",
    b"run,arm,reward,arm\n0,0,1,1\n": "names arm twice; column names must be different",
    b"run,round,arm,reward\n0,2,0,1\n0,1,0,1\n": "line 2: round is .2. in run 0, after 0 earlier pulls; .* Sort",
    b"run,t,arm,reward\n0,1,0,1\n1,0,0,1\n0,3,0,1\n": "line 4: t is .3. in run 0, after 1 earlier pulls; .*column t",
    b"run,pull,arm,reward\n0,0,0,1\n0,0,0,1\n": "line 3: pull is '0' in run 0, after 1 earlier pulls",
    b'{"arms": [0], "rewards": [1], "arms": [1]}\n': "line 1: .*is not a run .the key 'arms' occurs twice",
    b'{"arms": ["0"], "rewards": [1]}': "run 0: arms is '0'; it must contain integers",
    b'{"arms":' + b"[" * 100_000: "line 1", b'{"arms": [0], "rewards": [NaN]}': "run 0, pull 1: the reward is nan",
    b'[{"arms": [0], "rewards": [1]}]': "the file contains a JSON list",
}  # fmt: skip


@pytest.mark.parametrize("text", FILES, ids=range(len(FILES)))
def test_a_hostile_file_is_told_what_it_is(tmp_path, text):
    """By the file, the line, and what would be right; never by an internal error."""
    file = tmp_path / "log"
    file.write_bytes(text)
    with pytest.raises(ValueError, match=f"log.*{FILES[text]}"):
        read_log(file)
    done = CliRunner().invoke(main, ["check", "--log", str(file), "--page", "ou24"])
    assert done.exit_code == 2
    assert "internal" not in done.output


def test_runs_may_be_mixed_and_named(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("\ufeffwhen, run ,reward,arm,t\n1,b,0.5,1,1\n2,a ,1,0,0\n\n3, b,0,0,2\n", encoding="utf-8")
    log = read_log(file)
    assert log.arms.tolist() == [[1, 0], [0, -1]]
    assert log.rewards.tolist() == [[0.5, 0], [1, 0]]


def test_the_command_reads_both_formats(tmp_path):
    log = recorded(ThompsonSampling(2, 50), 4)
    lines = [
        json.dumps({"arms": a.tolist(), "rewards": r.tolist()}) for a, r in zip(log.arms, log.rewards, strict=True)
    ]
    rows = [
        f"{run},{arm},{reward!r}"
        for run in range(4)
        for arm, reward in zip(log.arms[run].tolist(), log.rewards[run].tolist(), strict=True)
    ]
    for name, text in (("log.jsonl", "\n".join(lines)), ("log.csv", "\n".join(["run,arm,reward", *rows]))):
        (tmp_path / name).write_text(text)
        again = read_log(tmp_path / name)
        assert np.array_equal(again.arms, log.arms)
        assert np.array_equal(again.rewards, log.rewards)
        done = CliRunner().invoke(main, ["check", "--log", str(tmp_path / name), "--page", "ou24"])
        assert done.exit_code == 0, done.output
        assert "log: CONSISTENT\n    200 pulls of 4 runs fit the law of ThompsonSampling" in done.output
        assert "--arms was not given. The check used 2;" in done.output
        assert "--horizon was not given. The check used 50, the longest run;" in done.output
    (tmp_path / "greedy.csv").write_text("run,arm,reward\n" + "0,0,0\n" * 200)
    done = CliRunner().invoke(main, ["check", "--log", str(tmp_path / "greedy.csv"), "--page", "ou24"])
    assert done.exit_code == 1
    assert "log: REFUTED" in done.output
    done = CliRunner().invoke(main, ["check", "--log", str(tmp_path / "none"), "--page", "ou24"])
    assert done.exit_code == 2  # no verdict
    done = CliRunner().invoke(main, ["check", "--log", str(tmp_path / "log.csv"), "--page", "ou24", "--horizon", "20"])
    assert (
        "of the log has length 50, which exceeds the horizon 20; give the horizon of the policy that wrote the log"
        in done.output
    )
    done = CliRunner().invoke(main, ["check", "--log", str(tmp_path / "log.csv"), "--page", "ou24", "--", "./x"])
    assert "--log cannot be combined" in done.output


@pytest.mark.parametrize(
    ("pulls", "arms", "horizon"), [("0,0,0", 2, 1), ("0,2,0", 3, 1), ("0,1,0 0,0,1", 2, 2), ("0,0,0 1,0,0 1,0,1", 2, 2)]
)
def test_the_command_takes_arms_and_horizon_from_the_log(tmp_path, pulls, arms, horizon):
    (tmp_path / "log.csv").write_text("\n".join(["run,arm,reward", *pulls.split()]))
    done = CliRunner().invoke(main, ["check", "--log", str(tmp_path / "log.csv"), "--page", "ou24"])
    assert f"--arms was not given. The check used {arms}; give" in done.output
    assert f"--horizon was not given. The check used {horizon}, the longest run; give" in done.output


def test_a_log_is_judged_at_once_or_not_at_all():
    """Its pulls times arms are counted: four millions of them are too many."""
    policy = ThompsonSampling(2, 5)
    log = recorded(policy, 30)
    assert fits_law(log, policy).verdict == Verdict.CONSISTENT
    with pytest.raises(
        ValueError, match="150 pulls with arms = 26667 are too many to check; at most 149 pulls are possible"
    ):
        fits_law(log, ThompsonSampling(26_667, 5))
    with pytest.raises(
        ValueError,
        match=r"with arms = 4000001 the log cannot be checked \(at most 4000000 arms\); the arms in the log are 0 to 1",
    ):
        fits_law(log, ThompsonSampling(4_000_001, 5))


def test_arms_that_are_never_pulled_are_known_from_features_and_from_names():
    """Features that are equal for all arms say nothing of how many there are."""
    log = Log(np.array([[0, 1]]), np.zeros((1, 2)))
    assert log.arm_count == 2
    counts = {log._replace(contexts=np.zeros((1, 2, arms, 3))).arm_count for arms in (1, 2)}
    assert counts == {2}
    assert log._replace(contexts=np.zeros((1, 2, 5, 3))).arm_count == 5
    assert log._replace(names=("a", "b", "c")).arm_count == 3


def test_a_block_takes_what_stands_in_the_log_from_where_the_run_is():
    """Two runs at places of their own, blocks of two pulls and of three; what exceeds a bound counts as nothing."""
    log = Log(np.array([[0, 1, 1, 0, 1, 0], [1, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 0]]),
              np.array([[1, 2, 4, 8, 16, 32], [0.5] * 6, [3, 5, 7, 11, 13, 17]]))  # fmt: skip
    counts = np.array([[[2, 0], [1, 1]], [[1, 2], [3, 0]]])
    law = Law(counts, np.full((2, 2), 0.5), None, 0.0, 0.0)
    live, done, size = np.array([0, 2]), np.array([3, 1]), np.array([2, 3])
    found, sums, way = logs.pulls_of_step(log, live, done, size, law, 4)
    assert found.tolist() == [[1, 1], [1, 2]]
    assert sums.tolist() == [[8, 16], [5, 7 + 11]]
    assert way.tolist() == [1, 0]
    bound = np.broadcast_to(np.array([[[99.0], [8.0]], [[7.0], [0.0]]]), counts.shape)
    assert logs.pulls_of_step(log, live, done, size, law._replace(bound=bound), 4)[1].tolist() == [[8, 0], [5, 7]]
    never = law._replace(chance=np.array([[0.0, 1.0], [0.0, 1.0]]))
    with pytest.raises(
        logs.Wrong,
        match=r"^run 2, from pull 2: .* of the arms \[0, 1, 1\], but .* makes the pull counts \[3, 0\]$",
    ):
        logs.pulls_of_step(log, live, done, size, never, 4)


def test_a_step_whose_outcomes_pull_differently_often_has_no_end_in_a_log():
    counts = np.array([[[2, 0], [1, 1], [0, 3]], [[0, 1], [1, 0], [0, 0]]])
    assert logs.pulls_in_step(counts, np.array([[True, True, False], [True, True, False]]), 3).tolist() == [2, 1]
    assert logs.pulls_in_step(counts, np.array([[False, False, True], [False, False, True]]), 3).tolist() == [3, 0]
    for possible in ([[True, True, True], [True, True, False]], [[True, True, False], [False, True, True]]):
        with pytest.raises(
            UnevenSteps,
            match=r"^step 3: the reference policy makes a random number of pulls in this step. The log does not",
        ):
            logs.pulls_in_step(counts, np.array(possible), 3)


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        ([[0, 2], [1, 1]], "the arms in the log are 0 to 2: give 3 arms (--arms 3), or more if some were never pulled"),
        ([[2, 4]], "the arms in the log are 2 to 4: give 5 arms (--arms 5), or more if some were never pulled"),
        (
            [[1, 3]],
            "the arms in the log are 1 to 3, but arms are counted from 0; subtract 1 from each, or give 4 arms "
            "(--arms 4) if there is an arm 0",
        ),
    ],
)
def test_how_many_arms_a_log_is_likely_to_have(arms, said):
    assert fitting_logs.arms_advice(Log(np.array(arms), np.zeros((len(arms), 2)))) == said


@dataclass(frozen=True)
class Twice:
    """One block of two pulls of either arm."""

    arms: int = 2
    horizon: int = 2

    def init(self, trials: int) -> Any:
        return np.zeros((trials, 1))

    def law(self, t: int, state: Any) -> Law:
        every = np.tile(2 * np.eye(2, dtype=np.int64), (len(state), 1, 1))
        return Law(every, np.full((len(state), 2), 0.5), None, 0.0)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        raise NotImplementedError

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return state


@dataclass(frozen=True)
class Both(Twice):
    """Blocks of one pull of both arms."""

    horizon: int = 4

    def law(self, t: int, state: Any) -> Law:
        return Law(np.ones((len(state), 1, 2), dtype=np.int64), np.ones((len(state), 1)), None, 0.0)


def test_a_block_of_several_arms_does_not_count_where_the_log_does_not_end_it() -> None:
    finding = fits_law(log_of([([0, 1, 0], [0.0] * 3), ([1, 0], [0.0] * 2)]), Both())
    assert finding.summary.startswith("4 pulls of 2 runs (1 more stand in blocks that the log does not end, or after ")


@dataclass(frozen=True)
class Rough(Twice):
    """Its law is known within 0.02, and gives arm 2 no chance."""

    arms: int = 3
    horizon: int = 50

    def law(self, t: int, state: Any) -> Law:
        return one_arm(np.tile([0.7, 0.3, 0.0], (len(state), 1)), 1, 1e-9, 0.02)


@pytest.mark.parametrize(("seldom", "verdict"), [(0.01, Verdict.CONSISTENT), (0.2, Verdict.REFUTED)])
def test_what_a_rough_law_gives_no_chance_may_come_as_seldom_as_it_is_rough(seldom: float, verdict: Verdict) -> None:
    arms = np.random.default_rng(0).choice(3, (40, 50), p=[0.7, 0.3 - seldom, seldom])
    finding = fits_law(log_of([(run.tolist(), [0.0] * 50) for run in arms]), Rough())
    assert finding.verdict == verdict
    assert ", or after a pull that the law is too rough to know" in finding.summary


def test_a_log_may_end_because_of_what_its_last_block_pulls() -> None:
    """Whoever records stops where arm 1 is pulled: as often as not, which is what the law says."""
    log = log_of([([0, 0], [1.0, 1.0]), ([1], [0.0])] * 100)
    finding = fits_law(log, Twice())
    assert finding.verdict == Verdict.CONSISTENT
    assert finding.summary.startswith("300 pulls of 200 runs fit")
    assert fits_law(log_of([([1], [0.0])] * 100), Twice()).verdict == Verdict.REFUTED
    assert fits_law(log_of([([0, 0], [0.0, 0.0])] * 100), Twice()).verdict == Verdict.REFUTED


def laws_of(reference: Any, arms: list[int], rewards: list[float]) -> list[Any]:
    """The chances of the arms before each pull of a run, taught pull by pull."""
    state, found = reference.init(1), []
    for t, (arm, paid) in enumerate(zip(arms, rewards, strict=True), start=1):
        found.append(reference.law(t, state).chance[0])
        counts = np.eye(reference.arms, dtype=np.int64)[[arm]]
        state = reference.learn(t, state, Pulls(counts), paid * counts, None)
    return found


def test_each_run_of_a_log_is_a_row_of_each_of_its_steps() -> None:
    runs = [
        ([0, 2, 1, 1], [0.5, 1.0, 0.0, 0.25]),
        ([1, 0], [1.0, 1.0]),
        ([], []),
        ([2], [0.5]),
        ([2, 2, 0], [0.25] * 3),
    ]
    reference = ThompsonSampling(3, 6)
    laws = [laws_of(reference, *run) for run in runs]
    steps = list(logs.lead_along_log(reference, log_of(runs), 5))
    assert len(steps) == 4
    for t, (step, pulls) in enumerate(steps):
        live = [k for k, (arms, _) in enumerate(runs) if len(arms) > t]
        assert (step.t, step.left, step.even, step.slack, pulls) == (t + 1, 5 - t, True, 1e-11, len(live))
        assert step.visits.tolist() == [1] * len(live)
        assert step.last.tolist() == [runs[k][0][t - 1] if t else -1 for k in live]
        assert step.released.tolist() == [[int(arm == runs[k][0][t]) for arm in range(3)] for k in live]
        assert step.law == pytest.approx(np.array([laws[k][t] for k in live]), rel=1e-9, abs=0)


def test_the_blocks_of_a_log_are_steps_and_the_last_one_may_be_cut() -> None:
    """Two pulls of either arm in advance; the second run ends after the first of arm 1."""
    runs = [([0, 0, 1, 1, 0, 1], [1.0, 0.0, 0.5, 0.5, 1.0, 0.0]), ([0, 0, 1], [0.0, 0.0, 1.0])]
    reference: Any = ModifiedThompsonSampling(2, 9, prepulls=2)
    steps = list(logs.lead_along_log(reference, log_of(runs)))
    told = [(step.t, step.left, step.even, pulls, step.last.tolist()) for step, pulls in steps]
    assert told == [(1, 9, False, 4, [-1, -1]), (2, 7, False, 3, [0, 0]), (3, 5, True, 1, [1]), (4, 4, True, 1, [0])]
    assert [step.released.tolist() for step, _ in steps] == [[[1, 0]] * 2, [[0, 1]] * 2, [[1, 0]], [[0, 1]]]
    assert [step.law.tolist() for step, _ in steps[:2]] == [[[1, 0]] * 2, [[0, 1]] * 2]
    free = reference.law(
        3, reference.learn(2, reference.init(1), Pulls(np.array([[2, 2]])), np.array([[1.0, 1.0]]), None)
    )
    assert steps[2][0].law == pytest.approx(free.chance, rel=1e-9, abs=0)


def test_a_file_is_read_whole_or_not_at_all(tmp_path):
    """At the most bytes that a log may have, and one byte beyond it."""
    file = tmp_path / "log.csv"
    file.write_text("run,arm,reward\n0,1,0.5\n0,0,1.0\n")
    size = file.stat().st_size
    assert decoded_text(file, size) == file.read_text()
    with pytest.raises(ValueError, match=rf"more than {size - 1} bytes; give fewer runs"):
        decoded_text(file, size - 1)


@dataclass(frozen=True)
class Hurried(Twice):
    """Single pulls of either arm; after a reward, and a second one, two at once."""

    horizon: int = 4

    def law(self, t: int, state: Any) -> Law:
        size = 1 + (state > 0)
        return Law(size[:, :, None] * np.eye(2, dtype=np.int64), np.full((len(state), 2), 0.5), None, 0.0)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return sums.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("weigh", [log_weights, log_weights_of_growing])
def test_the_evidence_of_a_growing_log_is_a_martingale(weigh: Any) -> None:
    """By enumeration of what a second run may do. Weights that hang on its blocks make no martingale, and are seen."""

    def evidence(*runs: Any) -> float:
        steps = [step for step, _ in lead_along_log(Hurried(), log_of(runs))]
        groups = groups_over_states(steps, "", -np.log(4), weigh)
        return float(np.exp(logsumexp([logsumexp(each.log_evidence) + each.log_weight for each in groups])))

    paid = [1.0, 0.0, 0.0]
    grown = []
    for first in itertools.product((0, 1), repeat=2):
        one = (list(first), [0.0, 0.0])
        others = [([a, b, b], paid) for a, b in itertools.product((0, 1), repeat=2)]
        grown.append(np.mean([evidence(one, other) for other in others]) / evidence(one))
    assert bool(max(grown) <= 1 + 1e-9) is (weigh is log_weights_of_growing), grown


@pytest.mark.parametrize(
    ("contexts", "said"),
    [
        ([[[0.1]], [[0.1, 0.2]]], r"run 0, pull 2: contexts is \[\[0.1, 0.2\]\]; it must contain finite features"),
        ([[[0.1]], [[float("nan")]]], r"run 0, pull 2: contexts is \[\[nan\]\]; it must contain finite features"),
        (
            [[[0.1]], [[-1e101]]],
            r"run 0, pull 2: contexts is \[\[-1e\+101\]\]; it must contain finite .* at most 1e\+100",
        ),
        ([[[0.1]], None], r"run 0, pull 2: contexts is None; it must contain finite features"),
        ([[[0.1]]], r"run 0: contexts have shape \(1, 1, 1\) for a run of length 2"),
    ],
)
def test_contexts_that_are_none_are_named_by_their_pull(contexts: list[object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        log_of([([0, 0], [1.0, 0.0], contexts)])


def test_a_log_may_break_ties_that_the_reference_leaves_open_in_any_way() -> None:
    """UCB1 pulls every arm once, in whatever order, and no arm twice before that."""
    for order in itertools.permutations(range(3)):
        finding = fits_law(log_of([([*order], [0.5] * 3)]), UCB1(3, 6))
        assert finding.verdict is Verdict.CONSISTENT
        assert "3 decisions" in finding.summary
        assert "in 2 of them several arms tie" in finding.summary
    wrong = fits_law(log_of([([2, 2, 1], [0.5] * 3)]), UCB1(3, 6))
    assert wrong.verdict is Verdict.REFUTED
    assert "pulls arm 2 (score 0.5), but the reference pulls arm 0 or 1" in wrong.summary


@dataclass(frozen=True)
class Tied(Twice):
    """Epsilon-greedy among three arms: the first two always tie, and either of them may be taken for the best."""

    arms: int = 3
    horizon: int = 1

    def law(self, t: int, state: Any) -> Law:
        return epsilon_greedy(np.tile([1.0, 1.0, 0.0], (len(state), 1)), 0.3, ties="any")


@pytest.mark.parametrize("often", [(0, 90, 10), (90, 0, 10), (45, 45, 10), (0, 50, 50), (50, 0, 50)])
def test_of_arms_that_tie_the_log_is_told_by_their_sum_alone(often: tuple[int, ...]) -> None:
    """The law gives arm 2 a tenth, and the rest to the other two together."""
    finding = fits_law(log_of([([arm], [0.0]) for arm, many in enumerate(often) for _ in range(2 * many)]), Tied())
    assert finding.verdict is (Verdict.CONSISTENT if often[2] == 10 else Verdict.REFUTED)
