"""What is a policy, what does it release, and on what is it played? The protocol and `play`, noise, environments,
neighbouring tables, quantities measured in a run, and policies that belong to no paper or to several. No claims, no
verdicts."""
