"""Claims of Section 3: Thompson sampling as it is (Algorithm 1)."""

from __future__ import annotations

from functools import reduce
from math import inf, sqrt
from typing import Any

from dpbandits.reference.curves import Gaussian, gaussian_delta
from dpbandits.reference.ledger import (
    PROVED,
    REFUTED,
    UNSUPPORTED,
    Claim,
    Identity,
    Inequality,
    OneOf,
    Private,
    Prose,
    Real,
    Source,
    Whole,
)
from dpbandits.reference.papers.ou24 import ALGORITHM_1, single_step
from dpbandits.reference.papers.ou24.privacy_definitions import CITED, EPS, ROUNDS
from dpbandits.reference.papers.ou24.privacy_formulas import (
    best_renyi_eps,
    half,
    lemma_3_mu,
    sharp_mu,
    split_eps,
)

LEMMA_2 = Source(
    "ou24",
    "Lemma 2 (arXiv: Lemma 3)",
    "The mechanism M_TS(F_t) satisfies sqrt(1/2)-GDP with respect to observed rewards.",
)
LEMMA_3 = Source(
    "ou24",
    "Lemma 3 (arXiv: Lemma 4)",
    "The Thompson Sampling algorithm with Gaussian priors run for T total timesteps (Algorithm 1) satisfies "
    "sqrt(T/2)-GDP.",
)
THEOREM_1 = Source("ou24", "Theorem 1 (informal)", "Algorithm 1 satisfies (eps, delta)-differential privacy.")
THEOREM_3 = Source(
    "ou24",
    "Theorem 3",
    "Thompson Sampling with Gaussian priors (Algorithm 1) run for T timesteps is (eps, delta(eps))-DP for all "
    "eps >= 0, where delta(eps) = Phi(-eps/sqrt(T/2) + (1/2) sqrt(T/2)) - e^eps Phi(-eps/sqrt(T/2) - (1/2) sqrt(T/2)).",
)
REMARK_1 = Source(
    "ou24",
    "Remark 1",
    "Although GDP provides the tightest composition bounds, this comes at the cost of interpretability of the "
    "resulting differential privacy parameters, as observed in the statement of Theorem 3. [...] We also show "
    "empirically in Appendix C.3 that although these other privacy methods provide more interpretable bounds in terms "
    "of the dependence on T, the privacy guarantees are often orders of magnitude weaker than those attained using "
    "GDP.",
)
REMARK_2 = Source(
    "ou24",
    "arXiv: Remark 2 (not in PMLR)",
    "Lemmas 3 and 4 can be tightened, since the factor 1/2 in these bounds comes from a loose bound on 1/(n_i+1) "
    "using the fact that n_i >= 1. However, tightening these lemmas would not in general improve the guarantees of "
    "Theorem 3, since the binding term in the expression comes from the worst-case arm, which could indeed have "
    "only been pulled once.",
)


def other_arm(pulls: int, mean: float) -> dict[str, Any]:
    """Arm 1 was pulled once and paid 1 or 0; arm 2 has this running mean. The larger n_2, the nearer the argmax
    comes to the test theta_1 > mean; for means of eps + 1/4 that test is the best one at eps (0 <= eps < 3/4)."""
    total = mean * (pulls + 1)
    return {"pulls": (1, pulls), "left": (1.0, total), "right": (0.0, total)}


HISTORIES = (
    {"pulls": (1, 0), "left": (1.0, 0.0), "right": (0.0, 0.0)},
    other_arm(1, 0.25),
    other_arm(10, 0.5),
    *(other_arm(10**4, mean) for mean in (0.25, 0.5)),
    *(other_arm(10**8, mean) for mean in (0.25, 0.5, 0.75, 0.999)),
    {"pulls": (5, 10**8), "left": (3.0, 5e7), "right": (2.0, 5e7)},
    {"pulls": (1, 10**8, 10**8), "left": (1.0, 7.5e7, 0.0), "right": (0.0, 7.5e7, 0.0)},
    {"pulls": (1, 3, 3, 3, 3), "left": (1.0, 3.0, 3.0, 3.0, 3.0), "right": (0.0, 3.0, 3.0, 3.0, 3.0)},
)
RUNS = tuple({"arms": 2, "horizon": rounds} for rounds in (2, 10, 20, 50, 200)) + tuple(
    {"arms": 3, "horizon": rounds} for rounds in (2, 10, 20, 50)
)


