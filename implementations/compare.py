"""Runs the comparisons of one library, in its environment, and writes one row of JSON a line into a file.

python compare.py NAME FILE     NAME: of a module in `adapters`. `table.py` calls this.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import traceback
import warnings
from importlib import metadata
from pathlib import Path
from typing import Any

import adapters
import numpy as np
from rows import NOT_RUN, Row, as_data, not_run

SCRIPTS = Path(__file__).parent / "repro"
SCRIPT_SECONDS = 300


def compared(library: str, version: str, row: Row) -> Any:
    """The row with its result. An exception in the library or the adapter becomes the reason why it was not run."""
    begun = time.process_time()
    try:
        result = row.compare()
    except Exception as error:  # of any library
        where = traceback.extract_tb(error.__traceback__)[-1]
        return not_run(library, version, row, f"{type(error).__name__}: {error} ({Path(where.filename).name})")
    seconds = time.process_time() - begun
    return as_data(library, version, row, result, seconds, script_output(row) if row.script else "")


def script_output(row: Row) -> str:
    """What the script of a row prints. Its exit status must be 1, which says that the difference is there."""
    said = subprocess.run(
        [sys.executable, "-W", "ignore", str(SCRIPTS / row.script)],
        capture_output=True, text=True, timeout=SCRIPT_SECONDS, check=False,
    )  # fmt: skip
    if said.returncode != 1 or "Traceback" in said.stderr:
        return f"exit status {said.returncode}, and not 1: {said.stdout}{said.stderr}".strip()
    return f"{said.stdout}{said.stderr}".strip()


def main(name: str, file: str) -> int:
    warnings.filterwarnings("ignore")  # of the libraries
    np.seterr(all="ignore")
    module = adapters.module(name)
    version = metadata.version(module.LIBRARY)
    with Path(file).open("w", encoding="utf-8") as written:
        for row in module.ROWS:
            made = compared(module.LIBRARY, version, row)
            print(json.dumps(made), file=written, flush=True)
            reason = f": {made['evidence']}" if made["verdict"] == NOT_RUN else ""
            print(f"  {made['verdict']:14} {row.policy}  {made['number']} ({made['seconds']:.1f} s){reason}",
                  file=sys.stderr, flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
