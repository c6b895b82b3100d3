"""Sentences whose formulas are typeset: "at most T^{0.5(1-alpha)}" has a power, set as MathML.

The notation is that of the ledger's quotes and notes: x^2, x^{...}, x^(...), x_i, x_{i,t}, x-hat, sqrt(...), Greek
letters by their names. A word (what stands between spaces) with anything of it becomes a formula; the rest stays text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from markupsafe import Markup

from dpbandits.reports.mathml import element, sign, single
from dpbandits.reports.words import CODE, GREEK, MINUS, symbols

NAMES = "|".join(sorted((name for name in GREEK if name != "inf"), key=len, reverse=True))
LETTERS = "α-ωΑ-Ω"
FORMULA_WORDS = "err|log|ln|sum|prod|int|max|Max|MAX|min|inf|sup|lim|Pr|TV|KL|CM|Phi"
# What may carry an index or an exponent, with a hat and primes.
LETTER = rf"(?:{FORMULA_WORDS}|{NAMES}|[A-Za-z{LETTERS}])(?:-hat)?'*"
BASE = re.compile(rf"(?:{LETTER}|\d+(?:\.\d+)?)(?=[\^_]|(?<=hat)|(?<='))|[)\]}}|](?=[\^_])")
ROOT = re.compile(r"sqrt\(|√\(")
INDEX = re.compile(rf"\d+|(?:{NAMES})(?![A-Za-z])|[A-Za-z]{{1,3}}(?![A-Za-z])|\*")
EXPONENT = re.compile(
    rf"-?(?:\d+(?:\.\d+)?(?![A-Za-z])|(?:{NAMES})(?![A-Za-z])|ceil|floor|[A-Za-z{LETTERS}](?![A-Za-z]))'*"
)
TOKEN = re.compile(r"\s+|\d+(?:\.\d+)?|[A-Za-z]+'*|<=|>=|\|\||.", re.DOTALL)
ADORNED = re.compile(r"[\^_]|√\(|-hat")  # what is left of a formula once single letters and powers are symbols
ALONE = re.compile(r"\bsum (?=<math>)")
ENDING = re.compile(r"-(?:[A-Z]*DP|private)$")
CLOSING = {"(": ")", "{": "}", "[": "]"}
OPENING = {end: start for start, end in CLOSING.items()}
# Characters of a formula in a sentence: it breaks nowhere, and a longer one would leave the page
MAX_INLINE_CHARACTERS = 120
TOKEN_SYMBOLS = {"<=": "≤", ">=": "≥", "-": MINUS, "*": "⋅", "in": "∈", "~": "∼", "||": "‖"}
TOKEN_SYMBOLS |= {"sum": "∑", "prod": "∏", "int": "∫"}


def prose(text: object) -> Markup:
    """The text for a page, escaped, its formulas as MathML."""
    return marked_up(str(text))


@lru_cache(maxsize=2**14)  # a text stands on several pages of a report
def marked_up(text: str) -> Markup:
    parts = CODE.split(text)
    return Markup("".join(code(part) if place % 2 else sentence(part) for place, part in enumerate(parts)))


def code(text: str) -> str:
    """What stays as it is; as code where it stands in backticks."""
    return f"<code>{escape(text[1:-1])}</code>" if text[0] == text[-1] == "`" and len(text) > 2 else escape(text)


def sentence(text: str) -> str:
    made, plain, place = [], 0, 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        end = word_end(text, place)
        word = text[place:end]
        shown = formula(word) if len(word) <= MAX_INLINE_CHARACTERS and ADORNED.search(symbols(word)) else ""
        if shown:
            made += [escape(symbols(text[plain:place])), shown]
            plain = end
        place = end
    return ALONE.sub("∑ ", "".join([*made, escape(symbols(text[plain:]))]))


def word_end(text: str, place: int) -> int:
    """Where the word ends that begins here: at a space that is in no exponent, index or root."""
    while place < len(text) and not text[place].isspace():
        root = ROOT.match(text, place)
        if root:
            place = matching(text, root.end() - 1)
        elif text[place] in "^_" and text[place + 1 : place + 2] in CLOSING:
            place = matching(text, place + 1)
        else:
            place += 1
    return place


def matching(text: str, place: int) -> int:
    """Behind the bracket that closes the one here; behind this one where none does."""
    return closing(text).get(place, place) + 1


@lru_cache(maxsize=64)  # one text after the other, and what is within it
def closing(text: str) -> dict[int, int]:
    """Where each bracket that is closed is closed, each kind by itself."""
    found: dict[int, int] = {}
    unclosed: dict[str, list[int]] = {start: [] for start in CLOSING}
    for place, each in enumerate(text):
        if each in CLOSING:
            unclosed[each].append(place)
        elif each in OPENING and unclosed[OPENING[each]]:
            found[unclosed[OPENING[each]].pop()] = place
    return found


def formula(word: str) -> str:
    """The word as MathML, without the quotes, stops and endings around it; empty where it has no formula."""
    rest = word.lstrip("\"'“")
    inner = ENDING.sub("", rest.rstrip("\"'”.,;:!?"))
    before, after = word[: len(word) - len(rest)], rest[len(inner) :]
    row = formula_elements(inner)
    if not any("<ms" in each or "<mover" in each for each in row):
        return ""
    return f"{escape(symbols(before))}<math>{''.join(row)}</math>{escape(symbols(after))}"


def formula_elements(text: str) -> list[str]:
    """The elements of a formula's text."""
    row: list[str] = []
    place, behind = 0, ""
    while place < len(text):
        root, base = ROOT.match(text, place), None
        if not (behind and behind[-1].isalpha() and text[place].isalpha()):
            base = BASE.match(text, place)
        if root and root.end() - 1 in closing(text):
            end = matching(text, root.end() - 1)
            inside = formula_elements(text[root.end() : end - 1])
            row.append(element("msqrt", "".join(inside)))
        elif base:
            shown, end = scripted(text, base)
            row.append(shown)
        else:
            token = TOKEN.match(text, place)
            assert token is not None  # any character is one
            end = token.end()
            row += atom(token[0]) if not (token[0].isspace() and not joins(text, place, end)) else []
        behind, place = text[place:end], end
    return row


