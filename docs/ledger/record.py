"""What the ledger came to in a release, kept small: of each claim what is judged, the verdict, and the sentence.

    python docs/ledger/record.py reports/out/findings.json

writes docs/ledger/VERSION.json and prints the table of the changelog. `dpbandits diff` compares a record with a later
findings.json, and so makes the ledger's part of the next changelog. `make ledger` audits, and then does this.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from dpbandits.audit.runner.changes import found_digest

KEPT = ("id", "where", "reading", "scope", "statement", "expect", "follows", "verdict", "summary", "rests_on")


def record(document: dict[str, Any]) -> dict[str, Any]:
    """The record of a findings document."""
    run = {name: document[name] for name in ("schema", "version", "profile", "seed", "risk", "errors")}
    kept = ({name: found[name] for name in KEPT} | digest(found) for found in document["findings"])
    return run | {"findings": list(kept)}


def digest(found: dict[str, Any]) -> dict[str, str]:
    """What stands for the finding's data, by which `dpbandits diff` tells other numbers from other words."""
    made = found_digest(found)
    return {"found_digest": made} if made else {}


def written(kept: dict[str, Any]) -> str:
    """As JSON, a claim on each line, so that versions of it can be compared."""
    lines = [json.dumps(found, ensure_ascii=False) for found in kept["findings"]]
    run = json.dumps({name: value for name, value in kept.items() if name != "findings"}, ensure_ascii=False)
    return run[:-1] + ', "findings": [\n' + ",\n".join(lines) + "\n]}\n"


def table(kept: dict[str, Any]) -> str:
    """How many claims carry each verdict, the most frequent first."""
    counts = Counter(found["verdict"] for found in kept["findings"])
    rows = [f"| {verdict} | {many} |" for verdict, many in counts.most_common()]
    return "\n".join(["| verdict | claims |", "|---|---:|", *rows, f"| all | {len(kept['findings'])} |"])


if __name__ == "__main__":
    kept = record(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    path = Path(__file__).with_name(f"{kept['version']}.json")
    path.write_text(written(kept), encoding="utf-8")
    print(f"{path}\n\n{table(kept)}")
