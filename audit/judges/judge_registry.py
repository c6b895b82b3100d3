"""The kinds of statements: who judges each, what that costs, and how a judge divides its work into tasks; what each
says in words is in `claims.statements`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from dpbandits.reference.claims import model

UNJUDGED_MODULE = "dpbandits.audit.claims.unjudged"
T = TypeVar("T")


def no_audits(claim: model.Claim) -> int:
    return 0


def instances(claim: model.Claim) -> int:
    return max(1, len(claim.params))


def compared_pairs(claim: model.Claim) -> int:
    return len(claim.says.pairs) if isinstance(claim.says, model.Ordering) else 0


class StatementKind(NamedTuple):
    """A kind of statement. module, judge: of the judge, imported when it is asked. audits: how many statistical audits
    a claim takes; a judge that draws samples is handed the run with its level, any other the claim, the effort and the
    seed. subject: whether it promises something about a policy or a mechanism, which another may stand in for. split:
    the function beside the judge that divides its work about the claim's own subject into tasks; "" where none does."""

    module: str
    judge: str
    audits: Callable[[model.Claim], int] = no_audits
    subject: bool = False
    split: str = ""

    @property
    def statistical(self) -> bool:
        return self.audits is not no_audits


FORMULA_KIND = StatementKind("dpbandits.proofs_checks.formulas.methods", "judge_by_methods")
REGRET = StatementKind(
    "dpbandits.audit.regret.bounds",
    "judge_regret",
    instances,
    subject=True,
    split="split_regret",
)
ROWS: Mapping[type[model.Statement], StatementKind] = {
    model.Private: StatementKind(
        "dpbandits.audit.privacy.judge",
        "judge_private",
        instances,
        subject=True,
        split="split_private",
    ),
    model.Inequality: FORMULA_KIND,
    model.Identity: FORMULA_KIND,
    model.AtMost: REGRET,
    model.AtLeast: REGRET,
    model.Ordering: StatementKind(
        "dpbandits.audit.regret.orderings",
        "judge_ordering",
        compared_pairs,
        split="split_ordering",
    ),
    model.Unjudged: StatementKind(UNJUDGED_MODULE, "judge_unjudged"),
    model.Consequence: StatementKind(UNJUDGED_MODULE, "judge_consequence"),
    model.Stated: StatementKind(UNJUDGED_MODULE, "judge_stated"),
}


def row_of(claim: model.Claim) -> StatementKind:
    """Raises TypeError for a kind of statement that has no row."""
    try:
        return ROWS[type(claim.says)]
    except KeyError:
        raise TypeError(f"{claim.id}: no judge for a statement of kind {type(claim.says).__name__}") from None


class Work(NamedTuple, Generic[T]):
    """tasks: calls that know nothing of each other, whose results can be pickled. merge: makes the finding of all
    results, in order. Whoever does some tasks in another process gets them there by asking the judge again, so that
    the tasks themselves need not be pickled."""

    tasks: Sequence[Callable[[], T]]
    merge: Callable[[Sequence[T]], model.Finding]

    def finding(self) -> model.Finding:
        return self.merge([task() for task in self.tasks])
