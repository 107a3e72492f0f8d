import pickle
from dataclasses import dataclass

import pytest

from jitstudio.cache import codec
from jitstudio.cache.codec import CodecError
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.events import StageFinished
from jitstudio.core.fixes import Fix, FixKind
from jitstudio.core.result import (
    Crash,
    Kernel,
    LoweredName,
    Phase,
    Resources,
    StageResult,
)
from jitstudio.core.severity import Severity
from jitstudio.core.tools import Tool

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


def test_everything_that_a_stage_tells_comes_back():
    assert codec.load(StageFinished, codec.dump(EVENT)) == EVENT


def test_bytes_are_kept_as_they_are():
    assert bytes(range(256)) in codec.dump(EVENT)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x05",
        b"\xff\xff\xff\xff{}",
        b"\x02\0\0\0{}",
        b"\x04\0\0\0null",
        b"\x02\0\0\0[]",
        codec.dump(EVENT)[:-1],
        codec.dump(EVENT)[10:],
        codec.dump(EVENT).replace(b'"ok":true', b'"ok":null'),
        codec.dump(EVENT).replace(b'"NVRTC"', b'"GCC13"'),
        codec.dump(EVENT).replace(b'"version"', b'"versions'),
        pickle.dumps(EVENT),
    ],
)
def test_anything_else_is_refused(data):
    with pytest.raises(CodecError):
        codec.load(StageFinished, data)


def test_a_pickle_is_not_run(tmp_path):
    class Harm:
        def __reduce__(self):
            return (tmp_path.joinpath("harm").touch, ())

    with pytest.raises(CodecError):
        codec.load(StageFinished, pickle.dumps(Harm()))
    assert list(tmp_path.iterdir()) == []


def test_a_value_that_cannot_be_read_back_is_not_written():
    @dataclass(frozen=True)
    class Odd:
        names: set

    with pytest.raises(TypeError, match="set cannot be stored"):
        codec.dump(Odd({1}))
