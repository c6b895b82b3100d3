"""The judge of privacy: policies, one-shot mechanisms, the finding and its certificate."""
