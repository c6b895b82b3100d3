"""Sentences, symbols, numbers and days as the report prints them: one way to write each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dpbandits.reference.claims.findings import Side, rounded

GREEK = {
    **dict(zip(("alpha", "beta", "gamma", "delta", "zeta", "eta", "theta", "kappa"), "αβγδζηθκ", strict=True)),
    **dict(zip(("lam", "lambda", "mu", "nu", "xi", "rho", "sigma", "tau", "phi"), "λλμνξρστφ", strict=True)),
    **dict(zip(("chi", "psi", "omega", "eps", "epsilon", "Gamma", "Delta", "Theta"), "χψωεεΓΔΘ", strict=True)),
    **dict(zip(("Lambda", "Sigma", "Phi", "Psi", "Omega", "pi", "inf"), "ΛΣΦΨΩπ∞", strict=True)),
}
# A Greek letter's name by itself, or with an index; what is code, an id, a file or an option stays as it is.
CODE = re.compile(
    r"(`[^`]*`|(?<!=)\b[A-Z][a-z]\w+\((?:[^()=]|\([^()]*\))*=(?:[^()]|\([^()]*\))*\)|\b[a-z]+\d\d/\S+"
    r"|\b[A-Za-z_]\w+\(arms=(?:[^()]|\([^()]*\))*\)|<(?:function|bound method|built-in)\b(?:[^<>]|<\w+>)*>"
    r"|(?<![\w'])'[A-Za-z_]\w+'(?!\w)"
    r"|(?<!\S)(?:\S+\.(?:py|json|md|html)\b\S*|\S*::\S*|--\S+))"
)
LETTERS = "|".join(name for name in GREEK if name not in ("inf", "lam"))
NAMED = re.compile(rf"(?<![A-Za-z\\])({LETTERS})(?![A-Za-z0-9])")
# 1e-06, as a computer writes it
SCIENTIFIC_NOTATION = re.compile(r"(?<![\w.])(-?\d(?:\.\d+)?)e([+-]?\d{1,6}+)(?![\w.]*\w)")
# What an audit calls its settings, "arms=2, horizon=50", as the papers write it: "K = 2, T = 50".
SETTING = re.compile(r"(?<![\w.{])([A-Za-z]\w*)=(?=[\w(\[-])")
REWARDS_PATTERN = re.compile(r"\benvironment=(\w+)\(((?:[^()]|\([^()]*\))*)\)")
SETTINGS = {
    **{"arms": "K = ", "horizon": "T = ", "prepulls": "b = ", "variance": "c = ", "alpha": "alpha = "},
    **{"pulls": "pull counts ", "left": "on one side ", "right": "on the other ", "features": "features "},
    **{"scales": "scales ", "sensitivities": "sensitivities ", "means": "means ", "shape": "shape ", "rates": "rates "},
    **{
        "used": "own pulls ",
        "others": "the others' pulls ",
        "reward": "reward ",
        "sizes": "sizes ",
        "chances": "chances ",
    },
}
WHOLE_NUMBER = re.compile(r"(?<![\w.,\N{NARROW NO-BREAK SPACE}])([1-9]\d{6,})(?![\w.])")
SPELT = (("<=", "≤"), (">=", "≥"), ("ncdf(", "Φ("), ("sqrt(", "√("), ("log2 ", "log₂ "), ("log2(", "log₂("))
# T^4, 10^-18, 2^{20}; no x^2y, no x^2.5
RAISED = re.compile(r"(?<=[\w)\]}|])\^(?:\{(-?\d+)\}|(-?\d++)(?![\w.(]*[\w(]))")
LOWERED = re.compile(r"(?<![\w^])([A-Za-zα-ωΓΔΘΛΣΦΨΩ])_(?:\{(\d+)\}|(\d+)(?!\w))")  # S_1, but no file_1
SENTENCE = re.compile(r"(?<=[a-z)\d]{2})[.](?=\s+[A-Z])")
MINUS, THIN, DASH = "\N{MINUS SIGN}", "\N{NARROW NO-BREAK SPACE}", "\N{EN DASH}"
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
EFFORTS = {  # what counts of a profile say to a reader; what is not here is of no use to one
    "trials": "{} plays of a policy on either side of a comparison",
    "experiment_runs": "{} repetitions of a printed experiment",
    "experiment_horizon": "experiments of up to {} rounds",
    "regret_runs": "{} runs for a mean regret",
}


def format_number(value: Any, digits: int = 4) -> str:
    """A number for a reader: `digits` significant digits, powers of ten for the very large and small.

    None is a dash; text and truth values are words; whole numbers keep all their digits.
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


def toward(value: Any, side: str, digits: int) -> Any:
    """A number with so many digits, no stronger than it is: a lower bound is rounded down, an upper bound up. side: as
    in `findings.Side`; numbers that are no bounds, and what is no number, stay as they are."""
    bounded = isinstance(value, float) and side in (Side.BELOW, Side.ABOVE)
    return rounded(value, Side(side), digits) if bounded else value


