"""Hu, Huang, Zhang, Lecuyer, Hegde: Connecting Thompson Sampling and UCB (ICML 2025, PMLR 267)."""

from dpbandits.reference.papers.hu25 import DPTSUCB as DPTSUCB
