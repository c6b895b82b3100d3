"""Checks a claim about a single step by tests of rounds of a policy. Chooses which rounds to test and which to certify.

Candidate rounds are rounds in which one reward is likely to reveal most, in states that the policy's own runs reach. If
the means of the other arms are nearly certain, the released arm is a threshold test of the changed arm's sample, and
reveals as much as the sample itself. An arm is nearly certain only after many pulls, which short runs do not have. So a
policy that behaves equally under a longer horizon is also tested there; the result is only a remark, because none of
the policy's own runs reaches such a round.

Rounds are ranked by their laws if there are any, and otherwise by trials: a few trials of each round, then more trials
of the worst rounds, until few rounds are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.probes import MAX_PROBED_HORIZON, PLAYED_SINGLY, TrialFault, constant_table, probe
from dpbandits.audit.privacy.black_box import unused_law_remark, without_law
from dpbandits.audit.privacy.instances import as_sentence, audit_one, combined_with_event, not_applicable
from dpbandits.audit.privacy.pipeline import affordable_singly
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.single_rounds import (
    History,
    NextArm,
    NoRounds,
    Singly,
    SomeRound,
    UnknownArm,
    accepts_reward,
    are_same_states,
    arms_after,
    has_rows,
    require_equal_pulls,
    round_of,
    single_arms,
    state_after_histories,
    states_after,
)
from dpbandits.audit.privacy.steps import probe_step
from dpbandits.audit.statistics.copies import copies_remark, is_deterministic
from dpbandits.audit.statistics.region import excess_at_errors, probability_upper_limit
from dpbandits.proofs_checks.exact.state_graph import ForbiddenNoise
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.noise import Array, Once, Seeded, address
from dpbandits.reference.bandits.passing import State, checked_pulls, cut_to_horizon, state_rows
from dpbandits.reference.bandits.policy import HasLaw, Ints, Policy, Pulls, Step
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.bandits.release_laws.checked import arm_chances, checked_law
from dpbandits.reference.bandits.reward_ranges import UNIT_RANGE, nearest_payable, reward_range
from dpbandits.reference.claims.model import Claim, Finding, Private, Verdict
from dpbandits.reference.claims.records import text_item
from dpbandits.reference.claims.text import instance_summary
from dpbandits.reference.curves import Curve

# -- plans: what a guided run walks towards ----------------------------------------------------------------------------


MEANS = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the others' rewards: where the threshold stands
BETWEEN = (0.5, 0.25)  # what a changed reward may be besides 1: a leak may tell it from 0 where it does not tell 1
MAX_CHANGED_ARMS = 10  # so many arms take the changed reward in turn; of more, a spread
PULLS = 10  # so many numbers of pulls of the changed arm, one after another, and some larger ones
MAX_WALKED_STEPS = 1_000  # steps that are walked, at most


class Plan(NamedTuple):
    """The target of a guided run: first n pulls of the arm whose reward changes, then pulls of the others."""

    arm: int
    n: int
    ones: int  # how many of its other rewards are 1; they come first
    mean: float  # of the others' rewards, all the time
    late: bool = False  # the changed reward is the n-th; else it comes right after the ones
    main: int = -1  # the only other arm that is wanted; -1 for all alike
    to: float = 1.0  # what the changed reward is on the right; 0 on the left

    @property
    def place(self) -> int:
        """The index of the pull with the changed reward among the pulls of its arm, from 0."""
        return self.n - 1 if self.late else self.ones


def plans_of(policy: Policy, far: bool) -> list[Plan]:
    """Returns all plans by which runs are guided to candidate rounds, the most revealing plan first."""
    room = min(policy.horizon, MAX_WALKED_STEPS) - 1
    larger = (20, 50) if far else (5, 20, 50, 200, (1 + room) // 2, room)
    base: list[Plan] = []
    more: list[Plan] = []
    late = not order_is_idle(policy)
    for n in sorted(n for n in {*range(1, PULLS + 1), *larger} if n <= room):
        for arm in changed_arms(policy):
            extreme = n in (1, 20 if far else room)
            (base if extreme else more).extend(Plan(arm, n, 0, mean) for mean in MEANS)
            if n > 1:
                more += [Plan(arm, n, n - 1, mean) for mean in (0.5, 1.0)]
            if n > 2:
                more.append(Plan(arm, n, (n - 1) // 2, 0.5))
            more += [Plan(arm, n, 0, 0.5, to=value) for value in BETWEEN if accepts_reward(policy, value)]
            if n > 1 and late:
                more += [Plan(arm, n, 0, mean, late=True) for mean in (0.25, 0.5, 1.0)]
            if policy.arms > 2:
                more += [Plan(arm, n, 0, mean, main=(arm + 1) % policy.arms) for mean in (0.25, 0.5, 1.0)]
                more.append(Plan(arm, n, 0, 0.5, main=(arm - 1) % policy.arms))
    return base + more


def thin_plans(plans: list[Plan], max_plans: int) -> list[Plan]:
    """Returns at most `max_plans` plans: half from the beginning of the list, the others spread over the rest."""
    if len(plans) <= max_plans:
        return plans
    first, rest = plans[: max_plans // 2], plans[max_plans // 2 :]
    order = np.random.default_rng(address("plans", len(plans))).permutation(len(rest))
    return first + [rest[k] for k in sorted(order[: max_plans - len(first)])]


def order_is_idle(policy: Policy) -> bool:
    """Whether the state after a few pulls seems to be independent of the order of these pulls."""
    if policy.arms < 2 or policy.horizon < 4:
        return True
    low, middle, high = nearest_payable(policy, (0.0, 0.5, 1.0)).tolist()
    orders = [((0, 1, 0), (low, middle, high)), ((1, 0, 0), (middle, high, low))]
    try:
        states = [states_after(policy, [History(arms, (1, 1, 1), paid, paid)], 0) for arms, paid in orders]
    except Exception:  # out of turn for this policy, whatever it dies of
        return False
    return states[0] is not None and are_same_states(*states)


def changed_arms(policy: Policy) -> list[int]:
    """Returns the indices of the arms whose rewards are changed: all arms, or a spread of them if there are many.
    Each plan changes a reward of one arm."""
    return sorted({*np.linspace(0, policy.arms - 1, min(policy.arms, MAX_CHANGED_ARMS)).round().astype(int).tolist()})


def run_on(policy: Policy, horizon: int) -> Policy | None:
    """Returns a copy of the policy with a longer horizon, for a claim about a step without a horizon.
    None if the policy is no dataclass with a horizon, cannot be built with a longer one, or behaves differently within
    its own horizon."""
    try:
        longer = with_horizon(policy, policy.horizon, horizon)
        same = longer is not None and longer.horizon == horizon and has_same_releases(policy, longer)
        return longer if same else None
    except Exception:  # whatever a longer run of somebody's policy dies of, it was not asked for
        return None


def with_horizon(value: Any, now: int, then: int) -> Any:
    """Returns a copy of a dataclass with the horizon `then` in place of `now`; None for other values.
    The horizon is in its own field or in a field of a dataclass that it contains."""
    if not is_dataclass(value) or isinstance(value, type):
        return None
    names = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
    if "horizon" in names:
        return replace(value, horizon=then) if names["horizon"] == now else None
    inner = {name: changed for name, part in names.items() if (changed := with_horizon(part, now, then)) is not None}
    return replace(value, **inner) if inner else None


def has_same_releases(policy: Policy, longer: Policy, trials: int = 64) -> bool:
    """Whether both policies have the same releases under the same noise, up to the horizon of the first."""
    states, noise = [each.init(trials) for each in (policy, longer)], Seeded(address(0, "same"), trials)
    paid = nearest_payable(policy, np.linspace(0, 1, policy.arms))
    left = np.full(trials, policy.horizon)
    for step in range(1, policy.horizon + 1):
        pulls = [each.act(step, state, noise) for each, state in zip((policy, longer), states, strict=True)]
        if not np.array_equal(pulls[0].counts, pulls[1].counts):
            return False
        left -= pulls[0].counts.sum(axis=1)
        if (left <= 0).any():
            break
        sums = pulls[0].counts * paid
        states = [
            each.learn(step, state, pull, sums, noise)
            for each, state, pull in zip((policy, longer), states, pulls, strict=True)
        ]
    return True


# -- guided runs -------------------------------------------------------------------------------------------------------


TRIES, AGAIN = 16, 64  # trials that show which arms a policy may release; more where no wanted arm is among them
WANTED = 2.0  # scores from here on are what the plan asks for; 0 is what would spoil it


class GuidedRuns(NamedTuple):
    """The results of guided runs, one row for each plan."""

    arms: Ints  # (plans, steps)
    sizes: Ints  # (plans, steps)
    paid: Array  # (2, plans, steps)
    last: Ints  # (plans,): the last step that is a round of the run

    def history(self, plan: int, t: int) -> History:
        """Returns the pulls and rewards before step t in the run that follows a plan. plan: its index."""
        row = np.s_[plan, : t - 1]
        left, right = self.paid[0][row], self.paid[1][row]
        return History(*(tuple(each.tolist()) for each in (self.arms[row], self.sizes[row], left, right)))

    def standing(self, plan: int, arms: int) -> tuple[Ints, Array]:
        """Returns the pulls of each arm, and the arms' total rewards on either side, after each number of steps.
        They are (steps + 1, arms) and (2, steps + 1, arms), from 0 steps on, as in `History.counts` and
        `History.totals`."""
        size, paid = self.sizes[plan], self.paid[:, plan]
        at, step = self.arms[plan], np.arange(1, self.arms.shape[1] + 1)
        counts, totals = np.zeros((len(step) + 1, arms), dtype=np.int64), np.zeros((2, len(step) + 1, arms))
        counts[step, at], totals[:, step, at] = size, paid
        return counts.cumsum(axis=0), totals.cumsum(axis=1)


class Walks(NamedTuple):
    """Guided walks of a policy, in equal number on either side. splits: whether a single state can start many trials;
    otherwise each walk is repeated TRIES times from the beginning."""

    policy: Policy
    many: int
    splits: bool
    seed: int

    def look(self, step: int, state: State, alive: NDArray[np.bool_], scores: Array) -> Ints:
        """Plays a few trials of this step; returns the pulls of each arm that occur on both sides, (walks, arms).
        0 for an arm that is not pulled on both sides. More trials are made if none releases a wanted arm. scores: how
        much each walk's plan wants each arm."""
        policy, many = self.policy, self.many
        noise = Seeded(address(self.seed, step), 2 * many * TRIES)
        shown = state_rows(state, np.repeat(np.arange(2 * many), TRIES)) if self.splits else state
        size = releases(policy, step, shown, noise, alive)
        missed = alive & (np.where(size > 0, scores, 0).max(axis=1) < WANTED)
        if self.splits and missed.any():
            some = np.flatnonzero(missed)
            again = Seeded(address(self.seed, step, "again"), 2 * len(some) * AGAIN)
            shown = state_rows(state, np.repeat(np.concatenate([some, many + some]), AGAIN))
            size[some] = np.maximum(size[some], releases(policy, step, shown, again, alive[some]))
        return size

    def learn(self, step: int, state: State, counts: Ints, sums: Sequence[Array]) -> State:
        """Returns the policy's state after these pulls, (walks, arms), which are the same on both sides.
        sums: the rewards that each side receives for the pulls."""
        copies = 1 if self.splits else TRIES
        pulls = Pulls(np.repeat(np.concatenate([counts, counts]), copies, axis=0))
        noise = Seeded(address(self.seed, step), 2 * self.many * copies)
        return self.policy.learn(step, state, pulls, np.repeat(np.concatenate(sums), copies, axis=0), noise)


