"""Features of the bits of outputs. Bits can distinguish a program's inputs even if the real numbers that they represent
cannot.

    the grid        the lowest set bit, with the sign and the size: a sum lies on the grid of its coarser summand
    the last bits   the last bits of the significand
    membership      whether Laplace noise by inversion of a 53-bit uniform can give the number around a centre
    products        whether the centre plus some double times the scale, both rounded, can give the number

For normal noise, products are the only membership feature. Numpy's sampler, a ziggurat of 256 layers, multiplies 52
random bits by a layer's number, and the layers together give nearly every double from 2^-6 to 3.2 deviations. Smaller
draws, one in 80, have gaps: around 0 the grid reveals these draws, around other centres rounding in the sum removes
the gaps. Larger draws, one in 900, come from few layers, and 7 to 22 % of the doubles up to 3.65 are impossible.
Neither of these gaps is tested, and no audit samples the end of the range at 12.2 deviations. If the scale is a power
of 2, or the centre is many scales away, products exclude few or no numbers.

Mironov 2012; Haney, Desfontaines, Hartman, Shrestha and Hay 2022. Each feature turns the numbers of a column into codes
for the `classifier`. It is a function of the output alone, so it cannot refute a guarantee that the program satisfies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.privacy.scores.classifier import CODES, Candidate, Feature, candidates
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import is_number
from dpbandits.reference.bandits.noise import Array

BIT_COLUMNS = 16  # of so many numbers of an output, evenly chosen, the bits are looked at
SIGNIFICAND_BITS = 53  # of a double
LAST_BITS = 10  # that are read as they are: `output_features.BINARY_DIGITS` more are read as numbers
UNIFORM_STEPS = 2.0**53  # of 2 u and 2 - 2 u, for u of 53 bits: Laplace noise by inversion is +-log(k/UNIFORM_STEPS)
FAR_SCALES = 6.0  # so far out, and farther, most numbers are not given: they count together
HALF_UNIT = 2.0**-53  # what one operation rounds a double by, relative to its size
MANY_KNOWN = 1_000  # outputs that a factor is tried on
NEARBY_SCALE = 0.05  # a scale that is a guess is tried where the spread is so near to it

Codes = Callable[[Array], Array]
CanGive = Callable[[float, float, Array], NDArray[np.bool_]]  # of a centre and a scale: which numbers (n,) it can give


class Guess(NamedTuple):
    """The guessed noise of either side: centres, (columns,) each, and for every column a scale for Laplace noise, and a
    factor by which a sampler may multiply its draws."""

    left: Array
    right: Array
    scale: Array
    factor: Array


def bit_scores(left: Array, right: Array, guessed: Guess | None = None) -> Iterator[Candidate]:
    """Yields scores that are learned from the bits of the outputs left and right, (n, d).
    guessed: centres and scales of the noise."""
    return candidates(bit_features(left.shape[1], guessed), left, right)


def bit_features(columns: int, guessed: Guess | None = None) -> list[Feature]:
    """The features of the bits of outputs that consist of `columns` numbers.
    guessed: centres and scales of the noise; without them there are no features of membership and products."""
    places = np.unique(np.linspace(0, columns - 1, BIT_COLUMNS).astype(int)).tolist()
    codes: dict[str, Callable[[int], Codes]] = {
        "the grid of the output": lambda _: grid_codes,
        "the last bits": lambda _: last_bits,
    }
    if guessed is not None:
        codes["what Laplace noise can give"] = partial(memberships_at, guessed, guessed.scale, can_give)
        codes["what a product with the scale can give"] = partial(memberships_at, guessed, guessed.factor, can_multiply)
    return [
        Feature(name, partial(codes_of_columns, [(place, codes_at(place)) for place in places]), CODES)
        for name, codes_at in codes.items()
    ]


def codes_of_columns(every: list[tuple[int, Codes]], outputs: Array) -> Array:
    """The codes of selected numbers of each output, (n, d) to (n, columns).
    every: the place of each selected number, and the function that encodes it."""
    return np.stack([codes(outputs[:, place]) for place, codes in every], axis=1)


def significands(numbers: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The significands of numbers (n,) as integers of 53 bits without sign, and their exponents.
    For a number that is not finite, the significand is 0 and the exponent encodes its kind."""
    finite = np.isfinite(numbers)
    parts, exponents = np.frexp(np.where(finite, np.abs(numbers), 0.0))
    kinds = 2000 + np.isnan(numbers)
    whole = np.ldexp(parts, SIGNIFICAND_BITS).astype(np.int64)
    return whole, np.where(finite, exponents, kinds).astype(np.int64)


def grid_codes(numbers: Array) -> Array:
    """The lowest set bit, the exponent and the sign of each number, (n,), as one integer."""
    whole, exponents = significands(numbers)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1]  # 0 for 0, else 1 and more
    return ((exponents * 64 + lowest) * 2 + np.signbit(numbers)).astype(np.float64)


def last_bits(numbers: Array) -> Array:
    """The last LAST_BITS bits of the significand of each number, (n,)."""
    return np.asarray(significands(numbers)[0] % 2**LAST_BITS, dtype=np.float64)


def memberships_at(guessed: Guess, scales: Array, can: CanGive, place: int) -> Codes:
    """Returns the function `memberships` for one number of an output, with its guessed centres and scale."""
    left, right, scale = (float(part[place]) for part in (guessed.left, guessed.right, scales))
    return partial(memberships, can, left, right, scale)


