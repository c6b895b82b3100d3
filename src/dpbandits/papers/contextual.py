"""Linear contextual bandits, as most public code has them (Li, Chu, Langford, Schapire; Foster, Rakhlin); no paper of
the ledger."""

from dpbandits.extensions.contextual.linear_bandits import (
    DisjointLinearThompsonSampling as DisjointLinearThompsonSampling,
)
from dpbandits.extensions.contextual.linear_bandits import ExploringRidge as ExploringRidge
from dpbandits.extensions.contextual.linear_bandits import LinUCB as LinUCB
