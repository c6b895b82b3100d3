"""Linear forms in noise and rewards, and numpy arrays of them, with which a policy computes instead of numbers.

A policy that is run on forms computes, for every number, its coefficients of each draw and of each reward. A comparison
of two forms asks the run which outcome to follow (see `branches`). Every operation that is not linear raises
`NotLinear`, which names the line of the policy.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import lru_cache, wraps
from itertools import combinations, product
from math import inf, isinf, isnan, nan
from pathlib import Path
from threading import get_ident
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, NoReturn, Protocol

import numpy as np
import scipy

from dpbandits.reference.bandits import noise
from dpbandits.reference.bandits.passing import State, mapped_state

Coefficients = dict[int, Fraction]  # of symbols, by their numbers; none is 0
SIMPLEST = 10**5  # the largest denominator of a fraction that a double is read as
LARGEST_NUMERATOR = 100  # of a fraction with a larger denominator
ROUNDING = Fraction(1, 2**51)  # relative, of a factor: two units of the last place of a double
OWN_FILES = (str(Path(__file__).parent), noise.__file__, np.__path__[0], copy.__file__)
LIBRARIES = (*OWN_FILES, scipy.__path__[0])
CONTINUOUS = ("laplace", "normal", "uniform", "exponential", "gumbel")  # equal to a number with probability 0
MOVABLE = {"laplace": ("laplace", "exponential", "gumbel", "geometric"), "normal": ("normal",)}  # which move together
ONE_SIDED = ("exponential", "gumbel", "geometric")  # draws that move upwards alone
WHOLE = ("geometric",)  # draws that are whole numbers, and move by whole numbers


class NotLinear(Exception):
    """A value that is no linear form of noise and rewards, or a use of one that this method cannot follow.

    made: the messages so far. A policy that catches the error continues in a way in which it would not on numbers, so
    the code that runs a policy checks afterwards whether this list has grown.
    """

    made: ClassVar[list[str]] = []

    def __init__(self, message: str) -> None:
        """Stores the message, also in the list of all messages so far."""
        super().__init__(message)
        NotLinear.made.append(message)


def policy_line() -> str:
    """The file and line of the policy's code that is running, "mine.py:12"."""
    place = line_outside(OWN_FILES)
    return code_line(*place) if place is not None else "an unknown line"


