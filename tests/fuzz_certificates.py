"""Hostile certificates by the thousand: mutated ones, and generated ones that are nearly true.

None may be accepted that does not hold, by an evaluation that shares nothing with the checker: mpmath at 120 digits
on the certificate's own strings, and quadrature. None may take long. The suite takes a few hundred; the long run is

    python tests/fuzz_certificates.py 10000
"""

from __future__ import annotations

import copy
import json
import random
import re
import resource
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any

import mpmath
from test_certificate_runs import exact_delta
from test_certificates import VALID

from dpbandits.proofs_checks.certificates import verify_any as verify
from dpbandits.proofs_checks.checker import expressions as checker_expressions
from dpbandits.proofs_checks.checker import intervals as checker_intervals
from dpbandits.proofs_checks.checker import untrusted as checker_untrusted

EXAMPLES = Path(__file__).parents[1] / "reports" / "example" / "certificates"
mp = mpmath.MPContext()
mp.dps = 120
DIGITS = 400  # of formulas, whose sides may be 1e75 and differ by 1e-77
CAPABLE = {
    "exp": mp.exp,
    "log": mp.log,
    "sqrt": mp.sqrt,
    "ncdf": mp.ncdf,
    "floor": mp.floor,
    "ceil": mp.ceil,
    "maximum": max,
    "minimum": min,
}
WORDS = re.compile(r"[A-Za-z]\w*|\d+(?:\.\d*)?(?:e[+-]?\d+)?", re.ASCII)


# -- the judge -----------------------------------------------------------------------------------------------


def number(text: str) -> Any:
    above, _, below = text.partition("/")
    return mp.mpf(above) / mp.mpf(below or 1)


def value(source: str, variables: dict[str, str]) -> Any:
    """The expression's value. Only of accepted certificates, whose expressions are arithmetic."""
    code = WORDS.sub(lambda word: f"number('{word[0]}')" if word[0][0].isdigit() else word[0], source)
    names = CAPABLE | {"number": number, "pi": +mp.pi} | {name: number(text) for name, text in variables.items()}
    return eval(code.strip(), {"__builtins__": {}}, names)


def holds(certificate: dict[str, Any]) -> bool:
    """Whether a certificate shows what it says, and its enclosures enclose."""
    if certificate["type"] == "formula":
        with mp.workdps(DIGITS):
            return formula_holds(certificate)
    eps, delta = (value(certificate[name], certificate["variables"]) for name in ("eps", "delta"))
    if certificate["type"] == "run":
        arms = len(certificate["rewards"])
        short = arms ** (certificate["horizon"] - arms * certificate["policy"]["prepulls"]) <= 2**14
        return bool(short and eps >= 0 and exact_delta(certificate, float(eps)) > delta > 0)
    chance = {"step": step_chances, "release": release_chances}[certificate["type"]]
    left, right = (chance(certificate, side) for side in ("left", "right"))
    rough = mp.mpf("0.02") if certificate["type"] == "step" and len(certificate["left"]) > 2 else mp.mpf(10) ** -17
    if certificate["type"] == "release":
        rough = mp.mpf(10) ** -9  # this quadrature's own
    stored = (certificate["left_probability"], left), (certificate["right_probability"], right)
    if any("within" in step for step in certificate.get("steps", ())):  # what is enclosed are other mechanisms as well
        near = all(
            number(ends[0]) <= true * (1 + rough) and number(ends[1]) >= true * (1 - rough) for ends, true in stored
        )
    else:
        near = all(abs(number(end) - true) <= rough * abs(true) for ends, true in stored for end in ends)
    return bool(near and eps >= 0 and delta >= 0 and left > mp.exp(eps) * right + delta and neighbours(certificate))


