"""Tile functions: each stage makes the bytes of the bare libraries and programs."""

import re
import signal
from dataclasses import replace
from random import Random

import pytest

from jitstudio.core.code import LINKED, CodeKind, Source, split_variant
from jitstudio.core.cubin import cubin_target, kept_ptx
from jitstudio.core.diagnostics import FixKind, Severity
from jitstudio.core.fatbin import fatbin_entries
from jitstudio.core.kernel_resources import cubin_resources, is_tile_code
from jitstudio.core.launch.choice import launchable
from jitstudio.core.launch.spec import LoadMode
from jitstudio.core.plan import Job, Ref
from jitstudio.core.request import CudaCompiler
from jitstudio.core.result import Outcome
from jitstudio.core.tile_ir import tile_kernels
from jitstudio.core.tools import Tool
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.ptx.skimming import without_tile_ir
from jitstudio.toolchain import locate, tileiras
from jitstudio.toolchain.runner import run as run_job
from tests.support import cuda, one_in, request
from tests.tile_kernels import (
    KERNELS,
    NEEDS_TILE,
    TILE_OPTIONS,
    bare_cubin,
    bare_text,
    bare_tile_ir,
    tile_source,
)

pytestmark = [NEEDS_TILE, pytest.mark.slow]
K = CodeKind
TARGETS = ("sm_90", "sm_100", "sm_120")
EVERYTHING = "tile-bytecode,tileir,ptx,cubin,sass"


def built(builder, name, arch="sm_90", emit=EVERYTHING, options=TILE_OPTIONS, **words):
    return builder.build(request(tile_source(name), emit=emit, arch=arch, options=options, **words))


@pytest.mark.parametrize(
    ("name", "arch"), one_in(4, [(name, arch) for name in KERNELS for arch in TARGETS])
)
def test_each_stage_makes_the_bytes_of_the_bare_tools(builder, tmp_path, name, arch):
    result = built(builder, name, arch)
    assert result.outcome is Outcome.BUILT, result.diagnostics
    bytecode = bare_tile_ir(name, f"-arch={arch}", "-lineinfo", *TILE_OPTIONS)
    assert result.artifact(K.TILE_BYTECODE, f"{name}.cu").content == bytecode
    part = f"{name}.cu@tile"
    cubin = bare_cubin(bytecode, arch, tmp_path)
    assert result.artifact(K.CUBIN, part).content == cubin
    assert result.artifact(K.TILEIR, part).content == bare_text(bytecode, tmp_path)
    assert result.artifact(K.PTX, part).text == without_tile_ir(kept_ptx(cubin))
    assert cubin_target(cubin).sm.startswith(arch)
    listed = {k.name: k.resources for k in result.kernels if k.module == part}
    assert listed == cubin_resources(cubin)
    assert sorted(listed) == sorted(KERNELS[name])
    assert all(needs.registers and needs.max_threads for needs in listed.values())
    sass = result.artifact(K.SASS, part).text
    assert all(f".text.{kernel}" in sass for kernel in KERNELS[name])


@pytest.mark.parametrize("name", KERNELS)
def test_the_kernels_of_tile_ir_are_known_without_any_tool(name):
    bytecode = bare_tile_ir(name, "-arch=sm_90", "-lineinfo", *TILE_OPTIONS)
    assert list(tile_kernels(bytecode)) == KERNELS[name]


def test_both_kinds_of_kernels_of_a_file_are_built(builder):
    result = built(builder, "two_kinds", emit="ptx,cubin")
    assert {(k.module, k.name) for k in result.kernels} == {
        ("two_kinds.cu", "_Z7doubledPf"),
        ("two_kinds.cu@tile", "_Z6filledPff"),
    }
    assert {(a.kind, a.name) for a in result.artifacts} == {
        (kind, name) for kind in (K.PTX, K.CUBIN) for name in ("two_kinds.cu", "two_kinds.cu@tile")
    }
    assert not is_tile_code(result.artifact(K.CUBIN, "two_kinds.cu").content)
    assert is_tile_code(result.artifact(K.CUBIN, "two_kinds.cu@tile").content)


