"""Wrappers that hide the law of a policy or mechanism, so that it is audited from samples alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.passing import State
from dpbandits.reference.bandits.policy import OfSameShape, Policy, Pulls, Step, Subject


@dataclass(frozen=True, repr=False)
class PolicyWithoutLaw(OfSameShape):
    """A policy with the same runs and attributes, but without its declared law."""

    policy: Policy

    @property
    def joint(self) -> Policy:
        """The wrapped policy's compiled form if it has one, otherwise the wrapped policy."""
        return getattr(self.policy, "joint", self.policy)

    def init(self, trials: int) -> State:
        """Returns the wrapped policy's state of `trials` runs before the first step."""
        return self.policy.init(trials)

    def act(self, t: int, state: State, noise: Noise, *seen: Array) -> Pulls:
        """Returns the releases of the wrapped policy in step t."""
        return self.policy.act(t, state, noise, *seen)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise, *seen: Array) -> State:
        """Returns the wrapped policy's state after the pulls of step t."""
        return self.policy.learn(t, state, pulls, sums, noise, *seen)

    def __getattr__(self, name: str) -> Any:
        """Returns any other attribute of the wrapped policy: its answers, its range of rewards, its parameters."""
        if name == "law" or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return getattr(self.policy, name)

    def __repr__(self) -> str:
        """The text of the wrapped policy, so that messages name the user's policy."""
        return repr(self.policy)


@dataclass(frozen=True)
class DrawnMechanism:
    """A one-shot mechanism that is only sampled; its law is not used."""

    mechanism: Any

    def release(self, values: ArrayLike, noise: Noise) -> Any:
        """The indices that the wrapped mechanism releases, (trials,). values: the answers of the queries."""
        return self.mechanism.release(values, noise)


def without_law(subject: Subject) -> Any:
    """A policy, a step or a round with the same releases and without a declared law."""
    if not isinstance(subject, Step):
        return PolicyWithoutLaw(subject)
    from dpbandits.audit.privacy.single_rounds import NextArm, UnknownArm

    mechanism = subject.mechanism
    if isinstance(mechanism, NextArm):
        unknown = UnknownArm(mechanism.policy, mechanism.pulls, mechanism.t, mechanism.history)
        return subject._replace(mechanism=unknown)
    return subject._replace(mechanism=DrawnMechanism(mechanism))


def unused_law_remark(reason: NoLaw) -> str:
    """A sentence that explains why the policy's law was not used, so that only samples decide."""
    return f"its law cannot be evaluated ({reason}), so only samples decide"
