"""`dpbandits privacy`: upper and lower bounds on the privacy loss of Thompson sampling."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

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
        "Method": ("--exact", "--seconds", "--rocq"),
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
@click.option("--seconds", type=NumberOption(0), help="Stop after so many seconds, with the best bound so far.")
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
    takes seconds for T up to 100, half a minute at T = 1000, and minutes at T = 10000. A first certified bound takes a
    second or two for any parameters; Ctrl-C, and the end of --seconds, print the best bound so far."""
    from dpbandits.extensions.thompson import answer_words as thompson_words
    from dpbandits.extensions.thompson.rules import Sampler

    proving = required_proving() if options["rocq"] else None
    files = asked_outputs(options, PRIVACY_OUTPUTS)
    claim_outputs(files, PRIVACY_OUTPUTS)
    sampler, exact = Sampler(horizon, arms, prepulls, variance), options["exact"] or bool(files)
    try:
        answer = best_answer(sampler, delta, options["relation"], exact, options["seconds"])
    except ValueError as error:
        raise Trouble(str(error)) from None
    except MemoryError:
        raise Trouble(f"not enough memory for --horizon {horizon}; use a shorter horizon") from None
    found = answer.found
    if not options["as_json"]:
        click.echo("\n".join([thompson_words.answer_text(found), *answer.stopped_lines]))
    proof = None if proving is None or answer.interrupt else proving.kernel_proof(sampler, delta, options["relation"])
    if options["as_json"]:
        rocq = {"rocq": proving.proof_as_json(proof)} if proving and proof else {}
        told = thompson_words.answer_as_json(found) | {"finished": not answer.stopped} | rocq
        click.echo(json.dumps(told, indent=1))
    elif proving and proof:
        click.echo(proving.proof_text(proof))
    if answer.interrupt is not None:
        raise answer.interrupt
    for name, text in (("picture", picture_text), ("certificate", certificate_text), ("ceiling", ceiling_text)):
        if (file := options[name]) is not None:
            write_output(f"--{name}", file, text(found, file), options["as_json"], PRIVACY_OUTPUTS)


class Answer(NamedTuple):
    """The best known answer. stopped: the reason why there is no better one, in words; "" if everything was computed.
    interrupt: Ctrl-C, if that was the reason."""

    found: ThompsonPrivacy
    stopped: str = ""
    interrupt: KeyboardInterrupt | None = None

    @property
    def stopped_lines(self) -> list[str]:
        """One line which says why the computation was stopped early; no line if it was not."""
        line = f"{'stopped':>12}  {self.stopped}; the bound is certified, and more time may improve it"
        return [line] if self.stopped else []


def best_answer(sampler: Sampler, delta: float, relation: str, exact: bool, seconds: float | None) -> Answer:
    """Computes better and better bounds on eps until the time is over or Ctrl-C, and returns the best answer.
    seconds: the time; None for no limit. The first answer is printed immediately, to standard error, if a better one
    takes time."""
    from dpbandits.audit.runner.progress import print_now_and_then
    from dpbandits.extensions.thompson.answers import refined_privacies
    from dpbandits.extensions.thompson.formatting import four_digits_up
    from dpbandits.extensions.thompson.time_limits import TimeLimit

    answers, began = refined_privacies(sampler, delta, relation, exact), monotonic()
    found, limit = next(answers), TimeLimit(seconds)
    if first := first_words(found, exact):
        click.echo(first, err=True)

    def progress() -> str:
        """The line of text that shows the seconds so far and the certified eps."""
        return f"{monotonic() - began:.0f} seconds so far; certified: eps <= {four_digits_up(found.certified)}"

    try:
        with limit, print_now_and_then(progress):
            for found in answers:  # noqa: B007  the last one
                pass
    except KeyboardInterrupt as stop:
        is_time_up = limit.ended_by(stop)
        return Answer(found, f"after {seconds:g} seconds") if is_time_up else Answer(found, "interrupted", stop)
    return Answer(found)


def first_words(answer: ThompsonPrivacy, exact: bool) -> str:
    """A sentence with the first certified bound and the expected time for a smaller one.
    "" for questions that are answered immediately: those in the table, and short horizons."""
    from dpbandits.audit.runner.progress import duration_in_words
    from dpbandits.extensions.thompson.answers import KEPT_HORIZON
    from dpbandits.extensions.thompson.formatting import four_digits_up

    if answer.sampler.horizon < KEPT_HORIZON or (answer.kept is not None and not exact):
        return ""
    compiled = find_spec("numba") is not None
    takes = duration_in_words(expected_seconds(answer.sampler, compiled))
    slow = "" if compiled else f"; {NO_NUMBA}"
    return (
        f"certified: eps <= {four_digits_up(answer.certified)}. A smaller bound and an attack take about {takes} on "
        f"an idle processor; Ctrl-C or --seconds prints the best bound so far{slow}"
    )


