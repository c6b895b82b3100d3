"""The checks of a user's policy against a reference policy, and the paper's privacy claims on which some of them are
based."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass, replace

import numpy as np

from dpbandits.audit.claims.deduction import premises_first
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.fastest import play_fastest
from dpbandits.audit.play.probes import probe
from dpbandits.audit.privacy.own_claims import judge_own_policy
from dpbandits.audit.privacy.sequential import why_not_sequential
from dpbandits.audit.privacy.single_rounds import NoRounds, takes_blocks
from dpbandits.audit.statistics.copies import copies_remark, unused_randomness
from dpbandits.audit.statistics.expectation import mean_limits_by_anderson, tail_error_by_massart
from dpbandits.extensions.conformance.games import same_shape, uneven_probe
from dpbandits.proofs_checks.alignment.bounds import Alignment, alignment_bound
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import RELATIONS
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Array, Seeded, address
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.protocol import protocol_faults
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim, Finding, Private, Verdict

BEST_ARM_MEAN = 0.9  # the mean of the best arm in the check of regret; the worst one's is 1 - BEST_ARM_MEAN


def judge_protocol(policy: object) -> Finding:
    """Whether the policy has the methods of `Policy`, and whether their results are valid."""
    faults = protocol_faults(policy)
    if faults:
        return Finding("check/protocol", Verdict.REFUTED, "; ".join(faults))
    return Finding("check/protocol", Verdict.CONSISTENT, "the first step of two trials was played")


def judge_repeats(policy: Policy, reference: Policy, seed: int) -> Finding:
    """Whether the same noise gives the same pulls, in a smaller batch and in another order of trials."""
    same_shape(policy, reference)
    try:
        fault = probe(policy, uneven_probe(reference), seed)
    except NoRounds as reason:  # a loop that goes another way than before
        return Finding("check/repeats", Verdict.REFUTED, f"{reason}")
    if fault is not None:
        return Finding("check/repeats", Verdict.REFUTED, str(fault))
    if copies := why_copies(policy, reference, seed):
        return Finding("check/repeats", Verdict.NOT_APPLICABLE, f"{copies}.")
    return Finding(
        "check/repeats",
        Verdict.CONSISTENT,
        "the same noise gives the same pulls, in a smaller batch and in another order",
    )


def why_copies(policy: Policy, reference: Policy, seed: int) -> str:
    """Returns a remark if all runs of the policy are copies of one run although the reference uses randomness.
    "" otherwise."""
    rewards = uneven_probe(reference)
    said = copies_remark(policy, rewards, seed)
    return "" if said and unused_randomness(reference, rewards, seed)[0] else said


def judge_blocks(policy: Policy) -> Finding:
    """Whether the state after several pulls at once equals the state after the same pulls one by one."""
    try:
        same = takes_blocks(policy, policy.arms + 1)
    except ValueError as error:  # it says itself that it learns from single pulls
        return Finding("check/blocks", Verdict.NOT_APPLICABLE, f"no blocks: {error}")
    if same:
        return Finding("check/blocks", Verdict.CONSISTENT, "2 or 3 pulls at once leave the state of one by one")
    return Finding("check/blocks", Verdict.NOT_APPLICABLE, "learns from single pulls alone, as it may")


def judge_excess_regret(policy: Policy, reference: Policy, run: Run) -> Finding:
    """Judges whether the policy's expected pseudo-regret is certainly larger than the reference's.
    The confidence limits use only the range of a regret."""
    name = "check/regret"
    if policy.arms == 1:
        return Finding(name, Verdict.NOT_EXERCISED, "a single arm has no regret")
    objections = probe(policy, uneven_probe(reference), run.seed), why_copies(policy, reference, run.seed)
    if any(objections):
        return Finding(name, Verdict.NOT_APPLICABLE, f"{'; '.join(filter(None, objections))}.")
    arms = Bernoulli(tuple(float(mean) for mean in np.linspace(BEST_ARM_MEAN, 1 - BEST_ARM_MEAN, policy.arms)))
    trials, most = run.profile.trials, policy.horizon * (2 * BEST_ARM_MEAN - 1)
    mine, pages = (
        mean_limits_by_anderson(regrets(each, arms, address(run.seed, name, k), trials), 0.0, most, run.level / 2)
        for k, each in enumerate((policy, reference))
    )
    where = (
        f"T = {policy.horizon}, means {', '.join(f'{mean:.2g}' for mean in arms.means)}: the mean regret of {trials} "
    )
    if mine.low > pages.high:
        return Finding(
            name,
            Verdict.REFUTED,
            f"{where}runs is {mine.mean:.4g}, in expectation at least {mine.low:.4g}; the regret of the "
            f"paper's policy is {pages.mean:.4g}, "
            f"at most {pages.high:.4g}",
        )
    shift = tail_error_by_massart(trials, run.level / 2)
    said_of = f"{where}runs is {mine.mean:.4g}, and {pages.mean:.4g} for the paper's policy"
    if (1 - shift) * most <= pages.high:
        few = f"{said_of}: not even {most:.4g} in all runs would be certified to be more; give more trials"
        return Finding(name, Verdict.NOT_EXERCISED, few)
    # Hoeffding: the difference of the means lies this far below its expectation with probability 0.1 at most.
    off = (2 * shift + float(np.sqrt(el.log(10) / trials))) * most
    caught = f"an expected regret larger by {off:.3g} would be detected with probability 0.9"
    if pages.mean + off > most:
        caught = f"a regret of {most:.4g} in all runs would have been detected"
    return Finding(name, Verdict.CONSISTENT, said_of, resolution=caught)


def regrets(policy: Policy, arms: Bernoulli, seed: int, trials: int) -> Array:
    """Plays a policy on arms with these means; returns the pseudo-regret of each run, (trials,)."""
    pulls = play_fastest(policy, arms, Seeded(seed, trials), trials, keep=False).pulls
    return np.asarray((pulls * (BEST_ARM_MEAN - np.array(arms.means))).sum(axis=1))


def guarantees_about(ledger: Ledger, reference: Policy) -> list[Claim]:
    """Returns the paper's privacy claims about policies like the reference, except refuted ones.
    A claim about a single step is included if a claim about runs of such policies follows from it."""
    asked = [claim for claim in ledger.claims if is_guarantee_about(claim, reference)]
    grounds = premises_first([claim for claim in asked if relation_of_claim(claim) != "history"], ledger.by_id)
    names = {claim.id for claim in grounds}
    return [claim for claim in asked if claim.id in names]


def is_guarantee_about(claim: Claim, reference: Policy) -> bool:
    """Whether the claim, which is not refuted, guarantees privacy to policies like the reference.
    The claim's curve must also be known for the reference itself."""
    if relation_of_claim(claim) not in (*RELATIONS, "history") or not isinstance(claim.says, Private):
        return False
    if claim.says.view == "samples" or claim.fault is not None or claim.subject is None:  # a fault: no promise to keep
        return False
    if relation_of_claim(claim) != "history" and not of_a_kind(claim.subject(**claim.params[0]), reference):
        return False
    try:
        claim.says.curve(reference)
    except (AttributeError, ValueError):  # of another policy of the page, or of one that is not private
        return False
    return True


