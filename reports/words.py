"""Texts, symbols, numbers and dates as printed in the report, and formulas in texts as MathML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date as Date
from functools import lru_cache
from html import escape
from typing import TypeVar

from markupsafe import Markup

from dpbandits.reference.claims.findings import Side, rounded
from dpbandits.reports.mathml import GREEK, as_one_element, element, sign

# What Python writes of a user's objects: calls with keywords, functions, quoted names, names of tests. It comes into a
# text from user code and exceptions, so no writer can mark it. It is displayed as it is.
USER_OBJECT = re.compile(
    r"((?<!=)\b[A-Z][a-z]\w+\((?:[^()=]|\([^()]*\))*=(?:[^()]|\([^()]*\))*\)|\b[A-Za-z_]\w+\(arms=(?:[^()]|\([^()]*\))*\)"
    r"|<(?:function|bound method|built-in)\b(?:[^<>]|<\w+>)*>|(?<![\w'])'[A-Za-z_]\w+'(?!\w)|(?<!\S)\S*::\S*)"
)
# A Greek letter's name by itself, or with an index.
LETTERS = "|".join(name for name in GREEK if name not in ("inf", "lam"))
NAMED = re.compile(rf"(?<![A-Za-z\\])({LETTERS})(?![A-Za-z0-9])")
# 1e-06, as a computer writes it
SCIENTIFIC_NOTATION = re.compile(r"(?<![\w.])(-?\d(?:\.\d+)?)e([+-]?\d{1,6}+)(?![\w.]*\w)")
SPELT = (("<=", "≤"), (">=", "≥"), ("ncdf(", "Φ("), ("sqrt(", "√("), ("log2 ", "log₂ "), ("log2(", "log₂("))
# T^4, 10^-18, 2^{20}; no x^2y, no x^2.5
RAISED = re.compile(r"(?<=[\w)\]}|])\^(?:\{(-?\d+)\}|(-?\d++)(?![\w.(]*[\w(]))")
LOWERED = re.compile(r"(?<![\w^])([A-Za-zα-ωΓΔΘΛΣΦΨΩ])_(?:\{(\d+)\}|(\d+)(?!\w))")  # S_1, but no file_1
MINUS, THIN, DASH = "\N{MINUS SIGN}", "\N{NARROW NO-BREAK SPACE}", "\N{EN DASH}"
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
Value = TypeVar("Value")
COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
EFFORTS = {  # what counts of a profile say to a reader; what is not here is of no use to one
    "trials": "{} plays of a policy on either side of a comparison",
    "experiment_runs": "{} repetitions of a printed experiment",
    "experiment_horizon": "experiments of up to {} rounds",
    "regret_runs": "{} runs for a mean regret",
}


def format_number(value: object, digits: int = 4) -> str:
    """Returns a number as text for a reader: `digits` significant digits, powers of ten for the very large and small.

    None is a dash; text and truth values are words; integers keep all their digits.
    """
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return grouped(str(value))
    if not isinstance(value, float):
        return str(value)
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    size = int(exponent)
    if -4 <= size < max(digits, 6):
        return grouped(strip_idle_zeros(f"{value:.{max(digits - 1 - size, 0)}f}"))
    return scientific(strip_idle_zeros(mantissa), size).replace("-", MINUS)


def rounded_safely(value: Value, side: str, digits: int) -> Value | float:
    """Rounds the number to this many digits to the safe side: a lower bound down, an upper bound up.
    side: as in `findings.Side`. Numbers that are not bounds, and other values, are unchanged."""
    bounded = side in (Side.BELOW, Side.ABOVE)
    return rounded(value, Side(side), digits) if bounded and isinstance(value, float) else value


def scientific(mantissa: str, exponent: int) -> str:
    """Returns the number mantissa * 10^exponent as text, without a mantissa of one: "10⁻⁶", "2.5 × 10⁷"."""
    ten = "10" + str(exponent).translate(SUPERSCRIPT)
    return {"1": ten, "-1": f"-{ten}"}.get(mantissa, f"{mantissa}{THIN}×{THIN}{ten}")


def format_power(value: float) -> str:
    """Returns a power of ten as text with an exponent, for axes that span many: "10⁻²" next to "10⁻⁶".
    Other numbers are formatted as by `format_number`."""
    mantissa, exponent = f"{value:.6e}".split("e")
    if float(mantissa) != 1 or exponent in ("+00", "+01"):
        return format_number(value)
    return "10" + str(int(exponent)).translate(SUPERSCRIPT)


def strip_idle_zeros(text: str) -> str:
    """Returns the decimal number without trailing zeros."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def grouped(text: str) -> str:
    """The digits of a number as text: five digits or more in groups of three, with a typographic minus."""
    sign, digits = (MINUS, text[1:]) if text.startswith("-") else ("", text)
    whole, dot, rest = digits.partition(".")
    if len(whole) > 4 and whole.isdigit():
        lead = len(whole) % 3 or 3
        whole = THIN.join([whole[:lead], *(whole[i : i + 3] for i in range(lead, len(whole), 3))])
    return sign + whole + dot + rest


