"""Contexts at the edges: programs, loops, recorded runs and golden vectors of policies that see some."""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner
from test_implementations import EXAMPLES, PYTHON, validate

from dpbandits import (
    QUICK,
    Contexts,
    Seeded,
    Stream,
    Table,
    Verdict,
    audit_policy,
    check_policy,
    follows_law,
    from_loop,
    from_program,
    play,
)
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.implementations.battery import run_all
from dpbandits.audit.implementations.channel import ProgramError
from dpbandits.audit.play.probes import probe
from dpbandits.reference.papers.agrawal13 import LinearThompsonSampling

PAGE = LinearThompsonSampling(2, 3, 2)
FEATURES = np.array([[[0.5, 0.0], [0.25, 0.5]], [[0.0, 0.0], [1.0, 0.0]], [[0.125, 0.25], [0.5, 0.25]]])
SEEN = Stream(np.array([[0.0, 1.0, 0.5], [1.0, 0.25, 0.0]]), contexts=Contexts(FEATURES))
# It pulls the arm with the larger first feature, and writes down what it reads.
NOTES = """
import json, sys
log = open(sys.argv[1], "a")
for line in sys.stdin:
    log.write(line); log.flush()
    said = json.loads(line)
    if said["do"] == "init":
        answer = {"done": True, "version": said["version"]}
    elif said["do"] == "act":
        answer = {sys.argv[2]: [max(range(len(x)), key=lambda arm: x[arm][0]) for x in said["contexts"]]}
    else:
        answer = {"done": True}
    print(json.dumps(answer), flush=True)
"""
# It pulls the arm that the last round's context named: of a user, others see the context, and nothing of the rewards.
LEAKS = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if said["do"] == "init":
        best, answer = [0] * said["trials"], {"done": True, "version": 3}
    elif said["do"] == "act":
        answer = {"arms": best}
    else:
        best, answer = [int(x[0][0] < x[1][0]) for x in said["contexts"]], {"done": True}
    print(json.dumps(answer), flush=True)
