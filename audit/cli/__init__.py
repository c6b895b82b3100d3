"""The `dpbandits` command: one file for each command, and options that several commands share. Code that the pytest
plugin needs as well is in `cli_shared`."""
