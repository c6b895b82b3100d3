"""Whether a certificate is about the claim that it names."""
