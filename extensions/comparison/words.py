"""A comparison as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from dpbandits.extensions.comparison import document as d
from dpbandits.reference.claims.model import Verdict
from dpbandits.reference.curves.approximate import delta_text

WIDTH = 110


def comparison_text(comparison: d.Comparison) -> str:
    """Returns a comparison as text: question, advice and its basis, regret, guarantees and conditions.
    The text also lists the policies left out."""
    delta = f"delta = {delta_text(comparison.delta)}" if comparison.delta else "delta = 0"
    lines = [
        f"{comparison.arms} arms, T = {comparison.horizon}, eps = {comparison.eps:g}, {delta}; neighbours "
        "differ in one reward of the "
        f"table of pulls; {comparison.runs} runs of each policy",
        "",
        *wrapped(comparison.advice.sentence),
        *wrapped(caveat(comparison)),
        "",
        *regret_table(
            comparison,
            d.OF_REGRET,
            f"Regret: mean [confidence interval; all hold with probability {1 - comparison.risk:g}]",
        ),
        "* a baseline: without privacy, or without learning",
        "",
    ]
    if any(row.quantity == d.MISSED for row in comparison.measured):
        lines += [*regret_table(comparison, d.MISSED, "Best-arm identification: error probability"), ""]
    out = [each for each in comparison.candidates if each.standing in (d.UNREACHABLE, d.REFUTED, d.OPEN)]
    if out:
        lines.append("Policies that are never recommended:")
        lines += [line for each in out for line in wrapped(f"  {each.name}: {each.standing}. {each.why}")]
        lines.append("")
    lines += [
        line for each in comparison.candidates if each.audit for line in wrapped(f"{each.name}, audited: {each.audit}")
    ]
    lines += [
        "Privacy guarantees:",
        *(line for each in comparison.candidates for line in guarantee_lines(each, comparison.advice.policy)),
        "",
    ]
    lines += ["Conditions:", *(line for each in comparison.advice.conditions for line in wrapped(f"- {each}"))]
    return "\n".join(lines)


def caveat(comparison: d.Comparison) -> str:
    """Returns a line on the recommended policy: its guarantee, the verdict, and what the verdict rests on.
    "" if no policy is recommended."""
    chosen = next((each for each in comparison.candidates if each.name == comparison.advice.policy), None)
    if chosen is None or chosen.promise is None:
        return ""
    promise = chosen.promise
    only = " only" if promise.verdict == Verdict.ARGUED else ""
    rests_on = f" ({', '.join(promise.rests_on)})" if promise.rests_on else ""
    read = source_words(chosen.paper_read)
    return f"Its privacy guarantee, {promise.words}: {promise.verdict}{only}{rests_on}{read}."


def source_words(paper_read: str) -> str:
    """A clause that names the secondary source from which the paper was read; "" if the paper itself was read."""
    if not paper_read:
        return ""
    return f"; read from a secondary source, {paper_read}" if "quoted" in paper_read else f"; read {paper_read}"


def wrapped(text: str) -> list[str]:
    """The text in lines of at most WIDTH characters; all but the first line are indented."""
    return wrap(text, WIDTH, subsequent_indent="    ")


def guarantee_lines(candidate: d.Candidate, recommended: str) -> list[str]:
    """Returns lines of text with a policy's privacy guarantee, its claim and its verdict.
    No lines if the policy has no guarantee, or was not played. The advice already states how the recommended policy's
    paper was read, so the lines omit this."""
    promise = candidate.promise
    if promise is None or candidate.standing in (d.UNREACHABLE, d.REFUTED):
        return []
    rests_on = f" on {', '.join(promise.rests_on)}" if promise.rests_on else ""
    about = promise.claim or "its own statement"
    read = "" if candidate.name == recommended else source_words(candidate.paper_read)
    verdict = f"{promise.verdict}{rests_on}; {promise.judged}{read}."
    at = ", ".join(f"{name} = {value:.12g}" for name, value in candidate.parameters.items())
    who = f"{candidate.name} ({at})" if at else candidate.name
    return wrapped(f"  {who}: {promise.words} by {about} ({promise.reading}): {verdict}")


def regret_table(comparison: d.Comparison, quantity: str, title: str) -> list[str]:
    """Returns the lines of the table of regrets.
    A row for each policy, sorted by regret on the first family, and a column for each family."""
    rows = {(row.policy, row.family): row for row in comparison.measured if row.quantity == quantity}
    names = list(dict.fromkeys(policy for policy, _ in rows))
    first = comparison.families[0].name
    names.sort(key=lambda name: rows[name, first].mean)
    standing = {each.name: each.standing for each in comparison.candidates}
    heads = ["", *(family.name for family in comparison.families)]
    cells = [
        [
            f"{name}{standing_mark(standing[name])}",
            *(mean_with_interval(rows[name, family.name]) for family in comparison.families),
        ]
        for name in names
    ]
    widths = [max(len(row[place]) for row in [heads, *cells]) for place in range(len(heads))]
    return [title, *(line(row, widths) for row in [heads, *cells])]


def standing_mark(standing: str) -> str:
    """Returns the mark after a policy's name in the table, such as " *" for a baseline; "" for most policies."""
    return {d.BASELINE: " *", d.OPEN: " (claim not established)"}.get(standing, "")


def line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Returns a line of the table: the name aligned left, the numbers aligned right in their columns."""
    return "  ".join(
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
    )


def mean_with_interval(row: d.Measured) -> str:
    """Returns a mean with its confidence interval as text; the mean alone if it is exact."""
    digits = 3 if row.quantity == d.MISSED else 0
    if row.low == row.high:
        return f"{row.mean:.{digits}f}"
    return f"{row.mean:.{digits}f} [{row.low:.{digits}f}, {row.high:.{digits}f}]"
