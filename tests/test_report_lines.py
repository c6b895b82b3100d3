"""Formulas in lines: how large they are, what is folded and where, and parts that get names."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

import pytest

from dpbandits.audit.claims.statements import statement_parts
from dpbandits.reference.claims import abbreviations, formula_trees
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim
from dpbandits.reports import lines, mathml
from dpbandits.reports.extent import LEAD, SPACE, extent, line_heights

SLOPE = "ncdf(-{0} / {1} + {1} / 2) - exp({0}) * ncdf(-{0} / {1} - {1} / 2)"
ONE, OTHER = SLOPE.format("eps", "mu"), SLOPE.format("x", "y")


def block(source: str) -> str:
    tree = formula_trees.parse_formula(source)
    assert tree is not None
    return mathml.math(mathml.typeset_row(tree), block=True)


# -- how large a formula is --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "wide", "high"),  # in em, as Chromium lays it out in the widest of the usual fonts
    [
        ("x", 0.71, 0.57),
        ("eps / 2", 0.75, 1.87),
        ("sqrt(log(1 / delta))", 4.35, 3.04),
        ("exp(-x**2 / 2)", 3.57, 1.14),
        ("ncdf(-eps / mu + mu / 2) - exp(eps) * ncdf(-eps / mu - mu / 2)", 14.91, 2.66),
        ("(1 + x / y)**2", 4.53, 3.0),
        ("n_1 * log_T", 3.76, 1.08),
        ("2 * exp((1 + w) * log(192))", 8.8, 1.12),
        ("ncdf((lead + ratio) / sqrt(1 + spread))", 8.3, 3.44),
    ],
)
def test_formulas_are_as_large_as_in_a_browser(source: str, wide: float, high: float) -> None:
    """What is lower than a line of text takes a line of text, however low it is."""
    assert extent(block(source)).wide == pytest.approx(wide, rel=0.16)
    assert max(extent(block(source)).high, LEAD) == pytest.approx(max(high, LEAD), rel=0.16)


def test_lines_are_filled_and_broken() -> None:
    piece = block("eps / 2")
    wide, high = extent(piece).wide, extent(piece).high
    assert high > LEAD
    assert line_heights([piece] * 5, 3 * wide + 2.1 * SPACE) == [high, high]
    assert line_heights([piece] * 5, 3 * wide + 1.9 * SPACE) == [high] * 3
    assert line_heights([piece, block("x")], 0.1) == [high, LEAD]  # what is wider than all room has a line of its own
    assert line_heights([], 10) == []


# -- what is folded ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        ("ncdf(x)", "1", ""),
        ("x + y", "z / 2", ""),
        (ONE, f"delta + {OTHER}", "folded narrow"),  # one line on a page, two on a telephone, each of fractions
        (" + ".join(f"x_{i} / {i}" for i in range(1, 25)), "1", "folded"),
        ("sqrt(log(x / sqrt(log(y / sqrt(log(z / w)))))) / sqrt(log(x / sqrt(log(y / z))))", "1", "folded"),  # one line
    ],
)
def test_what_takes_more_than_three_lines_is_folded(left: str, right: str, kind: str) -> None:
    shown = str(lines.display(left, "<=", right))
    assert re.findall(r'<details class="([^"]*)">', shown) == ([kind] if kind else [])


def test_what_is_unfolded_is_as_high_as_three_lines_of_text_at_most() -> None:
    """Where the height decides: the same formula, a little higher from step to step, is folded from one step on."""
    kinds, heights = [], []
    for depth in range(8):
        source = "x"
        for _ in range(depth):
            source = f"y / sqrt({source})"
        kinds.append("<details" in str(lines.display(source, "<=", "1")))
        heights.append(extent(block(source)).high)
    assert kinds == [high > lines.TALL for high in heights]
    assert sorted(set(kinds)) == [False, True]


def test_a_side_has_less_room_than_a_page() -> None:
    """What fills a line on a page takes two beside a value."""
    source = f"{ONE} + {OTHER}"
    assert 'class="folded narrow"' in str(lines.display(source, "<=", "1"))
    left, right, _ = lines.typeset_sides(source, "1") or pytest.fail("no formula")
    assert 'class="folded"' in left
    assert "<details" not in right


def test_a_difference_keeps_its_parentheses_where_it_breaks() -> None:
    long = " + ".join(f"first_{i} * second_{i}" for i in range(6))
    shown = str(lines.display(f"a - ({long})", "<=", "1"))
    assert "<mo>−</mo><mrow><mo>(</mo>" in shown


def test_a_minimum_breaks_between_what_it_is_of() -> None:
    pieces = [
        ElementTree.fromstring(each)
        for each in lines.breakable_terms(read("minimum(x + long_name_of_a, y, z * w)"), "=")
    ]
    assert len(pieces) == 1
    many = ", ".join(f"long_name_{i} * other_{i}" for i in range(6))
    pieces = [ElementTree.fromstring(each) for each in lines.breakable_terms(read(f"minimum({many})"), "=")]
    assert ["".join(each.itertext())[:6] for each in pieces[:2]] == ["=min(l", "longna"]
    assert ["".join(each.itertext())[-1] for each in pieces] == [",", ",", ",", ",", ",", ")"]
    assert all(fence.get("stretchy") == "false" for fence in pieces[0].findall("mo") if fence.text == "(")


def texts(source: str, before: str = "") -> list[str]:
    return ["".join(ElementTree.fromstring(each).itertext()) for each in lines.breakable_terms(read(source), before)]


def test_a_product_breaks_between_its_factors() -> None:
    """Where it is wide; a single quotient stays whole, and so does a single factor."""
    a, b, c = (letter * 25 for letter in "abc")
    assert texts(f"{a} * {b} * {c}") == [a, f"⋅{b}", f"⋅{c}"]
    assert texts(f"-{a} * {b}", "=") == [f"=−{a}", f"⋅{b}"]
    assert texts(f"{a} / {b} * {c}") == [f"{a}{b}", f"⋅{c}"]
    assert texts(f"{a} * {b} / {c} * x") == [f"{a}⋅{b}{c}", "⋅x"]
    assert texts(f"{a} * {b} / {c}") == [f"{a}⋅{b}{c}"]
    assert len(texts(f"exp({a} * {b} * {c})")) == 1
    assert len(texts("x * y * z")) == 1


def test_a_sum_breaks_between_its_terms() -> None:
    a, b, c = (letter * 25 for letter in "abc")
    assert texts(f"{a} - {b} + {c}", "≤") == [f"≤{a}", f"−{b}", f"+{c}"]
    assert texts(f"{a} * {b} - {b} * {c}") == [a, f"⋅{b}", f"−{b}", f"⋅{c}"]


def test_what_a_list_shows_is_short() -> None:
    assert lines.formula_in_sentence("k + 1", "<=", "k") is not None
    assert (
        lines.formula_in_sentence(" + ".join(f"ncdf({i} * x)" for i in range(20)), "<=", "1") is None
    )  # too much to be read there
    assert (
        lines.formula_in_sentence(" + ".join(["a_name_that_is_long_and_long_and_long"] * 9), "<=", "1") is None
    )  # or to fit
    assert lines.formula_in_sentence("no formula", "<=", "1") is None


# -- parts that get names ----------------------------------------------------------------------------------------


def read(source: str) -> ast.expr:
    tree = formula_trees.parse_formula(source)
    assert tree is not None
    return formula_trees.simplify_formula(tree)


def named(source: str) -> tuple[str, dict[str, str]]:
    made = abbreviations.name_repeated_parts([read(source)])
    return ast.unparse(made.trees[0]), {ast.unparse(head): ast.unparse(body) for head, body in made.letters}


CHANCE = "ncdf(sqrt(log({0})) - {0} / 2) * exp({0}) / sqrt(1 + {0} * y)"


def test_parts_that_differ_in_a_number_are_a_function() -> None:
    source = "minimum(minimum({}, {}), {})".format(*(CHANCE.format(each) for each in ("0.4", "0.1", "1e-10")))
    assert named(source) == ("minimum(F(0.4), F(0.1), F(1e-10))", {"F(x)": CHANCE.format("x")})
    assert "<mn>0.4</mn>" in str(lines.display(source, "<=", "1"))


def test_a_letter_that_hangs_on_a_functions_variable_says_so() -> None:
    inner = "sqrt(log(1 + {0} * y) + z * w)"
    slope = f"exp({inner}) * ncdf({inner} - {{0}}) / (1 + {inner})"
    shown, letters = named(" + ".join(slope.format(each) for each in ("0.1", "0.2", "0.3")))
    assert shown == "F(0.1) + F(0.2) + F(0.3)"
    assert letters == {"F(x)": "exp(A(x)) * ncdf(A(x) - x) / (1 + A(x))", "A(x)": inner.format("x")}


def test_multiples_of_one_thing_are_no_function() -> None:
    part = "sqrt(log(x + y) * z)"
    shown, letters = named(" + ".join(f"{i} * {part}" for i in range(2, 8)))
    assert shown == " + ".join(f"{i} * A" for i in range(2, 8))
    assert letters == {"A": part}


def test_a_run_of_factors_is_a_product() -> None:
    part = "ncdf(-1 / sqrt(1 + 1 / {}))"
    assert named(" * ".join(part.format(i) for i in range(1, 49))) == (f"product(k, 1, 48, {part.format('k')})", {})
    shown = ElementTree.fromstring(str(lines.display(" * ".join(part.format(i) for i in range(1, 49)), "<=", "1")))
    assert ["".join(each.itertext()) for each in shown.iter("munderover")] == ["∏k=148"]
    gap = [*range(1, 20), *range(21, 30)]
    shown_gap, letters = named(" * ".join(part.format(i) for i in gap))
    assert shown_gap == "product(k, 1, 19, F(k)) * product(k, 21, 29, F(k))"
    assert letters == {"F(k)": part.format("k")}
    twice, letters = named(" * ".join(part.format(i) for i in (*range(1, 20), 30)))  # one of them stands alone
    assert twice == "product(k, 1, 19, F(k)) * F(30)"
    assert letters == {"F(k)": part.format("k")}


def test_names_are_none_that_the_formula_has() -> None:
    source = " + ".join(CHANCE.format(each) for each in ("0.4", "0.1", "0.2")) + " + F * G * x"
    shown, letters = named(source)
    assert shown == "H(0.4) + H(0.1) + H(0.2) + F * G * x"
    assert letters == {"H(z)": CHANCE.format("z")}  # x and y are taken


def test_letters_that_are_no_functions_of_one_variable_are_left_alone() -> None:
    letters = [
        (ast.parse(head, mode="eval").body, ast.parse("x + 1", mode="eval").body) for head in ("A", "F(x, y)", "F(2)")
    ]
    tree = ast.parse("A * F(1, 2)", mode="eval").body
    trees, left = formula_trees.products([tree], letters)
    assert [ast.unparse(each) for each in trees] == ["A * F(1, 2)"]
    assert left == letters


class Back(ast.NodeTransformer):
    """Puts what they stand for into the places of letters, calls and product signs."""

    def __init__(self, letters: dict[str, tuple[list[str], ast.expr]]) -> None:
        self.letters = letters

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.visit(copy.deepcopy(self.letters[node.id][1])) if node.id in self.letters else node  # type: ignore[no-any-return]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        assert isinstance(node.func, ast.Name)
        if node.func.id == formula_trees.PRODUCT_FUNCTION:
            index, first, last, factor = node.args
            values = range(int(ast.unparse(first)), int(ast.unparse(last)) + 1)
            made = [put({ast.unparse(index): ast.Constant(each)}, self.visit(factor)) for each in values]
            whole = made[0]
            for each in made[1:]:
                whole = ast.BinOp(whole, ast.Mult(), each)
            return whole
        given = [self.visit(each) for each in node.args]
        if node.func.id not in self.letters:
            return ast.Call(node.func, given, [])
        variables, body = self.letters[node.func.id]
        return put(dict(zip(variables, given, strict=True)), self.visit(body))


def put(values: dict[str, ast.expr], body: ast.expr) -> ast.expr:
    return Put(values).visit(copy.deepcopy(body))  # type: ignore[no-any-return]


class Put(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)


def put_back(made: abbreviations.Named) -> list[str]:
    """The trees without names for their parts."""
    letters: dict[str, tuple[list[str], ast.expr]] = {}
    for head, body in made.letters:
        if isinstance(head, ast.Call):
            letters[ast.unparse(head.func)] = [ast.unparse(each) for each in head.args], body
        else:
            letters[ast.unparse(head)] = [], body
    return [
        flat(ast.unparse(Back(letters).visit(ast.parse(ast.unparse(tree), mode="eval").body))) for tree in made.trees
    ]


def flat(source: str) -> str:
    """The formula without parentheses where only products stand: (a * b) * (c * d) is a * b * c * d."""
    return ast.dump(formula_trees.simplify_formula(ast.parse(source, mode="eval").body))


def named_formulas(claims: Iterable[Claim]) -> Iterator[tuple[list[ast.expr], abbreviations.Named]]:
    """Both sides of every formula with names for its parts, as they are and with the names, which are put back."""
    for part in (part for claim in claims for part in statement_parts(claim) if part["kind"] in ("formula", "where")):
        trees = [read(part[side]) for side in ("left", "right")]
        made = abbreviations.name_repeated_parts(trees)
        if made.trees != tuple(trees):
            assert put_back(made) == [flat(ast.unparse(tree)) for tree in trees], part
            yield trees, made


def test_formulas_of_the_ledger_are_the_same_with_their_names_put_back() -> None:
    assert len(list(named_formulas(ledger().claims[::4]))) > 5


@pytest.mark.thorough
def test_long_formulas_of_the_ledger_are_short_with_names_for_their_parts() -> None:
    """Of the formulas of hundreds of symbols, few are still long."""
    functions, signs, after = 0, 0, list[int]()
    for trees, made in named_formulas(ledger().claims):
        functions += any(isinstance(head, ast.Call) for head, _ in made.letters)
        signs += any(formula_trees.PRODUCT_FUNCTION in ast.unparse(tree) for tree in made.trees)
        if sum(map(formula_trees.size, trees)) > 250:
            after.append(sum(map(formula_trees.size, [*made.trees, *(body for _, body in made.letters)])))
    assert functions >= 3
    assert signs >= 2
    assert len(after) >= 6
    assert sorted(after)[len(after) // 2] < 100
    assert max(after) < 200


def test_a_piece_that_just_fits_stays_on_its_line() -> None:
    piece, other = block("x"), block("y")
    wide = extent(piece).wide + SPACE + extent(other).wide
    assert line_heights([piece, other], wide) == [LEAD]
    assert line_heights([piece, other], wide - 1e-9) == [LEAD, LEAD]
