"""Exact probabilities of selections: which of K noisy numbers are selected? They are accurate even if they are very
small.

The numbers are X_i = centre_i + scale_i Z_i with independent standard normal or Laplace Z_i. The selection is the
largest number (`argmax`), all numbers within a width of the largest (`survivors`), or the s largest (`top`).
Probabilities are returned as logarithms, each with a bound on its relative error, because a gap of 100 scales between
normals has a probability of about e^-2500.

**One integral serves all.** With a window W_j(x; v) = F_j(x) - F_j(x - v), where v may be infinite, each chance is a
sum over the selected i of int f_i(x) prod_{j != i} G_j(x) dx, conditioned on the extreme one of the selected: the
largest for survivors (x = X_i; a survivor j lies in the window of the width below x, the others below x - width),
the smallest for the top (selected j lie above x, the others below). Every summand is positive: nothing cancels.

**Nothing is lost at the ends.** Densities, distribution functions, their complements and windows of log-concave laws
are log-concave (Prekopa 1973), and so is the integrand g. So for any x_0 and any b beyond it with
g(b) <= g(x_0) e^-c, g lies above the line (of the logarithms) between the two and below its continuation: what lies
beyond b is at most e^-c/(1 - e^-c) of the integral.

**Normal noise: the trapezoidal rule, with a relative bound.** In a strip |Im z| <= d, with integrals of |g| along its
lines at most M, the rule with step h errs by at most 2 M/(e^(2 pi d/h) - 1) (Trefethen and Weideman 2014, Theorem
5.1). |phi(x + iy)| = phi(x) e^(y^2/2), and integrating this along a line gives the same factor for Phi, for its
complement and for windows. In units of the own scale, r_j = scale_i/scale_j, that is |g(x + iy)| <= g(x) e^(R y^2/2)
with R = 1 + sum_j r_j^2: M is e^(R d^2/2) times the integral itself. With d = 2 pi/(R h) the relative error is at
most 1/sinh(a), a = 2 pi^2/(R h^2), however small the chance.

**Laplace noise: Gauss's rule on panels that end at the kinks.** On a panel of half width r, g is an exponential e^(ax)
times factors that stay between positive bounds, and all is analytic. Gauss's rule with n nodes is exact for degree
2n - 1, and a function bounded by M in the ellipse with foci at the ends and semi-axes r(q + 1/q)/2, r(q - 1/q)/2 is
approximated by polynomials of that degree up to 2 M q^-(2n-1)/(q - 1) (Bernstein); so the rule errs by at most
8 r M q^-(2n-1)/(q - 1). The panel's own integral is at least 2 r e^(ac) (c its middle; Jensen) times the least values
of the other factors. A panel whose relative bound exceeds the tolerance is halved.

**Rounding** is bounded along with the value: see `noises`.
"""

from dpbandits.reference.bandits.release_laws.selections.laws import Chances, argmax, subsets, survivors, top
from dpbandits.reference.bandits.release_laws.selections.noises import LAPLACE, NORMAL, NoiseKind

__all__ = [
    "LAPLACE",
    "NORMAL",
    "Chances",
    "NoiseKind",
    "argmax",
    "subsets",
    "survivors",
    "top",
]
