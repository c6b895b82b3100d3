"""The law in T from below, for the policy itself: two arms that lose ln^2(T)/2, and many arms that lose more."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, enclosure_step, lemma_by_argument
from dpbandits.proofs_checks.papers.ou24.section_3_game_law import one_text
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)

TABLES = """Let l = ln T, a = 4l, x_n = Phi^-1(1 - a n/T) and n_1 = floor(T/l^5). Let k be the least number with
sqrt(k+1) >= x_k, so that k = (2 + o(1)) l. Arm 2 always pays 1. On the table P, arm 1 pays 0 at its first k pulls. From
then on, the rewards of arm 1 keep its total at S_n = n+1 - f(n). Here f(n) = max(k+1, sqrt(n+1) x_n) up to n_1, and
f(n) = f(n_1) beyond. On the table Q, the k-th reward of arm 1 is 1 instead. The function f is nondecreasing and
increases by at most 1 from n to n+1. Where f(n) = sqrt(n+1) x_n, the slope of f is at most x_n/(2 sqrt(n+1)) <= 1/2,
because x_n <= sqrt(n+1) from k on. The slope is at least 0, because x_n h(x_n) >= 2 (n+1)/n for h = phi/Phi(-.). So
rewards lie in [0, 1]."""
CHANCES = """Consider the table P after n pulls of arm 1 and n_2 pulls of arm 2. Arm 1 is then pulled with probability
Phi(-u), where u = [f(n)/(n+1) - 1/(n_2+1)]/D and D^2 = 1/(n+1) + 1/(n_2+1). For n <= k, f(n) = n+1. For n > k, f is the
function above. *Lower bound:* u is always at most f(n)/sqrt(n+1). So arm 1 is pulled with probability at least a n/T
for n > k + O(1), and at least a constant times k a/T for smaller n. *Upper bound:* (1) While n <= k, arm 1 is pulled
with probability at most 1/2. Once n_2 >= 1, this probability is at most 0.35, because then u >= 0.5/sqrt(1.5). So with
probability 1 - o(1), fewer than k of the first 2k rounds pull arm 1, and n_2 reaches k before n does. (2) Once n_2 has
reached k, u >= (k/(k+1)) sqrt((k+1)/2) at n = k, so arm 1 is pulled with probability at most T^(-1/2+o(1)). So with
probability 1 - o(1), arm 1 is not pulled at n = k in the first T^(1/4) rounds. (3) After the first T^(1/4) rounds,
(n+1)/(n_2+1) <= l^-4 while n <= T^(1/4)/(2 l^5). For n >= k, moreover, u >= x_n - O(l^-3). The number max(n, k) grows
only by pulls at n >= k. So max(n, k) grows in a round with probability at most 2 a max(n, k)/T. By round T/l, max(n, k)
has grown by a factor of at most e^(2a/l) = e^8 on average. So by Markov's inequality, n <= l^2 at round T/l, with
probability 1 - o(1)."""
TIME = """Call the number n of pulls of arm 1 the level. The levels below k take O(k T/(k a)) = O(T/l) rounds on
average, and hence less than T/sqrt(l) rounds with probability 1 - o(1). The numbers of rounds at the levels from k to
n_1 are at most independent geometric variables with means T/(a n), except that O(1) of the means are larger by a
constant factor. The sum of these variables is T/4 + o(T) on average, with deviation O(T/(a sqrt(k))). So with
probability 1 - o(1), all levels up to n_1 are passed by round T."""
LOSS = """Let L = ln(P/Q) = L' + L''. The part L'' comes from the rounds after T/l up to the pull that makes n = n_1.
The part L' comes from the other rounds, which form two stretches. Given the past, E_P e^(-L') <= 1 on each of the two
stretches, so L' >= -4 ln l with probability 1 - o(1). In a round of L'' with n < k, P = Q. In a round of L'' with n >=
k, n_2 >= T/(2l). So s' = 1/((n+1) D) is s_n (1 - o(1)), and u is x_n + o(1). Because ln(1+z) >= z/(1+z), the KL
divergence of a coin is at least p (e^y - 1 - y) >= p y^2/2, where y = ln(q/p). Because h(x) >= x, y is at least s' (u -
s'). Let play continue beyond T. By the bound on the numbers of rounds, no level below n_1 is then missing. At each
level, the probabilities p of its rounds have a sum with mean 1 and variance at most 1. The sums of different levels are
orthogonal. The sum of the KL divergences has deviation O(l/sqrt(k)). So with probability 1 - o(1), the sum of the KL
divergences is at least (1 - o(1)) sum_{l^2 < n < n_1} x_n^2/(2n). As x_n^2 = 2 ln(T/n) - O(ln l), the sum of x_n^2/(2n)
is l^2/2 - O(l ln l). The difference of L'' and the sum of the KL divergences is a martingale. The variance of this
martingale is at most (1+o(1)) times the sum of y^2, which is at most sum 2l/n = O(l^2). Rounds that do not pull arm 1
add only a fraction O(p) of this variance. So P(L >= b) -> 1 for some b = (1/2 - o(1)) l^2. The event S = {L >= b} has
Q(S) <= e^-b P(S). So P(S) - e^eps Q(S) > delta for eps = b - C with a constant C."""
MANY = """Let k = ln K, z = sqrt(k), U = ceil(sqrt(K) k) and t = ceil((1 + f/2) K). All rewards are 0, except the first
reward of arm 1, which is 1 on Q. *On P:* call a round new if it pulls an arm that was not pulled before. While more
than U arms have not been pulled, a round is new with probability at least (1 - Phi(z)^U) Phi(sqrt(2) z)^K = 1 - eta.
The reason is that a round is new if some arm without pulls has a sample above z, and no arm with pulls has a sample
above z. The samples of the other arms have standard deviations of at most sqrt(1/2). The number eta tends to 0, because
U Phi(-z) grows like sqrt(k/(2 pi)) and K Phi(-sqrt(2) z) is at most 1/sqrt(4 pi k). If more than U arms have no pull
after t rounds, at least f K/2 of these rounds were not new. On average, at most eta t rounds are not new while more
than U arms have no pull. So more than U arms have no pull after t rounds with probability O(eta/f). Let S be the event
that at most U arms have no pull after t rounds, that arm 1 was pulled once by then, and that arm 1 is not pulled a
second time by T. The law P is exchangeable in the arms. On S, at most U arms have no pull after t rounds, so at most T
- K + U arms have two or more pulls by T. So P(S) >= 1 - f - o(1) > delta. *On Q:* consider the rounds t to T, as long
as S can still happen. In such a round, theta_1 ~ N(1/2, 1/2), at most U samples are N(0, 1), and the others have mean 0
and variance at most 1/2. Let z' = sqrt(k + 4 ln k). Then arm 1 is pulled with probability at least Phi(z')^U
Phi(sqrt(2) z')^K Phi(1/sqrt(2) - sqrt(2) z'), whatever the past is. The first two factors tend to 1. The exponent of
the third factor is -(z'^2 - z' + 1/4) = -k - 4 ln k + z' - 1/4. So arm 1 is pulled with probability at least c_1
e^sqrt(k)/(K k^4.5). Hence Q(S) <= exp(-(f K/2 - 2) c_1 e^sqrt(k)/(K k^4.5)). So P(S) - e^eps Q(S) > delta for every eps
below ln((P(S) - delta)/Q(S)), where P(S) - delta >= (1 - f - delta)/2 for large K. With C = ln(2/(1 - f - delta)), this
is the claim."""

proves("theorem-3/law/two-arms/below")(
    lemma_by_argument(
        Reduction(
            one_text(TABLES, CHANCES, TIME, LOSS),
            (
                enclosure_step(
                    "Phi(-0.5/sqrt(1.5)) <= 0.35",
                    lambda m: m.ncdf(-m.number("0.5") / m.sqrt(m.number("1.5"))),
                    lambda m: m.number("0.35"),
                    {},
                ),
            ),
        )
    )
)
proves("theorem-3/law/many-arms")(lemma_by_argument(Reduction(one_text(MANY), ())))
