"""One round of any policy as a one-shot mechanism, so that a claim about a single step can be judged on it.

A bound composed over many rounds may be so loose that no bug shows against it; a single round, in the state where
its sensitivity is attained, shows it. A policy that is given to `judge_private` as the subject of a claim about one
step is asked for its `telling_rounds`; all are looked at, and the worst are certified. With a law the look is exact;
without one it is a few trials of each round, and then more trials of those that looked worst.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.curve import excess, upper_limit
from dpbandits.audit.profile import Run
from dpbandits.reference.curves import Curve
from dpbandits.reference.laws import checked_law, checked_size
from dpbandits.reference.noise import Array, Noise, Once, Seeded, Tape, address, frozen
from dpbandits.reference.policy import HasLaw, Ints, Policy, Pulls, checked_pulls

# Pulls of an arm that is nearly certain, for up to so many arms: its deviation is a hundredth of an arm's that was
# pulled once; a tenth where there are many, whose largest varies less and whose exact laws cost more.
CERTAIN = ((2, 10**4), (10, 10**3))
MANY = 10**2  # for more
MEANS = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the nearly certain arms: where the threshold stands
ARMS = 10  # so many arms take the changed reward in turn; of more, a spread
PULLS = 10  # so many numbers of pulls of the changed arm, one after another, and some larger ones
STEPS = 8  # so many steps for each of them, evenly spread, beside its first three and the last two
VALUES = 5e7  # values of the normal distribution that the exact looks may take: about a second
DEAR = 5e5  # the most that one law may take of them (some 50 arms); a policy with more arms is sampled
DRAWS = 3e6  # draws that the first looks at a policy without a law may take: some tenths of a second
LOOKS = 4_000  # rounds looked at, at most
FIRST, SECOND, FINALISTS = 300, 4_000, 24  # trials a side of the sampled looks, and how many rounds get the second
WORST, OTHERS = 4, 6  # rounds certified: those that looked worst; with a law, also a spread, to test behaviour
BLUR = 1e-10  # added to errors from a law before rounds are ranked: what is less may be rounding
ROWS = 200_000  # trials drawn at once


class Before(NamedTuple):
    """The noise of a history: a policy that draws while it learns must not meet the same draws again when it acts."""

    noise: Noise

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.noise.normal(f"before: {site}", index, shape)

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.noise.laplace(f"before: {site}", index, shape)

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.noise.uniform(f"before: {site}", index, shape)


def prepared(policy: Policy, t: int, pulls: Any, means: Any, noise: Noise | None = None) -> Any:
    """The state in step t after these pulls with these running means total_i/(pulls_i + 1), both (trials, arms).

    It is taught in one block. noise: for a policy that draws while it learns; one with a law does not.
    """
    counts = np.asarray(pulls, dtype=np.int64)
    totals = np.asarray(means, dtype=np.float64) * (counts + 1)
    # A whole total stays whole: a policy may round its rewards.
    whole = np.rint(totals)
    totals = np.where(np.abs(totals - whole) <= 1e-12 * (counts + 1), whole, totals)
    taught = Pulls(frozen(counts.copy()))
    return policy.learn(t, policy.init(len(counts)), taught, frozen(totals), Before(noise) if noise else Tape({}))


def next_arms(policy: Policy, t: int, pulls: Any, means: Any, noise: Noise) -> NDArray[np.int64]:
    """The arms that the policy releases after these pulls, (trials,); see `prepared`.

    Raises TypeError where it releases several at once.
    """
    state = prepared(policy, t, pulls, means, noise)
    counts = checked_pulls(t, policy.act(t, state, Once(noise, len(pulls), t)), np.shape(pulls)).counts
    if ((counts > 0).sum(axis=1) != 1).any():
        raise TypeError(
            f"{type(policy).__name__} does not release a single arm in step {t}: audit its runs instead of its rounds"
        )
    return np.asarray(counts.argmax(axis=1))


@dataclass(frozen=True)
class NextArm:
    """The arm that a policy releases in step t, as a function of its arms' running means total_i/(pulls_i + 1)."""

    policy: HasLaw
    pulls: tuple[int, ...]
    t: int

    def release(self, values: Any, noise: Any) -> NDArray[np.int64]:
        """values: the running means (arms,). noise: with `trials`. Returns the released arms (trials,)."""
        return released(self.policy, self.pulls, self.t, values, noise)

    def law(self, values: Any) -> Array:
        """The law of the released arm, (arms,)."""
        state = prepared(self.policy, self.t, [self.pulls], np.asarray(values, dtype=np.float64)[None, :])
        return np.asarray(checked_law(self.policy, self.t, state, 1)[0])


