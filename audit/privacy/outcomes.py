"""What a privacy audit found about one subject: numbers first, words and pictures made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from dpbandits.audit.play.transcripts import Transcripts
from dpbandits.audit.privacy.inputs import BY_SAMPLES, Judged, event
from dpbandits.audit.tradeoff.curve import corner
from dpbandits.audit.tradeoff.events import Sampled
from dpbandits.audit.tradeoff.resolution import POWER, Resolution
from dpbandits.reference import elementary as el
from dpbandits.reference.curves import Curve
from dpbandits.reference.curves.curve import Bounds, Exact
from dpbandits.reference.curves.drawn import places
from dpbandits.reference.curves.errors import delta_lower
from dpbandits.reference.curves.shapes import DRAWN, Errors
from dpbandits.reference.ledger import Verdict
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array

FAINT = (
    "its law is blurred, which says nothing at delta = 0, so that samples decide alone: state a relative error, as "
    "one_arm(chances, error=..., blur=0) does, if small chances are right to so many digits"
)

NOTHING = 1e-9  # an exact delta(0) below this is none: the engine's own rounding is near 1e-11
NEAR = 0.9  # of what is claimed
CLOSE = (
    "what is certified comes near to the claim: so does a mechanism that attains it, and one that breaks it by little; "
    "more trials tell them apart (the ci profile, or `trials=`), or an exact law"
)


def known(curve: Curve, exact: Any) -> Bounds | None:
    """What the exact engine knows of what is claimed; None for nothing. Pure privacy hangs on the smallest chances, and
    below its blur a law knows none: so a blurred law may well refute it, by larger ones, and says no more."""
    found = curve.bounds(exact)
    if found.at != 0 or exact.faint == 0:
        return found
    return found._replace(high=np.inf) if found.refutes else None


class Outcome(NamedTuple):
    """One subject's audit. Absent parts are None; `wrong` is the reason for a refutation that is no privacy
    violation (behaviour that does not follow its law)."""

    label: str
    curve: Curve | None
    sampled: Sampled | None = None
    bounds: Bounds | None = None
    exact: Exact | None = None
    wrong: str = ""
    idle: str = ""  # why nothing was tested; empty where something was
    same: str = ""  # why nothing that is released can tell anything; empty where something may
    certificate: Callable[[], Mapping[str, Any] | None] | None = None  # makes one; costs time
    learnt: bool = False  # whether the score was learnt from search trials, for want of a law
    by_law: bool = False  # whether the score is what the subject's own law says, right or wrong
    looked: str = ""  # how the pair was searched for, and what is to be known about the trials
    unfit: str = ""  # why this subject cannot be judged by trials; empty where it can
    unsaid: str = ""  # why samples decide alone about a subject that has a law; empty where they do not
    pair: Pair | None = None  # whose sides are told apart; None for no tables of rewards
    sampled_pair: Pair | None = None  # whose sides the samples are of, which may be another one than the law's worst
    releases: Callable[[], tuple[Transcripts, Transcripts]] | None = None  # what comes out on either side of `pair`
    judged: tuple[Judged, ...] = ()  # what a one-shot mechanism was given, in each way that it was judged

    @property
    def named(self) -> str:
        """The instance, and what it was given by whom judged it first, where that is not its own."""
        first = next(iter(self.judged), None)
        return f"{self.label}, judged at {first.place}" if first is not None and first.moved else self.label

    @property
    def elsewhere(self) -> str:
        """What the samples were drawn from, where that is not what `named` says; "" where it is."""
        places = {each.by: each.place for each in self.judged}
        return places[BY_SAMPLES] if len(set(places.values())) > 1 else ""

    @property
    def told(self) -> bool:
        """Whether the law tells the sides apart, at delta 0 however improbable it is what does."""
        return self.bounds is not None and self.bounds.low > NOTHING

    @property
    def verdict(self) -> Verdict:
        if self.curve is None or self.unfit:
            return Verdict.NOT_APPLICABLE
        seen = self.sampled is not None and float(self.sampled.excess.amount) > 0
        if self.wrong or seen or (self.bounds is not None and self.bounds.refutes):
            return Verdict.REFUTED
        if self.same:
            return Verdict.CONSISTENT
        if self.idle and not self.told:
            return Verdict.NOT_EXERCISED
        could = self.sampled is not None and np.isfinite(self.sampled.resolution.value)
        known = self.bounds is not None and (self.bounds.low > 0 or self.bounds.high < np.inf)
        return Verdict.CONSISTENT if could or known else Verdict.NOT_EXERCISED

    @property
    def pressure(self) -> float:
        """How near the certified numbers come to the claim, or by how far they pass it: shown/claimed."""
        said = [0.0]
        if self.bounds is not None:
            said.append(self.bounds.low / max(self.bounds.claimed, 1e-9))
        if self.sampled is not None:
            shown, amount = float(self.sampled.excess.shown), float(self.sampled.excess.amount)
            said.append(min(1e9, shown / max(shown - amount, 1e-9)))
        return max(said)


# -- words -------------------------------------------------------------------------------------------------------


def number(curve: Curve, value: float, at: float) -> str:
    return f"{curve.unit} {value:.4g}{curve.where(at)}"


def said_of(outcome: Outcome) -> str:
    """One sentence about one subject."""
    if outcome.curve is None:
        return f"{outcome.named}: a precondition is false."
    parts = [outcome.wrong] if outcome.wrong else []
    claimed = outcome.curve.name
    if outcome.bounds is not None:
        low, high, promised, at = outcome.bounds
        against = f" where {promised:.4g} is promised" if outcome.bounds.refutes else ""
        ends = f"{low:.6g}", f"{high:.6g}"
        between = f"between {ends[0]} and {ends[1]}" if ends[0] != ends[1] else ends[0]
        parts.append(f"{outcome.curve.unit}{outcome.curve.where(at)} is {between} by its law{against}")
    if outcome.sampled is not None:
        amount, shown, at = (float(value) for value in outcome.sampled.excess)
        against = f", more than the promised {shown - amount:.4g}" if amount > 0 else ""
        where = f", drawn at {outcome.elsewhere}," if outcome.elsewhere else ""
        asked = ", where its own law alone was asked what to look for" if outcome.by_law and shown <= 0 else ""
        parts.append(f"samples{where} certify {number(outcome.curve, shown, at)}{asked}{against}")
    parts += [said for said in (outcome.same, outcome.idle, outcome.unfit, outcome.unsaid) if said]
    return f"{outcome.named}: {claimed} claimed; {'; '.join(parts)}."


def resolved(outcome: Outcome) -> str:
    """The resolution of one subject's audit in words; empty where no samples were drawn."""
    if outcome.sampled is None or outcome.curve is None:
        return ""
    confidence = f"{outcome.sampled.trials} fresh trials a side, risk {outcome.sampled.level:.2g}"
    claimed = outcome.curve.name
    caught = caught_in(outcome)
    if not caught:
        return f"{outcome.label}: no violation of {claimed} could have been certified from samples ({confidence})"
    looked = f"; {outcome.looked}" if outcome.looked else ""
    own = "; the score here is learnt, which promises less: such a violation may well pass" if outcome.learnt else ""
    those = ", or ".join(violating(outcome.curve, each) for each in caught)
    close = f"; {CLOSE}" if near(outcome) else ""
    return (
        f"{outcome.label}: by its likelihood ratio {those} is caught with probability {POWER} where "
        f"{claimed} is claimed ({confidence}){own}; another shape may take more{looked}{close}"
    )


