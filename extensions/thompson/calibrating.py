"""The smallest noise for which Thompson sampling satisfies (eps, delta)-DP, and its cost in regret: the smallest
variance c, or the smallest number b of initial pulls.

>>> from dpbandits import calibrate
>>> found = calibrate(eps=2.0, delta=1e-6, horizon=100, arms=2, within=2.0)
>>> found.certified.variance, found.certified_eps <= 2.0, found.theorem.variance > 4 * found.certified.variance
(64.0, True, True)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from math import inf, isfinite
from typing import Any, NamedTuple

from dpbandits.audit.play.fastest import play_fastest
from dpbandits.extensions.thompson.answers import checked_question
from dpbandits.extensions.thompson.bound import LOUDEST, certified_curve
from dpbandits.extensions.thompson.curve_table import tabled_bracket, tabled_eps
from dpbandits.extensions.thompson.formatting import arms_in_words, four_digits_up
from dpbandits.extensions.thompson.least_noise import least_variance, potential_variance
from dpbandits.extensions.thompson.rules import Sampler, theorem_eps
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.papers.ou24.algorithms import ModifiedThompsonSampling
from dpbandits.reference.papers.ou24.regret_formulas import problem_dependent, problem_independent, sharpened

VARIANCE_TOLERANCE = 1.01  # the variance that reaches a wanted eps is found within this factor
THEOREM_TOLERANCE = 1.0001
POTENTIAL_TOLERANCE = 1.1
SEARCH_FINENESS = 0.5  # the fineness of the bound while looking for it: certified all the same
MEANS = (0.6, 0.5)  # the best arm's and the others', where regret is measured
REGRET_RUNS = 1000
EpsOf = Callable[[Sampler], float]


class Regret(NamedTuple):
    """The regret of a sampler on K arms with rewards 0 or 1 and the means MEANS: the best arm, and all others.

    played: the mean over REGRET_RUNS runs, and its standard error. independent, dependent: Theorem 5, with the
    constants of its proof (the ledger's ou24/theorem-5); sharper: the result of our proof of Lemma 8 from eq. (10).
    None if they do not apply: for c < 1, and the last two for T - bK <= 4 / gap^2. trivial: an upper bound for every
    policy.
    """

    sampler: Sampler
    played: tuple[float, float]
    independent: float | None
    dependent: float | None
    sharper: float | None
    trivial: float


class Calibration(NamedTuple):
    """The least noise that reaches (eps, delta).

    what: "variance" or "prepulls", the parameter that was searched for. certified: the sampler with the smallest
    certified value, and certified_eps <= eps its certified eps (computed for this sampler, or from the table). theorem:
    the sampler that the paper's theorem requires, or None if no number of pre-pulls suffices. regret: of the sampler
    without this noise (c = 1, or b = 0), of `certified` and of `theorem`; empty for an unknown number of arms.
    """

    what: str
    eps: float
    delta: float
    relation: str
    certified: Sampler
    certified_eps: float
    theorem: Sampler | None
    regret: tuple[Regret, ...]


def calibrate(
    eps: float,
    delta: float,
    horizon: int,
    arms: int | None = None,
    prepulls: int = 0,
    variance: float | None = None,
    relation: str = "pull",
    within: float = VARIANCE_TOLERANCE,
    seed: int = 0,
    looked: Callable[[Sampler, float], None] = lambda sampler, eps: None,
) -> Calibration:
    """The least noise that makes Thompson sampling with Gaussian priors (eps, delta)-private, certified.

    eps: at least 0, finite. delta: in (0, 1), at least 1e-300. horizon, arms: T and K; arms = None means any number of
    arms. prepulls, variance: give b to find the smallest c, or c to find the smallest b (which needs arms). relation:
    what differs between neighbouring inputs, "pull" or "round". within: the returned c is at most this factor (at least
    1.0001) times the smallest c that can be certified; no c below 1e-6 is tried. With within = 2, the result comes from
    the stored table if the table has a row for it. seed: the seed of the runs that measure regret. looked: a function
    that is called with each sampler that the search tries, and its certified eps.

    For T = 1000 the search takes a minute or two. For T = 5000, the search computes several certified curves, each of
    which takes half a minute (two minutes for three arms or more). Raises ValueError for numbers out of range, and if
    no c or b suffices.
    """
    sampler = check_question(eps, delta, horizon, arms, prepulls, variance, relation, within)
    ours = cached_and_reported(partial(table_or_game_eps, eps=eps, delta=delta, relation=relation), looked)
    theorem: Sampler | None
    if variance is None:
        start = sampler._replace(variance=sufficient_variance(sampler, eps, delta))
        theorem = least_variance(start, 0.0, eps, partial(theorem_eps, delta=delta), THEOREM_TOLERANCE)
        low, begin = search_start(theorem, eps, delta, relation, ours)
        certified = least_variance(begin, low, eps, ours, within)
    else:
        theorem, certified = fewest_prepulls(sampler, eps, delta, ours)
    base = sampler._replace(variance=1.0) if variance is None else sampler._replace(prepulls=0)
    costs = tuple(regret(one, seed) for one in (base, certified, theorem) if one is not None and arms is not None)
    what = "variance" if variance is None else "prepulls"
    return Calibration(what, eps, delta, relation, certified, ours(certified), theorem, costs)


def check_question(
    eps: float, delta: float, horizon: int, arms: int | None, prepulls: int, variance: float | None, relation: str,
    within: float,
) -> Sampler:  # fmt: skip
    """Checks the arguments of a search for the least noise, and returns the sampler with which it begins.
    Raises ValueError for numbers out of range."""
    sampler = Sampler(horizon, arms, prepulls, 1.0 if variance is None else variance)
    check_wanted(sampler, eps, delta, within, variance is not None)
    checked_question(sampler, relation, delta)
    return sampler


def known_so_far(
    question: Mapping[str, Any], looks: Sequence[tuple[Sampler, float]] = (), seeks_variance: bool = True
) -> Calibration | None:
    """Returns the smallest noise known to suffice, by a search's evaluations `looks` or by the paper's theorem.
    None if no noise is known to suffice. The regret is not computed. question: the arguments of `calibrate`."""
    eps, delta, arms = question["eps"], question["delta"], question["arms"]
    sampler = Sampler(question["horizon"], arms, question["prepulls"], 1.0 if seeks_variance else question["variance"])
    theorem: Sampler | None
    if seeks_variance:
        start = sampler._replace(variance=sufficient_variance(sampler, eps, delta))
        theorem = least_variance(start, 0.0, eps, partial(theorem_eps, delta=delta), THEOREM_TOLERANCE)
    else:
        theorem = least_prepulls(sampler, eps, partial(theorem_eps, delta=delta))
    known = [(one, certified) for one, certified in looks if certified <= eps]
    known += [(theorem, theorem_eps(theorem, delta))] if theorem is not None else []
    if not known:
        return None
    least, certified = min(known, key=lambda look: (look[0].variance, look[0].prepulls))
    what = "variance" if seeks_variance else "prepulls"
    return Calibration(what, eps, delta, question["relation"], least, certified, theorem, ())


def cached_and_reported(value: EpsOf, report: Callable[[Sampler, float], None]) -> EpsOf:
    """Returns a cached version of `value`, which also calls `report` with each sampler and its new result."""

    @cache
    def known(sampler: Sampler) -> float:
        """The eps of this sampler, which is computed and reported at the first call, and then cached."""
        found = value(sampler)
        report(sampler, found)
        return found

    return known


def search_start(theorem: Sampler, eps: float, delta: float, relation: str, ours: EpsOf) -> tuple[float, Sampler]:
    """Returns a variance known to be too small, and a sampler whose variance is known to suffice, to begin a search.
    The variance is 0 if none is known. The sampler's variance suffices by the table, by the theorem, or by the static
    potential, whose variance is close to the smallest."""
    low, high = tabled_bracket(theorem, eps, delta, relation)
    begin = theorem._replace(variance=min(high, theorem.variance))
    if low > 0:
        return low, begin
    near = potential_variance(theorem, eps, delta, POTENTIAL_TOLERANCE)
    return low, near if near.variance < begin.variance and ours(near) <= eps else begin


def fewest_prepulls(sampler: Sampler, eps: float, delta: float, ours: EpsOf) -> tuple[Sampler | None, Sampler]:
    """Returns two samplers with the fewest initial pulls: by the paper's theorem, and certified.
    The first one is None if no number suffices by the theorem. Raises ValueError if no number is certified."""
    certified = least_prepulls(sampler, eps, ours)
    if certified is None:
        raise ValueError(
            f"no number b of pre-pulls reaches eps = {eps:g} at delta = {delta:g} with variance "
            f"{sampler.variance:g} and T = {sampler.horizon}; increase the variance, eps or delta"
        )
    return least_prepulls(sampler, eps, partial(theorem_eps, delta=delta)), certified


def check_wanted(sampler: Sampler, eps: float, delta: float, within: float, of_prepulls: bool) -> None:
    """Raises ValueError, with a description, for an eps, delta or tolerance that no search can reach."""
    if not (isfinite(eps) and eps >= 0):
        raise ValueError(f"eps is {eps}; it must be a finite number, 0 or more")
    if delta == 0:
        raise ValueError(
            "delta is 0, but Thompson sampling with normal samples is not eps-DP for any eps and variance; give "
            "a positive delta, such as 1e-6"
        )
    if not (isfinite(within) and within >= THEOREM_TOLERANCE):
        raise ValueError(
            f"within is {within}; it must be a finite number of at least {THEOREM_TOLERANCE}, such as 1.01"
        )
    if of_prepulls and sampler.arms is None:
        raise ValueError("the search for b needs the number of arms; give arms= (--arms), or search for c")
    if of_prepulls and sampler.prepulls:
        raise ValueError(
            f"b = {sampler.prepulls} and c = {sampler.variance:g} are both given; omit the parameter that the search "
            "should find"
        )


def table_or_game_eps(sampler: Sampler, eps: float, delta: float, relation: str) -> float:
    """Returns an eps that is certified at delta: the table's if it is at most `eps`, otherwise a computed one.
    The table's eps suffices if it is at most `eps`. Otherwise, the smaller eps of the threshold game and the theorem is
    returned."""
    kept = tabled_eps(sampler, relation, delta)[0]
    return kept if kept <= eps else min(game_eps(sampler, delta, relation), theorem_eps(sampler, delta))


def game_eps(sampler: Sampler, delta: float, relation: str) -> float:
    """Returns the eps that the threshold game certifies at delta.
    inf if the noise is so small that numbers leave the range of doubles."""
    try:
        return certified_curve(sampler, relation, smallest=min(delta / 10, 1e-6), fineness=SEARCH_FINENESS).eps(delta)
    except ValueError:
        return inf


def sufficient_variance(sampler: Sampler, eps: float, delta: float) -> float:
    """Returns a variance, not the smallest, that suffices for eps at delta by the paper's theorem.
    Raises ValueError if none up to LOUDEST does."""
    variance = 1.0
    while theorem_eps(sampler._replace(variance=variance), delta) > eps:
        variance *= 16
        if variance > LOUDEST:
            raise ValueError(
                f"no variance c up to {LOUDEST:g} reaches eps = {eps:g} at delta = {delta:g} with T = "
                f"{sampler.horizon}; increase eps or delta"
            )
    return variance


def least_prepulls(sampler: Sampler, eps: float, value: EpsOf) -> Sampler | None:
    """Returns the sampler with the fewest initial pulls for which `value` is at most eps.
    It is found by bisection; None if there is none."""
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


def regret(sampler: Sampler, seed: int) -> Regret:
    """Returns the regret of the sampler: the mean of simulated runs, and the upper bounds of the ledger."""
    T, K, b, c = sampler
    assert K is not None
    policy = ModifiedThompsonSampling(arms=K, horizon=T, prepulls=b, variance=c)
    arms = Bernoulli((MEANS[0], *[MEANS[1]] * (K - 1)))
    played = play_fastest(policy, arms, Seeded(seed, REGRET_RUNS, 0), REGRET_RUNS, keep=False)
    worse, gap = played.pulls[:, 1:].sum(axis=1), MEANS[0] - MEANS[1]  # whole numbers: the error of equal ones is 0
    measured = float(gap * worse.mean()), float(gap * worse.std() / REGRET_RUNS**0.5)
    independent, dependent, sharper = (
        bound(policy, arms) if c >= 1 else None for bound in (problem_independent, problem_dependent, sharpened)
    )
    return Regret(sampler, measured, independent, dependent, sharper, gap * T)


def search_words(seconds: float, eps: float, looks: Sequence[tuple[Sampler, float]]) -> str:
    """Describes the progress of a search for the least noise, in a sentence.
    It names the smallest variance, or number of initial pulls, that is known to suffice."""
    enough = [one for one, certified in looks if certified <= eps]
    least = min(enough, default=None, key=lambda one: (one.variance, one.prepulls))
    known = (
        f"b = {least.prepulls}, c = {least.variance:.4g} is enough" if least else "nothing is known to be enough yet"
    )
    return f"{seconds:.0f} seconds so far, {len(looks)} certified curves; {known}"


# -- words -------------------------------------------------------------------------------------------------------


def calibration_text(calibration: Calibration) -> str:
    """Returns the result of the search as lines of text for a terminal."""
    T, K, b, c = calibration.certified
    given = f"b = {b}" if calibration.what == "variance" else f"c = {c:g}"
    asked = f"for eps = {calibration.eps:g} at delta = {calibration.delta:g}"
    lines = [f"Thompson sampling, T = {T}, {arms_in_words(K)}, {given}; one {calibration.relation} changed; {asked}"]
    told = f"eps <= {four_digits_up(calibration.certified_eps)} is certified"
    if calibration.what == "prepulls" and calibration.certified.rounds < 1:
        told += ": no round is left in which anything is learnt"
    lines.append(f"{'certified':>12}  {noise_words(calibration.what, calibration.certified)}   {told}")
    theirs = "no b does" if calibration.theorem is None else noise_words(calibration.what, calibration.theorem)
    lines.append(f"{'theorem':>12}  {theirs}   by Theorem 4 of the paper")
    if calibration.regret:
        lines.append(f"regret on {K} arms that pay 1 with probability {MEANS[0]:g} (one) and {MEANS[1]:g}:")
        lines += regret_lines(calibration)
    return "\n".join(lines)


def noise_words(parameter: str, sampler: Sampler) -> str:
    """The noise as text: "c = ..." (rounded up) if a variance was searched for, otherwise "b = ..."."""
    return f"c = {four_digits_up(sampler.variance):>9}" if parameter == "variance" else f"b = {sampler.prepulls:>9}"


def regret_lines(calibration: Calibration) -> list[str]:
    """The table of regrets as lines of text: a column for each sampler, a row for the simulation and each bound."""
    heads = [noise_words(calibration.what, one.sampler).replace(" ", "") for one in calibration.regret]
    rows = {
        "": heads,
        f"played, {REGRET_RUNS} runs": [f"{one.played[0]:.3g} +- {one.played[1]:.1g}" for one in calibration.regret],
        "Theorem 5, for any gaps": [bound_words(one.independent) for one in calibration.regret],
        "Theorem 5, for these gaps": [bound_words(one.dependent) for one in calibration.regret],
        "our Lemma 8, these gaps": [bound_words(one.sharper) for one in calibration.regret],
        "no policy exceeds": [bound_words(one.trivial) for one in calibration.regret],
    }
    return [f"{name:>28}  " + "  ".join(f"{each:>14}" for each in row) for name, row in rows.items()]


def bound_words(bound: float | None) -> str:
    """An upper bound on regret as text; "says nothing" if there is none."""
    return "says nothing" if bound is None else four_digits_up(bound)


def calibration_as_json(calibration: Calibration) -> dict[str, Any]:
    """Returns the result of the search as a dict that can be written as JSON."""
    told = calibration._asdict() | {
        "certified": calibration.certified._asdict(),
        "theorem": calibration.theorem and calibration.theorem._asdict(),
    }
    return told | {"regret": [one._asdict() | {"sampler": one.sampler._asdict()} for one in calibration.regret]}
