"""Tao, Wu, Zhao, Wang: Optimal Rates of (Locally) Differentially Private Heavy-tailed Multi-Armed Bandits (AISTATS
2022, arXiv 2106.02575).

log is natural unless a field says otherwise: the paper states no base, but for a log_2 in the proof of Lemma 4. Where
log T counts the levels of a tree (Lemma 2, Theorem 1) base 2 is the kinder reading, and taken as printed. An argmax
takes the lowest index. The claims are in `claims`.
"""

from dpbandits.reference.papers.tao22.algorithms.dprucb import DPRUCB
from dpbandits.reference.papers.tao22.algorithms.elimination import DPRSE, LDPRSE, Elimination, repaired_ldprse
from dpbandits.reference.papers.tao22.algorithms.messages import Messages, messages
from dpbandits.reference.papers.tao22.algorithms.randomizer import Randomizer
from dpbandits.reference.papers.tao22.algorithms.tree import Tree
from dpbandits.reference.papers.tao22.arms import Pareto, TwoPoint

__all__ = [
    "DPRSE",
    "DPRUCB",
    "LDPRSE",
    "Elimination",
    "Messages",
    "Pareto",
    "Randomizer",
    "Tree",
    "TwoPoint",
    "messages",
    "repaired_ldprse",
]
