"""A comparison of private policies: its limits, whom it ranks, what it advises, and how it is asked."""

from __future__ import annotations

import csv
import errno
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from dpbandits.audit.cli.command_line import main
from dpbandits.audit.runner import store
from dpbandits.audit.statistics.expectation import mean_limits_by_staking
from dpbandits.extensions.comparison import candidates as c
from dpbandits.extensions.comparison import document as d
from dpbandits.extensions.comparison.asking import (
    IN_TURNS,
    Question,
    advised,
    certified_orders,
    compare_policies,
    families,
    in_turns,
)
from dpbandits.extensions.comparison.candidates import audited_entrant, own_entrant, stored_document, verdict_of
from dpbandits.extensions.comparison.words import comparison_text, mean_with_interval
from dpbandits.extensions.thompson.least_noise import QUICK_ORDERS
from dpbandits.extensions.thompson.potential import static_moments
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.reference.bandits.policy import Pulls
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Finding, Verdict
from dpbandits.reference.claims.offers import Offer, OutOfReach, Wanted, promised_eps_at
from dpbandits.reference.curves import Approximate, Gaussian, derived

SCHEMA = json.loads((Path(__file__).parents[3] / "extensions/comparison/comparison.schema.json").read_text("utf-8"))
WANTED = Wanted(2, 39, 1.0, 1e-6)


# -- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mean", [0.3, 0.8])
def test_limits_by_one_stake_hold_exactly(mean: float) -> None:
    """Over all results of five throws of a coin, one of which chooses the stakes."""
    level, missed = 0.2, [0.0, 0.0]
    for values in product([0.0, 1.0], repeat=5):
        chance = float(np.prod([mean if value else 1 - mean for value in values]))
        found = mean_limits_by_staking(np.array(values), 0.0, 1.0, level)
        missed[0] += chance * (found.low > mean)
        missed[1] += chance * (found.high < mean)
    assert max(missed) <= level
    assert sum(missed) > 0, "they would say nothing"


def test_limits_gain_where_values_vary_little() -> None:
    values = 300 + np.linspace(-10, 10, 400)
    found = mean_limits_by_staking(np.random.default_rng(0).permutation(values), 0.0, 1000.0, 1e-4)
    assert found.low > 280
    assert found.high < 330


# -- whom it ranks ---------------------------------------------------------------------------------------------------


def by_name(name: str) -> tuple[Any, Offer]:
    return next((page, offer) for page, offer in c.offered() if offer.name == name)


def with_verdict(claim: str, **changed: Any) -> Mapping[str, Any]:
    document = stored_document()
    return document | {"findings": [each | changed if each["id"] == claim else each for each in document["findings"]]}


def test_a_refuted_promise_is_never_played() -> None:
    page, offer = by_name("AdaP-UCB")
    assert c.entrant(page, offer, WANTED, stored_document()).candidate.standing == d.RANKED
    found = c.entrant(page, offer, WANTED, with_verdict(offer.claim, verdict="REFUTED"))
    assert (found.candidate.standing, found.policy) == (d.REFUTED, None)
    assert "REFUTED" in found.candidate.why


@pytest.mark.parametrize("changed", [{"verdict": "CONSISTENT"}, {"statement": "something else"}, {"id": "gone"}])
def test_what_is_not_established_is_played_and_not_ranked(changed: dict[str, str]) -> None:
    page, offer = by_name("AdaP-UCB")
    found = c.entrant(page, offer, WANTED, with_verdict(offer.claim, **changed))
    assert found.candidate.standing == d.OPEN
    assert found.policy is not None


def test_who_cannot_reach_the_privacy_says_so() -> None:
    for name in ("Thompson sampling by Theorem 3", "DP-TS-UCB", "TS, pre-pulls and variance by Theorem 4"):
        found = c.entrant(*by_name(name), WANTED, stored_document())
        assert (found.candidate.standing, found.policy) == (d.UNREACHABLE, None)
        assert found.candidate.why.endswith(".")
    with pytest.raises(OutOfReach, match=r"Normal samples are not eps-DP for delta = 0\."):
        by_name("TS, variance by the potential")[1].make(WANTED._replace(delta=0.0))


