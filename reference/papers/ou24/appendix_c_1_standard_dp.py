"""Claims of Appendix C.1, second part: Theorem 7 and Corollary 1, standard DP for Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import sqrt
from typing import Any

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.policy import Step
from dpbandits.reference.claims.model import (
    Fault,
    Harm,
    Private,
    Reading,
    Real,
    Source,
    Stated,
    Unjudged,
    Verdict,
    Whole,
)
from dpbandits.reference.curves import Curve, Family, Gaussian, gaussian_delta
from dpbandits.reference.papers.ou24 import ALGORITHM_1, single_step
from dpbandits.reference.papers.ou24.appendix_c_1_theorem_6 import SHARE
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import corollary_1_eps, half, lemma_3_mu, step_eps, two_arm_eps
from dpbandits.reference.papers.ou24.section_3_lemmas import HISTORIES

chapter = page.chapter("Appendix C.1: standard DP")

THEOREM_7 = Source(
    "ou24",
    "Theorem 7",
    "At timestep t, the action of Algorithm 1 is (eps, delta)-differentially private for eps = (1/(2 sqrt 2)) "
    "sqrt(log((N-1)/(2 delta))).",
)
COROLLARY_1 = Source(
    "ou24",
    "Corollary 1",
    "Given any eps, delta such that eps = (1/(2 sqrt 2)) sqrt(log((N-1)/(2 delta))), Algorithm 1 is (eps_TS, "
    "delta_TS)-differentially private for eps_TS = eps sqrt(2T log(1/(delta_TS - T delta))) + T eps (e^eps - 1) for "
    "delta_TS > T delta.",
)


@cache  # families are equal only if they are the same object
def theorem_7_family(low: float, high: float, arms: int) -> Family:
    """Theorem 7 for so many arms, and delta from low to high, where its logarithm is positive."""

    def eps_at(m: Vocabulary, delta: Number) -> Number:
        return step_eps(m, arms, delta)

    return Family(eps_at, low, min(high, (arms - 1) / 2 * 0.999))


def theorem_7_curve(low: float, high: float) -> Callable[[Step], Family]:
    """Theorem 7 for a step, and delta from low to high."""
    return lambda step: theorem_7_family(low, high, len(step.left))


def two_arm_win(m: Vocabulary, pulls: Number, other_pulls: Number, lead: Number) -> Number:
    """P(arm 1 is played) where its running mean leads by `lead`."""
    return m.ncdf(lead / m.sqrt(1 / (pulls + 1) + 1 / (other_pulls + 1)))


def two_arm_lead(n: Any, other: Any, low: Any, mean: Any) -> Any:
    """Arm 1's lead where its changed reward is 0: the other n - 1 rewards pay `low` on average, arm 2's `mean`."""
    return low * (n - 1) / (n + 1) - mean * other / (other + 1)


def corollary_1_curve(policy: Any) -> Family:
    """Corollary 1 with half of delta_TS for the rounds."""
    T, N = policy.horizon, policy.arms

    def eps(m: Vocabulary, delta: Number) -> Number:
        return corollary_1_eps(m, T, N, delta / (2 * T), delta / 2)

    return Family(eps, 1e-6, 0.1)


chapter.add(
    "theorem-7",
    THEOREM_7,
    Private("history", "arms", theorem_7_curve(1e-4, 0.5)),
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.GUARANTEE,
    repaired_by=("ou24/theorem-7/repaired",),
    same_error_as="ou24/lemma-12",
    subject=single_step,
    params=HISTORIES,
    note="The eps of one round is larger than the theorem promises. With two arms, the theorem fails for delta from "
    "about 2.42e-5 to 0.153. With more arms, the theorem also fails for much smaller delta.\n"
    "Theorems 3 and 4, the paper's guarantees for a whole run, do not use this theorem, and Corollary 1, which "
    "composes it, is true nevertheless (`ou24/corollary-1/formula`).",
    repair="Claim sqrt(1/2)-GDP, as in Lemma 2 (`ou24/theorem-7/repaired`).",
    related=("ou24/corollary-1/formula",),
    scope="The claim is about the released arm of one round. Pull counts are the n_i. Reward totals are the "
    "sums of the rewards on the two inputs. The query values are the running means, sum/(n_i+1).",
)


@chapter.inequality(
    "theorem-7/formula",
    THEOREM_7,
    over={"delta": Real(0, 0.5), "n": Whole(0, 10**8), "mean": SHARE},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.GUARANTEE,
    repaired_by=("ou24/theorem-7/repaired",),
    same_error_as="ou24/lemma-12",
    note="The theorem's eps is too small at a state that Algorithm 1 reaches with positive probability after n + 1 "
    "rounds: arm 1 was pulled once, and the other arm n times.",
)
def theorem_7_formula(m: Vocabulary, delta: Number, n: Number, mean: Number) -> Sides:
    """There are two arms. Arm 1 was pulled once and paid 1 or 0. The n pulls of the other arm paid `mean` on
    average."""
    left = two_arm_win(m, 1, n, half(m) - mean * n / (n + 1))
    right = m.exp(step_eps(m, 2, delta)) * two_arm_win(m, 1, n, -mean * n / (n + 1)) + delta
    return left, right


chapter.add(
    "theorem-7/many-arms",
    THEOREM_7,
    Private("history", "arms", theorem_7_curve(1e-8, 1e-6)),
    scope="The claim is about round 2 of 100 arms, and delta <= 1e-6. Pull counts are the n_i. Reward totals are "
    "the sums of the rewards on the two inputs. The query values are the running means, sum/(n_i+1).",
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.GUARANTEE,
    repaired_by=("ou24/theorem-7/repaired",),
    same_error_as="ou24/lemma-12",
    subject=single_step,
    params=({"pulls": (1,) + (0,) * 99, "left": (1.0,) + (0.0,) * 99, "right": (0.0,) * 100},),
    note="With 100 arms the theorem also fails at small delta. The 99 arms that were not pulled yet have standard "
    "normal samples, and arm 1 must exceed their maximum, which is large.\n"
    "With two arms the theorem holds at small delta (`ou24/theorem-7/two-arms/small-delta`).",
    related=("ou24/theorem-7/two-arms/small-delta",),
)


@chapter.inequality(
    "theorem-7/two-arms",
    THEOREM_7,
    over={"n": Whole(1), "other": Whole(0), "low": SHARE, "mean": SHARE},
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="Rewards are bounded, so the threshold is bounded too. Of the two events, 'arm 1 is pulled' has the larger "
    "privacy loss. In the formula, `low` is the mean of arm 1's other rewards.",
)
def theorem_7_two_arms(m: Vocabulary, n: Number, other: Number, low: Number, mean: Number) -> Sides:
    """The formula states that for two arms, one step is (1.1146, 0)-DP."""
    left = two_arm_win(m, n, other, two_arm_lead(n, other, low, mean) + 1 / (n + 1))
    right = m.exp(two_arm_eps(m)) * two_arm_win(m, n, other, two_arm_lead(n, other, low, mean))
    return left, right


@chapter.inequality(
    "theorem-7/two-arms/small-delta",
    THEOREM_7,
    over={"delta": Real(0, 2.3e-5)},
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-7/two-arms",),
    by="because the formula's eps is larger than 1.1146",
    note="For these delta the theorem is true, but for a reason that the paper does not give. For N = 2 the range "
    "covers every delta that Corollary 1 uses at T = 1000 and delta_TS < 0.02.",
)
def theorem_7_two_arms_small_delta(m: Vocabulary, delta: Number) -> Sides:
    """The claim is for two arms and delta < 2.3e-5."""
    return two_arm_eps(m), step_eps(m, 2, delta)


@chapter.inequality(
    "theorem-7/proof/unplayed",
    Source(
        "ou24",
        "Theorem 7, proof",
        "for privacy to be relevant, it must be that n_{i,t-1} >= 1 [...]. Thus, max_i(1/sqrt(n_i+1)) <= 1/sqrt(2)",
    ),
    over={"n_1": Whole(1, 100), "n_2": Whole(0, 100)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    note="The bound fails if an arm was not pulled yet, because 1/sqrt(n+1) of this arm is 1. The authors mean a "
    "maximum over the arms with data. The error is harmless: an arm without data has sensitivity 0, not 1/(n+1), so "
    "Theorem 6 does not need this arm in the maximum.\n"
    "The theorem is false for another reason (`ou24/theorem-7`): Theorem 6 is false.",
    related=("ou24/theorem-7",),
)
def theorem_7_proof_unplayed(m: Vocabulary, n_1: Number, n_2: Number) -> Sides:
    """The maximum runs over all arms, including those not yet played."""
    return m.maximum(1 / m.sqrt(n_1 + 1), 1 / m.sqrt(n_2 + 1)), 1 / m.sqrt(m.number(2))


@chapter.inequality(
    "theorem-7/one-arm",
    THEOREM_7,
    over={"N": Whole(1), "delta": Real(0, 1)},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    note="The paper means N >= 2. For N = 1 the logarithm's argument is 0. The error is harmless: a single arm is "
    "always pulled, so the release reveals nothing.",
)
def theorem_7_one_arm(m: Vocabulary, N: Number, delta: Number) -> Sides:
    """The claim is that the formula is defined for every N >= 1, that is, the logarithm's argument is positive."""
    return m.number(0), (N - 1) / (2 * delta)


