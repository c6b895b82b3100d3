"""Logs as tools write them, and the propensities in them."""

import csv
import gzip
import json

import numpy as np
import pytest
from click.testing import CliRunner

from dpbandits import check_propensities, exact_propensities, fits_law, laws, log_of, propensities, read_log
from dpbandits.audit.cli.command_line import main
from dpbandits.extensions.conformance.logged_propensities import half_of_last_digit
from dpbandits.extensions.contextual.linear_bandits import DisjointLinearThompsonSampling, ExploringRidge
from dpbandits.papers.auer02 import UCB1
from dpbandits.papers.ou24 import ThompsonSampling
from dpbandits.reference.bandits.policy import one_arm
from dpbandits.reference.claims.model import Verdict

OBP = """,timestamp,item_id,position,click,propensity_score,user_feature_0
0,2024-01-05 00:00:14,2,1,0,0.25,u0a
1,2024-01-05 00:00:15,0,1,1,0.25,u1b
"""
NAMED = "user_id,recommended_ad,click\n1,Ad2,1\n2,Ad10,0\n3,Ad2,\n4,Ad1,1\n"
PULLS = [("a", 1.0), ("b", 0.0), ("a", 0.5)]
DSJSON = (
    {"_label_cost": -1.0, "_label_probability": 0.8, "_label_Action": 2, "_labelIndex": 1, "a": [2, 1], "p": [0.8, 0.2],
     "c": {"shared": {"f": 1, "where": "home", "_tag": "x"}, "_multi": [{"x": 1}, {"y": [2, 3]}]}},
    {"_label_cost": 0, "_label_Action": 1, "a": [1, 2], "p": [0.3, 0.7], "EventId": "e1",
     "c": {"shared": {"f": 0.5}, "_multi": [{"x": 1}, {"y": [1, 0]}]}},
)  # fmt: skip


def written(tmp_path, text, name="log"):
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def check(file, *words, reference="ou24"):
    return CliRunner().invoke(main, ["check", "--reference", reference, "--log", str(file), *words])


def test_a_table_is_read_by_the_columns_that_are_named(tmp_path):
    log = read_log(written(tmp_path, OBP), "arm=item_id,reward=click,propensity=propensity_score")
    assert log.arms.tolist() == [[2, 0]]
    assert log.rewards.tolist() == [[0, 1]]
    assert log.propensities.tolist() == [[0.25, 0.25]]
    assert log.lines.tolist() == [[2, 3]]


def test_a_refusal_proposes_the_columns(tmp_path):
    done = check(written(tmp_path, OBP))
    assert done.exit_code == 2
    assert "--columns arm=item_id,reward=click,propensity=propensity_score" in done.output
    done = check(written(tmp_path, '{"action": 1, "cost": 2, "prob": 0.5}\n'))
    assert "--columns arm=action,cost=cost,propensity=prob" in done.output
    done = check(written(tmp_path, OBP), "--columns", "arm=item,reward=click")
    assert "missing columns: item; the file has , timestamp, item_id" in done.output
    done = CliRunner().invoke(main, ["check", "--reference", "ou24", "--columns", "arm=a,reward=b", "--", "./x"])
    assert "--columns needs --log" in done.output


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("arm", "'arm' is not of the form ROLE=COLUMN"), ("arm=a,arms=b", "there is no role 'arms'"),
        ("arm=a", "arm and either reward or cost are required"), ("arm=a,reward=b,cost=c", "either reward or cost"),
        ("arm=a,arm=b,reward=c", "columns: arm is given twice; give one column for it"),
    ],
)  # fmt: skip
def test_what_are_no_columns_is_refused(tmp_path, columns, said):
    with pytest.raises(ValueError, match=said):
        read_log(written(tmp_path, OBP), columns)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            None,
            "log: the file contains a JSON list; name the fields of its objects, for example with --columns arm=NAME",
        ),
        (
            "arm=arm,reward=paid",
            "log: Expecting value: line 1 column 25 .*; write a JSON list of objects, or one",
        ),
    ],
)
def test_a_json_list_needs_names_of_its_fields_and_an_end(tmp_path, columns, said):
    with pytest.raises(ValueError, match=said):
        read_log(written(tmp_path, '[{"arm": 0, "paid": 1}, '), columns)


