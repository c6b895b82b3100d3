"""The ledger of tao22: its formulas judged, its repairs beside its refutations, and numbers by other means."""

from __future__ import annotations

import re

import numpy as np
import pytest
from fits import laplace_sum_tail
from scipy import stats

from dpbandits import Bernoulli, Finding, Verdict
from dpbandits.audit.claims.deduction import apply_theorems, premises_first
from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.audit.claims.statements import statement
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.formulas.algebra.real_powers import equal_powers
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.methods import judge_by_methods
from dpbandits.proofs_checks.papers.tao22 import pictures
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.model import (
    ESTABLISHED_VERDICTS,
    Basis,
    Harm,
    Identity,
    Inequality,
    Reading,
    Real,
    Stated,
    Unjudged,
)
from dpbandits.reference.papers.tao22 import DPRSE, DPRUCB, LDPRSE
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.arms import S_1, S_3, section_6
from dpbandits.reference.papers.tao22.claims import CLAIMS
from dpbandits.reference.papers.tao22.section_4_theorem_4 import theorem_4_explicit
from dpbandits.reference.papers.tao22.section_6 import first_epoch_3, first_epoch_4

LEMMAS = proofs_of("tao22")

LEDGER = {claim.id: claim for claim in CLAIMS}
REFUTED = [claim for claim in CLAIMS if claim.expect is Verdict.REFUTED]
POWER_BY_LOGARITHM = re.compile(r"exp\([^()]*(\([^()]*\)[^()]*)*\* log\(")
UNREADABLE = re.compile(r"\b(?!log|exp|sqrt|ncdf)\w{3,}\(")  # a name in the place of a formula


@pytest.mark.parametrize(
    "claim", [claim for claim in REFUTED if isinstance(claim.says, Inequality | Identity)], ids=lambda claim: claim.id
)
@pytest.mark.first(6)
def test_refuted_formulas_come_with_certificates_that_verify(claim):
    finding = judge_by_methods(claim, Effort(points=2000, rounds=10, boxes=0))
    assert finding.verdict is Verdict.REFUTED
    certificates = [item["certificate"] for item in finding.evidence if item["kind"] == "certificate"]
    assert certificates
    assert all(verify(each).ok for each in certificates)


def test_statements_in_words_have_arguments():
    """And what has an argument besides is a formula, which is decided all the same."""
    stated = {claim.id for claim in CLAIMS if isinstance(claim.says, Stated)}
    assert stated
    assert stated <= set(LEMMAS) <= {claim.id for claim in CLAIMS}


def test_every_refutation_says_what_is_wrong_and_what_it_costs():
    for claim in CLAIMS:
        assert (claim.fault is not None) == (claim.harm is not None) == (claim.expect is Verdict.REFUTED), claim.id
    assert all(claim.note for claim in REFUTED if claim.harm is not Harm.NONE)


def test_guarantees_that_fail_are_repaired():
    """Beside each of them stands a claim that is shown."""
    repairs = {
        "tao22/introduction/ldp-optimal": "tao22/theorem-7/rate",
        "tao22/remark-3": "tao22/theorem-11/raised",
        "tao22/remark-4": "tao22/theorem-9/raised",
        "tao22/table-1/ldp-upper": "tao22/theorem-7/rate",
        "tao22/table-1/ldp-independent-upper": "tao22/theorem-7/rate",
        "tao22/lemma-2/privacy": "tao22/lemma-2/privacy/repaired",
        "tao22/lemma-2/privacy/natural": "tao22/lemma-2/privacy/repaired",
        "tao22/theorem-7": "tao22/theorem-7/rate",
        "tao22/theorem-7/independent": "tao22/theorem-7/rate",
        "tao22/algorithm-4/err": "tao22/theorem-7/rate",
        "tao22/algorithm-4/regret": "tao22/theorem-7/rate",
        "tao22/lemma-13/first-epoch": "tao22/lemma-13/repaired",
    }
    assert {claim.id for claim in REFUTED if claim.harm is Harm.GUARANTEE} == set(repairs)
    for name in repairs.values():
        assert LEDGER[name].expect in ESTABLISHED_VERDICTS
        assert LEDGER[name].reading in (Reading.REPAIRED, Reading.OURS)


