"""Every single alteration of certificates of randomness alignment is rejected, or what the certificate then says holds
on runs that are drawn and followed here, by code that shares nothing with the checker."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp
from typing import Any

import pytest
from aligned_policies import LocalNoise
from alterations import alterations_by_field
from test_alignment_finite import Responses, flips
from test_certificates import changed

from dpbandits.papers.azize22 import AdaPUCB
from dpbandits.proofs_checks.alignment.bounds import alignment_bound
from dpbandits.proofs_checks.alignment.finite_runs import finite_certificate
from dpbandits.proofs_checks.alignment.merged_bounds import merged_bound
from dpbandits.proofs_checks.alignment.merged_certificate import merged_certificate
from dpbandits.proofs_checks.alignment.tree_certificate import tree_certificate
from dpbandits.proofs_checks.checker.verification import verify

Certificate = dict[str, Any]
RUNS = 12  # of each altered certificate that is accepted
SOME = 6  # alterations of each field that the quick test tries
ONE_SIDED = ("exponential", "gumbel", "geometric")
FRACTIONS = (Fraction(1), Fraction(1, 3))  # of a reward's sensitivity, by which it changes


class Broken(Exception):
    """A run for which the certificate does not do what it says."""


# -- certificates ----------------------------------------------------------------------------------------------------


def of_tree(policy: LocalNoise) -> Certificate:
    found = alignment_bound(policy)
    assert found.tree is not None
    made = tree_certificate(found.tree, "own/tree", found.cost)
    assert made is not None
    return dict(made)


def of_states(policy: Any) -> Certificate:
    found = merged_bound(policy)
    assert found.merged is not None
    return dict(merged_certificate(found.merged, "own/states", found.cost))


def of_finite_runs() -> Certificate:
    found = alignment_bound(Responses(flips, horizon=3))
    assert found.finite is not None
    return finite_certificate(found.finite, "own/finite", found.cost)


def mixed() -> Certificate:
    """A tree with every kind of draw: a coin, a reward with two values beside two geometric draws, and a reward of a
    range beside all others. One outcome is impossible."""
    symbols = [
        ["reward", "0", "1", "1", "two-valued"],
        ["geometric", "1", "inf", "0", "1/2"],
        ["geometric", "1", "inf", "0", "1/2"],
        ["reward", "0", "2", "1"],
        ["exponential", "0", "inf", "0"],
        ["gumbel", "-inf", "inf", "0"],
        ["uniform", "0", "1", "0"],
        ["laplace", "-inf", "inf", "0"],
    ]
    forms = [
        ["0", 0, "-1", 1, "1", 2, "-1"],
        ["0", 3, "1", 4, "1", 5, "-1", 6, "-1"],
        ["5", 6, "1"],  # always above 0
        ["0", 3, "1", 7, "1"],
        ["0", 4, "1"],
        ["0.5"],
    ]
    nodes = [
        {"forms": [], "strict": False, "next": [1, -1]},
        {"forms": [0], "strict": True, "next": [2, -2]},
        {"forms": [2], "strict": False, "next": [3, None]},
        {"forms": [1], "strict": False, "next": [-3, 4]},
        {"forms": [3, 4, 5], "strict": False, "next": [-4, -5, -6]},
    ]
    exact = [[0, 1, 1, "1"], [0, -1, 2, "1"]]  # the geometric draws restore what is compared
    largest = [*exact, [3, 1, 5, "1", 7, "-1"], [3, -1, 7, "1"]]
    leaves = [
        {"released": [[1, 0]], "moves": []},
        {"released": [[0, 1]], "moves": exact},
        {"released": [[1, 0]], "moves": [*exact, [3, -1, 4, "1"]]},
        {"released": [[1, 0]], "moves": largest},
        {"released": [[0, 1]], "moves": largest},
        {"released": [[0, 1]], "moves": largest},
    ]
    return {
        "type": "alignment", "claim": "own/mixed", "noise": "laplace", "bound": "2", "arms": 2, "horizon": 1,
        "symbols": symbols, "forms": forms, "nodes": nodes, "leaves": leaves, "root": 0,
    }  # fmt: skip


MADE: dict[str, Callable[[], Certificate]] = {
    "tree, laplace": lambda: of_tree(LocalNoise(2, 3)),
    "tree, normal": lambda: of_tree(LocalNoise(2, 3, kind="normal")),
    "tree, mixed": mixed,
    "states, laplace": lambda: of_states(LocalNoise(2, 3)),
    "states, normal": lambda: of_states(LocalNoise(2, 3, kind="normal")),
    "states, differences": lambda: of_states(AdaPUCB(2, 5, 1.0)),
    "finite": of_finite_runs,
}


@cache
def made(name: str) -> Certificate:
    return MADE[name]()


# -- what a certificate says, on runs --------------------------------------------------------------------------------


def number(text: str) -> Fraction:
    return Fraction(text)


def end(text: str) -> Fraction | float:
    return float(text) if text in ("inf", "-inf") else Fraction(text)


def drawn(symbol: Sequence[str], rng: random.Random) -> Fraction:
    """A value of a symbol. Rewards lie on a grid with the ends of their range, so that they are often extreme."""
    kind, low, high = symbol[:3]
    match kind:
        case "reward" if symbol[-1] == "two-valued":
            return number(low) + number(symbol[3]) * rng.randint(0, 1)
        case "reward":
            return number(low) + (number(high) - number(low)) * Fraction(rng.randint(0, 6), 6)
        case "geometric":
            return Fraction(rng.randint(1, 4))
        case "exponential":
            return Fraction(rng.expovariate(1.0))
        case "uniform":
            return Fraction(rng.random())
        case _:
            return Fraction(rng.gauss(0.0, 2.0))


def value(form: Sequence[Any], values: Sequence[Fraction]) -> Fraction:
    pairs = zip(form[1::2], form[2::2], strict=True)
    return number(form[0]) + sum((values[place] * number(factor) for place, factor in pairs), Fraction(0))


def outcome(node: Certificate, forms: Sequence[Any], values: Sequence[Fraction], coin: random.Random) -> int:
    """The place of the outcome in the node's list. coin: for finite draws."""
    compared = [value(forms[place], values) for place in node["forms"]]
    if not compared:
        return coin.randrange(len(node["next"]))
    if len(compared) == 1:
        above = compared[0] > 0 if node["strict"] else compared[0] >= 0
        return 0 if above else 1
    return compared.index(max(compared))


