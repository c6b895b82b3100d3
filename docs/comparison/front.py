"""The committed front: what every private policy costs with five arms and with two, as T grows at eps = 1, and as eps
grows at T = 3000.

    python docs/comparison/front.py --jobs 2
    python docs/comparison/front.py --findings reports/out/findings.json
    python docs/comparison/front.py --held-against reports/out/findings.json
    python docs/comparison/front.py --pseudo-code

The first writes front.json, front.csv and front.svg beside this file; the second first keeps what an audit found of
the promises, which every comparison reads; the third plays nothing, and ends with 1 where an audit finds otherwise; the
fourth plays nothing, and writes the pseudo-code of the policies again. `make compare` audits the promises, and does the
second.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from dpbandits.extensions.comparison.asking import Question, compare_policies
from dpbandits.extensions.comparison.candidates import KEPT_FILE, offered
from dpbandits.extensions.comparison.document import as_json, comparisons_csv, comparisons_json
from dpbandits.extensions.comparison.page import comparison_picture

HERE = Path(__file__).parent
FRONT = HERE / "front.json"
ARMS, DELTA, RUNS = (5, 2), 1e-6, 200  # the pictures of the first number of arms stand first
ASKED = (*((3000, eps) for eps in (1.0, 4.0, 0.5, 16.0)), (1000, 1.0), (10_000, 1.0))  # T, eps
KEPT_FIELDS = ("id", "statement", "verdict", "rests_on")


def kept(document: Mapping[str, Any]) -> str:
    """What is kept of a findings document about the promises of all offers, as text: a claim on each line. Raises
    ValueError where one of them was not judged."""
    wanted = {offer.claim for _, offer in offered() if offer.claim}
    found = [each for each in document["findings"] if each["id"] in wanted]
    if missing := wanted - {each["id"] for each in found}:
        raise ValueError(f"these claims have no finding: {', '.join(sorted(missing))}; audit them first")
    rows = [json.dumps({name: each[name] for name in KEPT_FIELDS}) for each in found]
    return f'{{"version": {json.dumps(document["version"])}, "findings": [\n' + ",\n".join(rows) + "\n]}\n"


def otherwise(kept_one: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether a finding is not what was kept of the claim. Rocq's kernel may turn ARGUED into PROVED."""
    same = found["verdict"] == kept_one["verdict"] or (kept_one["verdict"], found["verdict"]) == ("ARGUED", "PROVED")
    return found["statement"] != kept_one["statement"] or not same


def held_against(document: Mapping[str, Any]) -> None:
    """Ends with 1 and the claims of which the audit says something else than what was kept."""
    now = {each["id"]: each for each in json.loads(kept(document))["findings"]}
    before = {each["id"]: each for each in json.loads(KEPT_FILE.read_text("utf-8"))["findings"]}
    wrong = [name for name in sorted(now.keys() | before.keys()) if name not in before or name not in now]
    wrong += [name for name in sorted(now.keys() & before.keys()) if otherwise(before[name], now[name])]
    if wrong:
        raise SystemExit(f"the stored verdicts differ from the findings for {', '.join(wrong)}; run `make compare`")
    print(f"{len(now)} promises are kept as they are found")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--findings", type=Path)
    options.add_argument("--promises", action="store_true", help="only say which claims have to be judged")
    options.add_argument("--pseudo-code", action="store_true", help="only write the policies' pseudo-code again")
    options.add_argument("--held-against", type=Path, help="only compare what is kept with what an audit found")
    asked = options.parse_args()
    if asked.promises:
        print(*sorted({offer.claim for _, offer in offered() if offer.claim}))
        return
    if asked.pseudo_code:
        document = json.loads(FRONT.read_text("utf-8"))
        FRONT.write_text(as_json(document["version"], document["comparisons"]), "utf-8")
        return
    if asked.held_against is not None:
        held_against(json.loads(asked.held_against.read_text("utf-8")))
        return
    if asked.findings is not None:
        KEPT_FILE.write_text(kept(json.loads(asked.findings.read_text("utf-8"))), "utf-8")
    found = []
    for arms, (horizon, eps) in product(ARMS, ASKED):
        found.append(compare_policies(Question(arms, horizon, eps, DELTA, runs=RUNS), asked.jobs))
        in_order = sorted(found, key=lambda one: (ARMS.index(one.arms), one.horizon, one.eps))
        FRONT.write_text(comparisons_json(in_order), "utf-8")
        (HERE / "front.csv").write_text(comparisons_csv(in_order), "utf-8")
        (HERE / "front.svg").write_text(comparison_picture(json.loads(comparisons_json(in_order))), "utf-8")
        print(f"K = {arms}, T = {horizon}, eps = {eps:g}: {found[-1].advice.sentence}", flush=True)


if __name__ == "__main__":
    main()