def line_outside(files: tuple[str, ...]) -> tuple[str, int] | None:
    """The file and line of the innermost running code outside these files and folders; None if there is none.
    files: the beginnings of excluded paths."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(files):
        frame = frame.f_back
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


@lru_cache(maxsize=2**12)
def code_line(file: str, line: int | str) -> str:
    """The text that names a line of code: file name and line, or "line 3 of a notebook cell"."""
    path = Path(file)
    return f"line {line} of a notebook cell" if path.parent.name.startswith("ipykernel_") else f"{path.name}:{line}"


@lru_cache(maxsize=2**16)
def rational(value: float) -> Fraction:
    """The simplest fraction that rounds to this double.
    It has a denominator up to 100 000 (1/3 for 0.333...), or a larger denominator and a numerator up to 100 (1/123457);
    otherwise the double itself. Different doubles give different fractions, in the same order. value: finite."""
    return simple_near(Fraction(value), lambda simple: float(simple) == value)


@lru_cache(maxsize=2**16)
def rational_factor(value: Fraction) -> Fraction:
    """A simple fraction for a factor of noise or rewards, or for a claimed eps or mu.
    As `rational`, but the number may have been computed with rounding, and so be off by two units of a double's last
    place."""
    return simple_near(value, lambda simple: abs(simple - value) <= ROUNDING * abs(value))


def simple_near(exact: Fraction, is_near: Callable[[Fraction], bool]) -> Fraction:
    """A simple fraction for which is_near(fraction) is true; the number `exact` itself if none is found."""
    simple = exact.limit_denominator(SIMPLEST)
    if not is_near(simple) and 0 < abs(exact) < 1:
        simple = 1 / (1 / exact).limit_denominator(LARGEST_NUMERATOR)
    return simple if is_near(simple) else exact


class Symbol(NamedTuple):
    """A draw or a reward.

    kind: of a draw "laplace", "normal", "uniform", "exponential", "gumbel" (all of them standard), "geometric" (1, 2,
    ...) or "finite" (0, ..., m - 1, which is never part of a form); or "reward": the reward of an arm in one step.
    name: its address, or (step, arm). low, high: its range. sensitivity: how far a reward can move when one entry of
    the table changes; 0 for draws. rate: the cost of moving a draw by 1; a geometric draw has the success probability 1
    - exp(-rate). two_valued: whether a reward moves by its sensitivity or not at all. weights: the probabilities of a
    finite draw.
    """

    kind: str
    name: tuple[Any, ...]
    low: Fraction | float = -inf
    high: Fraction | float = inf
    sensitivity: Fraction = Fraction(0)
    rate: Fraction = Fraction(1)
    two_valued: bool = False
    weights: tuple[float, ...] = ()


RANGES: dict[str, tuple[Fraction | float, Fraction | float]] = {
    "uniform": (Fraction(0), Fraction(1)),
    "exponential": (Fraction(0), inf),
    "geometric": (Fraction(1), inf),
}  # in which draws lie; draws of other kinds are any real numbers


def draw_symbol(
    kind: str, name: tuple[Hashable, ...], rate: Fraction = Fraction(1), weights: tuple[float, ...] = ()
) -> Symbol:
    """The symbol of a draw of this kind, with the range of such draws."""
    low, high = RANGES.get(kind, (-inf, inf))
    return Symbol(kind, name, low, high, rate=rate, weights=weights)


class Run(Protocol):
    """The symbols of a run, and the outcomes of its comparisons."""

    @property
    def symbols(self) -> list[Symbol]:
        """The symbols of the run, by number."""

    def number_of(self, symbol: Symbol) -> int:
        """The index of a symbol; a new symbol gets a new index."""
        ...

    def positive(self, form: Form, strict: bool) -> bool:
        """Whether the form is above 0, or at least 0 if not strict. The form has a finite constant and a symbol."""
        ...

    def largest(self, forms: Sequence[Form]) -> int:
        """The index of the largest of two or more forms, the first if several are equal. Their constants are finite."""
        ...

    def drawn(self, symbol: Symbol) -> int:
        """The outcome that this run takes for a finite draw."""
        ...


class Form:
    """A linear form: the sum of coefficients times symbols, plus a constant.

    run: the run of its symbols. coefficients: exact, without zeros. constant: a fraction, or inf, -inf.
    """

    __slots__ = ("coefficients", "constant", "run")
    __array_priority__ = 1000

    def __init__(self, run: Run, coefficients: Coefficients, constant: Fraction | float = Fraction(0)) -> None:
        """A linear form of a run: a constant, and a coefficient for each symbol."""
        self.run, self.coefficients, self.constant = run, coefficients, constant

    # -- linear ----------------------------------------------------------------------------------------------------

    def plus(self, other: object, sign: int) -> Form:
        """self + other for sign 1, self - other for sign -1. Raises NotLinear if `other` is no number."""
        if not isinstance(other, Form):
            constant = constant_of(other)
            return Form(self.run, self.coefficients, total(self.constant, constant if sign > 0 else -constant))
        summed = dict(self.coefficients)
        for symbol, factor in other.coefficients.items():
            value = factor if sign > 0 else -factor
            if symbol not in summed:
                summed[symbol] = value
            elif new := summed[symbol] + value:
                summed[symbol] = new
            else:
                del summed[symbol]
        return Form(self.run, summed, total(self.constant, other.constant if sign > 0 else -other.constant))

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class that isinstance sees, float, so that code treats forms as floats.
        Code may have a separate branch for floats."""
        return float

    def __add__(self, other: object) -> Form:
        """The form self + other; NotImplemented for an array, which adds each entry."""
        return NotImplemented if isinstance(other, np.ndarray) else self.plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> Form:
        """The form self - other; NotImplemented for an array."""
        return NotImplemented if isinstance(other, np.ndarray) else self.plus(other, -1)

    def __rsub__(self, other: object) -> Form:
        """The form other - self; NotImplemented for an array."""
        return NotImplemented if isinstance(other, np.ndarray) else (-self).plus(other, 1)

    def __neg__(self) -> Form:
        """The form -self."""
        return Form(self.run, {symbol: -value for symbol, value in self.coefficients.items()}, -self.constant)

    def __pos__(self) -> Form:
        """The form itself, unchanged."""
        return self

    def __mul__(self, other: object) -> Form:
        """The form self * other; NotImplemented for an array. Raises NotLinear for the product of two noisy values."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, Form):
            if self.coefficients and other.coefficients:
                self.refused("a product")
            if not other.coefficients:
                return self.times(other.constant)
            return other.times(self.constant)
        return self.times(constant_of(other))

    __rmul__ = __mul__

    def times(self, factor: Fraction | float) -> Form:
        """self * factor."""
        if isinstance(factor, float):  # infinite
            if self.coefficients:
                raise NotLinear(
                    f"a noisy or secret value is multiplied by {factor}, which is not supported, at {policy_line()}"
                )
            return Form(self.run, {}, float(self.constant) * factor)
        if not factor:
            return Form(self.run, {}, Fraction(0) if isinstance(self.constant, Fraction) else nan)
        if factor == 1:
            return self
        if self.coefficients and factor.denominator > 1:
            factor = rational_factor(factor)
        constant = self.constant * float(factor) if isinstance(self.constant, float) else self.constant * factor
        multiplied = {symbol: factor if value == 1 else value * factor for symbol, value in self.coefficients.items()}
        return Form(self.run, multiplied, constant)

    def __truediv__(self, other: object) -> Form:
        """The form self / other; NotImplemented for an array. Raises NotLinear for a divisor with draws or rewards."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, Form):
            if other.coefficients:
                self.refused("a division")
            other = other.constant
        divisor = constant_of(other)
        if not divisor:
            raise NotLinear(f"the policy divides by 0, at {policy_line()}")
        return self.times(Fraction(0) if isinstance(divisor, float) else 1 / divisor)

    def __rtruediv__(self, other: object) -> Form:
        """The form other / self; NotImplemented for an array. Raises NotLinear if this form has draws or rewards."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.lifted(other) / self

    def lifted(self, other: object) -> Form:
        """The other value (a form or a number) as a form of the same run."""
        return other if isinstance(other, Form) else Form(self.run, {}, constant_of(other))

    def __pow__(self, exponent: Any) -> Form:
        """self ** exponent, for a constant form or the exponent 1. Raises NotLinear for other powers."""
        if isinstance(exponent, Form):
            exponent = exponent.plain()
        if not self.coefficients:
            return Form(self.run, {}, constant_of(float(self.constant) ** exponent))
        return self if exponent == 1 else self.refused("a power")

    def refused(self, operation: str) -> NoReturn:
        """Raises NotLinear: this operation is not supported for noisy or secret values."""
        raise NotLinear(f"{operation} of noisy or secret values is not supported, at {policy_line()}")

    # -- compared --------------------------------------------------------------------------------------------------

    def above(self, other: object, strict: bool) -> bool:
        """Whether self > other if strict, otherwise whether self >= other.
        The run decides what depends on draws or rewards."""
        apart = self - other
        if not apart.coefficients or isinstance(apart.constant, float):
            if isinstance(apart.constant, float) and isnan(apart.constant):
                raise NotLinear(f"a comparison of inf with inf is not supported, at {policy_line()}")
            return bool(apart.constant > 0 or (not strict and apart.constant == 0))
        return self.run.positive(apart, strict)

    def __gt__(self, other: object) -> bool:
        """Whether self > other; NotImplemented for an array, which compares each entry."""
        return NotImplemented if isinstance(other, np.ndarray) else self.above(other, True)

    def __ge__(self, other: object) -> bool:
        """Whether self >= other; NotImplemented for an array."""
        return NotImplemented if isinstance(other, np.ndarray) else self.above(other, False)

    def __lt__(self, other: object) -> bool:
        """Whether self < other; NotImplemented for an array."""
        return NotImplemented if isinstance(other, np.ndarray) else not self.above(other, False)

    def __le__(self, other: object) -> bool:
        """Whether self <= other; NotImplemented for an array."""
        return NotImplemented if isinstance(other, np.ndarray) else not self.above(other, True)

    def equals(self, other: object) -> bool:
        """Whether self == other; raises NotLinear for other noisy or secret values.
        A form with continuous noise never equals another value, because this has probability 0."""
        apart = self - other
        if not apart.coefficients or isinstance(apart.constant, float):
            if isnan(apart.constant):
                raise NotLinear(f"a comparison of inf with inf is not supported, at {policy_line()}")
            return bool(apart.constant == 0)
        kinds = {self.run.symbols[each].kind for each in apart.coefficients}
        if "unknown" in kinds:  # it may contain the same draw
            raise NotLinear(f"comparing a number of a merged state by == is not supported, at {policy_line()}")
        if not kinds.isdisjoint(CONTINUOUS):
            return False
        raise NotLinear(f"comparing a reward or an integer draw by == is not supported, at {policy_line()}")

    def __eq__(self, other: object) -> bool:
        """Whether self == other; see `equals`. NotImplemented for an array."""
        return NotImplemented if isinstance(other, np.ndarray) else self.equals(other)

    def __ne__(self, other: object) -> bool:
        """Whether the values differ; see `equals`."""
        return NotImplemented if isinstance(other, np.ndarray) else not self.equals(other)

    def __bool__(self) -> bool:
        """Whether the value is not 0; see `equals`."""
        return not self.equals(0)

    def __abs__(self) -> Form:
        """The absolute value: self or -self, as the run decides whether self >= 0."""
        return self if self >= 0 else -self

    # -- turned into numbers and texts -----------------------------------------------------------------------------

    def plain(self) -> float:
        """The number that this constant form equals. Raises NotLinear for noisy and secret values."""
        if self.coefficients:
            raise NotLinear(
                f"a noisy or secret value is converted to a plain number, which is not supported, at {policy_line()}"
            )
        if isinstance(self.constant, float) and isnan(self.constant):
            raise NotLinear(
                "an undefined value, such as inf - inf, is converted to a plain number, which is not supported, at "
                f"{policy_line()}"
            )
        return float(self.constant)

    __float__ = plain

    def __int__(self) -> int:
        """The number that this constant form equals, as an int. Raises NotLinear for noisy and secret values."""
        return int(self.plain())

    __index__ = __int__

    def __repr__(self) -> str:
        """Raises NotLinear. A number's text shows whether it is a Python or a numpy number; a form cannot know this."""
        raise NotLinear(f"a noisy or secret value is converted to a string, which is not supported, at {policy_line()}")

    def __str__(self) -> str:
        """The text of the number that this constant form equals. Raises NotLinear for noisy and secret values."""
        return str(self.plain())

    def __copy__(self) -> Form:
        """The form itself, because forms do not change."""
        return self

    def __deepcopy__(self, memo: object) -> Form:
        """The form itself, because forms do not change."""
        return self  # a copy of its run would decide comparisons that nobody sees

    def __reduce_ex__(self, protocol: object) -> Any:
        """Raises NotLinear: a form cannot be pickled."""
        self.refused("a pickle")

    def __round__(self, digits: object = None) -> NoReturn:
        """Raises NotLinear: a form cannot be rounded."""
        self.refused("a rounding")

    __floor__ = __ceil__ = __trunc__ = __round__

    def __mod__(self, other: object) -> NoReturn:
        """Raises NotLinear: remainders of forms are not supported."""
        self.refused("a remainder or integer quotient")

    __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = __mod__

    def __rpow__(self, other: object) -> NoReturn:
        """Raises NotLinear: an exponent must not be a noisy or secret value."""
        self.refused("an exponential")

    def __hash__(self) -> int:
        """Raises NotLinear: a form has no hash, so it cannot be a key of a dict or a member of a set."""
        self.refused("a hash")

    def __format__(self, how: str) -> str:
        """The formatted text of the number that this constant form equals. Raises NotLinear for other forms."""
        return format(self.plain(), how)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **named: Any) -> Any:
        """The result of a numpy function of single entries, with the form as an array of shape ()."""
        arrays = [scalar_array(each) if isinstance(each, Form) else each for each in given]
        return as_forms(getattr(ufunc, method)(*arrays, **named))

    def __getattr__(self, name: str) -> Any:
        """Refuses unknown attributes.
        numpy looks up a method with the name of its function (sqrt, exp, ...), and code that tests for an attribute of
        numbers would otherwise take another branch than on numbers."""
        if name.startswith("_"):
            raise AttributeError(name)
        if not isinstance(getattr(np, name, None), np.ufunc):
            if sys._getframe(1).f_code.co_filename.startswith(OWN_FILES):
                raise AttributeError(name)
            raise NotLinear(f"the attribute {name!r} of a noisy or secret value is not supported, at {policy_line()}")
        return lambda: self.refused(name) if self.coefficients else Form(self.run, {}, constant_of(applied(name, self)))


