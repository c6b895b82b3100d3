"""A second opinion on certificates: Rocq's kernel proves what a certificate states, independently of the checker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import Any, NamedTuple

from dpbandits import registry
from dpbandits.audit.cli.verifying import Outcome, elide_middle
from dpbandits.extensions.rocq.carrying import named_axioms
from dpbandits.extensions.rocq.compiled_files import SHARED_PROOFS, compiled
from dpbandits.extensions.rocq.coqc import version
from dpbandits.extensions.rocq.kernel import Batch, axioms_of, compiled_together
from dpbandits.extensions.rocq.point_theorems import HEADER_AT_POINT, NotTranslated, theorem_at_point
from dpbandits.extensions.rocq.release_theorems import HEADER_OF_RELEASE, theorem_of_release
from dpbandits.extensions.rocq.step_theorems import HEADER_OF_STEP, theorem_of_step
from dpbandits.extensions.rocq.terminal import demand_compiler, kernel_trouble
from dpbandits.proofs_checks.checker.untrusted import Rejected
from dpbandits.proofs_checks.checker.verification import require_schema

KERNELS_AT_ONCE = 2


class Kind(NamedTuple):
    """How certificates of a kind become theorems: the header, the function that writes a theorem, and the file of this
    project with its definitions and tactics."""

    header: str
    theorem: Callable[[Any, str, bool], str]
    file: str


KINDS = {
    "formula": Kind(HEADER_AT_POINT, theorem_at_point, "decisions.v"),
    "step": Kind(HEADER_OF_STEP, theorem_of_step, "decisions.v"),
    "release": Kind(HEADER_OF_RELEASE, theorem_of_release, "releases.v"),
}


class Answer(StrEnum):
    """The kernel's result for a certificate."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    NOT_TRANSLATED = "not translated"


class Opinion(NamedTuple):
    """The kernel's answer to a certificate. why: a fault, or something missing. lines: the theorem, and the program
    that accepted it."""

    answer: Answer
    why: str = ""
    lines: tuple[str, ...] = ()


def translated(certificate: Any, name: str, opposite: bool = False) -> str:
    """Returns a certificate's statement, or its opposite, as a Rocq theorem with its proof.
    Raises Rejected, NotTranslated."""
    require_schema(certificate)
    kind = KINDS.get(certificate["type"])
    if kind is None:
        raise NotTranslated(
            f"certificates of type {certificate['type']} cannot be translated to Rocq; only {', '.join(KINDS)} can"
        )
    return kind.theorem(certificate, name, opposite)


def check_in_batches(theorems: Mapping[str, str], named: Mapping[str, Any], label: str) -> list[Batch]:
    """Lets the kernel check these theorems in a few runs of coqc, and returns the batches with the results.
    Theorems from certificates of one type are checked together. named: the certificates. label: a different word for
    each call."""
    batches: list[tuple[Kind, list[str]]] = []
    for type_, kind in KINDS.items():
        names = [name for name in theorems if named[name]["type"] == type_]
        batches += [(kind, names[start::KERNELS_AT_ONCE]) for start in range(min(KERNELS_AT_ONCE, len(names)))]
    for kind in dict.fromkeys(kind for kind, _ in batches):  # so that batches side by side find it compiled
        compiled(SHARED_PROOFS / kind.file)
    with ThreadPoolExecutor(KERNELS_AT_ONCE) as pool:
        texts = [(kind.header, {name: theorems[name] for name in batch}) for kind, batch in batches]
        return list(pool.map(lambda each: compiled_together(each[0], each[1], f"{label}_{next(iter(each[1]))}"), texts))


def refusals(batches: Sequence[Batch]) -> dict[str, str]:
    """The errors of coqc for all theorems that it refused, by name."""
    return {name: why for batch in batches for name, why in batch.refused.items()}


