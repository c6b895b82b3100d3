"""Makes the evidence in a finding: the inputs, curves, the refuting event, and frequent beginnings of transcripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dpbandits.audit.play.transcripts import NO_ARM, SEVERAL_ARMS, Transcripts, stacked
from dpbandits.audit.privacy.result import Result, bound_of
from dpbandits.audit.statistics.region import excess_over_region, weakest_corner
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.findings import (
    Beginning,
    Beginnings,
    Event,
    Neighbours,
    Side,
    Stretch,
    rounded,
    table_item,
)
from dpbandits.reference.claims.model import Basis, Verdict
from dpbandits.reference.claims.records import Item, PrivacyProfile, TestErrors, Tradeoff
from dpbandits.reference.claims.text import input_text, instance_name, value_text
from dpbandits.reference.curves import derived
from dpbandits.reference.curves.conversions import delta_lower
from dpbandits.reference.curves.derived import adaptive_abscissae
from dpbandits.reference.curves.extremal_mechanisms import DRAWN_TESTS, Errors

# -- the inputs --------------------------------------------------------------------------------------------------------


MAX_WRITTEN_STRETCHES = 40  # stretches of equal rewards that are written out
LEFT_OUT = "..."  # in place of the rewards of all others
STEPS_TITLE = "The inputs that were judged: answers of the queries, or running means of the arms"


def table_of_steps(rows: list[list[str]]) -> Item | None:
    """Returns a table with the two inputs of every instance, as evidence; None if there are no rows.
    rows: as `Judged.row` returns them. Two methods on the same inputs share a row."""
    ways: dict[tuple[str, str, str], list[str]] = {}
    for instance, by, left, right in rows:
        ways.setdefault((instance, left, right), []).append(by)
    merged = [[instance, " and ".join(by), left, right] for (instance, left, right), by in ways.items()]
    return table_item(STEPS_TITLE, ["instance", "by", "left", "right"], merged) if rows else None


def stored_neighbours(pair: Pair) -> Neighbours:
    """Returns the pair's tables as rows: one for each stretch of equal rewards, two for the changed reward.
    Pull n is the n-th pull of an arm."""
    many = np.ones(pair.left.shape[1], dtype=int) if pair.lengths is None else np.asarray(pair.lengths)
    ends = np.cumsum(many).tolist()
    changed = None if pair.spot is None else pair.column(pair.spot[1])
    rows: list[Stretch] = []
    for _, stretch in groupby(range(len(many)), lambda k: (k == changed, *pair.left[:, k].tolist())):
        places = list(stretch)
        first, last = ends[places[0]] - int(many[places[0]]) + 1, ends[places[-1]]
        where = f"{first}" if first == last else f"{first} to {last}"
        for side, table in (("left", pair.left), ("right", pair.right)) if places[0] == changed else (("", pair.left),):
            rewards = tuple(map(input_text, table[:, places[0]].tolist()))
            rows.append(Stretch(place_on(side, where), rewards, side))
    if pair.contexts is not None:
        rows += context_rows(pair)
    if len(rows) > MAX_WRITTEN_STRETCHES:
        left_out = f"{len(rows) - MAX_WRITTEN_STRETCHES} more"
        rows = [*rows[:MAX_WRITTEN_STRETCHES], Stretch(left_out, (LEFT_OUT,) * len(pair.left))]
    return Neighbours(pair.relation, len(pair.left), tuple(rows))


def place_on(side: str, place: str) -> str:
    """Returns the place as text, followed by its side if one is given."""
    return f"{place}, {side}" if side else place


def context_rows(pair: Pair) -> list[Stretch]:
    """Returns rows with a pair's contexts: one for each stretch of equal contexts, two for the changed user."""
    before, after = pair.both_contexts
    changed, rows = before.place_apart(after), list[Stretch]()
    places = range(min(before.rounds, pair.length))
    for _, stretch in groupby(places, lambda k: (k == changed, *before.features_of(k).ravel().tolist())):
        every = list(stretch)
        first, last = every[0] + 1, every[-1] + 1
        where = f"context of round {first}" if first == last else f"contexts of rounds {first} to {last}"
        both = (("left", before), ("right", after)) if every[0] == changed else (("", before),)
        for side, seen in both:
            features = tuple(value_text(tuple(row)) for row in seen.features_of(every[0]).tolist())
            rows.append(Stretch(place_on(side, where), features, side))
    return rows


