"""Exit statuses for commands that a signal ends. This module imports nothing, so it is available before the command is
loaded."""

INTERRUPTED = 130  # what shells expect after Ctrl-C
