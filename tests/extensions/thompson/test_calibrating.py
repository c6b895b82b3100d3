"""How much noise is enough: found, certified, told, and what it costs; and what nobody can reach, in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf, nan, sqrt
from typing import Any

import pytest
from click.testing import CliRunner

from dpbandits import Sampler, calibrate
from dpbandits.audit.cli.command_line import main
from dpbandits.extensions.thompson import calibrating, formatting, least_noise
from dpbandits.extensions.thompson.bound import certified_curve
from dpbandits.extensions.thompson.calibrating import MEANS, REGRET_RUNS
from dpbandits.extensions.thompson.rules import theorem_eps
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling
from dpbandits.reference.papers.ou24 import regret_formulas as formulas

GAP = MEANS[0] - MEANS[1]


def test_the_regret_of_pulls_that_are_certain() -> None:
    """Nine rounds that are all pre-pulls, of three arms: two worse ones, three pulls each."""
    mean, error = calibrating.regret(Sampler(9, 3, 3), 5).played
    assert mean == pytest.approx(2 * 3 * GAP, rel=1e-12)
    assert error == 0
    assert calibrating.regret(Sampler(20, 2, 10), 0).played[1] == 0


def test_the_regret_of_a_first_pull_is_a_coin() -> None:
    """One round: each of K arms with the same chance, and the error is that of so many coins."""
    for arms in (2, 4):
        mean, error = calibrating.regret(Sampler(1, arms), 5).played
        wrong, share = mean / GAP, 1 - 1 / arms
        assert error == pytest.approx(GAP * sqrt(wrong * (1 - wrong) / REGRET_RUNS), rel=1e-9)
        assert abs(wrong - share) < 5.2 * sqrt(share * (1 - share) / REGRET_RUNS)
    found = [calibrating.regret(Sampler(1, 2), seed) for seed in (5, 5, 6)]
    assert found[0] == found[1] != found[2]


def test_regret_bounds_are_the_ledger_s() -> None:
    """At arms where all of them say something; none of them for c < 1, and eq. (10) not in short runs."""
    sampler = Sampler(900, 2, 2, 3.0)
    policy, found = ModifiedThompsonSampling(2, 900, prepulls=2, variance=3.0), calibrating.regret(sampler, 0)
    arms = calibrating.Bernoulli(MEANS)
    assert found.independent == formulas.problem_independent(policy, arms)
    assert found.dependent == formulas.problem_dependent(policy, arms)
    assert found.sharper == formulas.sharpened(policy, arms)
    assert found.trivial == pytest.approx(90, rel=1e-12)
    assert calibrating.regret(sampler._replace(variance=0.5), 0)[2:5] == (None, None, None)
    short = calibrating.regret(Sampler(20, 2), 0)
    assert short.independent is not None
    assert (short.dependent, short.sharper) == (None, None)


@pytest.mark.parametrize(
    ("variance", "words"),
    [(12.883922655594036, "12.89"), (1.0, "1"), (1.0001, "1.001"), (99.9951, "100"), (1e6, "1e+06")],
)
def test_a_variance_that_is_told_is_enough(variance: float, words: str) -> None:
    assert formatting.four_digits_up(variance) == words
    assert float(words) >= variance


# -- the search ------------------------------------------------------------------------------------------------------


def power_law(least: float, exponent: float, asked: list[float]) -> Callable[[Sampler], float]:
    """eps falls like a power of the variance, and is 1 at `least`."""

    def value(one: Sampler) -> float:
        asked.append(one.variance)
        return float((least / one.variance) ** exponent)

    return value


@pytest.mark.parametrize("exponent", [0.4, 1.0])
@pytest.mark.parametrize(("least", "low"), [(0.003, 0.0), (7.0, 0.0), (70.0, 64.0), (99.9, 0.0)])
@pytest.mark.parametrize("within", [1.01, 1.5])
def test_the_least_variance_is_found_within_a_factor(least: float, low: float, exponent: float, within: float) -> None:
    asked: list[float] = []
    found = least_noise.least_variance(Sampler(9, variance=100.0), low, 1.0, power_law(least, exponent, asked), within)
    assert least <= found.variance <= within * least * (1 + 1e-12)
    assert found.variance in asked
    assert len(asked) < 20
    assert len(set(asked)) == len(asked)
    assert found._replace(variance=1.0) == Sampler(9)


def test_a_variance_that_is_reached_everywhere_or_in_jumps() -> None:
    assert (
        least_noise.least_variance(Sampler(9), 0.0, 1.0, lambda one: 0.0, 1.01).variance == least_noise.LEAST_VARIANCE
    )
    jump = least_noise.least_variance(Sampler(9), 0.0, 1.0, lambda one: 0.0 if one.variance > 0.3 else inf, 1.01)
    assert 0.3 < jump.variance <= 0.3 * 1.01
    nothing = least_noise.least_variance(Sampler(9), 0.0, 0.0, lambda one: 0.0 if one.variance > 0.3 else 1.0, 1.01)
    assert 0.3 < nothing.variance <= 0.3 * 1.01


@pytest.mark.parametrize(("least", "found"), [(0, 2), (3, 3), (6, 6), (7, 7), (10, 10), (11, None), (inf, None)])
def test_the_fewest_prepulls_are_looked_for_up_to_all_rounds(least: float, found: int | None) -> None:
    """Of 31 rounds, three arms can have ten pre-pulls each."""
    other = calibrating.least_prepulls(Sampler(31, 3, 2), 1.0, lambda one: 1.0 if one.prepulls >= least else 1.1)
    assert other == (None if found is None else Sampler(31, 3, found))
    from_none = calibrating.least_prepulls(Sampler(31, 3), 1.0, lambda one: 1.0 if one.prepulls >= least else 1.1)
    assert (from_none and from_none.prepulls) == (least if found else None)


# -- the answer ------------------------------------------------------------------------------------------------------


def test_what_is_found_is_certified_and_hardly_more_than_it_takes() -> None:
    delta, eps = 1e-3, 2.0
    found = calibrate(eps, delta, 6, 2, within=1.1)

    def certified(sampler: Sampler) -> float:
        return certified_curve(sampler, smallest=1e-6, fineness=calibrating.SEARCH_FINENESS).eps(delta)

    assert certified(found.certified) == found.certified_eps <= eps
    assert certified(found.certified._replace(variance=found.certified.variance / 1.1)) > eps
    assert found.theorem is not None
    assert theorem_eps(found.theorem, delta) <= eps < theorem_eps(found.theorem._replace(variance=1.0), delta)
    assert found.theorem.variance > 2 * found.certified.variance
    assert [one.sampler for one in found.regret] == [Sampler(6, 2), found.certified, found.theorem]


def test_the_fewest_prepulls_for_a_variance() -> None:
    """With all rounds pre-pulled nothing is revealed; the paper's Lemma 4 never gets to eps = 0.5 on the way."""
    found = calibrate(0.5, 1e-3, 6, 2, variance=1.0)
    assert (found.what, found.certified, found.certified_eps, found.theorem) == (
        "prepulls",
        Sampler(6, 2, 3),
        0.0,
        None,
    )
    lines = calibrating.calibration_text(found).splitlines()
    assert lines[0] == "Thompson sampling, T = 6, 2 arms, c = 1; one pull changed; for eps = 0.5 at delta = 0.001"
    assert lines[1].split()[:9] == ["certified", "b", "=", "3", "eps", "<=", "0", "is", "certified:"]
    assert lines[1].endswith("certified: no round is left in which anything is learnt")
    assert lines[2].split()[:4] == ["theorem", "no", "b", "does"]
    assert lines[4].split() == ["b=0", "b=3"]
    with pytest.raises(
        ValueError,
        match=r"pre-pulls reaches eps = 0\.01 at delta =.*with variance 1 and T = 7; increase the variance, eps",
    ):
        calibrate(0.01, 1e-3, 7, 2, variance=1.0)


