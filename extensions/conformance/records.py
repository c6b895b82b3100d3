"""Reads recorded runs from a file: pulls, rewards and contexts.

run,arm,reward              or a line of JSON for each run:
0,1,0.5                     {"arms": [1, 0, 0], "rewards": [0.5, 1, 0]}
0,0,1                       or Vowpal Wabbit's lines, or its dsjson; or any table or JSON, whose `columns` are named

A column `propensity`, or "propensities" in a line of JSON, is read where there is one.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from itertools import chain
from math import isnan
from pathlib import Path
from typing import NamedTuple
from zlib import error as ZlibError

import numpy as np

from dpbandits.audit.cli_shared.json_files import reject_repeated_keys
from dpbandits.extensions.conformance.columns import (
    columns_of,
    csv_rows,
    number_in,
    proposed_columns,
    recording_by_columns,
)
from dpbandits.extensions.conformance.dsjson import is_dsjson, recording_of_dsjson
from dpbandits.extensions.conformance.recordings import DECIMALS, RecordedRun, Recording, RecordingBuilder, decimals_of
from dpbandits.extensions.conformance.vowpal_wabbit import FIRST_LINE, of_vowpal_wabbit
from dpbandits.reference.arithmetic.checks import reals
from dpbandits.reference.bandits.contexts import LARGEST_FEATURE
from dpbandits.reference.bandits.noise import Array, Flags
from dpbandits.reference.bandits.policy import Ints

MOST_BYTES = 1 << 30  # of a file
MAX_RECORD_CELLS = 20_000_000  # runs times the pulls of the longest: a third of a gigabyte
LOG_COLUMNS = ("run", "arm", "reward")
NUMBERED = {"round", "pull", "t"}  # columns that count the pulls of a run, from 0 or from 1
EXAMPLE = {"csv": "0,1,0.5", "json": '{"arms": [1, 0], "rewards": [0.5, 1]}'}


class Log(NamedTuple):
    """Recorded runs, one in each row, padded at the end with arms -1, rewards 0 and contexts 0.

    arms: (runs, pulls), counted from 0. rewards: (runs, pulls). contexts: None, or the features of every arm before
    each pull, (runs, pulls, arms, d); (runs, pulls, 1, d) if they are equal for all arms. propensities: None, or the
    logged probabilities of the pulls, (runs, pulls), nan if none is logged. lines: None, or the line of each pull in
    the file, (runs, pulls). judged: None, or whether all arms were available, (runs, pulls). names: of arms, by number,
    if the file has names. decimals: of the printed propensities. remarks: notes about the file, such as missing
    rewards.
    """

    arms: Ints  # (runs, pulls)
    rewards: Array  # (runs, pulls)
    contexts: Array | None = None
    propensities: Array | None = None
    lines: Ints | None = None
    judged: Flags | None = None
    names: tuple[str, ...] = ()
    decimals: int = DECIMALS
    remarks: tuple[str, ...] = ()

    def first(self, runs: int | None, pulls: int | None) -> Log:
        """Returns a log of the first `runs` runs, and of the first `pulls` pulls of each; None for all."""
        part = np.s_[:runs, :pulls]
        return self._replace(
            arms=self.arms[part],
            rewards=self.rewards[part],
            contexts=None if self.contexts is None else self.contexts[part],
            propensities=None if self.propensities is None else self.propensities[part],
            lines=None if self.lines is None else self.lines[part],
            judged=None if self.judged is None else self.judged[part],
        )

    @property
    def arm_count(self) -> int:
        """Returns the number of arms in the log: from features, from names, or from the largest arm; at least 1."""
        pulled = int(self.arms.max(initial=0)) + 1
        shown = 0 if self.contexts is None or self.contexts.shape[2] == 1 else int(self.contexts.shape[2])
        return max(pulled, shown, len(self.names))

    @property
    def lengths(self) -> Ints:
        """The number of pulls of each run, (runs,)."""
        return np.asarray((self.arms >= 0).sum(axis=1))


def read_log(path: Path | str, columns: str | Mapping[str, str] | None = None) -> Log:
    """Reads a file of recorded runs, and returns the log.
    CSV with the columns run, arm, reward (in the order of the pulls), or a line of JSON for each run, {"arms": [...],
    "rewards": [...]}, with "contexts", features (pulls, arms, d), where some were seen; or a line of Vowpal Wabbit for
    each pull, action:cost:chance | features, one run (also its blocks of `--cb_adf`), or of its dsjson. columns: for
    any other table, or JSON, which of its columns are the arm, the reward (or cost) and, where there are some, the
    propensity, the run and the contexts: "arm=item_id,reward=click,propensity=p" or {"arm": "item_id", ...}. Arms may
    be names, rewards may be missing, and a file may be compressed by gzip. Raises OSError for a file that cannot be
    read, and ValueError, with the line and a proposal, for what is none of these."""
    text = decoded_text(path)
    if columns is not None and text.strip():
        return log_from(recording_by_columns(path, text, columns_of(columns)), str(path))
    return log_from(recording_by_format(path, text), str(path))


def recording_by_format(path: Path | str, text: str) -> Recording:
    """Reads the runs of a file whose format fixes the names of its columns.
    Dsjson, JSON lines, Vowpal Wabbit's lines or CSV. Raises ValueError."""
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise ValueError(f"{path}: the file is empty")
    first = lines[0][1]
    if is_dsjson(first):
        return recording_of_dsjson(path, text)
    if first.lstrip().startswith("{"):
        return of_json(path, lines)
    if first.lstrip().startswith("["):
        raise ValueError(
            f"{path}: the file contains a JSON list; name the fields of its objects, for example with --columns "
            f"arm=NAME,reward=NAME, or write one run per line: {EXAMPLE['json']}"
        )
    is_table = {*LOG_COLUMNS} <= {name.strip() for name in first.split("|")}
    return of_vowpal_wabbit(path, text) if FIRST_LINE.match(first) and not is_table else of_csv(path, text)


