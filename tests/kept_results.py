"""Results on small inputs that `test_kept_results.py` compares with a record of them, kept_results.json.

Many tests check one side of a number: a lower bound is below the truth, an upper bound above it. A bound that becomes
looser, or a search that finds less, passes such tests. The record is the other side: a result that changes in either
direction differs from it.

    python tests/kept_results.py            computes all results again, and prints what changed, old -> new
    python tests/kept_results.py --write    as well, and writes them into the record

How to read a change, by the first part of the name of the result:

    search, mechanism, attack   lower bounds and refutations. Smaller numbers, or CONSISTENT where REFUTED was, are
                                worse. Other pairs of inputs with the same verdict and a bound as large are as good.
                                `bench/search_ablation.py` shows the effect on many policies.
    law                         "above" (upper) and "below" (lower) bounds of the exact engine: the closer, the better.
    upper, ceiling              upper bounds on eps: smaller ones are better if the tests of soundness pass.
    alignment, account          a bound on eps, or the fault that is found. "steps" and "runs" are effort.
    formula                     verdicts and effort ("boxes", "tried"): more effort for the same verdict is worse.
    limits, release             confidence limits, and bounds on rounding errors: the tighter, the better if the tests
                                of coverage and of errors pass.
    check, order                conclusions about policies: a change needs a reason in the policy or the statistics.

Write a change into the record only if you can say in the commit why each of the printed numbers moved.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import partial
from math import inf, isclose, isfinite
from pathlib import Path
from statistics import NormalDist
from typing import Any

import leaking_mechanisms
import numpy as np
from aligned_policies import LocalNoise
from late_leaks import BROKEN, RIGHT, noisy, reused, shrinking, without_noise_from
from leaks import LEAKS, Leaky
from linear_policies import LinearUCB, WithoutLaw
from own_policies import BROKEN as OWN_BROKEN
from own_policies import policy_of

from dpbandits import Approximate, Bernoulli, Finding, Gaussian, Step, Verdict, audit_mechanism, follows_law, laws
from dpbandits.audit.judges.effort import QUICK, Run
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.regret.orderings import judge_ordering
from dpbandits.audit.runner.dispatch import rounded_finding
from dpbandits.audit.statistics import betting, events, expectation, resolution
from dpbandits.extensions.conformance.frozen import replay_frozen
from dpbandits.extensions.thompson.answers import thompson_privacy
from dpbandits.extensions.thompson.ascent import worst_tables
from dpbandits.extensions.thompson.attack import attack
from dpbandits.extensions.thompson.bound import (
    certified_curve,
    for_given_arms,
    largest_losses,
    powers_bound,
    static_bound,
)
from dpbandits.extensions.thompson.calibrating import sufficient_variance
from dpbandits.extensions.thompson.ceiling import priced_ceiling
from dpbandits.extensions.thompson.coins import crossings, tangent_thresholds
from dpbandits.extensions.thompson.initial_tables import first_shapes, pair_of_shape
from dpbandits.extensions.thompson.least_noise import potential_eps
from dpbandits.extensions.thompson.many_arm_attack import many_arm_attack
from dpbandits.extensions.thompson.moments import moments
from dpbandits.extensions.thompson.potential import priced_moments, static_moments
from dpbandits.extensions.thompson.rival_thresholds import chance_above, chances_above
from dpbandits.extensions.thompson.rules import Sampler, theorem_eps
from dpbandits.extensions.thompson.run_certificates import run_certificate
from dpbandits.extensions.thompson.single_pull_attack import single_pull_attack
from dpbandits.extensions.thompson.worst_coins import search_worst_coins
from dpbandits.papers.azize22 import AdaPUCB
from dpbandits.papers.hu25 import DPTSUCB
from dpbandits.papers.ou24 import ThompsonSampling
from dpbandits.papers.sajed19 import DPSE
from dpbandits.proofs_checks.alignment.bounds import alignment_bound
from dpbandits.proofs_checks.alignment.noise_account import noise_account
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.exact.engine import exact_profile, step_profile, worst_event
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.search_or_prove import search_or_prove
from dpbandits.reference.bandits.adjacency import Pair, flipped
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.bandits.release_laws.mechanisms import GaussianNoisyMax, ReportNoisyMax
from dpbandits.reference.bandits.release_laws.winners import winner
from dpbandits.reference.claims.codec import as_data
from dpbandits.reference.claims.model import Claim, Inequality, Ordering, Private, Real, Source, Whole
from dpbandits.reference.curves import Curve, derived
from dpbandits.reference.papers.ou24 import REPAIRED

RECORD = Path(__file__).with_suffix(".json")
LONG = 12  # entries of a list or array that the record holds as they are
LONG_TEXT = 40  # letters; of longer texts the record holds the numbers
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
TOLERANCE = 1e-6  # relative; processors may differ in the last digits of numbers that are not printed
TINY = 1e-17  # absolute: below rounding errors
FEW = replace(QUICK, trials=2_000, pair_tries=2, pair_effort=200, steps=20_000)
ONE = Approximate(1.0)
STEP = Step(GaussianNoisyMax((1.0, 2.0, 0.5)), (0.0, 0.5, 3.0), (0.25, -0.5, 3.0), (1.0, 1.0, 1.0))
SMALL, LEVEL = Sampler(8, 2), 1e-3

# -- results as data ---------------------------------------------------------------------------------------------------

Leaf = str | int | float
LEFT_OUT = ("columns", "title", "claimed", "line", "tree", "name", "called", "kind", "side", "unit", "place", "method")


def kept(result: Any) -> dict[str, Leaf]:
    """The numbers and verdicts of a result, by their places in it; sentences are reduced to their numbers."""
    return {place: value for place, value in leaves(result) if value not in ("", "None", "False")}


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Leaf]]:
    """Every number and every short text of a result, with its place."""
    if isinstance(value, Finding):
        value = as_data(rounded_finding(value))
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if is_dataclass(value):
        value = {each.name: getattr(value, each.name) for each in fields(value)}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        for name, each in value.items():
            if name not in LEFT_OUT:
                yield from leaves(each, f"{place}/{name}" if place else str(name))
    elif isinstance(value, list | tuple) and len(numbers := plain_numbers(value)) > LONG:
        yield f"{place}, {len(numbers)} numbers, sum", float(numbers.sum())
        yield f"{place}, {len(numbers)} numbers, weighted", float(numbers @ np.linspace(0.0, 1.0, len(numbers)))
    elif isinstance(value, list | tuple):
        for index, each in enumerate(value):
            yield from leaves(each, f"{place}/{index}" if place else str(index))
    elif type(value) in (int, float) and isfinite(value):  # the floats of traced runs refuse to be read
        yield place, value
    else:
        text = value.name if isinstance(value, Enum) else str(value)
        text = type(value).__name__ if " object at 0x" in text else text
        yield place, text if len(text) <= LONG_TEXT else " ".join(NUMBER.findall(text))


def plain_numbers(values: Any) -> np.ndarray:
    """The finite numbers of a list, or of lists or mappings in it, that hold nothing else; otherwise none."""
    try:
        numbers = np.array([list(each.values()) if isinstance(each, Mapping) else each for each in values])
    except ValueError:
        return np.zeros(0)
    is_plain = np.issubdtype(numbers.dtype, np.number) or numbers.dtype == bool
    return np.nan_to_num(numbers.ravel().astype(float), posinf=0.0, neginf=0.0) if is_plain else np.zeros(0)


def changes(old: Mapping[str, Leaf], new: Mapping[str, Leaf]) -> list[str]:
    """A line for each place at which two results differ; numbers differ beyond the tolerance."""
    places = dict.fromkeys([*old, *new])
    return [f"{place}: {old.get(place)} -> {new.get(place)}" for place in places
            if not same(old.get(place), new.get(place))]  # fmt: skip


def same(old: Leaf | None, new: Leaf | None) -> bool:
    numbers = isinstance(old, int | float) and isinstance(new, int | float)
    return isclose(old, new, rel_tol=TOLERANCE, abs_tol=TINY) if numbers else old == new


# -- the results -------------------------------------------------------------------------------------------------------


def judged(policy: Any, curve: Curve = ONE, relation: str = "pull", view: str = "arms") -> Finding:
    """The finding about a policy that is claimed to satisfy this guarantee, from few trials."""
    says = Private(relation, view, lambda _: curve)
    claim = Claim("kept/claim", Source("kept", "here", "text"), says, expect=Verdict.CONSISTENT)
    return judge_private(claim, Run(FEW, 0, 1e-6), subject=policy)


def of_mechanism(name: str) -> Finding:
    subject = leaking_mechanisms.BROKEN[name]
    how = {**subject.claim, "trials": 2_000, "floating_point": subject.floating_point}
    return audit_mechanism(subject.mechanism, subject.left, subject.right, **how)


def formula(left: Any, right: Any, strict: bool = False, **ranges: Any) -> Finding:
    """The finding about left <= right in these ranges."""
    says = Inequality(left, right, ranges, strict=strict)
    claim = Claim("kept/claim", Source("kept", "here", "text"), says, expect=Verdict.CONSISTENT)
    return search_or_prove(claim, Effort(points=500, rounds=10, boxes=500, exact=8), 0)


def account(rule: Any, relation: str = "pull") -> Any:
    """How much noise protects the rewards of a policy with this rule, from few runs on tables of zeros and ones."""
    policy, places = noisy(rule)(6), np.arange(6 * 2 * 6).reshape(6, 2, 6)
    tables = [Pair(relation, table, table, None, 0.0, 1.0) for table in places * 7 % 5 % 2.0]
    return noise_account(policy, tables, 3, {"laplace": Fraction(1), "normal": Fraction(1)}, (1.0, 4.0), 100)


def orders() -> Finding:
    """The finding about two orders of the regret of two policies, the second of which is false."""
    easy = Bernoulli((0.9, 0.1))
    settings = {f"variance {v}": (REPAIRED(arms=2, horizon=60, variance=v), easy) for v in (0.5, 500.0)}
    one, other = settings
    says = Ordering(PSEUDO_REGRET, settings, ((one, other), (other, one)))
    claim = Claim("kept/claim", Source("kept", "here", "text"), says, expect=Verdict.CONSISTENT)
    return judge_ordering(claim, Run(replace(QUICK, experiment_runs=8), 0, 1e-9))


def two_sides() -> tuple[np.ndarray, np.ndarray]:
    """400 scores on each side: quantiles of N(0, 1) and of N(1.2, 1), in a mixed order."""
    normal, places = NormalDist(), np.arange(400)
    quantiles = np.array([normal.inv_cdf((place + 0.5) / 400) for place in places])
    return quantiles[places * 7 % 400], 1.2 + quantiles[places * 11 % 400]


def certified(curve: Curve) -> dict[str, Any]:
    """What scores certify against a claim: by events, by a mean, by bets; and what would be detected."""
    left, right = two_sides()
    planned = events.plan_tests_by_scores(left[:100], right[:100], curve, 300, LEVEL)
    bets, growth = betting.plan_naming_tests(left[:100], right[:100], curve)
    batches = [betting.bet_batch(bets, left[100:], right[100:])]
    return {
        "planned": planned,
        "events": events.certify_tests(left[100:], right[100:], planned, curve, LEVEL),
        "bets": (bets, growth, betting.log_betting_evidence(curve, batches)),
        "number": betting.certified_number(curve, batches, LEVEL),
        "detected": resolution.min_caught_violations(curve, 300, LEVEL),
    }


def mean_limits() -> dict[str, Any]:
    values = (np.arange(300) * 37 % 300 + 0.5) ** 2 / 300**2
    return {
        "Anderson": expectation.mean_limits_by_anderson(values, 0.0, 1.0, LEVEL),
        "Clopper-Pearson": expectation.mean_limits_by_clopper_pearson((values > 0.3) * 1.0, 0.0, 1.0, LEVEL),
        "staking": expectation.mean_limits_by_staking(values, 0.0, 1.0, LEVEL),
        "refuting, Anderson": expectation.refuting_by_anderson(300, 0.4, 0.0, 1.0, LEVEL, True),
        "refuting, Clopper-Pearson": [
            expectation.refuting_by_clopper_pearson(300, 0.4, 0.0, 1.0, LEVEL, upper) for upper in (True, False)
        ],
        "trials": resolution.trials_needed(Gaussian(1.0), 1.2, LEVEL),
    }


def releases() -> dict[str, Any]:
    """Laws of releases for fixed scores, each with its bounds on rounding errors."""
    scores = np.array([[0.0, 0.5, -1.25], [2.0, 2.0, 0.0]])
    scales = np.array([[1.0, 0.5, 2.0], [1.0, 1.0, 0.25]])
    return {
        "epsilon-greedy": laws.epsilon_greedy(scores, 0.1),
        "softmax": laws.softmax(scores, 0.5),
        "softmax, uniform": laws.softmax(scores, 0.5, 0.1),
        "inverse gaps": laws.inverse_gap_weighting(scores, 4.0),
        "largest": laws.largest(scores),
        "winner": winner(scores, scales),
        "winners": winner(scores, scales, 2),
        "largest noisy value": [GaussianNoisyMax((1.0, 0.5, 2.0)).winner(row) for row in scores],
        "largest Laplace value": [ReportNoisyMax(1.5).winner(row) for row in scores],
    }


def selections() -> dict[str, Any]:
    """Laws of selections by noisy values, as logarithms, with their bounds on rounding errors."""
    centres = np.array([[0.0, 0.5, -1.25], [2.0, 2.0, 0.0]])
    scales = np.array([[1.0, 0.5, 2.0], [1.0, 1.0, 0.25]])
    return {
        f"{name}, {kind.name}": law(kind, centres, scales, *more)
        for kind in (laws.NORMAL, laws.LAPLACE)
        for name, law, more in (
            ("argmax", laws.argmax, ()), ("two largest", laws.top, (2,)), ("survivors", laws.survivors, (1.0,))
        )
    }  # fmt: skip


def thompson_parts() -> dict[str, Any]:
    """Numbers of which the bounds on Thompson sampling are made."""
    two, three, sides = Sampler(10, 2), Sampler(10, 3), ("right", "left")
    thresholds = np.array([-1.0, 0.0, 1.0, 2.0])
    return {
        "coins": crossings(np.array([0.5, 0.5, 2.0]), thresholds[:3], thresholds[:3] + 1.5),
        "tangents": tangent_thresholds(0.5, (-2.0, 2.0), 0.5),
        "moments": {side: moments(two, side, 6, 4) for side in sides},
        "prices": priced_moments(two, "right", np.arange(11)),
        "static": static_moments(three, "left"),
        "other arms": chance_above(three, 2, 8, thresholds),
        "other arms, divided": chances_above(Sampler(10, 4), np.array([[2]]), range(8, 6, -1), thresholds[None]),
        "powers": {side: powers_bound(two, side, 4) for side in sides},
        "losses": largest_losses(two),
        "theorem": [theorem_eps(two, delta) for delta in (1e-6, 1e-3, 0.3)],
        "variance": sufficient_variance(two, 1.0, LEVEL),
        "potential": potential_eps(three, LEVEL),
        "arms": for_given_arms(Sampler(12, 3), static_bound(Sampler(12, 3)), 1e-6),
    }


def exact() -> dict[str, Any]:
    """Bounds of the exact engine on a pair of tables and on a step."""
    pair = flipped("pull", np.zeros((2, 4)), 0, 0, 1.0)
    profile = exact_profile(ThompsonSampling(2, 4), pair, 0.05)
    return {
        "errors": profile.tradeoff(),
        "least mu": derived.certified_lower_bound(Gaussian(1.0), profile),
        "event": worst_event(profile, 0.5),
        "step": step_profile(STEP).tradeoff(),
    }


def verified() -> dict[str, Any]:
    """What the checker prints about the certificates of the example report that take it little time."""
    folder = Path(__file__).parents[1] / "reports" / "example" / "certificates"
    return {path.stem: verify(json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.json"))
            if not path.stem.endswith(("algorithm-3", "many-arms"))}  # fmt: skip


def attacks() -> dict[str, Any]:
    """Lower bounds on eps of Thompson sampling, and the tables that searches find."""
    sampler = Sampler(12, 2)
    half = flipped("pull", np.array([[0.0] * 6, [0.5] * 6, [0.5] * 6]), 0, 0, 1.0)
    return {
        "shapes": [attack(sampler, pair_of_shape(sampler, each), 0.05).eps(LEVEL)
                   for each in first_shapes(sampler, LEVEL)],
        "ascent": worst_tables(sampler, LEVEL, 8, 5, 20.0),
        "coins": search_worst_coins(Sampler(10, 3), "pull", LEVEL, 20.0, 4),
        "one pull": single_pull_attack(Sampler(20, 3), "round", LEVEL, paths=100),
        "many arms": many_arm_attack(Sampler(6, 3), half, 6, 0.05, (-9.0, 9.0)).eps(LEVEL),
        "run": run_certificate(Sampler(4, 2), flipped("pull", np.zeros((2, 4)), 0, 0, 1.0), LEVEL, 4, 10.0),
    }  # fmt: skip


RESULTS: dict[str, Callable[[], Any]] = {
    **{f"search/late: {name}": partial(lambda make: judged(make(6)), BROKEN[name])
       for name in ("no noise from the 3rd pull", "a draw for two pulls", "half the noise in the second half")},
    "search/one in twenty": lambda: judged(Leaky(LEAKS["one in twenty"][0], 5, LEAKS["one in twenty"][1])),
    "search/private": lambda: judged(RIGHT["clipped means"](5), relation="round"),
    "search/contexts": lambda: judged(WithoutLaw(3), relation="user"),
    **{f"mechanism/{name}": partial(of_mechanism, name)
       for name in ("Laplace noise too small by 1.15", "normal noise too small by 1.15", "noise on a grid",
                    "row: shuffled", "row: running sums", "bits: normal noise by numpy", "nan for one input")},
    "law/Thompson sampling, GDP": lambda: judged(ThompsonSampling(2, 5), Gaussian(1.0)),
    "law/Thompson sampling, a round": lambda: judged(ThompsonSampling(2, 4), Approximate(0.5, 1e-3), "round"),
    "law/DP-SE": lambda: judged(DPSE(2, 10, eps=1.0)),
    "law/AdaP-UCB": lambda: judged(AdaPUCB(2, 6)),
    "law/LinUCB": lambda: judged(LinearUCB(3), relation="reward"),
    "law/profile": exact,
    "law/step": lambda: judged(STEP, Gaussian(1.0), "query"),
    "law/samples": lambda: judged(DPTSUCB(2, 6, 1.0), Gaussian(1.0), view="samples"),
    "attack/Thompson sampling": attacks,
    "attack/tables of two arms": lambda: thompson_privacy(SMALL, LEVEL)._replace(upper=None, worst=None),
    "upper/parts": thompson_parts,
    "upper/two arms": lambda: certified_curve(SMALL, smallest=1e-6).eps(LEVEL),
    "upper/three arms": lambda: certified_curve(Sampler(6, 3, 1), "round", smallest=1e-6).eps(LEVEL),
    "upper/any round": lambda: static_bound(Sampler(20, 3)).eps(LEVEL),
    "ceiling/prices": lambda: priced_ceiling(Sampler(12, 3), LEVEL),
    "alignment/Laplace": lambda: alignment_bound(LocalNoise(2, 4)),
    "alignment/normal": lambda: alignment_bound(LocalNoise(2, 3, kind="normal")),
    "alignment/reused": lambda: alignment_bound(LocalNoise(2, 3, reuses=True)),
    "account/shrinking": lambda: account(shrinking),
    "account/missing": lambda: account(without_noise_from(3)),
    "account/reused": lambda: account(reused),
    "formula/true inside": lambda: formula(lambda m, x: x * (1 - x), lambda m, x: m.number("0.26"), x=Real(0, 1)),
    "formula/tight": lambda: formula(lambda m, x: 1 + x, lambda m, x: m.exp(x), x=Real(-inf, inf)),
    "formula/three variables": lambda: formula(
        lambda m, x, y, z: x * y + y * z + z * x, lambda m, x, y, z: x * x + y * y + z * z + m.number("0.2"),
        x=Real(0, 1), y=Real(0, 1), z=Real(0, 1)),
    "formula/whole": lambda: formula(lambda m, n: n * n, lambda m, n: 2**n, n=Whole(0, 60)),
    "formula/false in a sliver": lambda: formula(
        lambda m, x: x * (1 - x), lambda m, x: m.number("0.2499"), x=Real(0, 1)),
    "formula/false at the end": lambda: formula(lambda m, x: 1 / x, lambda m, x: m.number("1e11"), x=Real(0, 1)),
    "formula/open": lambda: formula(
        lambda m, x, y: m.ncdf(x) * m.exp(y), lambda m, x, y: m.exp(y) - m.ncdf(-x) * m.exp(y) + m.number("1e-9"),
        x=Real(-3, 3), y=Real(0, 5)),
    **{f"limits/{curve}": partial(certified, curve)
       for curve in (Gaussian(1.0), Approximate(1.0), Approximate(0.5, 1e-3))},
    "limits/means": mean_limits,
    "release/laws": releases,
    "release/selections": selections,
    "check/certificates": verified,
    "check/replay": lambda: replay_frozen(AdaPUCB(2, 4), AdaPUCB(2, 4)),
    "check/right law": lambda: follows_law(ThompsonSampling(2, 4), ThompsonSampling(2, 4), trials=400),
    "check/wrong law": lambda: follows_law(policy_of(OWN_BROKEN[0], 4), ThompsonSampling(2, 4), trials=400),
    "order/regret": orders,
}  # fmt: skip


def recorded() -> dict[str, dict[str, Leaf]]:
    """The record: the numbers and verdicts of each result, by its name."""
    found: dict[str, dict[str, Leaf]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def main(arguments: Sequence[str]) -> None:
    old = recorded() if RECORD.exists() else {}
    new = {name: kept(result()) for name, result in RESULTS.items()}
    for name in dict.fromkeys([*old, *new]):
        for line in changes(old.get(name, {}), new.get(name, {})):
            print(f"{name}: {line}")
    if list(arguments) == ["--write"]:
        RECORD.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
