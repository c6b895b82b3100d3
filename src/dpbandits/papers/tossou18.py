"""Tossou, Dimitrakakis: On The Differential Privacy of Thompson Sampling With Gaussian Prior (arXiv 2018)."""

from dpbandits.reference.papers.tossou18 import ThompsonSampling as ThompsonSampling
from dpbandits.reference.papers.tossou18 import with_more_variance as with_more_variance