def guided_runs(policy: Policy, plans: Sequence[Plan], steps: int, seed: int) -> GuidedRuns:
    """Runs that follow all plans together, for at most `steps` steps.
    In every step, the run of a plan pulls an arm that the policy released on both sides in a few trials. The run ends
    if no released arm fits its plan, or at the horizon.

    Raises NoRounds if several arms are released together, the number of pulls of an arm is random, or rewards are
    truncated.
    """
    many, row, wants = len(plans), np.arange(len(plans)), Wants(plans, accepts_reward(policy, 0.5))
    arms, sizes = np.zeros((many, steps), dtype=np.int64), np.zeros((many, steps), dtype=np.int64)
    paid, last = np.zeros((2, many, steps)), np.ones(many, dtype=np.int64)
    made, alive = np.zeros((many, policy.arms), dtype=np.int64), np.ones(many, dtype=bool)
    state = policy.init(2 * many)
    walks = Walks(policy, many, has_rows(state, 2 * many), seed)
    if not walks.splits:
        state = policy.init(2 * many * TRIES)
    for step in range(1, steps + 1):
        if not alive.any():
            break
        scores = wants.scores(made)
        size = walks.look(step, state, alive, scores)
        last[alive] = step
        possible = np.where(size > 0, scores, 0)
        arm = np.where(possible.any(axis=1, keepdims=True), possible, size).argmax(axis=1)  # as a run goes on
        alive &= possible.max(axis=1) > 0
        counts = np.zeros((many, policy.arms), dtype=np.int64)
        counts[row, arm] = np.maximum(size[row, arm], 1)
        (counts, _), pulled = cut_to_horizon(Pulls(counts), policy.horizon - made.sum(axis=1))
        sums = [wants.total(made + counts, side) - wants.total(made, side) for side in (0, 1)]
        arms[:, step - 1], sizes[:, step - 1] = arm, pulled
        paid[:, :, step - 1] = [each[row, arm] for each in sums]
        state = walks.learn(step, state, counts, sums)
        made = made + counts
        alive &= made.sum(axis=1) < policy.horizon
    return GuidedRuns(arms, sizes, paid, last)


