"""What a privacy audit found about one subject: numbers first, words and pictures made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from dpbandits.audit.tradeoff.curve import claimed_beta, claimed_delta, delta_lower, family_points
from dpbandits.audit.tradeoff.events import Sampled
from dpbandits.audit.tradeoff.resolution import POWER, Resolution
from dpbandits.reference.curves import Approximate, Curve, Family, Gaussian
from dpbandits.reference.ledger import Verdict
from dpbandits.reference.noise import Array

FAMILY_SHOWN = 161  # points of a family's curve in a picture


class Exact(Protocol):
    """What the exact engine offers (see proofs_checks.laws): every quantity between two certified numbers."""

    def delta(self, eps: Any) -> tuple[Array, Array]: ...

    def eps(self, delta: Any) -> tuple[Any, Any]: ...

    def mu(self) -> tuple[float, float]: ...

    def tradeoff(self) -> Any: ...


class Bounds(NamedTuple):
    """The exact engine's answer in the claim's own number: mu, or eps at delta (nan for mu)."""

    low: float
    high: float
    claimed: float
    delta: float

    @property
    def refutes(self) -> bool:
        # The claimed number is itself a double, rounded a few times.
        return self.low > self.claimed * (1 + 1e-12)


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
    certificate: Callable[[], Mapping[str, Any] | None] | None = None  # makes one; costs time
    learnt: bool = False  # whether the score was learnt from search trials, for want of a law
    looked: str = ""  # how the pair was searched for, and what is to be known about the trials
    unfit: str = ""  # why this subject cannot be judged by trials; empty where it can

    @property
    def verdict(self) -> Verdict:
        if self.curve is None or self.unfit:
            return Verdict.NOT_APPLICABLE
        seen = self.sampled is not None and float(self.sampled.excess.amount) > 0
        if self.wrong or seen or (self.bounds is not None and self.bounds.refutes):
            return Verdict.REFUTED
        if self.idle:
            return Verdict.NOT_EXERCISED
        could = self.sampled is not None and np.isfinite(self.sampled.resolution.value)
        return Verdict.CONSISTENT if could or self.bounds is not None else Verdict.NOT_EXERCISED

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


def bounds(curve: Curve, exact: Exact) -> Bounds:
    """The exact engine's numbers against the claim; for a Family, at the delta where it suffers most."""
    nan = float("nan")
    if isinstance(curve, Gaussian):
        low, high = exact.mu()
        return Bounds(low, high, curve.mu, nan)
    if isinstance(curve, Approximate):
        # delta(eps) decides (eps of delta may be infinite); eps is what is shown.
        low, high = exact.eps(curve.delta)
        return Bounds(low, high, curve.eps, curve.delta)
    if isinstance(curve, Family):
        deltas, eps = family_points(curve)
        if not len(deltas):
            return Bounds(0.0, 0.0, 0.0, nan)
        below, above = exact.delta(eps)
        broken = np.asarray(below) > deltas
        # Where it is broken: at the largest ratio of probabilities; else where the upper curve comes nearest.
        worst = int(np.argmax(np.where(broken, 1e3, 1.0) * np.log1p(np.asarray(above) / np.maximum(deltas, 1e-300))))
        at = float(deltas[worst])
        low, high = exact.eps(at)
        return Bounds(low, high, float(eps[worst]), at)
    raise TypeError(f"the exact engine has no answer for {type(curve).__name__}")


# -- words -------------------------------------------------------------------------------------------------------


def named(curve: Curve) -> str:
    if isinstance(curve, Gaussian):
        return f"{curve.mu:.4g}-GDP"
    if isinstance(curve, Approximate):
        return f"({curve.eps:.4g}, {curve.delta:.3g})-DP"
    return "(eps(delta), delta)-DP"


def number(value: float, delta: float) -> str:
    return f"mu {value:.4g}" if np.isnan(delta) else f"eps {value:.4g} at delta {delta:.3g}"


def said_of(outcome: Outcome) -> str:
    """One sentence about one subject."""
    if outcome.curve is None:
        return f"{outcome.label}: a precondition is false."
    parts = [outcome.wrong] if outcome.wrong else []
    claimed = named(outcome.curve)
    if outcome.bounds is not None:
        low, high, promised, delta = outcome.bounds
        against = f" where {promised:.4g} is promised" if outcome.bounds.refutes else ""
        ends = f"{low:.6g}", f"{high:.6g}"
        between = f"between {ends[0]} and {ends[1]}" if ends[0] != ends[1] else ends[0]
        parts.append(f"{'mu' if np.isnan(delta) else f'eps at delta {delta:.3g}'} is {between} by its law{against}")
    if outcome.sampled is not None:
        amount, shown, delta = (float(value) for value in outcome.sampled.excess)
        against = f", more than the promised {shown - amount:.4g}" if amount > 0 else ""
        parts.append(f"samples certify {number(shown, delta)}{against}")
    parts += [said for said in (outcome.idle, outcome.unfit) if said]
    return f"{outcome.label}: {claimed} claimed; {'; '.join(parts)}."