def formula_holds(certificate: dict[str, Any]) -> bool:
    p, q = (value(certificate[side], certificate["variables"]) for side in ("left", "right"))
    slack = mp.mpf(10) ** (20 - mp.dps)  # the judge's own rounding
    within, size = number(certificate["within"]), max(1, abs(p), abs(q)) * slack
    for left, right in certificate["given"]:
        a, b = (value(side, certificate["variables"]) for side in (left, right))
        if a > b + max(1, abs(a)) * slack:
            return False
    for side, true in (("left_enclosure", p), ("right_enclosure", q)):
        low, high = (number(end) for end in certificate[side])
        if not low - abs(true) * slack <= true <= high + abs(true) * slack:
            return False
    return bool({"<=": p > q, "<": p >= q - size, "==": abs(p - q) > within}[certificate["relation"]])


def step_chances(certificate: dict[str, Any], side: str) -> Any:
    means, scales = ([number(text) for text in certificate[field]] for field in (side, "scales"))
    if len(certificate["event"]) in (0, len(means)):
        return mp.mpf(bool(certificate["event"]))
    normal = certificate["noise"] == "gaussian"

    def cdf(x: Any) -> Any:
        return mp.ncdf(x) if normal else (mp.exp(x) / 2 if x < 0 else 1 - mp.exp(-x) / 2)

    def wins(i: int) -> Any:
        def density(x: Any) -> Any:
            own = mp.npdf(x) if normal else mp.exp(-abs(x)) / 2
            return own * mp.fprod(
                cdf((means[i] - means[j] + scales[i] * x) / scales[j]) for j in range(len(means)) if j != i
            )

        kinks = {(means[j] - means[i]) / scales[i] for j in range(len(means)) if abs(means[j] - means[i]) < 100}
        return mp.quad(density, sorted({-mp.inf, mp.mpf(-5), mp.mpf(0), mp.mpf(5), mp.inf} | kinks))

    if normal and len(means) == 2:
        i = certificate["event"][0]
        return mp.ncdf((means[i] - means[1 - i]) / mp.sqrt(scales[0] ** 2 + scales[1] ** 2))
    with mp.workdps(25):
        return sum(wins(i) for i in certificate["event"])


def release_chances(certificate: dict[str, Any], side: str) -> Any:
    """By quadrature over where the largest of the options, or of those that go, lies."""
    steps = certificate["steps"]

    def follow(place: int) -> Any:
        if place == -1:
            return mp.mpf(1)
        ways = steps[place]["releases"]
        return sum(kept_chance(certificate, side, steps[place], set(way["kept"])) * follow(way["next"]) for way in ways)

    with mp.workdps(20):
        return follow(0)


def kept_chance(certificate: dict[str, Any], side: str, step: dict[str, Any], kept: set[int]) -> Any:
    scales, size = [number(text) for text in step["scales"]], number(step["size"])
    sums = [mp.mpf(0)] * len(scales)
    factors = step.get("factors", ["1"] * len(step["windows"]))
    for (option, row, first, last), factor in zip(step["windows"], factors, strict=True):
        begin = 0
        for length, paid in zip(certificate["lengths"], certificate[side][row], strict=True):
            end = begin + int(Fraction(length))
            some = max(0, min(end, int(Fraction(last))) - max(begin, int(Fraction(first))))
            bound = step["bounds"][option]
            counts = bound == "inf" or abs(Fraction(paid)) <= Fraction(bound)
            sums[option] += number(factor) * some * number(paid) * counts
            begin = end
    means = [total / number(divisor) for total, divisor in zip(sums, step["divisors"], strict=True)]
    normal, within = step["noise"] == "gaussian", step["rule"] == "within"
    weights = step.get("weights")
    if step["rule"] == "between":
        return caught(step, kept, means, scales, normal)
    every = set(range(len(means if weights is None else weights)))
    if not kept or (not within and len(kept) != size) or (within and size == 0 and len(kept) > 1):
        return mp.mpf(0)
    if (not within and kept == every) or len(every) == 1:
        return mp.mpf(1)

    def below(j: int, x: Any) -> Any:
        z = (x - means[j]) / scales[j]
        return mp.ncdf(z) if normal else (mp.exp(z) / 2 if z < 0 else 1 - mp.exp(-z) / 2)

    def above(j: int, x: Any) -> Any:
        return below(j, 2 * means[j] - x)

    def between(j: int, low: Any, high: Any) -> Any:  # in the tail that it lies in: the other one has no digits left
        return above(j, low) - above(j, high) if low > means[j] else below(j, high) - below(j, low)

    if weights is not None:
        return beaten([[number(text) for text in row] for row in weights], kept, means, scales, normal, between)

    def largest(i: int) -> Any:
        def density(x: Any) -> Any:
            z = (x - means[i]) / scales[i]
            own = (mp.npdf(z) if normal else mp.exp(-abs(z)) / 2) / scales[i]
            if within:
                close = mp.fprod(between(j, x - size, x) for j in kept - {i})
                return own * close * mp.fprod(below(j, x - size) for j in every - kept)
            return own * mp.fprod(below(j, x) for j in every - kept - {i}) * mp.fprod(above(j, x) for j in kept)

        kinks = sorted({m + shift for m in means for shift in ((0, size) if within else (0,))})
        kinks = [kinks[0] - 60 * max(scales), *kinks, kinks[-1] + 60 * max(scales)]
        pieces = [  # exponentials are steep: quadrature needs a few scales at a time
            a + (b - a) * k / parts
            for a, b in pairwise(kinks)
            for parts in [1 + min(40, int((b - a) / min(scales) / 4))]
            for k in range(parts)
        ]
        return mp.quad(density, [*pieces, kinks[-1]], method="gauss-legendre")

    return sum(largest(i) for i in (kept if within else every - kept))


