"""Single rounds of a policy, in states that its own runs reach."""
