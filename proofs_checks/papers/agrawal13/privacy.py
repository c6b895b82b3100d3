"""The privacy of linear Thompson sampling: upper bounds by Gaussian mechanisms, lower bounds by exact laws on bad
contexts."""

from __future__ import annotations

from math import isqrt, sqrt
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    enclosure_step,
    equality_step,
    inequality_step,
    lemma_by_argument,
)
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.claims.findings import above, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Private, Real, Verdict, established
from dpbandits.reference.claims.records import Cell, Item, text_item
from dpbandits.reference.papers.agrawal13 import LinearThompsonSampling
from dpbandits.reference.papers.agrawal13.page import page

proves = Proofs(page)

SHORT = 2.0**-20  # a context that all but teaches nothing
DIAGONAL = 0.7  # both features of the user, whose length is then 0.99
SHARE, PER_ROUND = 0.79, 0.13  # of sqrt((T - 1)/2)/v for a reward, and of (T - 1)/v for a user

REWARD = """Take two runs that differ in the rewards of round s, and have released the same arms so far. The contexts
are the same (where one depends on what was released, too), so B is; f differs by y d, where y is the context of the arm
that was pulled in round s, and |d| <= 1. The arm of a later round is a function of its contexts and of theta ~ N(B^-1
f, v^2 B^-1): it tells no more than a Gaussian mechanism whose mean moves by B^-1 y d, which in units of the noise is
|d| sqrt(y . B^-1 y)/v. B = C + y y' with C >= I, and with q = y . C^-1 y it is y . B^-1 y = q/(1 + q) (Sherman and
Morrison), at most 1/2, as q <= y . y <= 1. So each of the at most T - 1 later rounds is 1/(sqrt(2) v)-GDP, whatever was
released before, and rounds up to s are the same on both sides. Adaptive composition of mu-GDP (Dong, Roth and Su 2022,
Corollary 3.3) gives sqrt((T - 1)/2)/v."""
NEVER_MORE = inequality_step(
    "q/(1 + q) <= 1/2 for q <= 1",
    lambda m, q: q / (1 + q),
    lambda m, q: m.number("0.5"),
    {"q": Real(0, 1, closed=True)},
)

USER = """In n rounds both arms have the context (h, 0), with n h^2 = 1, and pay 1. So B = diag(2, 1) and f = (sqrt n,
0), whichever arms are pulled. In the user's round both arms have the context x = (0.7, 0.7) on the left and (0.7, -0.7)
on the right, and pay 0, so x x' is added to B. In the following m rounds the contexts are (0, g) and (0, -g) and the
rewards 0. In the limit g = 0, the m rounds do not change B, and each of them pulls arm 0 if theta_1 > 0. With det B =
2.49 1.49 - 0.49^2 = 3.47, the mean of theta_1 is -0.49 sqrt(n)/3.47 on the left and 0.49 sqrt(n)/3.47 on the right, and
its variance is 2.49 v^2/3.47. So each of these m rounds pulls the less likely arm of its input with probability at most
p = Phi(-s), s = sqrt(n)/(6 v), independently. A test by the majority of the m rounds distinguishes the two inputs with
errors of at most (4 p (1 - p))^(m/2) <= (2 e^(-s^2/2))^(m/2) each, as p <= e^(-s^2/2)/2. Under mu-GDP the two errors of
a test add up to at least 2 Phi(-mu/2). For mu >= 4 the number 2 Phi(-mu/2) is at least e^(-mu^2/4), because Phi(-2) is
above e^-4/2 and Phi(-x) e^(x^2) increases for x >= 1. The function increases because its derivative has the sign of 2 x
Phi(-x) - phi(x), and Phi(-x) >= phi(x) x/(1 + x^2). For mu < 4 the two errors of mu-GDP add up to more than 2 Phi(-2),
but the errors of the majority test add up to less for large n and m. So mu >= 4 for all large T, and mu^2/4 >= (m/2)
(s^2/2 - ln 2) - ln 2. With n = m = (T - 1)/2, rounded down, the right side is at least c' T^2/v^2 for all T above a
number that depends on v, so mu >= c T/v. Hiding the arm of the user's own round does not help. This arm is certainly
the same on both inputs, because both arms have the same context in this round and the first one is preferred. The
result for the limit g = 0 also holds for a small g > 0, because all probabilities are continuous in g."""
TOLD_APART = Reduction(
    " ".join(USER.split()),
    (
        equality_step(
            "2.49 1.49 - 0.49^2 = 3.47",
            lambda m: m.number("2.49") * m.number("1.49") - m.number("0.49") * m.number("0.49"),
            lambda m: m.number("3.47"),
        ),
        enclosure_step(
            "1/36 <= 0.49^2/(3.47 2.49)",
            lambda m: m.number(1) / 36,
            lambda m: m.number("0.49") * m.number("0.49") / (m.number("3.47") * m.number("2.49")),
            {},
        ),
        enclosure_step("e^-4/2 <= Phi(-2)", lambda m: m.exp(-m.number(4)) / 2, lambda m: m.ncdf(-m.number(2)), {}),
    ),
)


class Attack(NamedTuple):
    """The certified mu of a policy on a pair. bound: the claimed upper or lower bound."""

    policy: LinearThompsonSampling
    words: str
    bound: float
    low: float
    high: float


def attack(policy: Any, words: str, pair: Pair, bound: float) -> Attack:
    """The policy must have a law that takes contexts."""
    low, high = exact_profile(policy, pair).mu()
    return Attack(policy, words, bound, low, high)


