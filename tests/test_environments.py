"""Environments: sums of blocks, truncation, and the laws of random arms."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from fits import LEVEL, chi_square
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import seeds, tables
from vacuity import nonvacuous_if

from dpbandits import Bernoulli, Seeded, Stream, Table
from dpbandits.reference.bandits.environments import (
    TruncatedExponential,
    pulled_once,
    truncated_exponential,
    truncated_rewards,
)
from dpbandits.reference.bandits.heavy_tails import CHUNK, Pareto, TwoPoint
from dpbandits.reference.bandits.reward_rows import length_of
from dpbandits.reference.bandits.tapes import Tape

NO_NOISE = Tape({})


def block(counts):
    return np.array(counts, dtype=np.int64)


def paid(rewards, start, count, bound=None):
    """The naive twin, in exact arithmetic: the rewards of a block one after another, those above the bound as 0."""
    taken = [Fraction(float(r)) for r in rewards[start : start + count]]
    return sum((r for r in taken if bound is None or r <= Fraction(bound)), Fraction(0))


@st.composite
def blocks(draw, kind):
    """An environment, what was pulled before, and a block that it can still pay; two trials."""
    environment = kind(draw(tables()))
    arms, length = environment.rewards.shape
    made, counts = np.zeros((2, arms), dtype=np.int64), np.zeros((2, arms), dtype=np.int64)
    for trial in range(2):
        left = length
        for arm in range(arms):
            room = length if kind is Table else left
            made[trial, arm] = draw(st.integers(0, room))
            counts[trial, arm] = draw(st.integers(0, room - made[trial, arm]))
            left -= int(made[trial, arm] + counts[trial, arm])
    return environment, made, counts


def rounding(length):
    """How far a block's sum may be off: two prefix sums of at most `length` rewards of at most 1, each off by at
    most length * length/2 units of 2**-53 (every addition rounds a number of at most length), and one difference."""
    return (length**2 + length) * 2.0**-53


@given(case=blocks(Table))
@pytest.mark.nonvacuous(8)
def test_table_blocks(case):
    table, made, counts = case
    nonvacuous_if(counts.any() and table.rewards.any())
    sums = table.draw(1, made, counts, None, NO_NOISE)
    for index in np.ndindex(*counts.shape):
        exact = paid(table.rewards[index[1]], made[index], counts[index])
        assert abs(Fraction(sums[index]) - exact) <= rounding(table.rewards.shape[1])
        if counts[index] == 1:
            assert Fraction(sums[index]) == exact


@given(case=blocks(Table), bounds=st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0, 2.0]), min_size=10, max_size=10))
@pytest.mark.nonvacuous(8)
def test_table_blocks_truncated_per_trial_and_arm(case, bounds):
    table, made, counts = case
    bound = np.array(bounds)[: counts.size].reshape(counts.shape)
    nonvacuous_if(counts.any() and (table.rewards > bound.min()).any())
    sums = table.draw(1, made, counts, bound, NO_NOISE)
    for index in np.ndindex(*counts.shape):
        exact = paid(table.rewards[index[1]], made[index], counts[index], bound[index])
        assert abs(Fraction(sums[index]) - exact) <= rounding(table.rewards.shape[1])


@given(case=blocks(Stream), bound=st.sampled_from([None, 0.3, 1.0]))
@pytest.mark.nonvacuous(7)
def test_stream_blocks_are_paid_in_arm_order(case, bound):
    stream, made, counts = case
    nonvacuous_if(counts.any() and stream.rewards.any())
    sums = stream.draw(1, made, counts, bound, NO_NOISE)
    for trial in range(2):
        now = int(made[trial].sum())
        for arm in range(stream.arms):
            exact = paid(stream.rewards[arm], now, counts[trial, arm], bound)
            assert abs(Fraction(sums[trial, arm]) - exact) <= rounding(stream.rewards.shape[1])
            now += int(counts[trial, arm])


def test_stream_truncates_per_trial_and_arm():
    stream = Stream(np.array([[0.2, 0.9], [0.9, 0.2]]))
    counts, bound = block([[1, 1], [1, 1]]), np.array([[0.5, 0.1], [0.1, 0.5]])
    assert stream.draw(1, 0 * counts, counts, bound, NO_NOISE).tolist() == [[0.2, 0.0], [0.0, 0.2]]


@given(table=tables(arms=1), seed=seeds)
@pytest.mark.nonvacuous(7)
def test_adding_up_single_rewards_gives_exactly_the_prefix_sum(table, seed):
    """So a policy's total is one number per table and pull count, however its state was reached."""
    nonvacuous_if(np.count_nonzero(table) > 1)
    environment, total = Table(table), 0.0
    for n in range(table.shape[1]):
        total += environment.draw(n, block([[n]]), block([[1]]), None, NO_NOISE)[0, 0]
        assert total == environment.prefix[0, n + 1]


