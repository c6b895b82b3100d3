"""Compiles the rounds of a policy with numba, from the policy's own source.

`kernel_of` returns a compiled player for a policy and an environment, or raises `NotCompiled` with the reason.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import getattr_static, getsource, signature
from textwrap import dedent
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.extensions.compiled.betas_in_numba import BetaText, beta_rounds
from dpbandits.extensions.compiled.rounds_in_numba import Text, rounds_of
from dpbandits.extensions.compiled.scalar_text import NotCompiled, Own, TupleType, own_names
from dpbandits.extensions.compiled.worlds import World, world_of
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Noise, Seeded, digests
from dpbandits.reference.bandits.passing import State
from dpbandits.reference.bandits.play import Batch
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.recommendations import answers

# Of a policy: what a kernel calls.
METHODS = ("posterior", "believed", "fresh", "sampled", "ended", "processed", "observed", "learn")
BETA_METHODS = ("noisy", "with_noise", "beta_posterior", "ended", "processed", "observed")


class Drawn(NamedTuple):
    """A draw of the numpy policy in a step. number: its index. whole: whether it includes numbers that are not
    needed."""

    kind: str
    site: str
    number: int
    shape: tuple[int, ...]
    whole: bool


@dataclass(frozen=True)
class Samples:
    """The compiled player of policies that draw, in each step, only numbers of these kinds, one of each for every arm,
    and pull the arm with the largest sample. methods: of the policy, which are compiled. made: the compiled rounds for
    a policy's type, with its kind and state in numba's form, the existing methods, whether all samples are drawn, and a
    world."""

    kinds: tuple[str, ...]
    methods: tuple[str, ...]
    made: Callable[[type[Policy], TupleType, TupleType, tuple[str, ...], bool, World], Callable[..., bool]]
    last: list[tuple[Policy, Own]] = field(
        default_factory=list, compare=False
    )  # the policy that was played, as numbers

    def plays(self, drawn: list[Drawn], batch: Batch) -> bool:
        """Whether one step's draws of the numpy policy, `drawn`, have the kinds and shapes that compiled code makes.
        drawn: the draws of one step."""
        return [(each.kind, each.shape) for each in drawn] == [(kind, (batch.policy.arms,)) for kind in self.kinds]

    def play(self, batch: Batch, steps: int, drawn: list[Drawn]) -> None:
        """Plays `steps` steps of the runs by compiled code, with the same result as `Batch.advance`.
        drawn: the numpy policy's draws in the first step; in each further step their index is larger by one."""
        first, arms = batch.step + 1, batch.policy.arms
        state, made, total, left = (own_copy(part) for part in (batch.state, batch.made, batch.total, batch.left))
        world = world_of(batch.environment, batch.policy.horizon, batch.trials)
        policy = joint_policy_of(batch.policy)
        if not self.last or self.last[0][0] is not policy:
            self.last[:] = [(policy, Own(policy, self.methods, batch.trials))]
        own = self.last[0][1]
        starts = [stream_starts(batch.noise, *each[:-1], steps) for each in drawn]
        reward = stream_starts(batch.outside, "uniform", "reward", first, (), steps)
        seen = np.full((steps, batch.trials if batch.keep else 0), -1, dtype=np.int32)
        try:
            rounds = self.made(type(policy), own.kind, type(state), self.methods, drawn[-1].whole, world)
            known = rounds(own.values, tuple(state), first, *starts, reward, world.numbers, left, made, total, seen)
        except Exception as error:  # nothing that is compiled raises, and numba has many ways to say what it cannot
            said = str(error).strip()[:500]
            raise NotCompiled(f"numba cannot compile the functions of {type(policy).__name__}: {said}") from None
        if not known:
            raise NotCompiled(
                f"{type(policy).__name__} is not compiled: in step {first} or later, a sample is not a number, or was "
                "drawn although `fresh` is false"
            )
        if batch.keep:
            batch.record += list(np.eye(arms + 1, arms, dtype=np.int64)[seen])  # -1 is the last row: nothing is pulled
        batch.state, batch.made, batch.total, batch.left = state, made, total, left
        batch.step, batch.least = batch.step + steps, int(left.min(initial=0))


