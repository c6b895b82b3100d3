"""Tossou, Dimitrakakis: On The Differential Privacy of Thompson Sampling With Gaussian Prior (arXiv 2018)."""

from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.tossou18.algorithms import THEOREM_1, private_for, variance, with_more_variance

__all__ = ["THEOREM_1", "ThompsonSampling", "private_for", "variance", "with_more_variance"]
