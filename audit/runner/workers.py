"""Where claims are judged: in processes of this machine, or on a cluster that somebody runs.

A cluster's workers need dpbandits in the same version, beside the same libraries, and nothing else: no shared folder,
for what they find comes back, and is kept where the run was started. A worker that is killed loses what it was at, and
another one gets it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from dpbandits.audit.runner.cache import environment, package_hash

PATIENCE = 60  # seconds for a scheduler to answer, and for a first worker
REPLACED = "A worker stopped while some jobs"  # loky replaces one that has grown; nothing is lost, and nobody need act
Calls = Sequence[Callable[[], Any]]
Results = Iterator[tuple[int, Any]]  # what calls return, by their numbers, in any order


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

    @property
    def several(self) -> bool:
        """Whether there may be more than one."""
        return self.remote or self.jobs > 1

    @contextmanager
    def parallel(self) -> Iterator[tuple[Callable[[Calls], Results], int]]:
        """What makes calls, and how many workers there are. Raises Unavailable."""
        if not self.several:
            yield one_after_another, 1
        elif self.remote:
            self.demand_address()
            with dask_client(self.scheduler) as (client, many):
                yield partial(by_cluster, client), many
        else:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", REPLACED)
                yield partial(by_processes, self.jobs), self.jobs


def one_after_another(calls: Calls) -> Results:
    return ((number, call()) for number, call in enumerate(calls))


def by_processes(jobs: int, calls: Calls) -> Results:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    yield from parallel(delayed(call_with_number)(number, call) for number, call in enumerate(calls))


def by_cluster(client: Any, calls: Calls) -> Results:
    """By dask itself: joblib's way to it waits for ever where a call killed every worker."""
    from distributed import as_completed

    futures = [client.submit(call_with_number, number, call, pure=False) for number, call in enumerate(calls)]
    for future in as_completed(futures, loop=client.loop):
        yield future.result()


def call_with_number(number: int, call: Callable[[], Any]) -> tuple[int, Any]:
    return number, call()


@contextmanager
def dask_client(scheduler: str) -> Iterator[tuple[Any, int]]:
    """A client of the cluster, and how many threads it has."""
    try:
        from distributed import Client
    except ImportError:
        told = "--backend dask needs the package distributed, which is not installed: python -m pip install distributed"
        raise Unavailable(told) from None
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


def lost(error: BaseException) -> bool:
    """Whether the error says that a worker was killed (by its name: the packages of clusters may be absent)."""
    return type(error).__name__ in ("TerminatedWorkerError", "KilledWorker")


# -- the same code everywhere ----------------------------------------------------------------------------------------


def version(kernel: bool = False) -> str:
    """A digest of this package's code as it is on disk, of python and of the numerical libraries; and of Rocq where
    its kernel is asked."""
    return " ".join([package_hash(), *environment(kernel).values()])


def demand_version(wanted: str, kernel: bool = False) -> None:
    """RuntimeError where this process runs other code than the one that asks: what it finds would be kept under the
    wrong key."""
    if version(kernel) != wanted:
        import platform

        raise RuntimeError(
            f"the worker on {platform.node()} runs another version of dpbandits, of python, of a numerical library or, "
            "where its kernel is asked, of Rocq than the process that asks it: install the same ones on both, and "
            "start the workers again"
        )
