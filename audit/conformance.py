"""Conformance: does a policy do what the reference does? By its law, state by state, or by replay, draw by draw.

`follows_law` needs nothing of the policy but that it can be played: no law, no noise sites of ours. Whatever the
policy released, the reference is led along the same pulls, and says what the law of the next release ought to have
been. Where the policy conforms, what runs with the same past release next are independent draws from this law. So, for
every set of (run, step) pairs whose membership depends on the past alone, every arm and every number s, the product
over the set of

    exp(s [this arm was pulled]) / (1 + p (exp(s) - 1)),        p the reference's probability of pulling this arm,

has expectation one: an e-value. A mean of e-values is one as well, however they depend on each other; by Markov's
inequality it passes 1/level with probability at most `level`. There is no approximation in this, and no count of
tests to correct for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtri

from dpbandits.audit.effort import RISK
from dpbandits.audit.lawful import lawful
from dpbandits.audit.play.probes import DEPENDENT, OWN, SINGLE, SINGLY, probe
from dpbandits.audit.play.transcripts import compact
from dpbandits.proofs_checks.exact.led import Release, Released, Visit, led
from dpbandits.proofs_checks.exact.same import kinds, word
from dpbandits.proofs_checks.exact.walk import Offers, Side, Walk
from dpbandits.reference.answers import answered, answers, pulled, unit
from dpbandits.reference.checks import at_least, whole, within
from dpbandits.reference.environments import Environment, Stream, Table, per_trial, reward_range
from dpbandits.reference.laws import NoLaw
from dpbandits.reference.ledger import Finding, Verdict
from dpbandits.reference.noise import Array, Recorder, Seeded, Tape, address
from dpbandits.reference.policy import HasLaw, Played, Policy, play
from dpbandits.reference.protocol import demand_policy

Ints = NDArray[np.int64]

TILTS = np.array([s * sign for s in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 8.0) for sign in (1, -1)])  # s
SLACK = 1e-12  # what a law's probability may be wrong by numerically, or the blur that it states; argmax_law: 1e-13
BINS = 10  # of the reference's probability, in the check that odds are what they should be
PASTS = 300  # so many different pasts are told apart; beyond, only states and last arms
SHOWN = 8  # rows of evidence
DIFFERS = (
    "This says nothing about privacy by itself: a policy may differ from the reference and be as private, or more."
)
POWER = 0.9  # a resolution is what a run catches with this probability


class Group(NamedTuple):
    """Sets of (run, step) pairs, each compared with the law for every arm; they share a weight. n sets."""

    name: Callable[[int], str]  # what the pairs of set k have in common
    visits: Array  # (n,): how many pairs
    released: Array  # (n, arms): how often they released the arm
    expected: Array  # (n, arms): how often they should have
    log_evidence: Array  # (n, arms): log of the mean e-value over TILTS
    log_weight: float  # of every one of these e-values in the mean of all


def follows_law(
    policy: Policy,
    reference: HasLaw | Policy,
    environments: Mapping[str, Environment] | None = None,
    trials: int = 20_000,
    seed: int = 0,
    level: float = RISK,
) -> Finding:
    """Whether the released arms of a policy fit the reference's exact law, along the policy's own runs.

    environments: fixed rewards to play on, by name (default: `probes`). trials: runs in each. level: the probability
    with which a policy that conforms is refuted. Pulls are compared one by one: a policy may release blocks where the
    reference makes single pulls; but where the reference may pull differently often in a step, or runs end with an
    answer, step by step.
    NOT_APPLICABLE to a reference whose law nobody knows (`lawful`), or not for such long runs, and to a policy whose
    runs depend on each other. One with randomness of its own is played one run at a time, and fewer of them. Raises
    ValueError where arms or horizons differ, or a number is no such number, and TypeError for what is no policy.
    """
    demand_policy(policy)
    demand_policy(reference)
    same_shape(policy, reference)
    at_least("trials", trials, 1)
    seed = whole(seed, "seed", 0, 2**64 - 1)
    within("level", level, 0, 1)
    known = lawful(reference)
    if known is None:
        summary = (
            f"{type(reference).__name__} says no law: it would have to offer law(t, state), the probabilities of step "
            "t's arm. `replay` needs none"
        )
        return Finding("conformance/law", Verdict.NOT_APPLICABLE, summary, repro=call("follows_law", trials, seed))
    chosen = probes(reference) if environments is None else environments
    groups: list[Group] = []
    sides: dict[str, Side] = {}
    for name, environment in chosen.items():
        if not isinstance(environment, Table | Stream):
            raise ValueError(f"{name}: {type(environment).__name__} pays at random; a law is checked on fixed rewards")
        sides[name] = environment
    exercised, longest = False, 1
    repro, law = call("follows_law", trials, seed), f"the law of {type(reference).__name__}"
    said = {remark for name, each in sides.items() for remark in probe(policy, each, address(seed, "probe", name))}
    if DEPENDENT in said:
        return Finding("conformance/law", Verdict.NOT_APPLICABLE, f"{DEPENDENT}.", repro=repro)
    if OWN in said:
        trials = min(trials, max(1, SINGLE // policy.horizon))
    for name, environment in sides.items():
        played = runs(policy, environment, address(seed, "conformance", name), trials, OWN in said)
        try:
            steps = led_by(known, environment, played, by_steps=answers(policy) or answers(reference))
        except NoLaw as reason:
            return Finding("conformance/law", Verdict.NOT_APPLICABLE, f"{name}: {reason}", repro=repro)
        if isinstance(steps, str):
            return Finding("conformance/law", Verdict.REFUTED, f"{name}, {steps}", repro=repro)
        exercised |= any(bool(((step.law > SLACK) & (step.law < 1 - SLACK)).any()) for step in steps)
        longest = max(longest, len(steps))
        groups += compared(steps, name, -float(np.log(len(chosen))))
    evidence = float(logsumexp([logsumexp(group.log_evidence) + group.log_weight for group in groups]))
    rows = worst(groups)
    if evidence >= -np.log(level):
        where, arm, visits, released, expected, _ = rows[0]
        verdict, summary, limit = (
            Verdict.REFUTED,
            f"evidence of 10^{evidence / np.log(10):.1f} against {law}; most of it in {where}: arm {arm} was released "
            f"{released} times in {visits} where {expected:.1f} were expected",
            "",
        )
    elif exercised:
        verdict, summary = (
            Verdict.CONSISTENT,
            f"{trials} runs in each of {len(chosen)} environments fit {law}" + (f"; {SINGLY}" if OWN in said else ""),
        )
        limit = resolution(trials, len(chosen), longest, policy.arms, level)
    else:
        verdict, summary, limit = Verdict.NOT_EXERCISED, f"{law} leaves nothing to chance here", ""
    columns = ["where", "arm", "visits", "released", "expected", "log10 of its evidence"]
    table = {
        "kind": "table",
        "title": "Where the release fits the law worst",
        "columns": columns,
        "rows": rows,
    }
    return Finding("conformance/law", verdict, summary, (table,), limit, repro)


def replay(
    policy: Policy,
    reference: Policy,
    environments: Mapping[str, Environment] | None = None,
    trials: int = 500,
    seed: int = 0,
) -> Finding:
    """Whether a policy makes exactly the reference's pulls, and gives its answers, when both get the same noise values.

    The reference's draws are recorded. NOT_APPLICABLE to a policy that draws at other sites: its pulls
    cannot be compared draw by draw. Raises ValueError where arms or horizons differ or a number is no such
    number, and TypeError for what is no policy.
    """
    demand_policy(policy)
    demand_policy(reference)
    same_shape(policy, reference)
    at_least("trials", trials, 1)
    seed = whole(seed, "seed", 0, 2**64 - 1)
    chosen = probes(reference) if environments is None else environments
    repro = call("replay", trials, seed)
    for name, environment in chosen.items():
        recorder = Recorder(Seeded(address(seed, "replay", name), trials))
        expected = all_said(play(reference, environment, recorder, trials), reference.horizon)
        try:
            made = all_said(play(policy, environment, Followed(recorder.tape()), trials), reference.horizon)
        except Elsewhere as elsewhere:
            summary = (
                f"{name}: the policy draws at {elsewhere}, the reference at {places(recorder)}: nothing can be "
                "replayed. Give the draws the reference's sites and indices, or use `follows_law`, which needs none"
            )
            return Finding("conformance/replay", Verdict.NOT_APPLICABLE, summary, repro=repro)
        except OtherDraw as other:
            return Finding("conformance/replay", Verdict.REFUTED, f"{name}: {other}. {DIFFERS}", repro=repro)
        if not np.array_equal(made, expected):
            pull = int((made != expected).any(axis=0).argmax())
            trial = int((made != expected)[:, pull].argmax())
            what = f"pull {pull + 1}" if pull < reference.horizon else "the answer"
            own, theirs = (f"arm {arm}" if arm >= 0 else "no arm" for arm in (made[trial, pull], expected[trial, pull]))
            summary = (
                f"{name}, run {trial}: {what} is of {own}, the reference makes it of {theirs}; "
                f"{(made != expected).any(axis=1).mean():.1%} of the runs differ somewhere. {DIFFERS}"
            )
            return Finding("conformance/replay", Verdict.REFUTED, summary, repro=repro)
    share = 1 - (1 - POWER) ** (1 / (trials * len(chosen)))
    return Finding(
        "conformance/replay",
        Verdict.CONSISTENT,
        f"all pulls of {trials} runs in each of {len(chosen)} environments are the reference's",
        resolution=f"a difference in {share:.2g} of the runs would be caught with probability {POWER}",
        repro=repro,
    )


def runs(policy: Policy, environment: Environment, seed: int, trials: int, singly: bool) -> Played:
    """So many runs; singly: one after another, each with noise of its own, padded to the steps of the longest."""
    if not singly:
        return play(policy, environment, Seeded(seed, trials), trials)
    every = [play(policy, environment, Seeded(seed, 1, block), 1) for block in range(trials)]
    steps = max(each.released.shape[1] for each in every)
    padded = [np.pad(each.released, ((0, 0), (0, steps - each.released.shape[1]), (0, 0))) for each in every]
    return Played(
        np.concatenate(padded), *(np.concatenate(part) for part in zip(*(each[1:] for each in every), strict=True))
    )


class Elsewhere(Exception):
    """A draw at a site where the reference never draws."""


class OtherDraw(Exception):
    """A draw that the reference does not make, at a site where it draws."""


class Followed(NamedTuple):
    """A tape that tells its own refusals from a policy's errors."""

    tape: Tape

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.replay("normal", site, index, shape)

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.replay("laplace", site, index, shape)

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.replay("uniform", site, index, shape)

    def replay(self, kind: str, site: str, index: int, shape: tuple[int, ...]) -> Array:
        if site not in {known for known, _ in self.tape.values}:
            raise Elsewhere(f"site {site!r}, index {index}")
        try:
            return self.tape.replay(kind, site, index, shape)
        except (KeyError, ValueError) as error:
            raise OtherDraw(str(error.args[0])) from None


