"""Parses formulas in findings: source text over the vocabulary becomes a tree, and is never executed.

Text that is not such a formula is shown as plain text.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

MAX_FORMULA_CHARACTERS, MAX_FORMULA_DEPTH = 20_000, 80  # characters, and operations within operations
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
RELATION_NODES = (ast.Lt, ast.LtE, ast.Eq, ast.GtE, ast.Gt, ast.In)
ALLOWED = (ast.BinOp, ast.UnaryOp, ast.USub, ast.Call, ast.Name, ast.Load, ast.Constant, ast.Compare, ast.Set)
MIN_POWER_FACTORS = 3  # so many equal factors are a power
FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "ncdf": lambda x: math.erfc(-x / math.sqrt(2)) / 2,
    "floor": math.floor,
    "ceil": math.ceil,
    "maximum": max,
    "minimum": min,
}
ARITHMETIC: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}
RUN = 4  # so many factors, of one whole number after the other, are a product sign
PRODUCT_FUNCTION = "product"  # of: the index, its first and last number, the factor


def parse_formula(source: str) -> ast.expr | None:
    """The syntax tree of a formula's source text; None if the text is no formula.
    A number keeps its own text in its `kind`."""
    if len(source) > MAX_FORMULA_CHARACTERS or not source.isascii():
        return None
    text = source.strip()
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if "\n" in text or not is_arithmetic(tree):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = text[node.col_offset : node.end_col_offset]
    return tree


def is_arithmetic(tree: ast.expr) -> bool:
    """Whether the tree is arithmetic of a moderate depth: only names, numbers, operators, calls and comparisons."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_FORMULA_DEPTH or not isinstance(node, ALLOWED + OPERATORS + RELATION_NODES):
            return False
        if isinstance(node, ast.Constant) and type(node.value) not in (int, float):
            return False
        if isinstance(node, ast.Call) and (not isinstance(node.func, ast.Name) or node.keywords):
            return False
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return True


def names(tree: ast.AST) -> set[str]:
    """The names of the variables and functions in the tree."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def variable(letter: str) -> ast.Name:
    """The syntax tree of a variable with this name."""
    return ast.Name(letter, ast.Load())


def calling(function: str, arguments: Iterable[ast.expr]) -> ast.Call:
    """The syntax tree of a function call."""
    return ast.Call(variable(function), list(arguments), [])


def size(tree: ast.AST) -> int:
    """The number of subexpressions of the tree."""
    return sum(isinstance(node, ast.expr) for node in ast.walk(tree))


# -- the same formula, shorter -----------------------------------------------------------------------------------------


def copied(node: ast.AST) -> ast.AST:
    """A copy of the node with lists of its own, so that changes to the copy do not affect the original."""
    made = type(node)(**{name: list(v) if isinstance(v, list) else v for name, v in ast.iter_fields(node)})
    return ast.copy_location(made, node)


def simplify_formula(tree: ast.expr) -> ast.expr:
    """A shorter formula with the same value.
    x x x x becomes x^4, min(min(x, y), z) becomes min(x, y, z), leading 0 and factors of 1 are left out."""
    return Gather().visit(tree)  # type: ignore[no-any-return]


class Gather(ast.NodeTransformer):
    """Replaces repeated factors by powers, and nested minima by one minimum."""

    def visit(self, node: ast.AST) -> Any:
        """Returns the simplified node."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("minimum", "maximum"):
            return ast.Call(node.func, [self.visit(each) for each in flat_arguments(node, node.func.id)], [])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and zero(node.left):
            return self.visit(node.right)
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
            return self.generic_visit(copied(node))
        runs: list[tuple[ast.expr, int]] = []
        for _, operand in operands_with_operators(node, ast.Mult):
            if runs and ast.dump(runs[-1][0]) == ast.dump(operand):
                runs[-1] = (operand, runs[-1][1] + 1)
            else:
                runs.append((operand, 1))
        if len(runs) > 1 and isinstance(runs[0][0], ast.Constant) and runs[0][0].value == 1:
            runs = runs[1:]
        parts = [part for operand, times in runs for part in self.repeated_product(operand, times)]
        made = parts[0]
        for part in parts[1:]:
            made = ast.BinOp(made, ast.Mult(), part)
        return made

    def repeated_product(self, operand: ast.expr, times: int) -> list[ast.expr]:
        """Returns a product of `times` equal factors: one power if there are many, otherwise the factors."""
        made = self.visit(operand)
        if times < MIN_POWER_FACTORS:
            return [made] * times
        return [ast.BinOp(made, ast.Pow(), ast.Constant(times, str(times)))]


def zero(node: ast.expr) -> bool:
    """Whether the node is the number 0."""
    return isinstance(node, ast.Constant) and node.value == 0


