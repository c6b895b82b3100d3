"""A page is one paper; its chapters hold the claims, in the order in which they are written down.

    page = Page("hu25", "Connecting Thompson Sampling and UCB", "Hu, Huang, Zhang, Lecuyer, Hegde", "ICML 2025")
    chapter = page.chapter("Appendix A")

    @chapter.inequality("fact-a.1", page.source("Fact A.1", "For any T > e^3, ..."), over={...}, expect=Verdict.PROVED)
    def fact_a_1(m: Vocabulary, log_T: Number, alpha: Number) -> Sides:
        '''For every T > e^3, in log T.'''
        return left, right

Every statement has its parts in the same order: id, source, domain or subject, reading, what is expected, what is wrong
with it, what it follows from, a note; then its parameters, its scope (the docstring), and its two sides, curve or
bound.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from inspect import cleandoc
from typing import Any

from dpbandits.reference.arithmetic.checks import at_least
from dpbandits.reference.arithmetic.vocabulary import Sides
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.quantities import Quantity
from dpbandits.reference.claims.model import (
    AtLeast,
    AtMost,
    Claim,
    Condition,
    Domain,
    Formula,
    Identity,
    Inequality,
    Private,
    Reading,
    Side,
    Source,
    Statement,
)

INSTANCES = 10_000  # of a claim
MAX_CLAIM_ID_LENGTH = 200  # characters of a claim's id: a certificate takes no longer one
Sided = Callable[..., Sides]
Where = tuple[Sided | Condition, ...]  # preconditions: functions with two sides, or pairs of formulas
Decorator = Callable[[Callable[..., Any]], Claim]


@dataclass(frozen=True)
class Page:
    """A paper. key: the first part of its claims' ids. title, authors, venue: as its readers know it. place: the
    whole number, from 1, at which it joined the ledger, and which no other page has; None for a page that did not.
    link: where it can be read. read: what was read in its place, where the printed paper was not at hand. seen_in: the
    secondary source that was read in place of the paper, and unseen: what of the paper was not at hand; both as in
    `Source`, for all sources but those whose numbering begins with one of `originals`, which were read in the original.
    short: its title in a few words, for where many stand side by side. headlines: names of claims that a stranger
    should see first. default_policy: the name of the policy that the key alone stands for, where the page has several.
    """

    key: str
    title: str
    authors: str
    venue: str
    place: int | None = None
    link: str = ""
    read: str = ""
    seen_in: str = ""
    unseen: str = ""
    originals: tuple[str, ...] = ()
    short: str = ""
    headlines: tuple[str, ...] = ()
    default_policy: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError if the page's place in the ledger is less than 1."""
        if self.place is not None:
            at_least(f"the place of the page {self.key}", self.place, 1)

    @property
    def share(self) -> float:
        """The page's share of the ledger's error probability: 1/(k (k + 1)) at place k.
        The shares of n pages sum to 1 - 1/(n + 1), so the ledger keeps its risk however many pages it has, and a new
        page does not change the share of another one. A page that did not join is a ledger of its own: 1.
        """
        return 1.0 if self.place is None else 1 / (self.place * (self.place + 1))

    @property
    def headline_ids(self) -> tuple[str, ...]:
        """The ids of the claims that a new reader should see first."""
        return tuple(f"{self.key}/{name}" for name in self.headlines)

    def source(self, where: str, quote: str = "", seen_in: str | None = None, statement: str = "") -> Source:
        """The source of a statement. where: its place in the paper, with its number in every printed version.
        quote: the sentence, verbatim; required for a statement read as printed, optional for other readings. seen_in:
        the secondary source that was read, by default the page's own; none for statements read in the original.
        statement: the numbered statement that the sentence is or belongs to, such as "Theorem 7"; may be omitted if
        `where` is exactly that."""
        if seen_in is None:
            seen_in = "" if where.startswith(self.originals) else self.seen_in
        return Source(self.key, where, quote, seen_in, self.unseen if seen_in else "", statement)

    def chapter(self, name: str) -> Chapter:
        """An empty chapter."""
        return Chapter(self, name)


