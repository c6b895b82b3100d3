"""Certificates of type "linear": a linear bandit that explores with ridge regression violates DP for two neighbouring
lists of users.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dpbandits.proofs_checks.checker.agreement import AGREE, require_violation
from dpbandits.proofs_checks.checker.intervals import Interval, high, interval, low, sum_of_intervals, work
from dpbandits.proofs_checks.checker.normal import normal_distribution
from dpbandits.proofs_checks.checker.untrusted import Fields, Rejected, pay_for_operation, read_decimal, spend_effort

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]


class Users(NamedTuple):
    """One side: rewards[arm][round], and contexts[round][arm], the features of an arm."""

    rewards: list[Vector]
    contexts: list[list[Vector]]


class Regression(NamedTuple):
    gram: Matrix
    moment: Vector


def check_linear(certificate: Fields) -> list[str]:
    """Checks a certificate about a linear bandit by recomputing its event's probability on both lists of users.
    The event is a set of transcripts. Returns the result as lines of text. Raises Rejected if the lists are not
    neighbours, or if the event does not distinguish them."""
    left, right = read_sides(certificate)
    event = [tuple(transcript) for transcript in certificate["event"]]
    require_event(certificate, event, left)
    policy = LinearPolicy.read(certificate["policy"], left)
    chances = [sum_of_intervals(law.probability(each) for each in event) for law in map(policy.law_for, (left, right))]
    models = "one model" if policy.shared else "a model for each arm"
    rule, arms = certificate["policy"]["rule"], len(left.rewards)
    return [
        f"linear {rule}, {arms} arms, {models}; {len(event)} transcripts of {len(event[0])} rounds, seen by "
        f"{'all others' if certificate['view'] == 'others' else 'everybody'}",
        *require_violation(certificate, chances[0], chances[1], AGREE),
    ]


def read_sides(certificate: Fields) -> tuple[Users, Users]:
    """Reads both lists of users.
    Raises Rejected unless they are neighbours: the rewards of one round differ, and for relation "user" also its
    context."""
    rewards = [read_rewards(certificate, side) for side in ("left", "right")]
    rounds, arms, place = len(rewards[0][0]), len(rewards[0]), certificate["changed"]
    if [len(row) for row in rewards[1]] != [rounds] * arms or not 0 <= place < rounds:
        raise Rejected(
            "right, changed: both sides must have the same rounds and arms, and `changed` must be one of the rounds"
        )
    contexts = [read_features(here, f"contexts/{t}", certificate) for t, here in enumerate(certificate["contexts"])]
    becomes = read_features(certificate["becomes"], "becomes", certificate)
    d = len(becomes[0])
    if len(contexts) != rounds or any(len(here) != arms for here in [*contexts, becomes]):
        raise Rejected("contexts: every round must have features of every arm")
    if any(len(x) != d for here in [*contexts, becomes] for x in here):
        raise Rejected("contexts: every arm must have the same number of features in every round")
    moved = {n for one, other in zip(*rewards, strict=True) for n in range(rounds) if one[n] != other[n]}
    if moved - {place}:
        raise Rejected(
            f"right: not a neighbour of left, because the rewards also differ in round {min(moved - {place}) + 1}"
        )
    if certificate["relation"] == "reward" and becomes != contexts[place]:
        raise Rejected(
            'becomes: not a neighbour, because a context changes, but relation "reward" allows only a change of rewards'
        )
    after = [becomes if t == place else here for t, here in enumerate(contexts)]
    return Users(rewards[0], contexts), Users(rewards[1], after)


def read_rewards(certificate: Fields, side: str) -> list[Vector]:
    """The rewards of one side, a row for each arm. Raises Rejected for rewards outside the range."""
    least, most = (read_decimal(text, f"range/{i}") for i, text in enumerate(certificate["range"]))
    rows = [
        tuple(read_decimal(text, f"{side}/{a}/{n}") for n, text in enumerate(row))
        for a, row in enumerate(certificate[side])
    ]
    if any(len(row) != len(rows[0]) for row in rows):
        raise Rejected(f"{side}: every arm must have the same number of rewards")
    if not all(least <= reward <= most for row in rows for reward in row):
        raise Rejected(f"{side}: a reward is outside the range of the certificate")
    return rows


def read_features(given: Sequence[Sequence[str]], place: str, certificate: Fields) -> list[Vector]:
    """The features of every arm in a round. Raises Rejected if a norm is too large."""
    norm = read_decimal(certificate["norm"], "norm")
    every = [tuple(read_decimal(text, f"{place}/{a}/{k}") for k, text in enumerate(x)) for a, x in enumerate(given)]
    if any(inner_product(x, x) > norm * norm for x in every):
        raise Rejected(f"{place}: the norm of the features is larger than {certificate['norm'][:60]}")
    return every


def require_event(certificate: Fields, event: list[tuple[int, ...]], side: Users) -> None:
    """Raises Rejected unless the event consists of distinct transcripts of one length.
    Arms that the adversary does not see must not occur in them."""
    if len(set(event)) != len(event):
        raise Rejected("event: a transcript occurs twice; the transcripts must be different")
    if len({len(transcript) for transcript in event}) > 1 or len(event[0]) > len(side.contexts):
        raise Rejected(
            "event: the transcripts must have equal lengths, and may not be longer than the number of rounds"
        )
    hidden = certificate["changed"] if certificate["view"] == "others" else -1
    for transcript in event:
        for t, arm in enumerate(transcript):
            if (arm == -1) != (t == hidden) or arm >= len(side.rewards):
                raise Rejected(
                    f"event: {list(transcript)} contains arm {arm} in round {t + 1}, but the policy has no such arm"
                )


class LinearPolicy(NamedTuple):
    """The policy of a certificate: its rule and parameters."""

    rule: str
    shared: bool
    ridge: Fraction
    width: Fraction

    @staticmethod
    def read(fields: Mapping[str, Any], side: Users) -> LinearPolicy:
        """Reads the policy of a certificate, for the arms of a list of users. Raises Rejected for invalid numbers."""
        ridge, width = (read_decimal(fields[name], f"policy/{name}") for name in ("ridge", "width"))
        if ridge <= 0 or width < 0:
            raise Rejected("policy: ridge must be positive, and width at least 0")
        if fields["rule"] == "thompson" and len(side.rewards) != 2:
            raise Rejected('policy: the rule "thompson" is supported for two arms only')
        return LinearPolicy(fields["rule"], fields["shared"], ridge, width)

    def law_for(self, side: Users) -> LinearLaw:
        """Returns the law of this policy's transcripts on a list of users."""
        d, many = len(side.contexts[0][0]), 1 if self.shared else len(side.rewards)
        gram = tuple(tuple(self.ridge * (i == k) for k in range(d)) for i in range(d))
        return LinearLaw(self, side, (Regression(gram, (Fraction(0),) * d),) * many)


