"""A claim that is judged in pieces comes out as one that is not, byte for byte, whoever does which piece, and when."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbandits.audit.effort import DEEP, QUICK
from dpbandits.audit.play import pieces
from dpbandits.audit.run import cases, divided
from dpbandits.audit.run.costs import Shared, estimated
from dpbandits.audit.run.dispatch import judge
from dpbandits.audit.run.documents import serialised
from dpbandits.audit.run.plan import Plan
from dpbandits.audit.run.selection import selected
from dpbandits.audit.run.shards import Shard, dealt
from dpbandits.reference.environments import Bernoulli
from dpbandits.reference.ledger import (
    Claim,
    Fault,
    Finding,
    Harm,
    Ordering,
    Reading,
    Source,
    Verdict,
)
from dpbandits.reference.library import Ledger, ledger
from dpbandits.reference.papers.auer02 import UCB1
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.quantities import REGRET

TINY = replace(QUICK, name="tiny", trials=2_000, steps=20_000, pair_effort=4, pair_tries=2, regret_runs=40)
SETTINGS = {
    "two arms": (ThompsonSampling(2, 20), Bernoulli((0.75, 0.25))),
    "three arms": (ThompsonSampling(3, 20), Bernoulli((0.75, 0.5, 0.25))),
    "three arms, longer": (ThompsonSampling(3, 30), Bernoulli((0.75, 0.5, 0.25))),
}
WRONG = {"reading": Reading.OURS, "expect": Verdict.REFUTED, "fault": Fault.FALSE, "harm": Harm.NONE}


def claim(name: str, says: Any, **fields: Any) -> Claim:
    return Claim(f"toy/{name}", Source("toy", name, ""), says, **{"expect": Verdict.CONSISTENT, **fields})


# The functions are the ledger's own: what a test defines has no fingerprint, and would be judged afresh each time.
LEMMA_3, THEOREM_1 = ledger().by_id["ou24/lemma-3"].says, ledger().by_id["auer02/theorem-1"].says
HORIZONS = tuple({"arms": 2, "horizon": horizon} for horizon in (2, 3, 4))
PLAYED = tuple({"arms": 2, "horizon": horizon, "environment": Bernoulli((0.9, 0.1))} for horizon in (150, 170, 190))
TOYS = (
    claim("private", LEMMA_3, subject=ThompsonSampling, params=HORIZONS),
    claim(
        "not-private",
        LEMMA_3,
        subject=partial(ThompsonSampling, spread=partial(np.power, 1e-3)),
        params=HORIZONS,
        **WRONG,
    ),
    claim("regret", THEOREM_1, subject=UCB1, params=PLAYED),
    claim("order", Ordering(REGRET, SETTINGS, (("three arms", "three arms, longer"),), 1)),
    claim("same-order", Ordering(REGRET, SETTINGS, (("three arms, longer", "three arms"),), 1), **WRONG),
)
EVERY = Ledger.of(TOYS)
FEW = tuple(each for each in TOYS if each.id != "toy/private" and each.id != "toy/not-private")
PIECES = {"toy/private": 3, "toy/not-private": 3, "toy/regret": 3, "toy/order": 3}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """Everything is divided; what the judge was asked for, claim by claim."""
    every: list[tuple[str, Any]] = []

    def noting(claim: Claim, run: Any, subject: Any = None) -> Finding:
        every.append((claim.id, pieces.ASKED.get()))
        return judge(claim, run, subject)

    monkeypatch.setattr(divided, "LONG", 0.0)
    monkeypatch.setattr(cases, "judge", noting)
    return every


@pytest.fixture(scope="module", params=[pytest.param(TOYS, marks=pytest.mark.thorough), FEW], ids=["all", "few"])
def toys(request: pytest.FixtureRequest) -> tuple[Claim, ...]:
    """All of the claims, or those that are quick."""
    return request.param


@pytest.fixture(scope="module")
def one(toys: tuple[Claim, ...]) -> dict[str, Any]:
    """What a run finds that divides nothing."""
    return cases.audit(toys, TINY, ledger=EVERY)


def numbers(asked: list[tuple[str, Any]]) -> list[tuple[str, int]]:
    return [(name, what) for name, what in asked if isinstance(what, int)]


def pieces_of(claims: tuple[Claim, ...]) -> list[tuple[str, int]]:
    """Every piece of these claims, once."""
    return sorted((each.id, k) for each in claims for k in range(PIECES.get(each.id, 0)))


def test_these_claims_have_verdicts_pictures_and_certificates(toys: tuple[Claim, ...], one: dict[str, Any]) -> None:
    """Else the tests below would compare little."""
    assert one["errors"] == []
    private = toys is TOYS
    assert {found["verdict"] for found in one["findings"]} >= {"CONSISTENT", *(["REFUTED"] if private else [])}
    kinds = {item["kind"] for found in one["findings"] for item in found["evidence"]}
    assert kinds >= {"regret", "lines", *(["certificate", "tradeoff", "table"] if private else [])}


def test_in_pieces_the_findings_are_the_same(
    asked: list[tuple[str, Any]], toys: tuple[Claim, ...], one: dict[str, Any], tmp_path: Path
) -> None:
    assert cases.audit(toys, TINY, ledger=EVERY, out=tmp_path) == one
    assert sorted(numbers(asked)) == pieces_of(toys)
    assert (tmp_path / "findings.json").read_text() == serialised(one)
    assert sorted(path.stem for path in (tmp_path / "cases").iterdir()) == sorted(
        each.id.replace("/", "__") for each in toys
    )
    spent = json.loads((tmp_path / "timings.json").read_text())["profiles"]["tiny"]
    cases.audit(toys, TINY, ledger=EVERY, out=tmp_path)  # reads everything back
    assert json.loads((tmp_path / "timings.json").read_text())["profiles"]["tiny"] == spent
    assert cases.audit(toys, TINY, ledger=EVERY) == one  # with no folder


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_shards_share_the_pieces(
    asked: list[tuple[str, Any]], toys: tuple[Claim, ...], one: dict[str, Any], tmp_path: Path, order: tuple[int, ...]
) -> None:
    parts = [cases.audit_shard(toys, TINY, Shard(number, 3), tmp_path, ledger=EVERY) for number in order]
    done = numbers(asked)
    assert sorted(done) == pieces_of(toys)  # each once
    assert [part.document is None for part in parts] == [True, True, False]
    assert parts[2].document == one


def test_an_interrupted_run_keeps_its_pieces(
    asked: list[tuple[str, Any]],
    toys: tuple[Claim, ...],
    one: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noting = cases.judge

    def tired(claim: Claim, run: Any, subject: Any = None) -> Finding:
        if len(numbers(asked)) == 5:
            raise KeyboardInterrupt
        return noting(claim, run, subject)

    monkeypatch.setattr(cases, "judge", tired)
    with pytest.raises(KeyboardInterrupt):
        cases.audit(toys, TINY, ledger=EVERY, out=tmp_path)
    before = numbers(asked)
    asked.clear()
    monkeypatch.setattr(cases, "judge", noting)
    assert cases.audit(toys, TINY, ledger=EVERY, out=tmp_path) == one
    assert sorted(before + numbers(asked)) == pieces_of(toys)


@pytest.mark.parametrize("damage", ["data", "number", "fingerprint", "other", "text"])
def test_a_damaged_piece_is_done_again(
    asked: list[tuple[str, Any]], one: dict[str, Any], tmp_path: Path, damage: str
) -> None:
    claims = [EVERY.by_id["toy/regret"]]
    group = divided.Group(claims, Plan(EVERY, TINY, 0).run(claims[0]), [0, 1, 2], [], range(3))
    (tmp_path / "cases").mkdir()
    path = tmp_path / "cases" / "toy__regret.json"
    mark = cases.fingerprint(claims[0], group.run, cases.sources())
    for number in range(3):
        piece = divided.piece_of(claims[0], group.run, number, judge)
        assert not piece.error
        divided.keep(piece, divided.place_of(cases.Place(path, mark), number, 3))
    spoilt = path.with_name("toy__regret.2of3.json")
    content = json.loads(spoilt.read_text())
    if damage == "data":
        content["piece"]["data"][4][0] += 1.0
    elif damage == "number":
        content["piece"]["number"] = 2
    elif damage == "fingerprint":
        content["fingerprint"] += " "
    elif damage == "other":
        content = json.loads(path.with_name("toy__regret.1of3.json").read_text())
    spoilt.write_text("{" if damage == "text" else json.dumps(content))
    found = cases.audit(claims, TINY, ledger=EVERY, out=tmp_path)
    assert numbers(asked) == [("toy/regret", 1)]
    assert found["findings"] == [each for each in one["findings"] if each["id"] == "toy/regret"]


def test_a_piece_that_dies_is_an_error_of_its_claims_alone(asked: list[tuple[str, Any]], tmp_path: Path) -> None:
    too_many = {**PLAYED[1], "environment": Bernoulli((0.9, 0.1, 0.1))}
    broken = replace(TOYS[2], id="toy/broken", params=(PLAYED[0], too_many, PLAYED[2]))
    every = Ledger.of((*TOYS[2:], broken))
    found = cases.audit(every.claims, TINY, ledger=every, out=tmp_path)
    assert [error["id"] for error in found["errors"]] == ["toy/broken"]
    assert "the policy has 2 arms, the environment 3" in found["errors"][0]["error"]
    assert len(found["findings"]) == 3
    kept = sorted(path.name for path in (tmp_path / "cases").glob("toy__broken*"))
    assert kept == ["toy__broken.1of3.json", "toy__broken.3of3.json"]  # and the others need not be done again


def test_the_longest_claims_of_deep_are_divided() -> None:
    names = ["hu25/theorem-4.4/sharp", "hu25/figure-5a", "ou24/lemma-3", "ou24/lemma-3/round"]
    plan, claims = Plan(ledger(), DEEP, 0), selected(ledger(), names)
    groups = {cases.experiment(each): [each] for each in claims}
    owners = divided.counted(groups, plan, judge)
    many = {key: len(every) for key, every in owners.items()}
    by_claim = {groups[key][0].id: number for key, number in many.items()}
    assert by_claim.pop("hu25/figure-5a") > 1
    assert by_claim.pop("hu25/theorem-4.4/sharp") > len(ledger().by_id["hu25/theorem-4.4/sharp"].params) + 20  # blocks
    assert by_claim == {name: len(ledger().by_id[name].params) for name in by_claim}
    assert len(by_claim) == 2
    # Four shards get about as much of them each.
    shared = Shared()
    cost = {key: estimated(group[0], plan.run(group[0]), shared) for key, group in groups.items()}
    load = []
    for number in range(1, 5):
        mine = dealt(groups, plan, Shard(number, 4), owners)
        assert set(mine.pieces) == {cases.experiment(each) for each in mine.claims}
        load.append(sum(len(numbers) * cost[key] / many[key] for key, numbers in mine.pieces.items()))
    assert max(load) < 1.2 * min(load)
    assert divided.counted(groups, Plan(ledger(), QUICK, 0), judge) == {}


def test_work_that_is_not_divided_has_one_piece_and_hands_out_none() -> None:
    assert pieces.owners(lambda: 3) == [0]
    with pytest.raises(ValueError, match="piece 2 of work that is not divided"):
        pieces.one(lambda: 3, 2)


def test_a_piece_does_its_own_pieces_and_pieces_of_other_work_are_refused() -> None:
    def inner() -> int:
        return sum(pieces.each([lambda: 1, lambda: 2], str, int))

    def work() -> list[int]:
        return pieces.each([inner, lambda: 5], str, int)

    assert (work(), pieces.owners(work), pieces.one(work, 0), pieces.one(work, 1)) == ([3, 5], [0, 1], "3", "5")
    assert pieces.together(work, ["3", "5"]) == [3, 5]
    with pytest.raises(ValueError, match="3 pieces are done, and there are 2"):
        pieces.together(work, ["3", "5", "7"])