def test_pure_privacy_can_be_asked_for() -> None:
    """No offer fails at delta = 0: whoever adds normal noise is out of reach, the others are ranked."""
    pure = WANTED._replace(delta=0.0)
    standings = {offer.name: c.entrant(page, offer, pure, stored_document()).candidate for page, offer in c.offered()}
    assert standings["Lazy-DP-TS"].standing == d.RANKED
    for name in ("Thompson sampling by the potential", "Thompson sampling by Theorem 3", "DP-TS-UCB"):
        assert standings[name].standing == d.UNREACHABLE
    assert "at delta = 0 it gives no finite eps" in standings["Thompson sampling by the potential"].why


def test_our_bound_stands_aside_where_theorem_4_asks_for_less() -> None:
    """At an eps for which the potential would need orders beyond its largest."""
    found = c.entrant(*by_name("TS, variance by the potential"), Wanted(2, 4, 0.01, 1e-11), stored_document())
    assert found.candidate.standing == d.UNREACHABLE
    assert (
        "For these parameters the bound by the static potential needs more variance than Theorem 4. The policy"
        in found.candidate.why
    )


def test_every_promise_that_is_offered_is_kept_and_says_what_it_said() -> None:
    """One that does not is no error, and ranks nobody: `make compare` keeps it anew."""
    names = [offer.name for _, offer in c.offered()]
    assert len({*names}) == len(names) > 12
    for _, offer in c.offered():
        if offer.claim:
            claim = ledger().by_id[offer.claim]
            assert verdict_of(claim, stored_document()).verdict in ("ARGUED", "PROVED", "REFUTED"), offer.claim
            if offer.curve is None:
                assert claim.says.relation == c.RELATION  # type: ignore[union-attr]


@pytest.mark.thorough
def test_what_our_bound_promises_is_what_its_claim_says() -> None:
    """And no other bound's, however small: its claim is the one that is shown."""
    asked = Wanted(2, 100, 0.5, 0.3)
    page, offer = by_name("TS, pre-pulls and variance by the potential")
    promise = c.entrant(page, offer, asked, stored_document()).candidate.promise
    policy = offer.make(asked)
    sampler = Sampler(asked.horizon, asked.arms, policy.prepulls, policy.variance)
    sides = [static_moments(sampler, side, QUICK_ORDERS).eps(asked.delta) for side in ("right", "left")]
    assert promise
    assert (promise.claim, promise.eps) == ("ou24/theorem-3/law/potential/modified", pytest.approx(max(sides)))


def test_the_least_eps_of_a_curve() -> None:
    assert derived.guarantee_name(Approximate(2.0, 0.999999999)) == "(2, 0.999999999)-DP"
    for curve in (Gaussian(1.3), Approximate(2.0, 1e-6)):
        found = promised_eps_at(curve, 1e-6)
        assert float(curve.delta_at(found)) <= 1e-6 < float(curve.delta_at(found - 1e-6))
    assert promised_eps_at(Gaussian(1.0), 0.0) == promised_eps_at(Approximate(1.0, 1e-300), 0.0) == float("inf")
    assert promised_eps_at(Approximate(1.0), 0.0) == 1.0


# -- what it advises -------------------------------------------------------------------------------------------------

FAMILIES = families(3)[:2]


def candidate(name: str, standing: str = d.RANKED) -> d.Candidate:
    return replace(IN_TURNS, name=name, standing=standing)


def advice(costs: Mapping[str, tuple[float, float]], width: float = 1.0, **standing: str) -> d.Advice:
    """The advice where each of these costs so much, up to `width`, on two families; arms in turns cost 100."""
    costs = {IN_TURNS.name: (100.0, 100.0), **costs}
    rows = [
        d.Measured(name, family.name, d.OF_REGRET, cost, cost - width, cost + width, 1000.0)
        for name, each in costs.items()
        for family, cost in zip(FAMILIES, each, strict=True)
    ]
    known = [candidate(name, standing.get(name, d.RANKED)) for name in costs if name != IN_TURNS.name]
    return advised(40, 0.01, FAMILIES, [IN_TURNS, *known], certified_orders(rows))


def test_a_certified_order_is_advised_on() -> None:
    found = advice({"a": (10, 10), "b": (20, 30)})
    assert (found.policy, found.ties) == ("a", ())
    assert found.sentence.startswith("Use a: ")
    assert "in turns" not in found.sentence
    assert f"On {FAMILIES[1].name} it is not certified" in advice({"a": (10, 99), "b": (20, 130)}).sentence


