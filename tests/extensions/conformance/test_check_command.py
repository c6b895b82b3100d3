"""`dpbandits check`: what it asks about, what it says, and how it ends."""

from __future__ import annotations

import html
import os
import re
import shlex
import signal
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import click
import numpy as np
import pytest
from click.testing import CliRunner
from tournament import Tournament

from dpbandits import QUICK, Check, Finding, Pulls, Verdict, check_policies, check_policy, papers
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.cli_shared import TERMINATED
from dpbandits.audit.cli_shared.endings import Guarded
from dpbandits.audit.play.probes import PLAYED_SINGLY, TrialFault
from dpbandits.audit.runner import progress
from dpbandits.extensions.conformance import command as command
from dpbandits.extensions.conformance import composing, document, logs, results_text
from dpbandits.extensions.conformance.battery import BatteryShape, run_all, shapes
from dpbandits.extensions.conformance.given import expected_failure, repeat_command
from dpbandits.extensions.conformance.logs import fits_law
from dpbandits.extensions.conformance.results_text import FAILED
from dpbandits.reference.papers.karnin13 import SequentialHalving
from dpbandits.reference.papers.ou24 import ThompsonSampling

FEW = replace(QUICK, trials=2_000, pair_tries=2)
VERDICTS = {True: Verdict.REFUTED, False: Verdict.CONSISTENT}


def test_an_expected_failure_is_about_all_shapes_unless_it_names_one():
    """Each shape's check fails or not; some bugs are none with two arms. One of a kind has to fail."""

    def judged(expected, *failing):
        names = ("law", "law (3 arms)", "law (2 arms, T = 3)")
        checks = [Check(name, "", partial(Finding, "x", VERDICTS[name in failing], "")) for name in names]
        return [each.surprise for each in run_all(checks, {expected: "known"} if expected else None)]

    assert judged("") == [False, False, False]
    assert judged("", "law (3 arms)") == [False, True, False]
    for failing in ("law", "law (3 arms)", "law (2 arms, T = 3)"):
        assert judged("law", failing) == [False, False, False]
    assert judged("law") == [False, False, True]
    assert judged("law (3 arms)", "law (3 arms)") == [False, False, False]
    assert judged("law (3 arms)", "law") == [True, True, False]
    with pytest.raises(ValueError, match="expected_failures contains 'law'"):
        list(run_all([], {"law": "known"}))


def test_the_battery_is_run_with_two_and_three_arms_and_in_short_runs():
    made, page = [], ThompsonSampling

    def make(arms, horizon):
        made.append((arms, horizon))
        return page(arms, horizon)

    names = [check.name for check in check_policies(make, page, horizon=5)]
    assert made == [(2, 5), (3, 5), (2, 3), (3, 3)]
    alone = [check.name for check in check_policy(page(2, 5), page(2, 5))]
    promises = [name for name in alone if "/" in name]
    assert len(promises) > 5
    assert names == [
        *alone, *(f"{name} (3 arms)" for name in alone),
        *(f"{name} ({k} arms, T = 3)" for k in (2, 3) for name in promises),
    ]  # fmt: skip
    assert [each.label for each in shapes((4,), 3)] == [""]
    with pytest.raises(
        TypeError, match=r"check_policies: make cannot be called with arms=, horizon= .*'arms'.; give a class"
    ):
        check_policies(lambda horizon: make(arms=2, horizon=horizon), page)
    with pytest.raises(ValueError, match="check_policies: arms is 0"):
        check_policies(make, page, arms=(0,))
    assert [each.name for each in check_policies(make, page, arms=iter((2, 3)), horizon=5)] == names
    with pytest.raises(ValueError, match="of arms, len\\(arms\\) is 0; it must be an integer of at least 1"):
        check_policies(make, page, arms=())


@pytest.mark.thorough
def test_a_bug_that_is_none_with_two_arms_is_seen():
    """Whatever lies beyond the second arm is taken for the second."""

    @dataclass(frozen=True)
    class OfTwo(ThompsonSampling):
        def act(self, t, state, noise):
            return Pulls.one(np.minimum(super().act(t, state, noise).counts.argmax(axis=1), 1), self.arms)

    checks = [each for each in check_policies(OfTwo, ThompsonSampling, horizon=3, profile=FEW) if "page" in each.name]
    assert {each.name: each.finding.verdict for each in run_all(checks)} == {
        "page law": Verdict.CONSISTENT,
        "page law (3 arms)": Verdict.REFUTED,
    }


