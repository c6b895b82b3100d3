"""`python -m dpbandits`: the command, if `dpbandits` is not on the path."""

from dpbandits.audit.cli.start import main

main()
