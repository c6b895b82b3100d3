"""Reads logs of any tool, as tables or lines of JSON. The user names the columns that contain the arm, the reward, the
propensity and the run.

--columns arm=item_id,reward=click,propensity=propensity_score

A line of JSON is a pull, or a run if its values are lists. Arms may be named: names are numbered in sorted order.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import NamedTuple

from dpbandits.extensions.conformance.recordings import Recording, RecordingBuilder

ROLES = {
    "arm": "the arm that was pulled, a whole number from 0 or a name",
    "reward": "what was paid",
    "cost": "what was paid, with the other sign",
    "propensity": "the probability with which the arm was pulled",
    "run": "which run a pull belongs to; one run unless given",
    "contexts": "features of the round, joined by +, alike for all arms",
}
# What tools call these columns, by which a refusal proposes a mapping
USUAL = {
    "arm": "arm arm_id item_id action actions action_id recommended_ad chosen_arm chosen_action choice decision "
    "decisions treatment variant ad_id a",
    "reward": "reward rewards click clicks clicked payoff outcome conversion label r c",
    "cost": "cost loss",
    "propensity": "propensity propensity_score propensities pscore p_score action_prob action_probability probability "
    "prob chance ps p",
    "run": "run run_id episode episode_id eps_id simulation replication",
}
DELIMITERS = (",", ";", "\t", "|")
MISSING = {"", "nan", "na", "n/a", "null", "none"}
LINE_OF_RUN = "\0run"  # no column has this name
TRUTHS = {"true": "1", "false": "0"}


class Columns(NamedTuple):
    """The names of a log's columns; "" for a missing column."""

    arm: str = "arm"
    reward: str = ""
    cost: str = ""
    propensity: str = ""
    run: str = ""
    contexts: tuple[str, ...] = ()

    @property
    def named(self) -> list[str]:
        """The names of all columns that are read."""
        return [name for name in (*self[:5], *self.contexts) if name]


def columns_of(given: str | Mapping[str, str]) -> Columns:
    """The columns named by a text such as "arm=item_id,reward=click", or by a mapping.
    Raises ValueError for an unknown role, a role that is named twice, and if arm, or reward and cost, are missing."""
    parts = list(given.items()) if isinstance(given, Mapping) else []
    for word in given.split(",") if isinstance(given, str) else []:
        role, equals, name = (each.strip() for each in word.partition("="))
        if not equals or not role or not name:
            raise ValueError(
                f"columns: {word!r} is not of the form ROLE=COLUMN; write, for example, arm=item_id,reward=click"
            )
        parts.append((role, name))
    roles = [role for role, _ in parts]
    for role in roles:
        if role not in ROLES:
            told = "; ".join(f"{each} ({words})" for each, words in ROLES.items())
            raise ValueError(f"columns: there is no role {role!r}; choose from {told}")
        if roles.count(role) > 1:
            raise ValueError(f"columns: {role} is given twice; give one column for it")
    said = dict(parts)
    if "arm" not in said or ("reward" in said) == ("cost" in said):
        raise ValueError(
            "columns: arm and either reward or cost are required; write, for example, arm=item_id,reward=click"
        )
    features: tuple[str, ...] = ()
    if "contexts" in said:
        features = tuple(each.strip() for each in str(said.pop("contexts")).split("+"))
    return Columns(**said, contexts=features)


def proposed_columns(header: Iterable[str]) -> str:
    """Returns an option --columns that probably fits these names of columns."""
    names = {name.strip().lower(): name.strip() for name in header}
    found = {}
    for role, usual in USUAL.items():
        if name := next((names[each] for each in usual.split() if each in names), None):
            found[role] = name
    if "arm" not in found and (
        name := next((n for n in names.values() if re.search("arm|action|item", n, re.I)), None)
    ):
        found["arm"] = name
    if "reward" in found:
        found.pop("cost", None)
    said = {"arm": "NAME"} | ({} if "cost" in found else {"reward": "NAME"}) | found
    return "--columns " + ",".join(f"{role}={name}" for role, name in said.items())


def delimiter_of(header: str) -> str:
    """Returns the delimiter that occurs most often in the header of a table."""
    return max(DELIMITERS, key=header.count)


# -- records ---------------------------------------------------------------------------------------------------------


def recording_by_columns(path: Path | str, text: str, columns: Columns) -> Recording:
    """Reads the runs of a file whose columns the user has named.
    A table with a header, or JSON objects, each of which is a pull, or a whole run if its arms are a list. Raises
    ValueError, with the line, for an invalid record."""
    if text.lstrip().startswith(("{", "[")):
        return recording_of_records(path, spread_records(path, json_records(path, text), columns), columns)
    return recording_of_records(path, table_records(path, text, columns), columns)


