import json
import math
import pickle
import random
import struct
from array import array
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import get_args, get_origin, get_type_hints

import pytest

from jitstudio.analysis.sass.model import Disassembly, SassFunction
from jitstudio.cache.results import Searched
from jitstudio.core import codec
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.codec import Codec, CodecError, form_of
from jitstudio.core.diagnostics import Diagnostic, Fix, FixKind, Severity
from jitstudio.core.events import StageFinished
from jitstudio.core.result import Crash, Kernel, LoweredName, Phase, Resources, StageResult
from jitstudio.core.tools import Tool, ToolFile
from jitstudio.worker.programs.build import BUILDING
from jitstudio.worker.programs.disassemble import DISASSEMBLING
from jitstudio.worker.programs.launch import EVALUATING, LAUNCHING

FIX = Fix("Add it", FixKind.ADD_OPTION, "-lto")
EVENT = StageFinished(
    stage=StageResult(
        tool=Tool.NVRTC,
        version="13.4",
        source="é.cu",
        options=("-arch=compute_90", "--include-path=/\udce9"),
        ok=True,
        ms=1.5,
        log="two\nlines",
        error_log="",
        stdout="out",
        stderr="@E@error",
        crash=Crash(Tool.NVDISASM, "SIGSEGV", "crashed"),
        cached=False,
        phases=(Phase("front end", 1.25),),
    ),
    artifacts=(
        Artifact(CodeKind.PTX, "é.cu", b".version 9.4\n\0"),
        Artifact(CodeKind.CUBIN, "é.cu", bytes(range(256))),
        Artifact(CodeKind.SASS, "é.cu", b""),
    ),
    lowered_names=(LoweredName("é.cu", "k<int>", "_Z1kIiEvv", "void k<int>()"),),
    kernels=(
        Kernel("é.cu", "k", "k", Resources(registers=10, spill_loads=0)),
        Kernel("é.cu", "l", "l"),
    ),
    diagnostics=(
        Diagnostic(Severity.WARNING, "é.cu", 3, None, "no kernel", Tool.NVRTC, "177-D", "why", FIX),
    ),
    step=3,
)


RESULTS = Codec(StageFinished)
GOOD = b"".join(RESULTS.dump(EVENT))
PROGRAMS = (DISASSEMBLING, BUILDING, EVALUATING, LAUNCHING)
# Every type that crosses a pipe or is kept in a file.
KINDS = [
    StageFinished,
    Searched,
    ToolFile,
    *(service.request for program in PROGRAMS for service in program.services),
    *(service.answer for program in PROGRAMS for service in program.services),
    *(service.event for program in PROGRAMS for service in program.services if service.event),
]
TEXTS = ("", "plain", "two\nlines\0", "é\U0001f600", "half \ud800", "\udce9", "x" * 300, "\x1b]52;")
FLOATS = (0.0, -1.5, 1e308, math.inf, -math.inf, 5e-324)


def there_and_back(kind, value):
    storing = Codec(kind)
    return storing.load(b"".join(storing.dump(value)))


