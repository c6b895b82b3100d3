"""Implementations from outside: objects, programs in other languages, and the battery that checks them."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from select import select
from tempfile import mkdtemp
from threading import Event
from time import monotonic, sleep

import jsonschema
import numpy as np
import pytest

from dpbandits import QUICK, Pulls, Seeded, Table, Verdict, check_policy, follows_law, from_object, from_program, play
from dpbandits.audit.judges.effort import with_trials
from dpbandits.audit.play.probes import TrialFault, probe
from dpbandits.audit.privacy.single_rounds import History, state_after_histories
from dpbandits.extensions.conformance import channel, process, time_budget, watch
from dpbandits.extensions.conformance.battery import run_all
from dpbandits.extensions.conformance.channel import Channel, Complaints, ProgramError
from dpbandits.reference.papers.ou24 import ThompsonSampling

EXAMPLES = Path(__file__).parents[3] / "examples"
PYTHON = (sys.executable, str(EXAMPLES / "thompson.py"))
SCHEMA = json.loads(Path(process.__file__).with_name("wire.schema.json").read_text(encoding="utf-8"))
HALF = Table(np.full((2, 5), 0.5))
FEW = replace(QUICK, trials=2_000, pair_tries=2)


# -- objects ---------------------------------------------------------------------------------------------------------


class Sampling:
    """Algorithm 1 as an object of one run."""

    def __init__(self, rng):
        self.rng, self.pulls, self.total = rng, np.zeros(2), np.zeros(2)

    def select(self):
        return int((self.total / (self.pulls + 1) + self.rng.normal(size=2) / np.sqrt(self.pulls + 1)).argmax())

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.total[arm] += reward


class Global(Sampling):
    """The same, with numpy's generator of the whole process."""

    def __init__(self, rng):
        super().__init__(np.random)


def objects(kind=Sampling, **more):
    return from_object(kind, kind.select, kind.update, arms=2, horizon=5, **more)


def test_objects_are_called_by_the_name_that_they_are_given_or_by_what_a_lambda_makes():
    parts = (Sampling.select, Sampling.update)
    assert from_object(lambda rng: Sampling(rng), *parts, arms=2, horizon=5).called == "Sampling"
    assert from_object(lambda rng: {}, *parts, arms=2, horizon=5).called == ""
    assert from_object(lambda rng: 1 / 0, *parts, arms=2, horizon=5).called == ""
    assert repr(objects(name="half the noise")) == "from_object(half the noise, arms=2, horizon=5)"
    with pytest.raises(ValueError, match="from_object: name is 3; it must be a"):
        objects(name=3)


def test_code_that_wants_a_seed_is_told_where_to_find_one():
    with pytest.raises(TypeError) as caught:
        play(from_object(lambda rng: rng % 7, Sampling.select, Sampling.update, 2, 5), HALF, Seeded(0, 2), 2)
    assert "int(rng.integers(2**32))" in caught.value.__notes__[0]


@pytest.mark.planted
def test_objects_follow_the_law():
    assert follows_law(objects(), ThompsonSampling(2, 5), trials=1_000).verdict == Verdict.CONSISTENT


@pytest.mark.thorough
def test_each_object_has_its_trials_noise():
    assert probe(objects(), HALF, 0) is None
    assert probe(objects(Global, seed=lambda number: np.random.seed(number % 2**32)), HALF, 0) is None  # noqa: NPY002
    assert probe(objects(Global), HALF, 0) is TrialFault.OWN_RANDOMNESS


class Counts(Sampling):
    """Counts its own selections."""

    chosen = 0

    def select(self):
        self.chosen += 1
        return super().select()


def test_an_object_selects_before_it_learns_also_where_it_is_told_of_a_past():
    policy = from_object(Counts, Counts.select, Counts.update, arms=2, horizon=5)
    state = state_after_histories(policy, [History((0, 1), (1, 1), (1.0, 0.0), (1.0, 0.0))], 0, Seeded(0, 1))
    assert (state.members[0].chosen, state.members[0].pulls.tolist()) == (2, [1, 1])
    policy.act(3, state, Seeded(0, 1))
    policy.learn(3, state, Pulls.one(np.array([0]), 2), np.zeros((1, 2)), Seeded(0, 1))
    assert state.members[0].chosen == 3


ONE = Sampling(np.random.default_rng(0))
TALLY = [0.0, 0.0]


