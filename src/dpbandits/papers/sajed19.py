"""Sajed, Sheffet: An Optimal Private Stochastic-MAB Algorithm Based on Optimal Private Stopping Rule (ICML 2019)."""

from dpbandits.reference.papers.sajed19 import DPSE as DPSE
from dpbandits.reference.papers.sajed19 import IntegerDPSE as IntegerDPSE
from dpbandits.reference.papers.sajed19.rationals import hockey_stick as hockey_stick
from dpbandits.reference.papers.sajed19.rationals import largest_factor as largest_factor
from dpbandits.reference.papers.sajed19.rationals import release_chances as release_chances
