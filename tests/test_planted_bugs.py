"""Bugs planted in the source of the early stopping lemmas, of Max-Det and of the privacy audits: each is noticed by the
tests of `make test` that are named here. A change that alters no result is noticed by none of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.planted

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "_build", "out", "*.egg-info", "docs", "bench")
UNMARKED = "not planted and not thorough"

CHEN24, EXACT = "reference/papers/chen24", "proofs_checks/papers/chen24"
HISTORIES, MAX_DET = f"{CHEN24}/histories.py", f"{CHEN24}/algorithms/max_det.py"
SETS, ENUMERATION = f"{EXACT}/exact_sets.py", f"{EXACT}/enumeration.py"
EARLY = "tests/test_chen24_early_stopping.py"
DETERMINANTS = "tests/test_chen24_max_det.py"


class Bug(NamedTuple):
    """One change of the source, and the tests that notice it."""

    path: str
    was: str
    planted: str
    noticed_by: tuple[str, ...]  # as pytest names tests; none: the change alters no result


BUGS = {
    "ES stops after n rounds of any arm": Bug(
        HISTORIES,
        "pulled.count(iota) >= n",
        "len(pulled) >= n",
        (f"{EARLY}::test_lemma_4_3", f"{EARLY}::test_the_early_stopping_version_is_the_policy_cut_off"),
    ),
    "ES recommends arm 0 after an n-th pull in the last round": Bug(
        HISTORIES,
        "AUXILIARY in pulled if len(history) == policy.horizon else pulled.count(iota) >= n",
        "AUXILIARY in pulled or pulled.count(iota) >= n",
        (f"{EARLY}::test_a_last_pull_is_followed_by_no_pull_of_arm_0",),
    ),
    "ES stops one pull late": Bug(
        HISTORIES,
        "pulled.count(iota) >= n",
        "pulled.count(iota) > n",
        (
            f"{EARLY}::test_the_early_stopping_version_is_the_policy_cut_off",
            f"{EARLY}::test_the_early_stopping_version_reads_n_rewards_of_iota",
        ),
    ),
    "ES recommends iota after a reward of 1": Bug(
        HISTORIES,
        "return {AUXILIARY: Fraction(1)} if stopped else policy.after(history)",
        "leaks = len(history) == policy.horizon and (iota, Fraction(1)) in history\n"
        "        return {iota if leaks else AUXILIARY: Fraction(1)} if stopped else policy.after(history)",
        (f"{EARLY}::test_corollary_4_4", f"{EARLY}::test_the_early_stopping_version_is_the_policy_cut_off"),
    ),
    "the event counts an n-th pull: N <= n": Bug(
        ENUMERATION, "seen[:-1].count(iota) < n", "seen[:-1].count(iota) <= n", (f"{EARLY}::test_lemma_4_3",)
    ),
    "the loss along a path leaves out the last round": Bug(
        ENUMERATION,
        "for t in range(policy.horizon)\n        if (other",
        "for t in range(policy.horizon - 1)\n        if (other",
        (f"{EARLY}::test_a_loss_that_is_known",),
    ),
    "a chance along a path leaves out the beginning": Bug(
        ENUMERATION,
        "chance and chance * laws[paid].get(arm, 0)",
        "chance and laws[paid].get(arm, 0)",
        (f"{EARLY}::test_losses_by_paths_are_losses_by_tables",),
    ),
    "total variation is twice as large": Bug(
        ENUMERATION,
        "for v in values), Fraction(0)) / 2",
        "for v in values), Fraction(0))",
        (f"{EARLY}::test_the_total_variation_of_two_laws",),
    ),
    "powers always say at most": Bug(
        ENUMERATION,
        "return Fraction(value) ** exponent.denominator <= base**exponent.numerator",
        "return True",
        (f"{EARLY}::test_powers_are_compared_exactly",),
    ),
    "the algorithm's ES stops one pull late": Bug(
        f"{CHEN24}/algorithms/early_stopping.py",
        "room, counts = self.n - state.made,",
        "room, counts = self.n + 1 - state.made,",
        ("tests/test_chen24_policies.py::test_early_stopping_reads_and_pulls_iota_n_times_at_most",),
    ),
    "Max-Det takes the first of 95 % of the largest determinant": Bug(
        MAX_DET,
        "sizes >= sizes.max() - TOLERANCE",
        "sizes >= sizes.max() + np.log(0.95)",
        (f"{DETERMINANTS}::test_coefficients_of_the_chosen_arms_are_at_most_1",),
    ),
    "a local optimum is left at a coefficient of 1.5": Bug(
        MAX_DET, "<= 1 + TOLERANCE:", "<= 1.5:", (f"{DETERMINANTS}::test_many_subsets_give_a_local_optimum_and_say_so",)
    ),
    "coordinates are transposed": Bug(
        MAX_DET,
        "np.linalg.solve(features[list(chosen)].T, features.T).T",
        "np.linalg.solve(features[list(chosen)], features.T).T",
        (f"{DETERMINANTS}::test_doubles_choose_an_exact_maximiser",),
    ),
    "the determinant keeps its sign": Bug(
        SETS,
        "return abs(determinant([vectors[place] for place in chosen]))",
        "return determinant([vectors[place] for place in chosen])",
        (f"{DETERMINANTS}::test_lemma_g_1_for_all_tied_maximisers",),
    ),
    "the largest coefficient keeps its sign": Bug(
        SETS, "max(abs(beta) for", "max(beta for", (f"{DETERMINANTS}::test_a_coefficient_counts_by_its_size",)
    ),
    "the joint region is that of 20 times the level": Bug(
        "audit/statistics/region.py",
        "left, right = edge_p_values(level, weight, np.linspace(0, 1, REGION_CORNERS + 1))",
        "left, right = edge_p_values(20 * level, weight, np.linspace(0, 1, REGION_CORNERS + 1))",
        (
            "tests/test_joint_region.py::test_a_mechanism_that_attains_its_claim_is_accused_at_most_as_often_as_the_level_says",
        ),
    ),
    "a term of the Gaussian profile is 1 % too small": Bug(
        "reference/curves/conversions.py",
        "m.exp(eps) * m.ncdf(-eps / mu - mu / 2)",
        'm.number("0.99") * m.exp(eps) * m.ncdf(-eps / mu - mu / 2)',
        ("tests/test_curves.py::test_the_gaussian_profile_is_a_hockey_stick",),
    ),
    "neighbours may differ twice": Bug(
        "reference/bandits/adjacency.py",
        "if many > 1:",
        "if many > 2:",
        ("tests/test_neighbours.py::test_other_sides_are_refused",),
    ),
    "both sides of a pair draw the same noise": Bug(
        "audit/privacy/released_runs.py",
        "self.instance.address(side, purpose), together)",
        "self.instance.address(SIDES[0], purpose), together)",
        ("tests/test_policy_audit.py::test_the_sides_of_a_pair_draw_noise_of_their_own",),
    ),
    "greedy starts with the first vectors that span": Bug(
        MAX_DET,
        "far = int((rest * rest).sum(axis=1).argmax())",
        "far = int(((rest * rest).sum(axis=1) > 1e-9).argmax())",
        (),
    ),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, in which `dpbandits` is the copy."""
    return shutil.copytree(ROOT, tmp_path_factory.mktemp("planted") / "tree", ignore=LEFT_OUT, symlinks=True)


