"""Propensities of Thompson sampling: seconds and errors beside Monte Carlo, and what its draws cost an evaluation.

Three tables: microseconds of a round, by the number of arms, with the largest error of as many draws as public code
makes (1024, and 100 000); off-policy estimates from logs of Thompson sampling, whose propensities are exact, or shares
of so many draws; and obp (the Open Bandit Pipeline), what it draws and what it estimates, where it is installed.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import numpy as np

from dpbandits import beta_propensities, propensities

DRAWS = (1024, 10_000, 100_000)
MEANS = np.array([0.5, 0.45, 0.4, 0.35, 0.3])
TARGET = np.full(len(MEANS), 1 / len(MEANS))  # the policy to evaluate: every arm alike
LOGS, ROUNDS = 1000, 1000
OBP_ROUNDS = 2000


def main() -> int:
    rng = np.random.default_rng(0)
    print("posterior arms  exact us  1024 draws us, error  100 000 draws us, error  sum off by")
    for arms in (2, 5, 10, 50):
        pulls, rate = rng.integers(1, 2000, (2000, arms)), rng.uniform(0, 1, (2000, arms))
        timed("normal", lambda *law: rng.normal(*law), propensities, rate, 1 / np.sqrt(pulls + 1))
        # A log of one run: from round to round, one arm is pulled once more.
        counts = 1 + np.cumsum(np.eye(arms)[rng.integers(0, arms, 2000)], axis=0)
        won = 1 + np.floor(rng.uniform(0, 1, arms) * counts)
        timed("Beta", lambda *law: rng.beta(*law), beta_propensities, won, 2 + counts - won)
    evaluations(rng)
    return beside_obp(rng)


def timed(name: str, draw: Callable[..., Any], exact: Callable[..., Any], *law: Any) -> None:
    """A row of the first table: all rounds exactly, and five of them by draws."""
    begin = time.process_time()
    chance = exact(*law)
    arms, some = chance.shape[1], np.linspace(0, len(chance) - 1, 5).astype(int)
    cells = [f"{name:9} {arms:4}  {1e6 * (time.process_time() - begin) / len(chance):8.1f}"]
    for draws in (DRAWS[0], DRAWS[-1]):
        begin = time.process_time()
        found = [
            np.bincount(
                draw(*(part[row] for part in law), (draws, chance.shape[1])).argmax(1), minlength=chance.shape[1]
            )
            for row in some
        ]
        spent, off = (time.process_time() - begin) / 5, np.abs(np.array(found) / draws - chance[some]).max()
        cells.append(f"{1e6 * spent:12.0f} {off:8.1g}")
    print("  ".join([*cells, f"{np.abs(chance.sum(axis=1) - 1).max():.1g}"]), flush=True)


def logs(rng: Any) -> tuple[Any, ...]:
    """Means, deviations, arms and rewards of Thompson sampling's rounds: N(S_i/(n_i + 1), 1/(4 (n_i + 1)))."""
    pulls, total, each = np.zeros((LOGS, len(MEANS))), np.zeros((LOGS, len(MEANS))), np.arange(LOGS)
    rows = []
    for _ in range(ROUNDS):
        mean, deviation = total / (pulls + 1), 0.5 / np.sqrt(pulls + 1)
        arm = rng.normal(mean, deviation).argmax(axis=1)
        paid = (rng.random(LOGS) < MEANS[arm]).astype(float)
        rows.append((mean, deviation, arm, paid))
        pulls[each, arm] += 1
        total[each, arm] += paid
    return tuple(np.stack(part, axis=1) for part in zip(*rows, strict=True))


def estimates(mean: Any, arm: Any, paid: Any, pscore: Any) -> tuple[Any, Any]:
    """Of TARGET's reward, by inverse propensity scores and doubly robust, (logs,) each; its model: the mean so far."""
    weight = TARGET[arm] / pscore
    model = np.take_along_axis(mean, arm[..., None], axis=-1)[..., 0]
    return (weight * paid).mean(axis=1), (mean @ TARGET + weight * (paid - model)).mean(axis=1)


