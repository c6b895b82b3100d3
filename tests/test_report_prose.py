"""Formulas in sentences: typeset where they are some, and text where they are not."""

from __future__ import annotations

import re
from time import process_time
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits.reference.claims.ledger import ledger
from dpbandits.reports.own import short_policy_name
from dpbandits.reports.words import prose


def spelt(text: str) -> str:
    """What prose makes of a text, with braces for what stands raised, lowered or under a root."""
    root = ElementTree.fromstring(f"<p>{prose(text)}</p>")
    return "".join([root.text or "", *(heard(child) + (child.tail or "") for child in root)])


def heard(node: ElementTree.Element) -> str:
    inner = [heard(child) for child in node]
    if node.tag in ("msup", "msub", "msubsup", "mover"):
        marks = {"msup": "^", "msub": "_", "msubsup": "_^", "mover": "¨"}[node.tag]
        return inner[0] + "".join(f"{mark}[{each}]" for mark, each in zip(marks, inner[1:], strict=True))
    if node.tag == "msqrt":
        return f"√[{''.join(inner)}]"
    if node.tag == "code":
        return f"`{node.text}`"
    return (node.text or "") + "".join(inner) + (" " if node.tag == "mspace" else "")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("at most T^{0.5(1-alpha)}-GDP.", "at most T^[0.5(1−α)]-GDP."),
        ("sum_{Delta_a > 0} (u/Delta_a)^{1/v} + 1", "∑_[Δ_[a]>0] (u/Δ_[a])^[1/v] + 1"),
        ("theta at site 'theta' of UCB(arms=2, horizon=3)", "θ at site 'theta' of UCB(arms=2, horizon=3)"),
        ("make=<function policy.<locals>.<lambda>> has mu", "make=<function policy.<locals>.<lambda>> has μ"),
        ("running means, sum/(n_i+1)", "running means, sum/(n_[i]+1)"),
        ("log2 T and sum (1/D_a)^p", "log₂ T and ∑ (1/D_[a])^[p]"),
        ("e^(2 eps) in the tail", "e^[2 ε] in the tail"),
        ("so D_tau^{-2(1+v)/v}: and", "so D_[τ]^[−2(1+v)/v]: and"),
        ("'E_i^mu(t)'", "'E_[i]^[μ](t)'"),
        ("mu-hat_{1,tau_k} and S-hat(t)", "μ¨[^]_[1,τ_[k]] and S¨[^](t)"),
        ("|x-tilde_{a,r}| and mu-bar_a", "|x¨[~]_[a,r]| and μ¨[¯]_[a]"),
        ("eps = sqrt(log((N-1)/(2 delta)))", "ε = √[log((N−1)/(2 δ))]"),
        ("2^-tau(a) and ln^alpha(T)", "2^[−τ(a)] and ln^[α](T)"),
        ("[D(x)]_{t+1}^{T+1}, nu'_2", "[D(x)]_[t+1]^[T+1], ν′_[2]"),
        ("Delta_(i')^2 of H_BAI", "Δ_[(i′)]^[2] of H_[BAI]"),
        ("1_{|X| <= B}", "1_[|X|≤B]"),
        ("||a||_1/||b||_2 and ||a||", "‖a‖_[1]/‖b‖_[2] and ||a||"),
        # Powers and indices that are single characters are characters; so are Greek letters.
        ("T^4, S_1 and delta <= 10^-6", "T⁴, S₁ and δ ≤ 10⁻⁶"),
        # These are no formulas, or none that ends.
        ("file_1 log_term NOT_EXERCISED `x_{i}`", "file_1 log_term NOT_EXERCISED `x_{i}`"),
        ("`ou24/theorem-7_x` `audit/x_i.py` and `--x_i`", "`ou24/theorem-7_x` `audit/x_i.py` and `--x_i`"),
        ("test_x.py::test_a_i and `x_i", "test_x.py::test_a_i and `x_[i]"),
        ("x^{unclosed", "x^{unclosed"),
        ("a well-hat-trick", "a well-hat-trick"),
        ("a T-bars and e-barrier", "a T-bars and e-barrier"),
    ],
)
def test_sentences(text: str, read: str) -> None:
    assert spelt(text) == read


