"""How much the tests see: single mutations of the modules that judge, and which of them no test notices.

A sample of mutations is drawn over all modules that judge, by their size: a comparison flipped, a sign, a constant,
min for max, a directed rounding, a raise or another statement dropped, two arguments swapped, a condition held true,
an early return. Each is planted in a copy of the tree, and the tests that run the mutated line are asked, the
quickest first, until one fails: those of `make test` alone, and none that reads the text of modules. What no test
notices is printed with its line: somebody must then say whether the mutation is equivalent, harmless (speed, words,
tuning), or a gap through which a wrong verdict could pass. A mutation with which tests do not end is not noticed by
that: such ones are listed apart.

Run with: python bench/mutation/mutants.py --count 150 --seed 1 --minutes 40
          python bench/mutation/mutants.py --only tradeoff/curve.py --count 20 --tests test_curve.py test_curves.py
Which test runs which line is measured first, by one run of the tests that are asked, and kept: what is measured again
are test files that change, and all of them where a module does. What became of each mutation is kept as well, so that
a run may be stopped, and the same command goes on with it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path
from queue import Queue
from signal import SIGKILL, SIGXCPU
from threading import Lock
from time import monotonic, perf_counter
from typing import NamedTuple

from calls import Map, digest, mapped, prepared, pytest, test_files, tree_digest
from mutations import ROOT, Mutation, drawn

ENDLESS = "no end"
ENDED = (-1, -SIGXCPU, -SIGKILL)  # the status of a run that was ended for its time
START = 60.0  # seconds of processor time that any run of pytest may take, however few its tests
PATIENCE = 5.0  # a run of tests may take so many times what they took unmutated, then it is ended
FIRST_TESTS, FIRST_SECONDS = 60, 4.0  # bounds on what the first process is asked; the next ones four times as much


class Fate(NamedTuple):
    """What became of a mutation: the test that noticed it, "" for a survivor, or ENDLESS."""

    mutation: Mutation
    killer: str
    asked: int  # tests
    left: int  # tests that run the line as well, and were too dear to be asked
    seconds: float

    @property
    def noticed(self) -> bool:
        return self.killer not in ("", ENDLESS)

    def __str__(self) -> str:
        """Where, what stood there, what stands there now, and who noticed."""
        place = self.mutation
        was = " ".join((ROOT / place.path).read_bytes()[place.start : place.stop].decode().split())
        ending = f"noticed by {self.killer}" if self.noticed else f"SURVIVES {self.asked} tests"
        ending += f" ({self.left} dearer ones were not asked)" if self.left and not self.noticed else ""
        ending = "the tests have NO END" if self.killer == ENDLESS else ending
        change = f"{was[:80]}  ->  {place.new[:80]}"
        return f"{place.path}:{place.line}: {place.kind}: {change}: {ending} ({self.seconds:.0f} s)"


def fate(mutation: Mutation, tests: Map, copy: Path, budget: float) -> Fate:
    """Plants one mutation in a copy, asks tests that run its line, and takes it out again."""
    path, start = copy / mutation.path, perf_counter()
    source = path.read_bytes()
    every = tests.asked(mutation)
    asked = affordable(every, tests, budget)

    def ended(killer: str) -> Fate:
        return Fate(mutation, killer, len(asked), len(every) - len(asked), perf_counter() - start)

    path.write_bytes(mutation.planted(source))
    try:
        for some in batches(asked, tests):
            limit = START + PATIENCE * sum(map(tests.cost, some))
            status, out = pytest(copy, "-n", "0", "-x", *some, limit=limit)
            if status == 5:  # none collected: the map does not fit the tests
                raise SystemExit(f"the tests of {mutation.path}:{mutation.line} could not be found:\n{out[-2000:]}")
            if status:  # 3 and 4 among them: a module that can no longer be imported is noticed
                failed = [row for row in out.splitlines() if row.startswith(("FAILED", "ERROR"))]
                return ended(ENDLESS if status in ENDED else (failed or [f"status {status}"])[0].split(" - ")[0])
        return ended("")
    finally:
        path.write_bytes(source)


def affordable(every: list[str], tests: Map, budget: float) -> list[str]:
    """The first of these tests that take no more seconds together; at least one."""
    spent, asked = 0.0, every[:1]
    for test in every:
        spent += tests.cost(test)
        if spent > budget:
            break
        asked = every[: len(asked) + (test != every[0])]
    return asked


def batches(every: list[str], tests: Map) -> Iterator[list[str]]:
    """The tests, in lists that grow: most mutations are noticed by the first, and a process takes its time to start."""
    number, seconds = FIRST_TESTS, FIRST_SECONDS
    while every:
        some = affordable(every[:number], tests, seconds)
        yield some
        every, number, seconds = every[len(some) :], 4 * number, 4 * seconds


class Kept(NamedTuple):
    """What became of mutations, in a file to which a row is added as soon as one is known."""

    path: Path

    def fates(self) -> dict[Mutation, Fate]:
        """All that is known by now; a last row that was cut off is none."""
        rows = self.path.read_text(encoding="utf-8").split("\n")[:-1] if self.path.exists() else []
        fates = (Fate(Mutation(*place), *rest) for place, *rest in map(json.loads, rows))
        return {each.mutation: each for each in fates}

    def add(self, one: Fate) -> None:
        with self.path.open("a", encoding="utf-8") as out:
            print(json.dumps(one), file=out)


def judged(
    sample: list[Mutation], tests: Map, tree: Path, kept: Kept, options: argparse.Namespace, until: float
) -> Iterator[Fate]:
    """What becomes of each mutation of the sample, as long as there is time to begin with it."""
    known, free, writing = kept.fates(), Queue[Path](), Lock()

    def run(mutation: Mutation) -> Fate | None:
        if mutation in known or monotonic() > until:
            return known.get(mutation)
        copy = free.get()
        try:
            one = fate(mutation, tests, copy, options.seconds)
        finally:
            free.put(copy)
        with writing:
            kept.add(one)
        return one

    for k in range(options.jobs):
        free.put(Path(shutil.copytree(tree, tree.with_name(f"copy-{k}"), symlinks=True)))
    with ThreadPoolExecutor(options.jobs) as pool:
        for one in pool.map(run, sample):
            if one is not None:
                yield one


def summary(fates: Iterable[Fate], sample: int) -> str:
    """How many were tried of how many, how many were noticed, and each of the others with its line."""
    tried = list(fates)
    others = [each for each in tried if not each.killer]
    endless = [each for each in tried if each.killer == ENDLESS]
    noticed = sum(each.noticed for each in tried)
    all_tried = "" if len(tried) == sample else f" (of a sample of {sample}: the time was up)"
    return "\n".join(
        [
            f"{noticed} of {len(tried)} noticed{all_tried}, and {len(endless)} more have no end; the others, one by "
            "one: equivalent, harmless, or a gap?",
            *map(str, [*others, *endless]),
        ]
    )


def settings() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=12, help="mutations (default: 12, a taste)")
    parser.add_argument("--seed", type=int, default=0, help="which sample")
    parser.add_argument("--only", default="", help="only modules whose path contains this")
    parser.add_argument("--tests", nargs="*", default=[], help="ask no other test files than those with these names")
    parser.add_argument("--minutes", type=float, default=inf, help="begin with no mutation after so many minutes")
    parser.add_argument("--seconds", type=float, default=90.0, help="of tests that a mutation may cost (default: 90)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="mutations at a time (default: one a core)"
    )
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir()) / "dpbandits-mutants")
    return parser.parse_args()


def main() -> None:
    options = settings()
    until = monotonic() + 60 * options.minutes
    kept = options.kept / tree_digest()
    kept.mkdir(parents=True, exist_ok=True)
    files = test_files(options.tests)
    sample, fates = drawn(options.count, options.seed, options.only), []
    with tempfile.TemporaryDirectory() as folder:
        tree = prepared(Path(folder) / "tree", files)
        tests = mapped(tree, kept, files, options.jobs)
        if tests.failing:
            print("fail without a mutation, and are not asked:", *sorted(tests.failing), sep="\n  ", flush=True)
        for each in judged(sample, tests, tree, Kept(kept / f"{digest(files)}.fates"), options, until):
            fates.append(each)
            print(each, flush=True)
    print(summary(fates, len(sample)))


if __name__ == "__main__":
    main()
