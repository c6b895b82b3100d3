"""How the search for a pair spends its trials: what each look plays, who goes on, and what the local search tries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from leaks import DoublingUCB, Leaky, nothing

from dpbandits import Pair, flipped
from dpbandits.audit.play.transcripts import Transcripts, of_arms, stacked
from dpbandits.audit.privacy.scores.tells import Mark
from dpbandits.audit.privacy.search import by_behaviour
from dpbandits.audit.privacy.search.by_behaviour import (
    ELITE,
    FINALISTS,
    GENERATIONS,
    PROPOSALS,
    Search,
    search_by_behaviour,
)
from dpbandits.audit.privacy.search.pairs import candidates
from dpbandits.audit.privacy.search.players import Player
from dpbandits.audit.privacy.search.search import Look, search
from dpbandits.reference.papers.ou24 import ThompsonSampling

POLICY = DoublingUCB(2, 12)
EVERY = candidates(POLICY, "pull")


def never(left: Any, right: Any) -> float:
    """A judge whom one trial more always convinces more."""
    return float(len(left))


class Looked(list[tuple[str, list[Pair], int]]):
    """The looks of a search in their order: the purpose, the pairs, the runs of each. Nothing is played: the promise
    of a pair is what `promises` says of its place among the finalists, or of its number among the changed tables."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, chosen: int) -> None:
        self.bases: list[Pair] = []
        self.made: list[Pair] = []
        self.promise: dict[int, float] = {}
        monkeypatch.setattr(Player, "batch_matters", lambda *_: False)
        monkeypatch.setattr(by_behaviour, "first_look", lambda every, seen, hints: (every[:chosen], ""))
        self.odd: list[Pair] = []
        monkeypatch.setattr(by_behaviour, "mutated_in_context", self.changed)
        monkeypatch.setattr(
            by_behaviour, "odd_rewards", lambda search: (self.odd, ", values between") if self.odd else ([], "")
        )
        monkeypatch.setattr(Player, "play", self.played)
        monkeypatch.setattr(Search, "promises", self.promises)

    def changed(self, policy: Any, pair: Pair, generator: Any, free: bool) -> Pair:
        self.bases.append(pair)
        self.made.append(flipped("pull", np.full((2, 12), 0.25), 0, 0, 1.0))
        return self.made[-1]

    def played(self, pairs: list[Pair], each: int, purpose: str) -> Any:
        self.append((purpose, pairs, each))

    def promises(self, pairs: list[Pair], look: Look) -> list[tuple[float, float]]:
        self.append((look.purpose, pairs, look.trials))
        return [(self.promise.get(id(pair), 0.0), 0.0) for pair in pairs]


