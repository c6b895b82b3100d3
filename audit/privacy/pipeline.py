"""The privacy audit of one target in five steps.

    choose    returns revealing neighbouring inputs, and a function that computes their exact profile
    by law    compares the exact privacy profile with the claim
    draw      plays trials of either side, with separate seeds, and tests whether they follow the law
    score     gives each trial a number that is large if the right side is likelier, and chooses the tests to certify
    certify   evaluates the tests on fresh trials, which played no part in any choice

Each kind of audit target implements `choose`, `draw` and `score` in its own way (`AuditTarget`). The other two steps
are the same for all targets. A step that cannot continue returns `NotTestable` with the reason, and the audit ends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from dpbandits.audit.judges.effort import QUICK, Run
from dpbandits.audit.play.probes import MAX_SINGLE_STEPS, PLAYED_SINGLY
from dpbandits.audit.play.transcripts import BothSides
from dpbandits.audit.privacy.result import BY_LAW, Judged, Result
from dpbandits.audit.privacy.search.pairs import first_candidate
from dpbandits.audit.statistics.events import CertifiedTrials, ScoredTrials, certify_tests, certify_two_scores
from dpbandits.audit.statistics.stages import NextStage, certify_in_stages
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.noise import Seeded, address
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.claims.records import Certificate
from dpbandits.reference.curves import Curve
from dpbandits.reference.curves.curve import Bounds, ExactPrivacy

Inputs = TypeVar("Inputs")  # of the trials: a pair of tables, a step, or a user's two inputs
Trials = TypeVar("Trials")  # of either side: transcripts, releases, scores or outputs
FIT = 0.2  # the share of an audit's risk that the goodness of fit spends; the certified points get the rest
FAINT_REMARK = (
    "its law has an absolute error and cannot decide delta = 0, so samples decide alone: state a relative error, as "
    "one_arm(chances, error=..., absolute_error=0) does, if small probabilities are that accurate"
)


class AuditedInstance(NamedTuple):
    """The instance of a claim on which a target is audited, the claimed curve, and the run's settings. shared: whether
    the subject is the claim's own, so that other claims can reuse the results."""

    claim: str
    label: str
    curve: Curve
    run: Run
    shared: bool = False

    def address(self, *purpose: str) -> int:
        """Returns a seed for the noise of this instance and purpose, used for nothing else."""
        return address(self.run.seed, self.claim, self.label, *purpose)


class NotTestable(NamedTuple):
    """Why an audit ends early: one of three reasons, in words. idle: nothing was tested. same: both sides release the
    same with the same probability. unfit: trials of this subject are not independent, so that no number counts."""

    idle: str = ""
    same: str = ""
    unfit: str = ""
    scored_by: str = ""


class ByLaw(NamedTuple):
    """Functions of the exact profile. exact: returns the profile; None if the law gives none. refutation: returns a
    certificate that this profile violates the claim at this delta or order; None if none can be made. pair: the
    neighbouring tables of the profile, if there are any."""

    exact: Callable[[], ExactPrivacy | None]
    refutation: Callable[[ExactPrivacy, float], Certificate | None] | None = None
    pair: Pair | None = None


def certificate_by(maker: str, *about: object, **more: object) -> Certificate | None:
    """Makes a certificate by the function `maker` of the module `certificates` with these arguments.
    None if none can be made. The module is loaded only when a claim is refuted."""
    made: Certificate | None = getattr(import_module("dpbandits.audit.privacy.certificates"), maker)(*about, **more)
    return made


class Choice(NamedTuple, Generic[Inputs]):
    """The chosen inputs. sampled: the inputs of the trials. law: how the exact profile is computed, if it is. looked:
    how the inputs were searched for. idle: the reason why trials have almost no power there. singly: whether
    trials are played one by one. judged: the inputs of a one-shot mechanism, for each method by which it
    is judged. searched: runs of the search on the sampled inputs, from which a score may be learned. certain: whether
    the inputs have different releases, and all runs on either input are the same."""

    sampled: Inputs
    law: ByLaw | None = None
    looked: str = ""
    idle: str = ""
    singly: bool = False
    judged: tuple[Judged, ...] = ()
    searched: BothSides | None = None
    certain: bool = False


