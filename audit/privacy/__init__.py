"""Is it private? What is audited, an audit target each (a policy's runs, all that it draws, a one-shot mechanism), the
pipeline that audits it in five beats (`pipeline`), and the finding that is made of results (`judge`).

Pairs are searched in `search`, scores are made in `scores`, rounds are found in `rounds`; thresholds, and what samples
certify, stand in `audit.statistics`.
"""
