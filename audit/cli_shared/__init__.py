"""Code shared by the command line and the pytest plugin: exit statuses, error messages, and the files that they read
and write."""
