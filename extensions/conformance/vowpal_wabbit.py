"""Reads Vowpal Wabbit's lines about contextual bandits as one recorded run: the pulls, the rewards and the features.

2:-0.5:0.25 | age:0.3 size:0.7      `--cb`: the action, counted from 1, its cost and its chance; features of the round

shared | age:0.3                    `--cb_adf`: a line for every arm, in a block that a blank line ends; the label
| price:0.1                         stands where an arm was pulled. Features of `shared` are features of all arms
0:-0.5:0.25 | price:0.9

1 2:-0.5:0.25 3 | age:0.3           with `--cb`, other actions that are available; all of them unless they are listed.
                                    Of several labels the first with a chance above 0 is the pull, as in VW itself

What is paid is the cost with the other sign. A feature's place is that of its first appearance in the file, and there
are no others than those that are written: no constant, and no products of two namespaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import isfinite, isnan
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dpbandits.extensions.conformance.recordings import Recording, decimals_of, varying_in_words
from dpbandits.reference.bandits.noise import Array

FIRST_LINE = re.compile(r"\s*(shared\s|[^\s,|]*:[^\s,|]*:[^\s,|]*\s|[^,|]*\|)")  # of a file of such lines
MAX_FEATURE_CELLS = 20_000_000  # rounds times arms times features of a file
ONE_LINE = "2:-0.5:0.25 | age:0.3 size:0.7 (action:cost:probability | features)"
NamedFeatures = dict[tuple[str, str], float]  # values, by namespace and name


class Label(NamedTuple):
    """The chosen action, its cost and its probability; and the probability as printed."""

    action: int
    cost: float
    chance: float
    printed: str


class VowpalLine(NamedTuple):
    """A line of a file. label: None if there is none. actions: the available actions, if the line lists them."""

    number: int
    shared: bool
    label: Label | None
    features: NamedFeatures
    actions: tuple[int, ...] = ()


class RecordedRound(NamedTuple):
    """A pull. number: its line in the file. arm: the pulled arm, from 0. reward: nan if it is missing. arms: the
    features of every arm; of one, if they are equal. actions: the number of available actions. chance: the probability
    of the pull; printed: as in the file. event: the name of the round, "" if it has none."""

    number: int
    arm: int
    reward: float
    arms: Sequence[NamedFeatures]
    actions: int
    chance: float
    printed: str
    event: str = ""


def of_vowpal_wabbit(path: Path | str, text: str) -> Recording:
    """Reads the file as one run: the arms, the rewards and the contexts (pulls, arms, d).
    If the features are equal for all arms, the contexts have one arm; if there are no features, there are no contexts.
    Raises ValueError, with the line, for an invalid line."""
    rounds = list(recorded_rounds(path, text))
    most, arms = max(each.actions for each in rounds), max(len(each.arms) for each in rounds)
    return recording_of_rounds(path, rounds, most, arms)


def recording_of_rounds(
    path: Path | str, rounds: Sequence[RecordedRound], actions: int, arms: int, remarks: Sequence[str] = ()
) -> Recording:
    """Joins recorded rounds into one run.
    actions: the number of actions; pulls among fewer actions are not compared with a law. arms: the number of arms with
    their own features. remarks: further notes for the reader of the log."""
    judged = [each.actions == actions for each in rounds]
    fewer = judged.count(False)
    contexts = feature_array(path, [[*each.arms, *[{}] * (arms - len(each.arms))] for each in rounds], arms)
    rewards = [0.0 if isnan(each.reward) else each.reward for each in rounds]
    return Recording(
        [([each.arm for each in rounds], rewards, contexts)],
        [[each.chance for each in rounds]],
        max((decimals_of(each.printed) for each in rounds), default=0),
        [[each.number for each in rounds]],
        (),
        [judged] if fewer else None,
        (*remarks, *[varying_in_words(fewer, actions)] * bool(fewer)),
    )


def feature_array(path: Path | str, rounds: Sequence[Sequence[NamedFeatures]], arms: int) -> Array | None:
    """Returns the features as an array (rounds, arms, d), in the order in which their names first appear.
    None without features. Raises ValueError for more than fit into memory."""
    names = dict.fromkeys(name for each in rounds for features in each for name in features)
    places = {name: place for place, name in enumerate(names)}
    shape = (len(rounds), arms, len(places))
    if not places:
        return None
    if shape[0] * shape[1] * shape[2] > MAX_FEATURE_CELLS:
        raise ValueError(
            f"{path} needs too much memory (rounds: {shape[0]}, arms: {shape[1]}, features: {shape[2]}); "
            "give fewer rounds, or fewer features (each different word is a feature)"
        )
    contexts = np.zeros(shape)
    for t, each in enumerate(rounds):
        for arm, features in enumerate(each):
            contexts[t, arm, [places[name] for name in features]] = list(features.values())
    return contexts


def recorded_rounds(path: Path | str, text: str) -> Iterator[RecordedRound]:
    """Yields the recorded rounds of a file.
    One for each block of lines between blank lines if some line has no label, as in `--cb_adf`, otherwise one for each
    line."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1)]
    blocks = [
        [vowpal_line(path, number, line) for number, line in block]
        for blank, block in groupby(lines, lambda each: not each[1].strip())
        if not blank
    ]
    if any(each.label is None for block in blocks for each in block):
        yield from (round_of_block(path, block) for block in blocks)
        return
    lines_of_rounds = [each for block in blocks for each in block]
    most = max(max((each.label.action, *each.actions)) for each in lines_of_rounds if each.label is not None)
    for number, _, label, features, actions in lines_of_rounds:
        assert label is not None
        if label.action < 1:
            raise ValueError(
                f"{path}, line {number}: the action is {label.action}, but actions are counted from 1; "
                f"write, for example, {ONE_LINE}"
            )
        open_ = len(actions) if actions else most
        yield RecordedRound(number, label.action - 1, 0.0 - label.cost, [features], open_, label.chance, label.printed)