def test_nothing_at_all_may_be_revealed() -> None:
    """eps = 0: by the theorem alone, with a mu of about delta."""
    found = calibrate(0.0, 0.1, 4, 2)
    assert found.certified_eps == 0
    assert found.theorem is not None
    assert found.theorem.variance == pytest.approx(4 / 0.2513**2, rel=2e-3)  # 2 Phi(mu/2) - 1 = 0.1


@pytest.mark.parametrize("exponent", [0.4, 1.0, 3.0])
def test_a_power_law_is_followed_to_the_variance_at_which_it_reaches_eps(exponent: float) -> None:
    low, high = 2.0, 50.0
    values = {each: each**-exponent for each in (low, high)}
    for wanted in (2.5, 7.0, 40.0):
        found = least_noise.power_law_crossing(low, high, wanted**-exponent, values)
        assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    "values", [{}, {2.0: 3.0}, {50.0: 0.1}, {2.0: inf, 50.0: 0.1}, {2.0: 3.0, 50.0: 0.0}, {2.0: 1.0, 50.0: 0.1}]
)
def test_with_less_than_two_values_around_eps_the_middle_is_tried(values: dict[float, float]) -> None:
    assert least_noise.power_law_crossing(2.0, 50.0, 1.0, values) == pytest.approx(10, rel=1e-12)


