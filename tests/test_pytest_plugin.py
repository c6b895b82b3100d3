"""The pytest plugin, tested by pytest in pytest: fixture, collected claims, report, workers."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from click.testing import CliRunner
from toy.policies import Policy
from toy_page import FOLDER

from dpbandits import audit_policy
from dpbandits.audit.cli.command_line import main


@pytest.fixture(scope="module")
def loaded_audits() -> None:
    """What an audit needs is loaded; otherwise every session of a pytester would load it again."""
    audit_policy(Policy(horizon=3, leaks=True), mu=1.5, trials=200)


@pytest.fixture
def toy(loaded_audits: None, pytester: pytest.Pytester) -> pytest.Pytester:
    """A pytester whose sessions know the toy page."""
    pytester.makeini(f"[pytest]\naddopts = --audit-page={shlex.quote(str(FOLDER))}")
    return pytester


PASSING = """
    from toy.policies import Policy

    def test_mine(audit):
        audit("toy/private", Policy(horizon=3))
"""
LEAKING = """
    from toy.policies import Policy

    def test_mine(audit):
        audit("toy/private", Policy(horizon=3, leaks=True), trials=400)
"""


# -- the fixture ---------------------------------------------------------------------------------------------


def test_a_policy_that_keeps_the_promise_passes(toy: pytest.Pytester) -> None:
    toy.makepyfile(PASSING)
    toy.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_policy_that_breaks_it_fails_with_all_that_a_reader_needs(toy: pytest.Pytester) -> None:
    toy.makepyfile(LEAKING)
    result = toy.runpytest_inprocess("--audit-seed", "4")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "toy/private@*::test_mine: REFUTED, expected PROVED or CONSISTENT",
            "*source*toy, Lemma private: so it is",
            "*statement*the released arms are 1.5-GDP*Policy(horizon=3, leaks=True)*",
            "*found*1.5-GDP is claimed; samples certify mu >= *",
            "*event*P[[]event[]] * on the left against * on the right, in * runs each: mu >= *",
            f"*repeat*pytest '*::test_mine' --audit-page={FOLDER} --audit-profile quick --audit-seed 4",
        ]
    )
    assert "pytest_plugin/auditor.py" not in result.stdout.str()  # no traceback through our code
    assert "audit/cli_shared/" not in result.stdout.str()


def test_without_a_policy_the_ledgers_expectation_counts(toy: pytest.Pytester) -> None:
    toy.makepyfile("\n".join(f"def test_{name}(audit): audit('toy/{name}')" for name in ("equal", "refuted", "idle")))
    result = toy.runpytest_inprocess()
    result.assert_outcomes(passed=2, failed=1)
    repeat = f"*repeat*dpbandits audit --page {FOLDER} --claims 'toy/idle' --profile quick --seed 0"
    result.stdout.fnmatch_lines([repeat, "FAILED *::test_idle*"])


def test_a_policy_that_was_not_exercised_has_not_passed(toy: pytest.Pytester) -> None:
    toy.makepyfile(
        """
        from toy.policies import Policy

        class Deaf(Policy):
            def learn(self, t, state, pulls, sums, noise):
                return state

        def test_mine(audit):
            audit("toy/private", Deaf(horizon=3))
        """
    )
    result = toy.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["toy/private@*::test_mine: NOT_EXERCISED, expected PROVED or CONSISTENT"])


MISUSES = {
    'audit("toy/privat", Policy(3))': "*no claim 'toy/privat' in the ledger; did you mean toy/private*",
    'audit("toy/refuted", Policy(3))': "*toy/refuted is not about a policy*omit the policy: audit('toy/refuted')*",
    'audit("toy/private", object())': "  - learn(t, state, pulls, sums, noise) is missing*",
    'audit("toy/private", Policy)': "*- Policy is a class; give an instance of it, such as Policy(arms=2*",
    'audit("toy", Policy(3))': "*no claim 'toy' in the ledger; did you mean toy/consistent, toy/equal, *",
    'audit("toy/private", None)': "*NoneType does not have all that a policy needs*",
    "audit(Policy(3), epsilon=1.0)": "*audit(policy, ...) has no epsilon; it takes eps, delta, mu, curve*",
    "audit(Policy(3), eps=1.0, pairs=(each for each in ()))": "*audit: pairs is *; give a list of Pair objects*",
    "audit.mechanism(len, 0, 1, epsilon=1.0)": "audit.mechanism(...) has no epsilon; it takes eps, delta, mu, curve*",
    "audit.counter(len, 4, profile=1)": "audit.counter(...) has no profile; it takes eps, delta, mu, curve, *",
    "audit(None)": "audit(None): no guarantee is given; give eps=, mu= or curve=, as in audit(policy, eps=1.0), or *",
    "audit(Policy(3), eps=1.0, mu=1.0)": "audit: give exactly one guarantee: eps= *",
    "audit(Policy(3), eps=1.0, relation='user')": "audit: relation is 'user'; choose one of 'pull' (*",
    "audit('toy/private', Policy(3), trials=0)": "toy/private: trials is 0*",
    "audit.mechanism(abs, 0, 1, eps=1.0, mu=1.0)": "audit.mechanism: *",
    "audit.mechanism(pow, 0, 1, eps=1.0, on_error='output', sequential=True)": "*cannot be combined with seq*",
    "audit.counter(pow, 4, eps=1.0, on_error='output', sequential=True)": "*cannot be combined with sequential=True; *",
    "audit('toy/private', sequential=True)": "audit('toy/private', sequential=True): this option is for a policy of*",
    "audit(Policy(3), eps=1.0, view='samples', sequential=True)": "*the view 'samples' is audited with all trials*",
}


def test_misuse_is_told(toy: pytest.Pytester) -> None:
    """Each in a test of its own, all in one run: its message stands between its own header and the next."""
    tests = [f"def test_{k}(audit): {call}" for k, call in enumerate(MISUSES)]
    toy.makepyfile("\n".join(["from toy.policies import Policy", *tests]))
    result = toy.runpytest_inprocess()
    result.assert_outcomes(failed=len(MISUSES))
    _, *sections = re.split(r"^_+ test_\d+ _+$", result.stdout.str(), flags=re.MULTILINE)
    for (call, message), text in zip(MISUSES.items(), sections, strict=True):
        assert any(fnmatchcase(line, message) for line in text.splitlines()), (call, text)
    assert "During handling" not in result.stdout.str()  # what our own code had tried before


def test_a_guarantee_of_your_own_is_judged_as_by_audit_policy(pytester: pytest.Pytester) -> None:
    """Alignment proves it, or the report says what alignment found; only then are there trials."""
    pytester.makepyfile(
        """
        import numpy as np
        from dpbandits import Pulls, audit_policy

        class NoisyGreedy:
            arms, horizon = 2, 4

            def init(self, trials):
                return np.zeros((trials, 2))

            def act(self, t, state, noise):
                return Pulls.one(np.full(len(state), t - 1) if t <= 2 else state.argmax(axis=1), 2)

            def learn(self, t, state, pulls, sums, noise):
                return state + np.where(pulls.counts > 0, sums + noise.laplace("reward", t, (2,)), 0)

        POLICY = NoisyGreedy()

        def test_both(audit):
            for eps, verdict in ((1.0, "PROVED"), (0.9, "CONSISTENT")):
                entry, found = audit(POLICY, eps=eps, trials=500), audit_policy(POLICY, eps=eps, trials=500)
                assert entry["verdict"] == found.verdict == verdict
                said = [item["text"] for item in entry["evidence"] if "only proves eps <= 1" in item.get("text", "")]
                assert bool(said) == (eps == 0.9)
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_claim_about_a_step_asks_for_one(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from dpbandits.reference.papers.ou24 import ThompsonSampling

        def test_mine(audit):
            audit("ou24/lemma-4/step", ThompsonSampling(2, 3))
        """
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["ou24/lemma-4/step: its guarantee is about a single step, *: give a Step(mechanism,*"])
    assert "add this attribute" not in result.stdout.str()


@pytest.mark.thorough
def test_a_claim_about_a_step_that_goes_by_the_arms_is_asked_of_a_policy_s_rounds(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling

        def test_false(audit):
            audit("ou24/theorem-7", ModifiedThompsonSampling(2, 3, variance=0.25), trials=2_000)

        def test_no_round(audit):
            audit("ou24/theorem-7", ThompsonSampling(2, 1))
        """
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(failed=1, passed=1)  # with T = 1 nothing can be told
    result.stdout.fnmatch_lines(
        [
            "ou24/theorem-7@*test_false: REFUTED*",
            "  statement  If one reward of the history changes, *[[]ModifiedThompsonSampling(arms=2, horizon=3, *]",
        ]
    )


def test_a_judge_that_raises_fails_the_test_and_stands_in_the_report(toy: pytest.Pytester) -> None:
    toy.makepyfile("def test_ledger(audit): audit('toy/raises')")
    result = toy.runpytest_inprocess("--audit-html", "out.html")
    result.assert_outcomes(failed=1)
    assert "the check divided by nothing" in (toy.path / "out.html").read_text()


# -- claims as items -----------------------------------------------------------------------------------------


CLAIMS = ("--audit-claims", "toy/equal", "--audit-claims", "toy/refuted", "--audit-claims", "toy/idl*")


def test_claims_are_collected_beside_the_tests(toy: pytest.Pytester) -> None:
    toy.makepyfile(PASSING)
    result = toy.runpytest_inprocess(*CLAIMS, "-v")
    result.assert_outcomes(passed=3, failed=1)  # the test, and two claims as expected; toy/idle surprises
    result.stdout.fnmatch_lines(["dpbandits::toy/equal PASSED*", "*toy/idle: NOT_EXERCISED, expected CONSISTENT"])


def test_keywords_select_among_claims(toy: pytest.Pytester) -> None:
    toy.makepyfile(PASSING)
    toy.runpytest_inprocess(*CLAIMS, "-k", "refuted").assert_outcomes(passed=1, deselected=3)


def test_a_glob_without_claims_stops_the_session(toy: pytest.Pytester) -> None:
    result = toy.runpytest_inprocess("--audit-claims", "toy/privat")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no claim matches 'toy/privat'; did you mean toy/private*"])


def test_a_page_that_cannot_be_loaded_stops_the_session(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--audit-page", "none.py")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--audit-page: none.py: there is no such file; give a .py file, or the folder of *"])