def of_a_kind(policy: object, reference: Policy) -> bool:
    """Whether both policies are equal up to numbers: of one class, with parts (such as noise) of the same classes."""
    parts = {name: part for name, part in getattr(reference, "__dict__", {}).items() if is_dataclass(part)}
    return isinstance(policy, type(reference)) and all(
        type(getattr(policy, name)) is type(parts[name]) for name in parts
    )


def relation_of_claim(claim: Claim) -> str:
    """Which inputs count as neighbours in the claim, such as "pull"; "" if it is not a privacy claim."""
    return claim.says.relation if isinstance(claim.says, Private) else ""


def judge_guarantee(
    claim: Claim,
    reference: Policy,
    policy: Policy,
    run: Run,
    sequential: bool = False,
    search: Callable[..., Alignment] = alignment_bound,
) -> Finding:
    """Whether a user's policy satisfies the guarantee that the paper gives for the reference.
    The guarantee, and inputs that probably reveal violations, are computed from the reference, because the policy need
    not have its parameters. PROVED if randomness alignment proves the guarantee. sequential: whether to audit in
    batches, if possible. search: computes the alignment bound."""
    assert isinstance(claim.says, Private)
    says = claim.says
    if says.relation != "history":
        curve, pairs = says.curve, says.pairs
        says = replace(says, curve=lambda _: curve(reference), pairs=pairs and (lambda _: pairs(reference)))
    sequential = sequential and not why_not_sequential(says, policy)
    finding, _ = judge_own_policy(replace(claim, says=says), policy, run, sequential, search=search)
    return finding
