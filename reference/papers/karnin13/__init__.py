"""Karnin, Koren, Somekh: Almost Optimal Exploration in Multi-Armed Bandits (ICML 2013)."""

from dpbandits.reference.papers.karnin13.algorithms import PRINTED, SequentialHalving

__all__ = ["PRINTED", "SequentialHalving"]