def resolved(outcome: Outcome) -> str:
    """The resolution of one subject's audit in words; empty where no samples were drawn."""
    if outcome.sampled is None or outcome.curve is None:
        return ""
    confidence = f"{outcome.sampled.trials} fresh trials a side, risk {outcome.sampled.level:.2g}"
    claimed = named(outcome.curve)
    caught = [each for each in outcome.sampled.resolutions if np.isfinite(each.value)]
    if not caught:
        return f"{outcome.label}: no violation of {claimed} could have been certified from samples ({confidence})"
    looked = f"; {outcome.looked}" if outcome.looked else ""
    own = "; the score here is learnt, of which no such power is promised" if outcome.learnt else ""
    return (
        f"{outcome.label}: {', or '.join(map(violating, caught))}, told apart by its likelihood ratio, is caught with "
        f"probability {POWER} where {claimed} is claimed ({confidence}); another shape may take more{own}{looked}"
    )


def violating(resolution: Resolution) -> str:
    """The mechanism that a resolution is about."""
    value, delta, mechanism = resolution
    kind = f"{value:.4g}-GDP" if np.isnan(delta) else f"({value:.4g}, {delta:.3g})-DP"
    return f"a {mechanism} {'' if 'response' in mechanism else 'mechanism '}that is exactly {kind}"


# -- pictures ----------------------------------------------------------------------------------------------------


def figure(outcome: Outcome) -> dict[str, Any]:
    """The claimed curve, the exact curves where there are any, and the certified points, as one evidence item."""
    assert outcome.curve is not None
    points = outcome.sampled.points if outcome.sampled is not None else ()
    if isinstance(outcome.curve, Gaussian):
        alphas = np.concatenate([[0.0], np.geomspace(1e-4, 0.5, 40), 1 - np.geomspace(1e-4, 0.5, 40)[-2::-1], [1.0]])
        low, high = tradeoffs(outcome.exact)
        return {
            "kind": "tradeoff",
            "title": f"{outcome.label}: type II against type I error",
            "claimed": pairs(alphas, claimed_beta(outcome.curve, alphas)),
            "exact_low": low,
            "exact_high": high,
            "points": [
                {name: float(value) for name, value in point._asdict().items()}
                for point in sorted(points, key=lambda p: p.alpha)
            ],
        }
    epsilons = np.linspace(0.0, reach(outcome), 81)
    below, above = [], []
    if outcome.exact is not None:
        below, above = (pairs(epsilons, values) for values in outcome.exact.delta(epsilons))
    return {
        "kind": "profile",
        "title": f"{outcome.label}: delta against eps",
        "claimed": promised(outcome.curve, epsilons),
        "exact_low": below,
        "exact_high": above,
        "points": [
            {"eps": float(eps), "delta_lower": float(certified)}
            for eps in epsilons[::4]
            if (certified := best_delta(outcome, eps)) > 0
        ],
    }


def promised(curve: Curve, epsilons: Array) -> list[list[float]]:
    """The claimed profile as [[eps, delta]]: a family's at its own points (eps(delta), delta), which lie on it, where
    a grid of eps would show stairs above it; beyond its smallest delta it promises that one."""
    if isinstance(curve, Family):
        deltas, eps = family_points(curve)
        falling = len(eps) > 1 and bool((np.diff(eps) <= 0).all())
        if falling and eps[-1] <= epsilons[-1]:
            wanted = np.linspace(eps[-1], min(float(eps[0]), float(epsilons[-1])), FAMILY_SHOWN)
            kept = np.unique(len(eps) - np.searchsorted(eps[::-1], wanted, side="right"))[::-1]
            end = [[float(epsilons[-1]), float(deltas[0])]] if eps[0] <= epsilons[-1] else []
            return pairs(eps[kept], deltas[kept]) + end
    return pairs(epsilons, claimed_delta(curve, epsilons))


def reach(outcome: Outcome) -> float:
    """How far to the right a profile is worth drawing."""
    ends = [1.0]
    if isinstance(outcome.curve, Approximate):
        ends.append(1.5 * outcome.curve.eps)
    if outcome.bounds is not None:
        ends += [1.5 * value for value in (outcome.bounds.low, outcome.bounds.claimed) if np.isfinite(value)]
    if outcome.sampled is not None:
        shown = float(outcome.sampled.excess.shown)
        ends.append(1.5 * shown if np.isfinite(shown) else 1.0)
    return float(min(50.0, max(ends)))


def best_delta(outcome: Outcome, eps: float) -> float:
    """The largest delta at eps that the sampled points certify; 0 for none."""
    points = outcome.sampled.points if outcome.sampled is not None else ()
    return max((float(delta_lower(p.alpha_upper, p.beta_upper, eps)) for p in points), default=0.0)


def tradeoffs(exact: Exact | None) -> tuple[list[list[float]], list[list[float]]]:
    """The exact engine's trade-off curves (low, high) as [[alpha, beta]] lists; empty where there is none."""
    if exact is None:
        return [], []
    low, high = exact.tradeoff()
    return [[float(a), float(b)] for a, b in low], [[float(a), float(b)] for a, b in high]


def pairs(xs: Any, ys: Any) -> list[list[float]]:
    return [[float(x), float(y)] for x, y in zip(xs, ys, strict=True)]