def near(outcome: Outcome) -> bool:
    """Whether samples alone decided, and what they certify comes near to the claim without passing it."""
    if outcome.sampled is None or outcome.bounds is not None or outcome.verdict is not Verdict.CONSISTENT:
        return False
    amount, shown, _ = (float(value) for value in outcome.sampled.excess)
    return shown > 0 and shown >= NEAR * (shown - amount)


def caught_in(outcome: Outcome) -> list[Resolution]:
    """The mechanisms of which a violation would have been seen; none where no samples were drawn."""
    return [each for each in outcome.sampled.resolutions if np.isfinite(each.value)] if outcome.sampled else []


def violating(curve: Curve, resolution: Resolution) -> str:
    """The mechanism that a resolution is about."""
    value, at, mechanism = resolution
    kind = "" if "response" in mechanism else "mechanism "
    return f"a {mechanism} {kind}that is exactly {curve.called(value, at)}"


# -- pictures ----------------------------------------------------------------------------------------------------

# Type I errors that draw a trade-off curve, on linear axes and on logarithmic ones: even in normal deviates, so that
# they lie as close where beta falls steeply as where alpha is small.
EPSILONS = 81  # at which a profile is looked at first: where it bends in between, more follow
ALPHAS = np.concatenate([[0.0], ndtr(np.linspace(-8.0, 8.0, 161)), [1.0]])


