"""Policies at play: transcripts, many tables or settings side by side, and whether trials are independent."""