class LinearLaw:
    """The law of transcripts on one side; common beginnings are followed once."""

    def __init__(self, policy: LinearPolicy, side: Users, start: tuple[Regression, ...]):
        """Prepares the law of a policy's transcripts on one list of users. start: the first regressions."""
        self.policy, self.side = policy, side
        self.known: dict[tuple[int, ...], list[tuple[Interval, tuple[Regression, ...]]]] = {(): [(work.mpf(1), start)]}
        self.laws: dict[tuple[int, tuple[Regression, ...]], list[Interval]] = {}

    def probability(self, transcript: tuple[int, ...]) -> Interval:
        """Returns an enclosure of the probability of a transcript."""
        return sum_of_intervals(chance for chance, _ in self.after(transcript))

    def after(self, rounds: tuple[int, ...]) -> list[tuple[Interval, tuple[Regression, ...]]]:
        """Returns the possible states of the regressions after these first rounds, each with its probability.
        A hidden round, -1 in `rounds`, gives one state for each arm."""
        if rounds not in self.known:
            t, arm, found = len(rounds) - 1, rounds[-1], []
            for chance, models in self.after(rounds[:-1]):
                for pulled in range(len(self.side.rewards)) if arm == -1 else (arm,):
                    share = self.chances(t, models)[pulled]
                    if high(share) > 0:
                        found.append((chance * share, self.regressions_after(models, t, pulled)))
                    spend_effort(1)
            self.known[rounds] = found
        return self.known[rounds]

    def chances(self, t: int, models: tuple[Regression, ...]) -> list[Interval]:
        """Encloses the probability that each arm is pulled in round t. models: the regressions before this round."""
        if (t, models) not in self.laws:
            features, policy = self.side.contexts[t], self.policy
            if policy.rule == "ucb":
                best = first_of_largest([self.predicted(models, arm, x) for arm, x in enumerate(features)])
                self.laws[t, models] = [work.mpf(int(arm == best)) for arm in range(len(features))]
            else:
                self.laws[t, models] = self.compared_samples(models, features)
        return self.laws[t, models]

    def predicted(self, models: tuple[Regression, ...], arm: int, x: Vector) -> tuple[Fraction, Fraction]:
        """Returns the predicted mean x'A^-1 b for an arm with features x, and the variance width^2 x'A^-1 x."""
        model = models[0 if self.policy.shared else arm]
        solved = solve_positive_definite(model.gram, x)
        return inner_product(solved, model.moment), self.policy.width**2 * inner_product(solved, x)

    def compared_samples(self, models: tuple[Regression, ...], features: list[Vector]) -> list[Interval]:
        """The probabilities that the first of two samples is the larger one, and that the second one is."""
        one, other = features
        if self.policy.shared:
            apart = tuple(a - b for a, b in zip(one, other, strict=True))
            lead, variance = self.predicted(models, 0, apart)
        else:
            (mean, spread), (less, more) = (self.predicted(models, arm, x) for arm, x in enumerate(features))
            lead, variance = mean - less, spread + more
        if variance == 0:
            return [work.mpf(int(lead >= 0)), work.mpf(int(lead < 0))]
        z = interval(lead) / work.sqrt(interval(variance))
        return [normal_distribution(z), normal_distribution(-z)]

    def regressions_after(self, models: tuple[Regression, ...], t: int, arm: int) -> tuple[Regression, ...]:
        """Returns the regressions after round t, in which this arm was pulled."""
        x, reward, place = self.side.contexts[t][arm], self.side.rewards[arm][t], 0 if self.policy.shared else arm
        model = models[place]
        for entry in (reward, *x, *model.moment):
            pay_for_operation(entry)
        gram = tuple(
            tuple(g + a * b for g, b in zip(row, x, strict=True)) for row, a in zip(model.gram, x, strict=True)
        )
        moment = tuple(m + reward * a for m, a in zip(model.moment, x, strict=True))
        return (*models[:place], Regression(gram, moment), *models[place + 1 :])