def test_a_difference_that_is_not_certified_is_not_advised_on() -> None:
    found = advice({"a": (10, 10), "b": (11, 11.5)})
    assert (found.policy, found.ties) == ("", ("a", "b"))
    assert "With 40 runs of each policy, these are tied" in found.sentence
    assert any(
        "with error probability 0.01, for a number of runs fixed in advance" in each for each in found.conditions
    )


def test_nobody_is_advised_on_a_promise_that_does_not_hold() -> None:
    for standing in (d.REFUTED, d.OPEN, d.BASELINE, d.UNREACHABLE, d.APART):
        found = advice({"a": (1, 1), "b": (20, 30)}, a=standing)
        assert found.policy == "b"
        assert "a" not in found.ties


def test_a_tie_is_among_those_who_beat_arms_in_turns() -> None:
    """And what is not told from the best one only because its limits are wide is not offered beside it."""
    rows = advice({"a": (5, 5), "b": (60, 60)}, width=45.0)
    assert (rows.policy, rows.ties) == ("", ("a",))
    assert rows.sentence.endswith("in 40 runs of each, not certified to have less regret than b on any.")


def test_what_costs_as_much_as_arms_in_turns_is_not_advised() -> None:
    for cost in (100.0, 300.0):
        found = advice({"a": (cost, cost)})
        assert found.policy == ""
        assert found.sentence.startswith("In 40 runs of each, no private policy")
        assert "use more runs" in found.sentence


def test_each_family_may_have_its_own() -> None:
    found = advice({"a": (10, 50), "b": (50, 10)})
    assert found.policy == ""
    assert "depends on the arms" in found.sentence


def test_nobody_keeps_it() -> None:
    assert "No policy has an established guarantee for this privacy" in advice({"a": (1, 1)}, a=d.UNREACHABLE).sentence


def test_arms_in_turns_cost_what_they_cost() -> None:
    """7 rounds of 3 arms: the first one is pulled three times."""
    found = in_turns(d.Family("f", (0.5, 0.7, 0.9)), 7)
    assert found.mean == pytest.approx(3 * 0.4 + 2 * 0.2)


# -- a whole one -----------------------------------------------------------------------------------------------------


def numbers(*names: str) -> list[int]:
    return [place for place, (_, offer) in enumerate(c.offered()) if offer.name in names]


# Sections of a comparison that only some comparisons have.
OF_SOME = ("Best-arm identification: error probability", "Policies that are never recommended:")


def test_a_comparison_is_valid_and_the_same_for_any_jobs() -> None:
    asked = Question(2, 200, 4.0, 0.0, (0.1, 0.9), runs=40)
    found = compare_policies(
        asked, offers=numbers("UCB1", "AdaP-UCB", "DP-SE", "Sequential Halving", "Thompson sampling by Theorem 3")
    )
    document = json.loads(d.comparisons_json([found]))
    jsonschema.validate(document, SCHEMA)
    assert document["comparisons"][0] == json.loads(json.dumps(asdict(found)))
    assert {each.name: each.standing for each in found.candidates} == {
        "arms in turns": d.BASELINE,
        "Thompson sampling by Theorem 3": d.UNREACHABLE,
        "DP-SE": d.RANKED,
        "AdaP-UCB": d.RANKED,
        "UCB1": d.BASELINE,
        "Sequential Halving": d.APART,
    }
    assert found.advice.policy == "AdaP-UCB"
    assert any((one.better, one.worse) == ("AdaP-UCB", "arms in turns") for one in found.orders)
    rows = list(csv.DictReader(d.comparisons_csv([found]).splitlines()))
    assert len(rows) == len(found.candidates)
    _, advice, *_ = comparison_text(found).split("\n\n")  # before the tables
    words = " ".join(advice.split())
    assert words.startswith("Use AdaP-UCB: ")
    promise = next(each.promise for each in found.candidates if each.name == "AdaP-UCB")
    rests_on = ", ".join(promise.rests_on)
    assert promise.verdict == "ARGUED"
    assert f"Its privacy guarantee, {promise.words}: ARGUED only ({rests_on}); read as it was submitted." in words
    assert " ".join(comparison_text(found).split()).count("read as it was submitted") == 1
    assert all(section in comparison_text(found) for section in OF_SOME)


