"""What every curve keeps: its seven methods say one promise, and none says more than another.

A new curve gets a line in `EXAMPLES`, and needs no test of its own for that.
"""

from __future__ import annotations

import ast
from pathlib import Path

import mpmath
import numpy as np
import pytest

import dpbandits.reference.curves as package
from dpbandits import QUICK, Approximate, Gaussian
from dpbandits.audit.claims.statements import curve_parts
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.instances import audit_one
from dpbandits.proofs_checks.exact.shifted_noise import NormalShift
from dpbandits.proofs_checks.vocabularies.precise import mp
from dpbandits.reference.claims.model import Claim, Private, Source, Verdict
from dpbandits.reference.curves import Concentrated, Curve, Family, Renyi, derived
from dpbandits.reference.curves.curve import REQUIRED_METHODS, NoGuarantee, require_curve

EXAMPLES: list[Curve] = [
    Approximate(1.0),
    Approximate(0.7, 0.02),
    Gaussian(0.9),
    Family(lambda m, delta: 1 + m.log(1 / delta) / 4, 1e-6, 0.5),
    Renyi(lambda m, alpha: m.number("0.3") * alpha),
    Concentrated(0.3),
]
ROUNDING = 1e-9  # of probabilities and of numbers near 1, after some tens of roundings
EPS = np.linspace(0.0, 6.0, 61)
ALPHA = np.linspace(0.001, 0.999, 201)
every_curve = pytest.mark.parametrize("curve", EXAMPLES, ids=lambda curve: str(derived.guarantee_name(curve)))


def test_every_curve_has_an_example() -> None:
    files = Path(package.__file__).parent.glob("*.py")
    classes = [node for path in files for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
    promising = {
        each.name for each in classes if "implied_approximate_dp" in {getattr(beat, "name", "") for beat in each.body}
    }
    without = promising - {"Curve", *(type(example).__name__ for example in EXAMPLES)}
    assert not without, f"give {without} an example in EXAMPLES"


@every_curve
def test_it_has_seven_methods_and_a_hash(curve: Curve) -> None:
    require_curve(curve)
    assert isinstance(hash(curve), int)
    for beat in REQUIRED_METHODS:
        lacking = type("Lacking", (), {other: None for other in REQUIRED_METHODS if other != beat})()
        with pytest.raises(ValueError, match=f"is not a privacy curve, because it has no `{beat}`; give one of"):
            require_curve(lacking)


def test_former_method_names_still_work_and_warn() -> None:
    former = {"points": 1, "called": 2, "shown": 3, "shapes": 4, "delta_at": 5, "bounds": 6, "promised": 7}
    curve = type("Former", (), former)()
    with pytest.warns(
        DeprecationWarning, match="Former.points is deprecated; rename this method to `claimed_parameters`"
    ):
        require_curve(curve)
    assert [getattr(curve, name) for name in REQUIRED_METHODS] == list(range(1, 8))


def test_no_claim_of_a_curve_that_lacks_a_method_is_judged_or_written() -> None:
    """Without `implied_approximate_dp`, nothing but the certificates would be missing, and nobody would be told."""
    lacking = type("Lacking", (), dict.fromkeys(REQUIRED_METHODS[:-1]))()
    says = Private("pull", "arms", lambda policy: lacking)
    claim = Claim("toy/claim", Source("toy", "1", "A claim"), says, expect=Verdict.CONSISTENT)
    for judged in (
        lambda: audit_one(claim, says, None, Run(QUICK, seed=0, level=1e-6), "one"),
        lambda: curve_parts(lacking),
    ):
        with pytest.raises(ValueError, match="it has no `implied_approximate_dp`"):
            judged()


def test_what_cannot_be_hashed_is_no_curve() -> None:
    with pytest.raises(ValueError, match=r"cannot be hashed; make its class a @dataclass\(frozen=True\)"):
        require_curve(type("Loose", (), {**dict.fromkeys(REQUIRED_METHODS), "__hash__": None})())


@every_curve
def test_its_shapes_show_no_more_than_it_promises(curve: Curve) -> None:
    numbers, at = (each[:: max(1, len(each) // 9)] for each in curve.claimed_parameters())
    for errors in curve.extremal_mechanisms.values():
        # An error of 0 beside one of 1 - delta, rounded down, would show an infinite eps.
        alpha, beta = (each + 1e-12 for each in errors(numbers, at))
        assert (curve.implied_parameter(alpha, beta, at[:, None]) <= numbers[:, None] * (1 + ROUNDING) + ROUNDING).all()


@every_curve
def test_larger_errors_than_it_allows_keep_its_number_and_smaller_ones_do_not(curve: Curve) -> None:
    """By a twentieth: what a grid of eps costs a curve that knows no closed form of its beta."""
    numbers, at = curve.claimed_parameters()
    beta = derived.beta_at(curve, ALPHA)
    alpha, some = ALPHA[:, None], beta > ROUNDING
    assert (curve.implied_parameter(alpha, 1.05 * beta[:, None] + ROUNDING, at) <= numbers).all()
    assert (curve.implied_parameter(alpha[some], 0.95 * beta[some, None], at) > numbers).any(axis=1).all()


@every_curve
def test_shown_falls_in_both_errors(curve: Curve) -> None:
    _, at = curve.claimed_parameters()
    errors = np.array([0.001, 0.02, 0.2, 0.4, 0.7, 0.97])
    shown = curve.implied_parameter(errors[:, None, None], errors[:, None], at)
    assert (np.diff(shown, axis=0) <= ROUNDING).all()
    assert (np.diff(shown, axis=1) <= ROUNDING).all()


@every_curve
def test_its_delta_falls_and_leaves_the_errors_that_it_allows(curve: Curve) -> None:
    """1 - delta - e^eps alpha <= beta: for a curve that knows both in closed form, its largest over eps is beta."""
    delta = curve.delta_at(EPS)
    assert ((delta >= 0) & (delta <= 1)).all()
    assert (np.diff(delta) <= ROUNDING).all()
    dual = 1 - delta - np.exp(EPS) * ALPHA[:, None]
    assert (dual.max(axis=1) <= derived.beta_at(curve, ALPHA) + ROUNDING).all()


@every_curve
def test_what_it_is_quoted_with_is_promised(curve: Curve) -> None:
    """At no eps a smaller delta than delta_at, and a larger one with slack."""
    for at in (0.0, 0.5, 1.0, 3.0):
        for delta in ("1e-06", "0.5"):  # ends of the family, which delta_at knows at some deltas alone
            try:
                with mpmath.workdps(30):
                    eps, quoted = curve.implied_approximate_dp(mp, mp.number(at), mp.number(delta), mp.number(0))
                    more, larger = curve.implied_approximate_dp(mp, mp.number(at), mp.number(delta), mp.number("0.1"))
            except NoGuarantee:
                continue
            assert float(quoted) >= float(curve.delta_at([float(eps) + ROUNDING])[0]) - ROUNDING
            assert more >= eps
            assert larger >= quoted


@every_curve
@pytest.mark.parametrize("moved", [0.05, 0.5, 0.9, 1.5, 4.0])
def test_a_pair_whose_delta_is_too_large_does_not_keep_its_number(curve: Curve, moved: float) -> None:
    exact = NormalShift(moved)
    bounds = curve.bounds(exact)
    assert bounds.low <= bounds.high
    if (exact.delta(EPS)[0] > curve.delta_at(EPS) + ROUNDING).any():
        assert bounds.high > bounds.claimed