def way_of(item: Certificate, forms: Sequence[Any], values: Sequence[Fraction], seed: int) -> tuple[int, list[Any]]:
    """The number of the leaf or transition of a run, and the compared values where several outcomes are listed."""
    here, compared, coin = item["root"], [], random.Random(seed)
    while here >= 0:
        node = item["nodes"][here]
        if sum(each is not None for each in node["next"]) > 1:
            found = [value(forms[place], values) for place in node["forms"]]
            compared += found if len(found) == 1 else [each - found[0] for each in found[1:]]
        after = node["next"][outcome(node, forms, values, coin)]
        if after is None:
            raise Broken("an outcome that the certificate leaves out happens")
        here = after
    return -1 - here, compared


def cost(amounts: dict[int, Fraction], symbols: Sequence[Any], normal: bool) -> Fraction:
    """Of moves of draws: squares for normal noise, else sizes times rates."""
    rates = {place: number(symbols[place][4]) if symbols[place][0] == "geometric" else Fraction(1) for place in amounts}
    return sum((by * by if normal else rates[place] * abs(by) for place, by in amounts.items()), Fraction(0))


def pairs_of(row: Sequence[Any]) -> dict[int, Fraction]:
    return {place: number(str(by)) for place, by in zip(row[::2], row[1::2], strict=True)}


def agree(normal: bool, one: tuple[int, list[Any]], other: tuple[int, list[Any]]) -> bool:
    """Whether two runs take the same path; for normal noise, whether they compare the same values as well."""
    return one[0] == other[0] and (not normal or one[1] == other[1])


