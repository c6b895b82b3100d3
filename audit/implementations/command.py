"""`dpbandits check`: the battery for a program in any language, or for a policy in Python."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from dpbandits.audit.fronts.endings import ended

if TYPE_CHECKING:
    from dpbandits.audit.effort import Profile

PAPERS = "dpbandits.reference.papers"
ALGORITHM_1 = {  # what a page's name alone stands for
    "bernoulli": "ThompsonSampling", "ou24": "ThompsonSampling",
    "hu25": "DPTSUCB", "sajed19": "DPSE", "tao22": "DPRUCB",
}  # fmt: skip
ELSEWHERE = {"bernoulli": "dpbandits.reference.bernoulli"}  # policies of no page


@click.command()
@click.option(
    "--reference", "--page", "reference", required=True, metavar="PAGE[.POLICY]",
    help="The page's policy, e.g. ou24.ThompsonSampling; a page alone means its Algorithm 1.",
)  # fmt: skip
@click.option("--arms", type=click.IntRange(1), default=2, show_default=True)
@click.option("--horizon", type=click.IntRange(1), default=8, show_default=True)
@click.option("--parameter", "given", multiple=True, metavar="NAME=NUMBER", help="Of the page's policy; handed on.")
@click.option(
    "--expect-failure", "excused", multiple=True, metavar="CHECK=REASON", help="A check that is known to fail."
)
@click.option("--profile", default="quick", show_default=True, type=click.Choice(["quick", "ci", "deep"]))
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--python", "attribute", metavar="FILE.py:NAME", help="A policy, or a class of arms and horizon, in Python."
)
@click.option(
    "--log", "recorded", metavar="FILE", help="Recorded runs instead: CSV of run,arm,reward, or a line of JSON each."
)
@click.option("--seconds", type=float, help="About so long may it take; says how many trials that makes.")
@click.option("--trials", type=click.IntRange(1), help="So many in each game, in the place of the profile's.")
@click.option("--html", "report", metavar="FILE", help="Also write a report, one page.")
@click.argument("command", nargs=-1, metavar="[-- PROGRAM [ARGUMENT]...]")
def check(
    reference: str, arms: int, horizon: int, given: tuple[str, ...], excused: tuple[str, ...], profile: str, seed: int,
    attribute: str | None, recorded: str | None, seconds: float | None, trials: int | None, report: str | None,
    command: tuple[str, ...],
) -> None:  # fmt: skip
    """Check an implementation against a page: its protocol, its law, its privacy, over whole runs and in single rounds.

    PROGRAM speaks JSON lines (see audit/implementations/README.md); or give --python, or --log with what was pulled and
    paid (the horizon is that of the longest run, unless given). Exit status: 1 where a check
    fails that was not expected to, or one passes that was; 2 where nothing could be checked."""
    from dpbandits.audit.effort import PROFILES
    from dpbandits.audit.implementations.battery import Judged, check_policy, run_all
    from dpbandits.audit.implementations.budget import with_trials
    from dpbandits.audit.implementations.process import from_program
    from dpbandits.audit.run.plan import Plan
    from dpbandits.reference.library import ledger

    parameters = dict(number(each) for each in given)
    if recorded is not None:
        if attribute is not None or command or excused or seconds or trials or report:
            raise click.UsageError("--log stands alone: there is nothing to play in a log")
        by_default = click.get_current_context().get_parameter_source("horizon") is ParameterSource.DEFAULT
        ended(logged(recorded, reference, None if by_default else horizon, {"arms": arms} | parameters))
    page = made(referred(reference), reference, arms=arms, horizon=horizon, **parameters)
    if (attribute is None) == (not command):
        raise click.UsageError("give either a program after --, or --python FILE.py:NAME, or --log FILE")
    policy = from_program(command, arms, horizon, parameters) if attribute is None else python(attribute, arms, horizon)
    failures = dict(pair(each, "--expect-failure") for each in excused)
    settings, found = PROFILES[profile], list[Judged]()
    if report is not None:
        claimed(Path(report))
    try:
        if seconds is not None:
            if trials is not None:
                raise click.UsageError("give either --seconds or --trials")
            settings = afforded(seconds, policy, page, settings)
        elif trials is not None:
            settings = with_trials(settings, policy, trials)
        checks = check_policy(policy, page, settings, seed)
        for judged in run_all(checks, failures):
            found.append(judged)
            click.echo(f"{judged.name}: {judged.finding.verdict}{' (a surprise)' if judged.surprise else ''}")
            click.echo(f"    {judged.finding.summary}")
            for label, text in (("resolution", judged.finding.resolution), ("expected to fail", judged.reason)):
                if text:
                    click.echo(f"    {label}: {text}")
    except (TypeError, ValueError) as error:  # of the program, or of its policy
        raise click.ClickException(str(error)) from None
    verdicts = [str(judged.finding.verdict) for judged in found]
    counts = ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))
    surprises = [judged.name for judged in found if judged.surprise]
    click.echo(f"{len(found)} of {len(checks)} checks ran: {counts}; {len(surprises)} surprises")
    if report is not None:
        write_report(Path(report), attribute or " ".join(command), checks, found, Plan(ledger(), settings, seed))
    ended(1 if surprises else 0)


def afforded(seconds: float, policy: Any, page: Any, profile: Profile) -> Profile:
    """The profile that so many seconds buy; says what it is."""
    from dpbandits.audit.conformance import probes
    from dpbandits.audit.implementations.battery import check_policy
    from dpbandits.audit.implementations.budget import within
    from dpbandits.reference.protocol import demand_policy

    demand_policy(policy)
    profile = within(seconds, policy, probes(page)["uneven rewards"], len(check_policy(policy, page)), profile)
    click.echo(f"{profile.trials} trials in each game for about {seconds:g} s; --trials {profile.trials} repeats this")
    return profile


def claimed(path: Path) -> None:
    """Refuses a file that is no report, before anything is judged."""
    from dpbandits.audit.run import store

    try:
        store.claim_file(path)
    except (OSError, store.Refused) as error:
        raise click.UsageError(f"--html: {error}") from None


def write_report(path: Path, about: str, checks: list[Any], found: list[Any], plan: Any) -> None:
    """One HTML page of what was found."""
    from dpbandits.audit.implementations.document import Shown, document
    from dpbandits.audit.run import documents, store

    sees = {check.name: check.sees for check in checks}
    shown = [Shown(about, each.name, sees[each.name], each.finding, each.reason, each.surprise) for each in found]
    try:
        store.write_whole(path, documents.page(document(shown, plan)))
    except OSError as error:
        raise click.ClickException(f"cannot write {path} ({error.strerror or error})") from None
    click.echo(f"report: {path}")


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def vectors(folder: Path) -> None:
    """Write the golden vectors: laws.json, tapes.json and profiles.json, computed anew.

    For implementations in any language: audit/implementations/README.md says what they are."""
    from dpbandits.audit.implementations.vectors import write

    try:
        for path in write(folder):
            click.echo(str(path))
    except OSError as error:
        raise click.ClickException(str(error)) from None


def logged(file: str, reference: str, horizon: int | None, parameters: dict[str, Any]) -> int:
    """Judges a log, says what was found, and returns the exit status."""
    from dpbandits.audit.implementations.logs import fits_law, read
    from dpbandits.reference.ledger import Verdict

    try:
        log = read(file)
        longest = max(1, log.arms.shape[1])
        page = made(referred(reference), reference, horizon=longest if horizon is None else horizon, **parameters)
        finding = fits_law(log, page)
    except (OSError, TypeError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"log: {finding.verdict}\n    {finding.summary}")
    if finding.resolution:
        click.echo(f"    resolution: {finding.resolution}")
    return {Verdict.REFUTED: 1, Verdict.CONSISTENT: 0}.get(finding.verdict, 2)


def pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise click.UsageError(f"{option} {text!r}: write NAME=VALUE")
    return name, value


def number(text: str) -> tuple[str, float]:
    name, value = pair(text, "--parameter")
    try:
        return name, int(value) if value.lstrip("-").isdigit() else float(value)
    except ValueError:
        raise click.UsageError(f"--parameter {text!r}: {value!r} is no number") from None


def referred(name: str) -> Any:
    """A page's policy by its name, or one of no page."""
    page, _, policy = name.partition(".")
    policy = policy or ALGORITHM_1.get(page, "")
    try:
        module = import_module(ELSEWHERE.get(page, f"{PAPERS}.{page}"))
    except ModuleNotFoundError:
        raise click.UsageError(
            f"--reference {name!r}: there is no page {page!r}; write e.g. ou24.ThompsonSampling"
        ) from None
    if not isinstance(getattr(module, policy, None), type):
        known = [each for each, value in vars(module).items() if hasattr(value, "act") and value.__name__ == each]
        raise click.UsageError(f"--reference {name!r}: the page {page} has the policies {', '.join(sorted(known))}")
    return getattr(module, policy)


def made(what: Any, name: str, **arguments: Any) -> Any:
    try:
        return what(**arguments)
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"{name}: {error}") from None


def python(attribute: str, arms: int, horizon: int) -> Any:
    """The policy of this name in a file; a class or function is called with arms and horizon."""
    file, _, name = attribute.rpartition(":")
    if not file or not Path(file).is_file():
        raise click.UsageError(f"--python {attribute!r}: {file!r} is no file; write FILE.py:NAME")
    module = run_path(file)
    if name not in module:
        raise click.UsageError(f"--python {attribute!r}: {file} defines no {name!r}")
    return made(module[name], attribute, arms=arms, horizon=horizon) if callable(module[name]) else module[name]
