"""Checks certificates of kind "alignment-states": randomness alignment on a graph of states, in which equal states of
different runs are merged.

Each state lists one step of the policy as a decision tree. Its variables are the unknown numbers of the state, the
step's draws and the step's rewards. Each transition through this tree leads to a state of the next step, and gives that
state's unknowns as linear forms. A state also lists differences: by how much its unknowns may differ between two
neighbours, and how much privacy may be lost from there on. The checker verifies, for each state by itself:

1. The outcomes of each comparison are complete and exclude each other. An outcome that is left out contradicts the
   comparisons of the same step before it, or the ranges of unknowns, rewards and uniform draws. The unknowns of the
   next state lie in their ranges.
2. For each transition, each of its rewards and each direction of its change, and for each difference of the state:
   adding the listed move to the step's draws changes no outcome (for normal noise: no compared value). If the unknowns
   of the next state still differ, this difference is listed there.
3. The cost of the move and the loss listed for the next difference add up to at most the loss listed here; for a
   changed reward, to at most the bound.

So each run of the policy, with any reward changed, has a move of all its draws that changes no outcome and costs at
most the bound: the theorem of the kind "alignment" applies. That the graph is the policy's is not in the certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

from .alignment import (
    Comparison,
    Form,
    Place,
    Symbol,
    listed_entry,
    next_places,
    range_of,
    read_form,
    read_symbol,
    require_counts,
    sensitivities,
    sum_of_ends,
)
from .untrusted import Fields, Rejected, read_decimal, read_end, spend_effort

Differences = tuple[tuple[int, Fraction], ...]  # of unknowns, by their places, in order; none is 0
Move = dict[int, Fraction]  # of draws, by their places


class Transition(NamedTuple):
    """A transition of a step. unknowns: of the next state."""

    number: int
    comparisons: tuple[Comparison, ...]
    next: int
    unknowns: tuple[Form, ...]


class State(NamedTuple):
    """A state as read from the certificate. symbols: of its step, its own unknowns first. losses: the listed losses, by
    differences. moves: for each of these, one for each transition."""

    number: int
    step: int
    symbols: tuple[Symbol, ...]
    unknowns: int
    losses: dict[Differences, Fraction]
    moves: dict[Differences, list[int]]


class Rules(NamedTuple):
    """The parts of the certificate that all states share. moves: as rows [draw, amount, draw, amount, ...]."""

    forms: list[Form]
    moves: list[list[object]]
    noise: str


def check_merged_alignment(certificate: Fields) -> list[str]:
    """Checks each state of the certificate's graph, and returns lines of text that report the result.
    Raises Rejected if a transition is missing, a move does not compensate a change, or a loss exceeds the listed
    one."""
    rows = [read_merged_symbol(row, f"symbols/{i}") for i, row in enumerate(certificate["symbols"])]
    most = max((len(state["symbols"]) for state in certificate["states"]), default=0)
    forms = [read_form(row, most, f"forms/{i}") for i, row in enumerate(certificate["forms"])]
    rules = Rules(forms, certificate["moves"], certificate["noise"])
    bound = read_decimal(certificate["bound"], "bound")
    states = [read_state(item, number, rows) for number, item in enumerate(certificate["states"])]
    if states[0].unknowns:
        raise Rejected("states/0: the first state must not contain unknowns")
    largest, transitions, differences = Fraction(0), 0, 0
    for item, state in zip(certificate["states"], states, strict=True):
        for way in item["ways"]:
            require_counts(way["released"], certificate["arms"], f"states/{state.number}")
        found = transitions_of(item, state, states, rules)
        largest = max(largest, loss_of_changes(item, state, found, states, rules))
        check_differences(state, found, states, rules)
        transitions, differences = transitions + len(found), differences + len(state.losses)
    if largest > bound:
        raise Rejected(f"a changed reward has privacy loss {largest}, more than the bound {certificate['bound'][:60]}")
    what = "squared norm (mu^2)" if rules.noise == "normal" else "sum of sizes (eps)"
    return [
        f"a graph of {len(states)} merged states with {transitions} transitions and {differences} differences",
        f"in every state, moving {rules.noise} noise makes up for each change of one reward by at most "
        f"its sensitivity ({sensitivities(rows)})",
        f"the largest {what} of the moves on a path is at most {largest}, and this at most the bound "
        f"{certificate['bound'][:60]}",
        "that this is the graph of the policy's states is not part of the certificate",
    ]


# -- reading ---------------------------------------------------------------------------------------------------------


def read_merged_symbol(row: Sequence[str], place: str) -> Symbol:
    """A symbol, read from [kind, low, high, sensitivity]; the range of an unknown may be infinite."""
    if row[0] != "unknown":
        return read_symbol(row, place)
    symbol = Symbol("unknown", read_end(row[1], place), read_end(row[2], place), read_decimal(row[3], place))
    if symbol.low > symbol.high or symbol.low == inf or symbol.high == -inf or symbol.sensitivity:
        raise Rejected(
            f"{place}: an unknown must have low <= high, with a finite number between them, and must not have a "
            "sensitivity"
        )
    return symbol


def read_state(item: Fields, number: int, rows: Sequence[Symbol]) -> State:
    """State `number`, read from its entry in the certificate. rows: the symbols that states share.
    Raises Rejected for an entry that is not well formed."""
    symbols = tuple([listed_entry(rows, place, "symbols") for place in item["symbols"]])
    unknowns = item["unknowns"]
    if [symbol.kind == "unknown" for symbol in symbols] != [place < unknowns for place in range(len(symbols))]:
        raise Rejected(
            f"states/{number}: the first {unknowns} symbols must be unknowns, and no other symbol may be one"
        )
    losses, moves = {}, {}
    for listed in item["differences"]:
        differences = read_differences(listed["apart"], unknowns, f"states/{number}")
        if differences in losses:
            raise Rejected(f"states/{number}: a difference is listed twice; every difference must be listed once")
        losses[differences] = read_decimal(listed["loss"], f"states/{number}")
        if losses[differences] < 0:
            raise Rejected(f"states/{number}: a loss is below 0; losses must be at least 0")
        moves[differences] = listed["moves"]
    return State(number, item["step"], symbols, unknowns, losses, moves)


def read_differences(row: Sequence[object], unknowns: int, place: str) -> Differences:
    """The differences between two neighbours, read from [unknown, difference, ...] in ascending order of unknowns."""
    found = read_pairs(row, place)
    places = [number for number, _ in found]
    if not places or places != sorted(set(places)) or places[-1] >= unknowns or not all(value for _, value in found):
        raise Rejected(
            f"{place}: a difference must be a list of unknowns in ascending order, each with a nonzero coefficient"
        )
    return tuple(found)


def read_pairs(row: Sequence[object], place: str) -> list[tuple[int, Fraction]]:
    """The pairs (number, amount) of which the list consists. Raises Rejected for a list of another form."""
    found = []
    if len(row) % 2:
        raise Rejected(
            f"{place}: the list has length {len(row)}, but its length must be even: a number and its coefficient, in "
            "turn"
        )
    for number, amount in zip(row[::2], row[1::2], strict=True):
        if not isinstance(number, int) or number < 0 or not isinstance(amount, str):
            raise Rejected(f"{place}: {number!r}, {amount!r} must be the number of a symbol and a coefficient")
        found.append((number, read_decimal(amount, place)))
    return found


def read_move(number: int, state: State, rules: Rules) -> Move:
    """Reads move `number` of the certificate, as {number of a draw: shift}.
    Raises Rejected if it shifts anything but the step's noise."""
    place = f"states/{state.number}, moves/{number}"
    move = dict[int, Fraction]()
    for draw, amount in read_pairs(listed_entry(rules.moves, number, "moves"), place):
        if draw >= len(state.symbols) or state.symbols[draw].kind != rules.noise or draw in move:
            raise Rejected(
                f"{place}: {draw} cannot be moved; only {rules.noise} draws of the step can be moved, and each may be "
                "listed only once"
            )
        move[draw] = amount
    return move