def log_from(recording: Recording, name: str) -> Log:
    """Converts a recording to a log. name: the log's name in error messages."""
    log = log_of(recording.runs, name)

    def padded(values: Sequence[Sequence[float]], empty: float) -> np.ndarray:
        """Returns the values of all pulls as an array (runs, pulls), filled up with `empty` after the end of a run."""
        found = np.full(log.arms.shape, empty)
        for run, each in enumerate(values):
            found[run, : len(each)] = each
        return found

    logged = any(not isnan(each) for each in chain(*recording.propensities))
    return log._replace(
        propensities=padded(recording.propensities, np.nan) if logged else None,
        lines=padded(recording.lines, 0),
        judged=None if recording.judged is None else padded(recording.judged, True),
        names=recording.names,
        decimals=recording.decimals,
        remarks=recording.remarks,
    )


def decoded_text(path: Path | str, most_bytes: int = MOST_BYTES) -> str:
    """The text of a file, which may be compressed by gzip.
    Raises ValueError for a file that is too large or no text."""
    if not isinstance(path, str | Path):
        raise TypeError(f"log is {path!r}; give the path of a file with recorded runs")
    if "\0" in str(path):
        raise ValueError(f"{str(path)!r} is not a valid file name; give the path of a file with recorded runs")
    if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):  # a pipe would keep us waiting
        raise ValueError(f"{path} is not a regular file; save its content to a file, and give that file")
    with Path(path).open("rb") as file:
        held = file.read(most_bytes + 1)
    if held[:2] == b"\x1f\x8b":
        try:
            with gzip.open(Path(path)) as packed:
                held = packed.read(most_bytes + 1)
        except (EOFError, gzip.BadGzipFile, ZlibError) as error:
            raise ValueError(
                f"{path} begins like a gzip file but cannot be decompressed ({error}); give an intact file, or the "
                "decompressed log"
            ) from None
    if len(held) > most_bytes:
        raise ValueError(f"{path} has more than {most_bytes} bytes; give fewer runs")
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = held.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, line {line}: the byte {held[error.start]:#04x} is not valid UTF-8; a log is a text file, "
            "CSV or lines of JSON"
        ) from None


