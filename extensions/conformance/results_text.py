"""What `dpbandits check` prints: the overall result, one line for each check, and details."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import click

from dpbandits.audit.cli_shared.endings import say
from dpbandits.audit.play.probes import DEPENDENT_TRIALS, OWN_RANDOMNESS, PLAYED_SINGLY
from dpbandits.extensions.conformance.battery import Judged
from dpbandits.extensions.conformance.composing import Battery
from dpbandits.reference.claims.findings import PrivacyFound
from dpbandits.reference.claims.model import Finding

RARE_EVENT_TRIALS = 200_000  # detect an error that occurs once in a thousand runs
INDENT = "    "
REPEATED = (OWN_RANDOMNESS, PLAYED_SINGLY.removeprefix(OWN_RANDOMNESS).lstrip(". "), DEPENDENT_TRIALS)


def print_results(conclusion: str, battery: Battery, found: Sequence[Judged], verbose: bool) -> None:
    """Prints the overall result first, then the counts, then the checks."""
    remarks, trials = Remarks(), battery.profile.trials
    say(conclusion)
    click.echo(counts_line(found, len(battery.checks), trials, battery.sequential))
    check = ""
    for text in check_lines(found, verbose):
        check = check if text.startswith(" ") else text
        say(remarks.shortened(check, text))
    if counts := remarks.counts():
        click.echo(counts)
    if advice := advice_line(trials, verbose):
        click.echo(advice)


def counts_line(found: Sequence[Judged], wanted: int, trials: int, sequential: bool) -> str:
    """The number of checks and of verdicts. wanted: how many checks were requested. trials: in each game."""
    verdicts = [str(each.finding.verdict) for each in found]
    counts = ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))
    unexpected = sum(each.surprise for each in found)
    games = f"{'at most ' if sequential else ''}{trials} trials in each game"
    return f"{len(found)} of {wanted} checks ran, with {games}: {counts}; {unexpected} unexpected"


def advice_line(trials: int, verbose: bool) -> str:
    """How to see more details, and how to detect more; "" if neither is possible. trials: in each game."""
    said = [] if verbose else ["-v prints the details of every check."]
    if trials < RARE_EVENT_TRIALS:
        said.append(
            f"Use --trials {RARE_EVENT_TRIALS} to detect errors that occur once in a thousand runs, and --horizon to "
            "detect errors in long runs."
        )
    return " ".join(said)


def check_lines(found: Sequence[Judged], verbose: bool) -> Iterator[str]:
    """One line for each check; below it the reason, if the check failed or had an unexpected result, and all details
    if verbose."""
    width = max((len(str(each.finding.verdict)) for each in found), default=0)
    for each in found:
        remark = "  (unexpected)" if each.surprise else f"  (expected to fail: {each.reason})" if each.reason else ""
        yield f"{each.finding.verdict!s:<{width}}  {each.name}{remark}"
        if verbose or each.surprise:
            yield INDENT + each.finding.summary
        if verbose:
            yield from (INDENT + line for line in detail_lines(each.finding))


def detail_lines(finding: Finding) -> Iterator[str]:
    """The power of a check: a short sentence if the finding contains it as data, and the full text."""
    if isinstance(finding.body, PrivacyFound) and (power := power_line(finding.body)):
        yield power
        yield f"Details: {finding.resolution}"
    elif finding.resolution:
        yield f"Power: {finding.resolution}"


def power_line(found: PrivacyFound) -> str:
    """The smallest violation that the samples of the hardest instance would have detected; "" without samples."""
    chosen = found.instances[found.hardest]
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
        self.checks: dict[str, set[str]] = {}  # by the advice, in the order of their numbers

    def shortened(self, check: str, text: str) -> str:
        """The text as displayed for this check: shortened if it was displayed before."""
        for advice in REPEATED:
            known = advice in self.checks
            if found := re.search(re.escape(advice), text, re.IGNORECASE):
                self.checks.setdefault(advice, set()).add(check)
                number = f"[{list(self.checks).index(advice) + 1}]"
                text = text[: found.start()] + (number if known else f"{number} {found[0]}") + text[found.end() :]
        return text

    def counts(self) -> str:
        """The number of checks with each remark; "" if none occurred twice."""
        repeated = [(k, len(checks)) for k, checks in enumerate(self.checks.values(), start=1) if len(checks) > 1]
        return ", ".join(f"[{k}] applies to {times} checks" for k, times in repeated)
