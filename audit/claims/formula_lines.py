"""Writes long formulas on one line: a long side gets the name "left" or "right", and a repeated part a letter.

For example, "left <= delta with left = ncdf(a - t) - exp(eps) * ncdf(-t)". The names are those that a finding uses for
the values of the sides. Expanding the definitions gives the formula back. The source texts in the parts of a statement
are not changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dpbandits.reference.claims.abbreviations import name_repeated_parts
from dpbandits.reference.claims.formula_trees import PRODUCT_FUNCTION, copied, names, parse_formula, simplify_formula
from dpbandits.reference.claims.text import list_in_words
from dpbandits.reference.curves.curve import FormulaPart, StatementPart

MAX_PLAIN_CHARACTERS = 80  # of both sides; a longer comparison names its long sides
MAX_SIDE_CHARACTERS = 36  # of a side without a name in such a comparison
MIN_NODES = 24  # formulas with fewer nodes have no letters for their parts
SIDES = ("left", "right")


def texts_in_line(parts: Sequence[StatementPart]) -> Iterator[tuple[str, str]]:
    """Yields the kind and the text of each part on a line: comparisons with names for long sides and repeated parts.
    A formula and the conditions that follow it share their letters, which are defined after the formula."""
    place = 0
    while place < len(parts):
        part = parts[place]
        if part["kind"] != "formula":
            yield part["kind"], part["text"] if "text" in part else comparison(part)
            place += 1
            continue
        end = place + 1
        while end < len(parts) and parts[end]["kind"] in ("range", "where"):
            end += 1
        group = parts[place:end]
        written, defined = shortened([each for each in group if "left" in each])
        said = iter(written)
        for each in group:
            yield each["kind"], next(said) if "left" in each else each["text"]
            if each is part and defined:
                yield "with", list_in_words(defined)
        place = end


def comparison(part: FormulaPart) -> str:
    """A comparison of two sides as text."""
    return f"{part['left']} {part['sign']} {part['right']}"


def shortened(comparisons: Sequence[FormulaPart]) -> tuple[list[str], list[str]]:
    """Returns the texts of the comparisons, and the definitions of the names that occur in them.
    A short comparison, and one that is no formula, is unchanged. The first comparison is the statement; the others are
    its conditions, whose sides get no names."""
    plain = [comparison(each) for each in comparisons]
    trees = [parse_formula(side) for each in comparisons for side in (each["left"], each["right"])]
    known = [simplify_formula(tree) for tree in trees if tree is not None]
    if len(known) < len(trees) or max(map(len, plain)) <= MAX_PLAIN_CHARACTERS:
        return plain, []
    named = name_repeated_parts(known, MIN_NODES)
    sides = [written(tree) for tree in named.trees]
    defined = [f"{written(head)} = {written(body)}" for head, body in named.letters]
    first, taken = comparisons[0], set[str]().union(*map(names, known))
    is_definition = first["sign"] == "=" and first["left"].isidentifier()
    if not is_definition and sum(map(len, sides[:2])) > MAX_PLAIN_CHARACTERS and not taken & {*SIDES}:
        long = [place for place in (0, 1) if len(sides[place]) > MAX_SIDE_CHARACTERS]
        defined = [*(f"{SIDES[place]} = {sides[place]}" for place in long), *defined]
        sides[:2] = [SIDES[place] if place in long else sides[place] for place in (0, 1)]
    pairs = zip(sides[::2], sides[1::2], strict=True)
    return [f"{a} {each['sign']} {b}" for each, (a, b) in zip(comparisons, pairs, strict=True)], defined


class Literal(ast.NodeTransformer):
    """Replaces numbers by their own digits, and product signs by their text."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """The number as it was written."""
        return ast.Name(str(node.kind or repr(node.value)), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The call; a product sign as "product(factor for k = 1 to 48)"."""
        made = self.generic_visit(copied(node))
        match made:
            case ast.Call(func=ast.Name(id=name), args=[index, first, last, factor]) if name == PRODUCT_FUNCTION:
                of, at, low, high = map(ast.unparse, (factor, index, first, last))
                return ast.Name(f"product({of} for {at} = {low} to {high})", ast.Load())
        return made


def written(tree: ast.expr) -> str:
    """The source text of a formula's tree."""
    return ast.unparse(Literal().visit(copied(tree))).replace(" ** ", "**")