# -- the command -----------------------------------------------------------------------------------------------------


def asked(*arguments):
    return CliRunner().invoke(main, ["check", *arguments])


def test_the_command_checks_a_policy_in_a_file(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from dpbandits.reference.papers.ou24 import ThompsonSampling as Mine\n"
        "class Broken:\n    def __init__(self, arms, horizon): self.arms, self.horizon = arms, horizon\n"
    )
    done = asked(
        "--reference", "ou24.ThompsonSampling", "--horizon", "2", "--trials", "2000", "--python", f"{mine}:Mine"
    )
    assert done.exit_code == 0, done.output
    first, counts, *checks, last = done.output.splitlines()
    assert first.startswith(f"{mine}:Mine agrees with the distribution of ou24.ThompsonSampling (a deviation of ")
    assert counts.endswith("0 unexpected")
    assert "with 2000 trials in each game: " in counts
    assert "CONSISTENT  own law" in checks
    assert "CONSISTENT  own law (3 arms)" in checks
    assert len(checks) == len([line for line in checks if not line.startswith(" ")]) > 10
    assert last.startswith("-v prints the details of every check. Use --trials 200000 to detect errors ")
    done = asked("--reference", "ou24.ThompsonSampling", "--python", f"{mine}:Broken")
    assert done.exit_code == 1
    assert "act(t, state, noise) is missing" in done.output
    assert done.output.splitlines()[1].startswith("1 of ")


PLAIN_UCB = """
from math import log, sqrt

class UCB1:
    def __init__(self, arms):
        self.pulls, self.sums = [0] * arms, [0.0] * arms

    def select(self):
        if 0 in self.pulls:
            return self.pulls.index(0)
        of = [s / n + sqrt(2 * log(sum(self.pulls)) / n) for s, n in zip(self.sums, self.pulls)]
        return of.index(max(of))

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.sums[arm] += reward
"""
MAKES_UCB = """
from dpbandits import from_object
from {module} import UCB1

def mine(arms, horizon):
    return from_object(lambda rng: UCB1(arms), UCB1.select, UCB1.update, arms=arms, horizon=horizon)
"""


def test_a_file_imports_modules_of_its_own_folder(tmp_path):
    before = [*sys.path]
    module = f"plain_ucb_{id(tmp_path)}"
    (tmp_path / f"{module}.py").write_text(PLAIN_UCB)
    (tmp_path / "mine.py").write_text(MAKES_UCB.format(module=module))
    page = ("--reference", "auer02", "--arms", "2", "--horizon", "3", "--only", "protocol")
    done = asked(*page, "--python", f"{tmp_path / 'mine.py'}:mine")
    assert done.exit_code == 0, done.output
    assert "CONSISTENT  protocol" in done.output
    assert sys.path == before
    done = asked(*page, "--python", f"{tmp_path / module}.py:UCB1")
    assert done.exit_code == 2
    assert ".py:UCB1: it cannot be called with arms=2, horizon=3. For a class that plays one run, " in done.output


DECLARED = """
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from dpbandits import Pulls
from dpbandits.laws import epsilon_greedy

class State(NamedTuple):
    pulls: np.ndarray
    sums: np.ndarray

@dataclass(frozen=True)
class Greedy:
    arms: int
    horizon: int
    epsilon: float = 0.5

    def init(self, trials):
        return State(np.zeros((trials, self.arms), dtype=int), np.zeros((trials, self.arms)))

    def law(self, t, state):
        return epsilon_greedy(state.sums / np.maximum(state.pulls, 1), self.epsilon)

    def act(self, t, state, noise):
        below = self.law(t, state).chance.cumsum(axis=1)
        return Pulls.one((noise.uniform("arm", t)[:, None] >= below[:, :-1]).sum(axis=1), self.arms)

    def learn(self, t, state, pulls, sums, noise):
        return State(state.pulls + pulls.counts, state.sums + sums)

fixed = Greedy(2, 3)
"""


