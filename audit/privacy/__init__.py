"""Privacy audits. An audit target is a policy's runs, all its random draws, or a one-shot mechanism. The pipeline
audits a target in five steps (`pipeline`), and `judge` turns the results into a finding.

`search` looks for pairs of inputs, `scores` for distinguishers, `rounds` for single rounds. Tests and certified bounds
are in `audit.statistics`.
"""
