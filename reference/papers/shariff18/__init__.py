"""Shariff, Sheffet: Differentially Private Contextual Linear Bandits (NeurIPS 2018)."""

from dpbandits.reference.papers.shariff18.algorithms import PrivateLinUCB

__all__ = ["PrivateLinUCB"]
