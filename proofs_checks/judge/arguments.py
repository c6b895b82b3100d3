"""Arguments in words for statements in words, as all pages have them."""

from __future__ import annotations

from dpbandits.proofs_checks.judge.arguments import Evidence, Played, argued

__all__ = ["Evidence", "Played", "argued"]
