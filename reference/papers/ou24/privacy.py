"""What the paper says about privacy, as claims in its order; `privacy_formulas` holds its formulas."""

from __future__ import annotations

from dpbandits.reference.ledger import Claim
from dpbandits.reference.papers.ou24.privacy_attained import ATTAINED
from dpbandits.reference.papers.ou24.privacy_comparison import COMPARISON, NUMBERS
from dpbandits.reference.papers.ou24.privacy_definitions import SECTION_2
from dpbandits.reference.papers.ou24.privacy_game import GAME
from dpbandits.reference.papers.ou24.privacy_lemma_12 import LEMMA_12_CLAIMS
from dpbandits.reference.papers.ou24.privacy_modified import SECTION_4
from dpbandits.reference.papers.ou24.privacy_noisy_max import (
    ALGORITHM_3_CLAIMS,
    EQUATION_27_CLAIMS,
    THEOREM_6_CLAIMS,
)
from dpbandits.reference.papers.ou24.privacy_parameters import SECTION_5
from dpbandits.reference.papers.ou24.privacy_renyi import RENYI
from dpbandits.reference.papers.ou24.privacy_standard import SECTION_3
from dpbandits.reference.papers.ou24.privacy_standard_dp import COROLLARY_1_CLAIMS, THEOREM_7_CLAIMS
from dpbandits.reference.papers.ou24.privacy_steps import APPENDIX_A

PRIVACY: tuple[Claim, ...] = (*SECTION_2, *SECTION_3, *ATTAINED, *GAME, *SECTION_4, *SECTION_5, *APPENDIX_A)
APPENDIX_C_1 = (
    *EQUATION_27_CLAIMS,
    *ALGORITHM_3_CLAIMS,
    *THEOREM_6_CLAIMS,
    *LEMMA_12_CLAIMS,
    *THEOREM_7_CLAIMS,
    *COROLLARY_1_CLAIMS,
)
APPENDIX: tuple[Claim, ...] = (*APPENDIX_C_1, *RENYI, *COMPARISON, *NUMBERS)
