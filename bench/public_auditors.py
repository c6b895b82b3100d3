"""Public auditors and public samplers, in an environment of their own: what they certify, and what they draw.

`auditors.py public` makes the environment, outside of the tree, and runs this file there; nothing of ours is imported.
What installs: jax-privacy (its auditor of canary scores alone, which needs no jax), privacy-estimates, OpenDP and
diffprivlib. DP-Auditorium, DP-Sniper, Delta-Siege and the code of most papers are not among the packages of PyPI, and
are left out.

    python public_auditors.py estimate SCORES.npz    a line of JSON for every case
    python public_auditors.py draw FOLDER TRIALS     a file of draws for every sampler and either input
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

SIGNIFICANCE, SEARCH = 0.05, 0.25
RATES = 200  # thresholds that are tried


def canary_auditor() -> Any:
    """The module of jax-privacy, without the package around it."""
    found = find_spec("jax_privacy")
    assert found is not None
    assert found.submodule_search_locations is not None
    spec = spec_from_file_location("auditing", Path(found.submodule_search_locations[0]) / "auditing.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["auditing"] = module
    spec.loader.exec_module(module)
    return module


def by_canaries(how: str, left: Any, right: Any, delta: float) -> float:
    module = canary_auditor()
    auditor = module.CanaryScoreAuditor(right, left)
    if how == "one run":
        return float(auditor.epsilon_one_run(SIGNIFICANCE, max(delta, 1e-6)))
    strategy = module.Bonferroni() if how == "all thresholds" else module.Split(seed=0)
    return float(auditor.epsilon_clopper_pearson(SIGNIFICANCE, delta, False, threshold_strategy=strategy))


def by_counts(method: str, left: Any, right: Any, delta: float) -> float:
    """privacy-estimates, at the threshold, of either sign, that says most on a quarter of the scores."""
    from privacy_estimates import AttackResults, compute_eps_lo_hi

    search = int(len(left) * SEARCH)

    def at(sign: int, cut: float, part: slice, method: str) -> float:
        positive, negative = sign * right[part] >= cut, sign * left[part] >= cut
        counts = AttackResults(
            FN=int((~positive).sum()), FP=int(negative.sum()), TN=int((~negative).sum()), TP=int(positive.sum())
        )
        return float(compute_eps_lo_hi(count=counts, delta=delta, alpha=2 * SIGNIFICANCE, method=method)[0])

    ranks = np.linspace(0.002, 0.998, RATES)
    tried = [
        (at(sign, cut, slice(search), "beta"), sign, cut)
        for sign in (1, -1)
        for cut in np.unique(np.quantile(sign * np.concatenate([left, right]), ranks))
    ]
    _, sign, cut = max(tried)
    return at(sign, cut, slice(search, None), method)


AUDITORS: dict[str, Callable[[Any, Any, float], float]] = {
    "jax-privacy, all thresholds": partial(by_canaries, "all thresholds"),
    "jax-privacy, split": partial(by_canaries, "split"),
    "jax-privacy, one run": partial(by_canaries, "one run"),
    "privacy-estimates, Clopper-Pearson": partial(by_counts, "beta"),
}


def estimates(file: str) -> Iterator[dict[str, Any]]:
    """Of every case in the file, NAME/left, NAME/right and NAME/delta: what each auditor certifies, or why it does
    not."""
    scores = np.load(file)
    for name in dict.fromkeys(key.rpartition("/")[0] for key in scores):
        left, right, delta = (scores[f"{name}/{part}"] for part in ("left", "right", "delta"))
        for auditor, certify in AUDITORS.items():
            start = process_time()
            try:
                found: Any = certify(left, right, float(delta))
            except Exception as error:  # of somebody else's code: its own words
                found = f"{type(error).__name__}: {error}"[:100]
            yield {"case": name, "auditor": auditor, "eps": found, "seconds": process_time() - start}


def opendp_draws(kind: str, integers: bool, value: float, trials: int) -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    one = dp.atom_domain(T=int) if integers else dp.atom_domain(T=float, nan=False)
    number = int if integers else float
    metric = dp.l2_distance(T=number) if kind == "gaussian" else dp.l1_distance(T=number)
    measure = getattr(dp.m, f"make_{kind}")(dp.vector_domain(one), metric, scale=1.0)
    return measure([number(value)] * trials)


def diffprivlib_draws(kind: str, value: float, trials: int, **settings: Any) -> Any:
    from diffprivlib import mechanisms

    mechanism = getattr(mechanisms, kind)(**settings)
    given = int(value) if kind == "Geometric" else value
    return [mechanism.randomise(given) for _ in range(trials)]


SAMPLERS: dict[str, tuple[Callable[[float, int], Any], float, float]] = {
    "OpenDP, Laplace on floats, 0 and 1": (partial(opendp_draws, "laplace", False), 0.0, 1.0),
    "OpenDP, Laplace on floats, 8.3 and 9.3": (partial(opendp_draws, "laplace", False), 8.3, 9.3),
    "OpenDP, Laplace on integers": (partial(opendp_draws, "laplace", True), 0, 1),
    "OpenDP, Gaussian on floats, 0 and 1": (partial(opendp_draws, "gaussian", False), 0.0, 1.0),
    "OpenDP, Gaussian on integers": (partial(opendp_draws, "gaussian", True), 0, 1),
    "diffprivlib, Laplace, 0 and 1": (partial(diffprivlib_draws, "Laplace", epsilon=1.0, sensitivity=1.0), 0.0, 1.0),
    "diffprivlib, Snapping, 0 and 1": (
        partial(diffprivlib_draws, "Snapping", epsilon=1.0, sensitivity=1.0, lower=-50.0, upper=50.0),
        0.0,
        1.0,
    ),
    "diffprivlib, Geometric": (partial(diffprivlib_draws, "Geometric", epsilon=1.0, sensitivity=1), 0, 1),
}


def draw(folder: str, trials: int) -> Iterator[dict[str, Any]]:
    """Writes the draws of every sampler, and says where, or why there are none."""
    for place, (name, (draws, left, right)) in enumerate(SAMPLERS.items()):
        file = str(Path(folder) / f"{place}.npz")
        try:
            np.savez(file, **{side: draws(value, trials) for side, value in (("left", left), ("right", right))})
        except Exception as error:  # of somebody else's code: its own words
            file = f"{type(error).__name__}: {error}"[:100]
        yield {"sampler": name, "left": left, "right": right, "file": file}


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(print("run by `auditors.py public`, in an environment of its own"))
    made = estimates(sys.argv[2]) if sys.argv[1] == "estimate" else draw(sys.argv[2], int(sys.argv[3]))
    for each in made:
        print(json.dumps(each), flush=True)
