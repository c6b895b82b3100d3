"""Thompson sampling with Beta priors on Bernoulli rewards (Agrawal, Goyal), as most public code has it; no paper of
the ledger."""

from dpbandits.reference.bandits.beta_thompson import ThompsonSampling as ThompsonSampling
