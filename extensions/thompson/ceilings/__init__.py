"""Is Thompson sampling as private as this ceiling states? The bound is recomputed in integers.

What belongs here: the checker of ceilings. It needs the standard library alone, and can be copied anywhere by itself.
A ceiling says that Thompson sampling with Gaussian priors (two arms, or any number) is (eps, delta)-private in a run
of so many rounds, for neighbours that differ in one pull or in one round. Beside that it holds choices, which make the
bound sharp, and of which none has to be right: the grid of likelihood ratios, where tangents are drawn, how the grid
moves, and from which pull count on a further pull counts no more.

What is assumed here, and proved in words in docs/explanation/threshold_game.md: delta is at most the value of the
threshold game; its value V(P, Q) is convex, homogeneous, at most P, grows with P and falls with Q; between two tangents
a concave curve lies below their crossing; where nothing bounds the thresholds, V falls with the pull count and with the
round. What is checked, by computing all of it: in every state and at every ratio of the grid, the kept value is at
least what each corner of a polygon around all coins leads to. So the table of values is computed here and comes from
nobody. All of it is whole numbers: masses on the left, weights and values are rounded up, masses on the right down; Phi
and exp have error bounds that are stated where they are computed.

In long runs it holds two prices of a round instead, and the numbers that belong to them are found here.

- `verification`: the entry; `statement`: what a ceiling says, and what checking it may cost; `sampler`: what it is
  about
- `numbers`: exp, Phi and roots between two whole numbers; `rounds`: the coins of a round, and corners around them
- `rows`: values on the grid of ratios; `game`: from the last round back to the first
- `prices`: the static potential of long runs, one pass over the pull counts
"""
