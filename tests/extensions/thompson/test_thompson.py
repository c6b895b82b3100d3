"""The question "how private is it?": three numbers in the right order, and the command."""

from __future__ import annotations

import json
import math
import re
import signal
from pathlib import Path
from time import sleep
from typing import Any
from xml.etree import ElementTree

import mpmath
import numpy as np
import pytest
from click.testing import CliRunner
from joblib import parallel_config
from scipy.special import log_ndtr, ndtr

from dpbandits import Sampler, flipped
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.cli_shared.endings import Stopped
from dpbandits.extensions.thompson import answer_words as thompson_words
from dpbandits.extensions.thompson import answers as thompson
from dpbandits.extensions.thompson import ascent, formatting
from dpbandits.extensions.thompson import bound as bound_module
from dpbandits.extensions.thompson.attack import attack
from dpbandits.extensions.thompson.bound import certified_curve, theorem_curve
from dpbandits.extensions.thompson.initial_tables import first_shapes, pair_of_shape
from dpbandits.extensions.thompson.rules import theorem_eps
from dpbandits.extensions.thompson.run_certificates import run_certificate
from dpbandits.extensions.thompson.time_limits import TimeLimit
from dpbandits.proofs_checks.certificates import verify_any as verify
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Private
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["privacy", "thompson", *arguments])
    return result.exit_code, result.output


@pytest.mark.first(3)
@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize(
    "sampler",
    [
        Sampler(5, 2, 0, 0.2),
        Sampler(20, 2),
        Sampler(12, 3, 2, 4.0),
        Sampler(30, None),
        pytest.param(Sampler(100, 2), marks=pytest.mark.thorough),
    ],
)
def test_the_first_bound_is_above_the_sharper_one(sampler: Sampler, relation: str) -> None:
    first, sharper = bound_module.static_bound(sampler, relation), certified_curve(sampler, relation)
    for delta in (1e-9, 1e-6, 1e-3, 0.1):
        assert sharper.eps(delta) * (1 - 1e-9) <= first.eps(delta) < 3 * sharper.eps(delta) + 1


def test_a_long_computation_begins_with_a_bound_that_holds() -> None:
    """T = 2000 is not in the table; T = 100 is, and T = 8 takes no time anyway. The end of the time, here at once,
    prints that bound again, as an answer."""
    for arms, eps in (("5", "73.42"), ("2", "52.81")):
        status, said = run("--horizon", "2000", "--arms", arms, "--delta", "1e-5", "--seconds", "0")
        assert status == 0
        assert f"certified: eps <= {eps}. A smaller bound and an attack take about" in said
        assert re.search(rf"certified  eps = +{eps}   threshold game.*static potential", said)
        assert "stopped  after 0 seconds; the bound is certified" in said
    for horizon in ("100", "8"):
        assert "smaller bound" not in run("--horizon", horizon, "--arms", "2", "--delta", "1e-5")[1]


def test_ctrl_c_prints_the_best_bound_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here while the attack is searched, after the sharp bound is known."""

    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(thompson, "shown_attack", interrupted)
    asked = ("--horizon", "20", "--arms", "2", "--delta", "1e-6")
    status, said = run(*asked)
    assert status == 130
    assert re.search("certified  eps = +11.09   threshold game, by ratios", said)
    assert "stopped  interrupted; the bound is certified" in said
    result = CliRunner().invoke(main, ["privacy", "thompson", *asked, "--json"])
    found = json.loads(result.stdout)
    assert (found["finished"], round(found["certified"], 2), found["attack"]) == (False, 11.09, None)


def test_a_time_limit_ends_its_block_and_nothing_else() -> None:
    for seconds in (0.0, 0.05):
        with pytest.raises(KeyboardInterrupt) as stop, (limit := TimeLimit(seconds)):
            sleep(20)
        assert limit.ended_by(stop.value)
        assert not limit.ended_by(Stopped())  # that was SIGTERM
    with (limit := TimeLimit(60)):
        pass
    assert not limit.ended_by(KeyboardInterrupt())
    for raised in (KeyboardInterrupt, ValueError):
        with pytest.raises(raised), TimeLimit(60):
            raise raised
    with pytest.raises(ValueError, match="own"), TimeLimit(None):
        raise ValueError("own")


def test_a_time_limit_ends_its_block_where_interrupts_are_ignored() -> None:
    """As in the background of a script."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt) as stop, (limit := TimeLimit(0.05)):
            sleep(20)
        assert limit.ended_by(stop.value)
        with TimeLimit(60):
            signal.raise_signal(signal.SIGINT)  # is not the limit's, and stays ignored
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


