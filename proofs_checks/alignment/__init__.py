"""An upper bound on eps or mu without samples: how far must the noise move so that a changed reward has no effect?

The method is randomness alignment (LightDP, ShadowDP, CheckDP): docs/explanation/randomness_alignment.md states and
proves the theorem.
"""
