"""The run over claims: the loop over claims, the choice of a method for each claim, and the files of a run."""