EXTREMES = [
    Sampler(T, K, b, c)
    for T, K, b, c in (
        (2, 2, 0, 1.0), (2, 100, 0, 1e-300), (100, 5, 3, 1e-6), (2000, 100, 20, 1e300), (2000, 2, 1000, 0.01),
        (20_001, 2, 5000, 1.0), (20_001, 5, 0, 1e-3), (10**6, 100, 7, 4.0), (10**9, 5, 0, 1.0), (10**9, 2, 10**8, 1.0),
    )
]  # fmt: skip


@pytest.mark.first(7)  # with either delta in turn
@pytest.mark.parametrize(
    ("sampler", "delta"),
    [(sampler, (1e-300, 0.5)[(place + turn) % 2]) for turn in range(2) for place, sampler in enumerate(EXTREMES)],
)
def test_a_first_bound_is_certified_for_every_question(sampler: Sampler, delta: float) -> None:
    """Of little noise as well, where numbers of the game leave the range of doubles."""
    found = thompson.first_privacy(sampler, delta)
    assert 0 <= found.certified <= theorem_eps(sampler, delta) < math.inf
    assert math.isnan(found.attack) or found.attack <= found.certified
    assert thompson_words.answer_text(found)


@pytest.mark.parametrize("sampler", [Sampler(10**9, 5, 0, 0.01), Sampler(20_001, 2, 0, 0.0999)])
def test_with_little_noise_in_long_runs_the_theorem_answers_first(sampler: Sampler) -> None:
    first = next(thompson.refined_privacies(sampler, 1e-9))
    assert first.method == "theorem"
    assert first.certified == first.theorem
    with pytest.raises(ValueError, match="delta"):
        next(thompson.refined_privacies(sampler, 1.5))


@pytest.mark.parametrize(
    "sampler", [Sampler(12, 2), Sampler(6, 4), pytest.param(Sampler(16, 4), marks=pytest.mark.thorough)]
)
def test_the_last_refinement_is_the_answer_and_no_bound_rises(
    sampler: Sampler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thompson, "SLOW_HORIZON", sampler.horizon)
    stages = list(thompson.refined_privacies(sampler, 1e-4))
    certified = [each.certified for each in stages]
    assert len(stages) >= 4
    assert certified == sorted(certified, reverse=True)
    assert certified[1] < certified[0]
    whole = thompson.thompson_privacy(sampler, 1e-4)
    assert (stages[-1].certified, stages[-1].attack) == (whole.certified, whole.attack)
    assert {each.sampler for each in stages} == {sampler}


def test_where_numbers_leave_the_range_of_doubles_the_theorem_answers() -> None:
    status, said = run("--horizon", "20", "--arms", "2", "--delta", "1e-6", "--variance", "1e-300")
    assert status == 0
    assert "Theorem 4, which gives less than the threshold game" in said
    assert "attack  not searched: with variance 1e-300 and horizon 20, the effect of a single reward is" in said


@pytest.mark.parametrize("option", ["--picture", "--certificate", "--ceiling"])
def test_no_file_of_others_is_overwritten(tmp_path: Path, option: str) -> None:
    small = ("--horizon", "2", "--delta", "1e-3", "--arms", "2", option)
    mine, link = tmp_path / "mine.svg", tmp_path / "link.svg"
    mine.write_text("precious")
    link.symlink_to(mine)
    for path in (mine, link):
        status, said = run(*small, str(path))
        assert status == 2
        assert f"{option}: {path} exists already, and this command did not write it" in said
        assert mine.read_text() == "precious"
    for _ in range(2):  # its own is written again
        assert run(*small, str(tmp_path / "new" / "own.svg"))[0] == 0
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["own.svg"]


