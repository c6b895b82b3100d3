"""Recorded runs: what was pulled and what was paid, and in which contexts, from a file.

run,arm,reward              or a line of JSON for each run:
0,1,0.5                     {"arms": [1, 0, 0], "rewards": [0.5, 1, 0]}
0,0,1                       or Vowpal Wabbit's lines
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.cli_shared.json_files import reject_repeated_keys
from dpbandits.extensions.conformance.vowpal_wabbit import FIRST_LINE, of_vowpal_wabbit
from dpbandits.reference.arithmetic.checks import reals
from dpbandits.reference.bandits.contexts import LARGEST_FEATURE
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

RecordedRun = tuple[Any, ...]  # its arms and its rewards, and its contexts, where there are some

BIGGEST = 1 << 30  # bytes of a file
MAX_RECORD_CELLS = 20_000_000  # runs times the pulls of the longest: a third of a gigabyte
LOG_COLUMNS = ("run", "arm", "reward")
NUMBERED = {"round", "pull", "t"}  # columns that count the pulls of a run, from 0 or from 1
EXAMPLE = {"csv": "0,1,0.5", "json": '{"arms": [1, 0], "rewards": [0.5, 1]}'}


class Log(NamedTuple):
    """Recorded runs, one in a row, padded at the end with arms -1, rewards 0 and contexts 0.

    arms: (runs, pulls), counted from 0. rewards: (runs, pulls). contexts: None, or the features of every arm before
    each pull, (runs, pulls, arms, d); of one arm, (runs, pulls, 1, d), where they are alike for all.
    """

    arms: Ints  # (runs, pulls)
    rewards: Array  # (runs, pulls)
    contexts: Array | None = None

    def first(self, runs: int | None, pulls: int | None) -> Log:
        """The first runs, and the first pulls of each; None for all."""
        return Log(*(None if each is None else each[:runs, :pulls] for each in self))  # type: ignore[arg-type]

    @property
    def lengths(self) -> Ints:
        """How many pulls each run has, (runs,)."""
        return np.asarray((self.arms >= 0).sum(axis=1))


def read_log(path: Path | str) -> Log:
    """The log in a file: CSV with the columns run, arm, reward (in the order of the pulls), or a line of JSON for each
    run, {"arms": [...], "rewards": [...]}, with "contexts", features (pulls, arms, d), where some were seen; or a line
    of Vowpal Wabbit for each pull, action:cost:chance | features, one run (also its blocks of `--cb_adf`). Raises
    OSError for a file that cannot be read, and ValueError, with the line, for what is none of these."""
    text = decoded(path)
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise ValueError(f"{path}: the file is empty")
    first = lines[0][1]
    if first.lstrip().startswith("{"):
        return log_of(of_json(path, lines), str(path))
    return log_of([of_vowpal_wabbit(path, text)] if FIRST_LINE.match(first) else of_csv(path, text), str(path))


def decoded(path: Path | str) -> str:
    if not isinstance(path, str | Path):
        raise TypeError(f"the log is {path!r}; give the path of a file of recorded runs")
    if "\0" in str(path):
        raise ValueError(f"{str(path)!r}: is not a valid file name; name a file of recorded runs")
    if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):  # a pipe would keep us waiting
        raise ValueError(f"{path}: is not a regular file; save its content to a file and give that file")
    with Path(path).open("rb") as file:
        held = file.read(BIGGEST + 1)
    if len(held) > BIGGEST:
        raise ValueError(f"{path}: more than {BIGGEST} bytes; give fewer runs")
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = held.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, line {line}: the byte {held[error.start]:#04x} is not valid UTF-8; a log is a text file, "
            "CSV or lines of JSON"
        ) from None


def log_of(runs: Sequence[RecordedRun], what: str = "log") -> Log:
    """The log of runs, each given as (arms, rewards), two lists of one length, or as (arms, rewards, contexts), with
    features (pulls, arms, d), or (pulls, 1, d) where they are alike for all arms. what: its name, for errors. Raises
    ValueError for arms that are no whole numbers of at least 0, rewards and features that are no finite numbers, lists
    of different lengths, contexts of some runs alone or of other shapes, and runs of so different lengths that they do
    not fit into memory."""
    demand_runs(runs, what)
    longest = max((len(each[0]) for each in runs), default=0)
    features = [finite_features(each, f"{what}: run {number}") for number, each in enumerate(runs)]
    shape = alike_features({run: each for run, each in enumerate(features) if len(runs[run][0])}, what)
    if len(runs) * longest * max(1, shape[0] * shape[1]) > MAX_RECORD_CELLS:
        raise ValueError(
            f"{what}: {len(runs)} runs of up to {longest} pulls are too many; give fewer runs, or put runs of similar "
            "length into one log"
        )
    arms, rewards = np.full((len(runs), longest), -1, dtype=np.int64), np.zeros((len(runs), longest))
    contexts = np.zeros((len(runs), longest, *shape)) if shape[1] else None
    for run, (pulled, paid, *_) in enumerate(runs):
        if len(pulled) != len(paid):
            raise ValueError(
                f"{what}: run {run}: {len(pulled)} arms and {len(paid)} rewards; give one finite reward for each pull"
            )
        if not len(pulled):
            continue
        arms[run, : len(pulled)] = require_arm_numbers(pulled, f"{what}: run {run}")
        rewards[run, : len(paid)] = finite_rewards(paid, f"{what}: run {run}")
        if contexts is not None:
            contexts[run, : len(pulled)] = features[run]
    return Log(arms, rewards, contexts)


def demand_runs(runs: Any, what: str) -> None:
    """ValueError for what are no runs of arms and rewards, or of contexts as well."""
    for number, each in enumerate(runs if isinstance(runs, list | tuple) else [runs]):
        parts = each if isinstance(each, list | tuple) else ()
        if len(parts) not in (2, 3) or not all(isinstance(part, list | tuple | np.ndarray) for part in parts[:2]):
            raise ValueError(
                f"{what}: run {number}: {repr(each)[:60]} is not a run; give a list of pairs (arms, rewards), or of "
                "triples (arms, rewards, contexts)"
            )


def finite_features(run: RecordedRun, where: str) -> Array | None:
    """The contexts of a run, (pulls, arms, d); None where it says none."""
    said = run[2] if len(run) > 2 else None
    if said is None or not len(run[0]):
        return None
    try:
        values = reals(f"{where}: contexts", said)
    except ValueError:
        raise odd_features(said, where) from None
    if not (np.abs(values) <= LARGEST_FEATURE).all():
        raise odd_features(said, where)
    if values.ndim != 3 or len(values) != len(run[0]) or 0 in values.shape[1:]:
        raise ValueError(
            f"{where}: contexts of shape {values.shape} for {len(run[0])} pulls; give features of every arm before "
            "every pull, (pulls, arms, d), or (pulls, 1, d) where they are alike for all arms"
        )
    return values


def odd_features(said: Any, where: str) -> ValueError:
    """What is wrong with contexts that are no array of usable numbers: the first pull whose features are none, or are
    of another shape than the first one's."""
    first: tuple[int, ...] | None = None
    for pull, each in enumerate(said if isinstance(said, list | tuple | np.ndarray) else [], start=1):
        try:
            values = reals(where, each)
        except ValueError:
            values = np.array(np.nan)
        first = values.shape if first is None else first
        if values.shape != first or not (np.abs(values) <= LARGEST_FEATURE).all():
            where, said = f"{where}, pull {pull}", each
            break
    return ValueError(
        f"{where}: contexts {repr(said)[:60]}; give finite features of every arm, at most {LARGEST_FEATURE:g} in size, "
        "in the same shape before every pull"
    )


