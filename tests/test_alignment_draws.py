"""Randomness alignment of code that draws from a generator: each kind of noise, against probabilities that are computed
another way; what is refused; certificates, and forged ones."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp, expm1, log, log1p
from typing import Any

import numpy as np
import pytest

from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome, alignment_bound
from dpbandits.proofs_checks.alignment.generators import MOST_OUTCOMES, NoiseGenerator, rate_of_success_probability
from dpbandits.proofs_checks.alignment.tree_certificate import tree_certificate
from dpbandits.proofs_checks.checker.verification import verify

Decide = Callable[[list[Any], Any], int]


@dataclass(frozen=True)
class Code:
    """Pulls arms 0, 1, ... in turn, and in its last step the arm that `last` makes of all rewards so far."""

    last: Decide
    horizon: int = 2
    arms: int = 2
    reward_range: Any = (0.0, 1.0)

    def init(self, trials: int) -> Any: ...
    def act(self, t: int, state: Any, noise: Any) -> Any: ...
    def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any: ...

    def arm_after(self, past: Any, rng: Any, within: Any) -> int:
        step = len(past.arms)
        with within:
            return step % self.arms if step < self.horizon - 1 else int(self.last([*past.rewards], rng))


BITS = {0.0, 1.0}
RATE = 1 - exp(-0.5)


def two_sided(rng: Any) -> Any:
    return rng.geometric(RATE) - rng.geometric(RATE)


# -- bounds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("last", "rewards", "eps"),
    [
        (lambda r, rng: r[0] + rng.laplace(0, 2) > 1, (0.0, 1.0), Fraction(1, 2)),
        (lambda r, rng: rng.laplace(r[0], 2) > 1, (0.0, 1.0), Fraction(1, 2)),
        (lambda r, rng: r[0] + rng.laplace(0, 2) > 1, (-1.0, 2.0), Fraction(3, 2)),
        (lambda r, rng: r[0] + rng.gumbel(0, 2) > rng.gumbel(0, 2), (0.0, 1.0), Fraction(1, 2)),
        (lambda r, rng: r[0] + rng.exponential(2) > rng.exponential(2), (0.0, 1.0), Fraction(1, 2)),
        (lambda r, rng: r[0] + rng.standard_exponential() > 2 * rng.exponential(), (0.0, 1.0), 1),
        (lambda r, rng: r[0] + rng.exponential(1) > rng.gumbel(), (0.0, 1.0), 1),
        (lambda r, rng: r[0] + two_sided(rng) > 0, (0.0, 1.0), Fraction(1, 2)),
        (lambda r, rng: r[0] + two_sided(rng) >= 0, BITS, Fraction(1, 2)),
        (lambda r, rng: r[0] + two_sided(rng) > 0, (0.0, 1.5), 1),  # a whole number of at least 1.5
        (lambda r, rng: 2 * r[0] + two_sided(rng) > 0, BITS, 1),
        (lambda r, rng: r[0] + two_sided(rng) + rng.laplace(0, 4) > 0, BITS, Fraction(1, 4)),  # the cheaper one
    ],
)
def test_each_kind_of_noise_costs_what_its_lemma_says(last: Decide, rewards: Any, eps: Fraction) -> None:
    found = alignment_bound(Code(last, reward_range=rewards))
    assert (found.outcome, found.cost, found.reason) == (Outcome.BOUND, eps, "")


@pytest.mark.parametrize(
    "last",
    [
        lambda r, rng: r[0] + rng.exponential() > 1.5,  # must not move downwards
        lambda r, rng: r[0] - rng.exponential() > -0.5,
        lambda r, rng: r[0] + rng.gumbel() > 1.5,
        lambda r, rng: r[0] - rng.exponential(1) > rng.gumbel(),
        lambda r, rng: r[0] + rng.geometric(0.5) > 1.5,
        lambda r, rng: (lambda z: r[0] + z > z + 0.5)(rng.laplace()),  # noise that cancels
        lambda r, rng: r[0] > 0.5 and rng.laplace() > 0,  # compared before
        lambda r, rng: r[0] > rng.random(),  # a uniform draw does not move
        lambda r, rng: r[0] + 0 * rng.laplace() > 0.5,
        lambda r, rng: r[0] + rng.laplace(scale=0) + rng.choice([0, 0.1]) > 0.5,
    ],
)
def test_noise_that_does_not_make_up_for_a_change_has_no_bound_and_is_named(last: Decide) -> None:
    found = alignment_bound(Code(lambda r, rng: last(r, rng) and rng.laplace() < 9))
    assert found.outcome is Outcome.NO_BOUND
    assert found.worst is not None
    assert found.worst.reward.name == (1, 0)
    assert "test_alignment_draws.py:" in found.worst.line


def test_whole_noise_that_two_comparisons_share_protects_whole_rewards_alone() -> None:
    """Between two values of a real reward, a whole number cannot make up for the change in both directions."""

    def last(r: list[Any], rng: Any) -> int:
        noisy = r[0] + two_sided(rng)
        return int(noisy > 0) + int(noisy < 1)

    assert alignment_bound(Code(last, arms=3, reward_range=BITS)).cost == Fraction(1, 2)
    assert alignment_bound(Code(last, arms=3)).outcome is Outcome.NO_BOUND


@dataclass(frozen=True)
class TwoSteps(Code):
    """Compares a noisy reward with 0, and with more noise in the step after that."""

    last: Any = None
    horizon: int = 3

    def arm_after(self, past: Any, rng: Any, within: Any) -> int:
        with within:
            if not past.arms:
                return 0
            noisy = past.rewards[0] + two_sided(rng)
            return int(noisy > 0) if len(past.arms) == 1 else int(noisy + two_sided(rng) < 1)


def test_a_move_of_an_earlier_step_has_to_fit_smaller_changes_as_well() -> None:
    """The first noise alone makes up for a change by 1 in both steps, but for a change by 1/2 only together with the
    second noise."""
    assert alignment_bound(TwoSteps(reward_range=BITS)).cost == Fraction(1, 2)
    assert alignment_bound(TwoSteps()).cost == 1


def test_finite_draws_cost_nothing_and_all_their_outcomes_are_followed() -> None:
    def last(r: list[Any], rng: Any) -> int:
        arm = int(rng.integers(3)) + int(rng.choice([0, 1, 2], p=[0.25, 0, 0.75])) + int(rng.binomial(1, 0.5))
        return 0 if arm < 5 or rng.laplace() + r[0] > 3 else 1

    found = alignment_bound(Code(last))
    assert (found.outcome, found.cost) == (Outcome.BOUND, 1)
    assert found.paths == 13  # 12 outcomes, of which one leads to a comparison


def test_a_draw_has_one_outcome_in_all_later_steps() -> None:
    """Code is started again for every step; a coin that fell once has fallen."""

    class Sticky(Code):
        def arm_after(self, past: Any, rng: Any, within: Any) -> int:
            coin = int(rng.integers(2))
            return coin if len(past.arms) < 2 else int(past.rewards[0] + rng.laplace() > 1)

    found = alignment_bound(Sticky(lambda r, rng: 0, horizon=3))
    assert (found.outcome, found.cost, found.paths) == (Outcome.BOUND, 1, 4)


# -- probabilities that are computed another way ----------------------------------------------------------------------

GRID = (np.arange(400) + 0.5) / 400
QUANTILES: dict[str, Any] = {
    "laplace": np.where(GRID < 0.5, np.log(2 * GRID), -np.log(2 * (1 - GRID))),
    "exponential": -np.log1p(-GRID),
    "gumbel": -np.log(-np.log(GRID)),
}


def outcomes(kind: str, rate: float) -> tuple[Any, Any]:
    """Values of one draw, and their probabilities."""
    if kind != "geometric":
        return QUANTILES[kind], np.full(len(GRID), 1 / len(GRID))
    numbers = np.arange(1, 120)
    return numbers, expm1(rate) * np.exp(-rate * numbers)


def random_code(generator: np.random.Generator, rewards: Any) -> tuple[Code, Callable[[Any, float], Any], str, float]:
    """Two comparisons of linear forms in a reward and two draws; and its releases on numbers."""
    kind = str(generator.choice(["laplace", "exponential", "gumbel", "geometric"]))
    rate = float(generator.choice([0.25, 0.5, 1.0]))
    weights = generator.choice([-1, 0, 1, 1, 2], size=(2, 3)).astype(float)
    limits = generator.choice([-1.0, -0.5, 0.0, 0.5, 1.0, 2.0], size=2)

    def arms(reward: Any, draws: Any) -> Any:
        above = [sum((float(a) * each for a, each in zip(row, (reward, *draws), strict=True)), 0.0) > float(limit)
                 for row, limit in zip(weights, limits, strict=True)]  # fmt: skip
        return 2 * above[0] + above[1]

    def last(r: list[Any], rng: Any) -> int:
        ask = {"geometric": lambda: rng.geometric(-expm1(-rate))}.get(kind, lambda: getattr(rng, kind)())
        return int(arms(r[0], (ask(), ask())))

    values = outcomes(kind, rate)[0]
    return (
        Code(last, arms=4, reward_range=rewards),
        lambda reward, _: arms(reward, np.meshgrid(values, values)),
        kind,
        rate,
    )


@pytest.mark.first(2)
@pytest.mark.parametrize("seed", range(4))
def test_no_random_code_loses_more_than_its_bound(seed: int) -> None:
    """Probabilities by sums over both draws: exact for geometric draws, by quantiles for the others."""
    generator, bounds = np.random.default_rng(seed), 0
    while bounds < 5:
        rewards: Any = BITS if generator.random() < 0.5 else (0.0, 1.0)
        code, played, kind, rate = random_code(generator, rewards)
        found = alignment_bound(code)
        if found.outcome is not Outcome.BOUND:
            continue
        bounds += 1
        chance = np.multiply.outer(*[outcomes(kind, rate)[1]] * 2)
        grid = sorted(BITS) if rewards is BITS else [0, 0.125, 0.25, 0.5, 0.75, 1]
        laws = [[float(chance[played(reward, rate) == arm].sum()) for arm in range(4)] for reward in grid]
        slack = 1e-12 if kind == "geometric" else 4 / len(GRID)
        for one, other in product(laws, laws):
            assert all(p <= exp(float(found.cost)) * q + slack for p, q in zip(one, other, strict=True))


def apart(one: tuple[float, ...], other: tuple[float, ...]) -> int:
    """In how many places two tables differ."""
    return sum(x != y for x, y in zip(one, other, strict=True))


def test_the_exponential_mechanism_by_gumbel_noise_is_below_its_bound_and_near() -> None:
    """Three choices with probabilities proportional to exp(4 * sum / 2), on all tables with rewards 0 and 1."""

    def law(arms: tuple[int, ...], rewards: tuple[float, ...]) -> float:
        """The probability of pulling these arms."""
        sums, probability = np.zeros(2), 1.0
        for arm, reward in zip(arms, rewards, strict=True):
            shares = np.exp(2 * sums) / np.exp(2 * sums).sum()
            probability *= shares[arm]
            sums[arm] += reward
        return probability

    class Selects(Code):
        def arm_after(self, past: Any, rng: Any, within: Any) -> int:
            with within:
                sums = np.zeros(2)
                for arm, reward in zip(past.arms, past.rewards, strict=True):
                    np.argmax(sums + rng.gumbel(0, 0.5, 2))
                    sums[arm] += reward
                return int(np.argmax(sums + rng.gumbel(0, 0.5, 2)))

    found = alignment_bound(Selects(lambda r, rng: 0, horizon=3, reward_range=BITS))
    tables = [(one, other) for one, other in product(product((0.0, 1.0), repeat=3), repeat=2) if apart(one, other) == 1]
    worst = max(log(law(arms, one) / law(arms, other)) for arms in product((0, 1), repeat=3) for one, other in tables)
    assert found.cost == 4
    assert 0.7 * 4 < worst <= 4


# -- what is refused ----------------------------------------------------------------------


def caught(call: Callable[[Any], Any]) -> Decide:
    """Code that goes on with less noise where the generator refuses."""

    def last(r: list[Any], rng: Any) -> int:
        try:
            call(rng)
        except Exception:
            return int(r[0] + rng.laplace(0, 0.01) > 0.5)
        return int(r[0] + rng.laplace() > 0.5)

    return last


@pytest.mark.parametrize(
    "call",
    [
        lambda rng: rng.integers(2**32),
        lambda rng: rng.poisson(3),
        lambda rng: rng.binomial(5, 0.5),
        lambda rng: rng.gamma(1.0),
        lambda rng: rng.bit_generator,
        lambda rng: rng.spawn(1),
        lambda rng: rng.random(dtype=np.float32),
        lambda rng: rng.random(out=np.zeros(1)),
        lambda rng: deepcopy(rng),
        lambda rng: rng.laplace() == rng.geometric(0.5) or rng.geometric(0.5) == 1,
        lambda rng: rng._bit_generator,
        lambda rng: rng.choice(3, p=[rng.random(), 0.5, 0.5]),
        lambda rng: rng.laplace(0, rng.random()),
        lambda rng: rng.geometric(rng.random()),
        lambda rng: rng.laplace() ** 2,
        lambda rng: np.exp(rng.laplace(size=2)),
        lambda rng: float(rng.laplace()),
        lambda rng: rng.laplace().is_integer(),
        lambda rng: round(rng.laplace()),
        lambda rng: np.zeros(2).astype(np.float64)[:1].__setitem__(0, rng.laplace()),
        lambda rng: [None for _ in iter(lambda: rng.random() < 0.5, True)],
    ],
)
def test_a_refusal_that_the_code_catches_is_no_proof(call: Callable[[Any], Any]) -> None:
    found = alignment_bound(Code(caught(call)))
    assert found.outcome is Outcome.NOT_LINEAR
    assert "test_alignment_draws.py:" in found.reason


def test_code_that_draws_until_something_happens_is_given_up() -> None:
    found = alignment_bound(Code(caught(lambda rng: [*iter(lambda: rng.random() < 0.5, False)])), effort=20_000)
    assert found.outcome is Outcome.TOO_LONG


def test_a_generator_takes_no_attributes_as_numpys_takes_none() -> None:
    def last(r: list[Any], rng: Any) -> int:
        try:
            rng.mark = 1
        except AttributeError:
            return int(r[0] > 0.5)
        return int(r[0] + rng.laplace() > 1)

    assert alignment_bound(Code(last)).outcome is not Outcome.BOUND


@pytest.mark.parametrize(
    "draw", [lambda rng: np.random.Generator.random(rng) < 0, lambda rng: not np.random.Generator.spawn(rng, 1)]
)
def test_draws_by_a_method_of_numpys_own_class_are_noticed(draw: Callable[[Any], Any]) -> None:
    found = alignment_bound(Code(lambda r, rng: draw(rng) or r[0] + rng.laplace() > 1))
    assert found.outcome is Outcome.NOT_LINEAR
    assert "bits" in found.reason


def test_what_numpys_generator_does_not_have_is_missing_as_in_numpy() -> None:
    found = alignment_bound(Code(lambda r, rng: hasattr(rng, "randint") or r[0] + rng.laplace() > 1))
    assert (found.outcome, found.cost) == (Outcome.BOUND, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda rng: rng.laplace([0.0, 1.0], 1.0, 3),
        lambda rng: rng.normal([0.0, 1.0, 2.0], size=2),
        lambda rng: rng.uniform(0.0, [1.0, 2.0], (3, 3)),
        lambda rng: rng.gumbel([0.0, 1.0], [1.0, 2.0, 3.0]),
        lambda rng: rng.exponential([1.0, 2.0], ()),
        lambda rng: rng.binomial(1, 1.5),
        lambda rng: rng.binomial(1, -0.5),
        lambda rng: rng.choice(2, p=[0.5, 0.6]),
        lambda rng: rng.choice(2, p=[0.5, 0.25, 0.25]),
    ],
)
def test_what_numpy_refuses_is_refused(call: Callable[[Any], Any]) -> None:
    """Shapes that do not fit, and probabilities that are none: else a proof would be about other code."""
    for rng in (np.random.default_rng(5), NoiseGenerator(lambda symbol: 0.5)):
        with pytest.raises(ValueError, match=r"\bp\b|shape|size|dimensions|robabilities"):
            call(rng)


def test_a_generator_is_a_generator_and_has_numpys_parameters() -> None:
    """The same draws from one stream: a standard one moved and scaled, and numpy's own."""
    calls: list[Callable[[Any], Any]] = [
        lambda rng: rng.laplace(1.0, 2.0, 3),
        lambda rng: rng.laplace([0.0, 1.0], 2.0),
        lambda rng: rng.normal(1.0, [1.0, 2.0], (3, 2)),
        lambda rng: rng.normal(scale=3.0),
        lambda rng: rng.uniform(-1.0, 3.0, (2, 2)),
        lambda rng: rng.exponential(2.0, 4),
        lambda rng: rng.gumbel(1.0, 2.0, 4),
        lambda rng: rng.random((2, 1)),
        lambda rng: rng.standard_normal(3),
        lambda rng: rng.geometric(0.3, 5),
    ]
    standard = {"uniform": "random", "normal": "standard_normal", "exponential": "standard_exponential"}
    for call in calls:
        real, own = np.random.default_rng(5), np.random.default_rng(5)

        def single(symbol: Any, own: Any = own) -> Any:
            if symbol.kind == "geometric":
                return own.geometric(-expm1(-float(symbol.rate)))
            return getattr(own, standard.get(symbol.kind, symbol.kind))()

        generator = NoiseGenerator(single)
        assert isinstance(generator, np.random.Generator)
        assert np.random.default_rng(generator) is generator
        due, found = call(real), call(generator)
        assert np.shape(due) == np.shape(found)
        assert np.asarray(found).dtype == np.asarray(due).dtype
        np.testing.assert_allclose(found, due, rtol=1e-12)


