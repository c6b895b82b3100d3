"""Theorems of Rocq about the privacy of Thompson sampling, written for one question and checked with `--rocq`."""
