"""What the command line and the pytest plugin are made of: how they end, what they read, leave and say."""
