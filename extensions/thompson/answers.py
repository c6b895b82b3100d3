"""How private is Thompson sampling with Gaussian priors? The bound of the paper, a certified upper bound, and a lower
bound from an attack.

    >>> from dpbandits import Sampler, thompson_privacy
    >>> found = thompson_privacy(Sampler(horizon=1000, arms=2), 1e-6)
    >>> round(found.theorem, 1), found.attack <= found.certified <= found.theorem
    (355.4, True)

All three are numbers for the same question: the smallest eps such that the released arms are (eps, delta)-private. The
theorem is true, so if its eps is smaller than that of the threshold game, it is the certified upper bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isnan, nan
from typing import Any, NamedTuple

from dpbandits.extensions.thompson.ascent import Bad, best_attack_in_mu, worst_tables
from dpbandits.extensions.thompson.attack import Attack
from dpbandits.extensions.thompson.bound import (
    MAX_RATIO_ROUNDS,
    Asked,
    SideCurve,
    Upper,
    certified_curve,
    left_side_ahead,
    static_bound,
    theorem_curve,
    with_left_side,
    with_right_side,
)
from dpbandits.extensions.thompson.curve_table import KeptCurve, tabled_attack, tabled_curve, tabled_eps
from dpbandits.extensions.thompson.initial_tables import TableShape, followed_pulls
from dpbandits.extensions.thompson.ratios import Curves
from dpbandits.extensions.thompson.rules import Sampler, checked_sampler, theorem_eps
from dpbandits.extensions.thompson.run_certificates import run_certificate
from dpbandits.extensions.thompson.single_pull_attack import RISK, single_pull_attack
from dpbandits.extensions.thompson.worst_coins import followable, search_worst_coins
from dpbandits.reference.bandits.adjacency import Pair

KEPT_HORIZON = 100  # the table's first; below, computing takes seconds
LONGEST_ATTACK = 20_000  # rounds; beyond, no attack is looked for, but one on the first rounds may be kept
MAX_SIMULATED_ROUNDS = 1000  # rounds of so many arms that runs are simulated: 50 arms take 15 s there
MAX_SIMULATED_ARMS = 20_000  # arms of such runs: more would fill the memory with their samples
SMALLEST_ASKED_DELTA = 1e-300  # no smaller delta is asked about
MAX_TRIED_SHAPES = 24  # shapes of tables for more arms, or with a round changed
SIDE_BY_SIDE = 500  # rounds; from there on, bound and attack are computed at the same time, in two processes
WIDEST = 300.0  # no attack that begins before the bound is known follows larger losses
# Tables on the way uphill for two arms, up to so many rounds and beyond
MAX_SHORT_HORIZON, ASCENT_STEPS, ASCENT_STEPS_LONG = 2000, 40, 200
BOUND_FIELDS = ("certified", "method", "upper", "kept")  # of an answer
# Beyond so many rounds with so little noise, the static potential takes more than 2 s, and up to 20.
SLOW_POTENTIAL, SLOW_VARIANCE = 10_000, 0.2
SLOW_HORIZON = 500  # rounds; from there on, a coarse grid answers first where somebody may not wait for the end
COARSE_FINENESS, COARSE_COUNTS = 0.25, 0.5  # of that grid: at T = 4000 a tenth of the time, and 3 % more
BLIND_GUESS_ERROR = 0.5  # who guesses without looking makes either error that often
SINGLE_PULL_WORDS = {
    "pull": "simulated: the others pay 1; arm 0 pays 0, changed to 1, and is pulled once",
    "round": "simulated: round 1 pays all arms 0, changed to 1; the others pay 1 from then on; its arm is pulled once",
}


class ThompsonPrivacy(NamedTuple):
    """Three values of eps at delta: the eps of the paper's theorem, a certified upper bound, and a lower bound from an
    attack.

    sampler, relation, delta: what was asked. theorem: the eps of the paper. certified: the smaller of this and the eps
    that the threshold game proves. attack: a lower bound on every valid eps, shown by `tables` (nan if no attack is
    known). tables: in words. method: the basis of `certified`, "ratios" or "potential" of the game, or "theorem".
    upper, worst: the curves of game and attack. pair: the tables of the attack, if any. risk: the error probability of
    the attack; 0 unless runs were simulated. kept: the row of the table that gave the answer, if nothing was computed;
    it is about this sampler, or about one that is at most as private. of_mu: the attack with the largest mu, if one was
    searched for.
    """

    sampler: Sampler
    relation: str
    delta: float
    theorem: float
    certified: float
    attack: float
    tables: str
    method: str
    upper: Upper
    worst: Attack | None
    pair: Pair | None = None
    risk: float = 0.0
    kept: KeptCurve | None = None
    of_mu: Attack | None = None

    @property
    def certificate(self) -> dict[str, Any]:
        """A certificate for `dpbandits verify`, which shows that no smaller eps is valid.
        Raises ValueError if there is none."""
        if self.risk > 0:
            raise ValueError(
                f"no certificate can be written, because the attack was simulated (error probability {self.risk:g})"
            )
        if self.pair is None and not isnan(self.attack):
            raise ValueError(
                f"no certificate can be written, because this attack was read from a stored table ({self.tables}); use "
                "--exact (exact=True) with the parameters of this row of the table"
            )
        if self.pair is None:
            raise ValueError(f"no certificate can be written, because no attack is known ({self.tables})")
        sampler = self.sampler._replace(arms=self.pair.left.shape[0])
        return run_certificate(sampler, self.pair, self.delta, followed_pull_counts(sampler), self.certified)


class AscentResult(NamedTuple):
    """The tables with the strongest attack that an ascent found and, if delta is small enough, the attack with the
    largest mu."""

    bad: Bad
    of_mu: Attack | None


def thompson_privacy(
    sampler: Sampler, delta: float, relation: str = "pull", seek: bool = True, exact: bool = False
) -> ThompsonPrivacy:
    """The eps at delta by the paper's theorem, a certified upper bound on eps, and a lower bound from an attack.

    sampler: Thompson sampling with Gaussian priors. delta: in (0, 1), at least 1e-300. relation: what differs between
    neighbouring inputs, "pull" (one reward of the pull-indexed table) or "round" (all rewards of a round). seek:
    whether to search for an attack (with two arms if the number of arms is unknown; with three arms up to T = 100, with
    four up to T = 30, for relation "round" up to T = 1000). exact: whether to compute the bound even if the stored
    table has a row for it.

    The stored table has horizons from 100 to 1000, variances c of at least 1 (for T up to 200, at least 1/2), and
    deltas down to 1e-12. For other parameters, a row with more rounds, less variance and fewer pre-pulls is used, which
    gives a certified but looser bound. The table contains attacks on two arms with c = 1 and b = 0. Computing a bound
    takes about 30 seconds of processor time for T = 1000, and minutes for T = 10 000 (without numba half an hour or
    more). Raises ValueError for an invalid sampler, relation or delta.
    """
    checked_question(sampler, relation, delta)
    if not exact and (kept := tabled_privacy(sampler, delta, relation, seek)) is not None:
        return kept
    *_, found = computed_privacies(sampler, delta, relation, seek)
    return found


def first_privacy(sampler: Sampler, delta: float, relation: str = "pull") -> ThompsonPrivacy:
    """Returns an answer about a sampler's privacy, with a certified upper bound, that takes only seconds.
    The table's bound if there is one, otherwise the smaller one of the static potential and the paper's theorem."""
    checked_question(sampler, relation, delta)
    if (kept := tabled_privacy(sampler, delta, relation, seek=True)) is not None:
        return kept
    try:
        upper = static_bound(sampler, relation)
    except ValueError:  # a reward moves a sample too far for the potential
        upper = theorem_curve(sampler, relation)
    return privacy_by(upper, delta, relation, ShownAttack("not searched yet"))


def refined_privacies(
    sampler: Sampler, delta: float, relation: str = "pull", exact: bool = False
) -> Iterator[ThompsonPrivacy]:
    """Yields answers about a sampler's privacy with smaller and smaller certified bounds, the quickest first.
    First one that takes seconds, then one by a coarse grid, at last everything that `thompson_privacy` computes. If the
    noise is small and the run long, the paper's theorem comes first, because the static potential takes up to 20
    seconds.

    The numbers of the last answer are those of `thompson_privacy`, unless an earlier bound was smaller. Arguments and
    errors as there; but if the noise is so small that numbers leave the range of doubles, the last bound before this is
    the answer.
    """
    checked_question(sampler, relation, delta)
    if sampler.variance < SLOW_VARIANCE and sampler.horizon > SLOW_POTENTIAL:
        yield privacy_by(theorem_curve(sampler, relation), delta, relation, ShownAttack("not searched yet"))
    best = first_privacy(sampler, delta, relation)
    yield best
    if best.kept is not None and not exact:
        return
    try:
        for found in computed_privacies(sampler, delta, relation, True, coarse=sampler.horizon >= SLOW_HORIZON):
            known = {} if found.certified <= best.certified else {name: getattr(best, name) for name in BOUND_FIELDS}
            best = found._replace(**known)
            yield best
    except ValueError as error:  # so little noise leaves the range of doubles
        yield best._replace(tables=f"not searched: {error}")
    except MemoryError:
        yield best._replace(tables="not searched: not enough memory for this horizon")


def computed_privacies(
    sampler: Sampler, delta: float, relation: str, seek: bool, coarse: bool = False
) -> Iterator[ThompsonPrivacy]:
    """Yields answers about a sampler's privacy that are computed, not read from the table; the last one is complete.
    coarse: whether to begin with a coarse grid, for users who may not wait for the end."""
    free, pending = None, ShownAttack("not searched yet" if seek else "not searched")
    several = (sampler.arms or 2) > 2
    if coarse and sampler.horizon <= MAX_RATIO_ROUNDS:
        asked = sampler._replace(arms=None) if several else sampler
        upper = certified_curve(asked, relation, min(delta / 1000, 1e-6), COARSE_FINENESS, COARSE_COUNTS)
        yield privacy_by(of_sampler(upper, sampler), delta, relation, pending)
    if several:
        free = certified_curve(sampler._replace(arms=None), relation, min(delta / 1000, 1e-6))
        yield privacy_by(of_sampler(free, sampler), delta, relation, pending)
    upper, ascent = computed_ends(sampler, delta, relation, seek, free)
    bound = privacy_by(upper, delta, relation, pending)
    yield bound
    if seek:
        yield bound._replace(**shown_attack(sampler, delta, relation, bound.certified, ascent)._asdict())


def of_sampler(upper: Upper, sampler: Sampler) -> Upper:
    """Returns the bound of `upper`, which holds for any number of arms, as a bound for this sampler.
    The curve was computed for any number of arms, so it is also valid for the sampler's own number."""
    if upper.sampler == sampler:
        return upper
    return Upper(sampler, upper.relation, upper.powers, upper.curves, upper.losses, any_number=upper)


