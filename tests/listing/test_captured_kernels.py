"""The parameters of captured kernels, against PTX that Triton, Numba, CuPy and cuda.core made."""

from dataclasses import replace
from pathlib import Path

from jitstudio.core.arch import Arch
from jitstudio.core.captured import CapturedKernel, KernelLanguage, Representation, pack, unpack
from jitstudio.core.code import Artifact, CodeKind, Source
from jitstudio.core.launch.arguments import default_arguments, first_launch
from jitstudio.core.launch.c_types import FLOAT, INT
from jitstudio.core.launch.request import HostBuffer
from jitstudio.core.launch.types import Pointer
from jitstudio.core.result import BuildResult, Kernel, Outcome
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.ptx.skimming import entries
from tests.support import SAMPLES

TRITON = unpack((SAMPLES / "triton_swiglu.jitkernel").read_bytes())
OLD = Path(__file__).parents[1] / "data/captured/triton_2.1"


def form_of(kernel, name="k.jitkernel"):
    ptx = kernel.representation(KernelLanguage.PTX)
    (lowered,) = entries(ptx.text)
    result = BuildResult(
        Outcome.BUILT,
        Arch(90),
        artifacts=(Artifact(CodeKind.PTX, name, ptx.content),),
        kernels=(Kernel(name, lowered, lowered),),
    )
    (form,) = kernel_forms((Source(name, CodeKind.CAPTURED, pack(kernel)),), result, access=True)
    return form


def test_triton_says_names_types_constants_and_what_it_adds():
    form = form_of(TRITON)
    names = ["gate_ptr", "up_ptr", "out_ptr", "n", "global_scratch", "profile_scratch"]
    assert [p.name for p in form.parameters] == names
    types = [Pointer(FLOAT)] * 3 + [INT] + [Pointer(None)] * 2
    assert [p.type for p in form.parameters] == types
    texts = dict(default_arguments(form))
    assert (texts["gate_ptr"], texts["out_ptr"]) == ("n:random:in", "n:zeros:out")
    assert texts["global_scratch"] == texts["profile_scratch"] == "null"
    assert (form.module, form.line, form.unit) == ("triton_swiglu.py", 12, "k.jitkernel")
    # What its PTX requires, which is more than a hint.
    assert first_launch(form).block == "128"
    assert "Compiled in, and no longer passed: BLOCK=1024." in form.remarks
    assert any("never reads: null is right" in note for note in form.remarks)
    assert form.notes == ()


def test_a_hidden_pointer_that_is_read_is_said_to_need_a_buffer():
    ptx = TRITON.representation(KernelLanguage.PTX)
    used = ptx.text.replace("[swiglu_param_0]", "[swiglu_param_4]")
    parts = (
        *(one for one in TRITON.representations if one.language is not KernelLanguage.PTX),
        Representation(KernelLanguage.PTX, used.encode()),
    )
    form = form_of(CapturedKernel(TRITON.name, TRITON.origin, parts, TRITON.facts))
    assert any("reads global_scratch: give a buffer there" in note for note in form.remarks)


def test_old_ir_without_names_takes_those_of_the_function():
    (folder,) = OLD.iterdir()
    source = b"@jit\ndef scale_kernel(x_ptr, n, factor, BLOCK): pass\n"
    parts = [Representation(KernelLanguage.PYTHON, source, "/a/scale.py")]
    for language in (KernelLanguage.TTIR, KernelLanguage.PTX):
        content = (folder / f"scale_kernel{language.ending}").read_bytes()
        parts.append(Representation(language, content))
    kernel = CapturedKernel("scale_kernel", "Triton 2.1", tuple(parts), {"BLOCK": "128"})
    assert [p.name for p in form_of(kernel).parameters] == ["x_ptr", "n", "factor"]


def test_numba_passes_an_array_as_several_parameters():
    kernel = unpack((SAMPLES / "numba_smooth.jitkernel").read_bytes())
    named = CapturedKernel(
        kernel.name,
        kernel.origin,
        kernel.representations,
        {"values": "float32[::1]", "out": "array(float32, 1d, C)"},
    )
    form = form_of(named)
    array = ("meminfo", "parent", "nitems", "itemsize", "", "shape0", "stride0")
    names = [f"{a}_{part}".rstrip("_") for a in ("values", "out") for part in array]
    assert [p.name for p in form.parameters] == names
    texts = dict(default_arguments(form))
    assert (texts["values_meminfo"], texts["out_parent"]) == ("null", "null")
    assert texts["values"] == "values_nitems:random:in"
    assert (texts["out_shape0"], texts["out_stride0"]) == (texts["out_nitems"], "4")
    assert first_launch(form).cover == "values_nitems"


