"""The table of kept curves: its rows are what the engine says, and serve whom they may."""

from __future__ import annotations

import json
from math import inf, isnan
from pathlib import Path
from random import Random
from runpy import run_path

import numpy as np
import pytest

from dpbandits import Sampler, thompson_privacy
from dpbandits.extensions.thompson import answer_words as thompson_words
from dpbandits.extensions.thompson import answers as thompson
from dpbandits.extensions.thompson import curve_table
from dpbandits.extensions.thompson.attack import attack
from dpbandits.extensions.thompson.curve_table import (
    KEPT_DELTAS,
    KeptAttack,
    KeptCurve,
    least_of_rows,
    read_table,
    tabled_attack,
    tabled_bracket,
    tabled_curve,
    tabled_eps,
)
from dpbandits.extensions.thompson.least_noise import potential_eps
from dpbandits.proofs_checks.certificates import verify_any as verify

TABLE = read_table()
TABLING = run_path(str(Path(__file__).parents[3] / "bench/curves/tabling.py"))
DIFFERING = 1.02  # what is kept may lie so far above what is computed now, before the table is to be made anew


def holds(row: KeptCurve) -> bool:
    """Whether the engine of today certifies the row, and says hardly less."""
    now = TABLING["computed_curve"](row.sampler, row.relation)
    ends = [(row.at_zero, now.at_zero), *zip(row.eps, now.eps, strict=True)]
    return all(new <= kept * (1 + 1e-4) + 1e-9 and kept <= new * DIFFERING + 0.01 for kept, new in ends)


@pytest.mark.thorough
def test_a_row_is_what_the_engine_says() -> None:
    (row,) = [one for one in TABLE.curves if one[:2] == (Sampler(100), "round")]
    assert holds(row)


@pytest.mark.thorough
def test_rows_by_chance_are_what_the_engine_says() -> None:
    """Others in every version of the table; the longest take a minute each."""
    some = Random(len(curve_table.TABLE_FILE.read_bytes())).sample(TABLE.curves, 6)
    assert [row for row in some if not holds(row)] == []
    assert not holds(some[0]._replace(eps=tuple(0.999 * eps for eps in some[0].eps)))


def shown(one: KeptAttack) -> float:
    return attack(one.sampler, one.pair, levels=thompson.followed_pull_counts(one.sampler)).eps(one.delta)


def test_a_kept_attack_shows_what_is_kept() -> None:
    (one,) = [one for one in TABLE.attacks if (one.sampler.horizon, one.delta) == (100, 1e-6)]
    assert one.eps <= shown(one) < 1.001 * one.eps


@pytest.mark.thorough
def test_all_kept_attacks_show_what_is_kept() -> None:
    assert len(TABLE.attacks) >= 12
    for one in TABLE.attacks:
        assert one.eps <= shown(one) < 1.001 * one.eps
        bound, far = tabled_eps(one.sampler, "pull", one.delta)[0], 1.1
        if bound == inf:  # longer runs than the table has curves of
            bound, far = potential_eps(one.sampler, one.delta), 1.6
        assert one.eps <= bound < far * one.eps


def test_the_table_is_small_and_written_in_one_way() -> None:
    text = curve_table.TABLE_FILE.read_text("utf-8")
    assert len(text) < 1_000_000
    assert TABLING["table_text"](TABLE) == text
    assert set(TABLE.curves[0]._fields) - {"sampler"} | set(Sampler._fields) == set(json.loads(text)["curves"][0])
    known = [(one.sampler, one.relation) for one in TABLE.curves]
    assert len(set(known)) == len(known)
    assert all(list(row.eps) == sorted(row.eps) and 0 <= row.at_zero <= 1 for row in TABLE.curves)


def test_whom_a_row_serves_it_bounds() -> None:
    """Between any two rows: by what the engine found, and nothing else, up to what its arithmetic loses."""
    rows = TABLE.curves
    pairs = [(one, other) for one in rows for other in rows if one.serves(other.sampler, other.relation)]
    assert len(pairs) > 4 * len(rows)
    for one, other in pairs:
        assert (np.array(one.eps) >= np.array(other.eps) / 1.05 - 0.02).all(), (one[:2], other[:2])


ROW = KeptCurve(Sampler(100, 2, 1, 2.0), "pull", 1.0, ())
ANY = KeptCurve(Sampler(100, None, 1, 2.0), "round", 1.0, ())


@pytest.mark.parametrize(
    ("row", "sampler", "relation", "does"),
    [
        (ROW, Sampler(100, 2, 1, 2.0), "pull", True),
        (ROW, Sampler(99, 2, 1, 3.0), "pull", True),
        (ROW, Sampler(101, 2, 1, 2.0), "pull", False),
        (ROW, Sampler(100, 2, 1, 1.9), "pull", False),
        (ROW, Sampler(100, 2, 2, 2.0), "pull", False),  # more pre-pulls allow larger gaps of the means
        (ROW, Sampler(100, 2, 0, 2.0), "pull", False),
        (ROW, Sampler(100, 3, 1, 2.0), "pull", False),
        (ROW, Sampler(100, None, 1, 2.0), "pull", False),
        (ROW, Sampler(100, 2, 1, 2.0), "round", False),
        (ROW._replace(relation="round"), Sampler(100, 2, 2, 2.0), "pull", True),
        (ROW._replace(relation="round"), Sampler(100, 2, 1, 2.0), "round", True),
        (ANY, Sampler(100, 7, 2, 2.0), "pull", True),
        (ANY, Sampler(100, 7, 0, 2.0), "pull", False),
    ],
)
def test_whom_a_row_serves(row: KeptCurve, sampler: Sampler, relation: str, does: bool) -> None:
    assert row.serves(sampler, relation) is does


