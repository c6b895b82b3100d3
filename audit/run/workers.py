"""Where claims are judged: in processes of this machine, or on a cluster that somebody runs.

A cluster's workers need dpbandits in the same version, beside the same libraries, and nothing else: no shared folder,
for what they find comes back, and is kept where the run was started. A worker that is killed loses what it was at, and
another one gets it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import dpbandits
from dpbandits.audit.run.fingerprint import libraries

PACKAGES = {"dask": "distributed"}
PATIENCE = 60  # seconds for a scheduler to answer, and for a first worker
REPLACED = "A worker stopped while some jobs"  # loky replaces one that has grown; nothing is lost, and nobody need act


class Unavailable(RuntimeError):
    """A cluster that cannot be used; the message says why, and what to do."""


class Workers(NamedTuple):
    """Who judges. jobs: processes of this machine, where it is this machine that judges. backend: joblib's name for
    them, "loky", or "dask" for a cluster. scheduler: the address of a cluster's scheduler."""

    jobs: int = 1
    backend: str = "loky"
    scheduler: str = ""

    @property
    def remote(self) -> bool:
        return self.backend != "loky"

    def demand_address(self) -> None:
        """Unavailable where a scheduler has to be named, and is not."""
        if self.backend == "dask" and not self.scheduler:
            raise Unavailable("--backend dask: name its scheduler, as in --scheduler tcp://host:8786")

    @contextmanager
    def starting(self, most: int, call: Callable[..., Any], *given: Any) -> Iterator[None]:
        """While the block runs, the processes of this machine start, `most` of them where there are several, and each
        makes this call: so they have loaded what they need when there is work. What goes wrong there is told when it
        does so again."""
        thread = Thread(target=started, args=(min(self.jobs, most), call, given), daemon=True)
        several = not self.remote and min(self.jobs, most) > 1
        if several:
            thread.start()
        try:
            yield
        finally:  # also for whoever interrupts it: what joblib has begun complains where it is left alone
            if several:
                thread.join()

    @contextmanager
    def parallel(self) -> Iterator[Any]:
        """What takes delayed calls and hands out their results as they come, and how many workers there are. Raises
        Unavailable."""
        from joblib import Parallel

        if not self.remote:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", REPLACED)
                yield Parallel(n_jobs=self.jobs, return_as="generator_unordered", batch_size=1), self.jobs
            return
        self.demand_address()
        with dask_client(self.scheduler) as (client, many):
            yield partial(in_any_order, client), many


def started(jobs: int, call: Callable[..., Any], given: tuple[Any, ...]) -> None:
    """So many processes that have made this call, if nothing went wrong."""
    from joblib import Parallel, delayed

    with suppress(BaseException):  # an interrupt of theirs as well
        Parallel(n_jobs=jobs, batch_size=1)(delayed(call)(*given) for _ in range(jobs))


def in_any_order(client: Any, todo: Sequence[tuple[Any, tuple[Any, ...], dict[str, Any]]]) -> Iterator[Any]:
    """What the calls return, as they come. joblib's own way to dask waits for ever where a call killed every worker."""
    from distributed import as_completed

    futures = [client.submit(call, *given, pure=False, **named) for call, given, named in todo]
    for future in as_completed(futures, loop=client.loop):
        yield future.result()


@contextmanager
def dask_client(scheduler: str) -> Iterator[tuple[Any, int]]:
    """A client of the cluster, and how many threads it has."""
    try:
        from distributed import Client
    except ImportError:
        raise Unavailable(missing("dask")) from None
    try:
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Unavailable(f"--scheduler {scheduler}: no dask scheduler answers there ({error})") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise Unavailable(f"--scheduler {scheduler}: no worker within {PATIENCE} seconds; start some") from None
        yield client, max(1, sum(client.ncores().values()))


def missing(backend: str) -> str:
    name = PACKAGES[backend]
    return f"--backend {backend} needs the package {name}, which is not installed: python -m pip install {name}"


def lost(error: BaseException) -> bool:
    """Whether the error says that a worker was killed (by its name: the packages of clusters may be absent)."""
    return type(error).__name__ in ("TerminatedWorkerError", "KilledWorker")


# -- the same code everywhere ----------------------------------------------------------------------------------------


@cache
def version() -> str:
    """A digest of this package's code as it stands on disk, of python and of the numerical libraries."""
    found = blake2b(f"{sys.version}\n{libraries()}".encode(), digest_size=16)
    home = Path(dpbandits.__file__).parent
    for folder in sorted(path for path in home.iterdir() if path.is_dir()):
        for path in sorted(folder.resolve().rglob("*.py")):
            found.update(f"{folder.name}/{path.relative_to(folder.resolve())}\n".encode() + path.read_bytes())
    return found.hexdigest()


def demand_version(wanted: str) -> None:
    """RuntimeError where this process runs other code than the one that asks: what it finds would be kept under the
    wrong fingerprint."""
    if version() != wanted:
        import platform

        raise RuntimeError(
            f"the worker on {platform.node()} runs another version of dpbandits, of python or of a numerical library "
            "than the process that asks it: install the same ones on both, and start the workers anew"
        )
