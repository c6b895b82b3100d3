"""What a report says of the run that it is about: its day, how hard it tried, and small counts, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dpbandits.reports.words import format_number, grouped

DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def readable_date(date: str) -> str:
    """A date such as 2026-11-26, as a reader writes it; empty for none. Raises ValueError for anything else."""
    if not date:
        return ""
    found = DATE.fullmatch(date)
    if not found or not 1 <= int(found[2]) <= 12 or not 1 <= int(found[3]) <= 31:
        raise ValueError(f"date = {date!r}: write the day as year-month-day, such as 2026-11-26")
    return f"{int(found[3])} {MONTHS[int(found[2]) - 1]} {found[1]}"


EFFORTS = {  # what counts of a profile say to a reader; what is not here is of no use to one
    "trials": "{} plays of a policy on either side of a comparison",
    "experiment_runs": "{} repetitions of a printed experiment",
    "experiment_horizon": "experiments of up to {} rounds",
    "regret_runs": "{} runs for a mean regret",
}


def effort_words(profile: Mapping[str, Any]) -> list[str]:
    """The counts of a run's profile that tell a reader how hard it tried, in words."""
    return [words.format(format_number(profile[name])) for name, words in EFFORTS.items() if name in profile]


def number_word(count: int) -> str:
    """A number in a sentence: up to twelve as a word."""
    return COUNT_WORDS[count] if count < len(COUNT_WORDS) else grouped(str(count))
