"""E-values of releases against a law: along the steps of runs, pooled over states, and by what pasts have in common. Of
which policy, and what follows from it, is for `conformance` and `privacy` to say."""