def privacy_by(upper: Upper, delta: float, relation: str, attack: ShownAttack) -> ThompsonPrivacy:
    """Returns the answer whose certified eps is the smaller one of the game's bound and the paper's theorem."""
    sampler = upper.sampler
    assert isinstance(sampler, Sampler)
    theorem, game = theorem_eps(sampler, delta), upper.eps(delta)
    certified, method = (game, upper.method) if game <= theorem else (theorem, "theorem")
    return ThompsonPrivacy(sampler, relation, delta, theorem, certified, method=method, upper=upper, **attack._asdict())


class ShownAttack(NamedTuple):
    """The result of an attack, in the fields of `ThompsonPrivacy`."""

    tables: str
    attack: float = nan
    worst: Attack | None = None
    pair: Pair | None = None
    risk: float = 0.0
    of_mu: Attack | None = None


def shown_attack(
    sampler: Sampler, delta: float, relation: str, certified: float, ascent: AscentResult | None
) -> ShownAttack:
    """Returns the best attack on the sampler that a search finds, or the reason why none is searched for.
    ascent: the result of an ascent, if one was made."""
    if sampler.horizon > LONGEST_ATTACK and (first := tabled_attack_eps(sampler, relation, delta)) is not None:
        eps, tables = first
        return ShownAttack(tables, eps)
    reason = reason_for_no_attack(sampler, relation, certified)
    if not reason and (relation == "round" or sampler.arms not in (2, None)):
        worst = search_worst_coins(
            sampler._replace(arms=sampler.arms or 2), relation, delta, certified, MAX_TRIED_SHAPES
        )
        return ShownAttack(worst.words, worst.attack.eps(delta), worst.attack, worst.pair)
    if is_attack_simulated(sampler):
        single = single_pull_attack(sampler, relation, delta)
        if single.eps > 0:
            return ShownAttack(SINGLE_PULL_WORDS[relation], single.eps, risk=RISK)
        return ShownAttack(f"{reason}; without several other arms, this attack shows nothing")
    if reason:
        return ShownAttack(reason)
    bad, of_mu = ascent or ascent_tables(sampler, delta, certified)
    tables = ("tables found by ascent from: " if bad.uphill else "") + tables_in_words(bad.shape, sampler.horizon)
    return ShownAttack(tables, bad.attack.eps(delta), bad.attack, bad.pair, of_mu=of_mu)


