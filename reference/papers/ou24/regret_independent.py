"""Regret claims of Appendix B.1: from eq. (10) to the problem-independent bound."""

from __future__ import annotations

from math import inf
from typing import Any

from dpbandits.reference.ledger import PROVED, REFUTED, Claim, Identity, Inequality, Real, Whole
from dpbandits.reference.papers.ou24.regret_formulas import CHAIN, GAP, LARGE, LOG_Y, PLAIN, WHOLE, at

CHAIN_SOURCE = at(
    "Appendix B.1, after eq. (10)",
    "sum_{i=1}^N {14/Delta_i + 5130c log((T-bN) Delta_i^2)/Delta_i} <= sum_{i=1}^N {(14 sqrt(T-bN)/(e sqrt(N log N)) "
    "- ) + 5130c sqrt(T-bN) log(e^2 N log N)/(e sqrt(N log N))} = 14 sqrt(N(T-bN))/(e sqrt(log N)) + 5130c "
    "sqrt(T-bN) sqrt(N) log(e^2 N log N)/(e sqrt(log N)) = O(c sqrt(N(T-bN) log N)).",
)
DECREASING = at(
    "Appendix B.1, after eq. (10)",
    "f(Delta_i) = log((T-bN) Delta_i^2)/Delta_i, so that f'(Delta_i) = (2 - log((T-bN) Delta_i^2))/Delta_i^2. We see "
    "that f'(Delta_i) < 0 (i.e., the second term is decreasing in Delta_i) if Delta_i >= e/sqrt(T-bN).",
)
SMALL_GAPS = at(
    "Appendix B.1, after eq. (10)",
    "For every arm with Delta_i <= e sqrt(N log N)/sqrt(T-bN), the total regret due to all of these arms in T-bN time "
    "steps is bounded by (T-bN) Delta_i <= (T-bN) e sqrt(N log N)/sqrt(T-bN) <= e sqrt(N(T-bN) log N) = "
    "O(sqrt(N(T-bN) log N)), because bN <= T.",
)
INDEPENDENT_FORM = at(
    "Theorem 5",
    "run for T > bN + 4/min_i Delta_i^2 timesteps [...] expected regret bN + O(c sqrt(N(T-bN) log N)) "
    "(problem-independent).",
)


def log_term(m: Any, N: Any) -> Any:
    """log(e^2 N log N)."""
    return m.log(m.exp(2) * N * m.log(N))


def per_arm(m: Any, N: Any, rounds: Any, c: Any) -> Any:
    """Eq. (10) at Delta_i = e sqrt(N log N)/sqrt(T-bN), as printed (without the dangling minus)."""
    root = m.exp(1) * m.sqrt(N) * m.sqrt(m.log(N))
    return 14 * m.sqrt(rounds) / root + 5130 * c * m.sqrt(rounds) * (log_term(m, N) / root)