"""


def javascript() -> tuple[str, ...]:
    if shutil.which("node") is None:
        pytest.skip("no node here")
    return ("node", str(EXAMPLES / "linear.js"))


# -- programs --------------------------------------------------------------------------------------------------------


def test_a_program_sees_the_contexts_of_the_round_in_version_3(tmp_path: Path) -> None:
    command = (sys.executable, "-c", NOTES, str(tmp_path / "log"))
    policy = from_program((*command, "arms"), 2, 3, contexts=2, context_norm=1.5)
    assert play(policy, SEEN, Seeded(0, 4), 4).released.argmax(axis=2).tolist() == [[0, 1, 1]] * 4
    said = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [each["do"] for each in said] == ["init", "act", *["learn", "act"] * 2]
    assert (said[0]["version"], said[0]["contexts"], said[0]["context_norm"]) == (3, 2, 1.5)
    for each in said[1:]:
        assert each["contexts"] == [FEATURES[each["t"] - 1].tolist()] * 4
    for each in said:
        validate("request", each)
    validate("answer", {"done": True, "version": 3})
    with pytest.raises(jsonschema.ValidationError):
        validate("request", said[1] | {"contexts": [[0.5, 0.0]]})
    with pytest.raises(ProgramError, match=r"step 1: act was answered by .*'arms': with contexts a step is one pull"):
        play(from_program((*command, "counts"), 2, 3, contexts=2), SEEN, Seeded(0, 4), 4)


def test_a_program_of_an_earlier_version_is_told_that_there_are_contexts() -> None:
    with pytest.raises(
        ProgramError, match=r'init says contexts = 2 and version 3 .* by \{"done": true\}, as a program'
    ):
        play(from_program(PYTHON, 2, 3, contexts=2), SEEN, Seeded(0, 2), 2)
    with pytest.raises(ProgramError, match=r"init failed: this program sees contexts, in version 3: hold it against"):
        play(from_program(javascript(), 2, 3), Table(np.ones((2, 3))), Seeded(0, 2), 2)
    for wrong, why in (({"answers": True}, "an answer comes after the last"), ({"context_norm": 0}, "context_norm")):
        with pytest.raises(ValueError, match=why):
            from_program(PYTHON, 2, 3, contexts=2, **wrong)  # type: ignore[arg-type]


@pytest.mark.thorough
def test_a_program_in_another_language_follows_the_law_in_contexts() -> None:
    right, wrong = (from_program((*javascript(), *bug), 2, 3, contexts=2) for bug in ((), ("--bug",)))
    assert probe(right, SEEN, 0) == ()
    assert follows_law(right, PAGE, trials=1_000).verdict == Verdict.CONSISTENT
    assert follows_law(wrong, PAGE, trials=1_000).verdict == Verdict.REFUTED


@pytest.mark.thorough
def test_users_of_a_program_are_secret_from_others_or_are_not() -> None:
    leaks, right = (
        from_program(command, 2, 3, contexts=2) for command in ((sys.executable, "-c", LEAKS), javascript())
    )
    few = {"eps": 1.0, "trials": 1_000}
    unmoved = audit_policy(leaks, relation="reward", **few)  # type: ignore[arg-type]
    assert unmoved.verdict == Verdict.NOT_EXERCISED  # no reward tells anything
    for view in ("arms", "others"):
        assert audit_policy(leaks, relation="user", view=view, **few).verdict == Verdict.REFUTED  # type: ignore[arg-type]
    assert audit_policy(right, relation="user", view="others", mu=2.0, trials=1_000).verdict == Verdict.CONSISTENT


@pytest.mark.planted
def test_the_battery_finds_the_bug_of_a_program_with_contexts() -> None:
    few = replace(QUICK, trials=2_000, pair_tries=2)
    for bug, wanted in (((), set()), (("--bug",), {"page law"})):
        policy = from_program((*javascript(), *bug), 2, 3, contexts=2)
        checks = [check for check in check_policy(policy, PAGE, few) if check.name != "frozen replay"]
        found = list(run_all(checks))
        assert {each.name for each in found if each.finding.verdict is Verdict.REFUTED} == wanted
        assert "agrawal13/privacy/reward" in {each.name for each in found}


def test_check_hands_contexts_on() -> None:
    words = ["check", "--reference", "agrawal13", "--arms", "2", "--horizon", "3", "--trials", "300"]
    asked = [*words, "--only", "repeats", "--parameter", "contexts=2"]
    done = CliRunner().invoke(main, [*asked, "--", *javascript()])
    assert (done.exit_code, "repeats: CONSISTENT" in done.output) == (0, True), done.output
    done = CliRunner().invoke(main, [*asked, "--", *PYTHON])
    assert done.exit_code == 2
    assert "a program without contexts is held against a policy without contexts" in done.output
    done = CliRunner().invoke(main, [*words, "--", *javascript()])
    assert "it takes contexts as well: give --parameter contexts=NUMBER" in done.output


# -- loops -----------------------------------------------------------------------------------------------------------


def thompson(pull: Any, rng: Any, see: Any, scale: float = 1.0) -> None:
    """Algorithm 1 of agrawal13, in a loop of its own."""
    gram, moment = np.eye(2), np.zeros(2)
    while True:
        assert see() is not None
        features = see()
        sample = np.linalg.solve(gram, moment) + np.linalg.inv(np.linalg.cholesky(gram)).T @ rng.normal(size=2) * scale
        arm = int((features @ sample).argmax())
        moment += pull(arm) * features[arm]
        gram += np.outer(features[arm], features[arm])


def test_a_loop_sees_the_features_of_the_round_that_its_next_pull_decides() -> None:
    told = []

    def run(pull: Any, rng: Any, see: Any) -> None:
        told.append([])
        while True:
            features = see()
            assert not features.flags.writeable
            told[-1].append(features.tolist())
            pull(int(features[:, 0].argmax()))

    policy = from_loop(run, 2, 3, contexts=2, context_norm=1.5)
    assert play(policy, SEEN, Seeded(0, 2), 2).released.argmax(axis=2).tolist() == [[0, 1, 1]] * 2
    assert told == [FEATURES[:t].tolist() for t in (1, 1, 2, 2, 3, 3)]


def test_a_loop_that_looks_on_after_its_end_is_ended_as_well() -> None:
    def deaf(pull: Any, rng: Any, see: Any) -> None:
        with suppress(BaseException):
            pull(0)
        while True:
            with suppress(BaseException):
                see()

    with pytest.raises(ValueError, match=r"pull 1: the loop catches what ends it"):
        play(from_loop(deaf, 2, 3, patience=300.0, contexts=2), SEEN, Seeded(0, 2), 2)
    with pytest.raises(TypeError, match=r"run\(pull, rng\) does not take the arguments of run\(pull, rng, see\)"):
        from_loop(lambda pull, rng: None, 2, 3, contexts=2)
    with pytest.raises(ValueError, match="contexts is 0"):
        from_loop(thompson, 2, 3, contexts=0)


def leaking(pull: Any, rng: Any, see: Any) -> None:
    arm = 0
    while True:
        (one, _), (other, _) = see()
        pull(arm)
        arm = int(one < other)


@pytest.mark.thorough
def test_a_loop_follows_the_law_in_contexts_or_does_not() -> None:
    page = replace(PAGE, horizon=2)
    for scale, verdict in ((1.0, Verdict.CONSISTENT), (0.1, Verdict.REFUTED)):
        policy = from_loop(partial(thompson, scale=scale), 2, 2, contexts=2)
        assert follows_law(policy, page, trials=200).verdict == verdict
    finding = audit_policy(from_loop(leaking, 2, 2, contexts=2), eps=0.5, view="others", trials=300)
    assert finding.verdict == Verdict.REFUTED
