"""What a running program loads on a GPU: collected from its processes, and without a GPU."""

import ctypes
import json
import os
import random
import subprocess
import sys

import pytest

from jitstudio.core.captured import KernelLanguage, unpack
from jitstudio.core.cubin import cubin_target
from jitstudio.core.kernel_resources import cubin_resources
from jitstudio.python.capturing import FOLDER, INJECTED, collected, run_program
from jitstudio.python.injected import sitecustomize
from tests.support import cuda, request


def load(recorder, code):
    """Calls back as CUPTI does for a module that the driver has loaded."""
    held = ctypes.create_string_buffer(code, len(code))
    module = sitecustomize._ModuleData(1, len(code), ctypes.addressof(held))
    data = sitecustomize._ResourceData(None, None, ctypes.addressof(module))
    recorder.callback(None, 3, 6, ctypes.byref(data))


def test_each_module_is_kept_once_with_its_loads_and_its_line(tmp_path, tools):
    text = 'extern "C" __global__ void k(int* x) { *x = 1; }'
    cubin = tools.cubin(request(cuda(text), emit="cubin")).content
    recorder = sitecustomize.Recorder(str(tmp_path))
    for code in (cubin, cubin, b"another"):
        load(recorder, code)
    line = load.__code__.co_firstlineno + 5
    found = collected(tmp_path)
    assert [(one.code, one.loads) for one in found.modules] == [(cubin, 2), (b"another", 1)]
    assert str(found.modules[0].place) == f"{__file__}:{line}"
    kernel = found.modules[0].captured("python3 train.py")
    assert (kernel.name, kernel.origin) == ("k", "loaded by python3 train.py")
    assert kernel.facts == {"loaded": "2 times", "from": f"{__file__}:{line}, in load"}
    assert not found.is_attached


def test_modules_beyond_what_is_kept_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(sitecustomize, "LARGEST", 4)
    recorder = sitecustomize.Recorder(str(tmp_path))
    load(recorder, b"12345")
    load(recorder, b"123")
    found = collected(tmp_path)
    assert [one.code for one in found.modules] == [b"123"]
    assert found.notes == (
        "1 loads of modules that are too large to be kept or have no code (5 bytes).",
    )


@pytest.mark.parametrize("seed", range(10))
def test_no_more_bytes_are_kept_than_the_most(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(sitecustomize, "MOST", 20)
    recorder, chance = sitecustomize.Recorder(str(tmp_path)), random.Random(seed)
    codes = [bytes([n]) * chance.randint(1, 12) for n in range(8)]
    kept = []
    for code in codes:
        load(recorder, code)
        if sum(map(len, kept)) + len(code) <= 20:
            kept.append(code)
    # What fills it to the last byte is kept, too.
    if rest := 20 - sum(map(len, kept)):
        load(recorder, b"x" * rest)
        kept.append(b"x" * rest)
    assert [module.code for module in collected(tmp_path).modules] == kept


def test_what_processes_have_left_may_be_anything(tmp_path):
    lines = [b'{"digest": "../../etc/passwd"}', b"[1]", b'{"digest": 7}', b'{"dig', b"\xff"]
    lines += [b'{"digest": "0", "bytes": [1]}', b"[" * 100_000]
    (tmp_path / "1.jsonl").write_bytes(b"\n".join(lines))
    (tmp_path / "2.jsonl").mkdir()
    assert collected(tmp_path).modules == ()


@pytest.mark.slow
def test_a_program_under_it_runs_as_without_it(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("print('its own')\n")
    words = "import sys; print(sys.argv, [p for p in sys.path if 'injected' in p]); sys.exit(3)"
    for folder in (tmp_path / "gone", tmp_path):
        path = f"{INJECTED}{os.pathsep}{own}"
        variables = os.environ | {"PYTHONPATH": path, FOLDER: str(folder)}
        done = subprocess.run(
            [sys.executable, "-c", words, "a b"], env=variables, capture_output=True, text=True
        )
        assert (done.returncode, done.stdout, done.stderr) == (3, "its own\n['-c', 'a b'] []\n", "")
    (entry,) = (
        json.loads(line)
        for path in tmp_path.glob("*.jsonl")
        for line in path.read_text().splitlines()
    )
    # Here is no GPU, or one that it listens to.
    assert "attached" in entry or entry["failed"].startswith("CUPTI ")


@pytest.mark.parametrize(
    ("file", "is_own"),
    [
        ("/home/me/python3-kernels/train.py", True),
        ("/home/me/python3/train.py", True),
        ("/usr/lib/python3.12/runpy.py", False),
        ("/v/lib/python3.12/site-packages/torch/nn.py", False),
        ("<string>", False),
    ],
)
def test_the_line_of_a_load_is_one_of_the_program(tmp_path, file, is_own):
    stack = [[file, 1, "f"], ["/p/main.py", 2, "main"]]
    (tmp_path / "1.jsonl").write_text(json.dumps({"digest": "0", "bytes": 1, "stack": stack}))
    (tmp_path / "0.cubin").write_bytes(b"1")
    (module,) = collected(tmp_path).modules
    assert module.place.file == (file if is_own else "/p/main.py")


@pytest.mark.slow
def test_a_program_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        run_program(["/no/such/program"], tmp_path)


PROGRAM = """
import sys
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
Device(0).set_current()
source = 'extern "C" __global__ void k() { __syncthreads(); }'
options = ProgramOptions(arch="sm_" + "".join(map(str, Device(0).compute_capability)))
code = Program(source, "c++", options).compile("cubin")
open(sys.argv[1], "wb").write(code.code)
stream = Device(0).create_stream()
launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("k"))
stream.sync()
"""


@pytest.mark.gpu
def test_the_modules_of_a_running_program_are_those_that_it_loads(tmp_path, run_apart):
    script, own, output = tmp_path / "p.py", tmp_path / "own.cubin", tmp_path / "captured"
    script.write_text(PROGRAM)
    done = run_apart("capture", "-o", output, "--json", "--", sys.executable, script, own)
    assert done.code == 0, done.err
    modules = done.json["modules"]
    (module,) = [one for one in modules if [k["name"] for k in one["kernels"]] == ["k"]]
    kept = unpack((output / module["file"]).read_bytes())
    cubin = kept.representation(KernelLanguage.CUBIN).content
    assert cubin_resources(cubin) == cubin_resources(own.read_bytes())
    assert cubin_target(cubin) == cubin_target(own.read_bytes())
    assert (module["from"]["file"], module["from"]["line"]) == (str(script), 10)


@pytest.mark.slow
def test_without_a_gpu_it_says_so_and_runs_nothing(tmp_path, run, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    made = tmp_path / "made"
    done = run("capture", "-o", tmp_path / "c", "--", sys.executable, "-c", f"open('{made}', 'w')")
    assert done.code == 3
    assert "A program loads kernels on a GPU only." in done.err
    assert not made.exists()