def places(recorder: Recorder) -> str:
    """Where the reference drew, in words."""
    indices: dict[str, list[int]] = {}
    for site, index in recorder.values:
        indices.setdefault(site, []).append(index)
    ends = {site: sorted({min(each), max(each)}) for site, each in indices.items()}
    return (
        ", ".join(f"site {site!r}, index {' to '.join(map(str, between))}" for site, between in sorted(ends.items()))
        or "none"
    )


def same_shape(policy: Policy, reference: Policy) -> None:
    if (policy.arms, policy.horizon) != (reference.arms, reference.horizon):
        raise ValueError(
            f"the policy has {policy.arms} arms and horizon {policy.horizon}, the reference {reference.arms} and "
            f"{reference.horizon}; compare equals"
        )


def call(name: str, trials: int, seed: int) -> str:
    return f"dpbandits.audit.conformance.{name}(policy, reference, trials={trials}, seed={seed})"


def probes(policy: Policy) -> dict[str, Environment]:
    """Reward tables that tell many bugs apart: equal arms, a best arm, rewards that change, and uneven ones."""
    shape, rewards = (policy.arms, policy.horizon), reward_range(policy)
    arm, pull = np.indices(shape)
    uneven = payable(policy, np.random.default_rng(address("probes", *shape)).integers(0, 2**10 + 1, shape) / 2**10)
    low, high = rewards
    return {
        name: Table(rewards.at(shares), None, low, high)
        for name, shares in {
            f"all arms pay {high:g}": np.ones(shape),
            f"the last arm pays {high:g}, the others {low:g}": (arm == policy.arms - 1).astype(float),
            f"arms pay {low:g} and {high:g} in turn": ((arm + pull) % 2).astype(float),
            "uneven rewards": uneven,
        }.items()
    }


