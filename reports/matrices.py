"""Matrices: which statement holds in which reading. The cells themselves are a table of the page, not a drawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpbandits.reports.plotting import Picture, empty_picture


def matrix(item: Mapping[str, Any], name: str) -> Picture:
    """What the cells say in words, and in rows only what fails: row, column, where. A page has room for cells and the
    columns' numbers alone; the words spell the numbers out."""
    names, columns, cells = item["names"], item["columns"], item["cells"]
    if not names or not columns:
        return empty_picture(name, "The matrix is empty.")
    clean = [names[row] for row, line in enumerate(cells) if not any(line)]
    words = ["; ".join(f"{place + 1}: {each}" for place, each in enumerate(columns)) + "."]
    words.append(f"In these rows all holds: {'; '.join(clean)}." if clean else "In no row does all hold.")
    failing = tuple(
        (each, f"{place + 1}: {column}", where)
        for each, line in zip(names, cells, strict=True)
        for place, (column, where) in enumerate(zip(columns, line, strict=True))
        if where
    )
    return Picture(name, "", (), " ".join(words), (item["of"], "fails", "at") if failing else (), failing)
