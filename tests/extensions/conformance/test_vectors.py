"""Golden vectors: what is shipped is what the pages say today, and it is what it says."""

from __future__ import annotations

import json
import subprocess

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtr
from test_contextual_programs import javascript as linear
from test_implementations import PYTHON, compiled, javascript

from dpbandits import Seeded, Table, play
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.runner import store
from dpbandits.extensions.conformance import vectors
from dpbandits.reference.bandits.tapes import Recorder

NAMES = ("laws", "tapes", "profiles")
SCHEMA = json.loads((vectors.FOLDER / "schema.json").read_text(encoding="utf-8"))
SHIPPED = {name: json.loads((vectors.FOLDER / f"{name}.json").read_text(encoding="utf-8")) for name in NAMES}
ROUNDING = 1e-9  # of numbers from other processors and libraries


def same(one, other):
    """Whether two JSON values are equal, numbers up to ROUNDING."""
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return abs(one - other) <= ROUNDING * (1 + abs(one))
    return one == other


def test_what_is_shipped_is_what_is_computed():
    for name, made in vectors.golden_vectors().items():
        made = json.loads(json.dumps(made))
        assert SHIPPED[name]["version"] == vectors.VERSION
        assert same(SHIPPED[name]["vectors"], made), f"{name}: write them anew with `dpbandits vectors`, and say why"
    assert not same({"a": [1.0]}, {"a": [1.1]})
    assert not same([1, 2], [1])


@pytest.mark.parametrize("name", NAMES)
def test_every_vector_is_one_of_the_schema(name):
    jsonschema.validate(SHIPPED[name], SCHEMA)
    for one in SHIPPED[name]["vectors"][:2]:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"version": 1, "vectors": [one | {"more": 1}]}, SCHEMA)


def test_laws_of_two_normal_arms_by_hand():
    """Algorithm 1 of ou24, two arms, from the history alone: Phi of the gap over the spread."""
    seen = 0
    for each in SHIPPED["laws"]["vectors"]:
        chances = [outcome["chance"] for outcome in each["law"]]
        assert sum(chances) == pytest.approx(1, abs=1e-11)
        if each["policy"] != "ou24.ThompsonSampling" or each["parameters"]["arms"] != 2:
            continue
        pulls = np.array([[0, 0], *(step["counts"] for step in each["history"])]).sum(axis=0)
        total = np.array([[0, 0], *(step["sums"] for step in each["history"])]).sum(axis=0)
        mean, spread = total / (pulls + 1), np.sqrt((1 / (pulls + 1)).sum())
        wanted = {(1, 0): ndtr((mean[0] - mean[1]) / spread), (0, 1): ndtr((mean[1] - mean[0]) / spread)}
        for outcome in each["law"]:
            assert outcome["chance"] == pytest.approx(wanted[tuple(outcome["counts"])], rel=1e-12)
        seen += 1
    assert seen == 8


def test_laws_of_two_arms_in_contexts_by_hand():
    """Linear Thompson sampling, two arms, from the history alone: Phi of the lead over the spread, with one parameter
    for all arms or one for each."""
    seen = []
    for each in SHIPPED["laws"]["vectors"]:
        said = each["parameters"]
        if "contexts" not in said or said["arms"] != 2:
            continue
        shared = each["policy"] == "agrawal13.LinearThompsonSampling"
        gram, moment = (np.zeros((2, 2, 2)) + said.get("ridge", 1.0) * np.eye(2)), np.zeros((2, 2))
        for step in each["history"]:
            arm = step["counts"].index(1)
            x = np.array(step["contexts"][arm])
            some = slice(None) if shared else arm
            gram[some] += np.outer(x, x)
            moment[some] += step["sums"][arm] * x
        x, inverse = np.array(each["contexts"]), np.linalg.inv(gram)
        lead = x[0] @ inverse[0] @ moment[0] - x[1] @ inverse[1] @ moment[1]
        apart = (x[0] - x[1]) @ inverse[0] @ (x[0] - x[1])
        spread = np.sqrt(apart if shared else sum(y @ each @ y for y, each in zip(x, inverse, strict=True)))
        chances = {tuple(outcome["counts"]): outcome["chance"] for outcome in each["law"]}
        assert chances[1, 0] == pytest.approx(ndtr(lead / spread / said["scale"]), rel=1e-11)
        seen.append(shared)
    assert sorted(seen) == [False] * 6 + [True] * 6


