"""findings.json in, one self-contained HTML page out."""

from dpbandits.reports.page import render

__all__ = ["render"]
