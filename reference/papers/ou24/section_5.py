"""Claims about the parameters of the experiments in Section 5."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import (
    Claim,
    Consequence,
    Identity,
    OneOf,
    Reading,
    Side,
    Source,
    Unjudged,
    Verdict,
    Whole,
)
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import lemma_3_mu, lemma_4_mu, sharp_modified_mu
from dpbandits.reference.papers.ou24.section_4_1_lemma_4 import MULTIPLIER, PREPULLS

chapter = page.chapter("Section 5: the parameters")

ETA = Source(
    "ou24",
    "Section 5.1",
    "Recall from Lemma 4 that to ensure mu-GDP for T = 10^5 rounds, b and c must satisfy "
    "eta = sqrt(1/(c(b+1))) 10^2.5.",
)
STANDARD_316 = Source(
    "ou24",
    "Section 5.1",
    "Note that standard Thompson Sampling with b = 0 and c = 1 would yield 10^2.5 ~ 316-GDP, which is orders of "
    "magnitude higher than the privacy parameters considered here, so performance for these parameter values are not "
    "shown in the plots.",
)
# Section 5.2: rate -> the printed mean.
PRINTED_MEANS = {"0.1": "0.492", "1": "0.418", "2": "0.343", "5": "0.193", "10": "0.1"}


def mean_claim(rate: str, printed: str) -> Claim:
    def mean(m: Vocabulary) -> Sides:
        return 1 / m.number(rate) - 1 / (m.exp(m.number(rate)) - 1), m.number(printed)

    return Claim(
        f"ou24/5.2/mean-at-rate-{rate}",
        Source(
            "ou24",
            "Section 5.2",
            "exponential rates [0.1, 1, 2, 5, 10], corresponding to means of approximately [0.492, 0.418, 0.343, "
            "0.193, 0.1]",
        ),
        Identity(Side(mean, 0), Side(mean, 1), over={}, within=0.0005),
        reading=Reading.STEP,
        scope=f"The formula gives the mean at rate {rate}, to three digits.",
        expect=Verdict.PROVED,
        note="An exponential variable with this rate, conditioned on [0, 1], has mean 1/rate - 1/(e^rate - 1).",
    )


@chapter.identity(
    "5.1/eta",
    ETA,
    over={"b": PREPULLS, "c": MULTIPLIER},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def section_5_1_eta(m: Vocabulary, b: Number, c: Number) -> Sides:
    """The formula is the parameter of Lemma 4 at T = 10^5."""
    return lemma_4_mu(m, 10**5, b, c), m.sqrt(1 / (c * (b + 1))) * m.sqrt(m.number(10**5))


@chapter.identity(
    "5.1/variance-for-eta",
    ETA,
    over={"eta": OneOf((1, 2, 5)), "b": Whole(0, 20000)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The experiments here use this c. This c is below 1, which Algorithm 2 does not admit, if b + 1 > 10^5/eta^2. "
    "In the experiments, c is below 1 for eta = 5 and b >= 4000.",
)
def section_5_1_variance_for_eta(m: Vocabulary, eta: Number, b: Number) -> Sides:
    """The formula states that with c = 10^5/(eta^2 (b+1)), Lemma 4 gives eta at T = 10^5."""
    return lemma_4_mu(m, 10**5, b, 10**5 / (eta**2 * (b + 1))), eta


@chapter.identity(
    "5.1/must",
    ETA,
    over={"b": Whole(1, 19_999), "c": MULTIPLIER},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="Relative to Lemma 4 the sentence is right (`ou24/5.1/eta`). Pre-pulls cost no privacy, so a smaller c "
    "suffices: at b = 10000, half the variance is enough (`ou24/lemma-4/sharp`).",
    related=("ou24/5.1/eta", "ou24/lemma-4/sharp"),
)
def section_5_1_must(m: Vocabulary, b: Number, c: Number) -> Sides:
    """A smaller c suffices: with b >= 1 pre-pulls and N = 5, (T-5b)/T times the c of Lemma 4 gives the same eta by the
    sharp lemma."""
    return m.sqrt((10**5 - 5 * b) / (c * (10**5 - 5 * b) / 10**5 * (b + 1))), lemma_4_mu(m, 10**5, b, c)


@chapter.identity(
    "5.1/316",
    STANDARD_316,
    over={},
    within=0.5,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="10^2.5 = 316.23 to two decimals.",
)
def section_5_1_316(m: Vocabulary) -> Sides:
    """The formula states that 10^2.5 is 316, rounded."""
    return m.sqrt(m.number(10**5)), m.number(316)


@chapter.identity(
    "5.1/316/value",
    STANDARD_316,
    over={},
    within=0.05,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The printed 316 is the parameter of Lemma 4 at b = 0, c = 1, and true as a bound (`ou24/5.1/316/bound`). "
    "Lemma 3 gives 223.6 for the same algorithm. The sentence makes its point with either number.",
    related=("ou24/5.1/316/bound",),
)
def section_5_1_316_value(m: Vocabulary) -> Sides:
    """The formula states that the parameter sqrt(T/2), which Lemma 3 gives for standard Thompson sampling, is 223.6 at
    T = 10^5, rounded."""
    return lemma_3_mu(m, 10**5), m.number("223.6")


@chapter.inequality(
    "5.1/316/bound/formula",
    STANDARD_316,
    over={},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def section_5_1_316_bound_formula(m: Vocabulary) -> Sides:
    """The formula states that the parameter of Lemma 3 at T = 10^5 is at most 316."""
    return lemma_3_mu(m, 10**5), m.number(316)


chapter.add(
    "5.1/316/bound",
    STANDARD_316,
    Consequence("Algorithm 1 is 316-GDP at T = 10^5"),
    scope="Standard Thompson sampling is 316-GDP for T = 10^5.",
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-3/every-run", "ou24/5.1/316/bound/formula", "ou24/definition-2/monotone"),
    note="316 is true as an upper bound, but it is not the smallest bound that the paper proves.",
)


chapter.add(
    "5.1/both-together",
    Source(
        "ou24",
        "Section 5.1",
        "This suggests that an optimal tuning strategy would increase both b and c together.",
    ),
    Unjudged(
        "at a fixed eta the product c(b+1) is fixed, so b and c cannot both grow. Moreover, the sentence names no best "
        "pair (b, c) that could be compared with others"
    ),
    expect=Verdict.UNSUPPORTED,
)
chapter.add(
    "5.1/phase-transition",
    Source(
        "ou24",
        "Section 5.1",
        "Afterwards, there is a phase transition to much lower per-round regret, once the algorithm begins the "
        "traditional Thompson Sampling phase.",
    ),
    Unjudged(
        "the sentence does not say how much 'much lower' is. Another claim compares the per-round regret after the "
        "pre-pulls for different b"
    ),
    expect=Verdict.UNSUPPORTED,
)


@chapter.inequality(
    "5.1/orders-of-magnitude",
    STANDARD_316,
    over={"eta": OneOf((1, 2, 5))},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="223.6/5 = 44.7 is between one and two orders of magnitude.",
)
def section_5_1_orders_of_magnitude(m: Vocabulary, eta: Number) -> Sides:
    """Even the sharp parameter of Algorithm 1 is at least 40 times eta, for eta = 1, 2 and 5."""
    return 40 * eta, sharp_modified_mu(m, 10**5, 5, 0, 1)


chapter.take(*(mean_claim(rate, printed) for rate, printed in PRINTED_MEANS.items()))
