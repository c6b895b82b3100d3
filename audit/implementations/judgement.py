"""What a whole battery says, in one sentence: whose law is followed, which promises are kept, broken, or not asked."""

from __future__ import annotations

from collections.abc import Sequence

from dpbandits.audit.implementations.battery import FAILED, Judged
from dpbandits.reference.ledger import HOLDS, Verdict

LAW = "page law"


def judgement(found: Sequence[Judged], subject: str, page: str) -> str:
    """The sentence about the subject, held against a page's policy: each check by its worst outcome, with whatever arms
    and pulls it was asked. An expected failure is a failure."""
    outcomes: dict[str, set[Verdict]] = {}
    for each in found:
        outcomes.setdefault(each.kind, set()).add(each.finding.verdict)
    broken = [kind for kind, verdicts in outcomes.items() if verdicts & {*FAILED}]
    held = [kind for kind, verdicts in outcomes.items() if kind not in broken and verdicts & HOLDS]
    rest = [kind for kind in outcomes if kind not in broken and kind not in held]
    if LAW in broken:
        law = f"does not follow the law of {page}"
    else:
        law = (
            f"was not told apart from {page} by its law" if LAW in held else f"was not compared with {page} by its law"
        )
    kept, lost, open_ = ([kind for kind in kinds if "/" in kind] for kinds in (held, broken, rest))
    parts = [
        f"{subject} {law}",
        f"no violation was found of {in_a_row(kept)}" if kept else "",
        f"breaks {in_a_row(lost)}" if lost else "",
        f"not asked hard enough to fail: {in_a_row(open_)}" if open_ else "",
        f"fails {in_a_row(wrong)}" if (wrong := [kind for kind in broken if "/" not in kind and kind != LAW]) else "",
    ]
    return "; ".join(filter(None, parts))


def in_a_row(names: Sequence[str]) -> str:
    """The names in a sentence: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