def test_a_log_is_compared_with_a_policy_of_your_own(tmp_path):
    mine, log = tmp_path / "mine.py", tmp_path / "log.csv"
    mine.write_text(DECLARED)
    log.write_text("arm,reward,propensity\n0,0,0.75\n1,1,0.25\n1,1,0.75\n")
    given = ("--log", str(log), "--columns", "arm=arm,reward=reward,propensity=propensity", "--reference")
    done = asked(*given, f"{mine}:Greedy")
    assert "all 3 logged propensities are those of the law of Greedy" in done.output
    assert done.exit_code == 0, done.output
    done = asked(*given, f"{mine}:Greedy", "--parameter", "epsilon=0.2")
    assert done.exit_code == 1
    assert "0 of 3 logged propensities are those of the law of Greedy" in done.output
    assert "' has type Greedy; name a class or a function of arms and horizon" in asked(*given, f"{mine}:fixed").output
    assert "--reference 'nowhere.py:X': there is no file" in asked(*given, "nowhere.py:X").output
    log.write_text("arm,reward\n0,0.5\n1,1\n")
    done = asked("--log", str(log), "--columns", "arm=arm,reward=reward", "--reference", "bernoulli")
    assert f"Error: {log}: step " in done.output


@pytest.mark.thorough
def test_the_command_checks_a_policy_for_about_so_many_seconds(tmp_path):
    mine, beta = tmp_path / "mine.py", tmp_path / "beta.py"
    mine.write_text("")
    beta.write_text("from dpbandits.reference.bandits.beta_thompson import ThompsonSampling as Mine\n")
    page = ("--page", "bernoulli", "--horizon", "2", "--arms", "2", "--python", f"{beta}:Mine")
    done = asked(*page, "--seconds", "1", "--html", str(tmp_path / "report.html"))
    assert done.exit_code == 0, done.output
    assert re.match(r"\d+ trials in each game, for about 1 s \(to repeat: --trials \d+\)", done.output)
    assert "page_law" in (tmp_path / "report.html").read_text()
    assert "--html" in asked(*page, "--html", str(mine)).output  # no report of ours is overwritten
    assert (
        "--seconds cannot be combined with --trials; omit one of them"
        in asked(*page, "--seconds", "1", "--trials", "9").output
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--first", "3", "--", "./x"], "--first can only be used with --log; for shorter runs use --horizon"),
        (["--python", "FILE:other"], "defines no 'other'; write another NAME of FILE.py:NAME"),
        (["--python", "nowhere.py:mine"], "there is no file 'nowhere.py'; write FILE.py:NAME"),
        (["--python", "FILE"], "there is no file"),
        ([], "a program after --, or --python FILE.py:NAME, or --log FILE"),
        (["--python", "FILE:mine", "--", "./x"], "a program after --, or --python FILE.py:NAME, or --log FILE"),
        (["--log", "FILE", "--python", "FILE:mine"], "--log cannot be combined with a program, --python, or options"),
    ],
)
def test_options_that_contradict_each_other_are_refused(tmp_path, words, said):
    (tmp_path / "mine.py").write_text("mine = 1\n")
    done = asked(
        "--reference",
        "ou24",
        *(word.replace("FILE", f"{tmp_path}/mine.py") if word.startswith("FILE") else word for word in words),
    )
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


@pytest.mark.parametrize("whole", ["3", "__import__('numpy').int64(3)"])
def test_a_policy_that_is_already_made_is_checked_as_it_is(tmp_path, whole):
    (tmp_path / "mine.py").write_text(f"class Policy:\n    arms = horizon = {whole}\nmine = Policy()\n")
    with click.Context(command.check):
        subject = composing.python_subject(f"{tmp_path / 'mine.py'}:mine")
    assert composing.wanted_shapes(subject, None, None) == [BatteryShape(3, 3)]
    with pytest.raises(click.UsageError, match="already has arms = 3; omit --arms 2"):
        composing.wanted_shapes(subject, 2, None)


LOOP = """\
from dpbandits import from_loop
def run(pull, rng):
    pull(0) / 0
def Mine(arms, horizon):
    return from_loop(run, arms, horizon)
"""


