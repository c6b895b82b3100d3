"""`dpbandits new` and `dpbandits examples`: write a new module for a paper, or the examples, into a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import click

import dpbandits
from dpbandits.audit.cli_shared.endings import Trouble, example_lines, printable
from dpbandits.audit.cli_shared.options import FILE
from dpbandits.audit.cli_shared.outputs import write_trouble

EXAMPLES = Path(dpbandits.__file__).parent / "shipped" / "examples"
EXAMPLE_PATTERNS = ("*.md", "*.py", "*.cpp", "*.js", "skeleton/**/*.py")  # what is installed of them
MAX_KEY = 60  # characters of a page's key
SKELETON = "skeleton"  # its folder among the examples, and the key of its page


@click.command(epilog=example_lines("dpbandits new smith26", "dpbandits new smith26 --folder pages"))
@click.argument("key")
@click.option(
    "--folder",
    type=FILE,
    default=Path(),
    show_default=True,
    help="Where to create the folder KEY.",
)
def new(key: str, folder: Path) -> None:
    """Create a page for a new paper.

    The command creates a folder named KEY, such as smith26, with a small page to edit. The page contains formulas, a
    policy, a privacy claim, and a lemma with a proof. Some statements are false on purpose: `dpbandits audit --page
    KEY` finds them."""
    from dpbandits.reference.claims.ledger import key_fault

    if len(key) > MAX_KEY or key.startswith("_"):
        raise Trouble(
            f"the key {printable(key[:MAX_KEY])} must have at most {MAX_KEY} characters and begin with a letter, "
            "for example smith26"
        )
    target = folder / key
    if reason := key_fault(key):
        raise Trouble(f"{printable(key)}: {printable(reason)}")
    if target.exists() or target.is_symlink():
        raise Trouble(f"{printable(target)} exists already; choose another KEY, or another --folder")
    inside = f"{SKELETON}/"
    page = {name.removeprefix(inside): renamed(text, key) for name, text in shipped().items() if inside in name}
    copied(target, page, "the page")
    click.echo(f"page: {printable(target)}\ntry:  dpbandits audit --page {printable(target)}")


def renamed(text: str, key: str) -> str:
    """Returns the text of a template file in which the skeleton's key is replaced by `key`."""
    text = text.replace(f"examples/{SKELETON}", key).replace(f'"{SKELETON}"', f'"{key}"')
    return re.sub(rf"^from {SKELETON}\b", f"from {key}", text, flags=re.MULTILINE)


@click.command(epilog=example_lines("dpbandits examples first-steps"))
@click.argument("folder", type=FILE)
def examples(folder: Path) -> None:
    """Write example policies and programs into FOLDER.

    The examples are policies, programs in three languages, a page for a paper, and the wire protocol. FOLDER is
    created. Its README.md describes each example and how to run it."""
    if folder.is_symlink() or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))):
        raise Trouble(f"{printable(folder)} exists already and is not an empty folder; choose another folder")
    copied(folder, shipped(), "the examples")
    click.echo(f"examples: {printable(folder / 'README.md')}")


def shipped() -> dict[str, str]:
    """Returns the folder of each shipped example, by the example's name."""
    root = EXAMPLES.resolve()
    paths = [path for pattern in EXAMPLE_PATTERNS for path in sorted(root.glob(pattern))]
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def copied(target: Path, texts: Mapping[str, str], description: str) -> None:
    """Writes the text of each named file into a folder, which is created: all files, or none."""
    from dpbandits.audit.runner import store

    try:
        for name in texts:
            store.make_folder((target / name).parent)
        store.write_all_or_none({target / name: text for name, text in texts.items()})
    except store.Refused as refused:
        raise Trouble(printable(refused)) from None
    except OSError as error:
        raise write_trouble(target, description, error, "choose another folder") from None
