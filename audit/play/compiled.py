"""Thompson sampling, compiled: the same page and the same draws, several times as fast.

Optional, and never a condition: `play_compiled` needs numba (`pip install 'dpbandits[compiled]'`), this module does
not. It plays policies whose step is one pull of the arm with the largest of normal samples, theta = mean + deviation z,
against arms each of whose pulls pays by itself, and tables. What a sample is about, and what is learnt, says the page:
the text of its own `posterior` and `learn` is what numba compiles, on single numbers in the place of arrays. The steps
before, in which nothing is sampled, are the page's own. The draws are those of `Seeded`, bit for bit: the same streams,
started at the same addresses.

So there is little to believe: of every run the first trials are played by the page as well, in the first steps, and
from then on in one step of every call of what is compiled; they must agree exactly, or the run is an error. An `act`
that is of this kind in these steps, and does something else in others, is not noticed.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import numpy as np

from dpbandits.audit.play.kernels import METHODS, Text, kernel_of
from dpbandits.audit.play.many import Many
from dpbandits.audit.play.scalar_text import NotCompiled, Own
from dpbandits.audit.play.worlds import World, world_of
from dpbandits.reference.bandits.noise import Array, Once, Seeded, digest, separate_noise, unknown_draw_message
from dpbandits.reference.bandits.passing import copy_state, state_rows
from dpbandits.reference.bandits.play import Batch, Played
from dpbandits.reference.bandits.policy import Ints, Pulls
from dpbandits.reference.bandits.recommendations import answers

STEPS_PER_CALL = 256  # steps of a call: so many addresses are hashed in advance
COMPARED_STEPS, COMPARED_TRIALS = 60, 32  # of the page's own run, with which the compiled one must agree


class Disagreement(RuntimeError):
    """The compiled run is not the page's."""


def play_compiled(policy: Any, environment: Any, noise: Seeded, trials: int, keep: bool = False) -> Played:
    """The runs of `play(policy, environment, noise, trials, keep)`, compiled by numba, some four times as fast.

    policy: has a `posterior`, and pulls the arm with the largest of normal samples, as Thompson sampling does; where
    samples change what it knows, also `sampled` and `observed`, which `learn` is made of. environment: `Bernoulli`,
    `TwoPoint` or `TruncatedExponential` arms, a `Table` or a `Stream`. noise: a `Seeded` of as many trials. trials: how
    many runs. keep: whether the release is recorded.

    What comes back is what `play` returns, number by number; some steps of every run are played by the page as well,
    and must agree exactly.

    Raises NotCompiled for what is not of this kind, and where numba is missing; Disagreement where the page's own first
    steps are other ones.
    """
    demand(policy, environment, noise, trials)
    batch = Batch(policy, environment, noise, trials, keep)
    while batch.left.any() and one_of(batch.policy).posterior(batch.step + 1, batch.state) is None:
        batch.retire()
        batch.advance()
    batch.state = own_arrays(batch.state, (batch.trials, policy.arms))
    keep_their_types(batch)
    site = site_of_samples(batch)
    size = COMPARED_STEPS
    while batch.left.any():
        batch.retire()
        advance_compiled(batch, site, min(size, int(batch.left.max())))
        size = STEPS_PER_CALL
    return batch.played()


def one_of(policy: Any) -> Any:
    """The policy whose methods are asked: that of all settings, where several are played side by side."""
    return getattr(policy, "joint", policy)


def named(policy: Any) -> str:
    return type(one_of(policy)).__name__


def demand(policy: Any, environment: Any, noise: Any, trials: int) -> None:
    """NotCompiled for what no kernel is made for."""
    one = one_of(policy)
    if not all(callable(getattr(one, name, None)) for name in ("posterior", "learn", "init")) or answers(one):
        raise NotCompiled(f"{named(policy)} is no policy of normal samples: it says no `posterior`, or answers")
    if (takes := list(signature(one.posterior).parameters)) != ["t", "state"]:
        raise NotCompiled(f"posterior of {named(policy)} is about ({', '.join(takes)}); compiled is one of (t, state)")
    if not isinstance(noise, Seeded) or noise.trials != trials or trials < 1:
        raise NotCompiled("only the draws of Seeded are compiled, of as many trials as the run has, at least one")
    if environment.arms != policy.arms:
        raise NotCompiled(f"arms are compiled where there are as many as the policy has, not {environment!r}")
    try:
        import numba  # noqa: F401
    except ImportError:
        raise NotCompiled("numba is not installed: python -m pip install numba") from None
    world_of(environment, policy.horizon, trials)


