"""Limits of the threshold game: who attains its value, how it grows, and which number of arms is the worst."""

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
        "T = 14, delta = 0.001: an adversary who sets the other arm's score in every round, after seeing the past "
        "releases, attains the eps of the threshold game to within 0.5%"
    ),
    scope="If an adversary sets the other scores, the value of the threshold game is exact and not only an upper "
    "bound. An example is noisy-max selection, repeated against candidates whose scores somebody else controls.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="The game is an upper bound if noise is fresh given the released past, if one score moves by a known amount, "
    "if the release depends only on the largest other score, and if a concave curve bounds the probability pairs of a "
    "round (a log-concave density is enough). The game is exact if the adversary knows and chooses the largest other "
    "score. With reward tables the means change slowly and the other arms' samples are random, so the game is only an "
    "upper bound.",
)
chapter.add(
    "theorem-3/game/growth",
    SOURCE,
    Stated(
        "delta = 1e-6: the value of the threshold game is at least 25.4 at T = 100, 53.3 at T = 1000, 95.2 at "
        "T = 10000, 152.7 at T = 100000; it grows faster than any power of ln T"
    ),
    scope="No analysis that lets an adversary choose the thresholds can certify an eps below these bounds, whatever "
    "the number of arms. The bounds are in closed form.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="The adversary uses one threshold for all rounds and the event 'the changed arm is never pulled again'. The "
    "value grows more slowly than any power of T (`ou24/theorem-3/law/any-arms`). This claim is about the game, "
    "not about reward tables; the certified upper bounds are 26.3, 58.3 and 110 at T = 100, 1000 and 10 000.",
    related=("ou24/theorem-3/law/any-arms",),
)
chapter.add(
    "theorem-3/game/arms",
    SOURCE,
    Stated(
        "T = 100, delta = 0.001: with two arms (14.67, 0.001)-DP holds, and with three arms (eps, 0.001)-DP "
        "holds for no eps < 14.85"
    ),
    scope="Two arms are not always the worst case: three arms can lose more privacy than any tables for two arms do.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/game/bound",),
    note="The upper bound rests on the threshold game, the lower bound on an exact law. With a third arm, the other "
    "two arms are pulled in fewer rounds. A third arm also raises the largest of the other samples, so the changed arm "
    "is pulled less often.",
)
