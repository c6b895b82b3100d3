"""The trials of a long instance are judged in blocks, by whoever is free: what they find together is what one judge
finds, byte for byte, and what is kept of them counts once, or is judged again where it is none of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from dpbandits.audit.effort import QUICK
from dpbandits.audit.play import pieces
from dpbandits.audit.play.forms import NUMBERS, PAIR
from dpbandits.audit.play.pieces import Form
from dpbandits.audit.privacy import samples
from dpbandits.audit.run import cases, divided
from dpbandits.audit.run.dispatch import judge
from dpbandits.audit.run.documents import serialised
from dpbandits.audit.run.plan import Plan
from dpbandits.audit.run.shards import Shard, dealt
from dpbandits.audit.scores import samples as scores
from dpbandits.audit.scores.values import Undeclared
from dpbandits.audit.search.pairs import candidates
from dpbandits.reference.curves import Approximate
from dpbandits.reference.ledger import Claim, Fault, Finding, Harm, Reading, Source, Verdict
from dpbandits.reference.library import Ledger, ledger
from dpbandits.reference.neighbours import Pair, flipped

TINY = replace(QUICK, name="tiny", trials=160, steps=2_700)
T = 9
LONG = {"arms": 2, "horizon": T, "alpha": 0.0}  # whose trials have blocks, with the size below
SIZE = 160 * T * (2 + samples.MORE) / 3
WRONG = {"reading": Reading.OURS, "expect": Verdict.REFUTED, "fault": Fault.FALSE, "harm": Harm.NONE}
DRAWN, MEANS = (ledger().by_id[name] for name in ("hu25/theorem-4.4/samples", "tao22/theorem-3/means"))


def claim(name: str, of: Claim, *params: dict[str, Any], **fields: Any) -> Claim:
    """The ledger's own functions: what a test defines has no fingerprint, and would be judged afresh each time."""
    given = {"subject": of.subject, "expect": Verdict.CONSISTENT, **fields}
    return Claim(f"toy/{name}", Source("toy", name, ""), of.says, params=params, **given)


TOYS = (
    claim("drawn", DRAWN, {"arms": 2, "horizon": 3, "alpha": 0.0}, LONG),
    claim("means", MEANS, {**MEANS.params[0], "horizon": 200}),
)
EVERY = Ledger.of(TOYS)
PLAN = Plan(EVERY, TINY, 0)
# A piece for every instance, and three blocks for either side of those that are long.
OWNERS = {"toy/drawn": [0, 1, *6 * [1]], "toy/means": [0, *6 * [0]]}
ALL = sorted((name, number) for name, owners in OWNERS.items() for number in range(len(owners)))


@pytest.fixture(scope="module", autouse=True)
def small_batches() -> Iterator[None]:
    """So that few trials are many batches, no block is empty, and a search is short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scores, "NUMBERS", 110)
        patch.setattr(samples, "LEAST", 160)
        patch.setattr(samples, "rows_between", lambda *given: ([], ""))
        patch.setattr(samples, "candidates", cache(lambda policy, relation: candidates(policy, relation)[:3]))
        yield


@pytest.fixture(scope="module")
def one() -> dict[str, Any]:
    """What a run finds that divides nothing."""
    return cases.audit(TOYS, TINY, ledger=EVERY)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Everything is divided; the pieces that the judge was asked for."""
    every: list[tuple[str, int]] = []

    def noting(claim: Claim, run: Any, subject: Any = None) -> Finding:
        what = pieces.ASKED.get()
        if isinstance(what, int):
            every.append((claim.id, what))
        return judge(claim, run, subject)

    monkeypatch.setattr(divided, "LONG", 0.0)
    monkeypatch.setattr(samples, "BLOCK", SIZE)
    monkeypatch.setattr(cases, "judge", noting)
    return every


def test_these_claims_have_blocks(asked: list[tuple[str, int]], one: dict[str, Any]) -> None:
    """Else the tests below would compare little."""
    groups = {each.id: [each] for each in TOYS}
    assert divided.counted(groups, PLAN, judge) == OWNERS
    assert one["errors"] == []
    assert [found["verdict"] for found in one["findings"]] == ["NOT_EXERCISED", "CONSISTENT"]
    assert {item["kind"] for found in one["findings"] for item in found["evidence"]} == {"tradeoff", "profile", "table"}