def test_code_without_a_function_is_no_output(builder):
    result = built(builder, "vector_add", emit="ptx,cubin")
    assert {a.name for a in result.artifacts} == {"vector_add.cu@tile"}
    assert result.diagnostics == ()


def test_a_file_without_tile_functions_has_no_tile_part(builder):
    plain = request(
        cuda("__global__ void k(int* p) { *p = 1; }", "k.cu"),
        emit="ptx,cubin,tileir",
        options=TILE_OPTIONS,
    )
    result = builder.build(plain)
    assert result.outcome is Outcome.BUILT
    assert {(a.kind, a.name) for a in result.artifacts} == {(K.PTX, "k.cu"), (K.CUBIN, "k.cu")}


@pytest.mark.parametrize(
    ("emit", "option"), [("tileir", "--enable-tile"), ("sass,ptx", "--tile-only")]
)
def test_tile_ir_of_other_functions_alone_is_missing_in_words(builder, emit, option):
    plain = cuda("__global__ void k(int* p) { *p = 1; }", "k.cu")
    result = builder.build(request(plain, emit=emit, options=(option, "--std=c++20")))
    (warning,) = result.diagnostics
    assert (warning.severity, warning.explanation) == (Severity.WARNING, "")
    assert warning.message == "There is no __tile_global__ function, and so no Tile IR."


def test_tile_functions_alone_have_the_name_of_the_module(builder):
    result = built(builder, "two_kinds", emit="cubin,sass", options=("--tile-only", "--std=c++20"))
    assert {a.name for a in result.artifacts} == {"two_kinds.cu"}
    assert [k.name for k in result.kernels] == ["_Z6filledPff"]


def test_bytecode_is_built_as_a_module(builder):
    bytecode = bare_tile_ir("row_sums", "-arch=sm_90", "-lineinfo", *TILE_OPTIONS)
    source = replace(tile_source("row_sums"), name="k.tileirbc", kind=K.TILE_BYTECODE)
    result = builder.build(request(replace(source, content=bytecode), emit="tileir,ptx,sass"))
    assert result.outcome is Outcome.BUILT
    assert [k.name for k in result.kernels] == KERNELS["row_sums"]
    assert "entry @_Z8row_sumsPKfPfj" in result.artifact(K.TILEIR, "k.tileirbc").text


@pytest.mark.parametrize("link", ["ptx", "lto"])
def test_a_link_leaves_tile_functions_beside(builder, link):
    result = built(builder, "two_kinds", emit="cubin", link=link)
    assert result.outcome is Outcome.BUILT, result.diagnostics
    assert {a.name for a in result.artifacts} == {LINKED, "two_kinds.cu@tile"}
    assert {k.name for k in result.kernels} == {"_Z7doubledPf", "_Z6filledPff"}


PLAIN = cuda("__global__ void plain(int* p) { *p = 1; }", "plain.cu")


@pytest.mark.parametrize("link", ["ptx", "lto"])
@pytest.mark.parametrize("emit", ["cubin", "fatbin"])
def test_a_link_takes_the_modules_that_have_something_to_link(builder, link, emit):
    modules = request(tile_source("vector_add"), PLAIN, emit=emit, link=link, options=TILE_OPTIONS)
    result = builder.build(modules)
    assert result.outcome is Outcome.BUILT, result.diagnostics
    kernels = {(split_variant(kernel.module)[0], kernel.name) for kernel in result.kernels}
    assert kernels == {(LINKED, "_Z5plainPi"), ("vector_add.cu", "_Z3addPKfS0_Pfi")}
    assert result.artifact(K(emit), LINKED)


@pytest.mark.parametrize("emit", ["sass", "fatbin"])
def test_a_link_of_nothing_but_tile_functions_fails_in_words(builder, emit):
    result = built(builder, "vector_add", emit=emit, link="ptx")
    assert result.outcome is Outcome.FAILED
    (error,) = result.diagnostics
    assert "no others in 'vector_add.cu'. Build without a link." in error.message


