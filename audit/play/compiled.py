"""Thompson sampling, compiled: the same page and the same draws, several times as fast.

Optional, and never a condition: `play_compiled` needs numba (`pip install 'dpbandits[compiled]'`), this module does
not. It plays policies whose step is one pull of the arm with the largest of normal samples, theta = mean + deviation z,
z drawn at the site "theta", against arms that pay 0 or 1. What a sample is about, and what is learnt, says the page:
the text of its own `posterior` and `learn` is what numba compiles, on single numbers in the place of arrays. The draws
are those of `Seeded`, bit for bit: the same streams, started at the same addresses.

So there is little to believe: of every run the first trials are played by the page as well, in the first steps, and
from then on in one step of every call of what is compiled; they must agree exactly, or the run is an error. An `act`
that is of this kind in these steps, and does something else in others, is not noticed.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any

import numpy as np

from dpbandits.audit.play.kernels import fields_of, kernel_of
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Array, Noise, Once, Seeded, separate_noise
from dpbandits.reference.bandits.passing import copy_state, state_rows
from dpbandits.reference.bandits.play import Played
from dpbandits.reference.bandits.play import play as play_page
from dpbandits.reference.bandits.policy import Ints, Pulls

SITE = "theta"
STEPS_PER_CALL = 256  # steps of a call: so many addresses are hashed in advance
COMPARED_STEPS, COMPARED_TRIALS = 100, 32  # of the page's own run, with which the compiled one must agree


class NotCompiled(Exception):
    """Why these runs cannot be played compiled; the page plays everything."""


class Disagreement(RuntimeError):
    """The compiled run is not the page's."""


def play_compiled(policy: Any, environment: Any, noise: Seeded, trials: int) -> Played:
    """The runs of `play(policy, environment, noise, trials, keep=False)`, compiled by numba, some four times as fast.

    policy: a dataclass with a `posterior`, which pulls the arm with the largest of normal samples, as Thompson sampling
    does. environment: a `Bernoulli` of as many arms. noise: a `Seeded` of as many trials. trials: how many runs.

    What comes back is what `play` returns, number by number; some steps of every run are played by the page as well,
    and must agree exactly.

    Raises NotCompiled for what is not of this kind, and where numba is missing; Disagreement where the page's own first
    steps are other ones.
    """
    demand(policy, environment, noise, trials)
    own = fields_of(policy)
    outside = separate_noise(noise, "environment")
    assert isinstance(outside, Seeded)
    shape, means = (trials, policy.arms), np.array(environment.means, dtype=np.float64)
    # A copy: a page may well hand out arrays that it keeps.
    start: Any = policy.init(trials)
    remembered: Any = type(start)
    state = remembered(*(np.array(part) for part in start))
    kernel = kernel_of(type(policy).posterior, type(policy).learn, remembered)
    made, total = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    few = replace(noise, trials=min(COMPARED_TRIALS, trials))
    keep_their_types(policy, state_rows(state, slice(few.trials)), few)
    seen: Ints = np.zeros((STEPS_PER_CALL, few.trials), dtype=np.int64)
    for first in range(1, policy.horizon + 1, STEPS_PER_CALL):
        steps = range(first, min(first + STEPS_PER_CALL, policy.horizon + 1))
        theta = stream_starts(noise, "normal", SITE, steps, (policy.arms,))
        reward = stream_starts(outside, "uniform", "reward", steps, ())
        before = copy_state(state_rows(state, slice(few.trials)))
        try:
            kernel(own, state, first, theta, reward, means, made, total, seen)
        except compile_error() as error:
            raise NotCompiled(
                f"numba cannot compile posterior or learn of {type(policy).__name__}: {str(error).strip()[:500]}"
            ) from None
        page = begun(policy, environment, few) if first == 1 else [next_arm(policy, first, before, few)]
        compare(policy, first, page, seen)
    return Played(np.zeros((trials, 0, policy.arms), dtype=np.int64), total, made, np.full(trials, -1))


