"""A run of factors, F(1) F(2) ... F(48), as a product sign."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from dpbandits.reports.expressions import calling, copied, spine, variable

RUN = 4  # so many factors, of one whole number after the other, are a product sign
PRODUCT_FUNCTION = "product"  # of: the index, its first and last number, the factor


def products(
    trees: list[ast.expr], letters: list[tuple[ast.expr, ast.expr]]
) -> tuple[list[ast.expr], list[tuple[ast.expr, ast.expr]]]:
    """F(1) F(2) ... F(48) as a product sign; where F stands in one sign alone, with its body."""
    for head, body in list(letters):
        if not isinstance(head, ast.Call) or len(head.args) != 1 or not isinstance(head.args[0], ast.Name):
            continue
        assert isinstance(head.func, ast.Name)
        function, index = head.func.id, head.args[0].id
        trees = [Runs(function, index).visit(tree) for tree in trees]
        uses = [use for tree in [*trees, *(each for _, each in letters)] for use in used(tree, function)]
        if uses == [PRODUCT_FUNCTION]:
            trees = [Inside(body).visit(tree) for tree in trees]
            letters = [each for each in letters if each[0] is not head]
    return trees, letters


def used(tree: ast.AST, function: str) -> Iterator[str]:
    """Where the function stands in the tree: in a product sign, by its name, or as itself."""
    inside = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == PRODUCT_FUNCTION
    for node in ast.iter_child_nodes(tree):
        own = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
        if own:
            yield PRODUCT_FUNCTION if inside else function
        yield from used(node, function)


class Inside(ast.NodeTransformer):
    """Puts the body into a product sign."""

    def __init__(self, body: ast.expr) -> None:
        self.body = body

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == PRODUCT_FUNCTION:
            return calling(PRODUCT_FUNCTION, [*node.args[:3], self.body])
        return self.generic_visit(copied(node))


class Runs(ast.NodeTransformer):
    """Puts a product sign in the place of a function's values at one whole number after the other."""

    def __init__(self, function: str, index: str) -> None:
        self.function, self.index = function, index

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
            return self.generic_visit(copied(node))
        factors = [operand for _, operand in spine(node, ast.Mult)]
        parts: list[ast.expr] = []
        while factors:
            run = self.run(factors)
            if run >= RUN:
                first, last = (self.at(factors[place]) for place in (0, run - 1))
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

    def run(self, factors: Sequence[ast.expr]) -> int:
        """How many of the first factors are the function's values, each at the number after the last one's."""
        first = self.at(factors[0])
        if first is None:
            return 0
        return next((place for place, each in enumerate(factors) if self.at(each) != first + place), len(factors))

    def at(self, node: ast.expr) -> int | None:
        match node:
            case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=int() as place)]):
                return place if function == self.function else None
        return None