def test_mark_up_is_text() -> None:
    for text in ("<script>x^{2}</script>", "x_{<b>}", "&lt;^{a}", "{{ x^{7*7} }}", 'x^{"><img src=y>}'):
        assert {node.tag for node in ElementTree.fromstring(f"<p>{prose(text)}</p>").iter()} <= {
            *(
                "p",
                "code",
                "math",
                "mrow",
                "mi",
                "mn",
                "mo",
                "mtext",
                "mspace",
                "msup",
                "msub",
                "msubsup",
                "mover",
                "msqrt",
            )
        }


@given(st.text(alphabet="x2 ^_{}()[]<>&\"'-|aT.√sqrt`/~*", max_size=30))
@pytest.mark.nonvacuous(7)
def test_anything_is_some_text(text: str) -> None:
    """No text breaks a page, and no letter or digit gets lost."""
    made = spelt(text)
    nonvacuous_if(any(letter in text for letter in "xaT"))
    assert [made.count(letter) for letter in "xaT"] == [text.count(letter) for letter in "xaT"]


@pytest.mark.parametrize("text", ["x", "^(", "[^[", "sqrt(", "x_1", "x^2.!", "Aaa(a=", "a=b::", "`a`b", "x^1"])
@pytest.mark.first(2)
def test_a_long_text_takes_no_longer_than_its_length(text: str) -> None:
    """Some hundredths of a second; what looks at all pairs of letters takes ten seconds and more."""
    start = process_time()
    prose(f"x^2{text * (40_000 // len(text))}.!x")
    assert process_time() - start < 3


def test_what_is_too_long_or_too_large_stays_text() -> None:
    for long in ("x^{" * 500 + "y" + "}" * 500, "x_1" * 100):  # a formula breaks nowhere, and would leave the page
        assert spelt(long) == long
    assert spelt("x^{" * 20 + "y" + "}" * 20).startswith("x^[x^[")
    assert spelt("1e" + "1" * 5000).count("1") == 5001
    assert spelt("T = 2, 1" + "0" * 400) == "T = 2, 1" + "0" * 400
    assert spelt("sqrt(x^2") == "sqrt(x^[2]"


@pytest.mark.thorough
def test_formulas_of_the_ledger_are_typeset() -> None:
    """What is left of the notation in quotes, scopes and notes can be counted on two hands."""
    texts = [text for claim in ledger().claims for text in (claim.source.quote, claim.scope, claim.note)]
    left = [word for text in texts for word in spelt_out(text)]
    assert len(texts) > 1000
    assert len(left) <= 10, left


def spelt_out(text: str) -> list[str]:
    """Words of the page that still have a caret, a brace behind an underscore, or a root in letters."""
    plain = re.sub(r"<math>.*?</math>", "", str(prose(text)))
    plain = re.sub(r"`[^`]*`|\S+(?:/|::|\.py)\S*", "", plain)
    return re.findall(r"\S*(?:\^[^\s.,]|_\{|sqrt\()\S*", plain)


@pytest.mark.parametrize(
    ("subject", "short"),
    [
        ("Policy(arms=2, horizon=3)", "Policy(arms=2, horizon=3)"),
        ("Policy(arms=2, table=" + 80 * "1" + ")", "Policy(arms=2, ...)"),
        ("Policy(arms=2, horizon=3, table=[" + 80 * "1, " + "])", None),
    ],
)
def test_the_name_of_a_policy_ends_after_a_whole_parameter(subject: str, short: str | None) -> None:
    made = short_policy_name(subject)
    assert made == (short or subject[: len(made) - len(", ...)")] + ", ...)")
    assert made.startswith("Policy(arms=2, ")
    assert len(made) <= 80 + len(", ...)")
