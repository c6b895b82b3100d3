"""Whether a certificate is about the claim that it names.

The checker (`proofs_checks.checker`) knows no ledger: it verifies that an inequality fails at a point, or that an event
distinguishes two inputs. This module rebuilds the ledger's claim from the claim's own functions. The certificate must
refute exactly this statement: these formulas at a point of this domain, or the claim's guarantee for this mechanism
(see `privacy_claims`). In case of doubt the certificate is not about the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import islice, product
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from dpbandits.audit.claims.statements import range_text
from dpbandits.audit.matching import OWN_CLAIMS, NotAbout, not_in_ledger
from dpbandits.proofs_checks.formulas.domains import axes_of, categorical_cases
from dpbandits.proofs_checks.formulas.integer_operands import with_integer_operands
from dpbandits.proofs_checks.vocabularies.decimals import exact_text
from dpbandits.proofs_checks.vocabularies.expressions import text
from dpbandits.reference.claims.model import HOLDS, Claim, Identity, Inequality, Private, Verdict, expectations

if TYPE_CHECKING:  # what follows is slow to load
    from dpbandits.reference.claims.records import Certificate

MAX_COUNTED = 60  # whole numbers are tried up to this many above the lowest, where a formula counts with them
MAX_CHOICES = 4_000  # combinations of values that a certificate may have filled in
MAX_WRITTEN = 2_000_000  # characters of formulas that are written down on the way to the right one
# What a formula raises for a vocabulary, or a value, that it was not made for.
UNWRITABLE = (TypeError, ValueError, AttributeError, ArithmeticError, LookupError)


class Binding(NamedTuple):
    """Whether a certificate is about a claim. known: the ledger has the claim that it names. about: it refutes this
    claim. why: the reason if it does not; else a warning if the ledger does not expect the refutation, or ""."""

    known: bool
    about: bool
    why: str


def binding_of(certificate: Certificate, ledger: Mapping[str, Claim]) -> Binding:
    """Decides whether a verified certificate is about the claim that it names.

    The probabilities and enclosures in the certificate are not checked here: verify it first. Raises nothing for a
    verified one.
    """
    name = str(certificate["claim"])
    if name not in ledger:
        from dpbandits.audit.claims.deduction import name_suggestion

        meant = "" if name.startswith(OWN_CLAIMS) else name_suggestion(name, ledger)  # which loads all pages
        return Binding(False, False, f"{not_in_ledger(name)}{meant}")
    claim = ledger[name]
    try:
        if certificate["type"] == "formula":
            require_same_statement(certificate, claim)
        else:
            from dpbandits.audit.matching.privacy_claims import (
                require_same_guarantee,  # with exact laws and audits of privacy
            )

            require_same_guarantee(certificate, claim)
    except NotAbout as elsewhere:
        return Binding(True, False, str(elsewhere))
    except UNWRITABLE as error:  # in doubt it is not about the claim
        return Binding(True, False, f"the claim cannot be rebuilt from it ({type(error).__name__}: {error})")
    return Binding(True, True, contradiction(claim))


def contradiction(claim: Claim) -> str:
    """Returns a warning if the ledger does not expect this claim to be refuted; otherwise ""."""
    if Verdict.REFUTED in expectations(claim):
        return ""
    wanted = " or ".join(sorted(expectations(claim)))
    word = "CONTRADICTION" if expectations(claim) & HOLDS else "SURPRISE"
    return (
        f"{word}: the ledger expects {claim.id} to be {wanted}, but this certificate refutes it, so one of them "
        "is wrong"
    )


# -- formulas ----------------------------------------------------------------------------------------------------


def require_same_statement(certificate: Certificate, claim: Claim) -> None:
    """Raises NotAbout unless the certificate states the claim's own formulas at a point of the claim's domain."""
    says = claim.says
    if not isinstance(says, Inequality | Identity):
        kind = "is about privacy" if isinstance(says, Private) else f"has a statement of type {type(says).__name__}"
        raise NotAbout(f"the certificate compares two formulas, but the claim {kind}")
    if certificate["relation"] != says.sign:
        raise NotAbout(
            f"the certificate refutes left {certificate['relation']} right, but the claim states left {says.sign} right"
        )
    within = exact_text(says.within)
    if Fraction(certificate["within"]) != Fraction(within):
        raise NotAbout(
            f"the tolerance of the certificate is {certificate['within']}, but the tolerance of the claim is {within}"
        )
    require_in_domain(certificate["variables"], says)
    require_same_formulas(certificate, says)


def require_in_domain(variables: Mapping[str, str], statement: Inequality | Identity) -> None:
    """Raises NotAbout for a variable that the claim does not have, or a value outside of the claim's domain."""
    axes, others = axes_of(statement.over)
    known = {axis.name: axis for axis in axes}
    for name, value in variables.items():
        if name not in known:
            what = "has no numeric domain in the claim" if name in others else "is not a variable of the claim"
            raise NotAbout(f"{name} {what}")
        if not known[name].contains(Fraction(value)):
            domain = range_text(name, statement.over[name])
            raise NotAbout(f"{name} = {value} is outside the domain of the claim, {domain}")
    for axis in axes:
        if axis.empty:
            raise NotAbout(f"the domain of the claim is empty: it contains no value of the variable {axis.name}")