def own_arrays(state: Any, shape: tuple[int, int]) -> Any:
    """A copy of the page's state, which a kernel writes into: a page may well hand out arrays that it keeps.
    NotCompiled for another state than named arrays (trials, arms)."""
    if not hasattr(state, "_fields") or any(np.shape(part) != shape for part in state):
        raise NotCompiled(f"a state {type(state).__name__} that is no named tuple of arrays (trials, arms), {shape}")
    return type(state)(*(np.array(part, order="C") for part in state))


def keep_their_types(batch: Batch) -> None:
    """NotCompiled where the page's state changes its types once something is learnt: the kernel writes what is learnt
    into arrays of the first types, where it may not fit."""
    none: Ints = np.zeros(batch.made.shape, dtype=np.int64)
    before, after = copy_state(batch.state), copy_state(batch.state)
    here = Once(batch.noise, batch.trials, batch.step + 1)
    after = batch.policy.learn(batch.step + 1, after, Pulls(none), np.zeros(none.shape), here)
    types = [", ".join(str(np.asarray(part).dtype) for part in each) for each in (after, before)]
    if types[0] != types[1]:
        raise NotCompiled(
            f"what {named(batch.policy)} learns is {types[0]}, and its init says {types[1]}: make them equal"
        )


# -- where samples come from -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Listener:
    """Noise that notes which normal numbers are drawn; NotCompiled for others."""

    noise: Any
    drawn: list[tuple[str, int, tuple[int, ...], bool]] = field(default_factory=list)

    def normal(self, site: str, index: int, shape: tuple[int, ...] = (), where: Any = True) -> Array:
        self.drawn.append((site, index, shape, where is True))
        return np.asarray(self.noise.normal(site, index, shape, where))

    def __getattr__(self, kind: str) -> Any:
        if kind in ("laplace", "uniform"):
            raise NotCompiled(f"act draws {kind} numbers: only normal samples are compiled")
        raise AttributeError(unknown_draw_message(kind))


@dataclass(frozen=True)
class Site:
    """Where a policy draws its samples: in step t at index t + later. always: also those that have no deviation."""

    name: str
    later: int
    always: bool


def site_of_samples(batch: Batch) -> Site:
    """Where the page draws its samples, by its next step. NotCompiled where it makes other releases than one pull, or
    draws other numbers than one of each arm."""
    page = first_trials(batch)
    t, heard = page.step + 1, Listener(page.noise)
    counts, bound = page.policy.act(t, page.state, Once(heard, page.trials, t))
    if bound is not None or (counts.sum(axis=1) != 1).any() or counts.min() < 0:
        raise NotCompiled(f"step {t}: the policy makes other releases than one pull")
    if [each[2] for each in heard.drawn] != [(batch.policy.arms,)]:
        raise NotCompiled(f"step {t}: act draws {heard.drawn}; compiled is one normal sample of each arm")
    ((name, index, _, always),) = heard.drawn
    return Site(name, index - t, always)


def stream_starts(noise: Any, kind: str, site: str, steps: range, shape: tuple[int, ...]) -> Any:
    """What the streams of these steps start from, (steps, 3). noise: a Seeded."""
    before, after = noise.around_index(kind, site, shape)
    words = b"".join([digest(f"{before}{step}{after}", 24) for step in steps])
    return np.frombuffer(words, dtype="<u8").reshape(-1, 3).astype(np.uint64)


# -- some steps ------------------------------------------------------------------------------------------------------


