"""The pages that joined the ledger: a package each, found by this folder, under the name that is its key.

In each: `page`, its algorithms, a file a chapter, and `claims`, which puts the chapters in order. `reference.library`
loads one when somebody asks for a claim of it; nothing imports all of them, so that no page depends on another.
"""

from functools import cache
from pkgutil import iter_modules


@cache
def paper_keys() -> tuple[str, ...]:
    """The keys of the pages that joined, in alphabetical order. Their order in the ledger is that of their places."""
    return tuple(sorted(found.name for found in iter_modules(__path__) if found.ispkg))
