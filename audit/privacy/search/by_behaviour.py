"""The search for a neighbouring pair that tells, by what is released: a look at every candidate, closer looks at fewer,
then changed tables, and rewards between the ends.

All pairs of a look are played as one batch. Nothing that is found here is a verdict: it picks the pair, and the audit
plays anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.transcripts import stacked
from dpbandits.audit.privacy.scores.contexts import symbols
from dpbandits.audit.privacy.scores.distinguishers import scores_of_pairs
from dpbandits.audit.privacy.scores.learning import Judge, gap, quick_worth
from dpbandits.audit.privacy.scores.tells import told_apart
from dpbandits.audit.privacy.search import between
from dpbandits.audit.privacy.search.in_context import candidates_of, features_between, mutated_in_context, rows_of
from dpbandits.audit.privacy.search.pairs import pair_in_words
from dpbandits.audit.privacy.search.players import BothSides, Player, aligned, of_each_pair
from dpbandits.audit.privacy.search.search import Look, Ranked, pick_from_rows, search
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.policy import HasLaw, Policy

FINALISTS = 24  # pairs that get a second look
ELITE = 4  # of them, pairs that get a third one, and from which the local search starts
PROPOSALS = 12  # changed tables in each generation of the local search
GENERATIONS = 3
MIN_LOOK_TRIALS = 16  # trials of a pair in the first look
# Each of the three looks takes a fourth of the search's trials, spread evenly over its pairs, or twice as many for
# each pair as the look before: a look that sees no more than the last one is none
LOOK_DIVISOR = 4
OUTSTANDING = 2  # suspects among the candidates, and among the rewards between the ends
# The second look gives no pair more than this share of them, however few there are: each changed table of the local
# search gets as many, about 40 tables in all
SECOND_LOOK_DIVISOR = 32
LAW_SHARE = 0.04  # of the search's trials, on either side: so many of a look are held against a law of three arms
BY_LAW = (3, 60)  # arms and steps up to which a law is worth its time in every look


class FoundPair(NamedTuple):
    """What the search found. looked: how many pairs it looked at, and how, in words. dependent: whether the same runs
    in a smaller batch released something else. idle: whether the same noise released the same on either side of all
    pairs."""

    pair: Pair
    looked: str
    dependent: bool = False
    idle: bool = False


class Search(NamedTuple):
    """The settings of one search. judge: what scores promise for the claim; it is given scores on the left and on the
    right. trials: on either side, in all, about. noise: the address of all its noise. hints: pairs that are looked at
    before the candidates. hidden: whether the release of the changed round is not seen. contexts: those in which all
    pairs stand, if these are given."""

    policy: Policy
    relation: str
    judge: Judge
    trials: int
    noise: int
    hints: tuple[Pair, ...] = ()
    hidden: bool = False
    contexts: Any = None

    @property
    def player(self) -> Player:
        return Player(self.policy, self.noise, self.hidden)

    def best(self, pairs: Sequence[Pair], purpose: str, each: int, keep: int = ELITE) -> list[Ranked]:
        """The pairs that promise most in one look, by promise and gap, the most promising first."""
        return search(pairs, self.promises, [Look(purpose, each, keep)])

    def promises(self, pairs: Sequence[Pair], look: Look) -> list[tuple[float, float]]:
        """What every pair promises for the claim, and its gap: for comparing, not for verdicts."""
        played, few = self.player.play(pairs, look.trials, look.purpose), look.trials
        if self.policy.arms > 2:
            few = min(few, max(MIN_LOOK_TRIALS, int(LAW_SHARE * self.trials) // len(pairs)))
        left, right = self.scores_by_law(pairs, played, few)
        every = zip(pairs, of_each_pair(played, len(pairs)), left.T, right.T, strict=True)
        return [self.promise(pair, sides, one, other) for pair, sides, one, other in every]

    def scores_by_law(self, pairs: Sequence[Pair], played: BothSides, few: int) -> tuple[Array, Array]:
        """The scores of so few trials of every pair by the law, on either side, (few, pairs); nan where it is not worth
        its time. It tells more from few trials than a learnt score from all."""
        both = stacked([side.part(0, few * len(pairs)) for side in played])
        if isinstance(self.policy, HasLaw) and self.policy.arms <= BY_LAW[0] and both.arms.shape[1] <= BY_LAW[1]:
            scores = scores_of_pairs(self.policy, pairs, both)
        else:
            scores = np.full(both.trials, np.nan)
        left, right = scores.reshape(2, few, len(pairs))
        return left, right

    def promise(self, pair: Pair, sides: BothSides, left: Array, right: Array) -> tuple[float, float]:
        """By the scores that the law gives, where the pair's trials follow one; else by learnt ones."""
        if not (np.isnan(left).any() or np.isnan(right).any()):
            return self.judge(left, right), gap(left, right)
        return quick_worth(*aligned(sides), pair, self.judge)

    def cannot_be_beaten(self, best: Ranked, trials: int) -> bool:
        """Whether so many trials could not have promised more."""
        return bool(best.promise[0] >= self.judge(np.zeros(trials), np.ones(trials)))


