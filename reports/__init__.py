"""Turns a findings.json into self-contained HTML pages: one page, or a folder of pages."""

from dpbandits.reports.site import pages, render

__all__ = ["pages", "render"]
