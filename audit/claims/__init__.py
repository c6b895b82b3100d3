"""What a claim says in words, and what follows from what."""
