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
from vacuity import nonvacuous_if

from dpbandits import Seeded, again
from dpbandits.audit.play.probes import RotatedNoise
from dpbandits.reference.bandits.noise import Once, address, separate_noise
from dpbandits.reference.bandits.tapes import Recorder, Tape

KINDS = ("normal", "laplace", "uniform")


def draw(noise: Seeded, kind: str, site: str = "theta", index: int = 3, shape: tuple[int, ...] = (2,)):
    return getattr(noise, kind)(site, index, shape)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, order=st.permutations([("a", 1), ("a", 2), ("b", 1), ("b", 2)]))
@pytest.mark.nonvacuous(15)
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


PARTS = [
    ("ab", "c"),
    ("a", "bc"),
    ("abc",),
    (1, 12),
    (11, 2),
    (1, "a"),
    ("1", "a"),
    ("1,1:a",),
    ("a\x1f1",),
    ("a", 1),
    ("a", "1"),
    ("a,i1",),
    ("a", "", 1),
    (("a", 1),),
    (("a",), 1),
    ((), "a", 1),
    (1.0, "a"),
    (-1, "a"),
    (10**30, "a"),
]


def test_parts_of_an_address_are_kept_apart():
    assert len({address(*parts) for parts in PARTS}) == len(PARTS)


LETTERS = st.text("a1,/\0é", max_size=4)  # few, so that parts that run together would meet


@given(st.lists(st.lists(LETTERS | st.integers() | st.tuples(LETTERS), max_size=4), max_size=9))
@pytest.mark.nonvacuous(10)
def test_other_parts_are_another_address(every):
    nonvacuous_if(len({tuple(parts) for parts in every}) > 1)
    assert len({address(*parts) for parts in every}) == len({tuple(parts) for parts in every})


def test_numpy_s_numbers_are_numbers():
    assert address(np.int64(3), np.float64(0.5), np.str_("a")) == address(3, 0.5, "a")


def test_numpy_s_integers_are_integers_in_draws_as_well():
    noise = Seeded(3, 2)
    same = Seeded(np.int64(3), np.int64(2)).normal(np.str_("x"), np.int64(1), (np.int64(4),))
    assert np.array_equal(same, noise.normal("x", 1, (4,)))
    with pytest.raises(TypeError, match="integer"):
        noise.normal("x", 1.5)


@pytest.mark.parametrize("part", [None, b"a", [1], object()])
def test_what_has_no_fixed_text_is_no_part_of_an_address(part):
    with pytest.raises(TypeError, match="of the address of a draw; use strings, integers, floats, and tuples of these"):
        address("a", part)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, few=st.integers(1, 5), more=st.integers(0, 200))
@pytest.mark.nonvacuous(12)
def test_a_small_batch_is_the_prefix_of_a_large_one(kind, seed, few, more):
    nonvacuous_if(more > 0)
    large = draw(Seeded(seed, few + more), kind)
    assert np.array_equal(draw(Seeded(seed, few), kind), large[:few])


def test_the_same_in_another_process():
    code = "from dpbandits.reference.bandits.noise import Seeded; print(Seeded(7, 2).normal('theta', 1).tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(Seeded(7, 2).normal("theta", 1).tolist())


@pytest.mark.parametrize(("kind", "law"), [("normal", "norm"), ("laplace", "laplace"), ("uniform", "uniform")])
def test_draws_are_standard(kind, law):
    values = draw(Seeded(11, 100_000), kind, shape=()).ravel()
    assert stats.kstest(values, law).pvalue > LEVEL


@pytest.mark.parametrize("vary", ["seed", "site", "index", "block"])
@pytest.mark.first(1)
def test_first_values_of_many_streams_are_a_sample_as_well(vary):
    """Streams are started at hashes of their addresses: across addresses the draws must look independent too."""
    made = []
    for i in range(20_000):
        where = {"seed": 5, "site": "theta", "index": 1, "block": 0, vary: f"theta {i}" if vary == "site" else i}
        made.append(Seeded(where["seed"], 1, where["block"]).normal(where["site"], where["index"])[0])
    assert stats.kstest(made, "norm").pvalue > LEVEL
    # Neighbouring addresses are uncorrelated: the sample correlation is about normal with variance 1/n.
    correlation = np.corrcoef(made[:-1], made[1:])[0, 1]
    assert abs(correlation) * np.sqrt(len(made)) < stats.norm.isf(LEVEL / 2)


def ranks(draws):
    return stats.rankdata(draws.ravel())


