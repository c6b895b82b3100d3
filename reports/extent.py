"""Approximate width and height of typeset formulas, computed from their MathML. No side effects.

The proportions were measured with the widest of the usual fonts. Widths, and heights above a line of text, are accurate
to some 15 per cent for usual formulas.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple
from xml.etree import ElementTree

# All in em of the formula's own letters.
SCRIPT_SCALE = 0.71  # an index or an exponent, as a share of what carries it
LEAD = 1.5  # from line to line of a text
SPACE = 0.3  # between the pieces of a line
FENCES = tuple("(){}|⌈⌉⌊⌋")
FENCE_HEIGHTS = (1.12, 1.87, 2.66, 3.44)  # in which a font has fences; higher ones are as high as they must be
ROOT_HEIGHTS = (1.0, 1.57, 2.35, 3.05)  # and those of root signs
SIGN_WIDTHS = {"⋅": 0.76, "/": 0.9, ",": 0.5, "\u2062": 0.0, "∏": 1.1} | dict.fromkeys(FENCES, 0.42)  # others: 1.4


class Size(NamedTuple):
    """The width and the height of a formula, in em."""

    wide: float
    high: float


@cache
def extent(formula: str) -> Size:
    """The approximate width and height of a <math> element, in em."""
    return size_of(ElementTree.fromstring(formula), 1.0, True)


def line_heights(pieces: Iterable[str], room: float) -> list[float]:
    """The approximate heights of the lines, in em, if a formula is broken to fit a width of `room` em.
    pieces: its <math> elements."""
    made: list[float] = []
    used = 0.0
    for piece in map(extent, pieces):
        high = max(piece.high, LEAD)
        if made and used + SPACE + piece.wide <= room:
            used += SPACE + piece.wide
            made[-1] = max(made[-1], high)
        else:
            used = piece.wide
            made.append(high)
    return made


def size_of(node: ElementTree.Element, em: float, display: bool) -> Size:
    """The approximate width and height of a MathML node. em: the size of its letters.
    display: whether it is in display style, not within a fraction or an exponent."""
    text = node.text or ""
    if node.tag == "mo":
        return Size(SIGN_WIDTHS.get(text, 1.4) * em, 0.95 * em if text in FENCES else 0.8 * em)
    if node.tag in ("mi", "mn", "mtext"):
        widths = (0.9 if each.isupper() else 0.62 if each.isalnum() else 0.4 for each in text)
        return Size(sum(widths) * em, 0.85 * em)
    if node.tag == "mspace":
        return Size(0.2 * em, 0.0)
    if node.tag == "mfrac":
        top, bottom = (size_of(each, em if display else SCRIPT_SCALE * em, False) for each in node)
        return Size(max(top.wide, bottom.wide) + 0.1 * em, top.high + bottom.high + (0.4 if display else 0.25) * em)
    if node.tag in ("msup", "msub", "munderover"):
        base, *scripts = size_of(node[0], em, display), *(size_of(each, SCRIPT_SCALE * em, False) for each in node[1:])
        if node.tag == "munderover":
            sizes = [base, *scripts]
            return Size(max(each.wide for each in sizes), sum(each.high for each in sizes) + 0.4 * em)
        rise = (0.6 if node.tag == "msup" else 0.25) * scripts[0].high
        return Size(base.wide + scripts[0].wide + 0.06 * em, max(base.high + rise, scripts[0].high))
    inner = [size_of(each, em, display) for each in node]
    wide, high = sum(each.wide for each in inner), max((each.high for each in inner), default=0.0)
    if node.tag == "msqrt":
        return Size(wide + (1.05 if high > em else 0.85) * em, grown(high + 0.15 * em, ROOT_HEIGHTS, em) + 0.1 * em)
    fences = sum(each.tag == "mo" and each.text in FENCES and "stretchy" not in each.attrib for each in node)
    if node.tag != "mrow" or not fences:
        return Size(wide, high)
    around = grown(1.2 * high, FENCE_HEIGHTS, em) if high > em else 1.12 * high
    return Size(wide + 0.12 * fences * max(0.0, high - em), around)


def grown(min_height: float, heights: tuple[float, ...], em: float) -> float:
    """Returns the smallest available height (times em) that is at least `min_height`; `min_height` if none is."""
    return next((each * em for each in heights if each * em >= min_height - 0.05 * em), min_height)