def search_by_behaviour(asked: Search) -> FoundPair:
    """Look at every candidate, look closer at fewer, and go on from the best with changed tables."""
    every = [*asked.hints, *candidates_of(asked.policy, asked.relation, asked.contexts)]
    each = max(MIN_LOOK_TRIALS, asked.trials // LOOK_DIVISOR // len(every))
    played = asked.player.play(every, each, "first")
    if asked.player.batch_matters(every, played):
        return FoundPair(every[0], "", dependent=True)
    finalists, tell = first_look(every, played, len(asked.hints))
    odd, between_words = ([], "") if finalists else odd_rewards(asked)
    looked = f"{len(every)} pairs looked at"
    if not finalists and not odd:
        return FoundPair(every[0], looked + between_words, idle=True)
    pair, closer = look_closer(asked, finalists or odd, each, bool(between_words))
    if asked.hints:  # there is a reason for each: they are looked at as closely as what was found
        last = max(2 * each, asked.trials // LOOK_DIVISOR // (1 + len(asked.hints)))
        others = [hint for hint in asked.hints if hint is not pair]
        pair = asked.best([pair, *others], "hints", last)[0].proposal
    return FoundPair(pair, f"{looked}{closer}{between_words}{f'; in the first look, {tell}' if tell else ''}")


def look_closer(asked: Search, finalists: list[Pair], each: int, looked_between: bool) -> tuple[Pair, str]:
    """The pair that promises most after closer looks, changes and rewards between the ends; and what was looked at."""
    second = max(2 * each, min(asked.trials // LOOK_DIVISOR // len(finalists), asked.trials // SECOND_LOOK_DIVISOR))
    best, looked = asked.best(finalists, "second", second), f", {len(finalists)} finalists"
    if asked.cannot_be_beaten(best[0], second):
        return best[0].proposal, looked
    third = max(2 * second, asked.trials // LOOK_DIVISOR // len(best))
    best, tables = evolved(asked, asked.best([one.proposal for one in best], "third", third), second)
    pair, looked = best[0].proposal, f"{looked}, {tables} more tables tried"
    if looked_between:
        return pair, looked
    odd, words = odd_rewards(asked)
    if odd:
        # Of several that tell about as much, luck chooses: who is to replace the best must be better twice.
        closer = asked.best([pair, *odd], "between", second)[0].proposal
        if closer is not pair:
            pair = asked.best([pair, closer], "between and best", third)[0].proposal
    return pair, looked + words


def evolved(asked: Search, best: list[Ranked], runs: int) -> tuple[list[Ranked], int]:
    """A local search that starts from these, with so many runs of every table, and how many changed tables it tried."""
    generator = np.random.Generator(np.random.Philox(address(asked.noise, "mutations")))
    tables = 0
    for generation in range(GENERATIONS):
        starts = [best[k % min(2, len(best))].proposal for k in range(PROPOSALS)]
        changed = [mutated_in_context(asked.policy, pair, generator, asked.contexts is None) for pair in starts]
        fresh = [pair for pair in changed if pair is not None]
        tables += len(fresh)
        # The best so far are looked at again beside them: a pair that was lucky once must not stay for that.
        pool = [*(one.proposal for one in best[:2]), *fresh]
        best = asked.best(pool, f"generation {generation}", runs)
    return best, tables


def odd_rewards(asked: Search) -> tuple[list[Pair], str]:
    """The pairs that tell most among those in which one reward runs through many values, or an arm through many levels,
    and what was played, in words."""
    most = asked.trials // 2 // between.RUNS_OF_PAIR  # the runs of two looks, of which nothing is learnt
    policy, contexts = asked.policy, asked.contexts
    dress = partial(rows_of, policy, asked.relation, contexts=contexts)
    rows, looked = dress(lambda relation: between.rows_between(policy, relation, most, asked.noise))
    if users := features_between(policy, asked.relation, contexts):
        rows, looked = [*rows, *users], f"{looked}, {len(users[0])} values of a feature of {len(users)} arms"
    if together := dress(lambda relation: between.rows_together(policy, relation, most)):
        rows = [*rows, *together]
        looked += f", {between.LEVELS_OF_PAIRS} levels of any two of {len(together)} rewards"
    if not rows:
        return [], ""
    found = pick_from_rows(rows, partial(parting, asked.player, "values"), between.telling)
    if apart := dress(lambda relation: between.rows_apart(policy, relation, most)):
        found += pick_from_rows(apart, partial(parting, asked.player, "levels"), between.steadiest)
        looked += f", {len(apart[0])} levels of an arm at {len(apart)} places"
    return found, looked


def suspects(player: Player, relation: str, trials: int, contexts: Any = None) -> list[Pair]:
    """A few pairs that stand out by what is released, whatever a law says of it; none where so many trials, on
    either side, leave no room for a look. contexts: as of a `Search`."""
    every, runs = candidates_of(player.policy, relation, contexts), trials // between.RUNS_OF_PAIR
    if len(every) > runs:
        return []
    found = first_look(every, player.play(every, between.RUNS_OF_PAIR, "suspects"))[0][:OUTSTANDING]
    most, noise = runs - len(every), player.noise
    rows, _ = rows_of(
        player.policy, relation, lambda plain: between.rows_between(player.policy, plain, most, noise), contexts
    )
    while sum(map(len, rows)) > runs - len(every):
        rows.pop()
    odd = pick_from_rows(rows, partial(parting, player, "suspect values"), between.standing_out)
    return [*found, *odd[:OUTSTANDING]]


def parting(player: Player, purpose: str, pairs: list[Pair]) -> Array:
    """How soon after the change the releases of either side part, (pairs,), in RUNS_OF_PAIR runs of each."""
    one, other = map(symbols, aligned(player.play(pairs, between.RUNS_OF_PAIR, purpose)))
    return between.soonest(one, other, [pair.spot[1] if pair.spot else 0 for pair in pairs])


def finalists_of(policy: Policy, every: list[Pair], many: int, seed: int) -> list[Pair]:
    """So many of the pairs, after a first look at each; at least one."""
    finalists, _ = first_look(every, Player(policy, address(seed, "finalists")).play(every, MIN_LOOK_TRIALS, "first"))
    return [*finalists, every[0]][:many]


def first_look(every: list[Pair], played: BothSides, hints: int = 0) -> tuple[list[Pair], str]:
    """The finalists among all candidates, and a tell if there is one: the first so many, which are hints, pairs that
    are told apart for certain, those whose releases differ most often under the same noise, and those whose features
    differ most. Only pairs that differ at all. played: as `Player.play` has it."""
    left, right = aligned(played)
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
    first = next((f"{marks[k].tell} ({pair_in_words(every[k])})" for k in by_tell), "")
    return finalists, first
