"""`dpbandits check`: the battery for a program in any language, or for a policy in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from dpbandits.audit.fronts.endings import Trouble, example_lines, exit_with_status, printable, say
from dpbandits.audit.fronts.files import (
    FILE,
    NamedPath,
    WholeOption,
    asked_outputs,
    claim_outputs,
    output_options,
)
from dpbandits.audit.fronts.given import make_policy, raised_in
from dpbandits.extensions.conformance.composing import (
    HORIZON,
    Battery,
    composed,
    document_of,
    errors_in_files,
    in_python,
    narrowed,
    program,
    write_files,
)
from dpbandits.extensions.conformance.given import (
    CHECK_OUTPUTS,
    excuse,
    page_names,
    parse_parameters,
    referred,
    repeating,
)

if TYPE_CHECKING:
    from dpbandits.extensions.conformance.battery import Judged

PROTOCOL_PAGE = Path(__file__).with_name("protocol.md")
RARE = 200_000  # trials that see what goes wrong once in a thousand runs
PLAYED = ("profile", "seed", "patience")  # options of what is played
# What a log has no use for: what is played, and the files about it.
WITHOUT_LOG = ("command", "excused", "seconds", "trials", "only", *(name.removeprefix("--") for name in CHECK_OUTPUTS))


def protocol(context: click.Context, option: click.Parameter, asked: bool) -> None:
    """Prints the page about the protocol, which is installed with the package, and ends the command."""
    if asked and not context.resilient_parsing:
        click.echo_via_pager(PROTOCOL_PAGE.read_text(encoding="utf-8"))
        context.exit()


def of_a_badge(context: click.Context, option: click.Parameter, file: Path | None) -> Path | None:
    """The file, whose name says what a badge is to be."""
    if file is not None:
        from dpbandits.extensions.conformance.judgement import FORMS

        if file.suffix not in FORMS:
            raise click.BadParameter(f"{str(file)!r}: name a file that ends in {' or '.join(FORMS)}", context, option)
    return file


@click.command(
    epilog=example_lines(
        "dpbandits check --reference ou24.ThompsonSampling -- ./my_policy",
        "dpbandits check --reference ou24.ThompsonSampling --arms 2 --horizon 20 --python mine.py:Mine",
        "dpbandits check --reference sajed19 --seconds 60 --html check.html -- ./my_policy --fast",
        "dpbandits check --reference ou24 --arms 2 --log runs.csv",
        "dpbandits check --protocol",
    )
)
@click.option(
    "--reference", "--page", "reference", required=True, metavar="PAGE[.POLICY]",
    help="The page's policy, e.g. ou24.ThompsonSampling; a page alone means its Algorithm 1. The pages: "
    f"{', '.join(page_names())}.",
)  # fmt: skip
@click.option("--arms", type=WholeOption(1), help="Of the policy; 2 and then 3 unless given.")
@click.option(
    "--horizon", type=WholeOption(1), help=f"Pulls of a run; {HORIZON} unless given. Privacy is also asked at 3."
)
@click.option(
    "--parameter",
    "given",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Of the page's policy, such as eps or variance; a program is told, too.",
)
@click.option(
    "--expect-failure", "excused", multiple=True, metavar="CHECK=REASON", help="A check that is known to fail."
)
@click.option("--profile", default="quick", show_default=True, type=click.Choice(["quick", "ci", "deep"]))
@click.option("--seed", type=WholeOption(0), default=0, show_default=True)
@click.option(
    "--python", "attribute", metavar="FILE.py:NAME", help="A policy, or a class of arms and horizon, in Python."
)
@click.option(
    "--log",
    "recorded",
    type=NamedPath(),
    metavar="FILE",
    help="Recorded runs instead: CSV of run,arm,reward, a line of JSON each, Vowpal Wabbit's text or dsjson.",
)
@click.option(
    "--columns",
    metavar="ROLE=NAME,...",
    help="Of a --log of any other table or JSON: arm=item_id,reward=click,propensity=p (also cost, run, contexts=a+b).",
)
@click.option(
    "--add-propensities",
    type=FILE,
    metavar="FILE.csv",
    help="Also write the --log with the exact probability of every pull, for off-policy evaluation.",
)
@click.option("--first", type=WholeOption(1), help="So many pulls of each recorded run are judged; 20000 unless given.")
@click.option("--patience", type=float, default=60.0, show_default=True, help="Seconds for one answer of a program.")
@click.option("--seconds", type=float, help="About so long may it take; says how many trials that makes.")
@click.option("--trials", type=WholeOption(1), help="So many in each game, in the place of the profile's.")
@click.option(
    "--sequential", is_flag=True, help="Stop a check as soon as it is certain: the trials, or the log, are a budget.",
)  # fmt: skip
@click.option(
    "--only",
    multiple=True,
    metavar="CHECK",
    help="Only this check, such as 'page law', beside protocol; may be repeated.",
)
@output_options(beside_folder=False)
@click.option(
    "--badge",
    type=FILE,
    callback=of_a_badge,
    metavar="FILE",
    help="Also write a badge: a drawing (FILE.svg), or data for a service that draws (FILE.json).",
)
@click.option(
    "--protocol", is_flag=True, is_eager=True, expose_value=False, callback=protocol,
    help="Show the protocol of JSON lines, all of it, and exit.",
)  # fmt: skip
@click.argument("command", nargs=-1, metavar="[-- PROGRAM [ARGUMENT]...]")
def check(
    reference: str, arms: int | None, horizon: int | None, given: tuple[str, ...], excused: tuple[str, ...],
    profile: str, seed: int, attribute: str | None, recorded: str | None, columns: str | None,
    add_propensities: Path | None, first: int | None, patience: float,
    seconds: float | None, trials: int | None, sequential: bool, only: tuple[str, ...], command: tuple[str, ...],
    **outputs: Path | None,
) -> None:  # fmt: skip
    """Check an implementation against a page: its protocol, its law, its privacy, over whole runs and in single rounds.

    PROGRAM speaks JSON lines: --protocol says how, and `dpbandits examples FOLDER` writes programs that speak it. Or
    give --python, or --log with what was pulled and paid (the horizon is that of the longest run, unless given).
    What a policy promises that follows no page is checked in Python, by `audit_policy`.

    Exit status: 1 where a check fails that was not expected to, or one passes that was; 2 where nothing could be
    checked, or not all: the files that were asked for then hold the error."""
    from dpbandits.audit.judges.effort import PROFILES

    parameters = parse_parameters(given)
    page = partial(make_policy, referred(reference), reference, **parameters)
    demand_fitting_options(click.get_current_context().params)
    if recorded is not None:
        shape = LogShape(arms, horizon, "contexts" in parameters)
        exit_with_status(judge_log(recorded, page, shape, first, sequential, columns, add_propensities))
    failures = dict(map(excuse, excused))
    files = asked_outputs(outputs, CHECK_OUTPUTS)
    claim_outputs(files, CHECK_OUTPUTS)
    about = attribute or " ".join(command)
    with errors_in_files(files, about, reference, PROFILES[profile], seed), errors_in_words(attribute):
        subject = program(command, parameters, patience) if attribute is None else in_python(attribute)
        battery = narrowed(composed(subject, page, arms, horizon, profile, seed, seconds, trials, sequential), only)
        found, took = run_checks(battery, failures)
    surprises = sum(each.surprise for each in found)
    from dpbandits.extensions.conformance.judgement import badge, judgement

    closing = judgement(found, about, reference)
    say(closing)
    click.echo(closing_line(battery, found, surprises))
    if files:
        repeat = repeating(click.get_current_context(), battery.profile.trials)
        content = document_of(about, battery, found, took, repeat, seed) | {"judgements": [closing]}
        write_files(files, content, about, badge(found, reference, battery.profile.trials))
    exit_with_status(1 if surprises else 0)


def demand_fitting_options(given: Mapping[str, Any]) -> None:
    """Refuses options that contradict each other, or would be ignored. given: all of them, by their parameters."""
    if given["recorded"] is not None:
        if given["attribute"] is not None or any(given.get(name) for name in WITHOUT_LOG):
            raise click.UsageError("--log cannot be combined with a program or --python: a log is not played")
        demand_none_of("--log judges what is recorded by its exact law", PLAYED)
        return
    if (given["attribute"] is None) == (not given["command"]):
        raise click.UsageError("give either a program after --, or --python FILE.py:NAME, or --log FILE")
    for name in ("columns", "add_propensities"):
        if given[name] is not None:
            raise click.UsageError(f"--{name.replace('_', '-')} is of a --log")
    if given["first"] is not None:
        raise click.UsageError("--first is of a --log; for fewer pulls give --horizon")
    if given["seconds"] is not None and given["trials"] is not None:
        raise click.UsageError("give either --seconds or --trials")
    if given["attribute"] is not None:
        demand_none_of("--python takes its patience from from_object and from_loop in the file", ("patience",))


def demand_none_of(why: str, names: Sequence[str]) -> None:
    """Refuses options that would be ignored, in words; those that were not given are none."""
    context = click.get_current_context()
    given = [f"--{name}" for name in names if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if given:
        raise click.UsageError(f"{', '.join(given)}: {why}; leave {'it' if len(given) == 1 else 'them'} away")


@contextmanager
def errors_in_words(attribute: str | None) -> Iterator[None]:
    """Whatever a program or a policy throws is told in a sentence; of a policy in a file, with its place there."""

    def told_at(error: BaseException) -> Trouble | None:
        return None if attribute is None else raised_in(attribute.rpartition(":")[0], error)

    try:
        yield
    except (TypeError, ValueError) as error:  # of the program, or of its policy
        raise told_at(error) or Trouble(str(error)) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also what is no Exception, such as SystemExit or pytest.fail's
        raise told_at(error) or error from None


def run_checks(battery: Battery, failures: dict[str, str]) -> tuple[list[Judged], list[float]]:
    """Runs the checks, and says of each what was found; now and then, which is at work. Also the seconds of each."""
    from dpbandits.audit.runner.progress import print_now_and_then
    from dpbandits.extensions.conformance.battery import run_all
    from dpbandits.extensions.conformance.judgement import Remarks

    found, checks, start, remarks = list[Any](), battery.checks, monotonic(), Remarks()
    ends = [start]

    def line() -> str:
        if len(found) == len(checks):
            return ""
        at_work = checks[len(found)].name
        return f"{len(found)} of {len(checks)} checks after {monotonic() - start:.0f} s; at work: {at_work}"

    with print_now_and_then(line):
        for each in run_all(checks, failures):
            found.append(each)
            ends.append(monotonic())
            say(f"{each.name}: {each.finding.verdict}{' (a surprise)' if each.surprise else ''}")
            say(f"    {remarks.shortened(each.name, each.finding.summary)}")
            for label, text in (("resolution", each.finding.resolution), ("expected to fail", each.reason)):
                if text:
                    say(f"    {label}: {remarks.shortened(each.name, text)}")
    if counts := remarks.counts():
        click.echo(counts)
    return found, [end - begin for begin, end in pairwise(ends)]


def closing_line(battery: Battery, found: list[Judged], surprises: int) -> str:
    """The last line: how many checks ran, with what verdicts."""
    verdicts, trials = [str(each.finding.verdict) for each in found], battery.profile.trials
    counts = ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))
    seldom = f" (what is wrong once in a thousand runs takes --trials {RARE}, and what grows with the pulls --horizon)"
    rare, most = seldom if trials < RARE else "", "at most " if battery.sequential else ""
    return (
        f"{len(found)} of {len(battery.checks)} checks ran, with {most}{trials} trials in each game{rare}: {counts}; "
        f"{surprises} surprises"
    )


class LogShape(NamedTuple):
    """What is said of the policy that made a log; None where the log itself says it. contexts: whether the number of
    features is given."""

    arms: int | None
    horizon: int | None
    contexts: bool


def judge_log(
    file: str,
    page: Callable[..., Any],
    shape: LogShape,
    first: int | None,
    sequential: bool,
    columns: str | None = None,
    written: Path | None = None,
) -> int:
    """Judges a log, says what was found, and returns the exit status. written: where the log goes with exact
    propensities."""
    from dpbandits.audit.runner.progress import print_now_and_then
    from dpbandits.extensions.conformance.logged_propensities import as_table, check_propensities, exact_propensities
    from dpbandits.extensions.conformance.logs import DEFAULT_JUDGED_PULLS, fits_law
    from dpbandits.extensions.conformance.records import read_log
    from dpbandits.reference.claims.model import Verdict

    done = [0]
    try:
        log = read_log(file, columns)
        arms, horizon = shape.arms or max(2, log.arm_count), shape.horizon or max(1, log.arms.shape[1])
        seen = {} if log.contexts is None or shape.contexts else {"contexts": int(log.contexts.shape[3])}
        reference = page_of_log(page, arms, horizon, seen)
        with print_now_and_then(lambda: f"{done[0]} of {log.lengths.sum()} pulls judged"):
            finding = fits_law(
                log,
                reference,
                first=first or DEFAULT_JUDGED_PULLS,
                heard=lambda pulls: done.__setitem__(0, pulls),
                sequential=sequential,
            )
            some = log.first(None, first or DEFAULT_JUDGED_PULLS)
            logged = None if log.propensities is None else check_propensities(some, reference)
        if written is not None:
            written.write_text(as_table(log, exact_propensities(log, reference)), encoding="utf-8")
    except OSError as error:
        raise Trouble(
            f"--log {printable(file)}: cannot be read ({error.strerror or error}); name a file of recorded runs, "
            "CSV of run,arm,reward, a line of JSON each, or Vowpal Wabbit's text or dsjson"
        ) from None
    except (TypeError, ValueError) as error:
        raise Trouble(str(error)) from None
    for name, each in (("log", finding), ("propensities", logged)):
        if each is not None:
            click.echo(f"{name}: {each.verdict}\n    {each.summary}")
            if each.resolution:
                click.echo(f"    resolution: {each.resolution}")
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
            click.echo(f"    --{name} was not given: {taken}; the verdict is about that, and the log may be of another")
    verdicts = [each.verdict for each in (finding, logged) if each is not None]
    if Verdict.REFUTED in verdicts:
        return 1
    return 0 if Verdict.CONSISTENT in verdicts else 2


def page_of_log(page: Callable[..., Any], arms: int, horizon: int, seen: dict[str, int]) -> Any:
    """The page's policy of a log, with as many features as the log shows, where it takes some."""
    try:
        return page(arms=arms, horizon=horizon, **seen)
    except click.UsageError:
        if not seen:
            raise
        return page(arms=arms, horizon=horizon)