def payable(policy: Policy, rewards: Array) -> Array:
    """The rewards, each as near as what the policy is defined for comes to it; all where it does not say `rewards`."""
    known = np.asarray(getattr(policy, "rewards", ()), dtype=np.float64)
    return known[np.abs(rewards[..., None] - known).argmin(axis=-1)] if known.size else rewards


def pull_sequence(played: Played) -> Ints:
    """Every pull of every run, one after another, (trials, pulls); a block's in arm order, -1 after the last."""
    trials, steps, arms = played.released.shape
    which = np.tile(np.arange(arms), trials * steps)
    made = played.pulls.sum(axis=1)
    out: Ints = np.full((trials, made.max(initial=0)), -1)
    out[np.arange(out.shape[1]) < made[:, None]] = np.repeat(which, pulled(played.released).ravel())
    return out


def all_said(played: Played, horizon: int) -> Ints:
    """The same for all pulls that a horizon allows, and the answers in a last column, (trials, horizon + 1)."""
    pulls = pull_sequence(played)
    unused: Ints = np.full((len(pulls), horizon - pulls.shape[1]), -1)
    return np.column_stack([pulls, unused, played.answers])


# -- leading the reference along ---------------------------------------------------------------------------


class Step(NamedTuple):
    """One step of the reference, seen by m kinds of runs: those that released the same or, once these have become many,
    those that left the reference in the same state, and whose last pull was of the same arm."""

    t: int
    past: list[str]  # (m,)
    last: Ints  # (m,): the last arm, -1 before the first pull
    visits: Ints  # (m,): how many runs
    released: Ints  # (m, arms): how many of them pull each arm next
    law: Array  # (m, arms): with what chance they should
    slack: float = SLACK  # what these chances may be wrong by


