"""Policies, their releases, and the environments on which they are played: the protocol and `play`, noise, neighbouring
tables, quantities measured in a run, and policies that belong to no paper or to several. No claims, no verdicts."""