def test_the_theorem_is_definition_2() -> None:
    sampler = Sampler(1000)
    eps, mu = theorem_eps(sampler, 1e-6), mpmath.sqrt(500)
    assert eps == pytest.approx(355.4, abs=0.1)
    with mpmath.workdps(300):
        delta = mpmath.ncdf(-eps / mu + mu / 2) - mpmath.exp(eps) * mpmath.ncdf(-eps / mu - mu / 2)
    assert float(delta) == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.parametrize("delta", [1e-14, 1e-9, 1e-3, 0.5])
@pytest.mark.parametrize("mu", [1e-13, 1e-8, 0.03, 1.0, 40.0])
@pytest.mark.first(7)
def test_the_theorem_s_eps_is_never_too_small(mu: float, delta: float) -> None:
    """Definition 2 at the eps that is told, where for a tiny mu nearly all cancels; and not much above it."""
    sampler = Sampler(1, variance=mu**-2)
    eps = theorem_eps(sampler, delta)
    with mpmath.workdps(1200):
        exact = mpmath.mpf(sampler.theorem_mu)

        def curve(at: Any) -> Any:
            return mpmath.ncdf(-at / exact + exact / 2) - mpmath.exp(at) * mpmath.ncdf(-at / exact - exact / 2)

        assert curve(mpmath.mpf(eps)) <= delta
        if eps > 0 and mu > 1e-9:  # what cancels shifts eps by less than 1e-12, which is all that there is below
            assert curve(mpmath.mpf(eps) * (1 - 1e-11) - 1e-12) > delta


@pytest.mark.thorough
def test_the_smaller_of_two_upper_numbers_is_certified() -> None:
    """With so much noise that nothing shows, the grid of the game shows; the theorem, which is true, says 0."""
    for sampler in (Sampler(10, 2, variance=1e300), Sampler(10, variance=1e9)):
        found = thompson.thompson_privacy(sampler, 1e-6, "round")
        assert found.certified == found.theorem < found.upper.eps(1e-6)
        assert found.method == "theorem"
        assert "Theorem 4, which gives less than the threshold game" in thompson_words.answer_text(found)
        curves = {one["label"]: one["points"] for one in thompson_words.picture_item(found)["series"]}
        assert curves["certified"] == curves["theorem"]
    found = thompson.thompson_privacy(Sampler(10, 2), 1e-6, "round")
    assert found.certified == found.upper.eps(1e-6) < found.theorem
    assert "threshold game, by ratios" in thompson_words.answer_text(found)


