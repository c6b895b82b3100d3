"""What laws, and all that is made of them, say that they may be off by: counted a second time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
from flint import arb
from mpmath import mpf
from mutants_sajed19 import SMALL
from scipy.special import ndtr

from dpbandits import Pair, Pulls, flipped
from dpbandits.proofs_checks.exact.engine import LAW_ERROR, exact_profile, step_profile
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts, enumerated_profile
from dpbandits.proofs_checks.exact.privacy_loss_distribution import (
    LEAST_PROBABILITY,
    MIN_ERROR_MULTIPLE,
    privacy_loss_distribution,
)
from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile
from dpbandits.proofs_checks.exact.shifted_noise import NormalShift, shifted_noise_profile
from dpbandits.proofs_checks.exact.state_graph import state_graph, sums_error
from dpbandits.proofs_checks.papers import by_comparisons, phases
from dpbandits.proofs_checks.papers.phases import Chains, worst_change
from dpbandits.reference.bandits.policy import RELATIVE, Law
from dpbandits.reference.bandits.release_laws.argmax_law import ERROR
from dpbandits.reference.bandits.release_laws.checked import Accuracy, in_doubles, tolerance
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, NORMAL, integrals, wedges
from dpbandits.reference.bandits.release_laws.selections import laws as selection_laws
from dpbandits.reference.bandits.release_laws.selections.integrals import (
    CUT,
    DROP,
    GAUSS,
    TRAPEZOID,
    Nodes,
    Products,
    log_row_sums,
)
from dpbandits.reference.bandits.release_laws.selections.laws import Chances, argmax
from dpbandits.reference.bandits.release_laws.winners import MIN_LOG_CHANCE, released, winner
from dpbandits.reference.papers.chen24.algorithms import cones
from dpbandits.reference.papers.chen24.algorithms.fans import DIFFERENCE, combined, fan
from dpbandits.reference.papers.chen24.algorithms.wedges import wedges as fan_wedges
from dpbandits.reference.papers.ou24 import ALGORITHM_1
from dpbandits.reference.papers.sajed19 import DPSE

U = 2.0**-53
EXACT = {"rel": 1e-10, "abs": 0}


class Given(NamedTuple):
    """Pulls arm 0, and then an arm by what it paid: `unpaid` after 0, `paid` after 1. Its laws are off by `error`, and
    by `absolute_error`."""

    unpaid: tuple[float, ...]
    paid: tuple[float, ...]
    error: float = 0.0
    absolute_error: float = 0.0
    horizon: int = 2

    @property
    def arms(self) -> int:
        return len(self.paid)

    def init(self, trials: int) -> np.ndarray:
        return np.zeros(trials)

    def act(self, t: int, state: np.ndarray, noise: Any) -> Any:
        raise NotImplementedError

    def learn(self, t: int, state: np.ndarray, pulls: Pulls, sums: np.ndarray, noise: Any) -> np.ndarray:
        return np.asarray(state + sums[:, 0])

    def law(self, t: int, state: np.ndarray) -> Law:
        every = np.broadcast_to(np.eye(self.arms, dtype=np.int64), (len(state), self.arms, self.arms))
        chance = np.where(state[:, None] > 0, self.paid, self.unpaid) if t > 1 else every[:, 0].astype(float)
        return Law(every, chance, None, self.error, self.absolute_error)


def pair(policy: Given) -> Pair:
    return flipped("pull", np.zeros((policy.arms, policy.horizon)), 0, 0, 1.0)


UNPAID, PAID = (0.5, 0.3, 0.2), (0.4, 0.35, 0.25)


# -- the forward pass ------------------------------------------------------------------------------------------------


def passed(policy: Given, deep: bool = False, tiny: float = 1e-15) -> ExactProfile:
    return privacy_loss_distribution(
        state_graph(policy, pair(policy)), 0.01, tiny, np.array([0.0, 1.0, 2.0]) if deep else None
    )


def moved_by(absolute_error: float, chance: float) -> float:
    """What a blur may change the logarithm of a chance by, downwards, which is more than upwards."""
    return float(mpmath.log(mpf(chance)) - mpmath.log(mpf(chance) - mpf(absolute_error)))


def share(error: float) -> float:
    """What a share of a chance may change its logarithm by, downwards."""
    return float(-mpmath.log1p(-mpf(error)))


@pytest.mark.parametrize(("error", "absolute_error"), [(0.0, 0.0), (1e-9, 0.0), (0.0, 1e-9), (1e-9, 1e-7)])
def test_the_drift_of_a_forward_pass_is_what_its_steps_say(error: float, absolute_error: float) -> None:
    """Of the first step the chance is 1, of the second at least 0.2. Roundings are 24 of a mass and 8 for each unit of
    the widest loss a step, and what a cell is summed of: below 100 here."""
    found = passed(Given(UNPAID, PAID, error, absolute_error))
    stated = 2 * share(error) + moved_by(absolute_error, 1.0) + moved_by(absolute_error, 0.2)
    rounded = found.log_error - stated
    assert found.step_absolute_error == absolute_error
    assert 2 * 24 * U < rounded + 1e-22 < 2 * 24 * U + 100 * U + 1e-6 * stated
    deep = passed(Given(UNPAID, PAID, error, absolute_error), deep=True).tail
    assert deep is not None
    assert deep.log_error == pytest.approx(
        stated + 2 * 8 * U + 8 * U * (1 + max(1.0, -np.log(0.2))), rel=1e-6 if absolute_error else 1e-10, abs=0
    )
    assert deep.sharp
    assert (deep.low, deep.high) == pytest.approx((np.log(0.2 / 0.25), np.log(0.5 / 0.4)), rel=1e-14, abs=0)


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("absolute_error", [0.0, 1e-9])
def test_what_is_impossible_on_one_side_alone_is_lost_above_and_told_below(absolute_error: float, deep: bool) -> None:
    """The upper pair loses both chances, with their blur; the lower one keeps what is certain of them."""
    found = passed(Given((0.5, 0.3, 0.2, 0.0), (0.4, 0.35, 0.0, 0.25), 0.0, absolute_error), deep)
    assert list(found.lost) == pytest.approx([0.2 + 2 * absolute_error, 0.25 + 2 * absolute_error], **EXACT)
    assert found.missing == (0, 0)
    faint = max(absolute_error, LEAST_PROBABILITY)  # what stands for 0
    left, right = (side[side > 0] for side in found.lower)
    assert sorted(left.tolist()) == pytest.approx(sorted([0.5, 0.3, 0.2 - absolute_error, faint]), **EXACT)
    assert sorted(right.tolist()) == pytest.approx(sorted([0.4, 0.35, 0.25 - absolute_error, faint]), **EXACT)
    assert found.upper.left.sum() == pytest.approx(0.8, rel=1e-9)
    if deep and absolute_error:
        assert found.tail is None  # nothing bounds the largest loss


def test_a_profile_keeps_what_was_lost_on_either_side() -> None:
    """Of a chance that is faint on the left alone both are lost, with their blur."""
    policy = Given((0.5, 0.5 - 5e-5, 5e-5), (0.4, 0.3, 0.3), 0.0, 1e-9)
    for deep in (False, True):
        found = exact_profile(policy, pair(policy), deep=deep)
        for gone in (found.lost, found.missing):
            assert gone == pytest.approx((5e-5 + 1e-9, 0.3 + 1e-9), rel=1e-8, abs=0)


def test_what_is_fainter_than_its_blur_allows_is_lost_and_missing() -> None:
    absolute_error, seldom = 1e-9, 0.9 * MIN_ERROR_MULTIPLE * 1e-9
    for share, kept in ((1.0, False), (1.2, True)):
        policy = Given((0.5, 0.5 - seldom * share, seldom * share), (0.4, 0.6 - 0.3, 0.3), 0.0, absolute_error)
        found = passed(policy)
        gone = [0.0, 0.0] if kept else [seldom + absolute_error, 0.3 + absolute_error]
        assert list(found.lost) == list(found.missing) == pytest.approx(gone, rel=1e-8, abs=0)


def test_a_blur_is_certain_from_twice_its_size() -> None:
    """A chance of 0 on one side and at most 2 blurs on the other tells nothing, but is missing."""
    for chance, told in ((1.9e-9, False), (2.1e-9, True)):
        found = passed(Given((0.5, 0.5 - chance, chance), (0.5, 0.5, 0.0), 0.0, 1e-9))
        assert (found.missing[0] == 0) == told
        assert np.isclose(found.lower.left, chance - 1e-9, rtol=1e-6, atol=0).any() == told
        assert found.missing[0] == pytest.approx(0.0 if told else chance + 1e-9, rel=1e-6, abs=0)


def test_a_chance_of_which_nothing_is_known_leaves_no_tail_and_no_relative_precision() -> None:
    assert passed(Given((0.5, 0.5), (1 - 1e-200, 1e-200)), deep=True).tail.sharp  # type: ignore[union-attr]
    assert not passed(Given((0.5, 0.5), (1 - 1e-295, 1e-295)), deep=True).tail.sharp  # type: ignore[union-attr]


# -- moments and enumerations ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("error", "absolute_error"), [(0.0, 0.0), (1e-9, 0.0), (1e-9, 1e-7)])
def test_an_enumeration_adds_up_errors_and_takes_the_largest_blur(error: float, absolute_error: float) -> None:
    """A step's product is rounded once, and so was each chance; 4 are allowed. No chance is below a transcript's."""
    policy = Given(UNPAID, PAID, error, absolute_error)
    found = enumerate_transcripts(policy, pair(policy))
    assert found.error == pytest.approx(2 * share(error), **EXACT)
    assert found.absolute_error == absolute_error
    wanted = 2 * share(error) + 2 * (moved_by(absolute_error, 0.2) + 4 * U)
    assert enumerated_profile(policy, pair(policy)).log_error == pytest.approx(
        wanted, rel=1e-6 if absolute_error else 1e-10, abs=0
    )


@pytest.mark.parametrize("least", [(1e-9, 0.0), (0.0, 1e-7), (1e-8, 1e-8)])
def test_chances_that_a_blurred_law_does_not_know_are_off_absolutely(least: tuple[float, float]) -> None:
    """Arm 2 may have the chance 1e-7 after either reward, or none: so that is added to either side of every event for
    each of the three arms and two steps, no divergence is known, and nothing at delta 0."""
    policy = Given((0.5, 0.5 - least[0], least[0]), (0.4, 0.6 - least[1], least[1]), 0.0, 1e-7)
    profile = enumerated_profile(policy, pair(policy))
    assert (profile.log_error, profile.step_absolute_error) == (2 * 4 * U, 1e-7)
    assert profile.absolute_error == pytest.approx(6e-7, **EXACT)
    for eps in (0.0, 0.1):
        low, high = (float(end) for end in profile.delta(eps))
        true = [0.1, max(0.5 - np.exp(eps) * 0.4, 0.6 - np.exp(eps) * 0.5)][eps > 0]
        assert true - 2e-6 < low <= true - 6e-7
        assert true + 6e-7 <= high < true + 2e-6
    low, high = profile.eps(0.0)
    assert low < np.log(0.6 / 1e-7)
    assert high == profile.mu()[1] == np.inf
    assert profile.renyi(2.0) == (0.0, np.inf)
    assert enumerated_profile(Given(UNPAID, PAID), pair(Given(UNPAID, PAID))).step_absolute_error == 0


@pytest.mark.parametrize("distance", [1e-9, 1e-3, 0.3, 2.0, 9.0, 30.0])
def test_the_curve_of_shifted_normal_values_lies_between_its_polylines(distance: float) -> None:
    """Also between their corners, which are close. Near 1, alpha is good to a unit of 1, and beta to as much."""
    x = np.linspace(-9 - distance, 9, 3_001)
    alpha, beta = ndtr(x), ndtr(-x - distance)
    low, high = (np.array(curve).T for curve in NormalShift(distance).tradeoff())
    for curve in (low, high):
        assert (np.diff(curve) * [[1], [-1]] >= 0).all()
        assert curve[:, -1].tolist() == [1, 0]
    below, above = (np.interp(alpha, *curve) for curve in (low, high))
    assert (below <= beta + 2 * U).all()
    assert (above >= beta - 2 * U).all()
    assert (above - below).max() < 0.003 * (distance + 1)
    assert (beta - below).max() < 1.25 * (above - beta).max()  # where tangents cross is as close as chords are


def test_sums_that_a_double_cannot_hold_add_to_the_law_s_error() -> None:
    """2^53 units of 2^-20 are 2^33; beyond, and for other rewards, T/3 of a law's error for each unit of the range."""
    policy = ALGORITHM_1(2, 3)

    def told(value: float, high: float) -> float:
        return sums_error(policy, flipped("pull", np.full((2, 3), value), 0, 0, 0.0, None, 0.0, high))

    assert told(2.0**-20, 1.0) == told(1.0, 2.0**33 / 3 - 1) == 0
    assert told(2.0**-21, 1.0) == pytest.approx(RELATIVE, **EXACT)
    assert told(1.0, 2.0**33 / 3 + 1) == pytest.approx(RELATIVE * (2.0**33 / 3 + 1), **EXACT)
    assert told(0.3, 0.5) == pytest.approx(RELATIVE, **EXACT)  # no range counts for less than [0, 1]
    policy = Given(UNPAID, PAID, 1e-9)
    odd = Pair("pull", np.array([[1.0, 0.3], [0.3, 0.3], [0.3, 0.3]]), np.array([[0.0, 0.3], [0.3, 0.3], [0.3, 0.3]]))
    assert enumerate_transcripts(policy, odd).error == pytest.approx(2 * (share(1e-9) + RELATIVE * 2 / 3), **EXACT)


