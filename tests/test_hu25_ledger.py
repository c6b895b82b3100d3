"""The ledger of hu25: what follows from what, whose words a claim has, and the parameter of TS-Gaussian as quoted."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import mpmath
import numpy as np
import pytest

from dpbandits import Finding, Verdict
from dpbandits.audit.claims.deduction import apply_theorems, premises_first
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.search_or_prove import search_or_prove
from dpbandits.proofs_checks.papers.hu25 import section_3, section_4_3_theorem_4_4
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import (
    ESTABLISHED_VERDICTS,
    AtMost,
    Basis,
    Consequence,
    Identity,
    Inequality,
    Ordering,
    Private,
    Reading,
    Real,
    Unjudged,
    Whole,
    expectations,
    expected,
)
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.claims import CLAIMS

LEDGER = {claim.id: claim for claim in CLAIMS}
mp = mpmath.mp.clone()
mp.dps = 40


def own_verdicts():
    """What the judges find without the theorems, as other tests show."""
    own = {}
    for claim in premises_first(CLAIMS, ledger().by_id):
        if isinstance(claim.says, Ordering):
            continue
        if isinstance(claim.says, Unjudged | Consequence):
            verdict = Verdict.UNSUPPORTED
        elif isinstance(claim.says, Private | AtMost):
            verdict = Verdict.REFUTED if claim.expect is Verdict.REFUTED else Verdict.CONSISTENT
        else:
            verdict = expected(claim, "quick")
        words = (Basis.WORDS,) if verdict is Verdict.ARGUED else ()
        own[claim.id] = Finding(claim.id, verdict, "", rests_on=words)
    return own


def after_theorems(**lost):
    own = own_verdicts() | {name: Finding(name, verdict, "") for name, verdict in lost.items()}
    return apply_theorems([claim for claim in premises_first(CLAIMS, ledger().by_id) if claim.id in own], own)


def test_what_is_expected_to_be_proved_is_proved_once_the_theorems_are_used():
    found, contradictions = after_theorems()
    assert contradictions == {}
    shown = {claim.id: expected(claim, "quick") for claim in CLAIMS if expected(claim, "quick") in ESTABLISHED_VERDICTS}
    assert shown == {name: found[name].verdict for name in shown}
    assert "hu25/theorem-4.4" in shown


@pytest.mark.parametrize(
    ("lost", "fallen"),
    [
        (
            "hu25/theorem-4.4/every-run",
            ["hu25/theorem-4.4", "hu25/theorem-4.6", "hu25/corollary-4.5/alpha-0", "hu25/table-1/dp-ts-ucb"],
        ),
        ("hu25/theorem-4.4/sharp/every-run", ["hu25/theorem-4.4/sharp"]),
        (
            "hu25/section-3/m-ts-gaussian/every-run",
            ["hu25/section-3/ts-gaussian/sharp", "hu25/section-3/m-ts-gaussian/one-more"],
        ),
        (
            "hu25/lemma-c.1/72",
            [
                "hu25/theorem-4.2/explicit",
                "hu25/theorem-4.2/worst-case",
                "hu25/corollary-4.3",
                "hu25/table-1/regret-alpha-1",
            ],
        ),
    ],
)
def test_theorems_fall_with_what_they_rest_on(lost, fallen):
    found, _ = after_theorems(**{lost: Verdict.CONSISTENT})
    assert all(found[name].verdict not in ESTABLISHED_VERDICTS for name in fallen)


def test_every_claim_quotes_a_sentence_of_the_paper():
    assert [claim.id for claim in CLAIMS if not claim.source.quote] == []
    words = ("the same", "no parameter", "what ")
    assert [claim.id for claim in CLAIMS if claim.source.quote.startswith(words)] == []


def closed_ends(over):
    """The corners of a domain: an inner point where an end is open or infinite."""
    for name, values in over.items():
        if isinstance(values, Real):
            ends = {values.low, values.high} if values.closed else set()
            inner = values.low + (1 if np.isinf(values.high) else (values.high - values.low) / 2)
            yield name, [*(end for end in ends if np.isfinite(end)), inner if np.isfinite(inner) else 0.5]
        else:
            yield name, [values.low] if isinstance(values, Whole) else values.values


@pytest.mark.parametrize("claim", [c for c in CLAIMS if isinstance(c.says, Identity | Inequality)], ids=lambda c: c.id)
@pytest.mark.first(40)
def test_both_sides_have_a_value_wherever_a_claim_is_made(claim):
    names, ends = zip(*closed_ends(claim.says.over), strict=True) if claim.says.over else ((), ())
    for corner in product(*ends):
        point = dict(zip(names, (np.float64(x) for x in corner), strict=True))
        with np.errstate(divide="ignore", invalid="ignore"):
            if all(left(doubles, **point) <= right(doubles, **point) for left, right in claim.says.given):
                assert np.isfinite([claim.says.left(doubles, **point), claim.says.right(doubles, **point)]).all(), point


def test_every_refutation_says_what_it_costs_or_how_it_is_repaired():
    assert all(len(claim.note) > 60 for claim in CLAIMS if Verdict.REFUTED in expectations(claim))


# -- TS-Gaussian as quoted -------------------------------------------------------------------------------------------


def quantile_gap(horizon):
    """Phi^-1(2^-(T-2)) - Phi^-1(product of Phi(-1/sqrt(1+1/n))), to 40 digits."""
    chance = mp.mpf(1)
    for n in range(1, horizon - 1):
        chance *= mp.ncdf(-1 / mp.sqrt(1 + mp.mpf(1) / n))

    def quantile(p):
        return mp.findroot(lambda x: mp.log(mp.ncdf(x)) - mp.log(p), -mp.sqrt(-2 * mp.log(p)))

    return quantile(mp.mpf(2) ** (2 - horizon)) - quantile(chance)


@pytest.mark.parametrize(("horizon", "gap"), [(41, "4.52666"), (42, "4.58608"), (50, "5.03693"), (100, "7.25405")])
def test_one_transcript_passes_the_printed_parameter_from_42_on(horizon, gap):
    found = quantile_gap(horizon)
    assert mp.nstr(found, 6) == gap
    assert (found > mp.sqrt(mp.mpf(horizon) / 2)) == (horizon >= 42)
    assert found < mp.sqrt(horizon - 2)  # composition


@pytest.mark.parametrize("name", ["hu25/section-3/ts-gaussian", "hu25/section-3/m-ts-gaussian"])
def test_the_certificate_of_the_transcript_verifies(name):
    finding = search_or_prove(LEDGER[name], Effort(), 0)
    assert finding.verdict is Verdict.REFUTED
    assert all(verify(item["certificate"]).ok for item in finding.evidence if item["kind"] == "certificate")


def test_m_ts_gaussian_is_refuted_to_the_letter_alone():
    """Where TS-Gaussian's pull of each arm comes before the b, the printed parameter is what composition gives."""
    refuted, repaired = (LEDGER[f"hu25/section-3/m-ts-gaussian{name}"] for name in ("", "/one-more"))
    assert (refuted.reading, repaired.reading) == (Reading.LETTER, Reading.REPAIRED)
    for policy in (repaired.subject(**each) for each in repaired.params):
        b, c, rounds = policy.first - 1, policy.variance, policy.horizon - policy.arms * policy.first
        printed = (policy.horizon / (c * (b + 1))) ** 0.5
        assert repaired.says.curve(policy).mu == pytest.approx(printed)
        assert rounds / (c * policy.first) < printed**2