@pytest.mark.parametrize("arguments", [("--audit-seed", "-1"), ("--audit-seed", "x"), ("--audit-profile", "huge")])
def test_bad_options_are_usage_errors(toy: pytest.Pytester, arguments: tuple[str, str]) -> None:
    result = toy.runpytest_inprocess(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    if arguments[0] == "--audit-seed":
        result.stderr.fnmatch_lines([f"*'{arguments[1]}' is not a seed; give an integer from 0 to 2*64 - 1"])


OWN = """
    import numpy as np
    from toy.policies import Policy as Toy

    class Policy(Toy):
        def act(self, t, state, noise):
            {act}
            return super().act(t, state, noise)

    def test_mine(audit):
        audit("toy/private", Policy(horizon=3))
"""


def test_a_policy_s_own_error_is_shown_at_its_own_line(toy: pytest.Pytester) -> None:
    toy.makepyfile(OWN.format(act="return {}['mine']"))
    result = toy.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*audit(*Policy(horizon=3))", ">*return {}[[]'mine'[]]", "E *KeyError: 'mine'"])
    assert "pytest_plugin/auditor.py" not in result.stdout.str()
    assert "audit/cli_shared/" not in result.stdout.str()
    assert "protocol.py" not in result.stdout.str()


def test_what_the_gates_refuse_is_said_without_a_traceback(toy: pytest.Pytester) -> None:
    toy.makepyfile(OWN.format(act="return np.zeros(len(state), dtype=int)"))
    result = toy.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*- step 1: act returned an array of shape (2,); it must return Pulls.one(arm, 2)*"])
    assert "reference/bandits/" not in result.stdout.str()


@pytest.mark.thorough
def test_reports_hold_no_addresses_in_memory(toy: pytest.Pytester) -> None:
    toy.makepyfile(OWN.format(act="pass").replace("def act", "__repr__ = object.__repr__\n\n        def act"))
    toy.runpytest_inprocess("--audit-html", "out.html").assert_outcomes(passed=1)
    page = (toy.path / "out.html").read_text()
    assert "Policy object&gt;" in page or "Policy object>" in page
    assert "0x7" not in page


# -- the report ----------------------------------------------------------------------------------------------

TWO_AUDITS = """
    from toy.policies import Policy

    def test_mine(audit):
        audit("toy/private", Policy(horizon=3))
        audit("toy/private", Policy(horizon=4))
        audit("toy/refuted")

    def test_leak(audit):
        audit("toy/private", Policy(horizon=3, leaks=True), trials=400)
"""
AUDITED = {
    "toy/private@test_it.py::test_mine",
    "toy/private@test_it.py::test_mine#2",
    "toy/refuted",
    "toy/private@test_it.py::test_leak",
}


def ids_in(page: Path) -> set[str]:
    return {
        name
        for name in AUDITED | {"toy/equal", "toy/idle"}
        if re.search(re.escape(name) + r"(?![\w#:@])", page.read_text())
    }


def test_the_report_holds_every_audit_of_the_session(toy: pytest.Pytester) -> None:
    toy.makepyfile(test_it=TWO_AUDITS)
    result = toy.runpytest_inprocess("--audit-html", "sub/report.html")
    result.assert_outcomes(passed=1, failed=1)
    closing = [
        "Policy(horizon=3, leaks=False): no violation found of toy/private",
        "Policy(horizon=3, leaks=True): violates toy/private",
        "Policy(horizon=4, leaks=False): no violation found of toy/private",
    ]
    said = [line.removeprefix("dpbandits: ") for line in result.outlines if line.startswith("dpbandits: ")]
    assert sorted(said[:-1]) == closing
    assert said[-1].startswith("report of 4 audits: ")
    page = toy.path / "sub" / "report.html"
    assert ids_in(page) == AUDITED
    assert all(f"<bdi>{sentence}</bdi>" in page.read_text() for sentence in closing)


def test_what_could_not_be_audited_is_no_silence_in_the_report(toy: pytest.Pytester) -> None:
    """Else a session with a test that failed would be reported as one without a violation."""
    toy.makepyfile(
        """
        from toy.policies import Policy

        def test_mine(audit):
            audit("toy/private", Policy(horizon=3))

        def test_other(audit):
            audit("toy/private", object())
        """
    )
    toy.runpytest_inprocess("--audit-html", "out.html").assert_outcomes(passed=1, failed=1)
    page = (toy.path / "out.html").read_text()
    assert "This run is incomplete" in page
    assert "object does not have all that a policy needs" in page
    assert "<h1>1 audit could not be made</h1>" in page
    assert "No violation found" not in page
    assert page.count("o violation found") == page.count("leaks=False): no violation found of toy/private") == 1


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.thorough)])
@pytest.mark.thorough
def test_workers_gather_the_same_report(toy: pytest.Pytester, workers: int) -> None:
    toy.makepyfile(test_it=TWO_AUDITS)
    two = toy.runpytest_inprocess("-n", f"{workers}", *CLAIMS, "--audit-html", "two.html")
    two.assert_outcomes(passed=3, failed=2)
    one = toy.runpytest_inprocess(*CLAIMS, "--audit-html", "one.html")
    one.assert_outcomes(passed=3, failed=2)
    assert ids_in(toy.path / "two.html") == AUDITED | {"toy/equal", "toy/idle"}
    assert timeless(toy.path / "one.html") == timeless(toy.path / "two.html")