def test_kinds_shapes_callers_and_generators_share_no_stream():
    """Rank correlations of what used to be one stream: about normal with variance 1/n where they are independent."""
    noise, trials = Seeded(3, 4_000), 4_000
    outside = separate_noise(noise, "environment")
    streams = {
        "normal": noise.normal("x", 1),
        "laplace": noise.laplace("x", 1),
        "uniform": noise.uniform("x", 1),
        "generator": noise.generator("x", 1).random(trials),
        "shape": noise.normal("x", 1, (1,)),
        "outside": outside.normal("x", 1),
        "outside of outside": separate_noise(outside, "environment").normal("x", 1),
        "outside, uniform": outside.uniform("x", 1),
        "another outside": separate_noise(noise, "search").normal("x", 1),
        "in the name": noise.normal("environment: x", 1),
    }
    for a, b in itertools.combinations(streams, 2):
        correlation = np.corrcoef(ranks(streams[a]), ranks(streams[b]))[0, 1]
        assert abs(correlation) * np.sqrt(trials) < stats.norm.isf(LEVEL / 2), (a, b)


def test_apart_repeats_itself_and_keeps_the_prefix():
    assert np.array_equal(
        separate_noise(Seeded(1, 3), "a").normal("x", 1), separate_noise(Seeded(1, 7), "a").normal("x", 1)[:3]
    )


def test_a_recorder_keeps_what_is_apart_under_a_name_of_its_own():
    recorder = Recorder(Seeded(1, 3))
    inside, outside = recorder.normal("x", 1), separate_noise(recorder, "environment").normal("x", 1)
    outside_too = separate_noise(recorder, "environment")
    others = [outside_too.laplace("y", 2), outside_too.uniform("z", 3, (2,))]
    assert not np.array_equal(inside, outside)
    tape = separate_noise(recorder.tape(), "environment")
    assert np.array_equal(tape.normal("x", 1), outside)
    assert np.array_equal(tape.laplace("y", 2), others[0])
    assert np.array_equal(tape.uniform("z", 3, (2,)), others[1])
    assert set(recorder.values) == {("x", 1), ("environment: x", 1), ("environment: y", 2), ("environment: z", 3)}


# -- one address, one draw -------------------------------------------------------------------------------------------


def once(trials: int = 3, step: int = 7) -> Once:
    return Once(Seeded(5, trials), trials, step)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("second", "shape"), [("normal", (2,)), ("laplace", (2,)), ("uniform", (2,)), ("normal", (3,))]
)
def test_a_second_draw_at_an_address_is_refused_whatever_its_kind_and_shape(kind, second, shape):
    noise = once()
    draw(noise, kind)
    with pytest.raises(ValueError, match=r"step 7: .* site 'theta', index 3 was requested twice .*with a shape.*again"):
        draw(noise, second, shape=shape)


@pytest.mark.parametrize("kind", KINDS)
def test_other_addresses_are_drawn_as_from_the_noise_itself(kind):
    noise = once()
    for site, index in (("theta", 3), ("theta", 4), ("x", 3)):
        assert np.array_equal(draw(noise, kind, site, index), draw(Seeded(5, 3), kind, site, index))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_draw_is_had_again_by_asking_for_it(kind):
    noise = once()
    first = draw(noise, kind)
    assert draw(again(noise), kind) is first
    assert draw(again(noise), kind) is first
    for other, shape in ((each, (2,)) for each in KINDS if each != kind):
        with pytest.raises(
            ValueError, match=f"again\\(noise\\) requests .* as {other} .*drawn as {kind}.*same kind and shape"
        ):
            draw(again(noise), other, shape=shape)
    with pytest.raises(ValueError, match=r"step 7: again.* site 'theta', index 3.*the same kind and shape"):
        draw(again(noise), kind, shape=(3,))


def test_what_is_had_again_without_a_first_time_counts_as_drawn():
    noise = once()
    first = again(noise).normal("x", 1)
    assert np.array_equal(first, Seeded(5, 3).normal("x", 1))
    with pytest.raises(ValueError, match=r"step 7: the draw at site .* was requested twice"):
        noise.normal("x", 1)


def test_noise_outside_of_a_run_repeats_itself():
    assert again(Seeded(5, 3)) == Seeded(5, 3)


def test_forks_go_on_from_the_same_draws_and_do_not_meet():
    noise = once()
    noise.normal("x", 1)
    left, right = noise.fork(), noise.fork()
    assert np.array_equal(left.normal("y", 1), right.normal("y", 1))
    assert again(left).normal("x", 1) is again(right).normal("x", 1)
    with pytest.raises(ValueError, match=r"step 7: the draw at site .* was requested twice"):
        left.normal("x", 1)
    noise.normal("y", 1)


def test_draws_of_other_trials_are_refused():
    with pytest.raises(ValueError, match=r"step 7: .*shape \(4, 2\) for site 'x', index 1; expected \(3, 2\)"):
        Once(Seeded(5, 4), 3, 7).normal("x", 1, (2,))


