"""Declarations that a policy makes about itself. Audits use and check them: the law of the releases, the noisy values,
how far these values move between neighbours, and how the policy selects arms by them."""

from dpbandits.reference.arithmetic.checks import NoLaw as NoLaw
from dpbandits.reference.bandits.noisy_values import Moving as Moving
from dpbandits.reference.bandits.noisy_values import Noisy as Noisy
from dpbandits.reference.bandits.noisy_values import Shifts as Shifts
from dpbandits.reference.bandits.policy import Law as Law
from dpbandits.reference.bandits.policy import by_logarithms as by_logarithms
from dpbandits.reference.bandits.policy import certain as certain
from dpbandits.reference.bandits.policy import one_answer as one_answer
from dpbandits.reference.bandits.policy import one_arm as one_arm
from dpbandits.reference.bandits.release_laws.declared_steps import LinearRule as LinearRule
from dpbandits.reference.bandits.release_laws.declared_steps import Selecting as Selecting
from dpbandits.reference.bandits.release_laws.explorations import epsilon_greedy as epsilon_greedy
from dpbandits.reference.bandits.release_laws.explorations import inverse_gap_weighting as inverse_gap_weighting
from dpbandits.reference.bandits.release_laws.explorations import softmax as softmax
from dpbandits.reference.bandits.release_laws.linear_winner import linear_winner as linear_winner
from dpbandits.reference.bandits.release_laws.selections import LAPLACE as LAPLACE
from dpbandits.reference.bandits.release_laws.selections import NORMAL as NORMAL
from dpbandits.reference.bandits.release_laws.selections import Chances as Chances
from dpbandits.reference.bandits.release_laws.selections import NoiseKind as NoiseKind
from dpbandits.reference.bandits.release_laws.selections import argmax as argmax
from dpbandits.reference.bandits.release_laws.selections import survivors as survivors
from dpbandits.reference.bandits.release_laws.selections import top as top
from dpbandits.reference.bandits.release_laws.ties import largest as largest
from dpbandits.reference.bandits.release_laws.winners import released as released
from dpbandits.reference.bandits.release_laws.winners import winner as winner
