"""All claims of the page."""

from dpbandits.reference.ledger import Claim
from dpbandits.reference.papers.hu25 import experiments, privacy, regret

CLAIMS: tuple[Claim, ...] = (*privacy.chapter.claims, *experiments.chapter.claims, *regret.chapter.claims)
