"""Makes a policy of many trials from objects that play one run each, as in most libraries.

>>> from dpbandits.extensions.conformance.objects import from_object
>>> class Greedy:
...     def __init__(self, rng):
...         self.rng, self.total, self.pulls = rng, [0.0, 0.0], [0, 0]
...     def select(self):
...         return max((0, 1), key=lambda arm: self.total[arm] / (self.pulls[arm] + 1) + self.rng.normal())
...     def update(self, arm, reward):
...         self.total[arm], self.pulls[arm] = self.total[arm] + reward, self.pulls[arm] + 1
>>> policy = from_object(Greedy, Greedy.select, Greedy.update, arms=2, horizon=10)
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace

import numpy as np

from dpbandits.audit.statistics.copies import WatchedGenerators
from dpbandits.extensions.conformance.watch import Shared, Watch, shared_by
from dpbandits.proofs_checks.alignment.forms import NotLinear
from dpbandits.proofs_checks.alignment.single_runs import Past
from dpbandits.reference.arithmetic.checks import at_least, positive, require_callable, require_flag
from dpbandits.reference.bandits.contexts import Contexts, context_dimension
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import ContextualPolicy, Ints, Policy, Pulls
from dpbandits.reference.bandits.protocol import accepts_arguments, argument_fault
from dpbandits.reference.bandits.reward_ranges import UNIT_RANGE
from dpbandits.reference.bandits.reward_ranges import reward_range as checked_rewards

SEED_RANGE = 2**53  # seeds are uniform draws of 53 bits
GENERATOR = (
    "make(rng) received a numpy.random.Generator; if your code needs an integer seed, use int(rng.integers(2**32)), "
    "and if it needs other arguments, write a function of rng, such as lambda rng: Agent(2)"
)


@dataclass(eq=False)
class ObjectBatch:
    """The objects of all trials; none before the first step, because their generators have to be known."""

    trials: int
    members: list[object] = field(default_factory=list)
    step: int = 0  # the last one in which they selected
    shared: list[Shared] = field(default_factory=list)  # what must not change, for it is not one object's own


@dataclass(frozen=True, repr=False)
class Objects:
    """A policy whose trials each have an object of their own; made by `from_object`, which describes its fields."""

    arms: int
    horizon: int
    make: Callable[[np.random.Generator], object]
    select: Callable[..., int]
    update: Callable[..., object]
    seed: Callable[[int], object] | None = None
    answer: Callable[..., int] | None = None
    reward_range: Collection[float] = UNIT_RANGE
    patience: float | None = 60.0
    label: str = ""
    contexts: int | None = None
    context_norm: float = 1.0
    deterministic: bool = False

    def __repr__(self) -> str:
        """Returns the policy as text for reports: the objects' name, without the functions select and update."""
        range_ = "" if self.reward_range == UNIT_RANGE else f", reward_range={self.reward_range!r}"
        seen = "" if self.contexts is None else f", contexts={self.contexts}"
        certain = ", deterministic=True" if self.deterministic else ""
        return f"from_object({self.called or 'make'}, arms={self.arms}, horizon={self.horizon}{range_}{seen}{certain})"

    @property
    def given_randomness(self) -> str:
        """The remark, in words, that the objects never drew from the generators that `make` received."""
        seeded = "" if self.seed is None else ", and seed(number) changed nothing"
        return f"the generator that is handed to make(rng) was never drawn from{seeded}"

    def watched(self, generators: WatchedGenerators) -> Objects:
        """Returns the same objects, with their random generators registered in `generators`."""
        return replace(self, make=lambda rng: self.make(generators.add(rng)))

    @property
    def called(self) -> str:
        """Returns the name of the objects in messages and reports.
        The given name; otherwise the name of the class or function that makes an object (for a partial, of its
        function; for a lambda, the class of its result)."""
        if self.label:
            return self.label
        named = str(getattr(getattr(self.make, "func", self.make), "__name__", ""))
        if named == "<lambda>":
            with suppress(Exception):  # it is asked again by a judge, who says what is wrong with it
                named = type(self.make(np.random.default_rng(0))).__name__
                named = "" if named in dir(builtins) else named
        return named if named.isidentifier() else ""

    @property
    def answers(self) -> bool:
        """Whether the objects recommend an arm at the end of a run."""
        return self.answer is not None

    def init(self, trials: int) -> ObjectBatch:
        """Returns a batch of `trials` objects, which are made at the first step."""
        return ObjectBatch(trials)

    def act(self, t: int, state: ObjectBatch, noise: Noise, *seen: Array) -> Pulls:
        """Returns the arms that the objects select in step t, or their answers after the last step."""
        if self.answer is not None and t > self.horizon:  # a pull a step
            return Pulls.answer(self.arms_of_all("answer", self.answer, t, state, noise), self.arms)
        state.step = t
        return Pulls.one(self.arms_of_all("select", self.select, t, state, noise, *seen), self.arms)

    def arms_of_all(
        self, name: str, ask_object: Callable[..., int], t: int, state: ObjectBatch, noise: Noise, *seen: Array
    ) -> Ints:
        """Asks every object for an arm by calling `ask_object`; returns the arms, (trials,)."""
        arms = np.empty(state.trials, dtype=np.int64)

        def ask(trial: int, member: object) -> None:
            """Asks one object for an arm, and stores the arm."""
            arms[trial] = self.checked_arm(ask_object(member, *(each[trial] for each in seen)), t, name)

        self.for_each_object(name, ask, f"{name}s", t, state, noise)
        return arms

    def arm_after(self, past: Past, rng: np.random.Generator, within: AbstractContextManager[None]) -> int:
        """Makes a new object, replays a past with it, and returns the arm that it selects next.
        For a proof by alignment (see `proofs_checks.alignment.single_runs`)."""
        if self.seed is not None:
            raise NotLinear("the argument seed= is given, so the code may draw from a global generator")
        watch = Watch()

        def play() -> int:
            """Replays the past with a new object, and returns the arm that the object selects next."""
            with within:
                member = self.make(rng)
                for step, (arm, reward) in enumerate(zip(past.arms, past.rewards, strict=True)):
                    if self.checked_arm(self.select(member, *past.seen[step : step + 1]), step + 1, "select") != arm:
                        raise ValueError(
                            f"step {step + 1}: a second run with the same draws and rewards pulled a different arm; "
                            "select may depend only on the object, its generator and the contexts"
                        )
                    self.update(member, arm, reward, *past.seen[step : step + 1])
                    watch.beat()
                step = len(past.arms)
                if step == self.horizon and self.answer is not None:
                    return self.checked_arm(self.answer(member), step + 1, "answer")
                return self.checked_arm(self.select(member, *past.seen[step:]), step + 1, "select")

        if self.patience is None:
            return play()
        silent = ValueError(f"an object has not returned for {self.patience:g} s")
        return int(watch.run(play, self.patience, lambda: silent))

    def checked_arm(self, arm: object, t: int, name: str) -> int:
        """Returns the arm that an object returned, as an integer. Raises ValueError for an invalid arm."""
        refuse_coroutine(arm, f"step {t}: {name}")
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < self.arms:
            raise ValueError(
                f"step {t}: {name} returned {arm!r}; it must return the arm, an integer from 0 to {self.arms - 1}"
            )
        return int(arm)

    def learn(self, t: int, state: ObjectBatch, pulls: Pulls, sums: Array, noise: Noise, *seen: Array) -> ObjectBatch:
        """Passes each pull and its reward to its object.
        An object that has not selected an arm in this step selects one first, as in a run."""
        if (pulls.counts.sum(axis=1) > 1).any():
            raise ValueError(
                f"step {t}: a policy of from_object makes one pull in each step, but `learn` was called with several "
                "pulls in this step"
            )
        if state.step != t:  # it is told of a past, and may count its selections, or remember them
            self.act(t, state, noise, *seen)

        def learn(trial: int, member: object) -> None:
            """Passes one object the arm that it pulled in this step, and the reward."""
            arm = int(pulls.counts[trial].argmax())
            if pulls.counts[trial, arm]:
                said = self.update(member, arm, float(sums[trial, arm]), *(each[trial] for each in seen))
                refuse_coroutine(said, f"step {t}: update")

        self.for_each_object("update", learn, "learns", t, state, noise)
        return state

    def for_each_object(
        self, name: str, work: Callable[[int, object], None], site: str, t: int, state: ObjectBatch, noise: Noise
    ) -> None:
        """Calls `work` with every object.
        Raises ValueError if an object gives no result for more than `patience` seconds."""
        watch = Watch()

        def all_of_it() -> None:
            """Calls `work` with each object. Raises ValueError if `work` changes a container that two objects share."""
            for trial, member in self.seeded_objects(site, t, state, noise):
                try:
                    work(trial, member)
                except StopIteration as error:
                    raise ValueError(f"step {t}: {name} raised StopIteration (object {trial + 1}): {error}") from error
                watch.beat()
            for each in state.shared:
                if each.changed():
                    raise ValueError(
                        f"step {t}: {name} changed {each.name}. The objects of two runs share this attribute, so one "
                        "run learns from the other; every object that `make` returns must have its own copy"
                    )

        if self.patience is None:
            all_of_it()
            return
        watch.run(
            all_of_it,
            self.patience,
            lambda: ValueError(
                f"step {t}: {name} did not return within {self.patience:g} s (object {watch.beats + 1} of "
                f"{state.trials}); remove what it waits for, or give more time with from_object(..., "
                "patience=)"
            ),
        )

    def seeded_objects(self, site: str, t: int, state: ObjectBatch, noise: Noise) -> Iterator[tuple[int, object]]:
        """Yields (trial, object) for all trials; the objects are made at the first call.
        The seed of each is a function of its trial's own noise, so that a trial is the same in every batch. A generator
        of the whole process is seeded immediately before its object's turn."""
        if not state.members:
            state.members += self.made(seeds(noise, "object"))
            state.shared += shared_by(state.members[:2])
        if self.seed is None:
            yield from enumerate(state.members)
            return
        for (trial, member), number in zip(enumerate(state.members), seeds(noise, f"{site}, step {t}"), strict=True):
            self.seed(number)
            yield trial, member

    def made(self, numbers: list[int]) -> list[object]:
        """Makes one object for each of these seeds, and returns the objects.
        Raises ValueError if `make` returns None, or the same object twice."""
        try:
            members = [self.make(np.random.default_rng(number)) for number in numbers]
        except StopIteration as error:  # which would end the `map` of somebody further up
            raise ValueError(f"`make` raised StopIteration: {error}") from error
        except (TypeError, ValueError) as error:
            error.add_note(GENERATOR)
            raise
        if any(member is None for member in members):
            raise ValueError("`make` returned None; it must return the object that plays a run, such as Agent(rng)")
        if len({id(member) for member in members}) < len(members):
            raise ValueError(
                f"`make` returned the same {type(members[0]).__name__} for two runs, so one run would learn "
                "from the other; it must return a new object every time, such as Agent(rng)"
            )
        return members


