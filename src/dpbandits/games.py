"""Certified bounds on the privacy of Thompson sampling: the threshold games of ou24's Algorithms 1 and 2, and of hu25's
DP-TS-UCB as long as its budget is not spent."""

import dpbandits.former_names
from dpbandits.extensions.thompson.bound import Upper as Upper
from dpbandits.extensions.thompson.bound import certified_curve as certified_curve
from dpbandits.extensions.thompson.curve_table import tabled_curve as tabled_curve
from dpbandits.extensions.thompson.epochs import Epochs as Epochs
from dpbandits.extensions.thompson.epochs import WorstMeans as WorstMeans
from dpbandits.extensions.thompson.epochs import epochs_curve as epochs_curve
from dpbandits.extensions.thompson.epochs import worst_means as worst_means
from dpbandits.extensions.thompson.loss_distribution import loss_distribution as loss_distribution
from dpbandits.extensions.thompson.rules import Sampler as Sampler
from dpbandits.extensions.thompson.single_pull_attack import SinglePullAttack as SinglePullAttack
from dpbandits.extensions.thompson.single_pull_attack import single_pull_attack as single_pull_attack

__getattr__ = dpbandits.former_names.attributes_by_former_names(
    __name__, {"LonelyAttack": "SinglePullAttack", "lonely_attack": "single_pull_attack"}
)