@pytest.mark.parametrize(
    ("code", "message", "status"),
    [
        ("import no_such_module", "mine.py:1: ModuleNotFoundError: No module named 'no_such_module'", 2),
        ("x = (", "mine.py:1: SyntaxError", 2),
        ("Mine = 1", "arms is missing", 1),
        ("def Mine(arms, horizon):\n    return 1 / 0", "mine.py:2: ZeroDivisionError: division by zero", 2),
        (LOOP, "mine.py:3: ZeroDivisionError", 2),
        ("import pytest\npytest.fail('no')", "mine.py:2: Failed: no", 2),
        (
            "class Mine:\n    def __init__(self, arms, horizon):\n        raise GeneratorExit",
            "mine.py:3: GeneratorExit",
            2,
        ),
    ],
    ids=range(7),
)
def test_what_a_file_raises_is_said_at_its_line(tmp_path, code, message, status):
    """And no internal error of ours; the status is no verdict, unless the protocol is not spoken."""
    (tmp_path / "mine.py").write_text(code)
    done = asked("--page", "ou24", "--arms", "4", "--python", f"{tmp_path / 'mine.py'}:Mine")
    assert message in done.output
    assert "internal error" not in done.output
    assert done.exit_code == status


def test_a_policy_that_is_made_already_has_its_own_arms_and_horizon(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from dpbandits.reference.papers.ou24 import ThompsonSampling as P\nMine = P(3, 2)\n"
    )
    with click.Context(command.check):
        mine = composing.python_subject(f"{tmp_path / 'mine.py'}:Mine")
    assert composing.wanted_shapes(mine, None, None) == composing.wanted_shapes(mine, 3, 2) == [(3, 2, "", False)]
    assert mine.make(ThompsonSampling(3, 2)).arms == 3
    with pytest.raises(click.UsageError, match="horizon = 2; omit --horizon 4"):
        composing.wanted_shapes(mine, None, 4)


def test_a_program_is_told_what_the_pages_policy_is():
    """Whether its runs end with an answer, and which rewards come: else an honest program could not follow it."""
    subject = composing.program_subject(("./mine",), {"eps": 1}, 60.0)
    pages = ThompsonSampling(2, 5), SequentialHalving(2, 8), Tournament(arms=2, horizon=10, reward_range=(-1.0, 1.0))
    plain, answering, signed = map(subject.make, pages)
    assert (plain.arms, plain.horizon, plain.terms) == (2, 5, {"version": 1})
    assert answering.terms == {"version": 2, "answers": True}
    assert signed.terms == {"version": 2, "answers": True, "reward_range": [-1.0, 1.0]}


def test_a_command_that_is_told_to_end_ends_what_it_has_started():
    """By what Ctrl-C goes through as well: a program in a session of its own hears nothing of the signal."""

    @click.group(cls=Guarded)
    def group():
        pass

    @group.command()
    def waiting():
        signal.getsignal(signal.SIGTERM)(signal.SIGTERM, None)

    assert CliRunner().invoke(group, ["waiting"]).exit_code == TERMINATED


def test_advice_that_repeats_is_given_once_with_a_count(capsys):
    said = [
        TrialFault.OWN_RANDOMNESS,
        f"fits; {PLAYED_SINGLY}",
        f"fits. {PLAYED_SINGLY[0].upper()}{PLAYED_SINGLY[1:]}.",
        TrialFault.DEPENDENT_TRIALS,
        "fits",
    ]
    checks = [Check(str(k), "", partial(Finding, "x", Verdict.CONSISTENT, text)) for k, text in enumerate(said)]
    made = composing.Battery(checks, FEW)
    found, _ = command.run_checks(made, {})
    results_text.print_results("conclusion", made, found, verbose=True)
    assert [each.finding.summary for each in found] == said  # reports have it whole
    conclusion, counts, *lines = capsys.readouterr().out.splitlines()
    assert (conclusion, counts) == (
        "conclusion",
        "5 of 5 checks ran, with 2000 trials in each game: 5 CONSISTENT; 0 unexpected",
    )
    alone = PLAYED_SINGLY.removeprefix(TrialFault.OWN_RANDOMNESS).lstrip(". ")
    assert lines[1:10:2] == [
        f"    [1] {TrialFault.OWN_RANDOMNESS}",
        f"    fits; [1]. [2] {alone}", "    fits. [1]. [2].", f"    [3] {TrialFault.DEPENDENT_TRIALS}",
        "    fits",
    ]  # fmt: skip
    assert lines[10] == "[1] applies to 3 checks, [2] applies to 2 checks"


