"""A program in the place of coqc, which answers what a test wants, and notes what it was asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dpbandits.extensions.rocq import compiled_files, coqc, kernel
from dpbandits.extensions.thompson.theorems import checked

PROGRAM = """#!{python} -IS
import json, re, sys, time
from pathlib import Path

here = Path({here!r})
answers = json.loads((here / "answers.json").read_text())
asked = sys.argv[-1]
with (here / "asked.txt").open("a") as file:
    print(asked, file=file)
if asked == "--print-version":
    print("8.16.1 4.14.1")
elif asked == "-where":
    print(here / "library")
else:
    time.sleep(answers.get("seconds", 0))
    text = Path(asked).read_text()
    for place, line in enumerate(text.splitlines(), 1):
        if answers.get("refuse") and answers["refuse"] in line:
            print('File "./%s", line %d, characters 0-9:' % (asked, place))
            sys.exit("Error: No applicable tactic.")
    for file, what, name in re.findall(r'^Redirect "(.*)" (Check|Print Assumptions|Locate Term) (.*)[.]$', text, re.M):
        Path(file + ".out").write_text(answers[what].replace("NAME", name.rpartition(".")[2]))
    kind = "library" if asked == "library.v" else "query" if asked.startswith("query_") else "compiling"
    said = answers.get(kind, "")
    if said:
        sys.exit(said)
"""


def forget() -> None:
    """Forgets what this process knows of coqc and of compiled files."""
    for module in (compiled_files, coqc, kernel, checked):
        for each in vars(module).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()


class StandIn:
    """The program, installed where DPBANDITS_COQC or PATH leads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "coqc"
        self.path.write_text(PROGRAM.format(python=sys.executable, here=str(folder)))
        self.path.chmod(0o755)
        self.answer()

    def answer(self, **answers: Any) -> None:
        """What it answers from now on; what is compiled is forgotten.

        compiling, query, library: complaints, of files, of queries and of those that ask for a library. statement,
        assumptions, place: what is printed of a theorem, of what it rests on, and of where a name leads.
        """
        said: Mapping[str, Any] = {
            "Check": answers.pop("statement", "NAME : True"),
            "Print Assumptions": answers.pop("assumptions", kernel.NO_AXIOMS + "\n"),
            "Locate Term": answers.pop("place", "Constant Coq.Logic.Classical_Prop.NAME\n"),
            **answers,
        }
        (self.folder / "answers.json").write_text(json.dumps(said))
        forget()
        for each in (self.folder / "cache").glob("dpbandits/rocq/*/"):
            each.rename(self.folder / f"old {each.name} {len(list(self.folder.iterdir()))}")

    def asked(self) -> list[str]:
        """What it was asked so far, in order."""
        file = self.folder / "asked.txt"
        return file.read_text().splitlines() if file.exists() else []


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """A program in the place of coqc for one test, with a cache of its own."""
    monkeypatch.setenv(coqc.COQC, str(folder / "coqc"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    return StandIn(folder)
