"""The pytest plugin: the fixture `audit`, claims as tests, the message of a failed audit, and the report of a session.
Every pytest of the environment imports `plugin`, which is light; `auditor` does the work."""
