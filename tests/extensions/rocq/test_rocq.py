"""Proofs in Rocq: what the kernel accepts carries a claim, what it does not accept is an error, and without it nothing
changes."""

from __future__ import annotations

import json
import os
import re
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from math import inf
from multiprocessing import get_context
from pathlib import Path

import pytest
from click.testing import CliRunner
from stand_in_coqc import forget, stand_in

from dpbandits import QUICK
from dpbandits.audit.claims.proofs import proof_of, theorem_of
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.cli_shared.endings import Trouble
from dpbandits.audit.judges.effort import asking_kernel
from dpbandits.audit.runner.entries import finding_entry
from dpbandits.audit.runner.run_claims import audit
from dpbandits.extensions.rocq.carrying import AXIOMS_TOGETHER, from_the_ledger, witnessed
from dpbandits.extensions.rocq.carrying import check_theorem_of_claim as kernel_asked
from dpbandits.extensions.rocq.compiled_files import SHARED_PROOFS, compiled, files_to_compile, workshop
from dpbandits.extensions.rocq.coqc import COQC, NotAccepted, NotInstalled, TookTooLong, compiler
from dpbandits.extensions.rocq.kernel import checked
from dpbandits.extensions.rocq.ledger_theorems import ledger_statement, translated
from dpbandits.extensions.thompson import proving
from dpbandits.extensions.thompson.bound import certified_curve
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.extensions.thompson.theorems.checked import game_checked, instance_checked, written_instance
from dpbandits.extensions.thompson.theorems.game_corners import VALUE_UNIT
from dpbandits.extensions.thompson.theorems.instances import CORNER_UNIT, Prices, instance_text, levels_of
from dpbandits.extensions.thompson.theorems.proposals import proposed_game
from dpbandits.proofs_checks import papers as papers_of_proofs
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.theorems import Theorem
from dpbandits.proofs_checks.papers.chen24 import appendix_g_1
from dpbandits.proofs_checks.papers.ou24.section_3_game_law import ANY_THEOREM, THEOREM
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Basis, Consequence, Inequality, OneOf, Real, Verdict, Whole
from dpbandits.reports.glossary import theorem_note
from dpbandits.reports.terminal import finding_text

PAPERS = Path(papers_of_proofs.__file__).resolve().parent
CARRIED = {claim.id: theorem for claim in ledger().claims if (theorem := theorem_of(claim)) is not None}
SHARED = (
    *(("composition", name) for name in ("adaptive_composition", "fresh_rounds", "post_processing", "renyi_private")),
    *(
        ("integral", "integral_continuous"),
        ("laplace", "laplace_whole"),
        ("densities", "chance_whole"),
        ("densities", "draws_enough"),
        ("shared_values", "drawn_whole"),
        ("elimination", "timesteps_of_pulls"),
        ("tree", "stream_of_pulls"),
        ("drawn_thompson", "drawn_pulls"),
        ("drawn_thompson", "drawn_private"),
        ("drawn_thompson", "two_arms_drawn"),
    ),
)
CLAIM = ledger().by_id["chen24/lemma-g.1"]
ASKING = Effort(kernel=True)
CLASSIC = "Axioms:\nClassical_Prop.classic\n  : forall P : Prop, P \\/ ~ P\n"


@pytest.fixture(autouse=True)
def asked_anew(request):
    """Tests of the kernel itself share what it said, and what is compiled."""
    if "kernel_at_hand" not in request.fixturenames:
        forget()
    yield
    if "kernel_at_hand" not in request.fixturenames:
        forget()


@pytest.fixture
def coqc(monkeypatch, tmp_path):
    """A compiler that says what a test wants, in the place of coqc."""
    return stand_in(tmp_path, monkeypatch)


@pytest.fixture
def chapter(tmp_path):
    """Writes a page's file of theorems."""

    def written(text, name="chapter"):
        file = tmp_path / "planted" / f"{name}.v"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    return written


def found(effort=ASKING):
    return appendix_g_1.lemma_g_1(CLAIM, effort, 0)


def test_whatever_is_installed_the_words_carry_the_claim_unless_the_kernel_is_asked(coqc):
    """coqc is there and would accept everything; nobody runs it, and the entry says how to have the theorem checked."""
    coqc.answer()
    argued = found(Effort())
    assert (argued.verdict, argued.rests_on) == (Verdict.ARGUED, (Basis.ALGEBRA, Basis.WORDS))
    document = audit([CLAIM], QUICK)
    (entry,) = document["findings"]
    assert (entry["expect"], entry["verdict"], document["kernel"]) == (["ARGUED"], "ARGUED", None)
    file = "proofs_checks/papers/chen24/appendix_g_1.v"
    assert entry["theorem"] == {"name": "lemma_g_1", "file": file, "checked": False}
    assert coqc.asked() == []
    told = f"ARGUED here; a machine-checked proof exists (theorem `lemma_g_1`, `{file}`)"
    assert theorem_note(entry) == f"{told}: `dpbandits audit --rocq` checks it"
    assert " ".join(finding_text(entry, [entry], {}).split()).count(told) == 1


# Sums over a number of rewards.
COUNTED = {"ou24/lemma-5", "ou24/lemma-8/first", "ou24/lemma-8/second", "ou24/lemma-9", "ou24/eq-11/second"}


