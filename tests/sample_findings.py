"""A findings document with something of everything: all verdicts, all kinds of evidence, and awkward text.

Made up for the report's tests; it says nothing about any paper. runpy.run_path(...)["document"]() makes one.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

from dpbandits.reference.claims.codec import as_data
from dpbandits.reference.claims.findings import VariableRange, nearest, table_item

NORMAL = NormalDist()
AWKWARD = "a < b & \"c\" 'd' <script>alert(1)</script> </style> {{ 7 * 7 }} ε δ Φ⁻¹ 漢字 \N{RIGHT-TO-LEFT MARK}"


def beta(alpha: float, mu: float) -> float:
    """The trade-off function of mu-GDP."""
    return NORMAL.cdf(NORMAL.inv_cdf(1 - alpha) - mu) if 0 < alpha < 1 else 1 - alpha


def delta(eps: float, mu: float) -> float:
    """The privacy profile of mu-GDP."""
    return NORMAL.cdf(-eps / mu + mu / 2) - math.exp(eps) * NORMAL.cdf(-eps / mu - mu / 2)


def tradeoff(mu: float, true: float, slack: float = 0.0) -> dict[str, Any]:
    grid = [i / 200 for i in range(201)]
    return {
        "kind": "tradeoff",
        "title": f"Released arms of a single step against {mu:.3g}-GDP",
        "claimed": [[a, beta(a, mu)] for a in grid],
        "exact_low": [[a, max(0.0, beta(a, true) - slack)] for a in grid],
        "exact_high": [[a, min(1 - a, beta(a, true) + slack)] for a in grid],
        "points": [
            {"alpha": a, "beta": beta(a, true), "alpha_upper": a + 0.01, "beta_upper": beta(a, true) + 0.02}
            for a in (0.05, 0.1, 0.2, 0.4, 0.6)
        ],
    }


def profile(mu: float, true: float) -> dict[str, Any]:
    grid = [i / 10 for i in range(61)]
    return {
        "kind": "profile",
        "title": "Privacy profile over 1,000 rounds",
        "claimed": [[e, delta(e, mu)] for e in grid],
        "exact_low": [[e, 0.97 * delta(e, true)] for e in grid],
        "exact_high": [[e, min(1.0, 1.03 * delta(e, true))] for e in grid],
        "points": [{"eps": e, "delta_lower": 0.8 * delta(e, true)} for e in (0.0, 0.5, 1.0, 2.0)],
    }


def pulls() -> dict[str, Any]:
    times = [10**k for k in range(1, 6)]
    return {
        "kind": "lines",
        "title": "Mean pseudo-regret against the round",
        "x": "round",
        "y": "pseudo-regret",
        "log_x": True,
        "log_y": False,
        "series": [
            {"label": "claimed bound", "points": [[t, 90 * math.log(t)] for t in times], "style": "claimed"},
            {
                "label": "exact, b = 0",
                "points": [[t, 40 * math.log(t)] for t in times],
                "low": [36 * math.log(t) for t in times],
                "high": [44 * math.log(t) for t in times],
                "style": "exact",
            },
            {
                "label": "certified",
                "points": [[t, 50 * math.log(t)] for t in times],
                "low": [45 * math.log(t) for t in times],
                "high": [None, *(55 * math.log(t) for t in times[1:])],
                "style": "certified",
            },
            *(
                {"label": f"b = {b}", "points": [[t, b / 2 + 20 * math.log(t)] for t in times], "style": "other"}
                for b in (10, 100, 200, 400, 500)
            ),
        ],
    }


def regret() -> dict[str, Any]:
    settings = (
        "b = 0, c = 1",
        "b = 100, c = 1",
        "b = 1,000, c = 4 (the setting that the paper calls extreme)",
        AWKWARD,
    )
    rows = [
        {
            "label": label,
            "mean": 180.25 * (i + 1),
            "low": 171.5 * (i + 1),
            "high": 189.0 * (i + 1),
            "bound": None if i == 3 else 250000.0,
            "ratio": None if i == 3 else 180.25 * (i + 1) / 250000,
            "trials": 2000,
        }
        for i, label in enumerate(settings)
    ]
    rows.append({"label": "not run", **dict.fromkeys(("mean", "low", "high", "bound", "ratio", "trials"))})
    return {"kind": "regret", "title": "Pseudo-regret after 100,000 rounds", "rows": rows}


def certificate(claim: str, events: int = 6) -> dict[str, Any]:
    return {
        "kind": "certificate",
        "certificate": {
            "type": "release",
            "claim": claim,
            "parameters": {"horizon": "12"},
            "relation": "pull",
            "range": ["0", "1"],
            "lengths": ["1", "1", "1"],
            "left": [["0", "0", "0"], ["0", "0", "0"]],
            "right": [["1", "0", "0"], ["0", "0", "0"]],
            "steps": [[(i >> bit) & 1 for bit in range(12)] for i in range(events)],
            "eps": "1/2",
            "delta": "0.01",
            "variables": {"note": "<b>&amp;</b>"},
            "left_probability": ["0.30", "0.31"],
            "right_probability": ["0.10", "0.11"],
        },
    }


def formula_certificate(claim: str) -> dict[str, Any]:
    """1/2 <= Phi(-eps) + delta fails at eps = 2, delta = 1/10; the right side is 0.1227501319..."""
    return {
        "kind": "certificate",
        "certificate": {
            "type": "formula",
            "claim": claim,
            "relation": "<=",
            "left": "1 / 2",
            "right": "ncdf(-eps) + delta",
            "within": "0",
            "given": [],
            "variables": {"delta": "0.1", "eps": "2"},
            "left_enclosure": ["0.5", "0.5"],
            "right_enclosure": ["0.1227501319481792072", "0.1227501319481792073"],
        },
    }


def table(rows: int = 3) -> dict[str, Any]:
    return table_item(
        "Epsilons of 1-, 5- and 10-GDP at δ = 10⁻⁶",
        ["μ", "printed", nearest("computed"), "agrees", nearest("δ at the printed ε"), "remark"],
        [[i + 1, "4.88", 4.8839215 + i, i % 2 == 0, 1.00234567e-06, None if i else AWKWARD] for i in range(rows)],
    )


def finding(name: str, verdict: str, **parts: Any) -> dict[str, Any]:
    """A finding with plausible words where `parts` says nothing."""
    return {
        "id": f"made24/{name}",
        "paper": "made24",
        "section": "Section 3",
        "where": "Lemma 2 (arXiv: Lemma 3)",
        "quote": "The mechanism M satisfies √(1/2)-GDP with respect to observed rewards.",
        "reading": "printed",
        "scope": "",
        "fault": "",
        "harm": "",
        "statement": "delta <= ncdf(-eps / mu + mu / 2) - exp(eps) * ncdf(-eps / mu - mu / 2) for eps >= 0, mu > 0",
        "parts": [
            {
                "kind": "formula",
                "left": "delta",
                "sign": "<=",
                "right": "ncdf(-eps / mu + mu / 2) - exp(eps) * ncdf(-eps / mu - mu / 2)",
            },
            {"kind": "range", "text": "eps >= 0"},
            {"kind": "range", "text": "mu > 0"},
        ],
        "ranges": as_data([VariableRange("eps", 0.0), VariableRange("mu", 0.0)]),
        "given": "N >= 2, rewards in [0, 1]",
        "expect": ["CONSISTENT", "PROVED"],
        "note": "",
        "follows": [],
        "by": "",
        "verdict": verdict,
        "surprise": False,
        "summary": "What was found, in words with their numbers: 0.31 > e^0.5 · 0.11 + 0.01.",
        "evidence": [],
        "resolution": "",
        "rests_on": ["interval arithmetic"],
        "repro": f"dpbandits audit --claim made24/{name} --profile quick --seed 0",
        **parts,
    }


def document() -> dict[str, Any]:
    small = "made24/small-delta/printed"
    return {
        "schema": 5,
        "papers": {
            "made24": {
                "title": "A Made-Up Paper about Private Bandits",
                "authors": "A. Author, B. Author",
                "venue": "PROC 2024",
                "link": "https://example.invalid/made24",
                "read": "in a draft",
            }
        },
        "headlines": ["made24/nowhere", "made24/weak-privacy"],
        "version": "0.1.0",
        "profile": {"name": "quick", "trials": 20000, "search_rounds": 40, "levels": [0.9, 0.99]},
        "seed": 0,
        "risk": 1e-6,
        "errors": [
            {
                "id": "made24/broken",
                "error": f"Traceback:\n  line 1\nValueError: {AWKWARD}",
                "repro": "dpbandits audit -k broken",
            }
        ],
        "findings": [
            finding(
                "single-step",
                "CONSISTENT",
                resolution="A violation of 0.012 in β, with probability 0.9, at a risk of 8·10⁻⁹.",
                evidence=[
                    tradeoff(math.sqrt(0.5), 0.6, slack=0.01),
                    {"kind": "text", "text": "The worst pair found: one arm, 0 against 1.\n\nA second paragraph."},
                    table(),
                ],
            ),
            finding(
                "small-delta/printed",
                "REFUTED",
                where="Theorem 7",
                expect=["REFUTED"],
                note="The wrong direction of a bound.",
                repair="twice the noise (`made24/small-delta/repaired`).",
                fault="direction",
                harm="the guarantee that a user relies on fails",
                evidence=[tradeoff(0.4, 0.8), profile(1.0, 1.4), certificate(small), formula_certificate(small)],
            ),
            finding(
                "small-delta/repaired",
                "PROVED",
                reading="repaired",
                section="Appendix A",
                follows=["made24/single-step"],
                by="post-processing",
            ),
            finding("composition", "PROVED", follows=["made24/single-step", "other99/elsewhere"], by="Lemma 1"),
            finding(
                "weak-privacy", "CONSISTENT", evidence=[tradeoff(8.0, 6.0), profile(8.0, 6.0)], resolution="0.3 in μ."
            ),
            finding(
                "regret",
                "REFUTED",
                surprise=True,
                where="Theorem 5, first form (arXiv: Theorem 5, equation (9))",
                evidence=[regret(), pulls()],
            ),
            finding(
                "control",
                "CONSISTENT",
                surprise=True,
                expect=["REFUTED"],
                note="Known to be false: N = 2 is a counterexample.",
                resolution="Nothing below a factor of 3.",
            ),
            finding(
                "asymptotic",
                "UNSUPPORTED",
                expect=["UNSUPPORTED"],
                given="",
                summary="Unjudged: constants are hidden in O(·).",
            ),
            finding("equal-arms", "NOT_EXERCISED", surprise=True, summary="The views never varied."),
            finding(
                "argued",
                "ARGUED",
                expect=["ARGUED"],
                reading="ours",
                scope="a sharper one",
                rests_on=["exact algebra", "argument in words"],
            ),
            finding("small-horizon", "NOT_APPLICABLE", expect=["NOT_APPLICABLE"], note="T < bN."),
            finding(
                "awkward/" + "very-long-name-" * 6 + "<&>",
                "CONSISTENT",
                paper="odd99",
                where=AWKWARD,
                section=AWKWARD,
                quote=AWKWARD + " and so on. " * 60,
                scope=AWKWARD,
                statement="exp(eps) * " * 60 + AWKWARD,
                parts=[
                    {"kind": "words", "text": AWKWARD},
                    {"kind": "formula", "left": "exp(eps) * " * 60 + AWKWARD, "sign": "<", "right": "1"},
                    {"kind": "range", "text": f"integer {AWKWARD}"},
                    {"kind": "where", "left": AWKWARD, "sign": "<=", "right": "eps"},
                    {"kind": "expression", "text": AWKWARD},
                ],
                given=AWKWARD,
                note=AWKWARD,
                by=AWKWARD,
                summary=AWKWARD + " more words" * 40,
                resolution=AWKWARD,
                repro="dpbandits audit --claim 'x' " + "--option value " * 20 + AWKWARD,
                evidence=[
                    {"kind": "text", "text": AWKWARD},
                    table_item(AWKWARD, [], []),
                    table_item("wide", [nearest(f"column {i}") for i in range(24)], [[i / 7 for i in range(24)]]),
                    {
                        "kind": "lines",
                        "title": AWKWARD,
                        "x": AWKWARD,
                        "y": "$y$",
                        "log_x": True,
                        "log_y": True,
                        "series": [
                            {"label": AWKWARD, "points": [[0, 1], [1, 0], [1, 1], [2, 3], [None, 4]], "style": "other"},
                            {"label": "nothing", "points": [], "style": "exact"},
                        ],
                    },
                    {
                        "kind": "matrix",
                        "title": AWKWARD,
                        "of": "reading",
                        "names": [AWKWARD, "other"],
                        "columns": ["a", AWKWARD],
                        "cells": [["", "K = 3"], ["", ""]],
                    },
                    {"kind": "matrix", "title": "", "of": "", "names": [], "columns": [], "cells": []},
                    {
                        "kind": "lines",
                        "title": "no series",
                        "x": "x",
                        "y": "y",
                        "log_x": False,
                        "log_y": True,
                        "series": [],
                    },
                    {"kind": "tradeoff", "title": "", "claimed": [], "exact_low": [], "exact_high": [], "points": []},
                    {
                        "kind": "profile",
                        "title": "",
                        "claimed": [[1.5, 1e-5]],
                        "exact_low": [],
                        "exact_high": [],
                        "points": [],
                    },
                    {
                        "kind": "profile",
                        "title": "all zero",
                        "claimed": [[1, 0]],
                        "exact_low": [],
                        "exact_high": [],
                        "points": [],
                    },
                    {"kind": "regret", "title": AWKWARD, "rows": []},
                    certificate("odd99/awkward", events=700),
                ],
            ),
            finding(
                "bare",
                "UNSUPPORTED",
                paper="odd99",
                expect=[],
                where="",
                quote="",
                section="",
                statement="",
                parts=[],
                given="",
                summary="",
                repro="",
            ),
        ],
    }