def test_tapes_do_not_hang_on_rounding():
    """The same pulls, with every draw off by 1e-6; and other pulls with a bug: the smallest theta wins."""
    for each in SHIPPED["tapes"]["vectors"]:
        policy = vectors.Named(each["policy"], each["parameters"]).made()
        for shift in (1e-6, -1e-6):
            tape = (each["rewards"], each["noise"], shift, each.get("contexts"))
            assert vectors.released_by(policy, *tape) == each["released"]
        wrong = [draw | {"values": draw["values"][::-1]} for draw in each["noise"]]
        assert vectors.released_by(policy, each["rewards"], wrong, 0.0, each.get("contexts")) != each["released"]


def test_some_tape_repeats_samples():
    """DP-TS-UCB's second phase is on a tape."""
    reached = []
    for number, each in enumerate(vectors.policies()["tapes"]):
        if each.policy == "hu25.DPTSUCB":
            policy, made = each.made(), SHIPPED["tapes"]["vectors"][number]
            state, before = policy.init(1), np.zeros((1, policy.arms), dtype=np.int64)
            noise = Recorder(Seeded(0, 1))
            assert play(policy, Table(np.array(made["rewards"])), noise, 1).pulls.sum() == policy.horizon
            for t, counts in enumerate(made["released"], start=1):
                pulls = vectors.Pulls(np.array([counts]))
                sums = Table(np.array(made["rewards"])).draw(t, before, pulls.counts, None, noise)
                state, before = policy.learn(t, state, pulls, sums, Seeded(0, 1)), before + pulls.counts
                reached.append(bool((state.left < 1).any()))
    assert any(reached)


def test_profiles_are_certified_from_both_sides():
    for each in SHIPPED["profiles"]["vectors"]:
        for point in each["profile"]:
            assert (
                0 <= point["low"] <= point["high"] <= point["low"] + 1e-9
            )  # laws err by 1e-11, in at most 5 steps on two sides
    first = SHIPPED["profiles"]["vectors"][0]  # two rounds: one Phi on either side of a tie
    zero = next(point for point in first["profile"] if point["eps"] == 0)
    gap = 0.5 * (ndtr(0.5 / np.sqrt(1.5)) - 0.5)  # arm 0 was pulled first with chance 1/2, and its mean is 0 or 1/2
    assert zero["low"] <= gap + 1e-12
    assert gap <= zero["high"] + 1e-12


def test_the_command_writes_what_is_shipped(tmp_path):
    done = CliRunner().invoke(main, ["vectors", str(tmp_path / "new")])
    assert done.exit_code == 0, done.output
    for name in NAMES:
        assert same(json.loads((tmp_path / "new" / f"{name}.json").read_text()), SHIPPED[name])
    (tmp_path / "file").write_text("")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "tapes.json").write_text('{"version": 1, "songs": []}')
    done = CliRunner().invoke(main, ["vectors", str(tmp_path / "mine")])
    assert done.exit_code == 2
    assert "does not contain vectors of dpbandits; choose another folder" in done.output
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["tapes.json"]
    assert CliRunner().invoke(main, ["vectors", str(tmp_path / "file" / "x")]).exit_code != 0


@pytest.mark.parametrize(
    ("command", "many"),
    [(lambda: PYTHON, 5), (compiled, 5), (javascript, 5), (linear, 2)],
    ids=["python", "c++", "javascript", "javascript in contexts"],
)
@pytest.mark.first(1)
def test_the_examples_play_the_tapes(command, many):
    """In every language the right program makes the tapes' pulls, and the one with the bug does not."""
    tapes = str(vectors.FOLDER / "tapes.json")
    done = subprocess.run([*command(), "--vectors", tapes], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (0, f"{many} of {many} tapes\n"), done.stderr
    done = subprocess.run([*command(), "--vectors", tapes, "--bug"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1, done.stdout


def test_vectors_are_not_written_into_a_file(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(store.Refused, match="file is not a folder; choose another one"):
        vectors.write(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