def round_of_block(path: Path | str, block: Sequence[VowpalLine]) -> RecordedRound:
    """Reads the round that a block of lines describes. Raises ValueError unless exactly one line has a label."""
    shared, own = [each for each in block if each.shared], [each for each in block if not each.shared]
    pulled = [(place, each.label) for place, each in enumerate(own) if each.label is not None]
    if len(pulled) != 1 or len(shared) > 1 or (shared and not block[0].shared):
        bare = [each.number for each in own if each.label is None]
        alone = f"; if every line is a round (`--cb`), line {bare[0]} has no label" if len(pulled) > 1 and bare else ""
        raise ValueError(
            f"{path}, line {block[0].number}: this round has arms: {len(own)}, labels: {len(pulled)}, shared "
            f"lines: {len(shared)}. A round must have exactly one line with action:cost:probability, and at "
            f"most one shared line, which comes first. A blank line ends the round{alone}"
        )
    arm, label = pulled[0]
    if shared:
        arms = [added_up([*shared[0].features.items(), *each.features.items()]) for each in own]
    else:
        arms = [each.features for each in own]
    return RecordedRound(block[0].number, arm, 0.0 - label.cost, arms, len(own), label.chance, label.printed)


def added_up(values: Iterable[tuple[tuple[str, str], float]]) -> NamedFeatures:
    """Returns the features by name; the values of equal names are added up."""
    found: NamedFeatures = {}
    for name, value in values:
        found[name] = found.get(name, 0.0) + value
    return found


def vowpal_line(path: Path | str, number: int, line: str) -> VowpalLine:
    """Splits one line into its label, its features and the available actions. Raises ValueError for an invalid line."""
    try:
        said, bar, rest = line.partition("|")
        if not bar:
            raise ValueError("the line contains no character |, which must come before the features")
        labels = [word for word in said.split() if not word.startswith("'")]  # which begins a tag
        if labels == ["shared"]:
            return VowpalLine(number, True, None, features_of(rest))
        taken = [word for word in labels if word.count(":") == 2]
        listed = [word for word in labels if ":" not in word and word.isascii() and word.isdigit()]
        if len(labels) > 1 and (not taken or len(taken) + len(listed) != len(labels)):
            raise ValueError(
                "before '|', only a label action:cost:probability and the ids of the available actions are allowed, "
                "as in '1 2:-0.5:0.25 3 | age:0.3'"
            )
        seen = [word for word in taken if finite_number(word.split(":")[2]) > 0]  # the first of these was pulled
        label = label_of([*seen, *taken, *labels][0]) if labels else None
        listed += [word.split(":")[0] for word in taken] if len(labels) > 1 else []
        actions = () if label is None else tuple(sorted({int(word) for word in listed if word.isdigit()}))
        return VowpalLine(number, False, label, features_of(rest), actions)
    except ValueError as error:
        raise ValueError(
            f"{path}, line {number}: {line.strip()[:60]!r} is not a valid line: {error}; write e.g. {ONE_LINE}"
        ) from None


def label_of(word: str) -> Label:
    """Reads the label action:cost:probability. Raises ValueError, also for an invalid probability."""
    parts = word.split(":")
    if len(parts) != 3 or not parts[0].isascii() or not parts[0].isdigit():
        raise ValueError(f"invalid label {word!r}; expected action:cost:probability")
    if not 0 < finite_number(parts[2]) <= 1:
        raise ValueError(f"the probability in the label is {parts[2]}; it must lie in (0, 1]")
    return Label(int(parts[0]), finite_number(parts[1]), finite_number(parts[2]), parts[2])


def features_of(text: str) -> NamedFeatures:
    """Returns the features after the first |, added up by namespace and name.
    They are words `name` or `name:value`, in namespaces that may have a weight."""
    found = []
    for part in text.split("|"):
        words, namespace, weight = part.split(), "", 1.0
        if words and not part[0].isspace():
            namespace, weight = named_value(words.pop(0))
        named = [(name or f"[{k}]", value) for k, (name, value) in enumerate(map(named_value, words))]
        found += [((namespace, name), value * weight) for name, value in named]
    return added_up(found)


def named_value(word: str) -> tuple[str, float]:
    """Returns the name and value of `name:value`, or of `name` with value 1.
    A feature without a name, `:value`, is named by its place in the namespace."""
    name, colon, value = word.partition(":")
    if colon and not value:
        raise ValueError(f"the feature {word!r} is not of the form name or name:value")
    return name, finite_number(value) if colon else 1.0


def finite_number(text: str) -> float:
    """Converts a text to a finite number.
    Raises ValueError for any other text, for inf and nan, and for 1_0, which only Python reads as a number."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number) or "_" in text:
        raise ValueError(f"{text!r} must be a finite number, such as 0.5")
    return number
