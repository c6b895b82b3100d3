"""The judges of regret: bounds on its mean, and which of two settings has less."""
