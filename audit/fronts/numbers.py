"""Numbers on the command line: what is none is refused in words that say what would be one."""

from __future__ import annotations

from math import isnan
from typing import Any

import click


class WholeOption(click.IntRange):
    """A whole number in a range, written in digits."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            int(value)
        except ValueError:
            self.fail(f"{str(value)[:60]!r} is no whole number in at most 4300 digits, such as 1000", param, ctx)
        return super().convert(value, param, ctx)


class NumberOption(click.FloatRange):
    """A number in a range."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            known = not isnan(float(value))
        except ValueError:
            known = False
        if not known:
            self.fail(f"{str(value)[:60]!r} is no number, such as 1e-6 or 0.5", param, ctx)
        return super().convert(value, param, ctx)
