"""A page to copy: the smallest paper that has a bit of everything. Nobody wrote it, and some of it is wrong on purpose.

    dpbandits claims --page examples/skeleton
    dpbandits audit --page examples/skeleton

The folder's name is the page's key. The paper stands in `page`, its chapters in files named after the paper's, in the
order of `claims`; its algorithms in `algorithms`, the proofs of single statements in `proofs`, in files named as the
chapters. What others play is taken from here.
"""

from skeleton.algorithms import FirstImpression

__all__ = ["FirstImpression"]
