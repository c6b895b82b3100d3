"""How far the threshold game goes: who attains its value, how it grows, and which number of arms is the worst."""

from __future__ import annotations

from dpbandits.reference.claims.model import Reading, Source, Stated, Verdict
from dpbandits.reference.papers.ou24.page import page

chapter = page.chapter("Theorem 3, the game behind the truth")
SOURCE = Source("ou24", "Theorem 3, the game behind the truth", "is (eps, delta(eps))-DP for all eps >= 0")
PLAYED, DELTA, LOSS = 14, 1e-3, 0.005  # T, and the share of eps that separates the game from what is played there
GROWTH = {100: 25.4, 1_000: 53.3, 10_000: 95.2, 100_000: 152.7}  # eps at delta = 1e-6 that the game cannot go below
CROWD, TWO, THREE = 100, 14.67, 14.85  # T; at DELTA enough for two arms, and shown by three

chapter.add(
    "theorem-3/game/exact",
    SOURCE,
    Stated(
        f"T = {PLAYED}, delta = {DELTA:g}: who sets the other arm's score in every round, having seen what was "
        f"released, attains the game's eps up to {LOSS:.1%}"
    ),
    scope="Where the other scores are an adversary's, the game is no bound but the truth: as for noisy maxima that are "
    "released again and again, against candidates that somebody else moves.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="What makes the game a bound: fresh noise, given the released past; one score that moves, by a known amount; "
    "a release that depends on the largest other score alone; and a concave curve of coins, for which a log-concave "
    "density is enough. What makes it exact: that score is certain, and free. Of tables the means move slowly, and the "
    "other arms' samples are random: there it is a bound.",
)
chapter.add(
    "theorem-3/game/growth",
    SOURCE,
    Stated(
        "delta = 1e-6: the game's eps is at least "
        + ", ".join(f"{eps:g} at T = {T}" for T, eps in GROWTH.items())
        + "; it grows faster than any power of ln T"
    ),
    scope="No analysis that gives the thresholds to the adversary says less, whatever the number of arms: closed form.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="With one threshold for all rounds: 'the arm is never pulled again'. It grows slower than any power of "
    "T (ou24/theorem-3/law/any-arms). About the game, not about tables; the "
    "certified upper ends are 26.3, 58.3 and 110 at T = 100, 1000 and 10 000.",
    related=("ou24/theorem-3/law/any-arms",),
)
chapter.add(
    "theorem-3/game/arms",
    SOURCE,
    Stated(
        f"T = {CROWD}, delta = {DELTA:g}: two arms are private with eps = {TWO:g}, and three with none below {THREE:g}"
    ),
    scope="Two arms are not always the worst case: three can give away more than any tables for two do.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/game/bound",),
    note="The upper number rests on the game, the lower one on an exact law. A third arm takes rounds away, but makes "
    "the largest of the other samples higher, and so the changed arm rarer.",
)
