"""Contexts at the edges: programs, loops, recorded runs and golden vectors of policies that see some."""

from __future__ import annotations

import itertools
import json
import shutil
import sys
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
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
    Pulls,
    Seeded,
    Stream,
    Table,
    Verdict,
    audit_policy,
    check_policy,
    fits_law,
    follows_law,
    from_loop,
    from_object,
    from_program,
    log_of,
    play,
    read_log,
)
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.play.probes import probe
from dpbandits.audit.statistics.e_values import log_mean_evidence
from dpbandits.extensions.conformance.battery import run_all
from dpbandits.extensions.conformance.channel import ProgramError
from dpbandits.extensions.conformance.logs import groups_of_log, lead_along_log
from dpbandits.extensions.contextual.linear_bandits import DisjointLinearThompsonSampling
from dpbandits.reference.papers.agrawal13 import LinearThompsonSampling
from dpbandits.reference.papers.ou24 import ThompsonSampling

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
    with pytest.raises(
        ProgramError, match=r"step 1: the answer to act was .*'arms' .with contexts, a step is one pull"
    ):
        play(from_program((*command, "counts"), 2, 3, contexts=2), SEEN, Seeded(0, 4), 4)


def test_a_program_of_an_earlier_version_is_told_that_there_are_contexts() -> None:
    with pytest.raises(
        ProgramError,
        match=r'init has contexts = 2 and protocol version 3, but the program answered \{"done": true\}, which',
    ):
        play(from_program(PYTHON, 2, 3, contexts=2), SEEN, Seeded(0, 2), 2)
    with pytest.raises(ProgramError, match=r"init failed: this program sees contexts, in version 3: hold it against"):
        play(from_program(javascript(), 2, 3), Table(np.ones((2, 3))), Seeded(0, 2), 2)
    for wrong, why in (
        ({"answers": True}, "a final recommendation is made after the last"),
        ({"context_norm": 0}, "context_norm"),
    ):
        with pytest.raises(ValueError, match=why):
            from_program(PYTHON, 2, 3, contexts=2, **wrong)  # type: ignore[arg-type]


@pytest.mark.thorough
def test_a_program_in_another_language_follows_the_law_in_contexts() -> None:
    right, wrong = (from_program((*javascript(), *bug), 2, 3, contexts=2) for bug in ((), ("--bug",)))
    assert probe(right, SEEN, 0) is None
    assert follows_law(right, PAGE, trials=1_000).verdict == Verdict.CONSISTENT
    assert follows_law(wrong, PAGE, trials=1_000).verdict == Verdict.REFUTED


@pytest.mark.thorough
def test_users_of_a_program_are_secret_from_others_or_are_not() -> None:
    leaks, right = (
        from_program(command, 2, 3, contexts=2, deterministic=certain)
        for command, certain in (((sys.executable, "-c", LEAKS), True), (javascript(), False))
    )
    few = {"eps": 1.0, "trials": 1_000}
    unmoved = audit_policy(leaks, relation="reward", **few)  # type: ignore[arg-type]
    assert unmoved.verdict == Verdict.NOT_EXERCISED  # no reward tells anything
    for view in ("arms", "others"):
        assert audit_policy(leaks, relation="user", view=view, **few).verdict == Verdict.REFUTED  # type: ignore[arg-type]
    assert audit_policy(right, relation="user", view="others", mu=2.0, trials=1_000).verdict == Verdict.CONSISTENT


@pytest.mark.planted
def test_the_battery_finds_the_bug_of_a_program_with_contexts() -> None:
    """With the bug the noise is B^-1 in size: two rounds along one feature are sqrt(2)-GDP, and 1-GDP is claimed."""
    few = replace(QUICK, trials=2_000, pair_tries=2)
    for bug, wanted in (((), set()), (("--bug",), {"page law", "agrawal13/privacy/reward"})):
        policy = from_program((*javascript(), *bug), 2, 3, contexts=2)
        checks = [check for check in check_policy(policy, PAGE, few) if check.name != "frozen replay"]
        found = list(run_all(checks))
        assert {each.name for each in found if each.finding.verdict is Verdict.REFUTED} == wanted
        assert "agrawal13/privacy/reward" in {each.name for each in found}


