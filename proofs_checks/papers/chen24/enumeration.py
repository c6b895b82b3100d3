"""Section 4.3 and Appendix C by enumeration: exact privacy losses of tiny policies, in Fractions.

A privacy loss here is a ratio e^eps, never eps: for rational chances it is rational, and "<=" has no tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, product
from math import inf
from random import Random

from dpbandits.reference.papers.chen24.histories import (
    AUXILIARY,
    Arms,
    History,
    Reward,
    Rewards,
    Table,
    Tiny,
    Transcript,
    by_pull,
    by_time,
    early_stopping,
    law,
    law_on_instance,
    tables,
)

BITS: tuple[Reward, Reward] = (0, 1)
KEPT_LOSSES = 256  # of policies, each of which several statements are tried on
Input = tuple[Reward, ...]  # a table as `frozen` writes it
Loss = Fraction | float  # e^eps >= 1; inf where one side of a pair can do what the other cannot
Law = Mapping[Transcript, Fraction]
PathLaw = Mapping[tuple[Reward, ...], Fraction]  # path of rewards -> the chance of one transcript on it


def random_policy(dice: Random, arms: int, horizon: int, base: int = 0) -> Tiny:
    """A policy with random conditional laws. base: with 0 some chances are 0, so that losses may be infinite; with
    more, every weight lies in base, ..., base + 9, which keeps the loss finite and, for a large base, small."""
    labels = tuple(range(1, arms + 1))
    chosen: dict[History, Mapping[int, Fraction]] = {}

    def after(history: History) -> Mapping[int, Fraction]:
        if history not in chosen:
            weights = [base + dice.randrange(10) if base or dice.random() < 0.8 else 0 for _ in labels]
            weights[dice.randrange(arms)] += not any(weights)
            total = sum(weights)
            chosen[history] = {label: Fraction(each, total) for label, each in zip(labels, weights, strict=True)}
        return chosen[history]

    for length in range(horizon + 1):  # all drawn now, so that the order of questions changes nothing
        for steps in product(product(labels, BITS), repeat=length):
            after(tuple(steps))
    return Tiny(labels, horizon, after)


def random_law(dice: Random) -> Rewards:
    """A law on rewards 0 and 1, ends included."""
    share = Fraction(dice.randrange(9), 8)
    return {BITS[0]: 1 - share, BITS[1]: share}


# -- losses ----------------------------------------------------------------------------------------------------------


def largest_quotient(pairs: Iterable[tuple[Fraction | int, Fraction | int]]) -> Loss:
    """The largest quotient of two chances; 0/0 is 0. Only this one becomes a Fraction, because most of the time would
    go into reducing the others."""
    top, bottom = 0, 1
    for chance, other in pairs:
        if other:
            over, under = chance.numerator * other.denominator, chance.denominator * other.numerator
            if over * bottom > top * under:
                top, bottom = over, under
        elif chance:
            return inf
    return Fraction(top, bottom)


def ratio(left: Law, right: Law) -> Loss:
    """max over events of left/right: attained by a single transcript, since sums of chances have a ratio between the
    smallest and the largest of their terms'."""
    return largest_quotient((chance, right.get(seen, 0)) for seen, chance in left.items())


def loss(laws: Mapping[Input, Law], pairs: Iterable[tuple[Input, Input]]) -> Loss:
    """The largest ratio over pairs of inputs, both ways round."""
    worst: Loss = Fraction(1)
    for one, other in pairs:
        worst = max(worst, ratio(laws[one], laws[other]), ratio(laws[other], laws[one]))
    return worst


def frozen(table: Table) -> Input:
    return tuple(table.values())


def neighbours(inputs: list[Input], groups: list[tuple[int, ...]]) -> Iterator[tuple[Input, Input]]:
    """All pairs of inputs that differ, and within one group of entries only."""
    for group in groups:
        rest: dict[Input, list[Input]] = {}
        for filled in inputs:
            key = tuple(value for place, value in enumerate(filled) if place not in group)
            rest.setdefault(key, []).append(filled)
        for alike in rest.values():
            yield from combinations(alike, 2)


def pull_laws(policy: Tiny) -> dict[Input, Law]:
    """Definition 2.1: the law of the policy on every table of zeros and ones."""
    return {frozen(table): law(policy, by_pull(table)) for table in tables(policy, BITS)}


def dual_laws(policy: Tiny) -> dict[Input, Law]:
    """Definition C.2: the law of the dual policy D(pi) on every table of zeros and ones."""
    return {frozen(table): law(policy, by_time(table)) for table in tables(policy, BITS)}


