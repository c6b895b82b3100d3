"""Golden vectors: test data about a reference policy for implementations in other languages, without randomness.

Three files, each a JSON object with a version and a list of vectors, one on each line (`vectors/schema.json`):

- laws: a history (pulls and rewards) and the exact law of the next release, with its error.
- tapes: noise and rewards, and the pulls that follow from them; for a policy with integer noise, the random bits.
- profiles: two neighbouring reward tables, and the privacy profile of the released arms between two certified curves.

For policies with contexts, each vector also contains `contexts`, and a profile states in `view` which arms are seen.

`vectors/policies.json` lists the policies. `dpbandits vectors FOLDER` writes the files; a test computes them again and
compares the files. So a vector is never written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.audit.claims.proofs import lawful
from dpbandits.audit.runner import store
from dpbandits.audit.runner.printed import round_printed
from dpbandits.extensions.conformance.given import POLICIES
from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.proofs_checks.exact.joint_privacy import joint_privacy_profile
from dpbandits.proofs_checks.exact.state_graph import ForbiddenNoise
from dpbandits.reference.bandits.adjacency import Pair, flipped
from dpbandits.reference.bandits.contexts import Contexts, context_dimension, seen_by
from dpbandits.reference.bandits.environments import Table
from dpbandits.reference.bandits.noise import Array, Seeded, address
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import HasLaw, Policy, Pulls
from dpbandits.reference.bandits.release_laws.checked import checked_law
from dpbandits.reference.bandits.reward_ranges import reward_values
from dpbandits.reference.bandits.tapes import Recorder, Tape
from dpbandits.reference.bandits.whole_noise import WORD_BITS

VERSION = 1
WORDS = "words"  # the kind of noise that is random bits, exactly
FILES = ("laws", "tapes", "profiles")
HEAD = b'"vectors": ['  # stands at the beginning of each of these files
FOLDER = Path(__file__).with_name("vectors")
TAPE_DECIMALS = 6  # of the noise on a tape, and of a reward
# Chances and deltas are written with 12 digits, deltas outward: they are the same on every processor.
FLOOR_CONTEXT, NEAREST_CONTEXT, CEILING_CONTEXT = (
    Context(12, rounding) for rounding in (ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_CEILING)
)
WRITTEN_LAW_ERROR = 5e-12  # what that may change, as a share
EPS = (0.0, 0.25, 0.5, 1.0, 2.0)


class Named(NamedTuple):
    """A policy by its names: `page.Policy`, and its parameters."""

    policy: str
    parameters: Mapping[str, object]

    def made(self) -> HasLaw:
        """Makes the policy of these vectors."""
        page, _, name = self.policy.partition(".")
        policy: HasLaw = getattr(import_module(f"{POLICIES}.{page}"), name)(**self.parameters)
        return policy

    @property
    def told(self) -> dict[str, object]:
        """Returns the name and the parameters of the vectors' policy, by field."""
        return {"policy": self.policy, "parameters": dict(self.parameters)}


def policies() -> dict[str, list[Named]]:
    """The policies with vectors, by file name, as `vectors/policies.json` lists them."""
    said = json.loads((FOLDER / "policies.json").read_text(encoding="utf-8"))
    return {name: [Named(**each) for each in said[name]] for name in FILES}


def golden_vectors() -> dict[str, list[dict[str, object]]]:
    """Returns all golden vectors, by file name."""
    of = policies()
    every = (
        [law for each in of["laws"] for law in laws(each)],
        [tape(each, number) for number, each in enumerate(of["tapes"])],
        [profile(each, side) for each in of["profiles"] for side in (0.0, 1.0)],
    )
    return dict(zip(FILES, every, strict=True))


