"""What a run will cost: durations, timings of earlier runs, and what is not played at all."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pytest

from dpbandits import QUICK, Bernoulli
from dpbandits.audit.privacy import affordable
from dpbandits.audit.privacy.affordable import how_many_steps
from dpbandits.audit.regret import run_seconds as played
from dpbandits.audit.runner import cost
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET, REGRET, Quantity
from dpbandits.reference.claims.model import AtLeast, AtMost, Private
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.tao22.algorithms.messages import messages


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 seconds"), (89.4, "89 seconds"), (90, "2 minutes"), (5399, "90 minutes"), (5400, "1.5 hours")],
)
def test_durations_are_told_as_people_do(seconds: float, said: str) -> None:
    assert cost.spoken_seconds(seconds) == said


@pytest.mark.parametrize("text", ["", "{", "[]", '{"profiles": []}', '{"profiles": {"ci": 3}}',
                                  '{"profiles": {"ci": {"a": "x"}}}'])  # fmt: skip
def test_timings_that_are_none_are_none(text: str, tmp_path: Path) -> None:
    assert cost.measured(tmp_path) == {}
    (tmp_path / "timings.json").write_text(text)
    assert cost.measured(tmp_path) == {}
    (tmp_path / "timings.json").write_text(json.dumps({"profiles": {"ci": {"a": 3, "b": 0.5}}}))
    assert cost.measured(tmp_path) == {"ci": {"a": 3.0, "b": 0.5}}


@pytest.mark.parametrize(
    ("kind", "quantity", "bound", "trivial"),
    [
        # T = 4 and a gap of 1/2: no expected regret is below 0, or above 2.
        (AtMost, PSEUDO_REGRET, 1.99, False), (AtMost, PSEUDO_REGRET, 2.0, True), (AtMost, REGRET, 2.0, True),
        (AtLeast, PSEUDO_REGRET, 0.0, True), (AtLeast, PSEUDO_REGRET, 0.01, False), (AtLeast, REGRET, 0.0, True),
        (AtMost, Quantity("unknown", lambda *_: np.zeros(1)), 1e300, False),
        (AtMost, Quantity("unknown", lambda *_: np.zeros(1)), inf, True),
    ],
)  # fmt: skip
def test_a_bound_that_nobody_can_break_is_not_played(
    kind: type, quantity: Quantity, bound: float, trivial: bool
) -> None:
    says, arms = kind(quantity, lambda policy, environment: bound), Bernoulli((0.75, 0.25))
    assert played.trivial(says, bound, ThompsonSampling(2, 4), arms) is trivial
    seconds = played.seconds_of_bound(says, ThompsonSampling, {"arms": 2, "horizon": 4, "environment": arms}, QUICK)
    assert (seconds == played.FORMULA_SECONDS) is trivial


def test_a_run_costs_its_batches_and_its_steps() -> None:
    """One batch of up to BATCH numbers costs its steps, more in proportion; longer runs than are asked for are not
    played, and those that are long enough are played compiled."""
    one, two = (
        played.playing(ThompsonSampling(2, 300), None, 1000, 300),
        played.playing(ThompsonSampling(4, 300), None, 5000, 300),
    )
    steps, pulls = played.IN_NUMPY["normal"]
    assert one == pytest.approx((300 * steps, 300 * 1000 * 2 * pulls), rel=1e-12)
    assert two == pytest.approx((2 * 300 * steps, 300 * 5000 * 4 * pulls), rel=1e-12)
    assert played.playing(ThompsonSampling(2, 301), None, 1000, 300) == (0, 0)
    long = played.COMPILED_STEPS
    assert played.playing(ThompsonSampling(2, long), None, 1, long).steps == long * played.COMPILED["normal"].steps


def test_what_values_cost_by_steps_and_pairs() -> None:
    """Of Algorithm 4's messages, a step of a run for each round over its two arms; the pair that is worst by declared
    shifts is played beside the one that is sampled, and as many trials look for a pair."""
    subject, says = (
        messages(arms=2, horizon=80, eps=2.0, v=1.0, u=5e-4, beta=0.9),
        Private("pull", "samples", lambda p: None),
    )
    steps = how_many_steps(subject, "pull")
    assert steps == 40
    few = replace(QUICK, steps=2 * steps * 7)  # trials on either side
    fixed = affordable.AUDIT + affordable.RUNS_LOOKED_AT
    paid = 3 * 7 * steps * affordable.SAMPLED * (2 + affordable.STEP_COST_IN_ARMS)
    assert affordable.auditing(says, subject, few) == pytest.approx(fixed + paid, rel=1e-12)
