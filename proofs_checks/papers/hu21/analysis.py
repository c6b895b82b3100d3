"""Why the regret of Anytime-Lazy-UCB is of the order that its abstract says."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.judge.arguments import argued
from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction

WORDS = """By Hoeffding's inequality and the Laplace tail, the noisy mean of a given batch lies below the mean less
both bonuses of round t with probability at most t^(-2 c_H) + t^-c_L/2, and above the mean and both bonuses with no
more. By round t < 2^{k+1} an arm had at most k + 2 batches. Where no mean of any arm fails in round t, the best arm's
index is at least its mean, and arm a's is at most its own mean and twice its bonuses: a leads only while twice the
bonuses at T are at least D_a, and its batch is shorter than O_a, the first power of two where they are not; so it is
pulled at most 2 O_a times in such rounds. Twice each bonus is below D_a/2 once O > 16 c_H ln(T)/D_a^2 and O > 4 c_L
ln(T)/(eps D_a), so that D_a O_a <= 2 D_a + 32 c_H ln(T)/D_a + 8 c_L ln(T)/eps, a constant times ln(T)/min(D_a, eps).
The rounds in which a mean fails cost at most sum_k 2^k K (k + 2) (2 2^(-2 c_H k) + 2^(-c_L k)) in all, a number that
hangs on K, c_H and c_L alone, for 2 c_H > 1 and c_L > 1; it is at most a constant times ln(T)/D for any gap D <= 1,
as T >= 2."""

LEMMAS: Mapping[str, Lemma] = {"hu21/abstract/rate": argued(Reduction(" ".join(WORDS.split()), ()))}
