"""DP-SE's privacy, judged exactly where a law can decide, and argued where it cannot."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

import numpy as np

from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import ProofStep, equality_step
from dpbandits.proofs_checks.formulas.release_certificates import numeric_fields, release_certificate
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.phases import Eliminates, Phase, chains, tables_of_phase, worst_phase
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.claims.findings import above, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Private, Verdict, established
from dpbandits.reference.claims.records import Cell, Item, certificate_item, text_item
from dpbandits.reference.papers.sajed19 import DPSE
from dpbandits.reference.papers.sajed19 import formulas as f
from dpbandits.reference.papers.sajed19.page import page
from dpbandits.reference.papers.sajed19.privacy import RATIO, WHOLE
from dpbandits.reference.papers.sajed19.rationals import (
    at_the_whole_width,
    hockey_stick,
    largest_factor,
    release_chances,
)

proves = Proofs(page)

EPOCHS = 2  # that are searched, of every number of active arms: the law depends on an epoch's numbers alone
LARGEST = 3  # active arms that are searched: more need minutes, and three attain eps already
SHARE = 0.999_999
LIKELY = 1e-6  # of a logarithm: the law in doubles against the checker's enclosure

WORDS = """DP-SE releases which arms are pulled how often; that is the sequence of the sets S. Given the sets released
so far, an epoch pulls a known number R of rewards of each active arm, and every reward is used in one epoch at most
(line 3 forgets). So fix a sequence of sets: a changed reward lies in one epoch of it, moves one arm's mean there by at
most 1/R, and changes no other epoch's law. The set that this epoch releases is a function of means with independent
Laplace noise of scale 1/(eps R); moving one by 1/R changes the density of their vector by a factor of at most
e^(R eps/R) = e^eps at every point. So the probability of any set changes by at most e^eps, that of the whole sequence
as well, and so that of any event. An epoch that T cuts short releases nothing but its own pulls."""


THEOREM = f"""dp_se_chance draws the means of lines 6 and 7 in turn, each of the next rewards of its arm; rounds and
width are R and 2 h + 2 c for every e and |S|, any numbers, and T draws are always enough. bounded is a table in [0,
1], near pull one reward changed, and an event is any set of lists of pulls. {INTEGRALS}"""


def steps() -> tuple[ProofStep, ...]:
    return (
        equality_step(
            "the noise's scale is the sensitivity 1/R over eps",
            lambda m, eps, rounds: f.noise_scale(m, eps, rounds),
            lambda m, eps, rounds: 1 / rounds / eps,
            "eps",
            "rounds",
        ),
    )


def phases(policy: Eliminates, largest: int = LARGEST) -> list[tuple[int, Phase]]:
    """(|S|, the worst phase found) for the first epochs that end within the horizon: all arms in the first, any number
    of them in later ones."""
    found = []
    for active in range(2, min(policy.arms, largest) + 1):
        used = 0.0
        for epoch in range(1, EPOCHS + 1):
            pulled = policy.arms if epoch == 1 else active
            used += pulled * float(policy.numbers(epoch, pulled).rounds)
            # A decision that some later pull shows, of as many arms as there can be.
            if used < policy.horizon and (epoch > 1 or active == policy.arms):
                found.append((active, worst_phase(policy, epoch, active)))
    return found


def table(rows: list[tuple[Any, int, Phase]]) -> Item:
    shown = [
        [
            f"K = {policy.arms}, T = {policy.horizon:g}, eps = {policy.eps:g}",
            phase.epoch,
            active,
            policy.eps,
            phase.loss.low,
            phase.loss.high,
            ", ".join(f"{mean:.6g}" for mean in phase.means),
            f"{phase.changed:.9g}",
            ", ".join(map(str, phase.kept)),
        ]
        for policy, active, phase in rows
    ]
    columns = [
        "instance",
        "epoch",
        "active",
        "claimed eps",
        below("eps at delta 0, at least"),
        above("at most"),
        "means",
        "arm 0 changed to",
        "kept",
    ]
    return table_item("The largest loss found, by the exact law", columns, shown)


@proves("privacy")
@machine_checked(__file__, "dp_se_private", THEOREM)
def private(claim: Claim, effort: Effort, seed: int) -> Finding:
    """REFUTED where some phase's loss exceeds the claimed eps for certain, otherwise the argument."""
    assert isinstance(claim.says, Private)
    assert claim.subject is not None
    rows, broken = [], []
    for instance in claim.params:
        policy = claim.subject(**instance)
        eps = claim.says.curve(policy).eps
        for active, phase in phases(policy):
            rows.append((policy, active, phase))
            if phase.loss.low > eps * (1 + 1e-12):
                broken.append((phase.loss.low / eps, rows[-1], eps))
    return judged(claim, rows, broken)


