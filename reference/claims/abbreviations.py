"""Abbreviations in long formulas: a repeated part becomes a letter, and parts that differ only in numbers become a
function.

For example, a minimum over six slopes is written min(F(0.4), ..., F(1e-10)) <= 1 with F(x) = ..., and a product of 48
probabilities is written with one product sign. Nothing is computed: expanding the abbreviations gives the original
formula.
"""

from __future__ import annotations

import ast
import string
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from dpbandits.reference.claims.formula_trees import (
    calling,
    copied,
    names,
    operands_with_operators,
    products,
    size,
    variable,
)

HEAVY, NAMED = 8, 4  # a part of so many nodes that stands twice gets a name; at most so many do
# So many parts that differ in numbers are a function, of at most so many variables
MIN_ALIKE_PARTS, MAX_FUNCTION_VARIABLES = 3, 4
CROWDED = 40  # a formula with fewer nodes is read at once, without names for its parts


class Named(NamedTuple):
    """Trees in which some parts are names, with the definition of each name: a letter, or a function's call with its
    variables."""

    trees: tuple[ast.expr, ...]
    letters: tuple[tuple[ast.expr, ast.expr], ...]


def name_repeated_parts(trees: Sequence[ast.expr], crowded: int = CROWDED) -> Named:
    """Replaces long repeated parts of formulas by letters and functions; returns the formulas and the definitions.
    Formulas with fewer than `crowded` nodes are unchanged."""
    now, letters = list(trees), list[tuple[ast.expr, ast.expr]]()
    if sum(map(size, trees)) < crowded:
        return Named(tuple(now), ())
    taken, shapes = set[str]().union(*map(names, trees)), Shapes()
    functions = (each for each in "FGHQ" if each not in taken)
    while found := likeness([*now, *(body for _, body in letters)], shapes):
        called = next(functions, None)
        if called is None:
            break
        # What speaks of another function's variable is a function of it as well.
        variables, more = (
            list(new_variables(found, taken)),
            [each for each in function_variables(letters) if each in names(found.one)],
        )
        taken |= {called, *variables}
        swap = Swap(shapes, found.shape, found.call(called, more))
        now = [swap.visit(tree) for tree in now]
        letters = [(head, swap.visit(body)) for head, body in letters]
        letters.append((calling(called, map(variable, [*variables, *more])), found.body(variables)))
    now, letters = products(now, letters)
    free = (letter for letter in string.ascii_uppercase if letter not in taken and letter not in "EIOPT")
    for _ in range(NAMED):
        part, letter = heaviest([*now, *(body for _, body in letters)], shapes), next(free, None)
        if part is None or letter is None:
            break
        variables = [each for each in function_variables(letters) if each in names(part)]
        head = calling(letter, map(variable, variables)) if variables else variable(letter)
        swap = Swap(shapes, shapes.of(part).shape, replace_equal_part(shapes.of(part), head))
        now = [swap.visit(tree) for tree in now]
        letters = [(name, swap.visit(body)) for name, body in letters] + [(head, part)]
    return Named(tuple(now), tuple(letters))


def function_variables(letters: Sequence[tuple[ast.expr, ast.expr]]) -> list[str]:
    """Returns the variables of the functions among the abbreviations. letters: the abbreviations, as (name, body)."""
    heads = [head for head, _ in letters if isinstance(head, ast.Call)]
    return list(dict.fromkeys(each.id for head in heads for each in head.args if isinstance(each, ast.Name)))


# -- shapes ------------------------------------------------------------------------------------------------------


class PartShape(NamedTuple):
    """The form of a part as a number, its numbers in order, and its number of nodes."""

    shape: int
    numbers: tuple[str, ...]
    size: int


class Shapes:
    """The shapes of parts: equal for parts that differ only in their numbers."""

    def __init__(self) -> None:
        """Starts a numbering of shapes, without any known shape."""
        self.known: dict[Any, int] = {}
        self.seen: dict[int, tuple[ast.AST, PartShape]] = {}  # with the part, so that no other gets its place in memory

    def of(self, node: ast.AST) -> PartShape:
        """Returns the shape, the numbers and the size of a part of a formula, computed once for each part.
        Parts that differ only in numbers have the same shape."""
        if id(node) not in self.seen:
            self.seen[id(node)] = node, self.made(node)
        return self.seen[id(node)][1]

    def made(self, node: ast.AST) -> PartShape:
        """Computes the shape, the numbers and the size of a part of a formula.
        Parts that differ only in numbers have the same shape."""
        told = number_literal(node)
        if told is not None:
            return PartShape(self.known.setdefault("number", len(self.known)), (told,), size(node))
        parts = [self.of(child) for child in ast.iter_child_nodes(node)]
        key = type(node), getattr(node, "id", ""), tuple(part.shape for part in parts)
        within = sum(part.size for part in parts)
        return PartShape(
            self.known.setdefault(key, len(self.known)),
            tuple(each for part in parts for each in part.numbers),
            within + isinstance(node, ast.expr),
        )


