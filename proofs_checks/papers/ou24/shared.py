"""What the proofs of this page share: evidence beside a finding."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.formulas.proofs import Proof
from dpbandits.proofs_checks.formulas.reductions import Illustration, add_evidence
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, INDEPENDENCE


def with_evidence(lemmas: Mapping[str, Proof], evidence: Mapping[str, Illustration]) -> dict[str, Proof]:
    """The proofs with tables and pictures; a claim that has no proof of its own keeps the general judge."""
    more = {
        name: add_evidence(made, lemmas[name]) if name in lemmas else add_evidence(made)
        for name, made in evidence.items()
    }
    return {**lemmas, **more}


# How theorems about regret model a run of Algorithm 2.
RANDOM_RUNS = f"""X a 0, X a 1, ... are the rewards of arm a in the order in which they are read, independent, in [0,
1] and with the mean mu a; b of each arm are read before the first round. rounds w h is the round after the pulls h,
the last first, given all rewards w: it has a law of samples, one for each arm, and a largest sample is pulled.
Algorithm 2 draws independent normal samples with the means mu_hat and the variances c/(n + 1), n rewards of the arm
being read. thompson_run asks only that this law gives the probability that the samples of any set of arms are all at
most y, for each number y in levels, such as y_i. That the probabilities of a round are measurable functions of the
rewards is a hypothesis. given_rewards is the expectation of a sum over the rounds after the pre-pulls, given the
rewards, and the theorem's T is their number, T - bN. {EXPECTATIONS} {INDEPENDENCE}"""
REGRET_OF_RUNS = f"""regret is the sum of Delta_a (b + later pulls of arm a) over all arms, given the rewards, and
mean P of it is the expected regret of eq. (2). one is an arm with the largest mean, of which there may be several;
over_suboptimal is the sum over the others. N is the number of arms. {RANDOM_RUNS}"""
