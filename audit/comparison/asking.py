"""One question, and its answer: who keeps (eps, delta), and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from dpbandits.audit.comparison import document as d
from dpbandits.audit.comparison.advice import advised
from dpbandits.audit.comparison.candidates import Entering, Entrant, offered
from dpbandits.audit.comparison.kept_verdicts import kept_document
from dpbandits.audit.comparison.own import own_entrant
from dpbandits.audit.comparison.playing import IN_TURNS, Playing, certified_orders, families, in_turns, measured_row
from dpbandits.audit.runner.workers import Workers
from dpbandits.reference.arithmetic.checks import checked_integer, is_number
from dpbandits.reference.claims.offers import Wanted

RUNS = 400
COMPARISON_RISK = 0.01  # that any limit of a comparison is wrong
FEWEST_RUNS, MOST_RUNS = 20, 100_000
MOST_ROUNDS = 10**7
MOST_COMPARED_ARMS = 100
LEAST_DELTA = 1e-12
MOST_EPS = 1e6  # `promised_eps_at` follows promises hardly further


@dataclass(frozen=True)
class Question:
    """What is asked: `Wanted`, and how it is played. means: of each arm; None for the families of `playing`. runs: of
    every policy on every family. own: by name, what makes a policy of one's own of arms and horizon.

    Raises ValueError for what nobody can answer, in words."""

    arms: int
    horizon: int
    eps: float
    delta: float
    means: tuple[float, ...] | None = None
    runs: int = RUNS
    seed: int = 0

    def __post_init__(self) -> None:
        checked_integer(self.arms, "arms", 2, MOST_COMPARED_ARMS)
        checked_integer(self.horizon, "horizon", 1, MOST_ROUNDS)
        checked_integer(self.runs, "runs", FEWEST_RUNS, MOST_RUNS)
        checked_integer(self.seed, "seed", 0, 2**64 - 1)
        if self.horizon < self.arms:
            raise ValueError(
                f"T = {self.horizon} rounds are fewer than K = {self.arms} arms: raise the horizon, or lower the arms"
            )
        if not (is_number(self.eps) and isfinite(self.eps) and self.eps > 0):
            raise ValueError(f"eps is {self.eps}; it must be a finite number above 0, such as 1")
        if self.eps > MOST_EPS:
            raise ValueError(f"eps is {self.eps:g}; above {MOST_EPS:g} no promise says anything: lower it")
        if not (is_number(self.delta) and 0 <= self.delta < 1):
            raise ValueError(f"delta is {self.delta}; it must lie in [0, 1), such as 1e-6, or be 0 for pure privacy")
        if 0 < self.delta < LEAST_DELTA:
            raise ValueError(
                f"delta is {self.delta}; doubles follow curves down to {LEAST_DELTA:g}: raise it, or take 0"
            )
        if self.means is not None:
            demand_means(self.means, self.arms)

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.arms, self.horizon, self.eps, self.delta)


def demand_means(means: Sequence[float], arms: int) -> None:
    """ValueError for means that no such arms have."""
    if len(means) != arms:
        raise ValueError(f"{len(means)} means for {arms} arms: give one for each arm, or change the arms")
    for place, mean in enumerate(means):
        if not (is_number(mean) and 0 <= mean <= 1):
            raise ValueError(f"mean {place + 1} is {mean}; the arms pay 0 or 1, so give numbers in [0, 1]")
    if max(means) == min(means):
        raise ValueError(f"all means are {means[0]}: every policy costs 0 then; give one arm another mean")


def compare_policies(
    question: Question,
    jobs: int = 1,
    own: Mapping[str, Callable[..., Any]] | None = None,
    findings: Mapping[str, Any] | None = None,
    offers: Sequence[int] | None = None,
    heard: Callable[[int, int], object] | None = None,
) -> d.Comparison:
    """The comparison, which is the same for any number of jobs.

    jobs: processes. own: by name, what makes a policy of one's own, of arms= and horizon=. findings: a findings
    document, whose verdicts count; what the package keeps unless given. offers: of which offers, by their numbers; all
    unless given. heard: is told how many games have been played, and of how many, after each.
    """
    known = kept_document() if findings is None else findings
    numbers = range(len(offered())) if offers is None else offers
    wanted = question.wanted
    with Workers(jobs).parallel() as (run, _):
        made = dict(run([Entering(number, wanted, known) for number in numbers]))
        entrants = [made[place] for place in range(len(numbers))]
        entrants += [own_entrant(name, make, wanted, question.seed) for name, make in (own or {}).items()]
        of = families(question.arms) if question.means is None else (d.Family("means as given", question.means),)
        pairs = [(each, family) for each in entrants if each.policy is not None for family in of]
        calls = [Playing(each.policy, family.means, question.runs, question.seed) for each, family in pairs]
        values: dict[int, Any] = {}
        for place, value in run(calls):
            values[place] = value
            if heard is not None:
                heard(len(values), len(calls))
    rows = rows_of(pairs, values, question, of)
    orders, candidates = certified_orders(rows), (IN_TURNS, *(each.candidate for each in entrants))
    advice = advised(wanted, question.runs, COMPARISON_RISK, of, candidates, orders)
    asked = question.arms, question.horizon, question.eps, question.delta, question.runs, question.seed
    return d.Comparison(*asked, COMPARISON_RISK, of, candidates, rows, orders, advice)


def rows_of(
    pairs: Sequence[tuple[Entrant, d.Family]], values: Mapping[int, Any], question: Question, of: Sequence[d.Family]
) -> tuple[d.Measured, ...]:
    """What is measured, with limits that all hold but for the risk: it is divided evenly over both limits of all
    rows."""
    level = COMPARISON_RISK / (2 * max(1, len(pairs)))
    played = [
        measured_row(each, family, values[place], question.horizon, level) for place, (each, family) in enumerate(pairs)
    ]
    return (*(in_turns(family, question.horizon) for family in of), *played)