def test_dyadic_blocks_are_exact():
    rng = np.random.default_rng(1)
    rewards = rng.integers(0, 2**10 + 1, (2, 500)) / 2**10  # sums of 500 such numbers need 19 bits
    table, made, counts = Table(rewards), block([[17, 0]]), block([[300, 500]])
    exact = [paid(rewards[0], 17, 300), paid(rewards[1], 0, 500)]
    assert [Fraction(x) for x in table.draw(1, made, counts, None, NO_NOISE)[0]] == exact


def test_a_bound_is_inclusive_and_truncates_instead_of_clipping():
    table = Table(np.array([[0.5, 0.75]]))
    assert table.draw(1, block([[0]]), block([[2]]), 0.5, NO_NOISE).tolist() == [[0.5]]
    assert truncated_rewards(np.array([0.5, -0.5, 0.75, -0.75]), 0.5).tolist() == [0.5, -0.5, 0.0, 0.0]


@pytest.mark.parametrize("kind", [Table, Stream])
def test_pulls_beyond_the_rewards_are_an_error(kind):
    with pytest.raises(ValueError, match=r"step 9: (pull|round) 3.* has length 2; give a longer"):
        kind(np.ones((2, 2))).draw(9, block([[2, 0]]), block([[1, 0]]), None, NO_NOISE)


@pytest.mark.parametrize("kind", [Table, Stream])
@pytest.mark.parametrize(
    ("rewards", "message"),
    [
        ([[0.0, 1.2]], r"reward at \(0, 1\) is 1.2, outside \[0, 1\]; rescale"),
        ([[0.0], [-0.1]], r"reward at \(1, 0\) is -0.1"),
        ([[0.0, float("nan")]], r"reward at \(0, 1\) is nan"),
        ([[float("inf")]], r"reward at \(0, 0\) is inf"),
        ([0.0, 1.0], r"has shape \(2,\); it must have shape"),
        ([[[0.0]]], r"has shape \(1, 1, 1\); it must have shape"),
        (np.zeros((0, 3)), r"has shape \(0, 3\); it must have shape"),
        (np.zeros((2, 0)), r"has shape \(2, 0\); it must have shape"),
    ],
)
def test_rewards_that_are_no_table_are_refused(kind, rewards, message):
    with pytest.raises(ValueError, match=message):
        kind(rewards)


