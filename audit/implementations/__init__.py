"""Does somebody's code keep what it promises? Objects, loops and programs as policies, and the battery for them."""
