"""The battery: named checks of an implementation against a page's policy, chosen by what the implementation offers.

    >>> from dpbandits import check_policy
    >>> from dpbandits.papers.ou24 import ThompsonSampling
    >>> checks = check_policy(ThompsonSampling(2, 5), ThompsonSampling(2, 5))
    >>> [check.name for check in checks][:3]
    ['protocol', 'repeats', 'blocks']

In a test, `@pytest.mark.parametrize("check", check_policy(mine, page), ids=lambda check: check.name)`, and then
`assert check.passed(check.judge())`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.claims.deduction import premises_first
from dpbandits.audit.conformance import follows_law, replay
from dpbandits.audit.conformance.frozen import replay_frozen
from dpbandits.audit.conformance.games import same_shape, uneven_probe
from dpbandits.audit.implementations.own_claims import judge_in_batches, why_at_once
from dpbandits.audit.judges.effort import QUICK, Profile, Run, demand_profile
from dpbandits.audit.judges.run_settings import Plan
from dpbandits.audit.play.compiled import play_soonest
from dpbandits.audit.play.probes import probe
from dpbandits.audit.privacy.rounds.histories import NoRounds
from dpbandits.audit.privacy.rounds.single import takes_blocks
from dpbandits.audit.runner.cases import judge_subject
from dpbandits.audit.statistics.expectation import allowance, anderson
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import RELATIONS
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Array, Seeded, address
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.bandits.protocol import protocol_faults
from dpbandits.reference.claims import ledger as library
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim, Finding, Private, Verdict

BEST_ARM_MEAN = 0.9  # the mean of the best arm in the check of regret; the worst one's is 1 - BEST_ARM_MEAN


@dataclass(frozen=True)
class Check:
    """One check of the battery, which nothing has judged yet.

    name: such as "page law (2 arms)". sees: what it could find, in words. judge: makes the finding when it
    is called, `check.judge()`, which costs time; `check.passed(finding)` says whether that is no failure.
    """

    name: str
    sees: str
    judge: Callable[[], Finding]

    @property
    def kind(self) -> str:
        """Its name without the numbers of arms and pulls."""
        return kind_of(self.name)

    def passed(self, finding: Finding) -> bool:
        """Whether the finding is no failure; what is not applicable or could see nothing has not failed."""
        return finding.verdict is not Verdict.REFUTED


class Judged(NamedTuple):
    """What became of a check. reason: why a failure was expected, "" where none was."""

    name: str
    finding: Finding
    reason: str

    @property
    def kind(self) -> str:
        """Its name without the numbers of arms and pulls."""
        return kind_of(self.name)

    @property
    def surprise(self) -> bool:
        """A failure that was not expected, or an expected one that did not come."""
        return (self.finding.verdict is Verdict.REFUTED) != bool(self.reason)


def kind_of(check: str) -> str:
    """The name of a check without the numbers of arms and pulls."""
    return check.partition(" (")[0]


def check_policy(
    policy: Any, reference: Policy, profile: Profile = QUICK, seed: int = 0, sequential: bool = False
) -> list[Check]:
    """The checks of a policy against a page's policy of the same arms and horizon.

    policy: of which nothing is asked yet: what is wrong with it is found by the first check, "protocol", and until it
    passes the others may raise. reference: what the policy claims to be, such as `ThompsonSampling(2, 20)`; its page's
    promises of privacy are asked of the policy. profile: how hard to look. seed: of all that is drawn. sequential:
    whether the trials are a budget in checks of a law, and of the privacy of whole runs without one: they stop as soon
    as the policy is refuted, and their risk holds at every look. Returns the checks, none of them judged yet, for
    `pytest.mark.parametrize`, say. Raises TypeError for what is no Profile.
    """
    plan = Plan(library.ledger(), demand_profile(profile), seed)
    return list(applicable_checks(policy, reference, plan, sequential))


def applicable_checks(policy: Any, reference: Policy, plan: Plan, sequential: bool = False) -> Iterator[Check]:
    """What can be asked of the policy, by what it offers. A new check is one more row here: its name, what it would
    find, and a call that judges it."""
    run = plan.own
    by_law = partial(follows_law, trials=run.profile.trials, seed=run.seed, level=run.level, sequential=sequential)
    yield Check("protocol", "what keeps the object from being a policy", partial(judge_protocol, policy))
    yield Check(
        "repeats",
        "randomness that is not the run's; trials that depend on each other",
        partial(judge_repeats, policy, reference, run.seed),
    )
    seeing = context_dimension(reference) > 0
    if not seeing:  # who sees contexts pulls once in every step, and Bernoulli arms have none
        sees = "a state after several pulls at once that is another than after one by one"
        yield Check("blocks", sees, partial(blocks, policy))
    if isinstance(policy, HasLaw):
        fits = partial(by_law, policy, policy)
        yield Check("own law", "releases that do not fit the policy's declared law", fits)
    fits = partial(by_law, policy, reference)
    yield Check("page law", f"releases that do not fit the law of {type(reference).__name__}", fits)
    same = partial(replay, policy, reference, seed=run.seed)
    yield Check("replay", "pulls that differ although every draw is the page's", same)
    asked = promises(plan.ledger, reference)
    if about := next((relation(claim) for claim in asked if relation(claim) in ("pull", "round", "reward")), ""):
        frozen = partial(replay_frozen, policy, reference, about, run.seed)
        yield Check("frozen replay", "a reward that is read in the clear, or with less noise than the page's", frozen)
    if not seeing:
        sees = "more regret than the page's policy has, on Bernoulli arms"
        yield Check("regret", sees, partial(judge_excess_regret, policy, reference, run))
    for claim in asked:
        where = "single rounds" if relation(claim) == "history" else "whole runs"
        yield Check(
            claim.id,
            f"less privacy than the page promises, in {where}",
            partial(judge_promise, claim, reference, policy, run, sequential),
        )


def run_all(checks: list[Check], expected_failures: Mapping[str, str] | None = None) -> Iterator[Judged]:
    """Every check's finding, one after another; no more where the policy does not speak the protocol.

    expected_failures: the reason by the check's name; without numbers of arms and pulls it is about the check with any
    of them, of which one has to fail. Raises ValueError for a name that is no check.
    """
    known = dict(expected_failures or {})
    unknown = set(known) - {name for check in checks for name in (check.name, check.kind)}
    if unknown:
        raise ValueError(
            f"expected failures name {', '.join(map(repr, sorted(unknown)))}; the checks are "
            f"{', '.join(check.name for check in checks)}"
        )
    failed = set[str]()  # kinds
    for place, check in enumerate(checks):
        finding, kind = check_finding(check), check.kind
        fails = finding.verdict is Verdict.REFUTED
        if fails:
            failed.add(kind)
        reason = known.get(check.name if check.name != kind else "", "")
        settled = fails or not any(other.kind == kind for other in checks[place + 1 :])
        if not reason and settled and (fails or kind not in failed):
            reason = known.get(kind, "")
        yield Judged(check.name, finding, reason)
        if kind == "protocol" and fails:
            return


def check_finding(check: Check) -> Finding:
    """What the check finds; NOT_APPLICABLE where the policy cannot be led to where it looks."""
    try:
        return check.judge()
    except NoRounds as reason:
        return Finding(f"check/{check.name}", Verdict.NOT_APPLICABLE, f"{reason}.")


# -- the checks ------------------------------------------------------------------------------------------------------


def judge_protocol(policy: Any) -> Finding:
    faults = protocol_faults(policy)
    if faults:
        return Finding("check/protocol", Verdict.REFUTED, "; ".join(faults))
    return Finding("check/protocol", Verdict.CONSISTENT, "the first step of two trials was played")


def judge_repeats(policy: Policy, reference: Policy, seed: int) -> Finding:
    same_shape(policy, reference)
    try:
        said = probe(policy, uneven_probe(reference), seed)
    except NoRounds as reason:  # a loop that goes another way than before
        return Finding("check/repeats", Verdict.REFUTED, f"{reason}")
    if said:
        return Finding("check/repeats", Verdict.REFUTED, "; ".join(said))
    return Finding(
        "check/repeats",
        Verdict.CONSISTENT,
        "the same noise gives the same pulls, in a smaller batch and in another order",
    )


def blocks(policy: Policy) -> Finding:
    try:
        same = takes_blocks(policy, policy.arms + 1)
    except ValueError as error:  # it says itself that it learns from single pulls
        return Finding("check/blocks", Verdict.NOT_APPLICABLE, f"no blocks: {error}")
    if same:
        return Finding("check/blocks", Verdict.CONSISTENT, "2 or 3 pulls at once leave the state of one by one")
    return Finding("check/blocks", Verdict.NOT_APPLICABLE, "learns from single pulls alone, as it may")


def judge_excess_regret(policy: Policy, reference: Policy, run: Run) -> Finding:
    """Whether the policy's expected pseudo-regret is certainly larger than the page's policy's, by limits that take
    nothing but the range of a regret."""
    name = "check/regret"
    if policy.arms == 1:
        return Finding(name, Verdict.NOT_EXERCISED, "a single arm has no regret")
    if said := probe(policy, uneven_probe(reference), run.seed):
        return Finding(name, Verdict.NOT_APPLICABLE, f"{'; '.join(said)}.")
    arms = Bernoulli(tuple(float(mean) for mean in np.linspace(BEST_ARM_MEAN, 1 - BEST_ARM_MEAN, policy.arms)))
    trials, most = run.profile.trials, policy.horizon * (2 * BEST_ARM_MEAN - 1)
    mine, pages = (
        anderson(regrets(each, arms, address(run.seed, name, k), trials), 0.0, most, run.level / 2)
        for k, each in enumerate((policy, reference))
    )
    where = (
        f"T = {policy.horizon}, means {', '.join(f'{mean:.2g}' for mean in arms.means)}: the mean regret of {trials} "
    )
    if mine.low > pages.high:
        return Finding(
            name,
            Verdict.REFUTED,
            f"{where}runs is {mine.mean:.4g}, in expectation at least {mine.low:.4g}; the page's is {pages.mean:.4g}, "
            f"at most {pages.high:.4g}",
        )
    shift = allowance(trials, run.level / 2)
    said_of = f"{where}runs is {mine.mean:.4g}, and {pages.mean:.4g} of the page's policy"
    if (1 - shift) * most <= pages.high:
        few = f"{said_of}: not even {most:.4g} in all runs would be certified to be more; give more trials"
        return Finding(name, Verdict.NOT_EXERCISED, few)
    # Hoeffding: the difference of the means lies this far below its expectation with probability 0.1 at most.
    off = (2 * shift + float(np.sqrt(el.log(10) / trials))) * most
    caught = f"an expected regret larger by {off:.3g} is caught with probability 0.9"
    if pages.mean + off > most:
        caught = f"a regret of {most:.4g} in all runs would have been caught"
    return Finding(name, Verdict.CONSISTENT, said_of, resolution=caught)


def regrets(policy: Policy, arms: Bernoulli, seed: int, trials: int) -> Array:
    """The pseudo-regret of each run, (trials,)."""
    pulls = play_soonest(policy, arms, Seeded(seed, trials), trials, keep=False).pulls
    return np.asarray((pulls * (BEST_ARM_MEAN - np.array(arms.means))).sum(axis=1))


def promises(ledger: Ledger, reference: Policy) -> list[Claim]:
    """The claims about privacy that a page makes of such a policy; not those in which a fault is known. A claim about a
    single step does not say whose: it is asked of a policy where one about such a policy's runs follows from it."""
    asked = [claim for claim in ledger.claims if is_promise_about(claim, reference)]
    grounds = premises_first([claim for claim in asked if relation(claim) != "history"], ledger.by_id)
    names = {claim.id for claim in grounds}
    return [claim for claim in asked if claim.id in names]


