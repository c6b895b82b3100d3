"""One comparison: which policies satisfy a target (eps, delta), and how much regret they have, by runs on families of
arms with simultaneous confidence bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.runs import side_by_side
from dpbandits.audit.runner.workers import Workers
from dpbandits.audit.statistics.expectation import mean_limits_by_clopper_pearson, mean_limits_by_staking
from dpbandits.extensions.comparison import document as d
from dpbandits.extensions.comparison.candidates import Entrant, numbered_entrant, offered, own_entrant, stored_document
from dpbandits.reference.arithmetic.checks import checked_integer, is_number
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.quantities import ERROR_PROBABILITY, PSEUDO_REGRET
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.claims.offers import Wanted
from dpbandits.reference.claims.records import Document

RUNS = 400
COMPARISON_RISK = 0.01  # that any limit of a comparison is wrong
FEWEST_RUNS, MOST_RUNS = 20, 100_000
MOST_ROUNDS = 10**7
MOST_COMPARED_ARMS = 100
LEAST_DELTA = 1e-12
MOST_EPS = 1e6  # `promised_eps_at` follows promises hardly further


class Differences(NamedTuple):
    """The certified differences between the policies that may be recommended, and between them and pulling the arms in
    turn. running: their names. families: by name. beats: (family, better, worse)."""

    running: tuple[str, ...]
    families: tuple[str, ...]
    beats: frozenset[tuple[str, str, str]]

    def leaders(self, family: str) -> list[str]:
        """Returns the policies with the least regret on this family: no other policy is certified to have less."""
        return [one for one in self.running if not any((family, other, one) in self.beats for other in self.running)]

    def has_less_regret(self, policy: str, other: str) -> bool:
        """Whether `policy` is certified to have less regret than `other` on some family."""
        return any((family, policy, other) in self.beats for family in self.families)


def advised(
    runs: int,
    risk: float,
    families: Sequence[d.Family],
    candidates: Sequence[d.Candidate],
    orders: Sequence[d.Order],
) -> d.Advice:
    """Returns the advice of a comparison: which policy to use, or which policies tie, and under which conditions.
    runs: how many runs each policy played on each family. risk: the error probability of all confidence limits
    together. orders: all certified differences of regret; those about policies that are not ranked are ignored. A
    policy is named only if it is certified to have less regret than pulling the arms in turn on at least one family."""
    ranked = [each.name for each in candidates if each.standing == d.RANKED]
    beats = frozenset((one.family, one.better, one.worse) for one in orders)
    known = Differences((*ranked, IN_TURNS.name), tuple(family.name for family in families), beats)
    nobody = ("No policy has an established guarantee for this privacy; use a larger eps or delta.", "", ())
    return d.Advice(*(recommendation(known, runs) if ranked else nobody), conditions_of(risk, families))


def recommendation(known: Differences, runs: int) -> tuple[str, str, tuple[str, ...]]:
    """Returns the advice as a sentence, and the policies that it names.
    They are the name of the recommended policy ("" for none), and the names of the policies that tie."""
    leading = {family: known.leaders(family) for family in known.families}
    everywhere = [one for one in known.running if all(one in found for found in leading.values())]
    if IN_TURNS.name in everywhere:
        beaten = (
            "no private policy is certified to have less regret than pulling the arms in turn, which uses no reward"
        )
        said = f"In {runs} runs of each, {beaten}; use more runs, a larger eps or a longer horizon."
        return said, "", tuple(one for one in everywhere if one != IN_TURNS.name)
    worth = [one for one in known.running if known.has_less_regret(one, IN_TURNS.name)]
    open_to = {
        one: [other for other in known.running if other != one and not known.has_less_regret(one, other)]
        for one in everywhere
        if one in worth
    }
    best = [one for one, others in open_to.items() if not others]
    if len(best) == 1:
        level = [family for family in known.families if (family, best[0], IN_TURNS.name) not in known.beats]
        return advice_for_one(best[0], known.families, level), best[0], ()
    if open_to:
        return advice_for_ties(open_to, runs), "", tuple(open_to)
    told = "; ".join(
        f"{family}: {' or '.join(one for one in found if one in worth) or IN_TURNS.name}"
        for family, found in leading.items()
    )
    return f"The best policy depends on the arms. Policies that no other certifiably improves on: {told}.", "", ()


def advice_for_one(name: str, families: Sequence[str], level: Sequence[str]) -> str:
    """Returns the advice for a single recommended policy, as a sentence.
    level: families on which the policy is not certified to have less regret than pulling the arms in turn."""
    others = "each other ranked policy is certified to have more regret"
    if len(families) == 1:
        advice = f"Use {name}: {others} on this family of arms."
    else:
        advice = f"Use {name}: {others} on at least one of the {len(families)} families of arms, and less on none."
    if level:
        advice += f" On {', '.join(level)} it is not certified to have less regret than pulling the arms in turn."
    return advice


def advice_for_ties(unbeaten: Mapping[str, Sequence[str]], runs: int) -> str:
    """Returns the advice for policies that tie, as a sentence.
    unbeaten: by the name of each policy, the other policies that it is not certified to beat on any family."""
    if len(unbeaten) == 1:
        ((name, others),) = unbeaten.items()
        beside = f"and, in {runs} runs of each, not certified to have less regret than {' or '.join(others)} on any"
        return f"{name} is not certifiably worse than any other policy on any family, {beside}."
    return f"With {runs} runs of each policy, these are tied: {'; '.join(unbeaten)}."


def conditions_of(risk: float, families: Sequence[d.Family]) -> tuple[str, ...]:
    """Returns the assumptions of a comparison and the meaning of its numbers, as sentences.
    The sentences do not depend on T, eps and delta."""
    arms = "The means are those given" if len(families) == 1 else "The arms are of these families"
    return (
        "Privacy means (eps, delta)-DP of all released pulls, for tables of rewards that differ in one pull.",
        f"{arms}: rewards of 0 or 1, independent; regret is an expectation over runs.",
        f"All confidence intervals hold simultaneously with error probability {risk:g}, for a number of runs fixed in "
        "advance. Repeating the comparison with more runs spends it again.",
        "Noise is assumed to be exact real numbers, as in the papers. Leaks by floating-point bits are not considered.",
        "Parameters are those of the papers, or the smallest variance by the static potential, which takes seconds "
        "(the threshold game gives a smaller eps, but takes minutes); others may be better.",
    )


@dataclass(frozen=True)
class Question:
    """The question: `Wanted`, and how the policies are played. means: of each arm; None for `families`.
    runs: of every policy on every family. own: by name, functions that make the user's policies from arms and horizon.

    Raises ValueError, with a description, for an invalid question.
    """

    arms: int
    horizon: int
    eps: float
    delta: float
    means: tuple[float, ...] | None = None
    runs: int = RUNS
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises ValueError for numbers outside of their ranges, or means that do not fit the number of arms."""
        checked_integer(self.arms, "arms", 2, MOST_COMPARED_ARMS)
        checked_integer(self.horizon, "horizon", 1, MOST_ROUNDS)
        checked_integer(self.runs, "runs", FEWEST_RUNS, MOST_RUNS)
        checked_integer(self.seed, "seed", 0, 2**64 - 1)
        if self.horizon < self.arms:
            raise ValueError(
                f"horizon is {self.horizon}, less than the number of arms, {self.arms}; it must be at least {self.arms}"
            )
        if not (is_number(self.eps) and isfinite(self.eps) and self.eps > 0):
            raise ValueError(f"eps is {self.eps}; it must be a finite number above 0, such as 1")
        if self.eps > MOST_EPS:
            raise ValueError(
                f"eps is {self.eps:g}; it must be at most {MOST_EPS:g}, because larger values guarantee nothing"
            )
        if not (is_number(self.delta) and 0 <= self.delta < 1):
            raise ValueError(f"delta is {self.delta}; it must lie in [0, 1), such as 1e-6; 0 means pure privacy")
        if 0 < self.delta < LEAST_DELTA:
            raise ValueError(
                f"delta is {self.delta}; it must be 0 or at least {LEAST_DELTA:g}, the limit of floating-point curves"
            )
        if self.means is not None:
            demand_means(self.means, self.arms)

    @property
    def wanted(self) -> Wanted:
        """The question's number of arms, horizon, eps and delta."""
        return Wanted(self.arms, self.horizon, self.eps, self.delta)


