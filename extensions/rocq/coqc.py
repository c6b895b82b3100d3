"""The program coqc: its location, its version, the names of libraries, and one run of it within a time limit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path

from dpbandits.proofs_checks.formulas.theorems import KernelError, NotInstalled

COQC = "DPBANDITS_COQC"  # the environment's word for the compiler; empty: none
# Seconds that coqc may take for one file. The slowest one, the threshold game of 1000 rounds, takes 230 processor
# seconds on a core of its own; eight times as many leave room for an older machine that has other work.
FILE_SECONDS = 1800.0
# The libraries that files of ours require, each with a module of it that shows whether it is installed.
LIBRARIES = {
    "Bignums": "BigZ",
    "Coquelicot": "Coquelicot",
    "Flocq": "Raux",
    "Interval": "Tactic",
    "mathcomp": "all_algebra",
}
NO_LIBRARY = re.compile(r"Cannot find a physical path|Unable to locate library|Cannot load")


class NotAccepted(KernelError):
    """A file that does not compile, or a theorem that depends on an axiom that is not allowed."""


class TookTooLong(KernelError):
    """A run of coqc that was ended at its time limit, so that nothing is known about the theorem."""


def compiler() -> str | None:
    """The path of coqc, or of the program that an environment variable names instead; None if it is not installed."""
    return shutil.which(os.environ.get(COQC, "coqc"))


def required_compiler() -> str:
    """The path of coqc. Raises NotInstalled if there is none."""
    found = compiler()
    if found is None:
        raise NotInstalled("coqc is not installed")
    return found


@cache
def installation() -> str:
    """The compiler's version and the names of the installed libraries; empty without a compiler."""
    if compiler() is None:
        return ""
    libraries = library_folder() / "user-contrib"
    names = sorted(each.name for each in libraries.iterdir()) if libraries.is_dir() else []
    return " ".join([version(), *names])


@cache
def version() -> str:
    """The compiler's version, such as "8.16.1"."""
    return output_of(["--print-version"], Path.cwd()).split()[0]


def library_folder() -> Path:
    """The folder of Coq's own library."""
    return Path(output_of(["-where"], Path.cwd()).strip())


@cache
def installed_files() -> str:
    """A digest of Coq's version and of the name, size and time of every compiled library file.
    This project's compiled files remain valid as long as the digest is unchanged."""
    folder = library_folder()
    found = [(str(each.relative_to(folder)), each.stat()) for each in sorted(folder.rglob("*.vo"))]
    lines = [version(), *(f"{name} {about.st_size} {about.st_mtime_ns}" for name, about in found)]
    return blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()


def output_of(options: Sequence[str], folder: Path, seconds: float = FILE_SECONDS) -> str:
    """Runs coqc once and returns what it prints, standard error last; a file that compiles prints nothing.
    Raises NotInstalled, and TookTooLong after this many seconds."""
    try:
        done = subprocess.run(
            [required_compiler(), *options], cwd=folder, capture_output=True, text=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise TookTooLong(
            f"{options[-1]}: coqc was stopped after {seconds:g} seconds, the limit for one file, so there is "
            "no answer. Repeat the command on a faster or less loaded machine"
        ) from None
    said = done.stdout + done.stderr
    return said or ("" if done.returncode == 0 else f"coqc ended with status {done.returncode}")