def log_of(runs: Sequence[RecordedRun], what: str = "log") -> Log:
    """Makes a log from runs, each given as (arms, rewards), or as (arms, rewards, contexts).
    arms, rewards: two lists of equal length. contexts: features (pulls, arms, d), or (pulls, 1, d) if they are equal
    for all arms. what: the log's name in error messages. Raises ValueError for arms that are not integers of at least
    0, rewards and features that are not finite numbers, lists of different lengths, contexts of only some runs or of
    other shapes, and runs whose lengths differ so much that they do not fit into memory."""
    demand_runs(runs, what)
    longest = max((len(each[0]) for each in runs), default=0)
    features = [finite_features(each, f"{what}: run {number}") for number, each in enumerate(runs)]
    shape = common_feature_shape({run: each for run, each in enumerate(features) if len(runs[run][0])}, what)
    if len(runs) * longest * max(1, shape[0] * shape[1]) > MAX_RECORD_CELLS:
        raise ValueError(
            f"{what} needs too much memory (runs: {len(runs)}, longest run: {longest}); give fewer runs, or "
            "put runs of similar length into one log"
        )
    arms, rewards = np.full((len(runs), longest), -1, dtype=np.int64), np.zeros((len(runs), longest))
    contexts = np.zeros((len(runs), longest, *shape)) if shape[1] else None
    for run, (pulled, paid, *_) in enumerate(runs):
        if len(pulled) != len(paid):
            raise ValueError(
                f"{what}: run {run}: arms has length {len(pulled)} and rewards has length {len(paid)}; give "
                "one finite reward for each pull"
            )
        if not len(pulled):
            continue
        arms[run, : len(pulled)] = require_arm_numbers(pulled, f"{what}: run {run}")
        rewards[run, : len(paid)] = finite_rewards(paid, f"{what}: run {run}")
        if contexts is not None:
            contexts[run, : len(pulled)] = features[run]
    return Log(arms, rewards, contexts)


def demand_runs(runs: object, name: str) -> None:
    """Raises ValueError for anything other than runs of arms and rewards, or of arms, rewards and contexts."""
    for number, each in enumerate(runs if isinstance(runs, list | tuple) else [runs]):
        parts = each if isinstance(each, list | tuple) else ()
        if len(parts) not in (2, 3) or not all(isinstance(part, list | tuple | np.ndarray) for part in parts[:2]):
            raise ValueError(
                f"{name}: run {number}: {repr(each)[:60]} is not a run; give a list of pairs (arms, rewards), or of "
                "triples (arms, rewards, contexts)"
            )


def finite_features(run: RecordedRun, where: str) -> Array | None:
    """Returns the contexts of a run as an array (pulls, arms, d); None if the run has none.
    Raises ValueError if they are invalid."""
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
            f"{where}: contexts have shape {values.shape} for a run of length {len(run[0])}; give the features of "
            "every arm before every pull, in shape (pulls, arms, d). If all arms have the same features, the shape "
            "may be (pulls, 1, d)"
        )
    return values


def odd_features(contexts: object, where: str) -> ValueError:
    """Returns the error for contexts that are not an array of usable numbers.
    It names the first pull whose features are invalid, or whose shape differs from that of the first pull."""
    first: tuple[int, ...] | None = None
    for pull, each in enumerate(contexts if isinstance(contexts, list | tuple | np.ndarray) else [], start=1):
        try:
            values = reals(where, each)
        except ValueError:
            values = np.array(np.nan)
        first = values.shape if first is None else first
        if values.shape != first or not (np.abs(values) <= LARGEST_FEATURE).all():
            where, contexts = f"{where}, pull {pull}", each
            break
    return ValueError(
        f"{where}: contexts is {repr(contexts)[:60]}; it must contain finite features of every arm, at most "
        f"{LARGEST_FEATURE:g} in absolute value, in the same shape before every pull"
    )


def common_feature_shape(features: Mapping[int, Array | None], name: str) -> tuple[int, ...]:
    """Returns the common shape (arms, d) of the features of all runs; (0, 0) without contexts.
    Raises ValueError if shapes differ."""
    shapes = {run: (0, 0) if each is None else each.shape[1:] for run, each in features.items()}
    first = next(iter(shapes.values()), (0, 0))
    for run, shape in shapes.items():
        if shape != first:
            said = ["no contexts" if each == (0, 0) else f"contexts of {each[0]} arms with {each[1]} features"
                    for each in (first, shape)]  # fmt: skip
            raise ValueError(
                f"{name}: run {run} has {said[1]}, but earlier runs have {said[0]}; all runs must have contexts of the "
                "same shape"
            )
    return first


def require_arm_numbers(pulled: Sequence[object], where: str) -> Ints:
    """Returns the arms as integers of at least 0, (pulls,). Raises ValueError for other values."""
    try:
        given = np.asarray(pulled)
    except ValueError:  # lists of different lengths
        given = np.asarray(None)
    numbers = given.ndim == 1 and given.dtype.kind in "iu" and not any(isinstance(each, bool) for each in pulled)
    if not numbers or given.min() < 0 or given.max() > np.iinfo(np.int64).max:
        said = next((each for each in pulled if type(each) is not int or each < 0), pulled)
        raise ValueError(f"{where}: arms is {repr(said)[:60]}; it must contain integers of at least 0")
    return given.astype(np.int64)