def seeds(noise: Noise, site: str) -> list[int]:
    """Draws a random integer seed below 2**53 for every trial."""
    return [int(each) for each in noise.uniform(site, 0) * SEED_RANGE]


def refuse_coroutine(value: object, where: str) -> None:
    """Raises ValueError if a method returned a coroutine, which is never awaited. where: the step and the method."""
    if inspect.iscoroutine(value):
        value.close()
        raise ValueError(f"{where} is an async function; give an ordinary function")


def from_object(
    make: Callable[[np.random.Generator], object],
    select: Callable[..., int],
    update: Callable[..., object],
    arms: int,
    horizon: int,
    seed: Callable[[int], object] | None = None,
    answer: Callable[..., int] | None = None,
    reward_range: Collection[float] = UNIT_RANGE,
    patience: float | None = 60.0,
    name: str = "",
    contexts: int | None = None,
    context_norm: float = 1.0,
    deterministic: bool = False,
) -> Policy | ContextualPolicy:
    """Makes a policy from objects that play one run each, one pull at a time.

    make(rng): returns a new object, which must draw from this generator only and share no mutable state with other
    objects. rng is a numpy.random.Generator; for code that needs an integer seed, use `int(rng.integers(2**32))`.
    select(object): returns the arm to pull next, counted from 0. update(object, arm, reward): is called after every
    select. The arm may differ from the selected arm, because an audit sets the state for a single round in this way.
    seed(number): for code that draws from a generator of the whole process, such as numpy.random.seed or a function
    that calls it and random.seed (numpy's takes numbers below 2**32: `lambda number: numpy.random.seed(number %
    2**32)`); it is called before every select and update. answer(object): returns the recommended arm after the last
    pull, if runs end with a recommendation. reward_range: the rewards for which the objects are designed, (low, high)
    or the set of all possible rewards. patience: the time limit in seconds for one select, update or answer; objects
    run in a thread of their own. name: the policy's name in findings; the default is the class of the objects.
    contexts: None, or the number of features of every arm; the signatures are then select(object, features) and
    update(object, arm, reward, features), with the features of all arms in this round, (arms, contexts), read-only.
    context_norm: the largest Euclidean norm of an arm's features for which the objects are designed. deterministic:
    True for objects that use no randomness on purpose, such as UCB1. Without this argument, objects that never draw
    from rng and all play the same run get the verdict NOT_APPLICABLE, because a seed may be fixed somewhere, and copies
    of one run certify nothing. Objects may be modified in place, and must allow deep copies. Raises TypeError if select
    or update take other arguments, ValueError for arms or a horizon below 1 or a patience that is not positive, and
    during play for an arm that does not exist, an object that does not return in time, an object used for two runs, or
    detected shared mutable state.
    """
    policy = Objects(
        arms, horizon, make, select, update, seed, answer, reward_range, patience, name, contexts, context_norm,
        deterministic,
    )  # fmt: skip
    demand_object_parts(policy)
    return policy


