"""What is exported is run: it makes the same bytes as jitstudio, and a launch that is right."""

import ast
import contextlib
import ctypes
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cuda.bindings import driver

from jitstudio.core.code import LINKED, CodeKind, Header
from jitstudio.core.launch.c_types import BFLOAT16, DOUBLE, FLOAT, INT, instance, named
from jitstudio.core.launch.request import (
    Buffer,
    Expectation,
    Fill,
    FillKind,
    LaunchConfig,
    LaunchRequest,
    ValueArgument,
)
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.request import LinkMode
from jitstudio.export import cpp
from jitstudio.export.code_digest import code_digest
from jitstudio.export.formats import BY_NAME, FORMATS
from jitstudio.export.numpy_text import (
    FILLS,
    buffer_lines,
    check_lines,
    expression_text,
    variable,
)
from jitstudio.export.nvcc import toolkit_build
from jitstudio.export.python_script import literal
from jitstudio.export.recipe import (
    ExportError,
    carried_headers,
    comment,
    exported_request,
    launch_of,
    module_of,
    recipe_of,
)
from jitstudio.numerics.compare import Tolerance, compare
from jitstudio.numerics.dtypes import as_expressions_see, numpy_dtype
from jitstudio.numerics.fills import generate
from jitstudio.toolchain.gpu.buffers import GUARD, GUARD_BYTES, POISONS
from tests.support import KERNEL, SAMPLES, cuda, request, sample, sample_header
from tests.texture_launches import INVERT

HOST = """\
#include <cstdio>
#include <cuda_fp16.h>
#include "factor.cuh"
template <typename T> __global__ void scale(T* x, T by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by * FACTOR;
}
__global__ void twice(__half* x) { x[threadIdx.x] = __hadd(x[threadIdx.x], x[threadIdx.x]); }
int main() { scale<float><<<4, 256>>>((float*)nullptr, 2.f, 1024); std::printf("done"); }
"""
LTO = replace(request(sample("apply_transform.cu"), sample("user_transform.cu")), link=LinkMode.LTO)
SAXPY = request(sample("saxpy.cu", "saxpy<float>", "saxpy<double>"))
LAUNCH = LaunchSpec(
    kernel="saxpy<float>",
    arguments=(("a", "2.5"), ("x", "n:random(1)"), ("y", "n:random(2)"), ("n", "1<<12")),
    cover="n",
    expectations=("y = a * x + y",),
    repeats=3,
)
SQUARES = LaunchSpec(
    kernel="apply_transform",
    arguments=(("in", "n:random(1)"), ("out", "n:zeros:out"), ("n", "1000")),
    cover="n",
    expectations=("out = in * in + 1",),
)
BUILDS = {
    "lto": (LTO, SQUARES),
    "ptx link": (replace(LTO, link=LinkMode.PTX), None),
    "ptx": (replace(request(sample("scale.ptx"), sample("multiply.ptx")), link=LinkMode.PTX), None),
    "typed": (request(sample("fill_typed.ll"), arch="sm_90"), None),
    "header": (request(sample("histogram.cu"), headers=(sample_header("atomic_ops.cuh"),)), None),
    "template": (SAXPY, LAUNCH),
    "host code": (request(cuda(HOST), headers=(Header("factor.cuh", b"#define FACTOR 3"),)), None),
}


@pytest.fixture(scope="module")
def exported(builder):
    """Recipes by the names of `BUILDS`."""
    made = {}

    def recipe(name):
        if name not in made:
            wanted, spec = BUILDS[name]
            wanted = exported_request(wanted)
            result = builder.build(wanted)
            launch = launch_of(wanted, result, spec) if spec else None
            made[name] = recipe_of(wanted, result, carried_headers(wanted, result), launch)
        return made[name]

    return recipe


def test_a_digest_of_code_is_of_all_but_the_line_table(builder):
    def digest(text, name="k.cu", **more):
        source = replace(cuda(text), name=name)
        (made,) = builder.build(request(source, emit="cubin", **more)).artifacts
        return code_digest(made.content)

    first = digest(KERNEL)
    assert digest(KERNEL, "another/name.cu") == first
    # Other lines, the same code.
    assert digest(f"\n\n{KERNEL}") == first
    assert digest(KERNEL, arch="sm_89") != first
    assert digest(KERNEL.replace("fine", "good")) != first
    other = KERNEL.replace("{", "{ if (threadIdx.x == 77) return;", 1)
    assert digest(other) != first


def ran(text):
    """Returns what a script defines."""
    names = {"__name__": "exported"}
    exec(compile(text, "exported.py", "exec"), names)
    return names


@pytest.mark.parametrize("name", BUILDS)
def test_a_script_makes_the_bytes_that_jitstudio_has_built(builder, exported, name):
    recipe = exported(name)
    for core in ("cuda-core", "cuda-bindings") if name == "lto" else ("cuda-bindings",):
        script = ran(BY_NAME[core].make(recipe).text)
        assert script["build"]() == recipe.cubin
        assert script["DIGEST"] == recipe.digest
        assert script["CODE_DIGEST"] == code_digest(recipe.cubin)
    assert recipe.cubin.startswith(b"\x7fELF")