@pytest.mark.thorough
def test_jobs_change_nothing() -> None:
    asked = Question(2, 200, 4.0, 1e-6, runs=20)
    some = numbers("UCB1", "AdaP-UCB", "DP-SE")
    assert compare_policies(asked, jobs=2, offers=some) == compare_policies(asked, jobs=1, offers=some)


@dataclass(frozen=True)
class Greedy:
    """The arm with the largest sum so far, in the clear, ties broken at random; it claims eps = 1."""

    arms: int
    horizon: int
    eps: float = 1.0

    def init(self, trials: int) -> Any:
        return (np.zeros((trials, self.arms)),)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return Pulls.one((state[0] + 1e-9 * noise.uniform("ties", t, (self.arms,))).argmax(axis=1), self.arms)

    def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
        return (state[0] + sums - 0.5 * pulls.counts,)


@pytest.mark.parametrize(
    ("verdict", "claimed", "standing"),
    [(Verdict.REFUTED, 1.0, d.REFUTED), (Verdict.CONSISTENT, 1.0, d.OPEN), (Verdict.CONSISTENT, 2.0, d.UNREACHABLE)],
)
def test_where_an_own_policy_stands(verdict: Verdict, claimed: float, standing: str) -> None:
    policy = Greedy(WANTED.arms, WANTED.horizon, eps=claimed)
    found = audited_entrant("Greedy", policy, Approximate(claimed, 0.0), WANTED, Finding("own", verdict, "seen"))
    assert found.candidate.standing == standing
    assert (found.policy is not None) == (standing == d.OPEN)
    assert found.candidate.audit.endswith("seen")


@pytest.mark.thorough
def test_an_own_policy_that_claims_too_much_is_refuted() -> None:
    found = own_entrant("Greedy", Greedy, WANTED, 0)
    assert (found.candidate.standing, found.policy) == (d.REFUTED, None)
    assert found.candidate.audit.startswith("REFUTED")


@pytest.mark.thorough
def test_an_own_policy_that_is_not_refuted_is_not_established() -> None:
    modest = own_entrant("Greedy", lambda **shape: Greedy(**shape, eps=40.0), WANTED._replace(eps=50.0), 0)
    assert modest.candidate.standing == d.OPEN


def test_an_own_policy_has_to_claim_something() -> None:
    with pytest.raises(ValueError, match="the attribute eps"):
        own_entrant("Greedy", lambda **shape: Greedy(**shape, eps=None), WANTED, 0)  # type: ignore[arg-type]