class Sharing(Sampling):
    """What it is paid is in a list that is every object's, deep inside."""

    def __init__(self, rng):
        super().__init__(rng)
        self.parts = ({"sums": TALLY},)

    def update(self, arm, reward):
        super().update(arm, reward)
        self.parts[0]["sums"][arm] += reward + 1


class Remembering(Sampling):
    """The same in an attribute of the class."""

    history = []  # noqa: RUF012

    def update(self, arm, reward):
        super().update(arm, reward)
        self.history.append(reward)


class Caching(Sampling):
    """A dict of the class that only grows, as a cache; and what is shared and never changes."""

    known, options = {}, [1, 2]

    def select(self):
        self.known[float(self.total.sum())] = True
        return super().select()


def ended(*_):
    raise StopIteration("no more data")


@pytest.mark.parametrize(
    ("make", "kind", "why"),
    [
        (lambda rng: ONE, Sampling, "`make` returned the same Sampling for two runs.*a new object every time"),
        (lambda rng: None, Sampling, "`make` returned None; it must return the object that plays a run"),
        (ended, Sampling, "`make` raised StopIteration: no more data"),
        (Sharing, Sharing, r"step 1: update changed \.parts\[0\]\['sums'\]\. The objects of two runs share"),
        (Remembering, Remembering, r"step 1: update changed Remembering\.history\. The objects of two"),
        (Caching, Caching, ""),
    ],
)
def test_every_run_has_an_object_of_its_own(make, kind, why):
    """Else one run learns from another, and an audit, where all runs are paid alike, may see nothing of it."""
    policy = from_object(make, kind.select, kind.update, arms=2, horizon=5)
    if not why:
        play(policy, HALF, Seeded(0, 3), 3)
        return
    with pytest.raises(ValueError, match=why):
        play(policy, HALF, Seeded(0, 3), 3)


def test_a_class_that_needs_no_generator_is_made_by_a_function_of_one():
    with pytest.raises(
        TypeError, match=r"make\(\) does not take the argument of make\(rng\), .* make=lambda rng: Agent"
    ):
        from_object(lambda: Sampling(None), Sampling.select, Sampling.update, arms=2, horizon=3)


def test_an_object_that_has_no_more_to_say_is_named():
    policy = from_object(Sampling, ended, Sampling.update, arms=2, horizon=5)
    with pytest.raises(ValueError, match=r"step 1: select raised StopIteration \(object 1\): no more data"):
        play(policy, HALF, Seeded(0, 3), 3)


@pytest.mark.parametrize("chosen", [2, -1, 0.0, None, "0", True])
def test_an_object_that_selects_no_arm_is_told_so(chosen):
    policy = from_object(Sampling, lambda each: chosen, Sampling.update, arms=2, horizon=5)
    with pytest.raises(ValueError, match=r"step 1: select returned .*an integer from 0 to 1"):
        play(policy, HALF, Seeded(0, 3), 3)


@pytest.mark.parametrize("name", ["select", "update"])
def test_an_async_method_is_an_error_that_names_it(name):
    class Waits:
        def select(self):
            return 0

        def update(self, arm, reward):
            pass

    made = []

    async def later():
        return 0

    def waits(*_):
        made.append(later())
        return made[-1]

    setattr(Waits, name, waits)
    policy = from_object(lambda rng: Waits(), Waits.select, Waits.update, arms=2, horizon=2)
    with pytest.raises(ValueError, match=f"step 1: {name} is an async function; give an ordinary function"):
        play(policy, Table(np.zeros((2, 2))), Seeded(0, 2), 2)
    assert [inspect.getcoroutinestate(each) for each in made] == [inspect.CORO_CLOSED]  # else Python warns, much later


def test_objects_learn_from_one_pull_at_a_time():
    policy = objects()
    with pytest.raises(ValueError, match="one pull in each step"):
        policy.learn(1, policy.init(1), Pulls(np.array([[2, 0]])), np.zeros((1, 2)), Seeded(0, 1))
    with pytest.raises(ValueError, match="from_object: arms"):
        from_object(Sampling, Sampling.select, Sampling.update, arms=0, horizon=5)


def test_a_program_is_taught_no_truncated_rewards():
    """Its protocol has no word for them: what it would learn is another thing than what was paid."""
    policy, counts = from_program(PYTHON, 2, 5), np.array([[1, 0]])
    taught = policy.learn(1, policy.init(1), Pulls(counts, None), np.array([[0.5, 0.0]]), Seeded(0, 1))
    assert taught.before is not None
    with pytest.raises(ValueError, match="step 2: truncated rewards are not part of the protocol"):
        policy.learn(2, taught, Pulls(counts, np.ones((1, 2))), np.array([[0.5, 0.0]]), Seeded(0, 1))


