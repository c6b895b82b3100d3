"""Writes a single figure as a file of its own: the curves, their legend, and a sentence about the result."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from xml.etree import ElementTree

from dpbandits.reference.claims.records import Lines
from dpbandits.reports import figures, vector
from dpbandits.reports.document import validate_document
from dpbandits.reports.plotting import Key, Picture
from dpbandits.reports.tally import featured
from dpbandits.reports.words import prose

LINE = 11  # the height of a line of the legend, in units of the drawing


def headline(document: object) -> str:
    """Returns the first picture of a document's overview as the text of an SVG file.
    Raises ValueError for a document that violates the schema, or whose overview begins without curves."""
    data = validate_document(document)
    first = featured(data["findings"], data["headlines"], ("lines",))
    if first is None:
        raise ValueError("no finding of this document has an overview with curves, so there is no picture to write")
    return drawing(next(item for item in first["evidence"] if item["kind"] == "lines"))


def drawing(item: Lines) -> str:
    """Draws a picture as the text of an SVG file, with title, curves and legend.
    item: evidence of kind "lines". The picture's colours are light or dark, like the reader's screen."""
    with vector.drawing():
        return svg_file(figures.lines(item, "alone"), item["title"])


def svg_file(picture: Picture, title: str) -> str:
    """The text of an SVG file with a drawn picture and its legend below it."""
    root = ElementTree.fromstring(picture.svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    dashed = len({key.colour for key in picture.legend}) < len(picture.legend)  # colours alone do not tell them apart
    lines = [Key(title, "line", "var(--ink)"), *picture.legend]
    for i, key in enumerate(lines):
        y = height + LINE * (i + 1)
        if dashed and i:
            drawn = {
                "d": f"M8 {y - 3:g}H30",
                "style": f"fill: none; stroke: {key.colour}",
                "stroke-dasharray": key.dash,
            }
            ElementTree.SubElement(root, "path", {name: value for name, value in drawn.items() if value})
        place = {"x": "36" if dashed and i else "8", "y": f"{y:g}", "style": f"font-size: 8px; fill: {key.colour}"}
        ElementTree.SubElement(root, "text", place).text = key.label
    for name, text in (("desc", picture.words), ("title", title)):
        described = ElementTree.Element(name, {"id": f"{picture.name}-{'words' if name == 'desc' else name}"})
        described.text = text
        root.insert(0, described)
    colours, _, _ = (files("dpbandits.reports") / "style.css").read_text(encoding="utf-8").partition("\n* {")
    style = ElementTree.Element("style")
    style.text = f"{colours}\nsvg {{ background: var(--paper); font-family: var(--sans); }}"
    root.insert(0, style)
    made_by = ElementTree.Element("metadata")  # whoever writes it again knows it for its own
    made_by.text = "dpbandits"
    root.insert(0, made_by)
    root.attrib |= {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {width:g} {height + LINE * (len(lines) + 1):g}",
    }
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def page(item: Lines, words: str) -> str:
    """An HTML page with the picture of a "lines" item of evidence and a text below it."""
    with vector.drawing():
        picture = figures.lines(item, "alone")
    style = (files("dpbandits.reports") / "style.css").read_text(encoding="utf-8")
    legend = "".join(f'<li style="color: {key.colour}">{escape(key.label)}</li>' for key in picture.legend)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="generator" content="dpbandits ">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(item['title'])}</title>"
        f"<style>{style}</style><main><h1>{escape(item['title'])}</h1>"
        f'<figure><span id="alone-title" hidden>{escape(item["title"])}</span><div class="canvas">{picture.svg}</div>'
        f'<ul>{legend}</ul><figcaption id="alone-words">{prose(picture.words)}</figcaption></figure>'
        f'<pre class="wrapped">{escape(words)}</pre></main></html>\n'
    )
