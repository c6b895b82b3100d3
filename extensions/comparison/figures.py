"""Pictures of a comparison: regret against T, regret against eps, and confidence intervals for a single question."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, groupby, pairwise
from typing import Any, NamedTuple

from markupsafe import Markup
from matplotlib.axes import Axes

from dpbandits.reference.claims.findings import above, below
from dpbandits.reports import vector
from dpbandits.reports.experiments import COLOURS
from dpbandits.reports.plotting import DASHES, Picture, dashed, decades, pictured, ticks
from dpbandits.reports.words import format_number, symbols

COMPARED = "pseudo-regret"  # the quantity that is drawn; shares of wrong answers stand in tables
ASKED = {"arms": "K", "horizon": "T", "eps": "eps", "delta": "delta"}
AXES = ("eps", "horizon")  # what questions may differ in that are drawn as one picture
FRONT_WIDTH, FRONT_HEIGHT = 300.0, 240.0  # points, with the names: as wide as a telephone shows whole
LABEL_HEIGHT = 12.0  # points, of a name beside a line
FAINT = 0.6  # of what stands back
LIMITS_WIDTH, ROW_HEIGHT, LINE_HEIGHT, AXIS_HEIGHT = 300.0, 14.0, 10.7, 36.0  # points, of limits side by side
LABEL_CHARACTERS = 22
SIDEWAYS = 0.2  # of the way to the next value, so that the limits of many policies do not hide each other
MIN_LOG_FACTOR = 12  # regret that spans a smaller factor is drawn on a plain axis

LETTERS = "TS: Thompson sampling; b: pre-pulls of each arm; c: the factor of its variance."

Question = Mapping[str, Any]


class Drawn(NamedTuple):
    """A picture with its title. instance: the parameters that all of its points share. arms: their number."""

    instance: str
    title: str
    picture: Picture
    arms: int


class Mark(NamedTuple):
    """The style in which a policy is drawn in all pictures of a page. label: its name, or its short name. strong:
    whether it is emphasised, because some advice on the page names it."""

    label: str
    colour: str
    dash: str
    strong: bool = False


class Cost(NamedTuple):
    """The regret of a policy at one position on the axis, with confidence limits of its expectation."""

    at: float
    mean: float
    low: float
    high: float


def drawn_comparisons(questions: Sequence[Question]) -> list[Drawn]:
    """Returns the pictures for these questions: curves, then one picture for each other question and family.
    The curves are those of questions that differ only in T or only in eps, one picture for each family."""
    marks = marks_of(questions)
    made: list[Drawn] = []
    alone = dict(enumerate(questions))
    for varied in AXES:
        for group in groups_along(questions, varied):
            for place in group:
                alone.pop(place, None)
            chosen = [questions[place] for place in group]
            for family in dict.fromkeys(each["name"] for one in chosen for each in one["families"]):
                picture = draw_front(varied, chosen, family, marks, f"compared-{len(made)}")
                made.append(Drawn(fixed_parameters(chosen[0], varied), family, picture, chosen[0]["arms"]))
    for one in alone.values():
        for family in (each["name"] for each in one["families"]):
            picture = draw_limits(one, family, marks, f"compared-{len(made)}")
            made.append(Drawn(fixed_parameters(one), family, picture, one["arms"]))
    return made


def fixed_parameters(question: Question, varied: str = "") -> str:
    """The parameters of a question except the varied one, such as "K = 2, T = 1000"."""
    fixed = (f"{name} = {format_number(question[each])}" for each, name in ASKED.items() if each != varied)
    return ", ".join(fixed)


def groups_along(questions: Sequence[Question], varied: str) -> list[list[int]]:
    """Returns groups of questions that differ only in the parameter `varied`.
    A group is a list of positions in `questions`, at least two, in increasing order of the parameter."""

    def others(place: int) -> tuple[Any, ...]:
        """Returns the parameters of the question at a position, except the varied one."""
        return tuple(questions[place][each] for each in ASKED if each != varied)

    order = sorted(range(len(questions)), key=lambda place: (others(place), questions[place][varied]))
    groups = [list(group) for _, group in groupby(order, others)]
    return [group for group in groups if len({questions[place][varied] for place in group}) > 1]


def marks_of(questions: Iterable[Question]) -> dict[str, Mark]:
    """Returns the colour, line and label with which each policy is drawn, by the policy's name.
    A policy is coloured if some advice recommends it or lists it as a tie; dashed and in the colour of the text if it
    is a baseline; otherwise grey. Policies whose regret was not measured are left out."""
    played = {row["policy"] for one in questions for row in one["measured"] if row["quantity"] == COMPARED}
    advised = {name for one in questions for name in (one["advice"]["policy"], *one["advice"]["ties"])}
    standings: dict[str, set[str]] = {}
    labels: dict[str, str] = {}
    for one in questions:
        for each in one["candidates"]:
            if each["name"] in played:
                standings.setdefault(each["name"], set()).add(each["standing"])
                labels[each["name"]] = each["short"] or each["name"]
    made: dict[str, Mark] = {}
    colours, dashes = cycle(COLOURS), cycle(DASHES[1:])
    for name, stands in standings.items():
        if name in advised:
            made[name] = Mark(labels[name], next(colours), DASHES[0], True)
        elif "baseline" in stands:
            made[name] = Mark(labels[name], vector.CLAIMED, next(dashes))
        else:
            made[name] = Mark(labels[name], vector.MUTED, DASHES[0])
    return made


def costs(question: Question, family: str, x: float) -> dict[str, Cost]:
    """Returns the regret of every policy on a family, with its confidence limits, to be drawn at the position x.
    x: the position on the axis."""
    rows = (row for row in question["measured"] if row["family"] == family and row["quantity"] == COMPARED)
    return {row["policy"]: Cost(x, row["mean"], row["low"], row["high"]) for row in rows}


def needs_log_axis(regrets: Sequence[Cost]) -> bool:
    """Whether the regrets need a logarithmic axis: all means are positive, and they differ by a large factor."""
    means = [each.mean for each in regrets]
    return bool(means) and min(means) > 0 and max(means) > MIN_LOG_FACTOR * min(means)


def draw_front(
    varied: str, questions: Sequence[Question], family: str, marks: Mapping[str, Mark], name: str
) -> Picture:
    """Draws the regret of all policies on a family against `varied`, which is eps or T.
    A dot for each mean, a bar for its limits, and the policy's name next to the last dot."""
    lines: dict[str, list[Cost]] = {}
    for one in questions:
        for policy, found in costs(one, family, one[varied]).items():
            lines.setdefault(policy, []).append(found)
    every = [each for points in lines.values() for each in points]
    log, values = needs_log_axis(every), sorted({one[varied] for one in questions})
    with vector.drawing():
        canvas, axes = vector.canvas(FRONT_WIDTH, FRONT_HEIGHT)
        axes.set(xscale="log", yscale="log" if log else "linear", xlabel=symbols(ASKED[varied]), ylabel="regret")
        least = min((each.mean for each in every), default=0.0) / 10 if log else -float("inf")
        room = min((after / before for before, after in pairwise(values)), default=1.0) ** SIDEWAYS
        for place, (policy, points) in enumerate(lines.items()):
            _, colour, dash, strong = marks[policy]
            x = [each.at * room ** ((place + 0.5) / len(lines) - 0.5) for each in points]
            y = [each.mean for each in points]
            look: dict[str, Any] = {"color": colour, "alpha": 1.0 if strong else FAINT, "zorder": 3 if strong else 2}
            axes.plot(x, y, linestyle=dashed(dash), linewidth=1.6 if strong else 0.8, **look)
            axes.plot(x, y, "o", markersize=3.6 if strong else 2.4, **look)
            lows = [max(each.low, least) for each in points]
            axes.vlines(x, lows, [each.high for each in points], linewidth=1.3 if strong else 0.7, **look)
        if log and (limits := decades(axes.dataLim.intervaly)):
            axes.set_ylim(*limits)
        ticks(axes, log_x=True, log_y=log)
        axes.set_xticks(values, [format_number(value) for value in values])
        label_lines(axes, {policy: points[-1].mean for policy, points in lines.items()}, marks)
        rows = [(policy, *each) for policy, points in lines.items() for each in points]
        scale = "logarithmic axes" if log else "a logarithmic horizontal axis"
        words = (
            f"Regret against {ASKED[varied]}, on {scale}. In colour: what the advice names; dashed: baselines. Dots of "
            f"one {ASKED[varied]} stand a little beside each other; lines between them only lead the eye. {LETTERS}"
        )
        heads = ("policy", ASKED[varied], "mean", below("low"), above("high"))
        return safe(pictured(name, canvas, [], [words, measured_words(questions)], heads, rows))


