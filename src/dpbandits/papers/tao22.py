"""Tao, Wu, Zhao, Wang: Optimal Rates of (Locally) Differentially Private Heavy-tailed Multi-Armed Bandits
(AISTATS 2022)"""

from dpbandits.reference.papers.tao22 import DPRSE as DPRSE
from dpbandits.reference.papers.tao22 import DPRUCB as DPRUCB
from dpbandits.reference.papers.tao22 import LDPRSE as LDPRSE
from dpbandits.reference.papers.tao22 import Elimination as Elimination
from dpbandits.reference.papers.tao22 import Messages as Messages
from dpbandits.reference.papers.tao22 import Pareto as Pareto
from dpbandits.reference.papers.tao22 import Randomizer as Randomizer
from dpbandits.reference.papers.tao22 import Tree as Tree
from dpbandits.reference.papers.tao22 import TwoPoint as TwoPoint
from dpbandits.reference.papers.tao22 import messages as messages
from dpbandits.reference.papers.tao22 import repaired_ldprse as repaired_ldprse