def test_a_claim_that_is_a_formula_is_written_down_from_the_ledger():
    """All but those that count with a variable; so that no theorem about less passes for the claim."""
    formulas = {name for name in CARRIED if isinstance(ledger().by_id[name].says, Inequality)}
    assert len(formulas) >= 25
    assert {name for name in CARRIED if translated(ledger().by_id[name])} == formulas - COUNTED


def test_what_a_theorem_from_the_ledger_requires_is_there():
    written = {name: from_the_ledger(ledger().by_id[name], theorem) for name, theorem in CARRIED.items()}
    required = {name: files_to_compile(file) for name, file in written.items() if file is not None}
    assert len(required) >= 22
    for name, files in required.items():
        assert CARRIED[name].source() in files, name
        assert [file for file in files if not file.is_file()] == [], name


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("chen24/lemma-j.1/after-117", "forall (z' : R),\n  0 <= z' ->\n  Phi (- z') <= exp (- z' * z' / 2)"),
        (
            "hu25/theorem-4.2/eq-24",
            "forall (T' : R) (gap' : R),\n  3 <= T' ->\n  0 <= gap' ->\n  gap' <= 1 ->\n  0 < T' * gap' * gap' ->"
            "\n  0 < T' ->\n  gap' * gap' <> 0 ->\n  1 <= ln (T' * gap' * gap') ->"
            "\n  ln T' <= ln (T' * gap' * gap') / (gap' * gap')",
        ),
        (
            "ou24/lemma-12/every-eps",
            "forall (eps' : R) (delta' : R) (share' : R) (t' : R),\n  0 < eps' ->\n  0 < delta' ->\n  delta' < 1 / 2 ->"
            "\n  0 <= share' ->\n  share' <= 1 ->\n  2 * delta' <> 0 ->\n  0 < 1 / (2 * delta') ->"
            "\n  0 <= 2 * ln (1 / (2 * delta')) ->\n  0 <= 2 * ln (1 / (2 * delta')) + 2 * eps' ->"
            "\n  Phi (share' * (sqrt (2 * ln (1 / (2 * delta')) + 2 * eps') - sqrt (2 * ln (1 / (2 * delta')))) - t') "
            "- exp eps' * Phi (- t') <= delta'",
        ),
    ],
)
def test_a_claim_in_the_words_of_rocq(name, statement):
    assert ledger_statement(ledger().by_id[name]) == statement


def test_whole_and_open_and_closed_ends_in_the_words_of_rocq():
    over = {"n": Whole(2, 9), "x": Real(0.5, 2.0, "left"), "y": Real(0.0, 1.0, True)}
    says = Inequality(lambda m, n, x, y: x / y, lambda m, n, x, y: n, over, strict=True)
    stated = ledger_statement(replace(CLAIM, says=says))
    assert stated == (
        "forall (n' : nat) (x' : R) (y' : R),\n  (2 <= n')%nat ->\n  (n' <= 9)%nat ->\n  1 / 2 <= x' ->\n  x' < 2 ->"
        "\n  0 <= y' ->\n  y' <= 1 ->\n  y' <> 0 ->\n  x' / y' < INR n'"
    )
    for other in (OneOf((1, 2)), Whole(-1, 3)):
        assert not translated(replace(CLAIM, says=replace(says, over={**over, "n": other})))


def test_who_asks_for_the_kernel_gets_its_answer_and_the_document_names_it(coqc, tmp_path):
    coqc.answer(assumptions=CLASSIC)
    for options, verdict, kernel in (
        (["--rocq"], "PROVED", "coqc 8.16.1"),
        ([], "ARGUED", None),
        (["--profile", "deep"], "PROVED", "coqc 8.16.1"),
        (["--profile", "deep", "--no-rocq"], "ARGUED", None),
    ):
        out = tmp_path / "out"  # one folder: a finding counts for runs alone that ask as much
        call = ["audit", "--claims", CLAIM.id, "--out", str(out), "--quiet", *options]
        assert CliRunner().invoke(main, call).exit_code == 0
        document = json.loads((out / "findings.json").read_text())
        (entry,) = document["findings"]
        assert (entry["verdict"], document["kernel"]) == (verdict, kernel)
        assert entry["theorem"]["checked"] == (theorem_note(entry) == "") == (kernel is not None)
        assert re.findall(r"--(?:no-)?rocq", entry["repro"]) == [each for each in options if each.endswith("rocq")]


def entries_of(claims, asked):
    """The findings of these claims, by id, with the kernel or without."""
    return {each["id"]: each for each in audit(claims, asking_kernel(QUICK, asked))["findings"]}


def test_a_consequence_is_proved_where_its_step_is_a_theorem(coqc):
    """Corollary C.6, from C.4 and C.5, which theorems carry as well. Without the kernel its premises decide."""
    coqc.answer(assumptions=CLASSIC)
    claim = ledger().by_id["chen24/corollary-c.6"]
    found = {}
    for asked in (False, True):
        entries = entries_of([claim, *(ledger().by_id[each] for each in claim.follows)], asked)
        found[asked] = entries[claim.id]
        premises = {entries[each]["verdict"] for each in claim.follows}
        assert premises == ({"PROVED"} if asked else {"ARGUED"})
    assert (found[False]["verdict"], found[False]["theorem"]["checked"]) == ("ARGUED", False)
    assert "a machine-checked proof exists (theorem `corollary_c_6`," in theorem_note(found[False])
    assert (found[True]["verdict"], found[True]["theorem"]["checked"]) == ("PROVED", True)
    assert (found[True]["rests_on"], found[True]["surprise"]) == (["machine-checked proof"], False)