def advance_compiled(batch: Batch, site: Site, steps: int) -> None:
    """So many steps of all trials, of which the page plays the first ones, of the first trials, as well."""
    policy, first = one_of(batch.policy), batch.step + 1
    page = first_trials(batch)
    seen: Ints = np.full((steps, batch.trials if batch.keep else page.trials), -1, dtype=np.int64)
    world = world_of(batch.environment, policy.horizon, batch.trials)
    ahead = range(first, first + steps)
    samples = range(first + site.later, first + site.later + steps)
    kernel, own = kernel_for(policy, type(batch.state), site, world, batch.trials)
    theta = stream_starts(batch.noise, "normal", site.name, samples, (policy.arms,))
    reward = stream_starts(batch.outside, "uniform", "reward", ahead, ())
    try:
        kernel(own, tuple(batch.state), first, theta, reward, world.numbers, batch.left, batch.made, batch.total, seen)
    except Exception as error:  # nothing that is compiled raises, and numba has many ways to say what it cannot
        said = str(error).strip()[:500]
        raise NotCompiled(f"numba cannot compile posterior or learn of {named(policy)}: {said}") from None
    batch.step, batch.least = batch.step + steps, int(batch.left.min())
    if batch.keep:
        pulls = np.concatenate([np.eye(policy.arms, dtype=np.int64), np.zeros((1, policy.arms), dtype=np.int64)])
        batch.record += list(pulls[seen])  # -1 is the last row: nothing is pulled any more
    compare(batch, page, seen, first)


def kernel_for(policy: Any, remembered: Any, site: Site, world: World, trials: int) -> tuple[Any, tuple[Any, ...]]:
    """The kernel, and the policy's numbers of every trial."""
    found = {name: getattr(type(policy), name, None) for name in METHODS}
    if found["sampled"]:
        del found["learn"]  # which is made of the others
    own = Own(policy, tuple(name for name, method in found.items() if method), trials)
    learnt = found["observed"] or found["learn"]
    parts: list[Any] = [found[name] for name in ("posterior", "sampled", "ended", "processed")]
    text = Text(own.kind, remembered, *parts, learnt, site.always, world.pays, world.draws)  # type: ignore[call-arg]
    return kernel_of(text), own.values


# -- held against the page -------------------------------------------------------------------------------------------


def first_trials(batch: Batch) -> Batch:
    """A batch of the first trials of this one, from where it is: the page's own."""
    policy: Any = batch.policy
    few, several = min(COMPARED_TRIALS, batch.trials), hasattr(policy, "fewer")
    if several:
        few = policy.fewer(np.arange(batch.trials) < few)
    page, rows = copy.copy(batch), slice(few)
    page.policy = policy.first(few) if several else policy
    page.state, page.made, page.total, page.said, page.left = (
        copy_state(state_rows(part, rows)) for part in (batch.state, batch.made, batch.total, batch.said, batch.left)
    )
    page.noise = replace(batch.noise, trials=few)  # type: ignore[type-var]
    page.outside = separate_noise(page.noise, "environment")
    if isinstance(batch.environment, Many):
        page.environment = batch.environment.playing(batch.environment.which[rows])
    page.single = getattr(page.environment, "single", page.environment.draw)
    page.trials, page.keep, page.shrinks, page.least = few, False, False, int(page.left.min())
    return page


def compare(batch: Batch, page: Batch, seen: Ints, first: int) -> None:
    """Disagreement unless the page pulls what was seen, from step `first` on, and, where it plays as many steps, knows
    what was learnt."""
    size = len(seen) if len(seen) <= COMPARED_STEPS else 1
    for step, found in enumerate(seen[:size, : page.trials], first):
        made = page.made
        page.advance()
        now = page.made - made
        due = np.where(now.any(axis=1), now.argmax(axis=1), -1)
        if not np.array_equal(due, found):
            trial = int((due != found).argmax())
            raise Disagreement(
                f"{named(batch.policy)}, compiled, pulls arm {found[trial]} in step {step} of trial {trial}, and the "
                f"page arm {due[trial]}: play it by `dpbandits.play`, and report this"
            )
    both = zip((*page.state, page.total), (*batch.state, batch.total), strict=True)
    if size == len(seen) and not all(same_numbers(due, part[: page.trials]) for due, part in both):
        raise Disagreement(
            f"{named(batch.policy)}, compiled, has learnt something else than the page by step {page.step}: play it by "
            "`dpbandits.play`, and report this"
        )


def same_numbers(due: Any, found: Any) -> bool:
    return np.array_equal(due, found, equal_nan=True)
