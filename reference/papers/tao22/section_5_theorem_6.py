"""Section 5: why local privacy needs elimination, and Theorem 6, the privacy of Algorithm 4."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.claims.model import Fault, Harm, Reading, Stated, Verdict
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.tao22 import Messages, messages
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import POSITIVE, W, at_the_bounds

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
    over={"more": POSITIVE, "w": W},
    expect=Verdict.PROVED,
    note="Of an algorithm that the paper does not give.",
)
def section_5_local_ucb(m: Vocabulary, more: Number, w: Number) -> Sides:
    """That the noise grows with n_a, as a formula: B_n <= B_{n + more n} with the threshold B_n of Algorithm 1, which
    is proportional to n^{1/(1+v)}; divided by B_n, in logarithms."""
    return m.number(0), w / (1 + w) * m.log(1 + more)


@chapter.identity(
    "section-5/local-ucb/proportional",
    LOCAL_UCB,
    over={"w": W},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="It is proportional to B_{n_a}, which grows like n_a^{1/(1+v)}: slower, but enough for what is said of it.",
)
def section_5_local_ucb_proportional(m: Vocabulary, w: Number) -> Sides:
    """Twice the pulls, twice the threshold B_n = (eps u n/log^1.5 T)^{1/(1+v)}: 2^{1/(1+v)} = 2."""
    return f.power(m, m.number(2), w / (1 + w)), m.number(2)


chapter.add(
    "theorem-6",
    THEOREM_6,
    Stated("given all messages that were sent before, a user's message is eps-DP, for any two rewards of the user"),
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
    note="A user who goes from B to -B moves one message by 2 B, and attains eps in its tail. What others send is made "
    "of their own rewards: S, R and B follow from the messages. Judged exactly, as one shifted message, and by "
    "likelihood ratios of runs that are played round by round, in which messages have to move as far as is said, and "
    "the same messages have to make the same pulls.",
)
def theorem_6_messages(policy: Messages) -> Approximate:
    """(eps, 0)-DP of all messages of a run but the last round's, one user's reward changed: two arms, one epoch, and
    what follows from it."""
    return Approximate(policy.policy.eps, 0.0)
