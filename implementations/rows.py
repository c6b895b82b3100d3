"""The rows of the table: what of a library is compared with what, and the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

AGREES, REFUTED, NOT_APPLICABLE = "AGREES", "REFUTED", "NOT_APPLICABLE"
NOT_INSTALLED, NOT_RUN = "NOT_INSTALLED", "NOT_RUN"  # NOT_RUN: the comparison raised an exception
VERDICTS = (AGREES, REFUTED, NOT_APPLICABLE, NOT_INSTALLED, NOT_RUN)


class Result(NamedTuple):
    """The result of a comparison.

    verdict: AGREES, REFUTED or NOT_APPLICABLE. number: the measured quantity with its unit, for the table. evidence:
    one or two sentences with the details. log10_evidence: the decimal logarithm of an e-value against the reference,
    None where the result is certain or there is no evidence. power: the smallest change of a probability in one step
    of all runs that would be detected with probability 0.9, None where it was not computed. trials: independent runs
    in each environment, or on each side. confirmed: whether no difference was found from the law that `Row.differs`
    describes; None if there is no such law to compare with.
    """

    verdict: str
    number: str
    evidence: str
    log10_evidence: float | None = None
    power: float | None = None
    trials: int = 0
    confirmed: bool | None = None


@dataclass(frozen=True)
class Row:
    """A policy or mechanism of a library.

    policy: the class, with its parameters. claims: what the library's documentation says that it is, with the source
    that the documentation names. reference: the page or the exact law that it is compared with. compare: runs the
    comparison; it imports the library. differs: the known difference, "" if there is none; the verdict must then be
    REFUTED. departs_from: the sentence of the documentation, or the line of the paper that it names, that the library
    does not keep. cost: whom the difference affects, and how. undecided: why no verdict is possible, "" if one is.
    script: the name of the script in `repro` that shows the difference with the library and numpy alone. upstream: the
    issue of the library's maintainers, if there is one.
    """

    policy: str
    claims: str
    reference: str
    compare: Callable[[], Result]
    differs: str = ""
    departs_from: str = ""
    cost: str = ""
    undecided: str = ""
    script: str = ""
    upstream: str = ""


FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "library": str, "version": str, "policy": str, "claims": str, "reference": str, "verdict": str, "number": str,
    "evidence": str, "log10_evidence": (float, int, type(None)), "power": (float, int, type(None)), "trials": int,
    "confirmed": (bool, type(None)), "differs": str, "departs_from": str, "cost": str, "undecided": str, "script": str,
    "upstream": str, "seconds": (float, int), "script_output": str,
}  # fmt: skip

NEEDED = {
    "script": "the script that shows it",
    "departs_from": "the sentence of the documentation, or the line of the paper, that the library does not keep",
    "cost": "a sentence on whom it affects, and how",
}


def as_data(library: str, version: str, row: Row, result: Result, seconds: float, script_output: str = "") -> Any:
    """The row with its result, as `results.json` stores it."""
    written = {name: getattr(row, name) for name in FIELDS if hasattr(row, name)} | result._asdict()
    written |= {"library": library, "version": version, "seconds": round(seconds, 1), "script_output": script_output}
    return {name: written[name] for name in FIELDS}


def not_run(library: str, version: str, row: Row, why: str, verdict: str = NOT_RUN) -> Any:
    """The row of a comparison that could not be run. why: the reason, in words. verdict: NOT_RUN or NOT_INSTALLED."""
    return as_data(library, version, row, Result(verdict, "", why), 0.0)


def is_unexpected(written: Mapping[str, Any]) -> bool:
    """Whether a row has another verdict than it is known to have, or another difference than its text describes.

    A library that cannot be installed is not unexpected; a comparison that raised an exception is."""
    if written["verdict"] == NOT_INSTALLED:
        return False
    expected = REFUTED if written["differs"] else NOT_APPLICABLE if written["undecided"] else AGREES
    return bool(written["verdict"] != expected or written["confirmed"] is False)


def validate_row(written: Any) -> None:
    """Raises ValueError for what is not a row as `as_data` writes it."""
    if not isinstance(written, Mapping):
        raise ValueError(f"a row is {type(written).__name__}; it must be an object")
    if lacking := [name for name in FIELDS if name not in written]:
        raise ValueError(f"the row lacks {', '.join(lacking)}")
    for name, kinds in FIELDS.items():
        is_flag = isinstance(written[name], bool)  # which Python also takes for a number
        if not isinstance(written[name], kinds) or (is_flag and name != "confirmed"):
            raise ValueError(f"{name} is {written[name]!r}; it has another type than {kinds}")
        if isinstance(written[name], float) and not isfinite(written[name]):
            raise ValueError(f"{name} is {written[name]}; give a finite number")
    if written["verdict"] not in VERDICTS:
        raise ValueError(f"verdict is {written['verdict']!r}; choose one of {', '.join(VERDICTS)}")
    if written["differs"]:
        for name, what in NEEDED.items():
            if not written[name]:
                raise ValueError(f"{name} is empty; a row with a known difference needs {what}")