def printed_profile(m: Any, eps: Any, mu: Any) -> Any:
    """delta(eps) as Theorems 3 and 4 print it."""
    return m.ncdf(-eps / mu + half(m) * mu) - m.exp(eps) * m.ncdf(-eps / mu - half(m) * mu)


def reached_delta(m: Any, eps: Any, spread: Any) -> Any:
    """What the argmax shows at eps with n_1 = 1 and an arm of variance `spread` at eps + 1/4."""
    scale, place = m.sqrt(half(m) + spread), eps + half(m) / 2
    return m.ncdf((half(m) - place) / scale) - m.exp(eps) * m.ncdf(-place / scale)


SECTION_3 = (
    Claim(
        "ou24/section-3/variance",
        Source("ou24", "Section 3", "at time t, Algorithm 1 samples theta_{i,t} ~ N(mu-hat_{i,t-1}, 1/n_{i,t-1})"),
        Identity(
            left=lambda m, n: 1 / n,
            right=lambda m, n: 1 / (n + 1),
            over={"n": Whole(1)},
        ),
        expect=REFUTED,
        note="A misprint: line 4 of Algorithm 1 samples with variance 1/(n+1), and 1/n is undefined before the "
        "first pull. Nothing else uses 1/n.",
    ),
    Claim(
        "ou24/lemma-2",
        LEMMA_2,
        Private("history", "arms", lambda step: Gaussian(sqrt(0.5))),
        subject=single_step,
        params=HISTORIES,
        follows=("ou24/gaussian-mechanism", "ou24/eq-4"),
        by="post-processing: only the arm with the changed reward has another law, and it was pulled at least once",
        note="Where it bites: n_j = 1 and another arm that is nearly certain, so that the argmax is a threshold "
        "test of theta_j.",
    ),
    Claim(
        "ou24/lemma-2/samples",
        LEMMA_2,
        Private("history", "samples", lambda step: Gaussian(sqrt(0.5))),
        reading="all theta released, as the proof has it",
        subject=single_step,
        params=HISTORIES,
        follows=("ou24/gaussian-mechanism", "ou24/eq-4"),
        by="one coordinate moves, by at most 1/(n_j+1)",
        note="Attained: rewards 1 and 0 of an arm with n_j = 1 give exactly sqrt(1/2).",
    ),
    Claim(
        "ou24/theorem-2/tight",
        Source(
            "ou24",
            "Section 3",
            "These regret bounds are stated below the Theorem 2, and are tight under the mild assumption that rewards "
            "are bounded in [0, 1].",
        ),
        Prose("tightness of bounds without constants is a matter of other papers' lower bounds; none is given here"),
        expect=UNSUPPORTED,
    ),
    Claim(
        "ou24/lemma-3",
        LEMMA_3,
        Private("pull", "arms", lambda policy: Gaussian(sqrt(policy.horizon / 2))),
        subject=ALGORITHM_1,
        params=RUNS,
        follows=("ou24/lemma-2", "ou24/lemma-1/gaussian"),
        by=f"adaptive composition, {CITED}",
    ),
    Claim(
        "ou24/lemma-3/round",
        LEMMA_3,
        Private("round", "arms", lambda policy: Gaussian(sqrt(policy.horizon / 2))),
        reading="Definition 1's neighbours: one round of the stream",
        subject=ALGORITHM_1,
        params=RUNS,
        follows=("ou24/lemma-2", "ou24/lemma-1/gaussian"),
        by=f"adaptive composition, {CITED}; whatever arm is played in the changed round, one observed reward changes",
    ),
    Claim(
        "ou24/lemma-3/sharp",
        LEMMA_3,
        Private("pull", "arms", lambda policy: Gaussian(sqrt((policy.horizon - 1) / 2))),
        reading="ours: sharp: sqrt((T-1)/2)",
        subject=ALGORITHM_1,
        params=RUNS,
        follows=("ou24/lemma-2", "ou24/lemma-1/gaussian"),
        by=f"composing rounds 2 to T, {CITED}; round 1 reads no reward, so it is 0-GDP",
        note="At T = 1 the release does not depend on the data at all.",
    ),
    Claim(
        "ou24/theorem-1",
        THEOREM_1,
        Prose("the informal version of Theorem 3"),
        follows=("ou24/theorem-3", "ou24/theorem-1/informative"),
        by=f"Theorem 3, {CITED}",
        expect=PROVED,
        note="Remark 1 says '(Theorem 1)' again where it means Corollary 1.",
    ),
    Claim(
        "ou24/theorem-1/informative",
        THEOREM_1,
        Inequality(
            left=lambda m, eps, T: gaussian_delta(m, eps, lemma_3_mu(m, T)),
            right=lambda m, eps, T: m.number(1),
            over={"eps": EPS, "T": ROUNDS},
            strict=True,
        ),
        reading="ours: Theorem 3's delta(eps) says something for every eps and T",
        expect=PROVED,
        note="delta(eps) < Phi(-eps/mu + mu/2) < 1.",
    ),
    Claim(
        "ou24/theorem-3",
        THEOREM_3,
        Private("pull", "arms", lambda policy: Gaussian(sqrt(policy.horizon / 2))),
        subject=ALGORITHM_1,
        params=({"arms": 2, "horizon": 2}, {"arms": 2, "horizon": 10}),
        follows=("ou24/lemma-3", "ou24/definition-2", "ou24/definition-2/attained", "ou24/theorem-3/formula"),
        by=f"Definition 2, {CITED}",
        expect=PROVED,
        note="(eps, delta(eps))-DP for all eps >= 0 is sqrt(T/2)-GDP. It stands and falls with Lemma 3.",
    ),
    Claim(
        "ou24/theorem-3/formula",
        THEOREM_3,
        Identity(
            left=lambda m, eps, T: printed_profile(m, eps, m.sqrt(half(m) * T)),
            right=lambda m, eps, T: gaussian_delta(m, eps, m.sqrt(T * (1 / m.sqrt(m.number(2))) ** 2)),
            over={"eps": EPS, "T": ROUNDS},
        ),
        reading="the printed formula is Definition 2 at Lemma 3's parameter",
        expect=PROVED,
    ),
    Claim(
        "ou24/remark-1/tightest",
        REMARK_1,
        Prose("the comparisons with Renyi and standard DP are judged as formulas, for every T, delta, N and split"),
        reading="of the three analyses, GDP's is never the weaker one",
        follows=("ou24/lemma-1/gaussian", "ou24/theorem-8/formula", "ou24/corollary-1/formula"),
        by="exactness for Gaussian steps, and monotonicity: where GDP gives a smaller delta at the other's eps, it "
        "gives a smaller eps at the other's delta",
        expect=PROVED,
    ),
    Claim(
        "ou24/remark-1/tenfold",
        REMARK_1,
        Inequality(
            left=lambda m, arms, lam, share: gaussian_delta(
                m, split_eps(m, 1000, arms, m.exp(-lam), share) / 10, lemma_3_mu(m, 1000)
            ),
            right=lambda m, arms, lam, share: m.exp(-lam),
            over={"arms": OneOf((2, 10)), "lam": Real(7, 600, closed=True), "share": Real(0, 1)},
        ),
        reading="standard DP, in eps: its eps is at least 10 times GDP's: T = 1000, delta = e^-lam, 1e-260 to 9e-4, "
        "best split",
        expect=PROVED,
        note="At eps_TS/10, GDP's delta is below delta_TS, for every split of delta_TS: one order of magnitude.",
    ),
    Claim(
        "ou24/remark-1/delta",
        REMARK_1,
        Inequality(
            left=lambda m, arms, lam, share: m.number(1300),
            right=lambda m, arms, lam, share: split_eps(m, 1000, arms, m.exp(-lam), share),
            over={"arms": OneOf((2, 10)), "lam": Real(0, inf), "share": Real(0, 1)},
        ),
        reading="standard DP, in delta: below eps = 1300 it promises nothing at T = 1000 (no delta below 1, no "
        "split), where GDP's delta is below 1e-300",
        expect=PROVED,
        note="At the same eps the two deltas are hundreds of orders apart: so 'often orders of magnitude' is right.",
    ),
    Claim(
        "ou24/remark-1/delta/gdp",
        REMARK_1,
        Inequality(
            left=lambda m: gaussian_delta(m, m.number(1300), lemma_3_mu(m, 1000)),
            right=lambda m: m.number("1e-300"),
            over={},
        ),
        reading="standard DP, in delta: the other half, GDP's delta at eps = 1300, T = 1000",
        expect=PROVED,
    ),
    Claim(
        "ou24/remark-1/fortyfold-nowhere",
        REMARK_1,
        Inequality(
            left=lambda m, arms, lam: m.exp(-lam),
            right=lambda m, arms, lam: gaussian_delta(
                m, split_eps(m, 1000, arms, m.exp(-lam), half(m)) / 40, lemma_3_mu(m, 1000)
            ),
            over={"arms": OneOf((2, 10)), "lam": Real(0.7, 23, closed=True)},
        ),
        reading="ours: standard DP's eps is nowhere 40 times GDP's: T = 1000, delta from 1e-10 to 0.49, even split",
        expect=PROVED,
        note="At eps_TS/40, GDP's delta is above delta_TS; the best split gives less than the even one. The factor "
        "is 18 (N = 2) or 21 (N = 10) at delta = 1e-6 and 29 or 33 at 1e-10. It grows as delta falls: at 2e-22 it "
        "has passed 40.",
    ),
    Claim(
        "ou24/remark-1/renyi",
        REMARK_1,
        Inequality(
            left=lambda m: reduce(
                m.minimum,
                (
                    gaussian_delta(m, best_renyi_eps(m, 1000, m.number(delta)) / 2, lemma_3_mu(m, 1000))
                    / m.number(delta)
                    for delta in ("0.4", "1e-1", "1e-2", "1e-3", "1e-6", "1e-10")
                ),
            ),
            right=lambda m: m.number(1),
            over={},
        ),
        reading="to the letter: 'these other privacy methods' includes Renyi DP: T = 1000, best order, its eps is at "
        "least twice GDP's at one delta at least of 0.4, 1e-1, 1e-2, 1e-3, 1e-6, 1e-10",
        expect=REFUTED,
        note="At none: the factor is 1.11 at delta = 0.4 and falls to 1.03 at 1e-10 (ou24/c3/comparable proves at most "
        "1.12 in between). Appendix C.3 itself calls RDP and GDP comparable, so the remark speaks for standard DP "
        "alone. In delta at GDP's eps, RDP loses a factor of 5 to 25. Nothing depends on it.",
    ),
    Claim(
        "ou24/remark-2/can-be-tightened",
        REMARK_2,
        Prose("Lemma 3 is tightened by our sharp lemma"),
        reading="ours: Lemma 3: sqrt((T-1)/2)-GDP, for every T",
        follows=("ou24/lemma-3/sharp", "ou24/remark-2/can-be-tightened/formula"),
        by=f"the sharp lemma, {CITED}",
        expect=PROVED,
        note="The tightening is not in 1/(n_i+1), though: it is the first round, which reads nothing.",
    ),
    Claim(
        "ou24/remark-2/can-be-tightened/formula",
        REMARK_2,
        Inequality(
            left=lambda m, T: sharp_mu(m, T),
            right=lambda m, T: lemma_3_mu(m, T),
            over={"T": ROUNDS},
            strict=True,
        ),
        reading="ours: the sharp parameter is smaller: sqrt((T-1)/2) < sqrt(T/2)",
        expect=PROVED,
    ),
    Claim(
        "ou24/remark-2/improvement",
        REMARK_2,
        Inequality(
            left=lambda m, eps, T: gaussian_delta(m, eps, sharp_mu(m, T)),
            right=lambda m, eps, T: gaussian_delta(m, eps, lemma_3_mu(m, T)),
            over={"eps": EPS, "T": Whole(2)},
        ),
        reading="ours: another tightening, T - 1 for T, does improve Theorem 3",
        follows=("ou24/definition-2/monotone", "ou24/remark-2/can-be-tightened/formula"),
        by="the profile grows with the parameter",
        expect=PROVED,
        note="At T = 2 from 0.383 to 0.276 at eps = 0. The remark is about 1/(n_i+1) alone, and is right about it "
        "(ou24/remark-2/binding-term).",
    ),
    Claim(
        "ou24/remark-2/binding-term",
        REMARK_2,
        Inequality(
            left=lambda m, eps: m.number("0.999") * gaussian_delta(m, eps, m.sqrt(half(m))),
            right=lambda m, eps: reached_delta(m, eps, m.number("1e-8")),
            over={"eps": Real(0, 0.7, closed=True)},
        ),
        reading="an arm pulled once does reach the single step's sqrt(1/2), in the released arms",
        expect=PROVED,
        note="One arm with n = 1, the other with 10^8 pulls and mean eps + 1/4. Per step, nothing can be gained.",
    ),
    Claim(
        "ou24/remark-2/instances",
        Source(
            "ou24",
            "arXiv: Remark 2 (not in PMLR)",
            "instance specific accounting might lead to improved realized guarantees empirically, as we observe in "
            "Section 5.",
        ),
        Prose("Section 5 of either version accounts with Lemma 4's worst case only; there is nothing to compare with"),
        expect=UNSUPPORTED,
    ),
)