def number_literal(node: ast.AST) -> str | None:
    """Returns the text of a number with its sign; None if the node is no number."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return f"-{number_literal(node.operand)}"
    return str(node.kind or repr(node.value)) if isinstance(node, ast.Constant) else None


def number_nodes(node: ast.AST) -> Iterator[ast.expr]:
    """Yields the nodes of a syntax tree that are numbers, in the order in which they occur."""
    if number_literal(node) is not None:
        assert isinstance(node, ast.expr)
        yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from number_nodes(child)


def long_parts(trees: Sequence[ast.expr], shapes: Shapes) -> Iterator[tuple[PartShape, ast.expr]]:
    """Yields the shape and the node of every part that is long enough for an abbreviation."""
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.BinOp | ast.Call) and (shape := shapes.of(node)).size >= HEAVY:
            yield shape, node


def heaviest(trees: Sequence[ast.expr], shapes: Shapes) -> ast.expr | None:
    """Returns the repeated part whose abbreviation by a letter saves most; None if no long part is repeated."""
    found: dict[PartShape, ast.expr] = {}
    times: Counter[PartShape] = Counter()
    for shape, node in long_parts(trees, shapes):
        found.setdefault(shape, node)
        times[shape] += 1
    saved = {shape: (times[shape] - 1) * shape.size for shape in found if times[shape] > 1}
    return found[max(saved, key=lambda shape: (saved[shape], ast.dump(found[shape])))] if saved else None


class Swap(ast.NodeTransformer):
    """Replaces parts of one shape. instead: the replacement of a part; None leaves it unchanged."""

    def __init__(self, shapes: Shapes, shape: int, instead: Callable[[PartShape, ast.expr], ast.expr | None]) -> None:
        """Prepares to replace all parts of this shape in a tree. instead: makes the replacement of a part."""
        self.shapes, self.shape, self.instead = shapes, shape, instead

    def visit(self, node: ast.AST) -> Any:
        """Returns the node, or its replacement if it has the wanted shape."""
        if isinstance(node, ast.BinOp | ast.Call) and (told := self.shapes.of(node)).shape == self.shape:
            made = self.instead(told, node)
            if made is not None:
                return made
        return self.generic_visit(copied(node))


def replace_equal_part(wanted: PartShape, head: ast.expr) -> Callable[[PartShape, ast.expr], ast.expr | None]:
    """Returns a replacement rule for `Swap`: a part with exactly the numbers of `wanted` becomes `head`.
    Other parts stay."""
    return lambda told, _: head if told == wanted else None


# -- parts that differ in their numbers --------------------------------------------------------------------------


class Alike(NamedTuple):
    """Parts that are equal except for some numbers. one: any of them. members: the numbers of each part, in the shape's
    order. open: for each number that differs between parts, the index of its variable."""

    shape: int
    one: ast.expr
    members: tuple[tuple[str, ...], ...]
    open: Mapping[int, int]

    def body(self, variables: Sequence[str]) -> ast.expr:
        """Returns the parts' common form, with variables in place of the numbers that differ."""
        swap = {place: variable(variables[which]) for place, which in self.open.items()}
        return Holes(swap).visit(self.one)  # type: ignore[no-any-return]

    def call(self, function: str, more_arguments: Sequence[str]) -> Callable[[PartShape, ast.expr], ast.expr]:
        """Returns a replacement rule for `Swap`: each part becomes a call of the function with its own numbers.
        more_arguments: additional variables of the function."""
        places = sorted({which: place for place, which in self.open.items()}.items())

        def called(_: PartShape, node: ast.expr) -> ast.expr:
            """Returns the call of the function with the numbers of this part."""
            told = list(number_nodes(node))
            return calling(function, [*(told[place] for _, place in places), *map(variable, more_arguments)])

        return called


class Holes(ast.NodeTransformer):
    """Replaces some of a part's numbers, by their order, with variables."""

    def __init__(self, swap: Mapping[int, ast.Name]) -> None:
        """Prepares to replace numbers in a tree.
        swap: the replacements, by the position of the number among all numbers."""
        self.swap, self.places = swap, count()

    def visit(self, node: ast.AST) -> Any:
        """Returns the node, or the replacement of a number."""
        if number_literal(node) is None:
            return self.generic_visit(copied(node))
        return self.swap.get(next(self.places), node)


def likeness(trees: Sequence[ast.expr], shapes: Shapes) -> Alike | None:
    """Returns the group of parts, equal except for some numbers, whose abbreviation by a function saves most.
    None if there is none."""
    groups: dict[int, dict[tuple[str, ...], ast.expr]] = {}
    for (shape, told, _), node in long_parts(trees, shapes):
        groups.setdefault(shape, {}).setdefault(told, node)
    best, most = None, 0
    for shape, members in groups.items():
        columns = list(zip(*members, strict=True))
        differing = [column for column in dict.fromkeys(columns) if len(set(column)) > 1]
        one = next(iter(members.values()))
        saves = (len(members) - 1) * (size(one) - 1 - 2 * len(differing))
        if len(members) >= MIN_ALIKE_PARTS and 0 < len(differing) <= MAX_FUNCTION_VARIABLES and saves > most:
            opened = {place: differing.index(each) for place, each in enumerate(columns) if each in differing}
            found = Alike(shape, one, tuple(members), opened)
            best, most = (best, most) if are_multiples(found) else (found, saves)
    return best


def are_multiples(alike: Alike) -> bool:
    """Whether each of the parts is one common part, multiplied or divided by a number.
    Such parts are easier to read without an abbreviation."""
    letters = [f"?{which}" for which in set(alike.open.values())]
    operands = [operand for _, operand in operands_with_operators(alike.body(letters), ast.Mult, ast.Div)]
    direct = sum(isinstance(each, ast.Name) and each.id in letters for each in operands)
    return direct == len(alike.open)


def new_variables(alike: Alike, taken: set[str]) -> Iterator[str]:
    """Yields a new variable for each number that differs between the parts.
    k, m, n, ... for integers, x, y, z, ... for others."""
    for which in range(len(set(alike.open.values()))):
        place = next(place for place, each in alike.open.items() if each == which)
        whole = all(told[place].isdigit() for told in alike.members)
        letter = next(each for each in ("kmnijl" if whole else "xyzuvw") + "abcdefgh" if each not in taken)
        taken = taken | {letter}
        yield letter