def opinion(theorem: str, why: str | None, axioms: Sequence[str], opposite: bool) -> Opinion:
    """Returns an opinion on a certificate, made from the kernel's answer about its theorem.
    why: the error of coqc; None if the kernel accepts the theorem. axioms: of all theorems that it accepts. opposite:
    whether the kernel accepts the opposite, that the comparison holds at this point."""
    if why is None:
        stated, _, _ = theorem.partition("\nProof.")
        told = f"axioms, of all that were checked beside it: {named_axioms(axioms)}"
        by = f"accepted by the kernel of coqc {version()}"
        return Opinion(Answer.ACCEPTED, "", (" ".join(stated.split()), told, by))
    if opposite:
        return Opinion(Answer.REFUSED, "the comparison holds at this point, which the kernel accepts")
    return Opinion(Answer.REFUSED, f"no proof was found: {elide_middle(why)}")


def beside_kernel(
    certificates: Sequence[Any], judge: Callable[[Any], Outcome], strict: bool
) -> tuple[Iterator[Outcome], str]:
    """Returns a result for each certificate: the kernel's answer, followed by that of `judge`, the checker.
    For certificates of extensions with their own kernel check, such as ceilings, the kernel's answer alone. Also
    returns a line with the numbers of answers. Raises Trouble if the kernel is not available."""
    formulas = [each for each in certificates if own_opinion(each) is None]
    # The kernel's answer to each of these certificates
    demand_compiler()
    untranslated: dict[str, Opinion] = {}
    theorems: dict[str, str] = {}
    named = {f"violated_{place}": certificate for place, certificate in enumerate(formulas)}
    for name, certificate in named.items():
        try:
            theorems[name] = translated(certificate, name)
        except (Rejected, NotTranslated) as error:
            untranslated[name] = Opinion(Answer.NOT_TRANSLATED, elide_middle(str(error)))
    with kernel_trouble("a file of ours"):
        batches = check_in_batches(theorems, named, "batch")
        refused = refusals(batches)
        opposites = {name: translated(named[name], name, opposite=True) for name in refused}
        other = check_in_batches(opposites, named, "opposite")
        axioms = axioms_of([*batches, *other])
    shown = opposites.keys() - refusals(other).keys()
    opinions = [
        untranslated.get(name) or opinion(theorems[name], refused.get(name), axioms, name in shown) for name in named
    ]
    counts = Counter(each.answer for each in opinions)
    told = "Rocq's kernel, of certificates: " + ", ".join(f"{counts[answer]} {answer}" for answer in Answer)
    told_by = iter(opinions)
    outcomes = (
        combined_outcome(next(told_by), judge(each), strict)
        if (own := own_opinion(each)) is None
        else own(each, strict)
        for each in certificates
    )
    return outcomes, told if formulas else ""


def own_opinion(certificate: Any) -> Callable[[Any, bool], Outcome] | None:
    """Returns an extension's function that asks the kernel about certificates of this type.
    None if no extension has one."""
    type_ = certificate.get("type") if isinstance(certificate, Mapping) else None
    named = registry.added().opinions.get(type_) if isinstance(type_, str) else None
    return None if named is None else registry.loaded(named)  # type: ignore[no-any-return]


def combined_outcome(opinion: Opinion, outcome: Outcome, strict: bool) -> Outcome:
    """Combines the kernel's opinion with the checker's outcome: good if both accept the certificate.
    If it was not translated for the kernel: the checker's outcome, or invalid if `strict`."""
    answer = f"{opinion.answer} by Rocq's kernel" + (f" ({opinion.why})" if opinion.why else "")
    if opinion.answer is Answer.NOT_TRANSLATED:
        answer = f"not translated for Rocq ({opinion.why})"
    agreed = opinion.answer is Answer.ACCEPTED or (opinion.answer is Answer.NOT_TRANSLATED and not strict)
    headline = f"{answer}; by the checker: {outcome.headline}"
    return Outcome(outcome.good and agreed, headline, (*opinion.lines, *outcome.lines))
