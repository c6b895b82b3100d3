"""Appendix B.1: the notation, Lemma 7 and equations (5) to (7), the first steps of the proof of Theorem 5.

log_y: log((T-bN) Delta_i^2). Steps are written in the variables that the checks use; the notes
explain the substitution.
"""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, OneOf, Reading, Verdict, Whole
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import GAP, LARGE, MORE, UNIT, at

chapter = page.chapter("Appendix B.1: the proof of Theorem 5")
NOTATION = at(
    "Appendix B.1, notation",
    "For each i, define x_i = mu_i + Delta_i/3 and y_i = mu_1 - Delta_i/3. [...] Thus for i != 1, we have "
    "mu_i < x_i < y_i < mu_1.",
)
EVENTS = at(
    "Appendix B.1, notation",
    "Note that when the number of observed rewards of arm i increases, empirical mean mu-hat_{i,t-1} converges to "
    "mu_i, making the probability of event E_i^mu(t) tend to 1 and that of E_i^theta(t) tend to 0.",
)
EQ_7 = at(
    "Appendix B.1, eq. (7)",
    "sum_{t=1}^{T-bN} E[(1-p_{i,t})/p_{i,t} 1(a_t = 1, E_i^mu(t), E_i^theta(t))] = sum_{k=0}^{T-bN-1} "
    "E[(1-p_{i,tau_k+1})/p_{i,tau_k+1} sum_{t=tau_k+1}^{tau_{k+1}} 1(a_t = 1, E_i^mu(t), E_i^theta(t))] <= "
    "sum_{k=0}^{T-bN-1} E[1/p_{i,tau_k+1} - 1].",
)


def never_pulled(m: Vocabulary, rounds: Number, c: Number) -> Number:
    """What the right side of (7) has too much, at least: arm 2 in all rounds, then arm 1 past the horizon.

    b = 0; arm 1 pays 1, arm 2 pays 0. Then arm 1 stays unpulled for k rounds with probability 2^-k.
    """
    below = m.ncdf(m.number(2) / 3 / m.sqrt(c))
    return m.number("0.25") * m.number("0.5") ** rounds * below / (1 - below)