@chapter.private(
    "theorem-7/repaired",
    THEOREM_7,
    "history",
    "arms",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    subject=single_step,
    params=HISTORIES,
    follows=("ou24/lemma-2",),
)
def theorem_7_repaired(step: Any) -> Curve | None:
    """The repaired theorem: one round is sqrt(1/2)-GDP. Pull counts are the n_i. Reward totals are the sums of the
    rewards on the two inputs. The query values are the running means, sum/(n_i+1)."""
    return Gaussian(sqrt(0.5))


chapter.add(
    "corollary-1",
    COROLLARY_1,
    Private("pull", "arms", corollary_1_curve),
    scope="The instances have T delta = delta_TS/2.",
    expect=Verdict.ARGUED,
    subject=ALGORITHM_1,
    params=tuple({"arms": arms, "horizon": rounds} for arms, rounds in ((2, 10), (3, 2))),
    more_params=tuple({"arms": arms, "horizon": rounds} for arms, rounds in ((2, 2), (3, 10))),
    follows=("ou24/corollary-1/every-run",),
)
chapter.add(
    "corollary-1/every-run",
    COROLLARY_1,
    Stated(
        "for T >= 1, N >= 2, delta > 0, 2 delta <= N - 1, slack > 0 and T delta + slack <= 1, the pulls of a run of "
        "Algorithm 1 are (eps_TS, T delta + slack)-DP"
    ),
    scope="The claim covers neighbours of either relation and rewards in [0, 1]. For delta_TS >= 1 the statement is "
    "trivial.",
    expect=Verdict.ARGUED,
    follows=("ou24/lemma-3/every-run", "ou24/corollary-1/formula"),
    note="The corollary is true, but its printed proof is not valid, because it composes Theorem 7.",
)


