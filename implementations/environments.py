"""One virtual environment for each library, so that their requirements cannot clash.

`requirements/NAME.txt` has the exact versions of a library and of all that it needs. The environments are in the folder
`libraries` of the environment that runs this file, and are removed with it. They also see its packages (dpbandits and
what it needs); versions of their own come first.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).parent
REQUIREMENTS, FOLDER = HERE / "requirements", Path(sys.prefix) / "libraries"
STAMP = "installed"  # the digest of the requirements that an environment was made of
LAST_LINES = 3  # of pip's messages, in the reason of a failure
# An editable installation of dpbandits is found by a .pth file, which only addsitedir reads.
SHARED = "import site; site.addsitedir({folder!r})\n"


class CannotInstall(Exception):
    """A library that could not be installed. The message is the end of what pip says."""


def python_of(name: str) -> Path:
    """The interpreter of a library's environment. name: of its file of requirements. Installs what is missing.

    Raises CannotInstall."""
    folder, wanted = FOLDER / name, digest(name)
    python = folder / "bin" / "python"
    if (folder / STAMP).is_file() and (folder / STAMP).read_text(encoding="utf-8") == wanted:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    said = subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True, text=True, check=False)
    if said.returncode:
        raise CannotInstall(ending(said.stdout + said.stderr))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    shared = folder / "lib" / version / "site-packages" / "shared.pth"
    shared.write_text(SHARED.format(folder=sysconfig.get_path("purelib")), encoding="utf-8")
    said = subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile",
         "--requirement", str(REQUIREMENTS / f"{name}.txt")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if said.returncode:
        raise CannotInstall(ending(said.stderr or said.stdout))
    (folder / STAMP).write_text(wanted, encoding="utf-8")
    return python


def digest(name: str) -> str:
    """A digest of the requirements and of the interpreter."""
    text = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8") + sys.version
    return hashlib.sha256(text.encode()).hexdigest()


def ending(said: str) -> str:
    """The last lines of a message, without warnings, as one line."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("WARNING")]
    return " ".join(lines[-LAST_LINES:]) or "pip gave no reason"


def pinned_version(name: str, library: str) -> str:
    """The version of a library in its requirements. Raises ValueError if there is none."""
    for line in (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        package, _, version = line.partition("==")
        if version and package.strip().lower() == library.lower():
            return version.strip()
    raise ValueError(f"requirements/{name}.txt pins no version of {library}; write {library}==VERSION")