def after_theorems(lost=()):
    """The findings after all theorems, where every formula and argument came out as the ledger says, but for `lost`."""
    own = {}
    for claim in premises_first(CLAIMS, {}):
        direct = claim.expect if isinstance(claim.says, Stated | Inequality | Identity) else Verdict.UNSUPPORTED
        direct = Verdict.CONSISTENT if claim.id in lost else direct
        own[claim.id] = Finding(claim.id, direct, "", rests_on=(Basis.WORDS,) if direct is Verdict.ARGUED else ())
    return apply_theorems(premises_first(CLAIMS, {}), own)


def test_theorems_follow_and_contradict_nothing():
    found, contradictions = after_theorems()
    assert contradictions == {}
    for claim in CLAIMS:
        if claim.follows:
            assert found[claim.id].verdict is claim.expect, claim.id


@pytest.mark.parametrize(
    ("lost", "fallen"),
    [
        ("tao22/theorem-3/mean", "tao22/theorem-3"),
        ("tao22/theorem-6/range", "tao22/theorem-6"),
        ("tao22/lemma-4/repaired", "tao22/table-1/dp-upper"),
        ("tao22/lemma-13/half-gap", "tao22/theorem-7/rate"),
        ("tao22/lemma-4/repaired", "tao22/lemma-4"),
        ("tao22/lemma-12/sharp", "tao22/theorem-10"),
        ("tao22/lemma-12/small-eps/exponent", "tao22/theorem-5"),
        ("tao22/lemma-15/sharp", "tao22/lemma-15"),
        ("tao22/lemma-15/sharp", "tao22/theorem-7/no-algorithm"),
        ("tao22/theorem-9/raised/exponent", "tao22/theorem-7/independent/no-algorithm"),
    ],
)
def test_theorems_fall_with_what_they_rest_on(lost, fallen):
    assert after_theorems((lost,))[0][fallen].verdict not in ESTABLISHED_VERDICTS


def test_every_lemma_and_theorem_is_judged_as_it_is_printed():
    """A step of its proof, or a repaired one, is another statement."""
    judged = {claim.source.where for claim in CLAIMS if claim.reading is Reading.PRINTED}
    numbered = [f"Lemma {k}" for k in range(1, 16)] + [f"Theorem {k}" for k in range(1, 12)]
    assert [name for name in numbered if not any(re.match(rf"{name}\b", where) for where in judged)] == []


def test_every_claim_says_what_it_is_about():
    """The sentence as printed, with the words that its formulas stand in, and the statement that is judged."""
    for claim in CLAIMS:
        assert len(re.findall(r"[A-Za-z]{2,}", claim.source.quote)) >= 3, claim.id
        if isinstance(claim.says, Stated):
            assert len(claim.says.words) > 20, claim.id
            assert "argument" not in claim.says.words, claim.id
    formulas = [claim for claim in CLAIMS if isinstance(claim.says, Inequality | Identity)]
    lines = {claim.id: statement(claim) for claim in formulas}
    unread = {name: line for name, line in lines.items() if UNREADABLE.search(line)}
    assert unread == {"tao22/theorem-1/natural": "summed_shares(k, v) <= log(2**k + 1) for integer k >= 1, 0 < v <= 1"}
    assert "summed_shares(k, v) = sum_{j < k} " in LEDGER["tao22/theorem-1/natural"].scope
    assert lines["tao22/section-6/S-2"].startswith(
        "0.05 * (1 - 5)**2 + 0.1 = 0.9 for a = 1; 0.05 * (2 - 5)**2 + 0.1 = 0.55 for a = 2; "
    )
    assert {name: line for name, line in lines.items() if POWER_BY_LOGARITHM.search(line)} == {}


EVERYWHERE = {"v", "u", "T", "K", "eps"}  # what the whole paper writes so
SPELLED = {"gap": "Delta", "mean": "mu", "tv": "TV"}


def test_every_letter_of_a_formula_is_the_papers_or_explained():
    """A letter that the printed sentence does not have is explained in the scope."""
    unexplained, seen = set(), 0
    for claim in CLAIMS:
        if isinstance(claim.says, Inequality | Identity):
            for name in claim.says.over.keys() - EVERYWHERE:
                letter = rf"(?<![A-Za-z]){SPELLED.get(name, name)}(?![A-Za-z])"
                seen += 1
                if not re.search(letter, f"{claim.source.quote} {claim.scope}"):
                    unexplained.add((claim.id, name))
    assert seen > 60
    assert unexplained == set()


BEYOND_FORMULAS = re.compile(
    r"-DP\b|[Dd]ifferential(ly)? priva|[Pp]rivacy\b|\bprivate\b|\b[Rr]egret\b|\b[Pp]robab|w\.p\.|\bR_T\b|\bKL\("
    r"|\b(P|E)[\[({_]"
)