def test_in_blocks_the_findings_are_the_same(asked: list[tuple[str, int]], one: dict[str, Any], tmp_path: Path) -> None:
    assert serialised(cases.document(TOYS, PLAN, folder=tmp_path)[0]) == serialised(one)
    assert sorted(asked) == ALL
    assert sorted(path.name for path in tmp_path.iterdir()) == ["toy__drawn.json", "toy__means.json"]
    asked.clear()
    assert cases.document(TOYS, PLAN)[0] == one  # with no folder
    assert sorted(asked) == ALL


def test_a_refutation_of_blocks_carries_its_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    too_much = replace(TOYS[1], says=replace(MEANS.says, curve=lambda policy: Approximate(0.2)), **WRONG)
    alone = cases.audit([too_much], TINY, ledger=Ledger.of([too_much]))
    assert "certificate" in {item["kind"] for item in alone["findings"][0]["evidence"]}
    monkeypatch.setattr(divided, "LONG", 0.0)
    monkeypatch.setattr(samples, "BLOCK", SIZE)
    assert cases.audit([too_much], TINY, ledger=Ledger.of([too_much])) == alone


# -- in any order, anywhere ------------------------------------------------------------------------------------------


def test_shards_share_blocks(asked: list[tuple[str, int]], one: dict[str, Any], tmp_path: Path) -> None:
    """Blocks wait for no shard that has not come yet: whoever comes first does the beginning, once."""
    groups = {each.id: [each] for each in TOYS}
    first = dealt(groups, PLAN, Shard(3, 3), OWNERS).pieces
    assert any(OWNERS[name][number] not in mine for name, mine in first.items() for number in mine)
    parts = [cases.audit_shard(TOYS, TINY, Shard(number, 3), tmp_path, ledger=EVERY) for number in (3, 1, 2)]
    assert sorted(asked) == ALL
    assert [part.document is None for part in parts] == [True, True, False]
    assert parts[2].document == one


