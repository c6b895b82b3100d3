"""Claims of Appendix A: the proofs of Lemmas 2 and 4, step by step."""

from __future__ import annotations

from math import inf

from dpbandits.reference.ledger import PROVED, REFUTED, Claim, Identity, Inequality, OneOf, Real, Source, Whole
from dpbandits.reference.papers.ou24.privacy_definitions import ROUNDS
from dpbandits.reference.papers.ou24.privacy_formulas import half, lemma_4_mu, mean_sensitivity, step_mu
from dpbandits.reference.papers.ou24.privacy_modified import PREPULLS

A_1 = Source(
    "ou24",
    "Appendix A.1",
    "Let j denote this arm [the one pulled at time t+1]. Since theta_{j,t+1} is the only value that would depend on "
    "the reward observed at time t, then it would be the only value that differs between neighboring databases",
)
EQUATION_4 = Source("ou24", "Equation (4)", "|(1/(n_j+1))/sqrt(1/(n_j+1))| = 1/sqrt(n_j+1) <= 1/sqrt(2)")
A_2 = Source(
    "ou24",
    "Appendix A.2 and Section 4.1",
    "|(1/(n_j+1))/sqrt(c/(n_j+1))| = 1/sqrt(c(n_j+1)) <= 1/sqrt(c(b+1))",
)

APPENDIX_A = (
    Claim(
        "ou24/a1/index",
        A_1,
        Inequality(
            left=lambda m, reward: m.number(1),
            right=lambda m, reward: m.ncdf(half(m) * reward / m.sqrt(1 + half(m))),
            over={"reward": Real(0, 1, closed=True)},
        ),
        reading="to the letter, round 2 of two arms: arm j, pulled at t + 1, is the arm whose reward changed at t",
        expect=REFUTED,
        note="It is that arm with probability at most 0.66. An index slip: j must be the arm whose reward differs, at "
        "any time up to t; with this the proof stands.",
    ),
    Claim(
        "ou24/a1/sensitivity",
        Source("ou24", "Appendix A.1", "has sensitivity s = max |mu-hat_j(F_t) - mu-hat_j(F'_t)| <= 1/(n_j+1)."),
        Inequality(
            left=lambda m, n, rest, one, other: (rest + one) / (n + 1) - (rest + other) / (n + 1),
            right=lambda m, n, rest, one, other: mean_sensitivity(m, n),
            over={
                "n": Whole(1),
                "rest": Real(0, inf, closed=True),
                "one": Real(0, 1, closed=True),
                "other": Real(0, 1, closed=True),
            },
        ),
        expect=PROVED,
        note="rest: the sum of the other rewards; one, other: the reward that changes, either way.",
    ),
    Claim(
        "ou24/eq-4",
        EQUATION_4,
        Inequality(
            left=lambda m, n: step_mu(m, n),
            right=lambda m, n: 1 / m.sqrt(m.number(2)),
            over={"n": Whole(1)},
        ),
        reading="the inequality",
        expect=PROVED,
        note="n_j >= 1 because arm j's reward has changed. (In PMLR's text n_{j,t+1} stands for n_{j,t} + 1.)",
    ),
    Claim(
        "ou24/eq-4/equality",
        EQUATION_4,
        Identity(
            left=lambda m, n: step_mu(m, n),
            right=lambda m, n: 1 / m.sqrt(n + 1),
            over={"n": Whole(0)},
        ),
        reading="the equality",
        expect=PROVED,
    ),
    Claim(
        "ou24/a1/no-rewards",
        Source(
            "ou24",
            "Appendix A.1",
            "Note that if this were not the case, then theta_{j,t+1} ~ N(0, 1), and there would be no privacy loss "
            "associated with arm j because there would be no data to protect.",
        ),
        Identity(
            left=lambda m, n, one, other: n * one / (n + 1),
            right=lambda m, n, one, other: n * other / (n + 1),
            over={"n": OneOf((0,)), "one": Real(0, 1, closed=True), "other": Real(0, 1, closed=True)},
        ),
        reading="n_j = 0: the mean of theta_j is the same, 0, whatever the rewards; its variance is 1/(0+1)",
        expect=PROVED,
        note="one, other: what rewards that were never seen would have paid on average, on either side.",
    ),
    Claim(
        "ou24/a2/step",
        A_2,
        Inequality(
            left=lambda m, n, b, c: step_mu(m, n + b, c),
            right=lambda m, n, b, c: 1 / m.sqrt(c * (b + 1)),
            over={"n": Whole(0), "b": PREPULLS, "c": Real(0, inf)},
        ),
        reading="n_j = b + n with n >= 0, any c > 0",
        expect=PROVED,
    ),
    Claim(
        "ou24/a2/equality",
        A_2,
        Identity(
            left=lambda m, n, c: step_mu(m, n, c),
            right=lambda m, n, c: 1 / m.sqrt(c * (n + 1)),
            over={"n": Whole(0), "c": Real(0, inf)},
        ),
        reading="the equality",
        expect=PROVED,
    ),
    Claim(
        "ou24/a2/composition",
        Source(
            "ou24",
            "Appendix A.2",
            "the GDP parameter over T timesteps is sqrt(sum_{t=1}^T (1/sqrt(c(b+1)))^2) = sqrt(T/(c(b+1))).",
        ),
        Identity(
            left=lambda m, T, b, c: m.sqrt(T * (1 / m.sqrt(c * (b + 1))) ** 2),
            right=lambda m, T, b, c: lemma_4_mu(m, T, b, c),
            over={"T": ROUNDS, "b": PREPULLS, "c": Real(0, inf)},
        ),
        reading="a sum of T equal terms",
        expect=PROVED,
    ),
)
