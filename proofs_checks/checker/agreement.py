"""Checks that a stored enclosure agrees with the recomputed one, and that the enclosed probabilities prove a violation
of (eps, delta)-DP: P_left(event) > e^eps P_right(event) + delta.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import mpmath

from .expressions import evaluator, require_all_used
from .intervals import ExactOrInterval, Interval, as_interval, high, interval, interval_exp, low
from .untrusted import Fields, Rejected, read_decimal, read_end

AGREE = Fraction(1, 10**18)  # stored ends of closed forms agree with recomputed ones to 18 digits
ROUGHLY = Fraction(1, 100)  # stored and recomputed ends of integrals do so to 1 %
COARSELY = Fraction(1, 20)  # stored and recomputed ends of releases with such selections agree so far


def enclosures_agree(stored: Sequence[str], recomputed: ExactOrInterval, place: str, tolerance: Fraction) -> None:
    """Raises Rejected unless the stored enclosure agrees with the recomputed one.
    Its ends within the relative tolerance, and, unless the tolerance is coarse, around the recomputed ends. place: of
    the stored enclosure, for errors."""
    a, b = (read_end(end, f"{place}/{i}") for i, end in enumerate(stored))
    if a > b:
        raise Rejected(f"{place}: the lower end {stored[0]} is above the upper end {stored[1]}")
    c, d = low(recomputed), high(recomputed)
    size = max(abs(Fraction(c)), abs(Fraction(d)))
    for name, mine, theirs, written in (("low", c, a, stored[0]), ("high", d, b, stored[1])):
        if isinstance(theirs, float) or abs(Fraction(mine) - theirs) > tolerance * size:
            raise Rejected(
                f"{place}: the {name} end in the certificate is {written:.40}, but recomputation gives "
                f"{format_enclosure(recomputed)}"
            )
    if c > b or d < a or (tolerance == AGREE and not (a <= c and d <= b)):
        raise Rejected(
            f"{place}: the interval from {stored[0]} to {stored[1]} does not contain the recomputed value "
            f"{format_enclosure(recomputed)}"
        )


def format_enclosure(x: ExactOrInterval) -> str:
    """The enclosed number as text with twelve digits; "low to high" if its ends differ in these digits."""
    ends = dict.fromkeys(str(mpmath.nstr(mpmath.mp.make_mpf(end), 12)) for end in as_interval(x)._mpi_)
    return " to ".join(ends)


def require_violation(certificate: Fields, left: Interval, right: Interval, tolerance: Fraction) -> list[str]:
    """Raises Rejected unless P_left(event) > e^eps P_right(event) + delta holds with certainty.
    It must hold for the recomputed and for the stored probabilities. Returns lines of text that report the result."""
    walker = evaluator(certificate)
    eps, delta = (as_interval(walker.value(certificate[field], field)) for field in ("eps", "delta"))
    require_all_used(walker)
    if low(eps) < 0 or low(delta) < 0:
        raise Rejected("eps and delta must not be negative")
    enclosures_agree(certificate["left_probability"], left, "left_probability", tolerance)
    enclosures_agree(certificate["right_probability"], right, "right_probability", tolerance)
    bound = interval_exp(eps) * right + delta
    if not low(left) > high(bound):
        raise Rejected(
            f"(eps, delta)-DP is not violated: P_left is {format_enclosure(left)}, e^eps P_right + delta is "
            f"{format_enclosure(bound)}"
        )
    stored = (
        interval_exp(eps) * interval(read_decimal(certificate["right_probability"][1], "right_probability/1")) + delta
    )
    if not read_decimal(certificate["left_probability"][0], "left_probability/0") > high(stored):
        raise Rejected("left_probability: the numbers in the certificate do not violate the inequality")
    return [
        f"P_left(event) = {format_enclosure(left)}, P_right(event) = {format_enclosure(right)}",
        f"eps = {format_enclosure(eps)}, delta = {format_enclosure(delta)}: e^eps P_right + delta = "
        f"{format_enclosure(bound)}",
        "so that P_left(event) > e^eps P_right(event) + delta",
    ]
