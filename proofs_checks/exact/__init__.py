"""Exact laws of released transcripts, and the privacy profiles that they give."""
