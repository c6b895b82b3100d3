"""Error messages for a terminal if Rocq's kernel is not available, or rejects a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from dpbandits.audit.cli.verifying import elide_middle
from dpbandits.audit.cli_shared.endings import Trouble, printable
from dpbandits.extensions.rocq.compiled_files import demand_libraries
from dpbandits.extensions.rocq.coqc import COQC, NotAccepted, TookTooLong, compiler
from dpbandits.proofs_checks.formulas.theorems import NotInstalled

INSTALL = (
    "Debian and Ubuntu have them: apt install coq libcoq-coquelicot libcoq-interval libcoq-mathcomp-algebra; opam: coq "
    f"coq-coquelicot coq-interval coq-mathcomp-algebra. {COQC} names another compiler"
)
NOT_THERE = "--rocq: {named}, which {variable} names, is no program here; name coqc, or unset it"


def install_words(missing: NotInstalled) -> str:
    """Returns an error message with the missing program or library and how to install it.
    If an environment variable names a compiler that does not exist, the message says so."""
    named = os.environ.get(COQC)
    if compiler() is None and named:
        return NOT_THERE.format(named=printable(named), variable=COQC)
    return f"--rocq: {missing}. {INSTALL}"


@contextmanager
def kernel_trouble(task: str) -> Iterator[None]:
    """Returns a context manager that raises Trouble, with a description, if Rocq's kernel fails.
    It fails if it is not available, takes too long or does not accept a theorem. task: what the kernel was asked about,
    for the message."""
    try:
        yield
    except NotInstalled as missing:
        raise Trouble(install_words(missing)) from None
    except TookTooLong as error:
        raise Trouble(f"--rocq: {error}") from None
    except NotAccepted as error:
        raise Trouble(f"--rocq: Rocq's kernel rejects {task}: {elide_middle(str(error))}") from None


def demand_compiler() -> None:
    """Raises Trouble, with installation instructions, if coqc or a library that all theorems need is missing."""
    with kernel_trouble("a library"):
        demand_libraries(["Coquelicot", "Interval"])
