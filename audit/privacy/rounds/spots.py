"""Which rounds of a policy are looked at: those in which one reward is likely to tell most, of states that runs reach.

With the other arms nearly certain at some mean, the released arm is a threshold test of the changed arm's sample, and
as telling as the sample itself. An arm is nearly certain after many pulls, and a run over few rounds has none. So a
policy that does the same under a longer horizon is looked at there as well: for a remark, as no run of its own reaches
such a round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeGuard

import numpy as np

from dpbandits.audit.privacy.rounds.guided import TRIES, guided
from dpbandits.audit.privacy.rounds.plans import (
    MAX_WALKED_STEPS,
    MEANS,
    Plan,
    changed_arms,
    plans_of,
    run_on,
    thin_plans,
)
from dpbandits.audit.privacy.rounds.single import History, NextArm, NoRounds, UnknownArm, round_of, states_after
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.policy import HasLaw, Ints, Policy
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.bandits.release_laws.mechanisms import Step
from dpbandits.reference.bandits.reward_ranges import UNIT_RANGE, reward_range

# So many steps of each walk, evenly spread, beside its first three and the last two; all of a short run
SPREAD_STEPS = 8
MAX_SHORT_STEPS = 24  # steps
TALL = 200  # pulls of an arm that is nearly certain: its variance is half a hundredth
WALKED = 2_000_000  # trials times steps that guided runs may take: some tenths of a second
SLOWER = 20  # times fewer where states are no arrays, but objects that learn one by one
LOOKS = 4_000  # rounds looked at, at most
REMARKED = 64  # walks beyond a policy's own horizon, for a remark
VALUES = 5e7  # values of the normal distribution that the exact looks may take: about a second
DEAR = 5e5  # the most that one law may take of them (some 50 arms); a policy with more arms is sampled


class Spot(NamedTuple):
    """A round in which a changed reward may show, and how it came about."""

    plan: Plan
    history: History
    counts: tuple[int, ...]
    totals: tuple[tuple[float, ...], tuple[float, ...]]  # of the history, left and right

    def name(self, policy: Policy) -> str:
        """The spot in words."""
        plan, history = self.plan, self.history
        n, totals = self.counts[plan.arm], self.totals[0]
        own = f"arm {plan.arm} pulled {n} times"
        own += f" ({totals[plan.arm]:g} of the other rewards 1)" if totals[plan.arm] else ""
        own += f", the {'last' if n == plan.n else f'{plan.n}.'} reward changed" if plan.late and n > 1 else ""
        own += f", the changed reward {plan.to:g}" if plan.to != 1 else ""
        others = [arm for arm in range(policy.arms) if arm != plan.arm]
        pulls = [self.counts[arm] for arm in others]
        if not any(pulls):
            rest = "others never"
        else:
            many = f"{pulls[0]}" if len(set(pulls)) == 1 else " and ".join(map(str, pulls))
            rest = f"others {many} times, mean {plan.mean:g}"
        return f"step {history.t}, {own}, {rest}"


class Tried(NamedTuple):
    """The rounds that are looked at, by name; what they are, in words and in brief; and those names that stay in the
    choice however they look at first, because only many trials show what is rare there."""

    rounds: dict[str, Step]
    description: str
    brief: str
    extreme: tuple[str, ...]


def rounds_tried(policy: Policy) -> Tried:
    """The telling rounds, thinned deterministically where they are too many, with a description for the reader.

    Raises NoRounds where a policy's rounds cannot be looked at one by one.
    """
    if answers(policy):
        raise NoRounds(f"{type(policy).__name__} ends its runs with an answer: audit its runs instead of its rounds")
    if reward_range(policy) != UNIT_RANGE:
        raise NoRounds(f"{type(policy).__name__} has rewards beyond [0, 1]: audit its runs instead of its rounds")
    return tried(policy, spots(policy, False), LOOKS)


def rounds_beyond(policy: Policy) -> Tried:
    """The telling rounds of the same policy with a longer horizon, if it releases the same up to its own; none where
    it is long enough, too slow, or cannot be run on. Raises whatever a longer run dies of."""
    slow = states_after(policy, [History((), (), (), ())], 0) is None  # objects and programs: too dear for a remark
    longer = run_on(policy, TALL + 2) if policy.horizon <= TALL and not slow else None
    if longer is None:
        return Tried({}, "", "", ())
    late = spots(longer, True)
    return tried(longer, [each for each in late if each.history.t > policy.horizon], LOOKS // 4)


def tried(policy: Policy, every: list[Spot], most: int) -> Tried:
    """The rounds at these spots, so many at most."""
    names = [spot.name(policy) for spot in every]
    spare = int(min(most, most_laws(policy)))
    extreme = extremes(every, names)
    rest = [name for name in names if name not in set(extreme)]
    order = np.random.default_rng(address("telling rounds", len(rest))).permutation(len(rest))
    kept = {*extreme, *(rest[k] for k in order[: max(0, spare - len(extreme))])}
    mechanism: Callable[..., NextArm | UnknownArm] = NextArm if looks_exactly(policy) else UnknownArm
    shown = {name: spot for name, spot in zip(names, every, strict=True) if name in kept}
    rounds = {
        name: round_of(mechanism(policy, spot.counts, spot.history.t, spot.history), *spot.totals)
        for name, spot in shown.items()
    }
    return Tried(rounds, tried_rounds_text(policy, [*shown.values()], len(names)), brief_of([*shown.values()]), extreme)


def spots(policy: Policy, far: bool) -> list[Spot]:
    """The spots that guided runs reach, each once. far: the policy was run on, for the sake of its late steps."""
    steps = min(policy.horizon, MAX_WALKED_STEPS)
    plain = states_after(policy, [History((), (), (), ())], 0) is not None
    afford = int(WALKED / (2 * TRIES * steps * max(1.0, policy.arms / 3) * (1 if plain else SLOWER)))
    plans = thin_plans(plans_of(policy, far), max(policy.arms, min(afford, REMARKED) if far else afford))
    if not plans:
        return []
    walk = guided(policy, plans, steps, address("guided runs"))
    found, seen = [], set()
    for place, plan in enumerate(plans):
        row = walk.arms[place], walk.sizes[place]
        soonest = changed_at(plan, *row)
        made, totals = walk.standing(place, policy.arms)
        for t in rounds_of(policy, soonest, int(walk.last[place]), far):
            history = walk.history(place, t)
            counts, left, right = (tuple(each[t - 1].tolist()) for each in (made, *totals))
            same = (history.left, history.right, history.arms) if plan.late else left
            key = (plan.arm, plan.to, counts, t, same)
            if key not in seen:
                seen.add(key)
                found.append(Spot(plan, history, counts, (left, right)))
    return found


def changed_at(plan: Plan, arms: Ints, sizes: Ints) -> int:
    """The first step after the changed reward; beyond all steps where it was not paid."""
    paid = np.flatnonzero(np.cumsum(np.where(arms == plan.arm, sizes, 0)) > plan.place)
    return int(paid[0]) + 2 if len(paid) else len(arms) + 2


def rounds_of(policy: Policy, soonest: int, last: int, far: bool) -> list[int]:
    """The steps of one walk that are looked at."""
    if last < soonest:
        return []
    if far:
        return sorted({max(soonest, last // 4), last})
    if last <= MAX_SHORT_STEPS:
        return list(range(soonest, last + 1))
    even = policy.arms * (soonest - 1) + 1  # where all arms may have been pulled equally often
    near = {soonest, soonest + 1, soonest + 2, even, last - 1, last}
    spread = np.linspace(soonest, last, SPREAD_STEPS).round().astype(int).tolist()
    return sorted(t for t in {*near, *spread} if soonest <= t <= last)


def extremes(every: list[Spot], names: list[str]) -> tuple[str, ...]:
    """For every arm: the reward that counts least and the one that counts most, each with the others as certain as
    they can be, at 0 and at 1; and the last step of the run."""
    best: dict[tuple[int, bool, int], tuple[tuple[int, ...], str]] = {}
    for spot, name in zip(every, names, strict=True):
        if spot.plan.to != 1:
            continue
        n, t = spot.counts[spot.plan.arm], spot.history.t
        wanted = {
            0: (int(spot.plan.mean == 1.0), n, t),
            1: (int(spot.plan.mean == 0.0), n, t),
            2: (t, -n),
            3: (t * (spot.plan.mean in (0.0, 1.0)), n if 2 * n < t else 0),
            4: (-n, t * (spot.plan.mean == 0.25)),
        }
        for kind, rank in wanted.items():
            where = (spot.plan.arm, spot.plan.late, kind)
            if where not in best or rank > best[where][0]:
                best[where] = (rank, name)
    return tuple(dict.fromkeys(name for _, name in best.values()))


# -- by their laws, or by trials -----------------------------------------------------------------------------------


def looks_exactly(policy: Policy) -> TypeGuard[HasLaw]:
    """Whether rounds are ranked by their laws: where the policy has one that is not too slow."""
    return isinstance(policy, HasLaw) and law_cost(policy) <= DEAR


def most_laws(policy: Policy) -> float:
    """How many rounds' laws may be computed; no matter for a policy that is sampled."""
    return VALUES / (2 * law_cost(policy)) if looks_exactly(policy) else float("inf")


