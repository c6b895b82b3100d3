"""One sentence for each policy of the user: which guarantees hold, are violated, or were not tested."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dpbandits.reference.claims.model import HOLDS, Verdict
from dpbandits.reference.claims.records import Entry
from dpbandits.reference.claims.text import list_in_words

MAX_NAME = 80  # characters of a subject that a sentence begins with


class Outcomes(NamedTuple):
    """Names, grouped by their worst verdict: refuted; tested and not refuted; and the rest."""

    broken: tuple[str, ...]
    held: tuple[str, ...]
    untested: tuple[str, ...]


def outcomes_of(named_verdicts: Iterable[tuple[str, Verdict]]) -> Outcomes:
    """Groups the names of guarantees by outcome: violated, not refuted, not tested.
    Names keep the order of their first occurrence. named_verdicts: (name, verdict) pairs, in which a name may occur
    several times."""
    verdicts: dict[str, set[Verdict]] = {}
    for name, verdict in named_verdicts:
        verdicts.setdefault(name, set()).add(verdict)
    broken = tuple(name for name, every in verdicts.items() if Verdict.REFUTED in every)
    held = tuple(name for name, every in verdicts.items() if name not in broken and every & HOLDS)
    return Outcomes(broken, held, tuple(name for name in verdicts if name not in broken and name not in held))


def in_words(outcomes: Outcomes) -> list[str]:
    """Returns one phrase for each outcome that occurred, such as "violates (1, 0)-DP"."""
    said = {
        "violates": outcomes.broken,
        "no violation found of": outcomes.held,
        "not tested:": outcomes.untested,
    }
    return [f"{words} {list_in_words(names)}" for words, names in said.items() if names]


def judgements(entries: Iterable[Entry]) -> list[str]:
    """Returns a sentence for each of a user's own policies or mechanisms: its guarantees by outcome.
    entries: those of a findings document; entries about the papers' own policies are left out."""
    found: dict[str, list[tuple[str, Verdict]]] = {}
    for entry in entries:
        if "own" in entry:
            own = entry["own"]
            found.setdefault(own["subject"], []).append((own["promise"], Verdict(entry["verdict"])))
    sentences = []
    for subject, every in found.items():
        name = subject if len(subject) <= MAX_NAME else f"{subject[:MAX_NAME]}..."
        sentences.append(f"{name}: {'; '.join(in_words(outcomes_of(every)))}")
    return sentences
