"""What can be added to the core, and left out: a folder an extension, which `dpbandits.registry` finds by itself."""
