"""What is said of a certificate: its arithmetic first, then whether it is about the claim that it names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits import registry
from dpbandits.audit.cli_shared.endings import Trouble, printable
from dpbandits.audit.cli_shared.json_files import loaded

END_CHARACTERS = 150  # characters of either end of a long complaint that are shown


class Outcome(NamedTuple):
    """What is said about one certificate."""

    good: bool
    headline: str
    lines: tuple[str, ...] = ()


def outcome_of(certificate: Any, ledger: Mapping[str, Any], strict: bool) -> Outcome:
    """The arithmetic first; then whether it is about the ledger's claim."""
    from dpbandits.audit.claims.statements import statement
    from dpbandits.audit.matching.binding import binding
    from dpbandits.proofs_checks.certificates import verify_any

    kind = certificate.get("type") if isinstance(certificate, dict) else None
    if isinstance(kind, str) and (of_kind := registry.outcomes().get(kind)) is not None:
        outcome: Outcome = registry.loaded(of_kind)(certificate, strict)
        return outcome
    checking = verify_any(certificate)
    if not checking.ok:
        return Outcome(False, f"rejected: {elide_middle('; '.join(checking.lines))}")
    found, name = binding(certificate, ledger), certificate["claim"]
    if not found.known:
        headline = "the arithmetic is right, but" if strict else "verified, the arithmetic only:"
        return Outcome(not strict, f"{headline} {elide_middle(found.why)}", checking.lines)
    claimed = f"the claim: {statement(ledger[name])}"
    if not found.about:
        headline = f"the arithmetic is right, but it is not about claim {name}: {elide_middle(found.why)}"
        return Outcome(False, headline, (*checking.lines, claimed))
    warning = (found.why,) if found.why else ()
    return Outcome(True, f"verified, and about claim {name}", (*warning, *checking.lines, claimed))


def elide_middle(text: str) -> str:
    """Both ends of a text that repeats what somebody wrote, for what is to be done about it stands at the end."""
    if len(text) <= 2 * END_CHARACTERS:
        return text
    return f"{text[:END_CHARACTERS]} [... {len(text) - 2 * END_CHARACTERS} characters ...] {text[-END_CHARACTERS:]}"


def certificates_in(path: Path) -> list[tuple[str, Any]]:
    """(what to call it, certificate) for each certificate in the file. None at all is an error: a
    verification that looked at nothing must not succeed."""
    content = loaded(path)
    if isinstance(content, dict) and "findings" in content:
        from dpbandits.audit.runner.documents import certificates

        try:
            found = list(certificates(content).items())
        except (KeyError, TypeError, AttributeError):
            raise Trouble(f"{printable(path)}: is not a findings.json of `dpbandits audit`") from None
        if not found:
            raise Trouble(f"{printable(path)}: contains no certificate, so there is nothing to verify")
        return [(f"{path}: {name}", certificate) for name, certificate in found]
    return [(str(path), content)]