def computed_ends(
    sampler: Sampler, delta: float, relation: str, seek: bool, free: Upper | None = None
) -> tuple[Upper, AscentResult | None]:
    """Computes the certified upper bound and, for long runs of two arms, also the attack, in two processes.
    Two processes work at the same time: one on the right side of the bound, the other on the attack and the left side.
    The results equal those of `certified_curve` and `ascent_tables`. free: as for `with_right_side`."""
    from joblib import Parallel, delayed  # a question that the table answers does without

    asked = Asked(sampler, relation, smallest=min(delta / 1000, 1e-6))
    work = [delayed(with_right_side)(asked, free)]
    with_attack = seek and relation == "pull" and sampler.arms in (2, None)
    if SIDE_BY_SIDE <= sampler.horizon <= LONGEST_ATTACK and (with_attack or sampler.arms == 2):
        work.append(delayed(attack_and_left_side)(asked, delta, with_attack))
    bound, *others = Parallel(n_jobs=len(work))(work)
    ascent, left = others[0] if others else (None, None)
    return with_left_side(bound, asked, left), ascent


def attack_and_left_side(
    question: Asked, delta: float, with_attack: bool
) -> tuple[AscentResult | None, SideCurve | None]:
    """Computes the attack and the left side of the bound, in a process beside that of the right side.
    None in place of the attack if none is searched for. The left side is computed for two arms only."""
    sampler = question.sampler
    ascent = ascent_tables(sampler, delta, min(theorem_eps(sampler, delta), WIDEST)) if with_attack else None
    return ascent, left_side_ahead(question) if sampler.arms == 2 else None


