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
from dpbandits.reference.claims.records import Lines, SeriesRecord

# What the static potential, which stands alone beyond 20 000 rounds, loses.
STATIC_LOSS = "at T = 10 000 the grid of ratios gives 7 to 16 per cent less"
DRAWN_CURVE_POINTS = 120  # of a curve
MIN_DRAWN_DELTA = 1e-15  # no smaller delta is drawn


def answer_text(answer: ThompsonPrivacy) -> str:
    """Returns the privacy bounds as lines of text for a terminal."""
    asked = f"{sampler_in_words(answer.sampler)}; one {answer.relation} changed; delta = {answer.delta:g}"
    lines = [f"Thompson sampling, {asked}"]
    lemma = "Theorem 3" if answer.sampler[2:] == (0, 1) else "Theorem 4"
    lines.append(f"{'theorem':>12}  eps = {answer.theorem:9.4g}   {lemma}: {answer.sampler.theorem_mu:.5g}-GDP")
    if answer.method == "theorem":
        by = f"{lemma}, which gives less than the threshold game"
    elif answer.kept is not None:
        by = f"from the table: {table_row_in_words(answer.kept, answer)}"
    else:
        free = answer.upper.arms_told(answer.delta) != answer.sampler.arms
        how = f"its static potential; {STATIC_LOSS}" if answer.method == "potential" else answer.method
        by = f"threshold game{' of any number of arms' if free else ''}, by {how}"
    lines.append(f"{'certified':>12}  eps = {four_digits_up(answer.certified):>9}   {by}")
    if isnan(answer.attack):
        lines.append(f"{'attack':>12}  {answer.tables}")
    else:
        lines.append(f"{'attack':>12}  eps = {four_digits_down(answer.attack):>9}   {answer.tables}")
        if answer.risk > 0:
            lines.append(
                f"{'':>12}  error probability {answer.risk:g}: simulated, because an exact law has too many states"
            )
        if answer.attack > 0:
            lines.append(f"{'gap':>12}  certified/attack = {answer.certified / answer.attack:.3f}")
    theorem, certified, mu = mu_values(answer)
    told = f"theorem {theorem:.4g}, certified {certified:.4g}, {attack_in_words(mu, answer.of_mu is None)}"
    lines.append(f"{'mu':>12}  for tests with errors above {answer.delta:g}: {told}")
    return "\n".join(lines)


def sampler_in_words(sampler: Sampler) -> str:
    """A Thompson sampler in words: its T, number of arms, b and c."""
    T, K, b, c = sampler
    return f"T = {T}, {arms_in_words(K)}, b = {b}, c = {c:g}"


def table_row_in_words(row: KeptCurve, answer: ThompsonPrivacy) -> str:
    """Returns a description of the table's row that gave a bound: the sampler for which it was computed."""
    if row.sampler == answer.sampler:
        return "threshold game, grid of ratios; --exact recomputes it"
    return f"threshold game for {sampler_in_words(row.sampler)}, which is at most as private; --exact computes yours"


def attack_in_words(mu: float | None, made_for_eps: bool) -> str:
    """Returns the words for an attack's certified mu, such as "attack 0.31"; "attack none" without an attack.
    made_for_eps: whether the attack's tables were searched for a large eps, not for a large mu; this is noted.
    """
    if mu is None:
        return "attack none"
    note = " (with tables chosen for eps)" if made_for_eps else ""
    return f"attack {mu:.4g}{note}" if mu > 0 else f"attack: nothing{note}"


def mu_values(answer: ThompsonPrivacy) -> tuple[float, float, float | None]:
    """Returns three values of mu: by the paper's theorem, the certified upper bound, and the attack's lower bound.
    The latter is None without an attack. Only tests whose errors are both at least delta count. The lower bound is
    rounded down, the others up."""
    theorem, best = answer.sampler.theorem_mu, answer.of_mu or answer.worst
    shown = None if best is None else best.mu(answer.delta)
    certified = min(answer.upper.mu(answer.delta), theorem) if answer.delta < BLIND_GUESS_ERROR else theorem
    return theorem * (1 + 5e-4), certified * (1 + 5e-4), shown if shown is None else shown * (1 - 5e-4)


def picture_item(answer: ThompsonPrivacy) -> Lines:
    """The three curves delta(eps) of theorem, threshold game and attack, as an item of kind "lines" in the findings."""
    end = 1.3 * answer.certified + 0.5
    eps = np.linspace(0, end, DRAWN_CURVE_POINTS)
    theorem = el.exp(log_gaussian_delta(eps, answer.sampler.theorem_mu)) if answer.sampler.theorem_mu > 0 else 0 * eps
    series: list[SeriesRecord] = [
        {"label": "theorem", "style": "claimed", "points": drawable_points(eps, theorem)},
        {
            "label": "certified",
            "style": "exact",
            "points": drawable_points(eps, np.minimum(theorem, answer.upper.delta(eps))),
        },
    ]
    if answer.worst is not None:
        shown = np.array([answer.worst.delta(float(x)) for x in eps])
        series.append({"label": "attack", "style": "other", "points": drawable_points(eps, shown)})
    title = "How private is it?"
    return {"kind": "lines", "title": title, "x": "eps", "y": "delta", "log_x": False, "log_y": True, "series": series}


def drawable_points(eps: Array, delta: Array) -> list[list[float]]:
    """The points (eps, delta) of a curve whose delta is above MIN_DRAWN_DELTA."""
    return [[float(x), float(y)] for x, y in zip(eps, delta, strict=True) if y > MIN_DRAWN_DELTA]


def answer_as_json(answer: ThompsonPrivacy) -> dict[str, Any]:
    """Returns the privacy bounds as a dict that can be written as JSON."""
    return {
        **answer.sampler._asdict(),
        "relation": answer.relation,
        "delta": answer.delta,
        "theorem": answer.theorem,
        "certified": answer.certified,
        "attack": None if isnan(answer.attack) else answer.attack,
        "tables": answer.tables,
        "risk": answer.risk,
        "method": answer.method,
        "kept": answer.kept and {**answer.kept.sampler._asdict(), "relation": answer.kept.relation},
    }