def figure(outcome: Outcome) -> dict[str, Any]:
    """The claimed curve, the exact curves where there are any, and the certified points, as one evidence item."""
    assert outcome.curve is not None
    if outcome.curve.picture == "tradeoff":
        points = nearest(outcome)
        # 0.05 and the certified points, since words name the claimed value there: no chord stands for it.
        alphas = np.unique([*ALPHAS, 0.05, *(point["alpha_upper"] for point in points)])
        for log in (False, True):  # which axes it is drawn on is the report's to say
            alphas = places(outcome.curve.beta_at, alphas, log_x=log, log_y=log)
        low, high = tradeoffs(outcome.exact)
        return {
            "kind": "tradeoff",
            "title": f"{outcome.named}: {outcome.curve.name} claimed",
            "claimed": pairs(alphas, outcome.curve.beta_at(alphas)),
            "exact_low": low,
            "exact_high": high,
            "resolved": seen_tradeoff(outcome, alphas),
            "points": points,
        }
    epsilons = np.linspace(0.0, reach(outcome), EPSILONS)
    below: list[list[float]] = []
    above: list[list[float]] = []
    if outcome.exact is not None:
        bends = places(outcome.exact.delta, epsilons, log_y=True)
        below, above = (pairs(bends, values) for values in outcome.exact.delta(bends))
    claimed = outcome.curve.profile(places(outcome.curve.delta_at, epsilons, log_y=True))
    return {
        "kind": "profile",
        "title": f"{outcome.named}: {outcome.curve.name} claimed",
        "claimed": pairs(*claimed),
        "exact_low": below,
        "exact_high": above,
        "resolved": seen_profile(outcome, np.union1d(epsilons, claimed[0])),
        "points": [
            {"eps": float(eps), "delta_lower": float(certified)}
            for eps in epsilons[::4]
            if (certified := best_delta(outcome, eps)) > 0
        ],
    }


def nearest(outcome: Outcome) -> list[dict[str, float]]:
    """The certified points from left to right: what was measured, and the errors of the region that come nearest to
    the claim, as `alpha_upper` and `beta_upper`."""
    if outcome.sampled is None or outcome.curve is None:
        return []
    found = []
    for point in sorted(outcome.sampled.points, key=lambda point: point.alpha):
        alpha, beta = corner(outcome.curve, point.region)
        found.append({"alpha": point.alpha, "beta": point.beta, "alpha_upper": alpha, "beta_upper": beta})
    return found