def ascent_tables(sampler: Sampler, delta: float, highest: float) -> AscentResult:
    """Returns the two reward tables with the strongest attack on two arms that a gradient ascent finds.
    highest: an upper bound on the eps of interest."""
    two = sampler._replace(arms=2)
    steps = ASCENT_STEPS if two.horizon <= MAX_SHORT_HORIZON else ASCENT_STEPS_LONG
    bad = worst_tables(two, delta, followed_pull_counts(two), steps, highest)
    return AscentResult(
        bad, best_attack_in_mu(two, bad, delta, followed_pull_counts(two)) if delta < BLIND_GUESS_ERROR else None
    )


def checked_question(sampler: Sampler, relation: str, delta: float) -> None:
    """Raises ValueError for an invalid sampler or relation, and for a delta that is out of range."""
    checked_sampler(sampler)
    if relation not in Curves._fields:
        raise ValueError(f"relation is {relation!r}; choose 'pull' or 'round'")
    if not 0 < delta < 1:
        raise ValueError(f"delta is {delta}; it must be a number strictly between 0 and 1, such as 1e-6")
    if delta < SMALLEST_ASKED_DELTA:
        raise ValueError(
            f"delta is {delta}; it must be at least {SMALLEST_ASKED_DELTA:g}, because smaller doubles have fewer digits"
        )


