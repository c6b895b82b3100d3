"""`python -m dpbandits`: the command, for whoever has no `dpbandits` on the path."""

from dpbandits.audit.start import main

main()
