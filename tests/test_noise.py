"""Addressed noise: the same address gives the same values, another one gives others; and a tape replays them."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
from fits import LEVEL
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import seeds

from dpbandits.reference.noise import Recorder, Seeded, Tape, address

KINDS = ("normal", "laplace", "uniform")


def draw(noise: Seeded, kind: str, site: str = "theta", index: int = 3, shape: tuple[int, ...] = (2,)):
    return getattr(noise, kind)(site, index, shape)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, order=st.permutations([("a", 1), ("a", 2), ("b", 1), ("b", 2)]))
def test_a_draw_does_not_depend_on_what_was_drawn_before(kind, seed, order):
    alone = {key: draw(Seeded(seed, 3), kind, *key) for key in order}
    noise = Seeded(seed, 3)
    together = {key: draw(noise, kind, *key) for key in order}
    assert all(np.array_equal(alone[key], together[key]) for key in order)


@pytest.mark.parametrize("kind", KINDS)
def test_different_addresses_give_different_streams(kind):
    every = [
        draw(Seeded(seed, 4, block), kind, site, index).tobytes()
        for seed, block, site, index in itertools.product((0, 1), (0, 1), ("theta", "reward"), (1, 2))
    ]
    assert len(set(every)) == len(every)


def test_parts_of_an_address_are_kept_apart():
    assert len({address("ab", "c"), address("a", "bc"), address("abc"), address(1, 12), address(11, 2)}) == 5


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, few=st.integers(1, 5), more=st.integers(0, 200))
def test_a_small_batch_is_the_prefix_of_a_large_one(kind, seed, few, more):
    large = draw(Seeded(seed, few + more), kind)
    assert np.array_equal(draw(Seeded(seed, few), kind), large[:few])


def test_the_same_in_another_process():
    code = "from dpbandits.reference.noise import Seeded; print(Seeded(7, 2).normal('theta', 1).tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(Seeded(7, 2).normal("theta", 1).tolist())


@pytest.mark.parametrize(("kind", "law"), [("normal", "norm"), ("laplace", "laplace"), ("uniform", "uniform")])
def test_draws_are_standard(kind, law):
    values = draw(Seeded(11, 100_000), kind, shape=()).ravel()
    assert stats.kstest(values, law).pvalue > LEVEL


@pytest.mark.parametrize("vary", ["seed", "site", "index", "block"])
def test_first_values_of_many_streams_are_a_sample_as_well(vary):
    """Streams are started at hashes of their addresses: across addresses the draws must look independent too."""
    made = []
    for i in range(20_000):
        where = {
            "seed": 5,
            "site": "theta",
            "index": 1,
            "block": 0,
            vary: f"theta {i}" if vary == "site" else i,
        }
        made.append(Seeded(where["seed"], 1, where["block"]).normal(where["site"], where["index"])[0])
    assert stats.kstest(made, "norm").pvalue > LEVEL
    # Neighbouring addresses are uncorrelated: the sample correlation is about normal with variance 1/n.
    correlation = np.corrcoef(made[:-1], made[1:])[0, 1]
    assert abs(correlation) * np.sqrt(len(made)) < stats.norm.isf(LEVEL / 2)


def test_a_tape_replays_what_a_recorder_heard():
    recorder = Recorder(Seeded(1, 3))
    heard = [recorder.normal("theta", 1, (2,)), recorder.laplace("Z", 1), recorder.uniform("reward", 4, (5,))]
    tape = recorder.tape()
    replayed = [tape.normal("theta", 1, (2,)), tape.laplace("Z", 1), tape.uniform("reward", 4, (5,))]
    assert all(np.array_equal(a, b) for a, b in zip(heard, replayed, strict=True))


def test_a_missing_draw_names_its_address():
    with pytest.raises(KeyError, match="'theta', index 2"):
        Tape({("theta", 1): [[0.0]]}).normal("theta", 2, (1,))


def test_a_draw_of_another_shape_names_both():
    with pytest.raises(ValueError, match=r"recorded shape \(2,\), asked for \(3,\)"):
        Tape({("theta", 1): [[0.0, 1.0]]}).normal("theta", 1, (3,))


def test_a_tape_with_a_value_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="'theta', index 1"):
        Tape({("theta", 1): [[0.0, float("nan")]]}).normal("theta", 1, (2,))


def test_a_draw_of_another_kind_is_refused():
    recorder = Recorder(Seeded(1, 3))
    recorder.normal("theta", 1)
    with pytest.raises(ValueError, match="recorded a normal draw, asked for a laplace one"):
        recorder.tape().laplace("theta", 1)
