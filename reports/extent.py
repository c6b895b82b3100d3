"""How wide and how high a typeset formula is, about, in em. Pure."""

from __future__ import annotations

import ast

from dpbandits.reports import expressions
from dpbandits.reports.words import GREEK

DIGITS = 12  # of a number; the rest is an ellipsis, and stands in the text


def width(node: ast.expr) -> float:
    """About how wide the typeset node is, in em."""
    match node:
        case ast.Constant():
            return 0.5 * min(len(repr(node.value)), DIGITS)
        case ast.Name(id=text):
            return 0.55 * (1 if text in GREEK else len(text))
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            return max(width(left), width(right)) + 0.3
        case ast.BinOp(op=ast.Pow(), left=left, right=right):
            return width(left) + 0.7 * width(right)
    inner = sum(width(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
    return inner + (1.2 if not isinstance(node, ast.Call) else 0.8)


def height(node: ast.expr, small: bool = False) -> float:
    """About how high the typeset node is, in em. small: in a fraction or an exponent."""
    match node:
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            return height(left, True) + height(right, True) + 0.25
        case ast.BinOp(op=ast.Pow(), left=left, right=right):
            return height(left, small) + 0.4 * height(right, True)
        case ast.Call(func=ast.Name(id="exp"), args=[inner]) if not small and expressions.size(inner) <= 12:
            return 1.2 + 0.4 * height(inner, True)
        case ast.Call(args=arguments):
            return max([height(each, small) for each in arguments], default=0.0) + 0.2
    inside = (height(child, small) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
    return max(inside, default=0.95 if small else 1.2)