def test_what_is_at_work_is_said(tmp_path, monkeypatch, capsys):
    """A line now and then on standard error, for checks and for logs."""
    monkeypatch.setattr(progress, "EVERY", 0.01)

    def until_said(line):
        said = ""
        until = monotonic() + 600
        while not re.search(line, said) and monotonic() < until:  # whoever says it may be waiting for a processor
            sleep(0.01)
            said += capsys.readouterr().err
        assert re.search(line, said), said

    def slow(line):
        until_said(line)
        return Finding("x", Verdict.CONSISTENT, "")

    first = partial(slow, r"0 of 2 checks after \d+ s; running: law\n")
    second = partial(slow, r"1 of 2 checks after \d+ s; running: law \(3 arms\)\n")
    command.run_checks(composing.Battery([Check("law", "", first), Check("law (3 arms)", "", second)], FEW), {})

    def slowly(log, reference, first, heard, sequential):
        def told(pulls):
            heard(pulls)
            until_said(f"{pulls} of 20 pulls checked\n")

        return fits_law(log, reference, first=first, heard=told, sequential=sequential)

    (tmp_path / "log.csv").write_text("run,arm,reward\n" + "0,0,0\n0,1,1\n" * 10)
    monkeypatch.setattr(logs, "fits_law", slowly)
    command.judge_log(str(tmp_path / "log.csv"), ThompsonSampling, command.LogShape(None, None, False), None, False)


def test_the_help_names_the_pages():
    told = " ".join(asked("--help").output.split())
    pages = {each.stem for each in Path(papers.__file__).parent.glob("*.py")} - {"__init__"}
    assert f"The pages: {', '.join(sorted(pages))}." in told
    assert len(pages) > 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--reference", "ou25.ThompsonSampling", "--", "x"),
            "there is no paper 'ou25'; the papers are agrawal13, auer02, azize22, bernoulli, bubeck13, ",
        ),
        (("--reference", "__init__", "--", "x"), "there is no paper '__init__'; the papers are agrawal13, auer02, "),
        (
            ("--reference", "ou24.Thompson", "--", "x"),
            "has no policy of this name; its policies are ModifiedThompsonSampling, Thompson",
        ),
        (("--reference", "ou24.ThompsonSampling"), "a program after --, or --python"),
        (("--reference", "ou24.ThompsonSampling", "--python", "nowhere.py:X"), "there is no file 'nowhere.py'"),
        (("--reference", "ou24.ThompsonSampling", "--parameter", "c", "--", "x"), "write NAME=VALUE"),
        (("--reference", "ou24.ThompsonSampling", "--parameter", "c=x", "--", "x"), "'x' is not a number"),
        (("--reference", "ou24.ThompsonSampling", "--parameter", "arms=3", "--", "x"), "write --arms 3"),
        (
            ("--reference", "ou24", "--parameter", "c=1", "--parameter", "c=2", "--", "x"),
            ": c was already given as 1; give it only once",
        ),
        (
            ("--reference", "ou24.ThompsonSampling", "--parameter", "c=1", "--", "x"),
            "ou24.ThompsonSampling: it has no parameter c; it has no numeric parameters except arms and horizon\n",
        ),
        (
            ("--reference", "ou24.ThompsonSampling", "--parameter", "spread=1", "--", "x"),  # it has one: a function
            "ou24.ThompsonSampling: it has no parameter spread; it has no numeric parameters except arms and horizon\n",
        ),
        (
            ("--reference", "ou24.ModifiedThompsonSampling", "--parameter", "c=1", "--", "x"),
            "it has no parameter c; its parameters are prepulls, variance\n",
        ),
        (
            ("--reference", "tao22.Elimination", "--parameter", "eps=1", "--", "x"),
            "it needs v: give --parameter v=NUMBER; it needs u: give --parameter u=NUMBER; it needs "
            "beta: give --parameter beta=NUMBER; it needs log, which is not a number, ",
        ),
        (("--page", "hu25", "--", "x"), "hu25: it needs alpha: give --parameter alpha=NUMBER\n"),
        (
            ("--page", "hu25", "--parameter", "alfa=1", "--", "x"),
            "it needs alpha: give --parameter alpha=NUMBER; it has no parameter alfa",
        ),
        (("--reference", "ou24.ThompsonSampling", "--", "./no-such-program"), "cannot be started"),
        (
            ("--page", "ou24", "--trials", "99999999999999", "--", "x"),
            "trials = 99999999999999 is too large; it must be at most 100000000",
        ),
        (("--page", "ou24", "--log", "no-such"), "--log no-such: cannot be read (No such file or directory); name a"),
        (("--page", "ou24", "--log", "a\0b"), "is not a valid file name"),
        (("--page", "ou24", "--html", "", "--", "x"), "the name is empty"),
        (
            ("--page", "ou24", "--log", "x", "--seed", "1", "--patience", "3"),
            "--seed, --patience: they have no effect with --log; omit them",
        ),
        (
            ("--page", "ou24", "--python", "x.py:X", "--patience", "3"),
            "--patience: with --python, set patience= in from_object",
        ),
    ],
)
def test_the_command_says_what_is_wrong(arguments, message):
    done = asked(*arguments)
    assert done.exit_code in (1, 2)
    assert message in done.output


