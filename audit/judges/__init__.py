"""The interface of all checks: profiles and the error probability, the settings of a run, the method for each kind of
statement, and the division of its work into tasks."""
