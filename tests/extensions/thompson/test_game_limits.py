"""How far the threshold game goes: played out, in closed form, and with three arms."""

from __future__ import annotations

from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

from dpbandits import Sampler, Verdict
from dpbandits.extensions.thompson.bound import Upper, certified_curve
from dpbandits.proofs_checks.exact.engine import LAW_ERROR
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.ou24 import section_3_game_limits as lemmas
from dpbandits.proofs_checks.papers.ou24.section_3_game_played import played_out
from dpbandits.reference.papers.ou24.section_3_game_limits import chapter


def test_two_coins_by_all_pairs_of_thresholds() -> None:
    """The first coin has the shift 1/sqrt 2; the second 1/sqrt 2, or 1/sqrt 3 after a pull."""
    sampler, eps = Sampler(3), 0.8
    found = played_out(certified_curve(sampler, smallest=1e-6), eps).delta(eps)
    x, best = np.arange(-3, 4, 0.02), 0.0
    for first in x:
        value = 0.0
        for pulled in (True, False):
            p, q = (ndtr((1 if pulled else -1) * (shift - first)) for shift in (0.0, 0.5**0.5))
            shift = 3**-0.5 if pulled else 2**-0.5
            left, right = p * np.stack([ndtr(-x), ndtr(x)]), q * np.stack([ndtr(shift - x), ndtr(x - shift)])
            value += np.maximum(left - np.exp(eps) * right, 0).sum(axis=0).max()
        best = max(best, value)
    assert 0.01 < 0.999 * best <= found <= best * (1 + 1e-4)


def test_what_is_played_stays_below_the_bound_at_every_eps() -> None:
    """It is a strategy, whatever eps it was made for; the exact law of one game is between nothing and all."""
    bound = certified_curve(Sampler(9, variance=0.6), smallest=1e-6)
    made = played_out(bound, bound.eps(1e-3))
    for eps in np.arange(0.0, 8.0, 0.5):
        assert made.delta(eps) <= bound.delta(eps)
    assert made.eps(1e-3) > 0.99 * bound.eps(1e-3)
    assert float(made.atoms.left.sum()) == pytest.approx(1, rel=1e-12)
    assert float(made.atoms.right.sum()) == pytest.approx(1, rel=1e-12)
    assert made.drift == pytest.approx(9 * (LAW_ERROR + 24 * 2.0**-53), rel=1e-9, abs=0)


@pytest.mark.parametrize("sampler", [Sampler(19), Sampler(9, 2), Sampler(9, None, 1)])
def test_what_is_not_played_out_is_said(sampler: Sampler) -> None:
    with pytest.raises(ValueError, match=r"cannot be enumerated; .* T at most 18"):
        played_out(Upper(sampler, "pull", {}, {}), 1.0)


def test_one_threshold_in_many_digits() -> None:
    for rounds, x in product((99, 9999), (1.2, 3.0)):
        with mpmath.workdps(40):
            left = mpmath.ncdf(x) ** rounds - mpmath.mpf(10) ** -6
            shown = mpmath.log(left / mpmath.ncdf(x - mpmath.sqrt(0.5)) ** rounds) if left > 0 else mpmath.mpf(0)
        assert lemmas.unpulled(rounds, x) == pytest.approx(float(shown), rel=1e-9)
    assert lemmas.unpulled(99, lemmas.best_threshold(99)) > max(lemmas.unpulled(99, x) for x in (1.0, 1.1, 1.2, 1.3))
    assert lemmas.unpulled(19, lemmas.best_threshold(19)) < certified_curve(Sampler(20), smallest=1e-7).eps(1e-6)


@pytest.mark.thorough
def test_the_ledgers_claims_say_less_where_the_numbers_are_less() -> None:
    """Also where three arms do not show more than two, as in short runs."""
    exact, growth, arms = ((claim, Effort(), 0) for claim in chapter.claims)
    for loss, verdict in ((lemmas.LOSS, Verdict.ARGUED), (1e-4, Verdict.UNSUPPORTED)):
        assert lemmas.played(*exact, loss=loss).verdict is verdict
    for least, verdict in ((25.3, Verdict.ARGUED), (25.5, Verdict.UNSUPPORTED)):
        assert lemmas.grown(*growth, growth={100: least}).verdict is verdict
    assert lemmas.crowded(*arms, horizon=12, at_most=100.0, at_least=0.0).verdict is Verdict.UNSUPPORTED
