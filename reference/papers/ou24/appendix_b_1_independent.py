"""Regret claims of Appendix B.1: from equation (10) to the problem-independent bound."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Verdict, Whole
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import CHAIN, GAP, LARGE, LOG_Y, PLAIN, WHOLE, at

chapter = page.chapter("Appendix B.1: the problem-independent bound")

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


def log_term(m: Vocabulary, N: Number) -> Number:
    """log(e^2 N log N)."""
    return m.log(m.exp(2) * N * m.log(N))


def per_arm(m: Vocabulary, N: Number, rounds: Number, c: Number) -> Number:
    """Equation (10) at Delta_i = e sqrt(N log N)/sqrt(T-bN), as printed (without the dangling minus)."""
    root = m.exp(1) * m.sqrt(N) * m.sqrt(m.log(N))
    return 14 * m.sqrt(rounds) / root + 5130 * c * m.sqrt(rounds) * (log_term(m, N) / root)


@chapter.identity(
    "problem-independent/derivative",
    DECREASING,
    over={"gap": GAP, "log_y": Real(-inf, inf)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def problem_independent_derivative(m: Vocabulary, gap: Number, log_y: Number) -> Sides:
    """The formula is the derivative by the quotient rule. The derivative of log((T-bN) Delta^2) is 2/Delta."""
    return (2 / gap * gap - log_y * 1) / gap**2, (2 - log_y) / gap**2


@chapter.inequality(
    "problem-independent/decreasing/printed",
    DECREASING,
    over={"s": LARGE},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    repaired_by=("ou24/problem-independent/decreasing/repaired",),
    note="At Delta_i = e/sqrt(T-bN) itself, the derivative is 0 and not negative. The error is harmless, because this "
    "gap is only an end point of the range: the conclusion in parentheses, that the term decreases, includes it.",
)
def problem_independent_decreasing_printed(m: Vocabulary, s: Number) -> Sides:
    """In the formula, Delta_i = s e/sqrt(T-bN), and the right side is log((T-bN) Delta_i^2)."""
    return m.number(2), 2 + 2 * m.log(s)


@chapter.inequality(
    "problem-independent/decreasing/repaired",
    DECREASING,
    over={"s": Real(1, inf)},
    strict=True,
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
)
def problem_independent_decreasing_repaired(m: Vocabulary, s: Number) -> Sides:
    """The claim is for Delta_i > e/sqrt(T-bN)."""
    return m.number(2), 2 + 2 * m.log(s)


@chapter.inequality(
    "problem-independent/first",
    CHAIN_SOURCE,
    over={"s": LARGE, "log_term": Real(2, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The inequality f(Delta_i) <= f(e sqrt(N log N)/sqrt(T-bN)) becomes (log_term + 2 log s)/s <= log_term. The "
    "minus at the end of the line is a misprint, and the sum runs only over arms with these gaps. For N = 1 the "
    "display divides by log 1 = 0.",
)
def problem_independent_first(m: Vocabulary, s: Number, log_term: Number) -> Sides:
    """The formula is the first step for Delta_i = s e sqrt(N log N)/sqrt(T-bN) with s >= 1, and log_term = log(e^2 N
    log N) >= 2."""
    return 2 * m.log(s), log_term * (s - 1)


@chapter.inequality(
    "problem-independent/threshold/printed",
    CHAIN_SOURCE,
    over={"N": Whole(1)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.NONE,
    repaired_by=("ou24/problem-independent/threshold/repaired",),
    note="The paper means N >= 2. For N = 1 the threshold e sqrt(N log N) is 0, below e. The error is harmless: with a "
    "single arm there is no regret.",
)
def problem_independent_threshold_printed(m: Vocabulary, N: Number) -> Sides:
    """The claim is that f decreases at the gaps of the arms considered, that is, e sqrt(N log N) >= e for every N >=
    1."""
    return m.number(1), N * m.log(N)


@chapter.inequality(
    "problem-independent/threshold/repaired",
    CHAIN_SOURCE,
    over={"N": Whole(2)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
)
def problem_independent_threshold_repaired(m: Vocabulary, N: Number) -> Sides:
    """The claim is for N >= 2."""
    return m.number(1), N * m.log(N)


@chapter.identity(
    "problem-independent/second",
    CHAIN_SOURCE,
    over={"N": Whole(2), "rounds": Whole(1), "c": LARGE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def problem_independent_second(m: Vocabulary, N: Number, rounds: Number, c: Number) -> Sides:
    """In the formula, `rounds` is T-bN."""
    left = N * per_arm(m, N, rounds, c)
    right = 14 * m.sqrt(N) * m.sqrt(rounds) / (m.exp(1) * m.sqrt(m.log(N))) + 5130 * c * m.sqrt(rounds) * (
        m.sqrt(N) * log_term(m, N)
    ) / (m.exp(1) * m.sqrt(m.log(N)))
    return left, right


@chapter.inequality(
    "problem-independent/third",
    CHAIN_SOURCE,
    over={"log_N": Real(0.693, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The inequality is divided by c sqrt(N(T-bN))/(e sqrt(log N)), and uses 14 <= 14 c. The least constant is "
    "6342.13, at N = 2.",
)
def problem_independent_third(m: Vocabulary, log_N: Number) -> Sides:
    """The bound O(c sqrt(N(T-bN) log N)) is read with the constant 6344 (`CHAIN`), for N >= 2 (log 2 = 0.6931...)."""
    return PLAIN + LOG_Y * (2 + log_N + m.log(log_N)), CHAIN * m.exp(1) * log_N


@chapter.identity(
    "problem-independent/small-gaps",
    SMALL_GAPS,
    over={"N": Whole(2), "rounds": Whole(1)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The total over these arms is at most T-bN times the largest of their gaps, because the arms share the "
    "rounds. The printed reason 'because bN <= T' is not needed.",
)
def problem_independent_small_gaps(m: Vocabulary, N: Number, rounds: Number) -> Sides:
    """The formula states that the bound is T-bN times the largest of these gaps."""
    left = rounds * (m.exp(1) * m.sqrt(N * m.log(N)) / m.sqrt(rounds))
    right = m.exp(1) * m.sqrt(N * rounds * m.log(N))
    return left, right


@chapter.inequality(
    "problem-independent/precondition",
    INDEPENDENT_FORM,
    over={"N": Whole(2)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="A bound whose precondition contains the smallest gap is not problem-independent, so it matters that the "
    "bound holds without the precondition.",
)
def problem_independent_precondition(m: Vocabulary, N: Number) -> Sides:
    """This form of the bound does not need the precondition: arms that use equation (10) have (T-bN) Delta_i^2 >= e^2 N
    log N."""
    return m.number(4), m.exp(2) * N * m.log(N)


@chapter.inequality(
    "problem-independent/whole",
    INDEPENDENT_FORM,
    over={"c": LARGE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def problem_independent_whole(m: Vocabulary, c: Number) -> Sides:
    """The formula states that 6344 c + e <= 6347 c, for both groups of arms together."""
    return CHAIN * c + m.exp(1), WHOLE * c
