"""The battery of checks: what each says, which page's promises it asks, and how expected failures are told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from dpbandits import QUICK, Approximate, Bernoulli, Check, Finding, Pair, Pulls, Verdict, flipped
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.single_rounds import NoRounds
from dpbandits.extensions.conformance import battery
from dpbandits.extensions.conformance.battery import run_all
from dpbandits.extensions.conformance.battery_checks import (
    BEST_ARM_MEAN,
    guarantees_about,
    is_guarantee_about,
    judge_blocks,
    judge_excess_regret,
    judge_guarantee,
    regrets,
)
from dpbandits.reference.bandits.quantities import REGRET
from dpbandits.reference.claims.ledger import Ledger, ledger
from dpbandits.reference.claims.model import AtMost, Claim, Fault, Private, Source
from dpbandits.reference.papers.chen24 import dp_bai, dp_bai_gauss, dp_od, od_linbai
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling

RUN = Run(replace(QUICK, trials=400), seed=1, level=1e-3)


@dataclass(frozen=True)
class Fixed:
    """Pulls so often of each arm, at once."""

    often: tuple[int, ...]

    @property
    def arms(self) -> int:
        return len(self.often)

    @property
    def horizon(self) -> int:
        return sum(self.often)

    def init(self, trials: int) -> Any:
        return np.zeros(trials)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return Pulls(np.tile(self.often, (len(state), 1)))

    def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
        return state


# -- blocks ------------------------------------------------------------------------------------------------------


class Squares(ThompsonSampling):
    """Adds up the squares of what a step pays: of single rewards 0 and 1 it is the same."""

    def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
        return super().learn(t, state, pulls, sums**2, noise)


class Single(ThompsonSampling):
    """Refuses blocks."""

    def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
        if pulls.counts.max() > 1:
            raise ValueError("one pull at a time")
        return super().learn(t, state, pulls, sums, noise)


def test_who_takes_blocks() -> None:
    found = judge_blocks(ThompsonSampling(2, 5))
    assert (found.verdict, found.claim) == (Verdict.CONSISTENT, "check/blocks")
    found = judge_blocks(Squares(2, 5))
    assert (found.verdict, found.summary) == (Verdict.NOT_APPLICABLE, "learns from single pulls alone, as it may")
    found = judge_blocks(Single(2, 5))
    assert (found.verdict, found.summary) == (Verdict.NOT_APPLICABLE, "no blocks: one pull at a time")


# -- regret ------------------------------------------------------------------------------------------------------


def test_the_regret_of_a_run_by_hand() -> None:
    """Three arms of the means 0.9, 0.5 and 0.1, on which 2 + 3 + 1 pulls cost 3 * 0.4 + 0.8."""
    assert regrets(Fixed((2, 3, 1)), Bernoulli((0.9, 0.5, 0.1)), 0, 4) == pytest.approx([2.0] * 4, rel=1e-12)


@pytest.mark.parametrize(
    ("mine", "verdict"),
    [((0, 0, 8), Verdict.REFUTED), ((8, 0, 0), Verdict.CONSISTENT), ((7, 1, 0), Verdict.CONSISTENT)],
)
def test_regret_is_told_from_the_pages(mine: tuple[int, ...], verdict: Verdict) -> None:
    """Of policies whose regret is certain: r from each of n runs, of which as large a share may be off as Massart's
    inequality allows at half the level, may hang on a mean from r (1 - share) to r + (most - r) share."""
    n, most = 400, 8 * (2 * BEST_ARM_MEAN - 1)
    share = np.sqrt(np.log(2 / 1e-3) / (2 * n))
    own, pages = (
        sum(each * gap for each, gap in zip(often, (0, 0.4, 0.8), strict=True)) for often in (mine, (8, 0, 0))
    )
    finding = judge_excess_regret(Fixed(mine), Fixed((8, 0, 0)), RUN)
    assert finding.verdict is (Verdict.REFUTED if own * (1 - share) > pages + (most - pages) * share else verdict)
    assert finding.verdict is verdict
    told = [float(each) for each in re.findall(r"\d+(?:\.\d+)?", finding.summary.partition("regret of ")[2])]
    if verdict is Verdict.REFUTED:
        wanted = [n, own, own * (1 - share), pages, pages + (most - pages) * share]
        assert told == pytest.approx(wanted, rel=1e-3)
        return
    assert told == pytest.approx([n, own, pages], rel=1e-3)
    caught = re.fullmatch(
        r"an expected regret larger by (\S+) would be detected with probability 0.9", finding.resolution
    )
    assert caught is not None
    # Limits of both, and how far the difference of the means may fall short with probability 0.1 (Hoeffding).
    assert caught[1] == f"{(2 * share + np.sqrt(np.log(10) / n)) * most:.3g}"


def test_a_regret_that_is_within_the_limits_is_no_refutation() -> None:
    """The smallest regret of eight pulls that is refuted, one pull of the last arm after the other."""
    share = np.sqrt(np.log(2 / 1e-3) / (2 * 400))
    for many in range(9):
        finding = judge_excess_regret(Fixed((8 - many, 0, many)), Fixed((8, 0, 0)), RUN)
        assert (finding.verdict is Verdict.REFUTED) == (0.8 * many * (1 - share) > 6.4 * share)


def test_a_regret_that_no_runs_could_certify_is_not_exercised() -> None:
    """From the number of runs on that is CONSISTENT, who only pulls the worst arm is refuted; and what is promised is a
    regret that there can be."""
    best, worst, most = Fixed((8, 0)), Fixed((0, 8)), 8 * (2 * BEST_ARM_MEAN - 1)
    seen = []
    for trials in (1, 10, 15, 16, 20, 60, 400):
        run = replace(RUN, profile=replace(QUICK, trials=trials))
        finding = judge_excess_regret(best, best, run)
        refuted = judge_excess_regret(worst, best, run).verdict is Verdict.REFUTED
        assert finding.verdict is (Verdict.CONSISTENT if refuted else Verdict.NOT_EXERCISED)
        caught = re.match(r"an expected regret larger by (\S+) would|a regret of 6.4 in all runs|$", finding.resolution)
        assert caught is not None
        assert float(caught[1] or 0) <= most
        seen.append((str(finding.verdict), finding.resolution[:4]))
    assert set(seen) == {("NOT_EXERCISED", ""), ("CONSISTENT", "a re"), ("CONSISTENT", "an e")}
    assert judge_excess_regret(worst, worst, RUN).verdict is Verdict.NOT_EXERCISED


# -- expected failures -------------------------------------------------------------------------------------------


def check(name: str, verdict: Verdict) -> Check:
    return Check(name, "", lambda: Finding(name, verdict, ""))


GOOD, BAD = Verdict.CONSISTENT, Verdict.REFUTED


def surprises(checks: Sequence[Check], **expected: str) -> list[bool]:
    return [
        each.surprise for each in run_all(list(checks), {name.replace("_", " "): why for name, why in expected.items()})
    ]


def test_a_failure_is_a_surprise_unless_it_is_expected() -> None:
    some = [check("replay", GOOD), check("regret", BAD), check("blocks", Verdict.NOT_APPLICABLE)]
    assert surprises(some) == [False, True, False]
    assert surprises(some, regret="as it is") == [False, False, False]
    assert surprises(some, replay="it may", regret="as it is") == [True, False, False]
    assert surprises(some, blocks="none") == [False, True, True]
    found = list(run_all(some, {"regret": "as it is"}))
    assert [each.reason for each in found] == ["", "as it is", ""]
    assert [each.finding.verdict for each in found] == [GOOD, BAD, Verdict.NOT_APPLICABLE]


@pytest.mark.parametrize(
    ("verdicts", "surprising"),
    [
        ((GOOD, BAD, GOOD), (False, False, False)),
        ((BAD, BAD, BAD), (False, False, False)),
        ((BAD, GOOD, GOOD), (False, False, False)),
        ((GOOD, GOOD, BAD), (False, False, False)),
        ((GOOD, GOOD, GOOD), (False, False, True)),  # the last one says that none has failed
    ],
)
def test_a_kind_is_expected_to_fail_at_one_size_at_least(
    verdicts: Sequence[Verdict], surprising: Sequence[bool]
) -> None:
    named = [check(f"page law (K = 2, T = {t})", verdict) for t, verdict in enumerate(verdicts)]
    assert tuple(surprises(named, page_law="it has another law")) == surprising
    assert surprises([*named, check("regret", GOOD)], page_law="another law") == [*surprising, False]


def test_a_failure_may_be_expected_at_one_size() -> None:
    named = [check("page law (K = 2)", BAD), check("page law (K = 3)", BAD)]
    found = list(run_all(named, {"page law (K = 3)": "known"}))
    assert [(each.reason, each.surprise) for each in found] == [("", True), ("known", False)]
    found = list(run_all([named[0], check("page law (K = 3)", GOOD)], {"page law (K = 3)": "known"}))
    assert [(each.reason, each.surprise) for each in found] == [("", True), ("known", True)]


def test_what_cannot_be_led_there_is_not_applicable() -> None:
    def judge() -> Finding:
        raise NoRounds("it goes another way")

    (found,) = run_all([Check("replay", "", judge)])
    assert (found.finding.claim, found.finding.verdict) == ("check/replay", Verdict.NOT_APPLICABLE)
    assert found.finding.summary == "it goes another way."


def test_only_a_broken_protocol_ends_the_battery() -> None:
    others = [check("repeats", BAD), check("replay", GOOD)]
    assert len(surprises([check("protocol", BAD), *others])) == 1
    assert len(surprises([check("protocol", GOOD), *others])) == 3


# -- promises ----------------------------------------------------------------------------------------------------


def toy(name: str, relation: str = "pull", view: str = "arms", **other: Any) -> Claim:
    private = Private(relation, view, lambda policy: Approximate(1.0))
    claim = Claim(f"toy/{name}", Source("toy", "here", ""), private, Verdict.CONSISTENT)
    subject: dict[str, Any] = {"subject": ThompsonSampling, "params": ({"arms": 2, "horizon": 3},)}
    return replace(claim, **(subject | other))


def test_which_promises_are_asked_of_a_policy() -> None:
    page = ThompsonSampling(2, 3)
    assert is_guarantee_about(toy("runs"), page)
    assert is_guarantee_about(toy("rounds", "round"), page)
    assert is_guarantee_about(toy("steps", "history"), page)
    for claim in (
        toy("queries", "queries"),
        toy("samples", view="samples"),
        toy("no subject", subject=None),
        toy("of another policy", subject=DPTSUCB, params=({"arms": 2, "horizon": 9, "alpha": 0.5},)),
        toy("fault", fault=next(iter(Fault))),
        toy("regret", says=AtMost(REGRET, lambda policy, arms: 1.0)),
        toy("another's number", says=Private("pull", "arms", lambda policy: Approximate(policy.prepulls))),
    ):
        assert not is_guarantee_about(claim, page), claim.id
    assert is_guarantee_about(toy("of a part", subject=ThompsonSampling), Squares(2, 3)) is False  # no such policy


def test_promises_are_asked_of_policies_with_the_noise_that_they_are_about() -> None:
    """DP-BAI and DP-BAI-Gauss are one class, of which (eps, 0)-DP and (eps, delta)-DP are promised. OD-LinBAI is DP-OD
    without noise."""
    whole = ledger()
    assert isinstance(whole, Ledger)
    for page, wanted in (
        (dp_bai(np.eye(2), 8, 2.0), ["proposition-4.1/arms", "corollary-c.6/arms"]),
        (dp_bai_gauss(np.eye(2), 8, 2.0, 0.2), ["proposition-d.2/repaired/arms"]),
        (dp_od(np.eye(2), 8, 2.0), ["dp-od/arms"]),
        (od_linbai(np.eye(2), 8), []),
    ):
        assert [claim.id for claim in guarantees_about(whole, page)] == [f"chen24/{name}" for name in wanted]


def test_steps_are_asked_where_a_promise_about_the_policy_s_runs_follows_from_them() -> None:
    """Lemma 2 is about a step of Algorithm 1, and Lemma 3 about its runs. Algorithm 2 promises something else of its
    runs, and its steps do not keep Lemma 2: with c = 0.05 they are 3.2-GDP, and not 0.71."""
    whole = ledger()
    assert isinstance(whole, Ledger)
    steps = {}
    for page in (ThompsonSampling(2, 9), ModifiedThompsonSampling(2, 9, variance=0.05)):
        asked = guarantees_about(whole, page)
        assert {claim.source.paper for claim in asked} == {"ou24"}
        steps[type(page)] = [claim.id for claim in asked if battery.relation_of_claim(claim) == "history"]
    assert steps == {ThompsonSampling: ["ou24/lemma-2"], ModifiedThompsonSampling: []}
    assert guarantees_about(whole, Fixed((1, 1))) == []  # type: ignore[arg-type]


def test_promise_and_hints_are_computed_from_the_page_s_policy() -> None:
    """A policy from outside has arms and a horizon, and none of the page's parameters."""
    asked: list[Any] = []

    def hints(page: Any) -> list[Pair]:
        asked.append(page.variance)
        return [flipped("pull", np.zeros((2, 3)), 0, 0, 1.0)]

    says = Private("pull", "arms", lambda page: Approximate(page.variance), hints)
    finding = judge_guarantee(toy("runs", says=says), ModifiedThompsonSampling(2, 3, variance=4.0), Fixed((2, 1)), RUN)
    assert set(asked) == {4.0}
    assert (finding.verdict, "(4, 0)-DP is claimed" in finding.summary) == (Verdict.NOT_EXERCISED, True)