def follow_tree(certificate: Certificate, rng: random.Random) -> None:
    """One run, and the run that each change of one of its rewards needs. Raises Broken."""
    symbols, forms, normal = certificate["symbols"], certificate["forms"], certificate["noise"] == "normal"
    values, seed = [drawn(symbol, rng) for symbol in symbols], rng.getrandbits(32)
    here = way_of(certificate, forms, values, seed)
    moves = {(reward, sign): pairs_of(rest) for reward, sign, *rest in certificate["leaves"][here[0]]["moves"]}
    rewards = [place for place, symbol in enumerate(symbols) if symbol[0] == "reward"]
    for reward, sign, part in product(rewards, (1, -1), FRACTIONS):
        _, low, high, sensitivity, *two_valued = symbols[reward]
        after = values[reward] + sign * part * number(sensitivity)
        if not number(low) <= after <= number(high) or (two_valued and part != 1):
            continue
        changed_values = [*values[:reward], after, *values[reward + 1 :]]
        if not agree(normal, here, way_of(certificate, forms, changed_values, seed)):
            listed = moves.get((reward, sign), {})
            amounts = {place: by if symbols[place][0] == "geometric" else part * by for place, by in listed.items()}
            require_allowed(amounts, symbols)
            other = [each + amounts.get(place, Fraction(0)) for place, each in enumerate(changed_values)]
            if not agree(normal, here, way_of(certificate, forms, other, seed)):
                raise Broken("the moved run takes another path, or compares other values")
            if cost(amounts, symbols, normal) > bound_of(certificate):
                raise Broken("a move costs more than the bound")


def require_allowed(amounts: dict[int, Fraction], symbols: Sequence[Any]) -> None:
    """Raises Broken unless moved draws stay in the range of their kind."""
    for place, by in amounts.items():
        kind = symbols[place][0]
        if (by < 0 and kind in ONE_SIDED) or (by.denominator != 1 and kind == "geometric") or kind == "uniform":
            raise Broken("a draw leaves its range")


def bound_of(certificate: Certificate) -> Fraction:
    return number(certificate["bound"])


def follow_states(certificate: Certificate, rng: random.Random) -> None:
    """A run from the first state to the end, and the run with one changed reward beside it. Raises Broken."""
    states, forms, normal = certificate["states"], certificate["forms"], certificate["noise"] == "normal"
    part, sign = rng.choice(FRACTIONS), rng.choice((1, -1))
    factor = sign * part if normal else part  # listed moves of normal noise are for +1 only
    number_of, unknowns, apart, spent, changed_yet = 0, list[Fraction](), list[Fraction](), Fraction(0), False
    for _ in range(len(states) + 1):
        state = states[number_of]
        symbols = [certificate["symbols"][place] for place in state["symbols"]]
        for each, by, (_, low, high, *_) in zip(unknowns, apart, symbols, strict=False):
            if not all(end(low) <= place <= end(high) for place in (each, each + by)):
                raise Broken("an unknown is outside of its range")
        if not state["ways"]:
            break
        values = unknowns + [drawn(symbol, rng) for symbol in symbols[len(unknowns) :]]
        here = way_of(state, forms, values, 0)
        moved = [each + by for each, by in zip(values, [*apart, *[Fraction(0)] * len(values)], strict=False)]
        amounts = dict[int, Fraction]()
        rewards = [place for place, symbol in enumerate(symbols) if symbol[0] == "reward"]
        if any(apart):
            amounts = listed_move(certificate, state, here[0], [by / factor for by in apart])
        elif not changed_yet and rewards and rng.random() < 0.5:
            reward, changed_yet = rng.choice(rewards), True
            _, low, high, sensitivity = symbols[reward]
            moved[reward] += sign * part * number(sensitivity)
            if not number(low) <= moved[reward] <= number(high):
                return
            next_forms = [forms[form] for form in state["ways"][here[0]]["unknowns"]]
            unseen = all(value(form, moved) == value(form, values) for form in next_forms)
            listed = {(way, place, sign): move for way, place, sign, move in state["changes"]}
            move = listed.get((here[0], reward, 1 if normal else sign))
            if move is not None and not (unseen and agree(normal, here, way_of(state, forms, moved, 0))):
                amounts = pairs_of(certificate["moves"][move])
        for place, by in amounts.items():
            moved[place] += factor * by
        if not agree(normal, here, way_of(state, forms, moved, 0)):
            raise Broken("the moved run takes another path, or compares other values")
        spent += cost(amounts, symbols, normal)
        way = state["ways"][here[0]]
        number_of, unknowns = way["next"], [value(forms[form], values) for form in way["unknowns"]]
        apart = [value(forms[form], moved) - each for form, each in zip(way["unknowns"], unknowns, strict=True)]
    else:
        raise Broken("a run does not end")
    if spent > bound_of(certificate):
        raise Broken("the moves of a run cost more than the bound")


