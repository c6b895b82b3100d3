"""What a claim may promise about privacy, and all that is ever asked of such a promise.

A curve is a frozen dataclass with the seven methods of `Curve`, in a file of its own; whoever audits, writes, draws or
verifies asks the curve, or `curves.derived`, and nobody asks which curve it is. A new one is a new file.

Everywhere, alpha is the type I error and beta the type II error of telling two neighbouring inputs apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves.shapes import MechanismErrors

StatementPart = dict[str, str]  # kind: words, expression, range; or formula, with left, sign and right
Trace = Callable[[Callable[..., Number], str, str], str]  # formula(m, variable), the variable's and the formula's names


class Exact(Protocol):
    """A pair's own privacy, as the exact engine knows it: every quantity between two certified numbers."""

    def delta(self, eps: Any) -> tuple[Array, Array]:
        """The smallest delta at each eps >= 0, (m,), both ways."""
        ...

    def eps(self, delta: Any) -> tuple[Any, Any]:
        """The smallest eps >= 0 at this delta, both ways; inf where there is none, or the upper end is not known."""
        ...

    def mu(self) -> tuple[float, float]:
        """The smallest mu, both ways; the upper end is inf where it is not known."""
        ...

    def mu_low(self) -> float:
        """The lower end of mu, one way; that of `swapped` is the other."""
        ...

    def renyi(self, alpha: float) -> tuple[float, float]:
        """The divergence of this order, of left from right; `swapped` has the other."""
        ...

    @property
    def swapped(self) -> Exact: ...

    def tradeoff(self) -> Any: ...


class Bounds(NamedTuple):
    """The exact engine's answer in the claim's own number, and what is claimed of it at the same place."""

    low: float
    high: float
    claimed: float
    at: float  # the delta or the order; nan where the number says it all

    @property
    def refutes(self) -> bool:
        # The claimed number is itself a double, rounded a few times.
        return self.low > self.claimed * (1 + 1e-12)


class Tracing(Vocabulary, Protocol):
    """The vocabulary that writes formulas down."""

    def variable(self, name: str) -> Number: ...

    def source(self, value: Number) -> str: ...


class NoPromise(ValueError):
    """The curve promises nothing there; the message says why."""


class Broken(NamedTuple):
    """Where a promise is broken: eps as a number, and eps and delta as expressions over the variables."""

    number: float
    eps: Any
    delta: Any
    variables: Mapping[str, Any]


class Curve(Protocol):
    """A promise: that every test of two neighbouring inputs errs at least so often. Seven methods say it all; what else
    is asked of a curve follows from them (`curves.derived`), and a curve that knows better says so itself."""

    def __hash__(self) -> int: ...

    def points(self) -> tuple[Array, Array]:
        """What is claimed: numbers (m,), and the delta or the order of each, nan where there is none. m = 0 promises
        nothing."""
        ...

    def called(self, value: float, at: float, digits: int = 4) -> str:
        """The promise of this number at this place alone, such as 0.5-GDP or (1, 1e-06)-DP."""
        ...

    def shown(self, alpha: Any, beta: Any, at: Any) -> Any:
        """The number that a test with these errors shows at least; falls in alpha and in beta."""
        ...

    @property
    def shapes(self) -> Mapping[str, MechanismErrors]:
        """Mechanisms that keep exactly such a number (m,) at such places (m,): what a resolution is stated for, the
        one that is seen best first."""
        ...

    def delta_at(self, eps: Any) -> Array:
        """The smallest delta that it promises at each eps >= 0, (m,); 1 where it promises nothing."""
        ...

    def bounds(self, exact: Exact) -> Bounds:
        """The engine's answer about a pair, at the place where the promise suffers most."""
        ...

    def promised(self, m: Vocabulary, eps: Number, delta: Number, slack: Number) -> tuple[Number, Number]:
        """An (eps, delta) that it promises, at this eps or at this delta, with its own number larger by this share.
        NoPromise where it promises none there."""
        ...


BEATS = ("points", "called", "shown", "shapes", "delta_at", "bounds", "promised")


def require_curve(curve: Any) -> None:
    """ValueError unless it has all seven methods, and can be remembered by its hash."""
    if missing := [beat for beat in BEATS if not hasattr(curve, beat)]:
        raise ValueError(
            f"{curve!r} is no curve: it has no {' and no '.join(f'`{beat}`' for beat in missing)}; return one of "
            f"dpbandits.pages, such as Gaussian(0.5), or one of your own with {', '.join(BEATS)}"
        )
    if type(curve).__hash__ is None:
        raise ValueError(f"{curve!r} cannot be hashed: make it a @dataclass(frozen=True)")


def as_written(m: Vocabulary, value: float) -> Number:
    """A number of a promise as people wrote it: the double 0.1 is one tenth."""
    return m.number(repr(float(value)))
