"""The privacy audit of anything: five beats, which every exhibit answers in its own way, and one result.

    choose    neighbours that tell much, or the only ones that there are
    exact     their privacy profile, where a law gives one
    draw      trials of either side, from addresses of their own; and whether they behave as the law says
    score     a number a trial, large where the right side is likelier, and the tests of it that are worth certifying
    certify   fresh trials, in which nothing was chosen

An exhibit says what it can do by what it answers. A beat that has nothing to hand on says why: then the audit stops.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from dpbandits.audit.effort import Run
from dpbandits.audit.privacy.inputs import BY_LAW, Judged
from dpbandits.audit.privacy.result import Certificate, Result
from dpbandits.audit.tradeoff.events import Scored, certify
from dpbandits.proofs_checks.exact.profile import ExactProfile
from dpbandits.reference.curves import Curve
from dpbandits.reference.curves.curve import Bounds, Exact
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import address

SIDES = ("left", "right")
FAINT = (
    "its law is blurred, which says nothing at delta = 0, so that samples decide alone: state a relative error, as "
    "one_arm(chances, error=..., blur=0) does, if small chances are right to so many digits"
)


class Instance(NamedTuple):
    """What is asked of an exhibit: one instance of a claim, the curve that it promises, and the run's settings."""

    claim: str
    label: str
    curve: Curve
    run: Run

    def address(self, *purpose: str) -> int:
        """Of noise that is drawn for this instance and purpose, and for nothing else."""
        return address(self.run.seed, self.claim, self.label, *purpose)


class Stop(NamedTuple):
    """Why an audit goes no further, in one of three ways. idle: nothing was tested. same: nothing that is released can
    tell anything. unfit: trials cannot judge this subject, so that whatever was found before says nothing either."""

    idle: str = ""
    same: str = ""
    unfit: str = ""
    scored_by: str = ""  # the score by which it was seen


class Choice(NamedTuple):
    """What is looked at. sampled: where trials are drawn. exactly: where the law is asked, if it is. looked: how these
    were searched for. idle: why trials can hardly tell anything there. singly: whether trials are played one by one.
    profile: the exact one there, where the search has made it. judged: what a one-shot mechanism is given, in each way
    that it is judged."""

    sampled: Any
    exactly: Any = None
    looked: str = ""
    idle: str = ""
    singly: str = ""
    profile: Exact | None = None
    judged: tuple[Judged, ...] = ()


class Exactly(NamedTuple):
    """What the law says about the claim, where it was asked. faint: whether it says nothing, being blurred."""

    exact: Exact | None = None
    bounds: Bounds | None = None
    faint: bool = False


class Drawn(NamedTuple):
    """Trials of either side. wrong: why they contradict the declared law. pair: the tables that show what is wrong."""

    sides: Any
    wrong: str = ""
    pair: Pair | None = None


class Score(NamedTuple):
    """Scores of fresh trials, and the tests that are to be certified. learnt, by_law: who made them. same: why they
    can tell nothing. pair: the tables that were played. scored_by: the score, where there were several."""

    scored: Scored
    learnt: bool = False
    by_law: bool = False
    same: str = ""
    pair: Pair | None = None
    scored_by: str = ""


class Exhibit(Protocol):
    """What can be audited. level: the share of the risk that certified points may spend."""

    @property
    def level(self) -> float: ...

    def choose(self) -> Choice | Stop: ...

    def exact(self, choice: Choice) -> Exact | None:
        """The exact profile there; None where no law gives one."""
        ...

    def refutation(self, choice: Choice, exact: Exact | None, at: float) -> Certificate | None:
        """A certificate that this profile breaks the claim at this place; None where none can be made."""
        ...

    def draw(self, choice: Choice) -> Drawn | Stop: ...

    def score(self, choice: Choice, drawn: Drawn, exactly: Exactly) -> Score | Stop: ...


def audit(label: str, curve: Curve, exhibit: Exhibit) -> Result:
    """One exhibit against one claimed curve."""
    choice = exhibit.choose()
    if isinstance(choice, Stop):
        return stopped(label, curve, choice)
    exactly = judge_by_law(curve, exhibit.exact(choice))
    drawn = exhibit.draw(choice)
    if isinstance(drawn, Stop):
        return stopped(label, curve, drawn)
    score = exhibit.score(choice, drawn, exactly)
    if isinstance(score, Stop) and score.unfit:
        return stopped(label, curve, score)
    bounds = exactly.bounds
    refuted = bounds is not None and bounds.refutes
    return Result(
        label,
        curve,
        None if isinstance(score, Stop) else certify(*score.scored, curve, exhibit.level),
        bounds,
        exactly.exact,
        wrong=drawn.wrong,
        idle=score.idle if isinstance(score, Stop) else choice.idle * (not score.same),
        same=score.same,
        certificate=partial(exhibit.refutation, choice, exactly.exact, bounds.at) if bounds and refuted else None,
        learnt=isinstance(score, Score) and score.learnt,
        by_law=isinstance(score, Score) and score.by_law,
        scored_by=score.scored_by,
        looked="; ".join(filter(None, (choice.looked, FAINT * exactly.faint, choice.singly))),
        pair=choice.exactly if refuted and isinstance(choice.exactly, Pair) else getattr(score, "pair", None),
        judged=tuple(each for each in choice.judged if each.by != BY_LAW or bounds is not None),
    )


def stopped(label: str, curve: Curve, why: Stop) -> Result:
    return Result(label, curve, idle=why.idle, same=why.same, unfit=why.unfit, scored_by=why.scored_by)


def judge_by_law(curve: Curve, exact: Exact | None) -> Exactly:
    """What an exact profile says about the claim. Pure privacy hangs on the smallest chances, and below its blur a law
    knows none: so a blurred law may well refute it, by larger ones, and says no more."""
    if exact is None:
        return Exactly()
    bounds = curve.bounds(exact)
    if bounds.at == 0 and isinstance(exact, ExactProfile) and exact.faint:
        if not bounds.refutes:
            return Exactly(faint=True)
        bounds = bounds._replace(high=np.inf)
    return Exactly(exact, bounds)