def listed_move(certificate: Certificate, state: Certificate, way: int, apart: Sequence[Fraction]) -> Any:
    wanted = {place: by for place, by in enumerate(apart) if by}
    for difference in state["differences"]:
        if pairs_of(difference["apart"]) == wanted:
            return pairs_of(certificate["moves"][difference["moves"][way]])
    raise Broken("a difference is not listed")


def compare_laws(certificate: Certificate) -> None:
    """All releases under all rewards, by enumeration. Raises Broken."""
    nodes, count = certificate["nodes"], len(certificate["values"])
    labels = sorted({tuple(node["label"]) for node in nodes if node["kind"] == "reward"})
    laws = {}
    for choices in product(range(count), repeat=len(labels)):
        rewards = dict(zip(labels, choices, strict=True))
        of_node = list[dict[Any, Fraction]]()
        for node in nodes:
            below = [of_node[each] for each in node["next"]]
            match node["kind"]:
                case "end":
                    of_node.append({(): Fraction(1)})
                case "reward":
                    of_node.append(below[rewards[tuple(node["label"])]])
                case "release":
                    of_node.append({(tuple(node["label"]), *rest): chance for rest, chance in below[0].items()})
                case _:
                    law = Counter[Any]()
                    for weight, each in zip(node["weights"], below, strict=True):
                        for rest, chance in each.items():
                            law[rest] += number(weight) * chance
                    of_node.append(law)
        laws[choices] = of_node[certificate["root"]]
    most = exp(bound_of(certificate)) * (1 + 1e-9)
    for one, law in laws.items():
        if sum(law.values()) != 1:
            raise Broken("probabilities do not add up to 1")
        for other in (choices for choices in laws if sum(a != b for a, b in zip(one, choices, strict=True)) == 1):
            if any(chance > most * laws[other].get(release, 0) for release, chance in law.items()):
                raise Broken("a release is more probable by more than the bound")


def require_true(certificate: Certificate, rng: random.Random, runs: int) -> None:
    """Raises Broken for a certificate that is wrong on one of so many runs."""
    if certificate["type"] == "finite":
        compare_laws(certificate)
        return
    for _ in range(runs):
        (follow_tree if certificate["type"] == "alignment" else follow_states)(certificate, rng)


@pytest.mark.parametrize("name", MADE)
def test_right_certificates_are_accepted_and_true_on_runs(name: str) -> None:
    checked = verify(made(name))
    assert checked.ok, checked.lines
    require_true(made(name), random.Random(name), 200)


def without_moves(certificate: Certificate) -> Certificate:
    if certificate["type"] == "alignment":
        return certificate | {"leaves": [{**leaf, "moves": []} for leaf in certificate["leaves"]]}
    return certificate | {"moves": [[] for _ in certificate["moves"]]}


@pytest.mark.parametrize("name", MADE)
def test_runs_refute_a_certificate_without_costs_or_without_moves(name: str) -> None:
    forged = [made(name) | {"bound": "0"}]
    if name != "finite":  # whose draws are not moved
        forged.append(without_moves(made(name)))
    for each in forged:
        with pytest.raises(Broken):
            require_true(each, random.Random(name), 200)


# -- alterations -----------------------------------------------------------------------------------------------------


def require_rejected_or_true(name: str, alterations: Sequence[tuple[str, Any]]) -> Counter[bool]:
    """How many of these altered certificates are accepted, and how many are not."""
    accepted = Counter[bool]()
    for path, change in alterations:
        forged = changed(made(name), path, change) if path else change
        checked = verify(forged)
        accepted[checked.ok] += 1
        if checked.ok:
            try:
                require_true(forged, random.Random(path), RUNS)
            except Broken as why:
                pytest.fail(f"{path} = {change!r} is accepted, but {why}")
        else:
            assert "the checker failed" not in checked.lines[0], (path, change, checked.lines)
    return accepted