def test_a_consequence_whose_step_is_words_is_argued_whatever_its_premises_are(coqc):
    """ou24/eq-6 follows by an expectation over histories from a formula that is PROVED. Here the claim has another id,
    and therefore no theorem."""
    coqc.answer()
    claim = replace(ledger().by_id["ou24/eq-6"], id="ou24/eq-6/in-words")
    assert isinstance(claim.says, Consequence)
    for asked in (False, True):
        entries = entries_of([claim, *(ledger().by_id[each] for each in claim.follows)], asked)
        assert {entries[each]["verdict"] for each in claim.follows} == {"PROVED"}
        assert (entries[claim.id]["verdict"], "theorem" in entries[claim.id]) == ("ARGUED", False)
        words = "The step from the premises to the claim is argued in words and not checked by a machine."
        assert words in entries[claim.id]["summary"]


def test_no_kernel_is_named_where_no_theorem_was_asked_about(coqc):
    """Such a run is the same whatever is installed."""
    formula = ledger().by_id["ou24/5.1/316"]
    assert theorem_of(formula) is None
    document = audit([formula], asking_kernel(QUICK, True))
    assert (document["kernel"], coqc.asked()) == (None, [])


def test_a_run_that_asks_the_kernel_ends_at_once_where_it_is_missing(monkeypatch, tmp_path, coqc):
    coqc.answer(library="Error: Cannot find a physical path bound to mathcomp")
    for program, missing in (
        (str(coqc.path), "coqc is installed, but these libraries are missing: mathcomp"),
        ("", "not installed"),
    ):
        monkeypatch.setenv(COQC, program)
        forget()
        for profile in (["--rocq"], ["--profile", "deep"]):
            call = ["audit", "--claims", CLAIM.id, "--out", str(tmp_path / "out"), *profile]
            refused = CliRunner().invoke(main, call)
            assert refused.exit_code == 2
            assert re.search(f"{missing}.* apt install coq .* --no-rocq", refused.output), refused.output


def test_what_the_kernel_accepts_is_proved_and_surprises_nobody(coqc):
    argued = found(Effort())
    coqc.answer(statement="NAME\n  : forall x,\n    x = x\n", assumptions=CLASSIC)
    proved = found()
    assert (proved.verdict, proved.rests_on) == (Verdict.PROVED, (Basis.KERNEL,))
    table, printed, witness, *rest = proved.evidence
    assert [AXIOMS_TOGETHER, "Coq.Logic.Classical_Prop.classic"] in table["rows"]
    assert printed["text"].endswith("lemma_g_1 : forall x, x = x")
    assert witness["text"].startswith("Its hypotheses can hold together: lemma_g_1_witness : ")
    assert (tuple(rest), proved.summary) == (argued.evidence, argued.summary)
    entry = finding_entry(CLAIM, proved, "quick")
    assert (entry["expect"], entry["surprise"]) == (["ARGUED", "PROVED"], False)
    by_hand = replace(proved, rests_on=(Basis.ALGEBRA,))
    assert finding_entry(CLAIM, by_hand, "quick")["surprise"]


GUARDED = "Axioms:\nUint63.loop is assumed to be guarded.\n"


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({"compiling": "Error: Cannot apply lemma"}, "coqc rejects this file: .*Cannot apply"),
        ({"compiling": "Error: Cannot find a physical path bound to Coquelicott"}, "coqc rejects this file: .*ott"),
        ({"query": "Error: The reference t was not found"}, "was not found"),
        ({"assumptions": "Axioms:\nx : False\n", "place": "Constant Dpbandits.page.x"}, "t, .* uses Dpbandits.page.x"),
        (
            {"assumptions": CLASSIC, "place": "Constant Dpbandits.page.Classical_Prop.classic"},
            "t, .* uses Dpbandits.page",
        ),
        ({"assumptions": GUARDED, "place": "Constant Dpbandits.page.chapter.Uint63.loop"}, "t, .* uses Dpbandits.page"),
        ({"assumptions": CLASSIC, "place": "No object of basename classic"}, "Coq does not say where it is"),
        (
            {"assumptions": "Theory: Type hierarchy is collapsed (logic is inconsistent)\n"},
            "the output of Print Assumptions could not be read",
        ),
        ({"assumptions": ""}, "the output of Print Assumptions could not be read"),
        ({"assumptions": "about Closed under the global context"}, "the output of Print Assumptions could not be read"),
    ],
)
def test_what_the_kernel_does_not_accept_is_an_error(coqc, chapter, answers, why):
    coqc.answer(**answers)
    with pytest.raises(NotAccepted, match=why):
        checked(chapter("Theorem t : True.\n"), "t")