def entries(policy: Tiny) -> list[tuple[int, ...]]:
    """Single entries (i, t) of a table, as places in `frozen`."""
    arms = sum(arm != AUXILIARY for arm in policy.arms)
    return [(place,) for place in range(arms * policy.horizon)]


def columns(policy: Tiny) -> list[tuple[int, ...]]:
    """Whole columns of a table, as places in `frozen`."""
    arms = sum(arm != AUXILIARY for arm in policy.arms)
    return [tuple(arm * policy.horizon + t for arm in range(arms)) for t in range(policy.horizon)]


@lru_cache(maxsize=KEPT_LOSSES)
def pull_loss(policy: Tiny) -> Loss:
    """e^eps of Definition 2.1, exact over tables of zeros and ones."""
    laws = pull_laws(policy)
    return loss(laws, neighbours(list(laws), entries(policy)))


@lru_cache(maxsize=KEPT_LOSSES)
def dual_loss(policy: Tiny) -> Loss:
    """e^eps of Definition C.2, exact over tables of zeros and ones."""
    laws = dual_laws(policy)
    return loss(laws, neighbours(list(laws), columns(policy)))


def path_loss(policy: Tiny) -> Loss:
    """e^eps of Definition 2.1 without tables, for larger policies: a transcript shows a policy one reward at each
    time, and a changed entry is one of these or none, so the worst pair is a path of rewards with one changed."""
    changed = (
        (chance, chances[other])
        for chances in path_laws(policy)
        for paid, chance in chances.items()
        for t in range(policy.horizon)
        if (other := (*paid[:t], 1 - paid[t], *paid[t + 1 :])) in chances
    )
    return max(Fraction(1), largest_quotient(changed))


def path_laws(policy: Tiny, seen: Transcript = (), chances: PathLaw | None = None) -> Iterator[PathLaw]:
    """For each transcript that can happen, its chance on every path of rewards 0 and 1, one reward for each pull; the
    auxiliary arm pays 0. seen, chances: the arms so far, and their chance on every path of rewards so far."""
    chances = {(): Fraction(1)} if chances is None else chances
    laws = {paid: policy.after(tuple(zip(seen, paid, strict=True))) for paid, chance in chances.items() if chance}
    for arm in policy.arms:
        after = {paid: chance and chance * laws[paid].get(arm, 0) for paid, chance in chances.items()}
        if not any(after.values()):
            continue
        if len(seen) == policy.horizon:
            yield after
        else:
            paying = BITS[:1] if arm == AUXILIARY else BITS
            longer = {(*paid, reward): chance for paid, chance in after.items() for reward in paying}
            yield from path_laws(policy, (*seen, arm), longer)


def chance_along(policy: Tiny, seen: Transcript, paid: tuple[Reward, ...]) -> Fraction:
    """The chance of a transcript where time t pays paid[t - 1], whatever is pulled."""
    chance = Fraction(1)
    for t, arm in enumerate(seen):
        chance *= policy.after(tuple(zip(seen[:t], paid[:t], strict=True))).get(arm, Fraction(0))
        if not chance:
            break
    return chance


# -- the statements, on one policy: what each compares --------------------------------------------------------------


def rare(seen: Transcript, iota: int, n: int) -> bool:
    """N_{iota,T} < n."""
    return seen[:-1].count(iota) < n


def stopped_events(
    policy: Tiny, instance: Arms, n: int, iota: int, is_rare: Callable[[Transcript, int, int], bool] = rare
) -> list[tuple[Fraction, Fraction]]:
    """Lemma 4.3: the two sides of (20), for every single recommendation (events for sets of them are sums)."""
    stopped = early_stopping(policy, n, iota)
    sides = []
    for label in policy.arms:
        pair = [
            sum(
                (
                    c
                    for seen, c in law_on_instance(each, instance).items()
                    if seen[-1] == label and is_rare(seen, iota, n)
                ),
                Fraction(0),
            )
            for each in (policy, stopped)
        ]
        sides.append((pair[0], pair[1]))
    return sides


def stopped_losses(policy: Tiny, n: int, iota: int) -> tuple[Loss, Loss]:
    """Corollary 4.4: e^eps of pi, and of ES(pi, n, iota)."""
    return path_loss(policy), path_loss(early_stopping(policy, n, iota))