def code_parts(text: str) -> list[str]:
    """Splits a text into parts that alternate between prose and code in backticks, beginning with prose.
    A backtick without its partner is part of the prose."""
    parts = text.split("`")
    return parts if len(parts) % 2 else [*parts[:-2], f"{parts[-2]}`{parts[-1]}"]


def without_objects(text: str, code: int) -> list[str]:
    """Splits a text into parts that alternate between prose and objects of user code, beginning with prose.
    code: 1 for a text that is code, which is one part."""
    return [text] if code else USER_OBJECT.split(text)


@lru_cache(maxsize=2**14)  # texts consist of few different words
def symbols(text: str) -> str:
    """Returns the text with names replaced by symbols: "eps <= sqrt(delta)" becomes "ε ≤ √(δ)".
    Code is unchanged, without its backticks."""
    parts = [piece for place, part in enumerate(code_parts(str(text))) for piece in without_objects(part, place % 2)]
    for place in range(0, len(parts), 2):
        made = NAMED.sub(lambda found: GREEK[found[0]], parts[place])
        for word, symbol in SPELT:
            made = made.replace(word, symbol)
        made = RAISED.sub(lambda found: (found[1] or found[2]).translate(SUPERSCRIPT), made)
        made = LOWERED.sub(lambda found: found[1] + (found[2] or found[3]).translate(SUBSCRIPT), made)
        made = SCIENTIFIC_NOTATION.sub(lambda found: scientific(found[1], int(found[2])), made)
        parts[place] = re.sub(r"\bsqrt (?=\w)", "√", made)
    return "".join(parts)


def count_phrase(count: int, singular: str, plural: str) -> str:
    """Returns the count with its noun: "1 claim", "12 claims"."""
    return f"{grouped(str(count))} {singular if count == 1 else plural}"


def sentences(text: str, length: int = 260) -> str:
    """Returns as many of the text's first sentences as fit into `length` characters.
    If the first one does not fit, its beginning and an ellipsis. text: each sentence on a line of its own, as in a
    note; without lines it is one sentence."""
    lines = text.split("\n")
    fitting = [" ".join(lines[:count]) for count in range(1, len(lines) + 1)]
    whole = [each for each in fitting if len(each) <= length]
    return whole[-1] if whole and len(whole[-1]) > length // 4 else shorten_text(fitting[-1], length)


def shorten_text(text: str, length: int = 150) -> str:
    """Returns the text, or its first words and an ellipsis if it is longer than `length`.
    Code in backticks is kept whole or left out."""
    if len(text) <= length:
        return text
    head = text[:length].rsplit(" ", 1)[0] if " " in text[:length] else text[:length]
    if head.count("`") % 2 and not head.startswith("`"):
        head = head[: head.rindex("`")]
    return head.rstrip(" ,;:(") + " …"