def test_whom_an_attack_serves() -> None:
    one = KeptAttack(Sampler(100, 2), 1e-6, 24.0, ())
    for sampler, relation, delta, does in (
        (Sampler(100, 2), "pull", 1e-6, True),
        (Sampler(150), "pull", 1e-7, True),
        (Sampler(99, 2), "pull", 1e-6, False),
        (Sampler(100, 2), "pull", 1e-5, False),
        (Sampler(100, 3), "pull", 1e-6, False),
        (Sampler(100, 2), "round", 1e-6, False),
        (Sampler(100, 2, 0, 0.5), "pull", 1e-6, False),
        (Sampler(100, 2, 1), "pull", 1e-6, False),
    ):
        assert one.serves(sampler, relation, delta) is does


def test_what_the_table_says() -> None:
    """At a delta that is kept the row's own number; between two, one between theirs; beyond the table, nothing."""
    two = Sampler(100, 2)
    (row,) = [one for one in TABLE.curves if one[:2] == (two, "pull")]
    kept = dict(zip(KEPT_DELTAS, row.eps, strict=True))
    assert tabled_eps(two, "pull", 1e-6) == (kept[1e-6], row)
    between, who = tabled_eps(two, "pull", 1.1e-6)
    assert kept[1.25e-6] < between < kept[1e-6]
    assert who == row
    curve = tabled_curve(two)
    assert curve is not None
    assert (np.diff(curve.delta(np.linspace(0, 60, 500))) <= 0).all()
    assert float(curve.delta(0.0)) == pytest.approx(row.at_zero, rel=1e-9)
    assert tabled_eps(two, "pull", 1e-13) == (inf, None)
    assert tabled_curve(Sampler(10**6, 2)) is None
    low, high = (two._replace(variance=c) for c in tabled_bracket(two, 2.0, 1e-6, "pull"))
    assert tabled_eps(high, "pull", 1e-6)[0] <= 2 < tabled_eps(low, "pull", 1e-6)[0]
    assert tabled_bracket(Sampler(10**6, 2), 2.0, 1e-6, "pull") == (0.0, inf)


def test_the_row_that_is_cited_says_the_number_alone() -> None:
    """Where rows for three arms and for any number change places between two kept deltas, 1e-6 and the one before."""
    three, free = (next(one for one in TABLE.curves if one[:2] == (Sampler(300, arms), "round")) for arms in (3, None))
    larger = tuple(eps * (1 if d > 1e-6 else 1.1) for eps, d in zip(three.eps, KEPT_DELTAS, strict=True))
    worse = three._replace(eps=larger)
    cited = []
    for delta in (1.2499e-6, 1.2e-6, 1.1e-6, 1e-6):
        eps, row = tabled_eps(three.sampler, "pull", delta, (worse, free))
        assert row is not None
        assert eps == pytest.approx(least_of_rows([row], three.sampler, "pull").eps(delta), rel=1e-8)
        cited.append(row.sampler.arms)
    assert cited[-1] is None
    assert eps == free.eps[KEPT_DELTAS.index(1e-6)]
    assert 3 in cited


def test_the_answer_says_whose_row_it_is() -> None:
    found = thompson_privacy(Sampler(100, 2), 1e-6)
    assert found.kept is not None
    assert found.kept.sampler == found.sampler
    assert found.attack < found.certified < 1.05 * found.attack
    assert "from the table: threshold game, grid of ratios; --exact recomputes it" in thompson_words.answer_text(found)
    assert thompson_words.answer_as_json(found)["kept"] == {**Sampler(100, 2)._asdict(), "relation": "pull"}
    other = thompson_privacy(Sampler(150, 3, 0, 1.5), 3e-6)
    assert (
        "from the table: threshold game for T = 200, any number of arms, b = 0, c = 1, "
        in thompson_words.answer_text(other)
    )
    assert isnan(other.attack)
    assert "none in the table; --exact searches for one" in thompson_words.answer_text(other)
    with pytest.raises(ValueError, match="no certificate"):
        _ = other.certificate
    noisy = thompson_privacy(Sampler(100, 2, 0, 1e9), 1e-3)
    assert noisy.certified == noisy.theorem
    assert "Theorem 4, which gives less than the threshold game" in thompson_words.answer_text(noisy)
    assert tabled_attack(Sampler(100, 2), "pull", 1e-2) is None


@pytest.mark.thorough
def test_long_runs_show_what_their_first_rounds_do() -> None:
    """Where no attack is looked for: what is kept of fewer rounds, of two arms or any number, one pull changed."""
    (one,) = [one for one in TABLE.attacks if (one.sampler.horizon, one.delta) == (10_000, 1e-6)]
    for sampler in (Sampler(10**6, 2), Sampler(10**6)):
        found = thompson_privacy(sampler, 1e-6)
        assert found.attack == one.eps < found.certified
        assert (
            f"attack  eps = {one.eps:9}   from the table: attack for T = 10000 and delta = 1e-06"
            in thompson_words.answer_text(found)
        )
        with pytest.raises(ValueError, match="no certificate can be written, because this attack was"):
            _ = found.certificate
        assert isnan(thompson_privacy(sampler, 1e-6, seek=False).attack)
        assert isnan(thompson_privacy(sampler, 1e-6, "round").attack)


def test_the_kept_attack_can_be_verified() -> None:
    """By the checker of certificates, which knows neither the table nor the attack."""
    (one,) = [one for one in TABLE.attacks if (one.sampler.horizon, one.delta) == (100, 1e-3)]
    found = thompson_privacy(one.sampler, one.delta)._replace(pair=one.pair, attack=one.eps)
    certificate = found.certificate
    assert 0.98 * one.eps < float(certificate["eps"])
    assert verify(certificate).ok