def releases(policy: Policy, step: int, state: State, noise: Seeded, alive: NDArray[np.bool_]) -> Ints:
    """The number of pulls of each arm that is released on both sides in some trial, (walks, arms).
    0 for all other arms. alive: the walks that have not ended, (walks,); other walks are skipped."""
    pulls = checked_pulls(step, policy.act(step, state, Once(noise, noise.trials, step)), (noise.trials, policy.arms))
    if pulls.bound is not None:
        raise NoRounds(
            f"{type(policy).__name__} truncates rewards, so single rounds cannot be audited; audit whole runs "
            "(relation 'pull')"
        )
    seen = pulls.counts.reshape(2, len(alive), -1, policy.arms)
    single_arms(policy, step, seen[:, alive].reshape(-1, policy.arms))
    require_equal_pulls(policy, step, seen[:, alive].swapaxes(0, 1).reshape(alive.sum(), -1, policy.arms))
    most = seen.max(axis=2)
    return np.where((most > 0).all(axis=0), most.max(axis=0), 0)


class Wants:
    """The wanted pulls of many plans, in arrays."""

    def __init__(self, plans: Sequence[Plan], halves: bool = True) -> None:
        """Stores the plans as arrays, one entry for each plan. halves: whether the policy accepts the reward 1/2."""
        self.halves = halves  # whether a reward may be 1/2
        self.row = np.arange(len(plans))
        self.arm = np.array([plan.arm for plan in plans])
        self.n = np.array([plan.n for plan in plans])
        self.main = np.array([plan.main for plan in plans])
        self.ones = np.array([plan.ones for plan in plans])
        self.place = np.array([plan.place for plan in plans])
        self.mean = np.array([plan.mean for plan in plans])[:, None]
        self.to = np.array([plan.to for plan in plans])

    def scores(self, made: Ints) -> Array:
        """Returns how much each plan prefers to pull each arm next, (plans, arms).
        made: the pulls of each arm so far."""
        least_first = 1 / (2.0 + made)
        others = np.where((self.main < 0)[:, None], WANTED + least_first, least_first)
        main = np.flatnonzero(self.main >= 0)
        others[main, self.main[main]] = WANTED + 1
        short = made[self.row, self.arm] < self.n
        scores = np.where(short[:, None], least_first, others)
        scores[self.row, self.arm] = np.where(short, WANTED + 1, 0.0)
        return np.asarray(scores)

    def total(self, made: Ints, side: int) -> Array:
        """Returns the total reward of each arm after `made` pulls on one side of each plan, (plans, arms).
        It consists of rewards 0 and 1, evenly spread (1/2 in every pull of an arm with mean 1/2, if 1/2 is a possible
        reward), and the changed reward."""
        paid = np.where((self.mean == 0.5) & self.halves, 0.5 * made, np.floor(self.mean * made + 1e-9))
        own = made[self.row, self.arm]
        paid[self.row, self.arm] = np.minimum(own, self.ones) + side * self.to * (own > self.place)
        return np.asarray(paid)


