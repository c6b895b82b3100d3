"""The privacy audit of one policy by all that it draws: all sampled theta, or all noisy values that it declares."""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.effort import Profile, Run
from dpbandits.audit.play.forms import NUMBERS, PAIR
from dpbandits.audit.play.pieces import Form, in_blocks
from dpbandits.audit.privacy.certificates import values_refutation
from dpbandits.audit.privacy.outcomes import Outcome
from dpbandits.audit.scores.learning import gap, likely
from dpbandits.audit.scores.moves import worst_shifts
from dpbandits.audit.scores.samples import Declares, scores_of_many, scores_of_part
from dpbandits.audit.search.between import rows_between, standing_out
from dpbandits.audit.search.halving import FEWEST
from dpbandits.audit.search.hints import hinted
from dpbandits.audit.search.pairs import candidates, first_candidate
from dpbandits.audit.tradeoff.events import certify, finite, scored_by_search
from dpbandits.reference.curves import Curve
from dpbandits.reference.curves.curve import Exact
from dpbandits.reference.ledger import Private
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, Seeded, address
from dpbandits.reference.noisy import HasShifts
from dpbandits.reference.policy import Policy, play

LEAST = 2_000  # trials of an audit
LONG = 12_000  # pairs times steps that all get a look
ODD = 10_000  # pairs with rewards between the ends, times steps, that get RUNS runs each, about
RUNS = 2
SIDES = ("left", "right")
MORE = 4  # a step of a run costs as much as so many arms, besides its own
BLOCK = 2e8  # runs times steps times arms and MORE, of a block of trials, at most: some half a minute

Scores = tuple[Array, Array]


class Found(NamedTuple):
    """What a search found. pairs: the one whose trials certify, and where another one is worst by the declared shifts,
    that one, which is played beside it. exact: of the worst pair. told: how it was searched, in words."""

    pairs: list[Pair]
    exact: Exact | None
    told: str


def audit_samples(policy: Any, says: Private, curve: Curve, run: Run, label: str, site: tuple[str, ...]) -> Outcome:
    """The same for the view of all sampled theta, or of all noisy values: from samples, and where the policy declares
    how far its values move, exactly for the worst of these pairs. No blur is in that, so that it may speak at delta 0.
    """
    if not isinstance(policy, Declares):
        idle = "this policy does not say what it draws theta from (no `posterior`), nor other values (no `noisy`)"
        return Outcome(label, curve, idle=idle)
    steps = how_many_steps(policy, says.relation)
    trials = max(LEAST, trials_of(steps, run.profile))
    many = how_many_blocks(policy, run.profile)

    def audited(found: Found, block: int) -> Array:
        side, part = divmod(block, many)
        seed = address(run.seed, *site, SIDES[side], "audit")
        return scores_of_part(policy, found.pairs, side, trials, seed, part, many)[0]

    search = partial(searched, policy, says, curve, run, site, steps, trials)
    form = Form(written, partial(read, policy, says, curve))
    found, blocks = in_blocks(search, audited, len(SIDES) * many, form, NUMBERS)
    left, right = (np.concatenate(blocks[start : start + many]) for start in (0, many))
    if not (left.any() or right.any()):
        return Outcome(label, curve, idle="the sampled values have the same law on either side of every pair tried")
    finite(np.concatenate([left, right]), "the score of sampled values")
    scored = scored_by_search(left, right, int(trials * run.profile.search), curve, run.level)
    outcome = Outcome(label, curve, certify(*scored, curve, run.level), looked=found.told)
    outcome = outcome._replace(pair=found.pairs[0], sampled_pair=found.pairs[0])
    if found.exact is None or not isinstance(policy, HasShifts):
        return outcome
    outcome = outcome._replace(bounds=(ends := curve.bounds(found.exact)), exact=found.exact)
    if not ends.refutes:
        return outcome
    maker = partial(values_refutation, site[0], policy, found.pairs[-1], curve, found.exact, ends.at)
    return outcome._replace(certificate=maker, pair=found.pairs[-1])