@pytest.mark.first(4)
@pytest.mark.parametrize("name", MADE)
def test_some_alterations_of_every_field_are_rejected_or_true(name: str) -> None:
    rng = random.Random(name)
    chosen = [rng.sample(each, min(SOME, len(each))) for each in alterations_by_field(made(name)).values()]
    accepted = require_rejected_or_true(name, [alteration for each in chosen for alteration in each])
    assert accepted[False] > 3 * accepted[True] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("name", MADE)
def test_every_alteration_is_rejected_or_true(name: str) -> None:
    every = [alteration for each in alterations_by_field(made(name)).values() for alteration in each]
    accepted = require_rejected_or_true(name, every)
    assert accepted[False] > 3 * accepted[True] > 0


# -- forgeries -------------------------------------------------------------------------------------------------------

EXACT = [[0, 1, 1, "1"], [0, -1, 2, "1"]]
REFUSED = [
    # Draws that are moved as their kind does not allow.
    (
        "leaves/1/moves",
        [[0, 1, 1, "1/2"], EXACT[1]],
        "leaf 1: a geometric draw is moved by 1/2, which is not an integer",
    ),
    ("leaves/1/moves", [[0, 1, 2, "-1"], EXACT[1]], "leaf 1: geometric draw 2 is moved by -1"),
    ("leaves/2/moves", [*EXACT, [3, -1, 5, "-1"]], "leaf 2: gumbel draw 5 is moved by -1"),
    ("leaves/2/moves", [*EXACT, [3, -1, 6, "-1"]], "leaf 2: symbol 6 is not a laplace or exponential or gumbel"),
    ("leaves/2/moves", [*EXACT, [3, -1, 3, "1"]], "leaf 2: symbol 3 is not a laplace or exponential or gumbel"),
    ("leaves/2/moves", [*EXACT, [3, -1, 99, "1"]], "leaf 2: symbol 99 is not a laplace or exponential or gumbel"),
    ("leaves/2/moves", [*EXACT, [3, -1, 4, "1", 4, "1"]], "leaf 2: the move for reward 3 lists draw 4 twice"),
    ("leaves/2/moves", [*EXACT, [3, -1, 4]], "leaf 2: the move for reward 3 must be [reward, sign, draw, amount"),
    ("leaves/2/moves", [*EXACT, [3, -1, 4, "1/0"]], "leaf 2: the number '1/0' contains a division by 0"),
    ("noise", "normal", "leaf 1: symbol 1 is not a normal draw"),
    # Moves that do not restore a comparison, or only the whole change of a reward that also changes by less.
    ("leaves/1/moves", [EXACT[1], [0, -1, 1, "1"]], "leaf 1: the move for reward 0 changes the outcome"),
    ("leaves/1/moves", [[0, -1, 1, "1"], [0, 1, 2, "1"]], "leaf 1: the move for reward 0 changes the outcome"),
    ("leaves/2/moves", EXACT, "leaf 2: the move for reward 3 changes the outcome"),
    ("leaves/2/moves", [*EXACT, [3, 1, 4, "1"]], "leaf 2: the move for reward 3 changes the outcome"),
    ("leaves/2/moves", [*EXACT, [3, -1, 4, "0.999"]], "leaf 2: the move for reward 3 changes the outcome"),
    ("leaves/4/moves", [*EXACT, [3, 1, 5, "1"], [3, -1, 7, "1"]], "leaf 4: the move for reward 3 changes the outcome"),
    ("symbols/0", ["reward", "0", "1", "1"], "leaf 1: the move for reward 0 changes the outcome"),
    ("symbols/0", ["reward", "0", "1", "1/2", "two-valued"], "leaf 1: the move for reward 0 changes the outcome"),
    # Costs.
    ("bound", "1.999", "a move has cost 2, more than the bound 1.999"),
    ("bound", "-2", "a move has cost 2, more than the bound -2"),
    ("symbols/1", ["geometric", "1", "inf", "0", "2.5"], "a move has cost 5/2, more than the bound 2"),
    (
        "symbols/1",
        ["geometric", "1", "inf", "0", "0"],
        "symbols/1: the fifth entry of a geometric symbol must be a positive rate",
    ),
    (
        "symbols/1",
        ["geometric", "1", "inf", "0"],
        "symbols/1: the fifth entry of a geometric symbol must be a positive rate",
    ),
    ("symbols/1", ["geometric", "1", "inf", "0", "two-valued"], "symbols/1: the fifth entry 'two-valued' is not"),
    (
        "symbols/4",
        ["exponential", "0", "inf", "0", "two-valued"],
        "symbols/4: the fifth entry of a geometric symbol must be a positive rate; other",
    ),
    # Outcomes that are left out, or that cannot happen.
    ("nodes/0/next", [1, None], "node 0: `next` is null for an outcome of a finite draw; every outcome needs a node"),
    ("nodes/1/next", [2, None], "node 1: `next` is null for a possible outcome"),
    ("nodes/4/next", [-4, None, -6], "node 4: `next` is null for a possible outcome"),
    ("nodes/2/next", [3, -7], "node 2: `next` names a node for an impossible outcome"),
    ("nodes/4/next", [-4, -5], "node 4: the list `next` has length 2, but there are 3 outcomes"),
    ("nodes/4/next", [-4, -5, -5], "the tree contains leaf 4 twice; it may occur only once"),
    ("forms/2", ["0.5", 6, "-1"], "node 2: `next` is null for a possible outcome"),
    ("symbols/3", ["reward", "2", "0", "1"], "symbols/3: a reward needs a finite range with low <= high"),
    ("symbols/3", ["reward", "0", "inf", "1"], "symbols/3: a reward needs a finite range with low <= high"),
    ("symbols/3", ["reward", "0", "2", "-1"], "symbols/3: a reward needs a finite range with low <= high"),
    ("symbols/3", ["reward", "0", "2", "3"], "symbols/3: the sensitivity of a reward is 3, more than the length"),
    ("root", 1, "no path of the tree leads to node 0; remove node 0"),
    ("root", -1, "no path of the tree leads to node 4; remove node 4"),
    # Pulls.
    ("leaves/0/released", [[1, 0, 0]], "leaves/0: the released pulls [1, 0, 0] must be 2 numbers, one for each arm"),
    ("leaves/0/released", [[2, -1]], "schema: leaves/0/released/0/1: -1 is less than the minimum of 0"),
    ("arms", 3, "leaves/0: the released pulls [1, 0] must be 3 numbers, one for each arm"),
]