@pytest.mark.parametrize("method", ["select", "update"])
def test_an_object_that_hangs_is_given_up(method, monkeypatch):
    hangs, end, ticks = Event(), Event(), count()
    # No time passes until something hangs; then each look at the clock is a minute and a half after the last one.
    monkeypatch.setattr(watch, "monotonic", lambda: 90.0 * next(ticks) if hangs.is_set() else 0.0)
    monkeypatch.setattr(watch, "LIFE_POLL_SECONDS", 0.01)

    def hanging(each, *given):
        if each.pulls.sum() == 2 and next(turns) == 1:  # in step 3, or at the end of step 3
            hangs.set()
            end.wait()
        return getattr(Sampling, method)(each, *given)

    turns = count()
    parts = {"select": Sampling.select, "update": Sampling.update, method: hanging}
    policy = from_object(Sampling, **parts, arms=2, horizon=5)
    with pytest.raises(ValueError, match=rf"step 3: {method} did not return within 60 s \(object 2 of 3\).*patience="):
        play(policy, HALF, Seeded(0, 3), 3)
    end.set()


TRACED = """
import sys
from threading import Event
from dpbandits.extensions.conformance.watch import Watch

sys.settrace(lambda *_: None)
try:
    Watch().run(Event().wait, 0.01, lambda: ValueError("silent"))
except ValueError as error:
    print(error)
"""


def test_what_hangs_is_given_up_below_a_debugger_as_well():
    """CPython 3.11 enters no traced function while an exception waits for a thread that waits for ever."""
    ended = subprocess.run([sys.executable, "-c", TRACED], capture_output=True, text=True, timeout=600, check=True)
    assert ended.stdout == "silent\n"


def test_the_thread_in_which_objects_work_changes_nothing():
    apart, here = (play(objects(patience=each), HALF, Seeded(0, 3), 3).pulls for each in (60.0, None))
    assert (apart == here).all()
    with pytest.raises(ValueError, match="patience is 0"):
        objects(patience=0)


# -- programs --------------------------------------------------------------------------------------------------------


