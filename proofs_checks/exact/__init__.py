"""Exact privacy: laws of released transcripts, and the privacy profiles computed from them. No samples."""
