"""What a whole battery, or all tests of a session, say in one sentence: whose law is followed, which promises are kept,
broken, or not asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dpbandits.audit.implementations.battery import Judged
from dpbandits.audit.statistics.law_resolution import shift_in_words
from dpbandits.reference.claims.model import HOLDS, Verdict

LAW = "page law"
MAX_NAME = 80  # characters of a subject that a sentence begins with


class Outcomes(NamedTuple):
    """Names, each by its worst verdict: what is refuted, what could have been and was not, and the rest."""

    broken: tuple[str, ...]
    held: tuple[str, ...]
    untested: tuple[str, ...]


def outcomes_of(found: Iterable[tuple[str, Verdict]]) -> Outcomes:
    """The names in the order in which they come first. found: a name as often as it was judged."""
    verdicts: dict[str, set[Verdict]] = {}
    for name, verdict in found:
        verdicts.setdefault(name, set()).add(verdict)
    broken = tuple(name for name, every in verdicts.items() if Verdict.REFUTED in every)
    held = tuple(name for name, every in verdicts.items() if name not in broken and every & HOLDS)
    return Outcomes(broken, held, tuple(name for name in verdicts if name not in broken and name not in held))


def judgement(found: Sequence[Judged], subject: str, page: str) -> str:
    """The sentence about the subject, held against a page's policy: each check by its worst outcome, with whatever arms
    and pulls it was asked. An expected failure is a failure."""
    outcomes = outcomes_of((each.kind, each.finding.verdict) for each in found)
    if LAW in outcomes.broken:
        law = f"does not follow the law of {page}"
    elif LAW in outcomes.held:
        seen = shift_in_words([each.finding.resolution for each in found if each.kind == LAW])
        law = f"was not told apart from {page} by its law" + (f", to {seen} a step" if seen else "")
    else:
        law = f"was not compared with {page} by its law"
    checks = [name for name in outcomes.broken if "/" not in name and name != LAW]
    kept, broken, untested = ([name for name in names if "/" in name] for names in (*outcomes[1::-1], outcomes[2]))
    promises = in_words(Outcomes(tuple(broken), tuple(kept), tuple(untested)))
    return "; ".join([f"{subject} {law}", *promises, *([f"fails {in_a_row(checks)}"] if checks else [])])


def in_words(outcomes: Outcomes) -> list[str]:
    """What became of promises, by their names."""
    said = {
        "no violation was found of": outcomes.held,
        "breaks": outcomes.broken,
        "not asked hard enough to fail:": outcomes.untested,
    }
    return [f"{words} {in_a_row(names)}" for words, names in said.items() if names]


def judgements(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """A sentence for each of a user's own subjects, from the entries of a findings document; those about the papers'
    own policies are left out."""
    found: dict[str, list[tuple[str, Verdict]]] = {}
    for entry in entries:
        if "own" in entry:
            promise = (promise_name(entry), Verdict(entry["verdict"]))
            found.setdefault(entry["own"]["subject"], []).append(promise)
    return [f"{short_subject(subject)}: {'; '.join(in_words(outcomes_of(every)))}" for subject, every in found.items()]


def promise_name(entry: Mapping[str, Any]) -> str:
    """The promise of an entry by its name: the numbers that somebody gave, or the ledger's id."""
    numbers = str(entry["quote"]).removeprefix(f"{entry['where']} is ").removesuffix(".")
    return numbers if entry["paper"] == "own" else str(entry["id"]).partition("@")[0]


def short_subject(subject: str) -> str:
    """The subject, so short that a sentence can begin with it."""
    return subject if len(subject) <= MAX_NAME else f"{subject[:MAX_NAME]}..."


def in_a_row(names: Sequence[str]) -> str:
    """The names in a sentence: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