def evaluations(rng: Any) -> None:
    mean, deviation, arm, paid = logs(rng)
    begin = time.process_time()
    exact = np.take_along_axis(propensities(mean, deviation), arm[..., None], axis=-1)[..., 0]
    print(
        f"\n{LOGS} logs of {ROUNDS} rounds, exact in {time.process_time() - begin:.1f} s; the least {exact.min():.1g}"
    )
    print("propensities     IPS: bias, error of it, deviation, rmse   doubly robust: the same   logs with a share of 0")
    for draws in (None, *DRAWS):
        share = rng.binomial(draws, exact) / draws if draws else exact  # how often so many draws choose the arm
        none = (share == 0).any(axis=1).mean()
        found = estimates(mean, arm, paid, np.maximum(share, 1 / draws) if draws else exact)
        cells = []
        for off in (each - MEANS @ TARGET for each in found):
            size = np.sqrt((off**2).mean())
            cells.append(f"{off.mean():+.4f} {off.std() / LOGS**0.5:.4f} {off.std():.4f} {size:.4f}")
        print(f"{f'{draws} draws' if draws else 'exact':14}   {'   '.join(cells)}   {none:.3f}", flush=True)


def obp() -> ModuleType | None:
    """The library, whose policies need no torch, though its package asks for it; None where it is not installed."""
    if not importlib.util.find_spec("torch"):
        absent = MagicMock(Tensor=type(None), Module=object, Dataset=object)
        for name in ("torch", "torch.nn", "torch.optim", "torch.nn.functional", "torch.utils", "torch.utils.data"):
            sys.modules[name] = absent
            setattr(absent, name.rpartition(".")[2], absent)
    try:
        return importlib.import_module("obp")
    except ImportError as error:
        print(f"\nobp is left out: {error}")
        return None


def beside_obp(rng: Any) -> int:
    """Its draws beside the exact chances, and its estimates beside those above, of the same log; 1 where they differ by
    more than chance, or rounding, makes them."""
    if not (library := obp()):
        return 0
    policies, ope = importlib.import_module("obp.policy"), importlib.import_module("obp.ope")
    policy = policies.BernoulliTS(n_actions=len(MEANS), random_state=0)
    a, b = (np.empty((OBP_ROUNDS, len(MEANS))) for _ in range(2))
    arm, paid = np.empty(OBP_ROUNDS, int), np.empty(OBP_ROUNDS)
    for step in range(OBP_ROUNDS):
        a[step], b[step] = policy.reward_counts + 1, policy.action_counts - policy.reward_counts + 1
        arm[step] = policy.select_action()[0]
        paid[step] = rng.random() < MEANS[arm[step]]
        policy.update_params(int(arm[step]), paid[step])
    begin = time.process_time()
    exact = beta_propensities(a, b)
    print(
        f"\nobp {library.__version__}, BernoulliTS, {OBP_ROUNDS} rounds: exact in {time.process_time() - begin:.2f} s"
    )
    off = []
    for draws in (DRAWS[0], DRAWS[-1]):
        begin = time.process_time()
        share = policy.compute_batch_action_dist(n_rounds=1, n_sim=draws)[0, :, 0]
        spent = time.process_time() - begin
        now = beta_propensities(policy.reward_counts + 1, policy.action_counts - policy.reward_counts + 1)
        miss = np.abs(share - now)
        off.append((miss / np.sqrt(now * (1 - now) / draws)).max())
        print(f"{draws:7} draws of one round: {spent:6.2f} s, off by {miss.max():.1g}, {off[-1]:.1f} deviations")
    mean, pscore = a / (a + b), exact[np.arange(OBP_ROUNDS), arm]
    given = {"reward": paid, "action": arm, "pscore": pscore, "position": np.zeros(OBP_ROUNDS, int)}
    wanted = np.tile(TARGET, (OBP_ROUNDS, 1))[..., None]
    theirs = (
        ope.InverseProbabilityWeighting().estimate_policy_value(**given, action_dist=wanted),
        ope.DoublyRobust().estimate_policy_value(
            **given, action_dist=wanted, estimated_rewards_by_reg_model=mean[..., None]
        ),
    )
    ours = [float(each[0]) for each in estimates(mean[None], arm[None], paid[None], pscore[None])]
    print(f"IPS and doubly robust by obp {theirs[0]:.15f} {theirs[1]:.15f}, by numpy {ours[0]:.15f} {ours[1]:.15f}")
    return int(max(off) > 5 or not np.allclose(theirs, ours, rtol=1e-12, atol=0))


if __name__ == "__main__":
    sys.exit(main())
