"""How far a promise of privacy is broken: eps or mu, promised and certified, as the report reads it off findings."""

from __future__ import annotations

import runpy
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbandits.reference.claims.codec import as_data
from dpbandits.reference.claims.findings import (
    Bound,
    Enclosure,
    FailingRange,
    Instance,
    PrivacyFound,
    Promise,
    Sampled,
    Side,
    table_item,
)
from dpbandits.reference.claims.model import Harm
from dpbandits.reference.curves import Gaussian
from dpbandits.reports import pages
from dpbandits.reports.drawn_once import excess_picture
from dpbandits.reports.figures import power_allowed
from dpbandits.reports.refutations import (
    PrivacyExcess,
    excesses,
    failing_ranges,
    gaussian_eps,
    holding_there,
    how_far,
    rounded,
    with_decimals,
)

MADE = runpy.run_path(str(Path(__file__).with_name("sample_findings.py")))
ARMS = "arms"  # the view
SIDES = (Side.BELOW, Side.ABOVE, Side.BELOW)


def refuted(name: str, *evidence: dict[str, Any], **fields: Any) -> dict[str, Any]:
    usual = {"where": "Theorem 9", "harm": str(Harm.GUARANTEE), "expect": ["REFUTED"], "summary": "so it is"}
    return dict(MADE["finding"](name, "REFUTED", evidence=list(evidence), **(usual | fields)))


def step(eps: float, delta: str, left: str, right: str, arms: int = 2) -> dict[str, Any]:
    sides = {"left_probability": [left, left], "right_probability": [right, right]}
    return certificate("step", eps=str(eps), delta="delta", variables={"delta": delta}, scales=["1"] * arms, **sides)


def certificate(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "certificate", "certificate": {"type": kind, "claim": "made24/x", **fields}}


def formula(left: str, right: str, variables: dict[str, str], *given: list[str], relation: str = "<=") -> Any:
    ends = {"left_enclosure": ["0", "1"], "right_enclosure": ["0", "1"], "within": "0", "given": list(given)}
    return certificate("formula", left=left, right=right, relation=relation, variables=variables, **ends)


def instances(*rows: list[Any], unit: str = "eps") -> dict[str, Any]:
    """A finding's data. rows: name, promise, number promised at its delta, certified by the law and by samples (None
    for nothing), verdict."""
    made = []
    for name, promise, claimed, at, law, samples, verdict, *arms in rows:
        low, high, seen = (
            Bound(value, side, unit, at, "delta") for value, side in zip((law, law, samples), SIDES, strict=True)
        )
        made.append(
            Instance(
                name,
                verdict,
                Promise(promise, unit, claimed, at),
                *arms,
                law=None if law is None else Enclosure(low, high, claimed, law > claimed),
                sampled=None if samples is None else Sampled(seen, claimed, samples > claimed, 100),
            )
        )
    return as_data(PrivacyFound(tuple(made)))


def ranges(*rows: list[Any], heads: tuple[str, ...] = ("arms",)) -> dict[str, Any]:
    columns = [*heads, "fails from", "up to", "more"]
    fails = FailingRange("delta", len(heads), len(heads) + 1)
    return table_item("Where it fails", columns, [[*row, 1.0] for row in rows], fails)


def test_an_event_s_certificate_says_which_eps_is_certified_at_its_delta() -> None:
    """log((0.2397501 - 0.0001)/0.0786496) = 1.11418."""
    found = refuted("theorem-9", step(1.0318, "0.0001", "0.2397501", "0.0786496"), view=ARMS)
    assert how_far([found]) == "Certified: eps >= 1.114; claimed: 1.032, at delta = 0.0001 (2 arms)."
    (excess,) = excesses(found)
    assert excess.certified == pytest.approx(log((0.2397501 - 0.0001) / 0.0786496))
    several = [found, refuted("many", step(1.67, "1e-8", "0.00642", "0.000884", 100), view=ARMS)]
    assert how_far(several) == "Certified: eps >= 1.982; claimed: 1.67, at delta = 10⁻⁸ (100 arms)."
    assert "arms" not in how_far([refuted("other", step(1.0318, "0.0001", "0.2397501", "0.0786496"))])
    assert how_far([found | {"verdict": "PROVED"}]) == ""