class Stated(NamedTuple):
    """A mechanism that says what its law may be wrong by."""

    known: tuple[Accuracy, Accuracy]

    def law(self, values: Any) -> Any:
        return np.array([0.5, 0.25, 0.25]) if values[0] > 0 else np.array([0.25, 0.5, 0.25])

    def sample(self, values: Any, noise: Any) -> Any:
        raise NotImplementedError

    def accuracy(self, values: Any) -> Accuracy:
        return self.known[int(values[0] > 0)]


def test_a_step_s_profile_is_off_by_the_worse_of_its_two_laws() -> None:
    """An event may be off by the blur of each of its outcomes; no law is taken to be better than the gate can see."""
    step = SimpleNamespace(mechanism=None, left=(1.0, 0.0, 0.0), right=(0.0, 0.0, 0.0))
    for known, drift, absolute_error in (
        ((Accuracy(1e-7, 0.0), Accuracy(3e-7, 1e-9)), share(3e-7), 1e-9),
        ((Accuracy(3e-7, 2e-9), Accuracy(1e-7, 1e-9)), share(3e-7), 2e-9),
        ((Accuracy(0.0, 0.0), Accuracy(0.0, 0.0)), share(LAW_ERROR), 0.0),
    ):
        step.mechanism = Stated(known)
        found = step_profile(step)
        assert found.log_error == pytest.approx(drift, **EXACT)
        assert (found.absolute_error, found.step_absolute_error) == (3 * absolute_error, absolute_error)
        assert found.upper.left.tolist() == found.lower.left.tolist() == [0.5, 0.25, 0.25]
    assert LAW_ERROR == RELATIVE == 1e-11


