"""Hu, Huang, Mehta: Near-Optimal Algorithms for Private Online Learning in a Stochastic Environment (arXiv 2021)."""

from dpbandits.reference.papers.hu21.algorithms import FOR_MEAN, PRINTED, AnytimeLazyUCB

__all__ = ["FOR_MEAN", "PRINTED", "AnytimeLazyUCB"]
