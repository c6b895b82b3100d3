"""What do command line and plugin share? Exit statuses, error messages, and the files that they read and write."""