def test_check_hands_contexts_on() -> None:
    words = ["check", "--reference", "agrawal13", "--arms", "2", "--horizon", "3", "--trials", "300"]
    asked = [*words, "--only", "protocol", "--parameter", "contexts=2"]
    done = CliRunner().invoke(main, [*asked, "--", *javascript()])
    assert (done.exit_code, "CONSISTENT  protocol" in done.output) == (0, True), done.output
    done = CliRunner().invoke(main, [*asked, "--", *PYTHON])
    assert done.exit_code == 2
    assert "which does not declare that it reads contexts. Let the program read" in done.output
    done = CliRunner().invoke(main, [*words, "--", *javascript()])
    assert "it needs contexts: give --parameter contexts=NUMBER" in done.output


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

    with pytest.raises(ValueError, match=r"pull 1: the loop catches the exception that ends it"):
        play(from_loop(deaf, 2, 3, patience=300.0, contexts=2), SEEN, Seeded(0, 2), 2)
    with pytest.raises(TypeError, match=r"run\(pull, rng\) cannot be called as run\(pull, rng, see\)"):
        from_loop(lambda pull, rng: None, 2, 3, contexts=2)
    for wrong, why in (
        ({"contexts": 0}, "contexts is 0"),
        ({"context_norm": 0.0}, "context_norm is 0.0"),
    ):
        with pytest.raises(ValueError, match=why):
            from_loop(thompson, 2, 3, **{"contexts": 2, **wrong})


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"answer": lambda objects: 0}, "a final recommendation is made after the last round"),
        ({"contexts": 0}, "contexts is 0"),
        ({"context_norm": 0.0}, "context_norm"),
    ],
)
def test_what_are_no_contexts_of_objects_is_refused(wrong: dict[str, Any], why: str) -> None:
    def select(agent: object, features: Any) -> int:
        return 0

    def update(agent: object, arm: int, reward: float, features: Any) -> None:
        pass

    assert from_object(lambda rng: object(), select, update, 2, 3, contexts=2)
    with pytest.raises(ValueError, match=why):
        from_object(lambda rng: object(), select, update, 2, 3, **{"contexts": 2, **wrong})


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
    finding = audit_policy(from_loop(leaking, 2, 2, contexts=2, deterministic=True), eps=0.5, view="others", trials=300)
    assert finding.verdict == Verdict.REFUTED


# -- recorded runs ---------------------------------------------------------------------------------------------------

ROUNDS = 200  # of a run
MADE_BY = {"shared": LinearThompsonSampling(2, ROUNDS, 2), "disjoint": DisjointLinearThompsonSampling(2, ROUNDS, 2)}


