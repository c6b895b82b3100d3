"""Section 4.3 and Appendix C of chen24: statements about every policy, tried on policies that hypothesis makes.

How to read this file if you learn property-based testing here. A property is a statement with a quantifier, and this
is how one earns trust in it:

1. Generate what the statement is about: `stoppings` draws policies of two and three rounds that are private for some
   eps, and n from 1 to T - 1. Edges have tests of their own: n = 0, n = T, and impossible steps.
2. Compare exactly. All chances are Fractions and privacy losses are ratios e^eps, so "equal" means equal.
3. Compute both sides in different ways: `pull_loss` lists tables as the definition says, `path_loss` does not.
4. Show that the property can fail: each one below is accompanied by a statement that is nearly the same and wrong, and
   the same search finds it out.
5. Count the examples at which it can fail: `nonvacuous_if` says what makes the statement more than 0 = 0, and the test
   fails where too few examples are of this kind.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, log
from random import Random

import pytest
from chen24_policies import SHAPES, few, instances, laws, many, stoppings, tiny_policies
from hypothesis import assume, given
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits import Verdict
from dpbandits.audit.claims.proofs import proofs_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.chen24 import appendix_c, section_4_3
from dpbandits.proofs_checks.papers.chen24 import enumeration as e
from dpbandits.proofs_checks.papers.chen24.evidence import tried
from dpbandits.reference.papers.chen24.claims import CLAIMS
from dpbandits.reference.papers.chen24.histories import (
    AUXILIARY,
    Tiny,
    by_pull,
    early_stopping,
    law,
    law_on_instance,
    tables,
)

LEMMAS = proofs_of("chen24")

LEDGER = {claim.id: claim for claim in CLAIMS}

# -- the machine itself ----------------------------------------------------------------------------------------------


@given(tiny_policies(((2, 1), (3, 1), *SHAPES), least=0), st.data())
@few
@pytest.mark.nonvacuous(10)
def test_chances_add_up_to_one(policy, data):
    table = data.draw(st.sampled_from(tables(policy, e.BITS)))
    assert sum(law(policy, by_pull(table)).values()) == 1
    assert sum(law_on_instance(policy, data.draw(instances(policy))).values()) == 1


@given(tiny_policies(((2, 1), (2, 2), (3, 1)), least=0), st.data())
@few
@pytest.mark.nonvacuous(5)
def test_an_instance_is_the_mixture_of_its_tables(policy, data):
    """law_on_instance draws a reward when it is looked at; here whole tables are drawn first."""
    instance = data.draw(instances(policy))
    mixed: dict = {}
    for table in tables(policy, e.BITS):
        weight = Fraction(1)
        for (arm, _), reward in table.items():
            weight *= instance[arm][reward]
        for seen, chance in law(policy, by_pull(table)).items():
            mixed[seen] = mixed.get(seen, 0) + weight * chance
    drawn = law_on_instance(policy, instance)
    nonvacuous_if(any(0 < chance < 1 for arm in policy.arms for chance in instance[arm].values()))
    assert {k: v for k, v in mixed.items() if v} == {k: v for k, v in drawn.items() if v}


@given(tiny_policies(), tiny_policies(least=0), st.integers(1, 3), st.integers(1, 2))
@few
@pytest.mark.nonvacuous(6)
def test_losses_by_paths_are_losses_by_tables(policy, loose, n, iota):
    stopped = early_stopping(policy, n, iota)
    nonvacuous_if(1 < e.pull_loss(stopped) < inf)
    for each in (policy, stopped, loose):
        assert e.path_loss(each) == e.pull_loss(each)


def test_a_loss_that_is_known():
    """Randomised response, n of them, and a policy that tells."""
    for n in (1, 2, 3):
        assert e.pull_loss(e.respondent(2, Fraction(7), n)) == e.path_loss(e.respondent(2, Fraction(7), n)) == 7
    assert e.pull_loss(e.one_time_pad()) == e.path_loss(e.one_time_pad()) == inf  # by the last reward alone
    deaf = Tiny((1, 2), 1, lambda history: {1: Fraction(1, 3), 2: Fraction(2, 3)})
    assert e.pull_loss(deaf) == 1


# -- Lemma 4.3 and Corollary 4.4 -------------------------------------------------------------------------------------


@given(stoppings())
@many
@pytest.mark.nonvacuous(30)
def test_lemma_4_3(case):
    """(20) for every single recommendation: the probability of a set of them is a sum. The event is computed here from
    the transcripts, and by `stopped_events`, on which the claim's finding rests."""
    policy, n, iota, instance = case
    stopped = early_stopping(policy, n, iota)
    sides = [
        tuple(
            sum(chance for seen, chance in law.items() if seen[-1] == label and seen[:-1].count(iota) < n)
            for law in (law_on_instance(policy, instance), law_on_instance(stopped, instance))
        )
        for label in policy.arms
    ]
    nonvacuous_if(case.changes(stopped) and all(left > 0 for left, _ in sides))
    assert all(left == right for left, right in sides)
    assert e.stopped_events(policy, instance, n, iota) == sides