def finite_rewards(paid: Sequence[object], where: str) -> Array:
    """Returns the rewards as doubles, (pulls,). Raises ValueError, with the pull, for one that is not finite."""
    values = reals(f"{where}: rewards", paid)
    if values.ndim != 1 or not np.isfinite(values).all():
        pull = int((~np.isfinite(values)).argmax()) if values.ndim == 1 else 0
        raise ValueError(f"{where}, pull {pull + 1}: the reward is {paid[pull]}; it must be a finite number")
    return values


def of_json(path: Path | str, lines: list[tuple[int, str]]) -> Recording:
    """Reads the runs of a file with a line of JSON for each. Raises ValueError, with the line, for another line."""
    runs, chances, decimals = list[RecordedRun](), list[list[float]](), 0
    for number, line in lines:
        try:
            told = json.loads(line, object_pairs_hook=reject_repeated_keys)
            if isinstance(told, dict) and len(told) > 1 and "arms" not in told:
                raise ValueError(f"the keys 'arms' and 'rewards' are missing; use {proposed_columns(told)}")
            arms, rewards = told["arms"], told["rewards"]
            seen = told.get("contexts")
            if not isinstance(arms, list) or not isinstance(rewards, list):
                raise TypeError
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            why = f" ({error})" if type(error) is ValueError else ""  # of a repeated name, or of the columns
            raise ValueError(
                f"{path}, line {number}: {line.strip()[:60]!r} is not a run{why}; write {EXAMPLE['json']}"
            ) from None
        runs.append((arms, rewards, seen))
        logged = told.get("propensities", [None] * len(arms))
        if not isinstance(logged, list) or len(logged) != len(arms):
            raise ValueError(
                f"{path}, line {number}: propensities is {str(logged)[:60]}; give a list of length "
                f"{len(arms)}, one number for each pull"
            )
        chances.append([number_in(each, path, number, "propensities") for each in logged])
        decimals = max([decimals, *(decimals_of(str(each)) for each in logged)])
    return Recording(
        runs, chances, decimals, [[number] * len(run[0]) for (number, _), run in zip(lines, runs, strict=True)]
    )


def of_csv(path: Path | str, text: str) -> Recording:
    """Reads the runs of a table with the columns LOG_COLUMNS.
    Raises ValueError, with the line, for a row that is no pull."""
    made = RecordingBuilder()
    begins: dict[tuple[str, str], int] = {}  # whether it counts from 0 or 1
    header: list[str] = []
    for number, row in csv_rows(path, text):
        if not header:
            header = column_names(row, path)
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
                f"{path}, line {number}: {','.join(row)[:60]!r} is not a pull; the arm must be an integer of "
                f"at least 0 and the reward a finite number, for example {EXAMPLE['csv']}"
            ) from None
        earlier = len(made.runs[run].arms) if run in made.runs else 0
        for name in NUMBERED & told.keys():
            if told[name] != str(earlier + begins.setdefault((run, name), int(told[name] == "1"))):
                raise ValueError(
                    f"{path}, line {number}: {name} is {told[name]!r} in run {run}, after {earlier} earlier pulls; a "
                    "log must contain every pull of a run, in order. Sort the lines, add missing lines, or remove the "
                    f"column {name} if its numbers have another meaning"
                )
        printed = told.get("propensity", "")
        made.add(run, str(pull[0]), pull[1], number, number_in(printed, path, number, "propensity"), printed)
    return made.recording(str(path))


def column_names(header: list[str], path: Path | str) -> list[str]:
    """The names of the columns. Raises ValueError if one of LOG_COLUMNS is missing, or occurs twice."""
    names = [name.strip() for name in header]
    if lacking := sorted(set(LOG_COLUMNS) - set(names)):
        raise ValueError(
            f"{path}: missing columns: {', '.join(lacking)}; use {proposed_columns(names)} (or write a table with "
            f"the columns run,arm,reward, or one run per line as JSON: {EXAMPLE['json']})"
        )
    if twice := [name for name in LOG_COLUMNS if names.count(name) > 1]:
        raise ValueError(f"{path}: the first line names {', '.join(twice)} twice; column names must be different")
    return names