class Uneven(Exception):
    """The reference may pull differently often in a step, so that single pulls don't tell its steps apart."""


def led_by(reference: HasLaw, environment: Side, played: Played, by_steps: bool) -> list[Step] | str:
    """The reference's steps along the runs that were played: pull by pull, unless that does not tell its steps apart.
    by_steps: not even tried."""
    if not by_steps:
        try:
            return led_along(reference, environment, in_turn(pull_sequence(played), reference.arms))
        except Uneven:
            pass
    return led_along(reference, environment, compact(played).released)


def led_along(reference: HasLaw, environment: Side, released: Release) -> list[Step] | str:
    """The reference's steps along the releases of all runs; or the first release that it cannot make."""
    steps, past, last, before = list[Step](), [""], np.array([-1]), None
    for visit in led(Walk(reference, (environment,)), released, kept_apart):
        if before is not None:
            _, run = np.unique(visit.node, return_index=True)  # a run in each state
            last = before.offers.counts[before.way[run]].argmax(axis=1)
            if len(np.unique(before.way)) <= PASTS:
                past = [f"{past[k]} {arm}" for k, arm in zip(before.node[run], last, strict=True)]
            else:
                made = visit.layer.made.tolist()
                past = [f" {n} pulls, arm {arm} last" for n, arm in zip(made, last, strict=True)]
        if (wrong := visit.way < 0).any():
            return misled(visit, int(wrong.argmax()))
        steps.append(step_of(visit, past, last))
        before = visit
    return steps


