"""What do samples certify? The joint region of a test's errors, which events are tested, what a run could have seen,
e-values of releases against a law, and expectations. No policies are played here."""