class LawBounds(NamedTuple):
    """The consequences of the exact law for the claim, if the policy has a law. certificate, pair: of a refutation.
    below_resolution: whether the absolute error of the law prevents a decision."""

    exact: ExactPrivacy | None = None
    bounds: Bounds | None = None
    certificate: Callable[[], Certificate | None] | None = None
    pair: Pair | None = None
    below_resolution: bool = False


class DrawnTrials(NamedTuple, Generic[Trials]):
    """Trials of either side. wrong: why they contradict the declared law. pair: the tables that show the contradiction.
    certain: whether one run on either side is enough, because the policy is deterministic."""

    sides: Trials
    wrong: str = ""
    pair: Pair | None = None
    certain: bool = False


class Score(NamedTuple):
    """Scores of fresh trials, with the tests to certify. If there are none, idle, same or unfit gives the reason, as in
    `NotTestable`. learnt, by_law: the origin of the scores. pair: the tables that the finding displays; played: those
    on which the trials were drawn. releases: plays a number of runs on either side of given tables. scored_by: a
    description of the score, if several were possible. next_stage: plays and scores more trials, if certification
    continues in stages. also: the same trials with another score, whose tests use the part of the level that the tests
    of `scored` leave."""

    scored: ScoredTrials | None = None
    idle: str = ""
    same: str = ""
    unfit: str = ""
    learnt: bool = False
    by_law: bool = False
    pair: Pair | None = None
    played: Pair | None = None
    releases: Callable[[Pair], BothSides] | None = None
    scored_by: str = ""
    next_stage: NextStage | None = None
    also: ScoredTrials | None = None


class AuditTarget(Protocol[Inputs, Trials]):
    """A subject that can be audited. level: the share of the risk available to certified points."""

    @property
    def level(self) -> float:
        """The probability with which the audit may refute a true claim."""
        ...

    def choose(self) -> Choice[Inputs] | NotTestable:
        """Chooses the inputs on which the claim seems to be violated most."""
        ...

    def draw(self, choice: Choice[Inputs]) -> DrawnTrials[Trials] | NotTestable:
        """Draws trials on both sides, and compares them with the declared law if there is one."""
        ...

    def score(self, choice: Choice[Inputs], drawn: DrawnTrials[Trials], exactly: LawBounds) -> Score:
        """Scores the fresh trials, so that the right side has larger scores, and chooses the tests to certify.
        exactly: the exact bounds that the law implies for the claim."""
        ...


def audit_target(label: str, curve: Curve, target: AuditTarget[Inputs, Trials]) -> Result:
    """Audits one target against one claimed curve, and returns the result."""
    choice = target.choose()
    if isinstance(choice, NotTestable):
        return result_without_test(label, curve, choice)
    exactly = bounds_by_law(curve, choice.law)
    drawn = target.draw(choice)
    if isinstance(drawn, NotTestable):
        return result_without_test(label, curve, drawn)
    score = target.score(choice, drawn, exactly)
    if score.unfit:
        return result_without_test(label, curve, score)
    sampled = certified_trials(score, curve, target.level)
    pair = exactly.pair or score.pair  # what the law refutes is the first to be shown
    return Result(
        label,
        curve,
        sampled=sampled,
        bounds=exactly.bounds,
        exact=exactly.exact,
        wrong=drawn.wrong,
        idle=score.idle,
        same=score.same,
        certificate=exactly.certificate,
        learnt=score.learnt,
        by_law=score.by_law,
        looked="; ".join(
            filter(
                None,
                (
                    choice.looked,
                    stages_remark(sampled),
                    FAINT_REMARK if exactly.below_resolution else "",
                    PLAYED_SINGLY if choice.singly else "",
                ),
            )
        ),
        pair=pair,
        sampled_pair=score.played,
        releases=None if score.releases is None or pair is None else partial(score.releases, pair),
        scored_by=score.scored_by,
        judged=tuple(each for each in choice.judged if each.by != BY_LAW or exactly.bounds is not None),
    )