# -- a picture of the curves -------------------------------------------------------------------------------------------


EPSILONS = 81  # at which a profile is looked at first: where it bends in between, more follow
# Type I errors that draw a trade-off curve, on linear axes and on logarithmic ones: even in normal deviates, so that
# they lie as close where beta falls steeply as where alpha is small.
ALPHAS = np.concatenate([[0.0], ndtr(np.linspace(-8.0, 8.0, 161)), [1.0]])

Points = list[list[float]]
FigureMaker = Callable[[Result, str], Tradeoff | PrivacyProfile]  # of a result, with this title


def result_figures(result: Result) -> list[Tradeoff | PrivacyProfile]:
    """Returns the figures of an audit as items of evidence: first the plot that suits the guarantee.
    If the claim is refuted, a figure of the claimed and the certified trade-off of errors is always included."""
    assert result.curve is not None
    kinds = [derived.plot_kind(result.curve)]
    if result.verdict is Verdict.REFUTED and "tradeoff" not in kinds:
        kinds.append("tradeoff")
    makers: dict[str, FigureMaker] = {"tradeoff": tradeoff_figure, "profile": profile_figure}
    title = f"{derived.guarantee_name(result.curve)} claimed"
    titles = [title, f"{title}: errors of tests"]
    return [makers[kind](result, each) for kind, each in zip(kinds, titles, strict=False)]


def tradeoff_figure(result: Result, title: str) -> Tradeoff:
    """Returns the figure of the type II error beta against the type I error alpha, as an item of evidence."""
    assert result.curve is not None
    points = certified_errors(result)
    # 0.05 and the certified points, since words name the claimed value there: no chord stands for it.
    alphas = np.unique([*ALPHAS, 0.05, *(point["alpha_upper"] for point in points)])
    for log in (False, True):  # which axes it is drawn on is the report's to say
        alphas = adaptive_abscissae(partial(derived.beta_at, result.curve), alphas, log_x=log, log_y=log)
    low, high = ((), ()) if result.exact is None else result.exact.tradeoff()
    return {
        "kind": "tradeoff",
        "title": title,
        "instance": instance_name(result.instance),
        "claimed": as_points(alphas, derived.beta_at(result.curve, alphas)),
        "exact_low": [[float(alpha), float(beta)] for alpha, beta in low],
        "exact_high": [[float(alpha), float(beta)] for alpha, beta in high],
        "resolved": resolved_tradeoff(result, alphas),
        "points": points,
    }


def profile_figure(result: Result, title: str) -> PrivacyProfile:
    """Returns the figure of delta against eps, as an item of evidence."""
    assert result.curve is not None
    epsilons = np.linspace(0.0, largest_eps(result), EPSILONS)
    below, above = Points(), Points()
    if result.exact is not None:
        bends = adaptive_abscissae(result.exact.delta, epsilons, log_y=True)
        below, above = (as_points(bends, values) for values in result.exact.delta(bends))
    claimed = derived.profile(result.curve, adaptive_abscissae(result.curve.delta_at, epsilons, log_y=True))
    return {
        "kind": "profile",
        "title": title,
        "instance": instance_name(result.instance),
        "claimed": as_points(*claimed),
        "exact_low": below,
        "exact_high": above,
        "resolved": resolved_profile(result, np.union1d(epsilons, claimed[0])),
        "points": [
            {"eps": float(eps), "delta_lower": float(certified)}
            for eps in epsilons[::4]
            if (certified := certified_delta(result, eps)) > 0
        ],
    }