@cache
def compiled():
    """The C++ example's binary."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ here")
    target = Path(mkdtemp()) / "thompson"
    subprocess.run(
        [compiler, "-O1", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o", target, EXAMPLES / "thompson.cpp"],
        check=True,
    )
    return (str(target),)


def javascript():
    if shutil.which("node") is None:
        pytest.skip("no node here")
    return ("node", str(EXAMPLES / "thompson.js"))


@pytest.mark.parametrize("command", [lambda: PYTHON, compiled, javascript], ids=["python", "c++", "javascript"])
@pytest.mark.thorough
def test_the_examples_do_what_they_say(command):
    """The right one follows the law of the page, its trials are independent; the one with the bug does not."""
    right, wrong = from_program(command(), 2, 5), from_program((*command(), "--bug"), 2, 5)
    assert probe(right, HALF, 0) is None
    assert follows_law(right, ThompsonSampling(2, 5), trials=1_000).verdict == Verdict.CONSISTENT
    assert follows_law(wrong, ThompsonSampling(2, 5), trials=1_000).verdict == Verdict.REFUTED


def test_every_message_is_one_of_the_schema(monkeypatch):
    """Requests and answers of a run, of a question asked twice, and of blocks that the program does not take."""
    seen = []
    ask = Channel.ask

    def heard(self, message):
        answer = ask(self, message)
        seen.append((message, answer))
        return answer

    monkeypatch.setattr(Channel, "ask", heard)
    policy = from_program(PYTHON, 2, 5, {"variance": 1.0})
    play(policy, HALF, Seeded(0, 4), 4)
    assert [message["do"] for message, _ in seen] == ["init", "act", *["learn", "act"] * 4]
    for message, answer in seen:
        validate("request", message)
        validate("answer", answer)
    validate("request", process.lesson_message(1, Pulls(np.array([[2, 0]])), np.array([[0.5, 0.0]])))
    with pytest.raises(jsonschema.ValidationError):
        validate("request", {"do": "act"})


def validate(part, message):
    jsonschema.validate(message, {"$ref": f"#/$defs/{part}", "$defs": SCHEMA["$defs"]})


def test_a_past_is_learnt_again_when_it_is_asked_for_again():
    """Two questions in one state have draws of their own; an old state is still the old state."""
    policy = from_program(PYTHON, 2, 400)
    noise, counts = [Seeded(seed, 200) for seed in (1, 2)], np.tile([1, 0], (200, 1))
    one = policy.learn(1, policy.init(200), Pulls(counts), counts * 1.0, noise[0])
    first, second = policy.act(2, one, noise[0]), policy.act(2, one, noise[1])
    assert (first.counts != second.counts).any()
    again = policy.act(2, one, noise[0])
    assert np.array_equal(first.counts, again.counts)
    far = one
    for step in range(2, 300):  # arm 0 always pays: hardly any of 200 runs would leave it
        far = policy.learn(step, far, Pulls(counts), counts * 1.0, noise[0])
    assert policy.act(300, far, noise[0]).counts[:, 0].mean() > policy.act(2, one, noise[0]).counts[:, 0].mean()


BROKEN = {
    "import sys; sys.exit(3)": r"the program ended \(status 3\)",
    "import sys; sys.stderr.write('no licence'); sys.exit(1)": r"(?s)the program ended.*no licence",
    "input(); print('hello')": "'hello', which is not JSON",
    "input(); print('[1]')": "which is not a JSON object",
    'input(); print(\'{"a": 1, "a": 2}\')': r"which is not JSON \(the key 'a' occurs twice in an object\)",
    "input(); print('{\"done\": false}')": r"in which \"done\" is not true; write \{\"done\":true\}, or, after an",
    "input(); print('{\"a\": NaN}')": r"which is not JSON \(NaN is not a JSON number\)",
    'input(); print(\'{"error": "too many arms"}\')': "init failed: too many arms",
    "input(); input()": r"the program sent no answer to 'init' within PATIENCE s\. Flush",
    "input(); print('['*200_000)": "which is not JSON",
    "input(); import subprocess; subprocess.Popen(['sleep', '999'], stderr=2)": r"the program ended",
    "input(); print('{}', flush=True); input(); print('{}')": (
        r"the answer to act was \{\}; it must contain 'arms' or 'counts'"
    ),
    "input(); print('{}', flush=True); input(); print('{\"arms\": [0]}')": "step 1: arms: .*must contain 3 integers",
    "input(); print('{}', flush=True); input(); print('{\"arms\": [0, 1, 0.5]}')": "must contain 3 integers",
    "input(); print('{}', flush=True); input(); print('{\"arms\": [0, 1, 2]}')": (
        "the arms lie between 0 and 2; they must lie between 0 and 1"
    ),
    "input(); print('{}', flush=True); input(); print('{\"counts\": [[1, 0]]}')": "must contain 3 x 2 integers",
    "input(); print('{}', flush=True); input()": r'ended \(status 0\); .* last message .* was \{"do": "act", "t": 1\}$',
    "import os; input(); os.kill(os.getpid(), 11)": (
        r'the program ended \(killed by SIGSEGV\); the last message to the program was \{"do": "init", .*\.\.\.'
    ),
    "input(); print('{}\\n{}', flush=True); input()": r"wrote b'\{\}.*' after its answer; .*exactly one line",
    "import sys\nwhile True: sys.stderr.write('x' * 9999)": (
        r"(?s)no answer to 'init' within PATIENCE s\. Flush.*xx\n\[...\]\nxx"
    ),
    "import sys; input()\nwhile True: sys.stdout.write('x')": r"no answer to 'init' within PATIENCE s\. Flush",
    "import os, time; input(); os.close(1); time.sleep(999)": "program closed its standard output; the last message",
    "import sys; sys.stderr.write('first' + 'y' * 10**6 + 'last'); sys.exit(1)": r"(?s):\nfirsty+\n\[...\]\ny+last$",
    "import sys; sys.stderr.buffer.write(b'\\xff\\x00'); sys.exit(1)": "program ended .*status 1",
    "input(); print('{}', flush=True); input(); print('{\"arms\": [0, 1, 1' + '0' * 30 + ']}')": "3 integers",
    "import sys; input(); sys.stdout.buffer.write(b'\\xff\\n')": "which is not JSON .write only answers",
}


@pytest.mark.parametrize("code", BROKEN)
@pytest.mark.first(18)
def test_a_program_that_fails_is_told_why(code, monkeypatch):
    message = BROKEN[code]
    if "ended" in message and "Popen" not in code:  # however long it takes to die, its status is waited for
        monkeypatch.setattr(channel, "PROGRAM_POLL_SECONDS", 300.0)
    patience = "0.5" if "no answer" in message else "300"
    said = complaint(code, float(patience))
    if patience == "0.5" and "within 0.5 s" in said and not re.search(message.replace("PATIENCE", patience), said):
        patience = "60"  # a machine so busy that the program had not even begun
        said = complaint(code, float(patience))
    assert re.search(message.replace("PATIENCE", patience), said)


def complaint(code, patience):
    with pytest.raises(ValueError) as told:  # noqa: PT011
        play(from_program((sys.executable, "-c", code), 2, 5, patience=patience), HALF, Seeded(0, 3), 3)
    return str(told.value)


@pytest.mark.parametrize("size", [0, 1, 600, 1_200, 1_201, 4_799, 4_800, 4_801, 100_000])
def test_both_ends_of_what_a_program_said_are_kept(size):
    """Whatever the pieces it comes in; the first and the last word of a long story are what tells."""
    said = "".join(chr(97 + k % 26) for k in range(size))
    heard = Complaints()
    for at in range(0, size, 777):
        heard.add(said[at : at + 777].encode())
    assert heard.shown() == (said if size <= 1_200 else f"{said[:600]}\n[...]\n{said[-600:]}")
    assert len(heard.head) + len(heard.tail) <= 4_800


def test_a_program_that_does_not_read_is_not_waited_for():
    """20 000 seeds do not fit into a pipe."""
    policy = from_program((sys.executable, "-c", "import time; time.sleep(999)"), 2, 5, patience=0.3)
    with pytest.raises(ProgramError, match=r"not read the message 'init' within 0\.3 s"):
        play(policy, HALF, Seeded(0, 20_000), 20_000)


def test_what_a_program_has_started_ends_with_it(tmp_path):
    """A child that holds the program's ends is neither waited for nor left behind."""
    name = str(tmp_path / "pid")
    child = "str(subprocess.Popen(['sleep', '99']).pid)"
    code = f"input(); import subprocess; open({name!r}, 'w').write({child})"
    with pytest.raises(ProgramError, match="the program ended"):
        play(from_program((sys.executable, "-c", code), 2, 5), HALF, Seeded(0, 3), 3)
    process, until = (tmp_path / "pid").read_text(), monotonic() + 120
    while running(process) and monotonic() < until:
        sleep(0.05)  # the signal is on its way
    assert not running(process)