@given(stoppings())
@many
@pytest.mark.nonvacuous(30)
def test_the_early_stopping_version_is_the_policy_cut_off(case):
    """(18) and (19), as a map of whole transcripts: all that follows the n-th pull of iota is replaced by arm 0, the
    recommendation as well."""
    policy, n, iota, instance = case
    expected: dict = {}
    for seen, chance in law_on_instance(policy, instance).items():
        times = [t for t, arm in enumerate(seen[:-1], start=1) if arm == iota]
        last = times[n - 1] if len(times) >= n else policy.horizon
        kept = seen if last == policy.horizon else seen[:last] + (AUXILIARY,) * (policy.horizon + 1 - last)
        expected[kept] = expected.get(kept, 0) + chance
    stopped = early_stopping(policy, n, iota)
    nonvacuous_if(case.changes(stopped))
    assert law_on_instance(stopped, instance) == expected


@given(stoppings())
@few
@pytest.mark.nonvacuous(10)
def test_a_last_pull_is_followed_by_no_pull_of_arm_0(case):
    """(19): for n = T or more the early stopping version is the policy, although N_iota can be n."""
    policy, _, iota, instance = case
    own = law_on_instance(policy, instance)
    nonvacuous_if(any(seen[:-1].count(iota) == policy.horizon for seen in own))
    for n in (policy.horizon, policy.horizon + 1):
        assert law_on_instance(early_stopping(policy, n, iota), instance) == own


@given(tiny_policies())
@few
@pytest.mark.nonvacuous(10)
def test_stopped_before_the_first_pull_it_pulls_and_recommends_arm_0(policy):
    laws_on_tables = [
        law(early_stopping(policy, 0, iota), by_pull(table)) for table in tables(policy, e.BITS) for iota in policy.arms
    ]
    assert laws_on_tables == [{(AUXILIARY,) * (policy.horizon + 1): 1}] * len(laws_on_tables)


def test_lemma_4_3_would_fail_with_one_pull_more():
    """{N_{iota,T} <= n} instead of {N_{iota,T} < n}: the same search finds a policy that stops too early."""
    found = [
        section_4_3.wrong_events(case, lambda seen, iota, n: seen[:-1].count(iota) <= n)
        for case in e.numbered(section_4_3.CASES, 0, e.LARGE)
    ]
    assert any("under pi" in each for each in found)


@given(stoppings())
@many
@pytest.mark.nonvacuous(30)
def test_corollary_4_4(case):
    """All policies here have a finite eps: so the corollary says something wherever the two policies differ."""
    policy, n, iota, _ = case
    before, after = e.stopped_losses(policy, n, iota)
    assert 1 <= after <= before < inf
    nonvacuous_if(before > 1 and case.changes(early_stopping(policy, n, iota)))


@given(stoppings(((2, 2), (2, 3))))
@few
@pytest.mark.nonvacuous(5)
def test_the_early_stopping_version_reads_n_rewards_of_iota(case):
    """It maps X^(n, iota), which has no more; by Definition 2.1 it is as private there as Corollary 4.4 says."""
    policy, n, iota, _ = case
    stopped = early_stopping(policy, n, iota)
    shortened = {
        frozenset(table.items()): law(stopped, by_pull(table))
        for table in (
            {(arm, k): reward for (arm, k), reward in table.items() if arm != iota or k <= n}
            for table in tables(policy, e.BITS)
        )
    }
    worst = max(
        (
            e.ratio(shortened[one], shortened[other])
            for one in shortened
            for other in shortened
            if len(one - other) == 1
        ),
        default=1,
    )
    nonvacuous_if(worst > 1)
    assert worst == e.path_loss(stopped) <= e.pull_loss(policy)


def test_corollary_4_4_is_no_equality():
    """ES(pi, 0, iota) looks at nothing; so an ES that is *as* private as pi would be a wrong statement."""
    assert e.stopped_losses(e.respondent(2, Fraction(7)), 0, 1) == (7, 1)


