"""Objects of the real packages: the bytes that are taken are the ones that the package gives.

Run where they are installed (the extra `python-kernels`); no GPU is needed.
"""

import importlib
import importlib.util
import linecache
import os
from pathlib import Path

import pytest

from jitstudio.core.captured import KernelLanguage as L
from jitstudio.core.captured import unpack
from jitstudio.core.code import CodeKind
from jitstudio.core.cubin import cubin_target
from jitstudio.python.things import NotCompiled, cupy_options, found_in

pytestmark = [pytest.mark.python_kernels, pytest.mark.slow, pytest.mark.filterwarnings("default")]

RECORDED = unpack((Path(__file__).parents[1] / "data/captured/add_kernel.jitkernel").read_bytes())
SAXPY = """extern "C" __global__ void saxpy(float a, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
ADD = """import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1.0, mask=at < n)
"""


def module_of(text, tmp_path, monkeypatch, name):
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.import_module(name)


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """Return a Triton kernel, and the function that it was compiled from."""
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    function = module_of(ADD, tmp_path, monkeypatch, "show_triton_add").add_kernel
    signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    source = ASTSource(function, signature=signature, constexprs={"BLOCK": 128})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32)), function


def test_triton_kernels_have_all_that_triton_has_made(compiled):
    kernel, _ = compiled
    (found,) = found_in(kernel)
    made = {one.language: one for one in found.representations}
    assert list(made) == [L.PYTHON, L.TTIR, L.TTGIR, L.LLVM_IR, L.PTX, L.CUBIN]
    for word, language in (("ttir", L.TTIR), ("ttgir", L.TTGIR), ("llir", L.LLVM_IR)):
        assert made[language].text == kernel.asm[word]
    assert (made[L.PTX].text, made[L.CUBIN].content) == (kernel.asm["ptx"], kernel.asm["cubin"])
    # PTX has `sm_90a`: what its machine code is for is what counts.
    assert (found.name, found.target) == ("add_kernel", cubin_target(kernel.asm["cubin"]))
    assert (made[L.PYTHON].text, made[L.PYTHON].first_line) == (ADD, 1)
    assert found.origin == f"Triton {importlib.import_module('triton').__version__}"
    assert (found.facts["num_warps"], found.facts["hash"]) == ("4", kernel.hash)


def test_triton_functions_have_all_that_they_were_compiled_to(compiled):
    kernel, function = compiled
    # By Triton's cache, as long as the file is older than what is there.
    (found,) = found_in(function)
    for word, language in (("ttgir", L.TTGIR), ("ptx", L.PTX)):
        assert found.representation(language).text == kernel.asm[word]
    assert found.representation(L.CUBIN).content == kernel.asm["cubin"]
    assert (found.facts["num_warps"], found.source.text) == ("4", ADD)
    file = Path(function.fn.__code__.co_filename)
    later = file.stat().st_mtime + 1000
    os.utime(file, (later, later))
    with pytest.raises(NotCompiled, match=r"'add_kernel' is a Triton function .* Launch it once"):
        found_in(function)
    function.device_caches[0] = ({"*fp32, 128": kernel, "*fp32, 256": kernel}, {}, None, None, None)
    assert [one.representation(L.PTX).text for one in found_in(function)] == [kernel.asm["ptx"]] * 2
    triton = importlib.import_module("triton")
    tuned = triton.heuristics({"BLOCK": lambda _: 128})(function)
    assert len(found_in(tuned)) == 2


def test_a_changed_file_is_not_taken_for_what_was_compiled(compiled):
    kernel, _ = compiled
    source = kernel.src.fn
    file = Path(source.fn.__code__.co_filename)
    file.write_text(ADD.replace("+ 1.0", "+ 2.0"))
    linecache.checkcache(str(file))
    (found,) = found_in(kernel)
    assert (found.source.first_line, "+ 1.0" in found.source.text) == (5, True)
    assert found.source.text == "".join(source.raw_src)


@pytest.fixture
def numba_cuda(monkeypatch):
    """Return numba.cuda as it is where there is an H100."""
    pytest.importorskip("numba_cuda")
    cuda = pytest.importorskip("numba.cuda")
    from numba.cuda import dispatcher
    from numba.cuda.cudadrv import devices

    class Device:
        compute_capability, id = (9, 0), 0

    class Context:
        device = Device

    monkeypatch.setattr(dispatcher, "get_current_device", lambda: Device)
    monkeypatch.setattr(devices, "get_context", lambda _=None: Context)
    return cuda


def test_numba_functions_have_all_their_specialisations(numba_cuda):
    from numba import types
    from numba.cuda.dispatcher import _Kernel

    def scale(x, a):
        i = numba_cuda.grid(1)
        if i < x.size:
            x[i] *= a

    function = numba_cuda.jit(scale, lineinfo=True)
    with pytest.raises(NotCompiled, match="'scale' is a Numba function that was not compiled"):
        found_in(function)
    for number in (types.float32, types.float64):
        given = (number[:], number)
        function.overloads[given] = _Kernel(scale, given, **function.targetoptions)
    assembly = function.inspect_asm()  # of the target without its letter, unlike what runs
    found = found_in(function)
    for one, (given, kernel) in zip(found, function.overloads.items(), strict=True):
        assert one.representation(L.PTX).text == kernel.inspect_asm((9, 0, "a"))
        assert one.representation(L.PTX).text == assembly[given].replace("sm_90", "sm_90a")
        assert one.representation(L.LLVM_IR).text == kernel.inspect_llvm()
        cubin = kernel.library.get_cubin(cc=(9, 0, "a"))
        assert one.representation(L.CUBIN).content == cubin.code
        assert (one.name, one.facts["kernel"]) == ("scale", kernel.entry_name)
        assert one.source.text == Path(__file__).read_text()
    assert ["float64" in one.facts["signature"] for one in found] == [False, True]


def test_numba_functions_for_cpus_are_refused():
    numba = pytest.importorskip("numba")

    @numba.njit
    def double(x):
        return x * 2

    double(2)
    with pytest.raises(TypeError, match="holds no kernel that is known"):
        found_in(double)


def test_objects_of_cuda_core_are_what_their_code_says():
    core = pytest.importorskip("cuda.core")
    program = core.Program(SAXPY, "c++", core.ProgramOptions(arch="sm_90"))
    code = program.compile("cubin")
    (found,) = found_in(code)
    assert (found.kind, found.content) == (CodeKind.CUBIN, code.code)
    (found,) = found_in(program, name="mine")
    assert found.representation(L.CUBIN).content == code.code
    (found,) = found_in(core.ObjectCode.from_ptx(b".version 8.0\n.target sm_90\n"), name="p")
    assert (found.name, found.kind) == ("p.ptx", CodeKind.PTX)
    program.close()
    with pytest.raises(NotCompiled, match="cannot be compiled"):
        found_in(program)


def test_cupy_kernels_are_compiled_with_the_folders_of_cupy_s_headers():
    cupy = pytest.importorskip("cupy")
    options = cupy_options(("-lineinfo",))
    assert "-lineinfo" in options
    code = (
        '#include <cupy/complex.cuh>\nextern "C" __global__ void k(complex<float>* a) { *a = 1; }'
    )
    made, _ = cupy.cuda.compiler.compile_using_nvrtc(code, options, "90")
    assert b"_Z" in made or b"k" in made


def test_cupy_kernels_have_their_source_and_what_cupy_makes_of_it(monkeypatch):
    cupy = pytest.importorskip("cupy")
    kernel = cupy.RawKernel(SAXPY, "saxpy", options=("-lineinfo",))
    module = cupy.RawModule(code=SAXPY)
    if not cupy.cuda.is_available():
        (found,) = found_in(kernel)
        assert (found.name, found.kind, found.content.decode()) == (
            *("saxpy.cu", CodeKind.CUDA),
            SAXPY,
        )
        compiler = cupy.cuda.compiler
        monkeypatch.setattr(compiler, "_get_arch", lambda: "90")
        monkeypatch.setattr(
            compiler, "_get_arch_for_options_for_nvrtc", lambda _=None: ("-arch=sm_90", "cubin")
        )
    (found,) = found_in(kernel)
    assert (found.name, found.source.text, found.facts["options"]) == ("saxpy", SAXPY, "-lineinfo")
    cubin = found.representation(L.CUBIN).content
    assert cubin_target(cubin) is not None
    assert b"saxpy" in cubin
    assert found.source.file.encode() in cubin
    assert [one.name for one in found_in([module, kernel])] == ["module", "saxpy"]


def test_warp_modules_have_their_source_and_what_lies_in_the_cache(tmp_path, monkeypatch):
    warp = pytest.importorskip("warp")
    monkeypatch.setattr(warp.config, "kernel_cache_dir", str(tmp_path / "cache"))
    text = (
        "import warp as wp\n\n\n@wp.kernel\ndef scale(x: wp.array(dtype=float), a: float):\n"
        "    x[wp.tid()] *= a\n"
    )
    scale = module_of(text, tmp_path, monkeypatch, "show_warp_scale").scale
    with pytest.raises(NotCompiled, match="'scale' is a Warp module that was not compiled"):
        found_in(scale)
    (path,) = warp.compile_aot_module(scale.module, arch=90, use_ptx=False)
    (found,) = found_in(scale)
    assert found.representation(L.CUBIN).content == path.read_bytes()
    assert "scale" in found.source.text
    assert found_in(scale.module)[0].name == scale.module.name


CUTE = """import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor


