"""Makes numpy's own generators return prescribed draws.

A `numpy.random.Generator` takes its bits from three functions of its bit generator, named by a table of pointers. Here
the table of a real PCG64 is changed before a real Generator is made from it, so that its bits are those of a tape.
Python code cannot distinguish such a generator from any other. The bits of a draw follow from numpy's methods: an
inverse distribution function, or the bottom layer of a ziggurat.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from itertools import count
from math import exp, expm1, log1p, prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from dpbandits.proofs_checks.alignment.forms import WHOLE, Symbol
from dpbandits.proofs_checks.alignment.generators import NoiseGenerator, Size, shape_of

Bits = tuple[str, float | int]  # which function is asked ("double", "uint64" or "uint32"), and what it returns
LARGEST = {"laplace": 36.0, "normal": 8.0, "exponential": 36.0, "gumbel": 36.0}  # beyond which numpy never, or with a
LEAST = {"laplace": -36.0, "normal": -8.0, "gumbel": -3.5}  # probability below 1e-15, draws
MOST_OF_GEOMETRIC = 25.0  # of rate times draw: later, numpy's sum of probabilities may end below its uniform draw
TRIES = 3000  # in the search for the bits of a permutation
NORMAL_TAIL = 3.6541528853610088  # where the bottom layer of numpy's ziggurats ends
EXPONENTIAL_TAIL = 7.69711747013104972
NEAREST = 1e-5  # relative: how near a draw of a genuine generator comes to what was asked for, at least


class Unreachable(Exception):
    """Raised if no known bits give this draw."""


@dataclass
class Tape:
    """The bits that the functions of one bit generator return. left: the remaining ones. astray: an unexpected request,
    in words; "" for none."""

    left: list[Bits] = field(default_factory=list)
    astray: str = ""
    more: Any = field(default_factory=lambda: count(1))

    def next(self, kind: str) -> float | int:
        """Reads the next bits of the tape, of this kind.
        If the code asks for bits of another kind, or none are left, `astray` records this, and arbitrary numbers are
        returned."""
        if self.left and self.left[0][0] == kind:
            return self.left.pop(0)[1]
        self.astray = self.astray or "the code draws otherwise from numpy's own generator"
        share = (next(self.more) * 0.6180339887498949) % 1.0  # any numbers with which no method draws forever
        return share if kind == "double" else int(share * 2 ** (64 if kind == "uint64" else 32))


class Interface(ctypes.Structure):
    """numpy's `bitgen_t`."""

    _fields_ = (
        ("state", ctypes.c_void_p),
        ("uint64", ctypes.c_void_p),
        ("uint32", ctypes.c_void_p),
        ("double", ctypes.c_void_p),
        ("raw", ctypes.c_void_p),
    )


TAPES: dict[int, Tape] = {}  # by the address of the bit generator's state; a generator may outlive its run
RESULTS: dict[str, Any] = {"uint64": ctypes.c_uint64, "uint32": ctypes.c_uint32, "double": ctypes.c_double}


def bit_callback(kind: str) -> Any:
    """A C callback that hands the prescribed bits of this kind to numpy's generators.
    It lives as long as the process, because they may call it at any time."""

    def answer(state: int) -> float | int:
        """The next bits of the tape that belongs to the generator at this address; 0 for a generator without a tape."""
        tape = TAPES.get(state)
        return tape.next(kind) if tape is not None else 0

    return ctypes.CFUNCTYPE(RESULTS[kind], ctypes.c_void_p)(answer)


ANSWERS = {kind: bit_callback(kind) for kind in RESULTS}


def genuine_generator(tape: Tape) -> np.random.Generator:
    """A real numpy Generator whose random bits come from the tape."""
    source = np.random.PCG64(0)
    table = Interface.from_address(source.ctypes.bit_generator.value)
    before = bytes(table)
    TAPES[int(table.state)] = tape
    for name, kind in (("uint64", "uint64"), ("uint32", "uint32"), ("double", "double"), ("raw", "uint64")):
        setattr(table, name, ctypes.cast(ANSWERS[kind], ctypes.c_void_p).value)
    made = np.random.Generator(source)  # which copies the table
    ctypes.memmove(ctypes.addressof(table), before, len(before))
    return made


# -- the bits of single draws ------------------------------------------------------------------------------------------


@cache
def layer_width(kind: str) -> float:
    """How much a draw in the bottom layer of numpy's ziggurat increases per unit of its random integer."""
    shift, method = (9, "standard_normal") if kind == "normal" else (11, "standard_exponential")
    generator = genuine_generator(Tape([("uint64", 2**50 << shift)]))
    return float(getattr(generator, method)()) / 2**50


