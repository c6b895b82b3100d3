"""Why the regret of Anytime-Lazy-UCB is of the order that its abstract says."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.reference.papers.hu21.page import page

proves = Proofs(page)

WORDS = """By Hoeffding's inequality and the Laplace tail, the noisy mean of a given batch lies below the mean less both
bonuses of round t with probability at most t^(-2 c_H) + t^-c_L/2, and above the mean and both bonuses with no more. By
round t < 2^{k+1} an arm had at most k + 2 batches. Take one best arm, and an arm a with D_a > 0. Where in round t
neither the best arm's mean is so low nor a's so high, the best arm's index is at least its mean, and a's is at most its
own mean and twice its bonuses: a leads only while twice the bonuses at T are at least D_a, and its batch is shorter
than O_a, the first power of two where they are not; so it is pulled at most 2 O_a times in such rounds. Twice each
bonus is below D_a/2 once O > 16 c_H ln(T)/D_a^2 and O > 4 c_L ln(T)/(eps D_a), so that D_a O_a <= 2 D_a + 32 c_H
ln(T)/D_a + 8 c_L ln(T)/eps, a constant times ln(T)/min(D_a, eps), for D_a <= 1 and T >= 2. Let s = sum_k 2^k (k + 2)
(2^(-2 c_H k) + 2^(-c_L k)/2), a number that depends on c_H and c_L alone, for 2 c_H > 1 and c_L > 1. The rounds in
which the best arm's mean is so low cost at most s in all, and those in which a is pulled while its own is so high cost
D_a s: together at most 2 s for every arm with D_a > 0, whose ln(T)/min(D_a, eps) is at least ln 2; without such an arm
there is no regret."""

proves("abstract/rate")(lemma_by_argument(Reduction(" ".join(WORDS.split()), ())))