def memberships(can: CanGive, left: float, right: float, scale: float, numbers: Array) -> Array:
    """Returns a code for each number, (n,): which of the two centres, with noise of this scale, can give the number.
    The code also contains how many scales the number is away from the left centre."""
    far = np.where(np.isfinite(numbers), np.abs(numbers - left) / scale, 0.0)
    either = can(left, scale, numbers) + 2.0 * can(right, scale, numbers)
    return np.asarray(4 * np.floor(np.minimum(far, FAR_SCALES)) + either)


def can_give(centre: float, scale: float, numbers: Array) -> NDArray[np.bool_]:
    """Whether each number, (n,), equals centre +- scale log(k/UNIFORM_STEPS) up to rounding.
    k may be any of 1, 2, ..., UNIFORM_STEPS."""
    with np.errstate(invalid="ignore", over="ignore"):
        away = np.abs(numbers - centre) / scale
        steps = UNIFORM_STEPS * el.exp(-np.where(np.isfinite(away), away, 0.0))
        # The sum is rounded as a number of its size; logarithm, product and quotient as `away`; and the exponential.
        rounded = HALF_UNIT * (np.abs(numbers) / scale + 3 * away + 2)
        return np.asarray(np.abs(steps - np.rint(steps)) <= steps * rounded)


def can_multiply(centre: float, factor: float, numbers: Array) -> NDArray[np.bool_]:
    """Whether centre + factor x equals each number, (n,), for some double x, with product and sum rounded.
    If the products are denser than the numbers around them, some product always fits, so trying five is enough."""
    with np.errstate(invalid="ignore", over="ignore"):
        product = below = above = np.asarray(numbers - centre)
        found = (centre + product == numbers) & is_product(factor, product)
        for _ in range(2):
            below, above = np.nextafter(below, -np.inf), np.nextafter(above, np.inf)
            for other in (below, above):
                found |= (centre + other == numbers) & is_product(factor, other)
        return np.asarray(found)


def is_product(factor: float, numbers: Array) -> NDArray[np.bool_]:
    """Whether some double times the factor is rounded to each number, (n,)."""
    x = numbers / factor
    every = [factor * each == numbers for each in (np.nextafter(x, -np.inf), x, np.nextafter(x, np.inf))]
    return np.asarray(np.any(every, axis=0))


def likely_factor(centre: float, known: Array, likely: list[float]) -> float:
    """Returns the factor that explains most of the outputs (n,), among likely factors and the doubles next to them.
    Among equals, it is the factor whose neighbouring doubles explain fewest outputs."""
    some = [each for each in likely if 0 < each < np.inf]
    near = [*some, *(float(np.nextafter(each, to)) for each in some for to in (0.0, np.inf))]
    these = known[:MANY_KNOWN]
    others = np.nextafter(these, np.inf)

    def explained(factor: float) -> tuple[int, int]:
        """Returns how many known outputs the factor explains, and minus the number that doubles next to them have."""
        own, foreign = (int(can_multiply(centre, factor, each).sum()) for each in (these, others))
        return own, -foreign

    return max(near, key=explained)


def guess(left: Any, right: Any, known: Array, number: float, delta: float) -> Guess | None:
    """Guesses the centre, scale and factor of the noise, if the inputs are numbers or lists of numbers.
    The centre is the input itself, its sum, its running sums or its mean, whichever is nearest to the median of the
    outputs on the left, `known`, (n, d). The scale is the sensitivity of this centre over the claimed `number`, or the
    spread to two digits. The factor is one of these, the standard deviation to two digits, or a usual value for normal
    noise and a delta. Outputs that are not finite are ignored. None for other inputs, or if no centre differs between
    the inputs."""
    try:
        sides = [np.atleast_1d(np.asarray(side, dtype=np.float64)) for side in (left, right)]
    except (TypeError, ValueError):
        return None
    columns, known = known.shape[1], known[np.isfinite(known).all(axis=1)]
    shapes = {each.shape for each in sides}
    if len(shapes) > 1 or sides[0].ndim > 1 or not len(known) or not all(np.isfinite(each).all() for each in sides):
        return None
    middle = np.median(known, axis=0)
    ways = (lambda x: x, np.cumsum, np.sum, np.mean)
    tried = [
        [np.broadcast_to(way(side), (columns,)) for side in sides]
        for way in ways
        if np.size(way(sides[0])) in (1, columns)
    ]
    if not tried:
        return None
    one, other = min(tried, key=lambda both: float(np.abs(both[0] - middle).max()))
    with np.errstate(over="ignore", invalid="ignore"):
        spread, deviations = np.abs(known - one).mean(axis=0), [float(column.std()) for column in known.T]
    moved = float(np.abs(one - other).max())
    if not (moved > 0 and ((spread > 0) & (spread < np.inf)).all() and is_number(number)):
        return None
    by_claim = moved / number if number > 0 else 0.0
    two_digits = np.array([float(f"{each:.1e}") for each in spread])
    normal = by_claim * float(np.sqrt(2 * el.log(1.25 / delta))) if 0 < delta < 1 else 0.0
    factors = [
        likely_factor(float(centre), column, [by_claim, normal, digits, float(f"{width:.1e}")])
        for centre, column, digits, width in zip(one, known.T, two_digits, deviations, strict=True)
    ]
    scale = np.where(np.abs(by_claim - spread) <= NEARBY_SCALE * spread, by_claim, two_digits)
    return Guess(one, other, scale, np.array(factors))
