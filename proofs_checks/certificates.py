"""The checker of certificates: recomputes a refutation from its data, trusting nothing that produced it.

This one file (with the schema beside it) can be copied anywhere: it needs the standard library, mpmath and
jsonschema, and imports nothing of this project. All numbers are decimal strings, read exactly; expressions
are parsed, never executed; every probability is recomputed as an interval at 60 digits, by formulas other
than those of the rest of the project.

A certificate comes from anybody. So its text is printable, of moderate size, and read as ASCII arithmetic; numbers
have bounded exponents; and all work is paid for from a budget of EFFORT, so that an answer comes within seconds,
the same on every machine. What exceeds a limit is rejected, though it may be true.

Five kinds of certificate:
- "formula": an inequality or identity fails at a point at which all of its preconditions hold;
- "step": a noisy maximum tells two neighbouring inputs apart: P_left(event) > e^eps P_right(event) + delta;
- "transcripts": so does Gaussian Thompson sampling (two arms, prior count 1) on two neighbouring reward
  tables. A transcript lists the arms of the rounds after the pre-pulls, which are certain: first b times
  arm 0, then b times arm 1. In a "pull" table, row a, column n is what the (n+1)-th pull of arm a pays; in
  a "round" table, column t is what round t+1 pays, pre-pulls included.
- "run": so does the same Thompson sampling, with two arms or a few more, in a run of many rounds, where one pull or one
  arm in one round, pays otherwise. Its event is what a likelihood test finds: transcripts with the same pulls, totals
  and about the same ratio of probabilities are thrown together, so are those that differ in the names of arms which
  pay alike; of these heaps those count whose left mass is more than e^eps times the right one. What leads to more than
  `pulls` pulls of the changed arm is in no heap. Each row of the tables stands in runs: [how often, what is paid].
- "release": so does any mechanism that releases, step by step, a set of options that noise selects. A step's
  centres are sums of windows of rewards (each times its factor, where factors are given), over divisors; independent
  noise of the stated scales is added; kept are the options "within" a width of the largest (the largest alone, at
  width 0), or the "top" s. Where weights are given, one or two noisy values are shared: an option is the sum of them
  in its weights, and of equal options the first one is kept; "within" says how far its factors and weights may be off,
  as a share of the largest of them, and its scales of themselves (equal weights are equal), and then the chances are
  enclosed for all of these mechanisms. Or a step releases a noisy value itself, and the event
  asks "between" which of the stated cuts it lies: interval number 0 is below the first cut; in one row of weights,
  several normal values are added up. The tables stand in runs of the stated lengths, their rewards in the stated range.
  A step may lead to another one, further down the list, for each set that it releases; the event is all ways to an end.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import mpmath
from mpmath.ctx_iv import MPIntervalContext

DIGITS = 60
AGREE = Fraction(1, 10**18)  # stored ends of closed forms agree with recomputed ones to 18 digits
ROUGHLY = Fraction(1, 100)  # stored and recomputed ends of integrals do so to 1 %
CELLS = 3000  # the finest subdivision of an integral
GRID = (-40, -28, -20, -16, *range(-12, 13), 16, 20, 28, 40)  # its coarsest, between normals, in standard deviations
FINE = Fraction(1, 300)  # relative width at which subdivision stops
CHOICES = 16  # noisy values that are compared
CROWD = 16  # among more options, it stops at twice that
COARSE = Fraction(1, 60)  # the same, of a selection among several options with normal noise
COARSELY = Fraction(1, 20)  # stored and recomputed ends of releases with such selections agree so far
LONGEST = 20_000  # characters of an expression, and bits of exact numbers
LARGEST_EXPONENT = 5000  # of a decimal literal, and of a whole-number power
LARGEST = 2**19  # intervals stay between 2^-LARGEST and 2^LARGEST, or are 0: so each can be written out exactly
EFFORT = 250_000  # of one certificate, in units of some five microseconds
RUN_EFFORT = 20_000_000  # of one about a run: T = 1000 takes a few seconds, T = 10 000 minutes
SIZE = 200_000  # characters and items of a certificate
DEPTH = 6  # of lists and objects in one another
NESTED = 500  # operations within operations
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d{1,5})?|-?\d+/\d+", re.ASCII)
LITERAL = re.compile(r"\d+(\.\d*)?(e[+-]?\d{1,5})?", re.ASCII)
# No comment, no new line, nothing that looks like another character; and no literal runs into a name.
TOKEN = re.compile(r" *(\d+(\.\d*)?(e[+-]?\d{1,5})?(?![A-Za-z0-9_.])|[A-Za-z][A-Za-z0-9_]*|\*\*|[-+*/(),]) *", re.ASCII)

work = MPIntervalContext()
work.dps = DIGITS

Interval = Any  # an interval of `work`
Value = Any  # an Interval, or an exact Fraction
Number = Fraction | float  # exact, or an infinite float


class Rejected(Exception):
    """The certificate does not show what it says; the message says where and why."""


class Verification(NamedTuple):
    """What the checker found. ok: the certificate is valid. lines: what was recomputed, or what is wrong."""

    ok: bool
    lines: tuple[str, ...]


def verify(certificate: Any) -> Verification:
    """Check a certificate. Never raises for a bad one: the lines say what is wrong with it, and are printable."""
    kinds = {
        "formula": check_formula,
        "step": check_step,
        "transcripts": check_transcripts,
        "release": check_release,
        "run": check_run,
    }
    try:
        moderate(certificate)
        error = jsonschema.exceptions.best_match(islice(schema().iter_errors(certificate), 50))
        if error is not None:
            place = "/".join(map(str, error.absolute_path)) or "the certificate"
            raise Rejected(f"schema: {place}: {error.message[:300]}")
        with budget(RUN_EFFORT if certificate["type"] == "run" else EFFORT):
            return Verification(True, tuple(kinds[certificate["type"]](certificate)))
    except Rejected as wrong:
        return Verification(False, (str(wrong),))
    except Exception as error:  # nothing has been shown, so it is rejected; that it was our fault is said
        return Verification(False, (f"the checker failed at it ({type(error).__name__}: {str(error)[:200]!a})",))


@lru_cache(maxsize=1)
def schema() -> Any:
    text = Path(__file__).with_name("certificate.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


# -- what comes from anybody -----------------------------------------------------------------------------


def moderate(certificate: Any) -> None:
    """Raises Rejected for a certificate that is large, deep, or not printable throughout: no character of it may
    move a cursor, turn the direction of writing, or stand for nothing."""
    size, waiting = 0, [(certificate, 0)]
    while waiting:
        node, depth = waiting.pop()
        parts: list[Any] = []
        if isinstance(node, dict):
            parts = [*node, *node.values()]
        elif isinstance(node, list | tuple):
            parts = list(node)
        elif isinstance(node, str):
            size += len(node)
            if not node.isprintable():
                raise Rejected(f"the text {node[:60]!a} has characters that cannot be printed")
        elif isinstance(node, float) or (isinstance(node, int) and abs(node) > 10**9):
            raise Rejected("a number is no whole one up to 10^9; all others are written as strings")
        size += 1 + len(parts)
        if depth > DEPTH or size > SIZE:
            raise Rejected(f"it is larger than {SIZE} characters and items, or deeper than {DEPTH} levels")
        waiting += [(part, depth + 1) for part in parts]


class Effort:
    """What may still be spent on the certificate in hand; without limit while there is none."""

    left: float = math.inf


@contextmanager
def budget(units: int) -> Iterator[None]:
    taylor.cache_clear()
    densities.cache_clear()
    normal_at.cache_clear()  # what is known already costs nothing: so begin with nothing, always
    laplace_at.cache_clear()
    Effort.left = units
    try:
        yield
    finally:
        Effort.left = math.inf


def spend(units: float | Fraction) -> None:
    Effort.left -= float(units)
    if Effort.left < 0:
        raise Rejected("it takes more than the allowed units of work to check; look for a smaller certificate")


def handled(*exact_numbers: Fraction) -> int:
    """Pays for an operation on exact numbers, and returns how many bits they have together."""
    bits = sum(map(length, exact_numbers))
    spend(1 + (bits / 3000) ** 2)
    return bits


# -- numbers and intervals -------------------------------------------------------------------------------


def read(number: str, place: str) -> Fraction:
    """A finite decimal string or quotient, exactly."""
    if not NUMBER.fullmatch(number):
        raise Rejected(f"{place}: {number[:60]!r} is not a decimal number")
    _, _, exponent = number.partition("e")
    if exponent and abs(int(exponent)) > LARGEST_EXPONENT:
        raise Rejected(f"{place}: the exponent of {number[:60]!r} is too large")
    if re.search(r"/0+$", number):
        raise Rejected(f"{place}: {number[:60]!r} divides by zero")
    value = Fraction(number)
    handled(value)
    return value


def read_end(number: str, place: str) -> Number:
    return float(number) if number in ("inf", "-inf") else read(number, place)


def interval(value: Fraction) -> Interval:
    """The exact number as a (rarely wider) interval."""
    return work.mpf(value.numerator) / work.mpf(value.denominator)


def low(x: Value) -> Number:
    return x if isinstance(x, Fraction) else exact(x._mpi_[0])


def high(x: Value) -> Number:
    return x if isinstance(x, Fraction) else exact(x._mpi_[1])


def enclosed(x: Value) -> Interval:
    return interval(x) if isinstance(x, Fraction) else x


def exact(end: Any) -> Number:
    """An end of an interval as an exact rational, or an infinite float."""
    sign, mantissa, exponent, bits = (int(part) for part in end)
    if not mantissa and exponent:
        return float(mpmath.libmp.to_float(end))
    if abs(exponent + bits) > 2 * LARGEST:
        raise Rejected(f"a value lies beyond 2^{2 * LARGEST} or below 2^-{2 * LARGEST}")
    size = Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)
    return -size if sign else size


def bottom(x: Interval) -> Any:
    """The low end as a binary number of mpmath's, whose comparisons with another one, an int or a float are exact and
    need no writing out. (mpmath 1.3 compares it with no Fraction.)"""
    return mpmath.mp.make_mpf(x._mpi_[0])


def top(x: Interval) -> Any:
    return mpmath.mp.make_mpf(x._mpi_[1])


def bounded(x: Value) -> Value:
    """The value. Raises Rejected where it is not finite, or has too large an exponent."""
    for end in () if isinstance(x, Fraction) else x._mpi_:
        _, mantissa, exponent, bits = (int(part) for part in end)
        size = abs(exponent + bits)
        if (not mantissa and exponent) or size > LARGEST:
            raise Rejected(f"a value is not finite, lies beyond 2^{LARGEST}, or is not 0 and below 2^-{LARGEST}")
        spend(size / 1000)
    return x


def ends(a: Interval, b: Interval) -> Interval:
    """From the low end of one interval to the high end of another."""
    return work.make_mpf((a._mpi_[0], b._mpi_[1]))


def quotient(a: Interval, b: Interval) -> Interval:
    if bottom(b) <= 0 <= top(b):
        raise Rejected("the expression divides by something that may be 0")
    return a / b


def exponential(x: Interval) -> Interval:
    spend(12)
    if top(x) > FARTHEST**2:
        raise Rejected("the expression contains an exponential beyond exp(160000)")
    if bottom(x) < -(FARTHEST**2):  # numbers stay small enough to be written out
        return ends(work.mpf(0), padded(work.exp(largest(ends_of(x)[1], work.mpf(-(FARTHEST**2))))))
    return padded(work.exp(x)) if not bottom(x) == top(x) == 0 else work.mpf(1)


def logarithm(x: Interval) -> Interval:
    spend(12)
    if bottom(x) <= 0:
        raise Rejected("the expression contains the logarithm of something that may not be positive")
    return padded(work.log(x)) if not bottom(x) == top(x) == 1 else work.mpf(0)


def padded(x: Interval) -> Interval:
    """Ten units in the last place more on either side: mpmath rounds exp and log correctly, but for rare
    cases."""
    slack = work.ldexp(work.mpf([-1, 1]), 4 - work.prec)
    return x * (1 + slack)


def root(x: Interval) -> Interval:
    spend(12)
    if bottom(x) < 0:
        raise Rejected("the expression contains the square root of something that may be negative")
    return work.sqrt(x)


def power(base: Interval, exponent: Interval) -> Interval:
    spend(4)
    n = bottom(2 * exponent)  # exactly
    if n == top(2 * exponent) and abs(n) <= 2 * LARGEST_EXPONENT and n == int(n):
        times = abs(int(n))  # roots are taken exactly where they are exact: 4^(3/2) is 8
        raised = whole_power(root(base), times) if times % 2 else whole_power(base, times // 2)
        return raised if n >= 0 else quotient(work.mpf(1), raised)
    if bottom(base) == top(base) == 0 < n:
        return work.mpf(0)
    return exponential(exponent * logarithm(base))


def whole_power(base: Interval, n: int) -> Interval:
    """n >= 0; an even power is the square of a power, and a square is not negative."""
    spend(2)
    if n == 0:
        return work.mpf(1)
    if n % 2:
        return monotone_odd(base, n) if bottom(base) < 0 < top(base) else base * whole_power(base, n - 1)
    half = whole_power(base, n // 2)
    square = bounded(half * half)
    return ends(work.mpf(0), square) if bottom(half) < 0 < top(half) else square


def monotone_odd(base: Interval, n: int) -> Interval:
    """Odd powers are increasing: from the power of the low end to that of the high end."""
    a, b = ends_of(base)
    return ends(a * whole_power(a, n - 1), b * whole_power(b, n - 1))


def ends_of(x: Interval) -> tuple[Interval, Interval]:
    a, b = x._mpi_
    return work.make_mpf((a, a)), work.make_mpf((b, b))


def largest(*values: Interval) -> Interval:
    return ends(max(values, key=bottom), max(values, key=top))


def smallest(*values: Interval) -> Interval:
    return ends(min(values, key=bottom), min(values, key=top))


def rounded_down(x: Interval) -> Interval:
    spend(100)
    a, b = Fraction(low(x)), Fraction(high(x))
    return ends(work.mpf(a.numerator // a.denominator), work.mpf(b.numerator // b.denominator))


def rounded_up(x: Interval) -> Interval:
    return -rounded_down(-x)


# -- the normal distribution function --------------------------------------------------------------------


def normal(x: Interval) -> Interval:
    """Phi is increasing: from its value at the low end to its value at the high end."""
    spend(2)
    return ends(normal_at(Fraction(low(x)), work.prec), normal_at(Fraction(high(x)), work.prec))


def phi(x: Fraction) -> Interval:
    return normal_at(x, work.prec)


ASYMPTOTIC_FROM = 17  # the asymptotic series is good to exp(-17^2/2) < 1e-62, relatively, from here on


FARTHEST = 400  # beyond, the tail is between 0 and its value here, below 1e-34000


@lru_cache(maxsize=10_000)
def normal_at(x: Fraction, prec: int) -> Interval:
    """An enclosure of Phi at one exact point, good to about `prec` bits relative to the smaller tail."""
    spend(40 + x * x if abs(x) < ASYMPTOTIC_FROM else 400)
    if x > 0:
        return 1 - tail(x, prec)
    return tail(-x, prec) if x < 0 else work.mpf(1) / 2


def tail(x: Fraction, prec: int) -> Interval:
    """1 - Phi(x) for x > 0."""
    before = work.prec
    try:
        return asymptotic(x) if x >= ASYMPTOTIC_FROM else alternating(x, prec)
    finally:
        work.prec = before


def asymptotic(x: Fraction) -> Interval:
    """phi(x)/x (1 - 1/x^2 + 3/x^4 - 15/x^6 + ...): each partial sum errs by less than the next term, to its
    side."""
    if x > FARTHEST:
        return ends(work.mpf(0), asymptotic(Fraction(FARTHEST)))
    square = interval(x * x)
    total, term, k = work.mpf(1), work.mpf(1), 0
    smallest_term = Fraction(1, 2 ** (work.prec + 4))
    while True:
        following = -term * (2 * k + 1) / square
        k += 1
        if abs(Fraction(low(following))) < smallest_term or 2 * k + 1 > x * x:
            break
        total, term = total + following, following
    after = total + following  # the value lies between the sums without and with the term that follows
    total = ends(smallest(total, after), largest(total, after))
    density = exponential(-square / 2) / work.sqrt(2 * work.pi)
    return density / interval(x) * total


def alternating(x: Fraction, prec: int) -> Interval:
    """1/2 - S/sqrt(2 pi), S = sum_k (-1)^k x^(2k+1)/(2^k k! (2k+1)).

    Terms reach exp(x^2/2) and the tail is down at exp(-x^2/2): together x^2 log2(e) bits are lost to
    cancellation.
    """
    bits = prec + int(x * x * 3 / 2) + 2 * int(x) + 30
    total, wrong = alternating_sum(x, bits)
    work.prec = bits + 20
    series = (work.mpf(total) + work.mpf([-wrong, wrong])) / work.mpf(1 << bits)
    return work.mpf(1) / 2 - series / work.sqrt(2 * work.pi)


def alternating_sum(x: Fraction, bits: int) -> tuple[int, int]:
    """S for x > 0 in units of 2^-bits, and by how many units it may be wrong: integers with counted rounding errors,
    for any number of bits."""
    unit = 1 << bits
    scaled = x * unit
    term = scaled.numerator // scaled.denominator  # x^(2k+1)/(2^k k!), wrong by at most `wrong` units
    square = (x * x * unit).__floor__()
    total = wrong_total = 0
    wrong, k, sign = 1, 0, 1
    while True:
        total += sign * (term // (2 * k + 1))
        wrong_total += wrong // (2 * k + 1) + 2
        falling = square + 1 < 2 * (k + 1) * unit
        if falling and term <= wrong + (1 << 8):
            return total, wrong_total + 2 * term + 2 * wrong + 2  # all later terms: alternating and falling
        wrong = ((wrong * (square + 1) + term) // (2 * (k + 1) * unit)) + 2
        term = (term * square >> bits) // (2 * (k + 1))
        sign, k = -sign, k + 1


# -- expressions -----------------------------------------------------------------------------------------

FUNCTIONS: dict[str, tuple[Callable[..., Interval], int | None]] = {
    "exp": (exponential, 1),
    "log": (logarithm, 1),
    "sqrt": (root, 1),
    "ncdf": (normal, 1),
    "floor": (rounded_down, 1),
    "ceil": (rounded_up, 1),
    "maximum": (largest, None),
    "minimum": (smallest, None),
}

EXACTLY: dict[str, Callable[..., Any]] = {"maximum": max, "minimum": min, "floor": math.floor, "ceil": math.ceil}


class Evaluator:
    """Walks the syntax tree of an expression; whatever is not on the list is rejected."""

    def __init__(self, variables: Mapping[str, Fraction]):
        self.variables = variables
        self.used: set[str] = set()

    def value(self, source: str, place: str) -> Value:
        try:
            return self.node(parsed(source), source)
        except Rejected as wrong:
            raise Rejected(f"{place}: {wrong}") from None

    def node(self, node: ast.AST, source: str, depth: int = 0) -> Value:
        spend(1)
        if depth > NESTED:
            raise Rejected(f"the expression is nested more than {NESTED} levels deep; add up in groups")
        value: Value
        match node:
            case ast.Constant():
                # The source is one line of ASCII, so that columns are characters.
                written = source[node.col_offset : node.end_col_offset]
                if type(node.value) not in (int, float) or not LITERAL.fullmatch(written):
                    raise Rejected(f"{written[:60]!r} is not a decimal literal")
                value = read(re.sub(r"\.(?=e|$)", "", written), "literal")
            case ast.Name(id="pi"):
                value = +work.pi
            case ast.Name(id=name):
                if name not in self.variables:
                    raise Rejected(f"the name {name!r} is not a variable of the certificate")
                self.used.add(name)
                value = self.variables[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = -self.node(operand, source, depth + 1)
            case ast.BinOp(left=left, op=op, right=right):
                value = self.operation(op, self.node(left, source, depth + 1), self.node(right, source, depth + 1))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
                function, arity = FUNCTIONS[name]
                if not arguments or (arity is not None and len(arguments) != arity):
                    raise Rejected(f"{name} takes {arity or 'some'} arguments, not {len(arguments)}")
                values = [self.node(argument, source, depth + 1) for argument in arguments]
                if name in EXACTLY and all(isinstance(each, Fraction) for each in values):
                    handled(*values)
                    value = Fraction(EXACTLY[name](*values))
                else:
                    value = function(*map(enclosed, values))
            case _:
                raise Rejected(f"{type(node).__name__} is not part of the expression language")
        return bounded(value)

    def operation(self, op: ast.operator, a: Value, b: Value) -> Value:
        """Exact between rational numbers, while they are short; else between intervals."""
        exactly = isinstance(a, Fraction) and isinstance(b, Fraction) and handled(a, b) <= LONGEST
        if not exactly:
            a, b = enclosed(a), enclosed(b)
        match op:
            case ast.Add():
                return a + b
            case ast.Sub():
                return a - b
            case ast.Mult():
                return a * b
            case ast.Div():
                return a / b if exactly and b != 0 else quotient(enclosed(a), enclosed(b))
            case ast.Pow():
                if exactly and b.denominator == 1 and length(a) * abs(b) <= LONGEST and (a != 0 or b >= 0):
                    return Fraction(a ** int(b))
                return power(enclosed(a), enclosed(b))
        raise Rejected(f"the operator {type(op).__name__} is not part of the expression language")


def parsed(source: str) -> ast.AST:
    """The syntax tree of an expression. Only its tokens are ever given to Python's parser: so there are no
    comments, lines, strings, or characters that the parser would take for others."""
    if len(source) > LONGEST:
        raise Rejected(f"the expression has more than {LONGEST} characters")
    place = 0
    while place < len(source):
        token = TOKEN.match(source, place)
        if not token:
            raise Rejected(f"{source[place : place + 40]!a} is not arithmetic")
        place = token.end()
    source = source.strip(" ")
    try:
        return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Rejected(f"{source[:60]!r} is not an expression, or is nested too deeply") from None


def length(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()


def evaluator(certificate: Mapping[str, Any]) -> Evaluator:
    values = {name: read(text, f"variables/{name}") for name, text in certificate["variables"].items()}
    for name in values:
        if name in FUNCTIONS or name == "pi":
            raise Rejected(f"variables/{name}: this name is taken")
    return Evaluator(values)


def all_used(walker: Evaluator) -> None:
    unused = sorted(set(walker.variables) - walker.used)
    if unused:
        raise Rejected(f"variables/{unused[0]}: no expression uses this variable")


def agrees(stored: Sequence[str], recomputed: Value, place: str, tolerance: Fraction) -> None:
    """The stored enclosure must be the recomputed one, up to rounding outwards (or up to coarser
    quadrature)."""
    a, b = (read_end(end, f"{place}/{i}") for i, end in enumerate(stored))
    if a > b:
        raise Rejected(f"{place}: the ends {stored[0]} and {stored[1]} are in the wrong order")
    c, d = low(recomputed), high(recomputed)
    size = max(abs(Fraction(c)), abs(Fraction(d)))
    for name, mine, theirs, written in (("low", c, a, stored[0]), ("high", d, b, stored[1])):
        if isinstance(theirs, float) or abs(Fraction(mine) - theirs) > tolerance * size:
            raise Rejected(f"{place}: the {name} end is stored as {written:.40}, but is {shown(recomputed)}")
    if tolerance == AGREE and not (a <= c and d <= b):
        raise Rejected(f"{place}: {stored[0]} to {stored[1]} does not enclose {shown(recomputed)}")
    if c > b or d < a:
        raise Rejected(f"{place}: {stored[0]} to {stored[1]} is not where {shown(recomputed)} lies")


def shown(x: Value) -> str:
    """The number in twelve digits; both ends of what is not known so well."""
    ends = dict.fromkeys(str(mpmath.nstr(mpmath.mp.make_mpf(end), 12)) for end in enclosed(x)._mpi_)
    return " to ".join(ends)


# -- the five kinds --------------------------------------------------------------------------------------


def check_formula(certificate: Mapping[str, Any]) -> list[str]:
    walker = evaluator(certificate)
    within = read(certificate["within"], "within")
    relation = certificate["relation"]
    if within < 0 or (relation != "==" and within != 0):
        raise Rejected(f"within: {certificate['within']} makes no sense for {relation!r}")
    for i, (left, right) in enumerate(certificate["given"]):
        p, q = walker.value(left, f"given/{i}/0"), walker.value(right, f"given/{i}/1")
        if not high(p) <= low(q):
            raise Rejected(f"given/{i}: the precondition {left} <= {right} does not certainly hold")
    p, q = walker.value(certificate["left"], "left"), walker.value(certificate["right"], "right")
    all_used(walker)
    agrees(certificate["left_enclosure"], p, "left_enclosure", AGREE)
    agrees(certificate["right_enclosure"], q, "right_enclosure", AGREE)
    gap = p - q if isinstance(p, Fraction) and isinstance(q, Fraction) else enclosed(p) - enclosed(q)
    violated = {
        "<=": low(p) > high(q),
        "<": low(p) >= high(q),
        "==": low(gap) > within or high(gap) < -within,
    }[relation]
    if not violated:
        raise Rejected(f"left {relation} right is not violated: left is {shown(p)}, right is {shown(q)}")
    point = ", ".join(f"{name} = {text}" for name, text in certificate["variables"].items())
    return [
        f"at {point or 'no variables'}:",
        f"left  = {certificate['left']} = {shown(p)}",
        f"right = {certificate['right']} = {shown(q)}",
        f"so that left {relation} right is false" + (f" (within {certificate['within'][:60]})" if within else ""),
    ]


def conclude(certificate: Mapping[str, Any], left: Interval, right: Interval, tolerance: Fraction) -> list[str]:
    """P_left(event) > e^eps P_right(event) + delta, certainly, also with the stored numbers."""
    walker = evaluator(certificate)
    eps, delta = (enclosed(walker.value(certificate[field], field)) for field in ("eps", "delta"))
    all_used(walker)
    if low(eps) < 0 or low(delta) < 0:
        raise Rejected("eps and delta must not be negative")
    agrees(certificate["left_probability"], left, "left_probability", tolerance)
    agrees(certificate["right_probability"], right, "right_probability", tolerance)
    bound = exponential(eps) * right + delta
    if not low(left) > high(bound):
        raise Rejected(f"not violated: P_left is {shown(left)}, e^eps P_right + delta is {shown(bound)}")
    stored = exponential(eps) * interval(read(certificate["right_probability"][1], "right_probability/1")) + delta
    if not read(certificate["left_probability"][0], "left_probability/0") > high(stored):
        raise Rejected("left_probability: the stored numbers do not show the violation")
    return [
        f"P_left(event) = {shown(left)}, P_right(event) = {shown(right)}",
        f"eps = {shown(eps)}, delta = {shown(delta)}: e^eps P_right + delta = {shown(bound)}",
        "so that P_left(event) > e^eps P_right(event) + delta",
    ]


def check_step(certificate: Mapping[str, Any]) -> list[str]:
    fields = ("scales", "left", "right", "sensitivities")
    scales, left, right, moves = (
        [read(text, f"{field}/{i}") for i, text in enumerate(certificate[field])] for field in fields
    )
    options = len(left)
    for field, values in zip(fields, (scales, left, right, moves), strict=True):
        if len(values) != options:
            raise Rejected(f"{field}: {len(values)} values for {options} options")
    if min(scales) <= 0 or min(moves) < 0:
        raise Rejected("scales must be positive and sensitivities not negative")
    differ = [i for i in range(options) if left[i] != right[i]]
    for i in differ:
        if abs(left[i] - right[i]) > moves[i]:
            raise Rejected(
                f"right/{i}: not a neighbour, option {i} moves by more than its sensitivity "
                f"{certificate['sensitivities'][i][:60]}"
            )
    if certificate["changed"] == "one" and len(differ) > 1:
        raise Rejected(f"right: not a neighbour, {len(differ)} options move and only one may")
    event = certificate["event"]
    if len(set(event)) != len(event) or any(i >= options for i in event):
        raise Rejected(f"event: {event} is not a set of options 0 to {options - 1}")
    if options == 2 or len(event) in (0, options):
        p, q, tolerance = *(short_event(certificate["noise"], x, scales, event) for x in (left, right)), AGREE
    else:
        p, q = (added(winning(certificate["noise"], x, scales, i) for i in event) for x in (left, right))
        tolerance = ROUGHLY
    return [
        f"{certificate['noise']} noisy maximum of {options} options",
        *conclude(certificate, p, q, tolerance),
    ]


def added(values: Any) -> Interval:
    return sum(values, work.mpf(0))


def short_event(noise: str, means: list[Fraction], scales: list[Fraction], event: list[int]) -> Interval:
    """The probability that the winner of two options is in the event, in closed form."""
    if len(event) != 1:
        return work.mpf(1 if event else 0)
    i, j = event[0], 1 - event[0]
    lead = means[i] - means[j]
    if noise == "gaussian":
        return normal(interval(lead) / work.sqrt(interval(scales[0] ** 2 + scales[1] ** 2)))
    behind = laplace_difference_tail(abs(lead), scales[0], scales[1])
    return 1 - behind if lead >= 0 else behind


def laplace_difference_tail(t: Fraction, a: Fraction, b: Fraction) -> Interval:
    """P(A - B > t), t >= 0, for independent Laplace variables of scales a and b."""
    if a == b:
        ratio = interval(t / a)
        return exponential(-ratio) * (2 + ratio) / 4
    p, q = exponential(-interval(t / a)), exponential(-interval(t / b))
    return (interval(a * a) * p - interval(b * b) * q) / interval(2 * (a * a - b * b))


def laplace(x: Interval) -> Interval:
    return ends(laplace_at(Fraction(low(x))), laplace_at(Fraction(high(x))))


@lru_cache(maxsize=10_000)
def laplace_at(x: Fraction) -> Interval:
    """The standard Laplace distribution function at one exact point."""
    half = exponential(-abs(interval(x))) / 2
    return half if x <= 0 else 1 - half


def winning(noise: str, means: list[Fraction], scales: list[Fraction], arm: int) -> Interval:
    """P(this option wins): the integral of prod_j F((m_i - m_j + s_i x)/s_j) dF(x).

    The product is increasing in x, so that on each cell it lies between its values at the ends. What lies beyond the
    last grid points is bounded by 0 and 1.
    """
    before, work.prec = work.prec, 60
    try:
        cdf = phi if noise == "gaussian" else laplace_at
        pairs = [(means[j], scales[j]) for j in range(len(means)) if j != arm]
        others = {each: pairs.count(each) for each in pairs}

        def at(x: Fraction) -> Node:
            product = work.mpf(1)
            spend(12 * len(others))
            for (mean, scale), many in others.items():
                product = product * whole_power(cdf((means[arm] - mean + scales[arm] * x) / scale), many)
            return Node(x, cdf(x), product)

        nodes = [at(Fraction(k)) for k in (GRID if noise == "gaussian" else range(-200, 201))]
        first, last = nodes[0], nodes[-1]
        under = ends(work.mpf(0), first.mass * first.product)
        over = ends((1 - last.mass) * last.product, 1 - last.mass)
        return under + refined(nodes, at, cell, FINE if len(means) <= CROWD else 2 * FINE) + over
    finally:
        work.prec = before


def refined(points: list[Any], at: Callable[[Fraction], Any], part: Callable[[Any, Any], Any], fine: Fraction) -> Any:
    """An integral between the first and the last point. part: what lies between two points, a, b, and the least and the
    most that it contributes. The parts in which these differ most are halved, an eighth of all at a time, until the
    sums are relatively this close, or there are CELLS of them."""
    parts = [part(a, b) for a, b in pairwise(points)]
    while True:
        least, most = added(each.least for each in parts), added(each.most for each in parts)
        if len(parts) >= CELLS or bottom(least * (1 + interval(fine)) - most) >= 0:
            return ends(least, most)
        parts.sort(key=lambda each: bottom(each.least - each.most))
        worst = 1 + len(parts) // 8
        middles = [at((each.a.x + each.b.x) / 2) for each in parts[:worst]]
        halves = [half for each, x in zip(parts, middles, strict=False) for half in (part(each.a, x), part(x, each.b))]
        parts = halves + parts[worst:]


class Node(NamedTuple):
    """A point x, the distribution function there, and the chance that all others stay behind."""

    x: Fraction
    mass: Interval
    product: Interval


class Cell(NamedTuple):
    """What lies between two points, and the least and the most that it contributes."""

    a: Node
    b: Node
    least: Interval
    most: Interval


def cell(a: Node, b: Node) -> Cell:
    mass = largest(b.mass - a.mass, work.mpf(0))
    least, most = mass * largest(a.product, work.mpf(0)), mass * b.product
    return Cell(a, b, ends_of(least)[0], ends_of(most)[1])


def check_transcripts(certificate: Mapping[str, Any]) -> list[str]:
    tables = [
        [[read(text, f"{side}/{a}/{n}") for n, text in enumerate(row)] for a, row in enumerate(certificate[side])]
        for side in ("left", "right")
    ]
    width = len(tables[0][0])
    for side, table in zip(("left", "right"), tables, strict=True):
        if len(table) != 2 or any(len(row) != width for row in table):
            raise Rejected(f"{side}: a table has two rows (arms) of equal length, the same on both sides")
        for a, row in enumerate(table):
            for n, entry in enumerate(row):
                if not 0 <= entry <= 1:
                    raise Rejected(f"{side}/{a}/{n}: the reward {certificate[side][a][n][:60]} lies outside [0, 1]")
    left, right = tables
    moved = [(a, n) for a in range(2) for n in range(width) if left[a][n] != right[a][n]]
    if certificate["relation"] == "pull" and len(moved) > 1:
        raise Rejected(f"right: not a neighbour, the tables differ in {len(moved)} entries and may in one")
    if certificate["relation"] == "round" and len({n for _, n in moved}) > 1:
        raise Rejected("right: not a neighbour, the tables differ in several rounds and may in one")
    event = [tuple(transcript) for transcript in certificate["event"]]
    if len(set(event)) != len(event):
        raise Rejected("event: a transcript is listed twice")
    if len({len(transcript) for transcript in event}) > 1:
        raise Rejected("event: the transcripts have different lengths")
    prepulls = certificate["policy"]["prepulls"]
    variance = read(certificate["policy"]["variance"], "policy/variance")
    if variance <= 0:
        raise Rejected(f"policy/variance: {certificate['policy']['variance'][:60]} is not positive")
    chance = {}
    for side, table in zip(("left", "right"), tables, strict=True):
        law = Thompson(table, certificate["relation"], prepulls, variance, side)
        chance[side] = added(law.probability(transcript) for transcript in event)
    lines = conclude(certificate, chance["left"], chance["right"], AGREE)
    noise = f"b = {prepulls}, c = {certificate['policy']['variance'][:60]}"
    return [
        f"Gaussian Thompson sampling, two arms, {noise}; {len(event)} transcripts of {len(event[0])} rounds",
        *lines,
    ]


class Thompson:
    """The law of transcripts on one fixed table; probabilities of common beginnings are computed once."""

    def __init__(self, table: list[list[Fraction]], relation: str, prepulls: int, variance: Fraction, side: str):
        self.table, self.relation, self.side, self.variance = table, relation, side, variance
        self.start = Seen((0, 0), (Fraction(0), Fraction(0)))
        for arm in [0] * prepulls + [1] * prepulls:
            self.start = self.after(self.start, arm)
        self.known: dict[Any, Any] = {}  # arm -> (the chance of the beginning up to it, what is known after it)

    def probability(self, transcript: Sequence[int]) -> Interval:
        known, seen, chance = self.known, self.start, work.mpf(1)
        for place, arm in enumerate(transcript):
            if arm not in known:
                known[arm] = (
                    chance * self.step(seen, arm),
                    seen if place == len(transcript) - 1 else self.after(seen, arm),
                    {},
                )
            spend(1)
            chance, seen, known = known[arm]
        return chance

    def after(self, seen: Seen, arm: int) -> Seen:
        column = seen.pulls[arm] if self.relation == "pull" else sum(seen.pulls)
        if column >= len(self.table[arm]):
            raise Rejected(f"{self.side}: the table has {len(self.table[arm])} columns, the event needs more")
        pulls, sums = list(seen.pulls), list(seen.sums)
        handled(sums[arm], self.table[arm][column])
        pulls[arm] += 1
        sums[arm] += self.table[arm][column]
        return Seen((pulls[0], pulls[1]), (sums[0], sums[1]))

    def step(self, seen: Seen, arm: int) -> Interval:
        """P(next arm | arms so far): theta_i ~ N(S_i/(n_i + 1), c/(n_i + 1)), the larger one is played."""
        handled(*seen.sums, self.variance)
        pulls, sums = seen
        lead = sums[arm] / (pulls[arm] + 1) - sums[1 - arm] / (pulls[1 - arm] + 1)
        spread = self.variance * (Fraction(1, pulls[0] + 1) + Fraction(1, pulls[1] + 1))
        return normal(interval(lead) / work.sqrt(interval(spread)))


class Seen(NamedTuple):
    """How often each arm was pulled, and what it has paid in total."""

    pulls: tuple[int, int]
    sums: tuple[Fraction, Fraction]


# -- whole runs of Thompson sampling ---------------------------------------------------------------------

CHANCE = 60  # bits of a round's chances
UNLIKELY = 30  # rounds less likely than 2^-UNLIKELY are in no heap
NEGLIGIBLE = 40  # nor are states whose heaps all have 2^-NEGLIGIBLE of delta, or less
POINT = 128  # bits of the fixed-point numbers on the way to Phi
NEAREST = 16  # Phi is expanded around multiples of 1/NEAREST,
DEGREE = 18  # up to this power
FAR = 12  # beyond FAR deviations, Phi is its value there, or 1
MOST_HEAPS = 4000
FARTHEST_NODE = 9.5  # of the trapezoidal rule, in deviations: 2 Phi(-9.5) < 2^-67
OFF = 1 << POINT - 62  # by so much that rule may be wrong


def check_run(certificate: Mapping[str, Any]) -> list[str]:
    horizon, pulls, arms = certificate["horizon"], certificate["pulls"], len(certificate["rewards"])
    prepulls = certificate["policy"]["prepulls"]
    variance = read(certificate["policy"]["variance"], "policy/variance")
    step = read(certificate["step"], "step")
    walker = evaluator(certificate)
    eps, delta = (enclosed(walker.value(certificate[field], field)) for field in ("eps", "delta"))
    all_used(walker)
    if variance <= 0 or not Fraction(1, 1000) <= step <= 10 or low(eps) < 0 or low(delta) <= 0:
        raise Rejected("the variance and delta must be positive, eps not negative, and the step in [0.001, 10]")
    if arms * prepulls > horizon or pulls < prepulls:
        raise Rejected(f"{prepulls} pre-pulls of {arms} arms do not fit into {horizon} rounds and {pulls} pulls")
    run = tables(certificate, horizon, variance, pulls)
    reach = math.ceil(float(high(eps)) + 10), 10  # losses from -reach[1] to reach[0] are told apart
    heaps = math.ceil(sum(reach) / step)
    if heaps > MOST_HEAPS:
        raise Rejected(f"step: {certificate['step'][:60]} makes more than {MOST_HEAPS} heaps")
    small = float(low(log_2(delta)))
    bits = math.ceil(1.4427 * reach[0] - small + 60)
    heap = Heaps(bits, heaps, float(step), max(int(bits + small) - NEGLIGIBLE, 0))
    heap.begin(run.start(prepulls, certificate["changed"][0]), round(reach[1] / step))
    for t in range(arms * prepulls, horizon):
        for state in sorted(heap.rows, reverse=True):
            heap.move(state, partial(run.ways, state, t))
    left, right = heap.found(high(exponential(eps)))
    p, q = interval(Fraction(left, 1 << bits)), interval(Fraction(right, 1 << bits))
    bound = exponential(eps) * q + delta
    if not low(p) > high(bound):
        raise Rejected(f"not violated: P_left is {shown(p)} at least, e^eps P_right + delta is {shown(bound)} at most")
    many, changed = "two" if arms == 2 else str(arms), certificate["changed"]
    when = "" if certificate["relation"] == "pull" else f" in round {changed[1] + 1}"
    who = f"{many} arms, {horizon} rounds, b = {prepulls}, c = {certificate['policy']['variance'][:60]}"
    return [
        f"Gaussian Thompson sampling, {who}; a reward of arm {changed[0]} changed{when}",
        f"P_left(event) >= {shown(p)}, P_right(event) <= {shown(q)}",
        f"eps = {shown(eps)}, delta = {shown(delta)}: e^eps P_right + delta <= {shown(bound)}",
        "so that P_left(event) > e^eps P_right(event) + delta",
    ]


def log_2(x: Interval) -> Interval:
    return logarithm(x) / work.log(work.mpf(2))


def tables(certificate: Mapping[str, Any], horizon: int, variance: Fraction, pulls: int) -> Run:
    """What is paid on either side, as multiples of 1/unit; the changed arm comes first."""
    arm, place = certificate["changed"]
    rows = [
        [(count, read(text, f"rewards/{a}/{i}/1")) for i, (count, text) in enumerate(row)]
        for a, row in enumerate(certificate["rewards"])
    ]
    becomes = read(certificate["becomes"], "becomes")
    if not all(0 <= value <= 1 for row in rows for _, value in row) or not 0 <= becomes <= 1:
        raise Rejected("rewards: one lies outside of [0, 1]")
    unit = math.lcm(becomes.denominator, *(value.denominator for row in rows for _, value in row))
    if unit > 1 << 64:
        raise Rejected("rewards: their common denominator is larger than 2^64")
    if any(sum(count for count, _ in row) != horizon for row in rows) or place >= horizon or arm >= len(rows):
        raise Rejected(f"rewards: a row must have {horizon} rewards, and the changed one among them")
    spend((len(rows) + 1) * horizon)
    lists = [[int(value * unit) for count, value in row for _ in range(count)] for row in rows]
    left = [lists[arm], *lists[:arm], *lists[arm + 1 :]]
    right = [list(left[0]), *left[1:]]
    right[0][place] = int(becomes * unit)
    alike = all(row == left[1] for row in left[2:])
    return Run(left, right, certificate["relation"], unit, variance, pulls, alike)


State = tuple[tuple[int, int, int], ...]  # by arm: pulls, what it has paid on the left, and on the right
Way = tuple[State, int, int]  # where a pull leads; how likely at least on the left, and at most on the right


class Run(NamedTuple):
    """Tables of two sides, the changed arm first. alike: all others pay the same, so that they may change places."""

    left: list[list[int]]
    right: list[list[int]]
    relation: str
    unit: int
    variance: Fraction
    pulls: int
    alike: bool

    def start(self, prepulls: int, changed: int) -> State:
        """After the pre-pulls: b of arm 0, then b of arm 1, and so on; `changed` is the first arm's name."""
        order = [changed, *(a for a in range(len(self.left)) if a != changed)]
        named = self._replace(alike=False)  # here a place in the state is an arm
        state: State = tuple((0, 0, 0) for _ in order)
        for t in range(prepulls * len(order)):
            state = named.after(state, order.index(t // prepulls), t)
        return state[:1] + (tuple(sorted(state[1:])) if self.alike else state[1:])

    def after(self, state: State, arm: int, t: int) -> State:
        n, left, right = state[arm]
        column = n if self.relation == "pull" else t
        paid = n + 1, left + self.left[arm][column], right + self.right[arm][column]
        after: State = (*state[:arm], paid, *state[arm + 1 :])
        return after[:1] + tuple(sorted(after[1:])) if self.alike else after

    def ways(self, state: State, t: int) -> list[Way]:
        """All next rounds, as far as they are followed."""
        left = self.chances([(n, total) for n, total, _ in state])
        same = all(a == b for _, a, b in state)
        right = left if same else self.chances([(n, total) for n, _, total in state])
        found = [(self.after(state, arm, t), left[arm][0], right[arm][1]) for arm in range(len(state))]
        return [way for way in found if way[0][0][0] <= self.pulls]

    def chances(self, arms: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Bounds of every arm's chance of a pull, in units of 2^-CHANCE. arms: pulls and totals."""
        if len(arms) > 2:
            return [self.largest(arms, arm) for arm in range(len(arms))]
        (n, own), (rest, other) = arms
        spread = self.unit * self.unit * self.variance * (n + rest + 2) * (n + 1) * (rest + 1)
        least, most = phi_bounds(own * (rest + 1) - other * (n + 1), spread)
        return [(least, most), ((1 << CHANCE) - most, (1 << CHANCE) - least)]

    def largest(self, arms: list[tuple[int, int]], arm: int) -> tuple[int, int]:
        """Bounds of P(theta of this arm is the largest), the integral of phi(x) prod_i Phi(a_i + b_i x) over x.

        By the trapezoidal rule, of step h. As |Phi(x + iy)| <= e^(y^2/2), the integrand is at most e^(d^2 B/2) over a
        line d above or below the real one, B = 1 + sum b_i^2; so the rule is off by 2 e^(d^2 B/2)/(e^(2 pi d/h) - 1) at
        most (Trefethen and Weideman, 2014, Theorem 5.1), which is 2^-64 for h^2 B <= 7/16 and d = 2 pi/(h B). Beyond
        FARTHEST_NODE lie 2^-65, and the roundings are below 2^-100: OFF covers all three.
        """
        own, total = arms[arm]
        lines, size = [], Fraction(1)
        for n, other in (each for place, each in enumerate(arms) if place != arm):
            spread = self.unit * self.unit * self.variance * (own + 1) ** 2 * (n + 1)
            slope = math.isqrt(((n + 1) << 2 * POINT) // (own + 1))
            lines.append((argument(total * (n + 1) - other * (own + 1), spread), slope))
            size += Fraction(n + 1, own + 1)
        halvings = next(m for m in range(64) if size * 16 <= 7 * 4**m)
        nodes = densities(halvings)
        spend(len(nodes) * (1 + 2 * len(lines)))
        value = 0
        for k, weight in enumerate(nodes, start=-(len(nodes) // 2)):
            x = k << POINT - halvings
            for start, slope in lines:
                weight = weight * phi_near(start + (slope * x >> POINT))[0] >> POINT
            value += weight
        value >>= halvings
        shift = POINT - CHANCE
        return max((value - OFF) >> shift, 0), min(-((-value - OFF) >> shift), 1 << CHANCE)


@lru_cache(maxsize=64)
def densities(halvings: int) -> list[int]:
    """phi at the multiples of 2^-halvings up to FARTHEST_NODE on both sides, in units of 2^-POINT."""
    last = math.floor(FARTHEST_NODE * 2**halvings)
    scale = 1 / work.sqrt(2 * work.pi)
    spend(10 * last)
    half = [
        int(Fraction(low(exponential(-interval(Fraction(k * k, 2 * 4**halvings))) * scale)) * (1 << POINT))
        for k in range(last + 1)
    ]
    return [*half[:0:-1], *half]


class Heaps:
    """Transcripts by pulls and totals of the arms and by the rounded log of the ratio of their probabilities.

    A row of heaps is one whole number for each side: `wide` bits a heap, of which the mass is the lowest ones, in
    units of 2^-bits. Left masses are rounded down, right ones up. Which heap a transcript is thrown on is decided in
    doubles: whatever it is, it is the same on both sides, and nothing else is needed.
    """

    def __init__(self, bits: int, heaps: int, step: float, negligible: int) -> None:
        self.bits, self.heaps, self.step = bits, heaps, step
        self.wide = -(-(bits + CHANCE + 24) // 8) * 8  # whole bytes
        ones = ((1 << self.wide * heaps) - 1) // ((1 << self.wide) - 1)
        self.ones, self.mask = ones, ones * ((1 << bits + 20) - 1)
        self.heavy = ones * ((1 << bits + 20) - (1 << negligible))
        self.rows: dict[State, tuple[int, int, float]] = {}

    def begin(self, state: State, place: int) -> None:
        mass = 1 << (self.bits + self.wide * place)
        self.rows[state] = mass, mass, 0.0

    def move(self, state: State, ways: Callable[[], list[Way]]) -> None:
        """A round of one state's row. ways: asked only where there is something to move."""
        left, right, offset = self.rows.pop(state)
        spend(4 + self.heaps * self.wide / 3000)
        if not left & self.heavy:
            return
        for target, low_left, high_right in ways():
            if min(low_left, high_right) < 1 << (CHANCE - UNLIKELY):
                continue
            p = (left * low_left >> CHANCE) & self.mask
            q = ((right * high_right >> CHANCE) & self.mask) + self.ones
            self.throw(target, p, q, offset + math.log(low_left) - math.log(high_right))

    def throw(self, state: State, p: int, q: int, loss: float) -> None:
        """Add a row whose heap k holds losses of about loss + step k."""
        before_p, before_q, offset = self.rows.get(state, (0, 0, loss))
        cells = round((loss - offset) / self.step)
        if state not in self.rows and abs(offset) >= self.step:
            cells = math.floor(offset / self.step)
            offset -= cells * self.step
        self.rows[state] = before_p + self.moved(p, cells), before_q + self.moved(q, cells), offset

    def moved(self, row: int, cells: int) -> int:
        """The row, so many heaps higher; what leaves the window is in no heap any more."""
        bits = abs(cells) * self.wide
        return row >> bits if cells < 0 else (row << bits) & ((1 << self.wide * self.heaps) - 1)

    def found(self, odds: Number) -> tuple[int, int]:
        """The masses of the event, in units of 2^-bits: all heaps whose left mass exceeds odds times the right one."""
        spend(len(self.rows) * self.heaps)
        over, under = odds.as_integer_ratio() if isinstance(odds, Fraction) else (1, 0)
        heaps = (pair for p, q, _ in self.rows.values() for pair in zip(self.apart(p), self.apart(q), strict=True))
        event = [(p, q) for p, q in heaps if p * under > q * over]
        return sum(p for p, _ in event), sum(q for _, q in event)

    def apart(self, row: int) -> list[int]:
        size = self.wide // 8
        data = row.to_bytes(size * self.heaps, "little")
        return [int.from_bytes(data[begin : begin + size], "little") for begin in range(0, len(data), size)]


def phi_bounds(lead: int, spread: Fraction) -> tuple[int, int]:
    """Bounds of Phi(lead/sqrt(spread)), in units of 2^-CHANCE."""
    spend(4)
    value, wrong = phi_near(argument(lead, spread))
    shift = POINT - CHANCE
    return max((value - wrong) >> shift, 0), min(-((-value - wrong) >> shift), 1 << CHANCE)


def argument(lead: int, spread: Fraction) -> int:
    """x, where lead/sqrt(spread) lies between x and x + 1, in units of 2^-POINT."""
    root = math.isqrt((lead * lead * spread.denominator << 2 * POINT) // spread.numerator)
    return root if lead >= 0 else -root - 1


def phi_near(x: int) -> tuple[int, int]:
    """Phi at an argument between x and x + 1, in units of 2^-POINT; and how far it may be off.

    Taylor's series around the nearest point of a grid: |d^k Phi/k!| = |He_(k-1)| phi/k! < 1 by Cramer's bound, so each
    of Horner's steps rounds by less than 2 units, and the rest is below 2^-5(DEGREE + 1)/sqrt((DEGREE + 1)!) < 2^-122.
    """
    if abs(x) >= FAR << POINT:
        edge = phi_near((FAR << POINT) - 1)
        tail = (1 << POINT) - edge[0] + edge[1]
        return ((1 << POINT) - tail, tail) if x > 0 else (0, tail)
    k = (x * NEAREST + (1 << POINT - 1)) >> POINT
    h = x - (k << POINT) // NEAREST
    value = 0
    for coefficient in taylor(k):
        value = (value * h >> POINT) + coefficient
    return value, 1 << (POINT - 120)


@lru_cache(maxsize=2 * NEAREST * FAR + 2)
def taylor(k: int) -> tuple[int, ...]:
    """The coefficients of Phi around k/NEAREST, the highest power first, each to the next unit of 2^-POINT."""
    x = Fraction(k, NEAREST)
    density = Fraction(low(exponential(-interval(x * x) / 2) / work.sqrt(2 * work.pi))) * (1 << POINT)
    found = [math.floor(Fraction(low(phi(x))) * (1 << POINT))]
    before, hermite, below = 0, 1, density.denominator  # He_(power-2) and He_(power-1), times powers of NEAREST
    for power in range(1, DEGREE + 1):
        below *= power
        found.append((-1) ** (power - 1) * hermite * density.numerator // below)
        before, hermite = hermite, k * hermite - (power - 1) * NEAREST**2 * before
        below *= NEAREST
    return tuple(reversed(found))


# -- releases of any number of steps ---------------------------------------------------------------------


class Tables(NamedTuple):
    """Rewards in runs: the ends of the runs, and what each row pays in each run."""

    ends: list[Fraction]
    rows: list[list[Fraction]]

    def paid(self, row: int, first: Fraction, last: Fraction, bound: Number) -> Fraction:
        """The sum of the rewards number first, ..., last - 1 (from 0) of a row, those beyond the bound counted as 0."""
        total, begin = Fraction(0), Fraction(0)
        for end, value in zip(self.ends, self.rows[row], strict=True):
            some = min(end, last) - max(begin, first)
            spend(1)
            if some > 0 and abs(value) <= bound:
                handled(total, value, some)
                total += some * value
            begin = end
        return total


def check_release(certificate: Mapping[str, Any]) -> list[str]:
    steps = certificate["steps"]
    ways = sum(release["next"] == -1 for step in steps for release in step["releases"])
    left, right = neighbouring(certificate)
    chances = [event_chance(steps, side) for side in (left, right)]
    rough = any(step["noise"] == "gaussian" and not closed(step) for step in steps)
    what = "values" if all("cuts" in step for step in steps) else "selections"
    return [
        f"{len(steps)} noisy {what}, {ways} ways to an end",
        *conclude(certificate, chances[0], chances[1], COARSELY if rough else AGREE),
    ]


def event_chance(steps: Sequence[Mapping[str, Any]], tables: Tables) -> Interval:
    """The probability that every step releases a set that leads on, or to an end, with these rewards."""
    found: dict[int, Interval] = {-1: work.mpf(1)}
    for number, step in reversed(list(enumerate(steps))):
        kept = [tuple(sorted(release["kept"])) for release in step["releases"]]
        if len(set(kept)) != len(kept):
            raise Rejected(f"steps/{number}: a set is released twice")
        chosen = selection(step, tables, f"steps/{number}")
        total = work.mpf(0)
        for release in step["releases"]:
            after = release["next"]
            if after != -1 and not number < after < len(steps):
                raise Rejected(f"steps/{number}: the next step is -1 for none, or one further down the list")
            total += kept_chance(chosen, frozenset(release["kept"])) * found[after]
        found[number] = bounded(total)
    return found[0]


def closed(step: Mapping[str, Any]) -> bool:
    """Whether two normals are compared, whose difference is a normal one, or all hangs on where one lies."""
    if "cuts" in step:
        return True
    if "weights" in step:
        return len(step["scales"]) == 1
    size = read(step["size"], "size")
    return len(step["scales"]) == 2 and size == (0 if step["rule"] == "within" else 1)


def neighbouring(certificate: Mapping[str, Any]) -> tuple[Tables, Tables]:
    """Both tables, if they are neighbours: one reward of one row, or of every row in one column, differs."""
    lengths = [read(text, f"lengths/{i}") for i, text in enumerate(certificate["lengths"])]
    if any(each < 1 or each.denominator != 1 for each in lengths):
        raise Rejected("lengths: a run has a whole number of rewards, at least one")
    running, reached = [], Fraction(0)
    for each in lengths:
        reached += each
        running.append(reached)
    least, most = (read(text, f"range/{i}") for i, text in enumerate(certificate["range"]))
    if not least < most:
        raise Rejected("range: rewards lie between two different numbers, the smaller one first")
    sides = []
    for side in ("left", "right"):
        given = certificate[side]
        rows = [[read(text, f"{side}/{a}/{n}") for n, text in enumerate(row)] for a, row in enumerate(given)]
        if any(len(row) != len(lengths) for row in rows) or len(rows) != len(certificate["left"]):
            raise Rejected(f"{side}: every row has one reward for each run, and both sides have the same rows")
        for a, row in enumerate(rows):
            for n, entry in enumerate(row):
                if not least <= entry <= most:
                    raise Rejected(f"{side}/{a}/{n}: the reward {given[a][n][:60]} lies outside of the range")
        sides.append(Tables(running, rows))
    left, right = sides
    moved = [(a, n) for a, row in enumerate(left.rows) for n in range(len(lengths)) if row[n] != right.rows[a][n]]
    if any(lengths[n] > 1 for _, n in moved):
        raise Rejected("right: not a neighbour, a run of several rewards differs")
    if certificate["relation"] == "pull" and len(moved) > 1:
        raise Rejected(f"right: not a neighbour, the tables differ in {len(moved)} entries and may in one")
    if certificate["relation"] == "round" and len({n for _, n in moved}) > 1:
        raise Rejected("right: not a neighbour, the tables differ in several rounds and may in one")
    return left, right


class Selection(NamedTuple):
    """Noisy options, and which of them are kept: those within `size` of the largest, or the `size` largest. weights: of
    the noisy values in each option, where they are not the options themselves. cuts: between which the value lies that
    is released, and the options are the intervals that they leave. within: what factors and weights may be off by as a
    share of the largest, and scales of themselves; a centre is then off by within times reach."""

    noise: str
    rule: str
    size: Fraction
    centres: list[Fraction]
    scales: list[Fraction]
    weights: list[list[Fraction]] | None = None
    cuts: list[Fraction] | None = None
    within: Fraction = Fraction(0)
    reach: list[Fraction] | None = None


def selection(step: Mapping[str, Any], tables: Tables, place: str) -> Selection:
    scales = [read(text, f"{place}/scales/{i}") for i, text in enumerate(step["scales"])]
    divisors = [read(text, f"{place}/divisors/{i}") for i, text in enumerate(step["divisors"])]
    bounds = [read_end(text, f"{place}/bounds/{i}") for i, text in enumerate(step["bounds"])]
    values, size = len(scales), read(step["size"], f"{place}/size")
    if len(divisors) != values or len(bounds) != values or min(*scales, *divisors) <= 0 or min(bounds) < 0:
        raise Rejected(f"{place}: every option has a positive scale, a positive divisor and a bound that is at least 0")
    weights = weighted(step, values, place) if "weights" in step else None
    cuts = cut_at(step, values, weights, place) if "cuts" in step or step["rule"] == "between" else None
    options = len(cuts) + 1 if cuts is not None else values if weights is None else len(weights)
    if cuts is None and values > CHOICES:
        raise Rejected(f"{place}: a selection is among {CHOICES} noisy values at most")
    if step["rule"] == "within" and size < 0:
        raise Rejected(f"{place}: the width {step['size'][:60]} is negative")
    if step["rule"] == "top" and not (size.denominator == 1 and 1 <= size <= options):
        raise Rejected(f"{place}: the number of options kept is a whole one from 1 to {options}")
    windows, sums, sizes = step["windows"], [Fraction(0)] * values, [Fraction(0)] * values
    factors = [read(text, f"{place}/factors/{i}") for i, text in enumerate(step.get("factors", ["1"] * len(windows)))]
    if len(factors) != len(windows):
        raise Rejected(f"{place}/factors: {len(factors)} factors for {len(windows)} windows")
    for i, ((value, row, first, last), factor) in enumerate(zip(windows, factors, strict=True)):
        a, b = (read(text, f"{place}/windows/{i}") for text in (first, last))
        if not (0 <= value < values and 0 <= row < len(tables.rows) and 0 <= a <= b <= tables.ends[-1]):
            raise Rejected(f"{place}/windows/{i}: no such option, row or rewards")
        if a.denominator != 1 or b.denominator != 1:
            raise Rejected(f"{place}/windows/{i}: a window begins before a reward and ends after one")
        paid = tables.paid(row, a, b, bounds[value])
        handled(sums[value], factor, paid, sizes[value])
        sums[value] += factor * paid
        sizes[value] += abs(paid)
    centres = [total / divisor for total, divisor in zip(sums, divisors, strict=True)]
    within = read(step["within"], f"{place}/within") if "within" in step else Fraction(0)
    if "within" in step and (cuts is not None or weights is None or not 0 <= within <= Fraction(1, 1000)):
        raise Rejected(f"{place}/within: at most 1/1000, of options that share noisy values")
    most = max(map(abs, factors), default=Fraction(0))
    reach = [most * total / divisor for total, divisor in zip(sizes, divisors, strict=True)]
    for release in step["releases"]:
        kept = release["kept"]
        if len(set(kept)) != len(kept) or any(option >= options for option in kept):
            raise Rejected(f"{place}: {kept} is not a set of options 0 to {options - 1}")
        if cuts is not None and len(kept) != 1:  # sets of intervals would not be different events
            raise Rejected(f"{place}: a value lies in one interval, and not in {len(kept)}")
    return Selection(step["noise"], step["rule"], size, centres, scales, weights, cuts, within, reach)


def cut_at(step: Mapping[str, Any], values: int, weights: Any, place: str) -> list[Fraction]:
    """The cuts between which a value is asked for."""
    cuts = [read(text, f"{place}/cuts/{i}") for i, text in enumerate(step.get("cuts", []))]
    if step["rule"] != "between" or step["size"] != "0" or not cuts:
        raise Rejected(f"{place}: cuts belong to the rule between, which has some, and the size 0")
    if any(a >= b for a, b in pairwise(cuts)):
        raise Rejected(f"{place}/cuts: they are not in ascending order")
    if values > 1 and (step["noise"] != "gaussian" or weights is None):
        raise Rejected(f"{place}: a step has one value, or one row of weights in which normal ones are added up")
    if weights is not None and (len(weights) != 1 or not any(weights[0])):
        raise Rejected(f"{place}/weights: one row, which is not 0 throughout")
    return cuts


def weighted(step: Mapping[str, Any], values: int, place: str) -> list[list[Fraction]]:
    if step["rule"] != "between" and (step["rule"] != "top" or values > 2):
        raise Rejected(f"{place}/weights: the top of options that share one or two noisy values, and nothing else")
    weights = [
        [read(text, f"{place}/weights/{i}/{k}") for k, text in enumerate(row)] for i, row in enumerate(step["weights"])
    ]
    if any(len(row) != values for row in weights):
        raise Rejected(f"{place}/weights: every option has one weight for each of {values} noisy values")
    return weights


def kept_chance(chosen: Selection, kept: frozenset[int]) -> Interval:
    """The probability that exactly these options are kept."""
    if chosen.cuts is not None:
        return interval_chance(chosen, chosen.cuts, next(iter(kept)))
    options = len(chosen.centres if chosen.weights is None else chosen.weights)
    every = frozenset(range(options))
    if not kept or (chosen.rule == "top" and len(kept) != chosen.size):
        return work.mpf(0)
    if chosen.rule == "within" and chosen.size == 0 and len(kept) > 1:
        return work.mpf(0)
    if (chosen.rule == "top" and kept == every) or options == 1:
        return work.mpf(1)
    if chosen.weights is not None:
        return cone_chance(chosen, chosen.weights, kept)
    if chosen.noise == "gaussian" and options == 2 and chosen.size == (0 if chosen.rule == "within" else 1):
        return short_event("gaussian", chosen.centres, chosen.scales, sorted(kept))
    integral = laplace_integral if chosen.noise == "laplace" else normal_integral
    # Within: the largest is one of the kept, the others of them are close behind, and the rest is far behind. Top: the
    # largest of the rest is one of them, the others of them are below it, and the kept are above it; or the smallest of
    # the kept is one of them, the others of them are above it, and the rest is below: whichever are fewer.
    if chosen.rule == "within":
        return added(integral(chosen, i, sorted(kept - {i}), sorted(every - kept), []) for i in sorted(kept))
    rest = every - kept
    if len(kept) < len(rest):
        return added(integral(chosen, i, [], sorted(rest), sorted(kept - {i})) for i in sorted(kept))
    return added(integral(chosen, i, [], sorted(rest - {i}), sorted(kept)) for i in sorted(rest))


def interval_chance(chosen: Selection, cuts: list[Fraction], number: int) -> Interval:
    """The probability that the value, or the weighted sum of normal ones, lies in this interval between the cuts."""
    row = [Fraction(1)] if chosen.weights is None else chosen.weights[0]
    centre, spread = Fraction(0), Fraction(0)
    for weight, middle, size in zip(row, chosen.centres, chosen.scales, strict=True):
        handled(weight, middle, size, centre, spread)
        centre, spread = centre + weight * middle, spread + (weight * size) ** 2
    scale = interval(abs(row[0]) * chosen.scales[0]) if len(row) == 1 else root(interval(spread))
    below = normal if chosen.noise == "gaussian" else laplace
    sides = [quotient(interval(cut - centre), scale) for cut in cuts[max(number - 1, 0) : number + 1]]
    if number == 0:
        return below(sides[0])
    if number == len(cuts):
        return below(-sides[0])
    # In the tail that the interval lies in, as exact as it is small.
    right = cuts[number - 1] >= centre
    return below(-sides[0]) - below(-sides[1]) if right else below(sides[1]) - below(sides[0])


Line = tuple[Fraction, Fraction]  # a noisy value: its centre and its scale
Terms = dict[Fraction, Interval]  # rate -> coefficient: the sum of coefficient * exp(rate * (x - start))


def laplace_integral(chosen: Selection, i: int, close: list[int], behind: list[int], ahead: list[int]) -> Interval:
    """The integral of density_i(x) prod P(x - size <= X_j <= x) prod P(X_j <= x - far) prod P(X_j > x), over `close`,
    `behind` (far = size for the rule within, else 0) and `ahead`: between the points where a density has its peak, all
    of it is a sum of exponentials."""
    far = chosen.size if chosen.rule == "within" else Fraction(0)
    peaks = sorted({m + shift for m in chosen.centres for shift in (Fraction(0), far)})
    total = work.mpf(0)
    for left, right in pairwise([None, *peaks, None]):
        start = left if left is not None else peaks[0]
        inside = left if left is not None else start - 1  # a point from which no peak lies between it and the piece
        parts = [dense((chosen.centres[i], chosen.scales[i]), start, inside)]
        for j in close:
            near, away = (under(chosen, j, shift, start, inside) for shift in (Fraction(0), far))
            parts.append(plus(near, {rate: -factor for rate, factor in away.items()}))
        parts += [under(chosen, j, far, start, inside) for j in behind]
        for j in ahead:
            parts.append(over(chosen, j, start, inside))
        terms: Terms = {Fraction(0): work.mpf(1)}
        for part in parts:
            terms = times(terms, part)
        total += added(integrated(rate, factor, left, right) for rate, factor in terms.items())
    return bounded(total)


def integrated(rate: Fraction, factor: Interval, left: Fraction | None, right: Fraction | None) -> Interval:
    """The integral of factor * exp(rate * (x - start)) from left to right. start: left, or right where left is None."""
    spend(4)
    if left is None:
        assert rate > 0
        return factor / interval(rate)
    if right is None:
        assert rate < 0
        return -factor / interval(rate)
    if rate == 0:
        return factor * interval(right - left)
    return factor * (exponential(interval(rate * (right - left))) - 1) / interval(rate)


def dense(line: Line, start: Fraction, inside: Fraction) -> Terms:
    m, s = line
    sign = -1 if inside >= m else 1
    return {sign / s: exponential(interval(sign * (start - m) / s)) / interval(2 * s)}


def under(chosen: Selection, j: int, far: Fraction, start: Fraction, inside: Fraction) -> Terms:
    """P(X_j <= x - far)."""
    return upto(chosen.centres[j] + far, chosen.scales[j], Fraction(1), start, inside)


def upto(m: Fraction, s: Fraction, slope: Fraction, start: Fraction, inside: Fraction) -> Terms:
    """P(X <= slope x) for X of centre m and scale s, on a piece around `inside` on which slope x - m has one sign."""
    lead, rate = (slope * start - m) / s, slope / s
    if slope * inside >= m:
        return plus({Fraction(0): work.mpf(1)}, {-rate: -exponential(interval(-lead)) / 2})
    return {rate: exponential(interval(lead)) / 2}


def over(chosen: Selection, j: int, start: Fraction, inside: Fraction) -> Terms:
    """P(X_j > x)."""
    m, s = chosen.centres[j], chosen.scales[j]
    if inside >= m:
        return {-1 / s: exponential(interval((m - start) / s)) / 2}
    return {Fraction(0): work.mpf(1), 1 / s: -exponential(interval((start - m) / s)) / 2}


def plus(one: Terms, other: Terms) -> Terms:
    found = dict(one)
    for rate, factor in other.items():
        found[rate] = found[rate] + factor if rate in found else factor
    return {rate: factor for rate, factor in found.items() if not bottom(factor) == top(factor) == 0}


def times(one: Terms, other: Terms) -> Terms:
    found: Terms = {}
    for a, x in one.items():
        for b, y in other.items():
            handled(a, b)
            product = x * y
            found[a + b] = found[a + b] + product if a + b in found else product
    return found


Tails = tuple[Interval, Interval]  # P(X <= x) and P(X > x), each as exact as it is small


class Point(NamedTuple):
    """A point in units of option i's noise, the tails of this noise there; and of the others the tails at x and at x -
    far, or P(X_j <= x - far), or P(X_j > x)."""

    x: Fraction
    mass: Tails
    near: list[tuple[Tails, Tails]]
    behind: list[Interval]
    ahead: list[Interval]


def normal_integral(chosen: Selection, i: int, close: list[int], behind: list[int], ahead: list[int]) -> Interval:
    """The same for normal noise, by cells: every factor lies between what the ends of a cell make of it; what lies
    beyond the last points is bounded by 0 and 1."""
    before, work.prec = work.prec, 60
    far = chosen.size if chosen.rule == "within" else Fraction(0)
    centres, scales = chosen.centres, chosen.scales

    def unit(j: int, x: Fraction, shift: Fraction) -> Fraction:
        return (centres[i] + scales[i] * x - shift - centres[j]) / scales[j]

    def at(x: Fraction) -> Point:
        spend(12 * len(centres))
        return Point(
            x,
            tails(x),
            [(tails(unit(j, x, Fraction(0))), tails(unit(j, x, far))) for j in close],
            [phi(unit(j, x, far)) for j in behind],
            [phi(-unit(j, x, Fraction(0))) for j in ahead],
        )

    try:
        points = [at(Fraction(k)) for k in GRID]
        beyond = ends(work.mpf(0), points[0].mass[0] + points[-1].mass[1])
        return refined(points, at, strip, COARSE) + beyond
    finally:
        work.prec = before


def tails(x: Fraction) -> Tails:
    small = phi(-abs(x))
    return (small, 1 - small) if x <= 0 else (1 - small, small)


def between(low_end: Tails, high_end: Tails) -> Interval:
    """The mass between two points, from the tails that it lies in; no less than 0."""
    right = bottom(low_end[0]) > 0.5
    mass = low_end[1] - high_end[1] if right else high_end[0] - low_end[0]
    return largest(mass, work.mpf(0))


class Strip(NamedTuple):
    """What lies between two points, and the least and the most that it contributes."""

    a: Any
    b: Any
    least: Interval
    most: Interval


def strip(a: Point, b: Point) -> Strip:
    least = most = between(a.mass, b.mass)
    for (near, far), (later, farther) in zip(a.near, b.near, strict=True):
        least, most = least * between(farther, near), most * between(far, later)
    for one, other in zip(a.behind, b.behind, strict=True):
        least, most = least * one, most * other
    for one, other in zip(a.ahead, b.ahead, strict=True):
        least, most = least * other, most * one
    return Strip(a, b, ends_of(least)[0], ends_of(most)[1])


# -- options that share noisy values ---------------------------------------------------------------------


Wedge = tuple[Fraction | None, Fraction | None]  # slopes y/x between which the points lie; None for no bound


def cone_chance(chosen: Selection, weights: list[list[Fraction]], kept: frozenset[int]) -> Interval:
    """The probability that each of the kept options beats every other one: that the noisy values z lie in the half
    planes (w_i - w_j) . z >= 0 through 0, for i kept and j not."""
    half_planes = []
    for i in kept:
        for j in frozenset(range(len(weights))) - kept:
            handled(*weights[i], *weights[j])
            side = [a - b for a, b in zip(weights[i], weights[j], strict=True)]
            if any(side):
                half_planes.append(side)
            elif j < i:  # equal, and the first one is kept
                return work.mpf(0)
    x, *others = zip(chosen.centres, chosen.scales, strict=True)
    total = work.mpf(0)
    if chosen.within:
        exact = chosen._replace(within=Fraction(0))
        return loosened(chosen, weights, half_planes, cone_chance(exact, weights, kept))
    for sign in (1, -1):  # on which side of 0 the first value lies
        slopes = wedge([(sign * a, *b) for a, *b in half_planes])
        if slopes is not None:
            total += wedge_chance(chosen.noise, (sign * x[0], x[1]), others, slopes)
    return bounded(total)


def loosened(
    chosen: Selection, weights: list[list[Fraction]], half_planes: list[list[Fraction]], chance: Interval
) -> Interval:
    """The same for all mechanisms whose numbers are within the stated share of these.

    In units of the scales, noise of scale 1 is centred at m/s, and a half plane a x + b y >= 0 has weights times s. A
    centre that is off by e moves the chance of any event by a factor e^(+-e) at most where the noise is Laplace, and by
    e/2 where it is normal, whose density is below 1/2. A half plane whose a and b are off by f and g takes other points
    only where |a x + b y| <= f |x| + g |y|: with |a| <= |b|, where y is within |x| h of -a x/b, h = (f + g (|a| + f)/
    (|b| - g))/|b|. The density of y is at most 1/2, and E|x| at most 1 + |m/s|: a chance of h (1 + |m/s|) at most.
    """
    off, most = chosen.within, max(abs(w) for row in weights for w in row)
    lines = list(zip(chosen.centres, chosen.scales, chosen.reach or [], strict=True))
    moved = sum(((off * more + abs(m) * off) / (s * (1 - off)) for m, s, more in lines), Fraction(0))
    centres = [abs(m) / s for m, s, _ in lines]
    added_up = work.mpf(0)
    for plane in half_planes:
        handled(*plane, *centres)
        # A difference of two weights, each off by off * most and then by off of its product with the scale.
        sizes = [(abs(w), 4 * off * (1 + off) * most, k) for k, w in enumerate(plane)]
        if len(sizes) == 1:
            if sizes[0][0] <= sizes[0][1]:
                raise Rejected("the weights are not known well enough")
            continue
        scaled = sorted((w * lines[k][1], g * lines[k][1], centres[k]) for w, g, k in sizes)
        (a, f, centre), (b, g, _) = scaled
        if b <= g:
            raise Rejected("the weights are not known well enough")
        added_up += interval((f + g * (a + f) / (b - g)) / b * (1 + centre))
    if chosen.noise == "gaussian":
        spread, factor = added_up + interval(moved) / 2, work.mpf(1)
    else:
        spread, factor = added_up, exponential(interval(moved))
    low_end = largest(ends_of(chance)[0] - spread, work.mpf(0)) / factor
    return ends(ends_of(low_end)[0], ends_of((ends_of(chance)[1] + spread) * factor)[1])


def wedge(half_planes: list[tuple[Fraction, ...]]) -> Wedge | None:
    """Where the half planes a x + b y >= 0 (a x >= 0, of one value) meet among the x > 0; None for nothing wide."""
    least: Fraction | None = None
    most: Fraction | None = None
    for a, *rest in half_planes:
        b = rest[0] if rest else Fraction(0)
        if b == 0:
            if a < 0:
                return None
        elif b > 0:
            least = -a / b if least is None else max(least, -a / b)
        else:
            most = -a / b if most is None else min(most, -a / b)
    return None if least is not None and most is not None and least >= most else (least, most)


def wedge_chance(noise: str, x: Line, others: list[Line], slopes: Wedge) -> Interval:
    """P(X > 0 and slopes[0] X <= Y <= slopes[1] X)."""
    if slopes == (None, None) or not others:
        above = interval(x[0] / x[1])
        return normal(above) if noise == "gaussian" else laplace(above)
    return (normal_wedge if noise == "gaussian" else laplace_wedge)(x, others[0], slopes)


def laplace_wedge(x: Line, y: Line, slopes: Wedge) -> Interval:
    kinks = {Fraction(0), x[0], *(y[0] / slope for slope in slopes if slope)}
    inner = sorted(kink for kink in kinks if kink >= 0)
    least, most = slopes
    total = work.mpf(0)
    for left, right in pairwise([*inner, None]):
        assert left is not None
        inside = left + 1 if right is None else (left + right) / 2
        over: Terms = {Fraction(0): work.mpf(1)} if most is None else upto(*y, most, left, inside)
        less: Terms = {} if least is None else upto(*y, least, left, inside)
        chance = plus(over, {rate: -factor for rate, factor in less.items()})
        terms = times(dense(x, left, inside), chance)
        total += added(integrated(rate, factor, left, right) for rate, factor in terms.items())
    return total


class Edges(NamedTuple):
    """A point in units of X's noise, the tails of this noise there, and those of Y at the two slopes' edges."""

    x: Fraction
    mass: Tails
    least: Tails
    most: Tails


def normal_wedge(x: Line, y: Line, slopes: Wedge) -> Interval:
    """By cells: the edges of the wedge are monotone, so that what lies between them is bounded by what does at a
    cell's ends."""
    before, work.prec = work.prec, 60

    def edge(slope: Fraction | None, at: Fraction, missing: Tails) -> Tails:
        return missing if slope is None else tails((slope * at - y[0]) / y[1])

    def at(u: Fraction) -> Edges:
        spend(40)
        here, none, all_ = x[0] + x[1] * u, work.mpf(0), work.mpf(1)
        return Edges(u, tails(u), edge(slopes[0], here, (none, all_)), edge(slopes[1], here, (all_, none)))

    def part(a: Edges, b: Edges) -> Strip:
        mass = between(a.mass, b.mass)
        low_rises, high_rises = (slope is not None and slope > 0 for slope in slopes)
        inner = between((b if low_rises else a).least, (a if high_rises else b).most)
        outer = between((a if low_rises else b).least, (b if high_rises else a).most)
        return Strip(a, b, ends_of(mass * inner)[0], ends_of(mass * outer)[1])

    try:
        zero = -x[0] / x[1]
        first = max(zero, Fraction(GRID[0]))
        beyond = [Fraction(k) for k in GRID if k > first] or [first + 1, first + 9]
        points = [at(u) for u in [first, *beyond]]
        under = points[0].mass[0] if zero < first else work.mpf(0)
        return refined(points, at, part, COARSE) + ends(work.mpf(0), under + points[-1].mass[1])
    finally:
        work.prec = before