@pytest.mark.parametrize("variance", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("prepulls", [0, 1, 7])
def test_the_theorem_is_the_claim_of_the_page(prepulls: int, variance: float) -> None:
    name = "ou24/lemma-3" if (prepulls, variance) == (0, 1.0) else "ou24/lemma-4"
    says = ledger().by_id[name].says
    assert isinstance(says, Private)
    policy = ModifiedThompsonSampling(arms=2, horizon=20, prepulls=prepulls, variance=variance)
    assert Sampler(20, 2, prepulls, variance).theorem_mu == pytest.approx(says.curve(policy).mu, rel=1e-15, abs=0)


def test_the_static_potential_says_what_it_loses() -> None:
    """Beyond 20 000 rounds it stands alone."""
    found = thompson.thompson_privacy(Sampler(10), 1e-3, seek=False)._replace(method="potential")
    assert "by its static potential; at T = 10 000 the grid of ratios gives" in thompson_words.answer_text(found)


def test_three_numbers_in_order() -> None:
    for sampler in (Sampler(6), Sampler(16, 2, prepulls=3, variance=2.0)):
        found = thompson.thompson_privacy(sampler, 1e-4)
        assert 0 < found.attack <= found.certified <= found.theorem
        if sampler.arms == 2:
            assert found.certified < 1.05 * found.attack


@pytest.mark.thorough
def test_the_attack_goes_uphill_from_the_best_constant_tables() -> None:
    found = thompson.thompson_privacy(Sampler(24, 2), 1e-6)
    assert found.tables.startswith("tables found by ascent from: ")
    assert found.worst is not None
    assert found.attack == found.worst.eps(1e-6)


@pytest.mark.parametrize(("horizon", "delta"), [(20, 1e-12), (20, 1e-30), (60, 1e-25)])
@pytest.mark.thorough
def test_attacks_far_out_in_the_tail(horizon: int, delta: float) -> None:
    """Where doubles would cancel, where cells are fainter than usual, and where nearly every transcript counts."""
    found = thompson.thompson_privacy(Sampler(horizon, 2), delta)
    assert found.attack <= found.certified < 1.05 * found.attack


@pytest.mark.thorough
def test_a_single_pull_with_little_noise_is_followed_far() -> None:
    """Losses up to the bound, which is far above those of the tables that the search starts from."""
    found = thompson.thompson_privacy(Sampler(30, 2, variance=0.05), 1e-6)
    assert found.attack <= found.certified < 1.1 * found.attack


def test_where_the_walk_uphill_ends_in_nothing_the_best_start_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """In long runs, for a delta so small that what the walk goes by is no guide: T = 1000, 2e-49."""
    sampler, delta = Sampler(12, 2), 1e-4
    nothing = flipped("pull", np.zeros((2, 12)), 0, 11, 1.0)
    monkeypatch.setattr(ascent, "SHORT_RUN_ROUNDS", 0)
    monkeypatch.setattr(ascent, "climb_tables", lambda *_: nothing)
    found = ascent.worst_tables(sampler, delta, 12, 10, 10.0)
    best = max(
        attack(sampler, pair_of_shape(sampler, shape), smallest=delta).eps(delta)
        for shape in first_shapes(sampler, delta)
    )
    assert found.attack.eps(delta) == pytest.approx(best, rel=1e-9)
    assert best > 0
    assert not found.uphill


def test_no_attack_is_not_an_attack_of_zero() -> None:
    found = thompson.thompson_privacy(Sampler(20, 7), 1e-4)
    assert math.isnan(found.attack)
    assert "not searched: too many states for this number of rounds and arms" in thompson_words.answer_text(found)
    assert thompson_words.answer_as_json(found)["attack"] is None


def test_many_arms_are_attacked_by_simulated_runs() -> None:
    """Their risk is told; there is no certificate, and no curve of it. Where nothing is shown, there is no attack."""
    found = thompson.thompson_privacy(Sampler(20, 7), 1e-3, "round")
    assert 1.5 < found.attack <= found.certified
    assert found.risk == 1e-9
    assert "error probability 1e-09" in thompson_words.answer_text(found)
    assert thompson_words.answer_as_json(found)["risk"] == 1e-9
    with pytest.raises(ValueError, match="no certificate can be written, because the attack was"):
        _ = found.certificate
    assert {one["label"] for one in thompson_words.picture_item(found)["series"]} == {"theorem", "certified"}
    other = thompson.thompson_privacy(Sampler(20, 7), 1e-3)
    assert math.isnan(other.attack)
    assert other.risk == 0
    assert "without several other arms, this attack shows nothing" in other.tables
    small = thompson.thompson_privacy(Sampler(20, 7, 0, 30.0), 1e-3, "round")  # with much noise, below 1
    assert 0.1 < small.attack < 1
    asked = [Sampler(1000, 7), Sampler(1001, 7), Sampler(20, 3), Sampler(20), Sampler(20, 7, 1), Sampler(2, 7)]
    assert [thompson.is_attack_simulated(one) for one in asked] == [True, *5 * [False]]
    assert thompson.is_attack_simulated(Sampler(300, 3))  # three arms are followed in runs that are not so long


def test_command(tmp_path: Path) -> None:
    picture = tmp_path / "p.html"
    status, output = run("--horizon", "6", "--delta", "1e-3", "--arms", "2", "--picture", str(picture))
    assert status == 0
    assert [line.split()[0] for line in output.splitlines()] == [
        "Thompson", "theorem", "certified", "attack", "gap", "mu", "picture:"
    ]  # fmt: skip
    page = picture.read_text(encoding="utf-8")
    assert '<div class="canvas"><svg' in page  # which scrolls by itself on a telephone,
    assert '<meta name="viewport" content="width=device-width' in page
    assert '<pre class="wrapped">' in page  # and long lines do not make the page wider


def test_command_as_json() -> None:
    status, output = run("--horizon", "10", "--delta", "1e-3", "--json", "--relation", "round", "--arms", "2")
    found = json.loads(output)
    assert status == 0
    assert 0 < found["attack"] <= found["certified"] <= found["theorem"]
    assert "in round 1, then" in found["tables"]


def test_command_refuses() -> None:
    status, output = run("--horizon", "10", "--delta", "1e-3", "--arms", "3", "--prepulls", "4")
    assert status == 2
    assert "decrease b" in output
    assert run("--horizon", "10", "--delta", "2")[0] == 2
    status, output = run("--horizon", "5", "--delta", "0.1", "--picture", "here", "--ceiling", "./here")
    assert status == 2
    assert "name the same file" in output
    status, output = run("--horizon", "5", "--delta", "5e-324", "--arms", "2")
    assert status == 2
    assert "delta is 5e-324; it must be at least 1e-300" in output
    assert "because smaller doubles have fewer digits" in output


def test_command_says_when_the_memory_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any, **more: Any) -> None:
        raise MemoryError

    for computed in ("computed_privacies", "first_privacy"):
        monkeypatch.setattr(thompson, computed, full)
        if computed == "computed_privacies":
            said = run("--horizon", "2000", "--arms", "2", "--delta", "1e-5")[1]
            assert re.search("certified  eps = +52.81", said)
            assert "not searched: not enough memory for this horizon" in said
    status, output = run("--horizon", "100000000000", "--delta", "0.1")
    assert status == 2
    assert "not enough memory for --horizon 100000000000; use a shorter horizon" in output


