"""Section 2: what GDP is, and the Gaussian mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    enclosure_step,
    equality_step,
    inequality_step,
    lemma_by_argument,
    reductions_of_chapter,
)
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.gaussian_equivalence import SAYS, equivalence
from dpbandits.reference.claims.model import Real
from dpbandits.reference.curves import gaussian_delta, threshold_delta
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.section_2 import chapter

proves = Proofs(page)

POSITIVE = Real(0, inf)

NOT_NEGATIVE = Real(0, inf, closed=True)

SHARE = Real(0, 1, closed=True)

TAIL = enclosure_step(
    "Q(z) <= exp(-z^2/2)/2 for 0 <= z <= 0.8 (beyond, by Mill's inequality Q(z) <= phi(z)/z, as z sqrt(2 pi) >= 2)",
    lambda m, z: m.ncdf(-z),
    lambda m, z: m.exp(-z * z / 2) / 2,
    {"z": Real(0, 0.8, closed=True)},
)

# The two halves of Definition 2's maximum over thresholds t.
SLOPE = equality_step(
    "the logarithm of phi(mu - t)/(e^eps phi(t)) is mu (t - eps/mu - mu/2)",
    lambda m, eps, mu, t: t * t / 2 - (mu - t) ** 2 / 2 - eps,
    lambda m, eps, mu, t: mu * (t - eps / mu - mu / 2),
    "eps",
    "mu",
    "t",
)

ATTAINED = equality_step(
    "delta(eps, mu) = Phi(mu - t) - e^eps Phi(-t) at t = eps/mu + mu/2",
    lambda m, eps, mu: threshold_delta(m, eps, mu, eps / mu + mu / 2),
    gaussian_delta,
    "eps",
    "mu",
)

DEFINITION_2 = Reduction(
    "As a function of t, Phi(mu - t) - e^eps Phi(-t) has the derivative e^eps phi(t) - phi(mu - t), which is "
    "positive before t = eps/mu + mu/2 and negative after it. So the maximum is at t = eps/mu + mu/2, and its value "
    "is delta(eps).",
    (SLOPE, ATTAINED),
)

MONOTONE = Reduction(
    "At the threshold that attains delta(eps, mu), the value for mu + more is at least as large, because Phi "
    "increases. This value is at most delta(eps, mu + more), which is the maximum over all thresholds.",
    (ATTAINED, SLOPE),
)

GAUSSIAN_MECHANISM = Reduction(
    "If share > 0, a threshold test attains at most delta(eps, share s/sigma), by the maximum in Definition 2, and "
    "this is at most delta(eps, s/sigma), which increases with s/sigma. If share <= 0, the test attains at most 0, "
    "because Phi(mu - t) <= Phi(-t) <= e^eps Phi(-t).",
    (
        SLOPE,
        ATTAINED,
        inequality_step(
            "share s/sigma <= s/sigma",
            lambda m, s, sigma, share: share * s / sigma,
            lambda m, s, sigma, share: s / sigma,
            {"s": POSITIVE, "sigma": POSITIVE, "share": SHARE},
        ),
    ),
)

WORDS: Mapping[str, Reduction] = {
    "definition-2": DEFINITION_2,
    "definition-2/monotone": MONOTONE,
    "gaussian-mechanism": GAUSSIAN_MECHANISM,
}
in_words = reductions_of_chapter(chapter, WORDS)

PHI = "Phi is 1/2 and the integral of the normal density from 0 on."
SIDES = f"threshold_delta and gaussian_delta are the two formulas of the claim, over its whole domain. {PHI}"
LARGER = f"gaussian_delta is the formula of both sides, over the whole domain of the claim. {PHI}"
proves("definition-2")(machine_checked(__file__, "definition_2", SIDES)(in_words["definition-2"]))
proves("definition-2/monotone")(
    machine_checked(__file__, "definition_2_monotone", LARGER)(in_words["definition-2/monotone"])
)
proves("definition-2/equivalence")(
    machine_checked(__file__, "definition_2_equivalence", SAYS)(
        lemma_by_argument(equivalence("ou24/definition-2", "ou24/definition-2/attained"))
    )
)
proves("gaussian-mechanism")(machine_checked(__file__, "gaussian_mechanism", SIDES)(in_words["gaussian-mechanism"]))

EVERY_EVENT = Reduction(
    "Let f and f' be the values on two data sets. The ratio of the two densities is a function of the projection of "
    "the noisy values on f - f'. The projection is normal with standard deviation sigma, and its mean changes by ||f "
    "- f'|| <= s. So by the Neyman-Pearson lemma, no event distinguishes the data sets better than the best "
    "threshold test on the projection, which `ou24/gaussian-mechanism` bounds.",
    (),
)
EVENTS_SAYS = f"""f and f' are the values on neighbouring data, a number for each coordinate, and s bounds their
Euclidean distance. The noisy values are drawn one after another, an event is any set of lists of them, eps is any
number, and gaussian_delta is delta(eps) of Definition 2. {INTEGRALS}"""
proves("gaussian-mechanism/every-event")(
    machine_checked(__file__, "gaussian_mechanism_events", EVENTS_SAYS)(lemma_by_argument(EVERY_EVENT))
)
