"""Certification in stages: an audit goes on with fresh trials while the learnt event seems to violate the claim.

Stage k has n_k fresh trials on either side and may spend the share w_k of the level; both are fixed before any trial
is drawn, and the shares sum to 1. A stage is planned on all earlier trials (of the search, of learning, of earlier
stages): they choose its score, its tests and how its level is split among them. After a stage that does not refute the
claim, the next one is played if the errors that were just counted for the stage's main test lie at least GO_ON standard
deviations beyond the claimed curve. After the last stage, everything that any stage certified is reported.

This is valid, at the level as a whole, for four reasons.

1. Given all earlier trials, the tests of stage k are fixed, and its own trials are independent of the earlier ones:
   their noise has addresses that no other draw has. So the joint regions of its tests (`region`) miss the true errors
   with conditional probability at most w_k times the level, whatever was seen before, hence also unconditionally.
2. Whether stage k is played at all depends on earlier stages. That can only make the event "stage k is played, and one
   of its regions misses" less probable. So no assumption about the rule for going on is needed, and none about GO_ON.
3. By the union bound all regions of all stages hold together with probability at least 1 - level. Where they hold and
   the claim is true, none of them contradicts it: the claim is refuted with probability at most the level. For the same
   reason the largest certified number may be reported, whichever stage it is from.
4. Trials that were certified on in stage k teach stage k + 1, and are counted in no other stage. Nothing is pooled.

What going on buys is power: a violation that is small for the first stage's trials is seen by eight times as many. Its
price is that the first stage has half of the level, which takes about 3 % more trials at 1e-9. A mechanism that attains
its claim exactly goes on in less than one audit of a hundred, for its main test's errors must be GO_ON deviations off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dpbandits.audit.statistics.events import CertifiedTrials, ScoredTrials, certify_tests
from dpbandits.reference.curves import Curve, derived


class Stage(NamedTuple):
    """share: of the level. factor: of the first stage's fresh trials."""

    share: float
    factor: int


STAGES = (Stage(0.5, 1), Stage(0.25, 2), Stage(0.25, 6))
GO_ON = 2.5  # standard deviations
SLOPE_STEP = 1e-6  # of alpha, over which the claimed curve's slope is measured

# The scored trials of stage `number`, planned on all earlier trials, with tests that may spend this level.
NextStage = Callable[[int, float], ScoredTrials]


def certify_in_stages(
    first: ScoredTrials, curve: Curve, level: float, next_stage: NextStage, go_on: float = GO_ON
) -> CertifiedTrials:
    """Certifies bounds in stages, until one certifies a violation or shows no sign of one; returns trials and bounds.
    first: the scored trials of stage 0, whose tests use STAGES[0].share of the level. next_stage: plays and scores a
    later stage; it is called only if the audit goes on. go_on: the number of standard deviations beyond the claim from
    which it does; the level holds for any value."""
    found = [certify_tests(*first, curve, level * STAGES[0].share)]
    for number, stage in enumerate(STAGES[1:], 1):
        if found[-1].excess.amount > 0 or deviations_beyond(curve, found[-1]) < go_on:
            break
        own = level * stage.share
        found.append(certify_tests(*next_stage(number, own), curve, own))
    best = max(found, key=lambda each: each.excess.amount)
    return best._replace(
        points=tuple(point for each in found for point in each.points),
        resolutions=found[0].resolutions,  # whatever comes later, the first stage alone would have seen so much
        level=level,
        stages=tuple(each.trials for each in found),
    )


def deviations_beyond(curve: Curve, certified: CertifiedTrials) -> float:
    """Returns how many standard deviations the errors of the main test lie beyond the claimed curve.
    The main test is the first one. Negative if its counted errors lie within the claimed trade-off curve. Either
    variance is estimated with one more error and one more success than counted."""
    point, n = certified.points[0], certified.trials
    alpha, beta = ((error * n + 1) / (n + 2) for error in (point.alpha, point.beta))
    here = np.array([point.alpha, max(0.0, alpha - SLOPE_STEP), min(1.0, alpha + SLOPE_STEP)])
    promised, low, high = (float(each) for each in derived.beta_at(curve, here))
    slope = (high - low) / float(here[2] - here[1])
    deviation = np.sqrt((slope**2 * alpha * (1 - alpha) + beta * (1 - beta)) / n)
    return float((promised - point.beta) / deviation)
