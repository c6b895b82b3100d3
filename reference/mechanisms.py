"""One-shot mechanisms: report noisy max with Laplace or normal noise (ou24, Algorithms 3 and 4), on two inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.argmax_law import argmax_law
from dpbandits.reference.checks import positive, reals
from dpbandits.reference.noise import Array, Noise


@dataclass(frozen=True)
class ReportNoisyMax:
    """Algorithm 3: the argmax of f_i + Laplace(s/eps). scale: s/eps > 0."""

    scale: float

    def __post_init__(self) -> None:
        positive("s/eps (scale)", self.scale)

    def release(self, values: Any, noise: Noise, index: int = 0) -> NDArray[np.int64]:
        """values: the queries' answers (n,). Returns the released index, (trials,)."""
        answers = finite_answers(values)
        noisy = answers + self.scale * noise.laplace("Z", index, answers.shape)  # line 1
        return np.asarray(noisy.argmax(axis=1))  # line 2


@dataclass(frozen=True)
class GaussianNoisyMax:
    """Algorithm 4: the argmax of f_i + N(0, sigma_i^2). scales: sigma_i > 0, one per query."""

    scales: tuple[float, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.scales, tuple | list | np.ndarray) or not len(self.scales):
            raise ValueError(f"sigma (scales) is {self.scales!r}; it must be a tuple of numbers, one per query")
        for i, scale in enumerate(self.scales):
            positive(f"sigma_{i} (scales)", scale)

    def release(self, values: Any, noise: Noise, index: int = 0) -> NDArray[np.int64]:
        """values: the queries' answers (n,). Returns the released index, (trials,)."""
        answers = finite_answers(values, len(self.scales))
        noisy = answers + np.asarray(self.scales) * noise.normal("X", index, answers.shape)  # line 1
        return np.asarray(noisy.argmax(axis=1))  # line 2

    def law(self, values: Any) -> Array:
        """The exact law of the released index, (n,)."""
        answers = finite_answers(values, len(self.scales))
        return np.asarray(argmax_law(answers[None, :], np.asarray(self.scales)[None, :])[0])


class Step(NamedTuple):
    """A one-shot mechanism on two neighbouring inputs: the query values (n,) on either side."""

    mechanism: Any
    left: tuple[float, ...]
    right: tuple[float, ...]
    sensitivities: tuple[float, ...]  # s_i: how far query i may move between neighbours


def finite_answers(values: Any, queries: int | None = None) -> Array:
    """The queries' answers as an array (n,); ValueError for another shape or an entry that is not finite."""
    answers = reals("query answers", values)
    if answers.ndim != 1 or (queries is not None and len(answers) != queries):
        wanted = "n" if queries is None else queries
        raise ValueError(f"query answers: shape {answers.shape}, expected ({wanted},), one answer per query")
    if not np.isfinite(answers).all():
        raise ValueError(f"query answers: {answers.tolist()}; every answer must be finite")
    return answers