def demand(policy: Any, environment: Any, noise: Any, trials: int) -> None:
    """NotCompiled for what the kernel is not made for."""
    own = is_dataclass(policy) and all(hasattr(policy, name) for name in ("posterior", "learn", "init"))
    if not own or getattr(policy, "answers", False):
        raise NotCompiled(f"{type(policy).__name__} is no policy of normal samples: it says no `posterior`, or answers")
    if not isinstance(environment, Bernoulli) or environment.arms != policy.arms:
        raise NotCompiled(f"only arms that pay 0 or 1 are compiled, as many as the policy has, not {environment!r}")
    if not isinstance(noise, Seeded) or noise.trials != trials or trials < 1:
        raise NotCompiled("only the draws of Seeded are compiled, of as many trials as the run has, at least one")
    try:
        import numba  # noqa: F401
    except ImportError:
        raise NotCompiled("numba is not installed: python -m pip install numba") from None


def keep_their_types(policy: Any, state: Any, noise: Seeded) -> None:
    """NotCompiled where the page's state changes its types once something is learnt: the kernel writes what is learnt
    into arrays of the first types, where it may not fit."""
    none: Ints = np.zeros((noise.trials, policy.arms), dtype=np.int64)
    after = policy.learn(1, copy_state(state), Pulls(none), np.zeros(none.shape), noise)
    types = [[np.asarray(part).dtype for part in each] for each in (state, after)]
    if types[0] != types[1]:
        before, then = (", ".join(map(str, each)) for each in types)
        raise NotCompiled(f"what {type(policy).__name__} learns is {then}, and its init says {before}: make them equal")


def compile_error() -> type[Exception]:
    from numba.core.errors import NumbaError

    return NumbaError  # type: ignore[no-any-return]


def stream_starts(noise: Seeded, kind: str, site: str, steps: range, shape: tuple[int, ...]) -> Any:
    """What the streams of these steps start from, (steps, 3)."""
    every = [noise.start(kind, site, step, shape).generate_state(3, np.uint64) for step in steps]
    return np.array(every, dtype=np.uint64)


# -- held against the page -----------------------------------------------------------------------------------------


class Enough(Exception):
    """So many steps have been noted."""


@dataclass(frozen=True)
class Noted:
    """Arms that note who pulls them, for so many steps."""

    environment: Bernoulli
    steps: int
    arms_pulled: list[Ints] = field(default_factory=list)

    @property
    def arms(self) -> int:
        return self.environment.arms

    def draw(self, t: int, made: Ints, counts: Ints, bound: Any, noise: Noise) -> Array:
        if (counts.sum(axis=1) != 1).any() or counts.min() < 0 or bound is not None:
            raise NotCompiled(f"step {t}: the policy makes other releases than one pull")
        self.arms_pulled.append(counts.argmax(axis=1))
        if len(self.arms_pulled) == self.steps:
            raise Enough
        return self.environment.draw(t, made, counts, bound, noise)


def begun(policy: Any, environment: Bernoulli, noise: Seeded) -> list[Ints]:
    """The arms that the page pulls in its first steps."""
    noted = Noted(environment, min(COMPARED_STEPS, policy.horizon))
    with suppress(Enough):
        play_page(policy, noted, noise, noise.trials, keep=False)
    return noted.arms_pulled


def next_arm(policy: Any, t: int, state: Any, noise: Seeded) -> Ints:
    """The arm that the page pulls in step t, from this state."""
    counts = policy.act(t, state, Once(noise, noise.trials, t)).counts
    return np.asarray(counts.argmax(axis=1))


def compare(policy: Any, first: int, page: list[Ints], seen: Ints) -> None:
    """Disagreement unless the page pulls what was seen, step after step from the first on."""
    for step, (due, found) in enumerate(zip(page, seen, strict=False), first):
        if not np.array_equal(due, found):
            trial = int((due != found).argmax())
            raise Disagreement(
                f"{type(policy).__name__}, compiled, pulls arm {found[trial]} in step {step} of trial {trial}, and the "
                f"page arm {due[trial]}: play it by `dpbandits.play`, and report this"
            )
