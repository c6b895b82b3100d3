"""Is it good? The judges of regret, or of another quantity: bounds on its mean, and which of two settings has less."""