def searched(
    policy: Any, says: Private, curve: Curve, run: Run, site: tuple[str, ...], steps: int, trials: int
) -> Found:
    """The pair about which so many trials on either side, of so many steps, should certify most."""

    def looked(pairs: list[Pair], each: int, purpose: str) -> list[Scores]:
        left, right = (
            scores_of_many(policy, pairs, side, each, address(run.seed, *site, SIDES[side], purpose)) for side in (0, 1)
        )
        return list(zip(left, right, strict=True))

    judge = likely(curve, trials - int(trials * run.profile.search), run.level)
    first = hinted(policy, says)
    rows, told = rows_between(policy, says.relation, ODD // steps, address(run.seed, *site, "values"))
    if odd := [pair for row in rows for pair in row]:
        marks = [np.abs(np.concatenate(sides)).mean() for sides in looked(odd, RUNS, "values")]
        first += [odd[k] for k in standing_out(np.asarray(marks), [len(row) for row in rows])]
    chosen = [*first, *candidates(policy, says.relation)]
    exact = worst_shifts(policy, curve, chosen) if isinstance(policy, HasShifts) else None
    worst = [chosen[exact[0]]] if exact else []
    told = f"{len(chosen)} pairs looked at{told}"
    # A run costs the same however few trials it has, so that a long horizon has fewer looks, not smaller ones.
    if len(chosen) * steps > LONG:
        chosen = shortlist(chosen, len(first) + max(4, LONG // steps), address(run.seed, *site, "pair"), 1 + len(first))
        told = f"{len(chosen)} of {told}"
    # All pairs of a look together get no more than half the runs of the audit, but a pair at least FEWEST.
    for few, kept in ((100, 8), (500, 2), (2_000, 1)):
        looks = looked(chosen, max(FEWEST, min(few, trials // 2 // len(chosen))), f"look {few}")
        worth = [(judge(*scores), gap(*scores)) for scores in looks]
        ranks = sorted(range(len(chosen)), key=lambda k: worth[k], reverse=True)
        chosen = [chosen[k] for k in ranks[:kept]]
    pairs = [chosen[0], *(pair for pair in worst if pair is not chosen[0])]
    return Found(pairs, exact[1] if exact else None, told)


def written(found: Found) -> Any:
    """What was found, as JSON data; the exact profile follows from the worst pair."""
    return {"pairs": [PAIR.write(pair) for pair in found.pairs], "exact": found.exact is not None, "told": found.told}


def read(policy: Any, says: Private, curve: Curve, data: Any) -> Found:
    """What was found. Raises ValueError, among others, for what cannot have been found about this policy."""
    pairs = [PAIR.read(one) for one in data["pairs"]]
    for pair in pairs:
        if (pair.relation, len(pair.left), pair.length) != (says.relation, policy.arms, policy.horizon):
            raise ValueError(f"a pair of relation {pair.relation!r}, {len(pair.left)} arms, {pair.length} rewards each")
    exact = worst_shifts(policy, curve, pairs[-1:]) if data["exact"] else None
    if len(pairs) not in (1, 2) or (exact is not None) != data["exact"]:
        raise ValueError(f"{len(pairs)} pairs, with exact = {data['exact']}")
    return Found(pairs, exact[1] if exact else None, str(data["told"]))


def trials_of(steps: int, profile: Profile) -> int:
    """The trials on either side of a pair, for runs of so many steps, both sides of which are followed at once."""
    return min(profile.trials, profile.steps // (2 * steps))


def how_many_blocks(policy: Any, profile: Profile) -> int:
    """So many blocks of one size the trials of a side are divided into; a step is taken for a pull."""
    steps, arms = max(1, int(policy.horizon)), int(policy.arms)
    return max(1, ceil(trials_of(steps, profile) * steps * (arms + MORE) / BLOCK))


def how_many_steps(policy: Policy, relation: str) -> int:
    """The number of steps of one run."""
    first = first_candidate(policy, relation)
    assert first is not None  # every run has a first reward
    environment = first.environments()[0]
    return max(1, int(play(policy, environment, Seeded(0, 1), 1).released.shape[1]))


def shortlist(every: list[Pair], many: int, seed: int, first: int = 1) -> list[Pair]:
    """So many of the candidate pairs, the first ones always, in an order that the seed fixes."""
    rest = np.random.default_rng(seed).permutation(len(every) - first)[: max(0, many - first)] + first
    return [*every[:first], *(every[int(index)] for index in sorted(rest))]
