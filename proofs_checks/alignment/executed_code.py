"""Records which instructions of a policy's code a step executes, to compare a symbolic run with a run on numbers.

Code that detects symbols behaves differently on numbers, at the latest where it acts on the result. So a run on numbers
has to execute the same instructions as the traced run of its path, even if the releases are the same. Code that asks
for a type and computes with the answer, instead of branching, would escape this, and is refused; so is code that
inspects the interpreter, reads a clock, or opens files.
"""

from __future__ import annotations

import builtins
import dis
import gc
import io
import os
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import numpy as np
import scipy

import dpbandits
from dpbandits.proofs_checks.alignment.forms import NotLinear, code_line
from dpbandits.reference.bandits.policy import Policy

MOST_EXECUTED = 400_000  # instructions of a step, a tenth of a second
Executed = tuple[int, ...]  # a code's number below 0 where it is entered or resumed, else the place of an instruction
PYTHON = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib")})
OTHERS = (str(Path(dpbandits.__file__).parent), np.__path__[0], scipy.__path__[0], "<frozen")
ANSWERS = (
    type, isinstance, issubclass, hasattr, id, callable, vars, dir, memoryview, np.isscalar, np.result_type,
    np.can_cast, np.promote_types, np.issubdtype, np.common_type, np.isrealobj, np.iscomplexobj,
)  # what a value is  # fmt: skip
ANSWERING = ("dtype", "__class__")  # attributes that say the same
CLOCKS = tuple(getattr(time, name) for name in dir(time) if name.endswith(("time", "_ns", "monotonic", "_counter")))
FILES = (builtins.open, io.open, os.open, os.environ, os.getenv, os.putenv)
INTERPRETER = (
    sys._getframe, sys._current_frames, sys.gettrace, sys.settrace, sys.getprofile, sys.setprofile, sys.getrefcount,
    sys.getsizeof,
)  # fmt: skip
INSPECTING = ("gc", "inspect", "ctypes", "_ctypes", "traceback", "dis", "opcode", "_testcapi", "_testinternalcapi")
FILE_METHODS = ("read_text", "read_bytes", "write_text", "write_bytes")
NOW = ("now", "utcnow", "today")
LAYOUT = (
    "base", "strides", "owndata", "ctypes", "__array_interface__", "__array_struct__", "as_strided", "shares_memory",
    "may_share_memory", "byte_bounds",
)  # fmt: skip
BRANCHES = ("POP_JUMP", "JUMP_IF", "FOR_ITER")
BEFORE_A_BRANCH = (
    "LOAD_", "PUSH_NULL", "PRECALL", "CALL", "KW_NAMES", "IS_OP", "COMPARE_OP", "CONTAINS_OP", "UNARY_NOT", "TO_BOOL",
    "BUILD_TUPLE", "COPY", "CACHE", "NOT_TAKEN",
)  # fmt: skip
GLOBALS, LOCALS = "LOAD_GLOBAL", ("LOAD_NAME", "LOAD_DEREF", "LOAD_FAST")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


def is_followed(frame: FrameType) -> bool:
    """Whether this code belongs to the policy, and not to Python, numpy, scipy, this package or a `NamedTuple`."""
    name, module = frame.f_code.co_filename, str(frame.f_globals.get("__name__", ""))
    if name.startswith(OTHERS):
        return False
    if name.startswith("<") and module.startswith(("dpbandits.", "namedtuple_", "numpy.")):
        return False
    return not name.startswith(PYTHON) or "site-packages" in name or "dist-packages" in name


@dataclass
class Codes:
    """The code that was executed in any run, by number. objections: to instructions of each, by their places."""

    numbers: dict[CodeType, int] = field(default_factory=dict)
    codes: list[CodeType] = field(default_factory=list)
    objections: list[dict[int, str]] = field(default_factory=list)
    known: dict[Executed, Executed] = field(default_factory=dict)  # so that equal ones are stored once

    def index_of_code(self, frame: FrameType) -> int:
        """The index, in the list `codes`, of the code object that a frame executes.
        New code gets the next number, and is examined for instructions that are refused."""
        code = frame.f_code
        if code not in self.numbers:
            self.numbers[code] = len(self.codes)
            self.codes.append(code)
            self.objections.append(objections_to(frame))
        return self.numbers[code]

    def first_difference(self, first: Executed, second: Executed) -> str:
        """The line of the policy's code at which the instructions of two runs first differ, such as "mine.py:12"."""
        same = next((place for place, both in enumerate(zip(first, second, strict=False)) if both[0] != both[1]), None)
        place = min(len(first), len(second)) if same is None else same
        longer = first if len(first) > len(second) else second
        at = max(0, place - 1)
        depth = next((k for k in range(at, -1, -1) if longer[k] < 0), None)
        if depth is None:
            return "an unknown line"
        code = self.codes[-1 - longer[depth]]
        offset = max(longer[at], 0)
        line = next((line for low, high, line in code.co_lines() if low <= offset < high and line), code.co_firstlineno)
        return code_line(code.co_filename, line)


