"""Formulas typeset as MathML: fractions, roots, Greek letters. `lines` divides them into lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from html import escape

from markupsafe import Markup

from dpbandits.reference.claims import formula_trees
from dpbandits.reference.claims.formula_trees import PRODUCT_FUNCTION as RUN
from dpbandits.reference.claims.formula_trees import operands_with_operators

SIGNS: Mapping[str, str] = {"<=": "≤", ">=": "≥", "<": "<", ">": ">", "=": "=", "==": "=", "in": "∈"}
GREEK = {
    **dict(zip(("alpha", "beta", "gamma", "delta", "zeta", "eta", "theta", "kappa"), "αβγδζηθκ", strict=True)),
    **dict(zip(("lam", "lambda", "mu", "nu", "xi", "rho", "sigma", "tau", "phi"), "λλμνξρστφ", strict=True)),
    **dict(zip(("chi", "psi", "omega", "eps", "epsilon", "Gamma", "Delta", "Theta"), "χψωεεΓΔΘ", strict=True)),
    **dict(zip(("Lambda", "Sigma", "Phi", "Psi", "Omega", "pi", "inf"), "ΛΣΦΨΩπ∞", strict=True)),
}
RELATION_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Eq: "=", ast.GtE: ">=", ast.Gt: ">", ast.In: "in"}
SUM_BINDING, PRODUCT_BINDING, POWER_BINDING, ATOM_BINDING = 1, 2, 3, 4  # how tightly an operator binds
LOG = "log_"  # in front of a name: its logarithm
LOGARITHM = "<mrow><mi>log</mi><mspace width='.15em'/>"
MAX_NUMBER_DIGITS = 12  # of a number; the rest is an ellipsis, and stands in the text

MathRow = list[str]  # elements that stand side by side


def element(name: str, inner: str) -> str:
    """The MathML element with this tag and content."""
    return f"<{name}>{inner}</{name}>"


def as_one_element(row: MathRow) -> str:
    """Joins the elements of a row into one MathML element, as fractions, roots and powers require."""
    return row[0] if len(row) == 1 else element("mrow", "".join(row))


def sign(text: str) -> str:
    """Returns an operator or parenthesis as a MathML element."""
    return element("mo", escape(text))


def fenced(row: MathRow, left: str = "(", right: str = ")") -> MathRow:
    """The row in parentheses, or in other delimiters, as a row of one element."""
    return [element("mrow", sign(left) + "".join(row) + sign(right))]


# -- atoms -------------------------------------------------------------------------------------------------------


def name(text: str) -> str:
    """A variable as a MathML element.
    A Greek letter by its name, with an index after an underscore, or digits after a single letter as an index."""
    if text.startswith(LOG):
        return LOGARITHM + name(text.removeprefix(LOG)) + "</mrow>"
    base, _, index = text.partition("_")
    if not index and (found := re.fullmatch(r"([A-Za-z]|" + "|".join(GREEK) + r")(\d+)", text)):
        base, index = found.groups()
    if not base or not index:
        return element("mi", escape(GREEK.get(text, text)))
    below = element("mn", index) if index.isdigit() else element("mi", escape(GREEK.get(index, index)))
    return element("msub", element("mi", escape(GREEK.get(base, base))) + below)


def number_elements(text: str) -> MathRow:
    """A number as MathML elements: powers of ten as powers, and many digits shortened with an ellipsis."""
    mantissa, _, exponent = text.lower().partition("e")
    zeros = re.fullmatch(r"(\d{1,3}?)(0{5,})", mantissa) if not exponent else None
    if zeros:
        mantissa, exponent = zeros[1], str(len(zeros[2]))
    whole, dot, rest = mantissa.partition(".")
    if len(whole.lstrip("0") + rest) > MAX_NUMBER_DIGITS:
        lead = len(rest) - len(rest.lstrip("0")) if not whole.strip("0") else 0
        rest = rest[: lead + max(MAX_NUMBER_DIGITS - len(whole), 3)] + "…" if dot else ""
        whole = whole if dot or len(whole) <= 2 * MAX_NUMBER_DIGITS else whole[:MAX_NUMBER_DIGITS] + "…"
    mantissa = whole + dot + rest if dot else whole
    if not exponent or len(exponent) > MAX_NUMBER_DIGITS:
        return [element("mn", text if exponent else mantissa)]
    ten = element("msup", "<mn>10</mn>" + element("mn", escape(f"{int(exponent)}".replace("-", "−"))))
    return [ten] if mantissa == "1" else [element("mn", mantissa), sign("×"), ten]


# -- operations --------------------------------------------------------------------------------------------------


def typeset_row(node: ast.expr, min_binding: int = 0, small: bool = False) -> MathRow:
    """The MathML elements of a syntax tree, in parentheses if its operator binds less tightly than `min_binding`.
    small: in an exponent, where fractions are slashes."""
    made, binds = typeset_node(node, small)
    return made if binds >= min_binding else fenced(made)


def typeset_node(node: ast.expr, small: bool) -> tuple[MathRow, int]:
    """The MathML elements of a syntax tree, and how tightly its outermost operator binds."""
    match node:
        case ast.Constant():
            made = number_elements(node.kind or repr(node.value))
            return made, ATOM_BINDING if len(made) == 1 else PRODUCT_BINDING
        case ast.Name(id=text):
            return [name(text)], PRODUCT_BINDING if text.startswith(LOG) else ATOM_BINDING
        case ast.UnaryOp(operand=operand):
            return [sign("−"), *typeset_row(operand, PRODUCT_BINDING, small)], SUM_BINDING
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return sum_elements(node, small), SUM_BINDING
        case ast.BinOp(op=ast.Mult() | ast.Div()):
            return product_elements(node, small)
        case ast.BinOp(left=base, right=exponent):
            return [
                element(
                    "msup",
                    as_one_element(typeset_row(base, ATOM_BINDING, small))
                    + as_one_element(typeset_row(exponent, 0, True)),
                )
            ], POWER_BINDING
        case ast.Call(func=ast.Name(id=function), args=arguments):
            return call_elements(function, arguments, small)
        case ast.Compare(left=first, ops=ops, comparators=rest):
            made = typeset_row(first)
            for op, other in zip(ops, rest, strict=True):
                made += [sign(SIGNS[RELATION_SIGNS[type(op)]]), *typeset_row(other)]
            return made, 0
        case ast.Set(elts=members):
            return fenced(comma_separated(members, small), "{", "}"), ATOM_BINDING
    raise TypeError(f"formulas cannot contain syntax of type {type(node).__name__}")


def comma_separated(nodes: Sequence[ast.expr], small: bool) -> MathRow:
    """The nodes as MathML elements with commas between them."""
    made = typeset_row(nodes[0], 0, small) if nodes else []
    for each in nodes[1:]:
        made += [sign(","), *typeset_row(each, 0, small)]
    return made


def sum_elements(node: ast.expr, small: bool) -> MathRow:
    """The terms of a sum as MathML elements, with their signs."""
    made: MathRow = []
    for op, term in operands_with_operators(node, ast.Add, ast.Sub):
        made += [] if op is None else [sign("+" if op is ast.Add else "−")]
        made += typeset_row(term, SUM_BINDING if op is None else PRODUCT_BINDING, small)
    return made


def product_elements(node: ast.expr, small: bool) -> tuple[MathRow, int]:
    """The MathML elements of a product or quotient, and how tightly it binds.
    A leading sign is put in front of the whole product."""
    minus, groups = factor_groups(node)
    made: MathRow = []
    for above, below in groups:
        part = factors(above, small, alone=bool(below) and not small)
        if below and small:
            part += [sign("/"), *row_of_divisor(below)]
        elif below:
            part = [element("mfrac", as_one_element(part) + as_one_element(factors(below, small, alone=True)))]
        made += with_multiplication_sign(made, part, dotted=small)  # behind a slash it would seem to be below it
    return ([sign("−"), *made], SUM_BINDING) if minus else (made, PRODUCT_BINDING)


def row_of_divisor(nodes: Sequence[ast.expr]) -> MathRow:
    """The MathML elements of a divisor after a slash, in parentheses if needed."""
    return typeset_row(nodes[0], POWER_BINDING, True) if len(nodes) == 1 else fenced(factors(nodes, True, alone=False))


def factors(nodes: Sequence[ast.expr], small: bool, alone: bool) -> MathRow:
    """The MathML elements of a product of these factors.
    alone: whether a single factor needs no parentheses, because it is part of a fraction."""
    if len(nodes) == 1 and alone:
        return typeset_row(nodes[0], 0, small)
    made: MathRow = []
    nodes = sorted(nodes, key=lambda node: not isinstance(node, ast.Constant))  # 2 sigma, whichever came first
    for place, each in enumerate(nodes):
        slashed = small and isinstance(each, ast.BinOp) and place > 0
        made += with_multiplication_sign(made, typeset_row(each, POWER_BINDING if slashed else PRODUCT_BINDING, small))
    return made


def with_multiplication_sign(before: MathRow, after: MathRow, dotted: bool = False) -> MathRow:
    """Returns the elements of `after`, with a multiplication sign in front if anything (`before`) precedes them.
    `before` is the row to the left. The sign is a dot if numbers or words would run together or if `dotted`, otherwise
    invisible."""
    if not before:
        return after
    wordy = [bool(re.match(r"<mi>\w\w", edge)) for edge in (before[-1], after[0])]
    mixed = before[-1].startswith("<mn>") and after[0].startswith("<mfrac><mn>")  # 2 3/4 would be 11/4
    counted = after[0].startswith(("<mn>", "<msup><mn>"))
    dotted = dotted or counted or mixed or any(wordy) or before[-1].startswith(LOGARITHM)
    return [sign("⋅") if dotted else "<mo>\u2062</mo>", *after]


def call_elements(function: str, arguments: Sequence[ast.expr], small: bool) -> tuple[MathRow, int]:
    """Typesets a function call; returns its MathML elements, and how tightly they bind.
    Roots, powers of e and the like have their own notation."""
    first = arguments[0] if arguments else None
    if function == "sqrt" and first is not None and len(arguments) == 1:
        return [element("msqrt", "".join(typeset_row(first, 0, small)))], ATOM_BINDING
    if function == "exp" and first is not None and len(arguments) == 1:
        if not small and formula_trees.size(first) <= 12:
            return [element("msup", "<mi>e</mi>" + as_one_element(typeset_row(first, 0, True)))], POWER_BINDING
        return ["<mi>exp</mi>", *fenced(typeset_row(first, 0, small))], POWER_BINDING
    if function == RUN and len(arguments) == 4:
        index, low, high, factor = arguments
        below = element("mrow", as_one_element(typeset_row(index)) + sign("=") + as_one_element(typeset_row(low)))
        over = element("munderover", sign("∏") + below + as_one_element(typeset_row(high)))
        return [over, *typeset_row(factor, POWER_BINDING, small)], PRODUCT_BINDING
    if function in ("floor", "ceil") and first is not None and len(arguments) == 1:
        ends = ("⌊", "⌋") if function == "floor" else ("⌈", "⌉")
        return fenced(typeset_row(first, 0, small), *ends), ATOM_BINDING
    if function == "maximum" and first is not None and len(arguments) == 2 and negated(*arguments):
        return fenced(typeset_row(first, 0, small), "|", "|"), ATOM_BINDING
    return [function_name(function), *fenced(comma_separated(arguments, small))], POWER_BINDING


def function_name(function: str) -> str:
    """The name of a function as a MathML element."""
    shown = {"ncdf": "Φ", "maximum": "max", "minimum": "min"}.get(function)
    return element("mi", shown) if shown else name(function)


def factor_groups(node: ast.expr) -> tuple[bool, list[tuple[list[ast.expr], list[ast.expr]]]]:
    """Returns whether a product has a leading minus, and the product's factors in groups.
    The multiplied factors come first in each group, then the divisors."""
    minus = False
    groups: list[tuple[list[ast.expr], list[ast.expr]]] = [([], [])]
    for op, operand in operands_with_operators(node, ast.Mult, ast.Div):
        if op is None and isinstance(operand, ast.UnaryOp):
            minus, operand = True, operand.operand
        if op is ast.Div:
            groups[-1][1].append(operand)
            continue
        if groups[-1][1]:
            groups.append(([], []))
        groups[-1][0].append(operand)
    return minus, groups


def negated(first: ast.expr, second: ast.expr) -> bool:
    """Whether the second tree is minus the first."""
    return isinstance(second, ast.UnaryOp) and ast.dump(second.operand) == ast.dump(first)


# -- formulas --------------------------------------------------------------------------------------------------------


def math(row: MathRow, block: bool = False) -> str:
    """The row as a complete <math> element. block: whether in display style."""
    style = ' displaystyle="true"' if block else ""
    return f"<math{style}>{''.join(row)}</math>"


def inline(source: str) -> Markup:
    """The formula as MathML within a sentence; the text as code if it is no formula."""
    tree = formula_trees.parse_formula(source)
    return Markup(element("code", escape(source)) if tree is None else math(typeset_row(tree)))


def typeset_range(text: str) -> Markup:
    """The range of a variable as MathML, from a text such as "integer 0 <= n <= 5", "c in {1, 2}" or "c = 1"."""
    for word in ("integer ", "real "):
        if text.startswith(word):
            return Markup(f"{word}") + inline(text.removeprefix(word))
    return inline(text.replace(" = ", " == "))
