"""What a ceiling may say: each number up to its limit, and not beyond; and the constants of its checker."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from dpbandits.extensions.thompson.ceilings import numbers as ceiling_numbers
from dpbandits.extensions.thompson.ceilings import sampler as ceiling_sampler
from dpbandits.extensions.thompson.ceilings.numbers import FIXED_POINT_ONE
from dpbandits.extensions.thompson.ceilings.rounds import FIRST_THRESHOLD, LAST_THRESHOLD, PART
from dpbandits.extensions.thompson.ceilings.sampler import Rejected
from dpbandits.extensions.thompson.ceilings.statement import SIZE_LIMITS, read_ceiling


def game(higher: str) -> dict[str, Any]:
    spans = [{"top": 5, "rows": [[0, 64, "1"]]}]
    return {"higher": higher, "ratio": "1.1", "below": 10, "above": 20, "last": 3, "width": 6, "spans": spans}


PLAIN: dict[str, Any] = {
    "type": "ceiling",
    "policy": {"name": "gaussian-thompson", "prepulls": 0, "variance": "1"},
    "arms": 2,
    "relation": "pull",
    "horizon": 6,
    "eps": "1",
    "delta": "0.001",
    "games": [game("left"), game("right")],
}


def changed(changes: dict[str, Any]) -> dict[str, Any]:
    found = copy.deepcopy(PLAIN)
    for place, value in changes.items():
        *way, last = place.split("/")
        node: Any = found
        for key in way:
            node = node[int(key) if isinstance(node, list) else key]
        node[last] = value
    return found


SPAN, ROWS = "games/0/spans/0", "games/0/spans/0/rows"
# A change that is still allowed, and one just beyond it, which is not.
LIMITS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"policy/prepulls": 3, "games/0/last": 4, "games/1/last": 4}, {"policy/prepulls": 4}, "prepulls"),
    ({"policy/variance": "0.01"}, {"policy/variance": "0.0099999"}, "variance must be from 0.01 to 10"),
    ({"policy/variance": "1000000"}, {"policy/variance": "1000000.1"}, "variance must be from 0.01 to 10"),
    ({"eps": "700"}, {"eps": "700.001"}, "eps from 0 to 700, and delta strictly between"),
    ({"eps": "0"}, {"eps": "-0"}, "not a string with a number of at least 0"),
    ({"delta": "0.999999"}, {"delta": "1"}, "eps from 0 to 700, and delta strictly between 0 and 1"),
    ({"delta": "1e-30"}, {"delta": "0"}, "eps from 0 to 700, and delta strictly between 0 and 1"),
    ({"games/0/ratio": "1.001"}, {"games/0/ratio": "1.0009"}, "ratio must be from 1.001 to 2, and below"),
    ({"games/0/ratio": "2"}, {"games/0/ratio": "2.0001"}, "ratio must be from 1.001 to 2, and below"),
    ({"games/0/below": 5980}, {"games/0/below": 5981}, "at most 6000 cells"),
    ({"games/0/below": 1, "games/0/above": 1}, {"games/0/above": 0}, "not an integer from 1 to 6000"),
    ({"games/0/last": 2}, {"games/0/last": 1}, "not an integer from 2 to 400"),
    ({"games/0/last": 400}, {"games/0/last": 401}, "not an integer from 2 to 400"),
    ({"games/0/width": 1}, {"games/0/width": 0}, f"is not an integer from 1 to {PART}"),
    ({"games/0/width": PART}, {"games/0/width": PART + 1}, f"is not an integer from 1 to {PART}"),
    ({ROWS: [[FIRST_THRESHOLD, LAST_THRESHOLD, "1"]]},
     {ROWS: [[FIRST_THRESHOLD - 1, LAST_THRESHOLD, "1"]]}, "is not an integer from -512 to 576"),
    ({ROWS: [[7, 7, "1"]]}, {ROWS: [[7, LAST_THRESHOLD + 1, "1"]]}, "is not an integer from -512 to 576"),
    ({ROWS: [[7, 7, "4"]]}, {ROWS: [[8, 7, "4"]]}, "thresholds low <= high and a drift from 1/4 to 4"),
    ({ROWS: [[0, 9, "1/4"]]}, {ROWS: [[0, 9, "0.2499"]]}, "thresholds low <= high and a drift from 1/4 to 4"),
    ({ROWS: [[0, 9, "4"]]}, {ROWS: [[0, 9, "4.001"]]}, "thresholds low <= high and a drift from 1/4 to 4"),
    ({f"{SPAN}/top": 5}, {f"{SPAN}/top": 4}, "decrease from span to span, and the first must be 5"),
    ({"horizon": 6}, {"horizon": 0}, f"is not an integer from 1 to {SIZE_LIMITS['horizon']}"),
]  # fmt: skip


@pytest.mark.parametrize(("allowed", "refused", "why"), LIMITS)
def test_numbers_are_allowed_up_to_their_limits(allowed: Any, refused: Any, why: str) -> None:
    read_ceiling(changed(allowed))
    with pytest.raises(Rejected, match=why):
        read_ceiling(changed(refused))


def test_what_is_said_is_read_as_it_is_said() -> None:
    changes = {
        "policy/prepulls": 2, "policy/variance": "1/4", "relation": "round", "arms": "any", "eps": "0.5",
        "games/1/spans": [{"top": 5, "rows": [[-3, 64, "1/2"], [1, 2, "3"]]}, {"top": 0, "rows": [[5, 9, "2"]]}],
    }  # fmt: skip
    sampler, relation, games, eps, delta = read_ceiling(changed(changes))
    assert sampler == (6, False, 2, Fraction(1, 4))
    assert (sampler.first, sampler.begin) == (2, 4)
    assert (relation, eps, delta) == ("round", Fraction(1, 2), Fraction(1, 1000))
    assert games[0][:6] == ("left", Fraction(11, 10), 10, 20, 3, 6)
    assert games[1].spans == ((5, ((-3, 64, Fraction(1, 2)), (1, 2, Fraction(3)))), (0, ((5, 9, Fraction(2)),)))
    none = ceiling_sampler.Sampler(6, True, 0, Fraction(1))
    assert (none.first, none.begin) == (1, 1)


def test_the_density_at_0_is_enclosed_closely() -> None:
    """pi is known to some 5000 units, so that its root is to a few thousand."""
    with mpmath.workprec(500):
        exact = FIXED_POINT_ONE / mpmath.sqrt(2 * mpmath.pi)
        found = ceiling_numbers.density_at_0()
        assert found.low < exact < found.high
        assert found.high - found.low < 5000
        for n in (5, 239):
            ends = ceiling_numbers.arctangent(n)
            assert ends.low < mpmath.atan(mpmath.mpf(1) / n) * FIXED_POINT_ONE < ends.high
            assert ends.high - ends.low == 600
