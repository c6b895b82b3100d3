"""Ou, Avella Medina, Cummings: Thompson Sampling Itself is Differentially Private (AISTATS 2024, PMLR 238)."""

from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling as ModifiedThompsonSampling
from dpbandits.reference.papers.ou24 import ThompsonSampling as ThompsonSampling
from dpbandits.reference.papers.ou24 import letter as letter
from dpbandits.reference.papers.ou24 import single_step as single_step
