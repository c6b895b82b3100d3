"""Is it private? Audit targets (a policy's runs, all that it draws, a one-shot mechanism), the pipeline that audits
them in five steps (`pipeline`), and the finding made from the results (`judge`).

`search` looks for pairs of inputs, `scores` for distinguishers, `rounds` for single rounds. Tests and certified bounds
are in `audit.statistics`.
"""
