"""Is its regret low? Checks of bounds on the expectation of regret (or another quantity), and of which of two settings
has less."""
