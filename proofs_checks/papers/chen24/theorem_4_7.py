"""Theorem 4.7: the change of measure without privacy, argued and tried on random policies; the hardness of (95)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf
from random import Random

import mpmath

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    enclosure_step,
    inequality_step,
    lemma_by_argument,
    one_line,
)
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.chen24.enumeration import BITS, LARGE, numbered, respondent
from dpbandits.proofs_checks.papers.chen24.evidence import tried
from dpbandits.reference.claims.model import Claim, Finding, Real, Verdict
from dpbandits.reference.papers.chen24.histories import Arms, Rewards, Tiny, law_on_instance
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)

RUN = f"""pick h a and recommend h a are the probabilities that the policy pulls arm a next, and recommends it,
given the pulls and rewards h so far. Arms are numbered from 0. after_pulls is the expectation after T pulls: one
average after another, over the choice and the reward of each round. recommended is the probability that arm a is
recommended. {EXPECTATIONS}"""
CHANGE = f"""kl is any number that is at least KL(nu_i, nu'_i), in the form of Donsker and Varadhan: KL is the
supremum of E f - ln E' e^f over bounded measurable functions f. That this supremum is KL is a theorem that Rocq has
not checked. If arm i is never pulled on the first instance, kl is any number; otherwise the bound says nothing
about an infinite KL. That the averages are of measurable functions is a hypothesis (policy_measurable); Fubini's
theorem says so, which Rocq has not checked. Where the probability of the recommendation is 0, the claim's right
side is 0. {RUN}"""
HARD = f"""one_raised g K i are the means of the instance of (95) in which arm i + 1 of the paper is raised, and
lowered those of instance 0; gam g K k is gamma_(k+1), and rewards are Bernoulli. rank counts the arms whose gap is
at most that of arm j, so that H_BAI is the maximum of i/Delta_(i)^2 over all i from 2 to K: features along the axes
have d = K. error is the probability that another arm than the best one is recommended. eps does not occur, because
the policy is arbitrary. {RUN}"""
CONSISTENT = f"""best_arm says that the instance is in P': K > 3 arms along the axes of d = K dimensions, means in
[0, 1], Bernoulli rewards, and a unique best arm b. pol k T is the policy for K = k + 1 arms and the budget T.
consistent is Definition 4.6, required on these instances alone. T0 does not depend on the instance. {HARD}"""
EPS = f"""pol eps k T is the policy for this eps, which is part of an instance, and below 1 in P'. {CONSISTENT}"""
EVERY_EPS = f"""The theorem is about the policies pol k T for one value of eps, which may be any number, and the
instances do not depend on it. {CONSISTENT}"""

CASES = 30
DIGITS = 40  # compared to 30
# A random case, from Random: a policy, an instance, and another law of the rewards of one arm.
Case = tuple[Tiny, Random]


def inner_law(dice: Random) -> Rewards:
    """A law on rewards 0 and 1 that gives both a probability, so that divergences are finite."""
    share = Fraction(1 + dice.randrange(8), 9)
    return {BITS[0]: 1 - share, BITS[1]: share}


def divergence(one: Rewards, other: Rewards) -> mpmath.mpf:
    """KL(one, other) of laws on 0 and 1, to DIGITS."""
    terms = [(mpmath.mpf(p.numerator) / p.denominator, other[value] / p) for value, p in one.items()]
    return -mpmath.fsum(p * mpmath.log(mpmath.mpf(q.numerator) / q.denominator) for p, q in terms)


def sides(policy: Tiny, one: Arms, other: Arms, iota: int, label: int) -> tuple[Fraction, Fraction, Fraction]:
    """P(the recommendation is the label) on both instances, and E[N_iota] on the first one."""
    chances = law_on_instance(policy, one)
    p = sum((c for seen, c in chances.items() if seen[-1] == label), Fraction(0))
    q = sum((c for seen, c in law_on_instance(policy, other).items() if seen[-1] == label), Fraction(0))
    pulls = sum((c * seen[:-1].count(iota) for seen, c in chances.items()), Fraction(0))
    return p, q, pulls


def wrong_transport(case: Case, factor: Fraction = Fraction(1)) -> str:
    """The divergence of the probabilities of one recommendation is at most E[N_iota] KL, the latter times a factor."""
    policy, dice = case
    one = {arm: inner_law(dice) for arm in policy.arms}
    iota = dice.choice(policy.arms)
    other = {**one, iota: inner_law(dice)}
    for label in policy.arms:
        p, q, pulls = sides(policy, one, other, iota, label)
        if not 0 < p < 1:
            continue  # the label is certain on either instance, or never recommended
        with mpmath.workdps(DIGITS):
            told = divergence({BITS[0]: 1 - p, BITS[1]: p}, {BITS[0]: 1 - q, BITS[1]: q})
            most = mpmath.mpf((pulls * factor).numerator) / (pulls * factor).denominator
            if told > most * divergence(one[iota], other[iota]) + mpmath.mpf(10) ** -30:
                return f"arm {label}: p = {p}, q = {q}, E N = {pulls}"
    return ""


def cases(seed: int) -> Iterator[Case]:
    """Random policies, which reveal little, and policies whose recommendation nearly follows the one reward, which
    reveal almost everything."""
    yield from numbered(CASES, seed, LARGE[:-1])
    for number in range(6):
        yield respondent(2, Fraction(10**6)), Random(f"chen24 telling {seed} {number}")


@proves("appendix-h/transport")
@machine_checked(__file__, "transport", CHANGE)
def transport(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The probability of a history is a product of the policy's conditional laws, which are the same on both instances,
    and of one reward's probability for each pull. So by the chain rule, the divergence of the laws of histories is
    E[N_i] KL(nu_i, nu'_i), and the divergence of the laws of the recommendation is not larger. Let p and q be the
    probabilities that the recommendation is a. Then the divergence of the recommendations is at least p log(p/q) + (1 -
    p) log((1 - p)/(1 - q)). This lower bound is at least p log(1/q) - log 2, since p log p + (1 - p) log(1 - p) >= -log
    2."""
    return tried(
        claim,
        one_line(transport),
        cases(seed),
        wrong_transport,
        "policies and instances",
        how=f"the divergences of exact probabilities, in {DIGITS} digits",
    )


@proves("lemma-h.1/explicit")
@machine_checked(__file__, "lemma_h_1_explicit", HARD)
def lemma_h_1_explicit(claim: Claim, effort: Effort, seed: int) -> Finding:
    """On instance i, the recommendation of arm 1 is an error, and its probability is at least exp(-2 (E_0[N_i] 9
    gamma_i^2 + log 2)). H_i = H_BAI of this instance is at most i/gamma_i^2: each term of the maximum is at most
    i/gamma_i (eq-102/b) divided by a gap of at least gamma_i. So the sum over i of 1/(9 gamma_i^2 H_i) is at least (log
    K - log 2)/9 >= (log K)/18, while the E_0[N_i] add up to at most T. So E_0[N_i] 9 gamma_i^2 <= 18 T/((log K) H_i)
    for some i, and the error probability on this instance is at least exp(-36 T/((log K) H_i))/4."""
    instances = [(arms, power) for arms in (4, 5, 8, 16) for power in (arms + 2, arms + 9)]
    return tried(claim, one_line(lemma_h_1_explicit), instances, wrong_hardness, "pairs of K and gamma_1 = K^-power")


def wrong_hardness(case: tuple[int, int]) -> str:
    """H_BAI <= i/gamma_i^2 and H_pri <= i/(eps gamma_i), with eps = 1, on all instances of (95)."""
    arms, power = case
    return too_hard([Fraction(arms) ** (i - power) for i in range(arms)])


def too_hard(gammas: Sequence[Fraction]) -> str:
    for i in range(1, len(gammas)):
        gaps = sorted([gammas[i] + gamma for k, gamma in enumerate(gammas) if k != i])
        bai = max((k + 2) / gap**2 for k, gap in enumerate(gaps))
        private = max((k + 2) / gap for k, gap in enumerate(gaps))
        if bai > (i + 1) / gammas[i] ** 2 or private > (i + 1) / gammas[i]:
            return f"K = {len(gammas)}, instance {i + 1}: H_BAI = {bai}, eps H_pri = {private}"
    return ""


proves("lemma-h.1")(checked_step(__file__, "lemma_h_1", EPS))
proves("corollary-h.2/repaired")(checked_step(__file__, "corollary_h_2", EVERY_EPS))
proves("lemma-h.3")(checked_step(__file__, "lemma_h_3", EPS))
proves("lemma-h.4")(checked_step(__file__, "lemma_h_4", EPS))
ANY_POLICY = Reduction(
    "Each of the 4 arms is pulled n = floor(T/4) >= T/8 times. The best arm's number of ones is stochastically at "
    "least that of any other arm, and ties are broken at random, so the best arm is recommended with probability at "
    "least 1/4. By Lemma A.1 for 2n Bernoulli variables, the mean of another arm is at least that of the best arm "
    "with probability at most exp(-n Delta^2), and Delta^2 >= Delta_(2)^2 >= 2/H_BAI. With t = T/H_BAI the error "
    "probability is at most min(3/4, 3 e^{-t/4}). An instance as in the lemma has H_pri >= 10^12 and H_pri >= "
    "H_BAI^2, so H_BAI/H_pri <= 10^-6, and (94) claims an error probability above e^{-kt} with k <= 97/(10^6 log 4). "
    "So (94) is false for every T >= 4 and every such instance. The policy is consistent.",
    (
        enclosure_step(
            "97/(10^6 log 4) <= 0.00007",
            lambda m: 97 / (10**6 * m.log(m.number(4))),
            lambda m: m.number("0.00007"),
            {},
        ),
        enclosure_step(
            "for t <= 4000: 3/4 <= e^{-0.00007 t}", lambda m: m.number("0.75"), lambda m: m.exp(m.number("-0.28")), {}
        ),
        enclosure_step("log 3 <= 1.1", lambda m: m.log(m.number(3)), lambda m: m.number("1.1"), {}),
        inequality_step(
            "for t >= 4000: 1.1 + 0.00007 t <= t/4, so that 3 e^{-t/4} <= e^{-0.00007 t}",
            lambda m, t: m.number("1.1") + m.number("0.00007") * t,
            lambda m, t: t / 4,
            {"t": Real(4000, inf, closed=True)},
        ),
    ),
)

proves("lemma-h.5/any-policy")(lemma_by_argument(ANY_POLICY, verdict=Verdict.REFUTED))
