"""Proves inequalities in one variable on an unbounded interval: by the sign of a derivative, the limit at infinity, and
polynomial algebra."""

from __future__ import annotations

from math import inf

from dpbandits.proofs_checks.formulas.algebra.identities import Atoms, power_of
from dpbandits.proofs_checks.formulas.algebra.inequalities import is_certainly_nonnegative, ranges_with_atoms
from dpbandits.proofs_checks.formulas.algebra.polynomials import PI, Polynomial, Ratio, as_ratio, variable_ratio
from dpbandits.proofs_checks.vocabularies.decimals import exact_as_printed
from dpbandits.reference.claims.model import Domain, Formula, Real


def decreases_to_zero(left: Formula, right: Formula, over: Domain, strict: bool = False) -> bool:
    """Whether left <= right is proved by showing that right - left decreases to 0 at infinity (left < right if strict).
    The proof is for all x in (low, inf), low >= 0. False means only that this proof failed. Raises TypeError for other
    functions."""
    [(name, values)] = over.items() if len(over) == 1 else [("", None)]
    if not isinstance(values, Real) or values.closed or values.high != inf or values.low < 0:
        return False
    m, x = Atoms(), {name: variable_ratio(name)}
    gap = m.reduced(as_ratio(right(m, **x)) - as_ratio(left(m, **x)))
    if not tends_to_zero(gap, m, name):
        return False
    slope = certain_sign(m.reduced(derivative_by(gap, m, name)), name)
    if never_positive(slope, m, over):
        return not strict or (-slope).never_negative()  # nothing but negative terms: the gap falls strictly
    if strict or not never_positive(derivative_by(slope, m, name), m, over):
        return False
    low, ends = {name: as_ratio(exact_as_printed(values.low))}, Atoms()
    end = ends.reduced(as_ratio(right(ends, **low)) - as_ratio(left(ends, **low)))
    return is_certainly_nonnegative(end, ranges_with_atoms(ends, {}), False)


def never_positive(x: Ratio, m: Atoms, over: Domain) -> bool:
    """Whether x is certainly at most 0 on the domain. False if x is the zero polynomial."""
    return bool(x.top) and is_certainly_nonnegative(m.reduced(-x), ranges_with_atoms(m, over), False)


def derivative_by(x: Ratio, m: Atoms, name: str) -> Ratio:
    """dx/d(name), by the rules of calculus. Raises TypeError if an atom jumps."""
    top, bottom = (Ratio(part, as_ratio(1).top) for part in (x.top, x.bottom))
    return (derivative_of_sum(x.top, m, name) * bottom - top * derivative_of_sum(x.bottom, m, name)) / (bottom * bottom)


def derivative_of_sum(polynomial: Polynomial, m: Atoms, name: str) -> Ratio:
    """The derivative of a polynomial, whose variables include atoms, by the variable `name`."""
    total = as_ratio(0)
    for powers, value in polynomial.items():
        for each, power in powers:
            rest = {**dict(powers), each: power - 1}
            term = Ratio({tuple(sorted((n, k) for n, k in rest.items() if k)): value * power}, as_ratio(1).top)
            total = total + term * derivative_of_atom(each, m, name)
    return total


def derivative_of_atom(atom: str, m: Atoms, name: str) -> Ratio:
    """The derivative of one variable or atom by the variable `name`. Raises TypeError for functions with jumps."""
    if atom in (name, PI):
        return as_ratio(1 if atom == name else 0)
    [(function, argument)] = [(function, argument) for function, argument, known in m.known if known == atom]
    inner = derivative_by(argument, m, name)
    if not inner.top:
        return as_ratio(0)
    if function == "exp":
        return variable_ratio(atom) * inner
    if function == "ncdf":
        return m.exp(-argument * argument / 2) / m.sqrt(2 * m.pi) * inner
    if function == "log":
        return inner / argument
    if function == "sqrt":
        return inner / (2 * variable_ratio(atom))
    raise TypeError(f"the derivative of {function} does not exist everywhere")


def certain_sign(x: Ratio, name: str) -> Ratio:
    """A quotient of polynomials with the same sign as x, without its common positive factors.
    Common factors that are positive (the variable, e^(..), roots and pi) are removed from the numerator and from the
    denominator."""
    return Ratio(strip_common_factors(x.top, name), strip_common_factors(x.bottom, name))


def strip_common_factors(polynomial: Polynomial, name: str) -> Polynomial:
    """The polynomial divided by the positive factors that all of its terms share. Its sign stays the same.
    Such factors are powers of the variable, e^(..), roots and pi."""
    every = [dict(powers) for powers in polynomial]
    positive = {each for powers in every for each in powers if each in (name, PI) or each[:4] in ("exp#", "sqrt")}
    common = {each: min(powers.get(each, 0) for powers in every) for each in positive}
    return {
        tuple((each, power - common.get(each, 0)) for each, power in powers if power > common.get(each, 0)): value
        for powers, value in polynomial.items()
    }


def tends_to_zero(x: Ratio, m: Atoms, name: str) -> bool:
    """Whether x certainly tends to 0 as the variable tends to infinity.
    Each term of the numerator contains an atom that vanishes faster than any power, and otherwise powers, Phi and
    constant roots; the denominator contains only powers and constant roots, and its terms do not cancel."""
    functions = {atom: (function, argument) for function, argument, atom in m.known}

    def atom_grows_polynomially(atom: str) -> bool:
        """Whether the atom grows at most like a power: the variable itself, pi, a root without the variable, or Phi."""
        function, argument = functions.get(atom, ("", as_ratio(0)))
        return atom in (name, PI) or (function == "sqrt" and name not in argument.names) or function == "ncdf"

    def atom_vanishes(atom: str) -> bool:
        """Whether the atom tends to 0 as the variable tends to infinity."""
        function, argument = functions.get(atom, ("", as_ratio(0)))
        degree = power_of(name, argument.top)
        leading = argument.top.get(((name, degree),), 0) if degree and argument.names == {name} else 0
        known = set(argument.bottom) == {()} and leading / argument.bottom[()] < 0
        return function in ("exp", "ncdf") and known

    terms = [{each for each, _ in powers} for powers in x.top]
    below = {each for powers in x.bottom for each, _ in powers}
    return (
        all(
            any(map(atom_vanishes, term)) and all(atom_grows_polynomially(each) or atom_vanishes(each) for each in term)
            for term in terms
        )
        and all(value > 0 for value in x.bottom.values())
        and all(atom_grows_polynomially(each) and not each.startswith("ncdf") for each in below)
    )
