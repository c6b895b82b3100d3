"""How the checks of the toy claims end.

The environment variable TOY_LOG names a file; every check appends a line with its claim's id and its process to this
file. TOY_FAULTS is a number: a claim whose check misbehaves is proved after so many checks in this file. Without these
variables nothing is written, and such checks always misbehave.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path
from time import process_time, sleep
from typing import NoReturn

from dpbandits.pages import Claim, Finding, Verdict
from dpbandits.proofs import Effort, Proofs, judge_by_methods
from toy import claims
from toy.page import page

proves = Proofs(page)


def earlier_checks(claim: Claim) -> int:
    """Writes a line to the log; returns the number of earlier lines about this claim, 0 without a log."""
    if "TOY_LOG" not in os.environ:
        return 0
    with Path(os.environ["TOY_LOG"]).open("a+") as log:
        log.seek(0)
        earlier = sum(line.split()[0] == claim.id for line in log)
        log.write(f"{claim.id} {os.getpid()}\n")
    return earlier


@proves("proved", "refuted", "equal", "wrong")
def formula(claim: Claim, effort: Effort, seed: int) -> Finding:
    """What dpbandits finds of a formula without a proof."""
    earlier_checks(claim)
    return judge_by_methods(claim, effort, seed)


@proves("consistent")
def consistent(claim: Claim, effort: Effort, seed: int) -> Finding:
    earlier_checks(claim)
    return Finding(claim.id, Verdict.CONSISTENT, "it was looked at, twice: 100%")


@proves("idle")
def idle(claim: Claim, effort: Effort, seed: int) -> Finding:
    earlier_checks(claim)
    return Finding(claim.id, Verdict.NOT_EXERCISED, "nobody looked")


# -- checks that misbehave, and checks that take time ----------------------------------------------------------------


def misbehaves(name: str, fault: Callable[[], object]) -> None:
    """Declares the proof of the claim with this name, in which `fault` is called."""

    @proves(name)
    def proof(claim: Claim, effort: Effort, seed: int) -> Finding:
        if earlier_checks(claim) < float(os.environ.get("TOY_FAULTS", inf)):
            fault()
        return Finding(claim.id, Verdict.PROVED, f"its check {name} no more")


def raises() -> NoReturn:
    raise ZeroDivisionError("the check divided by nothing")


def throws() -> NoReturn:
    raise BaseException("no Exception")


def interrupts() -> NoReturn:
    raise KeyboardInterrupt


def kills() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def works() -> None:
    """Waits for half a second, which takes no processor time, and works for a tenth of a second, which does."""
    sleep(0.5)
    end = process_time() + 0.1
    while process_time() < end:
        pass


def spoils() -> None:
    """Overwrites the file that the environment variable TOY_SPOILED names."""
    Path(os.environ["TOY_SPOILED"]).write_text("{}")


misbehaves("raises", raises)
misbehaves("exits", lambda: sys.exit(0))
misbehaves("throws", throws)
misbehaves("interrupts", interrupts)
misbehaves("kills", kills)
misbehaves("waits", lambda: sleep(3600))
misbehaves("waits-too", lambda: sleep(3600))
misbehaves("works", works)
misbehaves("spoils", spoils)

# -- further claims ----------------------------------------------------------------------------------------------------


@proves("told", "told/variant")
def told(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The finding that the claim's params describe."""
    earlier_checks(claim)
    (fields,) = claim.params
    return Finding(claim.id, **fields)


@proves("original")
def original(claim: Claim, effort: Effort, seed: int) -> Finding:
    same = any(claim is each for each in claims.CLAIMS)
    return Finding(claim.id, Verdict.PROVED if same else Verdict.CONSISTENT, "looked at")


@proves("experiment/1", "experiment/2")
def experiment(claim: Claim, effort: Effort, seed: int) -> Finding:
    return Finding(claim.id, Verdict.PROVED, "so it is")