def running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def test_what_is_no_command_is_refused():
    with pytest.raises(ProgramError, match=r"cannot be started.*, or an interpreter and a script: python mine\.py"):
        play(from_program(("./no-such-program",), 2, 5), HALF, Seeded(0, 3), 3)
    for command in ((), "./thompson", Path("./thompson"), ("./thompson", 2), None):
        with pytest.raises(ValueError, match="give a tuple with the program and its arguments, such as"):
            from_program(command, 2, 5)
    with pytest.raises(ValueError, match="patience is 0"):
        from_program(PYTHON, 2, 5, patience=0)
    with pytest.raises(ValueError, match="patience is '5'"):
        from_program(PYTHON, 2, 5, patience="5")
    for parameters in ({"b": np.int64(1)}, {"b": float("nan")}, {"b": np.zeros(2)}, 5):
        with pytest.raises(ValueError, match=r"parameters is .*; give a dict from names to finite numbers"):
            from_program(PYTHON, 2, 5, parameters)


def test_a_program_is_made_of_paths_and_of_numpys_numbers():
    program = from_program((sys.executable, EXAMPLES / "thompson.py"), np.int64(2), np.int64(5), {"means": (0, 1)})
    assert program == from_program(PYTHON, 2, 5, {"means": [0, 1]})
    assert play(program, HALF, Seeded(0, 3), 3).pulls.sum() == 15
    with pytest.raises(ProgramError, match=r"no-such-file\.py: the program ended"):
        play(from_program((sys.executable, EXAMPLES / "no-such-file.py"), 2, 5), HALF, Seeded(0, 3), 3)


COUNTING = """
import json, sys
for line in sys.stdin:
    said, answer = json.loads(line), {"done": True}
    if said["do"] == "init":
        taught, trials = 0, said["trials"]
    elif said["do"] == "act":
        answer = {"arms": [taught] * trials}
    elif "counts" in said:
        answer = {"error": "no blocks"}
    else:
        taught += 1
    print(json.dumps(answer), flush=True)
"""


