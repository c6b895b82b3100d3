"""Texts that templates make, and the ledger's own: articles and numbers agree, whatever a slot holds.

The rules are those of English, not a list of words: an article goes with the sound that follows, and a count with the
form of its noun, of which the code itself names both (`counted(n, "run", "runs")`).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from test_found import AWKWARD

from dpbandits.audit.claims.deduction import follows_from, name_suggestion, reason_in_words
from dpbandits.reference.claims import text
from dpbandits.reference.claims.findings import Found
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS, Claim, Verdict

ROOT = Path(__file__).parents[1]
EXAMPLE = json.loads((ROOT / "reports" / "example" / "findings.json").read_text("utf-8"))["findings"]
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|\d[\d.,]*")
LETTERS_LIKE_VOWELS = "aefhilmnorsx"  # whose names begin with a vowel: an L, an RDP bound
LIKE_YOU = ("uni", "use", "usa", "usu", "uti", "eu", "one", "once", "ubiq")  # begin with a consonant: a user, a unit
SILENT_H = ("hour", "honest", "honor", "honour", "heir")
# Words that no article goes before: the "a" of "arm a is pulled" is a symbol.
AFTER_A_SYMBOL = set(
    re.findall(r"\w+", "alone and or is are has in of for with if at as on to by where occurs does holds")
)


def begins_with_a_vowel(word: str) -> bool:
    """Whether the word, number or abbreviation is pronounced with a vowel first."""
    if word[0].isdigit():
        whole = word.split(".")[0].replace(",", "")
        return whole[0] == "8" or whole in ("11", "18") or (len(whole) % 3 == 2 and whole[:2] in ("11", "18"))
    if len(word) == 1 or (word[:2].isupper() and not set(word[:4].lower()) & set("aeiou")) or word.startswith("RD"):
        return word[0].lower() in LETTERS_LIKE_VOWELS
    lower = word.lower()
    return (lower[0] in "aeiou" and not lower.startswith(LIKE_YOU)) or lower.startswith(SILENT_H)


def article_faults(said: str) -> list[str]:
    """The articles that do not go with what follows."""
    words = [(each.group(), each.start(), each.end()) for each in WORD.finditer(said)]
    faults = []
    for (first, start, end), (second, after, _) in pairwise(words):
        if first not in ("a", "an", "A", "An") or said[end:after] != " " or (start and said[start - 1] not in " (\"'"):
            continue
        before = said[:start].rstrip()[-1:]
        begins = not before or before in ".:;?!("
        computed = (bool(before) and before in "=<>+-*/,") or said[after + len(second) :][:2] in (" >", " <", " =")
        symbol = first in "aA" and (computed or second in AFTER_A_SYMBOL or (first == "A" and not begins))
        if not symbol and (len(second) > 1 or second.isdigit()) and begins_with_a_vowel(second) != (len(first) == 2):
            faults.append(f"{first} {second}")
    return faults


@cache
def counted_nouns() -> dict[str, str]:
    """Singular -> plural, of all that the code counts in words."""
    found = {}
    for folder in ("reference", "audit", "reports", "extensions", "proofs_checks"):
        for path in (ROOT / folder).rglob("*.py"):
            source = path.read_text("utf-8")
            for node in ast.walk(ast.parse(source if "counted(" in source else "")):
                if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "counted":
                    forms = [each.value for each in node.args[1:] if isinstance(each, ast.Constant)]
                    if len(forms) == 2 and all(isinstance(each, str) for each in forms):
                        found[str(forms[0])] = str(forms[1])
    return found


def number_faults(said: str) -> list[str]:
    """The counts that do not go with the form of their noun."""
    faults = []
    for one, several in counted_nouns().items():
        for number, noun in re.findall(rf"(?<![\w.,/^=+-])(\d+) ({re.escape(one)}|{re.escape(several)})\b(?!-)", said):
            if one != several and (number == "1") != (noun == one):
                faults.append(f"{number} {noun}")
    return faults


def texts_of(claim: Claim) -> Iterator[str]:
    """All that the ledger says of a claim in words."""
    yield from (claim.scope, claim.note, claim.repair, claim.given, claim.by, claim.cites)
    yield from (getattr(claim.says, "words", ""), getattr(claim.says, "because", ""))


@pytest.mark.parametrize(
    ("said", "faults"),
    [
        ("a eps", ["a eps"]),
        ("an eps of an 8-th run, a unit, an hour, a user and a mu", []),
        ("an RDP bound, a GDP bound, an L", []),
        ("a RDP bound, an GDP bound", ["a RDP", "an GDP"]),
        ("an 80-run test, a 90-run test, an 18", []),
        ("a 8 and an user", ["a 8", "an user"]),
        ("for a > 0 and x + a is it", []),
    ],
)  # fmt: skip
def test_the_rule_of_articles(said: str, faults: Sequence[str]) -> None:
    assert article_faults(said) == faults


def test_the_rule_of_numbers() -> None:
    assert len(counted_nouns()) >= 5
    assert counted_nouns()["run"] == "runs"
    assert number_faults("1 run, 2 runs, 11 runs") == []
    assert number_faults("1 runs, 2 run, 0 run") == ["1 runs", "2 run", "0 run"]


def test_articles_and_numbers_agree_in_every_claim() -> None:
    seen = 0
    for claim in ledger().claims:
        for said in texts_of(claim):
            assert article_faults(said) + number_faults(said) == [], claim.id
            seen += bool(said)
    assert seen > 1500


def test_articles_and_numbers_agree_in_every_finding_of_the_example() -> None:
    for finding in EXAMPLE:
        for key in ("summary", "resolution", "statement"):
            assert article_faults(finding[key]) + number_faults(finding[key]) == [], (finding["id"], key)


@pytest.mark.parametrize("found", AWKWARD)
def test_articles_and_numbers_agree_of_awkward_data(found: Found) -> None:
    for said in (text.summary_of(found), text.resolution_of(found)):
        assert article_faults(said) + number_faults(said) == [], said
        assert not re.search(r"  | [,.;:]|\(\s|;;|,,|\b([a-z]+) \1\b", said), said


@pytest.mark.parametrize("many", [1, 2, 3, 11])
@pytest.mark.parametrize("verdict", sorted(ESTABLISHED_VERDICTS))
def test_each_premise_in_words_has_its_verdict(many: int, verdict: Verdict) -> None:
    names = [f"toy/{place}" for place in range(many)]
    said = follows_from(names, [verdict] * many)
    assert said.count("toy/") == many
    assert said.count(f"` ({verdict})") == many
    mixed = follows_from(names, [Verdict.PROVED] * (many - 1) + [Verdict.ARGUED])
    assert (mixed.count("` (PROVED)"), mixed.count("` (ARGUED)")) == (many - 1, 1)
    assert article_faults(said) == []


def test_how_every_claim_follows_is_a_phrase_after_its_premises() -> None:
    """The end of "Follows from ...", for every claim of the ledger and every mixture of verdicts."""
    seen = 0
    for claim in ledger().claims:
        if not claim.follows:
            continue
        for verdicts in ([Verdict.PROVED] * len(claim.follows), [Verdict.PROVED, Verdict.ARGUED] * len(claim.follows)):
            said = (
                f"Follows from {follows_from(claim.follows, verdicts[: len(claim.follows)])}{reason_in_words(claim)}."
            )
            assert article_faults(said) + number_faults(said) == [], said
            assert not re.search(r", by because|  |,,|\.\.|by the end|, by by|because because| ,", said), said
            seen += 1
    assert seen > 300


def test_a_list_of_names_reads_as_one() -> None:
    assert [
        text.list_in_words([]),
        text.list_in_words(["a"]),
        text.list_in_words(["a", "b"]),
        text.list_in_words(["a", "b", "c"]),
    ] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert name_suggestion("toy/x", []) == ""