def launched(**facts):
    kernel = unpack((SAMPLES / "numba_smooth.jitkernel").read_bytes())
    arrays = {"values": "array(float32, 1d, A)", "out": "array(float32, 1d, C)"}
    facts = arrays | {name.replace("_", " "): text for name, text in facts.items()}
    return form_of(CapturedKernel(kernel.name, kernel.origin, kernel.representations, facts))


def test_a_kernel_of_numba_begins_with_the_launch_of_its_script():
    form = launched(
        launch_grid="3,2,1",
        launch_block="64,1,1",
        launch_shared="128",
        launch_line="17",
        launch_array_values="100,8",
        launch_array_out="100,4",
    )
    texts = dict(default_arguments(form))
    assert (texts["values_nitems"], texts["values_shape0"], texts["values_stride0"]) == (
        "100",
        "100",
        "8",
    )
    assert (texts["out_shape0"], texts["out_stride0"]) == ("100", "4")
    launch = first_launch(form)
    assert (launch.grid, launch.block, launch.shared) == ("3,2", "64", "128")
    assert (form.host_launch.line, form.host_launch.kernel) == (17, "smooth")


def test_a_launch_that_is_damaged_is_none():
    for facts in (
        {"launch_grid": "3,x", "launch_block": "64"},
        {"launch_grid": "3"},
        {"launch_grid": "9" * 30, "launch_block": "64"},
    ):
        assert launched(**facts).host_launch is None
    form = launched(launch_array_values="0,4", launch_array_out="1,2,3")
    texts = dict(default_arguments(form))
    assert (texts["values_shape0"], texts["out_shape0"]) == ("1048576", "1048576")


def test_cuda_in_a_captured_kernel_declares_it():
    form = form_of(unpack((SAMPLES / "cupy_row_sums.jitkernel").read_bytes()))
    assert [p.name for p in form.parameters] == ["rows", "sums", "width"]
    assert (form.notes, form.line) == ((), 2)


def test_a_kernel_of_cupy_begins_with_the_launch_of_its_script():
    kernel = unpack((SAMPLES / "cupy_row_sums.jitkernel").read_bytes())
    name = kernel.name
    told = {
        "grid": "30",
        "block": "128,1,1",
        "shared": "0",
        "line": "9",
        "bytes 0": "4000",
        "number 2": "64",
    }
    facts = {f"launch {name}: {key}": value for key, value in told.items()}
    launch = form_of(replace(kernel, facts={**kernel.facts, **facts})).host_launch
    assert launch is not None
    assert (launch.grid, launch.block, launch.shared, launch.line) == ((30,), (128,), 0, 9)
    assert launch.arguments == (HostBuffer(4000), None, 64)
    others = {f"launch other: {key}": value for key, value in told.items()}
    assert form_of(replace(kernel, facts={**kernel.facts, **others})).host_launch is None


def test_a_kernel_of_triton_begins_with_the_launch_of_its_script():
    told = {"grid": "4", "block": "128", "number n": "1000", "bytes gate_ptr": "4000"}
    facts = {f"launch {key}": value for key, value in told.items()}
    form = form_of(replace(TRITON, facts={**TRITON.facts, **facts}))
    launch = first_launch(form)
    names = [p.name for p in form.parameters]
    assert (launch.grid, launch.block) == ("4", "128")
    assert form.host_launch.arguments[names.index("n")] == 1000
    assert form.host_launch.arguments[names.index("gate_ptr")] == HostBuffer(4000)
    assert dict(launch.arguments)["n"] == "1000"
    assert dict(launch.arguments)["gate_ptr"] == "n:random:in"


def test_a_source_that_says_something_else_is_left_out():
    other = TRITON.representation(KernelLanguage.TTIR).text.replace(
        "%n: i32 {", "%m: !tt.tensordesc<"
    )
    parts = [
        Representation(KernelLanguage.TTIR, other.encode())
        if one.language is KernelLanguage.TTIR
        else one
        for one in TRITON.representations
    ]
    form = form_of(CapturedKernel(TRITON.name, TRITON.origin, tuple(parts)))
    assert [p.name for p in form.parameters] == [f"arg{n}" for n in range(6)]
    assert form.notes
