"""Objects and programs whose runs end with an answer, for other rewards than those in [0, 1]."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from scipy.stats import binomtest

from dpbandits import Seeded, Table, from_object, from_program, play
from dpbandits.audit.privacy.search.pairs import candidates
from dpbandits.extensions.conformance import process
from dpbandits.extensions.conformance.process import ProgramError, player_of
from dpbandits.reference.bandits.protocol import protocol_faults
from dpbandits.reference.bandits.reward_ranges import Range, reward_range

PAID = Table(np.array([[-1.0, -0.5, -1.0], [1.0, 0.5, 1.0]]), None, -1.0, 1.0)
WIRE = json.loads((Path(process.__file__).parent / "wire.schema.json").read_text())
PROGRAM = """
import json, sys
log = open(sys.argv[1], "a")
for line in sys.stdin:
    log.write(line); log.flush()
    said = json.loads(line)
    if said["do"] == "init":
        begin, totals = said, [[0.0] * said["arms"] for _ in range(said["trials"])]
    if said["do"] == "learn":
        for total, arm, reward in zip(totals, said["arms"], said["rewards"]):
            total[arm] += reward
    if said["do"] == "act":
        last = said["t"] > begin["horizon"]
        best = [total.index(max(total)) for total in totals]
        print(json.dumps({sys.argv[2]: best} if last else {"arms": [said["t"] % 2] * len(totals)}), flush=True)
    else:
        print(json.dumps({"done": True}), flush=True)
