"""Checks certificates of the kind "alignment": on every path of a decision tree, a move of the noise compensates every
change of a reward.

The tree determines the pulls that a policy releases, by comparisons of linear forms in noise and rewards. The checker
verifies:

1. The outcomes of each comparison are complete and exclude each other. An outcome that the tree leaves out contradicts
   the comparisons before it, or the ranges of rewards and draws. A node without a comparison is a finite draw, which is
   independent of rewards and of all other draws.
2. On every path, for each reward and each direction of its change, adding the listed moves to the noise changes no
   outcome (for normal noise: no compared value). Exponential, Gumbel and geometric draws move only upwards, and
   geometric ones by integers. The integer moves by themselves change no outcome either, so that the moves are also
   valid for a smaller change; they need not do so if the reward has only two values.
3. The moves cost at most eps (sum of absolute values; for a geometric draw with success probability 1 - exp(-rate)
   times its rate) or mu (Euclidean norm, standard normal noise).

Translating a draw by a move of size c changes its density or probabilities by a factor of at most e^c (e^(c rate)), and
the paths are disjoint: so the released pulls are eps-DP for one changed reward. For normal noise it is adaptive
Gaussian composition. That the tree is the policy's is not in the certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

from .untrusted import ExtendedRational, Fields, Rejected, pay_for_operation, read_decimal, read_end, spend_effort

RANGES = {
    "laplace": (-inf, inf),
    "normal": (-inf, inf),
    "gumbel": (-inf, inf),
    "uniform": (0, 1),
    "exponential": (0, inf),
    "geometric": (1, inf),
}
CONTINUOUS = ("laplace", "normal", "gumbel", "uniform", "exponential")
PURE = ("laplace", "exponential", "gumbel", "geometric")  # draws that move at a cost in eps
ONE_SIDED = ("exponential", "gumbel", "geometric")
TWO_VALUED = "two-valued"
Key = tuple[tuple[int, Fraction], ...]


class Symbol(NamedTuple):
    """A draw or a reward: its range, by how much it may change, and what moving it costs."""

    kind: str
    low: Fraction | float
    high: Fraction | float
    sensitivity: Fraction
    rate: Fraction = Fraction(1)  # what moving a draw by 1 costs
    two_valued: bool = False  # a reward that changes by its sensitivity or not at all


class Form(NamedTuple):
    """Coefficients of symbols, none of them 0, and a constant."""

    terms: dict[int, Fraction]
    constant: Fraction


class Condition(NamedTuple):
    """form > 0 if strict, otherwise form >= 0."""

    form: Form
    strict: bool


class Interval(NamedTuple):
    low: Fraction | float
    high: Fraction | float
    low_open: bool
    high_open: bool


class Comparison(NamedTuple):
    """The form lies above a threshold, or below it if `above` is False."""

    key: Key
    above: bool


class Place(NamedTuple):
    """A node or leaf of the tree, the intervals of compared forms on the path to it, and the comparisons on the
    path."""

    number: int
    intervals: dict[Key, Interval]
    comparisons: tuple[Comparison, ...]


def check_alignment(certificate: Fields) -> list[str]:
    """Checks an alignment certificate, path by path, and returns lines of text that report the result.
    Raises Rejected if a path is missing, or if a move does not compensate a change or costs too much."""
    symbols = [read_symbol(row, f"symbols/{i}") for i, row in enumerate(certificate["symbols"])]
    forms = [read_form(row, len(symbols), f"forms/{i}") for i, row in enumerate(certificate["forms"])]
    normal = certificate["noise"] == "normal"
    bound = read_decimal(certificate["bound"], "bound")
    largest, reached = Fraction(0), set()
    waiting = [Place(certificate["root"], {}, ())]
    while waiting:
        place = waiting.pop()
        if place.number in reached:
            raise Rejected(f"the tree contains {place_name(place.number)} twice; it may occur only once")
        reached.add(place.number)
        if place.number < 0:
            leaf = listed_entry(certificate["leaves"], -1 - place.number, "leaves")
            for pulls in leaf["released"]:
                require_counts(pulls, certificate["arms"], f"leaves/{-1 - place.number}")
            largest = max(largest, cost_of_leaf(leaf, place, symbols, normal))
        else:
            node = listed_entry(certificate["nodes"], place.number, "nodes")
            waiting += next_places(node, place, symbols, forms)
    require_all_reached(reached, certificate)
    if largest > bound:
        raise Rejected(f"a move has cost {largest}, more than the bound {certificate['bound'][:60]}")
    leaves = sum(number < 0 for number in reached)
    what = "squared norm (mu^2)" if normal else "sum of sizes (eps)"
    present = {symbol.kind for symbol in symbols}
    kinds = ["normal"] if normal else [kind for kind in PURE if kind in present] or ["laplace"]
    return [
        f"a decision tree with {leaves} paths over {len(symbols)} draws and rewards",
        f"on every path, moving {' and '.join(kinds)} noise makes up for each change of one reward by at most "
        f"its sensitivity ({sensitivities(symbols)})",
        f"the largest {what} of a move is {largest}, at most the bound {certificate['bound'][:60]}",
        "that this is the decision tree of the policy is not part of the certificate",
    ]


def sensitivities(symbols: Sequence[Symbol]) -> str:
    """The smallest and the largest sensitivity of a reward, as "1/2 to 1"."""
    found = sorted({symbol.sensitivity for symbol in symbols if symbol.kind == "reward"})
    return " to ".join(str(each) for each in dict.fromkeys([*found[:1], *found[-1:]])) or "0"


def place_name(number: int) -> str:
    """The name of a place for messages: "node 3", or "leaf 3" for the number -4."""
    return f"leaf {-1 - number}" if number < 0 else f"node {number}"


def require_all_reached(reached: Set[int], certificate: Fields) -> None:
    """Raises Rejected if no path leads to some node or leaf."""
    every = {*range(len(certificate["nodes"])), *range(-len(certificate["leaves"]), 0)}
    if unused := sorted(every - reached):
        raise Rejected(f"no path of the tree leads to {place_name(unused[-1])}; remove {place_name(unused[-1])}")


def require_counts(pulls: Sequence[int], arms: int, place: str) -> None:
    """Raises Rejected unless the released pulls are one number for each arm."""
    if len(pulls) != arms:
        raise Rejected(f"{place}: the released pulls {[*pulls]!s:.60} must be {arms} numbers, one for each arm")


def listed_entry(rows: Sequence[Any], number: int, field: str) -> Any:
    """Entry `number` of a list in the certificate. Raises Rejected, naming `field`, if the list is too short."""
    if number >= len(rows):
        raise Rejected(f"{field}/{number}: there is no such entry; {field} has length {len(rows)}")
    return rows[number]


# -- reading ---------------------------------------------------------------------------------------------------------


def read_symbol(row: Sequence[str], place: str) -> Symbol:
    """A symbol, read from [kind, low, high, sensitivity]. Only rewards have their own range and a sensitivity.
    A fifth entry is the rate of a geometric draw, or states that a reward has two values."""
    kind, *numbers = row
    low, high, sensitivity = read_end(numbers[0], place), read_end(numbers[1], place), read_decimal(numbers[2], place)
    more, rate = numbers[3:], Fraction(1)
    if kind == "geometric" and len(more) == 1 and more != [TWO_VALUED]:
        rate, more = read_decimal(more[0], place), []
    if rate <= 0 or (kind == "geometric") != (len(numbers) == 4 and kind != "reward"):
        raise Rejected(
            f"{place}: the fifth entry of a geometric symbol must be a positive rate; other kinds have no rate"
        )
    if kind == "reward":
        if not isinstance(low, Fraction) or not isinstance(high, Fraction) or low > high or sensitivity < 0:
            raise Rejected(f"{place}: a reward needs a finite range with low <= high, and a sensitivity of at least 0")
        if sensitivity > high - low:  # or outcomes would be left out that one of the neighbours has
            raise Rejected(f"{place}: the sensitivity of a reward is {sensitivity}, more than the length of its range")
    elif (low, high) != RANGES[kind] or sensitivity:
        raise Rejected(f"{place}: a symbol of kind {kind!r} must have the range {RANGES[kind]} and sensitivity 0")
    if more and (kind != "reward" or more != [TWO_VALUED]):
        raise Rejected(f"{place}: the fifth entry {more[0]!r} is not allowed for a symbol of kind {kind!r}")
    return Symbol(kind, low, high, sensitivity, rate, bool(more))


def read_form(row: Sequence[Any], symbols: int, place: str) -> Form:
    """A linear form, read from [constant, symbol, coefficient, symbol, coefficient, ...]."""
    numbers, values = row[1::2], row[2::2]
    if len(numbers) != len(values) or len(set(numbers)) != len(numbers):
        raise Rejected(
            f"{place}: the entry must be a list [constant, symbol, coefficient, symbol, coefficient, ...] in which "
            "each symbol occurs once"
        )
    terms = {}
    for number, value in zip(numbers, values, strict=True):
        if not isinstance(number, int) or not 0 <= number < symbols or not isinstance(value, str):
            raise Rejected(
                f"{place}: {number!r}, {value!r} must be the number of a symbol and a coefficient written as a string"
            )
        if read := read_decimal(value, place):
            terms[number] = read
    if not isinstance(row[0], str):
        raise Rejected(f"{place}: the constant {row[0]!r} must be a number written as a string")
    return Form(terms, read_decimal(row[0], place))


# -- the tree --------------------------------------------------------------------------------------------------------


def next_places(node: Fields, place: Place, symbols: Sequence[Symbol], forms: Sequence[Form]) -> list[Place]:
    """The places of the tree that a node leads to, one for each possible outcome of its comparison or draw.
    Raises Rejected if the certificate leaves out a possible outcome."""
    compared = [listed_entry(forms, number, "forms") for number in node["forms"]]
    if not compared:
        return next_places_of_draw(node["next"], place)
    outcomes = positive_or_not(compared[0], node["strict"]) if len(compared) == 1 else which_is_largest(compared)
    if len(node["next"]) != len(outcomes):
        raise Rejected(
            f"{place_name(place.number)}: the list `next` has length {len(node['next'])}, but there are "
            f"{len(outcomes)} outcomes"
        )
    open_ways = sum(way is not None for way in node["next"])
    found = []
    for conditions, way in zip(outcomes, node["next"], strict=True):
        after = None if conditions is None else narrowed(conditions, place.intervals, symbols)
        if way is None:
            if after is not None:
                raise Rejected(
                    f"{place_name(place.number)}: `next` is null for a possible outcome; it must be a node or leaf"
                )
            continue
        if after is None or conditions is None:
            raise Rejected(
                f"{place_name(place.number)}: `next` names a node for an impossible outcome; it must be null"
            )
        made = [Comparison(*normalized(condition, symbols)[:2]) for condition in conditions] if open_ways > 1 else []
        found.append(Place(way, after, (*place.comparisons, *made)))
    return found


def next_places_of_draw(following: Sequence[int | None], place: Place) -> list[Place]:
    """The places of the decision tree that follow a finite draw, one for each outcome; Rejected if one is missing."""
    spend_effort(len(following))
    if any(way is None for way in following):
        raise Rejected(
            f"{place_name(place.number)}: `next` is null for an outcome of a finite draw; every outcome needs a node"
        )
    return [Place(way, place.intervals, place.comparisons) for way in following if way is not None]


def positive_or_not(form: Form, strict: bool) -> list[list[Condition] | None]:
    """Two lists of conditions: under which form > 0 (>= 0 if not strict), and under which it is not.
    None in place of a list if its outcome is impossible."""
    return [
        always_or_conditions([Condition(form, strict)]),
        always_or_conditions([Condition(scaled(form, Fraction(-1)), not strict)]),
    ]


def which_is_largest(forms: Sequence[Form]) -> list[list[Condition] | None]:
    """For each form, the conditions under which it is the largest, or the first of several equal largest ones.
    None if this is impossible."""
    return [
        always_or_conditions(
            [Condition(difference(form, other), at < winner) for at, other in enumerate(forms) if at != winner]
        )
        for winner, form in enumerate(forms)
    ]


def always_or_conditions(conditions: Sequence[Condition]) -> list[Condition] | None:
    """The conditions that remain to be checked, because they contain symbols; None if one without symbols is false."""
    for form, strict in conditions:
        if not form.terms and not (form.constant > 0 or (not strict and form.constant == 0)):
            return None
    return [each for each in conditions if each.form.terms]


def scaled(form: Form, factor: Fraction) -> Form:
    """The form times a factor."""
    return Form({number: value * factor for number, value in form.terms.items()}, form.constant * factor)


def difference(a: Form, b: Form) -> Form:
    """The linear form a - b."""
    terms = dict(a.terms)
    for number, value in b.terms.items():
        pay_for_operation(value)
        if rest := terms.get(number, Fraction(0)) - value:
            terms[number] = rest
        else:
            terms.pop(number, None)
    return Form(terms, a.constant - b.constant)


def normalized(condition: Condition, symbols: Sequence[Symbol]) -> tuple[Key, bool, Fraction, bool]:
    """A condition as (key, above, threshold, strict): the form with coefficients `key` is above or below the threshold.
    The form divided by its first coefficient is above the threshold, or below it. With continuous noise, equality has
    probability 0."""
    form = condition.form
    first = form.terms[min(form.terms)]
    key = tuple(sorted((number, value / first) for number, value in form.terms.items()))
    strict = condition.strict or any(symbols[number].kind in CONTINUOUS for number in form.terms)
    return key, first > 0, -form.constant / first, strict


def narrowed(
    conditions: Sequence[Condition], intervals: Mapping[Key, Interval], symbols: Sequence[Symbol]
) -> dict[Key, Interval] | None:
    """The intervals of the compared forms, narrowed by these conditions.
    None if one becomes empty, so that the conditions are impossible."""
    found = dict(intervals)
    for condition in conditions:
        spend_effort(1)
        key, above, threshold, strict = normalized(condition, symbols)
        low, high, low_open, high_open = found.get(key) or range_of(key, symbols)
        if above and (threshold > low or (threshold == low and strict)):
            low, low_open = threshold, strict
        elif not above and (threshold < high or (threshold == high and strict)):
            high, high_open = threshold, strict
        if low > high or (low == high and (low_open or high_open)):
            return None
        found[key] = Interval(low, high, low_open, high_open)
    return found


def range_of(key: Key, symbols: Sequence[Symbol]) -> Interval:
    """The interval of values that a linear form can take, computed from the ranges of its symbols."""
    ends = [
        sorted((end_times(value, symbols[number].low), end_times(value, symbols[number].high))) for number, value in key
    ]
    return Interval(sum_of_ends([low for low, _ in ends]), sum_of_ends([high for _, high in ends]), False, False)


def end_times(factor: Fraction, end: ExtendedRational) -> ExtendedRational:
    """The product of a nonzero factor and an end of a range, which may be infinite.
    A float product would turn inf times 1e-400 into nan, below which and above which nothing lies."""
    if isinstance(end, Fraction):
        return factor * end
    return end if factor > 0 else -end


def sum_of_ends(ends: Sequence[ExtendedRational]) -> ExtendedRational:
    """The sum of lower ends, or of upper ends: infinite if one of them is."""
    infinite = [end for end in ends if isinstance(end, float)]
    return infinite[0] if infinite else sum((Fraction(end) for end in ends), Fraction(0))


# -- the moves -------------------------------------------------------------------------------------------------------


def cost_of_leaf(leaf: Fields, place: Place, symbols: Sequence[Symbol], normal: bool) -> Fraction:
    """The largest cost of the moves that a leaf lists. Raises Rejected if one does not compensate its change."""
    kinds = ("normal",) if normal else PURE
    moves = {}
    for row in leaf["moves"]:
        reward, sign, *rest = row
        amounts = {}
        if len(rest) % 2:
            raise Rejected(
                f"{place_name(place.number)}: the move for reward {reward} must be [reward, sign, draw, amount, draw, "
                "amount, ...]"
            )
        for number, amount in zip(rest[::2], rest[1::2], strict=True):
            if not isinstance(number, int) or not 0 <= number < len(symbols) or symbols[number].kind not in kinds:
                raise Rejected(
                    f"{place_name(place.number)}: symbol {number!r} is not a {' or '.join(kinds)} draw, and only such "
                    "draws may be moved"
                )
            if number in amounts:
                raise Rejected(f"{place_name(place.number)}: the move for reward {reward} lists draw {number} twice")
            amounts[number] = read_decimal(str(amount), place_name(place.number))
            if amounts[number] < 0 and symbols[number].kind in ONE_SIDED:
                raise Rejected(
                    f"{place_name(place.number)}: {symbols[number].kind} draw {number} is moved by {amount}, "
                    "but such draws "
                    "may only grow"
                )
            if amounts[number].denominator != 1 and symbols[number].kind == "geometric":
                raise Rejected(
                    f"{place_name(place.number)}: a geometric draw is moved by {amount}, which is not an integer"
                )
        moves[reward, sign] = amounts
    largest = Fraction(0)
    for reward in {number for each in place.comparisons for number, _ in each.key if symbols[number].kind == "reward"}:
        for sign in (1, -1):
            move = moves.get((reward, sign), {})
            change = sign * symbols[reward].sensitivity
            whole = {number: amount for number, amount in move.items() if symbols[number].kind == "geometric"}
            right = keeps_outcomes(place.comparisons, move, reward, change, normal)
            if right and whole and not symbols[reward].two_valued:  # for a smaller change
                right = keeps_outcomes(place.comparisons, whole, reward, Fraction(0), normal)
            if not right:
                raise Rejected(
                    f"{place_name(place.number)}: the move for reward {reward} changes the outcome of a comparison"
                )
            sizes = [
                amount * amount if normal else symbols[number].rate * abs(amount) for number, amount in move.items()
            ]
            largest = max(largest, sum(sizes, Fraction(0)))
    return largest


def keeps_outcomes(
    comparisons: Sequence[Comparison], move: Mapping[int, Fraction], reward: int, change: Fraction, normal: bool
) -> bool:
    """Whether the move and the changed reward keep all outcomes (for normal noise: all compared values)."""
    for key, above in comparisons:
        spend_effort(1 + len(key) / 4)
        apart = sum((value * move.get(number, Fraction(0)) for number, value in key), Fraction(0))
        apart += sum((value * change for number, value in key if number == reward), Fraction(0))
        if apart != 0 and (normal or (apart > 0) != above):
            return False
    return True