def kept_apart(taken: Offers) -> Any:
    """Different pasts; once they have become many, only which arm was pulled last."""
    return np.arange(len(taken.source)) if len(taken.source) <= PASTS else taken.counts.argmax(axis=1)


def step_of(visit: Visit, past: list[str], last: Ints) -> Step:
    """How many runs in each state released each arm, and how many should have."""
    offers, states = visit.offers, len(visit.layer.made)
    taken = np.bincount(visit.way, minlength=len(offers.source))
    released, law = (
        np.zeros((states, offers.counts.shape[1]), dtype=np.int64),
        np.zeros((states, offers.counts.shape[1])),
    )
    for arm in range(offers.counts.shape[1]):
        some = np.flatnonzero(offers.counts[:, arm])
        released[:, arm] = np.bincount(offers.source[some], taken[some], states)
        law[:, arm] = np.bincount(offers.source[some], offers.chance[0, some], states)
    slack = max(SLACK, offers.blur)
    return Step(visit.t, past, last, np.bincount(visit.node, minlength=states), released, np.minimum(law, 1.0), slack)


def misled(visit: Visit, run: int) -> str:
    """What the reference would never have released."""
    own = visit.offers.counts[visit.offers.source == visit.node[run]]
    sizes, done = per_trial(own), int(visit.layer.made[visit.node[run]].sum())
    each = ", or ".join(
        f"nothing more and answers arm {counts.argmin()}" if answered(counts) else str(counts.tolist())
        for counts in own[:SHOWN]
    )
    if ((own > 0).sum(axis=1) == 1).all() and (sizes == sizes[0]).all():
        each = f"one arm {sizes[0]} times"
    return f"run {run}: it does not go on from pull {done + 1} like the reference, where the reference pulls {each}"


def in_turn(pulled: Ints, arms: int) -> Release:
    """The pulls of runs, (trials, horizon), taken together as the reference takes them in its steps: Uneven where it
    may pull differently often in a step."""
    done = 0

    def released(t: int, offers: Offers) -> Released:
        nonlocal done
        sizes = per_trial(offers.counts)
        if sizes.min() != sizes.max():
            raise Uneven
        block, done = pulled[:, done : done + sizes[0]], done + int(sizes[0])
        if sizes[0] == 1:
            return Released(block[:, 0], unit(arms))
        counts = (block[:, :, None] == np.arange(arms)).sum(axis=1)
        first, kind = kinds([word(counts)])
        return Released(kind, counts[first])

    return released


# -- comparing -------------------------------------------------------------------------------------------------


def compared(steps: Sequence[Step], name: str, log_share: float) -> list[Group]:
    """All groups of one environment; the weights of their e-values add up to exp(log_share)."""
    arms = steps[0].law.shape[1]
    share = log_share - np.log(5)  # there are five ways of grouping
    factors = [log_factors(step) for step in steps]
    alike = [np.zeros(len(step.visits), dtype=np.int64) for step in steps]
    groups = []
    for step, factor, one in zip(steps, factors, alike, strict=True):
        each = np.arange(len(one))
        past = [f"{name}: step {step.t}{f', after{p}' if p else ''}" for p in step.past]
        groups.append(gathered([step], [factor], [each], past, share - np.log(len(steps))))
        groups.append(gathered([step], [factor], [one], [f"{name}: step {step.t}"], share - np.log(len(steps))))
    groups.append(gathered(steps, factors, alike, [f"{name}: all steps"], share))
    after = [f"{name}: the first step", *(f"{name}: steps after a pull of arm {arm}" for arm in range(arms))]
    groups.append(gathered(steps, factors, [step.last + 1 for step in steps], after, share))
    for arm in range(arms):
        tenth = [np.minimum((step.law[:, arm] * BINS).astype(np.int64), BINS - 1) for step in steps]
        odds = [f"{name}: steps where arm {arm} has a chance of {k / BINS} to {(k + 1) / BINS}" for k in range(BINS)]
        groups.append(gathered(steps, factors, tenth, odds, share - np.log(arms)))
    return groups


