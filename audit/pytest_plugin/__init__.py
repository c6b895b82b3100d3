"""What can a test ask? The pytest plugin: the fixture `audit`, claims as tests, what a failed audit says, and
the report of a session. `plugin` is light, for every pytest imports it; `support` does the work."""