def total_below_one(m: Vocabulary, T: Number, delta: Number, slack: Number, **others: Number) -> Sides:
    """delta_TS <= 1."""
    return T * delta + slack, m.number(1)


def logarithm_positive(m: Vocabulary, N: Number, delta: Number, **others: Number) -> Sides:
    """The logarithm of Theorem 7 is not negative."""
    return 2 * delta, N - 1


@chapter.inequality(
    "corollary-1/formula",
    COROLLARY_1,
    over={"T": Whole(1), "N": Whole(2), "delta": Real(0, 1), "slack": Real(0, 1)},
    where=(total_below_one, logarithm_positive),
    reading=Reading.STEP,
    expect=Verdict.ARGUED,
    note="The delta by Lemma 3 is at most 56% of delta_TS. The largest ratio is at T = 1, N = 2 and delta near 1/2. So "
    "Section 3's remark that this analysis 'leads to looser overall privacy bounds' holds as well.",
)
def corollary_1_formula(m: Vocabulary, T: Number, N: Number, delta: Number, slack: Number) -> Sides:
    """The formula states that Lemma 3 implies Corollary 1, for every T, N, delta and delta_TS = T delta + slack."""
    left = gaussian_delta(m, corollary_1_eps(m, T, N, delta, slack), lemma_3_mu(m, T))
    right = T * delta + slack
    return left, right


chapter.add(
    "corollary-1/proof",
    Source(
        "ou24",
        "Appendix C.1",
        "Corollary 1 gives a bound on the complete Algorithm 1 across all timesteps, by utilizing Advanced "
        "Composition (Dwork et al., 2010) to compose the privacy guarantees of Theorem 7.",
    ),
    Unjudged(
        "the printed proof composes Theorem 7, which is refuted as printed. The corollary itself holds by another proof"
    ),
    expect=Verdict.UNSUPPORTED,
)
