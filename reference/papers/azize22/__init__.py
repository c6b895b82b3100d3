"""Azize, Basu: When Privacy Meets Partial Information (NeurIPS 2022)."""

from dpbandits.reference.papers.azize22.algorithms import PRINTED, AdaPUCB

__all__ = ["PRINTED", "AdaPUCB"]
