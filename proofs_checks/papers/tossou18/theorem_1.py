"""Theorem 1: why the loss at delta = T^-4 is O(ln^2 T) for a given number of arms."""

from __future__ import annotations

from math import log

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, enclosure_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.tossou18.lower_bounds import all_exceeded, exceeded
from dpbandits.reference.claims.model import Claim, Finding
from dpbandits.reference.papers.tossou18 import THEOREM_1 as POLICY
from dpbandits.reference.papers.tossou18.page import page
from dpbandits.reference.papers.tossou18.theorem_1 import TOO_SHORT

proves = Proofs(page)

WORDS = """Let K >= 2, because with one arm the releases reveal nothing. Let j be the arm with the changed reward. If
all rewards of a round change, j is the arm pulled in this round, which the released past determines. Given the released
past, let n >= 1 be the number of pulls of j, one of which paid differently. Let s = 1/sqrt(n+1), the standard deviation
of j's sample. The mean of j's sample differs by at most s^2 between the two inputs. Let M be the largest of the other
samples. The law of M is the same on both inputs, and if M and its arm are also released, the privacy loss can only
increase. Let X = (M - j's lower mean)/s. Then j is pulled with probability p = Phi(-X) on the input with the lower
mean, and with probability q = Phi(t - X) on the other input, for some t <= s. Let y = ln(q/p), r = ln((1-p)/(1-q)) and
h = phi/Phi(-.). The function h is increasing, and h(x) is at most 1 + x for x >= 0 and at most 1 for x <= 0. Moreover
h' < 1, so h^2 <= 2 ln(1/Phi(-.)). So y <= s h(X), and y^2 <= 2 s^2 ln(1/p). Let Z = s X = M - j's lower mean. Then y <=
s h(X) implies y <= 1 + Z_+.

*The potential:* let lam in (0, 1], c >= 0 and b_n >= 0, for n < T, satisfy E[e^{-b_n} p^{1+lam} q^{-lam} +
(1-p)^{1+lam} (1-q)^{-lam}] <= e^{lam c} for every law of M that can occur. Suppose that they also satisfy this
inequality with p and q exchanged. Let P and Q be likelihoods, or multiples of likelihoods. Then the largest P(S) - Q(S)
that can be reached from P and Q is at most exp(lam c (remaining rounds) + sum_{n <= m < T} b_m) P^{1+lam} Q^{-lam}. The
proof is by induction from the last round, in which (P - Q)_+ <= P^{1+lam} Q^{-lam}. The bound decreases in n. Replacing
Q by e^eps Q gives the factor e^{-lam eps}. Before the changed reward is read, both likelihoods are the same, and the
likelihoods of all histories add up to at most 1. So (eps, delta)-DP holds with eps = c T + (sum_n b_n +
ln(1/delta))/lam, under either neighbouring relation.

*One round:* as (1+z)^lam <= 1 + lam z, the second summand is at most (1-p) + lam (q-p) + lam (q-p)^2/(1-q). With q - p
= p (e^y - 1) and e^{-lam y} <= 1 - lam y + lam^2 y^2/2, both summands together are at most 1 + p [2 lam y^2 e^y -
e^{-lam y} (1 - e^{-b})] + lam (q-p)^2/(1-q). For X >= 1 the last term is at most 2 lam p y^2 e^{2y}, because 1 - q >=
1/2. For X < 1 the last term is lam (1-q) (e^r - 1)^2 <= lam (1-q) r^2 e^{2r}. In this case r <= s (1 + (s - X)_+), and
1 - q <= e^{-X^2/2} for X < 0. So for X < 1 the last term is at most a constant times lam s^2 p, because p >= Phi(-1).
With p and q exchanged, the two summands are at most 1 + q [C lam y^2 e^{2y} + C lam s^2 - (1 - e^{-b})] with a constant
C. The reason is that q y - (1-q) r is the divergence of the coins, at most (q-p)^2/(p (1-p)), and that squares of y and
r are treated in the same way.

*The average over M:* Z is the largest of K - 1 normal variables with means in [-1, 1] and standard deviations of at
most 1. So P(Z > 1 + z) <= K e^{-z^2/2} for z >= 0. Let z_0 be a number with P(Z <= z_0) >= 1/2. Both p and q decrease
in Z. Let F(Z) = (2 + Z_+)^3 e^{2 (1 + Z_+)} and A = F(z_0) + 2 sup E[F(Z)], which depends on K alone. Then E[p F(Z)] <=
A E[p 1{Z <= z_0}], because p is at most p(z_0) <= 2 E[p 1{Z <= z_0}] for Z > z_0. The same bound holds with q in place
of p. If Z <= z_0, then y <= Y = 1 + z_0. Hence (i) E[p y^2 e^{2y}] <= A E[p 1{Z <= z_0}]. Moreover, (ii) the part of
E[p y^2 e^{2y}] with p >= T^-2 is at most 4 A s^2 ln(T) E[p 1{Z <= z_0}], because then y^2 <= 4 s^2 ln T. If p < T^-2,
then p ln(1/p) <= 2 T^-2 ln T, so the remaining part of E[p y^2 e^{2y}] is at most A/T. The bounds (i) and (ii) also
hold with q in place of p, because ln(1/p) = ln(1/q) + y. So there is a constant C_K such that v_n = C_K lam min(1,
ln(T)/(n+1)), b_n = -ln(1 - v_n) and c = C_K/T satisfy the condition, for every lam that is small enough for v_n <= 1/2.
One such lam works for all T.

*The sum:* at delta = T^-4, eps is at most C_K + 2 C_K ln(T) sum_{n < T} 1/(n+1) + 4 ln(T)/lam. For T >= 2 this bound is
at most C'_K ln^2 T."""
PURE = """Arm 0 pays 1 on one side and 0 on the other at its only pull, in round 1. Arm 1 always pays 0. In round t >= 2
of the transcript 'arm 0, then always arm 1' the difference of the samples has variance D^2 = 1/2 + 1/(t-1) <= 3/2. On
one side the means are 1/2 apart, and on the other side they are equal. So arm 1 is pulled with probability Phi(-1/(2
D)) <= Phi(-1/sqrt(6)) on the first side and 1/2 on the other. So each of T - 1 rounds has a privacy loss of at least
-ln(2 Phi(-1/sqrt(6))) >= 0.38."""

