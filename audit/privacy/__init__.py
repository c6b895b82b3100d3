"""Is it private? What is audited, an exhibit each (a policy's runs, all that it draws, a one-shot mechanism), the
pipeline that audits it in five beats (`pipeline`), and the finding that is made of results (`judge`).

No search for a pair (`audit.search`), no score (`audit.scores`) and no threshold (`audit.tradeoff`) stands here.
"""
