"""The public interface of dpbandits, which checks claims about differentially private bandits.

Users import from here only: the names in `__init__.pyi`, each of which is loaded when it is first used. In addition,
`dpbandits.papers` has the policies of the papers, `dpbandits.laws` what a policy may declare about itself,
`dpbandits.games` certified bounds on Thompson sampling's privacy, `dpbandits.pages` what the author of a page needs,
and `dpbandits.proofs` what the author of a proof needs. All other modules may change without notice.

Some names are those of extensions. Where the folder of an extension was deleted, its names are not in `__all__`, and
asking for one raises an ImportError that says what to restore.
"""

import re
from pathlib import Path

import lazy_loader

__version__ = "0.9.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def names_without_extension() -> set[str]:
    """The public names whose extension is not installed."""
    stub, here = Path(__file__).with_suffix(".pyi"), Path(__file__).with_name("extensions")
    of_extensions = re.findall(r"^from [.]extensions[.](\w+)\S* import (\w+)", stub.read_text(encoding="utf-8"), re.M)
    of_extensions.append(("thompson", "games"))
    return {name for extension, name in of_extensions if not (here / extension / "__init__.py").is_file()}


if missing := names_without_extension():
    __all__ = [name for name in __all__ if name not in missing]  # for `from dpbandits import *`
