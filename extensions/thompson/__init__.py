"""How private is Thompson sampling? The threshold game, certified from both sides, for Gaussian priors.

The mathematics stands in docs/explanation/threshold_game.md. `rules` says what is played, `coins` what a round can
reveal, and `rival_thresholds` how often to a given number of arms; `moments` and `ratios` bound the game from above,
`potential` and `potential_arms` in long runs, `bound` joins them; `attack` evaluates two tables from below, and
`initial_tables` looks for bad ones, `ascent` makes them worse, by the slopes of `track`; `many_arm_attack` and
`worst_coins` do the same for more arms and for relation "round". `curve_table` keeps curves that `make curves` has
made, and `loss_distribution` hands one on to who composes.
"""