def joins(text: str, start: int, end: int) -> bool:
    """Whether a space stands between two letters or digits, where it would be missed."""
    return start > 0 and end < len(text) and text[start - 1].isalnum() and text[end].isalnum()


def atom(token: str) -> list[str]:
    if token.isspace():
        return ['<mspace width="0.2em"/>']
    if token[0].isdigit():
        return [element("mn", token)]
    if token in TOKEN_SYMBOLS:
        return [sign(TOKEN_SYMBOLS[token])]
    if token[0].isalpha():
        letter = token.rstrip("'")
        return [element("mi", escape(GREEK.get(letter, letter) + "′" * (len(token) - len(letter))))]
    if token in "()[]{}|/":
        return [element("mtext", token)]  # an operator would grow with what stands beside it, or keep away from it
    return [sign(token)]


def scripted(text: str, base: re.Match[str]) -> tuple[str, int]:
    """What carries an index, an exponent or a hat, and where it ends."""
    letter = base[0].rstrip("'")
    hat = letter.endswith("-hat")
    head = single(atom(letter.removesuffix("-hat") + "'" * (len(base[0]) - len(letter))))
    if hat:
        head = element("mover", head + "<mtext>^</mtext>")
    scripts: dict[str, str] = {}
    place = base.end()
    while place < len(text) and text[place] in "^_" and text[place] not in scripts:
        inside, end = script(text, place, base[0])
        if not inside:
            break
        scripts[text[place]] = single(formula_elements(inside))
        place = end
    tag = {"": "", "_": "msub", "^": "msup", "^_": "msubsup"}["".join(sorted(scripts, reverse=True, key="_^".index))]
    return (element(tag, head + "".join(scripts[mark] for mark in "_^" if mark in scripts)) if tag else head), place


def script(text: str, place: int, base: str) -> tuple[str, int]:
    """The text of an index or exponent, and where it ends; empty where there is none."""
    start = place + 1
    if text[start : start + 1] in ("{", "("):
        end = matching(text, start)
        whole = text[start] == "(" and text[place] == "_"  # an index in parentheses keeps them: an order statistic
        return (text[start:end] if whole else text[start + 1 : end - 1]), end
    found = (EXPONENT if text[place] == "^" else INDEX).match(text, start)
    if not found:
        return "", place
    end = found.end()
    if text[place] == "^" and base[0].isdigit() and text[end : end + 1] == "(":  # 2^tau(a), but not ln^alpha(T)
        end = matching(text, end)
    return text[start:end], end
