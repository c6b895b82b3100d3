"""Drawings as inline SVG: drawn by matplotlib in placeholder colours, which are replaced by the page's CSS variables.

So one drawing follows the reader's light or dark mode, like the text around it. The output depends only on the drawing:
it contains no date and no random ids, and the user's matplotlibrc is ignored.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree import ElementTree

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

# Stand-in colours: nearly black, so that no drawing uses one by accident, and the CSS variable of each.
PAPER, INK, MUTED, RULE = "#000101", "#000102", "#000103", "#000104"
CLAIMED, EXACT, CERTIFIED = "#000105", "#000106", "#000107"
OTHER_COLOURS = ("#000108", "#000109", "#00010a", "#00010b")
VARIABLES = {
    PAPER: "var(--paper)",
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    RULE: "var(--rule)",
    CLAIMED: "var(--claimed)",
    EXACT: "var(--exact)",
    CERTIFIED: "var(--certified)",
    **{colour: f"var(--other-{i})" for i, colour in enumerate(OTHER_COLOURS, 1)},
}

LETTERS = 8.5  # units of the drawing: the size of its text
MARGIN = 3.0  # units between the words of a drawing and its edge
SCALE = 0.094  # rem for one unit where there is room: the text comes out at about 13 pixels
SMALLEST_SCALE = 10 / 16 / LETTERS  # rem for one unit on a narrow screen: the text comes out at 10 pixels

STYLE = {
    "svg.fonttype": "none",  # text stays text: it can be read aloud, searched and set in the page's own face
    "svg.hashsalt": "dpbandits",
    "font.size": LETTERS,
    "axes.labelsize": LETTERS,
    "xtick.labelsize": LETTERS,
    "ytick.labelsize": LETTERS,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.6,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.visible": False,
    "ytick.minor.visible": False,
    "text.color": INK,
    "text.parse_math": False,  # a label with two dollars in it is a label with two dollars
    "figure.facecolor": "none",
    "lines.linewidth": 1.3,
    "path.simplify": True,
    "path.simplify_threshold": 0.2,
}


@contextmanager
def drawing() -> Iterator[None]:
    """A context manager in which matplotlib has its defaults and the report's style, whatever the user's settings."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty figure of this size (in points) and its axes. It must be called inside `drawing`."""
    figure = Figure(figsize=(width / 72, height / 72))
    return figure, figure.add_subplot()


def fit_axes(figure: Figure, renderer: RendererSVG) -> None:
    """Makes the axes as large as the labels around them allow.
    The labels are measured once, or twice if there are texts, which may be placed in shares of the axes;
    constrained_layout of matplotlib measures everything twice."""
    (axes,), (width, height) = figure.axes, figure.bbox.size
    for _ in range(2 if axes.texts else 1):
        words = (part.get_tightbbox(renderer) for part in (axes.xaxis, axes.yaxis, *axes.texts))
        inner, outer = axes.bbox, Bbox.union([axes.bbox, *filter(None, words)])
        left, bottom = inner.x0 - outer.x0 + MARGIN, inner.y0 - outer.y0 + MARGIN
        right, top = width - (outer.x1 - inner.x1) - MARGIN, height - (outer.y1 - inner.y1) - MARGIN
        axes.set_position((left / width, bottom / height, (right - left) / width, (top - bottom) / height))


def svg(figure: Figure, name: str) -> str:
    """The figure as an <svg> element for an HTML page. name: unique on the page; every id starts with it."""
    file = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.dpi = 72  # units of SVG
    with warnings.catch_warnings():
        # matplotlib only measures the text; whether there is a glyph is up to the reader's fonts.
        warnings.filterwarnings("ignore", r"Glyph .* missing")
        renderer = RendererSVG(*figure.bbox.size, file, metadata=nothing)  # `savefig` draws everything twice
        fit_axes(figure, renderer)
        figure.draw(renderer)
        renderer.finalize()
    root = ElementTree.fromstring(file.getvalue())
    for node in root.iter():
        node.tag = without_namespace(node.tag)
        node.attrib = {without_namespace(key): value for key, value in node.attrib.items()}
        node.text = node.text if node.tag in ("text", "tspan") else None
        node.tail = None
        for key, value in node.attrib.items():
            if key != "id":
                value = re.sub(r"-?\d+\.\d+", lambda match: f"{round(float(match[0]), 2):g}", value)
                node.attrib[key] = re.sub(r"#[0-9a-f]{6}", lambda match: VARIABLES.get(match[0], match[0]), value)
        if node.tag == "text":
            # The style of a text without its font family
            style = node.attrib.get("style", "")
            size = re.search(r"font(?:-size)?:[^;]*?([\d.]+)px", style)
            kept = [part.strip() for part in style.split(";") if part.strip() and not part.strip().startswith("font")]
            node.attrib["style"] = "; ".join([f"font-size: {size[1]}px" if size else "", *kept]).lstrip("; ")
        if node.attrib.get("transform", "").startswith(("rotate(-0 ", "rotate(0 ")):
            del node.attrib["transform"]
        if "d" in node.attrib:
            node.attrib["d"] = shorten_path(node.attrib["d"])
    rename(root, name)
    remove_idle_nodes(root)
    width = float(root.attrib.pop("width").removesuffix("pt"))
    for idle in ("height", "version"):
        root.attrib.pop(idle, None)
    root.set("style", f"width: {width * SCALE:.4g}rem; --least: {width * SMALLEST_SCALE:.4g}rem")
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title")
    root.set("aria-describedby", f"{name}-words")
    return ElementTree.tostring(root, encoding="unicode")


def remove_idle_nodes(node: ElementTree.Element) -> None:
    """Removes elements without effect: groups without attributes, paths that are not painted, empty elements."""
    kept: list[ElementTree.Element] = []
    for child in node:
        remove_idle_nodes(child)
        if child.tag == "g" and not child.attrib:
            kept += child
            continue
        idle = child.attrib.get("style") == "fill: none" or (not len(child) and child.tag in ("g", "defs"))
        if not idle and child.tag not in ("metadata", "style"):  # a style would hold for the whole page
            kept.append(child)
    node[:] = kept


def shorten_path(path: str) -> str:
    """The data of an SVG path in fewer characters.
    After a move or a line command, further points are lines by default."""
    path = " ".join(path.split())
    if re.search("[A-KN-Ya-y]", path):
        return path
    return path.replace(" L ", " ").replace(" z", "z")


def without_namespace(name: str) -> str:
    """Returns the name without its XML namespace."""
    return name.rpartition("}")[2]


def rename(root: ElementTree.Element, name: str) -> None:
    """Prefixes ids that are referenced with the figure's name, and removes all other ids."""
    pattern = re.compile(r"(?<=url\(#)[^)]+(?=\))|(?<=^#).+")
    used = [found for node in root.iter() for value in node.attrib.values() for found in pattern.findall(value)]
    names = {old: f"{name}-{i}" for i, old in enumerate(dict.fromkeys(used))}
    for node in root.iter():
        if (old := node.attrib.pop("id", None)) in names:
            node.set("id", names[old])
        for key, value in node.attrib.items():
            if key != "id":
                node.attrib[key] = pattern.sub(lambda match: names[match[0]], value)
