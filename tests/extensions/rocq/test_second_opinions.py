"""Certificates as theorems of Rocq: what is written down is what they say, and the kernel is asked about it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from stand_in_coqc import forget, stand_in

from dpbandits.audit.cli.command_line import main
from dpbandits.extensions.rocq.coqc import COQC, compiler
from dpbandits.extensions.rocq.point_theorems import NotTranslated, theorem_at_point
from dpbandits.extensions.rocq.release_theorems import theorem_of_release
from dpbandits.extensions.rocq.shared_theorems import Shared, enclosed_shared
from dpbandits.extensions.rocq.step_theorems import enclosed_chance, theorem_of_step
from dpbandits.proofs_checks.checker import releases as checker_releases
from dpbandits.proofs_checks.checker.untrusted import Rejected
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.formulas.release_certificates import stored_enclosure
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Identity, Inequality, Verdict, expectations

Certificate = dict[str, Any]
LEMMA_12 = Path(__file__).parents[3] / "reports" / "example" / "certificates" / "ou24__lemma-12.json"


def formula(left: str, right: str, relation: str = "<=", within: str = "0", **variables: str) -> Certificate:
    """A certificate whose enclosures nobody reads here."""
    sides = {"left": left, "right": right, "left_enclosure": ["0", "0"], "right_enclosure": ["0", "0"]}
    head = {"type": "formula", "claim": "x", "relation": relation, "within": within, "given": []}
    return head | sides | {"variables": variables}


def stated(certificate: Certificate, opposite: bool = False) -> str:
    theorem = theorem_at_point(certificate, "t", opposite).partition(".\nProof.")[0]
    return " ".join(theorem.removeprefix("Theorem t :").split())


@pytest.mark.parametrize(
    ("left", "right", "says"),
    [
        ("a - (b - 1) - 1", "-a**2", "~ a' - (b' - 1) - 1 <= - a' ^ 2"),
        ("(-a)**3 * -b", "2 / (a / 2) * 3", "a' / 2 <> 0 /\\ ~ (- a') ^ 3 * - b' <= 2 / (a' / 2) * 3"),
        ("log(a)", "sqrt(b) / 0.5", "0 < a' /\\ 0 <= b' /\\ ~ ln a' <= sqrt b' / (1 / 2)"),
        ("a**(b - 1)", "a**-2", "b' - 1 = 2 /\\ - 2 = - 2 /\\ a' <> 0 /\\ ~ a' ^ 2 <= / a' ^ 2"),
        ("a**0.5", "1 / 2**b", "0 < a' /\\ b' = 3 /\\ 2 ^ 3 <> 0 /\\ ~ Rpower a' (1 / 2) <= 1 / 2 ^ 3"),
        (
            "maximum(a, b, 1e-1)",
            "minimum(floor(a), ceil(b))",
            "~ Rmax (Rmax a' b') (1 / 10) <= Rmin (floor a') (ceil b')",
        ),
        ("ncdf(exp(a) * pi)", "a", "~ Phi (exp a' * PI) <= a'"),
    ],
)
def test_a_formula_in_the_words_of_rocq(left: str, right: str, says: str) -> None:
    lets = "let a' := - 2 in let b' := 3 in "
    assert stated(formula(left, right, a="-2", b="3")) == lets + says


def test_what_is_compared_and_given() -> None:
    apart = formula("a", "1", "==", "0.5", a="7/2")
    assert stated(apart) == "let a' := 7 / 2 in ~ Rabs (a' - (1)) <= 1 / 2"
    assert stated(apart | {"within": "0"}) == "let a' := 7 / 2 in ~ a' = 1"
    below = apart | {"relation": "<", "within": "0", "given": [["log(a)", "2"]]}
    assert stated(below) == "let a' := 7 / 2 in 0 < a' /\\ ln a' <= 2 /\\ ~ a' < 1"
    assert stated(below, opposite=True) == "let a' := 7 / 2 in 0 < a' /\\ a' < 1"


@pytest.mark.parametrize(
    ("certificate", "why"),
    [
        (formula("other", "1"), "Name is not arithmetic"),
        (formula("1 if 1 else 2", "1"), "IfExp is not arithmetic"),
        (formula("1_0", "1"), "'1_0' is not a decimal number"),
        (formula("exp(1, 2)", "1"), "the function exp (number of arguments: 2) cannot be translated"),
        (formula("open(1)", "1"), "the function open (number of arguments: 1) cannot be translated"),
        (formula("1 *) Admitted. (*", "1"), "is not a formula"),
        (formula("1\n", "1"), "is not arithmetic"),
        (formula("2**(1000 + 1)", "1"), "the exponent 1001 is too large"),
        (formula("1", "1", "==", "-1"), "certificate has within = -1, which must be"),
        (formula("1", "1", "<=", "1"), "the certificate has within = 1, which must be 0 for the relation <="),
        (formula("a", "1", a="1/0"), "'1/0' is not a number"),
        (formula("1", "1") | {"variables": {"a\n": "1"}}, "is not a valid name of a variable"),
        (formula("1e5000", "1"), "more than 6000 bits"),
        (formula("(" * 150 + "1" + ")" * 150 + "+" + "-" * 3000 + "1", "1"), "nested too deeply"),
    ],
)
def test_what_is_not_translated(certificate: Certificate, why: str) -> None:
    with pytest.raises(NotTranslated, match=re.escape(why)):
        theorem_at_point(certificate, "t")


# -- noisy maxima ----------------------------------------------------------------------------------------------------


def step(left: str, right: str, noise: str = "gaussian", scales: str = "", **changed: Any) -> Certificate:
    """A certificate about a noisy maximum, the first of whose options wins; a list of numbers is a text here."""
    lists = {"scales": scales.split(), "left": left.split(), "right": right.split()}
    lists["scales"] = lists["scales"] or ["1"] * len(lists["left"])
    lists["sensitivities"] = ["1"] * len(lists["left"])
    head = {"type": "step", "claim": "x", "noise": noise, "changed": "one", "event": [0], "eps": "eps", "delta": "0"}
    told = {"left_probability": ["0", "1"], "right_probability": ["0", "1"]}
    return head | lists | {"variables": {"eps": "0.5"}} | told | changed


def test_a_noisy_maximum_in_the_words_of_rocq() -> None:
    text = theorem_of_step(step("0.5 0", "-0.5 0", delta="eps - 0.5"), "t")
    says, _, proof = text.partition(".\nProof.")
    assert " ".join(says.split()) == (
        "Theorem t : let eps' := 1 / 2 in let scales := [1; 1] in "
        "let left := [1 / 2; 0] in let right := [- 1 / 2; 0] in let sensitivities := [1; 1] in "
        "let event := [0]%nat in 0 <= eps' /\\ 0 <= eps' - 1 / 2 /\\ "
        "neighbouring_means one scales left right sensitivities /\\ places event 2 /\\ "
        "~ noisy_maximum gaussian scales left event <= "
        "exp (eps') * noisy_maximum gaussian scales right event + (eps' - 1 / 2)"
    )
    assert "enclose" not in proof
    opposite = theorem_of_step(step("0 0", "0 0"), "t", opposite=True)
    assert "neighbouring" not in opposite
    assert "/\\\n  noisy_maximum gaussian scales left" in opposite


def test_cells_enclose_what_is_known_in_closed_form() -> None:
    """Two Laplace values of scale 1 with a lead of t <= 0: exp(t) (2 - t)/4; of four normal values that are alike, a
    quarter. Numbers of few digits lose two per cent more at most."""
    for width in (0.2, 0.02):
        lead = enclosed_chance("laplace", [(Fraction(-2), Fraction(1)), (Fraction(0), Fraction(1))], 0, width)
        assert lead.least <= exp(-2.0) <= lead.most <= lead.least / (0.98 - width)
        alike = enclosed_chance("gaussian", [(Fraction(3), Fraction(2))] * 4, 1, width)
        assert alike.least <= 0.25 <= alike.most <= alike.least / (0.98 - width)


@pytest.mark.parametrize(
    ("certificate", "why"),
    [
        (step("0 0 0", "0 0 0", eps="0"), "so close"),
        (step("0 0 0", "0 0 0", scales="1 1"), "must have equal lengths, and the event"),
        (step("0 0 0", "0 0 0", event=[3]), "must have equal lengths, and the event"),
        (step("0 0", "0 0", scales="1 0"), "every scale must be positive"),
        (step("0" + 20 * " 1", "0" + 20 * " 1"), "number of options is 21"),
        (step("1e999 0 0", "0 0 0"), "too large for doubles"),
    ],
)
def test_noisy_maxima_that_are_not_translated(certificate: Certificate, why: str) -> None:
    with pytest.raises(NotTranslated, match=why):
        theorem_of_step(certificate | {"sensitivities": ["1"] * len(certificate["left"])}, "t")


# -- releases --------------------------------------------------------------------------------------------------------


def selection_step(next_: int, **changed: Any) -> dict[str, Any]:
    """The larger of two normal values, of which the second one wins: the mean of 29 rewards of the first row and of one
    of the second."""
    parts = {"windows": [[0, 0, "0", "29"], [1, 1, "0", "1"]], "divisors": ["29", "2"], "bounds": ["inf", "inf"]}
    head = {"noise": "gaussian", "rule": "top", "size": "1", "options": [0, 1], "scales": ["1", "0.5"]}
    return head | parts | {"releases": [{"kept": [1], "next": next_}]} | changed


def release(*steps: dict[str, Any], **changed: Any) -> Certificate:
    head = {"type": "release", "claim": "x", "parameters": {}, "relation": "pull", "range": ["0", "1"]}
    tables = {"lengths": ["1", "29"], "left": [["0", "0.5"], ["1", "1"]], "right": [["0", "0.5"], ["0", "1"]]}
    told = {"left_probability": ["0", "1"], "right_probability": ["0", "1"]}
    return head | tables | {"steps": list(steps), "eps": "0.1", "delta": "0", "variables": {}} | told | changed


def test_steps_one_after_another_in_the_words_of_rocq() -> None:
    text = theorem_of_release(release(selection_step(1), selection_step(-1, windows=[])), "t")
    says = " ".join(text.partition(".\nProof.")[0].split())
    step_says = "{| noise_of := gaussian; scales := [1; 1 / 2]; divisors := [29; 2]; windows := "
    windows = "[(0%nat, 0%nat, (0%Z, 29%Z)); (1%nat, 1%nat, (0%Z, 1%Z))]; factors := [1; 1]"
    alone = "weights := []; off := 0; size := 1"
    assert says == (
        "Theorem t : let lengths := [1; 29]%Z in let left := [[0; 1 / 2]; [1; 1]] in "
        "let right := [[0; 1 / 2]; [0; 1]] in "
        f"let step_0 := {step_says}{windows}; {alone}; released := [([1%nat], Some 0%nat)] |}} in "
        f"let step_1 := {step_says}[]; factors := []; {alone}; released := [([1%nat], None)] |}} in "
        "let steps := [step_0; step_1] in "
        "0 <= 1 / 10 /\\ 0 <= 0 /\\ 0 < 1 /\\ List.Forall (fun n => (1 <= n)%Z) lengths /\\ "
        "table_of lengths 2 (0) (1) left /\\ table_of lengths 2 (0) (1) right /\\ "
        "neighbouring_tables pull lengths left right /\\ sound steps /\\ ~ release_chance lengths steps left <= "
        "exp (1 / 10) * release_chance lengths steps right + (0)"
    )
    assert "settle_release 0%nat" in text


ONE_REWARD = {"lengths": ["1"], "left": [["0"]], "right": [["1"]]}


def shared_step(weights: str, kept: list[int], noise: str = "gaussian", **changed: Any) -> dict[str, Any]:
    """Of options that share noisy values of scale 1, to the first of which the only reward is added; the weights are a
    text here."""
    rows = [row.split() for row in weights.split(",")]
    values = len(rows[0])
    parts = {"windows": [[0, 0, "0", "1"]], "divisors": ["1"] * values, "bounds": ["inf"] * values}
    head = {"noise": noise, "rule": "top", "size": str(len(kept)), "options": [0], "scales": ["1"] * values}
    return head | parts | {"weights": rows, "releases": [{"kept": kept, "next": -1}]} | changed


def shared(weights: str, kept: list[int], eps: str, **changed: Any) -> Certificate:
    return release(shared_step(weights, kept, **changed), **ONE_REWARD, eps=eps)


def test_options_that_share_a_noisy_value_in_the_words_of_rocq() -> None:
    """All mechanisms are meant whose numbers are nearly these."""
    says, _, proof = theorem_of_release(shared("1, 0.5", [1], "1", within="1e-3"), "t").partition(".\nProof.")
    assert " ".join(says.split()) == (
        "Theorem t : let lengths := [1]%Z in let left := [[0]] in let right := [[1]] in "
        "let step_0 := {| noise_of := gaussian; scales := [1]; divisors := [1]; "
        "windows := [(0%nat, 0%nat, (0%Z, 1%Z))]; factors := [1]; weights := [[1]; [1 / 2]]; off := 1 / 1000; "
        "size := 1; released := [([1%nat], None)] |} in let steps := [step_0] in "
        "0 <= 1 /\\ 0 <= 0 /\\ 0 < 1 /\\ List.Forall (fun n => (1 <= n)%Z) lengths /\\ "
        "table_of lengths 1 (0) (1) left /\\ table_of lengths 1 (0) (1) right /\\ "
        "neighbouring_tables pull lengths left right /\\ sound steps /\\ "
        "(forall made, Forall2 alike steps made -> ~ release_chance lengths made left <= "
        "exp (1) * release_chance lengths made right + (0))"
    )
    assert "%Z (@None (Z * Z), Some (1, 1000000))%Z (@None (Z * Z), Some (-1, 1000000))%Z" in proof
    opposite = theorem_of_release(shared("1, 0.5", [1], "1.2"), "t", opposite=True)
    assert "sound steps" in opposite
    assert "made -> release_chance lengths made left <=" in opposite


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize(
    ("leads", "chance"),
    [
        ([(1, 2)], 1 / 2),  # a half plane through the centres
        ([(1, -1), (1, 1)], 1 / 4),  # a quarter, which neither kind of noise changes
        ([(1, -1), (-1, 2), (-1, -1)], 0.0),  # nothing
    ],
)
def test_strips_enclose_what_is_known(noise: str, leads: list[tuple[int, int]], chance: float) -> None:
    pairs = [[(float(a), float(a)) for a in lead] for lead in leads]
    for width in (0.2, 0.05):
        found = enclosed_shared(Shared(noise, [(0.0, 0.0)] * 2, [(1.0, 1.0)] * 2, pairs), width)
        assert found.least <= chance <= found.most
        assert found.most <= max(float(found.least) / (0.98 - width), 1e-6)


@pytest.mark.parametrize(
    ("certificate", "why"),
    [
        (release(selection_step(-1, noise="laplace")), "without weights, only the larger of two normal"),
        (release(selection_step(-1, size="2")), "without weights, only the larger of two normal"),
        (release(selection_step(-1, bounds=["inf", "1"])), 'only steps with the rule "top", without cuts'),
        (release(selection_step(-1, bounds=["inf"])), 'only steps with the rule "top", without cuts'),
        (shared("1, 0.5", [1], "1.1", bounds=7 * ["inf"]), 'only steps with the rule "top", without cuts'),
        (
            release(selection_step(-1, releases=[{"kept": [0, 1], "next": -1}])),
            "`kept` must list 1 different options, each from 0 to 1",
        ),
        (shared("1, 0.5", [], "1"), "`size` is 0; it must be from 1 to 1"),
        (shared("1, 0.5", [1], "1") | {"left": [["0", "0"]]}, "left, right: both sides must have the same number"),
        (shared("1, 0.5", [1], "1") | {"right": [["1"], ["1"]]}, "left, right: both sides must have the same number"),
        (
            release(selection_step(-1, within="0")),
            "`within` is 0; it must be from 0 to 0.001, and only steps with `weights` may have it",
        ),
        (release(selection_step(-1), shared_step("1, 2", [1])), "options that share noisy values"),
        (shared("1 0 2, 2 0 1", [1], "1"), "only if all of them use the same one or two noisy values"),
        (shared("1, 2", [1], "1", within="0.002"), "`within` is 0.002; it must be from 0 to 0.001"),
        (shared("1, 2", [1], "1", factors=["1", "1"]), "the lists of the step have different lengths"),
        (shared("1, 1", [1], "1"), "the last noisy value has equal weights"),
        (shared("1, 1.001", [1], "1", within="0.001"), "the last noisy value has equal weights"),
        (shared("1, 0.5", [1], "1.1478"), "so close"),
        (shared("1, 0.5", [1], "1", releases=[{"kept": [1], "next": 5}]), "so close"),  # leads nowhere
        (release(selection_step(0)), "`next` must be -1 or the number of a later step"),
        (release(selection_step(10**9)), "`next` must be -1 or the number of a later step"),
        (release(*33 * [selection_step(-1)]), "the steps have 33 releases in all; the kernel can check at most 32"),
        (
            release(selection_step(-1, windows=[[2, 0, "0", "1"]])),
            "a window refers to an option that does not exist, or ends before it begins",
        ),
        (release(selection_step(-1, windows=[[0, 2, "0", "1"]])), "a window refers to a row that does not exist"),
        (release(selection_step(-1, windows=[[0, 0, "0", "31"]])), "after the last reward"),
        (release(selection_step(-1, windows=[[0, 0, "0", "0.5"]])), "not an integer"),
        (release(selection_step(-1), right=[["0", "0.5"], ["1", "1"]]), "left and right are equal"),
    ],
)
def test_releases_that_are_not_translated(certificate: Certificate, why: str) -> None:
    with pytest.raises(NotTranslated, match=why):
        theorem_of_release(certificate, "t")


@pytest.mark.parametrize(
    ("exponent", "condition"),
    [
        ("2**2", "2 ^ 2 = 4"),
        ("floor(4.5)", "floor (9 / 2) = 4"),
        ("maximum(3, 4)", "Rmax 3 4 = 4"),
        ("8 / 2", "8 / 2 = 4"),
    ],
)
def test_a_whole_exponent_stays_whole(exponent: str, condition: str) -> None:
    """So that its base may be negative: (-2.5)^4 is 39.0625."""
    theorem = theorem_at_point(formula(f"a**({exponent})", "39", a="-2.5"), "t")
    assert f"{condition} /\\\n  ~ a' ^ 4 <= 39" in theorem


# Whole, but known only as a double, or not even as a double.
@pytest.mark.parametrize("exponent", ["sqrt(4)", "4**(1 / 2)", "4**0.5", "2**1000 / 2**1000 * 4.0**0.5", "(2**900)**9"])
def test_an_exponent_that_is_not_exact_needs_a_positive_base(exponent: str) -> None:
    theorem = theorem_at_point(formula(f"a**({exponent})", "39", a="2.5"), "t")
    assert "\n  0 < a' /\\" in theorem
    assert "Rpower a'" in theorem


# -- what is said of them --------------------------------------------------------------------------------------------


def asked(tmp_path: Path, *certificates: Certificate, strict: bool = False) -> Result:
    names = [str(tmp_path / f"{place}.json") for place in range(len(certificates))]
    for name, certificate in zip(names, certificates, strict=True):
        Path(name).write_text(json.dumps(certificate))
    return CliRunner().invoke(main, ["verify", "--rocq", *(["--strict"] if strict else []), *names])


def lemma_12(**changed: Any) -> Certificate:
    certificate: Certificate = json.loads(LEMMA_12.read_text(encoding="utf-8"))
    return certificate | changed


@pytest.fixture(autouse=True)
def _asked_anew(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests of the kernel itself share what is compiled."""
    if "kernel_at_hand" not in request.fixturenames:
        forget()
    yield
    if "kernel_at_hand" not in request.fixturenames:
        forget()


