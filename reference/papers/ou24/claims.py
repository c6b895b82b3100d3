"""All claims of the page, in the paper's order: Sections 2 to 5, then Appendices A, B, C and D."""

from dpbandits.reference.ledger import Claim
from dpbandits.reference.papers.ou24.experiments import EXPERIMENTS
from dpbandits.reference.papers.ou24.privacy import APPENDIX, PRIVACY
from dpbandits.reference.papers.ou24.regret import REGRET

CLAIMS: tuple[Claim, ...] = (*PRIVACY, *EXPERIMENTS, *REGRET, *APPENDIX)