def test_no_runs_of_more_arms_than_fit_into_the_memory_are_simulated() -> None:
    assert thompson.is_attack_simulated(Sampler(10, thompson.MAX_SIMULATED_ARMS))
    assert not thompson.is_attack_simulated(Sampler(10, 10**9))
    assert "too many states" in thompson.thompson_privacy(Sampler(3, 10**30), 1e-2).tables


@pytest.mark.thorough
def test_command_writes_a_drawing_and_a_certificate(tmp_path: Path) -> None:
    """The attack that is told can be checked by whoever trusts neither the game nor the attack."""
    drawing, told = tmp_path / "p.svg", tmp_path / "c.json"
    sampler = ["--horizon", "16", "--delta", "1e-3", "--arms", "2"]
    status, output = run(*sampler, "--json", "--picture", str(drawing), "--certificate", str(told))
    assert status == 0
    shown = json.loads(output[: output.rindex("}") + 1])["attack"]
    root = ElementTree.fromstring(drawing.read_text(encoding="utf-8"))
    texts = {node.text for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"How private is it?", "theorem", "certified", "attack"} <= texts
    certificate = json.loads(told.read_text(encoding="utf-8"))
    assert 0.98 * shown < float(certificate["eps"]) <= shown
    assert verify(certificate).ok
    assert not verify(certificate | {"eps": str(1.01 * shown)}).ok