def applied(name: str, form: Form) -> float:
    """The value of the numpy function called `name` at a form without symbols, as a double."""
    return float(getattr(np, name)(float(form.constant)))


def constant_of(value: Any) -> Fraction | float:
    """A plain number as a fraction; infinities are unchanged.
    Raises NotLinear for nan, and for a value that is no number."""
    if type(value) is Fraction:  # isinstance takes far longer to say that a float is none
        return value
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise NotLinear(
            f"{type(value).__name__} cannot be combined with a noisy or secret value, at {policy_line()}"
        ) from error
    if isnan(number):
        raise NotLinear(f"a noisy or secret value is combined with nan, which is not supported, at {policy_line()}")
    return number if isinf(number) else rational(number)


def total(a: Fraction | float, b: Fraction | float) -> Fraction | float:
    """The sum of two constants, of which one may be infinite."""
    if isinstance(a, float) or isinstance(b, float):
        return float(a) + float(b)
    return a + b if b else a


# -- arrays ----------------------------------------------------------------------------------------------------------

COMPARISONS = (np.greater, np.less, np.greater_equal, np.less_equal, np.equal, np.not_equal)
REFUSED = (
    np.sort, np.argsort, np.partition, np.argpartition, np.median, np.quantile, np.percentile, np.nan_to_num,
)  # fmt: skip
CHOOSING = {np.argmax: "argmax", np.argmin: "argmin", np.max: "max", np.amax: "max", np.min: "min", np.amin: "min"}


