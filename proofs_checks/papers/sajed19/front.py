"""Why the regret of DP-SE is of the order of the lower bounds that its abstract names."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.reference.papers.sajed19.page import page

proves = Proofs(page)

WORDS = """Let beta = 1/T. An epoch fails if, for some active arm, the mean of the rewards has an error of more than h,
or the noise exceeds c in absolute value. By Hoeffding's inequality and the tail of the Laplace law, epoch e fails with
probability at most beta/(2 e^2), and some epoch fails with probability at most pi^2 beta/12 < 1/T. The regret is at
most T, so failing epochs cost less than 1. Now suppose that no epoch fails. Line 5 makes 4 (h + c) < Delta = 2^-e. The
noisy mean of a best arm is within h + c of its mean, so it is at most 2 (h + c) below the largest noisy mean, and the
best arms remain. The noisy mean of an arm a with D_a >= Delta is more than 2 (h + c) below that of the best arm, so arm
a is eliminated. So arm a is pulled in epochs 1, ..., e_a only, where e_a is the first epoch with 2^-e_a <= D_a, and
2^e_a <= 2/D_a. If K >= T, the first epoch does not end within T pulls and pulls no arm twice, so the regret is at most
sum D_a <= sum 1/D_a. Now let K < T. An arm with D_a < 1/T costs at most T D_a < 1 <= 1/D_a. For the other arms e <=
log2(2 T), and e^2 <= 4 T, so both logarithms of line 5 are at most ln(8 K e^2 T) <= ln(32 T^3) <= 8 ln T. Line 5 gives
R <= 256 ln(T) 4^e + 64 ln(T) 2^e/eps + 2. The sums of 4^e, 2^e and 2 over e <= e_a are at most (16/3)/D_a^2, 4/D_a and
4/D_a, respectively. So arm a costs at most 1366 ln(T)/D_a + 256 ln(T)/eps + 4. The 4, and the 1 for the failing epochs,
are together at most (5/ln 2) ln(T)/D_a, because ln T >= ln 2 and D_a <= 1. Finally, 1366 + 5/ln 2 < 1374."""

proves("abstract/rate")(lemma_by_argument(Reduction(" ".join(WORDS.split()), ())))
