"""What happens when a policy is played? Transcripts, many tables or settings side by side, and whether trials are
independent. What it means, others ask."""
