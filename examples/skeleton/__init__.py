"""A page to copy: the smallest paper that has a bit of everything. Nobody wrote it, and some of it is wrong on purpose.

    dpbandits claims --page examples/skeleton
    dpbandits audit --page examples/skeleton

The folder's name is the page's key. It holds `page` and `CLAIMS`; the chapters stand in files named after the paper's,
the algorithms in one of their own, and the proofs of single statements in `proofs`.
"""

from . import section_1, section_2
from .page import page

CLAIMS = section_1.chapter.claims + section_2.chapter.claims

__all__ = ["CLAIMS", "page"]