def certified(claim: str, policy: Any, phase: Phase, eps: float) -> tuple[Item, ...]:
    """The evidence of a certificate that some transcript of a whole run loses more than eps on tables with this phase's
    means; none where it cannot be written down, or the checker does not follow."""
    try:
        pair = tables_of_phase(policy, phase)
        found = chains(policy, pair)
        with np.errstate(invalid="ignore"):  # impossible on both sides
            loss = np.nan_to_num(np.abs(found.left - found.right), nan=0.0)
        most = int((loss - 2 * found.error).argmax())
        if found.left[most] < found.right[most]:
            pair = pair.swapped()
        certificate = release_certificate(claim, policy, numeric_fields(policy), pair, [found.released[most]], eps, 0)
    except ValueError:  # a later phase, too many transcripts, or no certificate
        return ()
    logs = max(found.left[most], found.right[most]), min(found.left[most], found.right[most])
    sides = (float(Fraction(certificate[f"{side}_probability"][0])) for side in ("left", "right"))
    own = all(chance > 0 and abs(el.log(chance) - log) < LIKELY for chance, log in zip(sides, logs, strict=True))
    return (certificate_item(certificate),) if own and verify(certificate).ok else ()


def judged(claim: Claim, rows: list[tuple[Any, int, Phase]], broken: list[Any]) -> Finding:
    if broken:
        _, (policy, _, phase), eps = max(broken, key=lambda each: cast(float, each[0]))
        said = (
            f"{policy}: epoch {phase.epoch} with means {phase.means}, arm 0's changed to {phase.changed:.9g} by one "
            f"reward, keeps the arms {phase.kept} with a loss of at least {phase.loss.low:.9g}"
        )
        shown = certified(claim.id, policy, phase, eps)
        return Finding(claim.id, Verdict.REFUTED, said, (table(rows), *shown), rests_on=(Basis.EXACT_LAW,))
    held = steps()
    text = text_item(WORDS)
    if not all(step.holds() for step in held):
        return Finding(claim.id, Verdict.CONSISTENT, "A step of the proof was not shown.", (table(rows),))
    most = max(rows, key=lambda row: row[2].loss.low / row[0].eps)
    said = (
        "Every released set of active arms is a function of means with Laplace noise. The largest loss that was "
        f"found, by exact computation, is {most[2].loss.low / most[0].eps:.9f} eps."
    )
    return established(claim.id, said, (text, table(rows)), Basis.WORDS, Basis.EXACT_LAW, *(step.how for step in held))


LEAST_FACTOR, NAMED_FACTOR = Fraction(8, 5), Fraction(3, 2)


@proves("privacy/rational")
def rational(claim: Claim, effort: Effort, seed: int) -> Finding:
    """PROVED where all chances of all releases, as fractions, differ by the factor 1/ratio at most, and by LEAST_FACTOR
    at least; REFUTED where they do not."""
    rows: list[list[Cell]] = []
    factors = []
    for policy in WHOLE:
        left, right = (release_chances(policy, table) for table in at_the_whole_width(policy))
        assert sum(left.values()) == sum(right.values()) == 1
        factor, delta = largest_factor(left, right), hockey_stick(left, right, NAMED_FACTOR)
        factors.append(factor)
        of = f"K = {policy.arms}, T = {policy.horizon}"
        rows.append([of, len(left), f"{factor}", float(factor), float(delta)])
    columns = [
        "instance",
        "releases",
        "largest factor",
        nearest("in decimals"),
        nearest(f"delta at eps = ln({NAMED_FACTOR})"),
    ]
    table = table_item("Exact: every chance is a fraction", columns, rows)
    said = (
        f"The largest likelihood ratios are {', '.join(f'{float(each):.9g}' for each in factors)}; 1/r is {1 / RATIO}."
    )
    if not LEAST_FACTOR <= min(factors) <= max(factors) <= 1 / RATIO:
        return Finding(claim.id, Verdict.REFUTED, said, (table,), rests_on=(Basis.EXACT_LAW,))
    return established(claim.id, said, (table,), Basis.EXACT_LAW)


@proves("privacy/attained")
def attained(claim: Claim, effort: Effort, seed: int) -> Finding:
    """PROVED where the exact law of the first epoch shows at least SHARE eps with three active arms; and on tables of 0
    and 1 that have these means, all transcripts of the whole run."""
    rows: list[tuple[Any, int, Phase]] = []
    whole: list[list[Any]] = []
    shares = []
    for horizon in (10**5, 10**8):
        for eps in (0.1, 1.0, 4.0):
            policy = DPSE(3, horizon, eps)
            phase = worst_phase(policy, 1, 3)
            rows.append((policy, 3, phase))
            loss = chains(policy, tables_of_phase(policy, phase)).loss
            shares += [phase.loss.low / eps, loss.low / eps]
            whole.append([f"K = 3, T = {horizon:g}, eps = {eps:g}", eps, loss.low, loss.high])
    least = min(shares)
    said = f"With three active arms, the privacy loss is at least {least:.9f} eps."
    runs = table_item(
        "Whole runs, on tables of 0 and 1 with these means",
        ["instance", "claimed eps", below("eps at delta 0, at least"), above("at most")],
        whole,
    )
    evidence = (table(rows), runs)
    if least < SHARE:
        return Finding(claim.id, Verdict.CONSISTENT, said, evidence)
    return established(claim.id, said, evidence, Basis.EXACT_LAW)
