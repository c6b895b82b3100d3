"""Compiled runs are the page's runs, number by number; what cannot be compiled says so; a bug does not go unseen."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest

from dpbandits import QUICK, Bernoulli, Pulls, Seeded, Stream, Table, Verdict, play, registry
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.fastest import play_fastest, play_to_end
from dpbandits.audit.play.many import TableBatch
from dpbandits.audit.play.runs import joint_policy
from dpbandits.audit.regret.bounds import judge_regret
from dpbandits.audit.regret.orderings import cached_runs, judge_ordering
from dpbandits.extensions.compiled import compiled, kernels
from dpbandits.extensions.compiled.compiled import NotCompiled
from dpbandits.extensions.compiled.registration import NUMBA
from dpbandits.extensions.compiled.streams_in_numba import streams
from dpbandits.reference.bandits.play import Batch
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.claims.model import AtMost, Claim, Ordering, Source
from dpbandits.reference.papers.auer02 import UCB1
from dpbandits.reference.papers.chen24.arms import Uniform
from dpbandits.reference.papers.hu22 import LazyDPTS
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling
from dpbandits.reference.papers.ou24.algorithms import State, letter

SOURCE = Source("a", "here", "text")
ARMS = Bernoulli((0.75, 0.5, 0.25))


@pytest.mark.parametrize(
    ("policy", "environment", "noise", "why"),
    [
        (UCB1(3, 10), ARMS, Seeded(0, 4), "has neither `posterior`"),
        (
            ThompsonSampling(3, 10),
            ARMS,
            Recorder(Seeded(0, 4)),
            "runs are compiled only for Seeded noise with at least one",
        ),
    ],
)
def test_what_is_not_of_this_kind_says_so(policy, environment, noise, why):
    with pytest.raises(NotCompiled, match=why):
        compiled.play_compiled(policy, environment, noise, 4)


def test_rewards_that_no_kernel_draws_are_named():
    pytest.importorskip("numba", reason="this Python has no numba yet")
    with pytest.raises(NotCompiled, match="rewards of Uniform are not compiled"):
        compiled.play_compiled(ThompsonSampling(3, 10), Uniform((0.5, 0.5, 0.5)), Seeded(0, 4), 4)


def test_without_numba_it_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(NotCompiled, match="numba is not installed; run python -m pip install"):
        compiled.play_compiled(ThompsonSampling(3, 10), ARMS, Seeded(0, 4), 4)
    found = play_fastest(ThompsonSampling(3, 10), ARMS, Seeded(0, 4), 4, players=[replace(NUMBA, worth=0)])
    assert found.pulls.sum() == 40


@dataclass(frozen=True)
class Twofold:
    """Learns every reward twice, which its `posterior` speaks of, and `act` draws from; a policy of no page."""

    arms: int
    horizon: int

    def init(self, trials):
        return ThompsonSampling(self.arms, self.horizon).init(trials)

    def posterior(self, t, state):
        return 2 * state.total / (state.pulls + t), 2 / np.sqrt(state.pulls + 0.5)

    def act(self, t, state, noise):
        mean, deviation = self.posterior(t, state)
        return Pulls.one((mean + deviation * noise.normal("theta", t, (self.arms,))).argmax(axis=1), self.arms)

    def learn(self, t, state, pulls, sums, noise):
        return State(state.pulls + pulls.counts, state.total + 2 * sums)


@dataclass(frozen=True)
class Small(Twofold):
    """Begins with bytes; what it learns is 64 bits wide, as numpy adds."""

    def init(self, trials):
        return State(
            *(part.astype(kind) for part, kind in zip(super().init(trials), (np.int8, np.float32), strict=True))
        )


@dataclass(frozen=True)
class Worth(Twofold):
    """Has a property, which a method names."""

    @property
    def worth(self):
        return 1 / self.arms

    def held(self, sums):
        return sums * self.worth

    def posterior(self, t, state):
        return self.held(state.total) / (state.pulls + t), 2 / np.sqrt(state.pulls + 0.5)

    def learn(self, t, state, pulls, sums, noise):
        return State(state.pulls + pulls.counts, state.total + self.held(sums))


class Discounted(Twofold):
    """Forgets in every step, of all arms."""

    def learn(self, t, state, pulls, sums, noise):
        return State(state.pulls + pulls.counts, 0.9 * state.total + sums)


@dataclass(frozen=True)
class Unclear(Twofold):
    """Says its samples in words that numba does not understand."""

    def posterior(self, t, state):
        return state.total / (state.pulls + t), 2 / np.sqrt(np.asanyarray(state.pulls).astype("f8").view().real + 0.5)


PAYS = np.random.default_rng(0).random((3, 400))
MIXED = tuple(
    ModifiedThompsonSampling(3, 300, b, c) for b, c in ((0, 1.0), (0, 2.0), (5, 0.5), (60, 2.0))
)  # floats: one kernel


def same_runs(policy, environment, trials=70, keep=False):
    noise = Seeded(7, trials, block=2)
    batch = Batch(policy, environment, noise, trials, keep)
    once = play_to_end(batch, compiled.compiled_steps(kernels.kernel_of(policy, environment, noise), policy))
    page = play(policy, environment, noise, trials, keep)
    for mine, theirs in zip(once, page, strict=True):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        assert mine.tobytes() == theirs.tobytes()
    assert len(np.unique(once.pulls)) > 1


class TestWithNumba:
    @pytest.fixture(autouse=True)
    def installed(self):
        pytest.importorskip("numba", reason="this Python has no numba yet")

    def test_the_runs_are_the_same(self):
        """Prepulls, numbers that differ from run to run, and runs that end earlier."""
        same_runs(joint_policy(MIXED, np.repeat(np.arange(4), 60)), ARMS, 240)
        same_runs(ModifiedThompsonSampling(3, 300, 7, 2.0), ARMS, 5, keep=True)

    @pytest.mark.thorough
    def test_a_field_is_read_where_a_policy_has_a_method_of_its_name(self):
        """As a state of Lazy-DP-TS has one called `fresh`, and DP-TS-UCB the method; in a process that has compiled
        nothing yet, where numba would know of the method first."""
        text = """if True:
            from collections import namedtuple
            from dpbandits.extensions.compiled.scalar_text import Own, compiled
            from dpbandits.papers.hu25 import DPTSUCB
            Own(DPTSUCB(3, 9, 0.5), ("fresh",), 1)
            held, read = namedtuple("held", "fresh, other"), compiled(lambda state: state.fresh + 1)
            assert read(held(2, 0)) == read(held(2, 0.5)) == 3"""
        subprocess.run([sys.executable, "-c", text], check=True)

    @pytest.mark.thorough
    def test_so_are_those_by_beta_samples(self):
        """Laplace noise, quantiles of scipy's own, numbers that differ from run to run, a table."""
        policies = tuple(LazyDPTS(3, 500, eps) for eps in (0.5, 8.0))
        same_runs(joint_policy(policies, np.repeat(np.arange(2), 60)), ARMS, 120)
        same_runs(policies[1], Table(np.random.default_rng(1).random((3, 500))), 5, keep=True)

    def test_so_are_findings_without_it(self, monkeypatch):
        """Numbers and words. One kernel, that of the test before."""
        settings = {f"b = {policy.prepulls}, c = {policy.variance}": (policy, ARMS) for policy in MIXED}
        labels = list(settings)
        order = Claim("a/order", SOURCE, Ordering(PSEUDO_REGRET, settings, tuple(pairwise(labels))), Verdict.CONSISTENT)
        instance = {"arms": 3, "horizon": 300, "prepulls": 2, "variance": 1.0, "environment": ARMS}
        says = AtMost(PSEUDO_REGRET, lambda policy, environment: 40.0)
        bound = Claim("a/bound", SOURCE, says, Verdict.CONSISTENT, subject=ModifiedThompsonSampling, params=(instance,))
        played, play_as_it_is, found = [], kernels.Samples.play, []
        monkeypatch.setattr(kernels.Samples, "play", lambda *given: (played.append(given[2]), play_as_it_is(*given))[1])
        for least in (0, 10**18):
            few = registry.Extension("few", players=(replace(NUMBA, worth=least),))
            monkeypatch.setattr(registry, "added", lambda few=few: few)
            cached_runs.cache_clear()
            run = Run(replace(QUICK, regret_runs=40, experiment_runs=40), 0, 1e-6)
            found.append((judge_ordering(order, run), judge_regret(bound, run), sum(played)))
        assert found[0] == found[1]
        assert found[0][2] > 500  # steps
        assert [each.verdict for each in found[0][:2]] == [Verdict.REFUTED, Verdict.CONSISTENT]

    @pytest.mark.thorough
    def test_so_is_findings_json_of_whole_audits(self, tmp_path):
        """In processes of their own, workers of theirs as well; a numba that cannot be imported is none."""
        (tmp_path / "none").mkdir()
        (tmp_path / "none" / "numba.py").write_text("raise ImportError('blocked')\n")
        claims = ("ou24/5.1/prepulling", "ou24/section-4/*/5.1", "ou24/theorem-5/*", "hu25/figure-3a/trend/T=10000")
        command = [sys.executable, "-m", "dpbandits", "audit", "--quiet", "--jobs", "2", *claims]
        path = os.environ.get("PYTHONPATH", "")
        for name, first in (("with", path), ("without", f"{tmp_path / 'none'}{os.pathsep}{path}")):
            world = {**os.environ, "PYTHONPATH": first, "XDG_CACHE_HOME": str(tmp_path / f"code {name}")}
            subprocess.run([*command, "--out", str(tmp_path / name)], env=world, check=True)
        one, other = ((tmp_path / name / "findings.json").read_bytes() for name in ("with", "without"))
        assert one == other
        assert list((tmp_path / "code with").rglob("*.code"))
        assert not list((tmp_path / "code without").rglob("*.code"))

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        "policy",
        [
            ThompsonSampling(3, 300),  # more than one call of the kernel
            ThompsonSampling(3, 80, lambda n: 0.25 / (n + 1)),
            letter(arms=3, horizon=90, prepulls=3),
            Twofold(3, 120),
            Small(3, 50),
            Worth(3, 40),
            Discounted(3, 60),
            DPTSUCB(3, 300, 0.5),
        ],
        ids=repr,
    )
    def test_so_are_those_of_other_policies(self, policy):
        for trials in (1, 33, 700):
            same_runs(policy, ARMS, trials)

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        "environment",
        [
            Table(PAYS),
            Table(PAYS[:, :3], np.array([5, 45, 250])),
            Stream(PAYS),
            TableBatch("round", np.stack([PAYS, PAYS / 2]), np.arange(70) % 2),
            TableBatch("pull", np.stack([PAYS, PAYS / 2])[:, :, :3], np.arange(70) % 2, np.array([5, 45, 250])),
        ],
    )
    def test_and_those_on_tables(self, environment):
        same_runs(ModifiedThompsonSampling(3, 300, 2), environment, keep=True)

    @pytest.mark.thorough
    def test_the_draws_are_numpys_to_the_last_bit_in_the_tails_as_well(self):
        import numba

        started, normal, uniform = streams()

        @numba.njit
        def filled(words, out, paid):
            stream = started(words)
            for i in range(len(out)):
                out[i], stream = normal(stream)
            for i in range(len(paid)):
                paid[i], stream = uniform(stream)

        noise, out, paid = Seeded(1, 500_000), np.empty(500_000), np.empty(10)
        generator = noise.stream("normal", "x", 3)
        filled(noise.start("normal", "x", 3).generate_state(3, np.uint64), out, paid)
        assert np.array_equal(out, generator.standard_normal(500_000))
        assert np.array_equal(paid, generator.random(10))
        assert (np.abs(out) > 3.6542).sum() > 50  # where the ziggurat ends, and the tail has code of its own

    @pytest.mark.thorough
    def test_what_numba_does_not_understand_is_said(self, monkeypatch):
        policy, noise = Unclear(3, 50), Seeded(0, 4)
        with pytest.raises(NotCompiled, match="cannot compile the functions of Unclear"):
            compiled.play_compiled(policy, ARMS, noise, 4)
        found = play_fastest(policy, ARMS, noise, 4, players=[replace(NUMBA, worth=0)])
        due = play(policy, ARMS, noise, 4)
        assert all(map(np.array_equal, found, due))
