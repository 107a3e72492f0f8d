"""How edited PTX gets back into Python: what is shown can be run, Triton takes what is saved."""

import ast
import base64
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jitstudio.core.captured import KernelLanguage, unpack
from jitstudio.python.hand_back import (
    OVERRIDE_KEY,
    KernelPackage,
    override_command,
    override_file,
    snippet,
)
from tests.support import SAMPLES

KERNEL = unpack((SAMPLES / "triton_swiglu.jitkernel").read_bytes())
ODD_PATH = '/tmp/it\'s a "folder"/k\\{0}.ptx'


@pytest.mark.parametrize("package", KernelPackage, ids=lambda package: package.value)
def test_snippets_are_python_that_names_file_and_kernel(package):
    assert ast.parse(snippet(package, ODD_PATH, "class", "class"))
    text = snippet(package, ODD_PATH, "transpose<float>", "_Z9transposeIfEvPKT_PS0_ii")
    strings = {n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant)}
    assert ODD_PATH in strings
    if package is not KernelPackage.TRITON:
        assert "_Z9transposeIfEvPKT_PS0_ii" in strings
    assert "\nkernel" in text  # what is no name in Python would not be taken


def test_a_package_is_known_by_the_origin_of_its_kernels():
    for file, package in (
        ("triton_swiglu", KernelPackage.TRITON),
        ("numba_smooth", KernelPackage.NUMBA),
        ("cupy_row_sums", KernelPackage.CUPY),
        ("cuda_core_transpose", KernelPackage.CUDA_CORE),
    ):
        kernel = unpack((SAMPLES / f"{file}.jitkernel").read_bytes())
        assert KernelPackage.of(kernel.origin) is package
    assert KernelPackage.of("") is None


def test_overrides_are_where_the_environment_says():
    key = KERNEL.facts[OVERRIDE_KEY]
    assert len(base64.b32decode(key + "=" * (-len(key) % 8))) == 32
    assert override_file(key, "k", {"TRITON_OVERRIDE_DIR": "/o"}) == Path("/o", key, "k.ptx")
    home = override_file(key, "k", {"TRITON_HOME": "/h"})
    assert home == Path("/h/.triton/override", key, "k.ptx")
    assert override_file(key, "k" * 200, {}).name == "k" * 150 + ".ptx"
    for odd in ("", "../..", "a/b"):
        assert override_file(odd, "k", {}) is None
    assert override_file(key, "../k", {}) is None


PROGRAM = """
import json, os, sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton_swiglu import swiglu
from jitstudio.python.things import found_in
types = {**dict.fromkeys(("gate_ptr", "up_ptr", "out_ptr"), "*fp32"), "n": "i32"}
aligned = {(at,): [["tt.divisibility", 16]] for at in range(4)}
source = ASTSource(swiglu, {**types, "BLOCK": "constexpr"}, {"BLOCK": 1024}, aligned)
options = json.loads(sys.argv[1])
kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
(found,) = found_in(kernel)
print("made:" + json.dumps([kernel.asm["ptx"], kernel.asm["cubin"].hex(), dict(found.facts)]))
"""


@pytest.mark.python_kernels
@pytest.mark.slow
def test_triton_takes_edited_ptx_both_ways(tmp_path):
    pytest.importorskip("triton", reason="needs the package triton")
    import json

    def made(options=(), **environment):
        words = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache")}
        words["PYTHONPATH"] = os.pathsep.join((str(SAMPLES), *sys.path))
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, json.dumps(dict(options))],
            env=words | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        line = next(x for x in done.stdout.splitlines() if x.startswith("made:"))
        return json.loads(line.removeprefix("made:"))

    ptx, cubin, facts = made()
    edited = ptx.replace("mul.f32", "add.f32")
    assert edited != ptx
    # As "Save as an override" puts it there, and as the command line that is shown runs it.
    folder = {"TRITON_OVERRIDE_DIR": str(tmp_path / "override")}
    file = override_file(facts[OVERRIDE_KEY], "swiglu", folder)
    file.parent.mkdir(parents=True)
    file.write_text(edited)
    said = dict(word.split("=") for word in override_command().split() if "=" in word)
    by_folder = made(**folder, **said)
    assert by_folder[0] == edited
    assert by_folder[1] != cubin
    # As the snippet says.
    tree = ast.parse(snippet(KernelPackage.TRITON, str(file), "swiglu", "swiglu"))
    (option,) = (n for n in ast.walk(tree) if isinstance(n, ast.keyword))
    by_option = made({option.arg: option.value.value}, TRITON_ALWAYS_COMPILE="1")
    assert by_option[:2] == by_folder[:2]
    assert KERNEL.representation(KernelLanguage.PTX) is not None
