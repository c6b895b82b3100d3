"""What a mechanism's finding says of its bits: a sentence, and a table; and whether they decide."""

from __future__ import annotations

from typing import Any

from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.sentences import table_of, value_in_words
from dpbandits.reference.claims.model import Verdict

BITS_SHARE = 0.1  # of the risk is the bits': they tell much or nothing, and numbers would pay for a larger share
BITS_LABEL = ", its bits"  # behind a mechanism's name
NOT_LOOKED_AT = "The bits in which its outputs are written were not looked at"
REMEDY = "Draw whole numbers, or ask of the mathematics alone (bits=False)."


def bits_decide(numbers: Result, bits: Result) -> bool:
    """Whether the bits refute the claim, and the numbers do not."""
    return bits.verdict is Verdict.REFUTED and numbers.verdict is not Verdict.REFUTED


def bits_sentence(numbers: Result, bits: Result | None) -> str:
    """What the bits say beside the numbers; None where they were not looked at."""
    if bits is None:
        return f"{NOT_LOOKED_AT} (bits=False)."
    if bits.unfit:
        return f"Its bits cannot be judged: {bits.unfit}."
    assert numbers.sampled is not None
    if bits_decide(numbers, bits) and numbers.sampled.stopped:
        return (
            f"When it stopped, its numbers had certified no more than {certified_by_samples(numbers)}: whether they "
            f"keep the claim is open. {REMEDY}"
        )
    if bits_decide(numbers, bits):
        return (
            f"Its numbers keep the claim as far as was seen (samples certify {certified_by_samples(numbers)}): "
            f"true of the mathematics, false of this program. {REMEDY}"
        )
    refute = " and refute the claim as well" if bits.verdict is Verdict.REFUTED else ""
    return f"Its bits certify {certified_by_samples(bits)}{refute}."


def certified_by_samples(result: Result) -> str:
    assert result.sampled is not None
    assert result.curve is not None
    _, shown, at = result.sampled.excess
    return value_in_words(result.curve, shown, at)


def table_of_bits(numbers: Result, bits: Result) -> dict[str, Any]:
    """The evidence: the numbers and the bits, a row each."""
    return table_of([numbers, bits]) | {"title": "Its numbers, and the bits in which they are written"}