@given(stoppings(), st.integers(1, 3))
@many
@pytest.mark.nonvacuous(10)
def test_stopping_twice_is_stopping_once(case, m):
    """ES(ES(pi, n, iota), m, iota) = ES(pi, min(n, m), iota): a relation between three laws, of which we know none."""
    policy, n, iota, instance = case
    twice = early_stopping(early_stopping(policy, n, iota), m, iota)
    once = early_stopping(policy, min(n, m), iota)
    nonvacuous_if(n != m and case.changes(once))
    assert law_on_instance(twice, instance) == law_on_instance(once, instance)


def test_the_sentence_below_18_needs_rewards_that_are_not_there():
    """'ES pulls arm iota with certainty': on X^(n, iota) the (n+1)-th reward of iota does not exist."""
    policy = e.respondent(2, Fraction(7), 2)
    shortened = {(1, 1): Fraction(1), (2, 1): Fraction(0), (2, 2): Fraction(0)}
    assert law(early_stopping(policy, 1, 1), by_pull(shortened)) == {(1, 0, 0): 1}
    with pytest.raises(KeyError):
        law(policy, by_pull(shortened))  # what goes on pulling iota


@pytest.mark.parametrize(("n", "iota"), [(-1, 1), (1, 3), (1, 0)])
def test_an_early_stopping_policy_needs_an_arm_and_a_number(n, iota):
    with pytest.raises(ValueError, match="ES: n = "):
        early_stopping(e.respondent(2, Fraction(2)), n, iota)


def test_the_total_variation_of_two_laws():
    """Half the sum of differences: 1 of laws that share no value, and the difference of two Bernoulli means."""
    one, other = ({Fraction(0): 1 - share, Fraction(1): share} for share in (Fraction(1, 3), Fraction(3, 4)))
    assert e.total_variation(one, other) == Fraction(5, 12)
    assert e.total_variation(one, one) == 0
    assert e.total_variation({Fraction(0): Fraction(1)}, {Fraction(1, 2): Fraction(1)}) == 1


# -- Lemma 4.5 -------------------------------------------------------------------------------------------------------


@given(stoppings(), laws)
@many
@pytest.mark.nonvacuous(15)
def test_lemma_4_5_exact(case, changed):
    policy, n, iota, one = case
    other = {**one, iota: changed}
    mechanism = early_stopping(policy, n, iota)
    base = e.path_loss(mechanism)
    distance = e.total_variation(one[iota], other[iota])
    found = e.instance_ratio(mechanism, one, other)
    nonvacuous_if(distance > 0 and found > 1)  # the two laws of arm iota differ, and its rewards matter
    assert base < inf
    assert found <= (1 + distance * (base - 1)) ** n
    assert base > 18 or e.at_most_power(found, Fraction(base), 6 * n * distance)  # 18 = e^2.89


@given(st.integers(2, 10**6), st.integers(1, 3), st.fractions(Fraction(1, 99), 1, max_denominator=99))
@few
@pytest.mark.nonvacuous(12)
def test_lemma_4_5_is_attained(base, n, share):
    """So neither the exact factor nor the constant 6 can be lowered: e^{c eps n TV} fails for c < (e^eps - 1)/eps."""
    mechanism = early_stopping(e.respondent(3, Fraction(base), n), n, 1)
    pair = section_4_3.bernoulli(share, 3), section_4_3.bernoulli(Fraction(0), 3)
    assert e.path_loss(mechanism) == base
    found = e.instance_ratio(mechanism, *pair)
    assert found == (1 + share * (base - 1)) ** n
    assert not e.at_most_power(found, Fraction(base), Fraction(1, 2) * n * share)


@pytest.mark.parametrize(("base", "holds"), [(2, True), (18, True), (19, False), (100, False)])
def test_the_printed_constant_holds_up_to_eps_2_91(base, holds):
    """e^eps = 18.51 is where e^eps - 1 = 6 eps; TV is small, where the statement is tightest."""
    share = Fraction(1, 600)
    pair = section_4_3.bernoulli(share, 3), section_4_3.bernoulli(Fraction(0), 3)
    found = e.instance_ratio(e.respondent(3, Fraction(base)), *pair)
    assert e.at_most_power(found, Fraction(base), 6 * share) is holds
    assert (log(base) < 2.9182) is holds


