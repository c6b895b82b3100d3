"""The printed experiments: which they are, the table of how they ended, and the picture of an ordering."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpbandits.audit.effort import QUICK, Run
from dpbandits.audit.regret.orderings import POINTS, SHOWN, judge_ordering, spread
from dpbandits.audit.run.documents import described
from dpbandits.reference.environments import Bernoulli
from dpbandits.reference.ledger import Claim, Ordering, Source, Verdict
from dpbandits.reference.quantities import PSEUDO_REGRET
from dpbandits.reference.thompson import ModifiedThompsonSampling

FOLDER = Path(__file__).parents[1] / "experiments"
EASY = Bernoulli((0.9, 0.1))
SETTINGS = {
    "good": (ModifiedThompsonSampling(2, 200, variance=0.5), EASY),
    "bad": (ModifiedThompsonSampling(2, 200, variance=500.0), EASY),
}
ORDER = Claim(
    "test/order",
    Source("test", "here", "good | bad"),
    Ordering(PSEUDO_REGRET, SETTINGS, (("good", "bad"), ("bad", "good"))),
    expect=Verdict.REFUTED,
)
FEW = replace(QUICK, experiment_runs=8)


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("experiments", FOLDER / "experiments.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_says_how_every_comparison_ended(script):
    finding = judge_ordering(ORDER, Run(FEW, 0, 1e-9))
    row = script.ended({**described(ORDER), "verdict": finding.verdict, "evidence": finding.evidence})
    assert (row["repetitions"], row["certified"], row["reversed"], row["undecided"]) == (40, 1, 1, 0)
    assert "| test/order | good \\| bad | printed | REFUTED | 40 | 1 | 1 | 0 |" in script.readme("quick", [row])
    assert script.ended({**described(ORDER), "verdict": "NOT_EXERCISED", "evidence": []}) is None


def test_every_experiment_of_the_ledger_is_one(script):
    ids = {claim.id for claim in script.experiments()}
    assert {"hu25/figure-7a", "ou24/appendix-d/large-eps", "tao22/figure-4/early"} <= ids
    assert len(ids) > 60


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