def law_cost(policy: Policy) -> float:
    """About how many values of the normal distribution argmax_law takes for one state: for N arms N integrals over
    products of N - 1 factors, with some 25 sqrt(1 + squared ratios of scales) nodes each."""
    rivals = policy.arms - 1
    if rivals < 2:
        return 1.0
    return 25 * rivals * float(np.sqrt(rivals * TALL / 2) + rivals * np.sqrt(policy.arms))


# -- in words ------------------------------------------------------------------------------------------------------


def tried_rounds_text(policy: Policy, kept: list[Spot], every: int) -> str:
    """Which rounds were tried, in words."""
    if not kept:
        return "No round comes after a reward."
    spread = f", a spread of {policy.arms}" if len(changed_arms(policy)) < policy.arms else ""
    thinned_out = f" These are {len(kept)} of {every} that were reached, always the same." if len(kept) < every else ""
    cut = f" Later steps than {MAX_WALKED_STEPS} were not tried." if policy.horizon > MAX_WALKED_STEPS else ""
    means = ", ".join(f"{mean:g}" for mean in MEANS)
    pulled = ranges(spot.counts[spot.plan.arm] for spot in kept)
    changed = " or ".join(f"{to:g}" for to in sorted({spot.plan.to for spot in kept}, reverse=True))
    return (
        f"Rounds tried, {'by the law' if looks_exactly(policy) else 'by trials, more of those that look worst'}: "
        f"{len(kept)}. Every state was reached by guided runs, in which each pull was one that the policy was seen to "
        f"make, and was taught pull by pull. Changed reward: of arm "
        f"{ranges(spot.plan.arm for spot in kept)} (counted from 0{spread}), pulled n = {pulled} times. "
        f"Steps: t = {brief_ranges(spot.history.t for spot in kept)}. Other arms: pulled in all other steps, with a "
        "mean of "
        f"{means}; alike, or (three arms or more) one of them alone. The changed reward is 0 on one "
        f"side, and on the other {changed}.{thinned_out}{cut} A bug that shows only "
        "in another round is not seen."
    )


def brief_of(kept: list[Spot]) -> str:
    """Which rounds were tried, in a few words."""
    return ", ".join(
        [
            f"arm {brief_ranges(spot.plan.arm for spot in kept)}",
            f"n {brief_ranges(spot.counts[spot.plan.arm] for spot in kept)}",
            f"t {brief_ranges(spot.history.t for spot in kept)}",
        ]
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


def brief_ranges(values: Iterable[int]) -> str:
    """Whole numbers in brief: where the runs are many, only the ends."""
    every = set(values)
    full = ranges(every)
    return full if full.count(",") < 4 else f"{len(every)} values in {min(every)}-{max(every)}"