def test_the_search_of_lemma_4_5_sees_a_wrong_constant():
    """On random policies, without a thought about which: e^{eps n TV/2} is found out."""
    cases = list(e.numbered(30, 0))
    assert not any(section_4_3.wrong_ratio(case) for case in e.numbered(30, 0))
    assert any(section_4_3.wrong_ratio(case, Fraction(1, 2)) for case in cases)


def test_cases_of_which_the_lemma_says_nothing_are_not_counted():
    """Some random policies are private for no eps."""
    said = {section_4_3.wrong_ratio(case) for case in e.numbered(12, 0)}
    assert said == {None, ""}
    finding = tried(CLAIMS[0], "words", range(7), lambda case: "" if case % 3 else None, "cases")
    assert finding.evidence[0]["text"].startswith("Held for 4 cases")
    assert tried(CLAIMS[0], "words", range(7), lambda case: None, "cases").verdict is Verdict.NOT_EXERCISED
    assert "number 5" in tried(CLAIMS[0], "", range(7), lambda case: "wrong" if case == 4 else None, "cases").summary


@given(
    st.fractions(1, 50, max_denominator=99),
    st.fractions(0, 50, max_denominator=99),
    st.fractions(0, 3, max_denominator=12),
)
@many
@pytest.mark.nonvacuous(15)
def test_powers_are_compared_exactly(value, base, exponent):
    assume(base > 0)
    distance = log(value) - float(exponent) * log(base)
    assume(abs(distance) > 1e-9)
    nonvacuous_if(exponent > 0 and base != 1 and value != 1)
    assert e.at_most_power(value, base, exponent) is (distance < 0)


# -- Appendix C ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [appendix_c.wrong_dual, appendix_c.wrong_pulls, section_4_3.wrong_losses])
def test_policies_that_are_private_for_no_eps_are_not_counted(wrong):
    """A statement that begins with 'if pi is eps-DP' says nothing about them."""
    assert wrong((e.one_time_pad(), Random(0))) is None
    assert wrong((e.respondent(3, Fraction(2)), Random(0))) == ""


@given(tiny_policies(((2, 2),)))
@few
@pytest.mark.nonvacuous(5)
def test_corollary_c_6(policy):
    """More than the paper says: the two losses are the same number."""
    nonvacuous_if(1 < e.pull_loss(policy) < inf)
    assert e.pull_loss(policy) == e.dual_loss(policy)


@given(tiny_policies(((2, 2),)))
@few
@pytest.mark.nonvacuous(5)
@pytest.mark.thorough
def test_corollary_c_3_given_the_prefix(policy):
    nonvacuous_if(1 < e.dual_loss(policy) < inf)
    assert e.suffix_loss(policy, given_the_prefix=True) == e.dual_loss(policy)
    assert e.suffix_loss(policy, given_the_prefix=False) <= e.dual_loss(policy)  # 'only if'


def test_corollary_c_3_as_printed():
    assert e.suffix_loss(e.one_time_pad(), given_the_prefix=False) == 1
    assert e.dual_loss(e.one_time_pad()) == inf


def test_the_search_of_appendix_c_sees_less_private_duals():
    """Duals that lose as much as two changed entries do."""
    cases = list(e.numbered(appendix_c.CASES, 0, e.TABLES))
    assert not any(map(appendix_c.wrong_dual, cases))
    assert any(appendix_c.wrong_dual(case, lambda policy: e.dual_loss(policy) ** 2) for case in cases)
    claim = LEDGER["chen24/corollary-c.3"]
    private = appendix_c.corollary_c_3(claim, Effort(), 0, make=lambda: e.respondent(2, Fraction(2)))
    assert private.verdict is Verdict.CONSISTENT


def test_random_policies_do_not_depend_on_the_order_of_questions():
    one, other = (e.random_policy(Random(3), 2, 2) for _ in range(2))
    assert one.after(()) == other.after(())
    last = ((2, Fraction(1)), (1, Fraction(0)))
    assert other.after(last) == one.after(last)


def test_a_policy_that_went_on_with_iota_would_be_told():
    """'Pulls arm iota with certainty', which is what the page's early stopping does not do."""
    name = "chen24/early-stopping/sentence"
    assert LEMMAS[name](LEDGER[name], Effort(), 0).verdict is Verdict.REFUTED
    goes_on = Tiny((0, 1), 1, lambda history: {1: Fraction(1)})
    found = section_4_3.sentence(LEDGER[name], Effort(), 0, stopping=lambda policy, n, iota: goes_on)
    assert found.verdict is Verdict.PROVED
