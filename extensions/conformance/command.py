"""`dpbandits check`: compares a program in any language, or a policy in Python, with a reference policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import click
from click.core import ParameterSource

from dpbandits.audit.cli_shared.endings import Trouble, example_lines, exit_with_status, printable
from dpbandits.audit.cli_shared.given import make_policy, raised_in
from dpbandits.audit.cli_shared.options import FILE, GroupedCommand, NamedPath, WholeOption
from dpbandits.audit.cli_shared.outputs import asked_outputs, claim_outputs, document_options, output_options
from dpbandits.extensions.conformance.composing import (
    HORIZON,
    Battery,
    compose_battery,
    program_subject,
    python_subject,
    selected_checks,
)
from dpbandits.extensions.conformance.given import (
    CHECK_OUTPUTS,
    expected_failure,
    page_names,
    parse_parameters,
    reference_policy,
    repeat_command,
)

if TYPE_CHECKING:
    from dpbandits.extensions.conformance.battery import Judged
    from dpbandits.reference.bandits.policy import Policy

PROTOCOL_PAGE = Path(__file__).with_name("protocol.md")
PLAYED = ("profile", "seed", "patience")  # options of what is played
# What a log has no use for: what is played, and the files about it.
WITHOUT_LOG = ("command", "excused", "seconds", "trials", "only", *(name.removeprefix("--") for name in CHECK_OUTPUTS))


def protocol(context: click.Context, option: click.Parameter, requested: bool) -> None:
    """Shows the page about the protocol and ends the command, if the option --protocol is given.
    The page is installed with the package."""
    if requested and not context.resilient_parsing:
        click.echo_via_pager(PROTOCOL_PAGE.read_text(encoding="utf-8"))
        context.exit()


def checked_badge_file(context: click.Context, option: click.Parameter, file: Path | None) -> Path | None:
    """Returns the file of the option --badge. Raises BadParameter unless its extension names a format of badges."""
    if file is not None:
        from dpbandits.extensions.conformance.results_text import FORMS

        if file.suffix not in FORMS:
            raise click.BadParameter(f"{str(file)!r}: the name must end in {' or '.join(FORMS)}", context, option)
    return file


@click.command(
    cls=GroupedCommand,
    groups={
        "What to check (a program after --, or one of these)": ("--python", "--log", "--patience"),
        "Recorded runs": ("--columns", "--first", "--add-propensities"),
        "Reference policy": ("--reference", "--arms", "--horizon", "--parameter"),
        "Effort": ("--profile", "--trials", "--seconds", "--sequential", "--seed"),
        "Which checks": ("--only", "--expect-failure"),
        "Output": ("--verbose", *document_options(beside_folder=False), "--badge"),
    },
    epilog=example_lines(
        "dpbandits check --reference ou24.ThompsonSampling -- ./my_policy",
        "dpbandits check --reference ou24 --arms 2 --python mine.py:Mine -v",
        "dpbandits check --reference sajed19 --seconds 60 -- ./my_policy --fast",
        "dpbandits check --reference ou24 --arms 2 --log runs.csv",
        "dpbandits check --protocol",
    ),
)
@click.option(
    "--reference", "--page", "reference", required=True, metavar="PAGE[.POLICY]",
    help="The policy to compare with, e.g. ou24.ThompsonSampling. A page alone means its Algorithm 1. The pages: "
    f"{', '.join(page_names())}. A policy of your own with a law is FILE.py:NAME.",
)  # fmt: skip
@click.option("--arms", type=WholeOption(1), help="Number of arms. Default: 2, and then 3.")
@click.option(
    "--horizon",
    type=WholeOption(1),
    help=f"Number of pulls in a run. Default: {HORIZON}. Privacy is also checked with 3 pulls.",
)
@click.option(
    "--parameter",
    "given",
    multiple=True,
    metavar="NAME=NUMBER",
    help="A parameter of the reference policy, e.g. eps or variance. A program receives it too. May be repeated.",
)
@click.option(
    "--expect-failure",
    "excused",
    multiple=True,
    metavar="CHECK=REASON",
    help="A check that is known to fail, and why. May be repeated.",
)
@click.option(
    "--profile",
    default="quick",
    show_default=True,
    type=click.Choice(["quick", "ci", "deep"]),
    help="Amount of computation: a larger profile detects smaller violations.",
)
@click.option("--seed", type=WholeOption(0), default=0, show_default=True, help="Seed of all samples.")
@click.option(
    "--python",
    "attribute",
    metavar="FILE.py:NAME",
    help="A policy in Python, or a class or function of arms and horizon that returns one.",
)
@click.option(
    "--log",
    "recorded",
    type=NamedPath(),
    metavar="FILE",
    help="Recorded runs: a table with run,arm,reward, JSON lines, or Vowpal Wabbit's text or dsjson.",
)
@click.option(
    "--columns",
    metavar="ROLE=NAME,...",
    help="Names of columns in --log, e.g. arm=item_id,reward=click,propensity=p. Roles: also cost, run, contexts=a+b.",
)
@click.option(
    "--add-propensities",
    type=FILE,
    metavar="FILE.csv",
    help="Write the log with exact propensities, for off-policy evaluation.",
)
@click.option("--first", type=WholeOption(1), help="Number of pulls of each recorded run to check. Default: 20000.")
@click.option(
    "--patience", type=float, default=60.0, show_default=True, help="Seconds to wait for an answer of a program."
)
@click.option("--seconds", type=float, help="Approximate time. The command prints the number of trials that it allows.")
@click.option("--trials", type=WholeOption(1), help="Trials in each game, instead of the profile's number.")
@click.option(
    "--sequential", is_flag=True, help="Stop each check as soon as its verdict is certain. Trials are then a budget.",
)  # fmt: skip
@click.option(
    "--only",
    multiple=True,
    metavar="CHECK",
    help="Run only this check, e.g. 'page law', and the protocol check. May be repeated.",
)
@click.option("--verbose", "-v", is_flag=True, help="Print the details of every check.")
@output_options(beside_folder=False)
@click.option(
    "--badge",
    type=FILE,
    callback=checked_badge_file,
    metavar="FILE",
    help="Write a badge: an image (FILE.svg) or data for a badge service (FILE.json).",
)
@click.option(
    "--protocol", is_flag=True, is_eager=True, expose_value=False, callback=protocol,
    help="Print the protocol for programs, and exit.",
)  # fmt: skip
@click.argument("command", nargs=-1, metavar="[-- PROGRAM [ARGUMENT]...]")
def check(
    reference: str, arms: int | None, horizon: int | None, given: tuple[str, ...], excused: tuple[str, ...],
    profile: str, seed: int, attribute: str | None, recorded: str | None, columns: str | None,
    add_propensities: Path | None, first: int | None, patience: float,
    seconds: float | None, trials: int | None, sequential: bool, only: tuple[str, ...], command: tuple[str, ...],
    verbose: bool, **outputs: Path | None,
) -> None:  # fmt: skip
    """Compare an implementation with a reference policy.

    The checks test the protocol, the distribution of the pulled arms, regret, and the privacy claims of the page, in
    whole runs and in single rounds.

    PROGRAM reads and writes lines of JSON; --protocol prints the protocol, and `dpbandits examples FOLDER` writes
    example programs. Alternatively give --python, or --log with recorded pulls and rewards. (The default horizon is
    then the length of the longest recorded run.) To audit a policy that follows no page, use `audit_policy` in Python.

    Exit status: 0 if all results are as expected; 1 if a check fails unexpectedly, or passes although it should fail;
    2 if checks could not run. The output files then contain the error."""
    from dpbandits.audit.judges.effort import PROFILES
    from dpbandits.extensions.conformance.document import battery_document, errors_in_files, write_files

    parameters = parse_parameters(given)
    page = partial(make_policy, reference_policy(reference), reference, **parameters)
    demand_fitting_options(click.get_current_context().params)
    if recorded is not None:
        shape = LogShape(arms, horizon, "contexts" in parameters)
        exit_with_status(judge_log(recorded, page, shape, first, sequential, columns, add_propensities, verbose))
    failures = dict(map(expected_failure, excused))
    files = asked_outputs(outputs, CHECK_OUTPUTS)
    claim_outputs(files, CHECK_OUTPUTS)
    about = attribute or " ".join(command)
    with errors_in_files(files, about, reference, PROFILES[profile], seed), errors_in_words(attribute):
        subject = program_subject(command, parameters, patience) if attribute is None else python_subject(attribute)
        battery = selected_checks(
            compose_battery(subject, page, arms, horizon, profile, seed, seconds, trials, sequential), only
        )
        found, took = run_checks(battery, failures)
    from dpbandits.extensions.conformance.results_text import badge, judgement, print_results

    conclusion = judgement(found, about, reference)
    print_results(conclusion, battery, found, verbose)
    if files:
        repeat = repeat_command(click.get_current_context(), battery.profile.trials)
        content = battery_document(about, battery, found, took, repeat, seed) | {"judgements": [conclusion]}
        write_files(files, content, about, badge(found, reference, battery.profile.trials))
    exit_with_status(1 if any(each.surprise for each in found) else 0)


def demand_fitting_options(given: Mapping[str, object]) -> None:
    """Raises UsageError for options that contradict each other, or that would have no effect.
    given: all options, by parameter."""
    if given["recorded"] is not None:
        if given["attribute"] is not None or any(given.get(name) for name in WITHOUT_LOG):
            raise click.UsageError("--log cannot be combined with a program, --python, or options for playing a policy")
        demand_none_of("they have no effect with --log", PLAYED)
        return
    if (given["attribute"] is None) == (not given["command"]):
        raise click.UsageError(
            "name exactly one policy or log to check: a program after --, or --python FILE.py:NAME, or --log FILE"
        )
    for name in ("columns", "add_propensities"):
        if given[name] is not None:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --log")
    if given["first"] is not None:
        raise click.UsageError("--first can only be used with --log; for shorter runs use --horizon")
    if given["seconds"] is not None and given["trials"] is not None:
        raise click.UsageError("--seconds cannot be combined with --trials; omit one of them")
    if given["attribute"] is not None:
        demand_none_of("with --python, set patience= in from_object or from_loop, in the file", ("patience",))


def demand_none_of(why: str, names: Sequence[str]) -> None:
    """Raises UsageError if one of these options was given on the command line.
    It would have no effect, for the reason `why`."""
    context = click.get_current_context()
    given = [f"--{name}" for name in names if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if given:
        raise click.UsageError(f"{', '.join(given)}: {why}; omit {'it' if len(given) == 1 else 'them'}")


@contextmanager
def errors_in_words(attribute: str | None) -> Iterator[None]:
    """Returns a context manager that turns exceptions of a program or a policy into an error message of one sentence.
    attribute: the file and the name of a policy in Python, whose line the message then contains."""

    def policy_error(error: BaseException) -> Trouble | None:
        """Returns an error message with the exception and the line of the policy's file; None for a program."""
        return None if attribute is None else raised_in(attribute.rpartition(":")[0], error)

    try:
        yield
    except (TypeError, ValueError) as error:  # of the program, or of its policy
        raise policy_error(error) or Trouble(str(error)) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also what is no Exception, such as SystemExit or pytest.fail's
        raise policy_error(error) or error from None


