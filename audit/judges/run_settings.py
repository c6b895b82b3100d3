"""What a run is asked for: the ledger, the profile and the seed, and with them the settings of every single audit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dpbandits.audit.judges.effort import OWN, Profile, Run, run_over
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim


@dataclass(frozen=True)
class Plan:
    """A run over claims of a ledger, or of strangers to it."""

    ledger: Ledger
    profile: Profile
    seed: int

    @cached_property
    def known(self) -> dict[str, Run]:
        """The settings by the key of a page, of those that were asked for."""
        return {}

    def run(self, claim: Claim) -> Run:
        """The settings of the claim's audits: its page's, which spends its own share of the risk, or those of what is
        on no page."""
        volume = self.ledger.volume(claim)
        if volume is None:
            return self.own
        page = volume.page
        if page.key not in self.known:
            self.known[page.key] = run_over(volume.claims, self.profile, self.seed, page.share)
        return self.known[page.key]

    @property
    def own(self) -> Run:
        """The settings of an audit of what is on no page, such as somebody's mechanism."""
        return Run(self.profile, self.seed, OWN)

    def file(self, claim: Claim) -> str:
        """Where the claim's page lives, if it is one that has not joined."""
        volume = self.ledger.volume(claim)
        return volume.file if volume else ""