def instance_ratio(mechanism: Tiny, one: Arms, other: Arms) -> Loss:
    """Lemma 4.5: the left side over the right side's probability, the worst event."""
    return ratio(law_on_instance(mechanism, one), law_on_instance(mechanism, other))


def total_variation(one: Rewards, other: Rewards) -> Fraction:
    """sup_A |P(A) - Q(A)|, in [0, 1]."""
    values = set(one) | set(other)
    return sum((abs(Fraction(one.get(v, 0)) - Fraction(other.get(v, 0))) for v in values), Fraction(0)) / 2


def at_most_power(value: Loss, base: Fraction, exponent: Fraction) -> bool:
    """value <= base^exponent, exactly: for base = e^eps and exponent = 6 n TV this is value <= e^{6 eps n TV}."""
    if value == inf:
        return False
    return Fraction(value) ** exponent.denominator <= base**exponent.numerator


def suffix_loss(policy: Tiny, given_the_prefix: bool) -> Loss:
    """Corollary C.3: the loss of [D(pi)(x)]_{t+1}^{T+1} over columns t, worst t. given_the_prefix: of its law given
    what was released up to t, which is the same on both sides; otherwise of its marginal law, as printed."""
    laws = dual_laws(policy)
    worst: Loss = Fraction(1)
    for t, group in enumerate(columns(policy), start=1):
        later = {one: suffixes(whole, t, given_the_prefix) for one, whole in laws.items()}
        worst = max(worst, loss(later, neighbours(list(laws), [group])))
    return worst


def suffixes(whole: Law, t: int, given_the_prefix: bool) -> Law:
    """The law of what is released after time t; the prefix stays in the key where it is given (dividing both sides by
    the prefix's chance, which column t cannot change, leaves the ratios as they are)."""
    found: dict[Transcript, Fraction] = {}
    for seen, chance in whole.items():
        key = seen if given_the_prefix else seen[t:]
        found[key] = found.get(key, Fraction(0)) + chance
    return found


# -- policies made by hand -------------------------------------------------------------------------------------------


def respondent(arms: int, base: Fraction, n: int = 1) -> Tiny:
    """T = n pulls of arm 1; where s of them paid 1 it recommends arm 1 with chance base^s/(base^(n-1) (1 + base)),
    and arm 2 otherwise. For n = 1 that is randomised response. e^eps = base: the chance of arm 1 grows by this
    factor with every 1, and that of arm 2 shrinks by at most as much, since base^s (1 + base) <= base^(n-1) (1 +
    base) for s < n."""

    def after(history: History) -> Mapping[int, Fraction]:
        if len(history) < n:
            return {1: Fraction(1)}
        first = base ** sum(reward == 1 for _, reward in history) / (base ** (n - 1) * (1 + base))
        return {1: first, 2: 1 - first}

    return Tiny(tuple(range(1, arms + 1)), n, after)


def one_time_pad() -> Tiny:
    """T = 2, three arms, the third for show: pulls a fair coin's arm, 1 or 2, then arm 1; it recommends the coin's arm
    after a 0 of the second pull, and the other one after a 1. The recommendation alone is a fair coin whatever was
    paid; beside the first pulled arm it tells the second reward."""

    def after(history: History) -> Mapping[int, Fraction]:
        if not history:
            return {1: Fraction(1, 2), 2: Fraction(1, 2)}
        if len(history) == 1:
            return {1: Fraction(1)}
        coin, reward = history[0][0], history[1][1]
        return {coin if reward == 0 else 3 - coin: Fraction(1)}

    return Tiny((1, 2, 3), 2, after)


@cache
def sample(seed: int, arms: int, horizon: int, base: int) -> Tiny:
    """One random policy, by its number."""
    return random_policy(Random(f"chen24 {seed} {arms} {horizon} {base}"), arms, horizon, base)


SMALL = ((2, 1), (3, 1), (2, 2), (3, 2), (2, 3))  # (K, T) with at most 64 tables
TABLES = (*SMALL, (2, 4))  # with at most 256
LARGE = (*TABLES, (3, 3), (3, 4))


def numbered(count: int, seed: int, shapes: tuple[tuple[int, int], ...] = SMALL) -> Iterator[tuple[Tiny, Random]]:
    """`count` random policies, and dice for what else is random about a case."""
    for number in range(count):
        arms, horizon = shapes[number % len(shapes)]
        base = (0, 1, 20)[number % 3]
        yield sample(seed * 1000 + number, arms, horizon, base), Random(f"chen24 case {seed} {number}")