@pytest.mark.parametrize(("path", "content", "says"), REFUSED)
def test_a_forged_tree_is_rejected_and_the_fault_is_named(path: str, content: Any, says: str) -> None:
    checked = verify(changed(made("tree, mixed"), path, content))
    assert not checked.ok
    assert checked.lines[0].startswith(says), checked.lines


def test_the_first_of_equal_forms_is_the_largest() -> None:
    """Between constants, the outcome is certain."""
    tied = {"forms": [5, 5], "strict": False, "next": [3, None]}
    assert verify(changed(made("tree, mixed"), "nodes/2", tied)).ok
    checked = verify(changed(made("tree, mixed"), "nodes/2", {**tied, "next": [None, 3]}))
    assert checked.lines == ("node 2: `next` is null for a possible outcome; it must be a node or leaf",)


def stored_reward(factor: str, **forged: Any) -> Certificate:
    """A policy that stores a reward with factor times Laplace noise, and compares it with 1/2 in its next step. The
    certificate says that the stored value is 0, and has no loss at all."""
    state = {"unknowns": 0, "nodes": [], "root": -1, "changes": [], "differences": []}
    still = {"loss": "0", "moves": [0]}
    return {
        "type": "alignment-states", "claim": "own/stored", "noise": "laplace", "bound": "0", "arms": 2, "horizon": 2,
        "symbols": [["reward", "0", "1", "1"], ["laplace", "-inf", "inf", "0"], ["unknown", "0", "0", "0"]],
        "forms": [["0", 0, "1", 1, factor], ["-0.5", 0, "1"]],
        "moves": [[]],
        "states": [
            {**state, "step": 1, "symbols": [0, 1], "ways": [{"released": [1, 0], "next": 1, "unknowns": [0]}]},
            {
                "step": 2, "unknowns": 1, "symbols": [2], "root": 0, "changes": [],
                "nodes": [{"forms": [1], "strict": True, "next": [None, -1]}],
                "ways": [{"released": [1, 0], "next": 2, "unknowns": []}],
                "differences": [{"apart": [0, "1"], **still}, {"apart": [0, "-1"], **still}],
            },
            {**state, "step": 3, "symbols": [], "ways": []},
        ],
        **forged,
    }  # fmt: skip


