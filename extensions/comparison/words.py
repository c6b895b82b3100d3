"""A comparison in lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from dpbandits.extensions.comparison import document as d
from dpbandits.reference.curves.approximate import delta_text

WIDTH = 110


def comparison_text(found: d.Comparison) -> str:
    """The question, a table of regret, who stands apart, who is not played and why, what privacy rests on, advice."""
    delta = f"delta = {delta_text(found.delta)}" if found.delta else "no delta"
    lines = [
        f"{found.arms} arms, T = {found.horizon}, eps = {found.eps:g}, {delta}; one reward of the table of pulls "
        f"changed; {found.runs} runs of each",
        "",
        *regret_table(
            found, d.OF_REGRET, f"regret: mean [limits that all hold together, but for a risk of {found.risk:g}]"
        ),
        "* a baseline: not private, to show what privacy costs; or reads no reward, to show what has to be beaten",
        "",
    ]
    if any(row.quantity == d.MISSED for row in found.measured):
        lines += [*regret_table(found, d.MISSED, "best arm: how often the answer is wrong"), ""]
    out = [each for each in found.candidates if each.standing in (d.UNREACHABLE, d.REFUTED, d.OPEN)]
    lines += [line for each in out for line in wrapped(f"{each.name}: {each.standing}. {each.why}")]
    lines += [
        line for each in found.candidates if each.audit for line in wrapped(f"{each.name}, audited: {each.audit}")
    ]
    lines += ["", "what privacy rests on:", *(line for each in found.candidates for line in promise_lines(each)), ""]
    lines += wrapped(found.advice.sentence)
    lines += [line for each in found.advice.conditions for line in wrapped(f"- {each}")]
    return "\n".join(lines)


def wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, subsequent_indent="    ")


def promise_lines(candidate: d.Candidate) -> list[str]:
    """What a played policy's privacy rests on; nothing for who promises nothing, or is not played."""
    promise = candidate.promise
    if promise is None or candidate.standing in (d.UNREACHABLE, d.REFUTED):
        return []
    rests_on = f" on {', '.join(promise.rests_on)}" if promise.rests_on else ""
    about = promise.claim or "its own word"
    read = f" The paper was read {candidate.paper_read}." if candidate.paper_read else ""
    verdict = f"{promise.verdict}{rests_on}; {promise.judged}.{read}"
    at = ", ".join(f"{name} = {value:.12g}" for name, value in candidate.parameters.items())
    who = f"{candidate.name} ({at})" if at else candidate.name
    return wrapped(f"  {who}: {promise.words} by {about} ({promise.reading}): {verdict}")


def regret_table(found: d.Comparison, quantity: str, title: str) -> list[str]:
    """A row a policy, the cheapest first on the first family; a column a family."""
    rows = {(row.policy, row.family): row for row in found.measured if row.quantity == quantity}
    names = list(dict.fromkeys(policy for policy, _ in rows))
    first = found.families[0].name
    names.sort(key=lambda name: rows[name, first].mean)
    standing = {each.name: each.standing for each in found.candidates}
    heads = ["", *(family.name for family in found.families)]
    cells = [
        [f"{name}{mark(standing[name])}", *(cell(rows[name, family.name]) for family in found.families)]
        for name in names
    ]
    widths = [max(len(row[place]) for row in [heads, *cells]) for place in range(len(heads))]
    return [title, *(line(row, widths) for row in [heads, *cells])]


def mark(standing: str) -> str:
    return {d.BASELINE: " *", d.OPEN: " (not established)"}.get(standing, "")


def line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
    )


def cell(row: d.Measured) -> str:
    digits = 3 if row.quantity == d.MISSED else 0
    if row.low == row.high:
        return f"{row.mean:.{digits}f}"
    return f"{row.mean:.{digits}f} [{row.low:.{digits}f}, {row.high:.{digits}f}]"