# -- candidate rounds --------------------------------------------------------------------------------------------------


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


class CandidateRound(NamedTuple):
    """A round in which a changed reward may have an effect, and the plan that leads to it."""

    plan: Plan
    history: History
    counts: tuple[int, ...]
    totals: tuple[tuple[float, ...], tuple[float, ...]]  # of the history, left and right

    def name(self, policy: Policy) -> str:
        """Returns a description of the round in words: pulls and rewards of its arm, and the changed reward."""
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


class TriedRounds(NamedTuple):
    """The rounds that are tested, by name; a description and a short description; and the names of rounds that are kept
    whatever the first trials show, because their rare effects need many trials."""

    rounds: dict[str, Step]
    description: str
    brief: str
    extreme: tuple[str, ...]


def rounds_tried(policy: Policy) -> TriedRounds:
    """Returns the most revealing rounds, thinned deterministically if there are too many, with a description.

    Raises NoRounds if a policy's rounds cannot be tested one by one.
    """
    if answers(policy):
        raise NoRounds(
            f"{type(policy).__name__} ends its runs with a final recommendation, so single rounds cannot be "
            "audited; audit whole runs (relation 'pull')"
        )
    if reward_range(policy) != UNIT_RANGE:
        raise NoRounds(
            f"{type(policy).__name__} has rewards outside [0, 1], so single rounds cannot be audited; audit "
            "whole runs (relation 'pull')"
        )
    return tried_rounds(policy, candidate_rounds(policy, False), LOOKS)


