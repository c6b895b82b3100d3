"""Transcripts in their compact form: what was released, wherever several arms are pulled at once, or none."""

from __future__ import annotations

import numpy as np

from dpbandits.audit.play.transcripts import Transcripts, compact_transcripts, one_arm_released, stacked, step_counts


def seen_of(released: list[list[list[int]]]) -> Transcripts:
    """Transcripts of what so many trials released, (trials, steps, arms)."""

    class Released:
        def __init__(self) -> None:
            self.released = np.array(released)

    return compact_transcripts(Released())  # type: ignore[arg-type]


SINGLE = [[[0, 2, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 3]]]
SEVERAL = [[[1, 1, 0], [0, 0, 0], [2, 0, 1]], [[0, 0, 0], [0, 4, 0], [0, 0, -1]]]


def test_parts_of_all_forms_are_stacked_in_order() -> None:
    """Single arms and several at once, of two steps and of three, in either order."""
    padded = [[*run, [0, 0, 0]] for run in SINGLE]
    for parts, wanted in (((SINGLE, SEVERAL), padded + SEVERAL), ((SEVERAL, SINGLE, SINGLE), SEVERAL + 2 * padded)):
        both = stacked([seen_of(part) for part in parts])
        assert both.trials == len(wanted)
        assert both.counts.tolist() == wanted
        assert both.sizes.tolist() == np.array(wanted).sum(axis=2).tolist()
        names = {0: -2, 2: -1}
        arms = [[names.get(np.count_nonzero(step), int(np.argmax(np.abs(step)))) for step in run] for run in wanted]
        assert both.arms.tolist() == arms
    alone = stacked([seen_of(SINGLE), seen_of(SINGLE)])
    assert alone.counts.shape == (4, 0, 3)
    assert step_counts(alone, 3).tolist() == 2 * SINGLE


def test_a_step_without_trials_or_pulls_is_released_as_it_is() -> None:
    none = np.zeros(0, dtype=np.int16), np.zeros(0, dtype=np.int32)
    assert one_arm_released(*none, 3).kind.tolist() == []
    for arms, sizes, counts in (
        ([2, 0, 2], [1, 1, 1], [[0, 0, 1], [1, 0, 0], [0, 0, 1]]),
        ([2, 0, 2], [3, 1, 3], [[0, 0, 3], [1, 0, 0], [0, 0, 3]]),
        ([-2, 1, -2], [0, 2, 0], [[0, 0, 0], [0, 2, 0], [0, 0, 0]]),
        ([-2, -2], [0, 0], [[0, 0, 0], [0, 0, 0]]),
    ):
        step = one_arm_released(np.array(arms, dtype=np.int16), np.array(sizes, dtype=np.int32), 3)
        assert step.kinds[step.kind].tolist() == counts