def normal_samples(
    policy: type[Policy], kind: TupleType, remembered: TupleType, methods: tuple[str, ...], whole: bool, world: World
) -> Callable[..., bool]:
    """Returns a compiled function that plays a policy which pulls the arm with the largest normal sample.
    The sample is mean + deviation z, z standard normal. The policy's method `posterior` gives mean and deviation."""
    *parts, learnt = (getattr(policy, name) if name in methods else None for name in METHODS[:-1])
    return rounds_of(Text._make((kind, remembered, *parts, learnt or policy.learn, whole, world.pays, world.draws)))


def beta_samples(
    policy: type[Policy], kind: TupleType, remembered: TupleType, methods: tuple[str, ...], whole: bool, world: World
) -> Callable[..., bool]:
    """Returns a compiled function that plays a policy which pulls the arm with the largest Beta sample.
    The policy's method `beta_posterior` gives the parameters, computed from means with noise."""
    parts = (getattr(policy, name) for name in methods)
    return beta_rounds(BetaText._make((kind, remembered, *parts, world.pays, world.draws)))


def kernel_of(policy: Policy, environment: Environment, noise: Noise) -> Samples:
    """Returns the compiled player of this policy in this environment.
    Raises NotCompiled, with the reason, if it cannot be compiled."""
    played: Any = joint_policy_of(policy)
    one, law = type(played), law_of_samples(policy)
    beta = law == "beta"
    if not law or not has_state(one) or answers(policy):
        raise NotCompiled(
            f"{one.__name__} is not compiled, because it has neither `posterior` nor `beta_posterior`, or because it "
            "recommends an arm at the end"
        )
    if context_dimension(policy):
        raise NotCompiled(f"{one.__name__} is not compiled, because it has contexts")
    if not beta and (takes := list(signature(played.posterior).parameters)) != ["t", "state"]:
        raise NotCompiled(
            f"{one.__name__}.posterior takes ({', '.join(takes)}); it must take (t, state) to be compiled"
        )
    if not isinstance(noise, Seeded) or noise.trials < 1:
        raise NotCompiled("runs are compiled only for Seeded noise with at least one trial")
    try:
        import numba  # noqa: F401
    except ImportError:
        raise NotCompiled("numba is not installed; run python -m pip install numba") from None
    world_of(environment, policy.horizon, noise.trials)
    methods = BETA_METHODS if beta else methods_of(one)
    demand_made_of(joint_policy_of(policy), methods)
    kinds, made = (("laplace", "uniform"), beta_samples) if beta else (("normal",), normal_samples)
    return Samples(kinds, methods, made)


def methods_of(policy: Any) -> tuple[str, ...]:
    """The methods of a policy with normal samples that a kernel calls."""
    if hasattr(policy, "sampled"):  # learn is made of others then
        return tuple(name for name in METHODS if hasattr(policy, name) and name not in ("believed", "learn"))
    return ("posterior", "believed", "learn") if has_believed_posterior(policy.posterior) else ("posterior", "learn")


def law_of_samples(policy: Policy) -> str:
    """The name of the distribution from which a policy draws its samples: "normal", "beta", or "" for neither."""
    one = type(joint_policy_of(policy))
    said = {"beta": BETA_METHODS, "normal": ("posterior",)}
    return next((law for law, names in said.items() if all(callable(getattr(one, name, None)) for name in names)), "")


def has_state(cls: type[Policy]) -> bool:
    """Whether the class has the methods `init` and `learn`."""
    return all(callable(getattr(cls, name, None)) for name in ("init", "learn"))


