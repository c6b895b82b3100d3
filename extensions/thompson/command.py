"""`dpbandits privacy`: upper and lower bounds on the privacy loss of Thompson sampling."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from dpbandits import registry
from dpbandits.audit.cli_shared.endings import Trouble, as_trouble, example_lines
from dpbandits.audit.cli_shared.options import FILE, GroupedCommand, NumberOption, WholeOption
from dpbandits.audit.cli_shared.outputs import Output, asked_outputs, claim_outputs, write_output

if TYPE_CHECKING:
    from dpbandits.extensions.thompson.answers import ThompsonPrivacy
    from dpbandits.extensions.thompson.rules import Sampler


NO_NUMBA = "numba is not installed; with it this is several times as fast: pip install 'dpbandits[compiled]'"
PRIVACY_OUTPUTS = {  # what its options write
    "--picture": Output("picture"),
    "--certificate": Output("certificate", "certificate"),
    "--ceiling": Output("ceiling", "certificate"),
}


@click.group(epilog=example_lines("dpbandits privacy thompson --horizon 100 --delta 1e-6 --arms 2"))
def privacy() -> None:
    """Bound the privacy of Thompson sampling."""


@privacy.command(
    cls=GroupedCommand,
    groups={
        "Question": ("--horizon", "--delta", "--arms", "--prepulls", "--variance", "--relation"),
        "Method": ("--exact", "--rocq"),
        "Output": ("--json", "--picture", "--certificate", "--ceiling"),
    },
    epilog=example_lines(
        "dpbandits privacy thompson --horizon 100 --delta 1e-6 --arms 2",
        "dpbandits privacy thompson --horizon 200 --delta 1e-6 --arms 2 --exact",
        "dpbandits privacy thompson --horizon 20 --delta 1e-6 --certificate a.json",
        "dpbandits verify a.json",
    ),
)
@click.option("--horizon", type=WholeOption(1), required=True, help="T, the number of pulls, with pre-pulls.")
@click.option(
    "--delta",
    type=NumberOption(0, 1, min_open=True, max_open=True),
    required=True,
    help="delta of (eps, delta)-DP. The command computes eps.",
)
@click.option("--arms", type=WholeOption(2), help="K, the number of arms. Default: a bound for any number.")
@click.option("--prepulls", type=WholeOption(0), default=0, show_default=True, help="b of Algorithm 2, per arm.")
@click.option(
    "--variance",
    type=NumberOption(0, min_open=True),
    default=1.0,
    show_default=True,
    help="c: a sample of an arm with n pulls has variance c/(n+1).",
)
@click.option(
    "--relation",
    type=click.Choice(["pull", "round"]),
    default="pull",
    show_default=True,
    help="Neighbouring inputs differ in one pull, or in one round.",
)
@click.option("--exact", is_flag=True, help="Compute the bound and an attack even if the table has an answer.")
@click.option("--picture", type=FILE, help="Plot the curves: an SVG file if the name ends in .svg, else HTML.")
@click.option("--certificate", type=FILE, help="Write the attack for `dpbandits verify`.")
@click.option("--ceiling", type=FILE, help="Write a certificate of the bound for `dpbandits verify`.")
@click.option("--rocq", is_flag=True, help="Let Rocq's kernel check a theorem. Needs coqc; takes minutes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def thompson(horizon: int, delta: float, arms: int | None, prepulls: int, variance: float, **options: Any) -> None:
    """Bound eps for a horizon and a delta.

    The policy is Thompson sampling with Gaussian priors (Ou et al. 2024). The command prints the eps of the paper's
    theorem, a certified upper bound, and a lower bound from an attack.

    For T from 100 to 1000 a table answers immediately. If it has no row for the question, it uses the row of a policy
    that is provably at most as private, and names it. --exact, and each option that writes a file, recomputes: this
    takes seconds for T up to 100, half a minute at T = 1000, and minutes at T = 10000."""
    from dpbandits.audit.runner.progress import print_now_and_then
    from dpbandits.extensions.thompson import answer_words as thompson_words
    from dpbandits.extensions.thompson.answers import thompson_privacy
    from dpbandits.extensions.thompson.rules import Sampler

    proving = required_proving() if options["rocq"] else None
    files = asked_outputs(options, PRIVACY_OUTPUTS)
    claim_outputs(files, PRIVACY_OUTPUTS)
    sampler, exact = Sampler(horizon, arms, prepulls, variance), options["exact"] or bool(files)
    began = monotonic()
    try:
        if first := first_words(sampler, delta, options["relation"], exact):
            click.echo(first, err=True)
        with print_now_and_then(lambda: f"computing the bound and an attack: {monotonic() - began:.0f} seconds so far"):
            found = thompson_privacy(sampler, delta, options["relation"], exact=exact)
    except ValueError as error:
        raise Trouble(str(error)) from None
    except MemoryError:
        raise Trouble(f"not enough memory for --horizon {horizon}; use a shorter horizon") from None
    if not options["as_json"]:
        click.echo(thompson_words.answer_text(found))
    proof = None if proving is None else proving.kernel_proof(sampler, delta, options["relation"])
    if options["as_json"]:
        rocq = {"rocq": proving.proof_as_json(proof)} if proving and proof else {}
        click.echo(json.dumps(thompson_words.answer_as_json(found) | rocq, indent=1))
    elif proving and proof:
        click.echo(proving.proof_text(proof))
    for name, text in (("picture", picture_text), ("certificate", certificate_text), ("ceiling", ceiling_text)):
        if (file := options[name]) is not None:
            write_output(f"--{name}", file, text(found, file), options["as_json"], PRIVACY_OUTPUTS)


def first_words(sampler: Sampler, delta: float, relation: str, exact: bool) -> str:
    """A sentence with a certified bound that takes a second to compute. It is empty for questions that are answered at
    once: those in the table, short horizons, and horizons that only the static potential bounds."""
    from dpbandits.extensions.thompson.answers import KEPT_HORIZON, checked_question, kept_privacy
    from dpbandits.extensions.thompson.bound import MAX_RATIO_ROUNDS, static_bound
    from dpbandits.extensions.thompson.formatting import four_digits_up
    from dpbandits.extensions.thompson.rules import theorem_eps

    checked_question(sampler, relation, delta)
    if not KEPT_HORIZON <= sampler.horizon <= MAX_RATIO_ROUNDS:
        return ""
    if not exact and kept_privacy(sampler, delta, relation, seek=False) is not None:
        return ""
    eps = four_digits_up(min(static_bound(sampler, relation).eps(delta), theorem_eps(sampler, delta)))
    slow = "" if find_spec("numba") else f"; {NO_NUMBA}"
    return f"certified: eps <= {eps}. Now computing a smaller bound and an attack{slow}"


@privacy.command(
    cls=GroupedCommand,
    groups={
        "Privacy target": ("--eps", "--delta", "--relation"),
        "Policy": ("--horizon", "--arms", "--prepulls", "--variance"),
        "Method and output": ("--within", "--json"),
    },
    epilog=example_lines(
        "dpbandits privacy calibrate --eps 2 --delta 1e-6 --horizon 100 --within 2",
        "dpbandits privacy calibrate --eps 8 --delta 1e-6 --horizon 20 --within 2",
    ),
)
@click.option("--eps", type=NumberOption(0), required=True, help="eps of (eps, delta)-DP.")
@click.option(
    "--delta",
    type=NumberOption(0, 1, min_open=True, max_open=True),
    required=True,
    help="delta of (eps, delta)-DP.",
)
@click.option("--horizon", type=WholeOption(1), required=True, help="T, the number of pulls, with pre-pulls.")
@click.option("--arms", type=WholeOption(2), help="K, the number of arms. Default: valid for any number.")
@click.option("--prepulls", type=WholeOption(0), default=0, show_default=True, help="b of Algorithm 2, per arm.")
@click.option(
    "--variance",
    type=NumberOption(0, min_open=True),
    help="Fix c, and find the smallest number b of pre-pulls. Needs --arms.",
)
@click.option(
    "--relation",
    type=click.Choice(["pull", "round"]),
    default="pull",
    show_default=True,
    help="Neighbouring inputs differ in one pull, or in one round.",
)
@click.option(
    "--within",
    type=NumberOption(1.0001),
    default=1.01,
    show_default=True,
    help="Stop when c is at most this factor above the smallest certified c.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def calibrate(as_json: bool, **asked: Any) -> None:
    """Find the smallest noise for a given (eps, delta).

    The policy is Thompson sampling with Gaussian priors (Ou et al. 2024). The command prints the smallest variance c
    for which (eps, delta)-DP is certified, the variance that the paper's theorem requires, and the regret of both.

    With a large --within a table often answers immediately. The default takes half a minute at T = 100, and longer for
    longer horizons."""
    from dpbandits.audit.runner.progress import print_now_and_then
    from dpbandits.extensions.thompson import calibrating

    began = monotonic()
    looks: list[tuple[Sampler, float]] = []
    try:
        with print_now_and_then(lambda: calibrating.search_words(monotonic() - began, asked["eps"], looks)):
            found = calibrating.calibrate(**asked, looked=lambda one, eps: looks.append((one, eps)))
    except ValueError as error:
        raise Trouble(str(error)) from None
    except MemoryError:
        raise Trouble(f"not enough memory for --horizon {asked['horizon']}; use a shorter horizon") from None
    told = calibrating.calibration_as_json(found) if as_json else calibrating.calibration_text(found)
    click.echo(json.dumps(told, indent=1) if as_json else told)


def required_proving() -> ModuleType:
    """What asks Rocq's kernel about a question. Trouble where coqc is missing, or the extension rocq."""
    try:
        from dpbandits.extensions.rocq.terminal import demand_compiler
        from dpbandits.extensions.thompson import proving
    except ModuleNotFoundError as error:
        if registry.names_extension(error):
            raise Trouble(f"--rocq: {error}") from None
        raise
    demand_compiler()
    return proving


def picture_text(found: ThompsonPrivacy, file: Path) -> str:
    """The curves, in the form that the file's name asks for."""
    from dpbandits.extensions.thompson import answer_words as thompson_words
    from dpbandits.reports import alone

    drawn = thompson_words.picture_item(found)
    return alone.drawing(drawn) if file.suffix == ".svg" else alone.page(drawn, thompson_words.answer_text(found))


def certificate_text(found: ThompsonPrivacy, file: Path) -> str:
    with as_trouble():
        return json.dumps(found.certificate, indent=1)


def ceiling_text(found: ThompsonPrivacy, file: Path) -> str:
    from dpbandits.extensions.thompson.ceiling import ceiling

    with as_trouble():
        return json.dumps(ceiling(found.sampler, found.delta, found.relation))
