"""`dpbandits compare`: which policies satisfy a privacy target, and how much regret they have."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from dpbandits.audit.cli_shared.endings import Trouble, example_lines, printable, say
from dpbandits.audit.cli_shared.given import load_from_file, make_policy, raised_in
from dpbandits.audit.cli_shared.json_files import load_json
from dpbandits.audit.cli_shared.options import FILE, GroupedCommand, NumberOption, WholeOption
from dpbandits.audit.cli_shared.outputs import Output, claim_outputs, write_outputs
from dpbandits.reference.claims.file_names import stem

if TYPE_CHECKING:
    from dpbandits.extensions.comparison.asking import Question
    from dpbandits.extensions.comparison.document import Comparison

COMPARISON_OUTPUTS = {  # what its options write
    **dict.fromkeys(("--html", "--picture", "--csv"), Output("comparison")),
    "--json": Output("comparison", "comparison"),
}


@click.command(
    "compare",
    cls=GroupedCommand,
    groups={
        "Question": ("--arms", "--horizon", "--eps", "--delta", "--pure", "--means"),
        "Effort and reproducibility": ("--runs", "--seed", "--jobs"),
        "Policies": ("--python", "--findings"),
        "Output": ("--html", "--picture", "--csv", "--json"),
    },
    epilog=example_lines(
        "dpbandits compare --arms 5 --horizon 10000 --eps 1 --delta 1e-6 --jobs 2",
        "dpbandits compare --arms 2 --horizon 1000 --eps 1 --pure --means 0.9,0.5",
        "dpbandits compare --arms 5 --horizon 900 --eps 1 --pure --python my.py:Mine",
    ),
)
@click.option("--arms", type=WholeOption(2), required=True, help="K, the number of arms.")
@click.option(
    "--horizon", type=WholeOption(1), required=True, multiple=True, help="T, the number of pulls. May be repeated."
)
@click.option(
    "--eps",
    type=NumberOption(0, min_open=True),
    required=True,
    multiple=True,
    help="eps of the privacy target. May be repeated.",
)
@click.option(
    "--delta", type=NumberOption(0, 1, min_open=True, max_open=True), help="delta of the privacy target, or --pure."
)
@click.option("--pure", is_flag=True, help="Pure DP: delta = 0.")
@click.option(
    "--means", metavar="M,M,...", help="Mean rewards of the arms (Bernoulli). Default: several families of arms."
)
@click.option("--runs", type=WholeOption(20), help="Runs of each policy on each family. Default: 400.")
@click.option("--seed", type=WholeOption(0, 2**64 - 1), default=0, show_default=True, help="Seed of all runs.")
@click.option(
    "--jobs",
    type=WholeOption(1),
    default=1,
    show_default=True,
    help="Number of processes. The result does not depend on it.",
)
@click.option(
    "--python", "attribute", metavar="FILE.py:NAME", help="Your policy: a class or function of arms and horizon."
)
@click.option(
    "--findings", type=FILE, metavar="FILE", help="A findings.json with verdicts. Default: those of the package."
)
@click.option("--html", "html_file", type=FILE, metavar="FILE", help="Write an HTML page with pictures.")
@click.option("--picture", "picture_file", type=FILE, metavar="FILE", help="Write the first picture as SVG.")
@click.option("--csv", "csv_file", type=FILE, metavar="FILE", help="Write the table as CSV.")
@click.option("--json", "json_file", type=FILE, metavar="FILE", help="Write the comparison as JSON.")
def compare_command(
    arms: int, horizon: tuple[int, ...], eps: tuple[float, ...], delta: float | None, pure: bool, means: str | None,
    runs: int | None, seed: int, jobs: int, attribute: str | None, findings: Path | None, csv_file: Path | None,
    json_file: Path | None, html_file: Path | None, picture_file: Path | None,
) -> None:  # fmt: skip
    """Compare private policies at a given (eps, delta).

    The command plays all private policies of the ledger, with parameters that guarantee (eps, delta), and compares
    their regret. Its advice uses only differences that are statistically certified, and only policies whose privacy
    claim is proved or argued. T = 10000 with five arms takes a minute or two.

    A policy given with --python states its claim in the attributes eps and delta (default 0). The claim is audited with
    two arms and T = 8."""
    from dpbandits.extensions.comparison import asking, document, words

    if pure == (delta is not None):
        raise click.UsageError("the privacy target needs a delta: give --delta with a number above 0, or --pure")
    asked = {"--html": html_file, "--picture": picture_file, "--csv": csv_file, "--json": json_file}
    files = {option: file for option, file in asked.items() if file is not None}
    claim_outputs(files, COMPARISON_OUTPUTS)
    known = known_verdicts(findings)
    try:
        questions = [
            asking.Question(arms, T, one, delta or 0.0, means_of(means), runs or asking.RUNS, seed)
            for T, one in product(horizon, eps)
        ]
        found = play_comparisons(questions, jobs, attribute, known)
    except (TypeError, ValueError) as error:
        raise (raised_in(attribute.rpartition(":")[0], error) if attribute else None) or Trouble(str(error)) from None
    say("\n\n".join(words.comparison_text(each) for each in found))
    texts = {
        "--html": partial(page_of, found, findings=findings, page=html_file),
        "--picture": partial(picture_of, found),
        "--csv": partial(document.comparisons_csv, found),
        "--json": partial(document.comparisons_json, found),
    }
    write_outputs(files, texts, outputs=COMPARISON_OUTPUTS)


def play_comparisons(questions: Sequence[Question], jobs: int, attribute: str | None, known: Any) -> list[Comparison]:
    """Plays the comparison for each question, shows the progress meanwhile, and returns the results, in order.
    attribute: the user's policy in a file, "FILE.py:NAME". known: the findings document whose verdicts are used."""
    from dpbandits.audit.runner.progress import print_now_and_then
    from dpbandits.extensions.comparison.asking import compare_policies

    found: list[Comparison] = []
    games = (0, 0)

    def store_progress(done: int, total: int) -> None:
        """Stores the numbers of finished and of all games, for the progress line."""
        nonlocal games
        games = done, total

    def line() -> str:
        """Returns the line that shows the progress; "" before the first game."""
        at = f"question {len(found) + 1} of {len(questions)}: " if len(questions) > 1 else ""
        return f"{at}{games[0]} of {games[1]} games played" if games[1] else ""

    with print_now_and_then(line):
        for each in questions:
            games = (0, 0)
            found.append(compare_policies(each, jobs, own_of(attribute), known, heard=store_progress))
    return found


