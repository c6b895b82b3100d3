"""A policy's law, where it says none itself, but its page's proofs know who releases the same and has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dpbandits.audit.run.dispatch import LEMMA_PAGES
from dpbandits.reference.policy import HasLaw, Policy

PAGES = "dpbandits.reference.papers."


def lawful(policy: Policy) -> HasLaw | None:
    """The policy itself where it has a law, else one that releases the same with the same probabilities and has one;
    None where nobody knows such a policy."""
    if isinstance(policy, HasLaw):
        return policy
    make = laws(type(policy).__module__).get(type(policy))
    return None if make is None else make(policy)


def laws(module: str) -> Mapping[type, Callable[[Any], Any]]:
    """What the proofs of the page in this module know of its policies' laws."""
    page = module.removeprefix(PAGES).partition(".")[0]
    proofs = f"{LEMMA_PAGES}.{page}"
    if not module.startswith(PAGES) or find_spec(proofs) is None:
        return {}
    known: Mapping[type, Callable[[Any], Any]] = getattr(import_module(proofs), "LAWS", {})
    return known
