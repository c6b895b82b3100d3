"""Selects claims by glob patterns, orders them, and groups those whose checks share work."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from fnmatch import fnmatchcase

from dpbandits.audit.claims.deduction import name_suggestion
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim, Ordering, Private


def selected(ledger: Ledger, globs: Sequence[str]) -> tuple[Claim, ...]:
    """Returns the claims of the ledger whose id matches one of the globs, in the ledger's order.
    Without globs: all claims of the modules outside the ledger if there are any, otherwise all claims.

    A glob is a shell pattern over the whole id; `*` also matches slashes. Raises ValueError, naming similar ids, for a
    glob without a match, so that a misspelt selection does not pass as an empty audit.
    """
    if not globs:
        return tuple(claim for volume in ledger.own if volume.file for claim in volume.claims) or ledger.claims
    claims = [claim for volume in ledger.under([literal_prefix(glob) for glob in globs]) for claim in volume.claims]
    for glob in globs:
        if not any(fnmatchcase(claim.id, glob) for claim in claims):
            raise ValueError(
                f"no claim matches {glob!r}{name_suggestion(glob, ledger.by_id)} (`dpbandits claims` lists all)"
            )
    return tuple(claim for claim in claims if any(fnmatchcase(claim.id, glob) for glob in globs))


def literal_prefix(glob: str) -> str:
    """The literal prefix of the pattern, with which every match begins."""
    return re.split(r"[*?\[]", glob, maxsplit=1)[0]


def in_order(ledger: Ledger, claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims in the ledger's order, claims outside the ledger last. Raises ValueError if an id occurs twice."""
    claims = tuple(claims)
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise ValueError(f"two claims have the id {claim.id!r}; rename one of them")
        seen.add(claim.id)
    return tuple(sorted(claims, key=lambda claim: ledger.rank(claim.id)))


def sharing_work(claims: Iterable[Claim]) -> list[list[Claim]]:
    """Returns the claims in groups: claims whose checks share work together, every other claim alone.
    An experiment is played once for all of its claims. The worst inputs of a policy, and tests of its law, are computed
    once for all claims that release the same of its runs."""
    groups: dict[Hashable, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(shared_work(claim), []).append(claim)
    return list(groups.values())


def shared_work(claim: Claim) -> Hashable:
    """A key that is equal for claims whose checks share work; the claim's id if its check shares none."""
    if isinstance(claim.says, Ordering):
        key: tuple[object, ...] = tuple(claim.says.settings.items())
    elif isinstance(claim.says, Private) and claim.subject is not None:
        key = (claim.subject, claim.says.relation, claim.says.view)
    else:
        return claim.id
    try:
        hash(key)
        return key
    except TypeError:  # the check of the claim will say so
        return claim.id
