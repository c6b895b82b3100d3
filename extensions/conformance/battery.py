"""The battery: named checks of an implementation against a page's policy, chosen by what the implementation offers.

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
from typing import Any, NamedTuple

from dpbandits.audit.judges.effort import QUICK, Plan, Profile, demand_profile
from dpbandits.audit.privacy.single_rounds import NoRounds
from dpbandits.extensions.conformance.battery_checks import (
    blocks,
    judge_excess_regret,
    judge_promise,
    judge_protocol,
    judge_repeats,
    promises,
    relation,
)
from dpbandits.extensions.conformance.draws import replay
from dpbandits.extensions.conformance.frozen import replay_frozen
from dpbandits.extensions.conformance.law import follows_law
from dpbandits.proofs_checks.alignment.bounds import Alignment, alignment_bound
from dpbandits.reference.arithmetic.checks import at_least, require_callable
from dpbandits.reference.bandits.contexts import context_dimension
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
        """Its name without the numbers of arms and pulls."""
        return kind_of(self.name)

    def passed(self, finding: Finding) -> bool:
        """Whether the finding is not a failure. A check that does not apply, or that has no power, does not fail."""
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

    policy: not validated here. The first check, "protocol", finds what is wrong with it; until it passes, the other
    checks may raise. reference: the policy that it implements, such as `ThompsonSampling(2, 20)`; the privacy claims of
    its page are checked for the policy too. profile: the effort. seed: of all draws. sequential: whether trials are a
    budget in checks of a law, and of the privacy of whole runs without a law: such checks stop as soon as the policy is
    refuted, and their error probability holds whenever they stop. Returns the checks, not yet run, for example for
    `pytest.mark.parametrize`. Raises TypeError for what is no Profile.
    """
    plan = Plan(library.ledger(), demand_profile(profile), seed)
    return list(applicable_checks(policy, reference, plan, sequential))


def applicable_checks(policy: Any, reference: Policy, plan: Plan, sequential: bool = False) -> Iterator[Check]:
    """What can be asked of the policy, by what it offers. A new check is one more row here: its name, what it would
    find, and a call that judges it."""
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
        yield Check("blocks", sees, partial(blocks, policy))
    if isinstance(policy, HasLaw):
        fits = partial(by_law, policy, policy)
        yield Check("own law", "releases that do not follow the policy's declared law", fits)
    fits = partial(by_law, policy, reference)
    yield Check("page law", f"releases that do not follow the law of {type(reference).__name__}", fits)
    same = partial(replay, policy, reference, seed=run.seed)
    yield Check("replay", "pulls that differ from those of the reference although all draws are equal", same)
    asked = promises(plan.ledger, reference)
    if about := next((relation(claim) for claim in asked if relation(claim) in ("pull", "round", "reward")), ""):
        promised = [claim.says for claim in asked if relation(claim) == about]
        curves = [says.curve(reference) for says in promised if isinstance(says, Private)]
        frozen = partial(replay_frozen, policy, reference, about, run.seed, curves=curves)
        sees = "a reward that is used without noise, or with less noise than in the reference"
        yield Check("frozen replay", sees, frozen)
    if not seeing:
        sees = "more regret than the reference has, on Bernoulli arms"
        yield Check("regret", sees, partial(judge_excess_regret, policy, reference, run))
    bounds: dict[int, Alignment] = {}

    def search(given: Any, seed: int, contexts: Any) -> Alignment:
        """What randomness alignment proves, found once for all promises with these contexts."""
        if id(contexts) not in bounds:
            bounds[id(contexts)] = alignment_bound(given, seed=seed, contexts=contexts)
        return bounds[id(contexts)]

    for claim in asked:
        where = "single rounds" if relation(claim) == "history" else "whole runs"
        yield Check(
            claim.id,
            f"less privacy than the page claims, in {where}",
            partial(judge_promise, claim, reference, policy, run, sequential, search),
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
            f"expected_failures contains {', '.join(map(repr, sorted(unknown)))}; known checks: "
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


# -- shapes ----------------------------------------------------------------------------------------------------------


class BatteryShape(NamedTuple):
    """Arms and pulls. label: what is said of them behind a check's name; "" for those that go without saying. privacy:
    whether the promises of privacy alone are asked about."""

    arms: int
    horizon: int
    label: str = ""
    privacy: bool = False


def shapes(arms: Sequence[int] = DEFAULT_ARM_COUNTS, horizon: int = 8) -> list[BatteryShape]:
    """The whole battery for each number of arms, then privacy in short runs."""
    whole = [BatteryShape(k, horizon, f"{k} arms" if place else "") for place, k in enumerate(arms)]
    short = [BatteryShape(k, TELLING, f"{k} arm{'s' if k > 1 else ''}, T = {TELLING}", True) for k in arms]
    return whole + (short if horizon > TELLING else [])


def checks_of(
    shape: BatteryShape,
    policy: Any,
    reference: Policy,
    profile: Profile = QUICK,
    seed: int = 0,
    sequential: bool = False,
) -> list[Check]:
    """The checks of a policy of this shape against a page's."""
    checks = check_policy(policy, reference, profile, seed, sequential)
    if shape.privacy:
        checks = [check for check in checks if "/" in check.name]
    return [replace(check, name=f"{check.name} ({shape.label})" if shape.label else check.name) for check in checks]


def require_callable_with(name: str, make: Callable[..., Any], **arguments: Any) -> None:
    """TypeError unless the function can be called with these arguments, as far as its signature can be seen."""
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
    make: Callable[..., Any],
    reference: Callable[..., Policy],
    arms: Sequence[int] = DEFAULT_ARM_COUNTS,
    horizon: int = 8,
    profile: Profile = QUICK,
    seed: int = 0,
    sequential: bool = False,
) -> list[Check]:
    """The checks of the policies `make(arms=, horizon=)` against those of `reference(arms=, horizon=)`: the battery for
    each number of arms, and its privacy claims also in short runs. sequential: as of `check_policy`. Raises ValueError
    for numbers below 1, and if arms is empty."""
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
