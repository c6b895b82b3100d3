"""`python -m dpbandits`: the command, for whoever has no `dpbandits` on the path."""

from dpbandits.audit.cli.start import main

main()
