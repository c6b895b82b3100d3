"""One picture as a page of its own: the curves, their legend, and what was found, in words."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any

from dpbandits.reports import charts, vector


def page(item: Mapping[str, Any], words: str) -> str:
    """An HTML page with a "lines" item of the findings and a text beside it."""
    with vector.drawing():
        picture = charts.lines(item, "alone")
    style = (files("dpbandits.reports") / "style.css").read_text(encoding="utf-8")
    legend = "".join(f'<li style="color: {key.colour}">{escape(key.label)}</li>' for key in picture.legend)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(item["title"])}</title>'
        f"<style>{style}</style><main><h1>{escape(item['title'])}</h1>"
        f'<figure><span id="alone-title" hidden>{escape(item["title"])}</span>{picture.svg}<ul>{legend}</ul>'
        f'<figcaption id="alone-words">{escape(picture.words)}</figcaption></figure>'
        f"<pre>{escape(words)}</pre></main></html>\n"
    )