def certified_trials(score: Score, curve: Curve, level: float) -> CertifiedTrials | None:
    """The bounds that the scored trials certify, in one stage or in several; None if there are no scored trials."""
    if score.scored is None:
        return None
    if score.next_stage is not None:
        return certify_in_stages(score.scored, curve, level, score.next_stage)
    if score.also is None:
        return certify_tests(*score.scored, curve, level)
    return certify_two_scores(score.scored, score.also, curve, level)


def stages_remark(sampled: CertifiedTrials | None) -> str:
    """A sentence that says how many stages certification took; "" for one stage."""
    if sampled is None or len(sampled.stages) < 2:
        return ""
    more = ", then ".join(map(str, sampled.stages[1:]))
    return f"the learnt event seemed to violate the claim, so certification went on with {more} fresh trials a side"


def result_without_test(label: str, curve: Curve, why: NotTestable | Score) -> Result:
    """The result of an audit that could not test the claim, with the reason."""
    return Result(label, curve, idle=why.idle, same=why.same, unfit=why.unfit, scored_by=why.scored_by)


def bounds_by_law(curve: Curve, law: ByLaw | None) -> LawBounds:
    """Returns the bounds that an exact profile implies for the claim; empty without a profile.
    Pure privacy depends on the smallest probabilities, which a law with an absolute error does not determine. Such a
    law may refute pure privacy by larger probabilities, but cannot prove it."""
    exact = None if law is None else law.exact()
    if law is None or exact is None:
        return LawBounds()
    bounds = curve.bounds(exact)
    if bounds.at == 0 and isinstance(exact, ExactProfile) and exact.step_absolute_error:
        if not bounds.refutes:
            return LawBounds(below_resolution=True)
        bounds = bounds._replace(high=np.inf)
    if not bounds.refutes:
        return LawBounds(exact, bounds)
    certificate = None if law.refutation is None else partial(law.refutation, exact, bounds.at)
    return LawBounds(exact, bounds, certificate, law.pair)


# -- the number of trials ----------------------------------------------------------------------------------------------

MIN_TRIALS = 2_000  # of an audit
LAWS = 1_250_000  # evaluations of a law, times pairs of arms, in the quick profile: some ten seconds


def how_many_steps(policy: Policy, relation: str) -> int:
    """The number of steps of one run."""
    if context_dimension(policy):
        return policy.horizon
    first = first_candidate(policy, relation)
    assert first is not None  # every run has a first reward
    environment = first.environments()[0]
    return max(1, int(play(policy, environment, Seeded(0, 1), 1).released.shape[1]))


def affordable_trials(run: Run, steps: int) -> int:
    """The number of trials on either side of a pair, if a trial takes `steps` steps."""
    return max(MIN_TRIALS, min(run.profile.trials, run.profile.steps // steps))


def affordable_singly(run: Run, steps: int, trials: int) -> int:
    """The number of trials to play, at most `trials`, if the policy plays one run at a time, which costs much more."""
    return max(MIN_TRIALS, min(trials, MAX_SINGLE_STEPS * run.profile.trials // (QUICK.trials * steps)))


def affordable_by_law(policy: Policy, trials: int, steps: int, run: Run) -> int:
    """The number of trials that are compared with a policy's law.
    It is all `trials` for three arms or fewer, otherwise at most as many as fit into some seconds. The law of one state
    costs about one microsecond for each pair of arms."""
    if policy.arms <= 3:
        return trials
    afford = LAWS * run.profile.trials // (QUICK.trials * steps * policy.arms**2)
    return min(trials, max(100, afford))
