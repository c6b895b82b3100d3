"""What the pipeline makes of an audit target's answers: each step's part is in the result, or why it ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from dpbandits import Gaussian, Verdict, flipped
from dpbandits.audit.play.probes import PLAYED_SINGLY
from dpbandits.audit.privacy.pipeline import (
    FAINT_REMARK,
    ByLaw,
    Choice,
    DrawnTrials,
    LawBounds,
    NotTestable,
    Score,
    audit_target,
)
from dpbandits.audit.privacy.result import BY_LAW, BY_SAMPLES, Judged, Result
from dpbandits.audit.statistics.events import Event, ScoredTrials
from dpbandits.proofs_checks.exact.shifted_noise import shifted_noise_profile

WORST, PLAYED = (flipped("pull", np.zeros((2, 3)), 0, place, 1.0) for place in (0, 1))
TESTS = ScoredTrials(np.arange(100) / 100, np.arange(100) / 100, (Event(0.5, 1e-3),))
ROWS = tuple(Judged(by, (0.0,), (1.0,), False) for by in (BY_LAW, BY_SAMPLES))


def two_apart() -> Any:
    """The exact profile of two normal values that are two scales apart: mu = 2."""
    return shifted_noise_profile("normal", [2.0])


LAW = ByLaw(two_apart, lambda exact, at: {"of": exact.distance}, WORST)


CHOICE = Choice(PLAYED, LAW, looked="two pairs looked at", singly=True, judged=ROWS)
DRAWN = DrawnTrials("trials")
SCORE = Score(TESTS, learnt=True, pair=PLAYED, scored_by="a number")


@dataclass(frozen=True)
class Answers:
    """An audit target that answers so."""

    chosen: Any = CHOICE
    drawn: Any = DRAWN
    scored: Score = SCORE
    level: float = 1e-3

    def choose(self) -> Any:
        return self.chosen

    def draw(self, choice: Choice) -> Any:
        assert choice is self.chosen
        return self.drawn

    def score(self, choice: Choice, drawn: DrawnTrials, exactly: LawBounds) -> Score:
        assert (choice, drawn) == (self.chosen, self.drawn)
        return self.scored


def test_every_beat_s_part_is_in_the_result() -> None:
    found = audit_target("x", Gaussian(3.0), Answers())
    assert found.bounds is not None
    assert found.bounds.low == pytest.approx(2, rel=1e-9)
    assert found.sampled is not None
    assert (found.sampled.trials, found.sampled.level) == (100, 1e-3)
    assert (found.label, found.learnt, found.by_law, found.scored_by) == ("x", True, False, "a number")
    assert found.looked == f"two pairs looked at; {PLAYED_SINGLY}"
    assert (found.pair, found.certificate, found.judged) == (PLAYED, None, ROWS)
    assert found.verdict is Verdict.CONSISTENT


def test_what_the_law_refutes_is_shown_before_what_was_played() -> None:
    found = audit_target("x", Gaussian(1.0), Answers())
    assert found.verdict is Verdict.REFUTED
    assert found.pair is WORST
    assert found.certificate is not None
    assert found.certificate() == {"of": 2.0}


def test_where_no_law_is_asked_nothing_is_said_by_one() -> None:
    answers = Answers()
    for law in (None, ByLaw(lambda: None)):
        found = audit_target("x", Gaussian(1.0), replace(answers, chosen=answers.chosen._replace(law=law)))
        assert (found.bounds, found.exact, found.certificate, found.pair) == (None, None, None, PLAYED)
        assert [each.by for each in found.judged] == [BY_SAMPLES]
        assert FAINT_REMARK not in found.looked


@pytest.mark.parametrize(
    "why", [NotTestable(idle="nothing"), NotTestable(same="all alike"), NotTestable(unfit="shared", scored_by="it")]
)
def test_who_chooses_or_draws_nothing_stops_with_the_reason_alone(why: NotTestable) -> None:
    wanted = Result("x", Gaussian(1.0), idle=why.idle, same=why.same, unfit=why.unfit, scored_by=why.scored_by)
    assert audit_target("x", Gaussian(1.0), Answers(chosen=why)) == wanted
    assert audit_target("x", Gaussian(1.0), Answers(drawn=why)) == wanted


def test_who_has_nothing_to_certify_keeps_what_the_law_says_unless_trials_are_unfit() -> None:
    answers = Answers(drawn=DrawnTrials("trials", wrong="not its law"))
    found = audit_target("x", Gaussian(3.0), replace(answers, scored=Score(idle="all released the same")))
    assert found.bounds is not None
    assert (found.sampled, found.idle, found.wrong) == (None, "all released the same", "not its law")
    unfit = audit_target("x", Gaussian(3.0), replace(answers, scored=Score(unfit="uneven", scored_by="it")))
    assert unfit == Result("x", Gaussian(3.0), unfit="uneven", scored_by="it")