def divided(dividend: Any, divisor_value: object) -> Any:
    """The quotient as in numpy arrays: a form divided by 0 is undefined (nan), and later uses of it are refused."""
    divisor = (
        divisor_value.constant if isinstance(divisor_value, Form) and not divisor_value.coefficients else divisor_value
    )
    if isinstance(divisor, Form) or divisor != 0 or not isinstance(dividend, Form):
        return dividend / divisor_value
    return Form(dividend.run, {}, nan)


LOGICAL = (np.logical_and, np.logical_or, np.logical_xor, np.logical_not)  # of objects, numpy returns one of them
ELEMENTWISE = {np.abs: np.frompyfunc(abs, 1, 1), np.true_divide: np.frompyfunc(divided, 2, 1)}


class FormArray(np.ndarray):
    """An array of forms, of dtype object. An argmax over m forms has m outcomes."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **named: Any) -> Any:
        """The result of a numpy function of single entries, as an array of forms."""
        plain = [viewed_plainly(each) for each in given]
        if "out" in named:
            named["out"] = tuple(viewed_plainly(each) for each in named["out"])
        if ufunc in (np.isfinite, np.isnan, np.isinf) and method == "__call__":
            if named:
                raise NotLinear(
                    f"{ufunc.__name__} of noisy or secret values with out, where or dtype is not supported, at "
                    f"{policy_line()}"
                )
            return tested_for_infinity(ufunc, plain[0])
        if ufunc in LOGICAL:
            plain = [np.asarray(each, dtype=bool) for each in plain]
        if ufunc in ELEMENTWISE:
            ufunc = ELEMENTWISE[ufunc]
        try:
            found = getattr(ufunc, method)(*plain, **named)
        except TypeError as error:  # no such function of objects
            raise NotLinear(
                f"{ufunc.__name__} of noisy or secret values is not supported, at {policy_line()}"
            ) from error
        return np.asarray(found, dtype=bool) if ufunc in COMPARISONS and method == "__call__" else as_forms(found)

    def __array_function__(self, function: Any, types: Any, given: Any, named: Any) -> Any:
        """The result of a numpy function of whole arrays, as an array of forms."""
        if function in CHOOSING and isinstance(given[0], FormArray):
            return getattr(given[0], CHOOSING[function])(*given[1:], **named)
        if function.__module__ == "numpy.linalg":  # of known numbers alone
            return function(*map(plain_array, given), **named)
        if function in REFUSED:
            raise NotLinear(f"{function.__name__} of noisy or secret values is not supported, at {policy_line()}")
        try:
            return as_forms(super().__array_function__(function, types, given, named))
        except TypeError as error:  # it takes no objects
            raise NotLinear(
                f"{function.__name__} of noisy or secret values is not supported, at {policy_line()}"
            ) from error

    def argmax(  # type: ignore[override]
        self, axis: int | None = None, out: object = None, *, keepdims: bool = False
    ) -> Any:
        """The indices of the largest entries along the axis, the first of several."""
        return self.place_of_largest(axis, demanded_keepdims(out, keepdims), 1)

    def argmin(  # type: ignore[override]
        self, axis: int | None = None, out: object = None, *, keepdims: bool = False
    ) -> Any:
        """The indices of the smallest entries along the axis, the first of several."""
        return self.place_of_largest(axis, demanded_keepdims(out, keepdims), -1)

    def max(  # type: ignore[override]
        self, axis: int | None = None, out: object = None, keepdims: bool = False, **named: Any
    ) -> Any:
        """The largest entries along the axis."""
        return self.extreme(axis, demanded_keepdims(out, keepdims, **named), 1)

    def min(  # type: ignore[override]
        self, axis: int | None = None, out: object = None, keepdims: bool = False, **named: Any
    ) -> Any:
        """The smallest entries along the axis."""
        return self.extreme(axis, demanded_keepdims(out, keepdims, **named), -1)

    def place_of_largest(self, axis: int | None, keepdims: bool, sign: int) -> Any:
        """The indices of the largest (for sign -1, smallest) entries along the axis, as from numpy's argmax."""
        rows = self.view(np.ndarray)
        if axis is None:
            place = np.int64(largest([*rows.ravel()], sign))
            return np.full((1,) * rows.ndim, place) if keepdims else place
        found = np.apply_along_axis(lambda row: largest([*row], sign), axis, rows).astype(np.int64)
        return np.expand_dims(found, axis) if keepdims else found

    def extreme(self, axis: int | None, keepdims: bool, sign: int) -> Any:
        """The largest entries (the smallest for sign -1) along the axis."""
        rows = self.view(np.ndarray)
        if axis is None:
            found = rows.ravel()[[largest([*rows.ravel()], sign)]]
            return found.reshape((1,) * rows.ndim).view(FormArray) if keepdims else found[0]
        place = self.place_of_largest(axis, True, sign)
        found = np.take_along_axis(rows, place, axis)
        return (found if keepdims else found.squeeze(axis)).view(FormArray)

    def sort(self, *given: object, **named: object) -> NoReturn:
        """Raises NotLinear: noisy values cannot be sorted."""
        raise NotLinear(f"sorting noisy or secret values is not supported, at {policy_line()}")

    def argsort(self, *given: object, **named: object) -> NoReturn:  # type: ignore[override]
        """Raises NotLinear: noisy values cannot be sorted, so there are no indices that sort them."""
        raise NotLinear(f"sorting noisy or secret values is not supported, at {policy_line()}")

    def tobytes(self, *given: object, **named: object) -> NoReturn:
        """Raises NotLinear: noisy values have no bytes."""
        raise NotLinear(f"converting noisy or secret values to bytes is not supported, at {policy_line()}")

    tofile = dump = dumps = tobytes

    def __repr__(self) -> str:
        """The text of the array of doubles with the same values. Raises NotLinear for noisy and secret values."""
        return repr(np.asarray(self, dtype=np.float64))

    def __str__(self) -> str:
        """The text of the array of doubles with the same values. Raises NotLinear for noisy and secret values."""
        return str(np.asarray(self, dtype=np.float64))

    def __format__(self, how: str) -> str:
        """The formatted text of the array of doubles with the same values. Raises NotLinear for noisy values."""
        return format(np.asarray(self, dtype=np.float64), how)


