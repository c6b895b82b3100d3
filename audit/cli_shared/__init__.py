"""Code shared by the command line and the pytest plugin: exit statuses, error messages, and the files that they read
and write. It imports nothing, so that an interruption can be answered before the command is loaded."""

INTERRUPTED, TERMINATED = 130, 143  # what shells expect after Ctrl-C and SIGTERM