def test_a_theorem_without_a_witness_carries_nothing(coqc, chapter):
    coqc.answer()
    file = chapter("Theorem t : True.\n")
    about = Theorem("t", "here", "", lambda: file)
    with pytest.raises(
        NotAccepted,
        match="here: there is no proof that the hypotheses of t can hold together",
    ):
        witnessed(about)
    chapter("Theorem t : True.\nLemma t_witness : satisfiable t.\n")
    forget()
    assert witnessed(about).witness == "t_witness : True"


def test_what_a_theorem_is_called_in_print_is_no_evidence(coqc, chapter):
    """What it rests on is read from another run than its statement, which may print anything."""
    coqc.answer(statement="NAME : Closed under the global context", assumptions=CLASSIC)
    accepted = checked(chapter("Theorem t : True.\n"), "t")
    assert accepted.axioms == ("Coq.Logic.Classical_Prop.classic",)


@pytest.mark.parametrize(
    "place",
    [
        "Coq.Logic.Classical_Prop.classic",
        "Stdlib.Logic.Classical_Prop.classic",
        "Coq.Numbers.Cyclic.Int63.Uint63.add_spec",
        "Corelib.Numbers.Cyclic.Int63.Uint63Axioms.add_spec",
        "Corelib.Numbers.Cyclic.Int63.PrimInt63.add",
    ],
)
def test_the_names_of_axioms_before_and_since_version_9_are_known(coqc, chapter, place):
    coqc.answer(assumptions=CLASSIC, place=f"Constant {place}")
    assert checked(chapter("Theorem t : True.\n"), "t").axioms == (place,)


@pytest.mark.parametrize("place", ["Corelib.Logic.Classical_Prop.classic", "Stdlib.Logic.Classical_Prop.classical"])
def test_another_name_in_the_standard_library_is_no_allowed_axiom(coqc, chapter, place):
    coqc.answer(assumptions=CLASSIC, place=f"Constant {place}")
    with pytest.raises(NotAccepted, match=f"uses {place}, which is not among the allowed axioms"):
        checked(chapter("Theorem t : True.\n"), "t")


def test_a_library_is_asked_about_once_by_a_file_of_ours(coqc, chapter):
    coqc.answer(library="Error: Cannot find a physical path bound to logical path Tactic with prefix Interval.")
    files = [chapter(f"From Interval Require Import Tactic.\nTheorem t : {k} = {k}.\n", f"file{k}") for k in range(2)]
    for file in files:
        with pytest.raises(NotInstalled, match="these libraries are missing: Interval"):
            checked(file, "t")
    assert coqc.asked().count("library.v") == 1
    coqc.answer(library="Error: syntax error in Tactic.vo")
    with pytest.raises(NotAccepted, match=r"coqc cannot load the library Interval: .*syntax error"):
        checked(files[0], "t")
    coqc.answer(compiling="Error: Cannot find a physical path bound to logical path Tactic")
    with pytest.raises(NotAccepted, match="coqc rejects this file"):
        checked(files[0], "t")


def test_a_file_has_a_time_limit_and_nothing_is_said_of_what_is_stopped(coqc, chapter):
    file = chapter("Theorem t : True.\n")
    coqc.answer(seconds=30)
    with pytest.raises(
        TookTooLong,
        match=r"chapter\.v: coqc was stopped after 0\.2 seconds, the limit for one file, so there is no answer",
    ):
        checked(file, "t", 0.2)
    coqc.answer()
    assert checked(file, "t").axioms == ()


def test_each_file_is_compiled_once_for_all_runs_and_asked_about_once(coqc, chapter):
    first = chapter("Theorem a : True.\nTheorem b : True.\n", "first")
    second = chapter("From Dpbandits.planted Require Import first.\nTheorem c : True.\n", "second")
    assert [checked(first, "a").statement, checked(first, "b").statement] == ["a : True", "b : True"]
    checked(second, "c")
    forget()  # as another process would
    checked(second, "c")
    checked(first, "b")
    asked = coqc.asked()
    assert asked.count("planted/first.v") == asked.count("planted/second.v") == 1
    assert asked.count("query_theorems.v") == 2
    first.write_text("Theorem a : 1 = 1.\nTheorem b : True.\n")
    forget()
    checked(second, "c")  # which needs the other one
    asked = coqc.asked()
    assert asked.count("planted/first.v") == asked.count("planted/second.v") == 2


def test_a_file_that_does_not_compile_leaves_nothing_behind(coqc, chapter, tmp_path):
    coqc.answer(compiling="Error: no")
    with pytest.raises(NotAccepted):
        checked(chapter("Theorem t : True.\n"), "t")
    assert list((tmp_path / "cache" / "dpbandits" / "rocq").glob("*/")) == []


def test_compiled_files_that_nothing_uses_are_removed(coqc, chapter, tmp_path):
    folder = tmp_path / "cache" / "dpbandits" / "rocq"
    old, new = (folder / name for name in ("draft.old", "used-1"))
    for each in (old, new):
        each.mkdir(parents=True)
    os.utime(old, (0, 0))
    checked(chapter("Theorem t : True.\n"), "t")
    assert (old.exists(), new.exists()) == (False, True)