@dataclass(frozen=True)
class UnknownArm:
    """The same of a policy that does not say its law: it can only be sampled."""

    policy: Policy
    pulls: tuple[int, ...]
    t: int

    def release(self, values: Any, noise: Any) -> NDArray[np.int64]:
        """values: the running means (arms,). noise: with `trials`. Returns the released arms (trials,)."""
        return released(self.policy, self.pulls, self.t, values, noise)


def released(policy: Policy, pulls: tuple[int, ...], t: int, values: Any, noise: Any) -> NDArray[np.int64]:
    counts, means = (np.tile(np.asarray(each), (noise.trials, 1)) for each in (pulls, values))
    return next_arms(policy, t, counts, means, noise)


class Round(NamedTuple):
    """One round on two neighbouring histories: running means on either side, and how far each may move."""

    mechanism: NextArm | UnknownArm
    left: tuple[float, ...]
    right: tuple[float, ...]
    sensitivities: tuple[float, ...]


def next_round(
    policy: Policy, pulls: tuple[int, ...], left: tuple[float, ...], right: tuple[float, ...], t: int | None = None
) -> Round:
    """The policy's next round after these pulls, for two histories whose reward totals are left and right.

    t: the step; by default the first after one step per arm, when pre-pulling is over. Raises ValueError for totals
    that rewards in [0, 1] cannot have, or that differ by more than one reward. A policy without law can be sampled
    only.
    """
    if not policy.arms == len(pulls) == len(left) == len(right):
        raise ValueError(
            f"{len(pulls)} pull counts, {len(left)} and {len(right)} totals for {policy.arms} arms; give one per arm"
        )
    for side, totals in (("left", left), ("right", right)):
        for arm, (n, total) in enumerate(zip(pulls, totals, strict=True)):
            if not 0 <= total <= n:
                raise ValueError(f"{side} history: arm {arm} cannot have total {total} after {n} pulls")
    moved = [abs(a - b) for a, b in zip(left, right, strict=True) if a != b]
    if len(moved) > 1 or any(move > 1 for move in moved):
        raise ValueError(f"histories {left} and {right} differ by more than one reward in one arm")
    step, divisors = policy.arms + 1 if t is None else t, [n + 1 for n in pulls]
    return Round(
        NextArm(policy, tuple(pulls), step) if isinstance(policy, HasLaw) else UnknownArm(policy, tuple(pulls), step),
        tuple(total / by for total, by in zip(left, divisors, strict=True)),
        tuple(total / by for total, by in zip(right, divisors, strict=True)),
        tuple(1 / by for by in divisors),
    )


# -- which rounds are tried ----------------------------------------------------------------------------------------


class Tried(NamedTuple):
    """The rounds that are looked at, by name, and what they are, in words and in brief."""

    rounds: dict[str, Round]
    told: str
    brief: str


class Spot(NamedTuple):
    """Where a reward changes from 0 to 1, in which step this may show, and what the other arms look like."""

    arm: int
    n: int  # pulls of this arm
    t: int
    ones: int  # how many of its other rewards are 1
    others: int  # pulls of every other arm
    mean: float  # of their rewards

    def name(self) -> str:
        """The spot in words."""
        own = f"arm {self.arm} pulled {self.n} times"
        own += f" ({self.ones} of the other rewards 1)" if self.ones else ""
        rest = f"others {self.others} times, mean {self.mean:g}" if self.others else "others never"
        return f"step {self.t}, {own}, {rest}"