def page_of(comparisons: Sequence[Comparison], findings: Path | None, page: Path | None) -> str:
    """Returns the HTML page of the comparisons.
    Its claims are links to the report next to the findings, if there is one."""
    from dpbandits.extensions.comparison.document import comparisons_json
    from dpbandits.extensions.comparison.page import comparison_page

    there: dict[str, str] = {}
    if findings and page:
        claims = {each.promise.claim for one in comparisons for each in one.candidates if each.promise}
        files = {claim: findings.absolute().parent / "claims" / f"{stem(claim)}.html" for claim in claims if claim}
        start = page.absolute().parent
        there = {claim: quote(Path(relpath(file, start)).as_posix()) for claim, file in files.items() if file.is_file()}
    return comparison_page(json.loads(comparisons_json(comparisons)), there)


def picture_of(comparisons: Sequence[Comparison]) -> str:
    """The first picture of the comparison's page, as an SVG file."""
    from dpbandits.extensions.comparison.document import comparisons_json
    from dpbandits.extensions.comparison.page import comparison_picture

    return comparison_picture(json.loads(comparisons_json(comparisons)))


def means_of(text: str | None) -> tuple[float, ...] | None:
    """Converts the option's text, such as "0.9,0.5", to the arms' means. Raises UsageError for anything but numbers."""
    if text is None:
        return None
    found = []
    for place, part in enumerate(text.split(","), 1):
        try:
            found.append(float(part))
        except ValueError:
            raise click.UsageError(
                f"--means {text!r}: mean {place} is {part!r}, which is not a number; write, for example, 0.6,0.5"
            ) from None
    return tuple(found)


def own_of(attribute: str | None) -> dict[str, Callable[..., Any]] | None:
    """Returns the functions that make the user's policies, by name; None if the user gave no policy.
    attribute: "FILE.py:NAME"."""
    if attribute is None:
        return None
    what = load_from_file(attribute)
    if not callable(what):
        raise click.UsageError(
            f"--python {attribute!r} is a single policy; give a class or a function with arguments arms and horizon, "
            "because the policy is also audited with fewer arms and a shorter horizon"
        )
    return {attribute.rpartition(":")[2]: partial(make_policy, what, attribute)}


def known_verdicts(file: Path | None) -> Any:
    """Reads a findings document whose verdicts the comparison uses; None if no file is given.
    None stands for the document stored with the package."""
    if file is None:
        return None
    found = load_json(file)
    rows = found.get("findings") if isinstance(found, dict) and isinstance(found.get("version"), str) else None
    fields = {"id", "statement", "verdict", "rests_on"}
    if not isinstance(rows, list) or not all(isinstance(row, dict) and fields <= {*row} for row in rows):
        raise Trouble(
            f"--findings {printable(file)}: this is not a findings.json; give one that `dpbandits audit` wrote"
        )
    return found
