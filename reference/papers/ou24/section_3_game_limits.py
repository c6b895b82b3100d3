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
        "for T = 14 and delta = 0.001, an adversary who sets the other arm's score in every round, after seeing the "
        "past releases, attains the eps of the threshold game up to 0.5%"
    ),
    scope="If an adversary sets the other scores, the value of the threshold game is exact and not only an upper "
    "bound. An example is noisy-max selection, repeated against candidates whose scores somebody else controls.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="The value of the game is an upper bound under four conditions. The noise is fresh given the released past. "
    "One score changes by a known amount. The release depends only on the largest other score. A concave curve bounds "
    "the pairs of probabilities of a round, which a log-concave density guarantees. The value is exact if the "
    "adversary knows and chooses the largest other score. With reward tables, the means change slowly and the other "
    "arms' samples are random, so the value is only an upper bound.",
)
chapter.add(
    "theorem-3/game/growth",
    SOURCE,
    Stated(
        "at delta = 1e-6, the value of the threshold game is at least 25.4 at T = 100, 53.3 at T = 1000, 95.2 at T = "
        "10000 and 152.7 at T = 100000, and it grows faster than any power of ln T"
    ),
    scope="No analysis that lets an adversary choose the thresholds can certify an eps below these bounds, whatever "
    "the number of arms. The bounds are in closed form.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    note="For the lower bounds, the adversary uses the same threshold in all rounds, and the event 'the changed arm "
    "is never pulled again'. The value grows more slowly than any power of T (`ou24/theorem-3/law/any-arms`). The "
    "bounds are about the game, not about reward tables. The certified upper bounds are 26.3 at T = 100, 57.9 at T = "
    "1000 and 110 at T = 10 000.",
    related=("ou24/theorem-3/law/any-arms",),
)
chapter.add(
    "theorem-3/game/arms",
    SOURCE,
    Stated(
        "for T = 100 and delta = 0.001, (14.67, 0.001)-DP holds with two arms, and (eps, 0.001)-DP holds for no eps "
        "< 14.85 with three arms"
    ),
    scope="Two arms are not always the worst case: the loss with three arms can exceed the loss on every pair of "
    "tables for two arms.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/game/bound",),
    note="The upper bound rests on the threshold game, the lower bound on an exact law. A third arm has two effects: "
    "the other two arms are pulled in fewer rounds, and the largest of the samples of the unchanged arms increases, "
    "so the changed arm is pulled less often.",
)