def certified_errors(result: Result) -> list[TestErrors]:
    """Returns the measured error rates of the certified points, from left to right.
    The points of the confidence region that are nearest to the claim are included, as `alpha_upper` and
    `beta_upper`."""
    if result.sampled is None or result.curve is None:
        return []
    found: list[TestErrors] = []
    for point in sorted(result.sampled.points, key=lambda point: point.alpha):
        alpha, beta = weakest_corner(result.curve, point.region)
        found.append({"alpha": point.alpha, "beta": point.beta, "alpha_upper": alpha, "beta_upper": beta})
    return found


def resolved_errors(result: Result) -> Errors:
    """Returns the trade-off curve (alphas, betas) of the smallest violation that would have been detected.
    It belongs to the first mechanism that the resolution names. Empty if there is no such mechanism, or if a violation
    was found."""
    if not result.caught or result.curve is None or result.verdict is Verdict.REFUTED:
        return np.empty(0), np.empty(0)
    value, at, mechanism = result.caught[0]
    alpha, beta = result.curve.extremal_mechanisms[mechanism](np.array([value]), np.array([at]), DRAWN_TESTS)
    order = np.argsort(alpha[0], kind="stable")
    return np.concatenate([[0.0], alpha[0][order], [1.0]]), np.concatenate([[1.0], beta[0][order], [0.0]])


def resolved_tradeoff(result: Result, alphas: Array) -> Points:
    """Returns points (alpha, beta) of the trade-off curve of the smallest detectable violation.
    The points are at these alphas and at the curve's kinks."""
    alpha, beta = resolved_errors(result)
    if not alpha.size:
        return []

    def least_beta(alphas: Array) -> Array:
        """Returns the smallest type II error at each alpha, by linear interpolation."""
        return np.interp(alphas, alpha, beta)

    for log in (False, True):
        alphas = adaptive_abscissae(least_beta, alphas, log_x=log, log_y=log)
    return as_points(alphas, least_beta(alphas))


def resolved_profile(result: Result, epsilons: Array) -> Points:
    """Returns points (eps, delta) on the profile of the smallest violation that would have been detected.
    Delta is the largest value over the tests of this violation."""
    alpha, beta = resolved_errors(result)
    if not alpha.size:
        return []

    def largest_delta(epsilons: Array) -> Array:
        """Returns the largest delta at each eps over all tests of the violation."""
        deltas = 1 - beta[:, None] - el.exp(epsilons) * alpha[:, None]
        return np.asarray(np.maximum(deltas.max(axis=0), 0.0))

    epsilons = adaptive_abscissae(largest_delta, epsilons, log_y=True)
    return as_points(epsilons, largest_delta(epsilons))


def refuting_event(result: Result) -> Event | None:
    """Returns the event by which samples refute the claim.
    The complement of this event if its two probabilities differ by a larger factor. None if samples do not refute the
    claim, or if they belong to inputs other than those displayed."""
    if result.sampled is None or result.curve is None or not result.refuted_by_samples:
        return None
    if result.pair is not result.sampled_pair:
        return None
    region = result.sampled.best.region
    # Bets, which stop by themselves, have no region: what they show is what was certified.
    shown = excess_over_region(result.curve, region) if region.alpha.size else result.sampled.excess
    amount, certified, at = map(float, shown)
    if amount <= 0:  # a divergence refutes it, and no event does by itself
        return None
    alpha, beta = result.sampled.best.alpha, result.sampled.best.beta
    chances = (alpha, 1 - beta) if beta * (1 - beta) >= alpha * (1 - alpha) else (1 - alpha, beta)
    shown_by = bound_of(result.curve, certified, Side.BELOW, at, Basis.SAMPLES, result.sampled.level)
    return Event(rounded(chances[0], Side.NEAREST), rounded(chances[1], Side.NEAREST), result.sampled.trials, shown_by)


def largest_eps(result: Result) -> float:
    """The largest eps at which a profile is drawn."""
    assert result.curve is not None
    claimed, _ = result.curve.claimed_parameters()
    ends = [1.0, *(1.5 * float(value) for value in claimed if len(claimed) == 1)]
    if result.bounds is not None:
        ends += [1.5 * value for value in (result.bounds.low, result.bounds.claimed) if np.isfinite(value)]
    if result.sampled is not None and np.isfinite(result.sampled.excess.shown):
        ends.append(1.5 * result.sampled.excess.shown)
    return float(min(50.0, max(ends)))


