"""Playing policies: transcripts, runs on many tables or settings together, and tests for independent trials."""