@pytest.mark.parametrize(
    ("left", "right"),
    [("ncdf(lead)", "exp(eps) * ncdf(-lead) + delta"), ("ncdf(lead) - exp(eps) * ncdf(-lead)", "delta")],
)
def test_so_does_a_formula_of_two_chances(left: str, right: str) -> None:
    """Phi(1) = 0.841345, Phi(-1) = 0.158655, and log((0.841345 - 0.1)/0.158655) = 1.5418."""
    found = refuted("theorem-9", formula(left, right, {"eps": "1", "delta": "0.1", "lead": "1"}))
    assert how_far([found]) == "Certified: eps >= 1.541; claimed: 1, at delta = 0.1 (lead = 1)."


def test_without_a_factor_the_claimed_eps_is_0() -> None:
    """log((0.841345 - 0.1)/0.158655) = 1.5418 where delta alone is allowed."""
    found = refuted("theorem-9", formula("ncdf(lead)", "ncdf(-lead) + delta", {"delta": "0.1", "lead": "1"}))
    assert how_far([found]) == "Certified: eps >= 1.541; claimed: 0, at delta = 0.1 (lead = 1)."


@pytest.mark.parametrize(
    ("text", "other", "wanted"),
    [
        ("0.64", "0.5365", "0.6400"),
        ("1", "0.5", "1.0"),
        ("1.25", "1", "1.25"),
        ("10⁻⁸", "0.5", "10⁻⁸"),
        ("2", "1", "2"),
    ],
)
def test_both_numbers_have_as_many_decimals(text: str, other: str, wanted: str) -> None:
    assert with_decimals(text, other) == wanted


def test_the_errors_of_a_test_are_drawn_against_the_claim() -> None:
    """The event has probability 0.841345 on one input and 0.158655 on the other: alpha and beta are 0.158655, and
    (1, 0.1)-DP allows no beta below 0.9 - e 0.158655 = 0.46873."""
    made = formula("ncdf(lead)", "exp(eps) * ncdf(-lead) + delta", {"eps": "1", "delta": "0.1", "lead": "1"})
    drawn = excess_picture(refuted("theorem-9", made), made, "figure-1")
    assert drawn is not None
    assert drawn.svg
    assert "α = 0.1587 and β = 0.1587" in drawn.words
    assert "(eps = 1 at delta = 0.1) allows no β below 0.4687 there." in drawn.words
    assert drawn.rows[-1][:3] == ("certified", pytest.approx(0.158655, abs=1e-6), pytest.approx(0.158655, abs=1e-6))
    other = formula("exp(eps) - 1", "eps", {"eps": "1"})
    assert excess_picture(refuted("theorem-9", other), other, "figure-1") is None


@pytest.mark.parametrize("alpha", [1e-9, 0.1, 0.25, 0.3, 0.36, 0.9])
@pytest.mark.parametrize("delta", [0.0, 0.1, None])
def test_the_largest_power_is_that_of_the_claimed_curve(alpha: float, delta: float | None) -> None:
    """Also where its other branch binds: at alpha = 0.3, (1, 0)-DP allows 1 - 0.7/e = 0.7425 and not 0.3 e = 0.8155."""
    excess = PrivacyExcess("eps" if delta is not None else "mu", 1.0, 2.0, delta, test=(alpha, 1.0))
    assert power_allowed(excess) == pytest.approx(1 - float(excess.claimed.beta_at(np.array([alpha]))[0]), abs=1e-12)