def csv_rows(path: Path | str, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yields the rows of a table with their line numbers, without empty rows.
    The first line of the table shows the delimiter. Raises ValueError, with the line, for a row that is no CSV."""
    lines = text.splitlines()
    rows = csv.reader(lines, delimiter=delimiter_of(next(line for line in lines if line.strip())))
    try:
        yield from ((rows.line_num, row) for row in rows if row)
    except csv.Error as error:
        raise ValueError(f"{path}, line {rows.line_num}: {error}") from None


def table_records(path: Path | str, text: str, columns: Columns) -> Iterator[tuple[int, dict[str, object]]]:
    """Yields the rows of a table as (line number, fields by the names in the header)."""
    header: list[str] = []
    for number, row in csv_rows(path, text):
        if not header:
            header = [name.strip() for name in row]
            demand_columns(path, header, columns)
            continue
        if len(row) != len(header):
            raise ValueError(
                f"{path}, line {number}: the number of fields is {len(row)}, but the first line names {len(header)}"
            )
        yield number, {name: field.strip() for name, field in zip(header, row, strict=True)}


def demand_columns(path: Path | str, header: Sequence[str], columns: Columns) -> None:
    """Raises ValueError for a column that is missing, or occurs twice."""
    if lacking := [name for name in columns.named if name not in header]:
        raise ValueError(
            f"{path}: missing columns: {', '.join(lacking)}; the file has {', '.join(header)}; "
            f"use {proposed_columns(header)}"
        )
    if twice := [name for name in columns.named if header.count(name) > 1]:
        raise ValueError(f"{path}: the first line names {', '.join(twice)} twice; column names must be different")


def spread_records(
    path: Path | str, records: Iterable[tuple[int, object]], columns: Columns
) -> Iterator[tuple[int, dict[str, object]]]:
    """Yields a record for every pull, with its line number.
    A JSON object that describes a whole run by lists is split into its pulls. Without a column for the run, such a run
    is named by its line."""
    for number, each in records:
        if not isinstance(each, dict):
            raise ValueError(
                f"{path}, line {number}: {str(each)[:60]!r} is not a JSON object with the key {columns.arm!r}"
            )
        required = [columns.arm, *filter(None, (columns.propensity, columns.run, *columns.contexts))]
        if lacking := [name for name in required if name not in each]:
            raise ValueError(
                f"{path}, line {number}: missing keys: {', '.join(lacking)}; this line has "
                f"{', '.join(each)}; use {proposed_columns(each)}"
            )
        if not isinstance(each[columns.arm], list):
            yield number, each
            continue
        many = len(each[columns.arm])
        for k in range(many):
            spread = {}
            for name in columns.named:
                values = each.get(name)
                if isinstance(values, list) and len(values) != many:
                    raise ValueError(
                        f"{path}, line {number}: {columns.arm} has length {many}, but {name} has length "
                        f"{len(values)}; these must be equal"
                    )
                spread[name] = values[k] if isinstance(values, list) else values
            yield number, spread | {LINE_OF_RUN: f"line {number}"}


def recording_of_records(
    path: Path | str, records: Iterable[tuple[int, dict[str, object]]], columns: Columns
) -> Recording:
    """Groups records, one for every pull, into runs."""
    made, paid = RecordingBuilder(), columns.reward or columns.cost
    for number, record in records:
        arm = record[columns.arm]
        if isinstance(arm, float) and arm.is_integer():
            arm = int(arm)
        if arm is None or isinstance(arm, list | dict) or not (name := str(arm).strip()):
            raise ValueError(
                f"{path}, line {number}: the arm is {arm!r}; it must be an integer of at least 0, or a name"
            )
        reward = number_in(record.get(paid), path, number, paid)
        propensity = (
            number_in(record[columns.propensity], path, number, columns.propensity) if columns.propensity else nan
        )
        if propensity < 0 or propensity > 1:
            raise ValueError(f"{path}, line {number}: {columns.propensity} is {propensity}; it must lie in [0, 1]")
        seen = [number_in(record[name], path, number, name) for name in columns.contexts]
        if not all(map(isfinite, seen)):
            named = ", ".join(columns.contexts)
            raise ValueError(
                f"{path}, line {number}: a feature is missing; there must be a number in each of these columns: {named}"
            )
        run = str(record[columns.run]) if columns.run else str(record.get(LINE_OF_RUN, ""))
        context = [seen] if seen else None
        printed = str(record[columns.propensity]) if columns.propensity else ""
        made.add(run, name, -reward if columns.cost else reward, number, propensity, printed, context)
    return made.recording(str(path))


def number_in(value: object, path: Path | str, line: int, name: str) -> float:
    """Returns a field of a record as a number; nan if the field is missing.
    Raises ValueError for anything other than a number."""
    text = "" if value is None else str(value).strip()
    if text.lower() in MISSING:
        return nan
    try:
        number = float(TRUTHS.get(text.lower(), text))
    except ValueError:
        number = nan
    if not isfinite(number) or "_" in text:
        raise ValueError(
            f"{path}, line {line}: {name} is {text[:60]!r}; it must be a finite number, or empty if it is missing"
        )
    return number


def json_records(path: Path | str, text: str) -> Iterator[tuple[int, object]]:
    """Yields the JSON objects of a file, numbered from 1: one on each line, or a list of them."""
    if text.lstrip().startswith("["):
        try:
            yield from ((number, each) for number, each in enumerate(json.loads(text), start=1))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}: {error}; write a JSON list of objects, or one JSON object per line") from None
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{path}, line {number}: {error}; write one JSON object per line") from None
