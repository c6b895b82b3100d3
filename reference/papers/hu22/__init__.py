"""Hu, Hegde: Near-Optimal Thompson Sampling-based Algorithms for Differentially Private Stochastic Bandits
(UAI 2022)."""

from dpbandits.reference.papers.hu22.algorithms import FOR_NOISE, PRINTED, LazyDPTS

__all__ = ["FOR_NOISE", "PRINTED", "LazyDPTS"]
