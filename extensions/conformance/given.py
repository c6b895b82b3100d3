"""Arguments of `dpbandits check`: the reference policy, parameters, checks that are known to fail; and the command line
that repeats a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from shlex import join
from typing import Any, cast

import click

import dpbandits
from dpbandits.audit.cli_shared.given import SHAPE, load_from_file
from dpbandits.audit.cli_shared.outputs import OUTPUTS, Output
from dpbandits.reference.bandits.policy import Policy

CHECK_OUTPUTS = {**OUTPUTS, "--badge": Output("badge", "badge")}  # what its options write
POLICIES = "dpbandits.papers"  # of every page, and those of no page


def expected_failure(text: str) -> tuple[str, str]:
    """Splits CHECK=REASON into the name of a check that is known to fail, and the reason.
    The name ends at the first "=" outside parentheses, as in "ou24/lemma-2 (2 arms, T = 3)=known". Raises UsageError
    for other text."""
    found = re.fullmatch(r"((?:[^=(]|\([^)]*\))+)=(.*\S.*)", text, re.DOTALL)
    if not found:
        raise click.UsageError(f"--expect-failure {text!r}: write CHECK=REASON, e.g. 'page law=known bug'")
    return found[1], found[2]


def parse_parameters(texts: Sequence[str]) -> dict[str, float]:
    """Parameters by name, from texts such as "eps=1".
    Raises UsageError for another text, a parameter with an option of its own, and one that is given twice."""
    found: dict[str, float] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise click.UsageError(f"--parameter {text!r}: write NAME=VALUE, e.g. eps=1")
        if name in SHAPE:
            raise click.UsageError(f"--parameter {text!r}: write --{name} {value}")
        try:
            number = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            raise click.UsageError(
                f"--parameter {text!r}: {value!r} is not a number; write NAME=VALUE, e.g. eps=1"
            ) from None
        if name in found:
            raise click.UsageError(
                f"--parameter {text!r}: {name} was already given as {found[name]}; give it only once"
            )
        found[name] = number
    return found


def page_names() -> list[str]:
    """Returns the keys of the papers whose policies can be named, in alphabetical order, without loading any paper."""
    return sorted(path.stem for path in Path(dpbandits.__file__).with_name("papers").glob("[!_]*.py"))


def reference_policy(name: str) -> Callable[..., Policy]:
    """Returns the class of a policy by its name: of a paper, of no paper, or of a file ("FILE.py:NAME")."""
    if ":" in name:
        own: Any = load_from_file(name, "--reference")
        if not callable(own):
            raise click.UsageError(
                f"--reference {name!r} has type {type(own).__name__}; name a class or a function of arms and horizon"
            )
        return cast("Callable[..., Policy]", own)
    page, _, policy = name.partition(".")
    if page not in page_names():
        raise click.UsageError(
            f"--reference {name!r}: there is no paper {page!r}; the papers are {', '.join(page_names())}. For a policy "
            "of your own, write FILE.py:NAME"
        )
    module = import_module(f"{POLICIES}.{page}")
    known = [each for each, value in vars(module).items() if isinstance(value, type) and hasattr(value, "act")]
    policy = policy or default_policy(page, known)
    if policy not in known:
        raise click.UsageError(
            f"--reference {name!r}: the module of the paper {page} has no policy of this name; its policies are "
            f"{', '.join(sorted(known))}"
        )
    found: type[Policy] = getattr(module, policy)
    return found


def default_policy(page: str, known: Sequence[str]) -> str:
    """Returns the name of the policy that is meant if only a paper's key is given; "" if there is no default."""
    from dpbandits.reference.claims.ledger import ledger

    volume = ledger().named(page)
    said = volume.page.default_policy if volume else ""
    return said or (known[0] if len(known) == 1 else "")


def repeat_command(context: click.Context, trials: int | None = None) -> str:
    """Returns the command line that repeats this run, without its output files.
    If trials were limited by time, it contains their number, if known."""
    given = dict(context.params)
    if given["seconds"] is not None and trials is not None:
        given |= {"seconds": None, "trials": trials}
    words = ["dpbandits", "check"]
    for option in (each for each in context.command.params if each.expose_value):  # others end the command at once
        value = given[str(option.name)]
        if (
            not isinstance(option, click.Option)
            or option.opts[0] in CHECK_OUTPUTS
            or value in (None, (), option.default)
        ):
            continue
        if value is False:  # a flag that was not given, which may have no default
            continue
        if option.is_flag:
            words.append(option.opts[0])
            continue
        words += [part for each in (value if option.multiple else (value,)) for part in (option.opts[0], str(each))]
    return join([*words, *(["--", *given["command"]] if given["command"] else [])])
