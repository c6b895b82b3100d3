"""Auer, Cesa-Bianchi, Fischer: Finite-time Analysis of the Multiarmed Bandit Problem (Machine Learning 47, 2002)."""

from dpbandits.reference.papers.auer02.algorithms import EXPLORATION, PRINTED, UCB1

__all__ = ["EXPLORATION", "PRINTED", "UCB1"]