def test_a_table_does_not_follow_later_changes_of_its_source():
    source = np.zeros((1, 2))
    table = Table(source)
    source[0, 0] = 1.0
    assert table.rewards[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        table.rewards[0, 0] = 1.0


# -- random arms -------------------------------------------------------------------------------------------------

MEANS, RATES = (0.0, 0.3, 0.75, 1.0), (0.1, 1.0, 2.0, 10.0)
TRIALS = 40_000


@pytest.mark.parametrize("pulls", [1, 2, 7])
def test_bernoulli_blocks_and_single_pulls_are_binomial(pulls):
    environment, noise = Bernoulli(MEANS), Seeded(3, TRIALS)
    made = np.zeros((TRIALS, 4), dtype=np.int64)
    every = np.full((TRIALS, 4), pulls)
    blocks = environment.draw(1, made, every, None, noise)
    singles = np.zeros((TRIALS, 4))
    for arm in range(4):
        one = np.zeros((TRIALS, 4), dtype=np.int64)
        one[:, arm] = 1
        for pull in range(pulls):
            singles += environment.draw(10 + 10 * pull + arm, made, one, None, noise)
    for arm, mean in enumerate(MEANS):
        expected = TRIALS * stats.binom.pmf(np.arange(pulls + 1), pulls, mean)
        for sums in (blocks, singles):
            assert chi_square(np.bincount(sums[:, arm].astype(int), minlength=pulls + 1), expected) > LEVEL


HEAVY = [Pareto(2.5, (1.0, 2.0, 0.5, 3.0)), TwoPoint((4.0, 10.0, 1.0, 2.0), (0.25, 0.1, 0.9, 0.5))]
RANDOM = [Bernoulli(MEANS), TruncatedExponential(RATES), *HEAVY]
NAMES = ["bernoulli", "exp", "pareto", "two points"]


@pytest.mark.parametrize("environment", RANDOM, ids=NAMES)
def test_what_a_trial_is_paid_does_not_depend_on_the_others_in_its_batch(environment):
    """A trial that pulls once must see the same reward whether or not another trial pulls a block."""
    counts = block([[0, 0, 1, 0], [0, 5, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 1, 0], [2, 0, 9, 1]])
    for index in range(1, 6):
        large = environment.draw(index, 0 * counts, counts, None, Seeded(2, 6))
        for size in range(1, 6):
            small = environment.draw(index, 0 * counts[:size], counts[:size], None, Seeded(2, size))
            assert np.array_equal(small, large[:size])


@pytest.mark.parametrize("environment", RANDOM, ids=NAMES)
def test_arms_that_are_not_pulled_pay_nothing(environment):
    counts = block([[0, 0, 1, 0], [0, 3, 0, 0], [0, 0, 0, 0]])
    sums = environment.draw(1, 0 * counts, counts, None, Seeded(2, 3))
    assert (sums[counts == 0] == 0).all()


def test_bernoulli_truncates_per_trial_and_arm():
    environment, counts = Bernoulli((1.0, 1.0)), block([[1, 0], [2, 2]])
    bound = np.array([[0.5, 2.0], [1.0, 0.5]])
    assert environment.draw(1, 0 * counts, counts, bound, Seeded(1, 2)).tolist() == [[0, 0], [2, 0]]


def test_blocks_of_random_arms_need_a_generator():
    tape = Tape({("reward", 1): [0.5]})
    with pytest.raises(TypeError, match="only with Seeded noise, not Tape"):
        Bernoulli((0.5,)).draw(1, block([[0]]), block([[2]]), None, tape)
    assert Bernoulli((0.6,)).draw(1, block([[0]]), block([[1]]), None, tape).tolist() == [[1.0]]


@pytest.mark.parametrize("environment", RANDOM, ids=NAMES)
def test_single_pulls_are_told_by_the_step_s_own_draw(environment):
    """Whatever noise it is: the draw at the reward's address is all that a single pull takes."""
    counts = block([[0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]])
    shown = Seeded(2, 4).uniform("reward", 3)
    paid = environment.draw(3, 0 * counts, counts, None, Seeded(2, 4))
    assert np.array_equal(environment.draw(3, 0 * counts, counts, None, Tape({("reward", 3): shown})), paid)


@pytest.mark.parametrize("chance", [0.0, 0.25])
def test_a_coin_that_is_as_large_as_its_chance_pays_nothing(chance):
    """Uniform numbers are at least 0 and below 1: below the chance they are as often as it says, 0 never."""
    counts, tape = block([[1, 0], [0, 1]]), Tape({("reward", 1): [chance, np.nextafter(chance, 1)]})
    for environment, pays in ((Bernoulli((chance, 0.5)), 1.0), (TwoPoint((4.0, 3.0), (chance, 0.5)), 3.0)):
        assert environment.draw(1, 0 * counts, counts, None, tape).tolist() == [[0, 0], [0, pays]]


@given(seed=seeds, shape=st.sampled_from([1.5, 4.0]))
@pytest.mark.nonvacuous(20)
def test_a_single_pareto_reward_exceeds_a_size_with_the_chance_that_its_law_says(seed, shape):
    """(scale/x)^shape: a uniform number, the one that is drawn or what it lacks of 1."""
    counts = block([[0, 1], [1, 0], [0, 1]])
    paid = Pareto(shape, (0.5, 3.0)).draw(2, 0 * counts, counts, np.array([[np.inf]]), Seeded(seed, 3))
    exceeded = (np.array([3.0, 0.5, 3.0]) / paid[counts > 0]) ** shape
    assert exceeded == pytest.approx(1 - Seeded(seed, 3).uniform("reward", 2), rel=1e-9)


@pytest.mark.parametrize(
    "environment",
    [
        Bernoulli((0.1, 0.5, 0.9)),
        TruncatedExponential((1.0, 2.0, 3.0)),
        Pareto(1.5, (0.5, 3.0, 1.0)),
        TwoPoint((1.0, 2.0, 3.0), (0.1, 0.5, 0.9)),
    ],
)
def test_an_environment_has_as_many_arms_as_means(environment):
    assert environment.arms == len(environment.means) == 3


def test_truncated_exponential_means():
    """Against the integral of x rate e^(-rate x) over [0, 1] divided by that of the density, at 40 digits; relative
    1e-12 is far above what either branch of the formula loses (about 2e-14 at the point where they meet)."""
    with mpmath.workdps(40):
        for rate in (1e-9, 1e-4, 0.0099, 0.01, 0.1, 1.0, 2.0, 5.0, 10.0, 300.0, 1000.0):
            r = mpmath.mpf(rate)
            ends = [0, *(e for e in (5 / r, 50 / r) if e < 1), 1]
            mass = mpmath.quad(lambda x, r=r: mpmath.exp(-r * x), ends)
            mean = mpmath.quad(lambda x, r=r: x * mpmath.exp(-r * x), ends) / mass
            assert TruncatedExponential((rate,)).means[0] == pytest.approx(float(mean), rel=1e-12, abs=0)


def test_truncated_exponential_means_of_section_5_2():
    """ou24 prints .492, .418, .343, .193, .1: right to the printed digits, that is to half a unit of the last."""
    printed = ((0.1, "0.492"), (1.0, "0.418"), (2.0, "0.343"), (5.0, "0.193"), (10.0, "0.1"))
    for rate, digits in printed:
        half = 0.5 * 10.0 ** -len(digits.partition(".")[2])
        assert abs(TruncatedExponential((rate,)).means[0] - float(digits)) <= half


def test_truncated_exponential_single_pulls_follow_the_law():
    environment, made = TruncatedExponential(RATES), np.zeros((TRIALS, 4), dtype=np.int64)
    for arm, rate in enumerate(RATES):
        one = np.zeros((TRIALS, 4), dtype=np.int64)
        one[:, arm] = 1
        values = environment.draw(arm, made, one, None, Seeded(3, TRIALS))[:, arm]
        assert values.min() >= 0
        assert values.max() <= 1
        assert stats.kstest(values, stats.truncexpon(b=rate, scale=1 / rate).cdf).pvalue > LEVEL


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("environment", [TruncatedExponential(RATES), Pareto(2.5, (0.5, 1.0, 1.0, 2.0))])
@pytest.mark.first(1)
def test_blocks_are_sums_of_single_pulls(environment, size):
    """Two samples, one of blocks, one of sums of as many single pulls: the same law by Kolmogorov-Smirnov."""
    trials = TRIALS // 10
    made = np.zeros((trials, 4), dtype=np.int64)
    for arm in range(4):
        one = np.zeros((trials, 4), dtype=np.int64)
        one[:, arm] = 1
        blocks = environment.draw(1 + arm, made, size * one, None, Seeded(3, trials))[:, arm]
        draws = (environment.draw(10 * k + arm, made, one, None, Seeded(4, trials))[:, arm] for k in range(1, size + 1))
        assert stats.ks_2samp(blocks, sum(draws)).pvalue > LEVEL


@pytest.mark.thorough
def test_truncated_exponential_truncates_singles_and_blocks():
    """E[X 1{X <= B}] by quadrature against the mean of 40 000 trials; rewards of at most B have a standard deviation
    of at most B/2, so that 5.2 of their standard errors are passed with probability below 1e-6 (normal limit)."""
    rate, bound = 2.0, 0.4
    kept = float(mpmath.quad(lambda x: x * rate * mpmath.exp(-rate * x), [0, bound]) / -mpmath.expm1(-rate))
    environment = TruncatedExponential((rate, 1.0))
    for pulls in (1, 3):
        counts = np.tile(block([pulls, 0]), (TRIALS, 1))
        sums = environment.draw(1, 0 * counts, counts, bound, Seeded(3, TRIALS))[:, 0]
        assert abs(sums.mean() - pulls * kept) <= 5.2 * bound / 2 * np.sqrt(pulls / TRIALS)


@pytest.mark.parametrize("means", [[0.0, 1.0], np.array([0.0, 1.0]), np.array([0, 1]), (0.0, 1.0), (False, True)])
def test_bernoulli_means_in_any_row_are_played(means):
    counts = np.ones((3, 2), dtype=np.int64)
    environment = Bernoulli(means)
    for size in (1, 2):
        paid = environment.draw(1, 0 * counts, size * counts * [0, 1], None, Seeded(0, 3))
        assert paid.tolist() == [[0, size]] * 3
    assert hash(environment) == hash(Bernoulli((0.0, 1.0)))


@pytest.mark.parametrize("lengths", [[2**62, 2**62], [1, 2**63 - 1], np.array([2**63, 1], dtype=np.uint64)])
@pytest.mark.parametrize("kind", [Table, Stream])
def test_more_rewards_than_places_are_refused(kind, lengths):
    """Their number would wrap around, and be negative."""
    with pytest.raises(
        ValueError,
        match=r"lengths contains \d+; because the number of columns is 2, each length must be at most 4\.6e\+18",
    ):
        kind([[0.5, 1.0]], lengths)
    assert length_of(*(kind([[0.5, 1.0]], [2**62 - 1, 1]).__dict__[name] for name in ("rewards", "lengths"))) == 2**62


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_rates_must_be_positive_and_finite(rate):
    with pytest.raises(ValueError, match="every rate must be positive and finite"):
        TruncatedExponential((1.0, rate))


@pytest.mark.parametrize("mean", [1.2, -0.1, float("nan")])
def test_means_must_lie_between_0_and_1(mean):
    with pytest.raises(ValueError, match=r"Bernoulli means: the reward at \(1,\)"):
        Bernoulli((0.5, mean))


@given(seed=st.integers(0, 2**32), bound=st.sampled_from([None, 0.3]))
@pytest.mark.nonvacuous(20)
def test_a_block_of_exponentials_is_the_sum_of_its_pulls_in_arm_order(seed, bound):
    """Draw by draw: a block of a row's pulls reads its uniform numbers in order, whoever else is in the batch."""
    environment, noise = TruncatedExponential(RATES), Seeded(seed, 3)
    counts = np.array([[70, 0, 1, 60], [0, 0, 1, 0], [0, 2, 0, 0]])
    sums = environment.draw(5, 0 * counts, counts, bound, noise)
    for row in (0, 2):
        each = np.concatenate([noise.uniform(f"rewards {first}", 5, (64,))[row] for first in (0, 64, 128)])
        arm = np.repeat(np.arange(4), counts[row])
        paid = truncated_exponential(each[: len(arm)], np.asarray(RATES)[arm])
        paid = np.where(paid <= (bound or 1.0), paid, 0.0)
        assert sums[row] == pytest.approx(np.bincount(arm, paid, 4), rel=1e-12, abs=0)
    assert sums[1].tolist() == environment.single(5, 0 * counts, counts, bound, noise)[1].tolist()
    alone = environment.draw(5, 0 * counts[:1], counts[:1], bound, Seeded(seed, 1))
    assert alone[0].tolist() == sums[0].tolist()


@pytest.mark.parametrize("arms", [1, 2, 5])
def test_the_arm_that_is_pulled_once(arms):
    """Of single pulls and of trials that have ended as argmax has it, of blocks some arm."""
    single = np.eye(arms, dtype=np.int64)[np.random.default_rng(arms).integers(0, arms, 300)]
    single[::7] = 0
    assert np.array_equal(pulled_once(single), single.argmax(axis=1))
    assert set(pulled_once(9 * np.ones((2, arms), dtype=np.int64))) <= set(range(arms))


def test_moments_of_heavy_tails_by_quadrature():
    """The largest of the arms', and none from the shape on."""
    pareto, two = Pareto(2.5, (0.5, 3.0, 2.0)), TwoPoint((4.0, 10.0, 0.5), (0.5, 0.02, 1.0))
    for order in (0.5, 1.0, 2.0, 2.25):
        # x = s e^u, so that u has the density 2.5 e^(-2.5 u)
        share = mpmath.quad(lambda u, more=order - 2.5: 2.5 * mpmath.exp(more * u), [0, mpmath.inf])
        assert pareto.moment(order) == pytest.approx(float(share) * max(s**order for s in pareto.scales), rel=1e-9)
        assert two.moment(order) == pytest.approx(max(0.5 * 4**order, 0.02 * 10**order, 0.5**order), rel=1e-12)
    assert pareto.moment(2.5) == pareto.moment(3.0) == np.inf
    assert pareto.means == pytest.approx([pareto.shape * s / 1.5 for s in (0.5, 3.0, 2.0)], rel=1e-12)
    assert two.means == pytest.approx((2.0, 0.2, 0.5), rel=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pareto(1.0, (1.0,)), r"shape \(alpha\) is 1.0; it must be a finite number greater than 1"),
        (lambda: Pareto(np.inf, (1.0,)), "shape .alpha. is inf; it must be a finite number greater"),
        (lambda: Pareto(2.0, (1.0, 0.0)), r"Pareto scales is \(1\.0, 0\.0\); all numbers must be positive and finite"),
        (lambda: Pareto(2.0, (np.inf,)), "all numbers must be positive and finite"),
        (lambda: Pareto(2.0, ()), r"Pareto scales has shape \(0,\); give one number for each arm, such as"),
        (
            lambda: TwoPoint((1.0, -1.0), (0.5, 0.5)),
            r"sizes is \(1\.0, -1\.0\); all numbers must be positive and finite",
        ),
        (
            lambda: TwoPoint((1.0, 2.0), (0.5,)),
            "sizes has length 2, chances has length 1; give one of each for every arm",
        ),
        (lambda: TwoPoint((1.0,), (1.1,)), r"chances is \(1\.1,\); each must be a probability in"),
        (lambda: TwoPoint((1.0,), (-0.1,)), r"chances is \(-0.1,\)"),
    ],
)
def test_heavy_tails_that_are_none_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
    assert TwoPoint((1.0, 2.0), (0.0, 1.0)).arms == 2