@chapter.identity(
    "sample-variance",
    at(
        "Appendix B.1, notation",
        "the sample theta_{i,t} is drawn from the posterior distribution from observations in the previous t-1 "
        "timesteps, i.e. theta_{i,t} ~ N(mu-hat_{i,t-1}, 1/(n_{i,t-1}+1)).",
    ),
    over={"n": Whole(0), "c": LARGE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The factor c is missing in the printed variance, twice. The error is harmless: the proofs of the lemmas use "
    "c/(n+1).",
)
def sample_variance(m: Vocabulary, n: Number, c: Number) -> Sides:
    """The printed variance is that of Algorithm 2, line 11."""
    return 1 / (n + 1), c / (n + 1)


@chapter.inequality(
    "midpoints/printed",
    NOTATION,
    over={"mu": UNIT, "gap": UNIT},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    repaired_by=("ou24/midpoints/repaired",),
    note="A second optimal arm has x_i = y_i. Section 4.2 assumes a unique optimal arm, but Appendix B.1 "
    "allows several ('this will only improve regret'). The error is harmless: such an arm adds no regret, so the "
    "proof does not need these points for it.",
)
def midpoints_printed(m: Vocabulary, mu: Number, gap: Number) -> Sides:
    """The claim is x_i < y_i for every i != 1, also for a second optimal arm."""
    return mu + gap / 3, mu + gap - gap / 3


@chapter.identity(
    "midpoints/repaired",
    NOTATION,
    over={"mu": UNIT, "gap": GAP},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
)
def midpoints_repaired(m: Vocabulary, mu: Number, gap: Number) -> Sides:
    """For a suboptimal arm, neighbouring points among mu_i, x_i, y_i, mu_1 are Delta_i/3 apart. The formula is about
    y_i - x_i."""
    return (mu + gap - gap / 3) - (mu + gap / 3), gap / 3


chapter.add(
    "events/mean",
    EVENTS,
    Consequence("the probability of E_i^mu(t) tends to 1 as the number of pulls of arm i grows"),
    scope="The probability of E_i^mu tends to 1. `ou24/events/sample/printed` is about E_i^theta.",
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    follows=("ou24/eq-11/second",),
    by="because exp(-2 n Delta_i^2/9) tends to 0",
    related=("ou24/events/sample/printed",),
)


@chapter.inequality(
    "events/sample/printed",
    EVENTS,
    over={"mu": UNIT, "gap": GAP, "n": Whole(1000)},
    expect=Verdict.REFUTED,
    fault=Fault.DIRECTION,
    harm=Harm.NONE,
    repaired_by=("ou24/events/sample/repaired",),
    note="The probability of E_i^theta tends to 1, not to 0: theta_i concentrates at mu_i, which is below y_i, and the "
    "probability is above 1/2 for every n. The error is harmless: Lemma 6 bounds the probability of the complement, "
    "which does tend to 0.",
)
def events_sample_printed(m: Vocabulary, mu: Number, gap: Number, n: Number) -> Sides:
    """If the probability of E_i^theta tends to 0, it is below 1/2 from some number of pulls on. The formula takes 1000
    pulls, mu-hat = mu_i and c = 1."""
    return m.ncdf((mu + 2 * gap / 3 - mu * n / (n + 1)) * m.sqrt(n + 1)), m.number("0.5")


@chapter.identity(
    "events/sample/repaired",
    EVENTS,
    over={"gap": GAP, "n": Whole(0), "c": LARGE},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
    follows=("ou24/lemma-11",),
    by="Lemma 11 with t = Delta_i/3, of which the exponents are compared",
)
def events_sample_repaired(m: Vocabulary, gap: Number, n: Number, c: Number) -> Sides:
    """The formula states that the probability that E_i^theta fails is at most exp(-Delta_i^2 (n+1)/(18c)) if E_i^mu
    holds."""
    return (gap / 3) ** 2 * ((n + 1) / c) / 2, gap**2 * (n + 1) / (18 * c)


@chapter.identity(
    "eq-5",
    at(
        "Appendix B.1, eq. (5)",
        "E[n_{i,T}] = b + sum_{t=1}^{T-bN} Pr[a_t = i] = b + sum Pr[a_t = i, not E_i^mu(t)] + sum Pr[a_t = i, "
        "E_i^mu(t), not E_i^theta(t)] + sum Pr[a_t = i, E_i^mu(t), E_i^theta(t)].",
    ),
    over={"mean": OneOf((0, 1)), "sample": OneOf((0, 1))},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="In the formula, `mean` and `sample` are the indicators of E^mu and E^theta. In equation (5), n_{i,T} counts "
    "the pre-pulls, as in Algorithm 2. In the proof of Lemma 6, n_{i,T} does not count the pre-pulls (see "
    "`ou24/lemma-6/counts`).",
    related=("ou24/lemma-6/counts",),
)
def eq_5(m: Vocabulary, mean: Number, sample: Number) -> Sides:
    """The formula states that three disjoint events cover all cases."""
    return m.number(1), (1 - mean) + mean * (1 - sample) + mean * sample


@chapter.inequality(
    "lemma-7",
    at(
        "Lemma 7 (arXiv: Lemma 8), Agrawal and Goyal 2017",
        "For all t, i != 1 and history F_{t-1} we have Pr[a_t = i, E_i^mu(t), E_i^theta(t) | F_{t-1}] <= "
        "((1-p_{i,t})/p_{i,t}) Pr[a_t = 1, E_i^mu(t), E_i^theta(t) | F_{t-1}].",
        statement="Lemma 7",
    ),
    over={"p": UNIT, "others": UNIT, "more": UNIT},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="If E_i^mu fails, both sides are 0. Otherwise, every sample is at most y_i in the event on the left. By "
    "independence, the probability of this event is at most (1-p) q, where q (`others` in the formula) is the "
    "probability that no arm but arm 1 has a sample above y_i. The event on the right contains the event that only "
    "arm 1 has a sample above y_i. So its probability is p q + r with r >= 0 (`more` in the formula). Ties have "
    "probability 0.",
)
def lemma_7(m: Vocabulary, p: Number, others: Number, more: Number) -> Sides:
    """The lemma is written as a formula, in which `others` is the probability that no arm but arm 1 has a sample above
    y_i."""
    return (1 - p) * others, (1 - p) / p * (p * others + more)


chapter.add(
    "eq-6",
    at(
        "Appendix B.1, eq. (6)",
        "sum Pr[a_t = i, E_i^mu(t), E_i^theta(t)] <= sum E[(1-p_{i,t})/p_{i,t} 1(a_t = 1, E_i^mu(t), E_i^theta(t))].",
    ),
    Consequence("the inequality of Lemma 7 holds in expectation over the histories"),
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-7",),
    by="taking expectations over the history",
)


@chapter.inequality(
    "eq-7/printed",
    EQ_7,
    over={"rounds": Whole(5), "c": LARGE},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    repaired_by=("ou24/eq-7/repaired",),
    note="The first step is an inequality, not an equality: the last stretch between pulls of arm 1 may extend beyond "
    "the horizon.\n"
    "Let N = 2 and b = 0, and let arm 1 always pay 1 and arm 2 always pay 0. Then with probability 2^{-(T-bN)}, arm 1 "
    "is not pulled within the horizon. In this case the right side counts a pull of arm 1 after the horizon. If every "
    "tau_k beyond the horizon is replaced by T-bN, the equality holds. The error is harmless: only <= is used.",
)
def eq_7_printed(m: Vocabulary, rounds: Number, c: Number) -> Sides:
    """If the first step is read as an equality, the right side counts no pull beyond the horizon."""
    return never_pulled(m, rounds=rounds, c=c), m.number(0)


@chapter.inequality(
    "eq-7/repaired",
    EQ_7,
    over={"weight": MORE, "within": OneOf((0, 1))},
    reading=Reading.REPAIRED,
    formula_only=True,
    expect=Verdict.PROVED,
    note="A stretch of rounds ends with a pull of arm 1. If this pull is within the horizon, and the events of the "
    "lemma hold at this pull, the stretch adds its weight (1-p)/p to the sum. Otherwise the stretch adds 0. At most "
    "T-bN stretches end within the horizon.",
)
def eq_7_repaired(m: Vocabulary, weight: Number, within: Number) -> Sides:
    """Both steps of equation (7) are checked as formulas with <=."""
    return weight * within, weight