def test_a_draw_that_is_asked_for_wrongly_says_how_to_ask() -> None:
    noise = Once(Seeded(0, 3), 3, 5)
    for site, index, shape in ((None, 1, ()), ("x", None, ()), ("x", 1, 2)):
        with pytest.raises(TypeError, match=r"step 5: uniform\(.*a draw needs a site \(a string\), an index"):
            noise.uniform(site, index, shape)
    for each in (noise, again(noise)):
        with pytest.raises(AttributeError, match="the noise of a policy has no method cauchy; it has normal, lap"):
            each.cauchy("x", 1)


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_can_write_to_a_draw(kind):
    recorder = Recorder(Seeded(5, 3))
    draw(recorder, kind)
    written = {("theta", 3): np.zeros((3, 2))}
    for noise in (Seeded(5, 3), once(), recorder, recorder.tape(), Tape(written)):
        with pytest.raises(ValueError, match="read-only"):
            draw(noise, kind)[0] = 1
    written["theta", 3][0] = 1  # the tape has not taken the array from its owner


def test_a_recorder_refuses_another_draw_at_an_address():
    recorder = Recorder(Seeded(1, 3))
    first = recorder.normal("theta", 1, (2,))
    assert np.array_equal(recorder.normal("theta", 1, (2,)), first)
    for kind, shape in (("laplace", (2,)), ("normal", (3,))):
        with pytest.raises(
            ValueError, match=r"site 'theta', index 1: a .*earlier request was for a normal draw of shape \(3, 2\)"
        ):
            draw(recorder, kind, "theta", 1, shape)


# -- tapes -----------------------------------------------------------------------------------------------------------


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
    with pytest.raises(
        ValueError, match=r"a draw of shape \(3,\) is requested, but the recorded draw has shape \(2,\)"
    ):
        Tape({("theta", 1): [[0.0, 1.0]]}).normal("theta", 1, (3,))


def test_a_tape_with_a_value_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="'theta', index 1"):
        Tape({("theta", 1): [[0.0, float("nan")]]}).normal("theta", 1, (2,))


def test_a_draw_of_another_kind_is_refused():
    recorder = Recorder(Seeded(1, 3))
    recorder.normal("theta", 1)
    with pytest.raises(ValueError, match=": a laplace draw is requested, but a normal draw was recorded"):
        recorder.tape().laplace("theta", 1)


@pytest.mark.parametrize("where", [np.array([[False], [True], [True], [False]]), np.array([False, True])])
def test_a_smaller_mask_selects_numbers_of_every_trial(where: np.ndarray) -> None:
    """One flag for each trial selects all of its numbers, and one flag for each arm selects them in every trial."""
    noise, full = Seeded(3, 4), np.broadcast_to(where, (4, 2))
    for each in (noise, Once(noise, 4, 1)):
        drawn = each.normal("x", 1, (2,), where=where)
        assert drawn[full].all()
        assert np.array_equal(drawn, noise.normal("x", 1, (2,), where=full))
    rolled = Once(RotatedNoise(noise), 4, 1).normal("x", 1, (2,), where=where)
    assert np.array_equal(rolled, np.roll(noise.normal("x", 1, (2,), where=np.roll(full, -1, axis=0)), 1, axis=0))


def test_a_mask_of_another_shape_is_refused() -> None:
    """Flags of the trials, which numpy would read as flags of the arms."""
    with pytest.raises(ValueError, match=r"`where` has the shape \(4,\).*\(4, 2\).*flag\[:, None\]"):
        Once(Seeded(3, 4), 4, 1).normal("x", 1, (2,), where=np.ones(4, dtype=bool))


def test_what_is_not_needed_is_not_drawn():
    """The numbers that are needed come in order from the stream, whatever is drawn of later trials; others are 0."""
    noise, where = Seeded(3, 4), np.array([[True, False], [False, False], [False, True], [True, True]])
    drawn = noise.normal("x", 1, (2,), where=where)
    assert np.array_equal(drawn[where], noise.stream("normal", "x", 1, (2,)).standard_normal(4))
    assert not drawn[~where].any()
    assert np.array_equal(Seeded(3, 3).normal("x", 1, (2,), where=where[:3]), drawn[:3])
    assert np.array_equal(noise.normal("x", 1, (2,), where=where | True), noise.normal("x", 1, (2,)))
    assert not noise.normal("x", 1, (2,), where=where & False).any()
    once = Once(noise, 4, 1)
    assert np.array_equal(once.normal("x", 1, (2,), where=where), drawn)
    assert np.array_equal(again(once).normal("x", 1, (2,)), drawn)
    assert np.array_equal(again(Once(noise, 4, 1)).normal("x", 1, (2,), where=where), drawn)
    rolled = RotatedNoise(noise).normal("x", 1, (2,), where=np.roll(where, 1, axis=0))
    assert np.array_equal(rolled, np.roll(drawn, 1, axis=0))
    recorder = Recorder(noise)
    assert np.array_equal(recorder.normal("x", 1, (2,), where=where), drawn)
    assert np.array_equal(recorder.tape().normal("x", 1, (2,), where=where), drawn)
    assert np.array_equal(
        separate_noise(recorder, "out").normal("x", 1, (2,), where=where),
        noise.normal("out: x", 1, (2,), where=where),
    )
