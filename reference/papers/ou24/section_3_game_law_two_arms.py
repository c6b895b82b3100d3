"""How the privacy loss of Thompson sampling with two arms grows with T: claims of ours, next to Theorem 3."""

from __future__ import annotations

from dpbandits.reference.claims.model import Reading, Source, Stated, Verdict
from dpbandits.reference.papers.ou24.page import page

chapter = page.chapter("Theorem 3, the law in T for two arms")
SOURCE = Source("ou24", "Theorem 3, the law in T for two arms", "is (eps, delta(eps))-DP for all eps >= 0")
PER_LOG, ALWAYS = 8, 18  # what is paid for ln T, and at any T

chapter.add(
    "theorem-3/law/two-arms",
    SOURCE,
    Stated(
        "for two arms and delta >= T^-A with a fixed A, (eps, delta)-DP holds with eps = (1/2 + o(1)) ln^2 T, as "
        "T grows"
    ),
    scope="The claim covers both neighbouring relations. Theorem 3 gives an eps of order T at fixed delta.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/two-arms/every-T",),
    note="With variance c, the same argument gives eps = (1/2 + o(1)) ln^2(T)/c. The statement is asymptotic: the "
    "factor 1/2 is not visible at practical T. For these T, `ou24/theorem-3/law/two-arms/explicit` gives numbers.",
    related=("ou24/theorem-3/law/two-arms/explicit",),
)
chapter.add(
    "theorem-3/law/two-arms/every-T",
    SOURCE,
    Stated(
        f"for two arms, T >= 1, 0 < lam <= 1/5 and every 0 < delta < 1, (eps, delta)-DP holds with eps = (1+lam)/2 "
        f"ln^2 T + {PER_LOG:g} ln T + ln(1/delta)/lam + {ALWAYS:g}"
    ),
    scope="The claim covers both neighbouring relations, and rewards in [0, 1]. The order lam may be chosen: lam = "
    f"1/5 gives 0.6 ln^2 T + {PER_LOG:g} ln T + 5 ln(1/delta) + {ALWAYS:g}. At delta = 1e-6, this eps is 171 for T = "
    "1000 and 313 for T = 10^6. Theorem 3 gives 355 and more than 250 000, respectively.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/potential",),
    note="The constants are not sharp: up to T = 10^7, `ou24/theorem-3/law/two-arms/explicit` computes a bound that "
    "is two to three times smaller.",
    related=("ou24/theorem-3/law/two-arms/explicit", "ou24/theorem-3/law/late-pulls"),
)
chapter.add(
    "theorem-3/law/two-arms/every-T/modified",
    SOURCE,
    Stated(
        "for two arms, variance v >= 1, B >= 0 pre-pulls of each arm, T > max(2B, 1), 0 < lam <= 1/5 and every 0 < "
        "delta < 1, (eps, delta)-DP holds with the eps of `ou24/theorem-3/law/two-arms/every-T`"
    ),
    scope="The claim is `ou24/theorem-3/law/two-arms/every-T` for Algorithm 2, for both neighbouring relations, "
    "whether the algorithm uses the rewards of the pre-pulls or not. The bound does not become smaller with v or B.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/potential/modified", "ou24/theorem-3/law/two-arms/every-T"),
)
