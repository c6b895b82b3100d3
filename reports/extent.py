"""Approximate width and height of typeset formulas, computed from their MathML. No side effects.

The proportions were measured with the widest of the usual fonts; they are accurate to some 15 per cent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple
from xml.etree import ElementTree

# All in em of the formula's own letters.
AXIS = 0.3  # above the baseline: where fractions have their bars
SCRIPT_SCALE = 0.71  # an index or an exponent, as a share of what carries it
LEAD = 1.5  # from line to line of a text
SPACE = 0.3  # between the pieces of a line
GAPS = {True: 0.22, False: 0.16}  # around a fraction's bar: in a formula of its own, and within another's
FENCES = tuple("(){}|⌈⌉⌊⌋")
GROWN = (1.12, 1.87, 2.66, 3.44)  # the heights that a font has fences in; higher ones are as high as they must be
ROOTS = (1.0, 1.57, 2.35, 3.05)  # and those that it has root signs in
SIGNS = {"⋅": 0.76, "/": 0.9, ",": 0.5, "\u2062": 0.0, "∏": 1.1} | dict.fromkeys("({|⌈⌊)}⌉⌋", 0.42)  # other signs: 1.4
HANGING = set("gjpqyQβγζημξρφχψ,")
RISING = set("bdfhklt0123456789βδζθλξφψ")


class Box(NamedTuple):
    """The size of a formula. wide: in em. above, below: its height above and below the baseline."""

    wide: float
    above: float
    below: float

    @property
    def high(self) -> float:
        return self.above + self.below


@cache
def extent(formula: str) -> Box:
    """The size of a <math> element."""
    return box(ElementTree.fromstring(formula), 1.0, True)


def line_heights(pieces: Iterable[str], room: float) -> list[float]:
    """The heights of the lines of a formula in this much room. pieces: its <math> elements."""
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


def box(node: ElementTree.Element, size: float, display: bool) -> Box:
    """The size of a node. size: of its letters. display: whether it is in display style, not within a fraction or an
    exponent."""
    inner = list(node)
    match node.tag:
        case "mo":
            return symbol(node.text or "", size)
        case "mi" | "mn" | "mtext":
            return word_box(node.text or "", size)
        case "mspace":
            return Box(0.2 * size, 0.0, 0.0)
        case "mfrac":
            small = size if display else SCRIPT_SCALE * size
            top, bottom = (box(each, small, False) for each in inner)
            gap = GAPS[display] * size
            wide = max(top.wide, bottom.wide) + 0.1 * size
            return Box(wide, AXIS * size + gap + top.high, bottom.high + gap - AXIS * size)
        case "msup" | "msub" | "munderover":
            base, *scripts = inner
            small_ones = [box(each, SCRIPT_SCALE * size, False) for each in scripts]
            return scripted(node.tag, box(base, size, display), small_ones, size)
    whole = beside(box(each, size, display) for each in inner)
    if node.tag == "msqrt":
        needed = whole.high + 0.15 * size
        high = next((each * size for each in ROOTS if each * size >= needed), needed + 0.1 * size)
        sign = (1.05 if high > size else 0.85) * size
        return Box(whole.wide + sign, high - whole.below - 0.05 * size, whole.below + 0.05 * size)
    fences = sum(each.tag == "mo" and each.text in FENCES and "stretchy" not in each.attrib for each in inner)
    return fenced(whole, fences, size) if node.tag == "mrow" and fences else whole


def beside(boxes: Iterable[Box]) -> Box:
    """The box that contains these boxes next to each other."""
    every = list(boxes)
    above, below = (max((each[side] for each in every), default=0.0) for side in (1, 2))
    return Box(sum(each.wide for each in every), above, below)


def word_box(text: str, size: float) -> Box:
    usual = 0.6 if len(text) > 2 else 0.68
    wide = sum((0.95 if each in "MW" else 0.8 if each.isupper() else usual) if each.isalnum() else 0.4 for each in text)
    rises = any(each in RISING or each.isupper() for each in text)
    return Box(wide * size, (0.76 if rises else 0.57) * size, (0.24 if HANGING & set(text) else 0.02) * size)


def symbol(text: str, size: float) -> Box:
    if text in FENCES:
        return Box(SIGNS[text] * size, 0.78 * size, 0.2 * size)
    return Box(SIGNS.get(text, 1.4) * size, 0.62 * size, 0.15 * size)


def scripted(tag: str, base: Box, scripts: Sequence[Box], size: float) -> Box:
    """The size of an element with an index, an exponent, or limits above and below."""
    if tag == "munderover":
        under, over = scripts
        gap = 0.2 * size
        wide = max(base.wide, under.wide, over.wide)
        return Box(wide, base.above + gap + over.high, base.below + gap + under.high)
    (script,) = scripts
    wide = base.wide + script.wide + 0.06 * size
    if tag == "msub":
        return Box(wide, base.above, max(base.below, 0.2 * size + script.below))
    shift = max(0.42 * size, base.above - 0.2 * size, script.below + 0.14 * size)
    return Box(wide, max(base.above, shift + script.above), base.below)


def fenced(whole: Box, fences: int, size: float) -> Box:
    """The size with parentheses that grow with their content, equally far above and below the axis."""
    reach = max(whole.above - AXIS * size, whole.below + AXIS * size)
    if reach <= 0.5 * size:
        return whole
    high = next((each * size for each in GROWN if each * size >= 2 * reach - 0.05 * size), 2 * reach)
    wider = fences * 0.42 * size * min(1.2, 0.3 * (high / (1.1 * size) - 1))
    half = high / 2
    return Box(whole.wide + wider, max(whole.above, half + AXIS * size), max(whole.below, half - AXIS * size))