def test_a_proved_formula_about_a_guarantee_is_one_step_of_it():
    """A line of algebra is no probability bound and no promise: where the sentence speaks of these, a formula that is
    proved is never read as the sentence itself."""
    seen = 0
    for claim in CLAIMS:
        if isinstance(claim.says, Inequality | Identity) and claim.expect is Verdict.PROVED:
            beyond = BEYOND_FORMULAS.search(claim.source.quote)
            assert claim.reading is not Reading.PRINTED or not beyond, claim.id
            seen += bool(beyond)
    assert seen > 20


def test_bernstein_with_delta_for_both_sides_fails_for_two_fair_signs():
    """At the certified point, counted over all four outcomes; one side alone holds there."""
    finding = judge_by_methods(LEDGER["tao22/lemma-6/both-sides"], Effort(points=2000, rounds=10, boxes=0))
    (certificate,) = [item["certificate"] for item in finding.evidence if item["kind"] == "certificate"]
    delta = float(certificate["variables"]["delta"])
    n, u, v, T = 2, 1, 1, 10
    eps, L = np.log(T) ** 1.5, -np.log(delta)
    B = [(eps * u * i / np.log(T) ** 1.5) ** (1 / (1 + v)) for i in (1, 2)]
    bound = np.sqrt(2 * B[-1] ** (1 - v) * u * L / n) + B[-1] * L / (3 * n)
    rewards = np.array([[x, y] for x in (-1, 1) for y in (-1, 1)])
    means = np.where(np.abs(rewards) <= B, rewards, 0).mean(axis=1)
    assert (np.abs(rewards) ** (1 + v)).mean(axis=0).max() <= u
    assert (np.abs(means) > bound).mean() > delta >= (means > bound).mean() > 0


def test_errors_are_counted_once():
    """Eight claims tell the rate of the local model, and the step at which it goes wrong is a ninth."""
    twins = {}
    for claim in REFUTED:
        twins.setdefault(claim.same_error_as or claim.id, []).append(claim.id)
    assert len(twins["tao22/theorem-7"]) == 9
    assert len(twins["tao22/lemma-4/power-of-u"]) == 5
    assert len(twins["tao22/theorem-5/letter"]) == 5
    assert (len(REFUTED), len(twins)) == (58, 33)


def test_what_has_no_judge_says_why():
    for claim in CLAIMS:
        if isinstance(claim.says, Unjudged):
            assert claim.expect is Verdict.UNSUPPORTED
            assert claim.says.because


# -- numbers that notes quote ----------------------------------------------------------------------------------------


def test_sums_of_laplace_variables():
    """Two and three of them, by numerical convolution."""
    law, grid = stats.laplace(), np.linspace(-40, 40, 200_001)
    for x in (0.3, 0.7265, 4.0):
        two = np.trapezoid(law.pdf(grid) * law.sf(x - grid), grid)
        assert 2 * two == pytest.approx(float(f.two_laplace_tail(doubles, x)), rel=1e-6)
        rest = np.abs(x - grid)
        above = f.two_laplace_tail(doubles, rest) / 2
        three = np.trapezoid(law.pdf(grid) * np.where(grid < x, above, 1 - above), grid)
        assert three == pytest.approx((8 + 5 * x + x * x) / 16 * np.exp(-x), rel=1e-6)
    x = np.sqrt(np.log(3)) * np.log(2)
    assert f.two_laplace_tail(doubles, x) == pytest.approx(0.659, abs=5e-4)
    assert f.two_laplace_tail(doubles, np.sqrt(np.log2(3)) * np.log(2)) == pytest.approx(0.600, abs=5e-4)


def test_what_lemmas_3_and_11_leave_to_the_noise_is_enough():
    """The room of the proof of Lemmas 3 and 11 with the exact powers of v, against the exact tail of as many Laplace
    variables as a tree can add up."""

    def spare(width, v, log, needed):
        """How much of the claimed bound is left, in units of the noise's scale."""
        bound = 18 * width ** (v / (1 + v)) * log ** (1 / (1 + v))
        sampling = np.sqrt(2 * needed / log**1.5) + needed / (3 * log**1.5)
        return np.sqrt(log) / 2 * (bound - (1 + v) - sampling)

    for v in (0.01, 0.3, 1.0):
        for T in (3, 4, 5, 7, 8, 16, 1000, 10**9):
            for delta in (0.499, 0.2, 1e-3, 1 / (2.0 * T**4)):
                left = spare(np.log(1 / delta), v, np.log(T), np.log(2 / delta))
                assert laplace_sum_tail(int(np.log2(T)), left) <= delta / 2, (v, T, delta)
        for t in (3, 4, 5, 8, 9, 1000, 10**9):
            for T in (t, 10 * t):
                left = spare(np.log(2.0 * t**4), v, np.log(T), np.log(2.0 * t**5))
                assert laplace_sum_tail(int(np.log2(t - 1)), left) <= 1 / (2.0 * t**5), (v, T, t)