def write(folder: Path) -> list[Path]:
    """Writes all golden vectors into a folder, which is created if necessary: all files, or none.
    Raises store.Refused if a file of that name exists and contains no vectors."""
    if folder.exists() and not folder.is_dir():
        raise store.Refused(f"{folder} is not a folder; choose another one")
    store.make_folder(folder)
    for path in (folder / f"{name}.json" for name in FILES):
        if (path.exists() or path.is_symlink()) and not is_own(path):
            raise store.Refused(
                f"{path} exists already and does not contain vectors of dpbandits; choose another folder"
            )
    texts = {}
    for name, vectors in golden_vectors().items():
        lines = ",\n".join(json.dumps(each, sort_keys=True) for each in vectors)
        texts[folder / f"{name}.json"] = f'{{"version": {VERSION}, "vectors": [\n{lines}\n]}}\n'
    store.write_all_or_none(texts)
    return list(texts)


def is_own(path: Path) -> bool:
    """Whether the file contains vectors. A link never counts."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return HEAD in file.read(40)


# -- laws ------------------------------------------------------------------------------------------------------------


def laws(policy_entry: Named) -> list[dict[str, object]]:
    """Returns the vectors that contain, for each step of one run, the exact law of the next release.
    The run has uneven rewards, and each law comes with its past."""
    policy = policy_entry.made()
    noise = Seeded(address("vectors", "laws", policy_entry.policy, policy.arms), 1)
    known = lawful(policy)
    assert known is not None, policy_entry
    table, silence = Table(rewards_for(policy), contexts=contexts_for(policy)), ForbiddenNoise()
    state, made_ = known.init(1), np.zeros((1, policy.arms), dtype=np.int64)
    history, found = list[dict[str, object]](), []
    t = 0
    while made_.sum() < policy.horizon:
        t += 1
        seen = seen_by(policy, table, t, 1)
        law = checked_law(known, t, state, 1, *seen)
        outcomes = [
            {"counts": counts.tolist(), "chance": round_printed(float(chance), NEAREST_CONTEXT)}
            for counts, chance in zip(law.counts[0], law.chance[0], strict=True)
            if chance > 0
        ]
        found.append(
            policy_entry.told
            | {
                "history": list(history),
                "law": outcomes,
                "error": law.error + WRITTEN_LAW_ERROR,
                "blur": law.absolute_error,
            }
            | contexts_field(*seen)
        )
        arm = int((noise.uniform("way", t)[0] > np.cumsum(law.chance[0])).sum())
        counts = np.asarray(law.counts[:, arm], dtype=np.int64)
        sums = table.draw(t, made_, counts, None, noise)
        state = known.learn(t, state, Pulls(counts), sums, silence, *seen)  # type: ignore[arg-type]
        made_ = made_ + counts
        history.append({"counts": counts[0].tolist(), "sums": sums[0].tolist()} | contexts_field(*seen))
    return found


def contexts_field(*seen: Array) -> dict[str, object]:
    """Returns the field `contexts` of a vector: the features of the single trial, (arms, d).
    The result is empty if the policy has no contexts."""
    return {"contexts": seen[0][0].tolist()} if seen else {}


def contexts_for(policy: Policy) -> Contexts | None:
    """Returns random contexts with few digits and norms of at most 1, for every arm in every round.
    None if the policy takes none."""
    d = context_dimension(policy)
    if not d:
        return None
    draws = np.random.default_rng(address("vectors", "contexts", policy.arms, d)).random(
        (policy.horizon, policy.arms, d)
    )
    return Contexts(np.round((2 * draws - 1) / np.sqrt(d), 3))


def rewards_for(policy: Policy, number: int = 0) -> Array:
    """Returns uneven rewards with few digits; only 0 and 1 if the policy accepts no others."""
    draws = np.random.default_rng(address("vectors", "rewards", number, policy.arms)).random(
        (policy.arms, policy.horizon)
    )
    # The first arm pays more, so that an arm is left alone for long.
    uneven = np.where(np.arange(policy.arms)[:, None] == 0, np.sqrt(draws), draws**2)
    return np.asarray(np.round(uneven, 0 if reward_values(policy) is not None else 3), dtype=np.float64)


# -- tapes -----------------------------------------------------------------------------------------------------------


def tape(policy_entry: Named, number: int) -> dict[str, object]:
    """Returns the vector of one run: its rewards, every number that the policy draws, and the pulls."""
    policy = policy_entry.made()
    table, recorder = rewards_for(policy, number), Recorder(Seeded(address("vectors", "tapes", number), 1))
    contexts = contexts_for(policy)
    play(policy, Table(table, contexts=contexts), recorder, 1)
    words = bool(getattr(policy, "draws_words", False))
    noise = []
    for at, (draw, *_) in recorder.values.items():
        values = (draw * 2.0**WORD_BITS).astype(np.int64) if words else np.round(draw, TAPE_DECIMALS)
        kind = WORDS if words else recorder.kinds[at]
        noise.append({"kind": kind, "site": at[0], "index": at[1], "values": values.tolist()})
    said = {} if contexts is None else {"contexts": contexts.features.tolist()}
    released = released_by(policy, table.tolist(), noise, **said)
    return policy_entry.told | {"rewards": table.tolist(), "noise": noise, "released": released} | said


def released_by(
    policy: Policy,
    rewards: ArrayLike,
    noise: Sequence[Mapping[str, Any]],
    shift: float = 0.0,
    contexts: ArrayLike | None = None,
) -> list[list[int]]:
    """Plays a policy with recorded noise and returns the pulls of every step.
    shift: is added to every recorded number, except random bits. contexts: (rounds, arms, d), for a policy with
    contexts."""
    values, kinds = {}, {}
    for each in noise:
        at, drawn = (each["site"], each["index"]), np.array([each["values"]])
        words = each["kind"] == WORDS
        values[at], kinds[at] = (drawn / 2.0**WORD_BITS, "uniform") if words else (drawn + shift, each["kind"])
    seen = None if contexts is None else Contexts(np.array(contexts))
    played = play(policy, Table(np.array(rewards), contexts=seen), Tape(values, kinds), 1)
    return list(played.released[0].tolist())


# -- profiles --------------------------------------------------------------------------------------------------------


def profile(policy_entry: Named, others: float) -> dict[str, object]:
    """Returns a vector with two neighbouring tables and certified bounds on the policy's delta at several eps."""
    policy = policy_entry.made()
    pair = neighbours(policy, others)
    known = joint_privacy_profile if pair.relation == "user" else enumerated_profile
    low, high = known(policy, pair).delta(np.array(EPS))
    points = [
        {
            "eps": eps,
            "low": round_printed(float(least), FLOOR_CONTEXT),
            "high": round_printed(float(most), CEILING_CONTEXT),
        }
        for eps, least, most in zip(EPS, low, high, strict=True)
    ]
    sides = {"left": pair.left.tolist(), "right": pair.right.tolist()}
    if pair.contexts is not None:
        seen = pair.contexts if isinstance(pair.contexts, tuple) else (pair.contexts, pair.contexts)
        sides["contexts"] = dict(zip(("left", "right"), (one.features.tolist() for one in seen), strict=True))
        sides["view"] = "others" if pair.relation == "user" else "arms"
    return policy_entry.told | {"relation": pair.relation, **sides, "profile": points}


def neighbours(policy: Policy, others: float) -> Pair:
    """Returns a pair of neighbouring tables for golden vectors.
    Without contexts they differ in the first reward of the first arm, and all other rewards equal `others`. With
    contexts the rewards are uneven; the tables differ in that reward if `others` is 0, and in the user of an early
    round if it is 1."""
    if (seen := contexts_for(policy)) is None:
        return flipped("pull", np.full((policy.arms, policy.horizon), others), 0, 0, 1 - others)
    rewards, place = rewards_for(policy), policy.horizon // 3
    if not others:
        return flipped("reward", rewards, 0, 0, 1 - round(rewards[0, 0]), contexts=seen)
    right = np.array(rewards)
    right[:, place] = 1 - np.round(rewards[:, place])
    return Pair("user", rewards, right, contexts=(seen, seen.changed(place, -seen.features_of(place))))
