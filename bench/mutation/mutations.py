"""Single mutations of modules that judge: where one may be planted, what stands there then, and samples of them."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "dpbandits"
SKIPPED = (
    "papers",
    "out",
    "shipped",
)  # a page's formulas and a lemma's words are data: their tests are the ledger's verdicts

COMPARED = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not"}
SIGNS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.BitAnd: "|", ast.BitOr: "&"}
SWAPPED = {"min": "max", "minimum": "maximum", "floor": "ceil", "any": "all", "argmin": "argmax", "up": "down"}
SWAPPED |= {new: old for old, new in SWAPPED.items()}


class Mutation(NamedTuple):
    """One place in one file: the text between two offsets becomes another."""

    path: str  # below the root
    start: int  # offsets in bytes
    stop: int
    line: int
    kind: str
    new: str

    def planted(self, source: bytes) -> bytes:
        """The module's text with the mutation in it."""
        return source[: self.start] + self.new.encode() + source[self.stop :]


def mutations(path: Path) -> Iterator[Mutation]:
    """Every mutation of one module, in the order of its syntax tree."""
    source = path.read_bytes()
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    def one(node: ast.expr | ast.stmt, kind: str, new: str) -> Mutation:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        ends = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
        return Mutation(str(path.relative_to(ROOT)), *ends, node.lineno, kind, new)

    def text(node: ast.AST) -> str:
        return ast.unparse(node)

    tree = ast.parse(source)
    left_out = {id(part) for each in (*annotations(tree), *strictness(tree)) for part in ast.walk(each)}
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        match node:
            case ast.Compare(left, [op], [right]) if type(op) in COMPARED:
                yield one(node, "comparison", f"({text(left)} {COMPARED[type(op)]} {text(right)})")
            case ast.BinOp(left, op, right) if type(op) in SIGNS and not isinstance(left, ast.Constant | ast.JoinedStr):
                yield one(node, "sign", f"(({text(left)}) {SIGNS[type(op)]} ({text(right)}))")
            case ast.UnaryOp(ast.USub(), operand):
                yield one(node, "sign", f"({text(operand)})")
            case ast.UnaryOp(ast.Not(), operand):
                yield one(node, "negation", f"({text(operand)})")
            case ast.Constant(bool(value)):
                yield one(node, "constant", str(not value))
            case ast.Constant(int(value)):
                yield one(node, "constant", str(value + 1))
            case ast.Constant(float(value)):
                yield one(node, "constant", repr(value * 2 if value else 1e-3))
            case ast.Call(ast.Name(name) as called) if name in SWAPPED:
                yield one(called, "swap", SWAPPED[name])
            case ast.Call(ast.Attribute(value, name) as called) if name in SWAPPED:
                yield one(called, "swap", f"({text(value)}).{SWAPPED[name]}")
            case ast.Call(_, [first, second, *_]) if swappable(first, second):
                # From one argument to the end of the other, with what stands between them.
                yield one(first, "arguments", text(second))._replace(
                    stop=at(second.end_lineno or 0, second.end_col_offset or 0), new=f"{text(second)}, {text(first)}"
                )
            case ast.AugAssign() | ast.Expr(ast.Call()):
                yield one(node, "statement dropped", "pass")
            case ast.BoolOp(op, values):
                word = " or " if isinstance(op, ast.And) else " and "
                yield one(node, "logic", f"({word.join(f'({text(each)})' for each in values)})")
            case ast.Raise():
                yield one(node, "raise dropped", "pass")
            case ast.If(test):
                yield one(test, "condition", "True")
                yield one(test, "condition", "False")
            case ast.IfExp(test, body, _):
                yield one(node, "condition", f"({text(body)})")
            case ast.FunctionDef(body=[*_, ast.Return(value)]) if len(node.args.args) and value is not None:
                first = next(each for each in node.body if not is_words(each))
                early = f"return {node.args.args[-1].arg}"
                if text(first) != early:
                    yield one(first, "early return", early)


def swappable(first: ast.expr, second: ast.expr) -> bool:
    """Whether two arguments look alike, and are not the same: where they do not, any test would fail."""
    return type(first) is type(second) is not ast.Starred and ast.dump(first) != ast.dump(second)


def annotations(tree: ast.AST) -> Iterator[ast.expr]:
    """The types of arguments, results and fields."""
    for node in ast.walk(tree):
        found = getattr(node, "annotation", None) or getattr(node, "returns", None)
        if isinstance(found, ast.expr):
            yield found


def strictness(tree: ast.AST) -> Iterator[ast.expr]:
    """The `strict=True` of zip: what it guards against does not happen."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            yield from (keyword.value for keyword in node.keywords)


def is_words(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def in_words(path: Path, lines: set[int]) -> None:
    """Adds the lines of docstrings, type annotations and messages, in which a mutation is no mutation."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr | ast.arg) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        ):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def modules() -> list[Path]:
    """Every module below the folders that stand in the package, where they are and not where links show them."""
    folders = {path.resolve() for path in PACKAGE.iterdir() if path.is_dir()}
    return sorted({path for folder in folders for path in folder.rglob("*.py")})


def drawn(count: int, seed: int, only: str) -> list[Mutation]:
    """So many different mutations, drawn evenly over all places of all modules that judge."""
    every: list[Mutation] = []
    for path in modules():
        place = path.relative_to(ROOT)
        if not any(part in SKIPPED for part in place.parts) and only in str(place):
            words: set[int] = set()
            in_words(path, words)
            every += [each for each in mutations(path) if each.line not in words]
    random.Random(seed).shuffle(every)
    chosen: dict[tuple[str, int, int], Mutation] = {}
    for each in every:
        chosen.setdefault((each.path, each.start, each.stop), each)
    return list(chosen.values())[:count]
