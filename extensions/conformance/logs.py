"""Tests whether recorded runs follow the law of a reference policy, for users who have logs but no policy that can be
played.

Rewards may have any distribution: the reference policy follows the pulls and rewards of each run, and its law gives the
probabilities of the next pull. The evidence is a mean of e-values, as in `conformance`; this remains valid if a run
ends because of its own results. A block of several arms that the log does not complete is left out.

Of a log that grows, the same products with weights that are known before any run are a martingale: a further run, or a
further step, multiplies each by something that has expectation one, whatever went before. (What is not in the log yet
is left out of the mean, which makes it smaller.) By Ville's inequality it ever passes 1/level with probability at most
`level`: so results may be inspected at any time. A later run may learn from earlier runs, but not the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from math import inf
from typing import Any

import numpy as np

from dpbandits.audit.claims.proofs import lawful
from dpbandits.audit.judges.effort import RISK
from dpbandits.audit.statistics.along import PROBABILITY_SLACK, ReferenceStep, UnevenSteps, left_to_chance
from dpbandits.audit.statistics.decisions import (
    Decisions,
    decision_in_words,
    decisions_in_rows,
    open_as_one,
    with_open_choices_made,
)
from dpbandits.audit.statistics.e_values import (
    GROUPINGS_OVER_STATES,
    EvidenceGroup,
    StepWeights,
    evidence_in_words,
    evidence_table,
    first_decided,
    groups_by_rank,
    groups_over_states,
    log_mean_evidence,
    log_weights,
    log_weights_of_growing,
    max_log_evidence,
    min_caught_shift,
    too_few_in_words,
)
from dpbandits.audit.statistics.learned import ALL_SHARE, with_other_laws
from dpbandits.extensions.conformance.draws import DIFFERS
from dpbandits.extensions.conformance.fitting_logs import require_fitting_log, require_small_log, seen_in
from dpbandits.extensions.conformance.records import Log
from dpbandits.proofs_checks.exact.state_graph import ForbiddenNoise
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import NoLaw, at_least, require_in_open_interval
from dpbandits.reference.bandits.noise import Array, Flags, frozen
from dpbandits.reference.bandits.passing import copy_state, state_rows
from dpbandits.reference.bandits.policy import HasLaw, Ints, Law, Policy, Pulls
from dpbandits.reference.bandits.protocol import complaint_text, missing_members
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.bandits.release_laws.checked import checked_law
from dpbandits.reference.claims.model import Finding, Verdict

Note = Callable[[Ints, Ints, Ints, Array, float], object]
DEFAULT_JUDGED_PULLS = 20_000  # so many pulls of each run are judged unless more are asked for: some ten seconds


class Wrong(Exception):
    """Raised, with a description, for a pull that the policy cannot make."""


def fits_law(
    log: Log,
    reference: Policy,
    level: float = RISK,
    first: int = DEFAULT_JUDGED_PULLS,
    heard: Callable[[int], object] = lambda pulls: None,
    sequential: bool = False,
) -> Finding:
    """Tests whether recorded runs fit the law of a reference policy.
    The reference has the same arms and horizon as the recorded policy.

    log: the result of `read_log` or `log_of`. reference: the policy of a paper, such as `ThompsonSampling(2, 1000)`.
    level: the largest probability that runs of the reference itself are refuted. Runs may be shorter than the horizon,
    and a single long run is enough. Only the first `first` pulls of each run are checked. heard: a function that is
    called after every step with the number of checked pulls. sequential: whether to stop as soon as the law is refuted.
    The first 64, 128, ... runs are then tested (if there is a single run, its first 64, 128, ... pulls). The level
    holds for all these tests together, and also for later tests of a longer log with the same arguments. The log must
    contain the runs in the order in which they were made. No reward may depend on the pulls of a later run, because the
    expected pulls of a run are learned from the runs before it.

    The verdict is NOT_APPLICABLE for a reference without a known law, or with a varying number of pulls in a step. The
    verdict is NOT_EXERCISED if too little is random to refute anything. Raises ValueError for arms that do not exist,
    for runs longer than the horizon, and for a log that is too large.
    """
    if not isinstance(log, Log):
        raise TypeError(f"log is {log!r:.80}; give a log that was returned by `read_log(file)` or `log_of(runs)`")
    if faults := tuple(missing_members(reference)):  # it is asked for its law, and need not act
        raise TypeError(complaint_text(reference, faults))
    require_in_open_interval("level", level, 0, 1)
    at_least("first", first, 1)
    require_fitting_log(log, reference)
    require_small_log(log.first(None, first), reference)
    return (fits_sequentially if sequential else log_finding)(log, reference, level, first, heard)


def fits_sequentially(log: Log, reference: Policy, level: float, first: int, heard: Callable[[int], object]) -> Finding:
    """Tests the law on more and more runs of a log, until it is refuted or the log ends.
    A log of a single run is tested on more and more of its pulls."""
    runs = len(log.arms)

    def finding_from_first(count: int) -> Finding:
        """Returns the finding from the first `count` runs, or from the first `count` pulls of a single run."""
        some = log.first(count, None) if runs > 1 else log.first(None, count)
        return log_finding(some, reference, level, first, heard, log_weights_of_growing)

    if runs > 1:
        return first_decided(runs, "runs", finding_from_first)
    return first_decided(min(first, log.arms.shape[1]), "pulls", finding_from_first)


def log_finding(
    log: Log,
    reference: Policy,
    level: float,
    first: int,
    heard: Callable[[int], object],
    weigh: StepWeights = log_weights,
) -> Finding:
    """Returns the finding about the first `first` pulls of each run of a log.
    weigh: the weights of its steps, as for `groups_over_states`."""
    whole, log = log, log.first(None, first)
    known = lawful(reference)
    if known is None or answers(reference):
        said = (
            "declares no law"
            if known is None
            else "ends its runs with a final recommendation, which a log does not contain"
        )
        return Finding("log/law", Verdict.NOT_APPLICABLE, f"{type(reference).__name__} {said}")
    steps, judged = list[ReferenceStep](), 0
    try:
        for step, pulls in lead_along_log(known, log, first):
            steps.append(step)
            judged += pulls
            heard(judged)
    except (NoLaw, UnevenSteps) as reason:
        return Finding("log/law", Verdict.NOT_APPLICABLE, str(reason))
    except Wrong as wrong:
        return Finding("log/law", Verdict.REFUTED, f"{wrong}. {DIFFERS}")
    runs = len(log.arms)
    of = f"{judged} pulls of {runs} run{'s' if runs > 1 else ''}{checked_part(whole, log, judged)}"
    arms = f"{reference.arms} arm{'s' if reference.arms > 1 else ''}"
    law = f"the law of {type(reference).__name__}, {arms}, T = {reference.horizon}"
    return finding_of_evidence(steps, of, law, level, reference.arms, log.contexts is not None, weigh)


def groups_of_log(steps: list[ReferenceStep], seeing: bool, weigh: StepWeights = log_weights) -> list[EvidenceGroup]:
    """Groups the steps of a log for the evidence against the law; the weights of all groups add up to at most 1.
    seeing: whether there are contexts; then half of the weights is on the ranks of the arms, because probabilities
    rarely repeat. weigh: as for `groups_over_states`."""
    if not steps:
        return []
    if not seeing:
        return groups_over_states(steps, "", -float(el.log(GROUPINGS_OVER_STATES)), weigh)
    return [
        *groups_over_states(steps, "", -float(el.log(2 * GROUPINGS_OVER_STATES)), weigh),
        *groups_by_rank(steps, "", -float(el.log(2))),
    ]


def finding_of_evidence(
    steps: list[ReferenceStep], pulls_in_words: str, law: str, level: float, arms: int, seeing: bool, weigh: StepWeights
) -> Finding:
    """Returns the finding from the evidence in these steps.
    pulls_in_words, law: the judged pulls, and the law that they are compared with, in words. seeing, weigh: as in
    `groups_of_log`."""
    ways = GROUPINGS_OVER_STATES * (1 + seeing) / (1 - ALL_SHARE)
    groups = with_other_laws(groups_of_log(steps, seeing, weigh), steps)
    evidence = log_mean_evidence(groups) if groups else 0.0
    visits = sum(int(left_to_chance(step.law).any(axis=1).sum()) for step in steps)
    if not visits:
        return finding_of_decisions(
            reduce(Decisions.joined, (step.decisions for step in steps), Decisions()), pulls_in_words, law
        )
    table = evidence_table(groups, "Where the log fits the law worst")
    if evidence >= -el.log(level):
        said = f"{pulls_in_words}: {evidence_in_words(evidence, law, table, 'pulled')}. {DIFFERS}"
        return Finding("log/law", Verdict.REFUTED, said, (table,))
    most, telling = max_log_evidence(groups)
    if most < -el.log(level):
        return Finding(
            "log/law", Verdict.NOT_EXERCISED, too_few_in_words(pulls_in_words, most, telling, level), (table,)
        )
    off = min_caught_shift(visits, -float(el.log(ways * arms)), level)
    limit = f"detected with probability 0.9: probabilities of about one half that are all off by about {off:.2g}"
    if off == inf:
        limit = f"detected: {telling}"
    return Finding("log/law", Verdict.CONSISTENT, f"{pulls_in_words} fit {law}", (table,), limit)


def finding_of_decisions(decisions: Decisions, pulls_in_words: str, law: str) -> Finding:
    """Returns the finding for a law without randomness with which every pull agrees."""
    if not decisions.compared:
        return Finding("log/law", Verdict.NOT_EXERCISED, f"{pulls_in_words}: {law} leaves nothing to decide in them")
    said = (
        f"{pulls_in_words}: {decisions.compared} decisions are those of {law}, which leaves nothing to chance in them"
    )
    limit = "a pull of another arm in one of these states is refuted for certain; other states are not in the log"
    return Finding("log/law", Verdict.CONSISTENT, said + decisions.remarks, resolution=limit)


def checked_part(whole: Log, log: Log, judged: int) -> str:
    """Says which part of the log was checked, in parentheses; "" if all of it was checked."""
    pulls, kept = int(whole.lengths.sum()), int(log.lengths.sum())
    said = []
    if kept < pulls:
        said.append(f"the first {log.arms.shape[1]} of each, of {pulls} in the log")
    if judged < kept:
        said.append(
            f"{kept - judged} more stand in blocks that the log does not end, or after a pull that the law is too "
            "rough to know"
        )
    return f" ({'; '.join(said)})" if said else ""


# -- leading the reference along -------------------------------------------------------------------------------------


def lead_along_log(
    reference: HasLaw, log: Log, first: int = DEFAULT_JUDGED_PULLS, note: Note = lambda *_: None
) -> Iterator[tuple[ReferenceStep, int]]:
    """Follows the reference policy along each run of a log, for at most `first` pulls; yields its steps.
    Each step comes with the number of pulls that it covers. note: is called for every compared step with the runs that
    make it, its first pull, its number of pulls, the probabilities of the arms (nan if the law leaves the choice open),
    and their error bound. Raises Wrong, Uneven, and what the law raises."""
    live, done, lengths = np.arange(len(log.arms)), np.zeros(len(log.arms), dtype=np.int64), log.lengths
    state, last, t = reference.init(len(log.arms)), np.full(len(log.arms), -1), 0
    pulls, paid = np.zeros((2, len(log.arms), reference.arms))
    live = live[lengths > 0]
    while live.size:
        t += 1
        before, seen_now = state_rows(state, live) if t == 1 else state, seen_in(log, live, t - 1, reference)
        stated = checked_law(reference, t, before, live.size, *seen_now)
        law = with_open_choices_made(stated)
        sizes_told = size = pulls_in_step(law.counts, law.chance > 0, t)
        left, even = min(first, reference.horizon) - int(done[live].min()), bool((size == 1).all())
        whole = done[live] + size <= lengths[live]
        # A log may end inside of a block, and because of what that block pulls; but where every outcome pulls one arm
        # alone, the first pull of the block tells which it is.
        single = (((law.counts > 0).sum(axis=2) == 1) | (law.chance == 0)).all(axis=1)
        told = whole | single
        if log.judged is not None:
            told &= log.judged[live, done[live]]
        visits, seen = live[told], np.zeros((live.size, reference.arms), dtype=np.int64)
        seen[np.arange(live.size), log.arms[live, done[live]]] = 1
        every = np.minimum(((stated.counts > 0) * stated.chance[:, :, None]).sum(axis=1), 1.0)
        chance = open_as_one(every, stated)[told]
        cut = int(np.where(told & ~whole, lengths[live] - done[live], 0).sum())
        live, size, before, law = live[whole], size[whole], state_rows(before, whole), law.rows(whole)
        if live.size:
            counts, sums, way = pulls_of_step(log, live, done[live], size, law, t)
            seen[whole] = counts > 0
        slack = max(PROBABILITY_SLACK, law.absolute_error, law.error)  # a chance is at most 1
        if visits.size:
            known = every if stated.open is None else np.where(stated.open, np.nan, every)
            note(visits, done[visits], sizes_told[told], known[told], slack)
            released = open_as_one(seen[told], stated.rows(told))
            certain = ~left_to_chance(chance).any(axis=1)
            decisions = decisions_in_rows(stated.rows(told), certain)
            yield ReferenceStep(t, [""] * visits.size, last[visits], np.ones(visits.size, dtype=np.int64),
                       released, chance, left, even, slack, decisions, single[told], pulls[visits],
                       paid[visits], visits), cut + int(size.sum())  # fmt: skip
        if not live.size:
            return
        bound = None if law.bound is None else law.bound[np.arange(live.size), way]
        silence: Any = ForbiddenNoise()
        state = copy_state(reference.learn(t, before, Pulls(frozen(counts), bound), frozen(sums), silence, *seen_now))
        done[live] += size
        pulls[live], paid[live] = pulls[live] + counts, paid[live] + sums
        last[live] = counts.argmax(axis=1)
        on = (done[live] < lengths[live]) & (way >= 0)
        live, state = live[on], state_rows(state, on)


def pulls_in_step(counts: Ints, possible: Flags, t: int) -> Ints:
    """Returns how many pulls the step makes in each run, (runs,). Raises UnevenSteps if this number varies."""
    many = counts.sum(axis=2)
    least = np.where(possible, many, np.iinfo(np.int64).max).min(axis=1)
    if (np.where(possible, many, 0).max(axis=1) != least).any():
        raise UnevenSteps(
            f"step {t}: the reference policy makes a random number of pulls in this step. The log does not show where "
            "the step ends, so the log cannot be checked"
        )
    return np.asarray(least)


def pulls_of_step(log: Log, live: Ints, done: Ints, size: Ints, law: Law, t: int) -> tuple[Ints, Array, Ints]:
    """Returns the logged pulls of a step, (runs, arms), their rewards, and the index of each run's outcome in the law.
    The index is -1 if the probability is below the law's absolute error; such a run is followed no further."""
    counts = np.zeros((live.size, law.counts.shape[2]), dtype=np.int64)
    for k in range(int(size.max())):
        some = np.flatnonzero(k < size)
        counts[some, log.arms[live[some], done[some] + k]] += 1
    match = (law.counts == counts[:, None, :]).all(axis=2) & (law.chance > 0)
    if not match.any(axis=1).all() and not law.absolute_error:
        run = int((~match.any(axis=1)).argmax())
        offered = [each.tolist() for each, chance in zip(law.counts[run], law.chance[run], strict=True) if chance > 0]
        first, pulled = done[run], log.arms[live[run], done[run] : done[run] + size[run]].tolist()
        if law.scores is not None and len(pulled) == 1:
            raise Wrong(f"run {live[run]}, pull {first + 1}: the log {decision_in_words(law, run, pulled[0])}")
        raise Wrong(
            f"run {live[run]}, from pull {first + 1}: the log contains pulls of the arms {pulled}, but the reference "
            f"policy makes the pull counts {', or '.join(map(str, offered[:4]))}"
        )
    way = np.where(match.any(axis=1), match.argmax(axis=1), -1)
    sums = np.zeros(counts.shape)
    for k in range(int(size.max())):
        some = np.flatnonzero(k < size)
        arm, paid = log.arms[live[some], done[some] + k], log.rewards[live[some], done[some] + k]
        if law.bound is not None:
            paid = np.where(np.abs(paid) <= law.bound[some, way[some], arm], paid, 0.0)
        sums[some, arm] += paid
    return counts, sums, way
