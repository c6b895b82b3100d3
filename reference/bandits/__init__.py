"""What is a policy, what does it release, and on what is it played? The protocol and `play`, noise, environments,
neighbouring tables, what is measured of a run, and policies of no paper or of several. No claims, no verdicts."""