def rounds_of_longer_runs(policy: Policy) -> TriedRounds:
    """The most revealing rounds of the same policy with a longer horizon.
    Its releases must be the same up to the original horizon. No rounds if the original horizon is long enough, if the
    policy is too slow, or if its horizon cannot be extended. Raises whatever a longer run raises."""
    slow = states_after(policy, [History((), (), (), ())], 0) is None  # objects and programs: too dear for a remark
    longer = run_on(policy, TALL + 2) if policy.horizon <= TALL and not slow else None
    if longer is None:
        return TriedRounds({}, "", "", ())
    late = candidate_rounds(longer, True)
    return tried_rounds(longer, [each for each in late if each.history.t > policy.horizon], LOOKS // 4)


def tried_rounds(policy: Policy, candidates: list[CandidateRound], max_rounds: int) -> TriedRounds:
    """Returns up to `max_rounds` candidate rounds, those that will be tested, with a description of the choice.
    More only if there are more extreme rounds, which are always included."""
    names = [candidate.name(policy) for candidate in candidates]
    spare = int(min(max_rounds, most_laws(policy)))
    extreme = extremes(candidates, names)
    rest = [name for name in names if name not in set(extreme)]
    order = np.random.default_rng(address("telling rounds", len(rest))).permutation(len(rest))
    kept = {*extreme, *(rest[k] for k in order[: max(0, spare - len(extreme))])}
    mechanism: type[UnknownArm] = NextArm if ranks_by_law(policy) else UnknownArm
    shown = {name: candidate for name, candidate in zip(names, candidates, strict=True) if name in kept}
    rounds = {
        name: round_of(mechanism(policy, candidate.counts, candidate.history.t, candidate.history), *candidate.totals)
        for name, candidate in shown.items()
    }
    return TriedRounds(
        rounds, tried_rounds_text(policy, [*shown.values()], len(names)), brief_of([*shown.values()]), extreme
    )


def candidate_rounds(policy: Policy, far: bool) -> list[CandidateRound]:
    """The rounds that the policy's runs reach if they follow the plans of `plans_of`, each once.
    far: whether the horizon of the policy was extended for its late steps."""
    steps = min(policy.horizon, MAX_WALKED_STEPS)
    plain = states_after(policy, [History((), (), (), ())], 0) is not None
    afford = int(WALKED / (2 * TRIES * steps * max(1.0, policy.arms / 3) * (1 if plain else SLOWER)))
    plans = thin_plans(plans_of(policy, far), max(policy.arms, min(afford, REMARKED) if far else afford))
    if not plans:
        return []
    walk = guided_runs(policy, plans, steps, address("guided runs"))
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
                found.append(CandidateRound(plan, history, counts, (left, right)))
    return found


def changed_at(plan: Plan, arms: Ints, sizes: Ints) -> int:
    """The number, from 1, of the first step after the changed reward was paid; beyond all steps if it was not paid."""
    paid = np.flatnonzero(np.cumsum(np.where(arms == plan.arm, sizes, 0)) > plan.place)
    return int(paid[0]) + 2 if len(paid) else len(arms) + 2


def rounds_of(policy: Policy, soonest: int, last: int, far: bool) -> list[int]:
    """Returns the steps of one guided run, between `soonest` and `last`, that become candidate rounds.
    They are all steps of a short run, some of a long one, and at most two if `far`."""
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


def extremes(candidates: list[CandidateRound], names: list[str]) -> tuple[str, ...]:
    """Returns the names of the extreme rounds, for every arm, with the changed reward last or not last on its arm.
    They are the round with the least weight of the changed reward while the other arms' rewards are all 1, and while
    they are all 0; the latest round; the latest one while they are all 0 or all 1; and the one with the largest weight.
    Only rewards that change to 1 count."""
    best: dict[tuple[int, bool, int], tuple[tuple[int, ...], str]] = {}
    for candidate, name in zip(candidates, names, strict=True):
        if candidate.plan.to != 1:
            continue
        n, t = candidate.counts[candidate.plan.arm], candidate.history.t
        wanted = {
            0: (int(candidate.plan.mean == 1.0), n, t),
            1: (int(candidate.plan.mean == 0.0), n, t),
            2: (t, -n),
            3: (t * (candidate.plan.mean in (0.0, 1.0)), n if 2 * n < t else 0),
            4: (-n, t * (candidate.plan.mean == 0.25)),
        }
        for kind, rank in wanted.items():
            where = (candidate.plan.arm, candidate.plan.late, kind)
            if where not in best or rank > best[where][0]:
                best[where] = (rank, name)
    return tuple(dict.fromkeys(name for _, name in best.values()))


# -- by their laws, or by trials ---------------------------------------------------------------------------------------


def ranks_by_law(policy: Policy) -> TypeGuard[HasLaw]:
    """Whether rounds are ranked by their exact laws, which requires that the policy has a law that is not too slow."""
    return isinstance(policy, HasLaw) and law_cost(policy) <= DEAR


def most_laws(policy: Policy) -> float:
    """The largest number of rounds whose laws may be computed; no limit for a policy that is sampled."""
    return VALUES / (2 * law_cost(policy)) if ranks_by_law(policy) else float("inf")


def law_cost(policy: Policy) -> float:
    """The approximate number of normal distribution values that argmax_law computes for one state.
    For N arms, there are N integrals over products of N - 1 factors, with some 25 sqrt(1 + squared ratios of scales)
    nodes each."""
    rivals = policy.arms - 1
    if rivals < 2:
        return 1.0
    return 25 * rivals * float(np.sqrt(rivals * TALL / 2) + rivals * np.sqrt(policy.arms))


# -- in words ----------------------------------------------------------------------------------------------------------


def tried_rounds_text(policy: Policy, tested: list[CandidateRound], candidate_count: int) -> str:
    """Returns a paragraph that says how many rounds were tested, how they were reached, and which rewards changed."""
    if not tested:
        return "No round comes after a reward."
    spread = f", a spread of {policy.arms}" if len(changed_arms(policy)) < policy.arms else ""
    thinned_out = (
        f" These are {len(tested)} of {candidate_count} that were reached, always the same."
        if len(tested) < candidate_count
        else ""
    )
    cut = f" Later steps than {MAX_WALKED_STEPS} were not tried." if policy.horizon > MAX_WALKED_STEPS else ""
    means = ", ".join(f"{mean:g}" for mean in MEANS)
    pulled = ranges(candidate.counts[candidate.plan.arm] for candidate in tested)
    changed = " or ".join(f"{to:g}" for to in sorted({candidate.plan.to for candidate in tested}, reverse=True))
    return (
        f"Rounds tried, {'by the law' if ranks_by_law(policy) else 'by trials, more of those that look worst'}: "
        f"{len(tested)}. Every state was reached by guided runs, in which each pull was one that the policy "
        "was seen to "
        f"make, and was taught pull by pull. Changed reward: of arm "
        f"{ranges(candidate.plan.arm for candidate in tested)} (counted from 0{spread}), pulled n = {pulled} times. "
        f"Steps: t = {brief_ranges(candidate.history.t for candidate in tested)}. Other arms: pulled in all other "
        f"steps, with a mean of {means}; alike, or (three arms or more) one of them alone. The changed reward is 0 on "
        f"one side, and on the other {changed}.{thinned_out}{cut} A bug that shows only "
        "in another round is not seen."
    )


def brief_of(rounds: list[CandidateRound]) -> str:
    """Returns the arms, pull counts and steps of the tested rounds as a short text."""
    return ", ".join(
        [
            f"arm {brief_ranges(candidate.plan.arm for candidate in rounds)}",
            f"n {brief_ranges(candidate.counts[candidate.plan.arm] for candidate in rounds)}",
            f"t {brief_ranges(candidate.history.t for candidate in rounds)}",
        ]
    )


def ranges(values: Iterable[int]) -> str:
    """Integers in ascending order as text, with stretches of three or more as from-to."""
    runs: list[list[int]] = []
    for value in sorted(set(values)):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    texts = [[f"{run[0]}-{run[-1]}"] if len(run) > 2 else [str(value) for value in run] for run in runs]
    return ", ".join(text for group in texts for text in group)


def brief_ranges(values: Iterable[int]) -> str:
    """Integers as a short text: only the ends if there are many stretches."""
    every = set(values)
    full = ranges(every)
    return full if full.count(",") < 4 else f"{len(every)} values in {min(every)}-{max(every)}"


# -- ranking -----------------------------------------------------------------------------------------------------------


FIRST_LOOK_SHARE = 3 / 200  # the share of an audit's trials that a round's first look takes; 300 of 20 000
# Each further look is at so many times fewer rounds, with so many times more trials
ROUNDS_DIVISOR, TRIALS_FACTOR = 8, 6
DRAWS = 160  # draws that the first looks may take, in trials of the audit: some tenths of a second for 20 000
# Rounds certified: those that looked worst; with a law, also a spread, to test behaviour
CERTIFIED_ROUNDS, SPREAD_ROUNDS = 4, 6
LAW_ERROR = 1e-10  # added to errors from a law before rounds are ranked: what is less may be rounding
ROWS = 200_000  # trials drawn at once


def worst_rounds(
    policy: Policy, tried: TriedRounds, curve: Curve, run: Run, site: str, estimates: Estimates | None = None
) -> dict[str, Step]:
    """The rounds with the largest estimated violation, by name, the worst first.
    If the policy has a law, some of the other rounds are added, spread evenly."""
    names, every = list(tried.rounds), list(tried.rounds.values())
    if ranks_by_law(policy):
        laws = [exact_laws(every, side, policy.arms) for side in (0, 1)]
        alpha, beta = best_errors(laws[0], laws[1], laws[0], laws[1])
        ranked = np.argsort(-largest_excesses(curve, alpha + LAW_ERROR, beta + LAW_ERROR), kind="stable")
        spread = (
            np.linspace(0, len(every) - 1, SPREAD_ROUNDS if policy.arms <= MAX_CHANGED_ARMS else SPREAD_ROUNDS // 2)
            .round()
            .astype(int)
        )
        chosen = list(dict.fromkeys([*ranked[:CERTIFIED_ROUNDS].tolist(), *spread.tolist()]))
    else:
        kept = [k for k, name in enumerate(names) if name in tried.extreme]
        chosen = halve_rounds(every, kept, curve, run, address(run.seed, site, "rounds"), estimates)
    return {names[k]: every[k] for k in chosen}


# Of steps, the claimed curve, the trials of each side, and a seed: the estimated excess of every step.
Estimates = Callable[[list[Step], Curve, int, int], Array]


def halve_rounds(
    rounds: list[Step], extreme: list[int], curve: Curve, run: Run, seed: int, estimates: Estimates | None = None
) -> list[int]:
    """The CERTIFIED_ROUNDS rounds with the largest estimated violation, by successive halving.
    Each stage tests fewer rounds with more trials. The extreme rounds stay until the last stage. estimates:
    `estimated_excesses` by default."""
    estimates = estimated_excesses if estimates is None else estimates
    trials = max(300, int(run.profile.trials * FIRST_LOOK_SHARE))
    arms = len(rounds[0].left)
    afford = int(DRAWS * run.profile.trials / (2 * trials * arms))
    order = np.random.default_rng(seed).permutation(len(rounds))
    some = sorted({*extreme, *order[: max(afford, CERTIFIED_ROUNDS)].tolist()})
    look = 0
    while True:
        look += 1
        looks = estimates([rounds[k] for k in some], curve, trials, address(seed, look))
        ranked = [some[k] for k in np.argsort(-looks, kind="stable")]
        if len(some) <= CERTIFIED_ROUNDS or trials * TRIALS_FACTOR > run.profile.trials:
            return ranked[:CERTIFIED_ROUNDS]
        some = sorted({*ranked[: max(CERTIFIED_ROUNDS, len(some) // ROUNDS_DIVISOR)], *extreme})
        trials *= TRIALS_FACTOR


def estimated_excesses(rounds: list[Step], curve: Curve, trials: int, seed: int) -> Array:
    """Estimates by how much every round exceeds the claim, (rounds,), from `trials` trials on each side.
    The estimates serve only to choose rounds."""
    counts = [sampled_counts(rounds, side, trials, address(seed, side)) for side in (0, 1)]
    return excesses_of_counts(counts, curve, trials)


def excesses_of_counts(counts: Sequence[Array], curve: Curve, trials: int) -> Array:
    """Estimates by how much each round exceeds the claim, from counts of the released arms, (rounds,).
    counts: how often each arm was released on either side, (rounds, arms) each."""
    rough = [(count + 0.5) / (trials + count.shape[1] / 2) for count in counts]
    wrong = best_errors(rough[0], rough[1], *counts)
    return largest_excesses(curve, *(probability_upper_limit(each, trials, 0.05) for each in wrong))


def largest_excesses(curve: Curve, alpha: Array, beta: Array) -> Array:
    """Returns the largest excess over the claim among the tests of each round, (rounds,).
    alpha, beta: the errors of the tests, (rounds, tests)."""
    if not alpha.shape[1]:
        return np.zeros(len(alpha))
    return np.asarray(excess_at_errors(curve, alpha, beta).amount.max(axis=1))


def best_errors(left: Array, right: Array, left_mass: Array, right_mass: Array) -> tuple[Array, Array]:
    """The errors (alpha, beta) of all likelihood-ratio tests between the laws left and right, (rounds, arms - 1) each.
    The tests are ordered by the laws, and their errors computed from the probability masses. All arguments have shape
    (rounds, arms)."""
    ratio = el.log(np.maximum(right, 1e-300)) - el.log(np.maximum(left, 1e-300))
    order = np.argsort(ratio, axis=1, kind="stable")
    below = np.cumsum(np.take_along_axis(right_mass, order, axis=1), axis=1)[:, :-1]
    beyond = np.cumsum(np.take_along_axis(left_mass, order, axis=1)[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return np.clip(beyond, 0, None), np.clip(below, 0, None)


def by_step(rounds: list[Step]) -> Iterator[tuple[Policy, int, Ints]]:
    """Yields, for each step, the policy, the step, and the positions in the list of the rounds of this step."""
    steps = np.array([each.mechanism.t for each in rounds])
    for t in np.unique(steps):
        yield rounds[0].mechanism.policy, int(t), np.flatnonzero(steps == t)


def exact_laws(rounds: list[Step], side: int, arms: int) -> Array:
    """Returns the probability that each arm is released in each round on one side, (rounds, arms).
    Raises ValueError if the policy draws noise while it learns."""
    laws = np.empty((len(rounds), arms))
    for policy, t, where in by_step(rounds):
        assert isinstance(policy, HasLaw)
        state = state_after_histories(policy, [rounds[k].mechanism.history for k in where], side, ForbiddenNoise())
        laws[where] = arm_chances(checked_law(policy, t, state, len(where)), type(policy).__name__)
    return laws


def sampled_counts(rounds: list[Step], side: int, trials: int, seed: int) -> Array:
    """Counts how often every arm was released on one side, (rounds, arms). Many rounds are played as one batch."""
    arms = len(rounds[0].left)
    counts = np.zeros((len(rounds), arms))
    at_once = max(1, ROWS // trials)
    for policy, t, places in by_step(rounds):
        for start in range(0, len(places), at_once):
            where = places[start : start + at_once]
            histories = [rounds[k].mechanism.history for k in where]
            noise = Seeded(address(seed, policy.horizon, t), len(where) * trials, start)
            released = arms_after(policy, t, histories, side, noise)
            row = np.repeat(np.arange(len(where)), trials)
            counts[where] = np.bincount(row * arms + released, minlength=counts[where].size).reshape(-1, arms)
    return counts


# -- the finding -------------------------------------------------------------------------------------------------------


DETERMINISTIC_ROUNDS = (
    "the policy is deterministic, so that the trials of a round are copies: audit its whole runs, of which one on "
    "either side decides"
)
MAX_LATER = 2  # rounds beyond a policy's own horizon that are certified, for a remark
BEYOND_HORIZON = "Beyond its own horizon, for a remark alone: the same policy, run on while it releases the same."


def judge_rounds(claim: Claim, statement: Private, policy: Policy, run: Run) -> Finding:
    """Audits a policy's most revealing rounds, and returns the finding.
    All are tested, and those with the largest estimated violation are certified. The behaviour of the same policy
    beyond its own horizon is a remark, and no part of the verdict.

    NOT_APPLICABLE if no round of the policy can be tested by itself, or if its trials share randomness, or may share
    it.
    """
    try:
        try:
            return judge_tried_rounds(claim, statement, policy, run)
        except NoLaw as reason:
            found = judge_tried_rounds(claim, statement, without_law(policy), run)
            return replace(found, summary=f"{found.summary} {as_sentence(unused_law_remark(reason))}")
    except NoRounds as reason:
        return Finding(claim.id, Verdict.NOT_APPLICABLE, f"{reason}.")


def judge_tried_rounds(claim: Claim, statement: Private, policy: Policy, run: Run) -> Finding:
    """Audits a policy's rounds with the largest estimated violation, and returns the finding.
    Raises NoLaw if the law of some round cannot be stated, NoRounds if no round can be tested."""
    tried = rounds_tried(policy)
    if not tried.rounds:
        none = f"no round of T = {policy.horizon} comes after a reward"
        nothing = Result("the given policy", statement.curve(SomeRound(policy)))
        why = nothing._replace(same=none) if policy.horizon == 1 else nothing._replace(idle=none)
        return combined_with_event(claim, [why])
    worst = rounds_to_certify(claim, statement, tried, run)
    faults = probe_rounds(policy, list(worst.values()), address(run.seed, claim.id))
    if TrialFault.DEPENDENT_TRIALS in faults:
        return not_applicable(claim, faults)
    singly = TrialFault.OWN_RANDOMNESS in faults
    if singly:
        fewer = affordable_singly(run, policy.horizon, run.profile.trials)
        run = replace(run, profile=replace(run.profile, trials=fewer))
        worst = {label: step._replace(mechanism=Singly(step.mechanism)) for label, step in worst.items()}
    # Two shares are set aside for the remark, whether it is needed or not: a level must not depend on what was found.
    share = replace(run, level=run.level / (len(worst) + MAX_LATER))
    results = [audit_one(claim, statement, step, share, label) for label, step in worst.items()]
    finding = combined_with_event(claim, results)
    unfit = dict.fromkeys(each.unfit for each in results if each.unfit)
    if finding.verdict is not Verdict.REFUTED and unfit:
        return not_applicable(claim, tuple(unfit))
    if finding.verdict is Verdict.REFUTED and not singly and (copies := why_rounds_are_copies(policy, run)):
        return not_applicable(claim, (copies,))
    later, remark = "", ""
    if finding.verdict is not Verdict.REFUTED and not singly:
        later, remark = audit_longer_runs(claim, statement, policy, run, share)
    # The finding, with the rounds that it is about
    audited = len(worst)
    remarks = [*filter(None, [remark]), *([as_sentence(PLAYED_SINGLY)] if singly else [])]
    rounds = (
        f"{len(tried.rounds)} rounds tried ({tried.brief}; taught pull by pull), {audited} of them audited in full."
    )
    texts = [tried.description, *([f"{BEYOND_HORIZON} {later}"] if later else [])]
    return replace(
        finding,
        summary=" ".join([rounds, finding.summary, *remarks]),
        evidence=(*(text_item(text) for text in texts), *finding.evidence),
        resolution=f"{finding.resolution} This holds in the rounds tried, not in others." if finding.resolution else "",
    )


def why_rounds_are_copies(policy: Policy, run: Run) -> str:
    """The reason why the trials of single rounds are copies, which certify nothing; "" if they are not."""
    if is_deterministic(policy) and not isinstance(policy, HasLaw):
        return DETERMINISTIC_ROUNDS
    return copies_remark(policy, constant_table(policy), run.seed)


def audit_longer_runs(claim: Claim, statement: Private, policy: Policy, run: Run, share: Run) -> tuple[str, str]:
    """Audits rounds after the policy's own horizon; returns two texts, "" if there is nothing to report.
    They are a description of the rounds that were tested, and a remark on the result, which is no part of the verdict.
    """
    try:
        beyond = rounds_of_longer_runs(policy)
        for label, step in list(rounds_to_certify(claim, statement, beyond, run).items())[:MAX_LATER]:
            result = audit_one(claim, statement, step, share, label)
            if result.verdict is Verdict.REFUTED:
                return beyond.description, (
                    f"A remark, and no part of the verdict: with the horizon {step.mechanism.policy.horizon} it "
                    f"releases the same up to step {policy.horizon}, and breaks the claim later, in {label}: "
                    f"{instance_summary(result.instance)}"
                )
        return beyond.description, ""
    except Exception as reason:  # nobody promised a longer run: its tables may well end at its own horizon
        ended = f"A longer run ended with {type(reason).__name__}: {reason}"
        return f"{ended}, so that none of its rounds is looked at.", ""


def rounds_to_certify(claim: Claim, statement: Private, tried: TriedRounds, run: Run) -> dict[str, Step]:
    """The rounds with the largest estimated violation, which are then certified, by name.
    Only the first round if the claim has no method to estimate the violation."""
    first = dict(list(tried.rounds.items())[:1])
    for one in first.values():
        curve = statement.curve(one)
        if statement.view == "arms" and curve is not None:
            return worst_rounds(one.mechanism.policy, tried, curve, run, claim.id)
    return first


def probe_rounds(policy: Policy, rounds: list[Step], seed: int) -> tuple[TrialFault, ...]:
    """The faults that probes find in a policy's trials, in short runs and in the first of the given rounds."""
    found = [probe(policy, constant_table(policy), seed)] if policy.horizon <= MAX_PROBED_HORIZON else []
    for each in rounds[:1]:
        found += probe_step(each, seed)
    return tuple(dict.fromkeys(fault for fault in found if fault is not None))
