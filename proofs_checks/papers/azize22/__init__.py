"""Proofs of the page azize22, by claim id: a file a chapter, named as the page's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpbandits.proofs_checks.exact.by_comparisons import of_two
from dpbandits.proofs_checks.judge.reductions import Lemma
from dpbandits.proofs_checks.papers.azize22 import privacy
from dpbandits.reference.papers.azize22 import AdaPUCB

LEMMAS: dict[str, Lemma] = {**privacy.LEMMAS}

# The policy's own state has no law, because the means that it compares are hidden; with two arms one knows it.
LAWS: Mapping[type, Callable[[Any], Any]] = {AdaPUCB: of_two}
