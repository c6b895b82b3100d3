"""A policy's law, where it says none itself, but its page's proofs know who releases the same and has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpbandits.audit.claims.proofs import laws_of
from dpbandits.reference.policy import HasLaw, Policy

PAGES = "dpbandits.reference.papers."


def lawful(policy: Policy) -> HasLaw | None:
    """The policy itself where it has a law, else one that releases the same with the same probabilities and has one;
    None where nobody knows such a policy."""
    if isinstance(policy, HasLaw):
        return policy
    make = known_laws(type(policy).__module__).get(type(policy))
    return None if make is None else make(policy)


def known_laws(module: str) -> Mapping[type, Callable[[Any], Any]]:
    """What the proofs of the page in this module know of its policies' laws; empty for a module of no page."""
    return laws_of(module.removeprefix(PAGES).partition(".")[0]) if module.startswith(PAGES) else {}