def require_same_formulas(
    certificate: Certificate, statement: Inequality | Identity, max_characters: int = MAX_WRITTEN
) -> None:
    """Raises NotAbout unless the certificate's expressions are the claim's, character by character.

    A formula that counts (a sum up to n) is written out for a value of n which the certificate does not store. So small
    values are tried, as in the search that makes such certificates, until `max_characters` characters are written down.
    """
    wanted = ("left", certificate["left"]), ("right", certificate["right"])
    given = [tuple(pair) for pair in certificate["given"]]
    first: str | None = None
    written = 0
    for trace in islice(ways_to_write(statement, set(certificate["variables"])), MAX_CHOICES):
        try:
            sides = {"left": trace(statement.left), "right": trace(statement.right)}
            conditions = [(trace(p), trace(q)) for p, q in statement.given]
        except UNWRITABLE:
            continue
        odd = [side for side, source in wanted if sides[side] != source]
        written += len(sides["left"]) + len(sides["right"])
        if not odd and conditions == given:
            return
        if first is None:
            if odd:
                first = (
                    f"the {odd[0]} side of the certificate differs from that of the claim, which is "
                    f"{shortened_source(sides[odd[0]])}"
                )
            else:
                told = "; ".join(f"{p} <= {q}" for p, q in conditions) or "none"
                first = f"the preconditions of the certificate differ from those of the claim: {shortened_source(told)}"
        if written > max_characters:
            break
    raise NotAbout(
        first
        or "dpbandits tried several values of the variables, but could not write the formulas of the claim as text for "
        "any of them"
    )


def ways_to_write(statement: Inequality | Identity, names_in_certificate: set[str]) -> Iterator[Callable[[Any], str]]:
    """Yields functions that write a formula of the claim as source text.
    First with all variables as names, then with numbers in place of the variables that are not in the certificate.
    names_in_certificate: the names of the variables in the certificate."""
    axes, others = axes_of(statement.over)
    absent = [axis for axis in axes if axis.name not in names_in_certificate]
    names = {axis.name: text.variable(axis.name) for axis in axes}
    for other in categorical_cases(others):
        yield source_writer(names | other)
    if not absent:
        return
    ranges = []
    for axis in absent:
        whole = [int(value) for value in axis.values if value.denominator == 1]
        if axis.whole and axis.low != -inf:
            whole = list(range(int(axis.low), int(min(axis.high, axis.low + MAX_COUNTED)) + 1))
        ranges.append(whole)
    fixed = [axis.name for axis in absent]
    for other, values in product(categorical_cases(others), product(*ranges)):
        choice = dict(zip(fixed, values, strict=True))
        yield source_writer(names | other | with_integer_operands(text, choice, fixed))
        yield source_writer(names | other | choice)


def source_writer(variables: Mapping[str, Any]) -> Callable[[Any], str]:
    """Returns a function that writes a formula of these variables as text."""
    return lambda formula: text.source(formula(text, **variables))


def shortened_source(source: str) -> str:
    """The source text, cut to 200 characters if it is longer, for messages."""
    return source if len(source) <= 200 else f"{source[:200]}..."