def first_of_largest(estimates: list[tuple[Fraction, Fraction]]) -> int:
    """The first arm with the largest upper confidence index. estimates: the mean and the variance of each arm.
    Raises Rejected if two indices differ by too little to decide, but are not equal."""
    best, value = 0, upper_confidence_index(estimates[0])
    for arm, both in enumerate(estimates[1:], start=1):
        mine = upper_confidence_index(both)
        if both == estimates[best] or high(mine) < low(value):
            continue
        if not low(mine) > high(value):
            raise Rejected("event: the values of two arms are so close that their order cannot be decided")
        best, value = arm, mine
    return best


def upper_confidence_index(mean_and_variance: tuple[Fraction, Fraction]) -> Interval:
    """Returns an enclosure of an arm's upper confidence index: its mean plus the root of its variance.
    mean_and_variance: the mean and the variance."""
    return interval(mean_and_variance[0]) + work.sqrt(interval(mean_and_variance[1]))


def inner_product(u: Vector, v: Vector) -> Fraction:
    """The inner product of two vectors."""
    pay_for_operation(*u, *v)
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def solve_positive_definite(matrix: Matrix, right: Vector) -> Vector:
    """A^-1 x for a matrix that is positive definite, by elimination: its pivots are positive."""
    rows = [[*row, entry] for row, entry in zip(matrix, right, strict=True)]
    for k, pivot in enumerate(rows):
        for row in rows[k + 1 :]:
            pay_for_operation(*row, *pivot)
            factor = row[k] / pivot[k]
            row[k:] = [a - factor * b for a, b in zip(row[k:], pivot[k:], strict=True)]
    found: list[Fraction] = []
    for k in reversed(range(len(rows))):
        pay_for_operation(*rows[k])
        known = sum((a * b for a, b in zip(rows[k][k + 1 : -1], found, strict=True)), Fraction(0))
        found.insert(0, (rows[k][-1] - known) / rows[k][k])
    return tuple(found)