def one_reward(policy: LinearThompsonSampling, features: Any) -> Pair:
    """All rewards are 0, except that the rewards of the first round are 1 on the right."""
    left = np.zeros((policy.arms, policy.horizon))
    right = left.copy()
    right[:, 0] = 1.0
    return Pair("reward", left, right, contexts=Contexts(features))


def coins(policy: LinearThompsonSampling) -> Any:
    """A long context, then two short ones of opposite sign; further arms have zero contexts."""
    features = np.zeros((policy.horizon, policy.arms, policy.contexts))
    features[0, :, 0] = 1.0
    features[1:, 0, 0], features[1:, 1, 0] = SHORT, -SHORT
    return features


def circling(policy: LinearThompsonSampling) -> Any:
    """Contexts that lie around 0, in sixteenths, others in every round and for every arm."""
    rounds, arms, features = np.indices((policy.horizon, policy.arms, policy.contexts))
    return ((5 * rounds + 7 * arms + 3 * features + rounds * arms) % 17 - 8) / 16 * (features < 2)


def contradicting(policy: LinearThompsonSampling) -> Pair:
    """The rounds of USER, as many before the user as after."""
    many = (policy.horizon - 1) // 2
    left = np.zeros((policy.horizon, policy.arms, policy.contexts))
    left[:many, :, 0] = 1 / isqrt(many)
    left[many, :, :2] = DIAGONAL
    left[many + 1 :, 0, 1], left[many + 1 :, 1, 1] = SHORT, -SHORT
    right = left.copy()
    right[many, :, 1] = -DIAGONAL
    rewards = np.zeros((policy.arms, policy.horizon))
    rewards[:, :many] = 1.0
    return Pair("user", rewards, rewards, contexts=(Contexts(left), Contexts(right)))


def shown(rows: list[Attack], title: str, bound: str) -> Item:
    columns = ["K", "d", "T", nearest("v"), "contexts", nearest(bound), below("mu, at least"), above("at most")]
    table: list[list[Cell]] = [
        [each.policy.arms, each.policy.contexts, each.policy.horizon, each.policy.scale, *each[1:]] for each in rows
    ]
    return table_item(title, columns, table)


@proves("privacy/reward")
def reward(claim: Claim, effort: Effort, seed: int) -> Finding:
    assert isinstance(claim.says, Private)
    assert claim.subject is not None
    rows = []
    for instance in claim.params:
        policy = claim.subject(**instance)
        bound = claim.says.curve(policy).mu
        rows += [
            attack(policy, "one long one, then short ones of either sign", one_reward(policy, coins(policy)), bound),
            attack(policy, "around 0", one_reward(policy, circling(policy)), bound),
        ]
    most = max(rows, key=lambda each: each.low / each.bound)
    evidence = (
        shown(rows, "All transcripts, exactly", "claimed mu"),
        text_item(" ".join(REWARD.split())),
    )
    if most.low > most.bound * (1 + 1e-9):
        said = f"{most.policy}, contexts {most.words}, the rewards of round 1 changed: mu is at least {most.low:.9g}"
        return Finding(claim.id, Verdict.REFUTED, said, evidence[:1], rests_on=(Basis.EXACT_LAW,))
    if not NEVER_MORE.holds():
        return Finding(claim.id, Verdict.CONSISTENT, "A step of the proof was not shown.", evidence[:1])
    said = (
        "Every later round is a Gaussian mechanism with a ratio of sensitivity to noise of at most 1/(sqrt(2) v), "
        f"whatever was released. The largest parameter that was found, by exact computation, is "
        f"{most.low / most.bound:.4f} times the claimed parameter."
    )
    return established(claim.id, said, evidence, Basis.WORDS, Basis.EXACT_LAW, NEVER_MORE.how)


proves("privacy/user")(lemma_by_argument(TOLD_APART))


@proves("privacy/reward/attained")
def reward_attained(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The coins, counted exactly."""
    policies = [LinearThompsonSampling(2, t, 1, v) for t, v in ((10, 1.0), (101, 1.0), (101, 8.0))]
    rows = [
        attack(each, "coins", one_reward(each, coins(each)), SHARE * sqrt((each.horizon - 1) / 2) / each.scale)
        for each in policies
    ]
    return attained(claim, rows, "0.79 sqrt((T - 1)/2)/v")


@proves("privacy/user/attained")
def user_attained(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The user who contradicts, exactly. The user's round shows both arms the same, so that its arm is certain, and all
    arms tell what those of all other rounds do."""
    policies = [LinearThompsonSampling(2, horizon, 2, 1.0) for horizon in (19, 33, 73)]
    rows = [
        attack(each, "contradicting", contradicting(each), PER_ROUND * (each.horizon - 1) / each.scale)
        for each in policies
    ]
    return attained(claim, rows, "0.13 (T - 1)/v")


def attained(claim: Claim, rows: list[Attack], bound: str) -> Finding:
    """PROVED where every mu is larger than its bound."""
    evidence = (shown(rows, "All transcripts, exactly", bound),)
    found = (f"{each.low:.4f} (T = {each.policy.horizon}, v = {each.policy.scale:g})" for each in rows)
    said = f"The parameter mu is at least {', '.join(found)}."
    if all(each.low > each.bound for each in rows):
        return established(claim.id, said, evidence, Basis.EXACT_LAW)
    return Finding(claim.id, Verdict.CONSISTENT, said, evidence)