@pytest.mark.parametrize(
    ("trials", "chosen", "runs"),
    [
        # A fourth for each of the first three looks: 1000 each of 120, 5000 each of 24, 30 000 each of 4.
        (480_000, 24, (1_000, 5_000, 30_000, 5_000)),
        # Few finalists get no more than a 32nd of the trials in the second look, and so do the tables tried after it.
        (480_000, 4, (1_000, 15_000, 30_000, 15_000)),
        (480_000, 2, (1_000, 15_000, 60_000, 15_000)),
        # Where there are too few trials for that, each look doubles the runs of the last one, from 16 on.
        (1_000, 24, (16, 32, 64, 32)),
        (10_000, 24, (20, 104, 625, 104)),
    ],
)
def test_every_look_takes_its_share(
    trials: int, chosen: int, runs: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = Looked(monkeypatch, chosen)
    found = search_by_behaviour(Search(POLICY, "pull", never, trials, 1))
    first, second, third, local = runs
    assert [(purpose, len(pairs), each) for purpose, pairs, each in looked] == [
        ("first", 120, first),
        ("second", chosen, second),
        ("third", min(ELITE, chosen), third),
        *((f"generation {k}", 2 + PROPOSALS, local) for k in range(3)),
    ]
    assert found.looked == f"120 pairs looked at, {chosen} finalists, 36 more tables tried"
    assert (GENERATIONS, PROPOSALS, ELITE, FINALISTS) == (3, 12, 4, 24)


def test_the_best_go_on_and_the_local_search_changes_the_two_best(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = Looked(monkeypatch, 24)
    best = [EVERY[k] for k in (17, 3, 20, 9)]
    monkeypatch.setattr(by_behaviour, "candidates_of", lambda *_: EVERY)
    looked.promise = {id(pair): 9.0 - place for place, pair in enumerate(best)}
    found = search_by_behaviour(Search(POLICY, "pull", never, 480_000, 1))
    (_, pairs, _), *generations = looked[2:]
    assert [id(pair) for pair in pairs] == [id(pair) for pair in best]
    for generation, (_, pool, _) in enumerate(generations):
        fresh = looked.made[12 * generation : 12 * generation + 12]
        assert [id(pair) for pair in pool] == [id(pair) for pair in (*best[:2], *fresh)]
    assert [id(pair) for pair in looked.bases] == [id(pair) for pair in 18 * best[:2]]
    assert found.pair is best[0]


def test_a_changed_table_that_promises_more_is_changed_further_and_found(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = Looked(monkeypatch, 24)
    monkeypatch.setattr(by_behaviour, "candidates_of", lambda *_: EVERY)
    looked.promise = {id(EVERY[5]): 2.0, id(EVERY[8]): 1.0}
    change = looked.changed

    def better(policy: Any, pair: Pair, generator: Any, free: bool) -> Pair:
        made = change(policy, pair, generator, free)
        looked.promise[id(made)] = 3.0 if len(looked.made) == 7 else 0.0
        return made

    monkeypatch.setattr(by_behaviour, "mutated_in_context", better)
    found = search_by_behaviour(Search(POLICY, "pull", never, 480_000, 1))
    assert found.pair is looked.made[6]
    assert [id(pair) for pair in looked.bases] == [
        id(pair) for pair in (*6 * [EVERY[5], EVERY[8]], *12 * [looked.made[6], EVERY[5]])
    ]


def test_the_best_reward_between_the_ends_is_held_against_the_best_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that tell are looked at like the finalists, beside the best of them; who is better there once more, like
    those of the third look."""
    for promise, better in ((1.0, False), (3.0, True)):
        looked = Looked(monkeypatch, 24)
        monkeypatch.setattr(by_behaviour, "candidates_of", lambda *_: EVERY)
        looked.odd = [flipped("pull", np.full((2, 12), 0.25), 0, k, 1.0) for k in range(3)]
        looked.promise = {id(EVERY[5]): 2.0, id(looked.odd[1]): promise}
        found = search_by_behaviour(Search(POLICY, "pull", never, 480_000, 1))
        told = [
            (purpose, [id(pair) for pair in pairs], runs) for purpose, pairs, runs in looked if "between" in purpose
        ]
        once = ("between", [id(pair) for pair in (EVERY[5], *looked.odd)], 5_000)
        again = ("between and best", [id(looked.odd[1]), id(EVERY[5])], 30_000)
        assert told[0] == once
        assert [(purpose, set(pairs), runs) for purpose, pairs, runs in told[1:]] == (
            [(again[0], set(again[1]), again[2])] if better else []
        )
        assert found.pair is (looked.odd[1] if better else EVERY[5])
        assert found.looked.endswith("36 more tables tried, values between")


def test_who_is_lucky_once_does_not_replace_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = Looked(monkeypatch, 24)
    monkeypatch.setattr(by_behaviour, "candidates_of", lambda *_: EVERY)
    looked.odd = [flipped("pull", np.full((2, 12), 0.25), 0, k, 1.0) for k in range(3)]
    looked.promise = {id(EVERY[5]): 2.0}

    def lucky(search: Search, pairs: Any, look: Look) -> Any:
        found = looked.promises(pairs, look)
        at_first = [(3.0, 0.0) if pair is looked.odd[2] else each for pair, each in zip(pairs, found, strict=True)]
        return at_first if look.purpose == "between" else found

    monkeypatch.setattr(Search, "promises", lucky)
    assert search_by_behaviour(Search(POLICY, "pull", never, 480_000, 1)).pair is EVERY[5]
    assert looked[-1][0] == "between and best"


def test_who_cannot_be_beaten_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many trials that are all told apart promise 5000: what promises so much is the pair, what promises less is
    looked at again."""
    for promise, looks in ((5_000.0, 2), (4_999.0, 6)):
        looked = Looked(monkeypatch, 24)
        monkeypatch.setattr(by_behaviour, "candidates_of", lambda *_: EVERY)
        looked.promise = {id(EVERY[3]): promise}
        assert search_by_behaviour(Search(POLICY, "pull", never, 480_000, 1)).pair is EVERY[3]
        assert len(looked) == looks


def test_hints_are_looked_at_first_and_beside_all_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = Looked(monkeypatch, 2)
    hint = flipped("pull", np.full((2, 12), 0.25), 1, 3, 1.0)
    search_by_behaviour(Search(POLICY, "pull", never, 480_000, 1, (hint,)))
    _, pairs, each = looked[0]
    assert pairs[0] is hint
    assert (len(pairs), each) == (121, 120_000 // 121)


def test_equal_promises_are_ranked_by_their_gaps_and_then_by_their_places() -> None:
    promises = [(1.0, 0.1), (2.0, 0.0), (1.0, 0.3), (1.0, 0.1)]
    for keep in (4, 3, 1):
        found = search(range(4), lambda proposals, look: promises, [Look("some", 10, keep)])
        assert [each.proposal for each in found] == [1, 2, 0, 3][:keep]
        assert [each.promise for each in found] == sorted(promises, reverse=True)[:keep]


def test_each_look_is_at_those_that_the_last_one_kept() -> None:
    seen: list[tuple[str, int, list[int]]] = []

    def promises(proposals: Any, look: Look) -> Any:
        seen.append((look.purpose, look.trials, list(proposals)))
        return [abs(proposal - 5) for proposal in proposals]

    found = search(range(8), promises, [Look("first", 10, 4), Look("second", 70, 2)])
    assert seen == [("first", 10, list(range(8))), ("second", 70, [0, 1, 2, 3])]
    assert found == [(0, 5), (1, 4)]


# -- the first look ------------------------------------------------------------------------------------------------


def sides(differ: int) -> tuple[Transcripts, Transcripts]:
    """Forty runs of two steps on either side, so many of which differ in the last step."""
    left, right = np.zeros((40, 2)), np.zeros((40, 2))
    right[:differ, 1] = 1
    return of_arms(left, 2), of_arms(right, 2)


def together(every: list[tuple[Transcripts, Transcripts]]) -> tuple[Transcripts, Transcripts]:
    """The runs of all pairs as a search plays them: the first of each, the second of each, and so on."""
    left, right = (stacked([pair[side] for pair in every]) for side in (0, 1))
    order = np.arange(left.trials).reshape(len(every), -1).T.ravel()
    return Transcripts(*(part[order] for part in left)), Transcripts(*(part[order] for part in right))


def finalists(monkeypatch: pytest.MonkeyPatch, told: list[tuple[str, float, int]], hints: int = 0) -> list[int]:
    """The places of those who go on, among pairs with these tells, deviations and numbers of runs that differ."""
    marks = [Mark(tell, deviations) for tell, deviations, _ in told]
    monkeypatch.setattr(by_behaviour, "told_apart", lambda left, right, pairs: marks[:pairs])
    every = [flipped("pull", np.zeros((2, 2)), 0, 0, (k + 1) / 100) for k in range(len(told))]
    chosen, _ = by_behaviour.first_look(every, together([sides(differ) for _, _, differ in told]), hints)
    place = {id(pair): k for k, pair in enumerate(every)}
    return [place[id(pair)] for pair in chosen]


def test_finalists_differ_most_by_their_features_and_by_the_same_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """In turn: of 30 pairs, pair k has k deviations, and 40 - k runs of it differ."""
    told = [("", float(k), 40 - k) for k in range(30)]
    assert finalists(monkeypatch, told) == [k for two in zip(range(29, 17, -1), range(12), strict=True) for k in two]


def test_eight_pairs_that_are_told_apart_for_certain_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that differ most often; others of them have no more rights than anybody else."""
    told = [("told" if k >= 20 else "", 50.0 - k, k + 1) for k in range(30)]
    in_turn = [8, 21, 9, 20, 10, 19, 11, 18]
    assert finalists(monkeypatch, told) == [*range(29, 21, -1), *range(8), *in_turn]


def test_hints_go_on_in_addition_if_they_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [("", 0.0, 1), ("", 0.0, 0), *(("", float(k), k) for k in range(2, 32))]
    found = finalists(monkeypatch, told, hints=2)
    assert found == [0, *range(31, 6, -1)]
    assert len(found) == FINALISTS + 2


def test_runs_of_different_length_differ() -> None:
    """Two steps on one side and three on the other, of which the third pulls; a step without pulls is none."""
    short, long = of_arms(np.zeros((40, 2)), 2), of_arms(np.zeros((40, 3)), 2)
    empty = long._replace(arms=long.arms.copy(), sizes=long.sizes.copy())
    empty.arms[:, 2], empty.sizes[:, 2] = -2, 0
    for other, differs in ((long, True), (empty, False)):
        chosen, tell = by_behaviour.first_look(EVERY[:1], (short, other))
        assert bool(chosen) == bool(tell) == differs


def test_no_pair_that_releases_the_same_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert finalists(monkeypatch, [("", 9.0, 0), ("", 1.0, 1), ("", 5.0, 0)]) == [1]
    assert finalists(monkeypatch, [("", 9.0, 0), ("", 1.0, 0)]) == []


def test_the_tell_that_is_told_is_that_of_the_pair_that_differs_most(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = [Mark("", 1.0), Mark("one thing", 2.0), Mark("another", 1.0)]
    monkeypatch.setattr(by_behaviour, "told_apart", lambda left, right, pairs: marks[:pairs])
    every = [flipped("pull", np.zeros((2, 2)), 0, 0, (k + 1) / 4) for k in range(3)]
    _, tell = by_behaviour.first_look(every, together([sides(differ) for differ in (9, 3, 5)]))
    assert tell == f"another ({by_behaviour.pair_in_words(every[2])})"


def test_so_many_finalists_are_taken_as_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with the fewest trials, 16; a pair where none differs."""
    asked = []
    monkeypatch.setattr(Player, "play", lambda self, pairs, each, purpose: asked.append((len(pairs), each)))
    for chosen, many, found in (
        (EVERY[5:9], 3, EVERY[5:8]),
        (EVERY[5:9], 6, [*EVERY[5:9], EVERY[0]]),
        ([], 2, EVERY[:1]),
    ):
        monkeypatch.setattr(by_behaviour, "first_look", lambda every, seen, chosen=chosen: (chosen, ""))
        assert [id(pair) for pair in by_behaviour.finalists_of(POLICY, EVERY, many, 1)] == [id(pair) for pair in found]
    assert asked == [(120, 16)] * 3


# -- a look --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "trials", "each", "few"),
    [
        (ThompsonSampling(2, 6), 4_000, 60, 60),  # two arms: all runs are held against the law
        (ThompsonSampling(3, 6), 4_000, 60, 53),  # three: a 25th of the trials, 160 of three pairs
        (ThompsonSampling(3, 6), 4_000, 40, 40),
        (ThompsonSampling(3, 6), 400, 50, 16),  # but 16 at least
        (ThompsonSampling(3, 60), 400, 20, 16),
        (ThompsonSampling(3, 61), 400, 20, 0),  # longer runs, more arms: none
        (ThompsonSampling(4, 6), 400, 20, 0),
    ],
)
def test_how_many_runs_of_a_look_are_held_against_the_law(
    policy: Any, trials: int, each: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def scores(policy: Any, pairs: list[Pair], both: Transcripts) -> Any:
        asked.append(both.trials // (2 * len(pairs)))
        return np.tile(np.repeat([0.0, 1.0], both.trials // 2), 1)

    monkeypatch.setattr(by_behaviour, "scores_of_pairs", scores)
    every = candidates(policy, "pull")[:3]
    look = Look("test", each, 3)
    promises = Search(policy, "pull", lambda one, other: float(other.sum() - one.sum()), trials, 1).promises(
        every, look
    )
    assert asked == [few] * bool(few)
    if few:
        assert promises == 3 * [(few, 1.0)]


@pytest.mark.parametrize("size", [1, 120])
def test_a_batch_of_one_run_and_one_of_a_run_for_each_pair_are_played_alone(size: int) -> None:
    class Odd(Leaky):
        def act(self, t: int, state: Any, noise: Any) -> Any:
            pulls = super().act(t, state, noise)
            return pulls._replace(counts=pulls.counts[:, ::-1]) if len(pulls.counts) == size else pulls

    for policy, matters in ((Odd(2, 12, nothing), True), (Leaky(2, 12, nothing), False)):
        player = Player(policy, 1)
        assert player.batch_matters(EVERY, player.play(EVERY, 4, "first")) is matters


@pytest.mark.parametrize("side", [0, 1])
def test_the_error_of_a_policy_names_the_side(side: int) -> None:
    class Broken(Leaky):
        def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
            if t == 2 and (sums == 0.75).any():
                raise FloatingPointError("no")
            return super().learn(t, state, pulls, sums, noise)

    tables = [np.zeros((2, 3)), np.zeros((2, 3))]
    tables[side][:, 1] = 0.75
    fine, bad = flipped("pull", np.zeros((2, 3)), 0, 0, 1.0), Pair("round", *tables)
    with pytest.raises(FloatingPointError) as raised:
        Player(Broken(2, 3, nothing), 1).play([fine, bad], 4, "test")
    step, pair = raised.value.__notes__
    assert step == "raised in step 2, when the policy saw its rewards (`learn`)"
    assert pair.startswith(f"the policy was playing the {('left', 'right')[side]} table of this pair: arm 0: 0 x")


def test_a_law_that_knows_not_all_of_a_pair_s_trials_ranks_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the pair is worth what a learnt score makes of it."""
    monkeypatch.setattr(by_behaviour, "quick_worth", lambda left, right, pair, judge: (7.0, 0.5))
    asked = Search(POLICY, "pull", lambda left, right: float(left.sum() + right.sum()), 0, 0)
    sides = (of_arms([[0, 1]], 2), of_arms([[0, 0]], 2))
    known, some = np.array([1.0, 2.0]), np.array([1.0, np.nan])
    assert asked.promise(EVERY[0], sides, known, known + 3) == (12.0, 1.0)
    for left, right in ((known, some), (some, known), (some, some)):
        assert asked.promise(EVERY[0], sides, left, right) == (7.0, 0.5)
