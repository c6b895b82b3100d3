"""The proof of the threshold game, which findings name, is a page of the documentation."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
QUOTED = re.compile(r"thompson/threshold_game\.md` \(sections ([^)]+)\)")


def test_the_proof_that_findings_name_is_the_page() -> None:
    """By a link, so that there is one copy; and the sections by whose numbers it is quoted are there."""
    page = ROOT / "docs" / "explanation" / "threshold_game.md"
    assert (ROOT / "extensions" / "thompson" / "threshold_game.md").resolve() == page.resolve()
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "proofs_checks").rglob("*.py"))]
    naming = [text for text in texts if "extensions/thompson/threshold_game.md" in text]
    assert len(naming) > 1
    sections = [int(number) for number in re.findall(r"^## (\d+)\. ", page.read_text(encoding="utf-8"), re.MULTILINE)]
    assert sections == list(range(1, len(sections) + 1))
    quoted = " ".join(each for text in naming for each in QUOTED.findall(text))
    assert set(map(int, re.findall(r"\d+", quoted))) <= set(sections)
    assert quoted