def timeless(page: Path) -> str:
    """A report without its durations, which are the only thing that may differ."""
    return re.sub(r"[\d.]+ s(?=$| *<)", "", page.read_text(), flags=re.M)


def test_a_session_without_audits_writes_no_report(toy: pytest.Pytester) -> None:
    toy.makepyfile("def test_nothing(): pass")
    result = toy.runpytest_inprocess("--audit-html", "out.html")
    result.stdout.fnmatch_lines(["dpbandits: no test audited anything, so out.html was not written"])
    assert not (toy.path / "out.html").exists()


def test_a_report_that_cannot_be_written_fails_the_session(toy: pytest.Pytester) -> None:
    toy.makepyfile(PASSING)
    (toy.path / "file").write_text("")
    result = toy.runpytest_inprocess("--audit-html", "file/out.html")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["dpbandits: cannot write file/out.html*"])


def test_somebody_elses_file_stops_a_session_before_it_starts(toy: pytest.Pytester) -> None:
    toy.makepyfile(PASSING)
    (toy.path / "mine.html").write_text("mine")
    result = toy.runpytest_inprocess("--audit-html", "mine.html")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--audit-html: *mine.html exists already, and this command did not write it*"])
    assert (toy.path / "mine.html").read_text() == "mine"


def test_sessions_leave_nothing_behind(toy: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(toy.mkdir("scratch")))
    toy.makepyfile(PASSING)
    toy.runpytest_inprocess("--audit-html", "out.html").assert_outcomes(passed=1)
    assert not list((toy.path / "scratch").glob("dpbandits-*"))