def demanded_keepdims(out: object, keepdims: object, **named: object) -> bool:
    """The argument `keepdims` of a maximum as a bool.
    Raises NotLinear if another argument, such as `where`, is given."""
    if out is not None or any(value is not np._NoValue for value in named.values()):
        raise NotLinear(
            "a maximum of noisy or secret values with the argument `out`, `where` or `initial` is not supported, at "
            f"{policy_line()}"
        )
    return keepdims is not np._NoValue and bool(keepdims)


def plain_array(value: object) -> object:
    """An array of forms converted to doubles, other values unchanged.
    Raises NotLinear if an entry is noisy or secret."""
    return np.asarray(value, dtype=np.float64) if isinstance(value, FormArray) else value


def viewed_plainly(value: object) -> object:
    """Returns an array of forms as a plain numpy array of the same entries, and any other value unchanged."""
    return value.view(np.ndarray) if isinstance(value, FormArray) else value


def largest(row: list[Any], sign: int) -> int:
    """The index of the largest value (of the smallest for sign -1), the first if several are equal.
    The run decides comparisons of forms."""
    finite = [place for place, value in enumerate(row) if not is_infinite(value, -sign)]
    if any(isnan(value.constant if isinstance(value, Form) else float(value)) for value in row):
        raise NotLinear(f"nan is compared at {policy_line()}")
    if any(is_infinite(value, sign) for value in row):
        return next(place for place, value in enumerate(row) if is_infinite(value, sign))
    if len(finite) < 2:
        return finite[0] if finite else 0
    run = next((value.run for value in row if isinstance(value, Form)), None)
    if run is None:
        return int(np.argmax([sign * float(value) for value in row]))
    values = [lifted_value(run, row[place]) * sign for place in finite]
    if not any(value.coefficients for value in values):
        return max(finite, key=lambda place: (values[finite.index(place)].constant, -place))
    return finite[run.largest(values)]


