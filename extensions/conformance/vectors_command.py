"""`dpbandits vectors`: writes the golden vectors into a folder."""

from __future__ import annotations

from pathlib import Path

import click

from dpbandits.audit.cli_shared.endings import Trouble, example_lines, say
from dpbandits.audit.cli_shared.options import FILE
from dpbandits.audit.cli_shared.outputs import write_trouble


@click.command(epilog=example_lines("dpbandits vectors golden"))
@click.argument("folder", type=FILE)
def vectors(folder: Path) -> None:
    """Write golden vectors for other implementations.

    The files are laws.json, tapes.json and profiles.json: inputs and outputs of the reference policies. They are for
    tests of implementations in any language; `dpbandits check --protocol` describes them."""
    from dpbandits.audit.runner.store import Refused
    from dpbandits.extensions.conformance.vectors import write

    try:
        for path in write(folder):
            say(str(path))
    except Refused as refused:
        raise Trouble(str(refused)) from None
    except OSError as error:
        raise write_trouble(folder, "the vectors", error, "choose another folder") from None
