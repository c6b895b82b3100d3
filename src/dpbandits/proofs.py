"""For authors of proofs: where a proof says which claims it decides, and the methods that decide formulas."""

import warnings

from dpbandits.proofs_checks.formulas.effort import Effort as Effort
from dpbandits.proofs_checks.formulas.methods import judge_by_methods as judge_by_methods
from dpbandits.proofs_checks.formulas.proofs import Proofs as Proofs


def __getattr__(name: str) -> object:
    """What has a new name, by its former one, with a DeprecationWarning."""
    if name != "climb":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn("dpbandits.proofs.climb: it is now called judge_by_methods", DeprecationWarning, 2)
    return judge_by_methods
