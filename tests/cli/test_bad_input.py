"""Each gives a message in words and the right exit code; `run` sees that none is a traceback."""

import errno
import os
import signal
import subprocess
import time
import venv
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_path

import pytest

from jitstudio.command_options.build import InspectOptions
from jitstudio.command_options.values import COUNT, SECONDS, WrongValueError
from jitstudio.core.arch import Arch
from jitstudio.core.plain_files import read_file
from tests.support import (
    CRASHING_IR,
    ENDLESS_TEMPLATES,
    KERNEL,
    SAMPLES,
    SLOW_CUDA,
    refusal,
)

VECTOR_ADD = SAMPLES / "vector_add.cu"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"__global__ void k( {\n", "bad.cu:1:"),
        (b"", "error: 'bad.cu' is empty"),
        (b"__device__ int caf\xe9;\n", "bad.cu:1:19: error: unrecognized token"),
        (b"int\n\0x;\n", "bad.cu:2:1: error: 'bad.cu' holds a NUL character."),
        (b'#include "none.h"\n', 'bad.cu:1:18: error: cannot open source file "none.h"'),
        (ENDLESS_TEMPLATES.encode(), "excessive recursion at instantiation"),
        (b"__device__ int x = " + b"y+" * 500_000 + b";\n", 'identifier "y" is undefined'),
    ],
    ids=["syntax", "empty", "latin-1", "NUL", "header", "endless template", "1 MB line"],
)
def test_code_that_cannot_be_compiled(run, tmp_path, content, words):
    (tmp_path / "bad.cu").write_bytes(content)
    ran = run("build", "bad.cu")
    assert ran.code == 1
    assert ran.out == ""
    assert words in ran.err
    assert len(ran.err) < 20_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bad.ptx", b"hello"),
        ("bad.ll", b"hello"),
        ("bad.bc", b"BC\xc0\xdehello"),
        ("bad.cubin", b"\x7fELF" + bytes(100)),
        ("bad.fatbin", b"hello"),
        ("bad.ltoir", b"hello"),
        ("bad.o", b"hello"),
        ("bad.a", b"hello"),
    ],
)
def test_files_that_are_not_what_their_ending_says(run, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    ran = run("build", name)
    assert ran.code == 1
    assert f"{name}:" in ran.err
    assert "error: " in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.cu"], f"'none.cu' cannot be read: {os.strerror(errno.ENOENT)}."),
        (["folder.cu"], f"'folder.cu' cannot be read: {refusal(read_file, SAMPLES)}."),
        (
            ["notes.txt"],
            "'notes.txt' has no file extension that shows its kind. Known ones: .cu",
        ),
        ([VECTOR_ADD, "--arch", "hopper"], refusal(Arch.parse, "hopper")),
        ([VECTOR_ADD, "--emit", "ptx,exe"], "--emit does not know 'exe'. It takes: ptx,sass,"),
        ([VECTOR_ADD, "--emit", ","], "--emit is empty."),
        ([VECTOR_ADD, VECTOR_ADD], f"called '{VECTOR_ADD}'."),
        ([VECTOR_ADD, "--header", "a.h"], "--header takes NAME=PATH, not 'a.h'."),
        ([VECTOR_ADD, "--header", "a.h=none.h"], "'none.h' cannot be read"),
        ([SAMPLES / "scale.ptx", "--name-expression", "k"], "needs a CUDA C++ module"),
        ([SAMPLES / "scale.ptx", "--emit", "ptx"], "is PTX already."),
        ([SAMPLES / "scale.ptx", "--emit", "ltoir"], "scale.ptx' is a PTX; LTO-IR cannot"),
        ([VECTOR_ADD, "--timeout", "soon"], "argument --timeout: 'soon' is not a number"),
        ([VECTOR_ADD, "--timeout", "0"], f"argument --timeout: {refusal(SECONDS.check, 0)[:-1]}"),
        ([VECTOR_ADD, "--repeat", "0"], f"argument --repeat: {refusal(COUNT.check, 0)[:-1]}"),
        ([VECTOR_ADD, "--link", "--lto"], "not allowed with argument"),
        ([VECTOR_ADD, "--compare-links", "--emit", "ptx"], "--emit is not for --compare-links"),
        ([VECTOR_ADD, "--compare-links", "--fat", "sm_90"], "--fat is not for --compare-links"),
        ([VECTOR_ADD, "--compare-links", "-o", "out"], "-o is not for --compare-links"),
        ([VECTOR_ADD, "--bogus"], "there is no option --bogus"),
        ([], "arguments are required: SRC"),
        ([VECTOR_ADD, "--option"], "argument --option: expected one argument"),
        ([VECTOR_ADD, "-o", VECTOR_ADD / "out"], "cannot be written: Not a directory. Choose"),
        ([VECTOR_ADD, "-o", "/dev/null"], "cannot be written: File exists. Choose another"),
    ],
)
def test_a_command_line_that_cannot_be_served(run, tmp_path, words, message):
    (tmp_path / "folder.cu").mkdir()
    ran = run("build", *words)
    assert ran.code == 2
    assert ran.out == ""
    assert message in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_is_read_only(run, tmp_path):
    (tmp_path / "out").mkdir(mode=0o555)
    ran = run("build", VECTOR_ADD, "-o", "out")
    assert ran.code == 2
    assert "cannot be written: Permission denied. Choose another folder" in ran.err


