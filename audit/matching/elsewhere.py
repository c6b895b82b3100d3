"""A certificate that is not about the claim that it names."""

from __future__ import annotations


class Elsewhere(Exception):
    """The certificate is not about the claim; the message says why."""