def bits_of(kind: str, value: float) -> tuple[Bits, ...]:
    """The bits from which numpy makes a standard draw near this value.
    Raises Unreachable for a value that no bits give."""
    if not LEAST.get(kind, 0.0) <= value <= LARGEST.get(kind, 1.0):
        raise Unreachable
    if kind == "uniform":
        return (("double", min(value, 1 - 2.0**-53)),)
    if kind == "laplace":
        return (("double", exp(value) / 2 if value < 0 else 1 - exp(-value) / 2),)
    if kind == "gumbel":
        return (("double", -expm1(-exp(-value))),)
    size, tail = abs(value), NORMAL_TAIL if kind == "normal" else EXPONENTIAL_TAIL
    sign = 256 * (value < 0) if kind == "normal" else 0
    shift, largest = (9, 2**52 - 1) if kind == "normal" else (11, 2**53 - 1)
    if size < tail * (1 - 1e-9):
        return (("uint64", (round(size / layer_width(kind)) << shift) | sign),)
    if kind == "exponential":
        return ("uint64", largest << shift), ("double", -expm1(-(size - tail)))
    # numpy's tail has the sign at bit 8 of the whole number, not at that of the others
    number = largest if value < 0 else largest & ~256
    return (
        ("uint64", number << shift),
        ("double", -expm1(-NORMAL_TAIL * (size - tail))),
        ("double", 1 - 2.0**-53),
    )


METHODS = {
    "laplace": "laplace",
    "normal": "standard_normal",
    "uniform": "random",
    "exponential": "standard_exponential",
    "gumbel": "gumbel",
}


def drawn_by(kind: str, bits: tuple[Bits, ...]) -> float:
    """The draw that numpy's generator makes from these bits. Raises Unreachable if it asks for more or fewer bits."""
    generator, tape = trial_generator()
    tape.left, tape.astray = list(bits), ""
    value = float(getattr(generator, METHODS[kind])())
    if tape.astray or tape.left:
        raise Unreachable
    return value


@cache
def trial_generator() -> tuple[np.random.Generator, Tape]:
    """Returns a numpy generator that reads its bits from a tape, and this tape, to try which draw given bits make.
    Made once, to find the draw that results from given bits."""
    tape = Tape()
    return genuine_generator(tape), tape


def reachable(symbol: Symbol, value: float) -> float:
    """The draw nearest to this value that numpy's generator can make.
    Raises Unreachable if it can make none near the value."""
    if symbol.kind in (*WHOLE, "finite", "paid", "reward", "unknown"):
        return value
    found = drawn_by(symbol.kind, bits_of(symbol.kind, value))
    if abs(found - value) > NEAREST * max(1.0, abs(value)):
        raise Unreachable
    return found


def geometric_bits(p: float, number: int) -> tuple[Bits, ...]:
    """The bits from which numpy makes the geometric draw `number`. p: the success probability.
    Numpy adds up probabilities if it is at least a third, and otherwise rounds an exponential draw up."""
    rate = -log1p(-p)
    if p >= 1 / 3:
        if rate * number > MOST_OF_GEOMETRIC:
            raise Unreachable
        return (("double", -expm1(-rate * (number - 0.5))),)
    return bits_of("exponential", (number - 0.5) * rate)


# -- the bits of a run -------------------------------------------------------------------------------------------------