THEOREM_1 = Reduction(" ".join(WORDS.split()), ())

proves("theorem-1")(lemma_by_argument(THEOREM_1))


@proves("theorem-1/without-o")
def without_o(claim: Claim, effort: Effort, seed: int) -> Finding:
    """At each of these horizons the eps of two arms exceeds ln^2 T."""
    found = [exceeded(POLICY(2, horizon), f"T = {horizon}", horizon**-4.0, log(horizon) ** 2) for horizon in TOO_SHORT]
    return all_exceeded(claim, found)


LINEAR = Reduction(
    " ".join(PURE.split()),
    (
        enclosure_step(
            "-ln(2 Phi(-1/sqrt(6))) >= 0.38",
            lambda m: m.number("0.38"),
            lambda m: -m.log(2 * m.ncdf(-1 / m.sqrt(m.number(6)))),
            {},
        ),
    ),
)

LINEAR_SAYS = """pulls_private with delta = 0 is (eps, 0)-DP of the list of all pulls of a run, from samples that are
drawn in turn, with two arms, variance 1, rewards in [0, 1] and one changed reward (relation pull). The theorem says
that a run is not (eps, 0)-DP for any eps below 0.38 (T - 1). The proof's event is one transcript. Its upper integrals
are products of the rounds' probabilities, by two_arms_drawn in drawn_thompson.v."""
proves("abstract/loss/pure")(machine_checked(__file__, "pure_loss", LINEAR_SAYS)(lemma_by_argument(LINEAR)))

CONSTANT = """With one arm the outputs reveal nothing. The choice delta = T^-4 is T^-A with A = 4. The upper bound is
`ou24/theorem-3/law/given-arms` at this delta. Let K be fixed and R = K ln^2 T. Then e^sqrt(ln R) = e^{sqrt(2 ln ln T)
(1 + o(1))} is smaller than any power of ln T, so (4 ln(2/delta) + 10 + o(1)) e^sqrt(ln R) = o(ln^2 T). For the lower
bound, an eps that is too small at a fixed delta is also too small at the smaller delta T^-4. So
`ou24/theorem-3/law/two-arms/below` at delta = 1/2 gives the lower bound."""
UNIFORM = """Use `ou24/theorem-3/law/many-arms` with f = 1/2 and delta = 1/4. With K arms and T = ceil(1.5 K) rounds, no
eps below c e^sqrt(ln K)/(2 ln^4.5 K) - c' is enough at delta = 1/4. The same is true at delta = C T^-4, which is
smaller for large T. ln T <= ln K + 1, and e^sqrt(ln K) exceeds every constant multiple of every power of ln K for large
K."""

proves("theorem-1/constant")(lemma_by_argument(Reduction(" ".join(CONSTANT.split()), ())))
proves("theorem-1/uniform")(lemma_by_argument(Reduction(" ".join(UNIFORM.split()), ())))

ALREADY_PRIVATE = f"""pulls_gdp and pulls_private hold the promise of every event of the list of all pulls of a run,
for neighbours of either relation r and rewards in [0, 1]; printed_delta is the formula of ou24's Theorem 3.
{INTEGRALS}"""

proves("abstract/already-private")(checked_step(__file__, "already_private", ALREADY_PRIVATE))