class Recording:
    """The instructions executed so far. objection: to one of them, "" for none."""

    def __init__(self, codes: Codes) -> None:
        """Starts without any executed instruction."""
        self.codes, self.executed, self.objection, self.ended = codes, list[int](), "", False
        self.of_code: dict[CodeType, Any] = {}

    def result(self) -> Executed:
        """The instructions executed so far; equal results are stored once."""
        executed = tuple(self.executed)
        return self.codes.known.setdefault(executed, executed)

    def __call__(self, frame: FrameType, event: str, arg: object) -> Any:
        """The trace function of the interpreter, called whenever code is entered.
        Returns the function to call for each instruction of the policy's code, None for other code."""
        code = frame.f_code
        if code not in self.of_code:
            self.of_code[code] = self.tracing(frame) if is_followed(frame) else None
        local = self.of_code[code]
        if local is not None:
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            self.executed.append(-1 - self.codes.numbers[code])
        return local

    def tracing(self, frame: FrameType) -> Any:
        """The function that the interpreter calls for each instruction of the code in this frame."""
        objections, executed, add = self.codes.objections[self.codes.index_of_code(frame)], self.executed, None
        add = executed.append

        def instruction(frame: FrameType, event: str, arg: object) -> Any:
            """Records one executed instruction. Raises NotLinear if there are too many in a step."""
            if event == "opcode":
                add(frame.f_lasti)
                if self.ended:
                    raise SystemExit  # of a thread that nobody waits for any more
                if len(executed) > MOST_EXECUTED:
                    raise NotLinear(f"more than {MOST_EXECUTED} instructions in a step, at {line_of(frame)}")
                if objections and frame.f_lasti in objections and not self.objection:
                    self.objection = objections[frame.f_lasti]
            return instruction

        return instruction


def line_of(frame: FrameType) -> str:
    """The policy's file and line that the frame executes, "mine.py:12"."""
    return code_line(frame.f_code.co_filename, frame.f_lineno or 0)


def new_code_record(policy: Policy) -> Codes | None:
    """An empty record of the code that a policy executes; None for policies of this package,
    which do not detect symbols."""
    return None if type(policy).__module__.startswith("dpbandits.reference.") else Codes()


@contextmanager
def recorded(codes: Codes | None) -> Iterator[Recording]:
    """A context manager that records the instructions executed in this thread and in threads that it starts.
    codes: None to record nothing. Raises NotLinear for what is refused. Meanwhile no garbage is collected, because
    collecting may call Python code of other packages, such as hypothesis, in the middle of the policy's."""
    if codes is None:
        yield Recording(Codes())
        return
    recording, before, threads = Recording(codes), sys.gettrace(), threading.gettrace()
    collecting = gc.isenabled()
    gc.disable()
    threading.settrace(recording)
    sys.settrace(recording)
    try:
        yield recording
    finally:
        sys.settrace(before)
        threading.settrace(threads)  # type: ignore[arg-type]
        if collecting:
            gc.enable()
        recording.ended = True
    if recording.objection:
        raise NotLinear(recording.objection)


