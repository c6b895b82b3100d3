"""A table with one row for each kind of statement: the function that checks it, and how its work is divided into
tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from dpbandits.reference.claims import model

T = TypeVar("T")


def no_audits(claim: model.Claim) -> int:
    """The number of audits of a claim whose check uses no samples: 0."""
    return 0


def instances(claim: model.Claim) -> int:
    """The number of instances of a claim."""
    return len(claim.instances)


def compared_pairs(claim: model.Claim) -> int:
    """The number of pairs of settings that a claim about an ordering compares."""
    return len(claim.says.pairs) if isinstance(claim.says, model.Ordering) else 0


class JudgingMethod(NamedTuple):
    """How a kind of statement is judged. Functions are named as "package.module:name", and imported when they are
    needed (`registry.loaded`).

    judge: of the claim and the `Run`; of a user's own subject as well, if `subject`. audits: the number of a claim's
    statistical audits. subject: whether it is about a policy or a mechanism, which a user's own may replace. split:
    divides the work about the claim's own subject into tasks; "" if there is none. beside: adds to a finding about the
    claim's own subject what another method proves; "" if there is none.
    """

    judge: str
    audits: Callable[[model.Claim], int] = no_audits
    subject: bool = False
    split: str = ""
    beside: str = ""


FORMULAS = JudgingMethod("dpbandits.audit.claims.proofs:judge_formula")
REGRET = JudgingMethod(
    "dpbandits.audit.regret.bounds:judge_regret",
    instances,
    subject=True,
    split="dpbandits.audit.regret.bounds:split_regret",
)
ROWS: Mapping[type[model.Statement], JudgingMethod] = {
    model.Private: JudgingMethod(
        "dpbandits.audit.privacy.judge:judge_private",
        instances,
        subject=True,
        split="dpbandits.audit.privacy.judge:split_private",
        beside="dpbandits.audit.privacy.alignment:with_aligned_instances",
    ),
    model.Inequality: FORMULAS,
    model.Identity: FORMULAS,
    model.AtMost: REGRET,
    model.AtLeast: REGRET,
    model.Ordering: JudgingMethod(
        "dpbandits.audit.regret.orderings:judge_ordering",
        compared_pairs,
        split="dpbandits.audit.regret.orderings:split_ordering",
    ),
    model.Unjudged: JudgingMethod("dpbandits.audit.claims.deduction:judge_unjudged"),
    model.Consequence: JudgingMethod("dpbandits.audit.claims.deduction:judge_consequence"),
    model.Stated: JudgingMethod("dpbandits.audit.claims.deduction:judge_stated"),
}


def row_of(claim: model.Claim) -> JudgingMethod:
    """Returns the registry's row for the claim's kind of statement. Raises TypeError if there is none."""
    try:
        return ROWS[type(claim.says)]
    except KeyError:
        raise TypeError(
            f"{claim.id}: dpbandits cannot check statements of type {type(claim.says).__name__}; use a type of "
            "statement from dpbandits.reference.claims.model, for example Stated for a sentence with a proof"
        ) from None


class Work(NamedTuple, Generic[T]):
    """The work of a judge, divided. tasks: independent calls, whose results can be pickled. merge: makes the finding
    from all results in order. A task is done in another process by dividing the claim again there, so tasks themselves
    need not be pickled."""

    tasks: Sequence[Callable[[], T]]
    merge: Callable[[Sequence[T]], model.Finding]

    def finding(self) -> model.Finding:
        """Does all tasks of the claim one after another in this process, and returns the finding."""
        return self.merge([task() for task in self.tasks])