def label_lines(axes: Axes, ends: Mapping[str, float], marks: Mapping[str, Mark]) -> None:
    """Writes the names to the right of the picture, each as near as possible to the height at which its line ends.
    A thin line leads to a name that was moved."""
    leader = {"arrowstyle": "-", "relpos": (0.0, 0.5), "shrinkB": 0, "linewidth": 0.5, "alpha": FAINT}
    names = sorted(ends, key=lambda name: ends[name])
    axes.set_ylim(*axes.get_ylim())  # so that no later drawing moves it
    heights = [to_share(axes, ends[name]) for name in names]
    for name, height, place in zip(names, heights, spread_heights(heights, LABEL_HEIGHT / FRONT_HEIGHT), strict=True):
        label, colour, _, strong = marks[name]
        axes.annotate(
            textwrap.shorten(label, LABEL_CHARACTERS, placeholder="..."), (1.0, height), (1.08, place),
            xycoords="axes fraction", va="center", color=colour if strong else vector.MUTED,
            fontweight="bold" if strong else "normal", annotation_clip=False,
            arrowprops={**leader, "color": colour},
        )  # fmt: skip


def to_share(axes: Axes, value: float) -> float:
    """Converts a value on the vertical axis to a share of the axis, from 0 at the bottom to 1 at the top."""
    return float(axes.transAxes.inverted().transform(axes.transData.transform((1.0, value)))[1])