def telling_rounds(policy: Policy) -> dict[str, Round]:
    """Rounds in which a policy's privacy is at stake, by name: one reward of one arm is changed from 0 to 1; the
    others are nearly certain, just as uncertain, or were never pulled.

    With others nearly certain at some mean, the released arm is a threshold test of the changed arm's sample, and as
    telling as the sample itself. Empty where no round comes after a reward. The pulls of the other arms need not fit
    into the horizon: a claim about one step speaks of every history.
    """
    return rounds_tried(policy).rounds


def rounds_tried(policy: Policy) -> Tried:
    """The telling rounds, thinned deterministically where they are too many, with a description for the reader."""
    every = spots(policy)
    afford = most_looks(policy)
    # Every arm in its first round; the rest in an order that mixes arms, pulls, steps and means.
    first = [spot for spot in every if (spot.n, spot.t) == (every[0].n, every[0].t) and spot.mean == 0.5]
    base = [spot for spot in first if spot.others > spot.n and not spot.ones]
    rest = [spot for spot in every if spot not in set(base)]
    order = np.random.default_rng(address("telling rounds", len(every))).permutation(len(rest))
    kept = base + [rest[k] for k in sorted(order[: max(0, afford - len(base))])]
    brief = ", ".join(f"{name} {between(spot[place] for spot in kept)}" for place, name in enumerate(("arm", "n", "t")))
    return Tried({spot.name(): round_at(policy, spot) for spot in kept}, told_of(policy, kept, len(every)), brief)


def round_at(policy: Policy, spot: Spot) -> Round:
    """The round of this spot, on its two histories."""
    alike = [spot.others * spot.mean] * policy.arms
    sides = [tuple(spot.ones + one if i == spot.arm else total for i, total in enumerate(alike)) for one in (0.0, 1.0)]
    counts = tuple(spot.n if i == spot.arm else spot.others for i in range(policy.arms))
    step = next_round(policy, counts, sides[0], sides[1], spot.t)
    return step if looks_exactly(policy) else step._replace(mechanism=UnknownArm(policy, counts, spot.t))


