"""All claims of the page hu25."""

from dpbandits.reference.ledger import Claim
from dpbandits.reference.papers.hu25.experiments import EXPERIMENTS
from dpbandits.reference.papers.hu25.privacy import PRIVACY
from dpbandits.reference.papers.hu25.regret import REGRET

CLAIMS: tuple[Claim, ...] = (*PRIVACY, *EXPERIMENTS, *REGRET)