def test_a_difference_that_no_axes_show_is_said_in_numbers() -> None:
    """With power Phi(-7) = 1.2798e-12 at size Phi(-12.2), 5-GDP allows Phi(-7.2) = 3.0106e-13."""
    made = formula("ncdf(-7)", "ncdf(x + 5)", {"x": "-12.1"}, ["ncdf(-12.2)", "ncdf(x)"])
    drawn = excess_picture(refuted("theorem-9", made), made, "figure-1")
    assert drawn is not None
    assert drawn.svg == ""
    words = drawn.words.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "has power 1.28 × 10⁻¹²" in words
    assert "(mu = 5) allows at most 3.011 × 10⁻¹³" in words
    assert words.endswith("The difference is too small for a picture.")


def test_nobody_is_told_the_number_of_a_reading_that_is_not_theirs() -> None:
    """The letter is broken further than what is meant, or alone in numbers: the words are about what is meant."""
    meant = refuted("theorem-9", step(1.0318, "0.0001", "0.2397501", "0.0786496"), view=ARMS)
    letter = refuted("theorem-9/letter", step(0.5, "0.0001", "0.2397501", "0.0786496"), reading="to the letter")
    words = refuted("theorem-9/words")
    assert how_far([letter, meant]) == how_far([meant])
    assert how_far([letter, words]) == how_far([words]) == ""
    assert how_far([letter]) != ""
    kept = MADE["finding"](
        "theorem-9/repaired",
        "PROVED",
        reading="repaired",
        found=instances(["one", "mu", 2.0, None, 1.0, None, "PROVED"], unit="mu"),
    )
    broken = refuted(
        "theorem-9/letter",
        found=instances(["one", "(0.5, 0.1)-DP", 0.5, 0.1, 1.0, None, "REFUTED"]),
        reading="to the letter",
    )
    assert holding_there([broken], [kept]) != ""
    assert holding_there([broken, words], [kept]) == ""


def test_a_power_above_its_test_s_size_says_which_mu_is_certified() -> None:
    """A size of at most Phi(-2), a power of Phi(1): mu is 3."""
    made = formula("ncdf(1)", "ncdf(x + sqrt(4))", {"x": "-1.5"}, ["ncdf(-2)", "ncdf(x)"])
    assert how_far([refuted("theorem-9", made)]) == "Certified: mu >= 3; claimed: 2."


@pytest.mark.parametrize(
    "item",
    [
        formula("1 / 2", "exp(eps) * 1 / 4 + delta", {"eps": "0.1", "delta": "0.1"}),
        formula("exp(eps) - 1", "eps", {"eps": "1"}),
        formula("ncdf(1)", "exp(eps) * ncdf(-1) + delta", {"eps": "1", "delta": "0.1"}, relation="=="),
        formula("ncdf(1)", "exp(eps) * ncdf(-1) + delta", {"eps": "2", "delta": "0.1"}),  # which is true
        formula("ncdf(x)", "ncdf(x + 1)", {"x": "0"}),
        formula("ncdf(", "exp(eps) * ncdf(-1) + delta", {"eps": "1"}),
        step(1.0, "0.5", "0.3", "0.1"),  # no more than delta
        step(1.0, "0", "0.3", "0"),  # no eps at all
        certificate("run", eps="1", delta="0", variables={}),
        certificate("step", eps="n" * 9, delta="0", variables={}, left_probability=[1], right_probability=[1]),
        MADE["formula_certificate"]("made24/x"),
        {"kind": "text", "text": "nothing"},
    ],
)
def test_of_other_evidence_nothing_is_said(item: dict[str, Any]) -> None:
    assert how_far([refuted("theorem-9", item)]) == ""


def test_what_is_shown_is_never_more_than_what_is_certified() -> None:
    assert (rounded(1.11418, Side.BELOW, 4), rounded(1.0311, Side.ABOVE, 4)) == (1.114, 1.032)
    assert rounded(-12.8 + 5 + 12.8, Side.ABOVE, 4) == 5  # which doubles make a bit more than 5
    near = refuted("near", found=instances(["T=2", "1-GDP", 1.00001, None, 1.00003, None, "REFUTED"], unit="mu"))
    assert how_far([near]) == "Certified: mu >= 1.00003; claimed: 1.00001 (T=2)."


