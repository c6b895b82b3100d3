"""The search for a neighbouring pair that tells, by simulation: a look at every candidate, then halving, then mutation.

All pairs of a round are played as one batch, with the same noise on either side: where a release differs, the
changed reward made it differ. Nothing that is found here is a verdict: it picks the pair, and the audit plays anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.many import Many, both_tables
from dpbandits.audit.play.transcripts import BLOCK, Transcripts, compact, stacked
from dpbandits.audit.scores.contexts import symbols
from dpbandits.audit.scores.distinguishers import scores_of_pairs
from dpbandits.audit.scores.learning import Judge, gap, quick_worth
from dpbandits.audit.scores.tells import told_apart
from dpbandits.audit.search import between
from dpbandits.audit.search.pairs import candidates, described, mutated
from dpbandits.reference.answers import answers
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, Noise, Seeded, address
from dpbandits.reference.policy import HasLaw, Policy, Pulls, play

FINALISTS = 24  # pairs that get a second look
ELITE = 4  # of them, pairs that get a third one, and from which the local search starts
PROPOSALS = 12  # changed tables in each generation of the local search
GENERATIONS = 3
FEWEST = 16  # trials of a pair in the first look
SIDES = ("left", "right")
LOOK = 4  # each of the three looks takes a fourth of the search's trials, spread evenly over its pairs, or twice as
# many for each pair as the look before: a look that sees no more than the last one is none
OUTSTANDING = 2  # suspects among the candidates, and among the rewards between the ends
NARROW = 32  # the second look gives no pair more than this share of them, however few there are: each changed table
# of the local search gets as many, about 40 tables in all
Sides = tuple[Transcripts, Transcripts]
LAW_SHARE = 0.04  # of the search's trials, on either side: so many of a look are held against a law of three arms
BY_LAW = (3, 60)  # arms and steps up to which a law is worth its time in every look


class Searched(NamedTuple):
    """What the search found. told: how many pairs it looked at, and how, in words."""

    pair: Pair
    told: str
    tell: str = ""  # what differs for certain in the few trials of the first look; empty for nothing
    dependent: bool = False  # whether the same runs in a smaller batch released something else
    idle: bool = False  # whether the same noise released the same on either side of all pairs


class Look(NamedTuple):
    """What a few trials say about one pair: for comparing, not for verdicts."""

    pair: Pair
    promise: float
    gap: float


class Search(NamedTuple):
    """The settings of one search. noise: the address of all its noise. judge: what scores promise for the claim;
    it is given scores on the left and on the right."""

    policy: Policy
    relation: str
    judge: Judge
    trials: int  # on either side, in all, about
    noise: int
    hints: tuple[Pair, ...] = ()  # pairs that are looked at before the candidates

    def played(self, pairs: Sequence[Pair], each: int, purpose: str) -> Sides:
        """`each` runs of every pair on either side. The k-th runs of all pairs stand together: trial i plays pair i
        modulo their number."""
        seed = address(self.noise, purpose)
        try:
            left, right = (in_blocks(self.policy, tables, each, seed) for tables in both_tables(pairs))
            return left, right
        except Exception:
            self.blame(pairs, each, seed)
            raise

    def blame(self, pairs: Sequence[Pair], each: int, seed: int) -> None:
        """Raise the policy's error once more, on the first pair that provokes it alone, with a note about the pair."""
        for pair in pairs:
            for side, tables in zip(SIDES, both_tables([pair]), strict=True):
                try:
                    in_blocks(self.policy, tables, each * len(pairs), seed)
                except Exception as error:
                    error.add_note(f"the policy was playing the {side} table of this pair: {described(pair)}")
                    raise

    def looks(self, pairs: Sequence[Pair], each: int, purpose: str) -> list[Look]:
        """A look at every pair with so many runs on either side."""
        seen = self.played(pairs, each, purpose)
        few = each if self.policy.arms <= 2 else min(each, max(FEWEST, int(LAW_SHARE * self.trials) // len(pairs)))
        left, right = self.by_law(pairs, seen, few)
        every = zip(pairs, split(seen, len(pairs)), left.T, right.T, strict=True)
        return [Look(pair, *self.worth(pair, sides, one, other)) for pair, sides, one, other in every]

    def by_law(self, pairs: Sequence[Pair], seen: Sides, few: int) -> tuple[Array, Array]:
        """The scores of so few trials of every pair by the law, on either side, (few, pairs); nan where it is not worth
        its time. It tells more from few trials than a learnt score from all."""
        both = stacked([side.part(0, few * len(pairs)) for side in seen])
        if isinstance(self.policy, HasLaw) and self.policy.arms <= BY_LAW[0] and both.arms.shape[1] <= BY_LAW[1]:
            scores = scores_of_pairs(self.policy, pairs, both)
        else:
            scores = np.full(both.trials, np.nan)
        left, right = scores.reshape(2, few, len(pairs))
        return left, right

    def worth(self, pair: Pair, sides: Sides, left: Array, right: Array) -> tuple[float, float]:
        """What this pair promises, and its gap: by the scores that the law gives, where its trials follow one."""
        if not (np.isnan(left).any() or np.isnan(right).any()):
            return self.judge(left, right), gap(left, right)
        return quick_worth(*alike(sides), pair, self.judge)


def in_blocks(policy: Policy, tables: Many, each: int, seed: int) -> Transcripts:
    """`each` runs on every table, (tables * each) trials; those of a table are its number modulo the tables."""
    total, parts = len(tables.tables) * each, []
    for block in range(-(-total // BLOCK)):
        size = min(BLOCK, total - block * BLOCK)
        which = (np.arange(size) + block * BLOCK) % len(tables.tables)
        parts.append(compact(play(Noted(policy), tables.playing(which), Seeded(seed, size, block), size)))
    return stacked(parts)


class Noted(NamedTuple):
    """A policy whose errors say in which step they were raised."""

    policy: Policy

    @property
    def arms(self) -> int:
        return self.policy.arms

    @property
    def horizon(self) -> int:
        return self.policy.horizon

    @property
    def answers(self) -> bool:
        return answers(self.policy)

    def init(self, trials: int) -> Any:
        return self.policy.init(trials)

    def act(self, t: int, state: Any, noise: Noise) -> Pulls:
        with noted(f"raised in step {t}, when the policy chose its pulls (`act`)"):
            return self.policy.act(t, state, noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Array, noise: Noise) -> Any:
        with noted(f"raised in step {t}, when the policy saw its rewards (`learn`)"):
            return self.policy.learn(t, state, pulls, sums, noise)


@contextmanager
def noted(note: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(note)
        raise


def in_few(policy: Policy, tables: Many, few: int, seed: int) -> Transcripts:
    """The first few trials of `in_blocks`, in a batch of their own."""
    return compact(play(policy, tables.playing(np.arange(few)), Seeded(seed, few), few))


def split(seen: Sides, many: int) -> list[Sides]:
    """What was seen of each of so many pairs."""
    return [(every_nth(seen[0], place, many), every_nth(seen[1], place, many)) for place in range(many)]


def every_nth(seen: Transcripts, start: int, step: int) -> Transcripts:
    rows = slice(start, None, step)
    return Transcripts(np.asfortranarray(seen.arms[rows]), np.asfortranarray(seen.sizes[rows]), seen.counts[rows])


def searched(search: Search) -> Searched:
    """Look at every candidate, halve, and go on from the best with changed tables."""
    every = [*search.hints, *candidates(search.policy, search.relation)]
    each = max(FEWEST, search.trials // LOOK // len(every))
    seen = search.played(every, each, "first")
    if batch_matters(search, every, seen):
        return Searched(every[0], "", dependent=True)
    chosen, tell = first_look(every, seen, len(search.hints))
    told = [f"{len(every)} pairs looked at"]
    odd, rewards = odd_rewards(search) if not chosen else ([], "")
    if not chosen and not odd:
        return Searched(every[0], told[0] + rewards, idle=True)
    chosen = chosen or odd
    again = max(2 * each, min(search.trials // LOOK // len(chosen), search.trials // NARROW))
    best = ranked(search.looks(chosen, again, "second"))[:ELITE]
    told.append(f"{len(chosen)} finalists")
    sure = clear(search, best[0], again)
    if not sure:
        third = max(2 * again, search.trials // LOOK // len(best))
        best = ranked(search.looks([look.pair for look in best], third, "third"))
        best, tables = evolved(search, best, again)
        told.append(f"{tables} more tables tried")
        if not rewards:
            odd, rewards = odd_rewards(search)
            if odd:
                # Of several that tell about as much, luck chooses: who is to replace the best must be better twice.
                closer = ranked(search.looks([best[0].pair, *odd], again, "between"))[0]
                if closer.pair is not best[0].pair:
                    best = ranked(search.looks([best[0].pair, closer.pair], third, "between and best"))
    words = ", ".join(told) + rewards + (f"; in the first look, {tell}" if tell else "")
    return Searched(best[0].pair, words, tell)


def odd_rewards(search: Search) -> tuple[list[Pair], str]:
    """The pairs that tell most among those in which one reward runs through many values, or an arm through many levels,
    and what was played, in words."""
    most = search.trials // 2 // between.FEW  # the runs of two looks, of which nothing is learnt
    rows, told = between.rows_between(search.policy, search.relation, most, search.noise)
    if together := between.rows_together(search.policy, search.relation, most):
        rows, told = [*rows, *together], f"{told}, {between.LEVELS} levels of any two of {len(together)} rewards"
    pairs = [pair for row in rows for pair in row]
    if not pairs:
        return [], ""
    chosen = between.telling(parted(search, pairs, "values"), [len(row) for row in rows])
    found = [pairs[k] for k in chosen]
    if rows := between.rows_apart(search.policy, search.relation, most):
        soon = parted(search, [pair for row in rows for pair in row], "levels").reshape(len(rows), -1)
        found += [rows[k][place] for k, place in between.steadiest(soon)]
        told += f", {len(rows[0])} levels of an arm at {len(rows)} places"
    return found, told


def suspects(search: Search) -> list[Pair]:
    """A few pairs that stand out by what is released, whatever a law says of it; none where the search's trials, on
    either side, leave no room for a look."""
    every, runs = candidates(search.policy, search.relation), search.trials // between.FEW
    if len(every) > runs:
        return []
    found = first_look(every, search.played(every, between.FEW, "suspects"))[0][:OUTSTANDING]
    rows, _ = between.rows_between(search.policy, search.relation, runs - len(every), search.noise)
    while sum(map(len, rows)) > runs - len(every):
        rows.pop()
    pairs = [pair for row in rows for pair in row]
    if pairs:
        soon = parted(search, pairs, "suspect values")
        found += [pairs[k] for k in between.standing_out(soon, [len(row) for row in rows])[:OUTSTANDING]]
    return found


def parted(search: Search, pairs: list[Pair], purpose: str) -> Array:
    """How soon after the change the releases of either side part, (pairs,), in FEW runs of each."""
    one, other = map(symbols, alike(search.played(pairs, between.FEW, purpose)))
    return between.soonest(one, other, [pair.spot[1] if pair.spot else 0 for pair in pairs])


def finalists(policy: Policy, every: list[Pair], many: int, seed: int) -> list[Pair]:
    """So many of the pairs, after a first look at each; at least one."""
    search = Search(policy, every[0].relation, lambda left, right: 0.0, 0, address(seed, "finalists"))
    chosen, _ = first_look(every, search.played(every, FEWEST, "first"))
    return [*chosen, every[0]][:many]


def ranked(looks: list[Look]) -> list[Look]:
    """The most promising look first; of equal ones, the earlier."""
    return sorted(looks, key=lambda look: (look.promise, look.gap), reverse=True)


def clear(search: Search, look: Look, trials: int) -> bool:
    """Whether so many trials could not have promised more."""
    return look.promise >= search.judge(np.zeros(trials), np.ones(trials))


def evolved(search: Search, best: list[Look], runs: int) -> tuple[list[Look], int]:
    """A local search that starts from these, with so many runs of every table, and how many changed tables it tried."""
    generator = np.random.Generator(np.random.Philox(address(search.noise, "mutations")))
    tables = 0
    for generation in range(GENERATIONS):
        changed = [mutated(best[k % min(2, len(best))].pair, generator) for k in range(PROPOSALS)]
        fresh = [pair for pair in changed if pair is not None]
        tables += len(fresh)
        # The best so far are looked at again beside them: a pair that was lucky once must not stay for that.
        pool = [*(look.pair for look in best[:2]), *fresh]
        best = ranked(search.looks(pool, runs, f"generation {generation}"))[:ELITE]
    return best, tables


def batch_matters(search: Search, every: list[Pair], seen: Sides) -> bool:
    """Whether runs release something else in a smaller batch, though they repeat: then they are not independent."""
    for tables, side in zip(both_tables(every), seen, strict=True):
        for few in (1, len(every)):
            seed = address(search.noise, "first")
            alone, again = (in_few(search.policy, tables, few, seed) for _ in range(2))
            many = symbols(stacked([alone, again, side.part(0, few)])).reshape(3, few, -1)
            if (many[0] == many[1]).all() and (many[0] != many[2]).any():
                return True
    return False


def first_look(every: list[Pair], seen: Sides, hints: int = 0) -> tuple[list[Pair], str]:
    """The finalists among all candidates, and a tell if there is one: the first so many, which are hints, pairs that
    are told apart for certain, those whose releases differ most often under the same noise, and those whose features
    differ most. Only pairs that differ at all. seen: as `Search.played` has it."""
    left, right = alike(seen)
    differ = (symbols(left) != symbols(right)).any(axis=1).reshape(-1, len(every)).mean(axis=0)
    if not differ.any():
        return [], ""
    marks = told_apart(left, right, len(every))
    apart = np.array([mark.deviations for mark in marks])
    most = [np.argsort(-values, kind="stable").tolist() for values in (apart, differ)]
    by_tell = [k for k in most[1] if marks[k].tell]
    both = (k for two in zip(*most, strict=True) for k in two)
    order = dict.fromkeys([*range(hints), *by_tell[: FINALISTS // 3], *both])
    finalists = [every[k] for k in order if differ[k] > 0][: FINALISTS + hints]
    first = next((f"{marks[k].tell} ({described(every[k])})" for k in by_tell), "")
    return finalists, first


def alike(sides: Sides) -> Sides:
    """Both sides padded to the same number of steps, in the same form."""
    both = stacked(sides)
    return both.part(0, sides[0].trials), both.part(sides[0].trials, both.trials)