def alike_features(features: Mapping[int, Array | None], what: str) -> tuple[int, ...]:
    """(arms, d) of these runs; (0, 0) where there are no contexts. ValueError where they differ."""
    shapes = {run: (0, 0) if each is None else each.shape[1:] for run, each in features.items()}
    first = next(iter(shapes.values()), (0, 0))
    for run, shape in shapes.items():
        if shape != first:
            said = ["no contexts" if each == (0, 0) else f"contexts of {each[0]} arms with {each[1]} features"
                    for each in (first, shape)]  # fmt: skip
            raise ValueError(
                f"{what}: run {run} has {said[1]}, but earlier runs have {said[0]}; all runs must have the same shape"
            )
    return first


def require_arm_numbers(pulled: list[Any], where: str) -> Ints:
    try:
        given = np.asarray(pulled)
    except ValueError:  # lists of different lengths
        given = np.asarray(None)
    numbers = given.ndim == 1 and given.dtype.kind in "iu" and not any(isinstance(each, bool) for each in pulled)
    if not numbers or given.min() < 0 or given.max() > np.iinfo(np.int64).max:
        said = next((each for each in pulled if type(each) is not int or each < 0), pulled)
        raise ValueError(f"{where}: arms {repr(said)[:60]}; they must be whole numbers of at least 0")
    return given.astype(np.int64)


