"""Tests whether a policy follows the law of a reference policy: in each state that the policy's own runs reach, its
decisions are compared with this law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

import numpy as np

from dpbandits.audit.claims.proofs import lawful
from dpbandits.audit.judges.effort import RISK, demand_trials
from dpbandits.audit.play.probes import MAX_SINGLE_STEPS, PLAYED_SINGLY, TrialFault, probe
from dpbandits.audit.statistics import e_values
from dpbandits.audit.statistics.along import ReferenceStep, left_to_chance, reference_steps
from dpbandits.audit.statistics.copies import copies_remark, is_deterministic, unused_randomness
from dpbandits.audit.statistics.decisions import Decisions
from dpbandits.audit.statistics.e_values import caught_shifts, evidence_in_words, evidence_table, too_few_in_words
from dpbandits.audit.statistics.learned import ALL_SHARE, with_other_laws
from dpbandits.audit.statistics.pasts import Pasts
from dpbandits.extensions.conformance.games import (
    DRAWN,
    decides_by_scores,
    generic_probes,
    probes,
    repro_call,
    runs,
    same_shape,
)
from dpbandits.proofs_checks.exact.follow_transcripts import EXCLUDED_RISK_SHARE
from dpbandits.proofs_checks.exact.state_graph import Side
from dpbandits.reference.arithmetic.checks import NoLaw, checked_integer, require_in_open_interval
from dpbandits.reference.bandits.environments import Environment, Stream, Table
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.play import Played
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.bandits.protocol import demand_policy, name_of
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.claims import findings
from dpbandits.reference.claims.model import Finding, Verdict
from dpbandits.reference.claims.text import shifts_in_words

FEW_RUNS = 64  # runs in an environment that is drawn at random, and of a policy that draws nothing
WATCHED_ENVIRONMENTS = 3  # environments in which it is recorded whether a policy draws


def follows_law(
    policy: Policy,
    reference: HasLaw | Policy,
    environments: Mapping[str, Environment] | None = None,
    trials: int = 20_000,
    seed: int = 0,
    level: float = RISK,
    sequential: bool = False,
) -> Finding:
    """Tests whether the pulls of a policy follow the exact law of a reference policy, along the policy's own runs.

    policy: the implementation. reference: a policy with a `law`, and with the same arms and horizon. environments:
    fixed rewards to play on, by name. None means some environments in which many bugs have an effect: equal arms, a
    best arm, rewards that change, and uneven rewards. trials: the number of runs in each environment. seed: the seed of
    all random numbers. level: the largest probability that a conforming policy is refuted. sequential: whether to stop
    as soon as the policy is refuted. The number of trials is then an upper limit, the policy is tested after 64, 128,
    ... runs, and the level holds for all these tests together.

    Pulls are compared one by one, so a policy may release blocks where the reference makes single pulls. Pulls are
    compared step by step if the reference makes a varying number of pulls in a step, or if runs end with a
    recommendation. If the law is deterministic, every decision is compared without statistics, also in additional
    environments in which the best score exceeds all others by a margin. The finding then states how many decisions
    agree, and the smallest margin. If several arms tie, any of them is accepted if the law states this
    (`laws.largest`). The verdict is NOT_EXERCISED if too little was random to refute anything. The verdict is
    NOT_APPLICABLE if the runs of the policy depend on each other, or if the reference has no known law (`lawful`). A
    law that is unknown in a state that the policy reaches (NoLaw) has the same effect, except if other environments
    refute the policy. A policy with randomness of its own is played one run at a time, with fewer runs. Raises
    ValueError if arms or horizons differ or a number is invalid, and TypeError if policy is not a policy.
    """
    sides = demand_comparable(policy, reference, environments, trials, level)
    seed = checked_integer(seed, "seed", 0, 2**64 - 1)
    call = repro_call("follows_law", trials, seed)
    if (known := lawful(reference)) is not None and decides_by_scores(known, sides):
        sides |= generic_probes(known) if environments is None else {}
        if all(unused_randomness(policy, side, seed)[0] for side in list(sides.values())[:WATCHED_ENVIRONMENTS]):
            trials = min(trials, FEW_RUNS)  # all runs are the same
    game = law_game(policy, reference, sides, seed)
    if isinstance(game, Finding):
        return replace(game, repro=call)
    most = min(trials, max(1, MAX_SINGLE_STEPS // policy.horizon)) if game.singly else trials
    if sequential:
        share = level / len(e_values.doubling_looks(most))
        found = e_values.first_decided(most, "runs in each environment", lambda many: finding_by_law(game, many, share))
        return replace(found, repro=f"{call[:-1]}, sequential=True)")
    return replace(finding_by_law(game, most, level), repro=call)


class LawGame(NamedTuple):
    """A policy, the reference that it is compared with, and the environments to play in. known: the reference as a
    policy that knows its law. seed: of all runs. singly: whether each run is played by itself."""

    policy: Policy
    reference: Policy
    known: HasLaw
    sides: Mapping[str, Side]
    seed: int
    singly: bool


def law_game(policy: Policy, reference: HasLaw | Policy, sides: Mapping[str, Side], seed: int) -> LawGame | Finding:
    """Returns what is needed to compare the policy with the reference's law, or a finding.
    It is a finding if the law is unknown or runs depend on each other; the finding gives this reason."""
    known = lawful(reference)
    if known is None:
        summary = (
            f"{name_of(reference)} says no law: it would have to offer law(t, state), the probabilities of step "
            "t's arm. `replay` needs none"
        )
        return Finding("conformance/law", Verdict.NOT_APPLICABLE, summary)
    probed = {name: each for name, each in sides.items() if not name.startswith(DRAWN)}
    faults = {probe(policy, each, address(seed, "probe", name)) for name, each in probed.items()}
    if TrialFault.DEPENDENT_TRIALS in faults:
        return Finding("conformance/law", Verdict.NOT_APPLICABLE, f"{TrialFault.DEPENDENT_TRIALS}.")
    return LawGame(policy, reference, known, sides, seed, TrialFault.OWN_RANDOMNESS in faults)


def finding_by_law(game: LawGame, trials: int, level: float) -> Finding:
    """Plays this many runs in each environment, compares them with the law, and returns the finding.
    It does not yet contain the command line that repeats it."""
    policy, reference, known, sides, seed, singly = game
    rare, level = EXCLUDED_RISK_SHARE * level / len(sides), (1 - EXCLUDED_RISK_SHARE) * level
    by_steps = answers(policy) or answers(reference)
    found, lawless = [], ""
    for name, environment in sides.items():
        many = min(trials, FEW_RUNS) if name.startswith(DRAWN) else trials
        played = runs(policy, environment, address(seed, "conformance", name), many, singly)
        try:
            one = evidence_in(name, known, environment, played, by_steps, rare, len(sides))
        except NoLaw as reason:  # no evidence either way: what the others say stays as it is
            lawless = lawless or f"{name}: {reason}"
            continue
        if isinstance(one, str):
            return Finding("conformance/law", Verdict.REFUTED, f'in the environment "{name}", {one}')
        found.append(one)
    if (chances := sum(one.chances for one in found)) and is_deterministic(policy):
        where = f"{type(reference).__name__} leaves the release to chance in {chances} of the steps that the runs made"
        return Finding(
            "conformance/law", Verdict.REFUTED, f"the policy says deterministic=True, and the law of {where}"
        )
    if chances and (why := copies_in(game, trials)):
        return Finding("conformance/law", Verdict.NOT_APPLICABLE, f"{why}.")
    spoken = any(one.groups for one in found)
    finding = conformance_finding(found, trials, len(sides), singly, reference, level) if spoken else None
    if finding is None or (lawless and finding.verdict is not Verdict.REFUTED):
        return Finding("conformance/law", Verdict.NOT_APPLICABLE, lawless)
    return finding


def copies_in(game: LawGame, trials: int) -> str:
    """Returns a remark if, in every environment, all runs of the policy are copies of one run; otherwise ""."""
    found = ""
    for name, environment in game.sides.items():
        found = copies_remark(game.policy, environment, address(game.seed, "copies", name), trials)
        if not found:
            return ""
    return found


def demand_comparable(
    policy: Policy,
    reference: HasLaw | Policy,
    environments: Mapping[str, Environment] | None,
    trials: int,
    level: float,
) -> dict[str, Side]:
    """Returns the environments to play on, by name.
    Raises ValueError and TypeError for arguments that `follows_law` cannot compare."""
    demand_policy(policy)
    demand_policy(reference)
    same_shape(policy, reference)
    demand_trials("trials", trials)
    require_in_open_interval("level", level, 0, 1)
    if environments is not None and not environments:
        raise ValueError(
            "environments is empty; give a dict of reward tables or streams by name, or None for the default "
            "ones (`probes`)"
        )
    return fixed_environments(probes(reference) if environments is None else environments)


class Evidence(NamedTuple):
    """The evidence from the runs in one environment. groups: e-values of the releases. chances: the number of random
    releases. longest: the steps of the longest run. lightest: the smallest logarithm of a weight. decisions: those in
    which the release is certain."""

    groups: list[e_values.EvidenceGroup]
    chances: int
    longest: int
    lightest: float
    decisions: Decisions
    steps: list[ReferenceStep]


def evidence_in(
    name: str, known: HasLaw, environment: Side, played: Played, by_steps: bool, rare: float, environments: int
) -> Evidence | str:
    """Computes the evidence against the reference's law from the runs in one environment.
    Returns a description instead if a release is impossible by the law. environments: how many there are. Raises
    NoLaw."""
    beside = Pasts(known.arms, known.horizon, name, -float(np.log(environments * e_values.GROUPINGS)))
    steps = reference_steps(known, environment, played, by_steps, rare, beside.add)
    if isinstance(steps, str):
        return steps
    chances = sum(int(step.visits[left_to_chance(step.law).any(axis=1)].sum()) for step in steps)
    groups = [*e_values.evidence_groups(steps, name, -float(np.log(environments))), *beside.groups]
    decisions = reduce(Decisions.joined, (step.decisions for step in steps), Decisions())
    return Evidence(groups, chances, len(steps), float(e_values.log_weights(steps).min()), decisions, steps)


def fixed_environments(environments: Mapping[str, Environment]) -> dict[str, Side]:
    """Returns the environments unchanged. Raises ValueError if one has random rewards."""
    sides: dict[str, Side] = {}
    for name, environment in environments.items():
        if not isinstance(environment, Table | Stream):
            raise ValueError(
                f"{name}: {type(environment).__name__} draws rewards at random, but a law can be checked only for "
                "fixed rewards; give a Table or Stream"
            )
        sides[name] = environment
    return sides


def conformance_finding(
    evidence: list[Evidence], trials: int, environments: int, singly: bool, reference: Policy, level: float
) -> Finding:
    """Returns the finding from the evidence of all environments together.
    trials: runs in each; singly: whether each was played by itself; level: the probability with which a policy that
    follows the law is refuted."""
    law, steps = f"the law of {type(reference).__name__}", [step for one in evidence for step in one.steps]
    groups = with_other_laws([group for one in evidence for group in one.groups], steps)
    log_evidence = e_values.log_mean_evidence(groups)
    table = evidence_table(groups, "Where the release fits the law worst")
    if log_evidence >= -np.log(level):
        summary = evidence_in_words(log_evidence, law, table, "released")
        body = findings.CheckFound(findings.stored(log_evidence / np.log(10), findings.Side.BELOW), trials)
        return Finding("conformance/law", Verdict.REFUTED, summary, (table,), body=body)
    if not any(one.chances for one in evidence):
        return decided_finding(reduce(Decisions.joined, (one.decisions for one in evidence)), environments, law)
    many = f"{trials} runs in each of {environments} environments"
    most, telling = e_values.max_log_evidence(groups)
    if most < -np.log(level):
        return Finding("conformance/law", Verdict.NOT_EXERCISED, too_few_in_words(many, most, telling, level), (table,))
    body = shifts_of(evidence, trials, environments, reference, level * (1 - ALL_SHARE))
    limit = shifts_in_words(body) or f"detected: {telling}"
    how = f"; {PLAYED_SINGLY}" if singly else ""
    return Finding("conformance/law", Verdict.CONSISTENT, f"{many} fit {law}{how}", (table,), limit, body=body)


def decided_finding(decisions: Decisions, environments: int, law: str) -> Finding:
    """Returns the finding for a law without randomness with which every release agrees."""
    name, many = "conformance/law", decisions.compared
    if not many:
        return Finding(name, Verdict.NOT_EXERCISED, f"{law} leaves nothing to decide here: there is one arm")
    said = f"{many} decisions in {environments} environments are those of {law}, which leaves nothing to chance in them"
    limit = (
        "a policy that decides otherwise in one of these states is refuted for certain; other states were not visited"
    )
    body = findings.CheckFound(runs=environments)
    return Finding(name, Verdict.CONSISTENT, said + decisions.remarks, resolution=limit, body=body)


def shifts_of(
    evidence: list[Evidence], trials: int, environments: int, reference: Policy, level: float
) -> findings.CheckFound:
    """Returns the smallest deviation of probabilities that would have been detected.
    It is computed for the environment with the fewest random releases."""
    visits = min([trials * (reference.horizon + 1), *(one.chances for one in evidence if one.chances)])
    longest = max(1, *(one.longest for one in evidence))
    lightest = min(0.0, *(one.lightest for one in evidence))
    return caught_shifts(trials, environments, longest, reference.arms, level, lightest, visits)