def test_a_log_that_the_reference_cannot_have_made_has_no_propensities() -> None:
    """UCB1 pulls every arm once before it pulls one again."""
    log = log_of([([1, 1, 0], [0.0, 1.0, 0.0])])
    with pytest.raises(TypeError, match=r"object does not have all that a policy needs[\s\S]*arms is missing"):
        exact_propensities(log, object())
    with pytest.raises(ValueError, match=r"pull 2: the log pulls arm 1 .* so the reference policy cannot have pro"):
        exact_propensities(log, UCB1(2, 3))


def test_named_arms_are_numbered_and_printed_and_missing_rewards_are_counted(tmp_path):
    file = written(tmp_path, NAMED)
    log = read_log(file, {"arm": "recommended_ad", "reward": "click"})
    assert log.names == ("Ad1", "Ad2", "Ad10")
    assert log.arms.tolist() == [[1, 2, 1]]  # the pull without a reward is the last that is used
    done = check(file, "--columns", "arm=recommended_ad,reward=click")
    assert "arms by name: Ad1 = 0, Ad2 = 1, Ad10 = 2" in done.output
    assert "1 of 4 rewards are missing, or not there yet" in done.output
    assert "1 pulls are left out" in done.output
    assert "--arms was not given. The check used 3;" in done.output


@pytest.mark.parametrize("arms", [("a1", "a01", "b"), ("b", "a01", "a1")])
def test_names_are_numbered_in_one_order_whatever_the_order_of_the_file(tmp_path, arms):
    table = "arm,reward\n" + "".join(f"{arm},1\n" for arm in arms)
    assert read_log(written(tmp_path, table), "arm=arm,reward=reward").names == ("a01", "a1", "b")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_a_delimiter_is_guessed_and_gzip_is_unpacked(tmp_path, delimiter):
    text = "run,arm,reward,propensity\n0,1,0.5,0.5\n0,0,1,0.25\n".replace(",", delimiter)
    for file in (written(tmp_path, text), written(tmp_path, gzip.compress(text.encode()), "log.gz")):
        for columns in (None, "run=run,arm=arm,reward=reward,propensity=propensity"):
            log = read_log(file, columns)
            assert (log.arms.tolist(), log.propensities.tolist()) == ([[1, 0]], [[0.5, 0.25]])
    with pytest.raises(ValueError, match="begins like a gzip file but cannot be decompressed"):
        read_log(written(tmp_path, gzip.compress(text.encode())[:20], "cut.gz"))


def test_json_of_pulls_of_runs_and_in_a_list(tmp_path):
    pulls = [{"who": "r", "actions": arm, "cost": -paid, "action_prob": 0.5} for arm, paid in PULLS]
    runs = [{"actions": ["a", "b", "a"], "cost": [-1.0, 0.0, -0.5], "action_prob": [0.5] * 3}] * 2
    columns = "arm=actions,cost=cost,propensity=action_prob"
    for text, many in (
        ("\n".join(map(json.dumps, pulls)), 1), (json.dumps(pulls), 1), ("\n".join(map(json.dumps, runs)), 2),
    ):  # fmt: skip
        log = read_log(written(tmp_path, text), columns)
        assert log.arms.tolist() == [[0, 1, 0]] * many
        assert log.rewards.tolist() == [[1, 0, 0.5]] * many
    with pytest.raises(ValueError, match="line 1: missing keys: who; this line has actions, cost, action_prob"):
        read_log(written(tmp_path, json.dumps(runs[0])), columns + ",run=who")