def test_finite_draws_have_numpys_laws() -> None:
    generator = np.random.default_rng(3)
    own = NoiseGenerator(lambda symbol: generator.choice(len(symbol.weights), p=symbol.weights))
    several = own.choice([3, 5, 8], 4000, p=[0.5, 0.25, 0.25])
    assert several.mean() == pytest.approx(4.75, abs=0.15)
    assert sorted(own.permutation(4)) == [0, 1, 2, 3]
    assert sorted(own.choice(4, 4, replace=False)) == [0, 1, 2, 3]
    assert own.integers(2, 3) == 2
    assert set(own.integers(1, 3, 50, endpoint=True)) == {1, 2, 3}
    listed = [1, 2, 3]
    own.shuffle(listed)
    assert sorted(listed) == [1, 2, 3]
    assert own.binomial(1, 1.0) == 1
    assert own.geometric(1.0) == 1
    for wrong, said in (
        (lambda: own.choice(3, p=[0.5, 0.6, 0.2]), "^probabilities must be non-negative and sum to 1$"),
        (lambda: own.choice(2, p=[1.0]), "^'a' and 'p' must have same size$"),
        (lambda: own.choice([]), "^a cannot be empty$"),
        (lambda: own.laplace(0, -1), "^scale < 0$"),
        (lambda: own.geometric(0), r"^p must be in \(0, 1\]$"),
        (lambda: own.integers(0), "^low >= high$"),
        (lambda: own.laplace([0.0, 1.0], size=3), "^shape mismatch: objects cannot be broadcast to a single shape"),
    ):
        with pytest.raises(ValueError, match=said):
            wrong()


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("draw", ["integers", "choice"])
def test_a_draw_has_at_most_a_hundred_outcomes(draw: str, more: int) -> None:
    """A draw of another kind ends the search after the first outcome."""

    def last(r: Any, rng: Any) -> int:
        rng.integers(many) if draw == "integers" else rng.choice(many, p=[1 / many] * many)
        return int(rng.poisson(3))

    many = MOST_OUTCOMES + more
    reason = alignment_bound(Code(last)).reason
    assert (
        f"a draw from {many} possible values is not supported" if more else "rng.poisson is not supported"
    ) in reason