@cache
def recorded(kind: str, scale: float) -> tuple[Any, ...]:
    """A run in contexts, alike for all arms where each has a model of its own; rewards that hang on nothing."""
    rng, noise, policy = np.random.default_rng(0), Seeded(0, 1), replace(MADE_BY[kind], scale=scale)
    features = np.round(rng.uniform(-0.6, 0.6, (ROUNDS, 2 if kind == "shared" else 1, 2)), 3)
    state, arms, rewards = policy.init(1), [], np.round(rng.uniform(-1, 1, ROUNDS), 3)
    for t, paid in enumerate(rewards, start=1):
        seen = np.repeat(features[None, t - 1], 2 // features.shape[1], axis=1)
        counts = policy.act(t, state, noise, seen).counts
        state = policy.learn(t, state, Pulls(counts), counts * paid, noise, seen)
        arms.append(int(counts.argmax()))
    return arms, rewards, features


def in_vowpal_wabbit(arms: Any, rewards: Any, features: Any) -> str:
    """A line a round with features of the round, else a block, in which a part of a feature is shared."""
    lines = []
    for arm, paid, (one, *other) in zip(arms, rewards, features.tolist(), strict=True):
        if not other:
            lines.append(f"{arm + 1}:{-paid}:0.5 'user|u age:{one[0]} |v:0.5 size:{2 * one[1]}")
            continue
        lines.append("shared |u age:0.25")
        for place, (age, size) in enumerate((one, *other)):
            label = f"0:{-paid}:0.5 " if place == arm else ""
            lines.append(f"{label}|u age:{age - 0.25} size:{size}")
        lines.append("")
    return "\n".join(lines)


@pytest.mark.parametrize("kind", MADE_BY)
def test_a_log_in_contexts_fits_the_law_of_who_made_it(kind: str, tmp_path: Path) -> None:
    """In either format, JSON and Vowpal Wabbit's."""
    for scale, verdict in ((1.0, Verdict.CONSISTENT), (0.1, Verdict.REFUTED)):
        arms, rewards, features = recorded(kind, scale)
        told = {"arms": arms, "rewards": rewards.tolist(), "contexts": features.tolist()}
        (tmp_path / "log.json").write_text(json.dumps(told) + '\n{"arms": [], "rewards": []}\n')
        (tmp_path / "log.vw").write_text("\n\n" + in_vowpal_wabbit(arms, rewards, features))
        for file in tmp_path.iterdir():
            log = read_log(file)
            assert log.arms[0].tolist() == arms
            assert log.rewards[0] == pytest.approx(rewards, abs=0)
            assert log.contexts is not None
            assert log.contexts[0] == pytest.approx(features, abs=1e-12)
        assert fits_law(log, MADE_BY[kind]).verdict == verdict
        assert fits_law(log, MADE_BY[kind], first=3).verdict == Verdict.NOT_EXERCISED


def test_the_evidence_in_contexts_has_expectation_one() -> None:
    """By enumeration of all runs with their exact probabilities, those of the ranks among them."""
    total, rewards = 0.0, SEEN.rewards[0].tolist()
    for arms in itertools.product((0, 1), repeat=3):
        log = log_of([(list(arms), rewards, FEATURES)])
        steps = [step for step, _ in lead_along_log(PAGE, log)]
        chance = np.prod([step.law[0, arm] for step, arm in zip(steps, arms, strict=True)])
        groups = groups_of_log(steps, seeing=True)
        assert sum(np.exp(each.log_weight) * each.log_evidence.size for each in groups) == pytest.approx(1, rel=1e-12)
        assert (np.diff(groups[-1].due[0]) <= 0).all()  # the arm with the largest chance is the first
        total += chance * np.exp(log_mean_evidence(groups))
    assert 1 - 1e-6 <= total <= 1 + 1e-9


def test_check_reads_the_lines_of_vowpal_wabbit(tmp_path: Path) -> None:
    (tmp_path / "log.vw").write_text(in_vowpal_wabbit(*recorded("disjoint", 0.1)))
    words = ["check", "--reference", "contextual.DisjointLinearThompsonSampling", "--log", str(tmp_path / "log.vw")]
    done = CliRunner().invoke(main, [*words, "--parameter", "contexts=2"])
    assert done.exit_code == 1, done.output
    assert "where arms are numbered by their chances, from the largest: arm " in done.output
    done = CliRunner().invoke(main, [*words, "--parameter", "contexts=3"])
    assert (done.exit_code, "--parameter contexts=2" in done.output) == (2, True)


VOWPAL_FAULTS = {
    "0:1:0.5 | a": "line 1: the action is 0, but actions are counted from 1; write, for example, 2:-0.5:0.25 | age",
    "1:1:0.5 | a\n\n2:x:0.5 | a": r"line 3: .* is not a valid line: .x. must be a finite number.*write e.g.",
    "1:1:0.5 | a\n1:1:nan | a": "line 2: .*'nan' must be a finite number",
    "1:1:0 | a": "line 1: .*the probability in the label is 0; it must lie in",
    "1:1:0.5 x | a": "line 1: .*before ..., only a label action:cost:probability and the ids of the available",
    "1:1:0.5 | a\n1:1 | a": "line 2: .*invalid label '1:1'; expected action:cost:probability",
    "1:1:0.5 | a\n1:1:0.5 a": r"line 2: .*character \|, which must come before the features",
    "1:1:0.5 | a:1_0": "line 1: .*'1_0' must be a finite number",
    "1:1:0.5 | a:": "line 1: .*'a:' is not of the form name or name:value",
    "| a\n0:1:0.5 | b\n\n| a\n| b": "line 4: this round has arms: 2, labels: 0, shared lines: 0. A round must",
    "| a\nshared | c\n0:1:0.5 | b": "line 1: this round has arms: 2, labels: 1, shared lines: 1. .*A blank",
}


@pytest.mark.parametrize("text", VOWPAL_FAULTS)
def test_what_is_no_line_of_vowpal_wabbit_is_told_with_its_number(text: str, tmp_path: Path) -> None:
    (tmp_path / "log.vw").write_text(text)
    with pytest.raises(ValueError, match=r"log\.vw, " + VOWPAL_FAULTS[text]):
        read_log(tmp_path / "log.vw")


def test_a_log_without_features_is_one_without_contexts(tmp_path: Path) -> None:
    (tmp_path / "log.vw").write_text("2:-1:0.5 |\n1:0:0.5 |\n")
    log = read_log(tmp_path / "log.vw")
    assert (log.arms.tolist(), log.rewards.tolist(), log.contexts) == ([[1, 0]], [[1.0, 0.0]], None)
    assert fits_law(log, ThompsonSampling(2, 2)).verdict == Verdict.NOT_EXERCISED


def test_a_log_that_cannot_be_of_the_policy_is_refused_with_the_remedy() -> None:
    seen = log_of([([0, 1], [0.5, 1.0], np.ones((2, 2, 2)))])
    for log, policy, why in (
        (
            seen,
            ThompsonSampling(2, 2),
            "the log contains features, but ThompsonSampling is not contextual; choose a contextual policy",
        ),
        (
            seen,
            replace(PAGE, contexts=3),
            r"features of dimension 2, but .* has contexts = 3; .*--parameter contexts=2",
        ),
        (
            seen,
            replace(PAGE, arms=3),
            r"features in the log are for arms = 2, but .* has arms = 3; give arms = 2 \(--arms 2\)",
        ),
        (log_of([([0], [1.0])]), PAGE, "has contexts = 2, but the log has no features; write one line of JSON"),
    ):
        with pytest.raises(ValueError, match=why):
            fits_law(log, policy)
    for runs, why in (
        (
            [([0], [1.0], [[0.5]])],
            r"run 0: contexts have shape \(1, 1\) for a run of length 1; give the features of every arm",
        ),
        (
            [([0], [1.0], [[[np.inf]]])],
            r"run 0, pull 1: contexts is \[\[inf\]\]; it must contain finite features of every arm",
        ),
        ([([0], [1.0], np.ones((2, 2, 2)))], r"contexts have shape \(2, 2, 2\) for a run of length 1"),
        (
            [([0], [1.0], [[["a"]]])],
            r"run 0, pull 1: contexts is \[\['a'\]\]; it must contain finite features of every arm",
        ),
        (
            [([0], [1.0], np.ones((1, 2, 2))), ([0], [1.0])],
            "run 1 has no contexts, but earlier runs have contexts of 2 arms",
        ),
    ):
        with pytest.raises(ValueError, match=why):
            log_of(runs)
