"""Shariff, Sheffet: Differentially Private Contextual Linear Bandits (NeurIPS 2018)."""

from dpbandits.reference.papers.shariff18 import PrivateLinUCB as PrivateLinUCB