def repeats(single: Executed, batch: Executed, trials: int) -> bool:
    """Whether a batch of equal trials executes the instructions of one trial, apart from loops over the trials.
    Their bodies are executed once for each trial."""
    if trials == 1 or single == batch:
        return single == batch
    at = 0
    for place in range(len(single) + 1):
        if batch[at : at + 1] == single[place : place + 1]:
            at += 1
            continue
        for size in range(1, min(at, (len(batch) - at) // (trials - 1)) + 1):
            end = at + (trials - 1) * size
            if batch[at:end] == batch[at - size : end - size] and batch[end : end + 1] == single[place : place + 1]:
                at = end + 1
                break
        else:
            return False
    return at >= len(batch)


# -- what is refused ---------------------------------------------------------------------------------------------------


def objections_to(frame: FrameType) -> dict[int, str]:
    """The instructions of this frame's code that are refused when executed: {offset in the code: reason}."""
    code, found = frame.f_code, dict[int, str]()
    instructions = [each for each in dis.get_instructions(code) if each.opname != "CACHE"]
    line = code.co_firstlineno
    lines = {low: number for low, _, number in code.co_lines() if number}
    for place, each in enumerate(instructions):
        line = lines.get(each.offset, line)
        if not each.opname.startswith((GLOBALS, *LOCALS, *ATTRIBUTES)):
            continue
        value = named_value(frame, instructions, place)
        words = words_against(value, each.argval)
        asks = is_one_of(value, ANSWERS) or (each.argval in ANSWERING and each.opname.startswith(ATTRIBUTES))
        if not words and asks and not only_branches_on_check(instructions, place, frame):
            words = "asks what a value is, and does not branch at once by the answer"
        if each.argval in LAYOUT and each.opname.startswith(ATTRIBUTES) and may_be_array(frame, instructions, place):
            words = f"reads how the memory of an array is laid out ({each.argval})"
        if words:
            found[each.offset] = f"the code {words}, at {code_line(code.co_filename, line)}"
    return found


def is_one_of(value: object, objects: tuple[object, ...]) -> bool:
    """Whether the value is one of these objects, compared by identity (`is`, not `==`)."""
    return any(value is each for each in objects)


def words_against(value: object, name: object) -> str:
    """The reason why a policy must not read the value of this name; "" if it may."""
    if is_one_of(value, INTERPRETER) or (isinstance(value, ModuleType) and value.__name__ in INSPECTING):
        return f"inspects the interpreter ({name})"
    if is_one_of(value, CLOCKS) or (name in NOW and getattr(value, "__module__", "") is None):
        return f"reads a clock ({name})"
    if is_one_of(value, FILES) or (isinstance(name, str) and name in FILE_METHODS):
        return f"uses files or the environment ({name})"
    if name in ("cache_info", "cache_parameters"):
        return "reads what a cache has counted"
    if value is os.urandom:
        return "has randomness of its own (urandom)"
    return ""


def named_value(frame: FrameType, instructions: list[dis.Instruction], place: int) -> object:
    """The value of the name, or of the attribute of a module or class, that an instruction reads.
    None if it is unknown in advance."""
    each = instructions[place]
    if each.opname.startswith(GLOBALS):
        return frame.f_globals.get(each.argval, frame.f_builtins.get(each.argval))
    if each.opname.startswith(LOCALS):
        value = frame.f_locals.get(each.argval) if isinstance(each.argval, str) else None
        return value if isinstance(value, type | ModuleType) or callable(value) else None
    before = next((k for k in range(place - 1, -1, -1) if instructions[k].opname != "PUSH_NULL"), None)
    if before is None or not instructions[before].opname.startswith((GLOBALS, *LOCALS, *ATTRIBUTES)):
        return None
    owner = named_value(frame, instructions, before)
    return getattr(owner, each.argval, None) if isinstance(owner, ModuleType | type) else None


def may_be_array(frame: FrameType, instructions: list[dis.Instruction], place: int) -> bool:
    """Whether the owner of an attribute may be an array, or a module of numpy: it is no argument of another type."""
    owner = instructions[place - 1]
    if not owner.opname.startswith("LOAD_FAST") or owner.argval not in frame.f_locals:
        return True
    return isinstance(frame.f_locals[owner.argval], np.ndarray | ModuleType)


def only_branches_on_check(instructions: list[dis.Instruction], place: int, frame: FrameType) -> bool:
    """Whether the code only branches on the result of a check (such as `isinstance`) at this instruction.
    True also if the check is about the method's own object."""
    following = instructions[place + 1] if place + 1 < len(instructions) else None
    if following is not None and following.opname.startswith("LOAD_FAST") and is_the_object(frame, following.argval):
        return True
    called = False
    for each in instructions[place + 1 :]:
        if each.opname.startswith(BRANCHES):
            return True
        called = called or each.opname.startswith("CALL")
        if not each.opname.startswith(BEFORE_A_BRANCH) and (called or not each.opname.startswith("BINARY_SUBSCR")):
            return False
    return False


def is_the_object(frame: FrameType, name: object) -> bool:
    """Whether this name refers to the method's own object or class (`self` or `cls`)."""
    names = frame.f_code.co_varnames
    if not names or name != names[0] or name not in ("self", "cls"):
        return False
    value = frame.f_locals.get(name)
    return not type(value).__module__.startswith(("builtins", "numpy", "dpbandits.proofs_checks"))
