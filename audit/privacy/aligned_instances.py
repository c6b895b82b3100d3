"""The instances of a claim that randomness alignment proves, listed next to the result of the claim's own check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from dpbandits.audit.privacy.alignment import RELATIONS, implied
from dpbandits.audit.privacy.shared_answers import shared_answer
from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome, alignment_bound
from dpbandits.proofs_checks.alignment.merged_bounds import merged_bound
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.release_laws.mechanisms import is_step
from dpbandits.reference.claims import text
from dpbandits.reference.claims.findings import above, table_item
from dpbandits.reference.claims.model import Claim, Finding, Private, Verdict
from dpbandits.reference.curves import Curve, derived

EFFORT = 100_000  # of the search over merged states, for one instance: half a CPU second
TREE_EFFORT = 50_000  # of that over all runs, where merged states do not prove the claim
TITLE = "Proved as well by randomness alignment, for all reward tables"


def with_aligned_instances(claim: Claim, finding: Finding, seed: int) -> Finding:
    """The finding with a table of the claim's instances that randomness alignment proves, if there are any. The verdict
    does not depend on this table, and a refuted claim gets none.

    seed: of the runs that check the tracing.
    """
    if finding.verdict is Verdict.REFUTED:
        return finding
    rows = aligned_rows(claim, seed)
    return replace(finding, evidence=(*finding.evidence, table(rows))) if rows else finding


def aligned_rows(claim: Claim, seed: int) -> list[list[Any]]:
    """For each proved instance: its parameters, the claimed guarantee, and the parameter and value of the bound."""
    says = claim.says
    if not isinstance(says, Private) or says.view != "arms" or says.relation not in RELATIONS or claim.subject is None:
        return []
    rows, too_long = [], dict[str, int]()
    for instance in claim.params or ({},):
        policy = claim.subject(**instance)
        curve = None if is_step(policy) or context_dimension(policy) else says.curve(policy)
        if curve is None or not hasattr(policy, "learn"):
            continue
        others = repr({name: value for name, value in instance.items() if name != "horizon"})
        if policy.horizon > too_long.get(others, policy.horizon):
            continue  # a longer run of the same policy has more states
        found, too_many = implying_bound(policy, curve, seed)
        if too_many:
            too_long[others] = policy.horizon
        if found is not None:
            rows.append([text.instance_text(instance), derived.guarantee_name(curve), *found.parameter])
    return rows


def implying_bound(policy: Any, curve: Curve, seed: int) -> tuple[Alignment | None, bool]:
    """A bound that implies the claimed curve, None if the search finds none; and whether it ended because there are too
    many states. Then there are too many runs as well, because runs that end in the same state are merged into it."""
    for search, effort in ((merged_bound, EFFORT), (alignment_bound, TREE_EFFORT)):
        found = shared_answer(bound_alone, search, policy, effort, seed)
        if found.outcome is Outcome.BOUND and implied(found, curve):
            return found, False
        if found.outcome is Outcome.TOO_LONG:
            return None, True
    return None, False


def bound_alone(search: Callable[..., Alignment], policy: Any, effort: int, seed: int) -> Alignment:
    """The bound that a search finds, without the search, which takes more memory than is worth keeping."""
    return replace(search(policy, effort, seed), tree=None, merged=None, finite=None)


def table(rows: list[list[Any]]) -> Mapping[str, Any]:
    return table_item(TITLE, ["instance", "claimed", "parameter", above("proved: at most")], rows)