def failed(tree: Path, tests: set[str]) -> set[str]:
    """Those of some tests of `make test` that fail in the tree; all of them have to be there."""
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "-rA",
        "-m",
        UNMARKED,
        *sorted(tests),
    ]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    ended = {"PASSED": set(), "FAILED": set()}
    for row in done.stdout.splitlines():
        outcome, _, rest = row.partition(" ")
        if outcome in ended:
            ended[outcome].add(rest.partition("[")[0].partition(" - ")[0])
    assert ended["PASSED"] | ended["FAILED"] == tests, done.stdout + done.stderr
    return ended["FAILED"]


def test_without_a_bug_all_of_them_pass(tree: Path) -> None:
    assert not failed(tree, {test for bug in BUGS.values() for test in bug.noticed_by})


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_noticed(name: str, tree: Path) -> None:
    bug = BUGS[name]
    path = tree / bug.path
    source = path.read_text(encoding="utf-8")
    assert source.count(bug.was) == 1, f"{bug.path} no longer has {bug.was!r}: plant the bug where it is now"
    path.write_text(source.replace(bug.was, bug.planted), encoding="utf-8")
    asked = bug.noticed_by or {test for each in BUGS.values() if each.path == bug.path for test in each.noticed_by}
    try:
        assert failed(tree, set(asked)) == set(bug.noticed_by)
    finally:
        path.write_text(source, encoding="utf-8")