def is_infinite(value: Any, sign: int) -> bool:
    """Whether a number or form is inf (sign 1) or -inf (sign -1)."""
    constant = value.constant if isinstance(value, Form) else float(value)
    return isinstance(constant, float) and constant == sign * inf


def lifted_value(run: Run, value: Any) -> Form:
    """The value as a linear form; a number becomes a constant form."""
    return value if isinstance(value, Form) else Form(run, {}, constant_of(value))


def tested_for_infinity(ufunc: np.ufunc, values: Any) -> Any:
    """The result of numpy's isfinite, isnan or isinf for forms, which are finite whatever the draws are.
    Raises NotLinear for an undefined entry, unless the test is isfinite."""
    if ufunc is not np.isfinite and any(isinstance(each, Form) and isnan(each.constant) for each in np.ravel(values)):
        raise NotLinear(
            f"a condition depends on an undefined value, such as inf - inf, which is not supported, at {policy_line()}"
        )
    constants = np.frompyfunc(lambda each: float(each.constant) if isinstance(each, Form) else float(each), 1, 1)
    return ufunc(np.asarray(constants(values), dtype=np.float64))


def scalar_array(form: Form) -> FormArray:
    """The form as a numpy array of shape ()."""
    made = np.empty((), dtype=object)
    made[()] = form
    return made.view(FormArray)


