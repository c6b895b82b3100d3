"""From a claim to its finding: which check decides it, and how the finding is recorded.

The kind of a claim's statement determines the check (`judges.judge_registry`), unless its paper has a proof for it.
"""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import lru_cache
from glob import escape
from shlex import quote
from typing import TYPE_CHECKING, Any

from dpbandits import registry
from dpbandits.audit.judges.effort import Run, kernel_option
from dpbandits.audit.judges.judge_registry import Work, row_of
from dpbandits.audit.runner.printed import rounded_item
from dpbandits.reference.bandits.policy import Step, Subject
from dpbandits.reference.bandits.protocol import demand_policy
from dpbandits.reference.claims.codec import as_data, from_data
from dpbandits.reference.claims.model import Claim, Finding

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

    from dpbandits.proofs_checks.formulas.proofs import Proof


def judge(claim: Claim, run: Run) -> Finding:
    """Checks a claim by its own proof (proofs_checks/papers) if it has one, otherwise by the method for its kind of
    statement; returns the finding. Raises TypeError for a statement of an unknown kind, and whatever the check raises.
    """
    judge_by_kind, proof = row_of(claim).judge, own_proof(claim, run)
    if proof is None:
        finding = registry.loaded(judge_by_kind)(claim, run)
    else:
        finding = proof(claim, run.profile.effort, run.seed)
    return completed_finding(claim, finding, run)


def own_proof(claim: Claim, run: Run) -> Proof | None:
    """The proof in the claim's paper that decides the claim; None if there is none.
    Proofs are loaded only for claims about a paper's own subject."""
    from dpbandits.audit.claims.proofs import deciding_proof

    return deciding_proof(claim, run.profile.effort)


def completed_finding(claim: Claim, finding: Finding, run: Run) -> Finding:
    """Returns the finding about the claim's own subject, extended by what another method proves about this subject, and
    by the command that repeats the check. The verdict does not change."""
    beside = row_of(claim).beside
    if beside:
        finding = registry.loaded(beside)(claim, finding, run.seed)
    return replace(finding, repro=repeat_command(claim, run))


def judge_subject(claim: Claim, run: Run, subject: Subject) -> Finding:
    """Checks the claim's statement about a user's policy or step instead of the claim's own subject.
    Returns the finding, rounded. Raises whatever the check raises, and TypeError if the subject is neither a policy nor
    a `Step`."""
    if not isinstance(subject, Step):
        demand_policy(subject)
    with single_threaded_algebra():
        finding = registry.loaded(row_of(claim).judge)(claim, run, subject)
    return rounded_finding(replace(finding, repro=repeat_command(claim, run)))


def split_claim(claim: Claim, run: Run) -> Work[Any] | None:
    """The tasks of a claim about its own subject; None if its check is not divided, or if a proof decides it.
    Raises whatever the check raises."""
    row = row_of(claim)
    if not row.split or own_proof(claim, run) is not None:
        return None
    work: Work[Any] = registry.loaded(row.split)(claim, run)
    return work


def single_threaded_algebra() -> AbstractContextManager[object]:
    """A context manager in which BLAS uses one thread.
    A sum by several threads depends on their number, and workers have fewer threads than a single process."""
    limits: AbstractContextManager[object] = thread_pools(len(sys.modules)).limit(limits=1)
    return limits


@lru_cache(maxsize=1)
def thread_pools(modules: int) -> ThreadpoolController:
    """The loaded libraries that use several threads.
    Finding them takes 2 ms, so they are looked for again only if the number of imported modules has changed."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def rounded_finding(finding: Finding) -> Finding:
    """A copy of the finding as plain JSON data: the numbers of the evidence are rounded, and the seconds are 0.
    Raises ValueError or TypeError if the finding contains a value that is not JSON, such as NaN."""
    parts = json.loads(json.dumps(as_data(replace(finding, seconds=0.0)), allow_nan=False))
    return from_data(Finding, {**parts, "evidence": [rounded_item(item) for item in parts["evidence"]]})


def repeat_command(claim: Claim, run: Run, file: str = "") -> str:
    """Returns the command line that checks this claim again with the same settings.
    file: the file of the claim's module, if this module is not installed."""
    one = escape(claim.id).replace("'", "'\"'\"'")  # a pattern that matches this id alone
    settings = f"--profile {run.profile.name} --seed {run.seed}{kernel_option(run.profile)}"
    return with_page_option(f"dpbandits audit --claims '{one}' {settings}", file)


def with_page_option(line: str, file: str) -> str:
    """Returns the command line of an audit with an option for a page in this file; unchanged if `file` is empty."""
    return line.replace("dpbandits audit ", f"dpbandits audit --page {quote(file)} ", 1) if file else line
