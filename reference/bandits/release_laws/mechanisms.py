"""One-shot mechanisms: report noisy max with Laplace or normal noise (ou24, Algorithms 3 and 4), on two inputs.

`NoisyMax` is their union type. All have the same methods: `noisy` returns the noisy values; `release` samples; `law`
and `accuracy` return the exact law and its error. Any other object with a method `release` is a user's mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbandits.reference.arithmetic.checks import normalize_numeric_fields, positive, reals
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.noisy_values import Noisy
from dpbandits.reference.bandits.policy import Law, one_arm
from dpbandits.reference.bandits.recommendations import unit
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law
from dpbandits.reference.bandits.release_laws.checked import Accuracy, in_doubles
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, argmax
from dpbandits.reference.bandits.release_laws.winners import blur_faint_chances, released, winner

# A larger ratio of scales takes too many nodes: then the law of three queries and more is blurred
MAX_UNBLURRED_RATIO = 100.0


@dataclass(frozen=True)
class ReportNoisyMax:
    """Algorithm 3: the argmax of f_i + Laplace(s/eps). scale: s/eps > 0."""

    scale: float

    def __post_init__(self) -> None:
        """Raises ValueError unless the scale of the noise is positive."""
        normalize_numeric_fields(self)
        positive("s/eps (scale)", self.scale)

    def noisy(self, values: ArrayLike) -> Noisy:
        """The noisy values: the answers and their noise, (1, n)."""
        answers = finite_answers(values)
        return Noisy("laplace", "Z", answers[None, :], np.full((1, len(answers)), self.scale))

    def release(self, values: ArrayLike, noise: Noise, index: int = 0) -> NDArray[np.int64]:
        """Draws the index of the largest noisy answer in every trial, (trials,). values: the answers, (n,)."""
        answers = finite_answers(values)
        noisy = answers + self.scale * noise.laplace("Z", index, answers.shape)  # line 1
        return np.asarray(noisy.argmax(axis=1))  # line 2

    def law(self, values: ArrayLike) -> Array:
        """The exact law of the released index, (n,)."""
        return np.array(self.winner(values).chance[0])

    def accuracy(self, values: ArrayLike) -> Accuracy:
        """Bounds on the errors of the law of the released index."""
        said = self.winner(values)
        return Accuracy(said.error, said.absolute_error)

    def winner(self, values: ArrayLike) -> Law:
        """The law of the released index (the largest noisy answer), as a `Law` of one state."""
        return largest_of(self.noisy(values))


@dataclass(frozen=True)
class GaussianNoisyMax:
    """Algorithm 4: the argmax of f_i + N(0, sigma_i^2). scales: sigma_i > 0, one per query."""

    scales: tuple[float, ...]

    def __post_init__(self) -> None:
        """Raises ValueError unless there is a positive scale for each query."""
        normalize_numeric_fields(self)
        if not isinstance(self.scales, tuple | list | np.ndarray) or not len(self.scales):
            raise ValueError(f"sigma (scales) is {self.scales!r}; it must be a tuple of numbers, one for each query")
        for i, scale in enumerate(self.scales):
            positive(f"sigma_{i} (scales)", scale)

    def noisy(self, values: ArrayLike) -> Noisy:
        """The noisy values: the answers and their noise, (1, n)."""
        answers = finite_answers(values, len(self.scales))
        return Noisy("normal", "X", answers[None, :], np.asarray(self.scales, dtype=np.float64)[None, :])

    def release(self, values: ArrayLike, noise: Noise, index: int = 0) -> NDArray[np.int64]:
        """Draws the index of the largest noisy answer in every trial, (trials,). values: the answers, (n,)."""
        answers = finite_answers(values, len(self.scales))
        noisy = answers + np.asarray(self.scales) * noise.normal("X", index, answers.shape)  # line 1
        return np.asarray(noisy.argmax(axis=1))  # line 2

    def law(self, values: ArrayLike) -> Array:
        """The exact law of the released index, (n,)."""
        return np.array(self.winner(values).chance[0])

    def accuracy(self, values: ArrayLike) -> Accuracy:
        """Bounds on the errors of the law of the released index."""
        said = self.winner(values)
        return Accuracy(said.error, said.absolute_error)

    def winner(self, values: ArrayLike) -> Law:
        """The law of the released index (the largest noisy answer), as a `Law` of one state."""
        return largest_of(self.noisy(values))


def largest_of(noisy: Noisy) -> Law:
    """The law of the index of the largest of the declared noisy values, (1, n), as the law of one state."""
    return law_of_largest(noisy.kind, tuple(noisy.centre[0].tolist()), tuple(noisy.scale[0].tolist()))


@lru_cache(maxsize=2)  # a law and its accuracy are asked for one after the other
def law_of_largest(kind: str, centres: tuple[float, ...], scales: tuple[float, ...]) -> Law:
    """Returns the law of the index of the largest of independent noisy values, as the law of one state.
    The values have these centres and scales."""
    centre, scale = np.array([centres]), np.array([scales])
    if kind == "laplace":
        return in_doubles(released(argmax(LAPLACE, centre, scale), unit(centre.size)))
    if scale.max() > MAX_UNBLURRED_RATIO * scale.min():
        return blur_faint_chances(one_arm(argmax_law(centre, scale)))
    return winner(centre, scale)


NoisyMax = ReportNoisyMax | GaussianNoisyMax


def finite_answers(values: ArrayLike, queries: int | None = None) -> Array:
    """The queries' answers as an array (n,). Raises ValueError for another shape, or an entry that is not finite."""
    answers = reals("query answers", values)
    if answers.ndim != 1 or (queries is not None and len(answers) != queries):
        wanted = "n" if queries is None else queries
        raise ValueError(
            f"the query answers have shape {answers.shape}; expected ({wanted},), one answer for each query"
        )
    if not np.isfinite(answers).all():
        raise ValueError(f"the query answers are {answers.tolist()}; every answer must be finite")
    return answers
