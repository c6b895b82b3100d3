"""How sharp Theorem 4.4 of hu25 can be made, and what released arms alone attain.

Upper: a reward enters one mean, around which at most m = min(floor(phi), T - K) samples are drawn, each of them
1/sqrt(ln^alpha T)-GDP: so sqrt(m/ln^alpha T), for all samples and for the arms.

All samples attain it, for K >= 2: let arm 0's first reward be 0 or 1, and let it not be pulled twice within m rounds.
The test that wants this and a mean of arm 0's samples below -a has errors alpha <= Q(sqrt(m/L) (a + 1)) under reward
1 and power Q(sqrt(m/L) a) (1 - o(1)) under reward 0 as a grows, L = ln^alpha T: the lower the samples, the surer the
arm stays unpulled. The difference of the normal quantiles tends to sqrt(m/L). So no smaller parameter is true.

The released arms attain most of it, for K = 2: arm 1 pays 0, arm 0's first reward is 0 or 1, and the event is that
arm 0 is not pulled in the first m rounds. Along it arm 1's budget never runs out (m <= floor(phi)), so that every
round compares two fresh samples: its probability is 2^-m under reward 0, and the product of
Phi(-1/sqrt(L (1 + 1/n_s))) under reward 1, with arm 1's n_s = 1, 1, 2, 2, 2, 2, 4, ... Both are exact. As m grows the
difference of quantiles is (sqrt(-2 ln Phi(-1/sqrt L)) - sqrt(2 ln 2)) sqrt(m): 0.74 sqrt(m/L) for L = 1, falling to
1/sqrt(pi ln 2) = 0.68 sqrt(m/L) for large L.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.hu25.section_4_3_tiny import ground_truth
from dpbandits.proofs_checks.papers.hu25.shared import SLACK, m, quantiles
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array, Seeded
from dpbandits.reference.bandits.policy import Ints, Pulls
from dpbandits.reference.claims.findings import Side, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import Item, text_item
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)
SHARE = 0.64  # of the sharp parameter, which the released arms attain on the whole table
HORIZONS = (10**2, 10**3, 10**4, 10**5, 10**6)
ALPHAS = (0.0, 0.5, 1.0)
PULLS, WAIT = 60, 12  # how often `once` pulls arm 0, and every how many rounds


def budgeted(policy: DPTSUCB) -> int:
    """m = min(floor(phi), T - K)."""
    return int(min(np.floor(policy.phi), policy.horizon - policy.arms))


def sharp(policy: DPTSUCB) -> float:
    return float(np.sqrt(budgeted(policy) / policy.variance))


def means_of(pulls: int) -> Array:
    """n_s for s = 1, ..., pulls: what the mean of an arm is made of that wins every round; epochs of 2, 4, 8, ..."""
    rounds_before = np.arange(pulls)
    return np.asarray(2.0 ** el.whole_log2(rounds_before / 2 + 1))


def unpulled(policy: DPTSUCB, rounds: int) -> tuple[float, float]:
    """log P(arm 0 is not pulled in the first free rounds), under first rewards 0 and 1 of arm 0, where arm 1 pays 0.

    Two arms, and at most floor(phi) rounds."""
    spread = np.sqrt(policy.variance * (1 + 1 / means_of(rounds)))
    return -rounds * float(el.log(2)), float(log_ndtr(-1 / spread).sum())


def attained(policy: DPTSUCB) -> float:
    """A GDP parameter below which nothing is true for the released arms, verified by intervals; 0 if that fails.

    The event at the best number of rounds among m and the powers of two below it."""
    most = budgeted(policy)
    tries = [most, *(2**k for k in range(most.bit_length()) if 2**k < most)]
    found = [quantiles(*unpulled(policy, rounds)) for rounds in tries]
    value = max(found) * (1 - SLACK)
    return value if certain(policy, tries[int(np.argmax(found))], value) else 0.0


def certain(policy: DPTSUCB, rounds: int, mu: float) -> bool:
    """Whether intervals show Phi(x) <= power and alpha <= Phi(x - mu) for some x: then Phi^-1(power) - Phi^-1(alpha)
    is at least mu. All in logarithms: the probabilities lie far below the smallest double."""
    start = float(ndtri_exp(unpulled(policy, rounds)[0])) * (1 + SLACK / 100)
    x, distance = m.number(start), m.number(mu)
    log_power = -m.log(m.number(2)) * rounds
    variance = f.log_power(m, m.number(policy.horizon), m.number(policy.alpha))
    log_alpha = m.number(0)
    for used, times in zip(*np.unique(means_of(rounds), return_counts=True), strict=True):
        spread = m.sqrt(variance * (1 + 1 / m.number(int(used))))
        log_alpha = log_alpha + m.log(m.ncdf(-1 / spread)) * int(times)
    return bool(m.log(m.ncdf(x)).high <= log_power.low and log_alpha.high <= m.log(m.ncdf(x - distance)).low)


class Alone(NamedTuple):
    """A run in which trial k pays arm 0 a 1 for its k-th pull, and nothing else. pulls: of arm 0. entered: how many
    means each of these rewards has entered, (PULLS,). samples: of an epoch of arm 0, at most. fair: whether every
    weight of a reward was 0 or 1/n."""

    pulls: int
    entered: Ints
    samples: int
    fair: bool


def play_alone(policy: DPTSUCB, seed: int) -> Alone:
    """Arm 0 in round 1 and in every WAIT-th round, until it was pulled PULLS times; arm 1 in all others."""
    noise, state = Seeded(trials=PULLS, seed=seed), policy.init(PULLS)
    entered: Ints = np.zeros(PULLS, dtype=np.int64)
    pulled, fresh, most, fair = 0, 0, 0, True
    for t in range(1, policy.horizon + 1):
        arm = int(t == 2 or (t > 2 and t % WAIT != 0))
        fresh += int(t > 2 and bool(state.left[0, 0] >= 1))
        sums = np.zeros((PULLS, 2))
        if arm == 0 and pulled < PULLS:
            sums[pulled, 0] = 1.0
            pulled += 1
        counts = np.zeros((PULLS, 2), dtype=np.int64)
        counts[:, arm] = 1
        after = policy.learn(t, state, Pulls(counts), sums, noise)
        if (after.epoch[:, 0] != state.epoch[:, 0]).all():
            weights = after.mean[:, 0]
            fair &= bool(np.isin(weights, (0.0, 1 / after.used[0, 0])).all() and after.used[0, 0] >= 1)
            entered += weights > 0
            most, fresh = max(most, fresh), 0
        state = after
    return Alone(pulled, entered, max(most, fresh), fair)


@proves("theorem-4.4/once")
def once(claim: Claim, effort: Effort, seed: int, *, make: type[DPTSUCB] = DPTSUCB) -> Finding:
    """Line 14 takes the mean of the O observations that have come in since line 16 last set O to 0: so every
    observation enters at most one mean, one of n = O >= 1, with weight 1/n, which lives until the next one. Line 15
    sets h to phi, line 7 takes 1 off with every sample, and none is drawn below 1: at most floor(phi) samples.
    Checked on the algorithm itself: arm 0 is pulled PULLS times, in trial k the k-th reward is 1 and all others are 0,
    so that the means are the weights of the observations; and the rounds with a fresh sample are counted, with long
    waits in between so that the budget runs out."""
    rows: list[list[Any]] = []
    for alpha in ALPHAS:
        played = play_alone(make(2, 2000, alpha, budget=lambda alpha, horizon: WAIT - 0.5), seed)
        entered, most = played.entered, played.samples
        rows.append([alpha, played.pulls, int(entered.max()), int(entered.sum()), most, WAIT - 0.5])
        if not (played.fair and entered.max() == 1 and most == WAIT - 1):
            return Finding(claim.id, Verdict.CONSISTENT, f"not confirmed on the algorithm at alpha = {alpha:g}")
    columns = [
        "alpha",
        "pulls",
        "means that a reward enters, at most",
        "rewards that enter one",
        "samples",
        nearest("phi"),
    ]
    evidence: tuple[Item, ...] = (
        table_item("Played on the algorithm itself", columns, rows),
        text_item(once.__doc__ or ""),
    )
    summary = (
        "Every observation enters at most one mean, with weight 1/n, and at most floor(phi) samples are drawn around "
        "this mean."
    )
    return established(claim.id, summary, evidence, Basis.WORDS)


SHARP = """Consider the samples of a run, one after another. The past samples determine the pulls, the budgets and MAX.
Only the means depend on the rewards. The changed reward enters at most one mean, of n >= 1 observations, and changes it
by at most 1/n (`hu25/theorem-4.4/once`). So a sample around this mean, of variance v/n, shifts by at most 1/sqrt(v)
standard deviations, and all other samples have the same law on both inputs. At most floor(phi) samples are drawn around
this mean: line 15 sets h to phi, each sample reduces h by 1, and none is drawn once h is below 1. There are also at
most T - K samples, one per round. So the squared shifts of a run add up to at most min(floor(phi), T - K)/v.
*Composition:* let G(r, P, Q) be the maximum over t of P Phi(t) - Q Phi(t - r). Suppose a sample shifts by mu, and the
rest of the run costs at most G(nu, P', Q') from probabilities P' and Q'. Then the sample and the rest of the run
together cost at most the integral over x of G(nu, P phi(x - mu), Q phi(x)), which is at most G(r, P, Q) for r^2 = mu^2
+ nu^2. By induction from the last sample to the first, a run costs at most G(mu, 1, e^eps) = delta(eps)
(`ou24/lemma-3/all-samples` gives all steps)."""
SAYS = """samples_chance and pulls_chance play Algorithm 1 line by line: observe is lines 12 to 16, first_state line 2,
after lines 3 to 11, and known is what is kept of every arm. Where h < 1 and no sample is drawn, a number comes that
nothing depends on, so that an event of all numbers is more than one of all samples; K T draws are always enough.
neighbours are of either relation r, in_range is [0, 1], floor is what MAX starts from (line 2 has 0), and
gaussian_delta is delta(eps) of Theorem 2.4, for every eps."""
SHARP_SAYS = f"""{SAYS} N with phi < N + 1 is floor(phi), or more; mu is any parameter above 0 with a square
that is large enough. {INTEGRALS}"""
PRINTED = """For v = ln^alpha(T), the squared shifts add up to at most phi/ln^alpha(T) = c_0 T^{0.5(1-alpha)}
ln^{1.5(1-alpha)}(T). This bound is half the square of the printed parameter. The pulls are a function of the
samples."""
PRINTED_SAYS = f"""{SAYS} printed_mu is the parameter, printed_phi and printed_variance are those of lines 1 and 6.
{INTEGRALS}"""

proves("theorem-4.4/sharp/every-run")(
    machine_checked(__file__, "samples_private", SHARP_SAYS)(lemma_by_argument(Reduction(" ".join(SHARP.split()), ())))
)
proves("theorem-4.4/every-run")(
    machine_checked(__file__, "theorem_4_4", PRINTED_SAYS)(
        lemma_by_argument(Reduction(" ".join(f"{SHARP} {PRINTED}".split()), ()))
    )
)

ROUND_SAYS = f"""round_chance plays one round of Algorithm 1 (as in `hu25/theorem-4.4/every-run`), given all samples of
earlier rounds, past, which may be any numbers. They determine the earlier pulls, the budgets and MAX, so all else that
the round reads is the same on both inputs. The first part is about the samples of this round, the second one about all
pulls up to its end. Each arm in its mandatory phase, h >= 1, draws a sample, and the round may have any number of them.
An arm in its optional phase draws none; there a number comes that has no effect. neighbours are of either relation r,
in_range is [0, 1], phi and floor are any numbers, and v is ln^alpha(T) for T >= 2; a run with T = 1 has no such round.
{INTEGRALS}"""
proves("theorem-4.4/round")(checked_step(__file__, "one_round", ROUND_SAYS))

COLUMNS = [
    *(
        "T",
        "alpha",
        nearest("Theorem 4.4"),
        nearest("Theorem 4.6"),
        nearest("sharp: exact for all samples"),
        below("attained by released arms"),
    ),
    *(below("attained/sharp"), nearest("sqrt(T/2) of TS-Gaussian")),
]


def against_horizon(alpha: float, rows: list[list[Any]]) -> Item:
    """A picture of the parameters at one alpha. rows: as COLUMNS."""
    drawn = (
        ("Theorem 4.4", 2, "claimed", Side.NEAREST),
        ("sharp", 4, "exact", Side.NEAREST),
        ("attained by arms", 5, "certified", Side.BELOW),
        ("TS-Gaussian", 7, "other", Side.NEAREST),
    )
    return {
        "kind": "lines",
        "title": f"GDP parameter of DP-TS-UCB with two arms, alpha = {alpha:g}",
        "x": "T",
        "y": "GDP parameter",
        "log_x": True,
        "log_y": True,
        "series": [
            {"label": label, "points": [[row[0], row[place]] for row in rows], "style": style, "side": side}
            for label, place, style, side in drawn
        ],
    }


@proves("theorem-4.4/sharp/attained")
def sharpness(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The table of parameters: printed, sharp, attained. ARGUED where the arms attain SHARE of the sharp one."""
    rows: list[list[Any]] = []
    for T in HORIZONS:
        for alpha in ALPHAS:
            policy = DPTSUCB(2, T, alpha)
            printed = float(f.theorem_4_4_eta(doubles, float(T), alpha))
            profile = float(f.theorem_4_6_eta(doubles, float(T), alpha))
            best, found = sharp(policy), attained(policy)
            rows.append([T, alpha, printed, profile, best, found, found / best, float(np.sqrt(T / 2))])
    share = min(row[6] for row in rows)
    table = table_item("GDP parameters of DP-TS-UCB with two arms", COLUMNS, rows)
    pictures = (against_horizon(alpha, [row for row in rows if row[1] == alpha]) for alpha in ALPHAS)
    evidence: tuple[Item, ...] = (table, *pictures, text_item(__doc__ or ""))
    summary = (
        f"All samples together are not mu-GDP for any mu < sqrt(min(floor(phi), T - K)/ln^alpha T). The released arms "
        f"of a run with two arms attain at least {share:.3f} of this parameter at every T and alpha of the table."
    )
    if share <= SHARE:
        return Finding(claim.id, Verdict.CONSISTENT, summary, evidence)
    return established(claim.id, summary, evidence, Basis.WORDS, Basis.INTERVALS)


proves("theorem-4.4/tiny")(ground_truth)