@pytest.mark.parametrize("factor", ["1", "-1", "1e-400", "-1e-4000", "1e400"])
def test_noise_of_any_size_leaves_the_range_of_a_stored_value(factor: str) -> None:
    """1e-400 is 0 as a double, and 0 times infinity is nan: above no number, and below none."""
    checked = verify(stored_reward(factor))
    assert checked == (False, ("states/0: transition 0 leads to a value outside the range of an unknown",))


@pytest.mark.parametrize("end", ["inf", "-inf"])
def test_an_unknown_has_a_finite_value(end: str) -> None:
    forged = changed(stored_reward("1"), "symbols/2", ["unknown", end, end, "0"])
    assert verify(forged).lines[0].startswith("symbols/2: an unknown must have low <= high, with a finite number")


@pytest.mark.parametrize(
    ("path", "content", "says"),
    [
        ("moves/0", [1], "states/1, moves/0: the list has length 1, but its length must be even"),
        ("states/0/ways/0/released", [1], "states/0: the released pulls [1] must be 2 numbers, one for each arm"),
        ("states/0/changes", [[0, 0, 1, 9]], "moves/9: there is no such entry; moves has length"),
        ("states/1/differences/0/moves", [], "states/1: every difference must have exactly one move for each"),
        (
            "states/3/symbols",
            [1, 3],
            "states/3: node 0 contains a linear form with symbols that do not occur in the step",
        ),
        ("states/4/nodes/0/forms", [0, 99], "forms/99: there is no such entry; forms has length"),
        ("states/1/differences/0/loss", "1/2", "states/1: for two neighbours in this state, the privacy loss is 1"),
        ("states/1/differences", [], "states/1: a difference is missing; transition 0 of states/0 leads to it"),
        (
            "states/2/differences/2/moves",
            [0, 4],
            "states/2: a move changes the outcome of a comparison in transition 1",
        ),
        ("states/0/step", 2, "states/0: transition 0 must lead to a state of the next step"),
        ("bound", "0.9", "a changed reward has privacy loss 1, more than the bound 0.9"),
        ("states/1/differences/0/loss", "-1", "states/1: a loss is below 0; losses must be at least 0"),
        (
            "states/1/differences",
            2 * made("states, differences")["states"][1]["differences"][:1],
            "states/1: a difference is listed twice; every difference must be listed once",
        ),
        *(
            (
                "states/1/differences/0/apart",
                apart,
                "states/1: a difference must be a list of unknowns in ascending order, each with a nonzero coefficient",
            )
            for apart in ([], [0, "0"], [0, "1", 0, "1"], [99, "1"])
        ),
    ],
)
def test_a_forged_graph_is_rejected_and_the_fault_is_named(path: str, content: Any, says: str) -> None:
    checked = verify(changed(made("states, differences"), path, content))
    assert not checked.ok
    assert checked.lines[0].startswith(says), checked.lines


def test_the_first_state_of_a_graph_has_no_unknowns() -> None:
    """Else the numbers that it begins with would be arbitrary."""
    first = stored_reward("1")["states"][0] | {"symbols": [2, 0, 1], "unknowns": 1}
    checked = verify(changed(stored_reward("1"), "states/0", first))
    assert checked == (False, ("states/0: the first state must not contain unknowns",))
