"""What `dpbandits check` prints: the overall result in one sentence (and as a badge), one line for each check, and
details."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import NamedTuple

import click

from dpbandits.audit.cli_shared.endings import say
from dpbandits.audit.cli_shared.outcomes import Outcomes, in_words, outcomes_of
from dpbandits.audit.play.probes import PLAYED_SINGLY, TrialFault
from dpbandits.extensions.conformance.battery import Judged
from dpbandits.extensions.conformance.composing import Battery
from dpbandits.reference.claims.findings import CheckFound, PrivacyFound
from dpbandits.reference.claims.model import Finding
from dpbandits.reference.claims.text import list_in_words

LAW = "page law"
LABEL = "dpbandits"
COLOURS = {"brightgreen": "#2d7d32", "orange": "#a85000", "red": "#b3261e", "lightgrey": "#5f6368"}
GLYPH_WIDTH, TEXT_MARGIN, BADGE_HEIGHT = 6.8, 8, 20  # pixels: of a letter on average, beside a text, of the whole


def judgement(results: Sequence[Judged], subject: str, page: str) -> str:
    """Returns the overall result as a sentence: how the subject compares with a reference policy.
    Each check counts by its worst result over all numbers of arms and pulls. An expected failure is a failure."""
    outcomes = outcomes_of((each.kind, each.finding.verdict) for each in results)
    if LAW in outcomes.broken:
        law = f"does not have the distribution of {page}"
    elif LAW in outcomes.held:
        bodies = [each.finding.body for each in results if each.kind == LAW]
        shifts = [each.every_step for each in bodies if isinstance(each, CheckFound) and each.every_step is not None]
        near = f" (a deviation of {max(shifts):.2g} in every step would be detected)" if shifts else ""
        law = f"agrees with the distribution of {page}{near}"
    else:
        law = f"was not compared with the distribution of {page}"
    checks = [name for name in outcomes.broken if "/" not in name and name != LAW]
    kept, broken, untested = ([name for name in names if "/" in name] for names in (*outcomes[1::-1], outcomes[2]))
    promises = in_words(Outcomes(tuple(broken), tuple(kept), tuple(untested)))
    return "; ".join([f"{subject} {law}", *promises, *([f"fails {list_in_words(checks)}"] if checks else [])])


class Badge(NamedTuple):
    """A badge. colour: a key of COLOURS, whose names badge services know."""

    message: str
    colour: str


FAILED = Badge("error", "red")  # of a battery that came to no end


def badge(results: Sequence[Judged], page: str, trials: int) -> Badge:
    """Returns the badge for the results of all checks: a short text and a colour.
    A refuted law is shown first, because the check of the law detects more than any check of a guarantee. trials: runs
    in each environment. Green means that nothing was found, with the number of runs; it is no proof."""
    outcomes = outcomes_of((each.kind, each.finding.verdict) for each in results)
    bad = "red" if any(each.surprise for each in results) else "orange"  # failures that somebody expects stay in sight
    if LAW in outcomes.broken:
        return Badge(f"another law than {page}", bad)
    if outcomes.broken:
        more = f" and {len(outcomes.broken) - 1} more" if len(outcomes.broken) > 1 else ""
        return Badge(f"fails {outcomes.broken[0]}{more}", bad)
    if bad == "red":
        return Badge("passes what was expected to fail", bad)
    if LAW not in outcomes.held:
        return Badge(f"not compared with {page}", "lightgrey")
    return Badge(f"fits {page}, {trials} runs", "brightgreen")


def as_endpoint(drawn: Badge) -> str:
    """The badge as endpoint JSON for shields.io."""
    fields = {"schemaVersion": 1, "label": LABEL, "message": drawn.message, "color": drawn.colour}
    return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"


def as_svg(drawn: Badge) -> str:
    """The badge as a self-contained SVG drawing."""
    ends = [round(len(text) * GLYPH_WIDTH + 2 * TEXT_MARGIN) for text in (LABEL, drawn.message)]
    whole, said, size = sum(ends), escape(f"{LABEL}: {drawn.message}"), f'height="{BADGE_HEIGHT}"'
    texts = [
        f'<text x="{start + width / 2:g}" y="14" textLength="{width - 2 * TEXT_MARGIN}">{escape(text)}</text>'
        for start, width, text in ((0, ends[0], LABEL), (ends[0], ends[1], drawn.message))
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" {size} role="img" aria-label="{said}">',
            f"<metadata>dpbandits</metadata><title>{said}</title>",
            f'<clipPath id="r"><rect width="{whole}" {size} rx="3"/></clipPath>',
            f'<g clip-path="url(#r)"><rect width="{ends[0]}" {size} fill="#3c4043"/>',
            f'<rect x="{ends[0]}" width="{ends[1]}" {size} fill="{COLOURS[drawn.colour]}"/></g>',
            '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
            *texts,
            "</g></svg>\n",
        ]
    )


FORMS: dict[str, Callable[[Badge], str]] = {".svg": as_svg, ".json": as_endpoint}  # by how the file's name ends


RARE_EVENT_TRIALS = 200_000  # detect an error that occurs once in a thousand runs
INDENT = "    "
REPEATED = (
    TrialFault.OWN_RANDOMNESS,
    PLAYED_SINGLY.removeprefix(TrialFault.OWN_RANDOMNESS).lstrip(". "),
    TrialFault.DEPENDENT_TRIALS,
)


def print_results(conclusion: str, battery: Battery, results: Sequence[Judged], verbose: bool) -> None:
    """Prints the overall result first, then the numbers of verdicts, then the checks."""
    remarks, trials = Remarks(), battery.profile.trials
    say(conclusion)
    click.echo(counts_line(results, len(battery.checks), trials, battery.sequential))
    check = ""
    for text in check_lines(results, verbose):
        check = check if text.startswith(" ") else text
        say(remarks.shortened(check, text))
    if counts := remarks.counts():
        click.echo(counts)
    if advice := advice_line(trials, verbose):
        click.echo(advice)


def counts_line(results: Sequence[Judged], wanted: int, trials: int, sequential: bool) -> str:
    """Returns a line with the number of checks and of each verdict. wanted: how many checks were requested.
    trials: in each environment."""
    verdicts = [str(each.finding.verdict) for each in results]
    counts = ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))
    unexpected = sum(each.surprise for each in results)
    games = f"{'at most ' if sequential else ''}{trials} trials in each game"
    return f"{len(results)} of {wanted} checks ran, with {games}: {counts}; {unexpected} unexpected"


def advice_line(trials: int, verbose: bool) -> str:
    """Returns advice on options that show more details or detect more errors; "" if there is none.
    trials: in each environment."""
    said = [] if verbose else ["-v prints the details of every check."]
    if trials < RARE_EVENT_TRIALS:
        said.append(
            f"Use --trials {RARE_EVENT_TRIALS} to detect errors that occur once in a thousand runs, and --horizon to "
            "detect errors in long runs."
        )
    return " ".join(said)


def check_lines(results: Sequence[Judged], verbose: bool) -> Iterator[str]:
    """Yields one line for each check, and below it the reason of a failure, and all details if verbose.
    The reason follows also if a result is unexpected."""
    width = max((len(str(each.finding.verdict)) for each in results), default=0)
    for each in results:
        remark = "  (unexpected)" if each.surprise else f"  (expected to fail: {each.reason})" if each.reason else ""
        yield f"{each.finding.verdict!s:<{width}}  {each.name}{remark}"
        if verbose or each.surprise:
            yield INDENT + each.finding.summary
        if verbose:
            yield from (INDENT + line for line in detail_lines(each.finding))


def detail_lines(finding: Finding) -> Iterator[str]:
    """Yields lines of text about the power of a check.
    They are a short sentence if the finding contains the numbers, and the full text."""
    if isinstance(finding.body, PrivacyFound) and (power := power_line(finding.body)):
        yield power
        yield f"Details: {finding.resolution}"
    elif finding.resolution:
        yield f"Power: {finding.resolution}"


def power_line(data: PrivacyFound) -> str:
    """Returns a line with the smallest violation that the samples of the hardest instance would have detected.
    "" without samples."""
    chosen = data.instances[data.hardest]
    sampled, powers = chosen.sampled, [each for each in chosen.power if each.violation.value is not None]
    if sampled is None:
        return ""
    runs = f"{sampled.trials} runs per side"
    if not powers:
        return f"Power: none; no violation could have been certified from samples ({runs})"
    powers.sort(key=lambda each: each.violation.value or 0.0)
    low, high = powers[0], powers[-1]
    place = "" if low.violation.at is None else f" at {low.violation.place} = {low.violation.at:.3g}"
    number = f"{low.violation.value:.3g}"
    if high is not low:
        number += f" ({low.mechanism}) to {high.violation.value:.3g} ({high.mechanism})"
    return (
        f"Power: a true {low.violation.unit}{place} of about {number} would be detected with probability "
        f"{low.probability:g} ({runs})"
    )


class Remarks:
    """The remarks on a battery so far."""

    def __init__(self) -> None:
        """Starts a list of repeated advice, without any advice."""
        self.checks: dict[str, set[str]] = {}  # by the advice, in the order of their numbers

    def shortened(self, check: str, text: str) -> str:
        """Returns the text with repeated advice replaced by a number in brackets.
        The first time, the number is put before the advice."""
        for advice in REPEATED:
            known = advice in self.checks
            if found := re.search(re.escape(advice), text, re.IGNORECASE):
                self.checks.setdefault(advice, set()).add(check)
                number = f"[{list(self.checks).index(advice) + 1}]"
                text = text[: found.start()] + (number if known else f"{number} {found[0]}") + text[found.end() :]
        return text

    def counts(self) -> str:
        """Returns a line that says how many checks each numbered piece of advice applies to.
        "" if each applies to only one."""
        repeated = [(k, len(checks)) for k, checks in enumerate(self.checks.values(), start=1) if len(checks) > 1]
        return ", ".join(f"[{k}] applies to {times} checks" for k, times in repeated)