@pytest.mark.parametrize("name", ["two_kinds", "vector_add"])
def test_a_fatbin_has_machine_code_for_each_target_and_tile_ir_once(builder, name):
    both = replace(
        request(tile_source(name), emit="fatbin", options=TILE_OPTIONS),
        fat_archs=tuple(request(arch=arch).arch for arch in ("sm_90", "sm_100")),
        fat_ptx=tuple(request(arch=arch).arch for arch in ("sm_80", "sm_90")),
    )
    result = builder.build(both)
    assert result.outcome is Outcome.BUILT, result.diagnostics
    entries = fatbin_entries(result.artifact(K.FATBIN, f"{name}.cu").content)
    kinds = [(entry.kind, entry.target) for entry in entries]
    tile = [(K.CUBIN, "sm_90a"), (K.CUBIN, "sm_100a")]
    assert [kind for kind in kinds if kind in tile] == tile
    assert [kind for kind, _ in kinds].count(K.TILE_BYTECODE) == 1
    others = [kind for kind in kinds if kind not in tile and kind[0] is not K.TILE_BYTECODE]
    simt = [(K.CUBIN, "sm_90"), (K.CUBIN, "sm_100"), (K.PTX, "compute_80"), (K.PTX, "compute_90")]
    assert others == (simt if name == "two_kinds" else [])
    assert len({entry.name for entry in entries}) == len(entries)


def test_remarks_stand_at_the_lines_of_the_source(builder):
    options = (*TILE_OPTIONS, "--remarks=all")
    result = built(builder, "row_softmax", emit="cubin", options=options)
    remarks = [d for d in result.diagnostics if d.tool is Tool.TILEIRAS]
    lines = tile_source("row_softmax").content.decode().splitlines()
    selected = [d for d in remarks if d.message.startswith("Load instruction selected")]
    assert [lines[d.line - 1].strip().partition(" = ")[0] for d in selected] == ["auto row"]
    assert {d.file for d in remarks} == {"row_softmax.cu"}
    # Of each of dozens of instructions it is said again.
    failed = [d for d in remarks if d.severity is Severity.WARNING]
    assert failed
    assert {d.message.count("16-byte aligned") for d in failed} == {1}
    plain = built(builder, "row_softmax", emit="cubin")
    assert result.artifacts == plain.artifacts
    assert plain.diagnostics == ()


def test_a_second_build_takes_all_from_the_cache(builder):
    first = built(builder, "gelu", emit="tileir,cubin,sass")
    again = built(builder, "gelu", emit="tileir,cubin,sass")
    assert all(stage.cached for stage in again.stages)
    assert again.artifacts == first.artifacts
    assert {stage.tool for stage in again.stages} == {
        *(Tool.NVRTC, Tool.TILEIRAS, Tool.NVDISASM, Tool.TILEIRDISASM)
    }


# ---- What goes wrong


def test_a_target_without_tile_code_is_named_with_the_kernels(builder):
    result = built(builder, "two_kinds", "sm_75", emit="sass,tileir")
    assert result.outcome is Outcome.FAILED
    target, kernels = (d for d in result.diagnostics if d.severity is Severity.ERROR)
    assert target.message == "tileiras makes no code for sm_75."
    assert (target.fix.kind, target.fix.value) == (FixKind.SET_ARCH, "sm_80")
    assert "filled(float*, float)" in kernels.message
    # All else is there.
    assert result.artifact(K.SASS, "two_kinds.cu")
    assert result.artifact(K.TILEIR, "two_kinds.cu@tile")


@pytest.mark.parametrize("emit", ["ltoir", "optixir"])
def test_an_output_without_tile_functions_names_them(builder, emit):
    result = built(builder, "two_kinds", emit=emit)
    (warning,) = result.diagnostics
    assert warning.severity is Severity.WARNING
    assert "filled(float*, float)" in warning.message
    assert "no LTO-IR or OptiX IR" in warning.message


def test_the_missing_header_of_tile_functions_names_both_options(builder):
    result = built(builder, "vector_add", options=())
    explanation = next(d.explanation for d in result.diagnostics if "cuda_tile.h" in d.message)
    assert all(option in explanation for option in TILE_OPTIONS)


def test_nvcc_is_not_asked_for_tile_ir(builder):
    by_nvcc = replace(
        request(tile_source("two_kinds"), options=TILE_OPTIONS), compiler=CudaCompiler.NVCC
    )
    assert builder.build(by_nvcc).outcome is Outcome.REFUSED


