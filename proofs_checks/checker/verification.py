"""The entry: a certificate of any kind is checked, and what was found is said."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema

from .formula import check_formula
from .linear_bandits import check_linear
from .noisy_maximum import check_step
from .releases import check_release
from .runs import check_run
from .transcripts import check_transcripts
from .untrusted import Rejected, budget, require_moderate_size

EFFORT = 250_000  # of one certificate, in units of some five microseconds
RUN_EFFORT = 20_000_000  # of one about a run: T = 1000 takes a few seconds, T = 10 000 minutes


class Verification(NamedTuple):
    """What the checker found. ok: the certificate is valid. lines: what was recomputed, or what is wrong."""

    ok: bool
    lines: tuple[str, ...]


def verify(certificate: Any) -> Verification:
    """Check a certificate. Never raises for a bad one: the lines say what is wrong with it, and are printable."""
    kinds = {
        "formula": check_formula,
        "step": check_step,
        "transcripts": check_transcripts,
        "release": check_release,
        "run": check_run,
        "linear": check_linear,
    }
    try:
        require_form(certificate)
        with budget(RUN_EFFORT if certificate["type"] == "run" else EFFORT):
            return Verification(True, tuple(kinds[certificate["type"]](certificate)))
    except Rejected as wrong:
        return Verification(False, (str(wrong),))
    except Exception as error:  # nothing has been shown, so it is rejected; that it was our fault is said
        return Verification(False, (f"the checker failed at it ({type(error).__name__}: {str(error)[:200]!a})",))


def require_form(certificate: Any) -> None:
    """Raises Rejected unless it is of moderate size, and what the schema asks for."""
    require_moderate_size(certificate)
    error = jsonschema.exceptions.best_match(islice(schema().iter_errors(certificate), 50))
    if error is not None:
        place = "/".join(map(str, error.absolute_path)) or "the certificate"
        raise Rejected(f"schema: {place}: {error.message[:300]}")


@lru_cache(maxsize=1)
def schema() -> Any:
    text = Path(__file__).with_name("certificate.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))
