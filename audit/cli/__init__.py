"""What can be typed? The `dpbandits` command: a file for each command, and options that several commands share. What
the pytest plugin needs as well is in `cli_shared`."""