@cute.kernel
def more(a: cute.Tensor):
    at, _, _ = cute.arch.thread_idx()
    a[at] = a[at] + 1.0


@cute.jit
def launch(a: cute.Tensor):
    more(a).launch(grid=(1, 1, 1), block=(32, 1, 1))


def compiled(options):
    return cute.compile(launch, make_fake_compact_tensor(cutlass.Float32, (32,)), options=options)
"""


def test_what_cute_dsl_has_kept_is_taken(tmp_path, monkeypatch):
    if importlib.util.find_spec("cutlass") is None:
        pytest.skip("CuTe DSL is not installed")
    monkeypatch.setenv("CUTE_DSL_ARCH", "sm_90a")
    monkeypatch.chdir(tmp_path)
    module = module_of(CUTE, tmp_path, monkeypatch, "show_cute_more")
    kernel = module.compiled("--keep-ptx --keep-cubin")
    (found,) = found_in(kernel)
    assert found.representation(L.PTX).text == kernel.__ptx__
    assert found.representation(L.CUBIN).content == kernel.__cubin__
    assert (found.name, str(found.target)) == (kernel.function_name, "sm_90a")
    assert found.origin.startswith("CuTe DSL 4.")
    with pytest.raises(NotCompiled, match=r"kept neither PTX nor cubin\. Compile it with"):
        found_in(module.compiled(""))


def test_what_cutile_gives_is_taken_and_the_rest_explained():
    tile = pytest.importorskip("cuda.tile")

    @tile.kernel
    def copy(a):
        pass

    with pytest.raises(NotCompiled, match=r"'copy' is a cuTile kernel.*export_kernel"):
        found_in(copy)
    from cuda.tile._compile import CompilationResult

    content = RECORDED.representation(L.CUBIN).content
    made = CompilationResult([], cubin=content, bytecode=bytearray(b"\x7fTileIR"))
    (found,) = found_in(made, name="copy")
    assert (found.representation(L.CUBIN).content, found.name) == (content, "copy")
    assert found.representation(L.TILE_IR).content == b"\x7fTileIR"
