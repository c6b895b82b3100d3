"""findings.json in, self-contained HTML pages out: one page, or a folder of them."""

from dpbandits.reports.site import pages, render

__all__ = ["pages", "render"]
