"""Theorems of Rocq about the privacy of Thompson sampling, written for one question: what `--rocq` has checked."""
