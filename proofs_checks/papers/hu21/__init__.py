"""Proofs of the page hu21, by claim id: a file a chapter, named as the page's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpbandits.proofs_checks.exact.by_comparisons import of_two
from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.hu21 import analysis, privacy
from dpbandits.reference.papers.hu21 import AnytimeLazyUCB

LEMMAS: dict[str, Lemma] = {**privacy.LEMMAS, **analysis.LEMMAS}

# The policy's own state has no law, because the means that it compares are hidden; with two arms one knows it.
LAWS: Mapping[type, Callable[[Any], Any]] = {AnytimeLazyUCB: of_two}
