"""Bubeck, Cesa-Bianchi, Lugosi: Bandits with Heavy Tail (IEEE Transactions on Information Theory 59, 2013)."""

from dpbandits.reference.papers.bubeck13.algorithms import PRINTED, RobustUCB

__all__ = ["PRINTED", "RobustUCB"]