def is_promise_about(claim: Claim, reference: Policy) -> bool:
    if relation(claim) not in (*RELATIONS, "history") or not isinstance(claim.says, Private):
        return False
    if claim.says.view == "samples" or claim.fault is not None or claim.subject is None:  # a fault: no promise to keep
        return False
    if relation(claim) != "history" and not of_a_kind(claim.subject(**claim.params[0]), reference):
        return False
    try:
        claim.says.curve(reference)
    except (AttributeError, ValueError):  # of another policy of the page, or of one that is not private
        return False
    return True


def of_a_kind(one: Any, other: Policy) -> bool:
    """Whether both are one policy, up to numbers: of one class, and so are the parts that they are made of, such as
    their noise."""
    parts = {name: part for name, part in getattr(other, "__dict__", {}).items() if is_dataclass(part)}
    return isinstance(one, type(other)) and all(type(getattr(one, name)) is type(parts[name]) for name in parts)


def relation(claim: Claim) -> str:
    return claim.says.relation if isinstance(claim.says, Private) else ""


def judge_promise(claim: Claim, reference: Policy, policy: Policy, run: Run, sequential: bool = False) -> Finding:
    """Whether the policy keeps what the page promises of its own: the promise and the hints at bad neighbours are made
    of the reference, whose parameters the policy need not know. sequential: in batches, if it can be judged so."""
    assert isinstance(claim.says, Private)
    says = claim.says
    if says.relation != "history":
        curve, pairs = says.curve, says.pairs
        says = replace(says, curve=lambda _: curve(reference), pairs=pairs and (lambda _: pairs(reference)))
    judge = judge_in_batches if sequential and not why_at_once(says, policy) else judge_subject
    return judge(replace(claim, says=says), run, policy)
