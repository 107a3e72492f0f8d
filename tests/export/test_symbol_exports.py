"""Exports of launches that fill module variables and pointers in structs."""

import ast
import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from jitstudio.cli.arguments import command_line
from jitstudio.commands.launch_spec import spec_from
from jitstudio.export.formats import BY_NAME
from jitstudio.export.recipe import (
    ExportError,
    carried_headers,
    exported_request,
    launch_of,
    recipe_of,
)
from jitstudio.numerics.fills import generate
from tests.export.test_exports import WHEELS, HostDriver, exported_run, ran  # noqa: F401 - a fixture
from tests.support import cuda, request
from tests.symbol_launches import BUFFERS, CASES, CONV


@pytest.fixture
def exported(builder):
    """Makes the recipe of a source and the words of its launch."""

    def recipe(source, words):
        wanted = exported_request(request(cuda(source)))
        result = builder.build(wanted)
        spec = spec_from(command_line(["run", "k.cu", *words]).options)
        launch = launch_of(wanted, result, spec)
        return recipe_of(wanted, result, carried_headers(wanted, result), launch)

    return recipe


class VariableDriver(HostDriver):
    """Module variables in memory of the host, and the kernel `conv` on it."""

    def __init__(self):
        super().__init__()
        self.variables = {b"mask": np.zeros(3, np.float32), b"hits": np.zeros(1, np.int32)}

    def cuModuleGetGlobal(self, _module, name):
        held = self.variables[name]
        return 0, held.ctypes.data, held.nbytes

    def cuLaunchKernelEx(self, _config, _kernel, values, _more):
        at = ctypes.cast(values, ctypes.POINTER(ctypes.POINTER(ctypes.c_uint64)))
        n = at[2][0] & 0xFFFFFFFF
        given, out = (
            np.frombuffer((ctypes.c_float * n).from_address(at[k][0]), np.float32) for k in (0, 1)
        )
        out[1:-1] = np.convolve(given, self.variables[b"mask"], "valid")
        self.variables[b"hits"] += n - 2
        return (0,)


def test_a_script_fills_module_variables_and_reads_them_back(exported, capsys):
    source, words = CASES["a start"]
    script = ran(BY_NAME["cuda-bindings"].make(exported(source, words)).text)
    script["driver"] = VariableDriver()
    assert script["run"](b"") == 0
    assert script["driver"].variables[b"mask"].tolist() == [1, 2, 1]
    assert "hits: all 1 numbers are right" in capsys.readouterr().out


class StructDriver(HostDriver):
    """The kernel `axpy` of a struct with pointers, on memory of the host."""

    def cuLaunchKernelEx(self, _config, _kernel, values, _more):
        at = ctypes.cast(values, ctypes.POINTER(ctypes.c_uint64))
        q = np.frombuffer((ctypes.c_char * 56).from_address(at[0]), np.uint8)
        (a, b), (n, stride) = q.view(np.uint64)[[0, 2]], q.view(np.int32)[[2, 7]]
        (alpha,) = q[32:36].view(np.float32)
        more = int(q.view(np.uint64)[6])
        given, added = (
            np.frombuffer((ctypes.c_float * n).from_address(int(k)), np.float32) for k in (a, more)
        )
        size = (n - 1) * stride + 1
        out = np.frombuffer((ctypes.c_float * int(size)).from_address(int(b)), np.float32)
        stride = max(int(stride), 1)
        out[::stride] += alpha * given[: len(out[::stride])] + added[: len(out[::stride])]
        return (0,)


@pytest.mark.parametrize("name", ["structs", "structs in one text"])
def test_a_script_puts_addresses_into_structs(exported, name):
    script = ran(BY_NAME["cuda-bindings"].make(exported(*CASES[name])).text)
    script["driver"] = StructDriver()
    assert script["run"](b"") == 0


@pytest.mark.parametrize("name", CASES)
def test_each_form_has_it_or_says_why_not(exported, name):
    recipe = exported(*CASES[name])
    refused = {}
    for form in ("cuda-core", "cuda-bindings", "cupy", "torch", "cpp", "notebook", "command"):
        try:
            made = BY_NAME[form].make(recipe)
        except ExportError as error:
            refused[form] = str(error)
            continue
        for path, content in made.files.items():
            if path.endswith(".py"):
                ast.parse(content)
    linear = "in linear memory"
    has_texture = linear in refused.get("cpp", "")
    assert refused.keys() <= {"cuda-core", "cupy", "torch"} or has_texture, refused
    if name in ("values", "rows"):
        assert "cuda-core" not in refused
        assert "cupy" not in refused
    if name == "rows":
        assert refused["torch"] == (
            "The export for PyTorch puts no address into 'rows', as that of 'rows[0]' is one. "
            "Export the kernel as cuda-bindings or cpp."
        )


@pytest.mark.slow
def test_programs_compile(exported, tmp_path):
    toolkits = [*sorted(Path("/usr/local").glob("cuda*/include/cuda.h"))]
    if not (shutil.which("g++") and toolkits and WHEELS.is_dir()):
        pytest.skip("needs g++, the CUDA toolkit's headers and the wheel of NVRTC")
    include = [f"-I{WHEELS / 'include'}", f"-I{toolkits[0].parent}", '-DCUDA_INCLUDE="/"']
    compiled = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", *include]
    for name, (source, words) in CASES.items():
        if name == "textures":
            continue
        text = BY_NAME["cpp"].make(exported(source, words)).files["main.cpp"]
        (tmp_path / "main.cpp").write_bytes(text)
        # Headers are most of the work and the same for all; `test_a_program_compiles_links` of
        # test_exports.py finds one that is missing.
        if not (head := tmp_path / "head.h").exists():
            head.write_bytes(b"\n".join(re.findall(rb"^#include <.*", text, re.MULTILINE)))
            subprocess.run([*compiled, "-x", "c++-header", head], check=True)
        words = [*compiled, "-fsyntax-only", "-include", "head.h", "main.cpp"]
        subprocess.run(words, cwd=tmp_path, check=True)


def test_the_content_of_a_variable_is_that_of_the_launch(exported):
    for name in ("values", "all places", "pointers in variables"):
        recipe = exported(*CASES[name])
        script = BY_NAME["cuda-bindings"].make(recipe).text
        body = script[script.index("def run(") : script.index("    variables = ")]
        lines = [line[4:] for line in body.splitlines() if " = np." in line]
        names = {"np": np}
        exec("\n".join(lines), names)
        for held in recipe.launch.request.variables:
            shown = names[held.name.replace("::", "u3a_u3a_").replace("&", "u26_")]
            assert shown.tobytes() == generate(held).tobytes(), held


def test_the_command_sets_variables(exported):
    text = BY_NAME["command"].make(exported(CONV, (*BUFFERS, "--set=mask={1, 2, 1}"))).text
    assert "mask={1, 2, 1}" in text


@pytest.mark.gpu
@pytest.mark.parametrize("form", ["cuda-core", "cuda-bindings", "cpp"])
@pytest.mark.parametrize("name", ["values", "all places", "pointers in variables", "structs"])
def test_an_export_gives_the_same_on_a_gpu(exported_run, form, name):  # noqa: F811
    if form == "cuda-core" and name == "structs":
        pytest.skip("cuda.core takes no structs")
    source, words = CASES[name]
    ended = exported_run(form, source, *words)
    assert ended.returncode == 0, ended
