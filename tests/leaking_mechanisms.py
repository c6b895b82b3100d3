"""Mechanisms with one fault each, and private ones, with the inputs and the claim on which they are audited.

A mechanism is a function (input, trials, seed) to outputs, (trials,) or (trials, d). Every broken one leaks more than
its claim allows, and each in another way: by a scale, a tail, an atom, a support, a grid, single numbers of a row,
their order, or what they have in common. What is certified of them depends on which feature of the output is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.bandits.noise import Array


class Subject(NamedTuple):
    """A mechanism with two neighbouring inputs and what it claims. eps, delta, mu: as `audit_mechanism` takes them.
    floating_point: as well."""

    mechanism: Callable[[Any, int, int], Array]
    left: Any
    right: Any
    eps: float | None = None
    delta: float | None = None
    mu: float | None = None
    floating_point: str = "ignore"

    @property
    def claim(self) -> dict[str, float]:
        """The arguments of `audit_mechanism` that say what is claimed."""
        every = {"eps": self.eps, "delta": self.delta, "mu": self.mu}
        return {name: value for name, value in every.items() if value is not None}


Draw = Callable[[Any, np.random.Generator, int], Array]  # of an input, a generator and so many trials


def drawing(rule: Draw) -> Callable[[Any, int, int], Array]:
    def mechanism(given: Any, trials: int, seed: int) -> Array:
        return np.asarray(rule(given, np.random.default_rng(seed), trials))

    return mechanism


def one(rule: Draw, **claim: Any) -> Subject:
    """On the numbers 0 and 1."""
    return Subject(drawing(rule), 0.0, 1.0, **claim)


def row(
    rule: Draw, left: tuple[float, ...] = (0, 0, 0, 0), right: tuple[float, ...] = (0, 0, 1, 0), **claim: Any
) -> Subject:
    """On lists of numbers, one of which changes."""
    return Subject(drawing(rule), list(left), list(right), **claim)


def laplace_row(given: Any, random: np.random.Generator, trials: int, scale: float = 1.0) -> Array:
    return np.asarray(given) + random.laplace(scale=scale, size=(trials, len(given)))


def rare_copies(given: Any, random: np.random.Generator, trials: int) -> Array:
    """In one trial of a thousand the noise is left out."""
    return given + random.laplace(size=trials) * (random.random(trials) >= 1e-3)


def exact_copies(given: Any, random: np.random.Generator, trials: int) -> Array:
    """In one trial of ten the noise is left out."""
    return given + random.laplace(size=trials) * (random.random(trials) >= 0.1)


def two_scales(given: Any, random: np.random.Generator, trials: int) -> Array:
    """The noise is wider for the right input."""
    return random.laplace(size=trials) * (1 + 2 * given)


def gap(given: Any, random: np.random.Generator, trials: int) -> Array:
    """A short interval that only one input reaches."""
    drawn = given + random.laplace(size=trials)
    inside = (drawn > 0.5) & (drawn < 0.51)
    return np.where(inside & (given == 0), drawn + 1, drawn)


def on_a_grid(given: Any, random: np.random.Generator, trials: int) -> Array:
    """The noise is rounded before it is added."""
    return given / 3 + random.laplace(size=trials).round(3)


def k_ary_response(given: Any, random: np.random.Generator, trials: int) -> Array:
    """Randomised response among five answers with eps = 1.25."""
    true = random.random(trials) < np.exp(1.25) / (np.exp(1.25) + 4)
    other = (given + random.integers(1, 5, trials)) % 5
    return np.where(true, given, other)


def failing(given: Any, random: np.random.Generator, trials: int) -> Array:
    """nan in one trial of a hundred, for the right input alone."""
    return np.where(random.random(trials) < 0.01 * given, np.nan, given + random.laplace(size=trials))


def shared_noise(given: Any, random: np.random.Generator, trials: int) -> Array:
    """All numbers of a row have the same noise."""
    return np.asarray(given) + random.laplace(size=(trials, 1)) + 0.2 * random.laplace(size=(trials, len(given)))


def shuffled(given: Any, random: np.random.Generator, trials: int) -> Array:
    """The largest number of a shuffled row stands out."""
    return random.permuted(3 * np.asarray(given) + random.laplace(size=(trials, len(given))), axis=1)


def noise_of_the_next_but_one(given: Any, random: np.random.Generator, trials: int) -> Array:
    """The first number and the third have nearly the same noise, and the numbers beside them have others."""
    drawn = random.laplace(size=(trials, len(given)))
    drawn[:, 2] = drawn[:, 0] + 0.3 * drawn[:, 2]
    return np.asarray(given) + drawn


def signs_its_last_bits(given: Any, random: np.random.Generator, trials: int) -> Array:
    """Noise of whole numbers and seven digits, right as a number; its last four bits are the input."""
    out = 1e-7 * np.round(1e7 * random.laplace(scale=2.0, size=trials))
    return np.asarray(((out.view(np.int64) >> 4 << 4) + int(given)).view(float))


def seldom_raw(given: Any, random: np.random.Generator, trials: int) -> Array:
    """Each number of a row goes without noise in one row of fifty."""
    drawn = laplace_row(given, random, trials)
    return np.where(random.random(drawn.shape) < 0.02, np.asarray(given), drawn)


def row_with_nan(given: Any, random: np.random.Generator, trials: int) -> Array:
    """Half of all first numbers are missing; the third leaks."""
    drawn = laplace_row(given, random, trials, 0.7)
    drawn[random.random(trials) < 0.5, 0] = np.nan
    return drawn


def neighbours_seldom_equal(given: Any, random: np.random.Generator, trials: int) -> Array:
    """The first two numbers are the same in one row of fifty, for the right input alone; their noise is wide."""
    drawn = random.laplace(scale=30.0, size=(trials, len(given)))
    same = (random.random(trials) < 0.02) & bool(given[2])
    drawn[same, 1] = drawn[same, 0]
    return drawn


def common_sign(given: Any, random: np.random.Generator, trials: int) -> Array:
    """Two numbers whose signs agree for one input and differ for the other; each alone says nothing."""
    size, sign = random.exponential(size=(trials, 2)), random.choice([-1.0, 1.0], trials)
    lies = np.where(random.random(trials) < 1 / (1 + np.exp(1.4)), -1, 1) * (1 if given[2] else -1)
    return np.stack([sign * size[:, 0], sign * lies * size[:, 1]], axis=1)


def running_sums(given: Any, random: np.random.Generator, trials: int) -> Array:
    """Running sums of noisy numbers whose noise is too small by 1.4."""
    return np.cumsum(laplace_row(given, random, trials, 1 / 1.4), axis=1)


BROKEN: dict[str, Subject] = {
    "Laplace noise too small by 1.15": one(lambda x, g, n: x + g.laplace(scale=1 / 1.15, size=n), eps=1.0),
    "normal noise too small by 1.15": one(lambda x, g, n: x + g.normal(scale=1 / 1.15, size=n), mu=1.0),
    "geometric noise too small by 1.2": one(
        lambda x, g, n: x + g.geometric(1 - np.exp(-1.2), n) - g.geometric(1 - np.exp(-1.2), n), eps=1.0
    ),
    "normal noise claimed with a small delta": one(
        lambda x, g, n: x + g.normal(scale=1.6, size=n), eps=1.0, delta=1e-4
    ),
    "noise clipped at 4 scales": one(lambda x, g, n: x + np.clip(g.laplace(size=n), -4, 4), eps=1.1),
    "uniform noise": one(lambda x, g, n: x + 200 * g.random(n), eps=1.0),
    "five answers": one(k_ary_response, eps=1.0),
    "a rare exact copy": one(rare_copies, eps=1.0),
    "a frequent exact copy": one(exact_copies, eps=1.0),
    "noise wider for one input": one(two_scales, eps=1.0),
    "a gap in the support": one(gap, eps=1.0),
    "noise on a grid": one(on_a_grid, eps=1.0),
    "nan for one input": one(failing, eps=1.0),
    "row: noise too small by 1.3": row(lambda x, g, n: laplace_row(x, g, n, 1 / 1.3), eps=1.0),
    "row: normal noise in ten numbers": row(
        lambda x, g, n: np.asarray(x) + g.normal(scale=2.2, size=(n, 10)), (0,) * 10, (1,) * 10, mu=1.2
    ),
    "row: shared noise": row(shared_noise, eps=1.5),
    "row: shuffled": row(shuffled, eps=1.0),
    "row: seldom raw": row(seldom_raw, (0.31459, 0.27183, 0.14142, 0.57722), (0.31459, 0.27183, 0.9, 0.57722), eps=1.0),
    "row: the same noise in the next but one": row(noise_of_the_next_but_one, eps=1.5),
    "row: one draw for all numbers": row(
        lambda x, g, n: np.asarray(x) + g.laplace(size=(n, 1)),
        (0.31459, 0.27183, 0.14142),
        (0.31459, 0.27183, 0.9),
        eps=1.0,
    ),
    "row: nan in half of the rows": row(row_with_nan, eps=1.0),
    "row: neighbours that are seldom equal": row(neighbours_seldom_equal, eps=1.0),
    "row: signs that agree": row(common_sign, eps=1.0),
    "row: running sums": row(running_sums, eps=1.0),
    "bits: Laplace noise by numpy": one(lambda x, g, n: x + g.laplace(size=n), eps=1.0, floating_point="error"),
    "bits: Laplace noise in single precision": one(
        lambda x, g, n: (x + g.laplace(size=n)).astype(np.float32), eps=1.0, floating_point="error"
    ),
    "bits: normal noise by numpy": one(lambda x, g, n: x + 1.3 * g.normal(size=n), mu=1.0, floating_point="error"),
    "bits: Laplace noise on one grid": Subject(
        drawing(lambda x, g, n: x + g.laplace(size=n)), 9.3, 8.3, eps=1.0, floating_point="error"
    ),
    "bits: inputs that are no numbers": Subject(
        drawing(lambda x, g, n: (x == "b") + g.laplace(size=n)), "a", "b", eps=1.0, floating_point="error"
    ),
    "bits: the input in the last bits": one(signs_its_last_bits, eps=1.0, floating_point="error"),
    "bits: inverse of a coarse uniform": one(
        lambda x, g, n: x - np.log1p(-g.integers(0, 2**16, n) / 2**16) * g.choice([-1.0, 1.0], n),
        eps=1.1,
        floating_point="error",
    ),
}
RIGHT: dict[str, Subject] = {
    "Laplace noise": one(lambda x, g, n: x + g.laplace(size=n), eps=1.0),
    "normal noise": one(lambda x, g, n: x + g.normal(size=n), mu=1.0),
    "geometric noise": one(
        lambda x, g, n: x + g.geometric(1 - np.exp(-1.0), n) - g.geometric(1 - np.exp(-1.0), n),
        eps=1.0,
        floating_point="error",
    ),
    "row: Laplace noise": row(laplace_row, eps=1.0),
    "row: shared noise, one number": row(lambda x, g, n: laplace_row(x, g, n)[:, 2:3], eps=1.0),
}