@pytest.mark.parametrize("share", [1e-9, 1 - 1e-9])
def test_what_is_tried_stays_apart_from_both_ends(share: float) -> None:
    """Otherwise steps of the search might become too small for it to end."""
    found = least_noise.power_law_crossing(1.0, 100.0, 100**-share, {1.0: 1.0 + 1e-15, 100.0: 0.01})
    assert found == pytest.approx(100 ** (0.02 if share < 0.5 else 0.98), rel=1e-9)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"eps": -1.0}, "eps is -1.0; it must be a finite number, 0 or more"),
        ({"eps": nan}, "eps is nan; it must be a finite number"),
        ({"eps": inf}, "eps is inf; it must be a finite number"),
        ({"delta": 0.0}, "delta is 0, but Thompson sampling with normal samples"),
        ({"delta": 1.0}, "delta is 1.0; it must be a number strictly between 0 and 1"),
        ({"delta": nan}, "delta is nan; it must be a number strictly between 0 and 1"),
        ({"delta": 1e-301}, "because smaller doubles have fewer digits"),
        ({"delta": 1e-200, "eps": 0.0}, r"variance c up to 1e\+100 reaches eps = 0 at delta = 1e-200 with T = 9"),
        (
            {"horizon": 9.0},
            r"horizon=9.0, arms=2, .*: horizon must be an integer of at least 1, arms None or",
        ),
        ({"arms": None, "variance": 1.0}, "the search for b needs the number of arms"),
        ({"prepulls": 1, "variance": 2.0}, "b = 1 and c = 2 are both given; omit"),
        ({"variance": -2.0}, "variance positive and finite"),
        ({"relation": "row"}, "relation is 'row'; choose 'pull' or 'round'"),
        ({"within": 1.0}, "within is 1.0; it must be a finite number of at least 1.0001"),
        ({"prepulls": 5}, "pre-pulls exceed T = 9"),
    ],
)
def test_what_nobody_can_reach_is_refused_in_words(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        calibrate(**({"eps": 1.0, "delta": 1e-3, "horizon": 9, "arms": 2} | asked))


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["privacy", "calibrate", *arguments])
    return result.exit_code, result.output


def test_command() -> None:
    asked = ("--eps", "2", "--delta", "1e-6", "--horizon", "100", "--arms", "2", "--within", "2")
    status, output = run(*asked)
    assert status == 0
    heads = ["Thompson", "certified", "theorem", "regret", "c=1", "played,", "Theorem", "Theorem", "our", "no"]
    assert [line.split()[0] for line in output.splitlines()] == heads
    status, output = run(*asked, "--json")
    found = json.loads(output)
    assert (status, found["what"], found["relation"]) == (0, "variance", "pull")
    assert found["certified"] == Sampler(100, 2, 0, 64.0)._asdict()  # a row of the table
    assert found["certified_eps"] <= 2
    assert len(found["regret"]) == 3
    status, output = run("--eps", "1", "--delta", "1e-3", "--horizon", "2", "--arms", "3")
    assert status == 0  # a run may end before every arm was pulled, and has something to reveal all the same
    assert "Thompson sampling, T = 2, 3 arms, b = 0" in output


def test_a_search_begins_near_and_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the table has no row beside it: not at the theorem's variance, but where the potential certifies eps, which
    saves looks, of which none is twice."""
    monkeypatch.setattr(calibrating, "tabled_bracket", lambda *asked: (0.0, inf))
    looks: list[tuple[Sampler, float]] = []
    found = calibrate(1.0, 1e-3, 12, 2, within=1.5, looked=lambda one, eps: looks.append((one, eps)))
    tried = [one.variance for one, _ in looks]
    assert found.theorem is not None
    assert max(tried) < found.theorem.variance / 2
    assert found.certified_eps <= 1.0 < max(eps for _, eps in looks)
    far: list[Sampler] = []

    def value(one: Sampler) -> float:
        far.append(one)
        return calibrating.table_or_game_eps(one, 1.0, 1e-3, "pull")

    least_noise.least_variance(found.theorem, 0.0, 1.0, value, 1.5)
    assert len(tried) == len(set(tried)) < len(far)
    least = min(one.variance for one, eps in looks if eps <= 1.0)
    assert found.certified.variance == least
    assert calibrating.search_words(7.4, 1.0, looks).endswith(f"b = 0, c = {least:.4g} is enough")
    assert calibrating.search_words(7.4, 1.0, []) == (
        "7 seconds so far, 0 certified curves; nothing is known to be enough yet"
    )