def spread_heights(heights: Sequence[float], min_gap: float) -> list[float]:
    """Returns increasing heights, moved as little as possible so that neighbours are at least `min_gap` apart."""
    groups: list[list[float]] = []  # of heights that touch, which stand evenly around their mean
    for height in heights:
        groups.append([height])
        while (
            len(groups) > 1
            and middle(groups[-1]) - middle(groups[-2]) < min_gap * (len(groups[-1]) + len(groups[-2])) / 2
        ):
            last = groups.pop()
            groups[-1] += last
    return [middle(group) + min_gap * (place - (len(group) - 1) / 2) for group in groups for place in range(len(group))]


def middle(group: Sequence[float]) -> float:
    """Returns the mean of a group of heights."""
    return sum(group) / len(group)


def draw_limits(question: Question, family: str, marks: Mapping[str, Mark], name: str) -> Picture:
    """Draws the regret of all policies on a family, one line for each policy, the smallest first.
    A dot for the mean, and a bar for its limits."""
    found = dict(sorted(costs(question, family, 0.0).items(), key=lambda each: each[1].mean))
    log = needs_log_axis(list(found.values()))
    labels = [textwrap.fill(marks[policy].label, LABEL_CHARACTERS) for policy in found]
    row = ROW_HEIGHT + LINE_HEIGHT * max((label.count("\n") for label in labels), default=0)
    with vector.drawing():
        canvas, axes = vector.canvas(LIMITS_WIDTH, AXIS_HEIGHT + row * max(len(labels), 1))
        axes.set(xscale="log" if log else "linear", xlabel="regret", ylim=(len(found) - 0.4, -0.6))
        least = min((each.mean for each in found.values()), default=0.0) / 10 if log else 0.0
        for place, (policy, cost) in enumerate(found.items()):
            _, colour, _, strong = marks[policy]
            ends = [max(cost.low, least), cost.high]
            axes.plot(ends, [place, place], color=colour, linewidth=3, alpha=0.4, solid_capstyle="butt")
            axes.plot([cost.mean], [place], "o", color=colour, markersize=4.6 if strong else 3.4)
        if not log:
            axes.set_xlim(0.0, 1.05 * max((each.high for each in found.values()), default=1.0) or 1.0)
        ticks(axes, log_x=log)
        axes.set_yticks(range(len(found)), labels)
        for policy, label in zip(found, axes.get_yticklabels(), strict=True):
            label.set(color=marks[policy].colour, fontweight="bold" if marks[policy].strong else "normal")
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        rows = [(policy, *cost[1:]) for policy, cost in found.items()]
        words = f"Regret of each policy{', on a logarithmic axis' if log else ''}. In colour: what the advice names."
        words = f"{words} {LETTERS}"
        return safe(
            pictured(name, canvas, [], [words, measured_words([question])], ("policy", *Cost._fields[1:]), rows)
        )


def measured_words(questions: Sequence[Question]) -> str:
    """Returns the caption of a picture: what its dots and bars mean, and the error probability of the limits."""
    runs, risk = ({one[each] for one in questions} for each in ("runs", "risk"))
    counted = " to ".join(format_number(each) for each in sorted({min(runs), max(runs)}))
    return (
        f"Dots: means of {counted} runs. Bars: limits of the expectation; those of a question hold "
        f"simultaneously, with error probability at most {format_number(max(risk))}. Less is better."
    )


def safe(picture: Picture) -> Picture:
    """The picture with its SVG marked as safe, so that templates insert the SVG unchanged."""
    return picture._replace(svg=Markup(picture.svg))