def as_forms(value: object) -> object:
    """A return value of numpy, in which each array of objects is viewed as an array of forms.
    Other arrays become plain ones, other values are unchanged."""
    if isinstance(value, np.ndarray):
        return value.view(FormArray) if value.dtype == object else value.view(np.ndarray)
    return value


def array_of(shape: tuple[int, ...], form_at: Callable[[tuple[int, ...]], Form]) -> FormArray:
    """An array of this shape whose entry at each index is form_at(index)."""
    made = np.empty(shape, dtype=object)
    for place in product(*map(range, shape)):
        made[place] = form_at(place)
    return made.view(FormArray)


def lifted_state(run: Run, state: State) -> State:
    """The state with each real number in its arrays replaced by a constant form, so that the arrays can hold forms.
    Read-only arrays stay read-only. Raises NotLinear if two arrays share memory (a policy that writes to one of them
    would change the other one on numbers alone), and for an array whose layout or metadata could store a number."""
    arrays = arrays_in(state)
    for each in arrays:
        if not each.flags.c_contiguous:
            raise NotLinear(
                f"an array of the state, of shape {each.shape}, is not stored row by row, which is not supported; pass "
                "np.ascontiguousarray(x)"
            )
        if each.dtype.metadata is not None:
            raise NotLinear(
                "the dtype of an array of the state has metadata, which is not supported; pass an array without, such "
                "as x.astype(float)"
            )
    for one, other in combinations(arrays, 2):
        if (one.flags.writeable or other.flags.writeable) and np.shares_memory(one, other):
            raise NotLinear("two arrays of the state share memory, which is not supported; pass a copy of one of them")

    def lifted(part: State) -> State:
        """An array of real numbers as an array of forms; other parts of the state unchanged."""
        if not isinstance(part, np.ndarray) or part.dtype not in (np.float64, object):
            return part
        values = part.view(np.ndarray)
        made = array_of(part.shape, lambda place: lifted_value(run, values[place]))
        made.flags.writeable = part.flags.writeable
        return made

    return mapped_state(state, lifted)