def caught(step: dict[str, Any], kept: set[int], means: Any, scales: Any, normal: bool) -> Any:
    """That the value lies in this interval, by quadrature over its density."""
    row = [number(text) for text in step.get("weights", [["1"]])[0]]
    mean = mp.fdot(row, means)
    scale = mp.sqrt(mp.fsum((w * s) ** 2 for w, s in zip(row, scales, strict=True)))
    ends = [-mp.inf, *((number(text) - mean) / scale for text in step["cuts"]), mp.inf]
    (place,) = kept
    low, high = max(ends[place], mp.mpf(-200)), min(ends[place + 1], mp.mpf(200))
    if low >= high:
        return mp.mpf(0)
    inner = [x for x in range(-200, 201, 2) if low < x < high]
    return mp.quad(lambda x: mp.npdf(x) if normal else mp.exp(-abs(x)) / 2, [low, *inner, high])


def beaten(weights: Any, kept: set[int], means: Any, scales: Any, normal: bool, between: Any) -> Any:
    """That every kept option beats every other one, by quadrature over the first of the noisy values."""
    bars = []
    for i in kept:
        for j in set(range(len(weights))) - kept:
            bars.append([a - b for a, b in zip(weights[i], weights[j], strict=True)])
            if not any(bars[-1]) and j < i:
                return mp.mpf(0)
    bars = [bar for bar in bars if any(bar)]
    far = 400 * max(scales) + 10 * abs(means[0])

    def density(x: Any) -> Any:
        low, high = (-mp.inf, mp.inf) if len(means) == 2 else (mp.mpf(0), mp.mpf(1))
        for a, *rest in bars:
            b = rest[0] if rest else mp.mpf(0)
            if b > 0:
                low = max(low, -a * x / b)
            elif b < 0:
                high = min(high, -a * x / b)
            elif a * x < 0:
                return mp.mpf(0)
        z = (x - means[0]) / scales[0]
        own = (mp.npdf(z) if normal else mp.exp(-abs(z)) / 2) / scales[0]
        if low >= high:
            return mp.mpf(0)
        return own * (between(1, low, high) if len(means) == 2 else 1)

    slopes = {-a / b for a, b in bars if b} if len(means) == 2 else set()
    kinks = {mp.mpf(0), means[0], *(means[1] / slope for slope in slopes if slope)}
    inner = sorted(kink for kink in kinks if abs(kink) < far)
    steps = [scales[0], *(scales[1] / abs(slope) for slope in slopes if slope)]
    ends = [inner[0] - 60 * scales[0], *inner, inner[-1] + 60 * scales[0]]
    pieces = [
        a + (b - a) * k / parts
        for a, b in pairwise(ends)
        for parts in [1 + min(60, int((b - a) / min(steps) / 4))]
        for k in range(parts)
    ]
    return mp.quad(density, [*pieces, ends[-1]], method="gauss-legendre")