def test_a_file_name_that_is_no_utf8(run, tmp_path):
    name = os.fsdecode(b"caf\xe9.cu")
    (tmp_path / name).write_text(KERNEL)
    ran = run("build", name, "--json")
    assert ran.code == 0
    assert ran.json["artifacts"][0]["name"] == "caf\ufffd.cu"


def test_an_option_that_no_tool_knows(run):
    ran = run("build", VECTOR_ADD, "--option", "--bogus")
    assert ran.code == 1
    assert "unrecognized option --bogus" in ran.err
    assert "Did you mean '-lineinfo'?" in run("build", VECTOR_ADD, "--option=-linenfo").err


def test_an_arch_that_this_nvrtc_does_not_know(run):
    ran = run("build", VECTOR_ADD, "--arch", "sm_52")
    assert ran.code == 1
    assert "invalid value for --gpu-architecture" in ran.err


def test_ir_that_kills_libnvvm(run, tmp_path):
    (tmp_path / "crash.ll").write_text(CRASHING_IR)
    ran = run("build", "crash.ll", "--arch", "sm_100")
    assert ran.code == 4
    assert "crash.ll: error: libNVVM crashed" in ran.err
    assert "(SIGILL: " in ran.err
    told = run("build", "crash.ll", "--arch", "sm_100", "--json").json
    assert told["crash"]["tool"] == "libNVVM"
    assert told["crash"]["signal"] == "SIGILL"
    assert told["stages"][-1]["crash"] == told["crash"]


def test_a_compile_that_does_not_end(run, tmp_path):
    (tmp_path / "slow.cu").write_text(SLOW_CUDA)
    start = time.monotonic()
    ran = run("build", "slow.cu", "--timeout", "1", "--json")
    assert time.monotonic() - start < 30
    assert ran.code == 4
    assert ran.json["outcome"] == "timed-out"
    assert ran.json["crash"]["signal"] == "time limit"


@pytest.fixture
def slow_build(command, environment, tmp_path):
    """A build that is inside NVRTC, and the process id of its worker."""
    (tmp_path / "slow.cu").write_text(SLOW_CUDA)
    child = subprocess.Popen(
        command("build", "slow.cu"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
        text=True,
        # A shell's background jobs, such as a CI run, hand down an ignored Ctrl+C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with child:
        yield child, _worker_of(child.pid)
        child.kill()


def _worker_of(pid):
    """The child process, once it has loaded NVRTC."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for worker in children.read_text().split():
            if "libnvrtc.so" in Path(f"/proc/{worker}/maps").read_text():
                return int(worker)
        time.sleep(0.02)
    raise AssertionError("the worker never loaded NVRTC")


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_build_takes_its_worker_along(slow_build, number):
    child, worker = slow_build
    child.send_signal(number)
    _, errors = child.communicate(timeout=60)
    if number is signal.SIGINT:
        assert (child.returncode, errors) == (130, "jitstudio: Interrupted.\n")
    else:
        assert (child.returncode, errors) == (-number, "")
    deadline = time.monotonic() + 30
    while _runs(worker):
        assert time.monotonic() < deadline, "the worker outlived its parent"
        time.sleep(0.02)


def test_a_worker_that_is_killed(slow_build):
    child, worker = slow_build
    os.kill(worker, signal.SIGKILL)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 4
    assert "crashed on this input (SIGKILL: the system killed it" in errors


@pytest.fixture
def without_nvrtc(tmp_path):
    """A Python that sees every installed package except the NVRTC library."""
    packages = Path(find_spec("elftools").origin).parent.parent
    if not (packages / "nvidia").is_dir():
        pytest.skip("the libraries do not come from wheels")
    home = tmp_path / "venv"
    venv.create(home, symlinks=True)
    hidden = Path(get_path("purelib", "venv", {"base": str(home), "platbase": str(home)}))
    for package in packages.iterdir():
        if package.name != "nvidia":
            (hidden / package.name).symlink_to(package)
    _mirror(packages / "nvidia", hidden / "nvidia")
    return home / "bin" / "python"


def _mirror(real, copy):
    copy.mkdir()
    for entry in real.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            _mirror(entry, copy / entry.name)
        elif not entry.name.startswith("libnvrtc"):
            (copy / entry.name).symlink_to(entry)


@pytest.mark.tools
def test_a_library_that_is_missing(without_nvrtc, environment, tmp_path):
    # An empty CUDA toolkit, lest one that is installed on this machine help out.
    hidden = environment | {"CUDA_PATH": str(tmp_path), "CUDA_HOME": str(tmp_path)}

    def run(*words):
        return subprocess.run(
            [without_nvrtc, "-m", "jitstudio", *words],
            capture_output=True,
            text=True,
            env=hidden,
            timeout=60,
        )

    ran = run("build", VECTOR_ADD)
    if ran.returncode == 0:
        pytest.skip("the system's loader knows another NVRTC")
    assert ran.returncode == 3
    assert "Traceback" not in ran.stderr
    assert "NVRTC cannot be loaded" in ran.stderr
    assert "python3 -m pip install nvidia-cuda-nvrtc" in ran.stderr
    assert run("build", SAMPLES / "fill_typed.ll").returncode == 0
    doctor = run("doctor")
    assert doctor.returncode == 3
    assert "NVRTC        MISSING: NVRTC cannot be loaded" in doctor.stdout
    assert "unknown without NVRTC" in doctor.stdout


def test_a_listing_for_people_is_refused_where_json_is_printed():
    with pytest.raises(WrongValueError, match="in JSON each instruction has its source line"):
        InspectOptions(sources=("k.cu",), interleave=True, json=True)