def demand_means(means: Sequence[float], arms: int) -> None:
    """Raises ValueError unless the means fit this number of arms."""
    if len(means) != arms:
        raise ValueError(f"--means has length {len(means)}, but arms = {arms}; give one mean for each arm")
    for place, mean in enumerate(means):
        if not (is_number(mean) and 0 <= mean <= 1):
            raise ValueError(f"mean {place + 1} is {mean}; rewards are 0 or 1, so each mean must be in [0, 1]")
    if max(means) == min(means):
        raise ValueError(f"all means are {means[0]}, so every policy has regret 0; give at least two different means")


def compare_policies(
    question: Question,
    jobs: int = 1,
    own: Mapping[str, Callable[..., Any]] | None = None,
    findings: Document | None = None,
    offers: Sequence[int] | None = None,
    heard: Callable[[int, int], object] | None = None,
) -> d.Comparison:
    """Plays all policies of a comparison and returns the result, which is the same for any number of jobs.

    jobs: processes. own: by name, functions that make the user's policies from arms= and horizon=. findings: a findings
    document whose verdicts are used; by default the one stored with the package. offers: the numbers of the compared
    offers; all by default. heard: is called after each game with the number of finished games and of all games.
    """
    known = stored_document() if findings is None else findings
    numbers = range(len(offered())) if offers is None else offers
    wanted = question.wanted
    with Workers(jobs).parallel() as (run, _):
        made = dict(run([partial(numbered_entrant, number, wanted, known) for number in numbers]))
        entrants = [made[place] for place in range(len(numbers))]
        entrants += [own_entrant(name, make, wanted, question.seed) for name, make in (own or {}).items()]
        of = families(question.arms) if question.means is None else (d.Family("means as given", question.means),)
        pairs = [(each, family) for each in entrants if each.policy is not None for family in of]
        calls = [
            partial(quantity_of_runs, each.policy, family.means, question.runs, question.seed)
            for each, family in pairs
            if each.policy is not None
        ]
        values: dict[int, Any] = {}
        for place, value in run(calls):
            values[place] = value
            if heard is not None:
                heard(len(values), len(calls))
    rows = rows_of(pairs, values, question, of)
    orders, candidates = certified_orders(rows), (IN_TURNS, *(each.candidate for each in entrants))
    advice = advised(question.runs, COMPARISON_RISK, of, candidates, orders)
    asked = question.arms, question.horizon, question.eps, question.delta, question.runs, question.seed
    return d.Comparison(*asked, COMPARISON_RISK, of, candidates, rows, orders, advice)


