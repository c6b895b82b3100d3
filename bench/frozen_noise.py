"""What each part of `other_noise` does for the replay of policies whose draws cannot be followed: an ablation.

Each row replays the private and the leaking policies of `tests/private_styles.py` with several seeds, and counts how
many of each kind are accused of reading a reward in the clear. Four private policies are also replayed with a twentieth
of their noise, and with the claim eps = 20. Run as `python bench/frozen_noise.py [SEEDS]`: half a minute for two seeds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpbandits import Verdict
from dpbandits.audit.privacy.own_claims import claimed_curve
from dpbandits.extensions.conformance import frozen, other_noise

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
import private_styles as styles

SETTINGS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "no other noise: every difference is an accusation": {"other_noise_hides": lambda *_: False},
    "20 draws": {"TRIES": 20},
    "200 draws": {"TRIES": 200},
    "no far draws": {"FAR": 1.0},
    "far draws by a factor of 1e6": {"FAR": 1e6},
    "every release is common": {"COMMON": 0.0},
    "common from a third of the draws": {"COMMON": 0.33},
}


@contextmanager
def setting(changed: dict[str, Any]) -> Iterator[None]:
    """Replaces these names of `other_noise` and of the replay for a while."""
    places = [(module, name) for name in changed for module in (other_noise, frozen) if hasattr(module, name)]
    kept = [getattr(*place) for place in places]
    try:
        for module, name in places:
            setattr(module, name, changed[name])
        yield
    finally:
        for (module, name), value in zip(places, kept, strict=True):
            setattr(module, name, value)


def accused(policy: Any, claim: dict[str, float], seed: int) -> bool:
    """Whether a replay accuses this policy."""
    curve = claimed_curve(claim.get("eps"), claim.get("delta"), claim.get("mu"))
    return frozen.replay_frozen(policy, seed=seed, curves=[curve]).verdict is Verdict.REFUTED


def main() -> None:
    seeds = range(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
    little = [(policy, {"eps": styles.LITTLE}) for policy in styles.PRIVATE_WITH_LITTLE_NOISE]
    numbers = len(styles.PRIVATE_HERE), len(little), len(styles.LEAKING_HERE)
    heads = "private accused, of {} | with little noise, of {} | leaking accused, of {}".format(*numbers)
    print(f"| setting | {heads} | s |\n|---|--:|--:|--:|--:|")
    for words, changed in SETTINGS.items():
        start = time.process_time()
        with setting(changed):
            wrong = {name_of(p) for p, claim in styles.PRIVATE_HERE for s in seeds if accused(p, claim, s)}
            right = {name_of(p) for p in styles.LEAKING_HERE for s in seeds if accused(p, {"eps": 1.0}, s)}
            loud = {name_of(p) for p, claim in little for s in seeds if accused(p, claim, s)}
        seconds = (time.process_time() - start) / len(seeds)
        print(f"| {words} | {len(wrong)} | {len(loud)} | {len(right)} | {seconds:.0f} |", flush=True)


def name_of(policy: Any) -> str:
    """The policy's name."""
    return str(getattr(policy, "name", "") or type(policy).__name__)


if __name__ == "__main__":
    main()
