"""The printed experiments: what they cost, and the table of how they ended."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpbandits.audit.effort import QUICK, Run
from dpbandits.audit.regret.orderings import POINTS, SHOWN, judge_ordering, spread
from dpbandits.audit.run.documents import described
from dpbandits.reference.environments import Bernoulli
from dpbandits.reference.ledger import Claim, Ordering, Source, Verdict
from dpbandits.reference.papers.hu21 import AnytimeLazyUCB
from dpbandits.reference.quantities import PSEUDO_REGRET
from dpbandits.reference.thompson import ModifiedThompsonSampling

FOLDER = Path(__file__).parents[1] / "experiments"
EASY = Bernoulli((0.9, 0.1))
SETTINGS = {
    "good": (ModifiedThompsonSampling(2, 200, variance=0.5), EASY),
    "bad": (ModifiedThompsonSampling(2, 200, variance=500.0), EASY),
    "in blocks": (AnytimeLazyUCB(2, 10**9), EASY),
}
ORDER = Claim(
    "test/order",
    Source("test", "here", "good | bad"),
    Ordering(PSEUDO_REGRET, SETTINGS, (("good", "bad"), ("bad", "in blocks"), ("bad", "good"))),
    expect=Verdict.REFUTED,
)
FEW = replace(QUICK, experiment_runs=8)


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("experiments", FOLDER / "experiments.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_cost_of_an_experiment_is_said_once_for_all_its_claims(script):
    found = script.costs([ORDER, replace(ORDER, id="test/other")], FEW)
    (cost,) = found
    assert (cost.claims, cost.settings, cost.runs, cost.steps) == (("test/order", "test/other"), 3, 40, 200)
    assert 0 < cost.seconds < 60
    assert "40 runs, 200 steps: test/order and 1 more" in script.told(found)


def test_what_a_profile_does_not_play_costs_nothing(script):
    (cost,) = script.costs([ORDER], replace(FEW, experiment_horizon=100))
    assert cost.seconds is None
    assert "not played" in script.told([cost])


def test_the_table_says_how_every_comparison_ended(script):
    finding = judge_ordering(ORDER, Run(FEW, 0, 1e-9))
    row = script.ended({**described(ORDER), "verdict": finding.verdict, "evidence": finding.evidence})
    assert (row["repetitions"], row["certified"], row["reversed"], row["undecided"]) == (40, 2, 1, 0)
    assert "| test/order | good \\| bad | printed | REFUTED | 40 | 2 | 1 | 0 |" in script.readme("quick", [row])
    assert script.ended({**described(ORDER), "verdict": "NOT_EXERCISED", "evidence": []}) is None


def test_every_experiment_of_the_ledger_is_one(script):
    ids = {claim.id for claim in script.experiments()}
    assert {"hu25/figure-7a", "ou24/appendix-d/large-eps", "tao22/figure-4/early"} <= ids
    assert len(ids) > 60


def test_the_page_is_made_of_the_results(script):
    if (FOLDER / "results.json").exists():
        results = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
        wanted = script.readme(results["profile"], results["experiments"])
        assert (FOLDER / "README.md").read_text(encoding="utf-8") == wanted


# -- the picture of an ordering --------------------------------------------------------------------------------------


def test_the_picture_shows_the_distribution_of_every_setting():
    values = {"one": np.arange(41.0) + 1, "other": np.arange(41.0) * 10 + 1}
    (picture,) = spread(PSEUDO_REGRET, values)
    assert [each["label"] for each in picture["series"]] == ["one", "other"]
    points = np.array(picture["series"][1]["points"])
    assert points.shape == (POINTS, 2)
    assert points[0].tolist() == [1, 0]
    assert points[POINTS // 2].tolist() == [201, 0.5]
    assert points[-1].tolist() == [401, 1]
    assert picture["log_x"]
    assert not spread(PSEUDO_REGRET, {"zero": np.zeros(3), "far": np.full(3, 1e6)})[0]["log_x"]
    assert spread(PSEUDO_REGRET, {str(k): np.ones(3) for k in range(SHOWN + 1)}) == ()
