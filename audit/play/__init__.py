"""What happens when a policy is played? Transcripts, runs on many tables or settings at once, and tests for independent
trials."""