def test_a_log_that_is_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = asked("--page", "ou24", "--log", str(tmp_path / "pipe"))
    assert done.exit_code == 2
    assert f"{tmp_path / 'pipe'} is not a regular file; save its content" in done.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("page law=own posterior", ("page law", "own posterior")),
        ("ou24/lemma-2 (2 arms, T = 3)=known = old", ("ou24/lemma-2 (2 arms, T = 3)", "known = old")),
        ("page law (3 arms)=known (a = b)", ("page law (3 arms)", "known (a = b)")),
    ],
)
def test_a_check_is_excused_by_the_name_that_it_is_shown_by(text, said):
    assert expected_failure(text) == said


@pytest.mark.parametrize("text", ["page law", "page law=", "page law= ", "=why", ""])
def test_an_excuse_has_a_name_and_a_reason(text):
    with pytest.raises(click.UsageError, match="write CHECK=REASON"):
        expected_failure(text)


def test_the_line_that_repeats_is_the_one_that_was_run(tmp_path, monkeypatch):
    """Also where it bought trials by time: with their number. The report says it, and how long each check took."""
    given = [
        "--page",
        "bernoulli",
        "--arms",
        "2",
        "--seconds",
        "3",
        "--sequential",
        "--expect-failure",
        "page law=it is another",
    ]
    context = command.check.make_context("check", [*given, "--html", "x.html", "--", "./mine", "--bug"])
    said = repeat_command(context, 77)
    assert said == (
        "dpbandits check --reference bernoulli --arms 2 --expect-failure 'page law=it is another' --trials 77 "
        "--sequential -- ./mine --bug"
    )
    fewer = command.check.make_context("check", [*given[:4], "--", "./mine"])
    assert repeat_command(fewer) == "dpbandits check --reference bernoulli --arms 2 -- ./mine"
    again = command.check.make_context("check", shlex.split(said)[2:]).params
    assert again == {**context.params, "seconds": None, "trials": 77, "html": None}
    checks = [Check("law", "other law", partial(Finding, "x", Verdict.REFUTED, "another"))]
    battery = composing.Battery(checks, FEW)
    found, seconds = command.run_checks(battery, {})
    assert len(seconds) == 1
    content = document.battery_document("./mine --bug", battery, found, [12.25], said, 0)
    document.write_files({"--html": tmp_path / "x.html"}, content, "./mine --bug", FAILED)
    page = (tmp_path / "x.html").read_text()
    assert html.escape(said, quote=True).replace("&#x27;", "&#39;") in page
    assert "12.25 s" in page or "12.2 s" in page