def test_features_are_named_columns(tmp_path):
    log = read_log(written(tmp_path, "a,r,x,y\n0,1,0.5,2\n1,0,1,3\n"), "arm=a,reward=r,contexts=x+y")
    assert log.contexts.tolist() == [[[[0.5, 2.0]], [[1.0, 3.0]]]]
    with pytest.raises(ValueError, match="line 2: a feature is missing"):
        read_log(written(tmp_path, "a,r,x\n0,1,\n"), "arm=a,reward=r,contexts=x")


def test_dsjson_is_read_with_features_actions_and_probabilities(tmp_path):
    lines = [json.dumps(each) for each in DSJSON]
    log = read_log(written(tmp_path, "\n".join(lines)))
    assert log.arms.tolist() == [[1, 0]]
    assert log.rewards.tolist() == [[1, 0]]
    assert log.propensities.tolist() == [[0.8, 0.3]]
    # shared.f, where=home, x, y[0], y[1]
    assert log.contexts[0, 0].tolist() == [[1, 1, 1, 0, 0], [1, 1, 0, 2, 3]]
    late = read_log(written(tmp_path, "\n".join([*lines, json.dumps({"EventId": "e1", "RewardValue": 0.25})])))
    assert late.rewards.tolist() == [[1, 0.25]]
    assert "1 rewards came later" in late.remarks[0]
    unknown = json.dumps({**DSJSON[0], "_label_cost": None})
    cut = read_log(written(tmp_path, "\n".join([lines[0], unknown, *lines])))
    assert cut.arms.tolist() == [[1, 1]]  # the pull without a reward is the last that is used
    assert "1 of 4 rewards are missing" in cut.remarks[0]
    assert cut.remarks[0].endswith("2 pulls are left out")
    fewer = {**DSJSON[1], "a": [1], "p": [1.0], "c": {"_multi": [{"x": 1}]}}
    varied = read_log(written(tmp_path, "\n".join([lines[0], json.dumps(fewer)])))
    assert varied.judged.tolist() == [[True, False]]
    with pytest.raises(ValueError, match=r"line 1: _label_Action is 3; .* from 1 to .* actions, 2"):
        read_log(written(tmp_path, json.dumps({**DSJSON[0], "_label_Action": 3})))
    with pytest.raises(ValueError, match=r"line 1: the field c is '\[1\]'; it must be a JSON object"):
        read_log(written(tmp_path, json.dumps({**DSJSON[0], "c": [1]})))
    done = check(written(tmp_path, "\n".join(lines)), reference="contextual.DisjointLinearThompsonSampling")
    assert "0 of 2 logged propensities" in done.output  # without --parameter contexts=5


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"_label_probability": 1.5}, "line 1: _label_probability is 1.5; it must lie in"),
        ({"_label_probability": 0}, "line 1: _label_probability is 0.0; it must lie in"),
        ({"_label_cost": "much"}, ", line 1: _label_cost is 'much'; it must be a"),
        ({"_label_cost": True}, ", line 1: _label_cost is True; it must be a"),
    ],
)
def test_what_is_no_decision_of_dsjson_is_refused(tmp_path, changed, said):
    with pytest.raises(ValueError, match=said):
        read_log(written(tmp_path, json.dumps({**DSJSON[0], **changed})))


@pytest.mark.parametrize(("action", "probability"), [(1, 1.0), (2, 5e-324)])
def test_the_first_and_last_action_may_have_any_probability_above_0(tmp_path, action, probability):
    changed = {"_label_Action": action, "_label_probability": probability}
    log = read_log(written(tmp_path, json.dumps({**DSJSON[0], **changed})))
    assert (log.arms.tolist(), log.propensities.tolist()) == ([[action - 1]], [[probability]])


@pytest.mark.parametrize("action", [0, -1, 3, True, 1.0])
def test_no_other_action_is_read(tmp_path, action):
    with pytest.raises(ValueError, match=r"line 1: _label_Action is .*; it must be a whole number from 1 to .* 2"):
        read_log(written(tmp_path, json.dumps({**DSJSON[0], "_label_Action": action})))