def spots(policy: Policy) -> list[Spot]:
    """All spots that may be tried."""
    warm = int(np.max(getattr(policy, "prepulls", 0)))
    many = certain_pulls(policy)
    start, end = (policy.arms if warm else 0), last_step(policy, warm)
    few = max(1, warm)
    room = end - start - 1 + warm  # the most pulls that an arm can have had before the last step
    more = {5 * few, few + 20, few + 50, few + 200, (few + room) // 2, room}
    found = []
    for n in sorted(n for n in {*range(few, few + PULLS), *more} if few <= n <= room):
        soonest = start + (n - warm) + 1
        spread = {*np.linspace(soonest, end, STEPS).round().astype(int).tolist()}
        near = {soonest, soonest + 1, soonest + 2, end - 1, end}
        rivals = [(0, many, mean) for mean in MEANS] + [(0, n, 0.5)]
        rivals += [((n - 1) // 2, many, 0.5)] if n > 2 else []
        rivals += [] if warm else [(0, 0, 0.0)]
        found += [
            Spot(arm, n, t, ones, others, mean)
            for t in sorted(t for t in spread | near if soonest <= t <= end)
            for arm in changed_arms(policy)
            for ones, others, mean in rivals
        ]
    return found


def certain_pulls(policy: Policy) -> int:
    """The pulls of an arm that is to be nearly certain."""
    return next((pulls for arms, pulls in CERTAIN if policy.arms <= arms), MANY)


def changed_arms(policy: Policy) -> list[int]:
    """The arms that take the changed reward in turn."""
    return sorted({*np.linspace(0, policy.arms - 1, min(policy.arms, ARMS)).round().astype(int).tolist()})


def last_step(policy: Policy, warm: int) -> int:
    """The number of steps of a run; without `size`, every step after pre-pulling makes one pull."""
    if not hasattr(policy, "size"):
        return policy.horizon - warm * policy.arms + (policy.arms if warm else 0)
    made = step = 0
    while made < policy.horizon:
        step += 1
        made += checked_size(policy, step)
    return step


def most_looks(policy: Policy) -> int:
    """How many rounds may be looked at."""
    if looks_exactly(policy):
        return int(min(LOOKS, VALUES / (2 * law_cost(policy))))
    return int(min(LOOKS, DRAWS / (2 * FIRST * policy.arms)))


def looks_exactly(policy: Policy) -> TypeGuard[HasLaw]:
    """Whether rounds are ranked by their laws: where the policy has one that is not too slow."""
    return isinstance(policy, HasLaw) and law_cost(policy) <= DEAR


def law_cost(policy: Policy) -> float:
    """About how many values of the normal distribution argmax_law takes for one state: for N arms N integrals over
    products of N - 1 factors, with some 25 sqrt(1 + squared ratios of scales) nodes each."""
    rivals = policy.arms - 1
    if rivals < 2:
        return 1.0
    return 25 * rivals * float(np.sqrt(rivals * certain_pulls(policy) / 2) + rivals * np.sqrt(policy.arms))


def told_of(policy: Policy, kept: list[Spot], every: int) -> str:
    """Which rounds were tried, in words."""
    if not kept:
        return "No round comes after a reward."
    arms = ranges(spot.arm for spot in kept)
    spread = f", a spread of {policy.arms}" if len(changed_arms(policy)) < policy.arms else ""
    thinned = f"; {len(kept)} of these {every} combinations, always the same random ones" * (len(kept) < every)
    means = ", ".join(f"{mean:g}" for mean in MEANS)
    how = "by the law" if looks_exactly(policy) else f"by {FIRST} trials a side, and {SECOND} for the worst {FINALISTS}"
    return (
        f"Rounds tried, {how}: {len(kept)}. Changed reward: of arm {arms} (counted from 0{spread}), pulled "
        f"n = {ranges(spot.n for spot in kept)} times. Steps: t = {ranges(spot.t for spot in kept)}, for each n from "
        f"the first step that allows it{thinned}. Other arms: pulled {certain_pulls(policy)} times with a mean of "
        f"{means}; n times with a mean of 0.5{'; never' if any(not spot.others for spot in kept) else ''}. "
        "A bug that shows only in another round is not seen."
    )


def ranges(values: Iterable[int]) -> str:
    """Whole numbers in ascending order, runs of three or more as from-to."""
    runs: list[list[int]] = []
    for value in sorted(set(values)):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    texts = [[f"{run[0]}-{run[-1]}"] if len(run) > 2 else [str(value) for value in run] for run in runs]
    return ", ".join(text for group in texts for text in group)


def between(values: Iterable[int]) -> str:
    """The same in brief: where the runs are many, only the ends."""
    every = set(values)
    full = ranges(every)
    return full if full.count(",") < 4 else f"{len(every)} values in {min(every)}-{max(every)}"


# -- which of them are certified -------------------------------------------------------------------------------------


def worst_rounds(policy: Policy, rounds: dict[str, Round], curve: Curve, run: Run, site: str) -> dict[str, Round]:
    """The rounds that look worst for the claim, the worst one first; with a law, a spread of the others as well."""
    names, every = list(rounds), list(rounds.values())
    if looks_exactly(policy):
        laws = [exact_laws(policy, every, side) for side in (0, 1)]
        alpha, beta = best_errors(laws[0], laws[1], laws[0], laws[1])
        ranked = np.argsort(-pressures(curve, alpha + BLUR, beta + BLUR), kind="stable")
        spread = np.linspace(0, len(every) - 1, OTHERS if policy.arms <= ARMS else OTHERS // 2).round().astype(int)
        chosen = list(dict.fromkeys([*ranked[:WORST].tolist(), *spread.tolist()]))
    else:
        seed = address(run.seed, site, "rounds")
        some = np.argsort(-looked(policy, every, curve, FIRST, address(seed, 1)), kind="stable")[:FINALISTS]
        again = looked(policy, [every[k] for k in some], curve, SECOND, address(seed, 2))
        chosen = some[np.argsort(-again, kind="stable")][:WORST].tolist()
    return {names[k]: every[k] for k in chosen}


def looked(policy: Policy, rounds: list[Round], curve: Curve, trials: int, seed: int) -> Array:
    """How bad every round looks for the claim in so many trials a side, (rounds,): for choosing, not for verdicts."""
    counts = [sampled_counts(policy, rounds, side, trials, address(seed, side)) for side in (0, 1)]
    rough = [(count + 0.5) / (trials + count.shape[1] / 2) for count in counts]
    wrong = best_errors(rough[0], rough[1], *counts)
    return pressures(curve, *(upper_limit(each, trials, 0.05) for each in wrong))


def pressures(curve: Curve, alpha: Array, beta: Array) -> Array:
    """The excess of the best of these tests over the claim, (rounds,)."""
    if not alpha.shape[1]:
        return np.zeros(len(alpha))
    return np.asarray(excess(curve, alpha, beta).amount.max(axis=1))


def best_errors(left: Array, right: Array, left_mass: Array, right_mass: Array) -> tuple[Array, Array]:
    """The errors (alpha, beta) of all likelihood-ratio tests between left and right, by these masses;
    everything (rounds, arms), the answer (rounds, arms - 1)."""
    ratio = np.log(np.maximum(right, 1e-300)) - np.log(np.maximum(left, 1e-300))
    order = np.argsort(ratio, axis=1, kind="stable")
    below = np.cumsum(np.take_along_axis(right_mass, order, axis=1), axis=1)[:, :-1]
    beyond = np.cumsum(np.take_along_axis(left_mass, order, axis=1)[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return np.clip(beyond, 0, None), np.clip(below, 0, None)


def by_step(rounds: list[Round], side: int) -> Iterable[tuple[int, Ints, Ints, Array]]:
    """The rounds of every step: t, where they stand in the list, pulls and running means (rounds, arms)."""
    steps = np.array([each.mechanism.t for each in rounds])
    for t in np.unique(steps):
        where = np.flatnonzero(steps == t)
        pulls = np.array([rounds[k].mechanism.pulls for k in where])
        yield int(t), where, pulls, np.array([(rounds[k].left, rounds[k].right)[side] for k in where])


def exact_laws(policy: HasLaw, rounds: list[Round], side: int) -> Array:
    """The laws of the released arms on one side, (rounds, arms)."""
    laws = np.empty((len(rounds), policy.arms))
    for t, where, pulls, means in by_step(rounds, side):
        laws[where] = checked_law(policy, t, prepared(policy, t, pulls, means), len(where))
    return laws


def sampled_counts(policy: Policy, rounds: list[Round], side: int, trials: int, seed: int) -> Array:
    """How often every arm was released on one side, (rounds, arms); many rounds are played as one batch."""
    counts = np.zeros((len(rounds), policy.arms))
    at_once = max(1, ROWS // trials)
    for t, places, all_pulls, all_means in by_step(rounds, side):
        for start in range(0, len(places), at_once):
            part = slice(start, start + at_once)
            where, pulls, means = places[part], all_pulls[part], all_means[part]
            rows = np.repeat(np.arange(len(where)), trials)
            noise = Seeded(address(seed, t), len(rows), start)
            arms = next_arms(policy, t, pulls[rows], means[rows], noise)
            counts[where] = np.bincount(rows * policy.arms + arms, minlength=counts[where].size).reshape(
                -1, policy.arms
            )
    return counts