def test_what_makes_tile_ir_is_told_where_it_is_asked_for(builder):
    result = built(builder, "two_kinds", emit="tileir", options=())
    assert result.outcome is Outcome.REFUSED
    assert "--enable-tile" in result.reason


def assembling(bytecode):
    source = ((Ref(K.TILE_BYTECODE, "k.cu"), bytecode),)
    return Job(Tool.TILEIRAS, "k.cu@tile", source, (K.CUBIN,), ("--gpu-name=sm_90",))


def assembled(bytecode):
    return tileiras.assemble(assembling(bytecode))


@pytest.fixture
def impostor(tmp_path, monkeypatch):
    """Puts a script in the place of tileiras."""

    def put(script):
        file = tmp_path / "tileiras"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        monkeypatch.setattr(locate, "program", lambda tool: str(file))

    return put


@pytest.fixture(scope="module")
def bytecode():
    return bare_tile_ir("two_kinds", "-arch=sm_90", "-lineinfo", *TILE_OPTIONS)


def test_a_tileiras_that_is_killed_is_a_crash_that_names_the_kernels(impostor, bytecode):
    impostor("kill -KILL $$")
    report = assembled(bytecode)
    assert not report.ok
    assert report.crash.signal == signal.Signals.SIGKILL.name
    assert "filled" in report.diagnostics[0].message


def test_of_a_tileiras_that_talks_a_part_is_kept(impostor, bytecode):
    impostor("head -c 8000000 /dev/zero | tr '\\0' 'x' >&2; exit 3")
    report = assembled(bytecode)
    assert not report.ok
    assert 1000 < len(report.error_log) <= 1 << 20


def test_a_tileiras_that_makes_nothing_is_told(impostor, bytecode):
    impostor("exit 0")
    report = assembled(bytecode)
    assert not report.ok
    assert "no cubin" in report.error_log


def test_damaged_tile_ir_is_refused_in_words(bytecode):
    for damaged in (b"", b"\x7fTileIR\0", bytecode[:200], bytecode[:-300]):
        report = assembled(damaged)
        assert not report.ok
        assert report.error_log


def test_no_damage_to_tile_ir_leads_the_reader_of_kernels_astray(bytecode):
    assert tile_kernels(b"\x7fTileIR\0\x0d\x05\0\0\x81\x04\0abcd\0") is None
    numbers = Random(1)
    for size in range(len(bytecode)):
        assert tile_kernels(bytecode[:size]) in (None, (), tuple(KERNELS["two_kinds"]))
        damaged = bytearray(bytecode)
        for _ in range(3):
            damaged[numbers.randrange(len(damaged))] = numbers.choice((0, 1, 0x80, 0xFF))
        tile_kernels(bytes(damaged))


def test_a_missing_tileiras_is_told_with_the_extra_and_the_kernels(monkeypatch, bytecode):
    monkeypatch.setattr(locate, "file_of", lambda below: None)
    monkeypatch.setenv("PATH", "")
    caches = (locate.program, locate.program_version)
    for cached in caches:
        cached.cache_clear()
    events = []
    try:
        run_job(assembling(bytecode), events.append, None)
    finally:
        for cached in caches:
            cached.cache_clear()
    (problem,) = events
    assert problem.outcome is Outcome.MISSING
    assert "'jitstudio[tile]'" in problem.diagnostic.message
    assert "filled(float*, float)" in problem.diagnostic.message


# ---- What follows from the code


def test_the_simulator_runs_the_ptx_of_a_tile_kernel(run, tmp_path):
    file = tmp_path / "add.cu"
    file.write_bytes(tile_source("vector_add").content)
    options = [f"--option={option}" for option in TILE_OPTIONS]
    sizes = ["--arg", "n=1500", "--arg", "a=1500:random", "--arg", "b=1500:random"]
    words = [*options, "--arch=sm_90", "--device=sim", "--grid=2", *sizes]
    ran = run("run", str(file), *words, "--arg", "c=1500:zeros:out", "--expect", "c=a+b", "--json")
    assert ran.code == 0, ran.err
    (check,) = ran.json["checks"]
    assert check["ok"]
    refused = run("run", str(file), *words, "--arg", "c=1500:zeros:out", "--block=64")
    assert "blocks of 128 threads" in refused.err