def test_lines_of_dsjson_that_are_not_to_be_learnt_are_left_out(tmp_path):
    lines = [json.dumps(each) for each in (DSJSON[0], {**DSJSON[1], "_skipLearn": True})]
    log = read_log(written(tmp_path, "\n".join(lines)))
    assert log.arms.tolist() == [[1]]
    assert log.remarks == ("1 lines say _skipLearn, and are left out",)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("a,r,p\n0,1,1.5\n", "line 2: p is 1.5; it must lie in"),
        ("a,r,p\n0,1,-0.1\n", "line 2: p is -0.1; it must lie in"),
        ("a,r,p\n0,1,0.5\n0,1_0,0.5\n", ", line 3: r is '1_0'; it must be a"),
        ("a,r,p,a\n0,1,0.5,0\n", "the first line names a twice"),
        ("a,r,p\n0,1\n", ", line 2: the number of fields is 2, but the first line names 3"),
    ],
)
def test_what_is_no_table_of_pulls_is_refused(tmp_path, table, said):
    with pytest.raises(ValueError, match=said):
        read_log(written(tmp_path, table), "arm=a,reward=r,propensity=p")


def test_propensities_of_a_table_may_be_0_and_1(tmp_path):
    log = read_log(written(tmp_path, "a,r,p\n0,1,0\n0,1,1\n"), "arm=a,reward=r,propensity=p")
    assert log.propensities.tolist() == [[0.0, 1.0]]


def test_decimals_of_propensities_are_counted_with_their_exponents(tmp_path):
    log = read_log(written(tmp_path, "a,r,p\n0,1,2.5e-3\n0,1,0.5\n"), "arm=a,reward=r,propensity=p")
    assert log.decimals == 4


def test_vowpal_wabbit_writes_features_without_names_several_actions_and_fewer_of_them(tmp_path):
    log = read_log(written(tmp_path, "1 2:-1:0.5 3 | :0.25 a :2\n1:0:0.75 | :1\n"))
    assert log.arms.tolist() == [[1, 0]]
    assert log.propensities.tolist() == [[0.5, 0.75]]
    assert log.contexts[0, :, 0].tolist() == [[0.25, 1, 2], [1, 0, 0]]
    assert log.judged is None
    fewer = read_log(written(tmp_path, "1 2:-1:0.5 3 | a\n1:0:0.75 2 | a\n"))
    assert fewer.judged.tolist() == [[True, False]]
    assert "fewer than 3 actions are available" in fewer.remarks[0]
    blocks = "shared | s\n| :1\n0:-1:0.5 | :2\n\n0:0:1.0 | :3\n\n"
    varied = read_log(written(tmp_path, blocks))
    assert varied.judged.tolist() == [[True, False]]
    several = read_log(written(tmp_path, "1:0:0 2:-1:0.5 3:1:0.2 | a\n"))  # VW takes the first with a chance above 0
    assert (several.arms.tolist(), several.rewards.tolist()) == ([[1]], [[1.0]])


def test_a_pull_among_fewer_arms_is_learnt_from_and_not_compared(tmp_path):
    """A greedy choice among all arms that was forced to arm 1 once."""
    page = DisjointLinearThompsonSampling(2, 2, 1)
    all_ = read_log(written(tmp_path, "shared | s\n|\n0:-1:0.5 |\n\nshared | s\n0:0:0.5 |\n|\n\n"))
    forced = all_._replace(judged=np.array([[False, True]]))
    exact = exact_propensities(forced, page)
    assert np.isnan(exact[0, 0])
    assert exact[0, 1] == exact_propensities(all_, page)[0, 1] != 0.5


# -- propensities ------------------------------------------------------------------------------------------------------