def gathered(
    steps: Sequence[Step],
    factors: Sequence[Array],
    labels: Sequence[Ints],
    names: list[str],
    log_share: float,
) -> Group:
    """One set of (run, step) pairs for each name: those whose past has the label, in all the steps given."""
    sets, arms = len(names), steps[0].law.shape[1]
    visits, log = np.zeros(sets), np.zeros((sets, arms, len(TILTS)))
    released, expected = np.zeros((sets, arms)), np.zeros((sets, arms))
    for step, factor, label in zip(steps, factors, labels, strict=True):
        visits += added(step.visits, label, sets)
        released += added(step.released, label, sets)
        expected += added(step.visits[:, None] * step.law, label, sets)
        log += added(factor, label, sets)
    mean = logsumexp(log, axis=2) - np.log(len(TILTS))
    return Group(names.__getitem__, visits, released, expected, mean, log_share - float(np.log(sets * arms)))


def added(values: Any, label: Ints, sets: int) -> Array:
    """The sums of the values of each label along the first axis."""
    if len(values) == sets and np.array_equal(label, np.arange(sets)):
        return np.asarray(values, dtype=np.float64)
    return np.stack([values[label == k].sum(axis=0) for k in range(sets)]).astype(np.float64)


def log_factors(step: Step) -> Array:
    """log of the product over all visits of a past, (m, arms, tilts)."""
    grown = np.expm1(TILTS)
    # Where the law may be off by the slack, the denominator errs on the policy's side.
    chance = np.clip(step.law[:, :, None] + np.where(grown > 0, step.slack, -step.slack), 0.0, 1.0)
    return np.asarray(step.released[:, :, None] * TILTS - step.visits[:, None, None] * np.log1p(chance * grown))


# -- what is said of it ----------------------------------------------------------------------------------------


def worst(groups: Sequence[Group]) -> list[list[Any]]:
    """The rows of the sets that speak loudest against the policy."""
    found = []
    for group in groups:
        for flat in np.argsort(-group.log_evidence, axis=None)[:SHOWN]:
            k, arm = (int(i) for i in np.unravel_index(flat, group.log_evidence.shape))
            found.append((float(group.log_evidence[k, arm]) + group.log_weight, group, k, arm))
    found.sort(key=lambda each: -each[0])
    return [
        [
            group.name(k).strip(),
            arm,
            int(group.visits[k]),
            int(group.released[k, arm]),
            float(group.expected[k, arm]),
            log / float(np.log(10)),
        ]
        for log, group, k, arm in found[:SHOWN]
    ]


def resolution(trials: int, environments: int, steps: int, arms: int, level: float) -> str:
    """By how much a chance of about one half would have to be off in one step of all runs, or in all steps."""
    weight = -float(np.log(environments * 5 * arms))  # as in `compared`
    one, every = (
        shift(trials, weight - float(np.log(steps)), level),
        shift(trials * steps, weight, level),
    )
    return (
        f"caught with probability {POWER}: in one environment, a chance off by about {one:.2g} in one step of all "
        f"{trials} runs, or by {every:.2g} in all {steps} steps"
    )


def shift(visits: int, log_weight: float, level: float) -> float:
    """The shift of a chance of one half that passes the threshold: with z its standard errors, the evidence at the
    best tilt is about z^2/2 and varies by z; a tilt within a factor 3/2 of the best, one of all, keeps 3/4 of it."""
    bar = -np.log(level) - log_weight + np.log(len(TILTS))
    swing = float(ndtri(POWER))
    z = swing + np.sqrt(swing**2 + 2 * bar / 0.75)
    return float(min(0.5, z * 0.5 / np.sqrt(visits)))
