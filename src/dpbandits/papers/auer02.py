"""Auer, Cesa-Bianchi, Fischer: Finite-time Analysis of the Multiarmed Bandit Problem (Machine Learning 47, 2002)."""

from dpbandits.reference.papers.auer02 import UCB1 as UCB1