def test_an_interrupted_run_keeps_its_blocks(
    asked: list[tuple[str, int]], one: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noting = cases.judge

    def tired(claim: Claim, run: Any, subject: Any = None) -> Finding:
        if isinstance(pieces.ASKED.get(), int) and len(asked) == 4:
            raise KeyboardInterrupt
        return noting(claim, run, subject)

    monkeypatch.setattr(cases, "judge", tired)
    with pytest.raises(KeyboardInterrupt):
        cases.document(TOYS, PLAN, folder=tmp_path)[0]
    assert len(asked) == 4  # a search, an instance, and two blocks
    monkeypatch.setattr(cases, "judge", noting)
    assert cases.document(TOYS, PLAN, folder=tmp_path)[0] == one
    assert sorted(asked) == ALL


# -- what is kept and is none of it ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def came(small_batches: None) -> dict[str, list[divided.Piece]]:
    """All pieces of both claims."""
    found: dict[str, list[divided.Piece]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "BLOCK", SIZE)
        for each in TOYS:
            run, mine = PLAN.run(each), found.setdefault(each.id, [])
            for number, owner in enumerate(OWNERS[each.id]):
                begun = None if owner == number else mine[owner].data
                mine.append(divided.piece_of(each, run, number, judge, begun))
    assert not any(piece.error for mine in found.values() for piece in mine)
    return found


def keep_pieces(folder: Path, came: dict[str, list[divided.Piece]], number: int, data: Any) -> None:
    """They are kept as an earlier run keeps them; one of the first claim has another content, under a right digest."""
    for each in TOYS:
        run = PLAN.run(each)
        path = folder / f"{each.id.replace('/', '__')}.json"
        case = cases.Place(path, cases.fingerprint(each, run, cases.sources()))
        for piece in came[each.id]:
            spoilt = each is TOYS[0] and piece.number == number
            other = data(piece.data) if spoilt and callable(data) else data
            kept = piece._replace(data=other) if spoilt else piece
            divided.keep(kept, divided.place_of(case, piece.number, len(came[each.id])))


GOES_ON, ENDED = pieces.GOES_ON, pieces.ENDED


@pytest.mark.parametrize(
    ("number", "data"),
    [
        (0, {"verdict": "CONSISTENT"}),  # an instance without blocks
        (0, lambda told: {**told, "row": [1, 2]}),
        (0, lambda told: {**told, "certificate": [{"type": "none", "claim": "toy/drawn"}]}),
        (1, [3]),  # a beginning
        (1, {GOES_ON: {"pairs": [], "exact": False, "told": ""}}),
        (1, {ENDED: {}}),
        (4, {GOES_ON: "no numbers"}),  # a block
        (4, {GOES_ON: NUMBERS.write(np.zeros(3))}),  # numbers, and not so many
        (4, {GOES_ON: NUMBERS.write(np.full(55, np.nan))}),
        (4, None),
    ],
)
def test_what_is_no_piece_is_judged_again_though_its_digest_is_right(
    asked: list[tuple[str, int]],
    one: dict[str, Any],
    came: dict[str, list[divided.Piece]],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    number: int,
    data: Any,
) -> None:
    keep_pieces(tmp_path, came, number, data)
    assert cases.document(TOYS, PLAN, folder=tmp_path)[0] == one
    assert number in {of for name, of in asked if name == "toy/drawn"}
    assert Counter(asked).most_common(1)[0][1] == 1  # once
    assert {name for name, _ in asked} == {"toy/drawn"}  # and no other claim
    assert capfd.readouterr().err.count("toy/drawn: what was kept of it is judged again, for it is none of it") == 1
    assert not list(tmp_path.glob("*of*"))


def test_a_block_that_waits_does_a_beginning_again_that_it_cannot_read(
    asked: list[tuple[str, int]],
    one: dict[str, Any],
    came: dict[str, list[divided.Piece]],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    keep_pieces(tmp_path, came, 1, {GOES_ON: [1, 2]})
    for lost in (3, 5, 6):
        (tmp_path / f"toy__drawn.{lost + 1}of8.json").unlink()
    assert cases.document(TOYS, PLAN, folder=tmp_path)[0] == one
    assert Counter(asked) == {("toy/drawn", 1): 1, **{("toy/drawn", number): 2 for number in (3, 5, 6)}}
    assert capfd.readouterr().err.count("judged again") == 1


def test_an_error_of_a_block_is_one_of_its_claim_and_costs_nothing_else(
    asked: list[tuple[str, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    right = samples.scores_of_part

    def dies(*given: Any) -> Any:
        if given[2] == 1 and given[5:] == (1, 3) and given[0].horizon == T:
            raise ZeroDivisionError("a block died")
        return right(*given)

    monkeypatch.setattr(samples, "scores_of_part", dies)
    for times in (1, 2):
        found = cases.document(TOYS, PLAN, folder=tmp_path)[0]
        assert [(each["id"], "a block died" in each["error"]) for each in found["errors"]] == [("toy/drawn", True)]
        assert [each["id"] for each in found["findings"]] == ["toy/means"]
        assert Counter(asked) == {piece: times if piece == ("toy/drawn", 6) else 1 for piece in ALL}
    assert capfd.readouterr().err == ""


def test_what_a_block_finds_undeclared_is_what_the_claim_is_refuted_for(
    asked: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first block's reason counts, in the order in which one judge plays them, however soon another one is done."""
    right, broken = samples.scores_of_part, (4, 2, 5)

    def leaks(*given: Any) -> Any:
        place = 3 * given[2] + given[5]
        if place in broken and given[0].horizon != 3:
            raise Undeclared(f"block {place} moved otherwise")
        return right(*given)

    monkeypatch.setattr(samples, "scores_of_part", leaks)
    toys = [replace(each, **WRONG) for each in TOYS]
    found = cases.audit(toys, TINY, ledger=Ledger.of(toys))
    monkeypatch.setattr(divided, "LONG", np.inf)
    assert found == cases.audit(toys, TINY, ledger=Ledger.of(toys))
    assert [(each["verdict"], "block 2 moved otherwise" in each["summary"]) for each in found["findings"]] == [
        ("REFUTED", True)
    ] * 2


# -- the parts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", [1, 2, 3, 50])
@pytest.mark.parametrize("many", [1, 2])
@pytest.mark.first(6)
def test_all_parts_of_scores_are_the_scores(monkeypatch: pytest.MonkeyPatch, of: int, many: int) -> None:
    monkeypatch.setattr(scores, "NUMBERS", 2 * 7)  # batches of seven runs, so that the pairs' runs stand askew
    policy = DRAWN.subject(**LONG)  # type: ignore[misc]
    pairs = [flipped("pull", np.zeros((2, T)), 0, place, 1.0) for place in range(many)]
    for side in (0, 1):
        whole = scores.scores_of_many(policy, pairs, side, 30, 5)
        parts = [scores.scores_of_part(policy, pairs, side, 30, 5, part, of) for part in range(of)]
        assert np.array_equal(whole, [np.concatenate([part[k] for part in parts]) for k in range(many)])
        assert len(np.unique(whole)) > 15


def test_what_pieces_hand_on_is_exact() -> None:
    values = np.array([0.1, -0.0, 5e-324, 1 / 3, -1e300])
    again = NUMBERS.read(json.loads(json.dumps(NUMBERS.write(values))))
    assert (again.tobytes(), again.dtype) == (values.tobytes(), values.dtype)
    pairs = [
        flipped("pull", np.full((2, 5), 1 / 3), 1, 2, 0.0, [1, 1, 1, 7, 90], -0.5, 1.5),
        Pair("round", np.zeros((2, 3)), np.array([[0, 1, 0], [0, 0.1, 0]])),
    ]
    for pair in pairs:
        same = PAIR.read(json.loads(json.dumps(PAIR.write(pair))))
        assert [same.relation, same.low, same.high] == [pair.relation, pair.low, pair.high]
        for one, other in ((same.left, pair.left), (same.right, pair.right), (same.lengths, pair.lengths)):
            assert np.array_equal(one, other) if one is not None else other is None
    for data in ("no numbers", "AAAA", 3, None):
        with pytest.raises((ValueError, TypeError)):
            NUMBERS.read(data)


class Toy:
    """Work of two pieces, the second of which has four blocks, and ends where it is told to."""

    def __init__(self, ends: str = "") -> None:
        self.ends = ends
        self.log: list[str] = []

    def __call__(self) -> list[Any]:
        return pieces.each([lambda: "short", self.long], partial(json.dumps), json.loads, [0, 4])

    def at(self, place: str, value: int) -> int:
        self.log.append(place)
        if place == self.ends:
            raise ZeroDivisionError(place)
        return value

    def long(self) -> Any:
        form: Form[int] = Form(str, int)
        try:
            begun, came = pieces.in_blocks(lambda: self.at("begin", 7), self.block, 4, form, form)
        except ZeroDivisionError as end:
            return [str(end)]
        return [begun, *came]

    def block(self, begun: int, number: int) -> int:
        return self.at(f"block {number}", begun * 10**number)


def in_pieces(work: Callable[[], Any], seed: int) -> Any:
    """The work, piece by piece: the blocks in some order, after their beginning."""
    owners = pieces.owners(work)
    came: list[Any] = [None] * len(owners)
    for number in (0, 1, *Random(seed).sample(range(2, len(owners)), len(owners) - 2)):
        owner = owners[number]
        if owner == number or not pieces.ended(came[owner]):
            came[number] = json.loads(json.dumps(pieces.one(work, number, came[owner])))
    return pieces.together(work, came)


@pytest.mark.parametrize("ends", ["", "begin", "block 0", "block 2"])
@pytest.mark.parametrize("seed", [0, 1])
def test_blocks_in_any_order_come_to_what_the_work_does(ends: str, seed: int) -> None:
    whole, divided_ = Toy(ends), Toy(ends)
    assert pieces.owners(whole) == [0, 1, 1, 1, 1, 1]
    assert in_pieces(divided_, seed) == whole() == ["short", [ends] if ends else [7, 7, 70, 700, 7000]]
    once = ["begin"] if ends == "begin" else ["begin", *(f"block {k}" for k in range(4))]
    assert Counter(divided_.log) == Counter(once)


def test_what_a_block_is_told_and_cannot_read_is_said() -> None:
    for begun in (None, {}, {GOES_ON: "seven"}, {ENDED: 7}):
        with pytest.raises(pieces.Unread, match="cannot be read"):
            pieces.one(Toy(), 3, begun)
    with pytest.raises(ValueError, match="2 pieces are done, and there are 6"):
        pieces.together(Toy(), ["1", {GOES_ON: "7"}])
