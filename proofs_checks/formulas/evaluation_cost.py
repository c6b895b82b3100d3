"""The number of operations of one evaluation of a formula. Effort is counted in operations, so long sums count more."""

from __future__ import annotations

from collections.abc import Callable

from dpbandits.proofs_checks.vocabularies.decimals import reject_rounded_double
from dpbandits.proofs_checks.vocabularies.operators import raises_type_error

# A function's work in units of one arithmetic operation.
HEAVY = {"exp": 3, "log": 3, "power": 7, "sqrt": 1, "ncdf": 40}


class TooLong(Exception):
    """The formula takes more operations than the tally's limit."""


def counted_function(name: str) -> Callable[..., CountedValue]:
    """Returns a method that counts the operations of one call of the function `name`."""
    return lambda self, *arguments: self.called(HEAVY.get(name, 1), arguments)


class OperationCount:
    """Counts the operations of a formula that is evaluated on `tally.token`, up to a limit: then TooLong."""

    exp, log, sqrt, power, ncdf = map(counted_function, ("exp", "log", "sqrt", "power", "ncdf"))
    floor, ceil, maximum, minimum = map(counted_function, ("floor", "ceil", "maximum", "minimum"))

    def __init__(self, limit: int) -> None:
        """Starts at 0 operations. limit: the largest number that is allowed."""
        self.operations, self.limit = 0, limit
        self.token = CountedValue(self)
        self.pi = self.token

    def spend(self, amount: int) -> CountedValue:
        """Adds to the number of operations. Raises TooLong above the limit."""
        self.operations += amount
        if self.operations > self.limit:
            raise TooLong(f"the formula needs more than {self.limit} operations")
        return self.token

    def number(self, value: object) -> CountedValue:
        """Returns the counted value that stands for every number."""
        return self.token

    def __getattr__(self, function: str) -> Callable[..., CountedValue]:
        """Returns a function that counts the operations of one call of the vocabulary's function with this name."""
        if function.startswith("_"):
            raise AttributeError(function)
        return lambda *arguments: self.called(HEAVY.get(function, 1), arguments)

    def called(self, work: int, arguments: tuple[object, ...]) -> CountedValue:
        """Counts the call of a function that takes `work` operations.
        Raises TypeError if an argument is a rounded double."""
        for argument in arguments:
            reject_rounded_double(argument)
        return self.spend(work)


class CountedValue:
    """Any number, for a tally."""

    __array_ufunc__ = None

    def __init__(self, tally: OperationCount):
        """A value whose operations are counted by `tally`."""
        self.tally = tally

    def spent(self, *others: object) -> CountedValue:
        """Counts one operation with this value. Raises TypeError if an operand is a rounded double."""
        return self.tally.called(1, others)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = spent
    __pow__ = __rpow__ = __neg__ = __abs__ = spent

    def __pos__(self) -> CountedValue:
        """The value itself, unchanged; no operation is counted."""
        return self

    __eq__ = __ne__ = __hash__ = raises_type_error(
        "the formula asks whether a value equals another (==, !=, in, a look-up by it, or a cache), which an "
        "enclosure can't answer: state each case as a claim of its own, or write m.maximum and m.minimum"
    )
