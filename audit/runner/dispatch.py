"""The only dispatch: which judge decides a claim follows from the kind of what it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from glob import escape
from importlib import import_module
from shlex import quote
from typing import Any

from dpbandits.audit.claims.proofs import proof_of
from dpbandits.audit.judges.effort import Run, kernel_option
from dpbandits.audit.judges.kinds import Work, row_of
from dpbandits.audit.runner.printed import printed
from dpbandits.reference.claims.codec import as_data, from_data
from dpbandits.reference.claims.model import Claim, Finding


def judge(claim: Claim, run: Run, subject: Any = None) -> Finding:
    """What the judge that is responsible finds about a claim; `subject` stands in for the claim's own subject.

    A claim with a proof of its own (proofs_checks/papers) goes there first. Raises TypeError for a statement of an
    unknown kind.
    """
    return replace(decided(claim, run, subject), repro=repro(claim, run))


def decided(claim: Claim, run: Run, subject: Any) -> Finding:
    row, effort = row_of(claim), run.profile.effort
    proof = proof_of(claim) if subject is None else None
    if proof is not None:
        return proof(claim, effort, run.seed)
    judge = getattr(import_module(row.module), row.judge)
    if not row.statistical:
        return judge(claim, effort, run.seed)  # type: ignore[no-any-return]
    return judge(claim, run) if subject is None else judge(claim, run, subject)  # type: ignore[no-any-return]


def split_claim(claim: Claim, run: Run) -> Work[Any] | None:
    """The tasks of a claim about its own subject; None where nobody divides the work, or a proof decides. Raises what
    the judge raises."""
    row = row_of(claim)
    if not row.split or proof_of(claim) is not None:
        return None
    divide: Callable[[Claim, Run], Work[Any]] = getattr(import_module(row.module), row.split)
    return divide(claim, run)


def directly(judge: Callable[..., Finding], claim: Claim, run: Run, subject: Any = None) -> Finding:
    """The judge's own finding about the claim, or about another subject of the same promise; plain JSON data, its
    numbers as they are printed.

    Raises what the judge raises, and ValueError or TypeError where the finding is no JSON (NaN, infinity).
    """
    with one_thread():
        return as_printed(judge(claim, run, subject))


def merged(claim: Claim, run: Run, work: Work[Any], results: Sequence[Any]) -> Finding:
    """The finding of tasks that were done, as `directly` has it. Raises what it raises."""
    with one_thread():
        return as_printed(replace(work.merge(results), repro=repro(claim, run)))


def one_thread() -> AbstractContextManager[Any]:
    """Linear algebra by one thread: a sum over several depends on how many there are, and a worker has fewer than a
    lone process."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return limits


def as_printed(finding: Finding) -> Finding:
    parts = json.loads(json.dumps(as_data(replace(finding, seconds=0.0)), allow_nan=False))
    return from_data(Finding, {**parts, "evidence": [printed(item) for item in parts["evidence"]]})


def repro(claim: Claim, run: Run, file: str = "") -> str:
    """One line that judges this claim again, the same way. file: where its page lives, if it has not joined."""
    one = escape(claim.id).replace("'", "'\"'\"'")  # a pattern that matches this id alone
    settings = f"--profile {run.profile.name} --seed {run.seed}{kernel_option(run.profile)}"
    return line_for_page(f"dpbandits audit --claims '{one}' {settings}", file)


def line_for_page(line: str, file: str) -> str:
    """The line, for a page that lives in this file."""
    return line.replace("dpbandits audit ", f"dpbandits audit --page {quote(file)} ", 1) if file else line
