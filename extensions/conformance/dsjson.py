"""Reads logs in Vowpal Wabbit's production format, dsjson: a JSON object for every decision.

{"_label_cost": -1, "_label_probability": 0.8, "_label_Action": 2, "_labelIndex": 1, "a": [2, 1], "p": [0.8, 0.2],
 "c": {"shared": {"f": 1}, "_multi": [{"x": 1}, {"y": 1}]}}

The action counts from 1, and the reward is the cost with the other sign. `c` holds the features of the round, and in
`_multi` those of each action; a text is a feature of its own, of value 1. A line with RewardValue and without `c` is a
reward that came later: it belongs to the decision with the same EventId.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite, nan
from pathlib import Path

from dpbandits.extensions.conformance.recordings import Recording, missing_in_words
from dpbandits.extensions.conformance.vowpal_wabbit import RecordedRound, added_up, recording_of_rounds

EXAMPLE = '{"_label_cost":-1,"_label_probability":0.5,"_label_Action":1,"a":[1,2],"p":[0.5,0.5],"c":{"_multi":[{},{}]}}'


def is_dsjson(line: str) -> bool:
    """Whether this line, the first of a file, is a decision in the format dsjson."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and ("_label_Action" in said or {"a", "c", "p"} <= set(said))


def recording_of_dsjson(path: Path | str, text: str) -> Recording:
    """Reads the lines of a dsjson file as one run. Raises ValueError, with the line, for an invalid decision."""
    decisions, late, skipped = list[RecordedRound](), dict[str, float](), 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        said = json_object(path, number, line)
        if "RewardValue" in said and "c" not in said:
            late[str(said.get("EventId", ""))] = number_of(path, number, said, "RewardValue")
        elif said.get("_skipLearn") is True:
            skipped += 1
        else:
            decisions.append(decision_of_line(path, number, said))
    waited = sum(each.event in late for each in decisions if each.event)
    decisions = [each._replace(reward=late.get(each.event, each.reward)) if each.event else each for each in decisions]
    # The decisions as a run, up to the first missing reward
    missing = sum(not isfinite(each.reward) for each in decisions)
    end = next((k + 1 for k, each in enumerate(decisions) if not isfinite(each.reward)), len(decisions))
    used, most = decisions[:end], max((each.actions for each in decisions), default=0)
    remarks = []
    if missing:
        remarks.append(missing_in_words(missing, len(decisions), len(decisions) - end))
    if waited:
        remarks.append(
            f"{waited} rewards came later, in lines of their own; each is taken as known right after its pull"
        )
    if skipped:
        remarks.append(f"{skipped} lines say _skipLearn, and are left out")
    return recording_of_rounds(path, used, most, most, remarks)


def json_object(path: Path | str, number: int, line: str) -> dict[str, object]:
    """Returns the JSON object on a line. Raises ValueError, with the line, for anything else."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}, line {number}: this line is not JSON ({error}); write e.g. {EXAMPLE}") from None
    if not isinstance(said, dict):
        raise ValueError(
            f"{path}, line {number}: {line.strip()[:60]!r} is not a JSON object; write, for example, {EXAMPLE}"
        )
    return said


def number_of(path: Path | str, number: int, decision: dict[str, object], name: str) -> float:
    """Returns the number in the field `name` of a decision; nan if the field is missing."""
    value = decision.get(name)
    if value is None:
        return nan
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"{path}, line {number}: {name} is {value!r}; it must be a finite number")
    return float(value)


def decision_of_line(path: Path | str, number: int, decision: dict[str, object]) -> RecordedRound:
    """Reads the decision on a line: the pulled arm, the reward, the probability and the features."""
    order, chances = decision.get("a"), decision.get("p")
    action = decision.get("_label_Action", order[0] if isinstance(order, list) and order else None)
    context = decision.get("c", {})
    if not isinstance(context, dict):
        raise ValueError(
            f"{path}, line {number}: the field c is {str(context)[:60]!r}; it must be a JSON object: write e.g. "
            f"{EXAMPLE}"
        )
    own = context.get("_multi")
    actions = len(own) if isinstance(own, list) else len(order) if isinstance(order, list) else 0
    if isinstance(action, bool) or not isinstance(action, int) or not 1 <= action <= actions:
        raise ValueError(
            f"{path}, line {number}: _label_Action is {action!r}; it must be a whole number from 1 to the number of "
            f"actions, {actions}: write e.g. {EXAMPLE}"
        )
    probability = number_of(path, number, decision, "_label_probability")
    if not isfinite(probability) and isinstance(chances, list) and isinstance(order, list) and action in order:
        probability = number_of(path, number, {"p": chances[order.index(action)]}, "p")
    if not 0 < probability <= 1:
        raise ValueError(f"{path}, line {number}: _label_probability is {probability}; it must lie in (0, 1]")
    shared = list(flattened({name: each for name, each in context.items() if name != "_multi"}))
    features = [added_up([*shared, *flattened(each)]) for each in (own or [{}] * actions)]
    printed = repr(decision.get("_label_probability", probability))
    reward = 0.0 - number_of(path, number, decision, "_label_cost")
    return RecordedRound(
        number, action - 1, reward, features, actions, probability, printed, str(decision.get("EventId", ""))
    )


def flattened(value: object, place: str = "") -> Iterator[tuple[tuple[str, str], float]]:
    """Yields the features in a JSON value, named by their path. Names that begin with _ are skipped."""
    if isinstance(value, dict):
        for name, each in value.items():
            if not name.startswith("_"):
                yield from flattened(each, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for k, each in enumerate(value):
            yield from flattened(each, f"{place}[{k}]")
    elif isinstance(value, str):
        yield ("", f"{place}={value}"), 1.0
    elif isinstance(value, bool | int | float) and isfinite(value) and value:
        yield ("", place), float(value)
