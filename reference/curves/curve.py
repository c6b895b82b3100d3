"""Privacy curves: what a claim may guarantee about privacy, as a protocol.

A curve is a frozen dataclass with the seven methods of `Curve`, in a module of its own. Audits, reports and
certificates use these methods and `curves.derived`; no other code depends on the kind of curve, so a new curve is a new
module.

Everywhere, alpha is the type I error and beta the type II error of a test between two neighbouring inputs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, final

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary, doubles
from dpbandits.reference.bandits.noise import Array, Reals
from dpbandits.reference.curves.extremal_mechanisms import MechanismErrors


@final
class WordsPart(TypedDict):
    """A part of a statement: words, a claim in words, a word between alternatives, an expression or a range."""

    kind: Literal["words", "claim", "or", "expression", "range"]
    text: str


@final
class FormulaPart(TypedDict):
    """A part of a statement with two sides: a formula, one whose sides cannot be typeset, or a precondition."""

    kind: Literal["formula", "code", "where"]
    left: str
    sign: str
    right: str


StatementPart = WordsPart | FormulaPart
Trace = Callable[[Callable[..., Number], str, str], str]  # formula(m, variable), the variable's and the formula's names


class ExactPrivacy(Protocol):
    """The exact privacy of one pair of inputs: every quantity as (low, high), two certified bounds."""

    def delta(self, eps: ArrayLike) -> tuple[Array, Array]:
        """The smallest delta at each eps >= 0: an array (m,) for left against right, and one for right against left."""
        ...

    def eps(self, delta: float) -> tuple[float, float]:
        """The smallest eps >= 0 at this delta, in both directions.
        inf if there is none, or if the upper bound is unknown.
        """
        ...

    def eps_low(self, delta: float) -> float:
        """The lower bound on the smallest eps at this delta alone, in both directions."""
        ...

    def mu(self) -> tuple[float, float]:
        """The smallest mu in both directions; the upper bound is inf if it is unknown."""
        ...

    def mu_low(self) -> float:
        """The lower bound on mu in this direction; `swapped` has the other direction."""
        ...

    def renyi(self, alpha: float) -> tuple[float, float]:
        """The Renyi divergence of this order, of left from right; `swapped` has the other direction."""
        ...

    @property
    def swapped(self) -> ExactPrivacy:
        """The same pair of inputs with left and right exchanged."""

    def tradeoff(self) -> Any:
        """(low, high): certified polylines (alpha, beta) below and above the pair's trade-off function."""


class Bounds(NamedTuple):
    """Certified bounds on the parameter of a pair of inputs, and the claimed parameter at the same delta or order."""

    low: float
    high: float
    claimed: float
    at: float  # the delta or the order; nan where the number says it all

    @property
    def refutes(self) -> bool:
        # The claimed number is itself a double, rounded a few times.
        """Whether the lower bound exceeds the claimed parameter."""
        return self.low > self.claimed * (1 + 1e-12)


class Tracing(Vocabulary, Protocol):
    """The vocabulary that writes formulas as text."""

    def variable(self, name: str) -> Number:
        """Returns the symbol that stands for the variable of this name in a traced formula."""

    def source(self, value: Number) -> str:
        """Returns the source text of the formula that a traced value stands for."""


class NoGuarantee(ValueError):
    """The curve guarantees nothing at this delta or order; the message says why."""


class Violation(NamedTuple):
    """Where a guarantee is violated: eps as a number, and eps and delta as expressions in the variables."""

    number: float
    eps: Any
    delta: Any
    variables: Mapping[str, Any]


