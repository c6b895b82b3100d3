"""What the command ends with, where a signal ends it; needs nothing, so that it is known before there is a command."""

INTERRUPTED = 130  # what shells expect after Ctrl-C
