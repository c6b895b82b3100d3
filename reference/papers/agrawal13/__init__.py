"""Agrawal, Goyal: Thompson Sampling for Contextual Bandits with Linear Payoffs (ICML 2013)."""

from dpbandits.reference.papers.agrawal13.algorithms import LinearThompsonSampling

__all__ = ["LinearThompsonSampling"]