def demand_object_parts(policy: Objects) -> None:
    """Raises TypeError and ValueError for arguments from which `from_object` cannot make a policy."""
    at_least("from_object: arms", policy.arms, 1)
    at_least("from_object: horizon", policy.horizon, 1)
    for role in ("make", "select", "update", "seed", "answer"):
        part = getattr(policy, role)
        if part is not None or role not in ("seed", "answer"):
            require_callable(f"from_object: {role}", part)
    if not accepts_arguments(policy.make, 1):
        raise TypeError(
            f"from_object: make{inspect.signature(policy.make)} does not take the argument of make(rng), a generator; "
            "if your class needs none, write make=lambda rng: Agent()"
        )
    if policy.patience is not None:
        positive("from_object: patience", policy.patience)
    require_flag("from_object: deterministic", policy.deterministic)
    if not isinstance(policy.label, str):
        raise ValueError(
            f"from_object: name is {policy.label!r}; it must be a string, such as name='Greedy, half the noise'"
        )
    contexts: object = policy.contexts
    if isinstance(contexts, Contexts):
        raise TypeError(
            "from_object: contexts is a Contexts object; give the number of features of an arm instead, "
            f"contexts={contexts.features.shape[2]}. Give the features themselves to audit_policy, or to a Table or "
            "Stream"
        )
    if contexts is not None:
        at_least("from_object: contexts", contexts, 1)
    positive("from_object: context_norm", policy.context_norm)
    for role, own in (("select", ("object",)), ("update", ("object", "arm", "reward"))):
        if fault := argument_fault(role, getattr(policy, role), own, ("features",) * (contexts is not None)):
            raise TypeError(f"from_object: {fault}")
    checked_rewards(policy)
    context_dimension(policy)  # none beside an answer