def test_where_no_cache_can_be_written_a_process_compiles_for_itself(coqc, chapter, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    forget()
    assert checked(chapter("Theorem t : True.\n"), "t").statement == "t : True"


def test_every_file_is_a_proof_of_something():
    files = {each.resolve() for folder in (PAPERS.parent, SHARED_PROOFS) for each in folder.rglob("*.v")}
    carrying = {theorem.source().resolve() for theorem in CARRIED.values()}
    names = ("priced_levels", "drawn_witnesses", "drawn_thompson", "game_run", "releases")
    instance = [*(SHARED_PROOFS / f"{name}.v" for name in names), PAPERS / "ou24" / "section_3_game_value.v"]
    of_papers = {file for file in carrying if file.is_relative_to(PAPERS)}
    assert {each.resolve() for path in [*instance, *of_papers] for each in files_to_compile(path)} == files


ASKED = ["privacy", "thompson", "--horizon", "100", "--delta", "1e-6"]
CEILING = {
    "type": "ceiling",
    "policy": {"name": "gaussian-thompson", "prepulls": 0, "variance": "1.0"},
    "arms": "any",
    "relation": "round",
    "horizon": 20,
    "eps": "15.25",
    "delta": "1e-06",
}


@pytest.fixture
def ceiling(tmp_path):
    file = tmp_path / "ceiling.json"
    file.write_text(json.dumps(CEILING))
    return file


def test_the_commands_say_what_to_install(ceiling, monkeypatch):
    monkeypatch.setenv(COQC, "")
    for asked in ([*ASKED, "--rocq"], ["verify", "--rocq", str(ceiling)]):
        found = CliRunner().invoke(main, asked)
        assert found.exit_code == 2
        assert "apt install coq libcoq-coquelicot libcoq-interval" in found.output


def test_anybody_may_ask_the_kernel(coqc, ceiling, monkeypatch):
    prices = Prices(20, Fraction(8, 5), Fraction(537, 1000), Fraction(1, 10**6), two=False)
    monkeypatch.setattr(proving, "proposed_game", lambda *asked: None)
    monkeypatch.setattr(proving, "proposed_prices", lambda sampler, delta: prices)
    coqc.answer(
        statement="NAME : any_arms_private 1 2",
        assumptions="Axioms:\nUint63.add_spec : x\n",
        place="Constant Coq.Numbers.Cyclic.Int63.Uint63.NAME",
    )
    found = CliRunner().invoke(main, [*ASKED, "--rocq"])
    assert found.exit_code == 0
    assert "rocq  eps =      15.2   thompson_private_here : any_arms_private 1 2" in found.output
    assert "axioms of the theorem and its witness: 1 of Coq's 63-bit integers" in found.output
    told = json.loads(CliRunner().invoke(main, [*ASKED, "--rocq", "--json"]).output)
    assert (told["rocq"]["eps"], told["rocq"]["coqc"]) == (15.2, "8.16.1")
    checked_ceiling = CliRunner().invoke(main, ["verify", "--rocq", str(ceiling)])
    assert checked_ceiling.exit_code == 0
    assert "verified by Rocq's kernel: eps = 15.2 at delta = 1e-06 is proved" in checked_ceiling.output
    ceiling.write_text(json.dumps(CEILING | {"eps": "15"}))
    for strict, status in (([], 0), (["--strict"], 1)):
        less = CliRunner().invoke(main, ["verify", "--rocq", *strict, str(ceiling)])
        assert less.exit_code == status
        assert "that 15 is enough, as the ceiling says, still rests on the argument in words" in less.output
    noisier = CEILING["policy"] | {"variance": "1.00000000000000001"}
    longer = {"delta": "0.000000999999999999999999999"}, {"policy": noisier}
    for changed, name in zip(longer, ("delta", "policy/variance"), strict=True):  # of which a double is another number
        ceiling.write_text(json.dumps(CEILING | changed))
        refused = CliRunner().invoke(main, ["verify", "--rocq", str(ceiling)])
        assert refused.exit_code == 2
        assert f"{name} has more digits than a double" in refused.output


@pytest.mark.parametrize(
    ("sampler", "why"),
    [
        (Sampler(8, 2, 4), "only for b = 0 and c = 1, and for .* pre-pulls below T/2"),
        (Sampler(8, None, 4), "for runs with 3 to 1000 rounds, delta from"),
        (Sampler(1001, None, 0, 2.0), "only for b = 0 and c = 1, .*, eps up to 80"),
        (Sampler(3001), "only for T <= 3000"),
    ],
)
def test_what_no_theorem_is_written_for(coqc, sampler, why):
    coqc.answer()
    with pytest.raises(Trouble, match=why):
        proving.kernel_proof(sampler, 0.1, "pull")


def test_now_and_then_a_line_says_what_is_at_work(coqc, monkeypatch):
    coqc.answer()
    lines, said, theorem = [], [], short_game("pull")

    def refuse():
        raise NotAccepted("no")

    monkeypatch.setattr(proving, "print_now_and_then", lambda line: lines.append(line) or nullcontext())
    monkeypatch.setattr(proving, "proposed_game", lambda *asked: said.append(lines[0]()) or theorem)
    monkeypatch.setattr(proving, "game_checked", lambda asked: said.append(lines[0]()) or refuse())
    with pytest.raises(Trouble, match="--rocq: Rocq's kernel rejects the proof:"):
        proving.kernel_proof(Sampler(7, 2), 1e-3, "pull")
    at_work = "looking for a theorem with a small eps", "the kernel reads a proof that eps = 3.052 is enough"
    assert said == [f"--rocq: {each}; 0 seconds so far" for each in at_work]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_folder_of_a_worker_goes_with_it(tmp_path):
    named = tmp_path / "named"
    worker = get_context("fork").Process(target=lambda: named.write_text(str(workshop())))
    worker.start()
    worker.join()
    assert worker.exitcode == 0
    assert not Path(named.read_text()).exists()


def test_a_compiler_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv(COQC, "/nowhere/coqc")
    with pytest.raises(Trouble, match="/nowhere/coqc, which DPBANDITS_COQC names, is no program here"):
        proving.demand_compiler()


def short_game(relation, prepulls=0):
    """Of seven rounds."""
    theorem = proposed_game(Sampler(7, 2, prepulls), 1e-3, relation)
    assert theorem is not None
    return theorem


def test_the_game_that_a_theorem_is_written_for():
    """Doubles find what the bound does, nearly, by corners of their own; and who names the round starts nearer."""
    bound = certified_curve(Sampler(7, 2), "pull", smallest=1e-6).eps(1e-3)
    assert bound <= float(short_game("pull").eps) <= 1.01 * bound
    assert short_game("round").eps >= short_game("pull").eps
    later = certified_curve(Sampler(7, 2, 1), "pull", smallest=1e-6).eps(1e-3)
    assert later <= float(short_game("pull", 1).eps) <= 1.01 * later
    any_arms = certified_curve(Sampler(7), "pull", smallest=1e-6).eps(1e-3)
    for arms in (None, 3):
        theorem = proposed_game(Sampler(7, arms), 1e-3, "pull")
        assert theorem is not None
        assert not theorem.two
        assert abs(float(theorem.eps) - any_arms) <= 0.01 * any_arms  # other polygons: either may be the smaller one
    assert proposed_game(Sampler(5, None, 0, 0.02), 1e-6, "pull") is None
    assert proposed_game(Sampler(1001), 1e-3, "pull") is None
    assert proposed_game(Sampler(7, 2), 1e-20, "pull") is None
    assert proposed_game(Sampler(7, 2), 1e-10, "pull") is not None
    with pytest.raises(ValueError, match="no eps up to 80 can be proved for T = 5 at delta = 1e-06"):
        proposed_game(Sampler(5, 2, 0, 0.02), 1e-6, "pull")


@pytest.mark.thorough
def test_the_theorem_of_1000_rounds_states_the_eps_that_its_claim_mentions() -> None:
    claim = ledger().by_id["ou24/theorem-3/law/thousand/any-arms"]
    theorem = proposed_game(Sampler(1000), 1e-6, "pull")
    assert theorem is not None
    assert f" states {float(theorem.eps):.3f}, " in claim.scope


# -- with the kernel -----------------------------------------------------------------------------------------------

with_coqc = pytest.mark.rocq


@pytest.fixture
def kernel_at_hand(monkeypatch):
    monkeypatch.delenv(COQC, raising=False)
    if compiler() is None:
        pytest.skip("coqc is not installed: make proofs")


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
@pytest.mark.parametrize("name", CARRIED)
def test_a_claim_that_a_theorem_carries_is_proved_by_the_kernel(name):
    claim, theorem = ledger().by_id[name], CARRIED[name]
    proved = proof_of(claim)(claim, ASKING, 0)
    assert (proved.verdict, proved.rests_on) == (Verdict.PROVED, (Basis.KERNEL,))
    stated = "from_the_ledger" if translated(claim) else theorem.name
    assert proved.evidence[1]["text"].startswith(f"As Coq prints it: {stated} ")
    (axioms,) = [value for what, value in proved.evidence[0]["rows"] if what == AXIOMS_TOGETHER]
    print(f"{name}: {theorem.place}: {theorem.name}: {AXIOMS_TOGETHER}: {axioms}")


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
def test_a_claim_that_says_more_than_its_theorem_is_not_accepted():
    """The theorem is about z >= 0; the claim is written down from the ledger, and here it begins at -10."""
    claim = ledger().by_id["chen24/lemma-j.1/after-117"]
    wider = replace(claim, says=replace(claim.says, over={"z": Real(-10.0, inf, "left")}))
    for each, fine in ((claim, True), (wider, False)):
        # what the theorem wants and the wider claim does not give stays in the way
        with nullcontext() if fine else pytest.raises(NotAccepted, match=r'The term "H\'" has type "0 <= z\' -> Phi'):
            assert kernel_asked(proof_of(claim).theorem, each).statement.startswith(
                "from_the_ledger : forall z' : R, 0 <= z' -> Phi"
            )


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
@pytest.mark.parametrize(("file", "name"), SHARED)
def test_the_kernel_accepts_what_other_proofs_build_on(file, name):
    accepted = checked(SHARED_PROOFS / f"{file}.v", name)
    assert accepted.statement.startswith(f"{name} ")
    print(f"{file}.v: {name}: axioms, of all that were checked beside it: {', '.join(accepted.axioms) or 'none'}")


FALSE = "Theorem planted : 1 = 2.\nProof. destruct {}. Qed.\n"
UNGUARDED = "Unset Guard Checking.\nFixpoint loop (n : nat) : False := loop n.\n"
HOLES = {  # files that would prove 1 = 2, each with the name below which the kernel finds the hole
    "admitted": ("chapter", "Theorem planted : 1 = 2.\nAdmitted.\n", "planted"),
    "an axiom": ("chapter", f"Axiom no : False.\n{FALSE.format('no')}", "no"),
    "an axiom by an allowed name": (
        "chapter",
        f"Module Classical_Prop. Axiom classic : False. End Classical_Prop.\n{FALSE.format('Classical_Prop.classic')}",
        "Classical_Prop.classic",
    ),
    "an axiom in a module of an allowed name": (
        "chapter",
        f"Module Uint63. Axiom lie : False. End Uint63.\n{FALSE.format('Uint63.lie')}",
        "Uint63.lie",
    ),
    "an axiom by the name of one of Coq's integers": (
        "chapter",
        f"Module Uint63. Axiom add_spec : False. End Uint63.\n{FALSE.format('Uint63.add_spec')}",
        "Uint63.add_spec",
    ),
    "an axiom by the name of one of Coq's integers, which are loaded": (
        "chapter",
        "From Coq Require Import Uint63.\n"
        f"Module Uint63. Axiom add_spec : False. End Uint63.\n{FALSE.format('Uint63.add_spec')}",
        "Uint63.add_spec",
    ),
    "a loop in a module of an allowed name": (
        "chapter",
        f"Module Uint63.\n{UNGUARDED}End Uint63.\n{FALSE.format('(Uint63.loop 0)')}",
        "Uint63.loop",
    ),
    "a notation that looks like the answer": (
        "chapter",
        "Notation \"'Closed' 'under' 'the' 'global' 'context'\" := True (at level 0).\n"
        "Theorem planted : 1 = 2 /\\ Closed under the global context.\nProof. Admitted.\n",
        "planted",
    ),
    "a string that looks like the answer": (
        "chapter",
        "From Coq Require Import String.\nOpen Scope string_scope.\nDefinition about (s : string) (P : Prop) := P.\n"
        'Theorem planted : about "Closed under the global context" (1 = 2).\nProof. Admitted.\n',
        "planted",
    ),
    "an axiom in a file of an allowed name": (
        "ClassicalDedekindReals",
        f"Axiom sig_not_dec : False.\n{FALSE.format('sig_not_dec')}",
        "sig_not_dec",
    ),
    "positivity not checked": (
        "chapter",
        "Unset Positivity Checking.\nInductive bad := C : (bad -> False) -> bad.\nSet Positivity Checking.\n"
        "Lemma no : bad -> False.\nProof. intro b; destruct b as [f]. exact (f (C f)). Qed.\n"
        f"{FALSE.format('(no (C no))')}",
        "bad",
    ),
    "a module that is declared": (
        "chapter",
        f"Module Type T. Axiom x : False. End T.\nDeclare Module M : T.\n{FALSE.format('M.x')}",
        "M.x",
    ),
}


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_is_seen(chapter, hole):
    name, text, below = HOLES[hole]
    with pytest.raises(
        NotAccepted,
        match=rf"planted, .* uses Dpbandits\.planted\.{name}\.{re.escape(below)}, which is not among the allowed",
    ):
        checked(chapter(text, name), "planted")


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
def test_a_proof_that_is_none_is_not_accepted(chapter):
    with pytest.raises(NotAccepted, match="coqc rejects this file"):
        checked(chapter("Theorem planted : 1 = 2.\nProof. exact I. Qed.\n"), "planted")


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
def test_thompson_sampling_of_a_thousand_rounds():
    """From the law of the policy to the number."""
    accepted = instance_checked(THEOREM)
    assert accepted.statement == "thompson_private_here : thompson_private 1 (5613 / 100) (1 / 1000000) 1000"


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
def test_any_number_of_arms_and_a_hundred_rounds():
    accepted = instance_checked(ANY_THEOREM)
    assert accepted.statement == "thompson_private_here : any_arms_private 1 (3079 / 100) (1 / 1000000) 100"
    levels = levels_of(ANY_THEOREM)
    less = instance_text(ANY_THEOREM, levels).replace("3079", "3078")
    wrong = {  # prices leave over less than two millionths
        "a corner below its tangent": [replace_corner(levels[0], 3, levels[0].corners[3][1] - CORNER_UNIT // 1000)],
        "a pull at a lower price": [levels[0]._replace(worth=levels[0].worth - 2)],
        "a pull count in no level": [levels[0]._replace(first=2)],
    }
    texts = {"a smaller eps": less}
    texts |= {what: instance_text(ANY_THEOREM, [*first, *levels[1:]]) for what, first in wrong.items()}
    folder = written_instance(ANY_THEOREM).parent
    for place, (what, text) in enumerate(texts.items()):
        file = folder / f"wrong_{place}.v"
        file.write_text(text)
        with pytest.raises(NotAccepted, match=r'while it is expected to have type\s+"run_right run_here = true"'):
            print(what, compiled(file))


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
def test_the_game_for_two_arms():
    """The kernel computes its value; an eps that is too small is refused, and so are less variance, rows that end too
    early, and a corner below a tangent."""
    wider = proposed_game(Sampler(5, 2, 0, 0.3), 1e-3, "round")
    assert wider is not None
    accepted = game_checked(wider)
    assert "both_arms [] (3 / 10) 5 round true" in accepted.statement
    theorem = short_game("pull")
    accepted = game_checked(theorem)
    assert accepted.statement.startswith("thompson_private_here : pulls_private bool_dec both_arms [] 1 7 pull true")
    shapes = theorem.right.rounds[-1]
    (place, p, q), corners = shapes[0].corners[0], shapes[0].corners[1:]
    low = (shapes[0]._replace(corners=((place, p, q - (1 << 30)), *corners)), *shapes[1:])
    for wrong in (
        theorem._replace(eps=theorem.eps - Fraction(1, 50)),
        theorem._replace(variance=Fraction(9, 10)),
        theorem._replace(right=theorem.right._replace(cut=VALUE_UNIT // 100)),
        theorem._replace(right=theorem.right._replace(rounds=(*theorem.right.rounds[:-1], low))),
    ):
        with pytest.raises(NotAccepted):
            game_checked(wrong)


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
def test_the_game_for_two_arms_after_prepulls():
    """Refused are another number of pre-pulls, the eps of one pre-pull more, and a start that is too late. A last round
    alone moves its grid by many steps."""
    theorem, more, last = short_game("pull", 1), short_game("pull", 2), proposed_game(Sampler(9, 2, 4), 1e-3, "pull")
    assert last is not None
    for each, relation in ((theorem, "pull"), (short_game("round", 2), "round"), (last, "pull")):
        accepted = game_checked(each)
        about = f"{each.horizon} {each.prepulls}"
        before = f"forall (kept : bool) (first : releases bool), prepulled bool_dec {about} first ->"
        says = f"pulls_private bool_dec both_arms first 1 {each.horizon} {relation} kept"
        eps = f"({each.eps.numerator} / {each.eps.denominator})"
        assert accepted.statement.startswith(f"thompson_private_here : {before} {says} {eps}")
    sides = {name: getattr(theorem, name) for name in ("right", "left")}
    for wrong in (
        theorem._replace(prepulls=2),
        theorem._replace(prepulls=0),
        theorem._replace(eps=more.eps),
        theorem._replace(**{name: each._replace(rounds=each.rounds[:-1]) for name, each in sides.items()}),
    ):
        with pytest.raises(NotAccepted):
            game_checked(wrong)


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
def test_the_game_for_any_number_of_arms():
    """Refused are an eps that is too small, less variance, a round less, a corner below a tangent, and polygons that do
    not begin at p = 0 or end at q = 1."""
    theorem = proposed_game(Sampler(7), 1e-3, "round")
    assert theorem is not None
    accepted = game_checked(theorem)
    eps = f"({theorem.eps.numerator} / {theorem.eps.denominator})"
    assert accepted.statement == f"thompson_private_here : any_arms_private 1 {eps} (1 / 1000) 7"
    assert accepted.witness.startswith("thompson_private_here_witness : exists (A : Type)")

    def first_shape(**changes):
        """The theorem with another first polygon in the last round that the kernel computes."""
        *rounds, shapes = theorem.right.rounds
        return theorem._replace(
            right=theorem.right._replace(rounds=(*rounds, (shapes[0]._replace(**changes), *shapes[1:])))
        )

    shape = theorem.right.rounds[-1][0]
    (place, p, q), *inner, end, top = shape.corners
    for wrong in (
        theorem._replace(eps=theorem.eps - Fraction(1, 50)),
        theorem._replace(variance=Fraction(9, 10)),
        theorem._replace(right=theorem.right._replace(rounds=theorem.right.rounds[:-1])),
        first_shape(corners=((place, p, q - (1 << 20)), *inner, end, top)),
        first_shape(corners=(*inner, end, top)),
        first_shape(corners=((place, p, q), *inner, (end[0], end[1], top[2] - 1), (0, top[1] - 1, top[2] - 1))),
    ):
        with pytest.raises(NotAccepted):
            game_checked(wrong)


@with_coqc
@pytest.mark.usefixtures("kernel_at_hand")
def test_the_game_for_any_number_of_arms_after_prepulls():
    """Refused are another number of pre-pulls, and the eps of one pre-pull more."""
    theorem, more = (proposed_game(Sampler(9, 3, many, 0.7), 1e-3, "pull") for many in (1, 2))
    assert theorem is not None
    assert more is not None
    accepted = game_checked(theorem)
    eps = f"({theorem.eps.numerator} / {theorem.eps.denominator})"
    assert accepted.statement == f"thompson_private_here : any_arms_private_after (7 / 10) {eps} (1 / 1000) 9 1"
    for wrong in (theorem._replace(prepulls=2), theorem._replace(prepulls=0), theorem._replace(eps=more.eps)):
        with pytest.raises(NotAccepted):
            game_checked(wrong)


def replace_corner(level, place, height):
    corners = [*level.corners[:place], (level.corners[place][0], height), *level.corners[place + 1 :]]
    return level._replace(corners=tuple(corners))