def test_the_order_is_shown_and_no_more_than_it():
    """0.7 sqrt(T) at every T; 0.72 sqrt(T) is more than the transcript shows at T = 50 (0.7123)."""
    for horizon, power, alpha in section_3.never_again(50, 60):
        rate = float(quantile_gap(horizon)) / horizon**0.5
        for mu in (rate * 0.999, rate * 1.001):
            held = section_3.exceeds(power, alpha, section_3.m.number(mu * horizon**0.5))
            assert held == (mu < rate)
    assert section_3.beyond(200)
    assert not section_3.beyond(60)


def test_the_limit_of_the_transcript_bounds_what_the_argument_can_show():
    assert not section_3.beyond(10**9, "0.75")  # the limit is 0.7415


def test_the_chance_of_the_transcript_is_that_of_the_formula():
    for horizon, power, alpha in section_3.never_again(20, 21):
        assert float(np.log(f.always_other(doubles, horizon, 0))) == pytest.approx(float(power.middle), rel=1e-12)
        assert float(np.log(f.always_other(doubles, horizon, 1))) == pytest.approx(float(alpha.middle), rel=1e-12)


# -- each observation once ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Keeping(DPTSUCB):
    """Broken: an epoch's sum is never set back."""

    def learn(self, t, state, pulls, sums, noise):
        return super().learn(t, state, pulls, sums, noise)._replace(pending=state.pending + sums)


@dataclass(frozen=True)
class Unlimited(DPTSUCB):
    """Broken: samples cost no budget."""

    def learn(self, t, state, pulls, sums, noise):
        after = super().learn(t, state, pulls, sums, noise)
        return after._replace(left=np.full_like(after.left, self.phi))


@pytest.mark.thorough
def test_each_observation_enters_one_mean():
    finding = section_4_3_theorem_4_4.once(LEDGER["hu25/theorem-4.4/once"], Effort(), 0)
    assert finding.verdict is Verdict.ARGUED
    assert finding.rests_on == (Basis.WORDS,)  # it is played, and no interval is computed


@pytest.mark.parametrize("broken", [Keeping, Unlimited])
def test_an_algorithm_that_uses_observations_again_is_noticed(broken):
    finding = section_4_3_theorem_4_4.once(LEDGER["hu25/theorem-4.4/once"], Effort(), 0, make=broken)
    assert finding.verdict is Verdict.CONSISTENT
