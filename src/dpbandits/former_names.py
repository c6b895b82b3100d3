"""Former names of public functions and classes: a module that has renamed some still provides the old names, with a
DeprecationWarning."""

import sys
import warnings
from collections.abc import Callable, Mapping


def attributes_by_former_names(module: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """Returns a function `__getattr__` for the module of this full name, which also accepts former names.
    names: the current name for each former name."""

    def attribute(name: str) -> object:
        """Returns the current object for a former name, with a DeprecationWarning.
        Raises AttributeError for an unknown name."""
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{module}.{name} is deprecated; use {names[name]}", DeprecationWarning, 2)
        present: object = getattr(sys.modules[module], names[name])
        return present

    return attribute