@pytest.mark.parametrize(("radius", "known"), [(0.9e-13, True), (1.1e-13, False), (2.0, False)])
def test_a_chance_of_comparisons_is_known_far_better_than_a_law(radius: float, known: bool) -> None:
    ball = arb(0.25, 0.25 * radius)
    if known:
        assert by_comparisons.known_chance(ball) == 0.25
    else:
        with pytest.raises(ValueError, match="which may be 0 at this precision; increase"):
            by_comparisons.known_chance(ball)


# -- phases ----------------------------------------------------------------------------------------------------------


def test_the_loss_of_a_transcript_is_off_by_both_logarithms() -> None:
    left, right = np.array([-1.0, -5.0, -np.inf]), np.array([-2.0, -8.5, -np.inf])
    chains = Chains(np.zeros((3, 1, 2), dtype=np.int64), left, right, np.array([0.25, 0.125, 9.0]))
    assert chains.loss == (3.25, 18.0)  # what is impossible on both sides has no loss, and all of its error
    assert chains._replace(error=np.array([2.0, 2.0, 0.0])).loss == (0.0, 7.5)


def test_every_step_of_a_chain_rounds_its_logarithm() -> None:
    """By a unit of 1 and of what has been added up: 1 in the first step, which is certain; from the second on the
    logarithm of the phase that has left one arm. With a large unit, and beside what the phase itself says."""
    policy = DPSE(2, 600, 1.0, 0.5, SMALL)
    two = flipped("pull", np.zeros((2, 600)), 0, 0, 1.0)
    found = [phases.chains(policy, two, unit=unit) for unit in (2.0**-20, 0.0)]
    decided = (found[0].released[:, 1] > 0).sum(axis=1) == 1
    assert decided.sum() == 2
    steps = found[0].released.shape[1]
    sizes = np.maximum(np.abs(found[0].left), np.abs(found[0].right))
    wanted = 2.0**-20 * (steps + (steps - 1) * sizes)
    assert (found[0].error - found[1].error)[decided] == pytest.approx(wanted[decided], rel=1e-9, abs=0)
    rounds = policy.numbers(1, 2).rounds
    laws = [policy.survival(1, np.array([[ones, 0.0]]) / rounds) for ones in (0.0, 1.0)]
    stated = [float(max(law.error[0][k] for law in laws)) for k in range(2)]
    assert sorted(found[1].error[decided]) == pytest.approx(sorted(stated), rel=1e-6, abs=0)