@pytest.mark.parametrize(("arms", "relation"), [("3", "pull"), ("2", "round")])
@pytest.mark.thorough
def test_a_certificate_of_an_attack_on_more_arms_or_on_a_round(arms: str, relation: str, tmp_path: Path) -> None:
    told = tmp_path / "c.json"
    asked = ["--horizon", "6", "--delta", "1e-2", "--arms", arms, "--relation", relation, "--json"]
    status, output = run(*asked, "--certificate", str(told))
    assert status == 0
    shown = json.loads(output[: output.rindex("}") + 1])["attack"]
    certificate = json.loads(told.read_text(encoding="utf-8"))
    assert (certificate["relation"], len(certificate["rewards"])) == (relation, int(arms))
    assert 0.98 * shown < float(certificate["eps"]) <= shown
    assert verify(certificate).ok
    assert not verify(certificate | {"eps": str(1.01 * shown)}).ok


def test_no_certificate_without_an_attack(tmp_path: Path) -> None:
    status, output = run("--horizon", "12", "--delta", "1e-3", "--arms", "7", "--certificate", str(tmp_path / "c"))
    assert status == 2
    assert "no certificate can be written, because no attack is known (not searched: too many states" in output


def test_why_there_is_no_certificate_is_said() -> None:
    """Nothing is shown, or the checker does not follow what is: it takes at most eight arms."""
    sampler, nothing = Sampler(6, 2), flipped("pull", np.zeros((2, 6)), 0, 5, 1.0)
    with pytest.raises(ValueError, match=r"at delta = 0[.]001 can be written: the attack certifies eps = 0 only"):
        run_certificate(sampler, nothing, 1e-3, 6, 10.0)
    some = flipped("pull", np.zeros((2, 6)), 0, 0, 1.0)
    assert float(run_certificate(sampler, some, 1e-3, 6, 10.0)["eps"]) > 0.5
    many = flipped("pull", np.zeros((9, 5)), 0, 0, 1.0)
    with pytest.raises(ValueError, match=r"the checker rejects eps = 0\.\d+: schema: rewards: .* is too long"):
        run_certificate(Sampler(5, 9), many, 1e-3, 4, 10.0)


@pytest.mark.parametrize("value", [1.00049, 0.99951, 3.14159e-7, 2.0, 7.7777e5, 1.2344999])
def test_what_is_told_in_four_digits_is_rounded_away_from_the_truth(value: float) -> None:
    up, down = float(formatting.four_digits_up(value)), float(formatting.four_digits_down(value))
    assert 0.9985 * value < down <= value <= up < 1.001 * value
    assert formatting.four_digits_up(0.0) == formatting.four_digits_down(0.0) == "0"
    assert formatting.four_digits_up(math.inf) == "inf"


def test_mus_are_rounded_away_from_the_truth_too() -> None:
    """Theorem and proof up, the attack down, by half a unit of the fourth digit; the smaller upper one is certified."""
    found = thompson.thompson_privacy(Sampler(4, 2), 1e-3)
    assert found.worst is not None
    assert found.of_mu is not None
    assert found.of_mu.mu(1e-3) >= found.worst.mu(1e-3)
    theorem, certified, shown = thompson_words.mu_values(found)
    assert theorem == pytest.approx(found.sampler.theorem_mu * 1.0005, rel=1e-12)
    assert certified == pytest.approx(found.upper.mu(1e-3) * 1.0005, rel=1e-12)
    assert shown == pytest.approx(found.of_mu.mu(1e-3) * 0.9995, rel=1e-12)
    assert 0 < shown < certified < theorem
    assert thompson_words.mu_values(found._replace(delta=0.5, worst=None, of_mu=None)) == (theorem, theorem, None)
    assert thompson_words.attack_in_words(None, True) == "attack none"
    assert thompson_words.attack_in_words(0.0, False) == "attack: nothing"
    assert thompson_words.attack_in_words(1.23456, True) == "attack 1.235 (with tables chosen for eps)"
    assert thompson_words.attack_in_words(1.23456, False) == "attack 1.235"
    table = thompson_words.answer_text(found)
    assert f"certified/attack = {found.certified / found.attack:.3f}" in table
    assert "Theorem 3: 1.4142-GDP" in table
    assert "Theorem 4" in thompson_words.answer_text(found._replace(sampler=Sampler(4, 2, 1)))