def neighbours(certificate: dict[str, Any]) -> bool:
    left, right = certificate["left"], certificate["right"]
    if certificate["type"] == "step":
        moved = [abs(Fraction(a) - Fraction(b)) for a, b in zip(left, right, strict=True)]
        near = all(by <= Fraction(most) for by, most in zip(moved, certificate["sensitivities"], strict=True))
        return near and (certificate["changed"] == "all" or sum(by > 0 for by in moved) <= 1)
    least, most = map(Fraction, certificate.get("range", ("0", "1")))
    runs = certificate.get("lengths", ["1"] * len(left[0]))
    places = {
        (a, n if Fraction(runs[n]) == 1 else (n, again))
        for again in range(2)  # a run of several rewards counts twice
        for a in range(len(left))
        for n in range(len(left[a]))
        if Fraction(left[a][n]) != Fraction(right[a][n]) or not least <= Fraction(left[a][n]) <= most
    }
    return len(places if certificate["relation"] == "pull" else {n for _, n in places}) <= 1


# -- the attackers -------------------------------------------------------------------------------------------

NUMBERS = [
    "0",
    "1",
    "-1",
    "1e-5000",
    "1e5000",
    "1/3",
    "0.5",
    "2",
    "1e-30",
    "9" * 300,
    "1/0",
    "nan",
    "inf",
    "1e999999",
    "",
]
SOURCES = [
    "((10.5**5000)**5000)**5000", "exp(160000)", "exp(-160000)**2", "ncdf(-399)", "ncdf(16.9)",
    "(" * 300 + "1" + ")" * 300, "1 # x", "x\n", "\x1b[2K1", "ｘ", "pi", "floor(exp(99))",
    "maximum(" + ",".join(["1/3"] * 900) + ")", "0**0",
    "0**-1", "(-8)**(1/3)", "1_0", "1e5", "__import__('os')", "2**0.5", "log(1)", "sqrt(0)", "-" * 90 + "1",
]  # fmt: skip
OTHERS = [None, True, 1.5, float("nan"), 10**400, [], {}, "\ud800", "\u202e", [[0] * 90] * 90, {"x": {"x": {"x": []}}}]


def bases() -> list[dict[str, Any]]:
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(EXAMPLES.glob("*.json"))]
    return [make() for make in VALID.values()] * 6 + kept


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for key in list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield from places(node[key], (*path, key))


def bent(text: str, rng: random.Random) -> str:
    """The text with a small change, of a digit above all."""
    if not text:
        return "1"
    place = rng.randrange(len(text))
    old = text[place]
    new = (
        rng.choice("0123456789")
        if old.isdigit()
        else rng.choice(["+", "-", "*", "/", "**", ".", "e", "", " ", old * 2])
    )
    return text[:place] + new + text[place + 1 :]


def nudged(text: str, rng: random.Random) -> str:
    """A number that is off by a little; what is no number, bent."""
    try:
        return str(Fraction(text) * (1 + Fraction(rng.choice((-1, 1)), 10 ** rng.randint(3, 25))))
    except (ValueError, ZeroDivisionError):
        return bent(text, rng)