def test_a_success_probability_stands_for_a_simple_rate() -> None:
    found = alignment_bound(Code(lambda r, rng: r[0] + two_sided(rng) > 0, reward_range=BITS))
    assert found.cost == Fraction(1, 2)
    for rate in (Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(3), Fraction(8)):
        assert rate_of_success_probability(1 - exp(-float(rate))) == rate
        assert rate_of_success_probability(-expm1(-float(rate))) == rate
    assert float(rate_of_success_probability(0.3)) == pytest.approx(-log(0.7), abs=1e-15)
    assert rate_of_success_probability(1e-12) == Fraction(-log1p(-1e-12))


# -- certificates ----------------------------------------------------------------------


def certified(last: Decide, rewards: Any = BITS, arms: int = 2) -> dict[str, Any]:
    found: Alignment = alignment_bound(Code(last, arms=arms, reward_range=rewards))
    assert found.outcome is Outcome.BOUND
    assert found.tree is not None
    made = tree_certificate(found.tree, "own/Code", found.cost)
    assert made is not None
    assert verify(made).ok, verify(made).lines
    return made


def row_of(made: dict[str, Any], kind: str) -> list[str]:
    row: list[str] = next(row for row in made["symbols"] if row[0] == kind)
    return row


def moves_down(made: dict[str, Any]) -> None:
    """A one-sided draw moves by as much to the other side, in a form that has it with the other sign."""
    for form in made["forms"]:
        form[2::2] = [str(-Fraction(value)) if number in (1, 2) else value
                      for number, value in zip(form[1::2], form[2::2], strict=True)]  # fmt: skip
    for leaf in made["leaves"]:
        for move in leaf["moves"]:
            move[3::2] = [str(-Fraction(amount)) for amount in move[3::2]]


