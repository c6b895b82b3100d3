"""What makes Thompson sampling private enough, and what it costs: the variance c, or the pre-pulls b, for a wanted eps.

>>> from dpbandits.audit.cli.remedies import least_variance
>>> from dpbandits.audit.cli.thompson import theorem_eps
>>> from dpbandits.proofs_checks.thompson.rules import Sampler
>>> found = least_variance(Sampler(horizon=100, arms=2), 10.0, lambda one: theorem_eps(one, 1e-6))
>>> found is not None and theorem_eps(found, 1e-6) <= 10
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dpbandits.audit.cli.thompson import theorem_eps
from dpbandits.proofs_checks.thompson.bound import certified_curve
from dpbandits.proofs_checks.thompson.rules import Sampler, checked_sampler
from dpbandits.proofs_checks.thompson.told import four_digits_up
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling

MAX_VARIANCE = 1e6  # variance that is tried
VARIANCE_TOLERANCE = 1.01  # the variance that reaches a wanted eps is found within this factor
SEARCH_FINENESS = 0.5  # the fineness of the bound while looking for it: certified all the same
MEANS = (0.6, 0.5)  # the best arm's and the others', where regret is measured
REGRET_RUNS = 1000


class Remedy(NamedTuple):
    """What reaches a wanted eps, and what it costs.

    what: "variance" or "prepulls". theorem, certified: the samplers with the least of it, by the paper and by the game;
    None where no value does. regret: of the base, and of these two, on the arms of `MEANS`: (mean, standard error).
    """

    what: str
    theorem: Sampler | None
    certified: Sampler | None
    regret: tuple[tuple[float, float] | None, ...]


def remedies(sampler: Sampler, delta: float, eps: float, relation: str = "pull", seed: int = 0) -> tuple[Remedy, ...]:
    """The least variance, and the least pre-pulls, that make the sampler (eps, delta)-private, the other one as it is.

    What is certified was evaluated at the very sampler that is returned. Raises ValueError
    for an eps that is not positive, or an unknown number of arms (pre-pulls and regret need one).
    """
    checked_sampler(sampler)
    if not eps > 0 or sampler.arms is None:
        raise ValueError(f"eps is {eps}, arms {sampler.arms}: want eps > 0 and a number of arms")

    def ours(one: Sampler) -> float:
        game = certified_curve(one, relation, smallest=min(delta / 10, 1e-6), fineness=SEARCH_FINENESS).eps(delta)
        return min(game, theirs(one))

    def theirs(one: Sampler) -> float:
        return theorem_eps(one, delta)

    found = []
    for what, search in (("variance", least_variance), ("prepulls", least_prepulls)):
        samplers = (sampler, search(sampler, eps, theirs), search(sampler, eps, ours))
        costs = tuple(regret(one, seed) if one is not None else None for one in samplers)
        found.append(Remedy(what, samplers[1], samplers[2], costs))
    return tuple(found)


def least_variance(sampler: Sampler, eps: float, value: Callable[[Sampler], float]) -> Sampler | None:
    """The sampler with a variance c at most VARIANCE_TOLERANCE times the least at which `value` is at most eps; None
    above 1e6."""
    low, high = sampler.variance, sampler.variance
    if value(sampler) <= eps:
        return sampler
    while value(sampler._replace(variance=high)) > eps:
        if high >= MAX_VARIANCE:
            return None
        low, high = high, min(4 * high, MAX_VARIANCE)
    while high > VARIANCE_TOLERANCE * low:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if value(sampler._replace(variance=middle)) > eps else (low, middle)
    return sampler._replace(variance=high)


def least_prepulls(sampler: Sampler, eps: float, value: Callable[[Sampler], float]) -> Sampler | None:
    """The sampler with the fewest pre-pulls (found by halving) at which `value` is at most eps; None where none are."""
    assert sampler.arms is not None
    low, high, most = sampler.prepulls, sampler.prepulls, sampler.horizon // sampler.arms
    if value(sampler) <= eps:
        return sampler
    while value(sampler._replace(prepulls=high)) > eps:
        if high == most:
            return None
        low, high = high, min(max(2 * high, 1), most)
    while high > low + 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(sampler._replace(prepulls=middle)) > eps else (low, middle)
    return sampler._replace(prepulls=high)


def regret(sampler: Sampler, seed: int) -> tuple[float, float]:
    """The mean regret over REGRET_RUNS runs on arms that pay 0 or 1 with the means MEANS (the best, all others); its
    error."""
    T, K, b, c = sampler
    assert K is not None
    policy = ModifiedThompsonSampling(arms=K, horizon=T, prepulls=b, variance=c)
    played = play(
        policy, Bernoulli((MEANS[0], *[MEANS[1]] * (K - 1))), Seeded(seed, REGRET_RUNS, 0), REGRET_RUNS, keep=False
    )
    worse, gap = played.pulls[:, 1:].sum(axis=1), MEANS[0] - MEANS[1]  # whole numbers: the error of equal ones is 0
    return float(gap * worse.mean()), float(gap * worse.std() / REGRET_RUNS**0.5)


def remedy_table(found: tuple[Remedy, ...], eps: float) -> str:
    """The remedies in lines for a terminal."""
    lines = [f"to reach eps = {eps:g}; regret: mean over {REGRET_RUNS} runs, arms that pay 1 with probability {MEANS}"]
    for one in found:
        for who, sampler, cost in zip(
            ("theorem", "certified"), (one.theorem, one.certified), one.regret[1:], strict=True
        ):
            if sampler is None or cost is None or one.regret[0] is None:
                lines.append(f"{who:>12}  no {one.what} does")
                continue
            value = four_digits_up(sampler.variance) if one.what == "variance" else f"{sampler.prepulls}"
            base = one.regret[0][0]
            spread = f"+- {cost[1]:.1g}" if cost[1] else "in every run"
            lines.append(f"{who:>12}  {one.what} = {value:>7}   regret {cost[0]:.3g} {spread} instead of {base:.3g}")
    return "\n".join(lines)


def remedies_as_json(remedies: tuple[Remedy, ...]) -> dict[str, Any]:
    """As plain data; nothing where nothing was asked."""
    return {"reach": [one._asdict() | plain_samplers(one) for one in remedies]} if remedies else {}


def plain_samplers(one: Remedy) -> dict[str, Any]:
    return {
        who: sampler and sampler._asdict() for who, sampler in (("theorem", one.theorem), ("certified", one.certified))
    }