def test_the_worst_phase_is_that_of_the_loss_that_is_certain() -> None:
    """Of two outcomes: a loss of 3, known to 2.5, and one of 2, known to 0.5."""
    sets = np.eye(2, dtype=np.bool_)

    def survival(means: Any) -> Chances:
        log = -2.0 - np.stack([3 * means[:, 0], 2 * means[:, 0]], axis=1)
        return Chances(sets, log, np.broadcast_to([1.25, 0.25], log.shape))

    found = worst_change(survival, 2, np.array([0.0, 1.0]), 1.0, 1.0)
    assert found.loss == (1.5, 2.5)
    assert found.kept == (1,)
    assert abs(found.changed - found.means[0]) == 1

    def unsure(means: Any) -> Chances:
        return survival(means)._replace(error=np.full((len(means), 2), 4.0))

    assert worst_change(unsure, 2, np.array([0.0, 1.0]), 1.0, 1.0).loss == (0.0, 11.0)


# -- shifts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [[0.5], [2.0, 2.0], [40.0]])
def test_the_drift_of_shifted_laplace_values_counts_every_cell(sizes: list[float]) -> None:
    """A value has 1000 pieces, or 200 of each of several, and one more cell. Of each cell: the sum, 64 roundings of
    what its terms are made of, 8 for each unit of an exponent; the shift is a quotient, good to 1e-12; places are good
    to 1e-11 of the grid; and the last exponential, of half of all losses, 8 for each unit."""
    found = shifted_noise_profile("laplace", sizes)
    cells = 1000 // len(sizes)
    grid = 2 * sizes[0] / cells
    each = U * (cells + 1 + 64 + 8 * sizes[0]) + 1e-12 * sizes[0] + 1e-11 * grid
    assert found.log_error == pytest.approx(len(sizes) * each + 8 * U * (sum(sizes) + grid), **EXACT)  # type: ignore


