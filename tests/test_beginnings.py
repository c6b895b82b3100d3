"""The beginnings of transcripts that tell two inputs apart, against a twin that counts them one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pytest
from leaks import DoublingUCB

from dpbandits import QUICK, Gaussian, Pair, Verdict, audit_policy
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.transcripts import NO_ARM, SEVERAL_ARMS, Transcripts, transcripts_of_arms
from dpbandits.audit.privacy.evidence import (
    MAX_ROWS,
    MIN_SCORE,
    distinguishing_beginnings,
    refuting_event,
    transcript_text,
)
from dpbandits.audit.privacy.lawful_runs import LawfulRuns
from dpbandits.audit.privacy.pipeline import AuditedInstance, Choice, audit_target
from dpbandits.audit.privacy.search.pairs import candidates
from dpbandits.papers.ou24 import ThompsonSampling
from dpbandits.reference.claims.model import Private
from dpbandits.reference.claims.text import BEGINNINGS_TITLE


def side(seed: int, chances: tuple[float, ...], trials: int = 3_000, steps: int = 5) -> Transcripts:
    """Steps that pull one of three arms, as the steps before never know."""
    return transcripts_of_arms(np.random.default_rng(seed).choice(3, size=(trials, steps), p=chances), 3)


def counted(left: Transcripts, right: Transcripts) -> tuple[float, int, dict[str, tuple[float, float]]]:
    """The twin: the best score, its length, and the frequencies of every beginning of that length."""
    best, length = MIN_SCORE, 0
    for t in range(1, left.arms.shape[1] + 1):
        counts = [Counter(map(tuple, each.arms[:, :t].tolist())) for each in (left, right)]
        for begun in counts[0] | counts[1]:
            l, r = (each[begun] for each in counts)  # noqa: E741
            if (l - r) ** 2 / (l + r) > best:
                best, length = (l - r) ** 2 / (l + r), t
    shares = {
        begun: (counts[0][begun] / left.trials, counts[1][begun] / right.trials)
        for counts in [[Counter(map(tuple, each.arms[:, :length].tolist())) for each in (left, right)]]
        for begun in counts[0] | counts[1]
    }
    return best, length, {", ".join(spelt(begun)): both for begun, both in shares.items()}


def spelt(begun):
    """More than three equal arms in a row are counted."""
    for arm, run in groupby(begun):
        many = len(list(run))
        yield f"{arm} in {many} steps" if many > 3 else ", ".join([str(arm)] * many)


@pytest.mark.parametrize(
    ("one", "other"),
    [((0.5, 0.3, 0.2), (0.4, 0.4, 0.2)), ((0.2, 0.2, 0.6), (0.3, 0.2, 0.5)), ((0.98, 0.01, 0.01), (0.9, 0.05, 0.05))],
)
def test_the_beginnings_are_those_that_a_count_finds(one, other):
    left, right = side(1, one), side(2, other)
    best, length, shares = counted(left, right)
    found = distinguishing_beginnings(left, right)
    assert (found is not None) is (length > 0)
    assert found is not None
    assert (found.length, found.runs) == (length, left.trials)
    assert 1 <= len(found.every) <= MAX_ROWS
    scores = []
    for each in found.every:
        assert (each.left, each.right) == pytest.approx(shares[each.released], rel=1e-5)  # six digits
        scores.append(left.trials * (each.left - each.right) ** 2 / (each.left + each.right))
    assert scores[0] == pytest.approx(best, rel=1e-4)
    assert scores == sorted(scores, reverse=True)


def test_what_chance_alone_makes_stands_out_from_nothing():
    assert distinguishing_beginnings(side(1, (0.5, 0.3, 0.2)), side(2, (0.5, 0.3, 0.2))) is None


def test_every_kind_of_step_is_spelt():
    seen = Transcripts(
        np.array([[0, 1, 1, 1, 1, SEVERAL_ARMS, 2, NO_ARM]], dtype=np.int16),
        np.array([[3, 1, 1, 1, 1, 3, -1, 0]], dtype=np.int32),
        np.array([[[3, 0, 0], *[[0, 1, 0]] * 4, [1, 0, 2], [0, 0, -1], [0, 0, 0]]], dtype=np.int32),
    )
    assert transcript_text(seen, 0, 8) == "0 (3 times), 1 in 4 steps, pulls [1, 0, 2], the answer 2, nothing"


@pytest.mark.thorough
def test_a_leak_is_found_with_what_it_releases_and_a_private_policy_has_no_such_table():
    """The first reward of each arm goes without noise: a few transcripts come on one side alone."""
    for noised, verdict in ((False, Verdict.REFUTED), (True, Verdict.PROVED)):
        finding = audit_policy(DoublingUCB(2, 6, eps=1.0, noised_first=noised), eps=1.0, trials=4_000)
        assert finding.verdict is verdict
        tables = [item for item in finding.evidence if str(item.get("title")).startswith(BEGINNINGS_TITLE)]
        assert len(tables) == (verdict is Verdict.REFUTED)
        for _, left, right in (row for table in tables for row in table["rows"]):
            assert left != right


@dataclass(frozen=True)
class OnGivenPairs(LawfulRuns):
    """Asks the law about one pair of tables, and plays on another."""

    pairs: tuple[Pair, Pair]

    def choose(self) -> Choice[Pair]:
        by_law, sampled = self.pairs
        return Choice(sampled, self.law_at(by_law))


def test_chances_are_those_of_the_inputs_that_are_shown():
    """The pair that the law finds worst is shown; samples that were drawn from another one are no event of it."""
    policy, mu = ThompsonSampling(2, 3), 0.1
    first, second, *_ = candidates(policy, "pull")

    def audited(worst: Pair, sampled: Pair):
        instance = AuditedInstance("own/it", "it", Gaussian(mu), Run(QUICK, 0, 1e-9))
        says = Private("pull", "arms", lambda _: instance.curve)
        return audit_target("it", instance.curve, OnGivenPairs(policy, says, instance, (worst, sampled)))

    apart = audited(first, second)
    assert apart.verdict is Verdict.REFUTED
    assert apart.pair is first
    assert apart.sampled_pair is second
    assert apart.sampled is not None
    assert float(apart.sampled.excess.amount) > 0
    assert refuting_event(apart) is None
    one = audited(first, first)
    assert refuting_event(one) is not None
    tables = [distinguishing_beginnings(*each.releases()) for each in (apart, one) if each.releases]
    rows = [{row.released: (row.left, row.right) for row in table.every} for table in tables if table]
    assert len(rows) == 2
    assert rows[0].keys() & rows[1].keys()
    for released in rows[0].keys() & rows[1].keys():
        assert rows[0][released] == pytest.approx(rows[1][released], abs=0.03)