def seen_errors(outcome: Outcome) -> Errors:
    """The trade-off curve of the mildest violation that would have been seen, by many of its points: that of the first
    mechanism that the resolution names; empty where there is none, and where a violation was found, which lies in no
    blind spot."""
    caught = caught_in(outcome)
    if not caught or outcome.curve is None or outcome.verdict is Verdict.REFUTED:
        return np.empty(0), np.empty(0)
    value, at, mechanism = caught[0]
    alpha, beta = outcome.curve.shapes[mechanism](np.array([value]), np.array([at]), DRAWN)
    order = np.argsort(alpha[0], kind="stable")
    return np.concatenate([[0.0], alpha[0][order], [1.0]]), np.concatenate([[1.0], beta[0][order], [0.0]])


def seen_tradeoff(outcome: Outcome, alphas: Array) -> list[list[float]]:
    """The same, by as many points as a picture needs: these alphas, and more where it bends."""
    alpha, beta = seen_errors(outcome)
    if not alpha.size:
        return []

    def least(at: Array) -> Array:
        return np.interp(at, alpha, beta)

    for log in (False, True):
        alphas = places(least, alphas, log_x=log, log_y=log)
    return pairs(alphas, least(alphas))


def seen_profile(outcome: Outcome, epsilons: Array) -> list[list[float]]:
    """The same as delta against eps: the most that one of its tests shows."""
    alpha, beta = seen_errors(outcome)
    if not alpha.size:
        return []

    def most(at: Array) -> Array:
        deltas = 1 - beta[:, None] - el.exp(at) * alpha[:, None]
        return np.asarray(np.maximum(deltas.max(axis=0), 0.0))

    epsilons = places(most, epsilons, log_y=True)
    return pairs(epsilons, most(epsilons))


def telling(outcome: Outcome) -> dict[str, Any] | None:
    """The event by which samples refute the claim, or its complement, whichever the sides differ in by the larger
    factor; None where they do not, or are of other inputs than those that are shown."""
    if outcome.sampled is None or outcome.curve is None or not float(outcome.sampled.excess.amount) > 0:
        return None
    if outcome.pair is not outcome.sampled_pair:
        return None
    _, shown, at = (float(value) for value in outcome.sampled.excess)
    alpha, beta = outcome.sampled.best.alpha, outcome.sampled.best.beta
    chances = (alpha, 1 - beta) if beta * (1 - beta) >= alpha * (1 - alpha) else (1 - alpha, beta)
    number = f"{outcome.curve.unit}{outcome.curve.where(at)}"
    return event(*chances, outcome.sampled.trials, number, shown)


def reach(outcome: Outcome) -> float:
    """How far to the right a profile is worth drawing."""
    ends = [1.0]
    assert outcome.curve is not None
    claimed, _ = outcome.curve.points()
    if len(claimed) == 1:
        ends.append(1.5 * float(claimed[0]))
    if outcome.bounds is not None:
        ends += [1.5 * value for value in (outcome.bounds.low, outcome.bounds.claimed) if np.isfinite(value)]
    if outcome.sampled is not None:
        shown = float(outcome.sampled.excess.shown)
        ends.append(1.5 * shown if np.isfinite(shown) else 1.0)
    return float(min(50.0, max(ends)))


def best_delta(outcome: Outcome, eps: float) -> float:
    """The largest delta at eps that the sampled points certify; 0 for none."""
    points = outcome.sampled.points if outcome.sampled is not None else ()
    return max((float(delta_lower(*point.region, eps).min()) for point in points), default=0.0)


def tradeoffs(exact: Exact | None) -> tuple[list[list[float]], list[list[float]]]:
    """The exact engine's trade-off curves (low, high) as [[alpha, beta]] lists; empty where there is none."""
    if exact is None:
        return [], []
    low, high = exact.tradeoff()
    return [[float(a), float(b)] for a, b in low], [[float(a), float(b)] for a, b in high]


def pairs(xs: Any, ys: Any) -> list[list[float]]:
    return [[float(x), float(y)] for x, y in zip(xs, ys, strict=True)]
