"""What do command line and plugin share? How they end, what they read and leave. No command stands here."""
