"""The toy claims. All are decided by `proofs`, except those of the last two kinds."""

from __future__ import annotations

from dpbandits.pages import REGRET, Claim, Fault, Gaussian, Harm, Number, Real, Sides, Stated, Verdict, Vocabulary
from dpbandits.reference.claims.model import Consequence, Ordering, Source
from toy.page import page
from toy.policies import Policy

chapter = page.chapter("Section 1")
SIZES = ({"horizon": 3},)
FALSE = {"expect": Verdict.REFUTED, "fault": Fault.FALSE, "harm": Harm.STATEMENT}


def lemma(name: str) -> Source:
    """The source of the claim with this name."""
    return page.source(f"Lemma {name}", "so it is")


@chapter.inequality("proved", lemma("proved"), over={"x": Real(0, 9)}, expect=Verdict.PROVED)
def proved(m: Vocabulary, x: Number) -> Sides:
    return x, m.number(9)


@chapter.inequality("refuted", lemma("refuted"), over={"x": Real(0, 9)}, **FALSE)
def refuted(m: Vocabulary, x: Number) -> Sides:
    return x, m.number(1)


@chapter.identity("equal", lemma("equal"), over={"x": Real(0, 9)}, expect=Verdict.PROVED)
def equal(m: Vocabulary, x: Number) -> Sides:
    return x + x, 2 * x


# -- other verdicts than the expected ones --------------------------------------------------------------------------


@chapter.inequality("wrong", lemma("wrong"), over={"x": Real(0, 9)}, expect=Verdict.PROVED)
def wrong(m: Vocabulary, x: Number) -> Sides:
    return x, m.number(1)


chapter.add("consistent", lemma("consistent"), Stated("expected to be false"), **FALSE)
chapter.add("idle", lemma("idle"), Stated("expected to be tested"), expect=Verdict.CONSISTENT)

# -- checks that misbehave, and checks that take time ----------------------------------------------------------------

for name in ("raises", "exits", "throws", "interrupts", "kills", "waits", "waits-too", "works", "spoils"):
    chapter.add(name, lemma(name), Stated(f"its check {name}"), expect=Verdict.PROVED)

# -- further claims that `proofs` decides -----------------------------------------------------------------------------

for name in ("told", "told/variant"):
    chapter.add(name, lemma(name), Stated("as its params say"), expect=Verdict.PROVED)
chapter.add("original", lemma("original"), Stated("this object is checked, and no copy of it"), expect=Verdict.PROVED)
for name in ("experiment/1", "experiment/2"):
    experiment = Ordering(REGRET, {"one": (1, 2), "other": (3, 4)}, (("one", "other"),))
    chapter.add(name, lemma(name), experiment, expect=Verdict.PROVED)

# -- claims that other claims or samples decide ------------------------------------------------------------------------

chapter.add(
    "follows", lemma("follows"), Consequence("so it is"), follows=("toy/proved",), by="Theorem 1", expect=Verdict.ARGUED
)


@chapter.private("private", lemma("private"), "pull", "arms", subject=Policy, params=SIZES, expect=Verdict.CONSISTENT)
def private(policy: Policy) -> Gaussian:
    return Gaussian(policy.horizon / 2)


CLAIMS: tuple[Claim, ...] = chapter.claims
