"""Checks whether an object is a policy, before anything is played, and lists everything that is missing or wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from dpbandits.reference.arithmetic.checks import NoLaw, at_least, is_number
from dpbandits.reference.bandits.contexts import context_dimension, demand_one_pull
from dpbandits.reference.bandits.noise import Array, Once, Seeded, frozen
from dpbandits.reference.bandits.passing import (
    MAX_STEP_PULLS,
    State,
    checked_pulls,
    checked_state,
    cut_to_horizon,
    explain_refused_write,
)
from dpbandits.reference.bandits.recommendations import answers, pulls_without_answers
from dpbandits.reference.bandits.release_laws.checked import checked_law

METHODS = {  # what the errors call them, and the names of their arguments
    "init": ("trials",),
    "act": ("t", "state", "noise"),
    "learn": ("t", "state", "pulls", "sums", "noise"),
    "law": ("t", "state"),
}
PURPOSE = {
    "init": "the state before the first step, a NamedTuple of arrays whose first axis is the trial",
    "act": "the pulls of step t, Pulls.one(arm, arms)",
    "learn": "the state after step t",
}
WITH_CONTEXTS = ("act", "learn", "law")  # methods that are given contexts as well, of a policy that has some
OF_ONE_RUN = ("select", "select_arm", "choose", "choice", "pull", "update", "predict", "partial_fit", "recommend")
TRIALS = 2  # of the first step, which is tried
Returned = TypeVar("Returned")


def protocol_faults(policy: object) -> tuple[str, ...]:
    """The reasons why an object is not a policy (`policy.Policy`), in words; empty for a policy.

    First, missing members. If nothing is missing, the first step of two trials with rewards of 0 is tried: the return
    values of `act`, `learn` and, if defined, `law`. Exceptions of the policy's own code are passed on.
    """
    if isinstance(policy, type):
        name = policy.__name__
        if accepts_keywords(policy, "arms", "horizon") or not plays_one_run(policy):
            return (f"{name} is a class; give an instance of it, such as {name}(arms=2, horizon=3)",)
        return (f"{name} is a class whose objects play one run; wrap it with dpbandits.from_object (see below)",)
    return tuple(missing_members(policy)) or tuple(first_step_faults(policy))


def demand_policy(policy: object) -> None:
    """Raises TypeError with all `protocol_faults`, one on each line, if there are any."""
    faults = protocol_faults(policy)
    if faults:
        raise TypeError(complaint_text(policy, faults))


def complaint_text(policy: object, faults: tuple[str, ...]) -> str:
    """The error for an object that is no policy: all faults, and how to wrap an object that plays one run."""
    name = policy.__name__ if isinstance(policy, type) else type(policy).__name__
    said = [
        f"{name} does not have all that a policy needs (see dpbandits.Policy):",
        *(f"  - {fault}" for fault in faults),
    ]
    if plays_one_run(policy):
        said.append(
            f"  If {name} plays a single run, one pull at a time, use "
            "dpbandits.from_object(make, select, update, arms=2, horizon=10), where make(rng) returns a new object."
        )
    return "\n".join(said)


def name_of(policy: object) -> str:
    """The name of a policy in messages: the name that `from_object` gave it, or its class."""
    called = getattr(policy, "called", None)
    return (called or "from_object") if isinstance(called, str) else type(policy).__name__


def plays_one_run(policy: object) -> bool:
    """Whether the object looks like a policy of another library, which plays one run at a time.
    An object that looks like a `Policy` does not."""
    if any(hasattr(policy, method) for method in PURPOSE):
        return False
    return any(callable(getattr(policy, method, None)) for method in OF_ONE_RUN)


def missing_members(policy: object) -> Iterator[str]:
    """Yields a sentence for each attribute or method of the protocol that is missing or has the wrong form."""
    for name, what in (("arms", "the number of arms"), ("horizon", "the number of pulls in a run")):
        if not hasattr(policy, name):
            yield f"{name} is missing; it must be an integer, {what}"
            continue
        try:
            at_least(name, getattr(policy, name), 1)
        except ValueError as error:
            yield str(error)
            continue
        if getattr(policy, name) > MAX_STEP_PULLS:
            yield f"{name} is {getattr(policy, name)!r}; it must be at most {MAX_STEP_PULLS}"
    old = getattr(policy, "rewards", None)
    if isinstance(old, tuple) and old and all(map(is_number, old)):
        yield (
            f"rewards is {old!r}, but this attribute is not used; write reward_range = {set(old)!r} if these are "
            "the only possible rewards"
        )
    try:
        seen = ("seen",) if context_dimension(policy) else ()
    except (TypeError, ValueError) as error:
        yield str(error)
        return
    for name, own in METHODS.items():
        arguments = own + seen * (name in WITH_CONTEXTS)
        call = f"{name}({', '.join(arguments)})"
        method = getattr(policy, name, None)
        if name in PURPOSE and method is None:
            yield f"{call} is missing; it must return {PURPOSE[name]}"
        elif method is not None and not callable(method):
            yield f"{name} is {method!r}; it must be a method, {call}"
        elif method is not None and (fault := argument_fault(name, method, own, arguments[len(own) :])):
            yield fault


def argument_fault(name: str, method: Callable[..., object], own: tuple[str, ...], seen: tuple[str, ...] = ()) -> str:
    """An error message if a method does not accept the protocol's arguments `own` and `seen`; "" if it does.
    own: the names of these arguments. seen: the names of the arguments that are added for a policy with contexts."""
    if accepts_arguments(method, len(own) + len(seen)):
        return ""
    said = f"{name}{inspect.signature(method)} does not take the arguments of {name}({', '.join(own + seen)})"
    if not accepts_arguments(method, len(own) + 1 - len(seen)):
        return said
    remedy = "set contexts = d if the policy uses d features of every arm"
    return f"{said}; {'remove the attribute contexts, or add the argument' if seen else remedy}"


def accepts_arguments(method: Callable[..., object], count: int) -> bool:
    """Whether the method can be called with `count` positional arguments; True if Python cannot determine it."""
    try:
        inspect.signature(method).bind(*[None] * count)
    except ValueError:
        return True
    except TypeError:
        return False
    return True


def accepts_keywords(make: Callable[..., object], *names: str) -> bool:
    """Whether a class or function can be called with the given keyword arguments alone.
    True as far as its signature shows."""
    try:
        inspect.signature(make).bind(**dict.fromkeys(names))
    except (TypeError, ValueError):
        return False
    return True


def demand_mechanism(mechanism: object) -> None:
    """Raises TypeError if the object is not a one-shot mechanism for a `Step`."""
    if inspect.isclass(mechanism):
        raise TypeError(f"Step: {mechanism.__name__} is a class; give an instance of it")
    if not callable(release := getattr(mechanism, "release", None)) or not accepts_arguments(release, 2):
        raise TypeError(
            f"Step: {mechanism!r} is not a one-shot mechanism; it needs a method release(values, noise) that "
            "returns the index that each trial releases. For a function that returns noisy numbers, use "
            "`audit_mechanism`"
        )


def first_step_faults(policy: Any) -> Iterator[str]:
    """Yields the first fault in the values that the methods return in the first step."""
    shape, noise = (TRIALS, int(policy.arms)), Once(Seeded(0, TRIALS), TRIALS, 1)
    d, state = context_dimension(policy), policy.init(TRIALS)
    seen = (frozen(np.zeros((*shape, d))),) if d else ()
    try:
        checked_state(state, TRIALS, "init")
        if hasattr(policy, "law"):
            with suppress(NoLaw):  # no fault: whoever needs the law says what to do without
                call_with_fault("step 1: law", lambda: checked_law(policy, 1, state, None, *seen), *seen)
    except ValueError as error:
        yield "; ".join([str(error), *getattr(error, "__notes__", ())])
        return
    pulls, fault = call_with_fault("step 1: act", lambda: policy.act(1, state, noise, *seen), *seen)
    if fault:
        yield fault
        return
    try:
        last = answers(policy)
        checked = checked_pulls(1, pulls, shape, last)
        if d:
            demand_one_pull(1, checked.counts, np.ones(TRIALS, dtype=bool))
        fitting, _ = cut_to_horizon(checked, np.full(TRIALS, policy.horizon + last), last)
    except (TypeError, ValueError) as error:
        yield str(error)
        return
    fitting, paid = fitting._replace(counts=pulls_without_answers(fitting.counts)), frozen(np.zeros(shape))
    after, fault = call_with_fault("step 1: learn", lambda: policy.learn(1, state, fitting, paid, noise, *seen), *seen)
    yield from [fault] if fault else state_faults(state, after)


def call_with_fault(error_prefix: str, call: Callable[[], Returned], *seen: Array) -> tuple[Returned | None, str]:
    """Calls a method; returns its value, and an error message if the method writes to its arguments.
    Other exceptions are raised with a note of the given features."""
    try:
        return call(), ""
    except (IndexError, TypeError, ValueError) as error:
        if isinstance(error, ValueError) and explain_refused_write(error_prefix, error):
            return None, str(error)
        for features in seen:
            error.add_note(
                f"{error_prefix} was called with features of shape {features.shape} = (trials, arms, contexts), all "
                "0; if the policy uses another number of features, set its attribute contexts to this number"
            )
        raise


def state_faults(state: State, after: State) -> Iterator[str]:
    """The first fault in the state that `learn` returned, compared with the state that `init` returned."""
    if after is None and state is not None:
        yield "step 1: learn returned None; it must return the new state (the old one, if it was changed in place)"
        return
    try:
        checked_state(after, TRIALS, "step 1: learn")
    except ValueError as error:
        yield str(error)
        return
    if not (isinstance(state, tuple) and isinstance(after, tuple)):
        return
    for name, before, part in zip(getattr(state, "_fields", range(len(state))), state, after, strict=False):
        if isinstance(before, np.ndarray) and not isinstance(part, np.ndarray):
            yield (
                f"step 1: learn returned a state whose field {name} is {type(part).__name__}, but init "
                "returned an array for it; return an array, such as np.array(...), whose first axis is the "
                "trial"
            )
