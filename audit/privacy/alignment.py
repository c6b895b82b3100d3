"""Proves privacy by randomness alignment, and decides claims about the released arms by the proved bound.

A bound on eps (Laplace, exponential, Gumbel and geometric noise) or mu (normal noise) holds for all reward tables at
the policy's horizon, without samples and without a declared law. A claim that the bound implies is PROVED. A bound
above the claim refutes nothing, because released arms hide values that the bound counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import NamedTuple

import mpmath
import numpy as np

from dpbandits.audit.judges.shared_answers import shared_answer
from dpbandits.audit.privacy.search.pairs import candidates, checked_hints, pair_in_words
from dpbandits.audit.statistics.copies import is_deterministic
from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome, alignment_bound
from dpbandits.proofs_checks.alignment.finite_runs import finite_certificate
from dpbandits.proofs_checks.alignment.forms import Symbol, rational, rational_factor
from dpbandits.proofs_checks.alignment.merged_bounds import bound_on_runs_or_states, merged_bound
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.policy import Policy, Step, Subject
from dpbandits.reference.bandits.protocol import name_of
from dpbandits.reference.bandits.reward_ranges import reward_values
from dpbandits.reference.claims.findings import STORED_DIGITS, Side, above, rounded, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Private, Verdict
from dpbandits.reference.claims.records import Cell, Certificate, Item, certificate_item, text_item
from dpbandits.reference.claims.text import counted, instance_in_words
from dpbandits.reference.curves import Curve, derived

DIGITS = 60  # of the numbers by which a normal bound is compared with an (eps, delta)
MARGIN = Fraction(1, 10**40)  # far above their rounding
RELATIONS = ("pull", "round", "reward")
INSTANCE_STATES = 100_000  # effort of the search over merged states, for one instance of a claim: half a CPU second
INSTANCE_PATHS = 50_000  # of that over all runs, where merged states do not prove the claim
TITLE = "Proved as well by randomness alignment, for all reward tables"
NOT_REMARKABLE = (Outcome.NO_NOISE,)  # of policies that this method is not made for


class Aligned(NamedTuple):
    """The result of randomness alignment for a claim. proved: the finding PROVED if the bound implies the claim.
    remark: the reason why the claim is not proved, or ""."""

    proved: Finding | None = None
    remark: str = ""


def proved_by_alignment(
    claim: Claim, policy: Subject, seed: int, search: Callable[..., Alignment] = bound_on_runs_or_states
) -> Aligned:
    """Searches for a proof by randomness alignment of a claim about a policy, and returns what the proof shows.
    An empty `Aligned` if the method does not apply. seed: of the runs that check the tracing. search: the function that
    computes the bound."""
    says = claim.says
    if not isinstance(says, Private) or says.view != "arms" or says.relation not in RELATIONS:
        return Aligned()
    if isinstance(policy, Step) or (context_dimension(policy) and says.contexts is None):
        return Aligned()
    if is_deterministic(policy):  # one run on either side decides, or shows that this is not so
        return Aligned()
    curve = says.curve(policy)
    if curve is None:
        return Aligned()
    found = search(policy, seed=seed, contexts=says.contexts)
    if found.outcome in NOT_REMARKABLE:
        return Aligned()
    if found.outcome is not Outcome.BOUND or not implies_curve(found, curve):
        return Aligned(None, unfinished_text(found, curve) or unproved_remark(found))
    checked = checked_certificate(found, claim.id)
    if checked is None:
        return Aligned()
    evidence = (checked, text_item(ASSUMPTIONS))
    return Aligned(
        Finding(claim.id, Verdict.PROVED, proof_text(found, policy, curve), evidence, rests_on=(Basis.ALIGNMENT,))
    )


def refuted_by_values(claim: Claim, policy: Subject, seed: int) -> Finding | None:
    """Returns the finding REFUTED if in some run the compared values contradict the claim.
    The likelihood ratio of the values on two neighbouring tables is compared with the claim. None if no such run was
    found, and for all claims except those with the view "samples" about a policy that does not declare its noisy
    values."""
    says = claim.says
    if not isinstance(says, Private) or says.view != "samples" or says.relation not in ("pull", "round"):
        return None
    from dpbandits.audit.privacy.scores.samples import Declares

    if isinstance(policy, Step | Declares) or context_dimension(policy):
        return None
    curve = says.curve(policy)
    values, places = curve.claimed_parameters()
    name = derived.parameter_name(curve)
    if len(values) != 1 or not (name == "mu" or (name == "eps" and float(places[0]) == 0)):
        return None
    from dpbandits.proofs_checks.alignment.compared_values import loss_of_values

    pairs = candidates(policy, says.relation)
    order = np.random.default_rng(seed).permutation(len(pairs))
    tables = [*checked_hints(policy, says), *(pairs[place] for place in order)]
    found = loss_of_values(policy, tables, seed, float(values[0]) if name == "eps" else inf)
    if found is None:
        return None
    loss = "are impossible" if found.loss == inf else f"have the privacy loss {found.loss:.6g}"
    summary = (
        f"{name_of(policy)} is not {derived.guarantee_name(curve)} for an adversary who sees the values that it "
        f"compares: the values of one run {loss} after a change of the reward of arm {found.reward.arm} in step "
        f"{found.reward.step}; the first of them that differs is compared at {found.line} "
        f"({pair_in_words(found.pair)})."
    )
    evidence = (text_item(VALUES_ASSUMPTIONS),)
    return Finding(claim.id, Verdict.REFUTED, summary, evidence, rests_on=(Basis.ALIGNMENT,))


VALUES_ASSUMPTIONS = (
    "The loss is that of all numbers that the policy compares in this run, in real numbers and up to the rounding of "
    "floating-point numbers; it holds for the values near them as well. It assumes that all noise comes from the "
    "policy's noise; the run on numbers agreed with the traced run."
)


def checked_certificate(bound: Alignment, claim: str) -> Item | None:
    """Returns the certificate of a bound that a search has found, if `dpbandits verify` accepts it.
    The certificate is about the claim with this id. If the proof is too long for a certificate, a sentence that states
    how the search was checked. None if the checker rejects the content of the certificate."""
    from dpbandits.proofs_checks.alignment.merged_certificate import merged_certificate
    from dpbandits.proofs_checks.alignment.tree_certificate import tree_certificate
    from dpbandits.proofs_checks.checker.untrusted import Rejected
    from dpbandits.proofs_checks.checker.verification import KINDS, verify

    certificate: Certificate | None
    if bound.finite is not None:
        certificate = finite_certificate(bound.finite, claim, bound.cost)
    elif bound.merged is not None:
        certificate = merged_certificate(bound.merged, claim, bound.cost)
    else:
        certificate = tree_certificate(bound.tree, claim, bound.cost) if bound.tree is not None else None
    if certificate is None:
        return text_item(NO_CERTIFICATE)
    if verify(certificate).ok:
        return certificate_item(certificate)
    try:
        KINDS[str(certificate["type"])].check(certificate)  # without limits on size and work
    except Rejected:
        return None
    return text_item(LARGE_CERTIFICATE)


NO_CERTIFICATE = (
    "The search has too many paths for a certificate, so no independent checker has confirmed the bound. The search "
    "itself checks every move in rational numbers."
)
LARGE_CERTIFICATE = (
    "The certificate is too large for `dpbandits verify`, so it is not a part of this finding. Without limits on size "
    "and work, the same checker accepts the certificate."
)


ASSUMPTIONS = (
    "The proof is about real numbers: floating-point numbers stand for the simple fractions that they round, and "
    "rounding is not modelled. It assumes that the policy does with symbols what it does with numbers; that it passes "
    "its whole state and takes all randomness from its noise, or that an object or loop draws from the generator that "
    "it is given alone, and shares nothing with other runs. Each path was repeated on numbers: the policy released "
    "the same, and code that is not part of dpbandits executed the same instructions."
)


def with_remark(finding: Finding, text: str) -> Finding:
    """Returns the finding with one more sentence, `text`, of evidence."""
    return replace(finding, evidence=(*finding.evidence, text_item(text))) if text else finding


# -- next to the finding of another method -----------------------------------------------------------------------------


def with_aligned_instances(claim: Claim, finding: Finding, seed: int) -> Finding:
    """The finding with a table of the claim's instances that randomness alignment proves, if there are any.
    The verdict does not depend on this table, and a refuted claim gets none.

    seed: of the runs that check the tracing.
    """
    if finding.verdict is Verdict.REFUTED:
        return finding
    rows = aligned_rows(claim, seed)
    if not rows:
        return finding
    proved = table_item(TITLE, ["instance", "claimed", "parameter", above("proved: at most")], rows)
    return replace(finding, evidence=(*finding.evidence, proved))


def aligned_rows(claim: Claim, seed: int) -> list[list[Cell]]:
    """Returns a row for each proved instance: its parameters, the claimed guarantee, and the bound.
    The bound is stated by its parameter and value."""
    says = claim.says
    if not isinstance(says, Private) or says.view != "arms" or says.relation not in RELATIONS or claim.subject is None:
        return []
    rows: list[list[Cell]] = []
    too_long: dict[int, int] = {}  # by the number of arms
    for instance in claim.instances:
        policy = claim.subject(**instance)
        curve = None if isinstance(policy, Step) or context_dimension(policy) else says.curve(policy)
        if curve is None or not hasattr(policy, "learn"):
            continue
        if policy.horizon >= too_long.get(policy.arms, inf):
            continue  # such a run seldom has fewer states with other parameters; if it has, the table lacks a row
        found, too_many = implying_bound(policy, curve, seed)
        if too_many:
            too_long[policy.arms] = policy.horizon
        if found is not None:
            rows.append([instance_in_words(instance), derived.guarantee_name(curve), *found.parameter])
    return rows


def implying_bound(policy: Policy, curve: Curve, seed: int) -> tuple[Alignment | None, bool]:
    """Returns a bound that implies the claimed curve, and whether the search found too many states.
    None in place of the bound if the search finds none. If there are too many states, the search over all runs is left
    out, because there are seldom fewer runs than merged states."""
    for search, effort in ((foreseeing_bound, INSTANCE_STATES), (alignment_bound, INSTANCE_PATHS)):
        found = shared_answer(bound_alone, search, policy, effort, seed)
        if found.outcome is Outcome.BOUND and implies_curve(found, curve):
            return found, False
        if found.outcome is Outcome.TOO_LONG:
            return None, True
    return None, False


def foreseeing_bound(policy: Policy, effort: int, seed: int) -> Alignment:
    """Searches for a bound by randomness alignment on merged states, and returns it.
    The search is given up early if it will hardly end in time."""
    return merged_bound(policy, effort, seed, foresees=True)


def bound_alone(search: Callable[..., Alignment], policy: Policy, effort: int, seed: int) -> Alignment:
    """Runs an alignment search; returns its bound without the trees and states from which it was derived.
    They take more memory than is worth keeping."""
    return replace(search(policy, effort, seed), tree=None, merged=None, finite=None)


# -- what a bound implies ----------------------------------------------------------------------------------------------


def implies_curve(bound: Alignment, curve: Curve) -> bool:
    """Whether the bound implies the claimed curve, if this curve is one point: (eps, delta)-DP or mu-GDP.
    Any other curve claims more than its listed points, so the answer is False."""
    values, places = curve.claimed_parameters()
    if len(values) != 1:
        return False
    value, place = rational_factor(Fraction(float(values[0]))), float(places[0])
    if derived.parameter_name(curve) == "mu" and bound.noise == "normal":
        return value**2 >= bound.cost
    if derived.parameter_name(curve) != "eps":
        return False
    if bound.noise != "normal":
        return bound.cost <= value
    return not bound.cost or (place > 0 and gaussian_delta_above(bound.cost, value) <= rational(place))


def gaussian_delta_above(square: Fraction, eps: Fraction) -> Fraction:
    """An upper bound on the smallest delta at which mu-GDP implies (eps, delta)-DP (Balle and Wang 2018).
    square: mu squared."""
    with mpmath.workdps(DIGITS):
        mu = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
        e = mpmath.mpf(eps.numerator) / eps.denominator
        delta = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
        return Fraction(*mpmath.libmp.to_rational(delta._mpf_)) + MARGIN if delta > 0 else MARGIN


# -- in words ----------------------------------------------------------------------------------------------------------


def bound_text(bound: Alignment) -> str:
    """Returns the proved bound on eps or mu as text, rounded up."""
    name, value = bound.parameter
    return f"{name} <= {rounded(value, Side.ABOVE):.{STORED_DIGITS}g}"


def proof_text(bound: Alignment, policy: Policy, curve: Curve) -> str:
    """Returns a sentence on what the alignment bound proves about the policy."""
    tables = "all reward tables"
    if bound.finite is not None and reward_values(policy) is not None:
        tables = f"all tables of rewards {' and '.join(map(str, bound.finite.values))}"  # for example 0 and 1
    of = "comparisons" if bound.finite is None else "draws and rewards"
    size = counted(bound.paths, f"path of {of}", f"paths of {of}")
    if bound.merged is not None:
        size = counted(len(bound.merged.nodes), "merged state", "merged states")
    if context_dimension(policy):
        tables += " under the given contexts"
    return (
        f"{name_of(policy)} is {derived.guarantee_name(curve)} at this horizon, for {tables}: randomness alignment "
        f"proves {bound_text(bound)} ({size}, in rational numbers)."
    )


def unproved_remark(bound: Alignment) -> str:
    """A sentence with the result of randomness alignment for a claim that alignment does not prove."""
    if bound.outcome in (Outcome.NOT_LINEAR, Outcome.TOO_LONG):
        return f"Randomness alignment is not applicable: {bound.reason}."
    if bound.worst is None:
        return ""
    where = reward_text(bound.worst.reward) + (f", compared at {bound.worst.line}" if bound.worst.line else "")
    if bound.outcome is Outcome.NO_BOUND:
        return (
            f"Randomness alignment gives no bound: no shift of the noise makes up for a change of {where}. This "
            "refutes nothing by itself."
        )
    return (
        f"Randomness alignment only proves {bound_text(bound)}; the most expensive change is that of {where}. A bound "
        "above the claim refutes nothing by itself."
    )


def unfinished_text(bound: Alignment, curve: Curve) -> str:
    """Returns a sentence on what an unfinished search shows about a claim.
    The cost of a run that it has followed is a lower bound on what the method could prove. "" for a search that was
    finished, and for a cost that implies the claim."""
    if bound.outcome is not Outcome.TOO_LONG or bound.worst is None:
        return ""
    so_far = replace(bound, outcome=Outcome.BOUND)
    values, _ = curve.claimed_parameters()
    name = derived.parameter_name(curve)
    if len(values) != 1 or name != so_far.parameter[0] or implies_curve(so_far, curve):
        return ""
    number = rounded(float(so_far.parameter[1]), Side.BELOW)
    return (
        f"Randomness alignment cannot prove the claim. Its search was not finished ({bound.reason}), but in one run "
        f"the change of {reward_text(bound.worst.reward)} already costs {name} = {number:.{STORED_DIGITS}g}. This "
        "refutes nothing by itself."
    )


def reward_text(reward: Symbol) -> str:
    """Returns a reward in words, by its arm and step."""
    step, arm = reward.name
    return f"the reward of arm {arm} in step {step}"
