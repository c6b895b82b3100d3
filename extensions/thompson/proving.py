"""Asks Rocq's kernel to prove that Thompson sampling is (eps, delta)-private, for the eps and delta that a user, or a
certificate of an upper bound (a ceiling), states."""

from __future__ import annotations

from fractions import Fraction
from time import monotonic
from typing import Any, NamedTuple

from dpbandits.audit.cli.verifying import Outcome, elide_middle
from dpbandits.audit.cli_shared.endings import Trouble
from dpbandits.audit.runner.progress import print_now_and_then
from dpbandits.extensions.rocq.carrying import named_axioms
from dpbandits.extensions.rocq.terminal import demand_compiler, kernel_trouble
from dpbandits.extensions.thompson.ceilings.prices import LARGEST_EPS, LONGEST_RUN
from dpbandits.extensions.thompson.ceilings.sampler import Rejected
from dpbandits.extensions.thompson.ceilings.statement import Subject, read_subject
from dpbandits.extensions.thompson.rules import Sampler, checked_sampler
from dpbandits.extensions.thompson.theorems.checked import game_checked, instance_checked
from dpbandits.extensions.thompson.theorems.game_values import GameTheorem
from dpbandits.extensions.thompson.theorems.instances import certified_eps, levels_of
from dpbandits.extensions.thompson.theorems.proposals import proposed_game, proposed_prices
from dpbandits.proofs_checks.formulas.theorems import Checked


class KernelProof(NamedTuple):
    """A theorem that the kernel has accepted: its eps, the theorem, and the seconds for writing and checking it."""

    eps: Fraction
    accepted: Checked
    seconds: float


def kernel_proof(sampler: Sampler, delta: float, relation: str) -> KernelProof:
    """Finds a small eps and a Rocq theorem that the sampler is (eps, delta)-private; lets the kernel check it.
    eps is the smallest one found. The proof uses the value of the game for this relation if such a theorem can be
    written, otherwise prices, which hold for either relation. A line from time to time shows the progress. Raises
    Trouble if no theorem can be written for the question, or if coqc is not available."""
    demand_compiler()
    began, at_work = monotonic(), "looking for a theorem with a small eps"
    try:
        lines = print_now_and_then(lambda: f"--rocq: {at_work}; {monotonic() - began:.0f} seconds so far")
        with lines, kernel_trouble("the proof"):
            asked = proposed_game(checked_sampler(sampler), delta, relation) or proposed_prices(sampler, delta)
            eps = asked.eps if isinstance(asked, GameTheorem) else certified_eps(asked, levels_of(asked))
            at_work = f"the kernel reads a proof that eps = {float(eps):g} is enough"
            accepted = game_checked(asked) if isinstance(asked, GameTheorem) else instance_checked(asked)
    except ValueError as error:
        raise Trouble(f"--rocq: {error}") from None
    return KernelProof(eps, accepted, monotonic() - began)


def kernel_lines(proof: KernelProof) -> tuple[str, ...]:
    """Returns three lines of text: the theorem as printed by Coq, the axioms of its file, and the program."""
    return (
        proof.accepted.statement,
        f"axioms of the theorem and its witness: {named_axioms(proof.accepted.axioms)}",
        f"accepted by the kernel of coqc {proof.accepted.version}, in {proof.seconds:.0f} seconds",
    )


def proof_text(proof: KernelProof) -> str:
    """Returns the theorem that Rocq's kernel has proved as lines of text for a terminal."""
    first, *rest = kernel_lines(proof)
    head = f"{'rocq':>12}  eps = {float(proof.eps):>9g}   {first}"
    return "\n".join([head, *(f"{'':>12}  {line}" for line in rest)])


def proof_as_json(proof: KernelProof) -> dict[str, Any]:
    """Returns the theorem that Rocq's kernel has proved as a dict that can be written as JSON."""
    eps, (statement, axioms, version, _), seconds = proof
    return {"eps": float(eps), "theorem": statement, "axioms": axioms, "coqc": version, "seconds": round(seconds, 1)}


def kernel_outcome(certificate: Any, strict: bool) -> Outcome:
    """Lets Rocq's kernel prove a bound for the sampler of a ceiling certificate, and returns the outcome.
    If the kernel proves only a larger eps than the ceiling states, the ceiling still depends on the argument in
    words."""
    try:
        about = read_subject(certificate, LONGEST_RUN, LARGEST_EPS)
    except Rejected as error:
        return Outcome(False, f"rejected: {elide_middle(str(error))}")
    proof = kernel_proof(sampler_of(about), double_of(about.delta, "delta"), about.relation)
    told = f"eps = {float(proof.eps):g} at delta = {float(about.delta):g} is proved"
    if proof.eps <= about.eps:
        return Outcome(True, f"verified by Rocq's kernel: {told}", kernel_lines(proof))
    words = f"that {float(about.eps):g} is enough, as the ceiling says, still rests on the argument in words"
    return Outcome(not strict, f"Rocq's kernel shows less than the ceiling says: {told}", (*kernel_lines(proof), words))


def sampler_of(statement: Subject) -> Sampler:
    """The sampler that a ceiling's statement `statement` describes."""
    horizon, two, prepulls, variance = statement.sampler[:4]
    return Sampler(horizon, 2 if two else None, prepulls, double_of(variance, "policy/variance"))


def double_of(value: Fraction, name: str) -> float:
    """Converts a decimal number of a ceiling to the double that is printed as this number.
    Raises Trouble if there is none, because a theorem would then be about another number."""
    found = float(value)
    if Fraction(repr(found)) != value:
        raise Trouble(
            f"--rocq: {name} has more digits than a double, so the theorem would be about {found!r} instead; "
            "give a number with at most 15 digits"
        )
    return found