@privacy.command(
    cls=GroupedCommand,
    groups={
        "Privacy target": ("--eps", "--delta", "--relation"),
        "Policy": ("--horizon", "--arms", "--prepulls", "--variance"),
        "Method and output": ("--within", "--seconds", "--json"),
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
@click.option("--seconds", type=NumberOption(0), help="Stop after so many seconds, with the best noise so far.")
def calibrate(as_json: bool, seconds: float | None, **asked: Any) -> None:
    """Find the smallest noise for a given (eps, delta).

    The policy is Thompson sampling with Gaussian priors (Ou et al. 2024). The command prints the smallest variance c
    for which (eps, delta)-DP is certified, the variance that the paper's theorem requires, and the regret of both.

    With a large --within a table often answers immediately. The default takes half a minute at T = 100, and longer for
    longer horizons."""
    from dpbandits.audit.runner.progress import print_now_and_then
    from dpbandits.extensions.thompson import calibrating
    from dpbandits.extensions.thompson.time_limits import TimeLimit

    began, limit = monotonic(), TimeLimit(seconds)
    looks: list[tuple[Sampler, float]] = []
    found: calibrating.Calibration | None = None
    interrupt: KeyboardInterrupt | None = None
    try:
        if first := first_words_of_calibration(asked):
            click.echo(first, err=True)
        with limit, print_now_and_then(lambda: calibrating.search_words(monotonic() - began, asked["eps"], looks)):
            found = calibrating.calibrate(**asked, looked=lambda one, eps: looks.append((one, eps)))
    except KeyboardInterrupt as stop:
        interrupt = None if limit.ended_by(stop) else stop
    except ValueError as error:
        raise Trouble(str(error)) from None
    except MemoryError:
        raise Trouble(f"not enough memory for --horizon {asked['horizon']}; use a shorter horizon") from None
    finished = found is not None
    found = found or calibrating.known_so_far(asked, tuple(looks), asked["variance"] is None)
    if found is None:
        reason = "interrupted" if interrupt else f"--seconds {seconds:g} is over"
        raise Trouble(
            f"{reason}, before the search found a number of pre-pulls that reaches eps and delta; allow more time"
        )
    if as_json:
        click.echo(json.dumps(calibrating.calibration_as_json(found) | {"finished": finished}, indent=1))
    else:
        why = "interrupted" if interrupt else f"after {seconds or 0:g} seconds"
        more = "" if finished else f"\n{'stopped':>12}  {why}; this noise is enough, and more time may find less"
        click.echo(calibrating.calibration_text(found) + more)
    if interrupt is not None:
        raise interrupt


def first_words_of_calibration(question: Mapping[str, Any]) -> str:
    """A sentence with a noise that is known to suffice and the expected time of the search for less.
    "" if the search takes no time."""
    from dpbandits.audit.runner.progress import duration_in_words
    from dpbandits.extensions.thompson import calibrating
    from dpbandits.extensions.thompson.answers import KEPT_HORIZON
    from dpbandits.extensions.thompson.curve_table import tabled_bracket
    from dpbandits.extensions.thompson.formatting import four_digits_up

    calibrating.check_question(**question)
    known = calibrating.known_so_far(question, (), question["variance"] is None)
    if known is None or question["horizon"] < KEPT_HORIZON:
        return ""
    low, high = tabled_bracket(known.certified, question["eps"], question["delta"], question["relation"])
    if question["variance"] is None and low > 0 and high <= question["within"] * low:
        return ""
    takes = duration_in_words(CURVES_OF_A_SEARCH * expected_seconds(known.certified, find_spec("numba") is not None))
    enough = (
        f"b = {known.certified.prepulls}"
        if known.what == "prepulls"
        else f"c = {four_digits_up(known.certified.variance)}"
    )
    return (
        f"{enough} is enough by the theorem. The search for less noise takes about {takes} on an idle processor; "
        "Ctrl-C or --seconds prints the best so far"
    )


def required_proving() -> ModuleType:
    """Imports and returns the module that asks Rocq's kernel about a question.
    Raises Trouble if coqc, or the extension rocq, is missing."""
    try:
        from dpbandits.extensions.rocq.terminal import demand_compiler
        from dpbandits.extensions.thompson import proving
    except ModuleNotFoundError as error:
        if registry.names_extension(error):
            raise Trouble(f"--rocq: {error}") from None
        raise
    demand_compiler()
    return proving


def picture_text(answer: ThompsonPrivacy, file: Path) -> str:
    """Returns the picture of the curves delta(eps) as SVG or HTML text, depending on the file's extension."""
    from dpbandits.extensions.thompson import answer_words as thompson_words
    from dpbandits.reports import alone

    drawn = thompson_words.picture_item(answer)
    return alone.drawing(drawn) if file.suffix == ".svg" else alone.page(drawn, thompson_words.answer_text(answer))


def certificate_text(answer: ThompsonPrivacy, file: Path) -> str:
    """The certificate of the attack, which is a lower bound on eps, as JSON text."""
    with as_trouble():
        return json.dumps(answer.certificate, indent=1)


def ceiling_text(answer: ThompsonPrivacy, file: Path) -> str:
    """The ceiling, a certificate of the upper bound on eps, as JSON text."""
    from dpbandits.extensions.thompson.ceiling import ceiling

    with as_trouble():
        return json.dumps(ceiling(answer.sampler, answer.delta, answer.relation))


# -- Durations ---------------------------------------------------------------------------------------------------------


# Processor seconds of one core of 2024, by whether numba is there: at T = 1000, and the powers of T below and above.
MEASURED = {
    False: {"two or any": 30.0, "given": 100.0},
    True: {"two or any": 25.0, "given": 60.0},
}
SHORT_POWER, LONG_POWER = 1.1, 1.8
CURVES_OF_A_SEARCH = 6  # bounds that a calibration computes; each takes about as long as a bound and an attack
STATIC_SECONDS = 5.0  # beyond MAX_RATIO_ROUNDS


def expected_seconds(sampler: Sampler, compiled: bool) -> float:
    """Processor seconds of a smaller bound and an attack, within a factor of about three.
    compiled: whether numba is installed."""
    from dpbandits.extensions.thompson.bound import MAX_RATIO_ROUNDS

    if sampler.horizon > MAX_RATIO_ROUNDS:
        return STATIC_SECONDS
    kind = "two or any" if sampler.arms in (2, None) else "given"
    power = SHORT_POWER if sampler.horizon <= 1000 else LONG_POWER
    return MEASURED[compiled][kind] * float((sampler.horizon / 1000) ** power)
