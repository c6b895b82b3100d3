"""Proof that the regret of Anytime-Lazy-UCB has the order stated in the abstract."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.reference.papers.hu21.page import page

proves = Proofs(page)

WORDS = """Hoeffding's inequality and the Laplace tail bound the noisy mean of a given batch. The noisy mean lies below
the mean minus both bonuses of round t with probability at most t^(-2 c_H) + t^-c_L/2. The noisy mean lies above the
mean plus both bonuses with at most the same probability. By round t < 2^{k+1} an arm had at most k + 2 batches. Take
one best arm, and an arm a with D_a > 0. Suppose that in round t the noisy mean of the best arm is at least the mean
minus both bonuses, and the noisy mean of a is at most the mean plus both bonuses. Then the index of the best arm is at
least its mean, and the index of a is at most a's mean plus twice its bonuses. Let O_a be the first power of two for
which twice the bonuses at T are below D_a. Then a has the larger index only if its batch is shorter than O_a. So a is
pulled at most 2 O_a times in such rounds. Twice each bonus is below D_a/2 once O > 16 c_H ln(T)/D_a^2 and O > 4 c_L
ln(T)/(eps D_a). So D_a O_a <= 2 D_a + 32 c_H ln(T)/D_a + 8 c_L ln(T)/eps. For D_a <= 1 and T >= 2 this bound is at most
a constant times ln(T)/min(D_a, eps). Let s = sum_k 2^k (k + 2) (2^(-2 c_H k) + 2^(-c_L k)/2), a number that depends on
c_H and c_L alone, for 2 c_H > 1 and c_L > 1. The rounds in which the best arm's noisy mean is lower cost at most s in
total. The rounds in which a is pulled while its own noisy mean is higher cost at most D_a s. Both kinds of rounds
together cost at most 2 s for every arm with D_a > 0, and ln(T)/min(D_a, eps) is at least ln 2. Without such an arm
there is no regret."""

proves("abstract/rate")(lemma_by_argument(Reduction(" ".join(WORDS.split()), ())))
