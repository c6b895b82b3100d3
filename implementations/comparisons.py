"""Five ways to compare a policy or mechanism of a library with what it is meant to be.

by_law      a policy, with the exact law of a reference policy, along its own runs (`dpbandits.follows_law`)
by_outputs  a mechanism with finitely many outputs, with the exact probabilities of these
by_audit    a mechanism, with the privacy guarantee that the library states (`dpbandits.audit_mechanism`)
by_share    how often an event occurs, with the largest probability that the documentation allows
by_numbers  numbers that the library computes, with exact ones
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from references import OneChoice
from rows import AGREES, NOT_APPLICABLE, REFUTED, Result
from scipy.special import logsumexp
from scipy.stats import binom

from dpbandits import Policy, Table, Verdict, audit_mechanism, follows_law, from_object
from dpbandits.reference.claims.findings import CheckFound

ARMS, HORIZON, SEED = 3, 6, 0
FEW = 2  # runs of a policy without randomness: some libraries draw among ties
RISK = 1e-6  # the probability with which a comparison may refute a library that agrees
SIDES = ("two-sided", "above")
WORDS = {Verdict.CONSISTENT: AGREES, Verdict.REFUTED: REFUTED}


def by_law(
    make: Callable[[int, int], Policy],
    page: Callable[[int, int], Any],
    instead: Callable[[int, int], Any] | None = None,
    *,
    trials: int = 1_000,
    horizon: int = HORIZON,
    environments: Callable[[int, int], Any] | None = None,
) -> Result:
    """Whether the arms that a policy pulls have the law of a page.

    make, page: (arms, horizon) to the library's policy and the reference. instead: a policy with the law that the
    known difference describes. trials: runs in each environment. environments: (arms, horizon) to what is played on;
    None for those of `follows_law`. Policies without randomness are compared decision by decision.
    """
    played = environments(ARMS, horizon) if environments else None

    def finding(reference: Callable[[int, int], Any]) -> Any:
        return follows_law(make(ARMS, horizon), reference(ARMS, horizon), played, trials, SEED)

    found = finding(page)
    body = found.body if isinstance(found.body, CheckFound) else CheckFound()
    verdict = WORDS.get(found.verdict, NOT_APPLICABLE)
    confirmed = finding(instead).verdict == Verdict.CONSISTENT if instead else None
    if body.log10_evidence is None:
        evidence = found.summary.replace(f"the law of {type(page(ARMS, horizon)).__name__}", "the reference law")
    else:
        evidence = f"an e-value of 10^{body.log10_evidence:.1f} against the reference law"
    return Result(verdict, law_number(verdict, body), evidence, body.log10_evidence, body.one_step, trials, confirmed)


def by_outputs(draw: Callable[[Any], int], chances: Any, instead: Any = None, *, trials: int = 5_000) -> Result:
    """Whether the outputs of a mechanism have these probabilities.

    draw: (generator) to an output, counted from 0. chances: (outputs,). instead: the probabilities that the known
    difference describes. trials: independent outputs. The mechanism is played as a policy of one step.
    """

    class Mechanism:
        def __init__(self, rng: Any) -> None:
            self.rng = rng

        def select(self) -> int:
            return draw(self.rng)

        def update(self, arm: int, paid: float) -> None:
            pass

    many = len(chances)

    def law(probabilities: Any) -> Callable[[int, int], Any]:
        return lambda arms, horizon: OneChoice(many, 1, tuple(map(float, probabilities)))

    return by_law(
        lambda arms, horizon: from_object(Mechanism, Mechanism.select, Mechanism.update, many, 1),
        law(chances), None if instead is None else law(instead),
        trials=trials, environments=lambda arms, horizon: {"no rewards": Table(np.zeros((many, 1)))},
    )  # fmt: skip


def law_number(verdict: str, body: CheckFound) -> str:
    """The number of a comparison by law, for the table."""
    if verdict == NOT_APPLICABLE:
        return ""
    if body.log10_evidence is not None:
        return f"evidence 10^{int(body.log10_evidence)}"
    if verdict == REFUTED:
        return "a decision differs"
    return f"a change of {body.one_step:.2g} would be detected" if body.one_step is not None else "all decisions equal"


def by_audit(
    mechanism: Callable[[Any, int, int], Any],
    left: Any,
    right: Any,
    *,
    eps: float | None = None,
    delta: float | None = None,
    mu: float | None = None,
    trials: int = 20_000,
) -> Result:
    """Whether a mechanism keeps a guarantee on two neighbouring inputs.

    mechanism: (input, trials, seed) to outputs. eps and delta, or mu: what the library states. trials: on each side.
    """
    claim = {"eps": eps, "delta": delta, "mu": mu}
    found = audit_mechanism(mechanism, left, right, **claim, trials=trials, seed=SEED)
    sampled = found.body.instances[0].sampled
    verdict = WORDS.get(found.verdict, NOT_APPLICABLE)
    number = f"certified {'mu' if mu is not None else 'eps'} >= {sampled.certified.value:.4g}" if sampled else ""
    power = found.body.instances[0].power
    detects = f" Power: a mechanism that is exactly {power[0].called} would be detected." if power else ""
    return Result(verdict, number, f"{found.summary}{detects if verdict == AGREES else ''}", trials=trials)


def by_share(count: int, trials: int, most: float, event: str) -> Result:
    """Whether an event occurs no more often than the documentation allows.

    count: how often it occurred in so many independent trials. most: the largest probability allowed. event: in words.
    REFUTED if a binomial test rejects at level RISK.
    """
    share, log_p = count / trials, log_tail(count, trials, most)
    verdict = REFUTED if log_p < np.log(RISK) else AGREES
    evidence = f"{event} in {count} of {trials} trials, but the documented probability is at most {most:.4g}"
    log10 = round(-log_p / np.log(10), 1) if verdict == REFUTED and np.isfinite(log_p) else None
    return Result(verdict, f"probability {share:.4g}, allowed {most:.4g}", evidence, log10, trials=trials)


def log_tail(count: int, trials: int, chance: float) -> float:
    """The logarithm of the probability of at least so many successes. scipy's `logsf` is -inf where `sf` underflows."""
    return min(0.0, float(logsumexp(binom.logpmf(np.arange(count, trials + 1), trials, chance))))


def by_numbers(
    computed: Mapping[str, tuple[float, float]], tolerance: float, quantity: str, side: str = "two-sided"
) -> Result:
    """Whether numbers of a library equal exact ones.

    computed: what it is a number of, to (number of the library, exact number). tolerance: the largest relative
    difference that agrees. quantity: what is compared, in words. side: "two-sided"; "above": larger numbers of the
    library are allowed, as for an upper bound on a privacy loss.
    """
    if side not in SIDES:
        raise ValueError(f"side is {side!r}; choose one of {', '.join(SIDES)}")
    off = {name: (theirs - exact) / abs(exact) for name, (theirs, exact) in computed.items()}
    size = {name: -each if side == "above" else abs(each) for name, each in off.items()}
    worst = max(size, key=lambda name: np.inf if np.isnan(size[name]) else size[name])
    theirs, exact = computed[worst]
    verdict = REFUTED if not size[worst] <= tolerance else AGREES
    largest = max(off.values(), key=abs)
    evidence = (
        f"{quantity}: {len(computed)} settings; in the least favourable one, {worst}, the library has {theirs:.6g} and "
        f"the exact number is {exact:.6g}"
    )
    return Result(verdict, f"relative difference {largest:+.2g}", evidence)
