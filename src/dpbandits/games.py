"""How private Thompson sampling is, in numbers that are certified: the threshold games of ou24's Algorithms 1 and 2,
and of hu25's DP-TS-UCB while its budget is not spent."""

from dpbandits.proofs_checks.game.bound import Upper as Upper
from dpbandits.proofs_checks.game.bound import certified_curve as certified_curve
from dpbandits.proofs_checks.game.epochs import Epochs as Epochs
from dpbandits.proofs_checks.game.epochs import WorstMeans as WorstMeans
from dpbandits.proofs_checks.game.epochs import epochs_curve as epochs_curve
from dpbandits.proofs_checks.game.epochs import worst_means as worst_means
from dpbandits.proofs_checks.game.lonely import LonelyAttack as LonelyAttack
from dpbandits.proofs_checks.game.lonely import lonely_attack as lonely_attack
from dpbandits.proofs_checks.game.rules import Sampler as Sampler
