"""Plays runs of a policy by the fastest player: numpy step by step, or a player that an extension registers.

All players return the same numbers, so no finding depends on which of them played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpbandits import registry
from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Noise
from dpbandits.reference.bandits.play import Batch, Played, demand_playable
from dpbandits.reference.bandits.policy import Policy

STEP_COST = 1_000  # a step of numpy costs as much as so many numbers, beside its own


class NotPlayed(Exception):
    """Raised by a registered player that cannot play these runs, or cannot continue them; the message gives the reason.
    Then numpy plays them."""


def play_fastest(
    policy: Policy,
    environment: Environment,
    noise: Noise,
    trials: int,
    keep: bool = True,
    batches: int = 1,
    players: Sequence[registry.Player] | None = None,
) -> Played:
    """Plays a batch of runs as `play` does, by a registered player if the runs are long enough, otherwise by numpy.

    The arguments are those of `play`. batches: the number of batches of this size, played one after another. players:
    used instead of the registered players.

    Raises the exceptions of `play`, and the exception of a player that detects its own error.
    """
    demand_playable(policy, environment, noise, trials, keep)
    batch = Batch(policy, environment, noise, trials, keep)
    numbers = batches * int(batch.left.max(initial=0)) * (STEP_COST + trials * policy.arms)
    for player in registry.added().players if players is None else players:
        if numbers >= player.worth:
            try:
                return play_to_end(batch, registry.loaded(player.steps)(policy, environment, noise))
            except NotPlayed:
                pass  # the next one goes on where the batch stands
    return play_to_end(batch, Batch.advance)


def play_to_end(batch: Batch, advance: Callable[[Batch], None]) -> Played:
    """Plays a batch until all of its runs have ended, and returns the result.
    advance: plays the batch's next step, or several."""
    while batch.unfinished():
        batch.retire()
        advance(batch)
    return batch.played()