def test_failed_audits_are_written_as_sarif_with_the_line_of_their_test(toy: pytest.Pytester) -> None:
    toy.makepyfile(
        test_mine="""
        import numpy as np

        def exact(values, trials, seed):
            return values[0] + np.random.default_rng(seed).uniform(size=trials)

        def test_holds(audit):
            audit("toy/refuted")

        def test_fails(audit):
            audit.mechanism(exact, [0.0], [2.0], eps=1.0, trials=400, floating_point="ignore")
        """
    )
    for _ in range(2):
        toy.runpytest_inprocess("--audit-sarif", "out.sarif").assert_outcomes(passed=1, failed=1)
    (result,) = json.loads((toy.path / "out.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "REFUTED"
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("test_mine.py", {"startLine": 9})


def test_findings_as_json_show_what_changed_between_two_sessions(toy: pytest.Pytester) -> None:
    toy.makepyfile(test_mine=PASSING)
    toy.runpytest_inprocess("--audit-json", "new.json").stdout.fnmatch_lines(["*findings of 1 audit: *new.json"])
    old = (toy.path / "new.json").rename(toy.path / "old.json")
    shutil.copy(old, toy.path / "new.json")  # which the next session may overwrite
    toy.makepyfile(test_mine=LEAKING)
    toy.runpytest_inprocess("--audit-json", "new.json").assert_outcomes(failed=1)
    done = CliRunner().invoke(main, ["diff", str(old), str(toy.path / "new.json")])
    assert done.exit_code == 1, done.output
    assert "-> REFUTED" in done.output
    assert "[Policy(horizon=3, leaks=True)]" in done.output


def test_a_file_of_others_is_not_overwritten_by_sarif(toy: pytest.Pytester) -> None:
    (toy.path / "mine.sarif").write_text("{}")
    result = toy.runpytest_inprocess("--audit-sarif", "mine.sarif")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--audit-sarif: *mine.sarif exists already, and this command did not write it*"])
    assert (toy.path / "mine.sarif").read_text() == "{}"
