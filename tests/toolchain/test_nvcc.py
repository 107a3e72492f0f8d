"""nvcc as the compiler of CUDA C++, against nvcc itself; skipped where there is none."""

import os
import re
import subprocess
from dataclasses import replace

import pytest

from jitstudio.cache.store import Store
from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.diagnostics import FixKind, Severity, fixes_at_once
from jitstudio.core.options import OPTIONS, nvcc_objection, nvcc_spelling
from jitstudio.core.request import CudaCompiler
from jitstudio.core.result import Outcome
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate, nvcc
from jitstudio.toolchain.tool_output import ToolMissing
from jitstudio.worker.builder import Builder
from tests.core.explaining import CHOSEN, mended, told
from tests.core.failures import NVCC_FAILURES
from tests.program_kernels import PROGRAMS
from tests.support import cuda, request
from tests.toolchain.test_options import samples

TEXT = "__global__ void k(int *p) { p[0] = N; }\n"


def with_nvcc(*sources, **words):
    return replace(request(*sources, **words), compiler=CudaCompiler.NVCC)


def file(path):
    """A module as it is opened from a file."""
    return Source(path.name, CodeKind.CUDA, path.read_bytes(), folder=str(path.parent))


def problems(result):
    return [(d.file, d.line, d.column, d.message) for d in result.diagnostics]


@pytest.fixture(scope="module")
def program():
    locate.announce_toolkit()
    try:
        nvcc.version()
    except ToolMissing as missing:
        pytest.skip(str(missing))
    return locate.program(Tool.NVCC)


def bare(program, stage, path, folder):
    """What nvcc makes by itself of a file, with the options of a stage."""
    made = folder / "bare"
    words = [program, *stage.options, str(path), "-o", str(made)]
    subprocess.run(words, check=True, capture_output=True)
    return made.read_bytes()


# Kernels in a namespace without a name: what they are called depends on the path of the file.
@pytest.mark.parametrize("name", ["histogram256.cu", "reduction_steps.cu"])
def test_the_cubin_of_a_file_is_that_of_nvcc_alone(builder, program, tmp_path, name):
    result = builder.build(with_nvcc(file(PROGRAMS / name), emit="cubin,ptx"))
    assert result.ok, result.reason
    (stage,) = result.stages
    assert (stage.tool, stage.version) == (Tool.NVCC, locate.program_version(Tool.NVCC))
    made = result.artifact(CodeKind.CUBIN, name)
    assert made.content == bare(program, stage, PROGRAMS / name, tmp_path)
    assert all(kernel.resources.registers for kernel in result.kernels)
    assert b".entry" in result.artifact(CodeKind.PTX, name).content


def test_a_text_in_no_file_is_called_by_its_name(builder, program):
    text = f"#include <vector>\n{TEXT}int main() {{ std::vector<int> v; }}\n"
    result = builder.build(with_nvcc(cuda(text, "new.cu"), options=("-DN=3",)))
    assert result.ok, result.reason
    listing = result.artifact(CodeKind.PTX, "new.cu").content
    assert b".visible .entry _Z1kPi(" in listing
    assert f'"{os.getcwd()}/new.cu"'.encode() in listing
    number = re.search(rb'\.file\t(\d+) "[^"]*/new\.cu"', listing)
    assert re.search(rb"\.loc\t%s 2 " % number[1], listing)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n" + TEXT, ("new.cu", 2, None, 'identifier "N" is undefined')),
        ('\n#include "no.h"\n', ("new.cu", 2, 10, "no.h: No such file or directory")),
        (
            '__global__ void k() { asm("bogus.op;"); }',
            ("new.ptx", 23, None, "Not a name of any known instruction: 'bogus'"),
        ),
    ],
    ids=["front end", "host preprocessor", "ptxas"],
)
def test_what_its_programs_complain_of_has_its_place(builder, program, text, expected):
    result = builder.build(with_nvcc(cuda(text, "new.cu"), emit="cubin,ptx"))
    assert result.outcome is Outcome.FAILED
    file_name, line, column, message = expected
    found = [(f, at, c) for f, at, c, said in problems(result) if said == message]
    assert found == [(file_name, line, column)]
    made_ptx = result.artifact(CodeKind.PTX, "new.cu") is not None
    assert made_ptx is (file_name == "new.ptx")


@pytest.mark.parametrize("failure", NVCC_FAILURES, ids=[row.id for row in NVCC_FAILURES])
def test_a_failure_is_explained_and_its_fix_mends_it(builder, program, failure):
    found = told(failure.id, builder.build(failure.request))
    assert "$" not in found.explanation
    assert (found.fix.kind if found.fix else None) == failure.fix
    # What the text says itself cannot be mended by an option.
    if (
        found.fix
        and found.fix.kind not in CHOSEN
        and b"#error" not in failure.request.sources[0].content
    ):
        assert builder.build(mended(failure.request, found.fix)).ok


def test_headers_in_memory_are_found(builder, program):
    wanted = with_nvcc(
        cuda(f'#include "lib/n.h"\n#include <lib/n.h>\n{TEXT}'),
        headers=(Header("lib/n.h", b"#pragma once\n#define N 7\n"),),
    )
    assert builder.build(wanted).ok
    outside = replace(wanted, headers=(Header("../../n.h", b"#define N 7\n"),))
    (error,) = problems(builder.build(outside))
    assert error[-1] == "nvcc cannot be given the header '../../n.h': rename it."