def readable_date(date: str) -> str:
    """The date, such as 2026-11-26, as a reader writes it; "" for no date. Raises ValueError for anything else."""
    if not date:
        return ""
    with suppress(ValueError):
        day = Date.fromisoformat(date)
        if day.isoformat() == date:  # and not another notation of ISO 8601
            return f"{day.day} {MONTHS[day.month - 1]} {date[:4]}"
    raise ValueError(f"date is {date!r}; write it as year-month-day, for example 2026-11-26")


def effort_words(profile: Mapping[str, object]) -> list[str]:
    """The effort of a run as phrases, one for each number of its profile that a reader needs."""
    return [words.format(format_number(profile[name])) for name, words in EFFORTS.items() if name in profile]


def number_word(count: int) -> str:
    """Returns the number as it is written in a sentence: up to twelve as a word."""
    return COUNT_WORDS[count] if count < len(COUNT_WORDS) else grouped(str(count))


# -- formulas in a text --------------------------------------------------------------------------------------


NAMES = "|".join(sorted((name for name in GREEK if name != "inf"), key=len, reverse=True))
GREEK_LETTERS = "α-ωΑ-Ω"
FORMULA_WORDS = "err|log|ln|sum|prod|int|max|Max|MAX|min|inf|sup|lim|Pr|TV|KL|CM|Phi"
ACCENTS = {"-hat": "^", "-tilde": "~", "-bar": "¯"}
ACCENT = rf"(?:{'|'.join(ACCENTS)})(?![A-Za-z])"
# What may carry an index or an exponent, with an accent and primes.
LETTER = rf"(?:{FORMULA_WORDS}|{NAMES}|[A-Za-z{GREEK_LETTERS}])(?:{ACCENT})?'*"
BASE = re.compile(
    rf"(?:{LETTER}|\d+(?:\.\d+)?)(?=[\^_]|(?<=-hat)|(?<=-tilde)|(?<=-bar)|(?<='))|(?:\|\||[)\]}}|])(?=[\^_])"
)
ROOT = re.compile(r"sqrt\(|√\(")
INDEX = re.compile(rf"\d+|(?:{NAMES})(?![A-Za-z])|[A-Za-z]{{1,3}}(?![A-Za-z])|\*")
EXPONENT = re.compile(
    rf"-?(?:\d+(?:\.\d+)?(?![A-Za-z])|(?:{NAMES})(?![A-Za-z])|ceil|floor|[A-Za-z{GREEK_LETTERS}](?![A-Za-z]))'*"
)
TOKEN = re.compile(r"\s+|\d+(?:\.\d+)?|[A-Za-z]+'*|<=|>=|\|\||.", re.DOTALL)
ADORNED = re.compile(rf"[\^_]|√\(|{ACCENT}")  # what is left of a formula once single letters and powers are symbols
ALONE = re.compile(r"\bsum (?=<math>)")
ENDING = re.compile(r"-(?:[A-Z]*DP|private)$")
CLOSING = {"(": ")", "{": "}", "[": "]"}
OPENING = {end: start for start, end in CLOSING.items()}
# Characters of a formula in a sentence: it breaks nowhere, and a longer one would leave the page
MAX_INLINE_CHARACTERS = 120
TOKEN_SYMBOLS = {"<=": "≤", ">=": "≥", "-": MINUS, "*": "⋅", "in": "∈", "~": "∼", "||": "‖"}
TOKEN_SYMBOLS |= {"sum": "∑", "prod": "∏", "int": "∫"}


def prose(text: object) -> Markup:
    """Returns the text as HTML for a page: escaped, with code marked and formulas as MathML."""
    return text_as_html(str(text))


@lru_cache(maxsize=2**14)  # a text stands on several pages of a report
def text_as_html(text: str) -> Markup:
    """Converts the text to HTML, with code marked and formulas as MathML; each text is converted only once."""
    parts = code_parts(text)
    return Markup("".join(code(part) if place % 2 else sentence_or_object(part) for place, part in enumerate(parts)))


def code(text: str) -> str:
    """The text as code in HTML."""
    return f"<code>{escape(text)}</code>"


