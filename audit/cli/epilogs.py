"""What `--help` ends with: lines that can be typed."""

from __future__ import annotations


def example_lines(*lines: str) -> str:
    """The epilog of a command: its lines as they stand, none of them wrapped."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
