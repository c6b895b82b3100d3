"""What pieces of work hand on as JSON data, exactly: pairs of tables, and long rows of numbers."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

import numpy as np

from dpbandits.audit.play.pieces import Form
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array

DOUBLES = np.dtype("<f8")


def pair_written(pair: Pair) -> dict[str, Any]:
    lengths = None if pair.lengths is None else pair.lengths.tolist()
    return {
        "relation": pair.relation,
        "left": pair.left.tolist(),
        "right": pair.right.tolist(),
        "lengths": lengths,
        "range": [pair.low, pair.high],
    }


def pair_read(data: Any) -> Pair:
    """Raises KeyError, TypeError and ValueError for what is no pair."""
    low, high = data["range"]
    return Pair(data["relation"], data["left"], data["right"], data["lengths"], low, high)


def doubles_written(values: Array) -> str:
    return b64encode(values.astype(DOUBLES).tobytes()).decode()


def doubles_read(data: Any) -> Array:
    """Raises TypeError and ValueError for what is no row of doubles."""
    return np.frombuffer(b64decode(data, validate=True), dtype=DOUBLES).astype(np.float64)


PAIR = Form(pair_written, pair_read)
NUMBERS = Form(doubles_written, doubles_read)