@pytest.mark.parametrize(("kernel", "block"), [("filled", []), ("doubled", ["--block=128"])])
@pytest.mark.parametrize("link", ["--link", "--lto"])
def test_both_kinds_of_kernels_of_a_link_can_be_launched(run, tmp_path, link, kernel, block):
    file = tmp_path / "k.cu"
    file.write_bytes(tile_source("two_kinds").content)
    words = [f"--option={option}" for option in TILE_OPTIONS]
    words += [link, "--arch=sm_90", "--device=sim", "--grid=2", f"--kernel={kernel}", *block]
    words += ["--arg", "value=2"] if kernel == "filled" else []
    ran = run("run", str(file), *words, "--arg", "out=256:constant(1):inout", "--expect", "out=2")
    assert ran.code == 0, ran.err


def test_the_cubin_of_a_tile_kernel_in_a_link_is_the_one_beside_it(builder):
    linked = request(tile_source("two_kinds"), emit="ptx,cubin", link="ptx", options=TILE_OPTIONS)
    result = builder.build(linked)
    forms = kernel_forms(linked.sources, result)
    codes = {
        form.title: launchable(linked, result, form, LoadMode.CUBIN).code.name for form in forms
    }
    assert codes == {"filled": "two_kinds.cu@tile", "doubled": LINKED}


@pytest.mark.parametrize("lines", ["-lineinfo", "-G"])
def test_the_ptx_of_tile_functions_can_be_assembled(builder, lines):
    tile = built(builder, "two_kinds", emit="ptx", options=(*TILE_OPTIONS, lines))
    text = tile.artifact(K.PTX, "two_kinds.cu@tile").content
    result = builder.build(request(Source("k.ptx", K.PTX, text), emit="cubin", arch="sm_90a"))
    assert result.outcome is Outcome.BUILT, result.diagnostics
    assert [kernel.name for kernel in result.kernels] == KERNELS["two_kinds"]


def test_the_author_of_tiles_gets_no_advice_on_threads(tmp_path, run):
    cubin = bare_cubin(
        bare_tile_ir("matmul_half", "-arch=sm_90", "-lineinfo", *TILE_OPTIONS), "sm_90", tmp_path
    )
    (tmp_path / "m.cubin").write_bytes(cubin)
    inspected = run("inspect", str(tmp_path / "m.cubin"))
    assert "Probably uncoalesced" in inspected.out
    assert "threadIdx" not in inspected.out


@pytest.mark.parametrize("kernel", ["doubled", "filled"])
def test_what_builds_nothing_is_exported_of_both_kinds_of_kernels(tmp_path, run, kernel):
    file = tmp_path / "two_kinds.cu"
    file.write_bytes(tile_source("two_kinds").content)
    words = ["--arch=sm_90", *(f"--option={option}" for option in TILE_OPTIONS)]
    words += [str(file), f"--kernel={kernel}", "--grid=2", "--arg", "out=256:zeros:out"]
    words += ["--arg", "value=2"] if kernel == "filled" else ["--block=128"]
    command = run("export", "command", *words)
    assert (command.code, kernel in command.out) == (0, True), command.err
    report = run("export", "html", *words)
    assert report.code == 0, report.err
    other = {"doubled": "filled", "filled": "doubled"}[kernel]
    names = {"doubled": ".entry _Z7doubledPf", "filled": ".entry _Z6filledPff"}
    text = re.sub("<[^>]*>", "", report.out)
    assert (names[kernel] in text, names[other] in text) == (True, False)
    script = run("export", "cuda-core", *words)
    assert (script.code, "its tile functions are left out" in script.out) == (
        (0, True) if kernel == "doubled" else (2, False)
    )


def test_an_export_says_that_it_builds_no_tile_functions(tmp_path, run):
    file = tmp_path / "add.cu"
    file.write_bytes(tile_source("vector_add").content)
    words = ["--arch=sm_90", *(f"--option={option}" for option in TILE_OPTIONS)]
    refused = run("export", "cuda-core", str(file), *words)
    assert refused.code == 2
    assert "--emit cubin" in refused.err
