"""Code that owns its loop: judged by its whole runs, and told what it cannot be asked."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from threading import active_count
from time import monotonic, sleep

import numpy as np
import pytest

from dpbandits import QUICK, Seeded, Table, Verdict, check_policy, follows_law, from_loop, play
from dpbandits.audit.play.probes import probe
from dpbandits.extensions.conformance import watch
from dpbandits.extensions.conformance.battery import run_all
from dpbandits.reference.papers.ou24 import ThompsonSampling

HALF = Table(np.full((2, 5), 0.5))


def thompson(spread=1.0):
    def run(pull, rng):
        pulls, total = np.zeros(2), np.zeros(2)
        try:
            while True:
                arm = int((total / (pulls + 1) + spread * rng.normal(size=2) / np.sqrt(pulls + 1)).argmax())
                total[arm] += pull(arm)
                pulls[arm] += 1
        except Exception:  # which some code has around its loop, and which must not keep it running
            raise AssertionError("a loop is ended by something that is no Exception") from None

    return run


@pytest.mark.planted
def test_a_loop_follows_the_law_or_does_not():
    page = ThompsonSampling(2, 2)
    right, wrong = from_loop(thompson(), 2, 2), from_loop(thompson(0.1), 2, 2)
    assert probe(from_loop(thompson(), 2, 5), HALF, 0) is None
    assert follows_law(right, page, trials=200).verdict == Verdict.CONSISTENT
    assert follows_law(wrong, page, trials=200).verdict == Verdict.REFUTED


@pytest.mark.thorough
def test_what_it_draws_elsewhere_is_noticed():
    """Its own generator never repeats: either it goes another way than before, or the probe says that it did."""
    generator = np.random.default_rng(0)

    def run(pull, rng):
        while True:
            pull(int(generator.integers(2)))

    with pytest.raises(Exception, match="randomness of its own"):
        play(from_loop(run, 2, 5), HALF, Seeded(0, 50), 50)
    some = [check for check in check_policy(from_loop(run, 2, 3), ThompsonSampling(2, 3)) if "/" not in check.name]
    found = {each.name: each.finding.verdict for each in run_all(some)}
    assert found["repeats"] == Verdict.REFUTED
    assert found["page law"] == found["replay"] == Verdict.NOT_APPLICABLE
    shared = np.random.RandomState(0)

    def seeded(pull, rng):
        while True:
            pull(int(shared.randint(2)))

    assert probe(from_loop(seeded, 2, 5, seed=lambda n: shared.seed(n % 2**32)), HALF, 0) is None


@pytest.mark.parametrize(
    ("arm", "message"),
    [
        (2, "the arm is 2; it must be an integer from 0 to"),
        (-1, "the arm is -1"),
        (0.0, r"the arm is 0\.0"),
        (True, "the arm is True"),
        ("0", "'0'"),
    ],
)
def test_an_arm_that_does_not_exist(arm, message):
    with pytest.raises(ValueError, match=f"pull 1: .*{message}"):
        play(from_loop(lambda pull, rng: pull(arm), 2, 5), HALF, Seeded(0, 2), 2)


def test_a_loop_that_ends_early_is_told_so():
    with pytest.raises(ValueError, match="the loop ended after pull 1, but must call pull 5 times"):
        play(from_loop(lambda pull, rng: pull(0), 2, 5), HALF, Seeded(0, 2), 2)
    for arms, horizon in ((0, 5), (2, 0)):
        with pytest.raises(ValueError, match="from_loop"):
            from_loop(thompson(), arms, horizon)


def silent(pull, rng):
    while True:
        pass


def deaf(pull, rng):
    while True:
        with suppress(BaseException):  # as some code has it
            pull(0)


def torn(pull, rng):
    try:
        while True:
            pull(0)
    except BaseException:
        return "done"


def lazy(pull, rng):
    yield pull(0)


async def later(pull, rng):
    pull(0)


def raises(pull, rng):
    pull(0)
    raise KeyError("in the middle")


def exits(pull, rng):
    pull(1)
    raise SystemExit(0)


HOSTILE = {
    silent: (
        ValueError,
        r"step 1: the loop did not call pull for 0\.2 s; it must call pull\(arm\) at least 5 times",
    ),
    deaf: (ValueError, r"pull 1: the loop catches the exception that ends it.*let it catch Exception"),
    lazy: (
        ValueError,
        "the loop ended after pull 0, but must call pull 5 times .the horizon.; it returned a generator",
    ),
    raises: (KeyError, "in the middle"),
    exits: (ValueError, r"after pull 1 of 5 the loop tried to end the process \(SystemExit\(0\)\)"),
}


@pytest.mark.parametrize("run", HOSTILE)
def test_a_hostile_loop_is_given_up(run):
    kind, message = HOSTILE[run]
    play(from_loop(thompson(), 2, 5), HALF, Seeded(0, 3), 3)  # the thread that runs right loops stays
    before = active_count()
    with pytest.raises(kind, match=message):
        play(from_loop(run, 2, 5, patience=0.2 if run is silent else 300.0), HALF, Seeded(0, 3), 3)
    until = monotonic() + 600
    while active_count() > before + (run is deaf) and monotonic() < until:  # the deaf one sleeps
        sleep(0.01)
    assert active_count() <= before + (run is deaf)


@pytest.mark.filterwarnings("error")  # it is closed
def test_a_coroutine_is_no_loop():
    with pytest.raises(ValueError, match="generator or a coroutine"):
        play(from_loop(later, 2, 5), HALF, Seeded(0, 3), 3)


@pytest.mark.thorough
def test_a_slow_loop_is_waited_for_as_long_as_it_pulls(monkeypatch):
    """By a clock of the test's own, which goes on only when the watch has looked."""
    clock, looks = [0.0], []

    def monotonic():
        looks.append(clock[0])
        return clock[0]

    def looked():
        before = len(looks)
        while len(looks) < before + 4:  # twice for each time that it waits
            sleep(0.001)

    def slow(pull, rng):
        while True:
            looked()
            clock[0] += 0.15
            looked()
            pull(0)

    monkeypatch.setattr(watch, "monotonic", monotonic)
    monkeypatch.setattr(watch, "LIFE_POLL_SECONDS", 0.01)
    assert play(from_loop(slow, 2, 5, patience=0.2), HALF, Seeded(0, 1), 1).pulls.tolist() == [[5, 0]]
    with pytest.raises(ValueError, match="patience is 0"):
        from_loop(slow, 2, 5, patience=0)


def test_a_loop_that_catches_its_end_and_returns_is_fine():
    assert play(from_loop(torn, 2, 5), HALF, Seeded(0, 2), 2).pulls.tolist() == [[5, 0]] * 2


@pytest.mark.thorough
def test_single_rounds_are_not_applicable():
    page = ThompsonSampling(2, 3)
    checks = check_policy(from_loop(thompson(), 2, 3), page, replace(QUICK, trials=2_000))
    some = [check for check in checks if check.name in ("protocol", "repeats", "blocks", "ou24/lemma-2")]
    found = {each.name: each.finding for each in run_all(some)}
    assert found["repeats"].verdict == Verdict.CONSISTENT
    assert found["blocks"].verdict == Verdict.NOT_APPLICABLE
    assert found["ou24/lemma-2"].verdict == Verdict.NOT_APPLICABLE
    assert "The state of a loop cannot be set from outside" in found["ou24/lemma-2"].summary