@pytest.mark.parametrize(
    ("sampler", "relation", "why"),
    [
        (Sampler(20_000, 2), "pull", ""),
        (Sampler(20_000), "pull", ""),
        (Sampler(20_001, 2), "pull", "T > 20000"),
        (Sampler(10, 2, 1), "pull", ""),
        (Sampler(10, 3, 1), "pull", "pre-pulls"),
        (Sampler(10, 2, 1), "round", "pre-pulls"),
        (Sampler(100, 3), "pull", ""),
        (Sampler(101, 3), "pull", "too many states"),
        (Sampler(1000, 2), "round", ""),
        (Sampler(1001, 2), "round", "too many states"),
        (Sampler(1001), "round", "too many states"),
        (Sampler(15, 5), "pull", ""),
        (Sampler(16, 5), "pull", "too many states"),
    ],
)
def test_where_no_attack_is_looked_for(sampler: Sampler, relation: str, why: str) -> None:
    told = thompson.reason_for_no_attack(sampler, relation, 1.0)
    assert why in told
    assert bool(why) == bool(told)
    assert "eps = 0 is certified" in (told or thompson.reason_for_no_attack(sampler, relation, 0.0)) or why


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, math.nan])
def test_a_delta_that_is_none_is_refused(delta: float) -> None:
    with pytest.raises(ValueError, match="it must be a number strictly between 0 and 1, such as 1e-6"):
        thompson.thompson_privacy(Sampler(6, 2), delta)


def test_in_long_runs_bound_and_attack_are_computed_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is the same, whose left side is computed after the attack, and the attack is not given it; with many
    arms, a question without an attack is one piece of work."""
    apart = thompson.thompson_privacy(Sampler(12, 2), 1e-3, exact=True)
    rounds = certified_curve(Sampler(12, 2), "round", smallest=1e-6)
    monkeypatch.setattr(thompson, "SIDE_BY_SIDE", 12)
    asked: list[float] = []

    def ascent_tables(sampler: Sampler, delta: float, highest: float) -> thompson.AscentResult:
        asked.append(highest)
        return found(sampler, delta, highest)

    found = thompson.ascent_tables
    monkeypatch.setattr(thompson, "ascent_tables", ascent_tables)
    with parallel_config(backend="threading"):
        together = thompson.thompson_privacy(Sampler(12, 2), 1e-3, exact=True)
        by_round, nothing = thompson.computed_ends(Sampler(12, 2), 1e-3, "round", True)
        alone = thompson.computed_ends(Sampler(12), 1e-3, "round", True)[1]
    assert {side for each in (apart.upper, rounds) for side in each.curves} == {"right", "left"}
    for one, other in ((together.upper, apart.upper), (by_round, rounds)):
        assert [*one.curves] == [*other.curves]
        assert all(np.array_equal(curve, other.curves[side]) for side, curve in one.curves.items())
    assert nothing is None
    assert (together.certified, together.tables) == (apart.certified, apart.tables)
    assert 0.99 * apart.attack <= together.attack <= together.certified
    assert together.of_mu is not None
    assert asked == [theorem_eps(Sampler(12, 2), 1e-3)]
    assert alone is None


@pytest.mark.parametrize(("sampler", "delta"), [(Sampler(2), 0.1), (Sampler(10), 1e-6), (Sampler(1000), 1e-9)])
def test_the_curve_of_the_theorem_lies_between_its_gaussian_and_the_bound_of_bun_and_steinke(
    sampler: Sampler, delta: float
) -> None:
    """The Gaussian mechanism's delta at this eps is at most delta; Bun and Steinke (2016, Proposition 1.3) convert its
    Renyi divergences less sharply."""
    mu, eps = sampler.theorem_mu, theorem_curve(sampler).eps(delta)
    exact = ndtr(mu / 2 - eps / mu) - math.exp(eps + log_ndtr(-mu / 2 - eps / mu))
    assert 0 < exact <= delta
    assert eps <= mu**2 / 2 + mu * math.sqrt(2 * math.log(1 / delta))