# -- the step of a state -----------------------------------------------------------------------------------------------


def transitions_of(item: Fields, state: State, states: Sequence[State], rules: Rules) -> list[Transition]:
    """The checked transitions of a state's step, in the certificate's order; none at the end of a run."""
    if not item["ways"]:
        return []
    reached, found = set(), dict[int, Transition]()
    waiting = [Place(item["root"], {}, ())]
    while waiting:
        place = waiting.pop()
        if place.number in reached:
            raise Rejected(f"states/{state.number}: two branches of its step lead to the same node or transition")
        reached.add(place.number)
        if place.number < 0:
            found[-1 - place.number] = read_transition(item, -1 - place.number, place.comparisons, state, states, rules)
        else:
            node = listed_entry(item["nodes"], place.number, "nodes")
            for form in node["forms"]:
                require_symbols(listed_entry(rules.forms, form, "forms"), state, f"node {place.number}")
            waiting += next_places(node, place, state.symbols, rules.forms)
    if len(found) != len(item["ways"]):
        unreached = min({*range(len(item["ways"]))} - found.keys())
        raise Rejected(f"states/{state.number}: no outcome of the step leads to transition {unreached}")
    return [found[number] for number in range(len(found))]


def read_transition(
    item: Fields,
    number: int,
    comparisons: tuple[Comparison, ...],
    state: State,
    states: Sequence[State],
    rules: Rules,
) -> Transition:
    """Reads transition number `number` of a state from the certificate's entry `item`.
    Raises Rejected unless its next state is one step later and has this many unknowns, with values in their ranges."""
    listed = listed_entry(item["ways"], number, "ways")
    following_state = listed_entry(states, listed["next"], "states")
    forms = tuple([listed_entry(rules.forms, place, "forms") for place in listed["unknowns"]])
    if following_state.step != state.step + 1:
        raise Rejected(f"states/{state.number}: transition {number} must lead to a state of the next step")
    if len(forms) != following_state.unknowns:
        raise Rejected(
            f"states/{state.number}: the list `unknowns` of transition {number} has length {len(forms)}; it must have "
            f"length {following_state.unknowns}, with one entry for each unknown of the next state"
        )
    for form, unknown in zip(forms, following_state.symbols, strict=False):
        require_symbols(form, state, f"transition {number}")
        low, high, *_ = range_of(tuple(form.terms.items()), state.symbols)
        spend_effort(1 + len(form.terms) / 4)
        if sum_of_ends([low, form.constant]) < unknown.low or sum_of_ends([high, form.constant]) > unknown.high:
            raise Rejected(
                f"states/{state.number}: transition {number} leads to a value outside the range of an unknown"
            )
    return Transition(number, comparisons, listed["next"], forms)