def sentence_or_object(text: str) -> str:
    """Returns the HTML of a text without code marks.
    Objects of the user's code, such as <Mine at 0x7f>, are escaped and otherwise unchanged."""
    parts = USER_OBJECT.split(text)
    return "".join(escape(part) if place % 2 else sentence(part) for place, part in enumerate(parts))


def sentence(text: str) -> str:
    """Returns a text without code and objects as HTML, in which formulas are MathML."""
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
    """The position at which the word that begins at `place` ends.
    A word ends at a space that is not in an exponent, index or root."""
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
    """The position after the bracket that closes the one at `place`; after this bracket if none does."""
    return closing_brackets(text).get(place, place) + 1


@lru_cache(maxsize=64)  # one text after the other, and what is within it
def closing_brackets(text: str) -> dict[int, int]:
    """The position of the closing bracket for each opening bracket that is closed, {position: position}.
    Kinds of brackets are matched separately."""
    found: dict[int, int] = {}
    unclosed: dict[str, list[int]] = {start: [] for start in CLOSING}
    for place, each in enumerate(text):
        if each in CLOSING:
            unclosed[each].append(place)
        elif each in OPENING and unclosed[OPENING[each]]:
            found[unclosed[OPENING[each]].pop()] = place
    return found


def formula(word: str) -> str:
    """Returns the word as MathML, with the quotation marks, full stops and endings around it as text.
    "" if it contains no formula."""
    rest = word.lstrip("\"'“")
    inner = ENDING.sub("", rest.rstrip("\"'”.,;:!?"))
    before, after = word[: len(word) - len(rest)], rest[len(inner) :]
    row = formula_elements(inner)
    if not any("<ms" in each or "<mover" in each for each in row):
        return ""
    return f"{escape(symbols(before))}<math>{''.join(row)}</math>{escape(symbols(after))}"


def formula_elements(text: str) -> list[str]:
    """Typesets a formula that is written as text; returns its MathML elements."""
    row: list[str] = []
    place, behind = 0, ""
    while place < len(text):
        root, base = ROOT.match(text, place), None
        if not (behind and behind[-1].isalpha() and text[place].isalpha()):
            base = BASE.match(text, place)
        if root and root.end() - 1 in closing_brackets(text):
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
            if token[0] == "sum" and text.startswith("/", end):  # a total that is divided, and no sign for what follows
                row.append(element("mi", "sum"))
            else:
                row += (
                    token_elements(token[0])
                    if not (token[0].isspace() and not must_keep_space(text, place, end))
                    else []
                )
        behind, place = text[place:end], end
    return row


def must_keep_space(text: str, start: int, end: int) -> bool:
    """Whether the space between these positions separates two letters or digits, and must be kept."""
    return start > 0 and end < len(text) and text[start - 1].isalnum() and text[end].isalnum()


def token_elements(token: str) -> list[str]:
    """Returns the MathML elements of a single token, such as a number, a letter or an operator."""
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
    """Typesets a letter with its index, exponent or accent; returns the MathML, and the position at which it ends.
    base: the match of the letter in the text."""
    letter = base[0].rstrip("'")
    accent = next((each for each in ACCENTS if letter.endswith(each)), "")
    head = as_one_element(token_elements(letter.removesuffix(accent) + "'" * (len(base[0]) - len(letter))))
    if accent:
        head = element("mover", head + f"<mtext>{ACCENTS[accent]}</mtext>")
    scripts: dict[str, str] = {}
    place = base.end()
    while place < len(text) and text[place] in "^_" and text[place] not in scripts:
        inside, end = index_or_exponent(text, place, base[0])
        if not inside:
            break
        scripts[text[place]] = as_one_element(formula_elements(inside))
        place = end
    tag = {"": "", "_": "msub", "^": "msup", "^_": "msubsup"}["".join(sorted(scripts, reverse=True, key="_^".index))]
    return (element(tag, head + "".join(scripts[mark] for mark in "_^" if mark in scripts)) if tag else head), place


def index_or_exponent(text: str, place: int, base: str) -> tuple[str, int]:
    """Returns the text of the index or exponent that begins at `place`, and the position at which it ends.
    "" if there is none."""
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