def thompson_log(rounds=30):
    """A run of Thompson sampling of three arms, and its propensities by the closed form of normal posteriors."""
    rng, n, s, arms, paid, chances = np.random.default_rng(3), np.zeros(3), np.zeros(3), [], [], []
    for _ in range(rounds):
        means, spread = s / (n + 1), 1 / np.sqrt(n + 1)
        arm = int((means + spread * rng.normal(size=3)).argmax())
        chances.append(float(propensities(means, spread)[arm]))
        arms.append(arm)
        paid.append(float(rng.random() < 0.5))
        n[arm] += 1
        s[arm] += paid[-1]
    return arms, paid, chances


def table_of(arms, paid, chances, form="{:.6f}"):
    rows = zip(arms, paid, chances, strict=True)
    return "run,arm,reward,propensity\n" + "".join(f"0,{a},{r},{form.format(p)}\n" for a, r, p in rows)


@pytest.mark.parametrize("form", ["{:.2f}", "{:.4f}", "{!r}"])
def test_right_propensities_agree_to_their_decimals(tmp_path, form):
    arms, paid, chances = thompson_log()
    log, page = read_log(written(tmp_path, table_of(arms, paid, chances, form))), ThompsonSampling(3, 30)
    assert exact_propensities(log, page)[0] == pytest.approx(chances, abs=1e-9)
    found = check_propensities(log, page)
    assert found.verdict is Verdict.CONSISTENT
    assert "all 30 logged propensities" in found.summary


@pytest.mark.parametrize("form", ["{:.2g}", "{:.3g}", "{:.4g}"])
def test_right_propensities_agree_to_their_significant_digits(tmp_path, form):
    """Small ones have more decimals than large ones, which are not wrong for that."""
    arms, paid = [0] * 12 + [1, 0, 1, 0, 1, 0], [1.0] * 12 + [0.0, 1.0] * 3
    page = ThompsonSampling(2, 18)
    chances = exact_propensities(log_of([(arms, paid)]), page)[0]
    assert chances.min() < 0.1
    assert chances.max() > 0.9
    log = read_log(written(tmp_path, table_of(arms, paid, chances.tolist(), form)))
    assert check_propensities(log, page).verdict is Verdict.CONSISTENT
    off = log._replace(propensities=log.propensities + 0.02 * (np.arange(18) == 12))
    assert check_propensities(off, page).verdict is Verdict.REFUTED


@pytest.mark.parametrize(("place", "off"), [(0, 0.001), (17, -0.0001), (29, 0.5)])
def test_the_first_wrong_line_is_named_and_how_many_agree(tmp_path, place, off):
    arms, paid, chances = thompson_log()
    chances[place] += off
    log = read_log(written(tmp_path, table_of(arms, paid, chances)))
    found = check_propensities(log, ThompsonSampling(3, 30))
    assert found.verdict is Verdict.REFUTED
    assert found.summary.startswith("29 of 30 logged propensities are those of the law of ThompsonSampling. ")
    assert f"The first wrong one: line {place + 2}, run 0, pull {place + 1}, arm {arms[place]}: " in found.summary


def test_the_propensities_of_the_next_round_are_wrong():
    """The commonest fault: the probability after learning from the pull, instead of before."""
    arms, paid, chances = thompson_log()
    late = log_of([(arms, paid)])._replace(propensities=np.array([[*chances[1:], 0.3]]))
    found = check_propensities(late, ThompsonSampling(3, 30))
    assert found.verdict is Verdict.REFUTED


def test_propensities_of_an_epsilon_greedy_policy_know_ties(tmp_path):
    page = ExploringRidge(2, 2, 1, lambda scores: laws.epsilon_greedy(scores, 0.2, "shared"))
    log = read_log(written(tmp_path, "2:-1:0.5 | a\n1:0:0.5 | a\n"))
    assert exact_propensities(log, page).tolist() == [pytest.approx([0.5, 0.5])]