def arrays_in(state: State) -> list[np.ndarray]:
    """All arrays in a state.
    An array that occurs in several places of its tuples, which stay one array, is listed once; those in other
    containers are listed in addition."""
    parts = list[State]()
    mapped_state(state, parts.append)
    found = [part for part in parts if isinstance(part, np.ndarray)]
    waiting = [part for part in parts if not isinstance(part, np.ndarray)]
    seen = set[int]()
    while waiting:
        part = waiting.pop()
        if isinstance(part, np.ndarray):
            found.append(part)
        elif type(part) is not Form and not isinstance(part, type | ModuleType) and id(part) not in seen:
            seen.add(id(part))
            inside = part.values() if isinstance(part, Mapping) else getattr(part, "__dict__", {}).values()
            waiting += part if isinstance(part, list | tuple | set | frozenset) else inside
    return found


# -- arrays that a policy makes --------------------------------------------------------------------------------------

MAKERS = ("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "array", "asarray")


class FormsInNewArrays(AbstractContextManager[None]):
    """A context manager in which, in the current thread, `np.zeros` and similar functions make arrays that can hold
    forms.

    Arrays made in other ways, and those of float16 or float32, which round, are unchanged; writing a form to one of
    them is refused. run: that of the forms.
    """

    def __init__(self, run: Run) -> None:
        """Prepares replacements for numpy's functions that make arrays."""
        self.run, self.thread, self.before, self.made = (
            run,
            0,
            dict[str, Callable[..., Any]](),
            dict[str, Callable[..., Any]](),
        )

    def __enter__(self) -> None:
        """Replaces numpy's functions that make arrays, so that arrays made by the policy can hold forms."""
        self.thread, self.before = get_ident(), {name: getattr(np, name) for name in MAKERS}
        self.made = {name: self.maker(function) for name, function in self.before.items()}
        for name, function in self.made.items():
            setattr(np, name, function)

    def maker(self, function: Callable[..., object]) -> Callable[..., object]:
        """Returns a replacement for a numpy function that makes arrays.
        The arrays that the policy makes in this thread can hold forms."""

        @wraps(function)
        def made(*given: object, **named: object) -> object:
            """The array that the original function makes; it can hold forms if the policy made it in this thread."""
            found = function(*given, **named)
            ours = get_ident() == self.thread and not sys._getframe(1).f_code.co_filename.startswith(LIBRARIES)
            return lifted_array(self.run, found) if ours else found

        return made

    def __exit__(self, *error: object) -> None:
        """Restores numpy's functions."""
        self.leave()

    def leave(self) -> None:
        """Restores numpy's functions, unless another replacement took their place.
        It may be called twice, and for a thread that was abandoned."""
        for name, function in self.made.items():
            if getattr(np, name) is function:
                setattr(np, name, self.before[name])


def lifted_array(run: Run, made: object) -> object:
    """An array of real numbers as an array of forms; other values unchanged."""
    if not isinstance(made, np.ndarray) or made.dtype not in (np.float64, object):
        return made
    if made.dtype == object:
        return made.view(FormArray)
    values = np.where(np.isnan(made), 0, made)
    lifted = array_of(made.shape, lambda place: lifted_value(run, values[place]))
    for place in zip(*np.nonzero(np.isnan(made)), strict=True):
        lifted[place] = Form(run, {}, nan)
    return lifted