# -- how it is asked -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--arms 5 --horizon 4 --eps 1 --pure", "horizon is 4, less than the number of arms, 5"),
        ("--arms 2 --horizon 9 --eps 1 --pure --means 0.5,1.5", "mean 2 is 1.5; rewards are 0 or 1"),
        ("--arms 2 --horizon 9 --eps 1 --pure --means 0.5,nan", "mean 2 is nan"),
        (
            "--arms 2 --horizon 9 --eps 1 --pure --means 0.5,x",
            ": mean 2 is 'x', which is not a number; write, for example",
        ),
        (
            "--arms 3 --horizon 9 --eps 1 --pure --means 0.5,0.6",
            "--means has length 2, but arms = 3; give one mean for each arm",
        ),
        ("--arms 2 --horizon 9 --eps 1 --pure --means 0.5,0.5", "all means are 0.5"),
        ("--arms 2 --horizon 9 --eps 0 --pure", "0.0 is not in the range x>0"),
        ("--arms 2 --horizon 9 --eps inf --pure", "eps is inf; it must be a finite number above 0"),
        ("--arms 2 --horizon 9 --eps nan --pure", "nan"),
        ("--arms 2 --horizon 9 --eps 1e7 --pure", "eps is 1e+07; it must be at most 1e+06"),
        ("--arms 2 --horizon 9 --eps 1 --delta 1", "1.0 is not in the range 0<x<1"),
        ("--arms 2 --horizon 9 --eps 1 --delta -1", "-1.0 is not in the range 0<x<1"),
        ("--arms 2 --horizon 9 --eps 1 --delta 0", "0.0 is not in the range 0<x<1"),
        ("--arms 2 --horizon 9 --eps 1 --delta nan", "Invalid value for '--delta': 'nan' is not a number"),
        ("--arms 2 --horizon 9 --eps 1 --delta 1e-13", "it must be 0 or at least 1e-12"),
        ("--arms 2 --horizon 9 --eps 1", "give --delta with a number above 0, or --pure"),
        ("--arms 2 --horizon 9 --eps 1 --delta 0.1 --pure", "give --delta with a number above 0, or --pure"),
        ("--arms 2 --horizon 9 --eps 1 --pure --python nothing.py:No", "there is no file 'nothing.py'"),
    ],
)
def test_bad_questions_are_refused_in_words(words: str, said: str) -> None:
    done = CliRunner().invoke(main, ["compare", *words.split()])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_the_command_writes_what_is_asked_and_nothing_over_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = compare_policies(Question(2, 60, 4.0, 0.0, (0.1, 0.9), runs=20), offers=numbers("UCB1", "AdaP-UCB"))
    monkeypatch.setattr("dpbandits.extensions.comparison.asking.compare_policies", lambda *asked, heard: found)
    files = {name: tmp_path / f"found.{name}" for name in ("html", "picture", "csv", "json")}
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    words = ["compare", *["--arms", "2", "--horizon", "60", "--eps", "4", "--pure", "--means", "0.1,0.9"], *options]
    for _ in range(2):  # the second run replaces what is ours
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        assert not any(section in done.output for section in OF_SOME)
    assert json.loads(files["json"].read_text("utf-8")) == json.loads(d.comparisons_json([found]))
    assert all(file.stat().st_size > 100 for file in files.values())
    no_room = OSError(errno.EROFS, "Read-only file system")
    with monkeypatch.context() as patched:
        patched.setattr(store, "TemporaryFile", Mock(side_effect=no_room))
        patched.setattr(
            "dpbandits.extensions.comparison.asking.compare_policies", Mock(side_effect=AssertionError("played"))
        )
        done = CliRunner().invoke(main, words)
    assert (done.exit_code, "Read-only file system" in done.output) == (2, True)
    files["csv"].write_text("mine")
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "exists already, and this command did not write it" in done.output


def test_a_comparison_says_what_its_promises_were_read_in() -> None:
    ((page, offer),) = [each for each in c.offered() if each[1].claim == "tossou18/theorem-2/privacy"]
    quoted = c.entrant(page, offer, Wanted(arms=2, horizon=1000, eps=1.0, delta=1e-6), stored_document()).candidate
    assert quoted.promise is not None
    assert quoted.promise.reading == "as quoted elsewhere"
    assert quoted.paper_read == f"as quoted in {ledger().by_id[quoted.promise.claim].source.seen_in}"
    assert quoted.why.startswith("Its promise, as quoted, is false: ")


def test_a_cost_that_is_known_exactly_has_no_interval() -> None:
    measured = d.Measured("UCB1", "easy", d.OF_REGRET, 31.0, 29.2, 33.4, 1000.0)
    assert mean_with_interval(measured) == "31 [29, 33]"
    assert mean_with_interval(replace(measured, low=31.0, high=31.0)) == "31"


@pytest.mark.parametrize(
    ("field", "last", "beyond"),
    [
        ("arms", 2, 1),
        ("arms", 100, 101),
        ("horizon", 10**7, 10**7 + 1),
        ("horizon", 3, 2),
        ("runs", 20, 19),
        ("runs", 100_000, 100_001),
        ("seed", 0, -1),
        ("seed", 2**64 - 1, 2**64),
        ("eps", 1e6, 1000001.0),
        ("eps", 5e-324, 0.0),
        ("delta", 1e-12, 0.9e-12),
        ("delta", 0.999, 1.0),
    ],
)
def test_questions_are_asked_up_to_their_limits(field: str, last: Any, beyond: Any) -> None:
    asked = {"arms": 3, "horizon": 1000, "eps": 1.0, "delta": 1e-6}
    assert getattr(Question(**asked | {field: last}), field) == last
    with pytest.raises(ValueError, match=rf"^{field} (is|=) "):
        Question(**asked | {field: beyond})