def rows_of(
    pairs: Sequence[tuple[Entrant, d.Family]],
    values: Mapping[int, Any],
    question: Question,
    families: Sequence[d.Family],
) -> tuple[d.Measured, ...]:
    """Returns the rows of the table of regrets, one for each policy and family.
    Their confidence limits all hold together, except with probability COMPARISON_RISK, which is divided evenly over
    both limits of all rows."""
    level = COMPARISON_RISK / (2 * max(1, len(pairs)))
    played = [
        measured_row(each, family, values[place], question.horizon, level) for place, (each, family) in enumerate(pairs)
    ]
    return (*(in_turns(family, question.horizon) for family in families), *played)


# -- Regret ------------------------------------------------------------------------------------------------------------


IN_TURNS = d.Candidate(
    name="arms in turns",
    paper="",
    title="no paper",
    standing=d.BASELINE,
    why="Reads no reward, so that nothing is lost: what a private policy has to beat.",
    parameters={},
    promise=None,
)


def families(arms: int) -> tuple[d.Family, ...]:
    """Families of arms with rewards 0 or 1.
    The best arm is the last one, so that no policy profits from ties, or from an incomplete last turn of pulling the
    arms in turn: both favour the first arm."""
    others = (0.5,) * (arms - 1)
    evenly = tuple(round(float(mean), 9) for mean in np.linspace(0.1, 0.9, arms))
    return (
        d.Family("one arm better by 0.1", (*others, 0.6)),
        d.Family("one arm better by 0.3", (*others, 0.8)),
        d.Family("evenly from 0.1 to 0.9", evenly),
    )


def quantity_of_runs(policy: Policy, means: tuple[float, ...], runs: int, seed: int) -> Array:
    """Returns the pseudo-regret of each run, (runs,), on arms with rewards 0 or 1.
    For a policy that recommends an arm at the end, whether the answer is wrong. All policies receive the same reward
    numbers."""
    arms = Bernoulli(means)
    (found,) = side_by_side((policy,), arms, runs, seed)
    return (ERROR_PROBABILITY if answers(policy) else PSEUDO_REGRET).of(policy, arms, found)


def most_regret(family: d.Family, horizon: int) -> float:
    """Returns the largest regret that is possible in a run: that of always pulling the worst arm."""
    return horizon * (max(family.means) - min(family.means))


def in_turns(family: d.Family, horizon: int) -> d.Measured:
    """Returns the exact regret of pulling the arms in turn, as a row of the table."""
    best, arms = max(family.means), len(family.means)
    cost = sum((best - mean) * ((horizon - arm - 1) // arms + 1) for arm, mean in enumerate(family.means))
    return d.Measured(IN_TURNS.name, family.name, d.OF_REGRET, cost, cost, cost, most_regret(family, horizon))


def measured_row(entrant: Entrant, family: d.Family, values: Array, horizon: int, level: float) -> d.Measured:
    """Returns a row of the table: the mean over the runs, with confidence limits.
    level: the error probability of each limit."""
    if answers(entrant.policy):
        most, quantity, limits = 1.0, d.MISSED, mean_limits_by_clopper_pearson(values, 0.0, 1.0, level)
    else:
        most, quantity = most_regret(family, horizon), d.OF_REGRET
        limits = mean_limits_by_staking(values, 0.0, most, level)
    low, high = max(0.0, limits.low), min(most, limits.high)
    return d.Measured(entrant.candidate.name, family.name, quantity, limits.mean, low, high, most)


def certified_orders(rows: Sequence[d.Measured]) -> tuple[d.Order, ...]:
    """Returns all pairs of policies on a family where one certifiably has less regret.
    The confidence limits of the two do not overlap."""
    regrets = [row for row in rows if row.quantity == d.OF_REGRET]
    return tuple(
        d.Order(one.family, one.policy, other.policy, other.low - one.high)
        for one in regrets
        for other in regrets
        if one.family == other.family and one.high < other.low
    )
