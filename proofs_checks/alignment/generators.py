"""A generator for code that plays one run: like numpy's, but its draws are symbols, or the numbers that represent them.

Code with a generator of its own calls `rng.laplace(0, 1 / eps)` instead of a policy's noise. It receives a
`NoiseGenerator` instead of numpy's `Generator`. Location and scale are applied explicitly, so that every draw is
standard. Unsupported methods are refused, and so is every other access to the bits of a generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import expm1, log1p, prod
from operator import index as whole
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dpbandits.proofs_checks.alignment.forms import (
    SIMPLEST,
    Form,
    FormArray,
    NotLinear,
    Symbol,
    draw_symbol,
    policy_line,
)

MOST_OUTCOMES = 100  # of a finite draw; more are a seed, say
MOST_DRAWS = 10_000  # of a run; code that draws until something happens may never end on symbols
FOLLOWED = frozenset(
    (
        "random", "uniform", "laplace", "normal", "standard_normal", "exponential", "standard_exponential", "gumbel",
        "geometric", "integers", "choice", "binomial", "permutation", "shuffle",
    )
)  # fmt: skip
OWN = frozenset(
    (
        "_single", "_made", "_next", "_several", "_standard", "_located", "_finite", "_without_return", "_bits",
        "_tape", "_missing", "_prescribed", "_write",
    )
)  # fmt: skip
Size = int | tuple[int, ...] | None
PROBABILITY_ROUNDING = 2.0**-51  # absolute: two units of the last place of a number near 1
PROBABILITIES_ADD_UP = 2.0**-26  # as numpy's own check does: the square root of a double's spacing


class ClosedBits(np.random.PCG64):
    """The bits of a generator that nobody may read or copy. closed: whether reading is refused; numpy's class reads
    them once before."""

    closed = False

    def __getattribute__(self, name: str) -> Any:
        """The attribute; raises NotLinear if the policy reads raw random bits."""
        if name in ("closed", "__class__", "__dict__") or not self.closed:
            return super().__getattribute__(name)
        raise NotLinear(f"the policy reads the raw bits of the generator, which is not supported, at {policy_line()}")

    def position(self) -> tuple[str, int]:
        """The state of the bit generator and the number of spawned children, to detect whether either was used."""
        seeds: Any = np.random.BitGenerator.seed_seq.__get__(self)  # numpy's stubs know only an interface
        return repr(np.random.PCG64.state.__get__(self)), seeds.n_children_spawned


class NoiseGenerator(np.random.Generator):
    """The supported part of numpy's Generator.

    single: makes the draw of a symbol, a form or a number. The n-th draw of a generator has the name n, so that code
    that plays a run again from its start gets the same draws.
    """

    def __init__(self, single: Callable[[Symbol], Any]) -> None:
        """A generator whose draws are symbols. single: makes the symbol of a single draw."""
        bits = ClosedBits(0)
        super().__init__(bits)
        self._single, self._made, self._bits = single, 0, (bits, bits.position())
        bits.closed = True

    def __getattribute__(self, name: str) -> Any:
        """The attribute; raises NotLinear for a method of numpy's Generator that cannot be traced."""
        if name in FOLLOWED or name in OWN or name.startswith("__") or not hasattr(np.random.Generator, name):
            return super().__getattribute__(name)
        raise NotLinear(f"rng.{name} is not supported, at {policy_line()}")

    def __setattr__(self, name: str, value: object) -> None:
        """Sets an attribute of this class; raises AttributeError for any other, like numpy's Generator."""
        if name not in OWN:
            raise AttributeError(f"'numpy.random._generator.Generator' object has no attribute {name!r}")
        super().__setattr__(name, value)

    def __copy__(self) -> NoReturn:
        """Raises NotLinear: a copied generator would repeat draws."""
        raise NotLinear(
            f"a copy of the generator, which repeats the draws of the original, is not supported, at {policy_line()}"
        )

    def __deepcopy__(self, memo: object) -> NoReturn:
        """Raises NotLinear: a copied generator would repeat draws."""
        self.__copy__()

    def __reduce__(self) -> NoReturn:
        """Raises NotLinear: a pickled generator would repeat draws."""
        self.__copy__()

    __getstate__ = __copy__  # type: ignore[assignment]

    def demand_untouched(self) -> None:
        """Raises NotLinear if a method of numpy's class has drawn raw bits, for which there are no symbols."""
        bits, before = self._bits
        if ClosedBits.position(bits) != before:
            raise NotLinear("the code draws from the raw bits of its generator, which is not supported")

    # -- draws -----------------------------------------------------------------------------------------------------

    def _next(self, kind: str, rate: Fraction = Fraction(1), weights: tuple[float, ...] = ()) -> Any:
        """The next draw of this kind, as `single` makes it. Raises NotLinear after MOST_DRAWS draws in one run."""
        self._made += 1
        if self._made > MOST_DRAWS:
            raise NotLinear(f"more than {MOST_DRAWS} draws in a run, at {policy_line()}")
        return self._single(draw_symbol(kind, ("generator", self._made), rate, weights))

    def _several(self, shape: tuple[int, ...] | None, draw: Callable[[], Any], whole_numbers: bool = False) -> Any:
        """An array with one call of `draw` for each entry of the shape; a single draw if the shape is None."""
        if shape is None:
            return draw()
        drawn = [draw() for _ in range(prod(shape))]
        if not any(isinstance(each, Form) for each in drawn):
            return np.array(drawn, dtype=np.int64 if whole_numbers else np.float64).reshape(shape)
        made = np.empty(len(drawn), dtype=object)
        made[:] = drawn
        return made.reshape(shape).view(FormArray)

    def _standard(self, kind: str, size: Size, dtype: DTypeLike, out: object) -> Any:
        """Standard draws of this kind, in the shape `size`. Raises NotLinear for another dtype, or with `out`."""
        if out is not None or np.dtype(dtype) != np.float64:
            raise NotLinear(
                f"a draw with another dtype, or with the argument `out`, is not supported, at {policy_line()}"
            )
        return self._several(shape_of(size), lambda: self._next(kind))

    def _located(self, kind: str, loc: Any, scale: Any, size: Size) -> Any:
        """loc + scale * draw, for standard draws of this kind. The scale is a plain number, or an array of them."""
        if (np.asarray(scale, dtype=np.float64) < 0).any():
            raise ValueError("scale < 0")
        return loc + scale * self._several(shape_of(size, loc, scale), lambda: self._next(kind))

    def _finite(self, weights: Sequence[float]) -> int:
        """A random index, drawn with these weights. Raises NotLinear for more than MOST_OUTCOMES weights."""
        possible = [place for place, weight in enumerate(weights) if weight > 0]
        if len(weights) > MOST_OUTCOMES:
            raise NotLinear(
                f"a draw from {len(weights)} possible values is not supported (if it is a seed, draw from `rng` "
                f"itself), at {policy_line()}"
            )
        return possible[0] if len(possible) == 1 else int(self._next("finite", weights=tuple(map(float, weights))))

    def random(self, size: Size = None, dtype: DTypeLike = np.float64, out: object = None) -> Any:  # type: ignore[override]
        """Draws with the distribution and the arguments of numpy's `random`: uniform in [0, 1)."""
        return self._standard("uniform", size, dtype, out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Size = None) -> Any:  # type: ignore[override]
        """Draws with the distribution and the arguments of numpy's `uniform`."""
        length = high - low if np.ndim(high) == np.ndim(low) == 0 else np.subtract(high, low)
        return low + length * self._several(shape_of(size, low, length), lambda: self._next("uniform"))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:  # type: ignore[override]
        """Draws with the distribution and the arguments of numpy's `laplace`."""
        return self._located("laplace", loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:  # type: ignore[override]
        """Draws with the distribution and the arguments of numpy's `normal`."""
        return self._located("normal", loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:  # type: ignore[override]
        """Draws with the distribution and the arguments of numpy's `gumbel`."""
        return self._located("gumbel", loc, scale, size)

    def exponential(self, scale: Any = 1.0, size: Size = None) -> Any:  # type: ignore[override]
        """Draws with the distribution and the arguments of numpy's `exponential`."""
        return self._located("exponential", 0, scale, size)

    def standard_normal(  # type: ignore[override]
        self, size: Size = None, dtype: DTypeLike = np.float64, out: object = None
    ) -> Any:
        """Draws with the distribution and the arguments of numpy's `standard_normal`."""
        return self._standard("normal", size, dtype, out)

    def standard_exponential(  # type: ignore[override]
        self, size: Size = None, dtype: DTypeLike = np.float64, method: str = "zig", out: object = None
    ) -> Any:
        """Draws with the distribution and the arguments of numpy's `standard_exponential`."""
        return self._standard("exponential", size, dtype, out)

    def geometric(self, p: Any, size: Size = None) -> Any:  # type: ignore[override]
        """Draws with the distribution of numpy's `geometric`, for a single success probability p."""
        if np.ndim(p):
            raise NotLinear(
                "`geometric` with an array of probabilities is not supported; make one call for each probability, at "
                f"{policy_line()}"
            )
        chance = float(p)
        if not 0 < chance <= 1:
            raise ValueError("p must be in (0, 1]")
        if chance == 1:
            return self._several(shape_of(size), lambda: 1, True)
        rate = rate_of_success_probability(chance)
        return self._several(shape_of(size), lambda: self._next("geometric", rate), True)

    def binomial(self, n: Any, p: Any, size: Size = None) -> Any:  # type: ignore[override]
        """Draws with the distribution of numpy's `binomial`, for n = 1."""
        if np.ndim(n) or np.ndim(p) or n != 1:
            raise NotLinear(f"a binomial draw is supported only for n = 1, at {policy_line()}")
        chance = float(p)
        if not 0 <= chance <= 1:
            raise ValueError("p must be in [0, 1]")
        return self._several(shape_of(size), lambda: self._finite((1 - chance, chance)), True)

    def integers(  # type: ignore[override]
        self, low: Any, high: Any = None, size: Size = None, dtype: DTypeLike = np.int64, endpoint: bool = False
    ) -> Any:
        """Draws with the distribution of numpy's `integers`, from one range of at most MOST_OUTCOMES integers."""
        if np.ndim(low) or np.ndim(high):
            raise NotLinear(
                f"`integers` with an array of ranges is not supported; make one call for each range, at {policy_line()}"
            )
        first, last = (0, int(low)) if high is None else (int(low), int(high))
        many = last - first + bool(endpoint)
        if many < 1:
            raise ValueError("low >= high")
        if many > MOST_OUTCOMES:
            raise NotLinear(
                f"a draw from {many} possible values is not supported (if it is a seed, draw from `rng` "
                f"itself), at {policy_line()}"
            )
        drawn = self._several(shape_of(size), lambda: first + self._finite((1 / many,) * many), True)
        return np.asarray(drawn).astype(dtype)[()]

    # -- choices ---------------------------------------------------------------------------------------------------

    def choice(  # type: ignore[override]
        self, a: Any, size: Size = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Draws with the distribution of numpy's `choice`, from a one-dimensional `a`."""
        values = np.arange(whole(a)) if np.ndim(a) == 0 else np.asarray(a)
        if axis != 0 or values.ndim != 1:
            raise NotLinear(f"a choice among the rows of an array is not supported, at {policy_line()}")
        if not len(values):
            raise ValueError("a cannot be empty")
        weights = checked_probabilities(p, len(values))
        shape = shape_of(size)
        if replace or shape is None:
            place = self._several(shape, lambda: self._finite(weights), True)
        elif p is None and prod(shape) <= len(values):
            place = np.array(self._without_return(len(values))[: prod(shape)], dtype=np.int64).reshape(shape)
        else:
            raise NotLinear(
                f"choice without replacement is supported only without p and for at most all {len(values)} entries, at "
                f"{policy_line()}"
            )
        if np.ndim(a) == 0 and shape is None:
            return int(place)
        chosen = values[place]
        return chosen.view(FormArray) if isinstance(chosen, np.ndarray) and chosen.dtype == object else chosen

    def _without_return(self, n: int) -> list[int]:
        """All indices 0, ..., n - 1 in random order."""
        rest = [*range(n)]
        return [rest.pop(self._finite((1 / len(rest),) * len(rest))) for _ in range(n)]

    def permutation(self, x: Any, axis: int = 0) -> Any:  # type: ignore[override]
        """A random permutation of x along the first axis, like numpy's `permutation`."""
        values = np.arange(whole(x)) if np.ndim(x) == 0 else np.array(x)
        if axis != 0:
            raise NotLinear(f"a permutation along another axis than the first is not supported, at {policy_line()}")
        return values[self._without_return(len(values))]

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Shuffles a list or a one-dimensional array in place, like numpy's `shuffle`."""
        if axis != 0 or np.ndim(x) != 1:
            raise NotLinear(f"a shuffle of the rows of an array is not supported, at {policy_line()}")
        x[:] = [x[place] for place in self._without_return(len(x))]


def rate_of_success_probability(p: float) -> Fraction:
    """The rate a for which geometric draws with success probability `p` have 1 - exp(-a) = p.
    A simple fraction if the probability rounds to one, otherwise a double. p: in (0, 1)."""
    exact = Fraction(-log1p(-p))
    simple = exact.limit_denominator(SIMPLEST)
    return simple if simple > 0 and abs(-expm1(-float(simple)) - p) <= PROBABILITY_ROUNDING else exact


def shape_of(size: Size, *given: ArrayLike) -> tuple[int, ...] | None:
    """The shape of the requested draws; None for a single number.
    Raises ValueError, like numpy, if `size` does not fit the parameters."""
    shapes = [np.shape(each) for each in given]
    if size is None:
        together = np.broadcast_shapes(*shapes)
        return together or None
    asked = (whole(size),) if np.ndim(size) == 0 else tuple(map(whole, size))  # type: ignore[arg-type]
    if np.broadcast_shapes(asked, *shapes) != asked:
        raise ValueError(f"Output size {asked} is not compatible with broadcast dimensions of inputs")
    return asked


def checked_probabilities(p: Iterable[float] | None, n: int) -> tuple[float, ...]:
    """The probabilities p of n outcomes, as floats; all equal if p is None.
    Raises ValueError where numpy does."""
    if p is None:
        return (1 / n,) * n
    weights = tuple(float(each) for each in p)
    if len(weights) != n:
        raise ValueError("'a' and 'p' must have same size")
    if min(weights) < 0 or not abs(sum(weights) - 1) <= PROBABILITIES_ADD_UP:
        raise ValueError("probabilities must be non-negative and sum to 1")
    return weights
