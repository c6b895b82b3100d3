"""The environments on which a policy and its reference policy are compared, and checks that both policies have the same
arms, horizon and contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.fastest import play_fastest
from dpbandits.audit.play.many import ContextBatch, TableBatch
from dpbandits.audit.privacy.search.pairs import context_patterns
from dpbandits.audit.statistics.along import ReferenceStep, left_to_chance, pull_sequence, reference_steps
from dpbandits.proofs_checks.exact.state_graph import Side
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.contexts import Contexts, context_dimension, context_norm
from dpbandits.reference.bandits.environments import Environment, Stream, Table
from dpbandits.reference.bandits.noise import Seeded, address
from dpbandits.reference.bandits.play import Played, play
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.bandits.reward_ranges import nearest_payable, reward_range

Ints = NDArray[np.int64]
UNEVEN = "uneven rewards"
DRAWN = "rewards drawn at random"
GENERIC, MAX_DRAWN = 32, 128  # environments that are drawn for a reference without chance, and how many are tried
LEAST_MARGIN = 1e-6  # between the best score and the next one in these
MAX_DRAWN_REWARDS = 2_000_000  # rewards that are drawn anew, at most: 16 MB


def same_shape(policy: Policy, reference: Policy) -> None:
    """Raises ValueError unless both policies have the same numbers of arms, pulls and contexts."""
    if (policy.arms, policy.horizon) != (reference.arms, reference.horizon):
        raise ValueError(
            f"the policy has arms = {policy.arms} and horizon = {policy.horizon}, but the reference has arms "
            f"= {reference.arms} and horizon = {reference.horizon}; they must be equal"
        )
    if context_dimension(policy) != context_dimension(reference):
        said = [f"contexts = {d}" if (d := context_dimension(each)) else "no contexts" for each in (policy, reference)]
        raise ValueError(f"the policy has {said[0]}, but the reference has {said[1]}; they must be equal")


def repro_call(name: str, trials: int, seed: int) -> str:
    """Returns the Python call that repeats a check."""
    return f"dpbandits.{name}(policy, reference, trials={trials}, seed={seed})"


def probes(policy: Policy) -> dict[str, Side]:
    """Returns reward tables that expose many bugs, such as equal arms and changing rewards.
    They have equal arms, a best arm, rewards that change, uneven rewards, and rewards that rise or fall from round to
    round."""
    shape, rewards = (policy.arms, policy.horizon), reward_range(policy)
    arm, pull = np.indices(shape)
    uneven = np.random.default_rng(address("probes", *shape)).integers(0, 2**10 + 1, shape) / 2**10
    low, high = rewards
    time = (pull + 0.5) / policy.horizon
    rising = nearest_payable(policy, rewards.at(np.where(arm % 2 == 0, time, 1 - time)))
    tables: dict[str, Side] = {
        name: Table(nearest_payable(policy, rewards.at(shares)), None, low, high)
        for name, shares in {
            f"all arms pay {high:g}": np.ones(shape),
            f"the last arm pays {high:g}, the others {low:g}": (arm == policy.arms - 1).astype(float),
            f"arms pay {low:g} and {high:g} in turn": ((arm + pull) % 2).astype(float),
            UNEVEN: uneven,
        }.items()
    }
    tables |= {"rewards rise from round to round, every other arm's fall": Stream(rising, None, low, high)}
    return with_contexts(policy, tables) if context_dimension(policy) else tables


def decides_by_scores(reference: HasLaw, environments: Mapping[str, Side]) -> bool:
    """Whether the reference has no randomness, but decides by scores.
    In all environments, its law names the arm with the best score and leaves nothing to chance."""
    for environment in environments.values():
        steps = own_steps(reference, environment)
        if steps is None or any(not step.decisions.scored or left_to_chance(step.law).any() for step in steps):
            return False
    return True


def own_steps(reference: HasLaw, environment: Side) -> list[ReferenceStep] | None:
    """Plays one run of the reference and returns its steps with their laws; None if the law of a step is unknown."""
    try:
        steps = reference_steps(
            reference, environment, play(reference, environment, Seeded(0, 1), 1), answers(reference)
        )
    except NoLaw:
        return None
    return None if isinstance(steps, str) else steps


def generic_probes(reference: HasLaw) -> dict[str, Side]:
    """Returns environments with random rewards, and contexts, for a reference that pulls the arm with the best score.
    Only environments in which the best score leads by a margin are used, so that rounding affects no decision."""
    found, rewards, d = dict[str, Side](), reward_range(reference), context_dimension(reference)
    for k in range(MAX_DRAWN):
        drawn = np.random.Generator(np.random.Philox(address("generic", reference.arms, reference.horizon, d, k)))
        shares = drawn.random((reference.arms, reference.horizon))
        table = Table(nearest_payable(reference, rewards.at(shares)), None, *rewards)
        if d:
            features = drawn.standard_normal((reference.horizon, reference.arms, d))
            features *= (
                context_norm(reference)
                * drawn.random(features.shape[:2])[..., None]
                / np.maximum(np.sqrt((features**2).sum(axis=2, keepdims=True)), 1e-9)
            )
            table = replace(table, contexts=Contexts(features))
        steps = own_steps(reference, table)
        if steps is not None and min(step.decisions.margin for step in steps) >= LEAST_MARGIN:
            found[f"{DRAWN} {len(found) + 1}"] = table
        if len(found) == GENERIC:
            break
    return found


def uneven_probe(policy: Policy) -> Side:
    """Returns the reward table with uneven rewards, among the probes of this policy."""
    return next(each for name, each in probes(policy).items() if name.startswith(UNEVEN))


def with_contexts(policy: Policy, tables: dict[str, Side]) -> dict[str, Side]:
    """Adds contexts to these tables. Each kind of contexts is used once, and the tables are used in turn."""
    paid, found = list(tables.items()), dict[str, Side]()
    for k, (seen, contexts) in enumerate(context_patterns(policy).items()):
        name, table = paid[k % len(paid)]
        found[f"{name}; {seen}"] = replace(table, contexts=contexts)  # type: ignore[type-var]
    return found


def random_tables_for_each_run(policy: Policy, trials: int) -> dict[str, Environment]:
    """Returns an environment with different uneven rewards for every run.
    At most MAX_DRAWN_REWARDS rewards are drawn. So some run meets rewards to which a policy reacts only rarely."""
    many, rewards = max(1, min(trials, MAX_DRAWN_REWARDS // (policy.arms * policy.horizon))), reward_range(policy)
    drawn = np.random.default_rng(address("drawn anew", policy.arms, policy.horizon))
    shares = drawn.integers(0, 2**10 + 1, (many, policy.arms, policy.horizon)) / 2**10
    tables = np.array([nearest_payable(policy, rewards.at(share)) for share in shares])
    which = np.arange(trials) % many
    if not context_dimension(policy):
        return {"uneven rewards of its own for every run": TableBatch("pull", tables, which)}
    every = tuple(context_patterns(policy).values())
    contexts = ContextBatch(every, np.arange(many) % len(every), which)
    return {
        "uneven rewards of its own for every run; several contexts": TableBatch("pull", tables, which, None, contexts)
    }


def all_pulls_and_answers(played: Played, horizon: int) -> Ints:
    """Returns the pulled arms, padded with -1 to the horizon, and the answer of each run, (trials, horizon + 1)."""
    pulls = pull_sequence(played)
    unused: Ints = np.full((len(pulls), horizon - pulls.shape[1]), -1)
    return np.column_stack([pulls, unused, played.answers])


def runs(policy: Policy, environment: Environment, seed: int, trials: int, singly: bool) -> Played:
    """Plays this many runs of the policy in an environment, together or one by one, and returns them.
    singly: whether to play each by itself, with its own noise; the runs are then padded to the steps of the longest."""
    if not singly:
        return play_fastest(policy, environment, Seeded(seed, trials), trials)
    every = [play(policy, environment, Seeded(seed, 1, block), 1) for block in range(trials)]
    steps = max(each.released.shape[1] for each in every)
    padded = [np.pad(each.released, ((0, 0), (0, steps - each.released.shape[1]), (0, 0))) for each in every]
    return Played(
        np.concatenate(padded), *(np.concatenate(part) for part in zip(*(each[1:] for each in every), strict=True))
    )