@pytest.mark.parametrize("bound", [0.99, 1.0])
def test_a_single_bernoulli_reward_of_one_is_kept_by_a_bound_of_one(bound):
    counts = block([[1, 0], [0, 1]])
    sums = Bernoulli((1.0, 1.0)).draw(1, 0 * counts, counts, bound, Seeded(1, 2))
    assert sums.tolist() == (counts * (bound == 1)).tolist()


def test_a_pareto_block_longer_than_what_is_drawn_at_once():
    """Every pull pays at least the scale, so that none is lost, and a block of any length has the mean of its pulls:
    5.2 standard errors, of a variable of variance shape/((shape - 1)^2 (shape - 2)), are not passed."""
    environment, pulls = Pareto(5.0, (2.0, 1.0)), CHUNK + 5
    paid = environment.draw(1, block([[0, 0]]), block([[pulls, 0]]), None, Seeded(3, 1))[0]
    assert paid[1] == 0
    assert paid[0] > 2 * pulls
    assert abs(paid[0] / pulls - 2.5) < 5.2 * 2 * np.sqrt(5 / (16 * 3) / pulls)
    none = environment.draw(1, block([[0, 0]]), block([[7, 2]]), np.array([[1.9, 1e9]]), Seeded(3, 1))[0]
    assert none[0] == 0
    assert none[1] > 2
