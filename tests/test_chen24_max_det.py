"""Lemma G.1 of chen24, and Max-Det collections: exact on rational sets, and the policies' doubles against them.

How to read this file if you learn property-based testing here (`test_chen24_early_stopping` begins the lesson):

1. The generator is half of the test. `vector_sets` makes ties, duplicates, opposite and zero vectors, and sets as flat
   as 10^-30; a test of its own shows that these do come up.
2. An example that must never be forgotten is an `@example`: it is tried each time, beside what is drawn.
3. Not knowing the right answer is no excuse. A relation between two answers will do: a linear map changes no Max-Det
   collection and no coefficient, whatever they are.
4. `nonvacuous_if` counts the examples at which the property could fail; a test with too few of them fails.
5. `find` turns a property round: the same generator has to come up with a set on which a neighbour of the lemma is
   wrong. A search that cannot find what is there says nothing where it finds nothing.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from math import comb
from random import Random

import numpy as np
import pytest
from hypothesis import Phase, assume, example, find, given, settings
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits import Verdict
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.chen24 import appendix_g_1
from dpbandits.proofs_checks.papers.chen24 import exact_sets as x
from dpbandits.reference.papers.chen24.algorithms.max_det import Collection, coordinates, greedy, max_det, reduced
from dpbandits.reference.papers.chen24.claims import CLAIMS

LEDGER = {claim.id: claim for claim in CLAIMS}
few = settings(max_examples=20)
many = settings(max_examples=60)
entries = st.one_of(st.integers(-2, 2).map(Fraction), st.fractions(-9, 9, max_denominator=9))


@st.composite
def vector_sets(draw, largest=3, spare=3):
    """More than d rational vectors that span d >= 2 dimensions: drawn freely, with duplicates and opposites of
    themselves, now and then squeezed."""
    d = draw(st.integers(2, largest))
    vectors = draw(st.lists(st.tuples(*[entries] * d), min_size=d + 1, max_size=d + spare))
    copies = draw(st.lists(st.sampled_from(vectors), max_size=1))
    opposite = [tuple(-entry for entry in vector) for vector in draw(st.lists(st.sampled_from(vectors), max_size=1))]
    squeeze = draw(st.sampled_from([Fraction(1), Fraction(1, 10**30)]))
    found = [(*vector[:-1], vector[-1] * squeeze) for vector in (*vectors, *copies, *opposite)]
    assume(x.spans(found))
    return found


matrices = st.integers(2, 4).flatmap(
    lambda d: st.lists(st.lists(st.integers(-50, 50), min_size=d, max_size=d), min_size=d, max_size=d)
)


# -- determinants ----------------------------------------------------------------------------------------------------


@given(matrices)
@example([[-7]])
@few
@pytest.mark.nonvacuous(6)
def test_bareiss_is_the_sum_over_permutations(matrix):
    total = 0
    for order in permutations(range(len(matrix))):
        inversions = sum(a > b for a, b in combinations(order, 2))
        term = (-1) ** inversions
        for row, column in enumerate(order):
            term *= matrix[row][column]
        total += term
    nonvacuous_if(total)
    assert x.bareiss(matrix) == total


def test_bareiss_is_exact_where_doubles_are_not():
    hilbert = [tuple(Fraction(1, i + j + 1) for j in range(12)) for i in range(12)]
    # The inverse of a Hilbert matrix is integer: so is 1/det. In doubles the determinant is 1e-78 of what is rounded.
    assert (1 / x.determinant(hilbert)).denominator == 1
    assert x.determinant([(Fraction(1), Fraction(2)), (Fraction(1, 2), Fraction(1))]) == 0


@given(vector_sets())
@few
@pytest.mark.nonvacuous(8)
def test_cramers_rule_is_elimination(vectors):
    for chosen in spanning(vectors)[-4:]:
        whole = x.determinant([vectors[place] for place in chosen])
        nonvacuous_if(x.largest_coefficient(vectors, chosen) > 1)
        for target in vectors:
            for place, beta in enumerate(x.solved(vectors, chosen, target)):
                stacked = [target if k == place else vectors[at] for k, at in enumerate(chosen)]
                assert beta == x.determinant(stacked) / whole


# -- Lemma G.1 -------------------------------------------------------------------------------------------------------


def rational(*vectors):
    return [tuple(map(Fraction, vector)) for vector in vectors]


def spanning(vectors):
    """All collections with det != 0."""
    return [c for c in combinations(range(len(vectors)), len(vectors[0])) if x.size(vectors, c)]


def some_coefficient_above_1(vectors):
    """Whether a collection that is not Max-Det has one: where none has, Lemma G.1 could not fail."""
    return any(x.largest_coefficient(vectors, chosen) > 1 for chosen in spanning(vectors))


def test_a_coefficient_counts_by_its_size():
    """(-2, 1) = -2 (1, 0) + 1 (0, 1)."""
    assert x.largest_coefficient(rational((1, 0), (0, 1), (-2, 1)), (0, 1)) == 2


@given(vector_sets())
@example(rational((3,)))  # one dimension, one vector
@example(rational((3, 1), (0, 2)))  # one collection
@example(rational((1, 0), (0, 1), (1, 0), (-1, 0), (0, 0)))  # every collection but the dependent ones is tied
@example(rational((50, 0), (40, 29), (40, -28)))  # greedy is wrong here
@few
@pytest.mark.nonvacuous(8)
def test_lemma_g_1_for_all_tied_maximisers(vectors):
    best = x.maximisers(vectors)
    nonvacuous_if(some_coefficient_above_1(vectors))
    assert best
    for chosen in best:
        assert x.largest_coefficient(vectors, chosen) <= 1


@given(vector_sets(), st.data())
@few
@pytest.mark.nonvacuous(8)
def test_a_linear_map_changes_nothing(vectors, data):
    """det(A B) = det(A) det(B): the same collections are the largest, and the same coefficients lead to z. So the basis
    of (9) does not matter."""
    d = len(vectors[0])
    rows = data.draw(st.lists(st.tuples(*[st.integers(-5, 5)] * d), min_size=d, max_size=d))
    assume(x.bareiss(rows))
    mapped = [
        tuple(sum((a * v for a, v in zip(row, vector, strict=True)), Fraction(0)) for row in rows) for vector in vectors
    ]
    best = x.maximisers(vectors)
    nonvacuous_if(mapped != vectors and len(best) < len(spanning(vectors)))
    assert x.maximisers(mapped) == best
    for one, other in zip(vectors, mapped, strict=True):
        assert x.solved(mapped, best[0], other) == x.solved(vectors, best[0], one)


@given(vector_sets(), st.permutations(range(9)))
@few
@pytest.mark.nonvacuous(8)
def test_the_order_of_the_vectors_changes_nothing(vectors, order):
    order = [place for place in order if place < len(vectors)]
    shuffled = [vectors[place] for place in order]
    nonvacuous_if(shuffled != vectors and len(vectors) > len(vectors[0]))
    found = {tuple(sorted(order[place] for place in chosen)) for chosen in x.maximisers(shuffled)}
    assert found == set(x.maximisers(vectors))


@pytest.mark.parametrize("wrong", ["|beta| < 1", "greedy collections", "any collection", "sum |beta| <= 1"])
def test_the_same_generator_finds_the_neighbours_of_the_lemma_out(wrong):
    """Four statements that are nearly Lemma G.1. Each has a counterexample among what `vector_sets` draws."""

    def fails(vectors):
        best = x.maximisers(vectors)[0]
        match wrong:
            case "|beta| < 1":
                return x.largest_coefficient(vectors, best) == 1
            case "greedy collections":
                return x.largest_coefficient(vectors, x.greedy(vectors)) > 1
            case "any collection":
                return some_coefficient_above_1(vectors)
            case _:
                return any(sum(map(abs, x.solved(vectors, best, vector))) > 1 for vector in vectors)

    found = find(
        vector_sets(),
        fails,
        settings=settings(max_examples=500, deadline=None, database=None, derandomize=True, phases=[Phase.generate]),
    )
    assert fails(found)


@pytest.mark.parametrize(("last", "verdict"), [(-28, Verdict.PROVED), (-29, Verdict.REFUTED), (-27, Verdict.REFUTED)])
def test_the_named_coefficient_is_neither_smaller_nor_larger(last, verdict):
    named = ((50, 0), (40, 29), (40, last))
    claim = LEDGER["chen24/lemma-g.1/greedy"]
    assert appendix_g_1.lemma_g_1_greedy(claim, Effort(), 0, named=named).verdict is verdict


def test_ties_and_duplicates_do_come_up():
    """Otherwise the property above would see less than it says."""
    drawn = x.sets(60, 0, 4)
    assert any(len(x.maximisers(vectors)) > 3 for vectors in drawn if comb(len(vectors), len(vectors[0])) < 100)
    assert any(len(set(vectors)) < len(vectors) for vectors in drawn)
    assert any(not any(vector) for vectors in drawn for vector in vectors)


@given(vector_sets(largest=4))
@few
@pytest.mark.nonvacuous(8)
def test_local_optima_are_where_coefficients_are_at_most_1(vectors):
    start = x.greedy(vectors)
    found = x.local_optima_from(vectors, start)
    nonvacuous_if(some_coefficient_above_1(vectors))
    assert x.is_local_optimum(vectors, found)
    assert x.size(vectors, found) >= x.size(vectors, start)
    for chosen in (start, found, *spanning(vectors)[:5]):
        assert x.is_local_optimum(vectors, chosen) == (x.largest_coefficient(vectors, chosen) <= 1)


@pytest.mark.thorough
def test_local_optima_in_twelve_dimensions():
    for vectors in x.sets(3, 5, 12, spare=2):
        found = x.local_optima_from(vectors, x.greedy(vectors))
        assert x.largest_coefficient(vectors, found) <= 1


@pytest.mark.thorough
def test_a_local_optimum_need_not_be_a_maximiser():
    """So the lemma about local optima says more, and 'certified local optimum' is the right word for less."""
    dice = Random(1)
    sets = (x.spread(dice, 6, 3) for _ in range(150))
    found = ((vectors, x.local_optima_from(vectors, x.greedy(vectors))) for vectors in sets)
    assert any(x.size(vectors, local) < x.size(vectors, x.maximisers(vectors)[0]) for vectors, local in found)


@pytest.mark.parametrize("replacement", ["greedy", "second"])
def test_the_search_of_lemma_g_1_sees_other_collections(replacement):
    """Greedy collections, or the second largest determinant, in place of Max-Det: coefficients above 1 are found."""

    def second(vectors):
        sizes = {c: x.size(vectors, c) for c in combinations(range(len(vectors)), len(vectors[0]))}
        ordered = sorted({s for s in sizes.values() if s}, reverse=True)
        return [c for c, s in sizes.items() if len(ordered) > 1 and s == ordered[1]]

    wrong = {"greedy": lambda vectors: [x.greedy(vectors)], "second": second}[replacement]
    found = [appendix_g_1.wrong_maximisers(vectors, wrong) for vectors in x.sets(appendix_g_1.SMALL, 0, 3)]
    assert any("a coefficient of" in each for each in found)


@given(vector_sets(largest=4))
@few
@pytest.mark.nonvacuous(5)
def test_greedy_coefficients_stay_below_a_power_of_two(vectors):
    d = len(vectors[0])
    nonvacuous_if(any(x.largest_coefficient(vectors, chosen) > 2 ** (d - 1) for chosen in spanning(vectors)))
    assert x.largest_coefficient(vectors, x.greedy(vectors)) <= 2 ** (d - 1)


# -- doubles ---------------------------------------------------------------------------------------------------------
# The tolerance: entries of at most 9 with determinants of at least 9^-3, so |det| is known to 1e-12, far within the
# 1e-9 up to which max_det takes determinants for tied.

TIED = 1 + 1e-9 + 1e-12  # what a coefficient may be where max_det took the smaller one of two determinants


def exact(features):
    """The doubles as rational vectors."""
    return [tuple(map(Fraction, row)) for row in features.tolist()]


def nearly_tied(vectors):
    """Whether a collection is worse than Max-Det by so little that its largest coefficient is at most 1.1."""
    return any(TIED < x.largest_coefficient(vectors, chosen) <= 1.1 for chosen in spanning(vectors))


@st.composite
def near_ties(draw, largest=3):
    """Features (arms, d) that span; and some of them once more, longer or shorter by a few per cent or by 1e-6, so that
    determinants differ by as little."""
    d = draw(st.integers(1, largest))
    vectors = draw(st.lists(st.tuples(*[st.integers(-3, 3)] * d), min_size=d, max_size=d + 2))
    assume(x.spans(rational(*vectors)))
    longer = draw(st.lists(st.tuples(st.sampled_from(vectors), st.sampled_from(FACTORS)), min_size=1, max_size=2))
    found = [*vectors, *(tuple(factor * entry for entry in vector) for vector, factor in longer)]
    return np.array(draw(st.permutations(found)) if draw(st.booleans()) else found, dtype=float)


FACTORS = (1.04, -1.01, 0.97, 1 + 1e-6)


@given(near_ties())
@example(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.04]]))
@example(np.array([[0.0, 1.0], [0.0, 1.0 + 1e-10], [1.0, 0.0]]))  # within the tolerance
@many
@pytest.mark.nonvacuous(25)
def test_coefficients_of_the_chosen_arms_are_at_most_1(features):
    """Lemma G.1 for what DP-BAI pulls, by elimination on the doubles as they are: no determinant is used here."""
    vectors, found = exact(features), max_det(features)
    nonvacuous_if(nearly_tied(vectors))
    assert found.exact
    assert x.largest_coefficient(vectors, found.arms) <= TIED
    assert np.abs(coordinates(features, found.arms)).max() <= TIED


@given(near_ties(), st.sampled_from([2.0**-40, 1.0, 1e6]), st.integers(0, 10**6))
@many
@pytest.mark.nonvacuous(25)
def test_neither_scale_nor_a_larger_space_changes_the_coefficients(features, scale, seed):
    """Features of rank d in more dimensions, as DP-BAI reduces them by (9): a linear map changes no coefficient."""
    d = features.shape[1]
    frame = np.random.default_rng(seed).integers(-3, 4, (d, d + 2)).astype(float)
    assume(np.linalg.matrix_rank(frame) == d)
    whole = scale * features @ frame
    small = reduced(whole)
    found = max_det(small)
    nonvacuous_if(nearly_tied(exact(features)))
    assert found.exact
    assert small.shape == features.shape
    assert x.largest_coefficient(exact(features), found.arms) <= TIED
    alpha = coordinates(small, found.arms)
    assert np.abs(alpha).max() <= TIED
    assert alpha @ whole[list(found.arms)] == pytest.approx(whole, abs=1e-9 * scale)  # equation (12)


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 4))
@few
@pytest.mark.nonvacuous(8)
def test_doubles_choose_an_exact_maximiser(seed, d, spare):
    vectors = x.SHAPES[seed % 2](Random(seed), d + spare, d)
    assume(x.spans(vectors))
    features = np.array([[float(entry) for entry in vector] for vector in vectors])
    found, best = max_det(features), x.maximisers(vectors)
    nonvacuous_if(len(best) < len(spanning(vectors)))
    assert found.exact
    assert found.arms == best[0]  # the first of all that are tied
    alpha = [x.solved(vectors, found.arms, vector) for vector in vectors]
    assert np.allclose(coordinates(features, found.arms), np.array(alpha, dtype=float), atol=1e-9)


@given(st.integers(0, 10**6), st.integers(4, 12))
@few
@pytest.mark.nonvacuous(5)
def test_many_subsets_give_a_local_optimum_and_say_so(seed, d):
    features = np.random.default_rng(seed).normal(size=(d + 30, d))
    features[:, 0] += 3  # around one direction, where greedy is wrong
    found = max_det(features, every=10)
    nonvacuous_if(np.abs(coordinates(features, tuple(greedy(features)))).max() > 1 + 1e-8)
    assert not found.exact
    assert len(set(found.arms)) == d
    assert np.abs(coordinates(features, found.arms)).max() <= 1 + 1e-8


def test_the_greedy_start_is_not_enough():
    features = np.array(appendix_g_1.GREEDY, dtype=float)
    assert greedy(features) == [0, 1]
    assert np.abs(coordinates(features, (0, 1))).max() > 1.57
    assert max_det(features, every=0) == Collection((1, 2), exact=False)


def test_dimensions_are_reduced_to_the_span():
    flat = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 0.0, 0.0]])
    assert reduced(flat).shape == (3, 1)
    assert np.allclose(np.abs(reduced(flat)[:, 0]), np.linalg.norm(flat, axis=1))
    with pytest.raises(ValueError, match="features of all active arms are 0"):
        reduced(np.zeros((2, 3)))