def test_an_exact_law_s_number_goes_before_a_certificate_s() -> None:
    name = "pulls=(1, 99 times 0), left=(1, 99 times 0), right=(100 times 0)"
    made = instances([name, "(eps(delta), delta)-DP", 1.67, 1e-8, 1.988, 0.7, "REFUTED", 100])
    weaker = step(1.67, "1e-8", "0.00642", "0.000884")
    found = refuted("theorem-9", weaker, found=made, view=ARMS)
    assert how_far([found]) == "Certified: eps >= 1.988; claimed: 1.67, at delta = 10⁻⁸ (100 arms)."
    unknown = refuted("theorem-9", weaker, found=None, view=ARMS)
    assert "1.982" in how_far([unknown])
    rows = [
        ["T=9", "(1, 1e-06)-DP", 1.0, 1e-6, 1.25, None, "REFUTED"],
        ["T=8", "(1, 1e-06)-DP", 1.0, 1e-6, 0.0, 1.5, "REFUTED"],
        ["T=7", "(1, 1e-06)-DP", 1.0, 1e-6, 1.9, None, "CONSISTENT"],
    ]
    told = "Certified: eps >= 1.5; claimed: 1, at delta = 10⁻⁶ (T=8)."
    assert how_far([refuted("x", found=instances(*rows))]) == told
    assert how_far([refuted("x", found=instances(*rows, unit="rho"))]) == ""
    nowhere = [[*row[:3], None, *row[4:]] for row in rows]  # at which delta?
    assert how_far([refuted("x", found=instances(*nowhere))]) == ""


@pytest.mark.parametrize("lacking", ["law", "claimed", "value"])
def test_an_instance_without_numbers_says_nothing(lacking: str) -> None:
    """A report is made of any document that its schema lets through."""
    made = instances(["T=9", "(1, 1e-06)-DP", 1.0, 1e-6, 1.25, None, "REFUTED"])
    (one,) = made["instances"]
    if lacking == "value":
        one["law"]["low"]["value"] = None
    elif lacking == "claimed":
        one["law"]["claimed"] = None
    else:
        one["law"] = None
    finding = refuted("x", ranges(["two", None, "up"]), found=made)
    assert how_far([finding]) == holding_there([finding], [finding | {"reading": "repaired"}]) == ""
    assert pages({**MADE["document"](), "findings": [finding], "headlines": []})


def test_words_about_an_instance_decide_nothing() -> None:
    """Its name and the name of its promise may say anything."""
    rows = [["pulls=(3 times 0, 2)", "at least (9, 0.5)-DP", 1.0, 0.0, 1.25, None, "REFUTED", 2]]
    told = "Certified: eps >= 1.25; claimed: 1, at delta = 0 (2 arms)."
    assert how_far([refuted("x", found=instances(*rows))]) == told
    large = instances([rows[0][0], "", 1e200, None, 1.25, None, "ARGUED"], unit="mu")
    huge = MADE["finding"]("r", "ARGUED", reading="repaired", found=large)
    assert holding_there([refuted("x", found=instances(*rows))], [huge]).endswith("mu = 10²⁰⁰ holds.")


def test_the_widest_range_is_told_with_its_settings() -> None:
    made = ranges([2, 2.45e-5, 0.151356], [3, 3.1e-5, 0.11], [100, 9.332e-13, 0.0457])
    wanted = "False for delta from 2.45 × 10⁻⁵ to 0.151 (2 arms) and for delta from 9.34 × 10⁻¹³ to 0.0457 (100 arms)."
    assert failing_ranges([refuted("theorem-9", made)]).replace("\N{NARROW NO-BREAK SPACE}", " ") == wanted
    one = ranges([2, "wide", 1e-3, 0.1], [3, "small", 2e-3, 0.05], heads=("K", "noise"))
    assert failing_ranges([refuted("x", one)]) == "False for delta from 0.001 to 0.1 (K = 2, noise = wide)."
    assert failing_ranges([refuted("x", MADE["table"]())]) == ""


