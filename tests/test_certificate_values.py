"""Certificates about released values: the checker's rule "between", and who makes such certificates."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from test_certificates import valued, valued_normal
from test_tao22_messages import EPS, LOCAL, PRIVATE, HalfSpread, at_the_bounds, mutated

from dpbandits import Approximate, Pair, flipped
from dpbandits.audit.matching.binding import binding_of
from dpbandits.audit.matching.privacy_claims import steps_agree
from dpbandits.audit.privacy.certificates import values_refutation
from dpbandits.audit.privacy.scores.moves import worst_shifts
from dpbandits.proofs_checks.checker import intervals as checker_intervals
from dpbandits.proofs_checks.checker import releases as checker_releases
from dpbandits.proofs_checks.checker import selections as checker_selections
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.exact.shifted_noise import shifted_noise_profile
from dpbandits.proofs_checks.formulas.noisy_value_certificates import (
    difference_in_words,
    piece_losses,
    shifted_steps,
    total_losses_by_value,
)
from dpbandits.proofs_checks.formulas.release_certificates import NotCertifiable, certificate_of_steps
from dpbandits.reference.bandits.noisy_values import Moving, Shifts
from dpbandits.reference.papers.tao22.algorithms.elimination import DPRSE
from dpbandits.reference.papers.tao22.algorithms.messages import Messages

SMALL = {"arms": 2, "horizon": 60, "eps": EPS, "v": 1.0, "u": 5e-3, "beta": 0.9}


def twice(certificate: dict[str, Any]) -> None:
    """One interval in two guises, each of which would count."""
    first, second = certificate["steps"][0]["releases"]
    certificate["steps"][0]["releases"] = [first, second, {"kept": [2, 3], "next": 1}]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (twice, "name one interval, not 2"),
        (lambda c: c["steps"][0]["releases"][0].update(kept=[2]), "`releases` contains the same set twice"),
        (lambda c: c["steps"][0]["releases"][0].update(kept=[]), "name one interval, not 0"),
        (lambda c: c["steps"][0]["releases"][0].update(kept=[4]), "a set of different options from 0 to 3"),
        (lambda c: c["steps"][0].update(cuts=["1/8", "0.05", "0.25"]), "ascending order"),
        (lambda c: c["steps"][0].update(cuts=["1/8", "0.125", "0.25"]), "ascending order"),
        (lambda c: c["steps"][0].pop("cuts"), 'the rule "between" needs a list of cuts and size 0'),
        (lambda c: c["steps"][0].update(rule="top", size="1"), 'the rule "between" needs a list of cuts and size 0'),
        (lambda c: c["steps"][0].update(size="1"), 'the rule "between" needs a list of cuts and size 0'),
        (lambda c: c["steps"][0].update(scales=["0.3"]), "not violated|end in the certificate is"),
        (
            lambda c: c["steps"][1].update(scales=["1"] * 2, divisors=["1"] * 2, bounds=["1"] * 2),
            "several values need normal noise and a row of weights",
        ),
        (lambda c: c["steps"][2].update(weights=[["1"], ["1"]]), "one row"),
        (
            lambda c: c["steps"][2].update(weights=[["0"]]),
            "/weights: with cuts, there must be exactly one row, and at least one of its entries must not be 0",
        ),
        (lambda c: c["steps"][2].update(weights=[["1", "1"]]), "every row must have length 1, one entry for each"),
        (lambda c: c["steps"][2].update(weights=[["-1"]]), "end in the certificate is"),
        (lambda c: c["steps"][2].update(weights=[["1.001"]]), "end in the certificate is"),
        (
            lambda c: c.update(steps=valued_normal()["steps"]) or c["steps"][0].pop("weights"),
            "several values need normal noise and a row of weights",
        ),
        (
            lambda c: c.update(steps=valued_normal()["steps"]) or c["steps"][0].update(noise="laplace"),
            "several values need normal noise and a row of weights",
        ),
        (
            lambda c: c["steps"][1]["releases"][0].update(next=0),
            "`next` must be -1 .the run ends. or the number of a later step",
        ),
        (lambda c: c.update(eps="1.2"), "not violated"),
    ],
)
def test_what_is_wrong_with_a_released_value_is_said(change: Any, why: str) -> None:
    found = valued()
    change(found)
    checked = verify(found)
    assert not checked.ok
    assert re.search(why, checked.lines[0]), checked.lines


@pytest.mark.parametrize("seed", range(6))
def test_intervals_have_the_chances_of_a_distribution_function(seed: int) -> None:
    noise = np.random.default_rng(seed)
    kind, values = ("laplace", 1) if seed % 2 else ("gaussian", 1 + seed // 2)
    cuts = sorted({Fraction(int(k), 8) for k in noise.integers(-20, 60, 3)})
    given = {name: [str(Fraction(int(k), 9)) for k in noise.integers(1, 18, values)] for name in ("scales", "weights")}
    given["weights"] = [[sign + each for sign, each in zip(["", "-", ""], given["weights"], strict=False)]]
    windows = [[k, int(noise.integers(0, 3)), "0", "3"] for k in range(values)]
    step = BETWEEN | given | {"noise": kind, "cuts": [str(cut) for cut in cuts], "windows": windows}
    step |= {"divisors": ["1"] * values, "bounds": ["inf"] * values}
    left = checker_selections.Tables([Fraction(k) for k in (1, 4, 9)], [[Fraction(k) for k in row] for row in ROWS])
    chosen = checker_selections.read_selection(step, left, "here")
    chances = [checker_releases.selection_step_probability(chosen, frozenset([k])) for k in range(len(cuts) + 1)]
    total = checker_intervals.sum_of_intervals(chances)
    assert checker_intervals.low(total) <= 1 <= checker_intervals.high(total)
    with mpmath.workdps(50):
        row = [exactly(text) for text in step["weights"][0]]
        centre = mpmath.fdot(row, [sum(ROWS[arm][:1] + 2 * ROWS[arm][1:2]) for _, arm, _, _ in windows])
        scale = mpmath.sqrt(mpmath.fsum((w * exactly(s)) ** 2 for w, s in zip(row, step["scales"], strict=True)))
        ends = [-mpmath.inf, *((exactly(text) - centre) / scale for text in step["cuts"]), mpmath.inf]
        for (low, high), chance in zip(pairwise(ends), chances, strict=True):
            own = below(kind, high) - below(kind, low)
            found = exactly(checker_intervals.low(chance)), exactly(checker_intervals.high(chance))
            assert found[0] - mpmath.mpf(10) ** -40 <= own <= found[1] + mpmath.mpf(10) ** -40
            assert found[1] - found[0] <= found[1] / 10**25


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
def test_an_interval_far_out_in_either_tail_has_as_many_digits(kind: str) -> None:
    """Between 60 and 61 scales from the centre, where a distribution function is 0 or 1 to 50 digits."""

    def chance(*cuts: int) -> Any:
        ends = [Fraction(cut) for cut in cuts]
        chosen = checker_selections.Selection(kind, "between", Fraction(0), [Fraction(0)], [Fraction(1)], cuts=ends)
        return checker_releases.selection_step_probability(chosen, frozenset([1]))

    left, right = chance(-61, -60), chance(60, 61)
    with mpmath.workdps(60):
        own = below(kind, mpmath.mpf(-60)) - below(kind, mpmath.mpf(-61))
        for found in (left, right):
            low, high = exactly(checker_intervals.low(found)), exactly(checker_intervals.high(found))
            assert low <= own * (1 + mpmath.mpf(10) ** -30)
            assert own <= high * (1 + mpmath.mpf(10) ** -30)
            assert high - low <= own / 10**25


ROWS = [[1, 2, 3], [0, 1, 0], [2, 0, 5]]  # rewards in runs of 1, 3 and 5
BETWEEN = {"rule": "between", "size": "0", "options": [0], "releases": [{"kept": [0], "next": -1}]}


def exactly(value: Any) -> Any:
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def below(noise: str, x: Any) -> Any:
    if noise == "gaussian":
        return mpmath.ncdf(x)
    return mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2


# -- who makes them ----------------------------------------------------------------------------------------------------


def declared(kind: str, scales: list[float]) -> tuple[Shifts, Pair]:
    """Sums of three rewards of arm 1, of which the third one goes from 0 to 1."""
    made = tuple(Moving(1, k % 3, 3 + k % 2, 1.0, scale) for k, scale in enumerate(scales))
    return Shifts(kind, tuple(1 / scale for scale in scales), made), flipped("pull", np.zeros((2, 6)), 1, 2, 1.0)


@pytest.mark.parametrize(
    ("kind", "scales", "share"),
    [
        ("laplace", [0.5], 1 - 1e-9),
        ("laplace", [1.0, 2.0], 0.99),
        ("laplace", [0.7, 1.1, 1.9], 0.98),
        ("normal", [1.0, 2.0, 0.5], 1 - 1e-9),
        ("normal", [5.0] * 40, 1 - 1e-9),
    ],
)
@pytest.mark.first(4)
def test_a_certificate_shows_nearly_all_of_delta(kind: str, scales: list[float], share: float) -> None:
    said, pair = declared(kind, scales)
    exact = shifted_noise_profile(kind, said.sizes)
    assert exact is not None
    for part, sides in ((0.0, pair), (0.8, pair), (0.8, pair.swapped())):
        eps = part * sum(said.sizes)
        found = certificate_of_steps("test/claim", {}, sides, shifted_steps(said, sides, eps, 16), str(eps), "0")
        assert verify(found).ok, verify(found).lines
        left, right = (float(Fraction(found[f"{side}_probability"][0])) for side in ("left", "right"))
        low, high = (float(end) for end in exact.delta(eps))
        assert share * low <= left - np.exp(eps) * right <= high
        assert not difference_in_words(found["steps"], said, sides, steps_agree)


def test_what_cannot_be_written_down_is_said() -> None:
    said, pair = declared("laplace", [1.0, 2.0])
    with pytest.raises(NotCertifiable, match="the privacy loss of these values never exceeds eps"):
        shifted_steps(said, pair, 1.5, 8)
    with pytest.raises(NotCertifiable, match="`shifts` of the policy does not declare from which rewards"):
        shifted_steps(said._replace(made=None), pair, 0.1, 8)
    with pytest.raises(NotCertifiable, match="no value is shifted"):
        shifted_steps(said, flipped("pull", np.zeros((2, 6)), 0, 2, 1.0), 0.1, 8)
    with pytest.raises(NotCertifiable, match="may have at most 250"):
        shifted_steps(*declared("laplace", [2.0] * 6), 0.0, 32)


@pytest.mark.parametrize(("sizes", "eps", "pieces"), [([2.0, 0.7, 1.3], 1.1, 4), ([0.5, 1.5], 0.0, 3), ([1.0], 0.4, 2)])
def test_each_loss_leads_on_exactly_where_it_is_open_what_comes_of_it(
    sizes: list[float], eps: float, pieces: int
) -> None:
    """Nowhere, where all that is left cannot come to eps; to an end, where it cannot undo it; else to a loss that is
    about the same, within half a piece of the largest value."""
    levels = total_losses_by_value(sizes, eps, pieces)
    assert len(levels) == len(sizes)
    assert {key: before for key, (before, _) in levels[0].items()} == {0: 0.0}
    for place, (level, size) in enumerate(zip(levels, sizes, strict=True)):
        middles = [size * (2 * k + 1 - pieces) / pieces for k in range(pieces)]
        own = [-size, *middles, size]
        assert piece_losses(size, pieces) == pytest.approx(own, rel=1e-12, abs=1e-12)
        rest = sum(sizes[place + 1 :])
        reached = set()
        for before, ways in level.values():
            if place + 1 == len(sizes):
                assert not ways  # the last one has a cut of its own
                continue
            to = dict(ways)
            assert len(to) == len(ways)
            for piece, loss in enumerate(own):
                total = before + loss
                if total + rest <= eps:
                    assert piece not in to
                elif total - rest > eps:
                    assert to[piece] is None
                else:
                    key = to[piece]
                    assert key is not None
                    assert abs(levels[place + 1][key][0] - total) <= max(sizes) / (2 * pieces)
                    reached.add(key)
        assert reached == set(levels[place + 1] if place + 1 < len(sizes) else ())
    with pytest.raises(NotCertifiable, match="the privacy loss of these values never exceeds eps"):
        total_losses_by_value(sizes, sum(sizes), pieces)


def forged(place: str, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Steps that are not one question about each value, in order."""
    first, *later = (dict(step) for step in steps)
    if place == "twice":  # the same value, as if its noise were drawn twice
        later = [first | {"releases": [{"kept": [1], "next": -1}]} for _ in later]
    if place == "more":
        end = first | {"releases": [{"kept": [1], "next": -1}]}
        return [first, *(step | {"releases": [{"kept": [1], "next": len(steps)}]} for step in later), end]
    if place == "scale":
        first["scales"] = ["0.9"]
    if place == "rewards":
        first["windows"] = [[0, 1, "0", "2"]]
    if place == "factors":  # the value, but ten times of it beside the same noise
        first["factors"] = ["10"]
    if place == "skipped":
        return later
    return [first, *later]


