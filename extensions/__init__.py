"""Optional parts: one folder for each extension, which `dpbandits.registry` finds automatically."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class MissingExtension(MetaPathFinder):
    """An import finder that is asked after all others. If an import of an extension fails, it names the extension that
    has to be restored."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Raises ModuleNotFoundError for a missing extension, or a module of one; None for all other names."""
        package, _, inside = name.removeprefix(f"{__name__}.").partition(".")
        if not name.startswith(f"{__name__}.") or (inside and sys.modules[f"{__name__}.{package}"].__file__):
            return None
        raise ModuleNotFoundError(
            f"{name}: the extension {package} is not installed; restore the folder extensions/{package}, or install "
            "dpbandits again",
            name=name,
        )


sys.meta_path.append(MissingExtension())