def scientific(mantissa: str, exponent: int) -> str:
    """The number in powers of ten, without a mantissa of one: "10⁻⁶", "2.5 × 10⁷"."""
    ten = "10" + str(exponent).translate(SUPERSCRIPT)
    return {"1": ten, "-1": f"-{ten}"}.get(mantissa, f"{mantissa}{THIN}×{THIN}{ten}")


def format_power(value: float) -> str:
    """A power of ten as such, for axes that span many: "10⁻²" beside "10⁻⁶"; other numbers as usual."""
    mantissa, exponent = f"{value:.6e}".split("e")
    if float(mantissa) != 1 or exponent in ("+00", "+01"):
        return format_number(value)
    return "10" + str(int(exponent)).translate(SUPERSCRIPT)


def strip_idle_zeros(text: str) -> str:
    """The decimal number without idle zeros at its end."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def grouped(text: str) -> str:
    """Digits in groups of three from five digits on, with a typographic minus."""
    sign, digits = (MINUS, text[1:]) if text.startswith("-") else ("", text)
    whole, dot, rest = digits.partition(".")
    if len(whole) > 4 and whole.isdigit():
        lead = len(whole) % 3 or 3
        whole = THIN.join([whole[:lead], *(whole[i : i + 3] for i in range(lead, len(whole), 3))])
    return sign + whole + dot + rest


def symbols(text: Any) -> str:
    """The text with the symbols that its letters stand for: "eps <= sqrt(delta)" is "ε ≤ √(δ)"."""
    parts = CODE.split(str(text))
    for place in range(0, len(parts), 2):
        made = NAMED.sub(lambda found: GREEK[found[0]], settings(parts[place]))
        for word, symbol in SPELT:
            made = made.replace(word, symbol)
        made = RAISED.sub(lambda found: (found[1] or found[2]).translate(SUPERSCRIPT), made)
        made = LOWERED.sub(lambda found: found[1] + (found[2] or found[3]).translate(SUBSCRIPT), made)
        made = SCIENTIFIC_NOTATION.sub(lambda found: scientific(found[1], int(found[2])), made)
        parts[place] = re.sub(r"\bsqrt (?=\w)", "√", made)
    return "".join(parts)


def settings(text: str) -> str:
    """The text with its settings as the papers name them; what is no setting of ours stays."""
    made = REWARDS_PATTERN.sub(lambda found: f"{found[1]} rewards, {found[2]}", text)
    totals = {"left": "reward totals ", "right": "or "} if "pulls=" in made else {}

    def told(found: re.Match[str]) -> str:
        name = found[1]
        return {**SETTINGS, **totals}.get(name, f"{name} = " if len(name) == 1 or name in GREEK else found[0])

    changed = SETTING.sub(told, made)
    return WHOLE_NUMBER.sub(lambda found: format_whole_number(found[1]), changed) if changed != text else text


def format_whole_number(digits: str) -> str:
    """A large whole number: in powers of ten where that keeps all its digits."""
    told = digits.rstrip("0")
    return scientific(strip_idle_zeros(f"{told[0]}.{told[1:]}"), len(digits) - 1) if len(told) <= 4 else grouped(digits)


def count_phrase(count: int, one: str, many: str) -> str:
    """ "1 claim", "12 claims"."""
    return f"{grouped(str(count))} {one if count == 1 else many}"


def sentences(text: str, length: int = 260) -> str:
    """The text's first sentences, as many as fit; where the first one does not, its beginning and an ellipsis."""
    if len(text) <= length:
        return text
    ends = [found.end() for found in SENTENCE.finditer(text, 0, length + 1)]
    return text[: ends[-1]].rstrip() if ends and ends[-1] > length // 4 else shorten_text(text, length)


def shorten_text(text: str, length: int = 150) -> str:
    """The text, or its first words and an ellipsis if it is longer than `length`."""
    if len(text) <= length:
        return text
    head = text[:length].rsplit(" ", 1)[0] if " " in text[:length] else text[:length]
    return head.rstrip(" ,;:") + " …"


def readable_date(date: str) -> str:
    """A date such as 2026-11-26, as a reader writes it; empty for none. Raises ValueError for anything else."""
    if not date:
        return ""
    found = DATE.fullmatch(date)
    if not found or not 1 <= int(found[2]) <= 12 or not 1 <= int(found[3]) <= 31:
        raise ValueError(f"date = {date!r}: write the day as year-month-day, such as 2026-11-26")
    return f"{int(found[3])} {MONTHS[int(found[2]) - 1]} {found[1]}"


def effort_words(profile: Mapping[str, Any]) -> list[str]:
    """The counts of a run's profile that tell a reader how hard it tried, in words."""
    return [words.format(format_number(profile[name])) for name, words in EFFORTS.items() if name in profile]


def number_word(count: int) -> str:
    """A number in a sentence: up to twelve as a word."""
    return COUNT_WORDS[count] if count < len(COUNT_WORDS) else grouped(str(count))