@dataclass(frozen=True)
class Chapter:
    """A section or an appendix, and its claims."""

    page: Page
    name: str
    made: list[Claim] = field(default_factory=list, repr=False, compare=False)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that have been added so far."""
        return tuple(self.made)

    def add(self, name: str, source: Source, says: Statement, **beats: Any) -> Claim:
        """Adds a claim whose statement is no formula of its own: an experiment's ordering, a consequence, words.

        beats: the other fields of Claim. Raises ValueError for a name that occurs twice in the chapter, cannot be
        printed, or makes the id too long; for too many instances; for a statement read as printed without a quote, or
        in a secondary source; and for a statement read as quoted elsewhere without a secondary source.
        """
        if not name.isprintable():
            raise ValueError(
                f"a claim of {self.page.key} has the name {name!r}; names must consist of printable characters"
            )
        if (long := len(f"{self.page.key}/{name}")) > MAX_CLAIM_ID_LENGTH:
            raise ValueError(
                f"{self.page.key}/{name[:40]}...: this id has {long} characters; use at most {MAX_CLAIM_ID_LENGTH}"
            )
        if (many := len((*beats.get("params", ()), *beats.get("more_params", ())))) > INSTANCES:
            raise ValueError(
                f"{self.page.key}/{name} has {many} instances; give at most {INSTANCES}, and choose the most "
                "informative ones, because each takes a share of the error probability and a row in the "
                "report"
            )
        claim = Claim(f"{self.page.key}/{name}", source, says, **beats | {"section": self.name})
        require_source_of_reading(claim)
        if any(each.id == claim.id for each in self.made):
            raise ValueError(
                f"two claims of {self.page.key} have the name {name!r}; rename one, because names must be unique"
            )
        self.made.append(claim)
        return claim

    def take(self, *claims: Claim) -> None:
        """take(claim, ...): adds existing claims to the chapter, with their ids, sources and statements."""
        for claim in claims:
            self.add(claim.id.partition("/")[2], **{each.name: getattr(claim, each.name) for each in fields(claim)[1:]})

    def inequality(
        self,
        name: str,
        source: Source,
        over: Domain,
        of: Formula | None = None,
        where: Where = (),
        strict: bool = False,
        **beats: Any,
    ) -> Decorator:
        """Adds the claim that the first of the function's two sides is at most the second, over the domain.
        strict: less than. where: the claim is about points at which the first side of every condition is at most its
        second. of: a quantity that several statements bound; then the function returns the bound alone."""

        def says(sides: Callable[..., Any]) -> Inequality:
            """The inequality whose left and right sides are the two values that the function `sides` returns."""
            left, right = (Side(sides, 0), Side(sides, 1)) if of is None else (of, sides)
            return Inequality(left, right, over, conditions(where), strict)

        return self.claiming(name, source, says, **beats)

    def identity(
        self,
        name: str,
        source: Source,
        over: Domain,
        within: float = 0.0,
        where: Where = (),
        **beats: Any,
    ) -> Decorator:
        """Adds the claim that the function's two sides are equal, up to `within`, over the domain."""

        def says(sides: Sided) -> Identity:
            """The identity whose left and right sides are the two values that the function `sides` returns."""
            return Identity(Side(sides, 0), Side(sides, 1), over, within, conditions(where))

        return self.claiming(name, source, says, **beats)

    def private(
        self,
        name: str,
        source: Source,
        relation: str,
        view: str,
        pairs: Callable[[Any], Sequence[Pair]] | None = None,
        **beats: Any,
    ) -> Decorator:
        """Adds the claim that the subject satisfies the privacy curve that the decorated function returns.
        The function returns None if a precondition is false. pairs: hints at revealing neighbours, as in `Private`."""
        return self.claiming(name, source, lambda curve: Private(relation, view, curve, pairs), **beats)

    def at_most(self, name: str, source: Source, quantity: Quantity, **beats: Any) -> Decorator:
        """Adds the claim that the expectation of a quantity has the upper bound that the function returns.
        The function is called with (policy, environment)."""
        return self.claiming(name, source, partial(AtMost, quantity), **beats)

    def at_least(self, name: str, source: Source, quantity: Quantity, **beats: Any) -> Decorator:
        """Adds the claim that the expectation of a quantity has the lower bound that the function returns.
        The function is called with (policy, environment)."""
        return self.claiming(name, source, partial(AtLeast, quantity), **beats)

    def claiming(self, name: str, source: Source, says: Callable[[Any], Statement], **beats: Any) -> Decorator:
        """A decorator that adds the claim that a function makes.
        says: makes the claim's statement from the function."""

        def decorate(stated: Callable[..., Any]) -> Claim:
            """Adds the claim that the decorated function makes, and returns it."""
            return self.add(name, source, says(stated), scope=scope_of(stated), **beats)

        return decorate


def require_source_of_reading(claim: Claim) -> None:
    """Raises ValueError if the claim's source lacks something that its reading requires."""
    source = claim.source
    if claim.reading in (Reading.PRINTED, Reading.STEP) and not source.quote:
        read = "as printed" if claim.reading is Reading.PRINTED else "as one step of a sentence"
        raise ValueError(
            f"{claim.id} has the reading {read!r}, which requires a quoted sentence, but its source quotes none; "
            f"quote the printed sentence (page.source({source.where!r}, '...')), or give another reading, such as "
            "reading=Reading.OURS"
        )
    if claim.reading is Reading.PRINTED and source.seen_in:
        raise ValueError(
            f"{claim.id} is read as printed, but its source has seen_in={source.seen_in!r}, a secondary "
            "source; give reading=Reading.QUOTED, or omit seen_in if you read the sentence in the paper "
            "itself"
        )
    if claim.reading is Reading.QUOTED and not source.seen_in:
        raise ValueError(
            f"the reading of {claim.id} is 'quoted elsewhere', but its source does not name the work that quotes it; "
            "pass seen_in= to page.source or to Page"
        )


def conditions(where: Where) -> tuple[Condition, ...]:
    """Preconditions as pairs of formulas (left, right), each of which means left <= right."""
    return tuple((Side(each, 0), Side(each, 1)) if callable(each) else each for each in where)


def scope_of(function: Callable[..., Any]) -> str:
    """The function's docstring on one line, which states the scope of its claim.
    Raises RuntimeError if Python was started without docstrings."""
    if sys.flags.optimize > 1:
        raise RuntimeError(
            "Python runs without docstrings (-OO), but the scopes of claims are docstrings; unset "
            "PYTHONOPTIMIZE=2, or run python without -OO"
        )
    return " ".join(cleandoc(function.__doc__ or "").split())
