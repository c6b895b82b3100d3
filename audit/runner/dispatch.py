"""From a claim to its finding: which check decides it, and how the finding is recorded.

The kind of a claim's statement determines the check (`judges.judge_registry`), unless its paper has a proof for it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import lru_cache
from glob import escape
from shlex import quote
from typing import TYPE_CHECKING, Any, Protocol

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


class Judge(Protocol):
    """A function such as `judge`."""

    def __call__(self, claim: Claim, run: Run, subject: Subject | None = None, /) -> Finding:
        """Checks the claim, or the claim's statement about another subject, and returns the finding."""


def judge(claim: Claim, run: Run, subject: Subject | None = None) -> Finding:
    """Checks a claim, or its statement about another subject (a policy or a step), and returns the finding.

    A claim without another subject is decided by its own proof (proofs_checks/papers) if it has one. Raises TypeError
    for a statement of an unknown kind, and whatever the check raises.
    """
    row, effort = row_of(claim), run.profile.effort
    proof = own_proof(claim, run) if subject is None else None
    if proof is not None:
        finding = proof(claim, effort, run.seed)
    else:
        arguments: list[object] = [effort, run.seed]
        if row.statistical:
            arguments = [run] if subject is None else [run, subject]
        finding = registry.loaded(row.judge)(claim, *arguments)
    if subject is None:
        finding = with_other_proofs(claim, finding, run)
    return replace(finding, repro=repeat_command(claim, run))


def own_proof(claim: Claim, run: Run) -> Proof | None:
    """The proof in the claim's paper that decides the claim; None if there is none.
    Proofs are loaded only for claims about a paper's own subject."""
    from dpbandits.audit.claims.proofs import deciding_proof

    return deciding_proof(claim, run.profile.effort)


def with_other_proofs(claim: Claim, finding: Finding, run: Run) -> Finding:
    """Returns the finding, extended by what another method proves about the claim's own subject.
    The verdict does not change."""
    beside = row_of(claim).beside
    if not beside:
        return finding
    found: Finding = registry.loaded(beside)(claim, finding, run.seed)
    return found


def judge_subject(claim: Claim, run: Run, subject: Subject) -> Finding:
    """The finding about a user's subject and the claim's statement.
    Raises whatever the check raises, and TypeError if the subject is neither a policy nor a `Step`."""
    if not isinstance(subject, Step):
        demand_policy(subject)
    return json_finding(judge, claim, run, subject)


def split_claim(claim: Claim, run: Run) -> Work[Any] | None:
    """The tasks of a claim about its own subject; None if its check is not divided, or if a proof decides it.
    Raises whatever the check raises."""
    row = row_of(claim)
    if not row.split or own_proof(claim, run) is not None:
        return None
    work: Work[Any] = registry.loaded(row.split)(claim, run)
    return work


def json_finding(judge: Judge, claim: Claim, run: Run, subject: Subject | None = None) -> Finding:
    """The finding of a check as plain JSON data, with its numbers rounded by `rounded_item`.
    Raises whatever the check raises, and ValueError or TypeError if the finding contains a value that is not JSON, such
    as NaN."""
    with single_threaded_algebra():
        return rounded_finding(judge(claim, run, subject))


def merge_tasks(claim: Claim, run: Run, work: Work[Any], results: Sequence[Any]) -> Finding:
    """Returns the finding of a divided claim, made from the results of its tasks.
    Its numbers are rounded, and it contains the command that repeats the check."""
    with single_threaded_algebra():
        finding = with_other_proofs(claim, work.merge(results), run)
        return rounded_finding(replace(finding, repro=repeat_command(claim, run)))


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
    """A copy of the finding in which the numbers of the evidence are rounded, and the seconds are 0."""
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
