"""What numba compiles: the rounds of a policy, by the text of its page's own functions.

`kernel_of` answers with what plays a policy against an environment, or says why nothing does (`NotCompiled`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from math import inf, isnan
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play import pages_in_numba, payments_in_numba, streams_in_numba
from dpbandits.audit.play.kept_code import keep
from dpbandits.audit.play.pages_in_numba import named_in, of_each_array, of_page, sample_of
from dpbandits.audit.play.payments_in_numba import kind_of, paying, payment
from dpbandits.audit.play.streams_in_numba import streams
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import Batch
from dpbandits.reference.bandits.policy import Pulls
from dpbandits.reference.bandits.recommendations import answers


class NotCompiled(Exception):
    """Why these runs cannot be played compiled; the page plays everything."""


class Drawn(NamedTuple):
    """A draw that a page makes in a step."""

    kind: str
    site: str
    index: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class NormalSamples:
    """Plays the steps in which a policy draws z and nothing else, and pulls the arm with the largest of theta = mean +
    deviation z, of which its `posterior` speaks."""

    rounds: Callable[..., None]
    numbers: tuple[str, ...]  # fields of the policy
    remembered: Any  # what its states are

    def plays(self, drawn: list[Drawn], batch: Batch) -> bool:
        """Whether a step in which the page makes these draws is of this kind."""
        return [(each.kind, each.shape) for each in drawn] == [("normal", (batch.policy.arms,))]

    def play(self, batch: Batch, steps: int, drawn: list[Drawn]) -> None:
        """The next steps of these runs, as `Batch.advance` plays them. drawn: what the page draws in the first one; in
        the others its index is larger by one each."""
        (draw,), first, (trials, arms) = drawn, batch.step + 1, batch.made.shape
        noise, outside = batch.noise, batch.outside
        assert isinstance(noise, Seeded)
        assert isinstance(outside, Seeded)
        theta = words([noise.start(draw.kind, draw.site, draw.index + k, draw.shape) for k in range(steps)])
        reward = words([outside.start("uniform", "reward", first + k) for k in range(steps)])
        own = tuple(column(getattr(joint(batch.policy), name), trials) for name in self.numbers)
        state = tuple(np.array(part, order="C") for part in batch.state)
        made, total, left = (np.array(part, order="C") for part in (batch.made, batch.total, batch.left))
        seen = np.zeros((steps if batch.keep else 0, trials), dtype=np.int64)
        pays = paying(batch.environment, trials)
        try:
            self.rounds(own, state, first, theta, reward, pays, left, made, total, seen)
        except (compile_error(), TypeError) as error:  # TypeError: samples are none where they were some
            name = type(joint(batch.policy)).__name__
            raise NotCompiled(f"numba cannot compile the functions of {name}: {str(error).strip()[:500]}") from None
        batch.record += [(arm[:, None] == np.arange(arms)).astype(np.int64) for arm in seen]
        batch.state, batch.made, batch.total, batch.left = self.remembered(*state), made, total, left
        batch.step, batch.least = batch.step + steps, int(left.min(initial=0))


def kernel_of(policy: Any, environment: Any, noise: Any) -> NormalSamples:
    """What plays this policy against this environment. Raises NotCompiled, with the reason, where nothing does."""
    one = joint(policy)
    name = type(one).__name__
    if not (is_dataclass(one) and all(hasattr(type(one), each) for each in ("posterior", "learn", "init"))) or answers(
        one
    ):
        raise NotCompiled(f"{name} is no policy of normal samples: it says no `posterior`, or answers")
    if (kind := kind_of(environment)) is None:
        raise NotCompiled(f"only tables, streams and arms that pay 0 or 1 are compiled, not {environment!r:.80}")
    if not isinstance(noise, Seeded):
        raise NotCompiled("only the draws of Seeded are compiled")
    try:
        import numba  # noqa: F401
    except ImportError:
        raise NotCompiled("numba is not installed: python -m pip install numba") from None
    start = getattr(policy, "one", policy).init(1)
    if not (
        isinstance(start, tuple)
        and hasattr(start, "_fields")
        and all(np.shape(each) == (1, one.arms) for each in start)
    ):
        raise NotCompiled(f"a state of {name} is no NamedTuple of arrays (trials, arms)")
    functions = tuple(
        (each.name, value) for each in fields(one) if isinstance(value := getattr(one, each.name), FunctionType)
    )
    numbers = tuple(each.name for each in fields(one) if np.asarray(getattr(one, each.name)).dtype.kind in "biuf")
    return NormalSamples(rounds_of(type(one), numbers, functions, type(start), kind), numbers, type(start))


def compile_error() -> type[Exception]:
    from numba.core.errors import NumbaError

    return NumbaError  # type: ignore[no-any-return]


def joint(policy: Any) -> Any:
    """The policy whose numbers may be columns, (trials, 1)."""
    return getattr(policy, "joint", policy)


def column(number: Any, trials: int) -> Any:
    """A number of each trial, (trials,)."""
    return np.array(np.broadcast_to(np.reshape(number, -1), (trials,)))


def words(starts: list[Any]) -> Any:
    """What the streams at these addresses start from, (addresses, 3)."""
    return np.array([start.generate_state(3, np.uint64) for start in starts], dtype=np.uint64)


TEXTS = (__file__, *(str(each.__file__) for each in (pages_in_numba, payments_in_numba, streams_in_numba)))


@lru_cache(maxsize=4)
def text_of(file: str) -> str:
    """A module's text, as it stood when it was first asked for."""
    return Path(file).read_text(encoding="utf-8")


