"""The settings of a run (ledger, profile, seed), and of every single audit in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dpbandits.audit.judges.effort import OWN, Profile, Run, run_over
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim


@dataclass(frozen=True)
class Plan:
    """The settings of a run over claims of a ledger, and over claims that are on no page."""

    ledger: Ledger
    profile: Profile
    seed: int

    @cached_property
    def known(self) -> dict[str, Run]:
        """The settings of audits by page key, of the pages that were asked for so far."""
        return {}

    def run(self, claim: Claim) -> Run:
        """The settings of the claim's audits: those of its page, or `own` for a claim on no page."""
        volume = self.ledger.volume(claim)
        if volume is None:
            return self.own
        page = volume.page
        if page.key not in self.known:
            self.known[page.key] = run_over(volume.claims, self.profile, self.seed, page.share)
        return self.known[page.key]

    @property
    def own(self) -> Run:
        """The settings of an audit of a user's own subject."""
        return Run(self.profile, self.seed, OWN)

    def file(self, claim: Claim) -> str:
        """The file of the claim's page if the page is not installed, else ""."""
        volume = self.ledger.volume(claim)
        return volume.file if volume else ""