def test_a_normal_shift_knows_its_mu_to_a_trillionth() -> None:
    one = NormalShift(3.0)
    assert [end / 3 - 1 for end in one.mu()] == pytest.approx([-1e-12, 1e-12], rel=1e-3, abs=0)
    assert one.mu_low() == one.mu()[0]
    assert [end / 9 - 1 for end in one.renyi(2.0)] == pytest.approx([-1e-12, 1e-12], rel=1e-3, abs=0)


# -- selections ------------------------------------------------------------------------------------------------------


def products(lead: list[float], ratio: list[float], size: list[float], window: float = np.inf) -> Products:
    rows = [np.array([part]) for part in (lead, ratio, [window] * len(lead), size)]
    return Products(*rows)


@pytest.mark.parametrize("kind", [NORMAL, LAPLACE])
@pytest.mark.parametrize("window", [np.inf, 0.5])
def test_the_logarithm_of_an_integrand_is_off_by_what_its_factors_are(kind: Any, window: float) -> None:
    """Of a factor 4 units of what its argument is made of, by its slope, and 40 of its logarithm and one for each
    factor: 8 of log_ndtr, five times in a window. Of the density 16 units. Then the weighted sum over the nodes: here
    one, so n = 1, 4 DROP, and 2 units of the logarithm that stands before the sum."""
    given = products([-30.0, 2.0], [1.5, -0.5], [35.0, 2.0], window)
    z = np.array([3.0])
    y = np.array([-25.5, 0.5])
    logs = kind.log_window(y, np.full(2, window))
    slopes = kind.slope(y, np.full(2, window))
    moved = 4 * (np.array([35.0, 2.0]) + np.array([4.5, 1.5])) * slopes
    density = kind.log_density(z)[0]
    wanted = U * ((moved + 42 * (1 + np.abs(logs))).sum() + 16 * (1 + abs(density)))
    assert integrals.node_rounding(kind, given, z, logs[None])[0] == pytest.approx(wanted, **EXACT)
    found = log_row_sums(kind, given, Nodes(np.zeros(1, dtype=np.intp), z, np.array([-7.0])))
    total = density + logs.sum() - 7.0
    assert found.log[0] == pytest.approx(total, rel=1e-14)
    assert found.error[0] == pytest.approx(wanted + U * (1 + 4 * DROP + 2 * abs(total)), **EXACT)


