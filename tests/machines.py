"""The same findings on every processor: `make machines`.

A slice of the ledger, audits of own policies and the golden vectors are made under several answers to the question what
the processor has: kernels of OpenBLAS, what numpy dispatches by, what the C library does, and one thread or two. Every
finding, every certificate and every vector has to be the same bytes. The tests of the engines pass in the last of them
as well.

First it is seen to fail: where BLAS makes the sums, numpy exp and log, and numbers are written with all of their
digits, that has to be noticed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

ROOT = Path(__file__).parents[1]
# Those that once differed, and at least one claim of each kind of judge.
SLICE = (
    *("ou24/lemma-3", "ou24/lemma-3/round", "ou24/lemma-3/sharp", "ou24/lemma-4/sharp", "ou24/lemma-3/attained"),
    *("ou24/theorem-7/many-arms", "hu25/section-3/m-ts-gaussian/one-more", "chen24/proposition-4.1/arms"),
    *("ou24/figure-1/monotone", "tao22/theorem-3/arms/exact", "ou24/lemma-2/samples"),
    *(
        "ou24/remark-2*",
        "ou24/eq-*",
        "ou24/theorem-5*",
        "ou24/5.1/*",
        "auer02/*",
        "karnin13/*",
        "hu25/section-3/*step*",
    ),
)
PLANTED_IN = ("ou24/theorem-7/many-arms",)
PLANT = (
    "import numpy as np; from dpbandits.reference.arithmetic import elementary, linear; "
    "linear.matrix_product, elementary.exp, elementary.log = np.matmul, np.exp, np.log; "
    "import dpbandits.audit.runner.printed as printed; printed.round_printed = lambda part, end: part; "
)
# Own policies: proved by alignment, refuted by a search, gone on with in stages. argv: the file to write.
OWN_POLICIES = """
import json, sys
sys.path.insert(0, "tests")
from aligned_policies import LocalNoise
from late_leaks import BROKEN, RIGHT, RandomisedResponse
from dpbandits import Gaussian, audit_policy
from dpbandits.audit.runner.dispatch import rounded_finding
from dpbandits.reference.claims.codec import as_data
found = [
    audit_policy(LocalNoise(2, 4), eps=1.0),
    audit_policy(LocalNoise(2, 4, kind="normal"), curve=Gaussian(1.0)),
    audit_policy(BROKEN["noise / sqrt(n)"](8), eps=1.0),
    audit_policy(BROKEN["noise clipped at 2 scales"](8), eps=1.0),
    audit_policy(RIGHT["clipped means"](8), eps=1.0, trials=4_000),
    audit_policy(RandomisedResponse(2, 3, eps=1.3), eps=1.0, trials=2_000, risk=1e-30),
]
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump([as_data(rounded_finding(each)) for each in found], file)
"""
COMMAND = "import sys; sys.argv[0] = 'dpbandits'; from dpbandits.audit.cli.start import main; main()"
TESTS = (
    "test_elementary",
    "test_argmax_law",
    "test_laws",
    "test_selections",
    "extensions/conformance/test_vectors",
    "test_curves",
    "extensions/thompson/test_game",
)


def disabled(wide: bool) -> str:
    """What numpy is told not to use of what the processor has: all that it dispatches by, or (wide) AVX-512 alone."""
    have = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
    return " ".join(name for name in have if not wide or "AVX512" in name or name == "X86_V4")


def machines() -> Iterator[tuple[str, Mapping[str, str]]]:
    """What a processor may have, as far as this one has it, the newest first."""
    if __cpu_features__.get("AVX512F") or __cpu_features__.get("X86_V4"):
        yield "AVX-512, two threads", {"OPENBLAS_CORETYPE": "SkylakeX", "OPENBLAS_NUM_THREADS": "2"}
    if __cpu_features__.get("AVX2") or __cpu_features__.get("X86_V3"):
        yield (
            "AVX2, one thread",
            {
                "OPENBLAS_CORETYPE": "Haswell",
                "OPENBLAS_NUM_THREADS": "1",
                "NPY_DISABLE_CPU_FEATURES": disabled(wide=True),
            },
        )
    yield (
        "neither, nor FMA",
        {
            "OPENBLAS_CORETYPE": "Prescott",
            "NPY_DISABLE_CPU_FEATURES": disabled(wide=False),
            "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",  # names since glibc 2.33
        },
    )


def run(arguments: Sequence[str], machine: Mapping[str, str], code: str = COMMAND, quiet: bool = False) -> int:
    """The command on a machine. No thread number of the caller counts."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    output = subprocess.DEVNULL if quiet else None
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, env={**kept, **machine}, cwd=ROOT, stdout=output).returncode


def made(folder: Path, machine: Mapping[str, str], claims: Sequence[str], code: str = COMMAND) -> dict[str, bytes]:
    """The files that the slice leaves behind there, by name. RuntimeError where a judge failed."""
    status = run(["audit", "--quiet", "--out", str(folder / "run"), *claims], machine, code)
    if status not in (0, 1):  # a surprise is seen as a difference, or everywhere
        raise RuntimeError(f"the audit ended with status {status}")
    if run(["vectors", str(folder / "vectors")], machine, code, quiet=True):
        raise RuntimeError("the vectors could not be written")
    if code == COMMAND and run([str(folder / "own_policies.json")], machine, OWN_POLICIES):
        raise RuntimeError("own policies could not be audited")
    files = [
        *folder.glob("*.json"),
        folder / "run" / "findings.json",
        *(folder / "run" / "certificates").glob("*.json"),
    ]
    files += (folder / "vectors").glob("*.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(files)}


def leaves(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(part, dict | list):
        for name, below in part.items() if isinstance(part, dict) else enumerate(part):
            yield from leaves(below, f"{path}/{name}")
    else:
        yield path, part


def differences(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> list[str]:
    """A line for every file that is not the same, with the first places at which it differs."""
    found = []
    for name in sorted({*one, *other}):
        if one.get(name) == other.get(name):
            continue
        sides = [dict(leaves(json.loads(side.get(name, b"null")))) for side in (one, other)]
        apart = [place for place in dict.fromkeys([*sides[0], *sides[1]]) if sides[0].get(place) != sides[1].get(place)]
        shown = "; ".join(f"{place}: {sides[0].get(place)!r}, {sides[1].get(place)!r}" for place in apart[:4])
        found.append(f"{name}: {len(apart)} places; {shown}")
    return found


def compared(folder: Path, claims: Sequence[str], code: str = COMMAND) -> list[str]:
    """What differs between the first machine and the others."""
    first: dict[str, bytes] = {}
    found = []
    for number, (name, machine) in enumerate(machines()):
        files = made(folder / str(number), machine, claims, code)
        first = first or files
        told = differences(first, files)
        print(f"{name}: {len(files)} files, {'the same' if not told else f'{len(told)} differ'}", flush=True)
        found += [f"{name}: {line}" for line in told]
    return found


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        print("== sums and functions of the processor's own, planted", flush=True)
        if not compared(Path(place) / "planted", PLANTED_IN, PLANT + COMMAND):
            print("none of them was noticed: this could not fail", file=sys.stderr)
            return 1
        print("== as it is", flush=True)
        found = compared(Path(place) / "whole", SLICE)
    print("\n".join(found))
    *_, (name, oldest) = machines()
    print(f"== tests of the engines: {name}", flush=True)
    tests = ["-n", "0", "-q", *(f"tests/{test}.py" for test in TESTS)]
    failed = run(tests, oldest, "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))")
    return 1 if found or failed else 0


if __name__ == "__main__":
    sys.exit(main())