def certified_delta(result: Result, eps: float) -> float:
    """The largest delta at eps that the sampled points certify; 0 if they certify none."""
    points = result.sampled.points if result.sampled is not None else ()
    return max((float(delta_lower(*point.region, eps).min()) for point in points), default=0.0)


def as_points(xs: Sequence[float] | Array, ys: Sequence[float] | Array) -> Points:
    """Returns the points as lists [x, y] of floats."""
    return [[float(x), float(y)] for x, y in zip(xs, ys, strict=True)]


# -- beginnings of transcripts -----------------------------------------------------------------------------------------


MAX_ROWS = 5
MAX_RUN = 3  # a release that comes again and again is written out so often
MIN_SCORE = 20.0  # two equal chances differ by so much once in a hundred thousand beginnings


def distinguishing_beginnings(left: Transcripts, right: Transcripts) -> Beginnings | None:
    """Returns the most revealing first parts of transcripts, with how often each occurred on either side.
    All have one length, and the sides have equally many runs. These frequencies only illustrate; they certify nothing.
    None if no frequency differs significantly."""
    both = stacked([left, right])
    begun, best, length = np.zeros(both.trials, dtype=np.int64), MIN_SCORE, 0
    for t in range(both.arms.shape[1]):
        begun = np.unique(begun * both.trials + released(both, t), return_inverse=True)[1].ravel()
        counts = np.stack([np.bincount(each, minlength=begun.max() + 1) for each in np.split(begun, [left.trials])])
        score = scores(*counts)
        if score.max() > best:
            best, length, chosen = float(score.max()), t + 1, (begun, counts / left.trials, score)
        if counts.sum(axis=0).max() <= best:  # a score is at most a count, and longer ones come no more often
            break
    if not length:
        return None
    begun, chances, score = chosen
    ranks = [int(k) for k in np.argsort(-score, kind="stable")[:MAX_ROWS] if score[k] > MIN_SCORE]
    shown = [
        Beginning(
            transcript_text(both, int(np.argmax(begun == k)), length),
            *(rounded(share, Side.NEAREST) for share in chances[:, k].tolist()),
        )
        for k in ranks
    ]
    return Beginnings(length, left.trials, tuple(shown))


def released(seen: Transcripts, t: int) -> NDArray[np.int64]:
    """Numbers the releases of all trials in step t, counted from 0, (trials,): equal releases get equal numbers.
    Numbers are below the number of trials."""
    parts: list[np.ndarray] = [seen.arms[:, t : t + 1], seen.sizes[:, t : t + 1]]
    parts += [seen.counts[:, t]] if seen.counts.shape[1] else []
    rows = np.concatenate([part.astype(np.int64) for part in parts], axis=1)
    return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1].ravel())


def scores(left: Array, right: Array) -> Array:
    """Returns, for each pair of counts, their squared difference divided by its variance under equal probabilities."""
    return np.asarray((left - right) ** 2 / np.maximum(left + right, 1))


def transcript_text(seen: Transcripts, trial: int, length: int) -> str:
    """The first releases of a trial as text: the arm of each step, and the number of pulls if it is not 1."""
    said: list[str] = []
    for release, run in groupby(step_in_words(seen, trial, t) for t in range(length)):
        many = len(list(run))
        said += [release] * many if many <= MAX_RUN else [f"{release} in {many} steps"]
    return ", ".join(said)


def step_in_words(seen: Transcripts, trial: int, t: int) -> str:
    """Returns in words what a trial released in step t, counted from 0: an arm, an answer, or pull counts."""
    arm, size = int(seen.arms[trial, t]), int(seen.sizes[trial, t])
    if arm == SEVERAL_ARMS:
        return f"pulls {seen.counts[trial, t].tolist()}"
    if arm == NO_ARM:
        return "nothing"
    if size < 0:
        return f"the answer {arm}"
    return f"{arm}" if size == 1 else f"{arm} ({size} times)"
