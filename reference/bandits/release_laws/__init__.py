"""The probabilities of releases: laws of argmax policies, of selections by noise and of noisy maxima, and the checks
that every law must pass. Policies are elsewhere, and declare which of these laws they have."""