@lru_cache(maxsize=64)
def rounds_of(
    policy: type, numbers: tuple[str, ...], functions: tuple[tuple[str, FunctionType], ...], remembered: Any, kind: str
) -> Callable[..., None]:
    """Some steps of all trials, for policies of this class with these functions among their fields."""
    from numba import njit

    made_of = of_page(policy, numbers, dict(functions))
    page = njit(error_model="numpy")  # as numpy divides: by zero is infinite, and no error
    posterior, learn, pays = page(policy.posterior), page(policy.learn), payment(kind)  # type: ignore[attr-defined]
    started, normal, uniform = streams()
    numbers_at, put = of_each_array()
    sampled, chance = sample_of(), kind == "chance"

    @njit(error_model="numpy")
    def rounds(own, state, first, theta_words, reward_words, payed, left, made, total, seen):  # type: ignore[no-untyped-def]
        trials, arms = made.shape
        for row in range(len(theta_words)):
            t, u = first + row, 0.0
            samples, rewards = started(theta_words[row]), started(reward_words[row])
            for i in range(trials):
                mine = made_of(*numbers_at(own, (i,)))
                best, arm = -inf, 0
                for j in range(arms):
                    z, samples = normal(samples)
                    mean, deviation = sampled(posterior(mine, t, remembered(*numbers_at(state, (i, j)))))
                    theta = mean + deviation * z
                    if theta > best or (isnan(theta) and not isnan(best)):  # as numpy's argmax
                        best, arm = theta, j
                if chance:
                    u, rewards = uniform(rewards)
                once = np.int64(left[i] > 0)
                paid = pays(payed, i, arm, made, u)
                for j in range(arms):
                    here = once * np.int64(j == arm)
                    pulls = Pulls(here, None)  # type: ignore[arg-type]
                    put(state, (i, j), learn(mine, t, remembered(*numbers_at(state, (i, j))), pulls, here * paid, None))
                made[i, arm] += once
                total[i, arm] += once * paid
                left[i] -= once
                if row < len(seen):
                    seen[row, i] = arm if once else arms

    parts = *map(text_of, TEXTS), policy.posterior, policy.learn, remembered, Pulls, numbers, kind  # type: ignore[attr-defined]
    keep(rounds, (*parts, *named_in(policy, dict(functions)).items()))
    return rounds  # type: ignore[no-any-return]
