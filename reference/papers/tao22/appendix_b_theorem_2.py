"""Appendix B: the proof of Theorem 2."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Verdict
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import HORIZON, POSITIVE, V

AT_LEAST_0 = Real(0, np.inf, closed=True)
chapter = page.chapter("Appendix B: Lemma 11 and Theorem 2")


def before_the_horizon(m: Vocabulary, t: Number, T: Number) -> Sides:
    return t, T


@chapter.identity(
    "theorem-2/one-of-three",
    source(
        "Proof of Theorem 2, (17) to (19)",
        "Note that mu-hat_{a*}(s, t) + I_{s,t} <= mu-hat_a(s_a, t) + I_{s_a,t} implies that at least one of the "
        "following three inequalities is true: mu-hat_{a*}(s, t) <= mu_{a*} - I_{s,t} (17), mu-hat_a(s_a, t) >= mu_a "
        "+ I_{s_a,t} (18), Delta_a < 2 I_{s_a,t} (19)",
    ),
    over={
        "mean": Real(-np.inf, np.inf),
        "I_s": POSITIVE,
        "I_a": POSITIVE,
        "x": POSITIVE,
        "y": POSITIVE,
        "z": AT_LEAST_0,
    },
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_2_one_of_three(
    m: Vocabulary, mean: Number, I_s: Number, I_a: Number, x: Number, y: Number, z: Number
) -> Sides:
    """Suppose that (17), (18) and (19) fail by the amounts x > 0, y > 0 and z >= 0, respectively. Then the first index
    exceeds the second by x + y + z > 0, so the condition fails as well. Here mean = mu_a, I_s = I_{s,t}, I_a =
    I_{s_a,t}, Delta_a = 2 I_a + z, mu-hat_{a*} = mu_a + Delta_a - I_s + x and mu-hat_a = mu_a + I_a - y."""
    best = mean + (2 * I_a + z) - I_s + x
    return best + I_s - (mean + I_a - y + I_a), x + y + z


ENOUGH = source(
    "Proof of Theorem 2",
    "For s_a >= 36 u^{1/v} (log(2t^4) log^{1.5+1/v} T)/(eps Delta_a^{(1+v)/v}), (19) is false.",
)


@chapter.inequality(
    "theorem-2/enough",
    ENOUGH,
    over={"v": V},
    expect=Verdict.REFUTED,
    fault=Fault.FACTOR,
    harm=Harm.NUMBER,
    same_error_as="tao22/theorem-2/explicit",
    note="2 I_{s,t} <= Delta_a needs 36^{(1+v)/v}, which is 1296 at v = 1, in place of the constant 36. The constant "
    "36 of the regret bound is too small by a factor of 36^{1/v}. The paper treats v as a constant, so the order (5) "
    "holds. (I_{s,t} has t + 1 in place of this line's t.)",
)
def theorem_2_enough(m: Vocabulary, v: Number) -> Sides:
    """Inequality (19) is false if 2 I_{s,t} <= Delta_a. For the printed s_a, dividing 2 I_{s,t} <= Delta_a by Delta_a
    gives 36 36^{-v/(1+v)} <= 1."""
    return 36 * m.power(m.number(36), -v / (1 + v)), m.number(1)


@chapter.identity(
    "theorem-2/enough/repaired",
    ENOUGH,
    over={"eps": POSITIVE, "v": V, "u": POSITIVE, "T": Real(3, np.inf), "ell": POSITIVE, "gap": POSITIVE},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
)
def theorem_2_enough_repaired(
    m: Vocabulary, eps: Number, v: Number, u: Number, T: Number, ell: Number, gap: Number
) -> Sides:
    """The formula is 2 I_{s,t} = Delta_a at s = 36^{(1+v)/v} u^{1/v} ell log^{1.5+1/v} T/(eps Delta_a^{(1+v)/v}), with
    ell = log(2 t^4)."""
    logs = m.power(m.log(T), m.number("1.5") + 1 / v)
    s = m.power(m.number(36), (1 + v) / v) * m.power(u, 1 / v) * ell * logs / (eps * m.power(gap, (1 + v) / v))
    return 36 * f.width(m, eps, v, u, T, s, ell), gap


@chapter.identity(
    "theorem-2/ell",
    source(
        "Proof of Theorem 2",
        "Now, let l = ceil(36 u^{1/v} (log(2t^4) log^{1.5+1/v} T)/(eps Delta_a^{(1+v)/v})), we can bound the term "
        "E[N_a(T)] as follows, E[N_a(T)] <= ceil(36 u^{1/v} (log(2t^4) log^{1.5+1/v} T)/(eps Delta_a^{(1+v)/v})) + "
        "sum_{t=1}^inf sum_{s=1}^t sum_{s_a=l}^t P((17) or (18) is true)",
    ),
    over={"t": Real(1, np.inf, closed=True), "T": HORIZON},
    where=(before_the_horizon,),
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The paper means log(2T^4), as in the last line of the proof: l is a single integer in front of the sum "
    "over t. (I_{s,t} has log(2(t+1)^4), which is at most log(2T^4) for t <= T - 1.)",
)
def theorem_2_ell(m: Vocabulary, t: Number, T: Number) -> Sides:
    """The paper uses one number l for every t of the sum, as if log(2 t^4) = log(2 T^4)."""
    return f.log_2t4(m, t), f.log_2t4(m, T)


@chapter.identity(
    "theorem-2/triple-sum",
    source(
        "Proof of Theorem 2",
        "sum_{t=1}^inf sum_{s=1}^t sum_{s_a=l}^t 2/t^4 <= [...] 2 sum_{t=1}^inf 1/t^2",
    ),
    over={"t": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_2_triple_sum(m: Vocabulary, t: Number) -> Sides:
    """For each t, the sum over s and s_a has at most t^2 terms. Each term is 2/t^4, so they add up to at most 2/t^2."""
    return t * t * (2 / t**4), 2 / t**2


@chapter.inequality(
    "theorem-2/five",
    source(
        "Proof of Theorem 2",
        "<= 36 u^{1/v} (log(2t^4) log^{1.5+1/v} T)/(eps Delta_a^{(1+v)/v}) + 1 + pi^2/3 <= 36 u^{1/v} (log(2t^4) "
        "log^{1.5+1/v} T)/(eps Delta_a^{(1+v)/v}) + 5.",
    ),
    over={},
    expect=Verdict.PROVED,
)
def theorem_2_five(m: Vocabulary) -> Sides:
    """The formula omits the first term, which is the same on both sides: 1 + pi^2/3 <= 5."""
    return 1 + m.pi * m.pi / 3, m.number(5)
