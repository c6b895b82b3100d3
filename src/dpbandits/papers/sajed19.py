"""Sajed, Sheffet: An Optimal Private Stochastic-MAB Algorithm Based on Optimal Private Stopping Rule (ICML 2019)."""

from dpbandits.reference.papers.sajed19 import DPSE as DPSE
from dpbandits.reference.papers.sajed19 import IntegerDPSE as IntegerDPSE