def run_checks(battery: Battery, failures: dict[str, str]) -> tuple[list[Judged], list[float]]:
    """The results of all checks, and the seconds that each took. Prints the progress from time to time."""
    from dpbandits.audit.runner.progress import print_now_and_then
    from dpbandits.extensions.conformance.battery import run_all

    found: list[Judged] = []
    checks, start = battery.checks, monotonic()
    ends = [start]

    def line() -> str:
        """The line that shows the progress; "" after the last check."""
        if len(found) == len(checks):
            return ""
        done = f"{len(found)} of {len(checks)} checks after {monotonic() - start:.0f} s"
        return f"{done}; running: {checks[len(found)].name}"

    with print_now_and_then(line):
        for each in run_all(checks, failures):
            found.append(each)
            ends.append(monotonic())
    return found, [end - begin for begin, end in pairwise(ends)]


class LogShape(NamedTuple):
    """The shape of the policy that made a log; None if the log itself determines it. contexts: whether the number of
    features is given."""

    arms: int | None
    horizon: int | None
    contexts: bool


def judge_log(
    file: str,
    page: Callable[..., Policy],
    shape: LogShape,
    first: int | None,
    sequential: bool,
    columns: str | None = None,
    written: Path | None = None,
    verbose: bool = False,
) -> int:
    """Checks a log, prints the result, and returns the exit status.
    written: the file for the log with exact propensities."""
    from dpbandits.audit.runner.progress import print_now_and_then
    from dpbandits.extensions.conformance.logged_propensities import as_table, check_propensities, exact_propensities
    from dpbandits.extensions.conformance.logs import DEFAULT_JUDGED_PULLS, fits_law
    from dpbandits.extensions.conformance.records import read_log
    from dpbandits.reference.claims.model import Verdict

    done = [0]
    try:
        log = read_log(file, columns)
    except OSError as error:
        raise Trouble(
            f"--log {printable(file)}: cannot be read ({error.strerror or error}); name a file of recorded runs: CSV "
            "with the columns run,arm,reward, one line of JSON for each run, or Vowpal Wabbit's text or dsjson"
        ) from None
    except ValueError as error:
        raise Trouble(str(error)) from None  # which names the file, or --columns
    try:
        arms, horizon = shape.arms or max(2, log.arm_count), shape.horizon or max(1, log.arms.shape[1])
        seen = {} if log.contexts is None or shape.contexts else {"contexts": int(log.contexts.shape[3])}
        reference = page_of_log(page, arms, horizon, seen)
        with print_now_and_then(lambda: f"{done[0]} of {log.lengths.sum()} pulls checked"):
            finding = fits_law(
                log,
                reference,
                first=first or DEFAULT_JUDGED_PULLS,
                heard=lambda pulls: done.__setitem__(0, pulls),
                sequential=sequential,
            )
            some = log.first(None, first or DEFAULT_JUDGED_PULLS)
            logged = None if log.propensities is None else check_propensities(some, reference)
        table = None if written is None else as_table(log, exact_propensities(log, reference))
    except (TypeError, ValueError) as error:
        raise Trouble(f"{printable(file)}: {error}") from None
    if written is not None and table is not None:
        try:
            written.write_text(table, encoding="utf-8")
        except OSError as error:
            raise Trouble(
                f"--add-propensities {printable(written)}: cannot be written ({error.strerror or error}); choose "
                "another file"
            ) from None
    for name, each in (("log", finding), ("propensities", logged)):
        if each is not None:
            click.echo(f"{name}: {each.verdict}\n    {each.summary}")
            if each.resolution and verbose:
                click.echo(f"    Power: {each.resolution}")
            elif each.resolution:
                click.echo("    -v prints the power of this check.")
    for remark in log.remarks:
        click.echo(f"    {remark}")
    if written is not None:
        click.echo(f"    exact propensities: {written}")
    said = (
        ("arms", shape.arms, f"{reference.arms}"),
        ("horizon", shape.horizon, f"{reference.horizon}, the longest run"),
    )
    for name, given, taken in said:
        if given is None:
            click.echo(f"    --{name} was not given. The check used {taken}; give --{name} for another policy.")
    verdicts = [each.verdict for each in (finding, logged) if each is not None]
    if Verdict.REFUTED in verdicts:
        return 1
    return 0 if Verdict.CONSISTENT in verdicts else 2


def page_of_log(page: Callable[..., Policy], arms: int, horizon: int, seen: dict[str, int]) -> Policy:
    """Makes the reference policy for a log.
    seen: the number of features in the log, passed on if the policy takes contexts."""
    try:
        return page(arms=arms, horizon=horizon, **seen)
    except click.UsageError:
        if not seen:
            raise
        return page(arms=arms, horizon=horizon)
