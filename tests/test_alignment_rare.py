"""Code that is private but for something rare, or something that symbols do not show: no bound is proved of it."""

from __future__ import annotations

import itertools
import operator
import random
import secrets
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from test_alignment_draws import Code

from dpbandits.proofs_checks.alignment.bounds import Outcome, alignment_bound
from dpbandits.proofs_checks.alignment.other_randomness import ENTROPY, OtherRandomness

RARE = 0.001
Leak = Callable[[Any], Any]


def noisy(r: list[Any], rng: Any) -> int:
    return int(r[0] + rng.laplace() > 0.5)


def as_decimal(reward: Any) -> bool:
    """What is 0 on symbols, whose error is caught."""
    with suppress(TypeError):
        return Decimal(reward) > Decimal("0.5")
    return False


def in_bytes(reward: Any) -> bool:
    """Whether the bytes are those of a symbol's pointer; or else, whether the reward is large."""
    read = np.frombuffer(np.array([reward, reward]).tobytes())
    return bool(0.5 < read[0] <= 1)


def finite_by_out(reward: Any) -> bool:
    flags = np.zeros(1, dtype=bool)
    np.isfinite(np.array([reward]), out=flags)
    return bool(flags[0] and reward > 0.5)


LEAKS: list[Leak] = [
    as_decimal,
    in_bytes,
    finite_by_out,
    lambda reward: reward > np.nextafter(1, 0),  # which stands for 1
    lambda reward: type(reward) is float and reward > 0.5,  # as objects and loops get it
]


@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.parametrize(
    "coin",
    [
        lambda rng: rng.random() < RARE,
        lambda rng: 0.5 < rng.random() <= 0.5 + RARE,
        lambda rng: rng.binomial(1, RARE) == 1,
        lambda rng: rng.choice([True, False], p=[RARE, 1 - RARE]),
        lambda rng: 0 < rng.normal() < RARE,
        lambda rng: 5000 < rng.geometric(RARE) < 5010,
    ],
)
def test_what_symbols_do_not_show_is_seen_on_numbers_however_rare(leak: Leak, coin: Leak) -> None:
    policy = Code(lambda r, rng: int(leak(r[0])) if coin(rng) else noisy(r, rng))
    assert alignment_bound(policy).outcome is not Outcome.BOUND


def test_a_rare_coin_alone_is_no_fault() -> None:
    policy = Code(lambda r, rng: 1 if rng.random() < RARE else noisy(r, rng))
    assert alignment_bound(policy).cost == 1


RUNS, KEPT = itertools.count(), list[int]()


def counted(number: Any = None, kept: list[int] = []) -> bool:  # noqa: B006
    kept.append(1)
    return len(kept) % 100_003 == 0


def remembered() -> bool:
    KEPT.append(1)
    return len(KEPT) % 100_003 == 0


@pytest.mark.parametrize(
    "coin",
    [
        lambda: random.random() < 1e-9,
        lambda: np.random.random() < 1e-9,  # noqa: NPY002
        lambda: np.random.default_rng().random() < 1e-9,
        lambda: np.random.RandomState().rand() < 1e-9,
        lambda: random.Random().random() < 1e-9,
        lambda: secrets.randbelow(10**9) == 0,
        lambda: next(RUNS) % 100_003 == 100_002,
        counted,
        remembered,
    ],
)
def test_coins_of_its_own_and_counts_of_runs_are_refused_however_rarely_they_show(coin: Callable[[], bool]) -> None:
    found = alignment_bound(Code(lambda r, rng: int(r[0] > 0.5) if coin() else noisy(r, rng)))
    assert found.outcome is Outcome.NOT_LINEAR
    assert "own" in found.reason or "outside of its state" in found.reason


def test_generators_that_are_seeded_are_no_randomness() -> None:
    with OtherRandomness() as other:
        np.random.default_rng(3).random()
        random.Random(3).random()
    assert not other.found


def test_bits_that_are_read_past_the_generator_are_refused() -> None:
    def last(r: list[Any], rng: Any) -> int:
        bits = np.random.Generator.bit_generator.__get__(rng)  # type: ignore[attr-defined]
        copy = np.random.Generator(np.random.PCG64(0))
        copy.bit_generator.state = bits.state
        return int(r[0] + rng.laplace() - copy.laplace() > 0.5)

    assert "bits" in alignment_bound(Code(last)).reason


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_arrays_that_round_to_few_digits_are_not_followed(kind: Any) -> None:
    def last(r: list[Any], rng: Any) -> int:
        total = np.zeros(1, dtype=kind)
        total += r[0] + rng.laplace()
        return int(total[0] > 0.5)

    assert alignment_bound(Code(last)).outcome is Outcome.NOT_LINEAR


def test_what_is_watched_is_left_as_it_was() -> None:
    """The functions that give entropy, and the seeding of generators; also where the code that is watched fails."""

    def watched() -> list[Any]:
        return [*(getattr(where, name) for where, name in ENTROPY if hasattr(where, name)), random.Random.seed]

    before = watched()
    with suppress(ZeroDivisionError), OtherRandomness() as watch:
        assert not any(map(operator.is_, watched(), before))
        random.Random()
        raise ZeroDivisionError
    assert all(map(operator.is_, watched(), before))
    assert watch.found == "it makes a generator that is not seeded"