def test_nodes_count_by_what_they_weigh() -> None:
    """Two nodes of different roundings, the second of e^-2 of the first's weight."""
    given, z = products([0.0], [1.0], [1.0]), np.array([0.0, 3.0])
    alone = [log_row_sums(NORMAL, given, Nodes(np.zeros(1, dtype=np.intp), z[[k]], np.zeros(1))) for k in (0, 1)]
    level = np.array([0.0, alone[0].log[0] - alone[1].log[0] - 2])
    both = log_row_sums(NORMAL, given, Nodes(np.zeros(2, dtype=np.intp), z, level))
    peak = abs(alone[0].log[0])
    off = [each.error[0] - U * (1 + 4 * DROP + 2 * abs(each.log[0])) for each in alone]
    share = np.exp(-2) / (1 + np.exp(-2))
    wanted = (1 - share) * off[0] + share * off[1] + U * (2 + 4 * DROP + 2 * peak)
    assert both.error[0] == pytest.approx(wanted, **EXACT)
    assert both.log[0] == pytest.approx(alone[0].log[0] + np.log1p(np.exp(-2)), rel=1e-14)


@pytest.mark.parametrize(("kind", "rule"), [(NORMAL, TRAPEZOID), (LAPLACE, GAUSS)])
def test_a_chance_is_off_by_its_worst_integral_the_rule_and_the_ends(
    kind: Any, rule: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With roundings set to nothing, only the rule's error and the ends are left; both ends lose e^-45 46 at most, as
    an integral and as a sum over nodes."""
    for module in (integrals, selection_laws):
        monkeypatch.setattr(module, "UNIT_ROUNDOFF", 0.0)
    assert argmax(kind, [[0.0, 0.3, 1.0]], 1.0).error == pytest.approx(rule + CUT, **EXACT)
    assert 2 * np.exp(-DROP) * (1 + DROP) <= CUT <= 4 * np.exp(-DROP) * (1 + DROP)
    assert (TRAPEZOID, GAUSS) == (2e-16, 1e-16)


def test_a_sum_of_integrals_is_off_by_the_worst_and_a_few_roundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of three arms selected: two integrals, the error of the worse one, and arms + 4 units and one of the peak."""
    given = SimpleNamespace(logs=np.array([-3.0, -5.0]), errors=np.array([1e-9, 4e-9]))
    monkeypatch.setattr(selection_laws, "log_integrals", lambda kind, products: (given.logs, given.errors))
    sets = np.array([[True, True, False]])
    found = selection_laws.chances(NORMAL, np.zeros((1, 3)), np.ones((1, 3)), sets, None)
    assert found.log[0, 0] == pytest.approx(np.log(np.exp(-3) + np.exp(-5)), rel=1e-14)
    assert found.error[0, 0] == pytest.approx(4e-9 + U * (3 + 4 + 3), **EXACT)


@pytest.mark.parametrize("far", [0.5, 30.0])
def test_half_a_line_of_laplace_noise_is_off_by_what_one_piece_is(far: float) -> None:
    """Beyond its centre a half line is one piece: |det| 1, one ray, one point at L = far; its chance is e^-far/2. Of L
    and the count 4 units, of the logarithm of the size 4, of the divided difference DIFFERENCE; of its own logarithm a
    unit and 2; of the sum, its logarithm and its peak 1 + 8 + 2 units of it."""
    found = combined(LAPLACE, [[1.0], [0.0]], [[far]], 1)
    other = int(np.flatnonzero(found.sets[:, 1])[0])
    log = -far - np.log(2)
    assert found.log[0, other] == pytest.approx(log, rel=1e-14)
    wanted = 4 * (far + 1) + 4 * np.log(2) + DIFFERENCE + 2 + abs(log) + 1 + 8 + 2 * abs(log)
    assert found.error[0, other] == pytest.approx(U * wanted, **EXACT)


def test_half_a_line_of_normal_noise_is_one_logarithm() -> None:
    found = combined(NORMAL, [[1.0], [0.0]], [[3.0]], 1)
    assert found.error[0] == pytest.approx(U * (16 + 16 * np.abs(found.log[0])), **EXACT)


@pytest.mark.parametrize("size", [0.0, 5.0, 40.0])
def test_a_wedge_of_normal_noise_is_off_by_its_radius_and_its_nodes(
    size: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Units made 1: 8 of m times 2 m + 2 for a and c, LOST and 16, and the node's logarithm, on the weighted average;
    one for each of n nodes, 8, and 2 of the peak, the largest node's logarithm. The average of the logarithms, and the
    peak, lie below the logarithm of the sum by log n at most."""
    monkeypatch.setattr(wedges, "UNIT_ROUNDOFF", 1.0)
    monkeypatch.setattr(wedges, "GAUSS", 1e6)  # no panel is halved for it
    weights, mean = ((1.0, 0.0), (0.0, 1.0), (-1.0, -1.0)), np.array([size, 0.0])
    found, cut = (
        combined(NORMAL, weights, mean[None], 1),
        wedges.refine_angle_panels(fan_wedges(fan(weights, 1), mean[None])),
    )
    for row, (log, error) in enumerate(zip(found.log[0], found.error[0] - 1e6, strict=True)):
        nodes = int((cut.row == row).sum()) * len(wedges.PANEL_NODES)
        known = 8 * size * (2 * size + 2) + wedges.LOST + 16 + nodes + 8 + 3 * abs(log)
        assert 0 <= error - known <= 4 * np.log(nodes)
    assert wedges.LOST == 8 * 50.0**2


@pytest.mark.parametrize("size", [0.0, 3.0])
def test_a_cone_of_normal_noise_is_off_by_its_radius_and_its_nodes(
    size: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in two dimensions; twice Gauss's bound, once for each variable, and what panels that are left out may hold:
    each outcome has e^-LEFT_OUT of all."""
    weights = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (-1.0, -1.0, -1.0))
    mean, rays = np.array([size, 0.0, 0.0]), cones.rays_of(fan(weights, 1))
    monkeypatch.setattr(cones, "GAUSS", 1e-6)
    panels = cones.refine_square_panels(rays, mean, 4)
    before = cones.log_outcome_chances(rays, mean, panels, 4)
    monkeypatch.setattr(cones, "UNIT_ROUNDOFF", 0.0)
    rule = cones.log_outcome_chances(rays, mean, panels, 4)[1]
    assert rule == pytest.approx([2e-6 + len(rays.row) * np.exp(-50.0)] * 4, **EXACT)
    monkeypatch.setattr(cones, "GAUSS", 0.0)
    assert cones.log_outcome_chances(rays, mean, panels, 4)[1] == pytest.approx(
        [len(rays.row) * np.exp(-50.0)] * 4, **EXACT
    )
    monkeypatch.setattr(cones, "UNIT_ROUNDOFF", 1.0)
    for row, (log, error) in enumerate(
        zip(before[0], cones.log_outcome_chances(rays, mean, panels, 4)[1], strict=True)
    ):
        nodes = int((rays.row[panels.cone] == row).sum()) * len(cones.CONE_NODES) ** 2
        known = 8 * size * (2 * size + 2) + cones.LOST + 32 + nodes + 8 + 3 * abs(log)
        assert 0 <= error - known <= 4 * np.log(nodes)


# -- laws of releases ------------------------------------------------------------------------------------------------


def test_a_selection_as_a_law_is_off_by_its_chances_and_their_exponentials() -> None:
    """exp rounds an exponent of up to 700 once more. Below that a chance has its logarithm; where this is known to few
    digits it is stated as 0, and the law blurred."""
    sets = np.eye(3, dtype=np.bool_)
    log, error = np.array([[-0.5, -1.0, MIN_LOG_CHANCE - 1]]), np.array([[1e-9, 3e-9, 1.0]])
    faint = released(Chances(sets, log, error), sets * 1)
    assert faint.error == pytest.approx(3e-9 + 700 * U, **EXACT)
    assert faint.absolute_error == np.exp(-700.0)
    assert faint.chance[0, 2] == 0
    assert faint.log is None
    assert released(Chances(sets, log.clip(MIN_LOG_CHANCE), error), sets * 1).absolute_error == 0
    none = Chances(sets, np.where(log < -2, -np.inf, log), error)
    assert released(none, sets * 1).absolute_error == 0
    assert released(Chances(sets, log, np.minimum(error, 1.1e-7)), sets * 1).log is None
    deep = released(Chances(sets, log, np.minimum(error, 5e-9)), sets * 1)
    assert deep.error == pytest.approx(5e-9 + 700 * U, **EXACT)  # that of the least chance, too
    assert deep.absolute_error == 0
    assert np.array_equal(deep.log, log)
    assert in_doubles(deep).absolute_error == np.exp(-700.0)
    assert in_doubles(deep).chance[0, 2] == 0


def test_a_winner_s_law_is_off_by_the_absolute_error_in_its_least_chance() -> None:
    """ERROR of the least chance that is not integrated anew, as it may truly be."""
    law = winner(np.array([[0.0, 0.5, 1.0]]), np.ones((1, 3)))
    least = float(law.chance.min())
    assert law.error == pytest.approx(max(RELATIVE, ERROR / (least - ERROR)), **EXACT)
    near = winner(np.array([[0.0, 0.5, 1.0], [0.0, 2.4, 2.6]]), np.ones((1, 3)))
    assert 1e-3 < near.chance.min() < 0.1 * least
    assert near.error == pytest.approx(max(RELATIVE, ERROR / (float(near.chance.min()) - ERROR)), **EXACT)
    assert near.error > RELATIVE


def test_a_row_may_miss_1_by_its_error_and_by_every_outcome_s_blur_and_rounding() -> None:
    assert tolerance(1e-9, 1e-7, 5) == pytest.approx(1e-9 + 5 * (1e-7 + 2 * U), **EXACT)