INDEPENDENT: tuple[Claim, ...] = (
    Claim(
        "ou24/problem-independent/derivative",
        DECREASING,
        Identity(
            lambda m, gap, log_y: (2 / gap * gap - log_y * 1) / gap**2,
            lambda m, gap, log_y: (2 - log_y) / gap**2,
            {"gap": GAP, "log_y": Real(-inf, inf)},
        ),
        reading="by the quotient rule; the derivative of log((T-bN) Delta^2) is 2/Delta",
        expect=PROVED,
    ),
    Claim(
        "ou24/problem-independent/decreasing/printed",
        DECREASING,
        Inequality(
            lambda m, s: m.number(2),
            lambda m, s: 2 + 2 * m.log(s),
            {"s": LARGE},
            strict=True,
        ),
        reading="Delta_i = s e/sqrt(T-bN); the right side is log((T-bN) Delta_i^2)",
        expect=REFUTED,
        note="At Delta_i = e/sqrt(T-bN) the derivative is 0, not negative. Harmless.",
    ),
    Claim(
        "ou24/problem-independent/decreasing/repaired",
        DECREASING,
        Inequality(
            lambda m, s: m.number(2),
            lambda m, s: 2 + 2 * m.log(s),
            {"s": Real(1, inf)},
            strict=True,
        ),
        reading="Delta_i > e/sqrt(T-bN)",
        expect=PROVED,
    ),
    Claim(
        "ou24/problem-independent/first",
        CHAIN_SOURCE,
        Inequality(
            lambda m, s, log_term: 2 * m.log(s),
            lambda m, s, log_term: log_term * (s - 1),
            {"s": LARGE, "log_term": Real(2, inf, closed=True)},
        ),
        reading="the first step for Delta_i = s e sqrt(N log N)/sqrt(T-bN), s >= 1; log_term = log(e^2 N log N) >= 2",
        expect=PROVED,
        note="f(Delta_i) <= f(e sqrt(N log N)/sqrt(T-bN)) is (log_term + 2 log s)/s <= log_term. The dangling minus "
        "is a misprint, the sum runs over the arms with these gaps only, and N = 1 divides by log 1 = 0.",
    ),
    Claim(
        "ou24/problem-independent/threshold/printed",
        CHAIN_SOURCE,
        Inequality(
            lambda m, N: m.number(1),
            lambda m, N: N * m.log(N),
            {"N": Whole(1)},
        ),
        reading="the arms considered lie where f decreases, e sqrt(N log N) >= e, for every N >= 1",
        expect=REFUTED,
        note="Fails for N = 1, where nothing is to be shown.",
    ),
    Claim(
        "ou24/problem-independent/threshold/repaired",
        CHAIN_SOURCE,
        Inequality(
            lambda m, N: m.number(1),
            lambda m, N: N * m.log(N),
            {"N": Whole(2)},
        ),
        reading="N >= 2",
        expect=PROVED,
    ),
    Claim(
        "ou24/problem-independent/second",
        CHAIN_SOURCE,
        Identity(
            lambda m, N, rounds, c: N * per_arm(m, N, rounds, c),
            lambda m, N, rounds, c: (
                14 * m.sqrt(N) * m.sqrt(rounds) / (m.exp(1) * m.sqrt(m.log(N)))
                + 5130 * c * m.sqrt(rounds) * (m.sqrt(N) * log_term(m, N)) / (m.exp(1) * m.sqrt(m.log(N)))
            ),
            {"N": Whole(2), "rounds": Whole(1), "c": LARGE},
        ),
        reading="rounds = T-bN",
        expect=PROVED,
    ),
    Claim(
        "ou24/problem-independent/third",
        CHAIN_SOURCE,
        Inequality(
            lambda m, log_N: PLAIN + LOG_Y * (2 + log_N + m.log(log_N)),
            lambda m, log_N: CHAIN * m.exp(1) * log_N,
            {"log_N": Real(0.693, inf, closed=True)},
        ),
        reading=f"O(c sqrt(N(T-bN) log N)) with the constant {CHAIN}, N >= 2 (log 2 = 0.6931...)",
        expect=PROVED,
        note="Divided by c sqrt(N(T-bN))/(e sqrt(log N)), with 14 <= 14 c. The least constant is 6342.2, at N = 2.",
    ),
    Claim(
        "ou24/problem-independent/small-gaps",
        SMALL_GAPS,
        Identity(
            lambda m, N, rounds: rounds * (m.exp(1) * m.sqrt(N * m.log(N)) / m.sqrt(rounds)),
            lambda m, N, rounds: m.exp(1) * m.sqrt(N * rounds * m.log(N)),
            {"N": Whole(2), "rounds": Whole(1)},
        ),
        expect=PROVED,
        note="The total over these arms is at most T-bN times the largest of their gaps, because the rounds are "
        "shared; 'because bN <= T' has nothing to do with it.",
    ),
    Claim(
        "ou24/problem-independent/precondition",
        INDEPENDENT_FORM,
        Inequality(
            lambda m, N: m.number(4),
            lambda m, N: m.exp(2) * N * m.log(N),
            {"N": Whole(2)},
        ),
        reading="ours: not needed for this form: arms that use eq. (10) have (T-bN) Delta_i^2 >= e^2 N log N",
        expect=PROVED,
        note="A bound that depends on the smallest gap through its precondition is not problem-independent; this one "
        "is.",
    ),
    Claim(
        "ou24/problem-independent/whole",
        INDEPENDENT_FORM,
        Inequality(
            lambda m, c: CHAIN * c + m.exp(1),
            lambda m, c: WHOLE * c,
            {"c": LARGE},
        ),
        reading=f"both groups of arms together: {CHAIN} c + e <= {WHOLE} c",
        expect=PROVED,
    ),
)
