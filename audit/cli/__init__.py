"""What can be typed? The `dpbandits` command: one file a command, or what several of them ask for. What the
pytest plugin needs as well is in `cli_shared`."""
