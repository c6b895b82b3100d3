"""What do command line and plugin share? How they end, and which files they read and write. No command is here."""
