"""Appendix H: a floor, and a logarithm that increases."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, never_less, reduced
from dpbandits.reference.ledger import Real, Whole
from dpbandits.reference.papers.chen24 import appendix_h as claims

EQ_98 = Reduction(
    "y <= floor(y) + 1 for y = 4 E N, divided by 4.",
    (
        never_less(
            "whole + rest <= whole + 1, the definition of a floor",
            lambda m, whole, rest: whole + rest,
            lambda m, whole, rest: whole + 1,
            {"whole": Whole(0), "rest": Real(0, 1, closed=True)},
        ),
    ),
)
EQ_102_D = Reduction(
    "The logarithm increases.",
    (never_less("4 <= K", lambda m, K: m.number(4), lambda m, K: K, {"K": Whole(4)}),),
)

LEMMAS: dict[str, Lemma] = {
    "chen24/eq-98/whole": reduced(EQ_98, claims.eq_98_repaired),
    "chen24/eq-102/d": reduced(EQ_102_D, claims.eq_102_d),
}