@pytest.mark.parametrize("place", ["twice", "more", "scale", "rewards", "factors", "skipped"])
def test_steps_that_are_not_the_declared_values_are_noticed(place: str) -> None:
    said, pair = declared("laplace", [1.0, 2.0])
    steps = shifted_steps(said, pair, 0.5, 2)
    assert difference_in_words(steps, said, pair, steps_agree) == ""
    assert difference_in_words(forged(place, steps), said, pair, steps_agree)


def halved(**parameters: Any) -> Any:
    return mutated(HalfSpread, DPRSE(**parameters))


def test_a_certificate_is_about_the_claim_whose_policy_has_these_values() -> None:
    claim = replace(PRIVATE["tao22/theorem-3/means"], subject=halved, params=(SMALL,))
    half, claimed = halved(**SMALL), Approximate(EPS, 0.0)
    pair = at_the_bounds(half)[0]
    _, exact = worst_shifts(half, claimed, [pair])
    made = values_refutation(claim.id, half, pair, claimed, exact, claimed.bounds(exact).at)
    assert made is not None
    assert [step["rule"] for step in made["steps"]] == ["between"]
    assert binding_of(made, {claim.id: claim}).about, binding_of(made, {claim.id: claim}).why
    for other, why in (
        (replace(claim, subject=DPRSE), "its step 0 is not about value 0"),
        (replace(claim, says=replace(claim.says, view="arms")), "the claim is about the released pulls only"),
        (
            replace(claim, subject=lambda **given: halved(**given | {"arms": 3})),
            "the tables of the certificate have 2 arms",
        ),
    ):
        assert not binding_of(made, {claim.id: other}).about
        assert why in binding_of(made, {claim.id: other}).why


def test_messages_of_half_the_noise_are_refuted_by_a_certificate() -> None:
    half = Messages(mutated(HalfSpread, LOCAL))
    pair, claimed = at_the_bounds(LOCAL)[0], Approximate(EPS, 0.0)
    _, exact = worst_shifts(half, claimed, [pair])
    made = values_refutation("test/claim", half, pair, claimed, exact, claimed.bounds(exact).at)
    assert made is not None
    assert verify(made).ok
    right = Messages(LOCAL)
    _, exact = worst_shifts(right, claimed, [pair])
    assert values_refutation("test/claim", right, pair, claimed, exact, claimed.bounds(exact).at) is None