class PrescribingGenerator(NoiseGenerator):
    """A generator of numbers that records the bits with which numpy's own generator makes the same draws. bits: so far.
    unreachable: whether some draw has no such bits."""

    def __init__(self, single: Callable[[Symbol], Any]) -> None:
        """A generator whose draws are symbols and whose bits are recorded. single: makes the symbol of a draw."""
        super().__init__(single)
        self._tape, self._missing = list[Bits](), [False]

    @property
    def _prescribed(self) -> list[Bits] | None:
        """The bits of all draws so far; None if no bits give some draw."""
        return None if self._missing[0] else self._tape

    def _write(self, bits: Callable[[], Iterable[Bits]]) -> None:
        """Appends the bits of a draw to the tape, or notes that no bits give the draw."""
        try:
            self._tape += bits()
        except Unreachable:
            self._missing[0] = True

    def _next(self, kind: str, rate: Fraction = Fraction(1), weights: tuple[float, ...] = ()) -> Any:
        """The next draw of this kind; the bits from which numpy makes it are recorded."""
        value = super()._next(kind, rate, weights)
        if kind in METHODS:
            self._write(lambda: bits_of(kind, float(value)))
        return value

    def geometric(self, p: Any, size: Size = None) -> Any:  # type: ignore[override]
        """Draws as by the base class; the bits from which numpy makes them are recorded."""
        found = super().geometric(p, size)
        self._write(lambda: [each for number in np.ravel(found) for each in geometric_bits(float(p), int(number))])
        return found

    def binomial(self, n: Any, p: Any, size: Size = None) -> Any:  # type: ignore[override]
        """Draws as by the base class; the bits from which numpy makes them are recorded."""
        found = super().binomial(n, p, size)
        if p:  # without which numpy draws nothing
            inside = (1 - p) / 2, 1 - p / 2
            low = inside if p <= 0.5 else inside[::-1]
            at = low if p <= 0.5 else (1 - (1 - p) / 2, p / 2)
            self._write(lambda: [("double", float(at[int(each)])) for each in np.ravel(found)])
        return found

    def integers(  # type: ignore[override]
        self, low: Any, high: Any = None, size: Size = None, dtype: DTypeLike = np.int64, endpoint: bool = False
    ) -> Any:
        """Draws as by the base class; the bits from which numpy makes them are recorded."""
        found = super().integers(low, high, size, dtype, endpoint)
        kind = np.dtype(dtype).name
        targets: list[tuple[int, ...]] = [(each,) for each in whole_numbers(found)]
        shape = None
        if kind != "int64":  # of which several draws may share bits
            targets, shape = [whole_numbers(found)], shape_of(size)
        given = (int(low), None if high is None else int(high), shape, kind, bool(endpoint))
        self._write(lambda: [bit for target in targets for bit in searched_bits("integers", given, target)])
        return found

    def choice(  # type: ignore[override]
        self, a: Any, size: Size = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """A choice as by the base class, with recorded bits. Indices are chosen first, because entries may be equal."""
        places = super().choice(np.arange(len(a)) if np.ndim(a) else a, size, replace, p, axis, shuffle)
        shape, many = shape_of(size), len(a) if np.ndim(a) else int(a)
        if p is not None:
            ends = np.concatenate([[0.0], np.cumsum(p) / np.sum(p)])
            self._write(lambda: [("double", float(ends[k] + ends[k + 1]) / 2) for k in np.ravel(places)])
        elif replace or shape is None:
            given = (0, many, None, "int64", False)
            targets = [(each,) for each in whole_numbers(places)]
            self._write(lambda: [bit for target in targets for bit in searched_bits("integers", given, target)])
        elif prod(shape):
            chosen = (many, shape, False, None, 0, shuffle)
            self._write(lambda: searched_bits("choice", chosen, whole_numbers(places)))
        if np.ndim(a) == 0:
            return places
        return np.asarray(a)[places]

    def permutation(self, x: Any, axis: int = 0) -> Any:  # type: ignore[override]
        """A permutation as by the base class; the bits from which numpy makes it are recorded."""
        values = np.arange(x) if np.ndim(x) == 0 else np.array(x)
        order = super().permutation(len(values), axis)
        self._write(lambda: searched_bits("permutation", (len(values),), whole_numbers(order)))
        return values[order]

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Shuffles in place as the base class does; the bits from which numpy makes the shuffle are recorded."""
        order = [*range(len(x))]
        super().shuffle(order, axis)
        kind = "array" if isinstance(x, np.ndarray) else "list"
        self._write(lambda: searched_bits("shuffle", (kind, len(x)), whole_numbers(order)))
        x[:] = [x[place] for place in order]


@lru_cache(maxsize=4096)
def searched_bits(method: str, given: tuple[Any, ...], target: tuple[int, ...]) -> tuple[Bits, ...]:
    """The bits for which a method of numpy's generator returns `target`, found by trial and error.
    given: the method's arguments. Raises Unreachable after TRIES trials."""
    tape = Recorded(source=np.random.PCG64(1))
    generator = genuine_generator(tape)
    for _ in range(TRIES):
        tape.seen = []
        if tuple(np.ravel(return_value_of(generator, method, given)).tolist()) == target:
            return tuple(tape.seen)
    raise Unreachable


def return_value_of(generator: np.random.Generator, method: str, arguments: tuple[Any, ...]) -> Any:
    """The return value of a generator's method; for "shuffle", the shuffled numbers 0, 1, ... as a list or an array."""
    if method != "shuffle":
        return getattr(generator, method)(*arguments)
    kind, many = arguments
    values: Any = np.arange(many) if kind == "array" else [*range(many)]
    generator.shuffle(values)
    return values


def whole_numbers(values: Any) -> tuple[int, ...]:
    """All values as a flat tuple of ints."""
    return tuple(int(each) for each in np.ravel(values))


@dataclass
class Recorded(Tape):
    """Random bits that are recorded. source: of these bits."""

    source: Any = None
    seen: list[Bits] = field(default_factory=list)

    def next(self, kind: str) -> float | int:
        """The next random bits of the wrapped bit generator, of this kind; they are appended to `seen`."""
        raw = int(self.source.random_raw())
        value = {"uint64": raw, "uint32": raw >> 32, "double": (raw >> 11) / 2**53}[kind]
        self.seen.append((kind, value))
        return value
