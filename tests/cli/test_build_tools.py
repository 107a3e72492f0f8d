"""The switches that reach further tools and outputs."""

import json

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.fatbin import fatbin_entries
from jitstudio.toolchain import driver, driver_jit
from tests.support import IR_CALLED, IR_CALLER, SAMPLES, refusal


@pytest.fixture
def ir(tmp_path):
    (tmp_path / "k.ll").write_text(IR_CALLER)
    (tmp_path / "twice.ll").write_text(IR_CALLED)


def test_a_fatbin_is_packed_listed_and_read_again(run, tmp_path):
    targets = "sm_80,sm_90a,compute_90"
    ran = run("build", SAMPLES / "vector_add.cu", "--fat", targets, "-o", ".")
    assert ran.code == 0
    assert ran.out.strip() == "vector_add.fatbin"
    entries = fatbin_entries((tmp_path / "vector_add.fatbin").read_bytes())
    assert [(entry.kind, entry.target) for entry in entries] == [
        (CodeKind.CUBIN, "sm_80"),
        (CodeKind.CUBIN, "sm_90a"),
        (CodeKind.PTX, "compute_90"),
    ]
    again = run("build", "vector_add.fatbin", "--arch", "sm_120", "--emit", "sass")
    assert again.code == 0
    assert "vector_add.fatbin holds cubin for sm_90a: " in again.err
    assert ".text.vector_add:" in again.out


def test_code_that_the_linker_leaves_out_of_a_fatbin_is_told(run):
    run("build", SAMPLES / "vector_add.cu", "--fat", "sm_80", "-o", ".")
    ran = run("build", "vector_add.fatbin", "--arch", "sm_80", "--emit", "cubin", "--link")
    assert "warning: Linked, but there is no code in the result. " in ran.err


def test_an_error_in_one_of_several_targets_names_the_module(run, tmp_path):
    (tmp_path / "k.cu").write_text("__global__ void k() { x; }\n")
    ran = run("build", "k.cu", "--fat", "sm_80,sm_90", "--json")
    assert ran.code == 1
    assert {diagnostic["file"] for diagnostic in ran.json["diagnostics"]} == {"k.cu"}


def test_cubins_that_are_wanted_beside_a_fatbin_have_names_of_their_own(run, tmp_path):
    ran = run(
        "build",
        SAMPLES / "vector_add.cu",
        *("--fat", "sm_80,sm_100", "--emit", "cubin", "-o", "out"),
    )
    assert ran.code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "vector_add.cubin",
        "vector_add.fatbin",
        "vector_add@sm_100.cubin",
        "vector_add@sm_80.cubin",
    ]


@pytest.mark.parametrize("target", ["sm_9000", "nothing", "compute_x"])
def test_a_target_that_is_none_is_refused(run, target):
    ran = run("build", SAMPLES / "vector_add.cu", "--fat", target)
    assert ran.code == 2
    assert refusal(Arch.parse, target) in ran.err


def test_a_target_that_is_named_twice_is_packed_once(run, tmp_path):
    ran = run("build", SAMPLES / "vector_add.cu", "--fat", "sm_90,sm_90", "-o", ".")
    assert ran.code == 0
    entries = fatbin_entries((tmp_path / "vector_add.fatbin").read_bytes())
    assert [entry.target for entry in entries] == ["sm_90"]


def test_the_target_that_is_unknown_is_the_one_told_of(run):
    ran = run("build", SAMPLES / "vector_add.cu", "--fat", "sm_12,sm_90")
    assert ran.code == 1
    assert "does not know sm_12 any more" in ran.err


def test_a_cubin_that_is_given_tells_what_its_kernels_need(run):
    made = run("build", SAMPLES / "vector_add.cu", "--emit", "cubin", "-o", ".", "--json")
    ran = run("build", "vector_add.cubin", "--emit", "sass", "--json")
    (built,) = json.loads(made.out)["kernels"]
    (read,) = json.loads(ran.out)["kernels"]
    assert read["registers"] == built["registers"] > 0
    assert read["constant_bytes"] == built["constant_bytes"]


