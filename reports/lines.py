"""Formulas divided into lines: possible line breaks, definitions of abbreviations, and which formulas are folded.

A formula is a row of small <math> elements, one for each term of its sums, so that a browser can break the line between
them. A formula of more than three lines is folded; if it needs them only on a narrow screen, it is folded only there.

A formula may be on several pages of a report: the overview, the pages of its paper and part, the page for the authors.
So recent results are cached.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

from markupsafe import Markup

from dpbandits.reference.claims import abbreviations, formula_trees
from dpbandits.reference.claims.formula_trees import operands_with_operators
from dpbandits.reports.extent import extent, line_heights
from dpbandits.reports.mathml import (
    PRODUCT_BINDING,
    SIGNS,
    SUM_BINDING,
    as_one_element,
    element,
    factor_groups,
    factors,
    function_name,
    math,
    sign,
    typeset_row,
)

Line = list[str]  # pieces of a formula, each a <math> element, between which a line may break
PAGE, SIDE, TELEPHONE = 38.0, 28.0, 19.0  # room in em: on a page, beside a value, and on the narrowest of screens
LISTED, READ = 48.0, 64  # and in lists, whose letters are small; of how many nodes a formula is read there
LINES = 3  # a formula of more is folded
MAX_REMEMBERED_FORMULAS = 1024  # formulas
TALL = 3.85  # in em: three lines of text, and some room for roots, which browsers round up; what is higher is folded
OPENING_PARENTHESIS, CLOSING_PARENTHESIS = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'


@lru_cache(maxsize=MAX_REMEMBERED_FORMULAS)
def display(left: str, relation: str, right: str) -> Markup | None:
    """Typesets the relation left <= right as lines of mathematics; None if a side is no formula.
    Many lines are folded."""
    first, second = formula_trees.parse_formula(left), formula_trees.parse_formula(right)
    if first is None or second is None:
        return None
    parted = abbreviations.name_repeated_parts(
        [formula_trees.simplify_formula(first), formula_trees.simplify_formula(second)]
    )
    lines = [breakable_terms(parted.trees[0], "") + breakable_terms(parted.trees[1], SIGNS.get(relation, relation))]
    lines += [[math(typeset_row(letter)), *breakable_terms(tree, "=")] for letter, tree in parted.letters]
    body = "".join(f'<p class="{"with" if place else "eq"}">{" ".join(line)}</p>' for place, line in enumerate(lines))
    trees = [*parted.trees, *(tree for _, tree in parted.letters)]
    return folded(body, lines, PAGE, sum(map(formula_trees.size, trees)))


@lru_cache(maxsize=MAX_REMEMBERED_FORMULAS)
def typeset_sides(left: str, right: str) -> tuple[Markup, Markup, tuple[tuple[Markup, Markup], ...]] | None:
    """Typesets both sides of a formula, and the definitions of its abbreviations.
    Each may break between its pieces, and is folded if long. None if a side is no formula."""
    first, second = formula_trees.parse_formula(left), formula_trees.parse_formula(right)
    if first is None or second is None:
        return None
    parted = abbreviations.name_repeated_parts(
        [formula_trees.simplify_formula(first), formula_trees.simplify_formula(second)]
    )
    one, other = (typeset_side(tree) for tree in parted.trees)
    return one, other, tuple((Markup(math(typeset_row(letter))), typeset_side(tree)) for letter, tree in parted.letters)


def typeset_side(tree: ast.expr) -> Markup:
    """Typesets one side of a formula in pieces between which a line may break, folded if long."""
    line = breakable_terms(tree, "")
    return folded(" ".join(line), [line], SIDE, formula_trees.size(tree))


@lru_cache(maxsize=MAX_REMEMBERED_FORMULAS)
def formula_in_sentence(left: str, relation: str, right: str) -> Markup | None:
    """The relation left <= right as small mathematics within a sentence.
    None if it would be too long, or if a side is no formula."""
    first, second = formula_trees.parse_formula(left), formula_trees.parse_formula(right)
    if first is None or second is None:
        return None
    one, other = formula_trees.simplify_formula(first), formula_trees.simplify_formula(second)
    if formula_trees.size(one) + formula_trees.size(other) > READ:
        return None
    line = breakable_terms(one, "") + breakable_terms(other, SIGNS.get(relation, relation))
    return Markup(" ".join(line)) if len(line_heights(line, LISTED)) <= 2 else None


# -- pieces ------------------------------------------------------------------------------------------------------


def breakable_terms(node: ast.expr, before: str, min_binding: int = 0) -> Line:
    """Typesets one side of a formula as pieces between which a line may break.
    before: the sign in front of the first piece. min_binding: how tightly the surrounding operator binds."""
    lead = [sign(before)] if before else []
    whole = math([*lead, *typeset_row(node, min_binding)], block=True)
    if extent(whole).wide <= PAGE / 2:
        return [whole]
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()) if min_binding <= SUM_BINDING:
            out: Line = []
            for op, term in operands_with_operators(node, ast.Add, ast.Sub):
                mark = before if op is None else "+" if op is ast.Add else "−"
                out += breakable_terms(term, mark, SUM_BINDING if op is None else PRODUCT_BINDING)
            return out
        case ast.BinOp(op=ast.Mult() | ast.Div()):
            return factor_pieces(node, lead) or [whole]
        case ast.Call(func=ast.Name(id=function), args=[first, *rest]) if (
            rest and function != formula_trees.PRODUCT_FUNCTION
        ):
            pieces = [[*lead, function_name(function), OPENING_PARENTHESIS, *typeset_row(first)]]
            pieces += [typeset_row(each) for each in rest]
            ends = [*([sign(",")] for _ in rest), [CLOSING_PARENTHESIS]]
            return [math([*piece, *end], block=True) for piece, end in zip(pieces, ends, strict=True)]
    return [whole]


def factor_pieces(node: ast.expr, lead: list[str]) -> Line:
    """Typesets the factors of a product, each with the sign in front of it; none if there is only one factor."""
    minus, groups = factor_groups(node)
    if len(groups) == 1 and (groups[0][1] or len(groups[0][0]) == 1):
        return []
    pieces = [typeset_row(each, PRODUCT_BINDING) for above, below in groups[:1] if not below for each in above]
    for above, below in groups if not pieces else groups[1:]:
        bar = element(
            "mfrac", as_one_element(factors(above, False, True)) + as_one_element(factors(below, False, True))
        )
        pieces.append([bar] if below else factors(above, False, False))
    first, *rest = pieces
    front = lead + ([sign("−")] if minus else [])
    return [math(front + first, block=True), *(math([sign("⋅"), *piece], block=True) for piece in rest)]


# -- what is folded ----------------------------------------------------------------------------------------------


def fits_unfolded(lines: Sequence[Line], room: float) -> bool:
    """Whether the lines fit the page.
    Broken at `room` em, they are at most three, and no formula is higher than three lines of text."""
    heights = [line_heights(line, room) for line in lines]
    return sum(map(len, heights)) <= LINES and max(map(sum, heights)) <= TALL


def folded(body: str, lines: Sequence[Line], room: float, count: int) -> Markup:
    """Returns the HTML body, inside an element that the reader can unfold if its lines do not fit.
    room: the width in em. count: the formula's number of symbols."""
    if fits_unfolded(lines, min(room, TELEPHONE)):
        return Markup(body)
    kind = "folded narrow" if fits_unfolded(lines, room) else "folded"
    return Markup(
        f'<details class="{kind}"><summary>A formula of {count} symbols, written out</summary>{body}</details>'
    )