class Curve(Protocol):
    """A privacy guarantee: a lower bound on the errors of every test between two neighbouring inputs.

    These seven methods are required. `curves.derived` computes everything else from them; a curve that has a better
    answer defines the method of the same name.
    """

    def __hash__(self) -> int: ...

    def claimed_parameters(self) -> tuple[Array, Array]:
        """The claimed parameters (m,), and the delta or order of each.
        nan for a guarantee with one number. m = 0 guarantees nothing.
        """
        ...

    def format_parameter(self, value: float, at: float, digits: int = 4) -> str:
        """The guarantee with this parameter as a short text, such as 0.5-GDP or (1, 1e-06)-DP."""
        ...

    def implied_parameter(self, alpha: Reals, beta: Reals, at: Reals) -> Array:
        """The smallest parameter that allows a test with these two errors; decreasing in alpha and in beta."""
        ...

    @property
    def extremal_mechanisms(self) -> Mapping[str, MechanismErrors]:
        """Mechanisms that satisfy exactly this guarantee, the easiest to detect first.
        They have parameters (m,) at `at` (m,), and define the power of an audit.
        """
        ...

    def delta_at(self, eps: ArrayLike) -> Array:
        """The smallest guaranteed delta at each eps >= 0, (m,); 1 where nothing is guaranteed."""
        ...

    def bounds(self, exact: ExactPrivacy) -> Bounds:
        """The exact bounds for a pair of inputs at the worst delta or order.
        There the guarantee fails most, or comes closest to it.
        """
        ...

    def implied_approximate_dp(self, m: Vocabulary, eps: Number, delta: Number, slack: Number) -> tuple[Number, Number]:
        """An implied (eps, delta)-DP guarantee, at this eps or at this delta, as formulas over the vocabulary m.

        slack: the relative amount by which the curve's own number is enlarged. Raises NoGuarantee if none is implied
        there.
        """
        ...


REQUIRED_METHODS = (
    "claimed_parameters",
    "format_parameter",
    "implied_parameter",
    "extremal_mechanisms",
    "delta_at",
    "bounds",
    "implied_approximate_dp",
)
FORMER_NAMES = {
    "points": "claimed_parameters",
    "called": "format_parameter",
    "shown": "implied_parameter",
    "shapes": "extremal_mechanisms",
    "promised": "implied_approximate_dp",
    "unit": "parameter_name",
    "picture": "plot_kind",
    "place": "index_name",
    "parts": "statement_parts",
    "certified": "certified_lower_bound",
    "objective": "search_objective",
    "broken": "violation",
}


def require_curve(curve: object) -> None:
    """Raises ValueError unless the curve has all seven methods and is hashable.
    Former method names still work and warn."""
    kind = type(curve)
    for former, name in FORMER_NAMES.items():
        if hasattr(kind, former) and not hasattr(kind, name):
            warnings.warn(
                f"{kind.__name__}.{former} is deprecated; rename this method to `{name}`", DeprecationWarning, 3
            )
            setattr(kind, name, getattr(kind, former))
    if missing := [name for name in REQUIRED_METHODS if not hasattr(curve, name)]:
        raise ValueError(
            f"{curve!r} is not a privacy curve, because it has no "
            f"{' and no '.join(f'`{name}`' for name in missing)}; give one of dpbandits.pages, such as "
            f"Gaussian(0.5), or an object with {', '.join(REQUIRED_METHODS)}"
        )
    if kind.__hash__ is None:
        raise ValueError(f"{curve!r} cannot be hashed; make its class a @dataclass(frozen=True)")


def decimal_number(m: Vocabulary, value: float) -> Number:
    """A double as the shortest decimal number that denotes it, exactly: 0.1 is one tenth."""
    return m.number(repr(float(value)))


def formula_values(formula: Callable[[Vocabulary, float], Number], places: Array) -> Array:
    """The values of a curve's formula at the deltas or orders `places`, in doubles, (n,); nan where undefined."""
    values = []
    for place in places:
        try:
            with np.errstate(all="ignore"):
                values.append(float(formula(doubles, float(place))))
        except (ValueError, ZeroDivisionError, OverflowError):
            values.append(np.nan)
    return np.asarray(values)
