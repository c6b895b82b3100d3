"""What a policy may say about itself, so that it is judged exactly: the law of what it releases, the noisy values that
it draws, how far they move between neighbours, and how it selects by them."""

from dpbandits.reference.checks import NoLaw as NoLaw
from dpbandits.reference.noisy import Moving as Moving
from dpbandits.reference.noisy import Noisy as Noisy
from dpbandits.reference.noisy import Shifts as Shifts
from dpbandits.reference.policy import Law as Law
from dpbandits.reference.policy import by_logarithms as by_logarithms
from dpbandits.reference.policy import certain as certain
from dpbandits.reference.policy import one_answer as one_answer
from dpbandits.reference.policy import one_arm as one_arm
from dpbandits.reference.selecting import Selecting as Selecting
from dpbandits.reference.selections import LAPLACE as LAPLACE
from dpbandits.reference.selections import NORMAL as NORMAL
from dpbandits.reference.selections import Chances as Chances
from dpbandits.reference.selections import NoiseKind as NoiseKind
from dpbandits.reference.selections import argmax as argmax
from dpbandits.reference.selections import survivors as survivors
from dpbandits.reference.selections import top as top
from dpbandits.reference.winners import released as released
from dpbandits.reference.winners import winner as winner
