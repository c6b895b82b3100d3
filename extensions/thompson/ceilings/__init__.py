"""The checker of ceilings: is Thompson sampling as private as this ceiling states? It recomputes the bound in integers.

The checker needs only the standard library, and can be copied anywhere by itself. A ceiling states that Thompson
sampling with Gaussian priors (two arms, or any number) is (eps, delta)-private in a run of a given number of rounds,
for neighbours that differ in one pull or in one round. It also contains choices that make the bound sharp, and that
need not be right: the grid of likelihood ratios, where tangents are drawn, how the grid moves, and from which pull
count on further pulls count no more.

The checker uses the following facts, proved in docs/explanation/threshold_game.md: delta is at most the value of the
threshold game; its value V(P, Q) is convex, homogeneous, at most P, increasing in P and decreasing in Q; between two
tangents a concave curve lies below their crossing; if nothing bounds the thresholds, V decreases with the pull count
and with the round. The checker verifies, by computing all of it: in every state and at every ratio of the grid, the
stored value is at least the value of each corner of a polygon around all coins. So the table of values is computed here
and not read from the ceiling. All numbers are integers: masses on the left, weights and values are rounded up, masses
on the right down; Phi and exp have error bounds that are stated where they are computed.

For long runs a ceiling contains two prices of a round instead, and the checker computes the corresponding numbers.

- `verification`: the entry point; `statement`: the content of a ceiling, and the cost of checking it; `sampler`: its
  subject
- `numbers`: exp, Phi and roots between two integers; `rounds`: the coins of a round, and corners around them
- `rows`: values on the grid of ratios; `game`: from the last round back to the first
- `prices`: the static potential of long runs, one pass over the pull counts
"""