def test_constants_in_the_notes():
    assert np.exp(-2 * np.sqrt(np.log(2 / 0.001))) == pytest.approx(0.004, abs=5e-4)  # Lemma 8, n = 1
    rate = max(2 * y + np.log(1 - y * y) for y in np.linspace(0.01, 0.99, 9801))
    assert rate == pytest.approx(0.755, abs=1e-3)  # Lemma 8 at n = log(2/beta)
    for eps, holds in ((2.40, True), (2.42, False)):
        assert (np.sqrt(2 * eps) + eps / 3 + 1 <= 4) == holds  # Lemma 4
    for eps, holds in ((2.9, True), (3.0, False)):
        assert (np.expm1(eps) <= 6 * eps) == holds  # Lemma 12 for small d_TV
    assert 2 / np.sqrt(np.log(2)) == pytest.approx(2.40, abs=5e-3)  # (13) at delta = 1/2, v = 1
    arms = section_6(S_3, 0.9)
    narrowest = DPRUCB(5, 10_000, 1.0, 0.9, arms.moment(1.9)).width(2000.0, 10_000)  # after round robin
    assert narrowest > 160 * (max(S_3) - min(S_3))  # Figure 4
    q = 1 / (1 + np.array([0.2926, 0.2928]))
    assert ((1 + 2.0**-q > np.log2(3)) == [False, True]).all()  # Theorem 1 at T = 3
    assert 7 * 10 * 0.12**2 > 1 > 7 * 10 * 0.119**2  # Theorem 8


def test_how_long_the_first_epochs_are():
    for name, pulls, all_eps in pictures.FIRST_EPOCHS:
        for eps in all_eps:
            horizon = pictures.first_horizon(pulls, 0.9, eps)
            make = DPRSE if name == "DPRSE" else LDPRSE
            policy = make(5, round(horizon), eps, 0.9, section_6(S_1, 0.9).moment(1.9))
            length = policy.numbers(np.array([1]), np.ones((1, 5), dtype=bool)).length[0, 0]
            assert 5 * length == pytest.approx(horizon, rel=1e-5)
    assert first_epoch_3(doubles, 0.5, 1.0, 1e8) == pytest.approx(3.71e8, rel=0.01)
    assert first_epoch_3(doubles, 0.9, 1.0, 1e6) == pytest.approx(3.06e6, rel=0.01)
    assert first_epoch_4(doubles, 0.9, 20.0, 1e9) == pytest.approx(1.45e10, rel=0.05)


def test_the_explicit_bound_of_theorem_4_has_its_preconditions():
    environment = Bernoulli((0.9, 0.1))
    policy = DPRSE(2, 10**9, 1.0, 1.0, 1.0)
    assert theorem_4_explicit.says.bound(policy, environment) == pytest.approx(56042.3, rel=1e-5)
    assert theorem_4_explicit.says.bound(DPRSE(2, 10**9, 1.5, 1.0, 1.0), environment) is None  # eps > 1
    assert theorem_4_explicit.says.bound(DPRSE(2, 10**9, 1.0, 1.0, 0.5), environment) is None  # E X^2 > u


def test_the_algebra_of_powers_splits_numbers_into_primes():
    over = {"x": Real(0, np.inf)}
    assert equal_powers(lambda m, x: m.sqrt(24 * x), lambda m, x: 2 * m.sqrt(m.number(6)) * m.sqrt(x), over)
    assert equal_powers(lambda m, x: m.sqrt(x / 12), lambda m, x: m.sqrt(3 * x) / 6, over)
    assert not equal_powers(lambda m, x: m.sqrt(24 * x), lambda m, x: 2 * m.sqrt(m.number(7)) * m.sqrt(x), over)
    assert equal_powers(lambda m, x: m.sqrt(34 * x), lambda m, x: m.sqrt(m.number(17)) * m.sqrt(2 * x), over)
