"""Exit statuses for commands that a signal ends. Imports nothing, so it is available before the command."""

INTERRUPTED = 130  # what shells expect after Ctrl-C