def test_a_repair_s_numbers_are_those_at_the_same_place() -> None:
    broken = [
        ["a", "(1, 0.01)-DP", 1.0, 0.01, 1.1, None, "REFUTED"],
        ["b", "(1, 0.01)-DP", 1.0, 0.01, 1.9, None, "REFUTED"],
        ["c", "(1, 0.01)-DP", 1.0, 0.01, 1.5, None, "REFUTED"],
    ]
    finding = refuted("theorem-9", found=instances(*broken))

    def repaired(unit: str, *rows: list[Any], verdict: str = "ARGUED") -> list[dict[str, Any]]:
        found = instances(*([*row, 0.0, None, "CONSISTENT"] for row in rows), unit=unit)
        return [MADE["finding"]("theorem-9/repaired", verdict, reading="repaired", found=found)]

    mu = repaired("mu", ["a", "0.5-GDP", 0.5, None], ["c", "0.7-GDP", 0.7, None])
    eps = gaussian_eps(0.7, 0.01)
    assert Gaussian(0.7).delta_at(eps) <= 0.01 < Gaussian(0.7).delta_at(eps - 1e-9)
    told = holding_there([finding], mu)
    assert told.startswith("Where eps = 1 is claimed at delta = 0.01 (c) and at least 1.5 is certified, eps = 1.")
    assert told.endswith(" holds, implied by 0.7-GDP.")
    other = repaired("eps", ["b", "(2, 0.01)-DP", 2.0, 0.01])
    claimed = "eps = 1 is claimed at delta = 0.01 (b) and at least 1.9 is certified"
    assert holding_there([finding], other) == f"Where {claimed}, eps = 2 holds."
    wider = repaired("eps", ["b", "(2, 0.1)-DP", 2.0, 0.1])
    assert holding_there([finding], wider).endswith(" eps = 2 holds with delta = 0.1.")
    assert holding_there([finding], repaired("mu", ["d", "0.7-GDP", 0.7, None])) == ""
    assert holding_there([finding], repaired("mu", ["c", "0.7-GDP", 0.7, None], verdict="CONSISTENT")) == ""


def test_a_theorem_that_several_settings_break_is_summed_up_on_every_page() -> None:
    """What to remember, the overview and the letter: each has the widest range, eps at one delta, and what holds."""
    name = "pulls=(1, 0), left=(1, 0), right=(0, 0)"
    two = refuted(
        "theorem-9",
        found=instances([name, "(1, 0.01)-DP", 1.0, 0.01, 1.1, None, "REFUTED", 2]),
        note="Two arms. Repaired: noise.",
    )
    many = refuted("theorem-9/many", step(1.0, "1e-8", "0.5", str(0.5 / exp(2))), view=ARMS)
    wide = refuted("theorem-9/formula", ranges([2, 1e-3, 0.1], [100, 1e-12, 0.05]))
    kept = instances([name, "1-GDP", 1.0, None, 0.9, None, "CONSISTENT", 2], unit="mu")
    repair = MADE["finding"]("theorem-9/repaired", "ARGUED", where="Theorem 9", reading="repaired", found=kept)
    made = pages({**MADE["document"](), "findings": [two, many, wide, repair], "errors": [], "headlines": []})
    for page in ("index.html", "papers/made24.html", "refuted/made24-theorem-9.html"):
        assert "False for δ from 0.001 to 0.1 (2 arms) and for δ from 10⁻¹² to 0.05 (100 arms)." in made[page], page
        assert "Certified: ε ≥ 1.999; claimed: 1, at δ = 10⁻⁸ (2 arms)." in made[page], page
        assert "which is false" not in made[page]
    claimed = "ε = 1 is claimed at δ = 0.01 (2 arms) and at least 1.1 is certified"
    kept_there = f"Where {claimed}, ε = 2.318 holds, implied by 1-GDP."
    for page in ("papers/made24.html", "refuted/made24-theorem-9.html"):
        assert kept_there in made[page], page
