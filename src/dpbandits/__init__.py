"""dpbandits: the place where claims about differentially private bandits are checked."""
