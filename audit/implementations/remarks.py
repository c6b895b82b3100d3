"""Advice that many checks repeat: in full where it is first given, then by its number, with a count at the end."""

from __future__ import annotations

import re

from dpbandits.audit.play.probes import DEPENDENT, OWN, SINGLY

REPEATED = (OWN, SINGLY.removeprefix(OWN).lstrip(". "), DEPENDENT)


class Remarks:
    """What has been said of a battery so far."""

    def __init__(self) -> None:
        self.checks: dict[str, set[str]] = {}  # by the advice, in the order of their numbers

    def shortened(self, check: str, text: str) -> str:
        """The text, as it is to be shown of this check."""
        for advice in REPEATED:
            known = advice in self.checks
            if found := re.search(re.escape(advice), text, re.IGNORECASE):
                self.checks.setdefault(advice, set()).add(check)
                number = f"[{list(self.checks).index(advice) + 1}]"
                text = text[: found.start()] + (number if known else f"{number} {found[0]}") + text[found.end() :]
        return text

    def counts(self) -> str:
        """In how many checks each was given; "" where none was given twice."""
        repeated = [(k, len(checks)) for k, checks in enumerate(self.checks.values(), start=1) if len(checks) > 1]
        return ", ".join(f"[{k}] is said of {times} checks" for k, times in repeated)