def demand_made_of(policy: Policy, methods: tuple[str, ...]) -> None:
    """Raises NotCompiled unless `act` and `learn` certainly call these methods.
    `act`, `learn` and the methods that they call may not be overridden in a more derived class or on the object."""
    name = type(policy).__name__
    try:
        places = [*map(vars, (policy, *type(policy).__mro__))]
    except TypeError:
        slots = f"{name} has __slots__; to be compiled it must hold its numbers in fields, as a frozen dataclass does"
        raise NotCompiled(slots) from None
    if any(each in place for place in places[:-1] for each in ("__getattribute__", "__getattr__")):
        raise NotCompiled(f"{name} defines __getattr__ or __getattribute__, which numba cannot compile")
    age = {each: next((k for k, place in enumerate(places) if each in place), 0) for each in dir(policy)}
    if own := [each for each in methods if not age[each]]:
        raise NotCompiled(
            f"this object of the class {name} has its own function `{own[0]}` as an attribute; only methods of the "
            "class are compiled"
        )
    around = {"act", "learn", *own_names(policy, ("act", "learn"))} - set(own_names(policy, methods))
    oldest = max((each for each in methods if each != "learn"), key=age.__getitem__)
    for each in sorted(around):
        said = getattr_static(type(policy), each, None)
        works = each in ("act", "learn") or callable(said) or hasattr(said, "__get__")  # a property, say, and no number
        if works and age[each] < age[oldest]:
            raise NotCompiled(
                f"{name} overrides `{each}` but not `{oldest}`, and the inherited `{oldest}` would be compiled instead "
                f"of `{each}`; override both"
            )


def has_believed_posterior(posterior: FunctionType) -> bool:
    """Whether every `return` of the function `posterior` gives None or `self.believed(state)`.
    If so, the state alone determines the posterior, if there is one."""
    try:
        (function,) = ast.parse(dedent(getsource(posterior.__code__))).body  # of this code, whatever it wraps
    except (AttributeError, OSError, SyntaxError, ValueError):  # there is no text
        return False
    returned: set[str] = set()
    for each in ast.walk(function):
        if isinstance(each, ast.Return):
            returned.update(possible_results(each.value))
        elif isinstance(each, ast.NamedExpr) or (isinstance(each, ast.stmt) and not returns_nothing(each, function)):
            return False
    return "self.believed(state)" in returned <= {"None", "self.believed(state)"}


def returns_nothing(statement: ast.stmt, function: ast.stmt) -> bool:
    """Whether a statement is the `def` of the function itself, an `if`, or a docstring.
    None of these returns a value."""
    words = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return statement is function or isinstance(statement, ast.If) or words


def possible_results(value: ast.expr | None) -> list[str]:
    """The possible results of a `return`, as source text: several for a conditional expression."""
    if isinstance(value, ast.IfExp):
        return possible_results(value.body) + possible_results(value.orelse)
    return ["None" if value is None else ast.unparse(value)]


def joint_policy_of(played: Policy) -> Policy:
    """The policy whose methods are compiled: the joint policy of several settings if there is one, else `played`."""
    return getattr(played, "joint", played)


def own_copy(part: State) -> State:
    """Returns a copy of an array, or of a named tuple of arrays, that compiled code may overwrite.
    The page may keep the original. Raises NotCompiled for a state that is not a NamedTuple of arrays of shape (trials,
    arms)."""
    if isinstance(part, np.ndarray):
        return np.array(part, order="C")
    if not hasattr(part, "_fields") or not all(np.ndim(each) == 2 for each in part):
        raise NotCompiled(
            f"the state has type {type(part).__name__}; to be compiled, it must be a NamedTuple of arrays of "
            "shape (trials, arms)"
        )
    return type(part)(*(np.array(each, order="C") for each in part))


def stream_starts(
    noise: Noise, kind: str, site: str, first: int, shape: tuple[int, ...], steps: int
) -> NDArray[np.uint64]:
    """The initial states of the streams of this many steps, (steps, 3). first: the index of the first step."""
    assert isinstance(noise, Seeded)  # as `kernel_of` has seen to
    before, after = noise.around_index(kind, site, shape)
    words = digests(before, range(first, first + steps), after, 24)
    return np.frombuffer(words, dtype="<u8").reshape(-1, 3).astype(np.uint64)