def test_a_program_that_refuses_a_lesson_is_led_from_the_beginning():
    """It says how many lessons it has had; the refused one begins anew, and whoever was further on still is."""
    policy, noise, one = from_program((sys.executable, "-c", COUNTING), 9, 9), Seeded(0, 2), np.eye(9, dtype=int)[:2]
    after = policy.learn(1, policy.init(2), Pulls(one), one * 1.0, noise)
    assert policy.act(2, after, noise).counts.argmax(axis=1).tolist() == [1, 1]
    with pytest.raises(ProgramError, match="no blocks"):
        policy.act(2, policy.learn(1, policy.init(2), Pulls(2 * one), one * 1.0, noise), noise)
    further = policy.learn(2, after, Pulls(one), one * 1.0, noise)
    assert policy.act(3, further, noise).counts.argmax(axis=1).tolist() == [2, 2]


def test_an_interrupted_question_leaves_no_answer_behind(monkeypatch):
    """Ctrl-C between a question and its answer: the program is another one from then on."""
    policy = from_program(PYTHON, 2, 5)
    before = play(policy, HALF, Seeded(0, 3), 3)
    with monkeypatch.context() as stopped:
        stopped.setattr(Channel, "line", interrupted)
        with pytest.raises(KeyboardInterrupt):
            play(policy, HALF, Seeded(0, 3), 3)
    assert np.array_equal(play(policy, HALF, Seeded(0, 3), 3).released, before.released)


def interrupted(channel, message):
    raise KeyboardInterrupt


def test_programs_that_nobody_needs_any_more_end():
    first = process.player_of(from_program(PYTHON, 2, 1)).channel
    for horizon in range(2, 2 + process.MAX_LIVE_PROGRAMS):
        process.player_of(from_program(PYTHON, 2, horizon))
    assert first.process.poll() is not None
    assert len(process.PLAYERS) <= process.MAX_LIVE_PROGRAMS


def test_a_fork_has_programs_of_its_own(monkeypatch):
    """And leaves those of the process that it comes from alone, also at its end."""
    policy, killed = from_program(PYTHON, 2, 5), []
    inherited = process.player_of(policy).channel
    with monkeypatch.context() as fork:
        fork.setattr(os, "getpid", lambda: -1)
        fork.setattr(os, "killpg", lambda group, signal: killed.append(group))
        own = process.player_of(policy).channel
        inherited.close()
        own.close()
    assert killed == [own.process.pid]
    assert own.process.pid != inherited.process.pid


SHARED = """
import json, random, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "init":
        own, trials = random.Random(message["seeds"][0]), message["trials"]
    arms = [own.randrange(2) for _ in range(trials)] if message["do"] == "act" else []
    print(json.dumps({"arms": arms}), flush=True)
"""


def test_one_generator_for_the_batch_is_seen():
    assert probe(from_program((sys.executable, "-c", SHARED), 2, 5), HALF, 0) is TrialFault.DEPENDENT_TRIALS


# -- the battery -----------------------------------------------------------------------------------------------------


def test_the_battery_is_chosen_by_what_the_policy_offers():
    page = ThompsonSampling(2, 3)
    names = [check.name for check in check_policy(page, page)]
    assert names[:6] == ["protocol", "repeats", "blocks", "own law", "page law", "replay"]
    assert {"ou24/lemma-2", "ou24/lemma-3", "ou24/lemma-3/round"} <= set(names)
    assert "own law" not in [check.name for check in check_policy(objects(), page)]
    assert not any(name.startswith("hu25") for name in names)


@pytest.mark.thorough
def test_a_bug_fails_the_checks_that_see_it_and_no_others():
    page = ThompsonSampling(2, 3)
    checks = check_policy(from_program((*PYTHON, "--bug"), 2, 3), page, FEW)
    judged = {each.name: each for each in run_all([each for each in checks if "/" not in each.name])}
    assert judged["page law"].surprise
    assert not judged["repeats"].surprise
    assert judged["replay"].finding.verdict == Verdict.NOT_APPLICABLE