@pytest.fixture
def coqc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A compiler in the place of coqc, which refuses the first theorem in which a is 8."""
    axioms = "Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\n"
    stand_in(tmp_path, monkeypatch).answer(refuse="a' := 8", assumptions=axioms)


@pytest.mark.usefixtures("coqc")
def test_no_certificate_keeps_the_others_from_their_answers(tmp_path: Path) -> None:
    """What has the form that the schema asks for, and makes no sense."""
    found = asked(
        tmp_path,
        lemma_12(),
        shared(LINE, [], "1"),
        shared(LINE, [1], "1") | {"left": [["0", "0"]], "right": [["1", "0"]]},
        shared(LINE, [1], "1") | {"right": [["1"], ["0"]]},
        shared(LINE, [1], "1"),
    )
    answers = [line.partition(".json: ")[2].split(" ")[0] for line in found.output.splitlines() if line[:1] == "["]
    assert answers == ["accepted", "not", "not", "not", "accepted"], found.output


@pytest.mark.usefixtures("coqc")
def test_each_certificate_has_an_answer_and_they_are_counted(tmp_path: Path) -> None:
    refused = formula("1", "a", a="8")
    found = asked(tmp_path, lemma_12(), refused, lemma_12(claim="x"), {"type": "step"})
    assert found.exit_code == 1, found.output
    heads = [line.partition(".json: ")[2] for line in found.output.splitlines() if line.startswith("[")]
    assert heads[0] == "accepted by Rocq's kernel; by the checker: verified, and about claim ou24/lemma-12"
    assert heads[1].startswith("refused by Rocq's kernel (no proof was found: Error: No applicable tactic.); by the")
    assert heads[2].startswith("accepted by Rocq's kernel; by the checker: verified, the arithmetic only")
    assert heads[3].startswith("not translated for Rocq (schema: ")
    assert found.output.splitlines()[-1] == "Rocq's kernel, of certificates: 2 accepted, 1 refused, 1 not translated"
    assert "axioms, of all that were checked beside it: Coq.Logic.Classical_Prop.classic" in found.output
    assert asked(tmp_path, lemma_12()).exit_code == 0


def test_without_the_compiler_a_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COQC, "")
    found = asked(tmp_path, lemma_12())
    assert found.exit_code == 2
    assert "apt install coq libcoq-coquelicot libcoq-interval" in found.output


# -- with the kernel -----------------------------------------------------------------------------------------------


@pytest.fixture
def kernel_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(COQC, raising=False)
    if compiler() is None:
        pytest.skip("coqc is not installed: make proofs")


def told(certificate: Certificate) -> Certificate:
    """With the chances that the checker finds, where it finds any."""
    try:
        sides = zip(("left", "right"), checker_releases.require_neighbouring_tables(certificate), strict=True)
        chances = {side: checker_releases.event_probability(certificate["steps"], table) for side, table in sides}
    except Rejected:
        return certificate
    return certificate | {f"{side}_probability": stored_enclosure(chance) for side, chance in chances.items()}


# Phi(1) = 0.84134474606854..., exp(1) = 2.71828182845904523...; and what is larger, smaller, rounded or not defined.
FORMULAS: dict[str, list[Certificate]] = {
    "refused": [formula("1", "1 / a", "==", a="0")],
    "opposite": [formula("ncdf(a)", "0.8413447461", a="1"), formula("floor(a) + ceil(a)", "5", "==", a="2.5")],
    "accepted": [
        formula("ncdf(a)", "0.8413447460", a="1"),
        formula("2.718281828459046", "exp(1)", "<"),
        formula("floor(a) + ceil(a)", "7", "==", a="2.5"),
        formula("maximum(a, 3) - minimum(a, 3)", "0", "<", a="3"),
        formula("1", "1 / a", "==", a="2"),
        formula("a**2**2", "39", a="-2.5"),
        formula("a**floor(4.5)", "39", a="-2.5"),
    ],
}
# Normal values that are 0.8 sqrt(2) apart: Phi(0.4) = 0.65542 and Phi(-0.4) = 0.34457, in a ratio of exp(0.643). What
# is enclosed by cells takes the kernel minutes: see what the ledger refutes.
APART = ("0.4 -0.165685424949238", "-0.4 0.165685424949238")
NOISY_MAXIMA = {
    "refused": [
        step("0 0", "-1.5 0", eps="0.5"),  # no neighbour
        step("0 0", "-1 1", eps="0.5"),  # two means move
        step("0 0", "-1 0", eps="0.5", event=[0, 0]),  # no set
    ],
    "opposite": [step(*APART, changed="all", eps="0.644")],
    "accepted": [step(*APART, changed="all", eps="0.642")],
}
# The second value wins with 0.50615 = Phi((1/2 - 14/29)/sqrt(1.25)), and with 0.33295 where its reward is 0: a ratio of
# exp(0.4189). Of two steps it is the square.
ONCE, BOTH = [selection_step(-1)], [selection_step(1), selection_step(-1)]
RELEASES = {
    "refused": [
        release(*ONCE, lengths=["2", "28"]),  # two rewards differ
        release(selection_step(1)),  # leads nowhere
    ],
    "opposite": [release(*ONCE, eps="0.43"), release(*BOTH, eps="0.85")],
    "accepted": [
        release(*ONCE, eps="0.41"),
        release(*ONCE, eps="floor(1.5) - 0.59"),  # of real numbers, not of Coq's integers
        release(*BOTH, eps="0.83"),
        release(*ONCE, relation="round"),
    ],
}
# One normal value is negative with 1/2, and with Phi(-1) = 0.158655 where its reward is 1: a ratio of exp(1.1478), and
# of exp(1.1448) where all numbers are off by a thousandth. Of two Laplace values, twice the first one and the second
# one add up to less than 0, and so do both with twice the second one: in a ratio of exp(0.7746).
LINE, WEDGE = "1, 0.5", "1 0, 0 1, -1 -1"
ON, TWICE = [{"kept": [1], "next": 1}], 2 * [{"kept": [1], "next": -1}]
SHARED_VALUES = {
    "refused": [
        shared(LINE, [1], "1.147", within="1e-3"),  # too close
        shared(LINE, [1], "1.2", releases=TWICE),
        shared(LINE, [1], "1", releases=ON),  # leads nowhere
        shared(LINE, [1], "1") | {"range": ["0", "0.5"]},
        shared(LINE, [1], "1") | {"lengths": ["2"]},  # two rewards differ
    ],
    "opposite": [
        shared(LINE, [1], "1.152"),
        shared(WEDGE, [2], "1.1", noise="laplace", within="1e-6"),
        shared("1 -1, 1 1, -1 0.5", [0, 1], "0.1", within="1e-3"),  # ends meet at a mean
    ],
    "accepted": [
        shared(LINE, [1], "1.144"),
        shared(LINE, [1], "1.138", within="1e-3"),
        release(shared_step(LINE, [1], releases=ON), shared_step(LINE, [1]), eps="2.28", **ONE_REWARD),
        shared(WEDGE, [2], "0.5", noise="laplace", within="1e-6"),
    ],
}


@pytest.mark.rocq
@pytest.mark.usefixtures("kernel_at_hand")
def test_the_kernel_accepts_what_is_true_and_refuses_what_is_false_by_a_hair(tmp_path: Path) -> None:
    """All kinds of certificates in one question, so that Coq loads its libraries and looks for axioms once. The kernel
    proves the opposite of some that it refuses; of the others, such as those about no neighbours, it proves nothing.
    False ones come first: coqc checks again what precedes a theorem that it refuses."""
    for answer, certificates in SHARED_VALUES.items():
        assert [verify(told(each)).ok for each in certificates] == len(certificates) * [answer == "accepted"]
    kinds = FORMULAS, NOISY_MAXIMA, RELEASES, {name: list(map(told, each)) for name, each in SHARED_VALUES.items()}
    expected = [(answer, each) for answer in FORMULAS for kind in kinds for each in kind[answer]]
    lines = asked(tmp_path, *(certificate for _, certificate in expected)).output.splitlines()
    heads = [line.partition(".json: ")[2] for line in lines if line.startswith("[")]
    answers = [
        "accepted" if head.startswith("accepted") else "opposite" if "which the kernel accepts" in head else "refused"
        for head in heads
    ]
    assert answers == [answer for answer, _ in expected], heads


@pytest.mark.rocq
@pytest.mark.usefixtures("kernel_at_hand")
def test_a_second_opinion_on_every_formula_and_noisy_maximum_that_the_ledger_refutes(tmp_path: Path) -> None:
    claims = [
        claim.id
        for claim in ledger().claims
        if isinstance(claim.says, Inequality | Identity) and Verdict.REFUTED in expectations(claim)
    ]
    assert len(claims) > 100
    claims += ["ou24/algorithm-3", "ou24/theorem-6", "ou24/theorem-7"]
    claims += ["hu25/section-3/ts-gaussian-round"]  # noisy maxima
    claims += ["chen24/proposition-d.2/arms", "chen24/dp-od/arms/as-given", "chen24/dp-od/arms/euclidean"]
    audited = CliRunner().invoke(main, ["audit", *claims, "--jobs", "2", "--quiet", "--out", str(tmp_path / "out")])
    assert audited.exit_code == 0, audited.output
    found = CliRunner().invoke(main, ["verify", "--rocq", str(tmp_path / "out" / "findings.json")])
    assert found.exit_code == 0, found.output
    print(found.output.splitlines()[-1])