def half_a_move(made: dict[str, Any]) -> None:
    row_of(made, "reward")[3] = "1/2"
    for leaf in made["leaves"]:
        for move in leaf["moves"]:
            move[3::2] = [str(Fraction(amount) / 2) for amount in move[3::2]]


def lower_rate(made: dict[str, Any]) -> None:
    row_of(made, "geometric")[4] = "0"


def no_rate(made: dict[str, Any]) -> None:
    row_of(made, "geometric").pop()


def a_rate_for_laplace(made: dict[str, Any]) -> None:
    row_of(made, "geometric")[0:3] = ["laplace", "-inf", "inf"]


def real_rewards(made: dict[str, Any]) -> None:
    row_of(made, "reward").pop()


def another_range(made: dict[str, Any]) -> None:
    row_of(made, "geometric")[1] = "2"


def outcome_of_a_draw_left_out(made: dict[str, Any]) -> None:
    node = next(node for node in made["nodes"] if not node["forms"])
    node["next"] = [None, *node["next"][1:]]


def twice(made: dict[str, Any]) -> None:
    """A draw that is listed twice: the first amount is not counted."""
    move = next(leaf for leaf in made["leaves"] if leaf["moves"])["moves"][0]
    move += move[2:4]


def shared(r: list[Any], rng: Any) -> int:
    noisy = r[0] + two_sided(rng)
    return (int(noisy > 0) + int(noisy < 1)) * int(rng.integers(2))


@pytest.mark.parametrize(
    "forge",
    [moves_down, half_a_move, lower_rate, no_rate, a_rate_for_laplace, real_rewards, another_range,
     outcome_of_a_draw_left_out, twice],
)  # fmt: skip
def test_forged_certificates_of_whole_noise_are_rejected(forge: Callable[[dict[str, Any]], None]) -> None:
    made = certified(shared, arms=3)
    forged = deepcopy(made)
    forge(forged)
    assert forged != made
    assert not verify(forged).ok


@pytest.mark.parametrize("kind", ["exponential", "gumbel"])
def test_one_sided_noise_that_moves_down_is_rejected(kind: str) -> None:
    made = certified(lambda r, rng: r[0] + getattr(rng, kind)() > getattr(rng, kind)(), (0.0, 1.0))
    forged = deepcopy(made)
    moves_down(forged)
    assert not verify(forged).ok
    row_of(forged, kind)[0:3] = ["laplace", "-inf", "inf"]
    assert forged != made
