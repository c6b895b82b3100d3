"""Replay with frozen releases: a run's pulls and noisy values are recorded on one reward table, and the same run is
replayed on a neighbouring table.

In every step the neighbouring run is in the state that follows from its own rewards and the recorded releases. A
private policy draws at the same places with the same scales, and the same noisy values lead to the same releases. If
not, it uses a reward without noise; one pair of runs shows this with certainty. This replay traces the centre and the
scale of each noisy value from the policy's draws, in many runs at once.

The replay does not see which draws a noisy value consists of: noise that earlier choices have already revealed still
seems to protect. If the noise is linear, single runs are therefore examined draw by draw
(`proofs_checks.alignment.noise_account`): by how much must the noise change so that the neighbour repeats the run?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from dpbandits.audit.play.many import both_tables
from dpbandits.audit.privacy.scores.values import release_of_step
from dpbandits.audit.privacy.search.pairs import candidates_with_contexts, checked_hints, pair_in_words
from dpbandits.audit.privacy.search.proposals import propose, space_of
from dpbandits.extensions.conformance.other_noise import other_noise_hides
from dpbandits.extensions.conformance.traced_noise import Followed, Look, Trace, TracedNoise, Unfrozen
from dpbandits.proofs_checks.alignment.forms import code_line, rational
from dpbandits.proofs_checks.alignment.noise_account import (
    Account,
    NoiseAccount,
    NotFollowed,
    hidden_by_draws,
    noise_account,
)
from dpbandits.reference.arithmetic.checks import checked_integer
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import context_dimension, seen_by
from dpbandits.reference.bandits.noise import Ints, Once, Seeded, address
from dpbandits.reference.bandits.passing import Pulls, checked_sums
from dpbandits.reference.bandits.policy import Policy, Step
from dpbandits.reference.bandits.protocol import demand_policy
from dpbandits.reference.bandits.recommendations import answers, pulls_without_answers
from dpbandits.reference.claims.model import Claim, Finding, Private, Verdict
from dpbandits.reference.claims.text import counted
from dpbandits.reference.curves import Curve, derived

FROZEN = "check/frozen replay"
RUNS_OF_A_PAIR, BY_THEMSELVES = 4, 8  # pairs that are also played alone
MAX_FROZEN_STEPS = 200  # of a run; later ones are not replayed
MOST_TABLES = 60  # of either kind, for the account of draws
RARE_SIZES = (1.0, 1.0, 4.0)  # of draws, run by run, where the claim holds for the rarest runs as well
SAME_SCALE, SAME_SIZE = 1e-9, 1e-6  # relative: scales, and moves, that rounding does not tell apart


class Reading(NamedTuple):
    """The first difference on the neighbouring table, in words, and the trial in which it occurs. pair: the number of
    its pair. undecided: whether noise that cannot be followed further may hide this difference."""

    what: str
    trial: int
    pair: int = 0
    undecided: bool = False


Limits = Mapping[str, Fraction]  # what the noise of a reward may cost, by kind: eps ("laplace"), mu squared ("normal")
NO_LIMITS: Limits = {}


@dataclass(frozen=True)
class ByScale:
    """The result of a replay that follows the centre and the scale of every noisy value. reading: the first difference
    on the neighbouring table. largest: the largest move of a value. excess: the place at which a value moves further
    than in the reference, in words. unfollowed: why the replay has no result. hopeless: whether single draws cannot be
    followed either. pairs, steps, trials, draws: the numbers of pairs, of steps, of runs, and of draws in a run. pair:
    the pair that shows a fault."""

    pairs: int
    steps: int = 0
    trials: int = 0
    draws: int = 0
    largest: Move | None = None
    reading: Reading | None = None
    excess: str = ""
    unfollowed: str = ""
    hopeless: bool = False
    pair: Pair | None = None


@dataclass(frozen=True)
class Replayed:
    """The result of a frozen replay. account: which draws protect which reward; None if single draws were not followed,
    for the reason in `unfollowed`."""

    by_scale: ByScale
    limits: Limits
    account: NoiseAccount | None = None
    unfollowed: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict: REFUTED if a reward is read without noise, or with less noise than claimed.
        NOT_APPLICABLE if the noise cannot be followed; otherwise CONSISTENT."""
        scale = self.by_scale
        if scale.reading is not None or scale.excess or (self.account is not None and self.account.failing):
            return Verdict.REFUTED
        if scale.hopeless or (scale.unfollowed and self.account is None):
            return Verdict.NOT_APPLICABLE
        return Verdict.CONSISTENT

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of tables on which a fault showed, the worst first, or a difference that noise may hide."""
        found = [self.by_scale.pair, *(each.pair for each in (self.account.failing if self.account else ()))]
        return tuple(pair for pair in found if pair is not None)

    def finding(self) -> Finding:
        """The finding of the check, whose claim is that each reward has enough noise wherever the policy uses it."""
        text = replay_text(self)
        if self.verdict is Verdict.REFUTED:
            text = f"{text}. {REFUTED_MEANS} {ARMS_HIDE}"
        return Finding(FROZEN, self.verdict, text, resolution=replay_resolution(self))


def look_at_own_policy(claim: Claim, policy: Policy, seed: int) -> tuple[str, tuple[Pair, ...]]:
    """Replays a user's policy with fixed noise; returns a sentence on a violation, and pairs of tables that show it.
    Returns "" and no pairs if the replay finds no violation of the claim."""
    says = claim.says
    if isinstance(policy, Step) or not isinstance(says, Private) or says.relation in ("history", "user"):
        return "", ()
    if says.view == "others":  # a replay sees all that is released
        return "", ()
    limits = limits_of([says.curve(policy)])
    found = replay(policy, relation=says.relation, seed=seed, hints=checked_hints(policy, says), limits=limits)
    if found.verdict is not Verdict.REFUTED:
        return "", found.pairs
    beside = "" if says.view == "samples" else f" {ARMS_HIDE}"
    return f"Replayed with frozen releases, {replay_text(found)}.{beside}", found.pairs


REFUTED_MEANS = "REFUTED means that a reward is used without noise, or with less than it should have."
ARMS_HIDE = (
    "This is about the values that the policy compares; its released arms may show less of them, so by itself it "
    "refutes no claim about the arms."
)


def limits_of(curves: Sequence[Curve | None]) -> Limits:
    """Returns, for each kind of noise, the largest privacy loss that the claimed curves allow for one reward.
    The smallest eps of the (eps, 0)-DP curves, and the square of the smallest mu."""
    limits: dict[str, Fraction] = {}
    for curve in curves:
        if curve is None:
            continue
        values, places = curve.claimed_parameters()
        if len(values) == 1:
            value, name = rational(float(values[0])), derived.parameter_name(curve)
            kind, cost = ("normal", value**2) if name == "mu" else ("laplace", value)
            if name == "mu" or (name == "eps" and float(places[0]) == 0):
                limits[kind] = min(cost, limits.get(kind, cost))
    return limits


def replay_frozen(
    policy: Policy,
    reference: Policy | None = None,
    relation: str = "pull",
    seed: int = 0,
    hints: Sequence[Pair] = (),
    curves: Sequence[Curve | None] = (),
) -> Finding:
    """Whether a policy reads a reward without noise, or with less noise than it should have.
    REFUTED names the step, the line and the fields of the state that differ; CONSISTENT says what the noise of the
    replayed rewards costs; NOT_APPLICABLE means that the policy's noise cannot be followed.

    policy: one that draws through `noise`. reference: a private policy of the same arms and horizon, whose noise is
    enough; None for any noise. relation: which tables are neighbours, "pull", "round" or "reward";
    for "user" NOT_APPLICABLE. seed: of the noise. hints: pairs that are replayed beside the candidates. curves: what is
    claimed of the policy, which says how much the noise of a reward may cost. Raises TypeError for what is no policy.
    """
    demand_policy(policy)
    if relation == "user":
        words = "frozen replay does not apply to the relation 'user': a user's own context may decide the user's round"
        return Finding(FROZEN, Verdict.NOT_APPLICABLE, words)
    return replay(policy, reference, relation, seed, hints, limits_of(curves)).finding()


def replay(
    policy: Policy,
    reference: Policy | None = None,
    relation: str = "pull",
    seed: int = 0,
    hints: Sequence[Pair] = (),
    limits: Limits = NO_LIMITS,
) -> Replayed:
    """Replays a policy twice, by scales and by single draws, to find rewards with too little noise.
    First it follows the centre and the scale of every noisy value, then, if no fault is found, single draws."""
    pairs = [*hints, *candidates_with_contexts(policy if reference is None else reference, relation)]
    frozen_seed = address(checked_integer(seed, "seed", 0, 2**64 - 1), "frozen")
    by_scale = replay_by_scale(policy, reference, pairs, frozen_seed)
    found = Replayed(by_scale, limits)
    if found.verdict is Verdict.REFUTED or by_scale.hopeless:
        return found
    draws = address(seed, "noise account")
    tables = tables_to_play(policy, relation, pairs, len(hints), draws)
    sizes = RARE_SIZES if "laplace" in limits else (1.0,)
    try:
        return replace(found, account=noise_account(policy, tables, draws, limits, sizes))
    except NotFollowed as why:
        return replace(found, unfollowed=str(why))


def tables_to_play(policy: Policy, relation: str, pairs: list[Pair], hints: int, seed: int) -> list[Pair]:
    """Returns the pairs of tables on which the replay follows single draws.
    First the given hints, then candidates and random pairs in turn."""
    if context_dimension(policy):
        return pairs[:1]
    generator = np.random.Generator(np.random.Philox(seed))
    known = [pairs[hints + k] for k in generator.permutation(len(pairs) - hints)[:MOST_TABLES]]
    random = propose(space_of(policy, relation), generator, MOST_TABLES).pairs()
    return [*pairs[:hints], *(pair for both in zip_longest(known, random) for pair in both if pair is not None)]


def replay_by_scale(policy: Policy, reference: Policy | None, pairs: list[Pair], seed: int) -> ByScale:
    """Replays all pairs at once, and follows the centre and the scale of every noisy value."""
    try:
        run, reading = replayed_on(policy, pairs, seed)
        found = ByScale(len(pairs), run.step, len(run.left), len(run.recorded.draws), run.largest)
        if reading is not None:
            same = [replace(each, right=each.left) for each in pairs]
            if run.neighbour.lost and not reading.undecided:
                return replace(found, unfollowed=coin_message(run.neighbour.lost[0]))
            if any(replayed_on(policy, same, seed)[1] for _ in range(2)):
                return replace(found, unfollowed=OWN_RANDOMNESS, hopeless=True)
            pair = pairs[reading.pair]
            if reading.undecided:
                why = f"{reading.what}, so what this noise hides cannot be followed"
                return replace(found, unfollowed=why, pair=pair)
            if why := hidden_by_noise(policy, pair, run, reading.trial, seed):
                return replace(found, unfollowed=why, pair=pair)
            return replace(found, reading=reading, pair=pair)
    except (AttributeError, IndexError, TypeError, ValueError, Unfrozen) as error:
        return ByScale(len(pairs), unfollowed=f"its draws cannot be followed ({error})")
    allowed = replayed_on(reference, pairs, seed)[0] if reference is not None else None
    if allowed is not None and moves_too_far(run, allowed):
        move, most = run.largest, allowed.largest
        said = f"in {type(reference).__name__} by at most {most.size:.4g} times"
        words = f"{move.what}: a noisy value changes by {move.size:.4g} times the scale of its noise, {said}"
        return replace(found, excess=words, pair=pairs[move.trial % len(pairs)])
    return found


def hidden_by_noise(policy: Policy, pair: Pair, run: FrozenRun, trial: int, seed: int) -> str:
    """Why noise may hide the reward in which the tables of a pair differ, as a sentence; "" if it does not.
    run: the replay, up to the step in which the releases of this trial differ. seed: of its noise."""
    try:
        return hidden_by_draws(policy, pair, Seeded(seed, trial + 1))
    except NotFollowed:
        if not other_noise_hides(policy, pair, run.pulls_of(trial), seed):
            return ""
        return (
            f"step {run.step}: the same noisy values lead to different pulls on the two neighbouring inputs, but with "
            "other noise each of them leads to both pulls, so noise may hide this reward"
        )


def replayed_on(policy: Policy, pairs: list[Pair], seed: int) -> tuple[FrozenRun, Reading | None]:
    """Plays the runs on these pairs up to the first difference on the neighbouring table; returns both.
    The second result is the difference, or None. All runs are played side by side, and some pairs also alone, because a
    policy may treat a single run differently."""
    together = FrozenRun(policy, pairs, seed)
    some = range(0, len(pairs), -(-len(pairs) // BY_THEMSELVES))
    for run, first in [(together, 0), *((FrozenRun(policy, [pairs[k]], seed), k) for k in some)]:
        found = None
        while found is None and run.left.any() and run.step < MAX_FROZEN_STEPS:
            found = run.advance()
        if found is not None:
            said = "a reward decides which noise is used" if found.undecided else "a reward is read in the clear"
            words = f"step {run.step}: {said}: {found.what}{run.differing_fields(found.trial)}"
            return run, found._replace(what=words, pair=found.trial % len(pairs) if run is together else first)
    return together, None


def moves_too_far(run: FrozenRun, allowed: FrozenRun) -> bool:
    """Whether a changed reward shifts a noisy value, relative to its noise, further than in the run of the reference.
    False if the two policies use different kinds of noise."""
    kinds = [{draw.kind for draw in each.recorded.draws} for each in (run, allowed)]
    most = allowed.largest.size
    return kinds[0] == kinds[1] and most > 0 and run.largest.size > most * (1 + SAME_SIZE)


OWN_RANDOMNESS = "on the same table it releases something else the second time"


def coin_message(place: str) -> str:
    """Returns an error message: the policy converted noise to plain numbers, unchanged by any reward. place: where."""
    return (
        f"{file_and_line(place)} converts noise to plain numbers before a changed reward is added, as a coin does, so "
        "what this noise hides cannot be followed"
    )


class Move(NamedTuple):
    """How far a changed reward shifts a noisy value. size: the shift as a multiple of the noise's scale. what: the step
    and the line in words. trial: where it occurs."""

    size: float
    what: str = ""
    trial: int = 0


class FrozenRun:
    """Runs on every pair, played side by side on both tables; the runs on the right table release the same as those on
    the left one."""

    def __init__(self, policy: Policy, pairs: list[Pair], seed: int) -> None:
        """Prepares the replay: RUNS_OF_A_PAIR runs on each pair of tables."""
        trials = RUNS_OF_A_PAIR * len(pairs)
        self.policy, self.step, self.noise = policy, 0, Seeded(seed, trials)
        self.tables = [one.playing(np.arange(trials) % len(pairs)) for one in both_tables(pairs)]
        self.recorded = Trace()
        self.neighbour = Trace(self.recorded.looks)
        self.traces = self.recorded, self.neighbour
        self.states = self.before = [policy.init(trials) for _ in self.traces]
        self.made: Ints = np.zeros((trials, policy.arms), dtype=np.int64)
        self.left: Ints = np.full(trials, policy.horizon + answers(policy))
        self.largest = Move(0.0)
        self.pulls = list[Pulls]()  # of the steps before this one

    def pulls_of(self, trial: int) -> list[Pulls]:
        """The pulls of one trial in the steps before this one, each with one row."""
        shape = self.made.shape
        bounds = [
            each.bound if each.bound is None else np.broadcast_to(each.bound, shape)[trial] for each in self.pulls
        ]
        return [Pulls(each.counts[trial : trial + 1], bound) for each, bound in zip(self.pulls, bounds, strict=True)]

    def advance(self) -> Reading | None:
        """Plays one more step, and returns the first difference on the neighbouring table, if there is one."""
        self.step, self.before = self.step + 1, self.states
        here = [Once(TracedNoise(self.noise, trace), len(self.left), self.step) for trace in self.traces]
        mark = len(self.recorded.looks), len(self.recorded.draws)
        seen = seen_by(self.policy, self.tables[0], self.step, len(self.left))  # the same on both sides
        (pulls, used), (other, _) = [
            release_of_step(self.policy, self.step, *each, self.left, *seen)
            for each in zip(self.states, here, strict=True)
        ]
        if (found := self.first_difference(*mark)) is not None:
            return found
        differs = np.flatnonzero((pulls.counts != other.counts).any(axis=1))
        if len(differs):
            one, there = (each[differs[0]].tolist() for each in (pulls.counts, other.counts))
            return Reading(f"the same noisy values lead to the pulls {one} and {there}", int(differs[0]))
        if not used.any():
            raise ValueError(
                f"step {self.step}: the policy pulled no arm, although its horizon is not used up (pulls left: "
                f"{self.left.max()})"
            )
        paid, mark = pulls._replace(counts=pulls_without_answers(pulls.counts)), (len(self.recorded.looks), mark[1])
        sums = [table.draw(self.step, self.made, paid.counts, paid.bound, self.noise) for table in self.tables]
        self.states = [
            self.policy.learn(self.step, state, paid, checked_sums(self.step, each, self.made.shape), once, *seen)
            for state, each, once in zip(self.states, sums, here, strict=True)
        ]
        self.made, self.left = self.made + paid.counts, self.left - used
        self.pulls.append(paid)
        return self.first_difference(*mark)

    def first_difference(self, look: int, draw: int) -> Reading | None:
        """Returns the first difference between the two tables since these positions in the lists of looks and draws.
        It is a difference in what the policy asks of its noise, or in the noisy values that it uses. None if there is
        none."""
        asked, there = (trace.draws[draw:] for trace in self.traces)
        if asked != there:
            odd = next((k for k, both in enumerate(zip(asked, there, strict=False)) if both[0] != both[1]), len(asked))
            words = [f"{one[odd].kind} draws of shape {one[odd].shape} at {one[odd].site!r}" if odd < len(one) else
                     "nothing more" for one in (asked, there)]  # fmt: skip
            return Reading(f"one side draws {words[0]} where its neighbour draws {words[1]}", 0, undecided=True)
        seen, again = (trace.looks[look:] for trace in self.traces)
        if self.neighbour.astray or len(seen) != len(again):
            place = self.neighbour.astray[0] if self.neighbour.astray else (seen + again)[-1].place
            return Reading(f"the two sides take different branches at {file_and_line(place)}", 0, undecided=True)
        return next(filter(None, (self.compared(*both) for both in zip(seen, again, strict=True))), None)

    def compared(self, one: Look, other: Look) -> Reading | None:
        """Returns a difference if the noise of a value has another scale on the neighbouring table, otherwise None.
        Also records by how much the value is shifted."""
        shape = np.shape(one.scale)
        if not (one.known and other.known) or shape[:1] != self.left.shape:
            return None
        live = np.broadcast_to((self.left > 0).reshape(-1, *[1] * (len(shape) - 1)), shape)
        apart = live & (np.abs(one.scale - other.scale) > SAME_SCALE * np.maximum(one.scale, other.scale))
        apart &= one.centre != other.centre  # otherwise this may be a race of noise, as in the exponential mechanism
        if apart.any():
            odd = tuple(np.argwhere(apart)[0])
            scales = f"{one.scale[odd]:.4g} and {other.scale[odd]:.4g}"
            where = file_and_line(one.place)
            said = f"the noise has different scales ({scales}) on the two neighbouring inputs, at {where}"
            return Reading(said, int(odd[0]), undecided=True)
        with np.errstate(invalid="ignore"):  # of equal infinities
            moved = np.nan_to_num(np.abs(one.centre - other.centre) / np.where(one.scale > 0, one.scale, np.inf))
        most = np.unravel_index(int((moved * live).argmax()), shape)
        if moved[most] > self.largest.size and live[most]:
            self.largest = Move(float(moved[most]), f"step {self.step}, {file_and_line(one.place)}", int(most[0]))
        return None

    def differing_fields(self, trial: int) -> str:
        """Names the fields of the state that differ between the two tables before this step, as the end of a sentence.
        "" if there are none."""
        one, other = self.before
        names = getattr(one, "_fields", None) or sorted(getattr(one, "__dict__", {}))
        apart = [name for name in names if differs_in(getattr(one, name), getattr(other, name), trial)]
        return f"; the state differs in {', '.join(apart)}" if apart else ""


def differs_in(left: object, right: object, trial: int) -> bool:
    """Whether a field of the state differs between the tables in this trial.
    Noisy values are compared by their centres, without the noise."""
    left, right = ((each.centre if isinstance(each, Followed) else each) for each in (left, right))
    try:
        return not np.array_equal(np.asarray(left)[trial], np.asarray(right)[trial], equal_nan=False)
    except (TypeError, IndexError, ValueError):  # no array of trials
        return False


def file_and_line(place: str) -> str:
    """Returns a place in the code as reports show it, "folder/mine.py:12"."""
    return code_line(*place.rsplit(":", 1)) if ":" in place else place


# -- in words ----------------------------------------------------------------------------------------------------------


def replay_text(result: Replayed) -> str:
    """Returns the result of a replay in words, without a full stop."""
    scale, account = result.by_scale, result.account
    if scale.reading is not None:
        return f"{scale.reading.what} ({pair_in_words(scale.pair)})" if scale.pair is not None else scale.reading.what
    if scale.excess:
        return f"{scale.excess} ({pair_in_words(scale.pair)})" if scale.pair is not None else scale.excess
    if account is not None and account.failing:
        return account_text(account.failing[0], account, result.limits)
    if scale.hopeless or (scale.unfollowed and account is None):
        return "; ".join(dict.fromkeys(each for each in (scale.unfollowed, result.unfollowed) if each))
    played = (
        f"{counted(scale.steps, 'step', 'steps')} of {counted(scale.trials, 'run', 'runs')} on "
        f"{counted(scale.pairs, 'pair', 'pairs')} of tables"
    )
    if not scale.unfollowed and not scale.draws:
        return f"{played}: nothing is drawn, and nothing depends on a reward"
    parts = []
    if not scale.unfollowed:
        parts.append(f"{played}: with the same noisy values, the neighbour draws the same noise and releases the same")
        if scale.largest is not None and scale.largest.size:
            parts.append(f"no noisy value changes by more than {scale.largest.size:.4g} times the scale of its noise")
    if account is not None:
        parts.append(
            f"{counted(account.rewards, 'reward', 'rewards')} of {counted(account.runs, 'run', 'runs')}: moves of the "
            f"noise that cost at most "
            f"{cost_text(account.value, account.noise)}{limit_text(result.limits, account.noise)} make up for a change"
        )
    else:
        parts.append(f"which draws protect which reward was not followed ({result.unfollowed})")
    return "; ".join(parts)


def replay_resolution(result: Replayed) -> str:
    """Returns the faults that the replay would have found, in words; "" if it found a fault, or does not apply."""
    if result.verdict is not Verdict.CONSISTENT:
        return ""
    if result.account is not None:
        return "these runs only: a reward whose noise is missing, reused or too small in other runs is not found"
    return (
        "a reward that meets no noise at all in one of these runs; noise that is missing beside older noise, reused or "
        "shared is not found"
    )


def account_text(reward_account: Account, account: NoiseAccount, limits: Limits) -> str:
    """Returns a sentence on a reward that has too little noise: the step that uses the reward, and its privacy loss."""
    line = f", {reward_account.line}" if reward_account.line else ""
    who = f"the reward of arm {reward_account.reward.arm} in step {reward_account.reward.step}"
    where = f"step {reward_account.step}{line}: {who}"
    if reward_account.otherwise:
        said = f"{where} is read in the clear: {reward_account.otherwise}"
    elif reward_account.cost is None:
        said = f"{where} is compared, and no shift of the noise makes up for its change"
    else:
        cost = cost_text(float(reward_account.cost) ** (0.5 if account.noise == "normal" else 1), account.noise)
        said = f"{where} costs {cost} by the cheapest shift of the noise{limit_text(limits, account.noise)}"
    because = f"{';' if reward_account.otherwise else ':'} {reward_account.words}" if reward_account.words else ""
    fields = [f"{name} ({'with' if noisy else 'without'} noise)" for name, noisy in reward_account.fields]
    return f"{said}{because}" + (f"; the state differs in {', '.join(fields)}" if fields else "")


def cost_text(value: float, noise: str) -> str:
    """Returns a privacy parameter with its name: mu for normal noise, eps for other noise."""
    return f"{'mu' if noise == 'normal' else 'eps'} = {value:.4g}"


def limit_text(limits: Limits, noise: str) -> str:
    """Returns the claimed parameter as a remark in parentheses; "" if none is claimed."""
    if noise not in limits:
        return ""
    return f" (claimed: {float(limits[noise]) ** (0.5 if noise == 'normal' else 1):.4g})"