@pytest.mark.slow
def test_a_script_in_another_folder_says_that_the_paths_differ(run, tmp_path):
    (tmp_path / "k.cu").write_text(KERNEL)
    words = ("export", "cuda-bindings", "k.cu", "--kernel", "fine", "--grid", "1", "--block", "32")
    assert run(*words, "--arg", "p=32:range", "-o", "script.py").code == 0
    (tmp_path / "elsewhere").mkdir()
    said = [
        subprocess.run(
            [sys.executable, tmp_path / "script.py", "--no-launch"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        ).stderr
        for folder in (tmp_path, tmp_path / "elsewhere")
    ]
    assert "jitstudio has built (" in said[0]
    assert ", the code that jitstudio has built, with other paths in its line table (" in said[1]


@pytest.mark.slow
def test_a_script_saves_the_cubin_and_ends(run, tmp_path):
    files = [SAMPLES / name for name in ("apply_transform.cu", "user_transform.cu")]
    assert run("build", *files, "--lto", "--emit", "cubin", "-o", "out").code == 0
    assert run("export", "cuda-core", *files, "--lto", "-o", "script.py").code == 0
    words = [sys.executable, "script.py", "--save", "made.cubin"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "jitstudio has built" in done.stderr
    made = (tmp_path / "made.cubin").read_bytes()
    assert made == (tmp_path / "out" / "linked.cubin").read_bytes()
    words = [sys.executable, "script.py", "--save", "nowhere/made.cubin"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cannot be written" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("form", ["cuda-core", "cuda-bindings"])
def test_a_script_that_finds_no_gpu_ends_with_a_sentence(exported, tmp_path, form):
    (made,) = BY_NAME[form].make(exported("template")).files.items()
    (tmp_path / made[0]).write_bytes(made[1])
    # No machine has as many.
    words = [sys.executable, made[0], "--device", "4711"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "cannot be launched on GPU 4711 here: " in done.stderr
    assert "--no-launch" in done.stderr


def test_the_cells_of_a_notebook_run_in_their_order(exported):
    book = json.loads(BY_NAME["notebook"].make(exported("template")).text)
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    names, out = {}, io.StringIO()
    for cell in book["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        assert ("outputs" in cell) == ("execution_count" in cell) == (cell["cell_type"] == "code")
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(out):
                exec(compile("".join(cell["source"]), "cell", "exec"), names)
    assert names["cubin"] == exported("template").cubin
    assert "jitstudio has built" in out.getvalue()


WHEELS = Path(sysconfig.get_path("purelib"), "nvidia", "cu13")


@pytest.mark.slow
def test_a_program_compiles_links_and_makes_the_same_bytes(exported, tmp_path):
    nvcc = shutil.which("nvcc")
    toolkits = [*sorted(Path("/usr/local").glob("cuda*/include/cuda.h"))]
    if not (shutil.which("g++") and nvcc and toolkits and WHEELS.is_dir()):
        pytest.skip("needs g++, the CUDA toolkit's headers and the wheels of NVRTC and nvJitLink")
    for name in ("lto", "template"):
        made = BY_NAME["cpp"].make(exported(name))
        assert not made.notes
        (tmp_path / "main.cpp").write_bytes(made.files["main.cpp"])
        folders = [f"-I{WHEELS / 'include'}", f"-I{toolkits[0].parent}"]
        compiled = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-c", "main.cpp"]
        subprocess.run([*compiled, *folders], cwd=tmp_path, check=True)
        wanted = subprocess.run(
            ["nm", "-u", "main.o"], cwd=tmp_path, capture_output=True, text=True
        )
        calls = re.findall(r"\bcu[A-Z]\w+", wanted.stdout)
        assert "cuLaunchKernelEx" in calls
        stubs = "".join(f"int {call}(void) {{ return 100; }}\n" for call in calls)
        (tmp_path / "stubs.c").write_text(stubs)
        libraries = [
            *map(str, WHEELS.glob("lib/libnvrtc.so.*")),
            *map(str, WHEELS.glob("lib/libnvJitLink.so.*")),
        ]
        linked = ["g++", "-x", "c", "stubs.c", "-x", "none", "main.o", "-o", "program", *libraries]
        subprocess.run([*linked, f"-Wl,-rpath,{WHEELS / 'lib'}"], cwd=tmp_path, check=True)
        subprocess.run(["./program", "--save", "made.cubin"], cwd=tmp_path, check=True)
        # Elsewhere, line tables name another folder.
        assert _code((tmp_path / "made.cubin").read_bytes()) == _code(exported(name).cubin)
        ended = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == 1
        if name == "lto":
            (tmp_path / "stubs.c").write_text(_on_the_host(calls))
            subprocess.run([*linked, f"-Wl,-rpath,{WHEELS / 'lib'}"], cwd=tmp_path, check=True)
            ended = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, text=True)
            assert ended.returncode == 5
            assert "4 bytes after 'out', the nearest 8 from it." in ended.stdout
            assert "2 bytes before 'in', the nearest 0 from it." in ended.stdout
            assert "1 of 1000 elements of 'out'" in ended.stdout
            assert "the first is 7." in ended.stdout
            assert "out[7] is" in ended.stdout
            assert "out: 1 of 1000 numbers are wrong" in ended.stdout


def _on_the_host(calls):
    """Returns a driver in C whose memory is the host's, and a kernel that leaves its buffers."""
    made = "".join(f"int {call}(void) {{ return 0; }}\n" for call in calls if call not in _ON_HOST)
    return f"#include <stdlib.h>\n#include <string.h>\n{_ON_HOST}{made}"


_ON_HOST = """
int cuMemAlloc_v2(char **made, size_t n) { return !(*made = malloc(n)); }
int cuMemsetD8_v2(char *at, unsigned char byte, size_t n) { memset(at, byte, n); return 0; }
int cuMemcpyHtoD_v2(char *to, void *from, size_t n) { memcpy(to, from, n); return 0; }
int cuMemcpyDtoH_v2(void *to, char *from, size_t n) { memcpy(to, from, n); return 0; }
int cuLaunchKernelEx(void *config, void *kernel, void **values, void *more) {
    float *in = *(float **)values[0], *out = *(float **)values[1];
    int n = *(int *)values[2];
    for (int i = 0; i < n; ++i) if (i != 7) out[i] = in[i] * in[i] + 1;
    ((char *)in)[-1] = ((char *)in)[-2] = 1;
    memset(out + n + 2, 1, 4);
    return 0;
}
"""


class HostDriver:
    """The driver's calls on memory of the host, with the kernel of `_ON_HOST`."""

    def __init__(self):
        self.held = []

    def __getattr__(self, name):
        if name.startswith("CU"):
            return getattr(driver, name)
        return lambda *_: (0, *([0.5] if name == "cuEventElapsedTime" else [0]))

    def cuMemAlloc(self, count):
        self.held.append(np.zeros(count, np.uint8))
        return 0, self.held[-1].ctypes.data

    def cuMemsetD8(self, address, byte, count):
        ctypes.memset(address, byte, count)
        return (0,)

    def cuMemcpyDtoH(self, target, address, count):
        ctypes.memmove(target, address, count)
        return (0,)

    def cuMemcpyHtoDAsync(self, address, array, count, _stream):
        return self.cuMemcpyDtoH(address, array, count)

    def cuLaunchKernelEx(self, _config, _kernel, values, _more):
        at = ctypes.cast(values, ctypes.POINTER(ctypes.POINTER(ctypes.c_uint64)))
        n = at[2][0] & 0xFFFFFFFF
        into, out = ((ctypes.c_float * (n + 8)).from_address(at[k][0]) for k in (0, 1))
        made = np.frombuffer(into, np.float32)[:n]
        np.frombuffer(out, np.float32)[:n] = np.where(
            np.arange(n) == 7, np.frombuffer(out, np.float32)[:n], made * made + 1
        )
        ctypes.memset(at[0][0] - 2, 1, 2)
        ctypes.memset(at[1][0] + 4 * (n + 2), 1, 4)
        return (0,)


def test_a_script_finds_what_is_written_out_of_bounds_and_what_never(exported, capsys):
    recipe = exported("lto")
    script = ran(BY_NAME["cuda-bindings"].make(recipe).text)
    script["driver"] = HostDriver()
    assert script["run"](b"") == 5
    said = capsys.readouterr().out
    assert "4 bytes after 'out', the nearest 8 bytes from it." in said
    assert "2 bytes before 'in', the nearest 0 bytes from it." in said
    assert "1 of 1,000 elements of 'out' are never" in said
    assert "the first is 7." in said
    assert "out: 1 of 1,000 numbers are wrong" in said
    core = ran(BY_NAME["cuda-core"].make(recipe).text)
    assert core["ZONE"] == script["ZONE"] == GUARD_BYTES
    assert (core["GUARD"], core["PATTERNS"]) == (GUARD, POISONS)
    plain = replace(recipe.launch.request, guards=False, poison=False)
    recipe = replace(recipe, launch=replace(recipe.launch, request=plain))
    script = ran(BY_NAME["cuda-bindings"].make(recipe).text)
    script["driver"] = HostDriver()
    # There is no room for what this kernel writes besides its buffers.
    script["ZONE"] = 64
    assert script["run"](b"") == 5
    assert "Written" not in capsys.readouterr().out
    assert "prepare" not in script


ODD = """\
extern "C" __global__ void odd(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i != 7) out[i] = in[i] * in[i] + 1;
    if (i == 0) out[n + 2] = 5;
}
"""


@pytest.fixture
def exported_run(run_apart, tmp_path):
    """Runs an export of a launch on the GPU in a process of its own."""

    def runs(form, text, *words):
        (tmp_path / "odd.cu").write_text(text)
        made = "program" if form == "cpp" else "odd.py"
        assert run_apart("export", form, "odd.cu", *words, "--arch=sm_90", "-o", made).code == 0
        command = [sys.executable, "odd.py"]
        if form == "cpp":
            nvcc = shutil.which("nvcc")
            if nvcc is None:
                pytest.skip("needs the CUDA toolkit")
            include = Path(nvcc).resolve().parent.parent / "include"
            compiled = [nvcc, "program/main.cpp", "-o", "odd", "-lcuda", "-lnvrtc"]
            compiled.append(f'-DCUDA_INCLUDE="{include}"')
            subprocess.run(compiled, cwd=tmp_path, check=True)
            command = ["./odd"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return runs


ON_GPU = pytest.mark.parametrize("form", ["cuda-core", "cuda-bindings", "cpp"])


@pytest.mark.gpu
@ON_GPU
def test_an_export_finds_on_a_gpu_what_is_written_out_of_bounds(exported_run, form):
    arguments = ("--arg=in=n:random", "--arg=out=n:zeros:out", "--arg=n=1000", "--cover=n")
    ended = exported_run(form, ODD, *arguments, "--block=128", "--expect=out = in * in + 1")
    assert ended.returncode == 5, ended
    said = ended.stdout.replace(",", "")
    assert "4 bytes after 'out' the nearest 8" in said
    assert "1 of 1000 elements of 'out'" in said
    assert "the first is 7." in said
    assert "out: 1 of 1000 numbers are wrong" in said


@pytest.mark.gpu
@ON_GPU
@pytest.mark.parametrize(("expected", "code"), [("255 - i", 0), ("254 - i", 5)])
def test_an_export_binds_surfaces_and_textures_on_a_gpu(exported_run, form, expected, code):
    arguments = ("--arg=image=uchar[n]:range:inout", "--arg=edge=uchar[n]:zeros:in", "--arg=n=100")
    checks = (f"--expect=image = {expected}", "--expect=outside = 0 * i")
    words = ("--arg=outside=2*n:zeros:out", "--cover=n", "--block=32", *checks)
    ended = exported_run(form, INVERT, *arguments, *words)
    assert ended.returncode == code, ended
    tiles = ("--arg=tex=float[8]:range:linear,clamp", "--arg=out=12:zeros:out", "--grid=1")
    line = """extern "C" __global__ void line(cudaTextureObject_t tex, float* out) {
        out[threadIdx.x] = tex1D<float>(tex, threadIdx.x + 1.0f); }"""
    ended = exported_run(form, line, *tiles, "--block=12", "--expect=out = np.minimum(i + 0.5, 7)")
    assert ended.returncode == 0, ended


def _code(cubin):
    """Returns the machine code: all sections that are executed."""
    start = int.from_bytes(cubin[0x28:0x30], "little")
    count = int.from_bytes(cubin[0x3C:0x3E], "little")
    found = []
    for at in range(start, start + 64 * count, 64):
        flags, _, offset, size = (
            int.from_bytes(cubin[at + 8 + 8 * n : at + 16 + 8 * n], "little") for n in range(4)
        )
        if flags & 4:
            found.append(cubin[offset : offset + size])
    assert found
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["template", "ptx link", "header"])
def test_the_commands_build_where_there_is_a_toolkit(exported, tmp_path, name):
    if not all(map(shutil.which, ("nvcc", "nvlink", "sh", "make"))):
        pytest.skip("needs nvcc, nvlink and make")
    recipe = exported(name)
    for form, start in (("nvcc", ["sh", "build.sh"]), ("make", ["make"])):
        made = BY_NAME[form].make(recipe)
        for file, content in made.files.items():
            (tmp_path / file).write_bytes(content)
        done = subprocess.run(start, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        stem = LINKED if recipe.request.link is not LinkMode.NONE else recipe.stem
        cubin = (tmp_path / f"{stem}.cubin").read_bytes()
        for kernel in re.findall(rb"\.text\.(\w+)", recipe.cubin):
            assert b".text." + kernel in cubin
        for path in tmp_path.iterdir():
            path.unlink()


def test_every_script_is_python_and_every_form_says_what_it_is(exported):
    for form in FORMATS:
        assert form.summary.endswith(".")
        if form.reads_code:
            continue
        made = form.make(exported("template"))
        if form.ending == ".py":
            ast.parse(made.text)
        assert "saxpy" in made.text or form.name in ("compiler-explorer", "text")


def test_what_has_no_counterpart_is_named(builder):
    wanted = exported_request(
        replace(SAXPY, options=("--split-compile=2", "--minimal", "-I/some/folder"))
    )
    result = builder.build(wanted)
    assert result.ok, result.diagnostics
    recipe = recipe_of(wanted, result, (), launch_of(wanted, result, LAUNCH))
    made = BY_NAME["nvcc"].make(recipe)
    assert any("--minimal" in note for note in made.notes)
    assert any("/some/folder" in note for note in made.notes)
    assert all(note in made.text for note in made.notes)
    script = BY_NAME["cuda-bindings"].make(recipe)
    assert [note for note in script.notes if "--minimal" in note] == []
    assert "--minimal" in script.text


def test_no_name_is_a_word_of_the_shell_or_of_make_or_takes_the_place_of_another(builder):
    names = ("a/k.cu", "b/k.cu", "o x\ntouch $(y) %:#.cu")
    texts = (cuda(f'extern "C" __global__ void k{n}() {{}}', name) for n, name in enumerate(names))
    header = Header("GNUmakefile", b"all:\n\ttouch evil\n")
    wanted = exported_request(replace(request(*texts, headers=(header,)), link=LinkMode.PTX))
    recipe = recipe_of(wanted, builder.build(wanted), ())
    made = BY_NAME["make"].make(replace(recipe, notes=("one\nall: evil \\",)))
    assert [*made.files] == ["Makefile", "a/k.cu", "b/k_2.cu", "o_x_touch___y_____.cu"]
    assert "# Not exported: one all: evil\n" in made.text
    objects = "k.o.cubin k_2.o.cubin o_x_touch___y_____.o.cubin"
    assert f"linked.cubin: {objects}\n" in made.text
    program = BY_NAME["cpp"].make(replace(recipe, notes=("one\nint evil;\\",)))
    assert "// Not exported: one int evil;\n" in program.text


HOSTILE = "q\"'??/\r\n\t\\ $(y) `z` %s {0} @KERNEL@ \x1b\u202e\u2028ü" + '"""' + "'''"


@pytest.fixture(scope="module")
def hostile(builder):
    """A recipe whose names, options and texts would each end what they are quoted by."""
    header = Header("it's $(y) `z` % ü.h", b'#define N 1\r\n// \x1b )jit" """\n')
    text = 'extern "C" __global__ void k(int* x) { *x = N; }'
    name = HOSTILE.replace('"', "") + ".cu"
    module = cuda(f'#include "{header.name}"\n{text}', name)
    headers = (header, Header(f"{HOSTILE}\udcff", b""), Header(".git/config", b"evil"))
    wanted = exported_request(request(module, headers=headers))
    wanted = replace(wanted, options=("--define-macro=TEXT=" + HOSTILE.replace("\n", ""),))
    result = builder.build(wanted)
    assert result.ok, result.diagnostics
    launch = launch_of(wanted, result, LaunchSpec(kernel="k", arguments=(("x", "1"),), grid="1"))
    return recipe_of(wanted, result, (), launch)


def test_names_and_options_reach_the_compilers_of_a_script_as_they_are(hostile):
    for name in ("cuda-core", "cupy", "torch"):
        (content,) = BY_NAME[name].make(hostile).files.values()
        ast.parse(content)
    script = ran(BY_NAME["cuda-bindings"].make(hostile).text)
    assert script["build"]() == hostile.cubin
    assert list(script["SOURCES"]) == [hostile.request.sources[0].name]
    book = json.loads(BY_NAME["notebook"].make(replace(hostile, launch=None)).text)
    assert len("".join(book["cells"][0]["source"]).splitlines()) == 3


@pytest.mark.slow
def test_names_and_texts_are_the_same_bytes_in_a_program(hostile, tmp_path):
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    texts = [
        HOSTILE.encode(),
        b"ends ???",
        b"\x1a\x7f\r\n",
        b"\xff\0\r1",
        b'R"jit(x)jit"',
        b"??/\n",
    ]
    names = [f"{HOSTILE}\udcff", "??/\n??)", "\x011"]
    made = [*map(cpp.quoted, names), *map(cpp.literal, texts)]
    code = "#include <cstdio>\n#include <string>\nusing Code = std::string;\nint main() {\n"
    code += "".join(f"    // {comment(f'{name}??/')}\n" for name in names)
    code += "".join(
        f"    for (Code c : {{Code({one})}}) fwrite(&c[0], 1, c.size(), stdout);\n" for one in made
    )
    (tmp_path / "main.cpp").write_text(code + "}\n")
    flags = ("-std=c++17", "-trigraphs", "-Wall", "-Werror", "-Wno-trigraphs")
    subprocess.run(["g++", *flags, "main.cpp", "-o", "main"], cwd=tmp_path, check=True)
    said = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, check=True).stdout
    assert said == b"".join([*(os.fsencode(name) for name in names), *texts])


def test_no_target_of_cmake_has_a_name_that_cmake_keeps(hostile):
    for file, target in {"test.cu": "test_program", "grün.cu": "gr_n", "a.b.cu": "a_b"}.items():
        recipe = replace(hostile, request=replace(hostile.request, sources=(cuda("", file),)))
        recipe = replace(recipe, steps=())
        lists = BY_NAME["cpp"].make(recipe).files["CMakeLists.txt"].decode()
        assert f"add_executable({target} main.cpp)" in lists


@pytest.mark.slow
def test_make_and_the_shell_give_the_compiler_the_same_words(hostile, tmp_path):
    if not all(map(shutil.which, ("sh", "make"))):
        pytest.skip("needs a shell and make")
    recorder = tmp_path / "nvcc"
    keep = 'for word; do printf "%s\\0" "$word" >> words; done'
    recorder.write_text(f"#!/bin/sh\n{keep}\n")
    recorder.chmod(0o755)
    (step,) = hostile.steps
    step = replace(step, options=(*step.options, f"--define-macro=TEXT={HOSTILE}"))
    hostile = replace(hostile, steps=(step,))
    (command,) = toolkit_build(hostile).commands
    assert any(HOSTILE in word for word in command.words)
    for form, start in (("nvcc", ["sh", "build.sh"]), ("make", ["make", "NVCC=./nvcc"])):
        made = BY_NAME[form].make(hostile)
        assert any(".git/config" in note for note in made.notes)
        assert ".git/config" not in made.files
        for name in (next(iter(made.files)), *command.reads):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(made.files[name])
        place = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        subprocess.run(start, cwd=tmp_path, env=place, check=True, capture_output=True)
        words = (tmp_path / "words").read_bytes()
        assert words == b"".join(os.fsencode(word) + b"\0" for word in command.words[1:])
        (tmp_path / "words").unlink()


def test_a_command_has_the_very_bytes_of_a_path(exported):
    recipe = exported("typed")
    (name,) = (source.name for source in recipe.request.sources)
    made = BY_NAME["command"].make(replace(recipe, paths={name: "/tmp/\udcff.ll"}))
    assert b"'/tmp/\xff.ll'" in next(iter(made.files.values()))


def test_what_is_no_program_is_refused_with_a_way_out(builder):
    both = request(sample("saxpy.cu"), sample("vector_add.cu"))
    with pytest.raises(ExportError, match="Link them"):
        module_of(both, [])
    assert [s.name for s in module_of(both, ["vector_add.cu"]).sources] == ["vector_add.cu"]
    broken = exported_request(request(sample("broken.cu")))
    with pytest.raises(ExportError, match="nothing to export"):
        recipe_of(broken, builder.build(broken), ())


def launch(*arguments, expectations=()):
    return LaunchRequest(
        code=b"",
        code_kind=CodeKind.CUBIN,
        kernel="k",
        title="k",
        device=0,
        arguments=arguments,
        parameter_bytes=8,
        config=LaunchConfig(),
        expectations=expectations,
    )


FILLED = [
    (FLOAT, Fill(FillKind.RANDOM, (3,))),
    (FLOAT, Fill(FillKind.RANDOM, (3, -2, 5))),
    (named("double"), Fill(FillKind.RANDOM, (0, 1, 7.5))),
    (named("unsigned char"), Fill(FillKind.RANDOM, (4,))),
    (named("short"), Fill(FillKind.RANDOM, (4, -5, 5))),
    (named("bool"), Fill(FillKind.RANDOM, (4,))),
    (BFLOAT16, Fill(FillKind.RANDOM, (9,))),
    (named("float3"), Fill(FillKind.RANGE, (1, 2))),
    (named("unsigned int"), Fill(FillKind.RANGE, (5, -1))),
    (INT, Fill(FillKind.RANGE, (0, 0.5))),
    (INT, Fill(FillKind.CONSTANT, (-7,))),
    (FLOAT, Fill(FillKind.CONSTANT, (math.inf,))),
    (named("double2"), Fill()),
]


def test_buffers_are_filled_with_the_very_numbers_of_a_launch():
    names = ran("import ml_dtypes\nimport numpy as np\n" + FILLS)
    for element, fill in FILLED:
        # More than one piece, so that nothing is drawn in another order.
        buffer = Buffer("values", element, 0, (1 << 18) + 5, fill)
        (line,) = buffer_lines(launch(buffer))
        exec(line, names)
        made, wanted = names["values_"], generate(buffer)
        assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
        assert made.tobytes() == wanted.tobytes(), (element, fill)


def test_expressions_are_those_of_numpy_with_names_that_python_can_have():
    given = launch(
        Buffer("in", FLOAT, 0, 4),
        Buffer("got", FLOAT, 8, 4),
        ValueArgument("n", INT, 16, b"\4\0\0\0", 4),
        expectations=(Expectation("got", "in"),),
    )
    for text, wanted in {
        "in * in + n": "in_ * in_ + n",
        "np.sin(i) + got.sum(axis=0)": "np.sin(np.arange(4)) + got_.sum(axis=0)",
        "where(in > 0, 2, in.astype('float32'))": "np.where(in_ > 0, 2, in_.astype('float32'))",
        "bincount(got, minlength=n)": "np.bincount(got_, minlength=n)",
        "erf(in) if n > 1 else -pi": "erf(in_) if n > 1 else -np.pi",
        "bfloat16(in)": "ml_dtypes.bfloat16(in_)",
    }.items():
        assert expression_text(text, given, 4) == wanted


def test_no_expression_of_a_project_becomes_other_code_in_an_export():
    given = launch(Buffer("y", FLOAT, 0, 4))
    for text in ("np.lib.os.system('id')", "exec('1')", "y, rtol=9) or check(y", "y.tofile('f')"):
        with pytest.raises(ExportError, match="cannot be exported"):
            expression_text(text, given, 4)
    assert expression_text("y # \r, exec('1')", given, 4) == "y"


@pytest.mark.parametrize(
    "content",
    [b"plain\n", b"quote ''' and \\", b"ends '", b"\r\n\x00\xff", "grün 榛".encode(), b"", b"a\\"],
)
def test_texts_are_the_same_bytes_in_python(content):
    names = {
        "compressed": lambda text: __import__("zlib").decompress(
            __import__("base64").b85decode(text)
        )
    }
    assert eval(literal(content), names) == content


def test_no_parameter_hides_what_a_script_needs():
    names = ("bytes", "values", "in", "np", "kernel", "size")
    assert [variable(name) for name in names] == [f"{name}_" for name in names]
    assert variable("x") == "x"
    assert variable("%p").isidentifier()


def test_a_check_fails_where_a_number_is_wrong(exported):
    script = ran(BY_NAME["cuda-bindings"].make(exported("template")).text)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        numbers = np.arange(6, dtype=np.float32)
        assert script["check"]("y", numbers, numbers + 1e-6, 1e-5, 1e-5, 0)
        assert not script["check"]("y", numbers, numbers + (numbers == 4), 1e-5, 1e-8, 0)
    assert "the first at (np.int64(4),)" in said.getvalue() or "(4,)" in said.getvalue()


@pytest.mark.parametrize(
    ("part", "expression"),
    [
        ("[1:-1]", "in[i - 1] + in[i + 1]"),
        ("[0]", "0"),
        (".reshape(3, 4)[1:, 2]", "2 * i"),
        ("[i % n == 0]", "2 * i"),
    ],
)
def test_a_script_checks_a_part_as_a_launch_does(exported, part, expression):
    script = ran(BY_NAME["cuda-bindings"].make(exported("template")).text)
    asked = launch(
        Buffer("in", FLOAT, 0, 12, Fill(FillKind.RANGE)),
        Buffer("out", FLOAT, 8, 12),
        ValueArgument("n", INT, 16, b"\4\0\0\0", 4),
        expectations=(Expectation("out", expression, part),),
    )
    (line,) = check_lines(asked, {"out": "got"})
    names = {"in_": np.arange(12, dtype=np.float32), "got": np.arange(12, dtype=np.float32) * 2}
    names |= script | {"n": 4}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert eval(line, names)
        names["got"] = names["got"] + 1
        assert not eval(line, names)
    assert f"out{part}: all" in said.getvalue()


BOOL, ULONG = named("bool"), named("unsigned long")
KINDS = ("int32", "uint64", "bool", "float32", "float64")
PAIRS = [
    (np.arange(300_000), np.arange(300_000) - (np.arange(300_000) > 200_000)),
    (np.array([2**53 + 1, 7]), np.array([2**53, 7])),
    (np.array([1, 2, 0]), np.array([1.0, 2.5, 0.0])),
    (np.array([1, 0, 1]), np.array([1, 0, 1])),
    (np.array([1, 0, 1]), np.array([1, 0, 2])),
    (np.array([1, 0, 1]), np.array([1, np.nan, 1])),
    (np.array([5, 5]), np.array([2.0**60, 5])),
    (np.array([4, 5]), np.array([5, 5])),
    (np.array([4, 4]), np.array([4])),
]
NOT_INTEGERS = [
    (np.array([np.nan, 1]), np.array([np.nan, 1])),
    (np.array([np.inf, 1]), np.array([np.inf, 1.000001])),
    (np.array([np.inf, 1]), np.array([-np.inf, 1])),
]


@pytest.mark.parametrize("itol", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_a_check_of_a_script_agrees_with_that_of_a_launch(exported, kind, itol):
    script = ran(BY_NAME["cuda-bindings"].make(exported("template")).text)
    element = {"int32": INT, "uint64": ULONG, "bool": BOOL, "float32": FLOAT, "float64": DOUBLE}
    for got, expected in PAIRS + (NOT_INTEGERS if kind.startswith("float") else []):
        buffer = got.astype(kind)
        with contextlib.redirect_stdout(io.StringIO()):
            said = script["check"]("y", buffer, expected, 1e-5, 1e-8, itol)
        tolerance = Tolerance(1e-5, 1e-8, itol)
        wanted = compare(buffer, expected, Expectation("y", "e"), element[kind], tolerance)
        assert said == wanted.ok, (got, expected)


@pytest.mark.slow
@pytest.mark.parametrize("itol", [0, 1])
def test_a_check_of_a_program_agrees_with_that_of_a_launch(tmp_path, itol):
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    types = {"int": INT, "unsigned long long": ULONG, "float": FLOAT, "double": DOUBLE}
    request = replace(launch(), integer_tolerance=itol)
    lines, wanted = [], []
    for spelling, element in types.items():
        dtype = numpy_dtype(element)
        for got, expected in PAIRS + (NOT_INTEGERS if element in (FLOAT, DOUBLE) else []):
            numbers = np.broadcast_to(expected, got.shape).astype(float)
            for value, number in list(zip(got.astype(dtype), numbers, strict=True))[-200:]:
                made = compare(
                    np.array([value]),
                    np.array([number]),
                    Expectation("y", "e"),
                    element,
                    Tolerance(1e-5, 1e-8, itol),
                )
                wanted.append(made.ok)
                text = str(value).replace("nan", "NAN").replace("inf", "INFINITY")
                other = repr(float(number)).replace("nan", "NAN").replace("inf", "INFINITY")
                lines.append(f"    std::putchar('0' + agrees<{spelling}>({text}, {other}));\n")
    head = "".join(f"#include <{name}>\n" for name in ("cmath", "cstdio", "type_traits"))
    body = "".join(lines)
    text = f"{head}{cpp._agrees(request)}int main() {{\n{body}}}\n"
    (tmp_path / "main.cpp").write_text(text)
    subprocess.run(["g++", "-std=c++17", "main.cpp", "-o", "main"], cwd=tmp_path, check=True)
    said = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, check=True).stdout
    assert [letter == ord("1") for letter in said] == wanted
    assert {True, False} <= set(wanted)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "element", "got", "wrong", "unknown"),
    [
        ("i * 288230376151711745", "long long", "288230376151711745LL * i", 0, 4),
        ("i * 288230376151711745", "long long", "288230376151711745LL * i + 1", 0, 4),
        ("i + 288230376151711745 - 288230376151711745", "long long", "i", 0, 4),
        ("i + n - n", "long long", "i", 0, 4),
        ("i * 9007199254740991", "long long", "i * 9007199254740991LL", 0, 2),
        ("-i * 3 + 2", "int", "2 - 3 * int(i) + int(i == 2)", 1, 0),
        ("i * 288230376151711745", "double", "double(i) * 288230376151711744.0", 0, 0),
        ("i / 0", "int", "7", 4, 0),
    ],
)
def test_integers_that_no_double_knows_are_not_checked_and_not_wrong(
    tmp_path, expression, element, got, wrong, unknown
):
    """`got` is by the integers of C++, one too many in the second row, and at 2 in the sixth."""
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    buffer = Buffer("o", named(element), 0, 4)
    made = ValueArgument("n", named("long long"), 8, (1 << 58).to_bytes(8, "little"), 1 << 58)
    asked = launch(buffer, made, expectations=(Expectation("o", expression),))
    notes: list[str] = []
    checks = "".join(cpp._checks(asked, notes))
    assert not notes
    names = ("cmath", "cstdint", "cstdio", "type_traits", "vector")
    head = "".join(f"#include <{name}>\n" for name in names)
    fill = f"    std::vector<{element}> got_o;\n    size_t wrong = 0;\n"
    fill += f"    for (size_t i = 0; i < 4; ++i) got_o.push_back({got});\n"
    text = f"{head}{cpp._agrees(asked)}int main() {{\n{fill}{checks}    return wrong ? 5 : 0;\n}}\n"
    (tmp_path / "main.cpp").write_text(text)
    words = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main"]
    subprocess.run(words, cwd=tmp_path, check=True)
    ended = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True)
    assert f"o: {wrong} of 4 numbers are wrong" in ended.stdout
    assert ended.returncode == (5 if wrong else 0)
    said = f"o: {unknown} of them are not checked: a double does not know every integer"
    assert (said in ended.stdout) == bool(unknown)
    assert ("not checked" in ended.stdout) == bool(unknown)


COMPLEX = instance("complex", (DOUBLE,))


def test_complex_buffers_of_an_export_hold_and_expect_what_those_of_a_launch_do(exported):
    script = ran(BY_NAME["cuda-bindings"].make(exported("template")).text)
    fills = {
        "a": Fill(FillKind.CONSTANT, (1.0, 2.0)),
        "b": Fill(FillKind.RANGE, (1, 2)),
        "c": Fill(FillKind.RANDOM, (5,)),
        "d": Fill(FillKind.EXPRESSION, text="a * b + i"),
    }
    buffers = [Buffer(name, COMPLEX, 0, 6, fill) for name, fill in fills.items()]
    given = replace(
        launch(*buffers),
        expectations=(Expectation("d", "a * b + i"), Expectation("d", "a * b + i + 1e-9j")),
    )
    names = {"np": np, "fill": script["fill"], "check": script["check"]}
    exec("\n".join(buffer_lines(given)), names)
    for buffer in buffers[:3]:
        assert names[buffer.name].tobytes() == generate(buffer).tobytes()
    whole = as_expressions_see(names["d"], COMPLEX)
    assert whole.tolist() == [(1 + 2j) * (1 + 2 * i) + i for i in range(6)]
    with contextlib.redirect_stdout(io.StringIO()):
        got = {each.name: each.name for each in buffers}
        verdicts = [eval(line, names) for line in check_lines(given, got)]
        assert verdicts == [True, True]
        exact = replace(given, relative=0.0, absolute=0.0)
        assert [eval(line, names) for line in check_lines(exact, got)] == [True, False]


def test_an_export_that_cannot_be_written_says_so(run, tmp_path):
    (tmp_path / "file").write_text("")
    ended = run("export", "cpp", SAMPLES / "vector_add.cu", "-o", "file")
    assert ended.code == 2
    assert "cannot be written" in ended.err
    ended = run("export", "cpp", SAMPLES / "vector_add.cu")
    assert ended.code == 2
    assert "-o" in ended.err
