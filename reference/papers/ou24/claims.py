"""All claims of the page, in the paper's order: Sections 2 to 5, then Appendices A, B, C and D."""

from dpbandits.reference.ledger import Claim
from dpbandits.reference.papers.ou24 import (
    experiments,
    privacy_attained,
    privacy_comparison,
    privacy_definitions,
    privacy_game,
    privacy_lemma_12,
    privacy_modified,
    privacy_noisy_max,
    privacy_parameters,
    privacy_renyi,
    privacy_standard,
    privacy_standard_dp,
    privacy_steps,
    regret,
    regret_independent,
    regret_lemma_8,
    regret_lemmas,
    regret_proof,
)

PRIVACY: tuple[Claim, ...] = (
    *privacy_definitions.chapter.claims,
    *privacy_standard.chapter.claims,
    *privacy_attained.chapter.claims,
    *privacy_game.chapter.claims,
    *privacy_modified.chapter.claims,
    *privacy_parameters.chapter.claims,
    *privacy_steps.chapter.claims,
)
EXPERIMENTS = experiments.chapter.claims
PROOF_STEPS = regret_proof.chapter.claims
REGRET: tuple[Claim, ...] = (
    *regret.chapter.claims,
    *PROOF_STEPS,
    *regret_independent.chapter.claims,
    *regret_lemmas.chapter.claims,
    *regret_lemma_8.chapter.claims,
)
APPENDIX: tuple[Claim, ...] = (
    *privacy_noisy_max.chapter.claims,
    *privacy_lemma_12.chapter.claims,
    *privacy_standard_dp.chapter.claims,
    *privacy_renyi.chapter.claims,
    *privacy_comparison.chapter.claims,
)
CLAIMS: tuple[Claim, ...] = (*PRIVACY, *EXPERIMENTS, *REGRET, *APPENDIX)
