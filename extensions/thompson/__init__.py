"""The privacy of Thompson sampling with Gaussian priors: the threshold game, bounded from above and below with
certificates.

docs/explanation/threshold_game.md contains the mathematics. `rules` defines the game, `coins` what a round can reveal,
and `rival_thresholds` how often this happens for a given number of arms; `moments` and `ratios` bound the game from
above, `potential` and `potential_arms` in long runs, and `bound` combines them; `attack` evaluates two tables and so
bounds it from below, `initial_tables` constructs revealing ones, and `ascent` improves them, by the slopes of `track`;
`many_arm_attack` and `worst_coins` do the same for more arms and for relation "round". `curve_table` stores curves that
`make curves` computes, and `loss_distribution` converts one for composition.
"""