def tabled_privacy(sampler: Sampler, delta: float, relation: str, seek: bool) -> ThompsonPrivacy | None:
    """Returns the table's answer for a sampler; None if there is none for its horizon, delta or c."""
    if sampler.horizon < KEPT_HORIZON:
        return None
    game, row = tabled_eps(sampler, relation, delta)
    upper = tabled_curve(sampler, relation)
    if row is None or upper is None or game == inf:
        return None
    theorem, attacked = theorem_eps(sampler, delta), tabled_attack_eps(sampler, relation, delta) if seek else None
    certified, method = (game, "ratios") if game <= theorem else (theorem, "theorem")
    shown, tables = attacked or (nan, "none in the table; --exact searches for one" if seek else "not searched")
    return ThompsonPrivacy(sampler, relation, delta, theorem, certified, shown, tables, method, upper, None, kept=row)


def tabled_attack_eps(sampler: Sampler, relation: str, delta: float) -> tuple[float, str] | None:
    """Returns the certified eps of a stored attack that also applies to this sampler, and a description of the attack.
    None if no attack is stored. The first rounds do not depend on the horizon (see `KeptAttack`)."""
    found = tabled_attack(sampler, relation, delta)
    return found and (found.eps, f"from the table: attack for T = {found.sampler.horizon} and delta = {found.delta:g}")


def is_attack_simulated(sampler: Sampler) -> bool:
    """Whether an attack on many arms is simulated, because no exact law is computed for so many."""
    if sampler.arms is None or sampler.arms < 3 or sampler.prepulls or not 3 <= sampler.horizon <= MAX_SIMULATED_ROUNDS:
        return False
    return sampler.arms <= MAX_SIMULATED_ARMS and not followable(sampler)


def followed_pull_counts(sampler: Sampler) -> int:
    """The largest pull count of the changed arm that an attack distinguishes."""
    return sampler.first + followed_pulls(sampler.horizon)


def reason_for_no_attack(sampler: Sampler, relation: str, certified: float) -> str:
    """The reason why no attack on the sampler is searched for, in words; "" if one is searched for."""
    if relation == "round" or sampler.arms not in (2, None):
        if sampler.prepulls:
            return "not searched: there are pre-pulls, with relation 'round' or more than two arms"
        if not followable(sampler):
            return "not searched: too many states for this number of rounds and arms"
    if sampler.horizon > LONGEST_ATTACK:
        return f"not searched: T > {LONGEST_ATTACK}"
    return "" if certified > 0 else "none: eps = 0 is certified at this delta"


def tables_in_words(shape: TableShape, horizon: int) -> str:
    """Returns one line of text that describes the two reward tables with these parameters."""
    level, until, late, threshold, slope = shape
    then = f" {threshold:.3g}{f' {slope:+.2g} log n' if slope else ''} deviations below that"
    switch = f", {late:.3g} from pull {int(until * horizon) + 1} on" if until < 1 and late != level else ""
    return f"arm 1 pays {level:.3g}{switch}; arm 0 pays 0 (changed to 1), and then keeps its mean{then}"