def test_a_result_is_kept_until_a_header_changes(program, tmp_path):
    path, header = tmp_path / "k.cu", tmp_path / "n.h"
    path.write_text(f'#include "n.h"\n{TEXT}')
    header.write_text("#define N 1\n")
    builder = Builder(store=Store(tmp_path / "cache"))
    try:
        wanted = with_nvcc(file(path))
        assert [builder.build(wanted).stages[0].cached for _ in range(2)] == [False, True]
        header.write_text("#define N 22\n")
        result = builder.build(wanted)
    finally:
        builder.close()
    assert not result.stages[0].cached
    assert b"22;" in result.artifact(CodeKind.PTX, "k.cu").content


@pytest.mark.bench
def test_every_option_of_the_table_that_is_sent_is_one_of_nvcc(program, tmp_path):
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k() {}\n")
    version = locate.program_version(Tool.NVCC)
    sent = [
        nvcc_spelling(spec.sent(Tool.NVRTC, value))
        for spec in OPTIONS
        if Tool.NVRTC in spec.spellings and not spec.managed
        if not spec.too_new_for(Tool.NVRTC, version) and not spec.since
        for value in samples(spec)
        if not nvcc_objection((spec.written(value),)) and value != "c++23"
    ]
    assert len(sent) > 50
    together = [program, "-arch=sm_90", "-cubin", "--dryrun", "-o", "k", str(source)]
    for option in sent:
        done = subprocess.run([*together, option], capture_output=True, text=True, check=False)
        said = [line for line in done.stderr.splitlines() if not line.startswith("#$")]
        assert (done.returncode, said) == (0, []), option


def test_without_a_host_compiler_it_says_what_to_install(program, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("NVCC_CCBIN", raising=False)
    with pytest.raises(ToolMissing, match=r"no gcc on PATH.*Install one, such as with apt-get"):
        nvcc.version()
    monkeypatch.setenv("NVCC_CCBIN", "/no/such/gcc")
    with pytest.raises(ToolMissing, match="NVCC_CCBIN names '/no/such/gcc'"):
        nvcc.version()


# GNU's form of the conditional operator, which no mode of NVRTC takes.
SHORT = "__global__ void k(int *p, int n) { *p = n ?: 3; }\n"


@pytest.mark.parametrize(("header", "offers"), [("<linux/kd.h>", 1), ('"nowhere/at_all.h"', 0)])
def test_nvcc_is_offered_for_a_header_that_it_finds(header, offers, builder, program):
    failed = request(cuda(f"#include {header}\n{SHORT}int main() {{ return 0; }}\n"))
    result = builder.build(failed)
    assert result.outcome is Outcome.FAILED
    fixes = [d.fix.kind for d in result.diagnostics if d.fix]
    assert fixes.count(FixKind.USE_NVCC) == offers


def test_nvcc_is_offered_where_it_is_and_nvrtc_fails_with_a_program(builder):
    failed = request(cuda(f"{SHORT}int main() {{ return 0; }}\n"))
    result = builder.build(failed)
    assert result.outcome is Outcome.FAILED
    (offer,) = [d for d in result.diagnostics if d.fix and d.fix.kind is FixKind.USE_NVCC]
    assert offer.severity is Severity.INFO
    assert "NVRTC stops at: expected an expression (line 1)." in offer.message
    assert "--compiler nvcc" in offer.message
    assert offer.fix.label == "Compile with nvcc"
    assert offer.fix not in fixes_at_once(result.diagnostics)
    assert builder.build(replace(failed, compiler=CudaCompiler.NVCC)).ok


STOP = "#{asked}\n#error no way\n#endif\n__global__ void k(int *p) {{ *p = 1; }}\n"


def test_nvcc_is_offered_for_an_error_that_a_macro_of_compilers_leads_to(builder):
    failed = request(cuda(f"{STOP.format(asked='ifdef __CUDACC_RTC__')}int main() {{ }}\n"))
    result = builder.build(failed)
    (offer,) = [d for d in result.diagnostics if d.fix and d.fix.kind is FixKind.USE_NVCC]
    assert "NVRTC stops at: #error directive: no way (line 2)." in offer.message
    assert builder.build(replace(failed, compiler=CudaCompiler.NVCC)).ok


@pytest.mark.parametrize(
    "failed",
    [
        # No host code; a build that nobody trusts; another output; what nvcc refuses, too.
        request(cuda(SHORT)),
        replace(request(cuda(f"{SHORT}int main() {{ }}\n")), confined_to=()),
        request(cuda(f"{SHORT}int main() {{ }}\n"), emit="ltoir"),
        request(cuda("int f() { return 1; }\n__global__ void k(int *p) { *p = f(); }\n")),
        request(cuda(f"{STOP.format(asked='ifndef BLOCK')}int main() {{ }}\n")),
        request(cuda(f"{STOP.format(asked='if __cplusplus < 202602L')}int main() {{ }}\n")),
    ],
)
def test_nvcc_is_not_offered_where_it_is_of_no_use(builder, failed):
    result = builder.build(failed)
    assert result.outcome is Outcome.FAILED
    assert not [d for d in result.diagnostics if d.fix and d.fix.kind is FixKind.USE_NVCC]