def test_reading_a_cubin_that_was_built_hides_no_spills(run):
    ran = run("build", SAMPLES / "vector_add.cu", "--emit", "sass", "--json")
    (kernel,) = json.loads(ran.out)["kernels"]
    assert (kernel["spill_stores"], kernel["spill_loads"]) == (0, 0)


def test_optix_ir_is_written(run, tmp_path):
    ran = run("build", SAMPLES / "vector_add.cu", "--emit", "optixir", "-o", ".")
    assert ran.code == 0
    assert (tmp_path / "vector_add.optixir").stat().st_size > 500


@pytest.mark.parametrize(
    "words",
    [
        ("k.ll", "--library", "twice.ll", "--libdevice"),
        ("k.ll", "twice.ll", "--join-ir", "--libdevice"),
    ],
)
def test_ir_finds_its_functions_in_other_modules_and_in_libdevice(run, ir, words):
    ran = run("build", *words)
    assert ran.code == 0
    assert ".visible .entry k(" in ran.out
    assert "__nv_sinf" not in ran.out
    assert ".extern" not in ran.out


def test_without_the_switches_they_stay_outside(run, ir):
    assert ".extern .func  (.param .b32 func_retval0) __nv_sinf" in run("build", "k.ll").out


def test_a_library_of_another_kind_is_refused(run, ir):
    ran = run("build", "k.ll", "--library", SAMPLES / "scale.ptx")
    assert ran.code == 2
    assert "is not LLVM IR" in ran.err


@pytest.mark.skipif(not driver.describe().problem, reason="a driver is here")
def test_the_driver_is_missed_in_words(run):
    ran = run("build", SAMPLES / "multiply.ptx", "--driver-jit", "--emit", "cubin")
    assert ran.code == 3
    assert refusal(driver_jit.version) in ran.err


def test_the_cache_is_left_aside_when_asked(run):
    words = ("build", SAMPLES / "vector_add.cu", "--json")
    run(*words)
    assert run(*words).json["stages"][0]["cached"] is True
    assert run(*words, "--no-cache").json["stages"][0]["cached"] is False


def test_what_a_kernel_needs_is_a_table_and_data(run):
    words = ("build", SAMPLES / "vector_add.cu", "--emit", "cubin")
    ran = run(*words)
    head = next(line for line in ran.err.splitlines() if line.startswith("kernel "))
    row = next(line for line in ran.err.splitlines() if line.startswith("vector_add "))
    assert head.split()[:4] == ["kernel", "registers", "spilled", "reloaded"]
    assert len(row) == len(head)
    (kernel,) = run(*words, "--json").json["kernels"]
    assert kernel["registers"] == int(row.split()[1]) > 0
    assert (kernel["spill_stores"], kernel["shared_bytes"], kernel["max_threads"]) == (0, 0, None)


def test_the_phases_of_a_compile_are_data(run):
    (stage,) = run("build", SAMPLES / "vector_add.cu", "--json", "--no-cache").json["stages"]
    assert [phase["name"] for phase in stage["phases"]] == ["CUDA C++ Frontend", "NVVM Optimizer"]


def test_precompiled_headers_serve_repeated_builds_unless_they_are_not_wanted(run, tmp_path):
    text = "#include <cuda/std/array>\n__global__ void k(int* p) { *p = 1; }\n"
    (tmp_path / "k.cu").write_text(text)
    words = ("build", "k.cu", "--json")
    repeated = run(*words, "--repeat", "2")
    assert repeated.json["stages"][0]["log"] == "Precompiled header used."
    assert run(*words, "--no-pch").json["stages"][0]["log"] == ""


def test_the_object_tells_what_a_fatbin_holds(run):
    source = SAMPLES / "vector_add.cu"
    ran = run("build", source, "--fat", "sm_80,compute_90", "--json")
    assert ran.code == 0
    (fatbin,) = [a for a in json.loads(ran.out)["artifacts"] if a["kind"] == "fatbin"]
    told = [(entry["kind"], entry["target"]) for entry in fatbin["entries"]]
    assert told == [("cubin", "sm_80"), ("ptx", "compute_90")]
    assert all(entry["bytes"] > 0 for entry in fatbin["entries"])