def test_the_command_compares_and_adds_propensities(tmp_path):
    arms, paid, chances = thompson_log()
    file, out = written(tmp_path, table_of(arms, paid, chances)), tmp_path / "out.csv"
    done = check(file, "--add-propensities", str(out), reference="ou24.ThompsonSampling")
    assert done.exit_code == 0, done.output
    assert "propensities: CONSISTENT\n    all 30 logged propensities" in done.output
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [float(row["propensity"]) for row in rows] == pytest.approx(chances, abs=1e-9)
    assert [int(row["arm"]) for row in rows] == arms
    chances[4] = 0.99
    done = check(written(tmp_path, table_of(arms, paid, chances)), reference="ou24.ThompsonSampling")
    assert done.exit_code == 1
    assert "propensities: REFUTED" in done.output


def test_a_log_of_a_policy_without_chance_is_compared_decision_by_decision():
    log = log_of([([1, 0, 1, 1], [1.0, 0.0, 1.0, 1.0])])
    found = fits_law(log, UCB1(2, 4))
    assert found.verdict is Verdict.CONSISTENT
    assert "4 decisions are those of the law of UCB1" in found.summary
    assert exact_propensities(log, UCB1(2, 4)).tolist()[0][1:] == [1.0, 1.0, 1.0]
    wrong = fits_law(log_of([([1, 0, 0], [1.0, 0.0, 1.0])]), UCB1(2, 4))
    assert wrong.verdict is Verdict.REFUTED
    assert "run 0, pull 3: the log pulls arm 0 (score 1.17741), but the reference pulls arm 1" in wrong.summary


def test_a_pull_of_arms_that_tie_has_no_propensity_that_can_be_compared():
    """UCB1 begins with any arm: whoever begins with the last one is as right."""
    log = log_of([([1, 0], [1.0, 0.0]), ([0, 1], [1.0, 0.0])])._replace(propensities=np.ones((2, 2)))
    assert np.isnan(exact_propensities(log, UCB1(2, 2))).tolist() == [[True, False], [True, False]]
    found = check_propensities(log, UCB1(2, 2))
    assert found.verdict is Verdict.CONSISTENT
    assert "2 other pulls" in found.summary
    wrong = log._replace(propensities=np.full((2, 2), 0.5))
    assert check_propensities(wrong, UCB1(2, 2)).verdict is Verdict.REFUTED


def test_what_rounding_to_significant_digits_may_move():
    """Of two digits at least: of 0.25 half of 0.01. A 1 is rounded from below, from 0.995 on; what is 0 moves none."""
    found = half_of_last_digit(np.array([[0.25, 1.0, 0.0, np.nan]]))
    assert found == pytest.approx(np.array([[0.005, 0.005, 0, 0]]))
    found = half_of_last_digit(np.array([[0.25, 0.03125, 0.5e-3]]))  # the second has four digits
    assert found == pytest.approx(np.array([[0.5e-4, 0.5e-5, 0.5e-7]]))


class Eighth:
    """Pulls arm 0 with probability 1/8, exactly."""

    arms, horizon = 2, 1

    def init(self, trials):
        return np.zeros((trials, 1))

    def law(self, t, state):
        return one_arm(np.tile([0.125, 0.875], (len(state), 1)), error=0.0, absolute_error=0.0)

    def act(self, t, state, noise):
        raise NotImplementedError

    def learn(self, t, state, pulls, sums, noise):
        return state


@pytest.mark.parametrize(
    ("printed", "is_right"),
    [("0.12", True), ("0.13", True), ("0.125", True), ("0.11", False), ("0.14", False), ("0.12400000000", False)],
)
def test_half_of_the_last_digit_is_rounded_either_way(tmp_path, printed, is_right):
    log = read_log(written(tmp_path, f"a,r,p\n0,1,{printed}\n"), "arm=a,reward=r,propensity=p")
    assert check_propensities(log, Eighth()).verdict is (Verdict.CONSISTENT if is_right else Verdict.REFUTED)
