"""Sajed, Sheffet: An Optimal Private Stochastic-MAB Algorithm Based on Optimal Private Stopping Rule (ICML 2019)."""

from dpbandits.reference.papers.sajed19.algorithms import DPSE, PRINTED, Epoch, State
from dpbandits.reference.papers.sajed19.integers import IntegerDPSE

__all__ = ["DPSE", "PRINTED", "Epoch", "IntegerDPSE", "State"]
