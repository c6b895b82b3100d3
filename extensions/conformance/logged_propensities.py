"""Compares logged propensities with the exact law of a reference policy: each must equal the probability of the pull
given the logged past, without statistics. Also computes exact propensities for logs that have none."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from math import inf

import numpy as np

from dpbandits.audit.claims.proofs import lawful
from dpbandits.extensions.conformance.fitting_logs import require_fitting_log, require_small_log
from dpbandits.extensions.conformance.logs import Wrong, lead_along_log
from dpbandits.extensions.conformance.records import Log
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.noise import Array, Flags
from dpbandits.reference.bandits.policy import Ints, Policy
from dpbandits.reference.bandits.protocol import complaint_text, missing_members
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.claims.model import Basis, Finding, Verdict

CLAIM = "log/propensities"
SINGLE_PRECISION = 1e-6  # what a propensity may be off by without being wrong
LEAST_DECIMALS = 2  # a propensity that is printed with fewer is taken to be printed with so many
WRITTEN_DIGITS = 12  # of an exact propensity


def exact_propensities(log: Log, reference: Policy) -> Array:
    """Returns the exact probability of every logged pull, (runs, pulls), given the logged past.
    The probabilities are those of the reference's law.

    log: the result of `read_log` or `log_of`. reference: the policy that made the log, such as `ThompsonSampling(2,
    1000)`. The probability is nan for a pull that is part of a block of several pulls, or that chose among fewer arms
    than the law. It is also nan if the arm ties with others and the law leaves the choice open, and after a pull whose
    probability is below the absolute error of the law. Raises ValueError for a reference without a known law, for a log
    that the reference cannot have made, and if the log does not fit its arms, horizon and contexts.
    """
    return probabilities(log, reference)[0]


def probabilities(log: Log, reference: Policy) -> tuple[Array, Array]:
    """Returns the exact probability of every logged pull, and a bound on its error, (runs, pulls) each."""
    if faults := tuple(missing_members(reference)):
        raise TypeError(complaint_text(reference, faults))
    require_fitting_log(log, reference)
    require_small_log(log, reference)
    known = lawful(reference)
    if known is None or answers(reference):
        raise ValueError(
            f"{type(reference).__name__} has no exact law of single pulls, so its propensities are unknown; choose "
            "another reference policy, or remove the propensities from the log"
        )
    found, error = np.full(log.arms.shape, np.nan), np.zeros(log.arms.shape)

    def store_probabilities(runs: Ints, pull: Ints, size: Ints, law: Array, slack: float) -> None:
        """Stores the probabilities of these pulls, and their error bound, unless the pull is part of a block."""
        arm = log.arms[runs, pull]
        single = size == 1
        found[runs[single], pull[single]] = law[single, arm[single]]
        error[runs[single], pull[single]] = slack

    try:
        for _ in lead_along_log(known, log, log.arms.shape[1], store_probabilities):
            pass
    except Wrong as wrong:
        raise ValueError(f"{wrong}; so the reference policy cannot have produced this log") from None
    except NoLaw as reason:
        raise ValueError(f"no exact law: {reason}") from None
    return found, error


def check_propensities(log: Log, reference: Policy) -> Finding:
    """Tests whether the logged propensities are the exact probabilities of the pulls, given the logged past.

    log: the result of `read_log` for a file with propensities. reference: the policy that made the log. Each propensity
    is compared to the decimals, or to the significant digits, that the log prints (at least two, at most six decimals).
    The verdict is CONSISTENT if all propensities agree, and NOT_APPLICABLE if none is logged or no exact law is known.
    A finding with the verdict REFUTED states the first wrong line, its logged and exact value, and how many
    propensities agree. The comparison is exact, so its error probability is 0. Raises what `exact_propensities` raises
    for a log that does not fit the reference's shape.
    """
    if log.propensities is None:
        said = "the log has no propensities: --add-propensities FILE.csv writes exact ones"
        return Finding(CLAIM, Verdict.NOT_APPLICABLE, said)
    require_fitting_log(log, reference)
    try:
        exact, error = probabilities(log, reference)
    except ValueError as reason:
        return Finding(CLAIM, Verdict.NOT_APPLICABLE, f"the propensities cannot be compared: {reason}")
    printed = np.maximum(0.5 * 10.0 ** -max(LEAST_DECIMALS, log.decimals), half_of_last_digit(log.propensities))
    within = np.maximum(printed * (1 + 1e-9), SINGLE_PRECISION) + error
    known = ~np.isnan(exact) & ~np.isnan(log.propensities)
    with np.errstate(invalid="ignore"):
        wrong: Flags = known & ~(np.abs(log.propensities - exact) <= within)
    many, agree, law = int(known.sum()), int((known & ~wrong).sum()), f"the law of {type(reference).__name__}"
    if not many:
        return Finding(CLAIM, Verdict.NOT_APPLICABLE, f"no logged propensity belongs to a single pull of {law}")
    left_out = int((log.arms >= 0).sum()) - many
    others = f"; {left_out} other pulls have none that can be compared" if left_out else ""
    if not wrong.any():
        said = f"all {many} logged propensities are those of {law}, to within {float(within[known].max()):.1g}{others}"
        return Finding(CLAIM, Verdict.CONSISTENT, said, rests_on=(Basis.EXACT_LAW,))
    return Finding(CLAIM, Verdict.REFUTED, wrong_in_words(log, exact, wrong, law, agree, many) + others,
                   rests_on=(Basis.EXACT_LAW,))  # fmt: skip


def half_of_last_digit(propensities: Array) -> Array:
    """How much rounding can have changed each propensity.
    All are assumed to be rounded to the largest number of significant digits that one of them shows, and to at least
    LEAST_DECIMALS decimals; 0 for a propensity of 0, or nan. A propensity of 1 is assumed to be rounded from below."""
    each = propensities[propensities > 0]
    most = max(
        (len(Decimal(repr(value)).normalize().as_tuple().digits) for value in np.unique(each).tolist()), default=0
    )
    found = np.zeros(propensities.shape)
    found[propensities > 0] = 0.5 * 10.0 ** (np.minimum(np.floor(np.log10(each)), -1) + 1 - max(LEAST_DECIMALS, most))
    return found


def wrong_in_words(log: Log, exact: Array, wrong: Flags, law: str, agree: int, total: int) -> str:
    """Describes how many logged propensities are right, and which is the first wrong one.
    The description names its place in the file, and the largest error."""
    assert log.propensities is not None
    places = np.argwhere(wrong)
    order = places[:, 1] if log.lines is None else log.lines[wrong]
    run, pull = (int(k) for k in places[np.argmin(order)])
    where = "" if log.lines is None else f"line {log.lines[run, pull]}, "
    off = np.where(wrong, np.abs(log.propensities - exact), -inf).max()
    return (
        f"{agree} of {total} logged propensities are those of {law}. The first wrong one: {where}run {run}, "
        f"pull {pull + 1}, arm {log.arms[run, pull]}: logged {log.propensities[run, pull]:.6g}, exact "
        f"{exact[run, pull]:.6g}; the largest difference is {off:.3g}"
    )


def as_table(log: Log, exact: Array) -> str:
    """Returns the log with exact propensities as CSV: run, pull, arm, reward, propensity.
    The logged propensity follows, if there is one. Unknown propensities are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    logged = log.propensities is not None
    writer.writerow(["run", "pull", "arm", "reward", "propensity", *["logged_propensity"] * logged])
    for run, pull in np.argwhere(log.arms >= 0).tolist():
        arm = int(log.arms[run, pull])
        values = [exact[run, pull], *([log.propensities[run, pull]] if log.propensities is not None else [])]
        shown = ["" if np.isnan(value) else f"{value:.{WRITTEN_DIGITS}g}" for value in values]
        writer.writerow(
            [run, pull + 1, log.names[arm] if log.names else arm, repr(float(log.rewards[run, pull])), *shown]
        )
    return out.getvalue()
