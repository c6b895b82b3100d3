"""Replay with frozen releases: a run's pulls and noisy values are recorded on one table, and replayed on its neighbour.

In every step the neighbour is in the state that its own rewards and the same past releases lead to. What is private
there has noise; so the policy draws at the same places, with the same scales, and what it releases follows from the
same noisy values. Where it does not, it reads a reward in the clear: that is seen in one pair of runs, and no chance
decides. Noisy values are followed from the policy's draws on, which takes that they come from `noise`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.many import both_tables
from dpbandits.audit.privacy.scores.values import release_of_step
from dpbandits.audit.privacy.search.hints import checked_hints
from dpbandits.audit.privacy.search.in_context import candidates_of
from dpbandits.audit.privacy.search.pairs import pair_in_words
from dpbandits.extensions.conformance.traced_noise import Followed, Look, Trace, TracedNoise, Unfrozen
from dpbandits.reference.arithmetic.checks import checked_integer
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import seen_by
from dpbandits.reference.bandits.noise import Ints, Once, Seeded, address
from dpbandits.reference.bandits.passing import checked_sums
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.protocol import demand_policy
from dpbandits.reference.bandits.recommendations import answers, pulls_without_answers
from dpbandits.reference.bandits.release_laws.mechanisms import is_step
from dpbandits.reference.claims.model import Claim, Finding, Private, Verdict

FROZEN = "check/frozen replay"
RUNS_OF_A_PAIR, BY_THEMSELVES = 4, 8  # pairs that are also played alone
MAX_FROZEN_STEPS = 200  # of a run; later ones are not looked at
SAME_SCALE, SAME_SIZE = 1e-9, 1e-6  # relative: scales, and moves, that rounding does not tell apart


class Reading(NamedTuple):
    """What is otherwise on the neighbour, in words, and in which trial."""

    what: str
    trial: int


def beside_frozen(found: Finding, claim: Claim, policy: Any, seed: int) -> Finding:
    """The finding, and what a replay with frozen releases reads in the clear, if it does: the verdict stays."""
    says = claim.says
    if is_step(policy) or not isinstance(says, Private) or says.relation == "history":
        return found
    if says.view == "others":  # a replay sees all that is released
        return found
    replayed = replay_frozen(policy, relation=says.relation, seed=seed, hints=checked_hints(policy, says))
    if replayed.verdict is not Verdict.REFUTED:
        return found
    words = f"Replayed with frozen releases, {replayed.summary}."
    evidence = (*found.evidence, {"kind": "text", "text": words})
    return replace(found, summary=f"{found.summary} {words}", evidence=evidence)


def replay_frozen(
    policy: Policy, reference: Policy | None = None, relation: str = "pull", seed: int = 0, hints: Sequence[Pair] = ()
) -> Finding:
    """Whether a policy reads a reward in the clear, or in less noise than it should have: REFUTED with the step, the
    line and the fields of the state that differ, CONSISTENT with how far its noisy values move, NOT_APPLICABLE where
    its noise cannot be followed.

    policy: one that draws through `noise`. reference: a private policy of the same arms and horizon, whose noisy values
    move as far as is allowed; None for any move. relation: which tables are neighbours, "pull", "round" or "reward";
    for "user" NOT_APPLICABLE. seed: of the noise. hints: pairs that are replayed beside the candidates. Raises
    TypeError for what is no policy.
    """
    demand_policy(policy)
    if relation == "user":
        words = "a user's own context may well decide his own round: what others see of it is no matter of one draw"
        return Finding(FROZEN, Verdict.NOT_APPLICABLE, words)
    pairs = [*hints, *candidates_of(policy if reference is None else reference, relation)]
    seed = address(checked_integer(seed, "seed", 0, 2**64 - 1), "frozen")
    try:
        run, found = replayed_on(policy, pairs, seed)
        if found is not None:
            same = [replace(each, right=each.left) for each in pairs]
            if run.neighbour.lost or any(replayed_on(policy, same, seed)[1] for _ in range(2)):
                return not_followed(run)
            return Finding(FROZEN, Verdict.REFUTED, f"{found.what} ({pair_in_words(pairs[found.trial % len(pairs)])})")
    except (AttributeError, IndexError, TypeError, ValueError, Unfrozen) as error:
        return Finding(FROZEN, Verdict.NOT_APPLICABLE, f"its draws cannot be followed ({error})")
    allowed = replayed_on(reference, pairs, seed)[0] if reference is not None else None
    if allowed is not None and moves_too_far(run, allowed):
        move, most = run.largest, allowed.largest
        said = f"where those of {type(reference).__name__} move by at most {most.size:.4g}"
        pair = pair_in_words(pairs[move.trial % len(pairs)])
        words = f"{move.what}: a noisy value moves by {move.size:.4g} of its scales, {said} ({pair})"
        return Finding(FROZEN, Verdict.REFUTED, words)
    return without_reading(run, len(pairs))


def replayed_on(policy: Policy, pairs: list[Pair], seed: int) -> tuple[FrozenRun, Reading | None]:
    """The runs on these pairs, up to what is otherwise on the neighbour, if anything is: all of them side by side, and
    some by themselves, for what goes by a whole batch."""
    together = FrozenRun(policy, pairs, seed)
    some = range(0, len(pairs), -(-len(pairs) // BY_THEMSELVES))
    for run, first in [(together, 0), *((FrozenRun(policy, [pairs[k]], seed), k) for k in some)]:
        found = None
        while found is None and run.left.any() and run.step < MAX_FROZEN_STEPS:
            found = run.advance()
        if found is not None:
            words = f"step {run.step}: a reward is read in the clear: {found.what}{run.known_apart(found.trial)}"
            return run, Reading(words, found.trial if run is together else first)
    return together, None


def moves_too_far(run: FrozenRun, allowed: FrozenRun) -> bool:
    """Whether a noisy value moves further than those of who is allowed to, with noise of the same kinds."""
    kinds = [{draw.kind for draw in each.recorded.draws} for each in (run, allowed)]
    most = allowed.largest.size
    return kinds[0] == kinds[1] and most > 0 and run.largest.size > most * (1 + SAME_SIZE)


def not_followed(run: FrozenRun) -> Finding:
    """The finding about a policy of which a part is not seen."""
    if not run.neighbour.lost:
        return Finding(FROZEN, Verdict.NOT_APPLICABLE, "on the same table it releases something else the second time")
    where = f"{file_and_line(run.neighbour.lost[0])} makes plain numbers of a bare draw"
    words = f"{where}, so that what becomes of it cannot be frozen: add the draw to what it protects"
    return Finding(FROZEN, Verdict.NOT_APPLICABLE, words)


class Move(NamedTuple):
    """How far a noisy value moves, in scales, in which step and line, and in which trial."""

    size: float
    what: str = ""
    trial: int = 0


class FrozenRun:
    """Runs of every pair, side by side on both tables, which release what the left ones do."""

    def __init__(self, policy: Policy, pairs: list[Pair], seed: int) -> None:
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

    def advance(self) -> Reading | None:
        """One more step: what is otherwise on the neighbour, if anything is."""
        self.step, self.before = self.step + 1, self.states
        here = [Once(TracedNoise(self.noise, trace), len(self.left), self.step) for trace in self.traces]
        mark = len(self.recorded.looks), len(self.recorded.draws)
        seen = seen_by(self.policy, self.tables[0], self.step, len(self.left))  # the same on both sides
        (pulls, used), (other, _) = [
            release_of_step(self.policy, self.step, *each, self.left, *seen)
            for each in zip(self.states, here, strict=True)
        ]
        if (found := self.otherwise(*mark)) is not None:
            return found
        differs = np.flatnonzero((pulls.counts != other.counts).any(axis=1))
        if len(differs):
            one, there = (each[differs[0]].tolist() for each in (pulls.counts, other.counts))
            return Reading(f"the same noisy values lead to the pulls {one} and {there}", int(differs[0]))
        if not used.any():
            raise ValueError(f"step {self.step}: the policy pulled no arm, with {self.left.max()} pulls left")
        paid, mark = pulls._replace(counts=pulls_without_answers(pulls.counts)), (len(self.recorded.looks), mark[1])
        sums = [table.draw(self.step, self.made, paid.counts, paid.bound, self.noise) for table in self.tables]
        self.states = [
            self.policy.learn(self.step, state, paid, checked_sums(self.step, each, self.made.shape), once, *seen)
            for state, each, once in zip(self.states, sums, here, strict=True)
        ]
        self.made, self.left = self.made + paid.counts, self.left - used
        return self.otherwise(*mark)

    def otherwise(self, look: int, draw: int) -> Reading | None:
        """What the neighbour asks of its noise, or looks at, otherwise: since these looks and draws."""
        asked, there = (trace.draws[draw:] for trace in self.traces)
        if asked != there:
            odd = next((k for k, both in enumerate(zip(asked, there, strict=False)) if both[0] != both[1]), len(asked))
            words = [f"{one[odd].kind} draws of shape {one[odd].shape} at {one[odd].site!r}" if odd < len(one) else
                     "nothing more" for one in (asked, there)]  # fmt: skip
            return Reading(f"one side draws {words[0]} where its neighbour draws {words[1]}", 0)
        seen, again = (trace.looks[look:] for trace in self.traces)
        if self.neighbour.astray or len(seen) != len(again):
            place = self.neighbour.astray[0] if self.neighbour.astray else (seen + again)[-1].place
            return Reading(f"the sides go other ways at {file_and_line(place)}", 0)
        return next(filter(None, (self.compared(*both) for both in zip(seen, again, strict=True))), None)

    def compared(self, one: Look, other: Look) -> Reading | None:
        """Whether a noisy value has other noise on the neighbour; and how far it moves."""
        shape = np.shape(one.scale)
        if not (one.known and other.known) or shape[:1] != self.left.shape:
            return None
        live = np.broadcast_to((self.left > 0).reshape(-1, *[1] * (len(shape) - 1)), shape)
        apart = live & (np.abs(one.scale - other.scale) > SAME_SCALE * np.maximum(one.scale, other.scale))
        if apart.any():
            odd = tuple(np.argwhere(apart)[0])
            scales = f"{one.scale[odd]:.4g} and {other.scale[odd]:.4g}"
            return Reading(f"noise has the scales {scales} on the two sides at {file_and_line(one.place)}", int(odd[0]))
        with np.errstate(invalid="ignore"):  # of equal infinities
            moved = np.nan_to_num(np.abs(one.centre - other.centre) / np.where(one.scale > 0, one.scale, np.inf))
        most = np.unravel_index(int((moved * live).argmax()), shape)
        if moved[most] > self.largest.size and live[most]:
            self.largest = Move(float(moved[most]), f"step {self.step}, {file_and_line(one.place)}", int(most[0]))
        return None

    def known_apart(self, trial: int) -> str:
        """Which fields of the state differ in a trial before this step, in words."""
        one, other = self.before
        names = getattr(one, "_fields", None) or sorted(getattr(one, "__dict__", {}))
        apart = [name for name in names if differs_in(getattr(one, name), getattr(other, name), trial)]
        return f"; the state differs in {', '.join(apart)}" if apart else ""


def differs_in(one: Any, other: Any, trial: int) -> bool:
    """Whether a field differs in a trial; of noisy values, in what noise was added to."""
    one, other = ((each.centre if isinstance(each, Followed) else each) for each in (one, other))
    try:
        return not np.array_equal(np.asarray(one)[trial], np.asarray(other)[trial], equal_nan=False)
    except (TypeError, IndexError, ValueError):  # no array of trials
        return False


def file_and_line(place: str) -> str:
    """The file's name and the line."""
    return Path(place).name


def without_reading(run: FrozenRun, pairs: int) -> Finding:
    """The finding where the neighbours follow."""
    trials, draws = len(run.left), len(run.recorded.draws)
    steps = f"{run.step} steps of {trials} runs on {pairs} pairs of tables"
    if not draws:
        return Finding(FROZEN, Verdict.CONSISTENT, f"{steps}: nothing is drawn, and nothing hangs on a reward")
    moves = f"no noisy value moves by more than {run.largest.size:.4g} of its scales" if run.largest.size else ""
    summary = f"{steps}: with the same noisy values, the neighbour draws the same noise and releases the same"
    return Finding(
        FROZEN, Verdict.CONSISTENT, f"{summary}{'; ' * bool(moves)}{moves}",
        resolution="what reads a reward in any of these runs, without noise or with other noise, is seen for certain",
    )  # fmt: skip
