"""Where claims are judged: in processes of this machine, or on a cluster that somebody runs.

A cluster's workers need dpbandits in the same version, beside the same libraries, and nothing else: no shared folder,
for what they find comes back, and is kept where the run was started. A worker that is killed loses what it was at, and
another one gets it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import dpbandits
from dpbandits.audit.run.fingerprint import libraries

PACKAGES = {"dask": "distributed", "ray": "ray"}
PATIENCE = 60  # seconds for a scheduler to answer, and for a first worker


class Unavailable(RuntimeError):
    """A cluster that cannot be used; the message says why, and what to do."""


class Workers(NamedTuple):
    """Who judges. jobs: processes of this machine, where it is this machine that judges. backend: joblib's name for
    them, "loky", or for a cluster, "dask" or "ray". scheduler: the address of a cluster's scheduler."""

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
    def parallel(self) -> Iterator[Any]:
        """joblib's Parallel with these workers, which hands out results as they come, and how many there are. Raises
        Unavailable."""
        from joblib import Parallel, parallel_config

        how: dict[str, Any] = {"return_as": "generator_unordered", "batch_size": 1}
        if not self.remote:
            yield Parallel(n_jobs=self.jobs, **how), self.jobs
            return
        self.demand_address()
        connect = {"dask": dask_client, "ray": ray_cluster}[self.backend]
        with connect(self.scheduler) as (options, many), parallel_config(self.backend, n_jobs=-1, **options):
            yield Parallel(**how), many


@contextmanager
def dask_client(scheduler: str) -> Iterator[tuple[dict[str, Any], int]]:
    """What joblib's dask backend wants, and how many threads the cluster has."""
    try:
        from distributed import Client
    except ImportError:
        raise Unavailable(missing("dask")) from None
    try:
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Unavailable(f"--scheduler {scheduler}: no dask scheduler answers there ({error})") from None
    with client:
        options = {"client": client, "wait_for_workers_timeout": PATIENCE}
        yield options, max(1, sum(client.ncores().values()))


@contextmanager
def ray_cluster(scheduler: str) -> Iterator[tuple[dict[str, Any], int]]:
    """What joblib's ray backend wants, and how many processors the cluster has."""
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError:
        raise Unavailable(missing("ray")) from None
    try:
        ray.init(address=scheduler or "auto")
    except (OSError, ValueError, RuntimeError) as error:
        raise Unavailable(f"--scheduler {scheduler or 'auto'}: no ray cluster answers there ({error})") from None
    try:
        register_ray()
        yield {}, max(1, int(ray.cluster_resources().get("CPU", 1)))
    finally:
        ray.shutdown()


def missing(backend: str) -> str:
    name = PACKAGES[backend]
    return f"--backend {backend} needs the package {name}, which is not installed: python -m pip install {name}"


def lost(error: BaseException) -> bool:
    """Whether the error says that a worker was killed (by its name: the packages of clusters may be absent)."""
    return type(error).__name__ in ("TerminatedWorkerError", "KilledWorker", "WorkerCrashedError")


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