def flat_arguments(node: ast.expr, function: str) -> Iterator[ast.expr]:
    """Yields the arguments of the function, with nested calls of the same function flattened."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
        for each in node.args:
            yield from flat_arguments(each, function)
    else:
        yield node


# -- values in doubles -------------------------------------------------------------------------------------------


def value(source: str, variables: Mapping[str, float]) -> float | None:
    """The value of a formula's source text in doubles; None if it is undefined or no formula."""
    tree = parse_formula(source)
    try:
        return None if tree is None else evaluated(tree, {"pi": math.pi, **variables})
    except (ArithmeticError, ValueError, KeyError, TypeError):
        return None


def evaluated(node: ast.expr, variables: Mapping[str, float]) -> float:
    """The value of a syntax tree in doubles.
    Raises TypeError, KeyError, ValueError or ArithmeticError if it has none."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return float(variables[name])
        case ast.UnaryOp(operand=operand):
            return -evaluated(operand, variables)
        case ast.BinOp(left=left, op=op, right=right):
            return ARITHMETIC[type(op)](evaluated(left, variables), evaluated(right, variables))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return float(FUNCTIONS[name](*(evaluated(each, variables) for each in arguments)))
    raise TypeError("no number")


def operands_with_operators(node: ast.expr, *kinds: type) -> Iterator[tuple[type | None, ast.expr]]:
    """Yields the operands of operators of one rank, left to right, each with the operator before it.
    The first has None."""
    steps = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, kinds):
        steps.append((type(node.op), node.right))
        node = node.left
    yield None, node
    yield from reversed(steps)


def products(
    trees: list[ast.expr], letters: list[tuple[ast.expr, ast.expr]]
) -> tuple[list[ast.expr], list[tuple[ast.expr, ast.expr]]]:
    """Returns formulas and definitions with each product F(1) F(2) F(3) and so on replaced by a product sign.
    letters: the definitions, as (name, body). If F occurs in only one sign, its definition is put inside."""
    for head, body in list(letters):
        if not isinstance(head, ast.Call) or len(head.args) != 1 or not isinstance(head.args[0], ast.Name):
            continue
        assert isinstance(head.func, ast.Name)
        function, index = head.func.id, head.args[0].id
        trees = [Runs(function, index).visit(tree) for tree in trees]
        uses = [use for tree in [*trees, *(each for _, each in letters)] for use in places_of_calls(tree, function)]
        if uses == [PRODUCT_FUNCTION]:
            trees = [Inside(body).visit(tree) for tree in trees]
            letters = [each for each in letters if each[0] is not head]
    return trees, letters


def places_of_calls(tree: ast.AST, function: str) -> Iterator[str]:
    """Yields where each call of the function occurs: PRODUCT_FUNCTION in a product sign, else the function's name."""
    inside = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == PRODUCT_FUNCTION
    for node in ast.iter_child_nodes(tree):
        own = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
        if own:
            yield PRODUCT_FUNCTION if inside else function
        yield from places_of_calls(node, function)


class Inside(ast.NodeTransformer):
    """Puts the function's body into a product sign."""

    def __init__(self, body: ast.expr) -> None:
        """Stores the function's body, which product signs get."""
        self.body = body

    def visit_Call(self, node: ast.Call) -> Any:
        """Returns the call, or a product sign with the function's body inside."""
        if isinstance(node.func, ast.Name) and node.func.id == PRODUCT_FUNCTION:
            return calling(PRODUCT_FUNCTION, [*node.args[:3], self.body])
        return self.generic_visit(copied(node))


class Runs(ast.NodeTransformer):
    """Replaces a product of a function's values at consecutive integers by a product sign."""

    def __init__(self, function: str, index: str) -> None:
        """Stores the function whose values at consecutive integers are replaced.
        index: the variable of the product sign."""
        self.function, self.index = function, index

    def visit(self, node: ast.AST) -> Any:
        """Returns the node with products of the function's values at consecutive integers replaced by product signs."""
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
            return self.generic_visit(copied(node))
        factors = [operand for _, operand in operands_with_operators(node, ast.Mult)]
        parts: list[ast.expr] = []
        while factors:
            run = self.length_of_product(factors)
            if run >= RUN:
                first, last = (self.argument_of_call(factors[place]) for place in (0, run - 1))
                ends = [ast.Constant(each, str(each)) for each in (first, last)]
                factor = calling(self.function, [variable(self.index)])
                parts.append(calling(PRODUCT_FUNCTION, [variable(self.index), *ends, factor]))
            else:
                run = 1
                parts.append(self.visit(factors[0]))
            factors = factors[run:]
        made, *rest = parts
        for part in rest:
            made = ast.BinOp(made, ast.Mult(), part)
        return made

    def length_of_product(self, factors: Sequence[ast.expr]) -> int:
        """Returns how many of the first factors are the function's values at consecutive integers."""
        first = self.argument_of_call(factors[0])
        if first is None:
            return 0
        return next(
            (place for place, each in enumerate(factors) if self.argument_of_call(each) != first + place), len(factors)
        )

    def argument_of_call(self, node: ast.expr) -> int | None:
        """Returns the integer at which this node calls the function; None if the node is no such call."""
        match node:
            case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=int() as place)]):
                return place if function == self.function else None
        return None
