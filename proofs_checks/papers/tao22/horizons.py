"""The regret of all algorithms at any horizon, on the settings of Section 6."""

from __future__ import annotations

from dpbandits.proofs_checks.papers.tao22 import optimism
from dpbandits.proofs_checks.papers.tao22.phases import Between, regret
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.papers.tao22 import DPRSE, repaired_ldprse
from dpbandits.reference.papers.tao22.arms import S_1, S_2, S_3, section_6

SETTINGS = {"S_1": S_1, "S_2": S_2, "S_3": S_3}


def gaps(means: tuple[float, ...]) -> list[float]:
    return [max(means) - mean for mean in means]


def central(means: tuple[float, ...], horizon: float, eps: float, v: float) -> Between:
    """Algorithm 3 with the printed constants."""
    environment = section_6(means, v)
    return regret(DPRSE(5, int(horizon), eps, v, environment.moment(1 + v)), environment)


def local(means: tuple[float, ...], horizon: float, eps: float, v: float) -> Between:
    """Algorithm 4 with the root of its proof in line 21."""
    environment = section_6(means, v)
    u = environment.moment(1 + v)
    return regret(repaired_ldprse(arms=5, horizon=int(horizon), eps=eps, v=v, u=u), environment)


def optimistic(means: tuple[float, ...], horizon: float, eps: float, v: float) -> float:
    """What Algorithm 1 suffers at least: `optimism.least_pulls` of every arm."""
    u, T = section_6(means, v).moment(1 + v), float(horizon)
    pulls = float(optimism.least_pulls(doubles, 5, T, eps, v, u, max(gaps(means))))
    return pulls * sum(gaps(means)) * (1 - 10 / T**3)
