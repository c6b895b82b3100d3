"""Certificates about selections: a claim's policy led along an event, by its own law."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbandits import Pulls, Table
from dpbandits.audit.matching.privacy_claims import (
    are_nearly_equal,
    certificate_tables,
    event_transcripts,
    histories_of_certificate,
    next_releases,
    rational,
    release_difference,
    rounded_total,
    steps_agree,
    table_difference,
    transcript_probability,
)
from dpbandits.proofs_checks.formulas.release_certificates import NotCertifiable
from dpbandits.proofs_checks.vocabularies.precise import mp
from dpbandits.reference.bandits.beta_thompson import ThompsonSampling
from dpbandits.reference.bandits.policy import Law
from dpbandits.reference.bandits.release_laws.declared_steps import Selecting


class State(NamedTuple):
    paid: np.ndarray


@dataclass(frozen=True)
class Pairs:
    """Pulls one of two arms twice, arm 0 with chance 1/4 and a quarter of what arm 1 has paid; from the step `settled`
    on, arm 1 for certain. With `answers`, its third step is the answer."""

    horizon: int = 5
    answers: bool = False
    bound: float | None = None
    settled: int = 99
    arms: int = 2

    def init(self, trials: int) -> State:
        return State(np.zeros(trials))

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        raise AssertionError("nobody plays it")

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return State(state.paid + sums[:, 1])

    def law(self, t: int, state: State) -> Law:
        first = np.where(t >= self.settled, 0.0, 0.25 + 0.25 * state.paid)
        counts = np.array([[-1, 0], [0, -1]]) if self.answers and t == 3 else np.array([[2, 0], [0, 2]])
        bound = None if self.bound is None else np.full((len(first), 2, 2), self.bound)
        return Law(np.tile(counts, (len(first), 1, 1)), np.stack([first, 1 - first], axis=1), bound, 0.0, 0.0)

    def selecting(self, t: int, state: State) -> Selecting | None:
        return None if t >= self.settled else Selecting("laplace", "top", 1, (1, 0), (0, 0), (1.0, 1.0), (1.0, 1.0))


def step(*releases: tuple[int, int]) -> dict[str, Any]:
    """Which option is kept (0 for arm 1, 1 for arm 0), and which step follows."""
    return {"releases": [{"kept": [kept], "next": after} for kept, after in releases]}


STEPS = [step((0, 1)), step((0, 2), (1, 2)), step((1, -1))]
SIDE = Table(np.array([[1.0] * 5, [0.5, 1.0, 0.25, 0.25, 1.0]]))


def told(policy: Any, steps: Any) -> list[list[list[int]]]:
    return [path.tolist() for path in event_transcripts(policy, steps)]


def test_an_event_is_followed_to_the_end_of_the_horizon() -> None:
    """The third block has room for one pull of two."""
    assert told(Pairs(), STEPS) == [[[0, 2], [0, 2], [1, 0]], [[0, 2], [2, 0], [1, 0]]]
    assert told(Pairs(horizon=4), STEPS) == [[[0, 2], [0, 2]], [[0, 2], [2, 0]]]
    assert told(Pairs(horizon=9), STEPS) == [[[0, 2], [0, 2], [2, 0]], [[0, 2], [2, 0], [2, 0]]]


def test_an_answer_comes_after_the_last_pull_or_before() -> None:
    for horizon, second in ((3, 1), (4, 2), (9, 2)):
        policy = Pairs(horizon=horizon, answers=True)
        assert told(policy, STEPS) == [[[0, 2], [0, second], [-1, 0]], [[0, 2], [second, 0], [-1, 0]]]


def test_what_is_certain_is_followed_without_a_step() -> None:
    assert told(Pairs(settled=2), [step((0, -1), (1, -1))]) == [[[0, 2], [0, 2], [0, 1]], [[2, 0], [0, 2], [0, 1]]]


def test_a_set_that_is_not_released_cannot_be_followed() -> None:
    law = Pairs().law(1, State(np.zeros(1)))
    says = Pairs().selecting(1, State(np.zeros(1)))
    both = [{"releases": [{"kept": [0, 1], "next": -1}]}]
    with pytest.raises(NotCertifiable, match=r"^0 outcomes .* exactly the arms \[0, 1\], .* exactly one"):
        next_releases(says, law, both, 0, np.array([5]), False)
    twice = law._replace(counts=np.array([[[2, 0], [1, 0]]]))
    with pytest.raises(NotCertifiable, match=r"^2 outcomes .* exactly the arms \[0\], .* exactly one"):
        next_releases(says, twice, [step((1, -1))], 0, np.array([5]), False)


@pytest.mark.parametrize(
    ("bound", "path", "chances"),
    [
        # Arm 1 pays 0.5 + 1, then 0.25 + 0.25.
        (None, [[0, 2], [0, 2], [1, 0]], (0.75, 1 - (0.25 + 1.5 / 4), 0.25 + 2.0 / 4)),
        (0.6, [[0, 2], [0, 2], [1, 0]], (0.75, 1 - (0.25 + 0.5 / 4), 0.25 + 1.0 / 4)),
        (None, [[2, 0], [0, 2], [0, 1]], (0.25, 0.75, 1 - (0.25 + 1.5 / 4))),
        (None, [[2, 0], [0, 2], [0, 2]], (0.25, 0.75, 0)),  # there is room for one
        (None, [[1, 1]], (0,)),
    ],
)
def test_the_chance_of_a_path_is_the_product_of_its_steps(
    bound: float | None, path: list[list[int]], chances: tuple[float, ...]
) -> None:
    found = transcript_probability(Pairs(bound=bound), SIDE, np.array(path))
    assert found == pytest.approx(float(np.prod(chances)), rel=1e-12, abs=0)


def test_the_chance_of_a_path_with_an_answer() -> None:
    """After three pulls; what would come after the answer is nothing."""
    policy = Pairs(horizon=3, answers=True)
    answer = 0.25 + (0.5 + 1 + 0.25) / 4
    found = transcript_probability(policy, SIDE, np.array([[0, 2], [0, 1], [-1, 0]]))
    assert found == pytest.approx(0.75 * (1 - (0.25 + 1.5 / 4)) * answer, rel=1e-12, abs=0)
    assert transcript_probability(policy, SIDE, np.array([[0, 2], [0, 1], [-1, 0], [0, 0]])) == found


def certificate(**other: Any) -> dict[str, Any]:
    tables = {"left": [["0", "1"], ["1/2", "0"]], "right": [["0", "0"], ["1/2", "0"]]}
    return {"relation": "pull", "lengths": ["3", "1"], "range": ["0", "1"]} | tables | other


def test_the_tables_of_a_certificate_in_doubles() -> None:
    pair = certificate_tables(certificate(range=["-1/2", "3"]))
    assert (pair.left.tolist(), pair.right.tolist()) == ([[0, 1], [0.5, 0]], [[0, 0], [0.5, 0]])
    assert (pair.relation, pair.lengths.tolist(), tuple(pair.range)) == ("pull", [3, 1], (-0.5, 3.0))


def test_on_which_tables_a_policy_does_not_play() -> None:
    assert table_difference(certificate(), Pairs(horizon=4)) == ""
    assert table_difference(certificate(), Pairs(horizon=3)) == ""
    assert (
        table_difference(certificate(), Pairs(horizon=5))
        == "the tables of the certificate have 4 rewards for each arm, but T = 5 in the claim"
    )
    assert (
        table_difference(certificate(), Pairs(horizon=4, arms=3))
        == "the tables of the certificate have 2 arms, but the policy of the claim has 3"
    )
    wide = table_difference(certificate(range=["0", "2"]), Pairs(horizon=4))
    assert wide == "the rewards of the certificate lie in (0.0, 2.0), those of the claim in (0.0, 1.0)"


class Coins(Pairs):
    """For rewards of 0 and 1."""

    reward_range = frozenset({0.0, 1.0})


def test_a_policy_for_some_rewards_does_not_play_on_others() -> None:
    assert (
        table_difference(certificate(), Coins(horizon=4))
        == "a reward of the certificate is 0.5, but the policy of the claim takes {0.0, 1.0}"
    )
    whole = [["0", "1"], ["1", "0"]]
    assert table_difference(certificate(left=whole, right=whole), Coins(horizon=4)) == ""


# -- numbers -----------------------------------------------------------------------------------------------------


def test_numbers_that_went_through_doubles_are_alike() -> None:
    """Up to 1e-12 of the larger one, and in lists of one length."""
    for off, close in ((9e-13, True), (1.1e-12, False)):
        for one in (3.0, -1e9, 1e-9):
            for sign in (1, -1):
                other = Fraction(one) * (1 + sign * Fraction(off))
                assert are_nearly_equal(["7", str(Fraction(one))], [7, other]) is close
                assert steps_agree([str(Fraction(one))], [str(other)]) is close
    assert are_nearly_equal([], [])
    assert are_nearly_equal(["0"], [0.0])
    assert not are_nearly_equal(["0"], [1e-300])
    assert not are_nearly_equal(["1", "2"], [1.0])
    assert not are_nearly_equal(["1"], [1.0, 2.0])


def test_a_promise_is_held_against_a_fraction() -> None:
    third = rational(mp.number(Fraction(1, 3)))
    assert isinstance(third, Fraction)
    assert abs(third - Fraction(1, 3)) < Fraction(1, 10**15)
    assert rational(0.1) == Fraction(1, 10)  # a double as it is written


def test_pulls_and_totals_from_running_means() -> None:
    """A reward moves the mean of n rewards and a prior one by 1/(n + 1)."""
    read = histories_of_certificate({"sensitivities": ["1/4", "0", "0.1111111111111111"], "left": ["1/2", "0", "3/9"],
                      "right": ["0.3333333333333333", "5", "0.25"]})  # fmt: skip
    assert read == {"pulls": (3, 0, 8), "left": (2.0, 0.0, 3.0), "right": (4 / 3, 5.0, 2.25)}


@pytest.mark.parametrize(
    ("rewards", "off", "whole"),
    [(1000, 9e-12, True), (1000, 1.1e-11, False), (-1000, 9e-12, True), (-1000, -1.1e-11, False), (0, 9e-12, True),
     (0, 1.1e-11, False)],
)  # fmt: skip
def test_a_total_is_whole_where_only_rounding_keeps_it_from_it(rewards: int, off: float, whole: bool) -> None:
    """Ten times 1e-12, of the total or of 1."""
    given = rewards + Fraction(off) * max(abs(rewards), 1)
    assert (rounded_total(given) == rewards) is whole
    assert rounded_total(given) == pytest.approx(float(given), rel=1e-10, abs=1e-11)


def test_a_policy_that_says_its_law_alone_has_nothing_that_steps_could_be_held_against() -> None:
    assert "declares no law and no selections" in release_difference({"steps": [{}]}, ThompsonSampling(2, 3))
