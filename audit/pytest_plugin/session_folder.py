"""The folder in which the processes of a pytest session leave what they found: where it is, and whose."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

FOLDER = pytest.StashKey[Path]()  # where the processes of a session leave what they found
OWNER = pytest.StashKey[bool]()  # set in the process that made the folder, and that removes it


def session_folder(config: pytest.Config) -> Path:
    """The session's folder, made when it is first asked for."""
    if FOLDER not in config.stash:
        config.stash[FOLDER] = Path(tempfile.mkdtemp(prefix="dpbandits-"))
        config.stash[OWNER] = True
    return config.stash[FOLDER]
