"""Python files as sources: with cuda.core, which needs no GPU, and with nothing but Python."""

import os
import sys
import textwrap
import time
import venv
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from cuda.core import Program, ProgramOptions

from jitstudio.core.arch import Arch
from jitstudio.core.captured import KernelLanguage, unpack
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.plan import PlanError, plan
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import Outcome
from jitstudio.core.tools import Tool
from jitstudio.worker import limits

pytestmark = pytest.mark.slow

CODE = """
template <typename T>
__global__ void saxpy(T a, const T* x, T* y, size_t n) {
  size_t i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) y[i] += a * x[i];
}
"""
CORE = f"""
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
CODE = '''{CODE}'''
device = Device()
device.set_current()
arch = "".join(map(str, device.compute_capability))
for kind, name in (("cubin", "saxpy<float>"), ("ptx", "saxpy<double>")):
    options = ProgramOptions(arch=f"sm_{{arch}}", lineinfo=False)
    program = Program(CODE, code_type="c++", options=options)
    code = program.compile(kind, name_expressions=(name,))
    stream = device.create_stream()
    launch(stream, LaunchConfig(grid=1, block=32), code.get_kernel(name))
stream.sync()
print("launched nothing")
"""


def script(text, folder="", **words):
    source = Source("s.py", CodeKind.PYTHON, textwrap.dedent(text).encode(), str(folder))
    emit = words.pop("emit", frozenset({CodeKind.PTX}))
    return BuildRequest((source,), emit=emit, **words)


def messages(result):
    return [(d.severity, d.file, d.line, d.message) for d in result.diagnostics]


def test_kernels_take_the_place_of_the_script(builder, tmp_path, monkeypatch):
    emit = frozenset({CodeKind.PTX, CodeKind.SASS, CodeKind.CUBIN, CodeKind.CAPTURED})
    result = builder.build(script(CORE, tmp_path, emit=emit, arch=Arch.parse("sm_80")))
    assert messages(result) == []
    stage, *others = result.stages
    assert (stage.tool, stage.source) == (Tool.PYTHON, "s.py")
    assert stage.version == ".".join(map(str, sys.version_info[:3]))
    assert stage.log.startswith("launched nothing\nWith cuda-core ")
    float_one, double_one = "_Z5saxpyIfEvT_PKS0_PS0_m", "_Z5saxpyIdEvT_PKS0_PS0_m"
    assert {other.source for other in others} == {float_one, double_one}
    cubin = result.artifact(CodeKind.CUBIN, float_one)
    ptx = result.artifact(CodeKind.PTX, double_one)
    assert result.artifact(CodeKind.SASS, double_one).text.count(".text.") >= 1

    kernel = unpack(result.artifact(CodeKind.CAPTURED, float_one).content)
    assert (kernel.source.language, kernel.source.text) == (KernelLanguage.CUDA, CODE)
    # It asks the driver whether that could load the PTX.
    monkeypatch.setattr(sys.modules[Program.__module__], "driver_version", lambda: (99, 0, 0))

    def made(kind, name):
        options = ProgramOptions(arch="sm_80")
        return Program(CODE, "c++", options).compile(kind, name_expressions=(name,)).code

    assert cubin.content == made("cubin", "saxpy<float>")
    assert ptx.content.rstrip(b"\0") == made("ptx", "saxpy<double>").rstrip(b"\0")
    assert [kernel.name for kernel in result.kernels] == [float_one, double_one]


def test_kernels_of_two_scripts_may_have_the_same_name(builder):
    text = """
        from cuda.core import Program
        Program('extern "C" __global__ void add() {}', "c++").compile("cubin")
    """
    (one,) = script(text).sources
    emit = frozenset({CodeKind.SASS})
    result = builder.build(BuildRequest((one, replace(one, name="t.py")), emit=emit))
    assert messages(result) == []
    assert {artifact.name for artifact in result.artifacts} == {"add", "add-2"}


def test_what_a_script_cannot_do(builder, tmp_path):
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "own").mkdir()
    result = builder.build(
        script(
            f"""
            import os, socket, tempfile, time
            def tried(what, *words):
                try:
                    what(*words)
                except OSError as error:
                    print(what.__name__, type(error).__name__)
                else:
                    print(what.__name__, "done")
            tried(socket.socket)
            tried(open, {str(tmp_path / "secret")!r})
            tried(open, {str(tmp_path / "own" / "new")!r}, "w")
            tried(os.setsid)
            tried(tempfile.mkdtemp)
            tried(os.listdir, {str(tmp_path / "own")!r})
            if not (child := os.fork()):
                time.sleep(600)
            print(child)
            """,
            tmp_path / "own",
        )
    )
    if not result.stages[0].log.startswith("socket PermissionError"):
        pytest.skip("there is no sandbox here")
    *lines, child = result.stages[0].log.splitlines()
    status = Path(f"/proc/{child}/status")
    assert not status.exists() or "State:\tZ" in status.read_text()
    assert lines == [
        "socket PermissionError",
        "open PermissionError",
        "open PermissionError",
        "setsid PermissionError",
        "mkdtemp done",
        "listdir done",
    ]


def test_a_script_that_goes_on_forking_is_stopped_with_all_it_has_started(builder, monkeypatch):
    monkeypatch.setattr(limits, "MOST_PROCESSES", 10)
    mark = f"forks-{os.getpid()}"
    text = f"""
        import ctypes, os, time
        ctypes.CDLL(None).prctl(15, {mark.encode()!r})  # its name
        for _ in range(5):
            os.fork()
        time.sleep(60)
    """
    result = builder.build(script(text))
    assert result.outcome is Outcome.CRASHED
    assert "as it had started more than 1,000 processes" in result.crash.message

    def left():
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                name, _, rest = path.read_text().partition("(")[2].rpartition(")")
                if name == mark and rest.split()[0] != "Z":
                    yield path

    # All are killed by then, and each one ends when it gets a processor.
    end = time.monotonic() + 5
    while any(left()) and time.monotonic() < end:
        time.sleep(0.05)
    assert list(left()) == []
    assert builder.build(script("print(7)")).stages[0].log.startswith("7")


def test_an_endless_script_is_stopped(builder):
    result = builder.build(script("while True: pass"), timeout=1.5)
    assert result.outcome is Outcome.TIMED_OUT
    assert "Python was stopped after 1.5 s" in messages(result)[0][3]


def test_what_is_never_run():
    with pytest.raises(PlanError, match=r"not trusted.*'s\.py' runs it"):
        plan(script(CORE, confined_to=("/",)))
    with pytest.raises(PlanError, match="cannot be linked"):
        plan(script(CORE, link=LinkMode.PTX))
    with pytest.raises(PlanError, match=r"'k\.cu' is a .*; captured kernel cannot"):
        plan(
            BuildRequest((Source("k.cu", CodeKind.CUDA, b""),), emit=frozenset({CodeKind.CAPTURED}))
        )
    with pytest.raises(PlanError, match=r"'s\.py' is a .*; LTO-IR cannot"):
        plan(script(CORE, emit=frozenset({CodeKind.LTOIR})))


def test_another_interpreter_needs_nothing_of_ours(builder, tmp_path):
    venv.create(tmp_path / "bare", symlinks=True)
    python = str(tmp_path / "bare" / "bin" / "python")
    text = "import importlib.util as u\nprint(u.find_spec('numpy'))\n"
    result = builder.build(script(text, tmp_path, python=python))
    assert "compiled no kernel" in result.diagnostics[0].message
    assert result.stages[0].log == "None"
