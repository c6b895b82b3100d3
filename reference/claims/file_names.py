"""Unique file names for claims, made from their ids."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from itertools import count

MAX_NAME_BYTES = 180  # bytes of an id in a name; file systems take 255, some of which the endings need


def stem(claim: str) -> str:
    """The file name, without extension, that stands for a claim's id.
    A digest is added if another id could give the same name, or if the id is too long."""
    name = claim.replace("/", "__").encode("utf-8", "surrogatepass")
    if "__" not in claim and len(name) <= MAX_NAME_BYTES:
        return name.decode("utf-8", "surrogatepass")
    digest = blake2b(claim.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{name[:MAX_NAME_BYTES].decode(errors='ignore')}-{digest}"


def certificate_names(carried: Mapping[str, int]) -> dict[tuple[str, int], str]:
    """The file names of certificates, {(claim, index): name}: the claim's name, with a number from the second on.

    carried: the number of certificates of each claim.
    """
    named = {(claim, 0): stem(claim) for claim, many in carried.items() if many}
    taken = set(named.values())
    for claim, many in carried.items():
        numbered = (f"{stem(claim)}-{k}" for k in count(2))
        free = (name for name in numbered if name not in taken)  # a claim may be called so
        for place in range(1, many):
            named[claim, place] = next(free)
            taken.add(named[claim, place])
    return named