"""


class Totals:
    """It pulls in turn, and recommends the arm that paid most."""

    def __init__(self, rng):
        self.total, self.pulls = [0.0, 0.0], 0

    def select(self):
        return (self.pulls + 1) % 2

    def update(self, arm, reward):
        self.total[arm] += reward
        self.pulls += 1

    def best(self):
        return self.total.index(max(self.total))


def test_an_object_answers_after_its_last_pull():
    policy = from_object(
        Totals, Totals.select, Totals.update, arms=2, horizon=3, answer=Totals.best, reward_range=(-1.0, 1.0)
    )
    assert protocol_faults(policy) == ()
    assert reward_range(policy) == Range(-1.0, 1.0)
    assert {each.range for each in candidates(policy, "pull")} == {Range(-1.0, 1.0)}
    played = play(policy, PAID, Seeded(0, 4), 4)
    assert played.answers.tolist() == [1] * 4
    assert played.pulls.tolist() == [[1, 2]] * 4
    plain = from_object(Totals, Totals.select, Totals.update, arms=2, horizon=3)
    assert play(plain, PAID, Seeded(0, 4), 4).answers.tolist() == [-1] * 4
    wrong = from_object(Totals, Totals.select, Totals.update, arms=2, horizon=3, answer=lambda one: 2)
    with pytest.raises(ValueError, match="step 4: answer returned 2; it must return the arm, an integer from 0 to 1"):
        play(wrong, PAID, Seeded(0, 4), 4)


def command(tmp_path: Path, word: str = "answers") -> list[str]:
    (tmp_path / "program.py").write_text(PROGRAM)
    return [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "log"), word]


def messages(tmp_path: Path) -> list[dict]:
    return [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]


def test_a_program_answers_in_version_2(tmp_path):
    policy = from_program(command(tmp_path), arms=2, horizon=3, answers=True, reward_range=(-1.0, 1.0))
    played = play(policy, PAID, Seeded(0, 4), 4)
    assert played.answers.tolist() == [1] * 4
    said = messages(tmp_path)
    assert (said[0]["version"], said[0]["answers"], said[0]["reward_range"]) == (2, True, [-1.0, 1.0])
    assert [each["do"] for each in said[-2:]] == ["learn", "act"]
    request = {"$ref": "#/$defs/request", "$defs": WIRE["$defs"]}
    for each in [*said, {**said[0], "rewards": [0, 1]}]:
        jsonschema.validate(each, request)
    for each in ({"answers": [0, 1]}, {"counts": [[-1, 0], [0, 3]]}):
        jsonschema.validate(each, {"$ref": "#/$defs/answer", "$defs": WIRE["$defs"]})


def test_without_answers_and_other_rewards_everything_is_version_1(tmp_path):
    policy = from_program(command(tmp_path), arms=2, horizon=2)
    play(policy, Table(np.ones((2, 2))), Seeded(0, 2), 2)
    assert messages(tmp_path)[0]["version"] == 1
    assert not {"answers", "reward_range", "rewards"} & set(messages(tmp_path)[0])


def test_a_program_that_gives_two_answers_is_told_so(tmp_path):
    """It says which arms it pulls, and how often each: only one of these can be meant."""
    program = command(tmp_path)
    text = PROGRAM.replace('{"arms": [said["t"] % 2] * len(totals)}', '{"arms": [0, 0], "counts": [[0, 1], [0, 1]]}')
    (tmp_path / "program.py").write_text(text)
    with pytest.raises(
        ProgramError, match=r"step 1: the answer to act was .*, which has several of 'arms'.*; give one"
    ):
        play(from_program(program, arms=2, horizon=2), Table(np.ones((2, 2))), Seeded(0, 2), 2)


def test_a_program_that_was_killed_is_started_anew(tmp_path):
    policy, table = from_program(command(tmp_path), arms=2, horizon=2), Table(np.ones((2, 2)))
    before = play(policy, table, Seeded(0, 2), 2)
    player_of(policy).channel.process.kill()
    with pytest.raises(ProgramError):
        play(policy, table, Seeded(0, 2), 2)
    assert np.array_equal(play(policy, table, Seeded(0, 2), 2).released, before.released)


def test_a_program_that_never_answers_is_told_so(tmp_path):
    policy = from_program(command(tmp_path, "best"), arms=2, horizon=3, answers=True)
    with pytest.raises(ProgramError, match=r"step 4: the answer to act was .*, and at the end of a run 'answers'"):
        play(policy, Table(np.ones((2, 3))), Seeded(0, 2), 2)


@pytest.mark.parametrize("said", [(1.0, 0.0), frozenset({1.0}), "all"])
def test_a_range_that_is_none_is_refused_at_once(said):
    with pytest.raises(ValueError, match="reward_range is"):
        from_program(["true"], arms=2, horizon=3, reward_range=said)
    with pytest.raises(ValueError, match="reward_range is"):
        from_object(Totals, Totals.select, Totals.update, arms=2, horizon=3, reward_range=said)


@pytest.mark.parametrize("bug", [False, True])
def test_the_example_recommends_the_largest_noisy_sum(bug):
    example = Path(__file__).parents[3] / "examples" / "recommend.py"
    policy = from_program([sys.executable, str(example), *["--bug"] * bug], arms=2, horizon=6, answers=True)
    table, trials = Table(np.array([[0.0, 0.0, 0.0], [1.0, 0.5, 0.5]])), 4000
    played = play(policy, table, Seeded(0, trials), trials)
    assert (played.pulls == 3).all()
    # The difference of two Laplace numbers of scale 1 exceeds 2 with chance e^-2 (2 + 2)/4.
    likely = binomtest(int((played.answers == 0).sum()), trials, np.exp(-2)).pvalue > 1e-9
    assert likely != bug


@pytest.mark.parametrize("said", [[0, True], [[1, 0], [True, 0]], [2**63, 2**64 - 1], [0.0, 1.0]])
def test_what_is_no_whole_number_becomes_none(said):
    """The largest unsigned number would be -1, which stands for an answer."""
    with pytest.raises(ProgramError, match="integers, written as"):
        process.require_whole_numbers(said, "arms", np.shape(said))


def test_a_program_may_be_given_what_has_no_hash(tmp_path):
    command = (sys.executable, "-c", PROGRAM, str(tmp_path / "log"), "answers")
    given = {"reward_range": {-1.0, 0.5, 1.0}, "parameters": {"means": [0.5, 1]}}
    played = play(from_program(command, 2, 2, **given), PAID, Seeded(0, 2), 2)
    assert played.pulls.tolist() == [[1, 1]] * 2
    told = json.loads((tmp_path / "log").read_text().splitlines()[0])
    assert (told["rewards"], told["parameters"]) == ([-1.0, 0.5, 1.0], {"means": [0.5, 1]})


def test_a_program_is_given_its_own_parameters(tmp_path):
    """1 is True to Python, and not to the program."""
    command = (sys.executable, "-c", PROGRAM, str(tmp_path / "log"), "answers")
    for value in (1, True, 1.0):
        play(from_program(command, 2, 1, {"flag": value}, reward_range=(-1.0, 1.0)), PAID, Seeded(0, 1), 1)
    told = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    begun = [json.dumps(each["parameters"]["flag"]) for each in told if each["do"] == "init"]
    assert list(dict.fromkeys(begun)) == ["1", "true", "1.0"]