def test_trials_that_share_a_generator_fail_the_check_of_repeats():
    page = ThompsonSampling(2, 3)
    checks = check_policy(from_program((sys.executable, "-c", SHARED), 2, 3), page, FEW)
    (judged,) = run_all([check for check in checks if check.name == "repeats"])
    assert (judged.finding.verdict, judged.finding.summary) == (Verdict.REFUTED, TrialFault.DEPENDENT_TRIALS)


@dataclass(frozen=True)
class Stubborn:
    """It pulls the last arm."""

    arms: int = 2
    horizon: int = 8
    deterministic: bool = True

    def init(self, trials):
        return np.zeros(trials)

    def act(self, t, state, noise):
        return Pulls.one(np.full(len(state), self.arms - 1), self.arms)

    def learn(self, t, state, pulls, sums, noise):
        return state


def test_more_regret_than_the_pages_is_seen():
    page = ThompsonSampling(2, 8)
    for policy, verdict in ((Stubborn(), Verdict.REFUTED), (page, Verdict.CONSISTENT)):
        [check] = [check for check in check_policy(policy, page, FEW) if check.name == "regret"]
        finding = check.judge()
        assert finding.verdict == verdict
        assert check.passed(finding) == (verdict != Verdict.REFUTED)
    assert "would be detected with probability 0.9" in finding.resolution
    one = ThompsonSampling(1, 8)
    [check] = [check for check in check_policy(one, one, FEW) if check.name == "regret"]
    finding = check.judge()
    assert finding.verdict == Verdict.NOT_EXERCISED
    assert check.passed(finding)


def test_a_budget_buys_trials(monkeypatch):
    """Three times the time, three times the trials, between the fewest and the profile's; the number repeats."""

    @dataclass(frozen=True)
    class Slow(Stubborn):
        horizon: int = 3

        def act(self, t, state, noise):
            clock.append(clock[-1] + len(state) / 1024)
            return super().act(t, state, noise)

    slow, table, clock = Slow(), Table(np.full((2, 3), 0.5)), [0.0]
    monkeypatch.setattr(time_budget, "perf_counter", lambda: clock[-1])
    assert time_budget.seconds_per_decision(slow, table) == 1 / 1024
    bought = [
        time_budget.profile_for_budget(seconds, slow, table, 2, QUICK)
        for seconds in (36_000 / 1024, 108_000 / 1024, 1e6, 1e-6)
    ]
    assert [each.trials for each in bought] == [1000, 3000, QUICK.trials, time_budget.MIN_BOUGHT_TRIALS]
    assert bought[0].steps == 3 * bought[0].trials
    assert with_trials(QUICK, slow, bought[0].trials) == bought[0]
    for seconds in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="a time budget must be a positive number"):
            time_budget.profile_for_budget(seconds, slow, table, 2, QUICK)


def test_an_expected_failure_must_fail():
    page = ThompsonSampling(2, 3)
    checks = [check for check in check_policy(page, page, FEW) if check.name in ("protocol", "blocks")]
    found = {each.name: each.surprise for each in run_all(checks, {"blocks": "it takes none"})}
    assert found == {"protocol": False, "blocks": True}
    with pytest.raises(
        ValueError,
        match="expected_failures contains 'block', but there is no such check; the checks are protocol, blocks",
    ):
        list(run_all(checks, {"block": "misspelt"}))


def test_what_speaks_no_protocol_is_checked_no_further():
    [judged] = run_all(check_policy(object(), ThompsonSampling(2, 3)))
    assert judged.surprise
    assert "init(trials) is missing" in judged.finding.summary


def test_a_program_that_speaks_before_it_is_asked_is_told_so() -> None:
    channel = Channel((sys.executable, "-c", "print('ready', flush=True); input()"), 300.0)
    try:
        select([channel.source], [], [])  # it has spoken: no race with our question
        with pytest.raises(
            ProgramError,
            match=r"the program wrote b'ready.*' before the first message to the program; .*had got no message yet",
        ):
            channel.ask({"do": "init"})
    finally:
        channel.close()


@pytest.mark.thorough
def test_nothing_that_a_program_does_not_read_holds_us_up() -> None:
    """Its ends never block: a message that it does not take, and complaints that it does not make, are waited for in
    vain only so long."""
    channel = Channel((sys.executable, "-c", "import time; time.sleep(60)"), 0.2)
    try:
        assert not os.get_blocking(channel.sink)
        assert not os.get_blocking(channel.aside)
        with pytest.raises(ProgramError, match="the program did not read"):
            channel.ask({"do": "init", "long": "x" * 10**6})
    finally:
        channel.close()
