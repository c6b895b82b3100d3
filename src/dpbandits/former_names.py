"""Former names of public things: a module that has renamed some still gives them, with a DeprecationWarning."""

import sys
import warnings
from collections.abc import Callable, Mapping


def attributes_by_former_names(module: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a module, by its full name. names: each former name's present one, which the module has."""

    def attribute(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{module}.{name} is deprecated; use {names[name]}", DeprecationWarning, 2)
        present: object = getattr(sys.modules[module], names[name])
        return present

    return attribute