def mutated(certificate: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    out = copy.deepcopy(certificate)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        *parents, last = rng.choice(list(places(out)))
        place: Any = out
        for key in parents:
            place = place[key]
        old = place[last]
        match rng.randrange(8):
            case 0:
                place[last] = copy.deepcopy(rng.choice(OTHERS))
            case 1 if isinstance(place, list):
                place.insert(last, copy.deepcopy(old))
            case 1 | 2 if rng.random() < 0.3:
                del place[last]
            case 3:
                place[last] = rng.choice(NUMBERS)
            case 4 if isinstance(old, str):
                place[last] = rng.choice((old, "1")) + rng.choice("+-*/") + rng.choice(SOURCES)
            case 5 if isinstance(old, str) and len(old) < 100:
                place[last] = nudged(old, rng)
            case _ if isinstance(old, str):
                place[last] = bent(old, rng)
            case _ if isinstance(old, int):
                place[last] = old + rng.choice((-1, 1, 2, 10**6))
    return mended(out) if rng.random() < 0.6 else out


def mended(certificate: dict[str, Any]) -> dict[str, Any]:
    """With enclosures that fit what it now says, where this can be found out: so that only its substance is wrong."""
    if any(not isinstance(certificate.get(side), str) or len(certificate[side]) > 3000 for side in ("left", "right")):
        return certificate
    for side in ("left", "right"):
        try:
            with checker_untrusted.limited_effort(50_000):
                walker = checker_expressions.evaluator(certificate)
                true = Fraction(checker_intervals.low(walker.value(certificate[side], side)))
        except Exception:
            return certificate
        if not (true == 0 or (Fraction(1, 10**300) < abs(true) < 10**300 and true.denominator < 10**3000)):
            return certificate
        ulp = Fraction(10) ** (len(str(abs(true).numerator)) - len(str(true.denominator)) - 30)
        certificate[f"{side}_enclosure"] = [
            str((true / ulp).__floor__() * ulp),
            str((true / ulp + 2).__floor__() * ulp),
        ]
    return certificate


def source_of(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(["x", "y", "pi", str(rng.randint(0, 9)), f"{rng.random():.3f}", "1e-25"])
    a, b = source_of(rng, depth - 1), source_of(rng, depth - 1)
    return rng.choice(
        [
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / {b})", f"({a})**{rng.randint(-3, 4)}",
            f"exp(-({a}))",
            f"log(1 + ({a})**2)", f"sqrt(maximum({a}, {b}))", f"ncdf({a})", f"floor({a})", f"({a})**({b})", f"-{a}**2",
            f"minimum({a}, {b}, 1/3)", f"ceil({a} - {b})", f"({a} - {b})**3",
        ]
    )  # fmt: skip


def generated(rng: random.Random) -> dict[str, Any]:
    """A comparison of two sides that are often equal, or nearly so."""
    left = source_of(rng, rng.randint(1, 5))
    right = rng.choice(
        [left, f"{left} + 1e-{rng.randint(1, 90)}", f"{left} - 1e-{rng.randint(1, 90)}", source_of(rng, 2)]
    )
    if rng.random() < 0.3:
        left, right = right, left
    relation = rng.choice(["<=", "<", "=="])
    variables = {"x": rng.choice(["0.5", "2", "1/3", "-1.5", "1e-20", "17"]), "y": f"{rng.uniform(-3, 3):.4f}"}
    used = {name: text for name, text in variables.items() if re.search(rf"\b{name}\b", left + right)}
    return mended(
        VALID["formula"]()
        | {"left": left, "right": right, "relation": relation, "variables": used, "given": []}
        | {"within": rng.choice(["0", "1e-40", "1e-12"]) if relation == "==" else "0"}
    )


def hostile(count: int, seed: int) -> Iterator[dict[str, Any]]:
    rng, known = random.Random(seed), bases()
    for _ in range(count):
        yield generated(rng) if rng.random() < 0.4 else mutated(rng.choice(known), rng)


def main(count: int) -> None:
    tally: Counter[str] = Counter()
    slowest, false = (0.0, ""), []
    for place, certificate in enumerate(hostile(count, 0)):
        start = process_time()
        found = verify(certificate)
        slowest = max(slowest, (process_time() - start, found.lines[0][:100]))
        tally["accepted" if found.ok else "failed" if "the checker failed" in found.lines[0] else "rejected"] += 1
        if found.ok and not holds(certificate):
            false.append((place, certificate))
        if "the checker failed" in found.lines[0]:
            print(place, found.lines[0])
        if place % 1000 == 999:
            print(f"{place + 1}: {dict(tally)}, {len(false)} false, slowest {slowest[0]:.2f} s", flush=True)
    print(f"{count} certificates: {dict(tally)}, {len(false)} accepted although false")
    print(f"slowest {slowest[0]:.2f} s ({slowest[1]}); {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    for place, certificate in false[:5]:
        print(place, json.dumps(certificate)[:1500])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
