"""The battery: named checks of an implementation against a reference policy, chosen by what the implementation offers.

    >>> from dpbandits import check_policy
    >>> from dpbandits.papers.ou24 import ThompsonSampling
    >>> checks = check_policy(ThompsonSampling(2, 5), ThompsonSampling(2, 5))
    >>> [check.name for check in checks][:3]
    ['protocol', 'repeats', 'blocks']

Some bugs have no effect with two arms, and a privacy bound composed over many rounds may be too loose to expose a bug.
So by default the battery runs with two and with three arms, and checks privacy claims also in short runs.

    >>> from dpbandits import check_policies
    >>> checks = check_policies(ThompsonSampling, ThompsonSampling, horizon=5)
    >>> [check.name for check in checks if "lemma-2" in check.name]
    ['ou24/lemma-2', 'ou24/lemma-2 (3 arms)', 'ou24/lemma-2 (2 arms, T = 3)', 'ou24/lemma-2 (3 arms, T = 3)']

In a test, `@pytest.mark.parametrize("check", check_policy(mine, page), ids=lambda check: check.name)`, and then
`assert check.passed(check.judge())`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import NamedTuple

from dpbandits.audit.judges.effort import QUICK, Plan, Profile, demand_profile
from dpbandits.audit.privacy.single_rounds import NoRounds
from dpbandits.extensions.conformance.battery_checks import (
    guarantees_about,
    judge_blocks,
    judge_excess_regret,
    judge_guarantee,
    judge_protocol,
    judge_repeats,
    relation_of_claim,
)
from dpbandits.extensions.conformance.draws import replay
from dpbandits.extensions.conformance.frozen import replay_frozen
from dpbandits.extensions.conformance.law import follows_law
from dpbandits.proofs_checks.alignment.bounds import Alignment, alignment_bound
from dpbandits.reference.arithmetic.checks import at_least, require_callable
from dpbandits.reference.bandits.contexts import Contexts, context_dimension
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.claims import ledger as library
from dpbandits.reference.claims.model import Finding, Private, Verdict

DEFAULT_ARM_COUNTS = (2, 3)
TELLING = 3  # pulls: so few transcripts that each counts


@dataclass(frozen=True)
class Check:
    """One check of the battery, not yet run.

    name: such as "page law (2 arms)". sees: the kind of error that it detects, in words. `check.judge()` runs the check
    and returns a finding; `check.passed(finding)` is whether the finding is not a failure.
    """

    name: str
    sees: str
    judge: Callable[[], Finding]

    @property
    def kind(self) -> str:
        """The kind of this check: its name without the numbers of arms and pulls."""
        return kind_of(self.name)

    def passed(self, finding: Finding) -> bool:
        """Whether the finding is not a failure. A check that does not apply, or that has no power, does not fail."""
        return finding.verdict is not Verdict.REFUTED


class Judged(NamedTuple):
    """The outcome of a check. reason: why a failure was expected, "" if none was."""

    name: str
    finding: Finding
    reason: str

    @property
    def kind(self) -> str:
        """The kind of the check: its name without the numbers of arms and pulls."""
        return kind_of(self.name)

    @property
    def surprise(self) -> bool:
        """Whether the check failed unexpectedly, or passed although a failure was expected."""
        return (self.finding.verdict is Verdict.REFUTED) != bool(self.reason)


def kind_of(check: str) -> str:
    """The name of a check without the numbers of arms and pulls in parentheses.
    Checks of one kind differ only in these."""
    return check.partition(" (")[0]


def check_policy(
    policy: Policy, reference: Policy, profile: Profile = QUICK, seed: int = 0, sequential: bool = False
) -> list[Check]:
    """Returns the checks of a policy against a reference policy with the same arms and horizon.

    policy: the implementation to be checked. It is not validated here: the first check, "protocol", finds what is wrong
    with it, and other checks may raise errors until this check passes. reference: the policy that is implemented, such
    as `ThompsonSampling(2, 20)`. The privacy claims of its paper are checked for the policy too. profile: the amount of
    computation. seed: the seed of all random numbers. sequential: whether checks of a law, and of the privacy of whole
    runs without a law, stop as soon as the policy is refuted. The number of trials is then an upper limit, and the
    error probability of a check holds whenever it stops. Returns the checks, not yet run, for example for
    `pytest.mark.parametrize`. Raises TypeError for what is no Profile.
    """
    plan = Plan(library.ledger(), demand_profile(profile), seed)
    return list(applicable_checks(policy, reference, plan, sequential))


def applicable_checks(policy: Policy, reference: Policy, plan: Plan, sequential: bool = False) -> Iterator[Check]:
    """Yields the checks that can be run on the policy.
    To add a check, yield one more: its name, the kind of error that it detects, and a call that runs it."""
    run = plan.own
    by_law = partial(follows_law, trials=run.profile.trials, seed=run.seed, level=run.level, sequential=sequential)
    yield Check("protocol", "missing or wrong methods and attributes of the policy", partial(judge_protocol, policy))
    yield Check(
        "repeats",
        "randomness that does not come from the run's noise; trials that depend on each other",
        partial(judge_repeats, policy, reference, run.seed),
    )
    seeing = context_dimension(reference) > 0
    if not seeing:  # who sees contexts pulls once in every step, and Bernoulli arms have none
        sees = "a state after several pulls at once that differs from the state after the same pulls one by one"
        yield Check("blocks", sees, partial(judge_blocks, policy))
    if isinstance(policy, HasLaw):
        fits = partial(by_law, policy, policy)
        yield Check("own law", "releases that do not follow the policy's declared law", fits)
    fits = partial(by_law, policy, reference)
    yield Check("page law", f"releases that do not follow the law of {type(reference).__name__}", fits)
    same = partial(replay, policy, reference, seed=run.seed)
    yield Check("replay", "pulls that differ from those of the reference although all draws are equal", same)
    asked = guarantees_about(plan.ledger, reference)
    if about := next(
        (relation_of_claim(claim) for claim in asked if relation_of_claim(claim) in ("pull", "round", "reward")), ""
    ):
        promised = [claim.says for claim in asked if relation_of_claim(claim) == about]
        curves = [says.curve(reference) for says in promised if isinstance(says, Private)]
        frozen = partial(replay_frozen, policy, reference, about, run.seed, curves=curves)
        sees = "a reward that is used without noise, or with less noise than in the reference"
        yield Check("frozen replay", sees, frozen)
    if not seeing:
        sees = "more regret than the reference has, on Bernoulli arms"
        yield Check("regret", sees, partial(judge_excess_regret, policy, reference, run))
    bounds: dict[int, Alignment] = {}

    def search(given: Policy, seed: int, contexts: Contexts | None) -> Alignment:
        """Returns the alignment bound of the policy, computed once for all guarantees with the same contexts."""
        if id(contexts) not in bounds:
            bounds[id(contexts)] = alignment_bound(given, seed=seed, contexts=contexts)
        return bounds[id(contexts)]

    for claim in asked:
        where = "single rounds" if relation_of_claim(claim) == "history" else "whole runs"
        yield Check(
            claim.id,
            f"less privacy than the paper claims, in {where}",
            partial(judge_guarantee, claim, reference, policy, run, sequential, search),
        )


def run_all(checks: list[Check], expected_failures: Mapping[str, str] | None = None) -> Iterator[Judged]:
    """Runs the checks one after another and yields the result of each.
    If the policy fails the check "protocol", the other checks are not run.

    expected_failures: the reason by the check's name. A name without numbers of arms and pulls means the check with any
    numbers, at least one of which has to fail. Raises ValueError for a name that is no check.
    """
    known = dict(expected_failures or {})
    unknown = set(known) - {name for check in checks for name in (check.name, check.kind)}
    if unknown:
        raise ValueError(
            f"expected_failures contains {', '.join(map(repr, sorted(unknown)))}, but there is no such check; the "
            f"checks are {', '.join(check.name for check in checks)}"
        )
    failed = set[str]()  # kinds
    for place, check in enumerate(checks):
        kind = check.kind
        try:
            finding = check.judge()
        except NoRounds as error:  # the policy cannot be brought into the tested state
            finding = Finding(f"check/{check.name}", Verdict.NOT_APPLICABLE, f"{error}.")
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


# -- shapes ----------------------------------------------------------------------------------------------------------


class BatteryShape(NamedTuple):
    """Numbers of arms and pulls. label: the suffix of a check's name; "" for the default. privacy: whether only privacy
    guarantees are checked."""

    arms: int
    horizon: int
    label: str = ""
    privacy: bool = False


def shapes(arms: Sequence[int] = DEFAULT_ARM_COUNTS, horizon: int = 8) -> list[BatteryShape]:
    """Returns the numbers of arms and pulls for which a battery runs.
    All checks for each number of arms, then only checks of privacy in short runs."""
    whole = [BatteryShape(k, horizon, f"{k} arms" if place else "") for place, k in enumerate(arms)]
    short = [BatteryShape(k, TELLING, f"{k} arm{'s' if k > 1 else ''}, T = {TELLING}", True) for k in arms]
    return whole + (short if horizon > TELLING else [])


def checks_of(
    shape: BatteryShape,
    policy: Policy,
    reference: Policy,
    profile: Profile = QUICK,
    seed: int = 0,
    sequential: bool = False,
) -> list[Check]:
    """Returns the checks of a policy with this number of arms and this horizon against a reference policy.
    If the shape is for privacy only, only the checks of privacy claims."""
    checks = check_policy(policy, reference, profile, seed, sequential)
    if shape.privacy:
        checks = [check for check in checks if "/" in check.name]
    return [replace(check, name=f"{check.name} ({shape.label})" if shape.label else check.name) for check in checks]


def require_callable_with(name: str, make: Callable[..., object], **arguments: object) -> None:
    """Raises TypeError unless the function can be called with these arguments, as far as its signature is known."""
    try:
        signature(make).bind(**arguments)
    except TypeError as error:
        words = ", ".join(f"{each}=" for each in arguments)
        raise TypeError(
            f"{name} cannot be called with {words} ({error}); give a class or a function that accepts these arguments"
        ) from None
    except ValueError:  # of what is built in, no signature is known
        return


def check_policies(
    make: Callable[..., Policy],
    reference: Callable[..., Policy],
    arms: Sequence[int] = DEFAULT_ARM_COUNTS,
    horizon: int = 8,
    profile: Profile = QUICK,
    seed: int = 0,
    sequential: bool = False,
) -> list[Check]:
    """Returns the checks of a maker of policies against a maker of reference policies.
    Both are called with (arms=, horizon=). All checks are made for each number of arms; privacy claims are also checked
    in short runs. sequential: as for `check_policy`. Raises ValueError for numbers below 1, and if arms is empty."""
    require_callable("check_policies: make", make)
    require_callable("check_policies: reference", reference)
    if not isinstance(arms, Iterable):
        raise ValueError(f"check_policies: arms is {arms!r}; give a tuple of numbers of arms, such as (2, 3)")
    arms = tuple(arms)
    at_least("check_policies: numbers of arms, len(arms)", len(arms), 1)
    at_least("check_policies: horizon", horizon, 1)
    for each in arms:
        at_least("check_policies: arms", each, 1)
    for name, what in (("make", make), ("reference", reference)):
        require_callable_with(f"check_policies: {name}", what, arms=arms[0], horizon=horizon)
    checks = []
    for shape in shapes(arms, horizon):
        mine, page = (what(arms=shape.arms, horizon=shape.horizon) for what in (make, reference))
        checks += checks_of(shape, mine, page, profile, seed, sequential)
    return checks