class Maker:
    """Values of any type, by chance, from the annotations themselves."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def make(self, kind, depth=0):
        chance = self.random
        origin, arguments = get_origin(kind), get_args(kind)
        match kind:
            case _ if kind is str:
                return chance.choice(TEXTS)
            case _ if kind is int:
                return chance.choice((0, -1, 7, 1 << 31, -(1 << 63), 1 << 64, -(10**40)))
            case _ if kind is float:
                return chance.choice(FLOATS)
            case _ if kind is bytes:
                return chance.randbytes(chance.choice((0, 1, 700)))
            case _ if kind is bool:
                return chance.random() < 0.5
            case _ if kind in (None, NoneType):
                return None
            case _ if origin is tuple and arguments[1:] == (...,):
                length = chance.choice((0, 1, 2, 3) if depth else (0, 1, 300))
                return tuple(self.make(arguments[0], depth + 1) for _ in range(length))
            case _ if origin is tuple:
                return tuple(self.make(argument, depth + 1) for argument in arguments)
            case _ if origin and issubclass(origin, Mapping):
                return {f"{n}": self.make(arguments[1], depth + 1) for n in range(3)}
            case _ if isinstance(kind, type) and issubclass(kind, Enum):
                return chance.choice(list(kind))
            case _ if kind is SassFunction:
                return self.function()
            case _ if isinstance(kind, type):
                return self.row(kind, depth)
            case _:
                leaves = [k for k in arguments if k in (NoneType, str, int, float, bool)]
                return self.make(
                    chance.choice(leaves if depth > 5 and leaves else arguments), depth
                )

    def row(self, kind, depth):
        hints = get_type_hints(kind)
        names = [f.name for f in fields(kind)] if is_dataclass(kind) else kind._fields
        return kind(**{name: self.make(hints[name], depth + 1) for name in names})

    def function(self):
        count = self.random.choice((0, 1, 600))
        texts = {
            name: tuple(self.random.choices(TEXTS, k=count))
            for name in ("predicates", "opcodes", "operands")
        }
        return SassFunction(
            name=self.make(str),
            is_kernel=self.make(bool),
            addresses=array("Q", range(count)),
            encodings=self.random.randbytes(16 * self.random.choice((0, count))),
            place_ids=array("i", [-1] * count),
            places=((), ()),
            ptx_lines=array("i", range(count)),
            ptx_name="",
            labels=(),
            parts=(),
            live=array("H", [3] * (4 * count)),
            **texts,
        )


def plain(value):
    """Functions and disassemblies are equal to nothing but themselves."""
    if is_dataclass(value):
        return type(value), [plain(getattr(value, field.name)) for field in fields(value)]
    return [type(value), *map(plain, value)] if isinstance(value, tuple) else value


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_value_of_every_type_that_crosses_comes_back(kind):
    maker = Maker(f"{kind}")
    for _ in range(30):
        value = maker.make(kind)
        assert plain(there_and_back(kind, value)) == plain(value)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_damaged_bytes_of_every_type_are_refused_or_a_value_of_it(kind):
    maker, storing = Maker(f"{kind}"), Codec(kind)
    for _ in range(60):
        data = bytearray(b"".join(storing.dump(maker.make(kind))))
        for _ in range(maker.random.randrange(1, 4)):
            at = maker.random.randrange(len(data))
            data[at : at + maker.random.randrange(3)] = maker.random.randbytes(1)
        try:
            value = storing.load(bytes(data))
        except CodecError:
            continue
        assert plain(there_and_back(kind, value)) == plain(value)


def test_everything_that_a_stage_tells_comes_back():
    assert RESULTS.load(GOOD) == EVENT


def test_a_nan_stays_one():
    assert math.isnan(there_and_back(float, math.nan))


def test_bytes_are_kept_as_they_are_and_not_copied():
    content = EVENT.artifacts[1].content
    assert any(part is content for part in RESULTS.dump(EVENT))


def test_names_that_repeat_are_one_text():
    names = tuple(f"name {n % 3}" for n in range(1_000))
    read = there_and_back(tuple[str, ...], names)
    assert read == names
    assert len(set(map(id, read))) == 3


def framed(head, rest=b""):
    return struct.pack("<I", len(head)) + head + rest


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x05",
        b"\xff\xff\xff\xff{}",
        framed(b"{}"),
        framed(b"null"),
        framed(b"[]"),
        framed(b"[" * 100_000),
        framed(b"[" * 100_000 + b"]" * 100_000),
        framed(b"9" * 10_000),
        GOOD[:-1],
        GOOD + b"x",
        GOOD[10:],
        GOOD.replace(b"true,1.5", b"null,1.5"),
        GOOD.replace(b"true,1.5", b'true,"1"'),
        GOOD.replace(b"true,1.5", b"true,true"),
        GOOD.replace(b'"NVRTC"', b'"GCC13"'),
        GOOD.replace(b"[14,256,0]", b"[14,-25,0]"),
        GOOD.replace(b"[14,256,0]", b"[14,1e3,0]"),
        GOOD.replace(b"[14,256,0]", b"[14,270]  "),
        pickle.dumps(EVENT),
    ],
)
def test_anything_else_is_refused(data):
    assert data != GOOD
    with pytest.raises(CodecError):
        RESULTS.load(data)


def test_a_pickle_is_not_run(tmp_path):
    class Harm:
        def __reduce__(self):
            return (tmp_path.joinpath("harm").touch, ())

    with pytest.raises(CodecError):
        RESULTS.load(pickle.dumps(Harm()))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "data",
    [
        framed(b"[" + b"[]," * 1_000 + b"[]]"),
        framed(b"2000", b"\0" * 2_000),
    ],
    ids=["lists", "texts of no length"],
)
def test_what_would_take_far_more_memory_than_it_has_bytes_is_refused(data, monkeypatch):
    monkeypatch.setattr(codec, "MOST_VALUES", 1_000)
    with pytest.raises(CodecError, match="more than 1,000 parts"):
        Codec(tuple[str, ...]).load(data)


def test_lengths_that_do_not_fit_what_they_divide_are_refused():
    for lengths in (b"[1,2]", b"[3,-1]", b"[3]"):
        with pytest.raises(CodecError, match="the lengths do not fit"):
            Codec(tuple[tuple[int, ...], ...]).load(framed(b"[" + lengths + b",[1,2]]"))


def test_a_value_that_is_none_of_the_type_is_not_written():
    for wrong in ("text", EVENT.stage, None):
        with pytest.raises(TypeError, match="is not of the type StageFinished"):
            RESULTS.dump(wrong)


def test_a_type_that_cannot_be_read_back_has_no_codec():
    for kind in (set, object, tuple[object, ...], list[int] | None):
        with pytest.raises(TypeError, match="cannot be stored"):
            Codec(kind)


def test_a_column_that_lacks_a_row_is_refused():
    storing = Codec(tuple[Phase, ...])
    assert storing.load(framed(b'[["a","b"],[1.0,2.0]]')) == (Phase("a", 1.0), Phase("b", 2.0))
    with pytest.raises(CodecError):
        storing.load(framed(b'[["a","b"],[1.0]]'))


def test_machine_code_keeps_its_arrays():
    code = Disassembly("sm_90", (Maker(1).function(),))
    read = there_and_back(Disassembly, code)
    assert read.functions[0].live.typecode == "H"


def test_a_value_in_a_file_is_read_only_as_long_as_its_type_has_the_same_parts(monkeypatch):
    kept = RESULTS.pack(EVENT)
    assert Codec(StageFinished).unpack(kept) == EVENT
    monkeypatch.setitem(Phase.__annotations__, "ms", "float | None")
    form_of.cache_clear()
    try:
        with pytest.raises(CodecError, match="of another make"):
            Codec(StageFinished).unpack(kept)
    finally:
        form_of.cache_clear()


def test_a_row_ends_before_its_defaults_and_lacks_no_more_than_these():
    storing = Codec(Diagnostic)
    (head,) = storing.dump(Diagnostic(Severity.ERROR, "k.cu", 3, None, "wrong"))
    assert json.loads(head[4:]) == ["ERROR", "k.cu", 3, None, "wrong"]
    for parts in (["ERROR", "k.cu", 3, None], [*json.loads(head[4:]), *[None] * 9]):
        text = json.dumps(parts).encode()
        with pytest.raises(CodecError, match="is not a list of"):
            storing.load(struct.pack("<I", len(text)) + text)
