"""The privacy bounds of Thompson sampling as text for a terminal, as a picture, and as data."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np

from dpbandits.extensions.thompson.answers import BLIND_GUESS_ERROR, ThompsonPrivacy
from dpbandits.extensions.thompson.curve_table import KeptCurve
from dpbandits.extensions.thompson.formatting import arms_in_words, four_digits_down, four_digits_up
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.proofs_checks.exact.gaussian_profile import log_gaussian_delta
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

# What the static potential, which stands alone beyond 20 000 rounds, loses.
STATIC_LOSS = "at T = 10 000 the grid of ratios gives 7 to 16 per cent less"
DRAWN_CURVE_POINTS = 120  # of a curve
MIN_DRAWN_DELTA = 1e-15  # no smaller delta is drawn


def answer_text(found: ThompsonPrivacy) -> str:
    """Returns the privacy bounds as lines of text for a terminal."""
    asked = f"{sampler_in_words(found.sampler)}; one {found.relation} changed; delta = {found.delta:g}"
    lines = [f"Thompson sampling, {asked}"]
    lemma = "Theorem 3" if found.sampler[2:] == (0, 1) else "Theorem 4"
    lines.append(f"{'theorem':>12}  eps = {found.theorem:9.4g}   {lemma}: {found.sampler.theorem_mu:.5g}-GDP")
    if found.method == "theorem":
        by = f"{lemma}, which gives less than the threshold game"
    elif found.kept is not None:
        by = f"from the table: {table_row_in_words(found.kept, found)}"
    else:
        free = found.upper.arms_told(found.delta) != found.sampler.arms
        how = f"its static potential; {STATIC_LOSS}" if found.method == "potential" else found.method
        by = f"threshold game{' of any number of arms' if free else ''}, by {how}"
    lines.append(f"{'certified':>12}  eps = {four_digits_up(found.certified):>9}   {by}")
    if isnan(found.attack):
        lines.append(f"{'attack':>12}  {found.tables}")
    else:
        lines.append(f"{'attack':>12}  eps = {four_digits_down(found.attack):>9}   {found.tables}")
        if found.risk > 0:
            lines.append(
                f"{'':>12}  error probability {found.risk:g}: simulated, because an exact law has too many states"
            )
        if found.attack > 0:
            lines.append(f"{'gap':>12}  certified/attack = {found.certified / found.attack:.3f}")
    theorem, certified, mu = mu_values(found)
    told = f"theorem {theorem:.4g}, certified {certified:.4g}, {attacked(mu, found.of_mu is None)}"
    lines.append(f"{'mu':>12}  for tests with errors above {found.delta:g}: {told}")
    return "\n".join(lines)


def sampler_in_words(sampler: Sampler) -> str:
    """A Thompson sampler in words: its T, number of arms, b and c."""
    T, K, b, c = sampler
    return f"T = {T}, {arms_in_words(K)}, b = {b}, c = {c:g}"


def table_row_in_words(row: KeptCurve, found: ThompsonPrivacy) -> str:
    """Returns a description of the table's row that gave a bound: the sampler for which it was computed."""
    if row.sampler == found.sampler:
        return "threshold game, grid of ratios; --exact recomputes it"
    return f"threshold game for {sampler_in_words(row.sampler)}, which is at most as private; --exact computes yours"


def attacked(mu: float | None, made_for_eps: bool) -> str:
    """Returns the words for an attack's certified mu, such as "attack 0.31"; "attack none" without an attack.
    made_for_eps: whether the attack's tables were searched for a large eps, not for a large mu; this is noted.
    """
    if mu is None:
        return "attack none"
    note = " (with tables chosen for eps)" if made_for_eps else ""
    return f"attack {mu:.4g}{note}" if mu > 0 else f"attack: nothing{note}"


def mu_values(found: ThompsonPrivacy) -> tuple[float, float, float | None]:
    """Returns three values of mu: by the paper's theorem, the certified upper bound, and the attack's lower bound.
    The latter is None without an attack. Only tests whose errors are both at least delta count. The lower bound is
    rounded down, the others up."""
    theorem, best = found.sampler.theorem_mu, found.of_mu or found.worst
    shown = None if best is None else best.mu(found.delta)
    certified = min(found.upper.mu(found.delta), theorem) if found.delta < BLIND_GUESS_ERROR else theorem
    return theorem * (1 + 5e-4), certified * (1 + 5e-4), shown if shown is None else shown * (1 - 5e-4)


def picture_item(found: ThompsonPrivacy) -> dict[str, Any]:
    """The three curves delta(eps) of theorem, threshold game and attack, as an item of kind "lines" in the findings."""
    end = 1.3 * found.certified + 0.5
    eps = np.linspace(0, end, DRAWN_CURVE_POINTS)
    theorem = el.exp(log_gaussian_delta(eps, found.sampler.theorem_mu)) if found.sampler.theorem_mu > 0 else 0 * eps
    series = [
        {"label": "theorem", "style": "claimed", "points": drawable_points(eps, theorem)},
        {
            "label": "certified",
            "style": "exact",
            "points": drawable_points(eps, np.minimum(theorem, found.upper.delta(eps))),
        },
    ]
    if found.worst is not None:
        shown = np.array([found.worst.delta(float(x)) for x in eps])
        series.append({"label": "attack", "style": "other", "points": drawable_points(eps, shown)})
    title = "How private is it?"
    return {"kind": "lines", "title": title, "x": "eps", "y": "delta", "log_x": False, "log_y": True, "series": series}


def drawable_points(eps: Array, delta: Array) -> list[list[float]]:
    """The points (eps, delta) of a curve whose delta is above MIN_DRAWN_DELTA."""
    return [[float(x), float(y)] for x, y in zip(eps, delta, strict=True) if y > MIN_DRAWN_DELTA]


def answer_as_json(found: ThompsonPrivacy) -> dict[str, Any]:
    """Returns the privacy bounds as a dict that can be written as JSON."""
    return {
        **found.sampler._asdict(),
        "relation": found.relation,
        "delta": found.delta,
        "theorem": found.theorem,
        "certified": found.certified,
        "attack": None if isnan(found.attack) else found.attack,
        "tables": found.tables,
        "risk": found.risk,
        "method": found.method,
        "kept": found.kept and {**found.kept.sampler._asdict(), "relation": found.kept.relation},
    }