def require_symbols(form: Form, state: State, place: str) -> None:
    """Raises Rejected if a linear form contains a symbol that the state's step does not have.
    place: where in the state, for errors."""
    if any(number >= len(state.symbols) for number in form.terms):
        raise Rejected(
            f"states/{state.number}: {place} contains a linear form with symbols that do not occur in the step"
        )


# -- what is lost ------------------------------------------------------------------------------------------------------


def loss_of_changes(
    item: Fields, state: State, transitions: Sequence[Transition], states: Sequence[State], rules: Rules
) -> Fraction:
    """The largest privacy loss that a changed reward of this state's step causes."""
    listed = {(transition, reward, sign): move for transition, reward, sign, move in item["changes"]}
    largest = Fraction(0)
    for transition in transitions:
        seen = {number for key, _ in transition.comparisons for number, _ in key}
        seen |= {number for form in transition.unknowns for number in form.terms}
        for reward in sorted(number for number in seen if state.symbols[number].kind == "reward"):
            for sign in (1,) if rules.noise == "normal" else (1, -1):
                number = listed.get((transition.number, reward, sign))
                move = {} if number is None else read_move(number, state, rules)
                change = {reward: sign * state.symbols[reward].sensitivity}
                largest = max(largest, loss(state, transition, change, move, states, rules))
    return largest


def check_differences(state: State, transitions: Sequence[Transition], states: Sequence[State], rules: Rules) -> None:
    """Raises Rejected if a listed difference between neighbours causes more privacy loss than the state lists."""
    for differences, allowed in state.losses.items():
        if len(state.moves[differences]) != len(transitions):
            raise Rejected(f"states/{state.number}: every difference must have exactly one move for each transition")
        for transition, number in zip(transitions, state.moves[differences], strict=True):
            lost = loss(state, transition, dict(differences), read_move(number, state, rules), states, rules)
            if lost > allowed:
                raise Rejected(
                    f"states/{state.number}: for two neighbours in this state, the privacy loss is {lost}, more than "
                    "the certificate lists"
                )


def loss(
    state: State, transition: Transition, change: dict[int, Fraction], move: Move, states: Sequence[State], rules: Rules
) -> Fraction:
    """The privacy loss on a transition and after it, if `move` compensates for the differences `change` of neighbours.
    Raises Rejected if an outcome changes."""
    moved = change | move
    for key, above in transition.comparisons:
        apart = change_of_form(key, moved)
        if apart != 0 and (rules.noise == "normal" or (apart > 0) != above):
            raise Rejected(
                f"states/{state.number}: a move changes the outcome of a comparison in transition {transition.number}"
            )
    forms = enumerate(transition.unknowns)
    after = tuple(
        [(place, apart) for place, form in forms if (apart := change_of_form(tuple(form.terms.items()), moved))]
    )
    sizes = [amount * amount if rules.noise == "normal" else abs(amount) for amount in move.values()]
    cost = sum(sizes, Fraction(0))
    if not after:
        return cost
    if after not in states[transition.next].losses:
        raise Rejected(
            f"states/{transition.next}: a difference is missing; transition {transition.number} of "
            f"states/{state.number} leads to it"
        )
    return cost + states[transition.next].losses[after]


def change_of_form(terms: Sequence[tuple[int, Fraction]], moved: Mapping[int, Fraction]) -> Fraction:
    """The change of a linear form if its symbols change by the amounts `moved`."""
    spend_effort(1 + len(terms) / 4)
    return sum((value * moved[number] for number, value in terms if number in moved), Fraction(0))
