"""Section 5: why local privacy needs elimination, and Theorem 6, the privacy of Algorithm 4."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.tao22 import Messages, messages
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import HORIZON, POSITIVE, V, at_the_bounds

chapter = page.chapter("Section 5")
THEOREM_6 = source("Theorem 6", "For any eps > 0, Algorithm 4 is eps-local differentially private.")
LOCAL_UCB = source(
    "Section 5",
    "The reason is that, similar to Algorithm 1, here the threshold of each reward depends on n_a. That is, the "
    "Laplacian noise we added for each reward will be proportional to n_a.",
)


@chapter.inequality(
    "section-5/local-ucb",
    LOCAL_UCB,
    over={
        "eps": POSITIVE,
        "v": V,
        "u": POSITIVE,
        "T": HORIZON,
        "n": POSITIVE,
        "growth": Real(1, np.inf, closed=True),
    },
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The paper does not give the local version of Algorithm 1 that the sentence is about.",
)
def section_5_local_ucb(
    m: Vocabulary, eps: Number, v: Number, u: Number, T: Number, n: Number, growth: Number
) -> Sides:
    """The claim is that the noise grows with n_a. The threshold of Algorithm 1 is B_n = (eps u n/log^1.5 T)^{1/(1+v)}.
    For growth >= 1, this threshold is at most as large after n pulls as after (growth n) pulls."""
    return f.threshold_1(m, eps, v, u, T, n), f.threshold_1(m, eps, v, u, T, n * growth)


@chapter.identity(
    "section-5/local-ucb/proportional",
    LOCAL_UCB,
    over={"v": V},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The noise is proportional to B_{n_a}, which grows like n_a^{1/(1+v)}, more slowly than n_a. The sentence's "
    "conclusion, that the noise grows with n_a, still holds (`tao22/section-5/local-ucb`).",
    related=("tao22/section-5/local-ucb",),
)
def section_5_local_ucb_proportional(m: Vocabulary, v: Number) -> Sides:
    """Let B_n = (eps u n/log^1.5 T)^{1/(1+v)} be the threshold after n pulls. The claim is that twice the pulls give
    twice the threshold. Both sides are divided by B_n."""
    return m.power(m.number(2), 1 / (1 + v)), m.number(2)


chapter.add(
    "theorem-6",
    THEOREM_6,
    Stated("given all earlier messages, the message of a user is eps-DP in the user's reward"),
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-6/scale", "tao22/theorem-6/range"),
)


def worst_users(policy: Messages) -> tuple[Pair, ...]:
    return at_the_bounds(policy.policy)


@chapter.private(
    "theorem-6/messages",
    THEOREM_6,
    relation="pull",
    view="samples",
    pairs=worst_users,
    subject=messages,
    params=({"arms": 2, "horizon": 80, "eps": 2.0, "v": 1.0, "u": 5e-4, "beta": 0.9},),
    expect=Verdict.CONSISTENT,
    note="A reward that changes from B to -B changes one message by 2 B, and the tail of the noise then attains eps. "
    "The messages of other users depend only on their own rewards and on S, R and B, which follow from earlier "
    "messages. The claim is checked by the exact law of one shifted message and by likelihood ratios of runs. The "
    "runs also check that the message shifts by this amount and that equal messages lead to equal pulls.",
)
def theorem_6_messages(policy: Messages) -> Approximate:
    """The claim is about two arms, one epoch, and the rounds after this epoch. All messages of a run except the last
    one are (eps, 0)-DP in one user's reward."""
    return Approximate(policy.policy.eps, 0.0)