def finite_rewards(paid: list[Any], where: str) -> Array:
    values = reals(f"{where}: rewards", paid)
    if values.ndim != 1 or not np.isfinite(values).all():
        pull = int((~np.isfinite(values)).argmax()) if values.ndim == 1 else 0
        raise ValueError(f"{where}, pull {pull + 1}: reward {paid[pull]}; give a finite number for every pull")
    return values


def of_json(path: Any, lines: list[tuple[int, str]]) -> list[RecordedRun]:
    runs = []
    for number, line in lines:
        try:
            told = json.loads(line, object_pairs_hook=reject_repeated_keys)
            arms, rewards = told["arms"], told["rewards"]
            seen = told.get("contexts")
            if not isinstance(arms, list) or not isinstance(rewards, list):
                raise TypeError
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            why = f" ({error})" if type(error) is ValueError else ""  # of `once`
            raise ValueError(
                f"{path}, line {number}: {line.strip()[:60]!r} is not a run{why}; write {EXAMPLE['json']}"
            ) from None
        runs.append((arms, rewards, seen))
    return runs


def of_csv(path: Any, text: str) -> list[RecordedRun]:
    lines = csv.reader(text.splitlines())
    runs: dict[str, RecordedRun] = {}
    begins: dict[tuple[str, str], int] = {}  # whether it counts from 0 or 1
    header: list[str] = []
    for number, row in numbered_csv_rows(lines, path):
        if not row:
            continue
        if not header:
            header = columns(row, path)
            continue
        try:
            told = {name: field.strip() for name, field in zip(header, row, strict=False)}
            run, arm, reward = (told[name] for name in LOG_COLUMNS)
            pull = int(arm), float(reward)
            if pull[0] < 0 or not np.isfinite(pull[1]) or "_" in arm + reward:  # 1_0 is a ten to Python alone
                raise ValueError
            if not run or any(row[len(header) :]):  # 0,5 for a half is two fields
                raise ValueError
        except (KeyError, ValueError):
            raise ValueError(
                f"{path}, line {number}: {','.join(row)[:60]!r} is not a pull; the arm must be an integer from 0 on, "
                f"the reward a finite number, e.g. {EXAMPLE['csv']}"
            ) from None
        arms, rewards = runs.setdefault(run, ([], []))
        for name in NUMBERED & told.keys():
            if told[name] != str(len(arms) + begins.setdefault((run, name), int(told[name] == "1"))):
                raise ValueError(
                    f"{path}, line {number}: {name} {told[name]!r} of run {run}, after {len(arms)} earlier pulls; a "
                    "log must contain every pull of a run, in order. Sort the lines, add missing ones, or remove "
                    f"the column {name} if it counts something else"
                )
        arms.append(pull[0])
        rewards.append(pull[1])
    return list(runs.values())


def columns(header: list[str], path: Any) -> list[str]:
    """Their names. ValueError where one of LOG_COLUMNS is missing, or stands twice."""
    names = [name.strip() for name in header]
    if lacking := sorted(set(LOG_COLUMNS) - set(names)):
        raise ValueError(
            f"{path}: the first line has no column {', '.join(lacking)}; it must contain run,arm,reward (or write one "
            f"run per line as JSON: {EXAMPLE['json']})"
        )
    if twice := [name for name in LOG_COLUMNS if names.count(name) > 1]:
        raise ValueError(f"{path}: the first line names {', '.join(twice)} twice; column names must be different")
    return names


def numbered_csv_rows(lines: Any, path: Any) -> Iterator[tuple[int, list[str]]]:
    """The rows with their line numbers."""
    try:
        for row in lines:
            yield lines.line_num, row
    except csv.Error as error:
        raise ValueError(f"{path}, line {lines.line_num}: {error}; write e.g. {EXAMPLE['csv']}") from None
