import random
import re
from array import array
from dataclasses import replace

import pytest

from jitstudio.analysis.findings.find import RULES, findings
from jitstudio.analysis.sass.model import WORD_BYTES, SourceLocation
from jitstudio.analysis.sass.opcodes import stem
from jitstudio.analysis.sass.reading import read_code
from jitstudio.core.diagnostics import Severity
from jitstudio.core.result import Resources
from tests.analysis.findings.conftest import SOURCE
from tests.analysis.findings.listings import facts_of
from tests.analysis.findings.texts import finding_text
from tests.sample_builds import builds
from tests.support import cuda, request

_KERNEL = re.compile(r"__global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(")
_NAMES = _KERNEL.findall(SOURCE)
_QUIET = [name for name in _NAMES if name.startswith("quiet_")]
_LOUD = [name for name in _NAMES if not name.startswith("quiet_")]
# What is truly there: a byte for each thread.
_IN_SAMPLES = {("histogram", "narrow")}


def rule_of(kernel):
    return next(rule for rule in RULES if kernel.startswith(rule))


def marked_line(kernel):
    """The number of the line that the findings of a kernel are about; None where none is marked."""
    before, body = SOURCE.split(f" {kernel}(", 1)
    at = body.partition("\n}")[0].partition("// HERE")
    return before.count("\n") + at[0].count("\n") + 1 if at[1] else None


def test_each_rule_has_a_kernel():
    assert {rule_of(kernel) for kernel in _LOUD} == set(RULES)


@pytest.mark.parametrize("kernel", _LOUD)
def test_a_rule_finds_what_it_is_for(kernels, kernel):
    found = kernels[kernel]
    assert {finding.rule for finding in found} == {rule_of(kernel)}
    if (line := marked_line(kernel)) is not None:
        assert line in {place.line for finding in found for place in finding.lines}


def test_no_rule_finds_anything_where_there_is_nothing(kernels):
    found = {kernel: [(f.rule, f.reason) for f in kernels[kernel]] for kernel in _QUIET}
    assert {kernel: rules for kernel, rules in found.items() if rules} == {}


def test_what_is_found_is_told_in_whole_sentences(kernels):
    for found in kernels.values():
        for finding in found:
            assert finding.severity is not Severity.ERROR
            assert finding.indices == tuple(dict.fromkeys(finding.indices))
            assert finding.ptx_line > 0
            for text in (finding.reason, finding.remedy):
                assert text.endswith(".")
                assert not re.search(r"[{}]|None", text)


def test_spills_are_counted(kernels):
    (finding,) = kernels["spills"]
    stores, loads = map(int, re.findall(r"(\d+) bytes to.*reads (\d+)", finding.reason)[0])
    assert stores > 0
    assert loads >= stores
    assert finding.indices


def test_distances_are_told(kernels):
    assert "128 bytes apart and use 4 of them" in kernels["strided"][0].reason
    assert "known at run time" in kernels["strided_by_rows"][0].reason


@pytest.mark.parametrize(
    ("kernel", "more"),
    [
        ("banks", "4 bytes more, such as [32][33]"),
        ("banks_of_vectors", "16 bytes more, such as [32][36]"),
    ],
)
def test_longer_rows_keep_their_accesses_aligned(kernels, kernel, more):
    (finding,) = kernels[kernel]
    assert more in finding.remedy


def test_functions_and_literals_are_told_apart(kernels):
    (of_function,), (of_literal,) = kernels["double_root"], kernels["double_"]
    assert "made a double for a root" in of_function.reason
    assert "literals only (DMUL, DADD)" in of_literal.reason or "(DFMA)" in of_literal.reason


@pytest.mark.parametrize("kernel", [name for name in _LOUD if name.startswith("divergent_")])
def test_a_loop_is_told_once_however_many_are_made_of_it(kernels, kernel):
    (finding,) = kernels[kernel]
    by_data = kernel.startswith("divergent_by_")
    assert ("number of the thread" in finding.reason) != by_data


@pytest.mark.parametrize(
    ("kernel", "case"),
    [
        ("divergent_by_retries", "divergent.retry"),
        ("divergent_by_shared_retries", "divergent.retry"),
        ("divergent_by_lock", "divergent.lock"),
        ("divergent_by_probing", "divergent.probe"),
        ("local", "local.indexed"),
        ("local_passed", "local.passed"),
        ("local_chosen", "local.chosen"),
        ("local_address", "local.address"),
        ("local_volatile", "local.fixed"),
    ],
)
def test_a_cause_is_told_by_its_name(kernels, kernel, case):
    assert {finding.title for finding in kernels[kernel]} == {finding_text(case, "title")}


@pytest.mark.parametrize(
    ("kernel", "mended", "opcode"),
    [
        ("division", "quiet_division_by_a_template_argument", "MUFU"),
        ("division", "quiet_shift_and_mask", "MUFU"),
        ("division_of_64_bits", "division_of_an_index", "CALL"),
        ("aliased_sum", "quiet_sum_in_a_variable", "STG"),
        ("aliased_sum", "quiet_restrict", "STG"),
        ("aliased_scale", "quiet_restrict", "LDG"),
        ("generic_in_a_function", "quiet_function_inlined", "LD"),
        ("local_passed", "quiet_address_inlined", "LDL"),
        ("local_chosen", "quiet_values_chosen", "LDL"),
        ("local_volatile", "quiet_address_inlined", "LDL"),
    ],
)
def test_what_is_advised_leaves_out_what_it_is_about(opcodes, kernel, mended, opcode):
    counts = [[stem(x) for x in opcodes[name]].count(opcode) for name in (kernel, mended)]
    assert counts[0] > counts[1]


def test_both_instructions_of_a_missed_fma_are_shown(kernels):
    (finding,) = kernels["unfused"]
    assert len(finding.indices) == 2
    assert "FMUL" in finding.reason


@pytest.mark.parametrize(
    "build",
    [
        *builds("sm_75", "sm_120"),
        # Between these two; each build costs two starts of nvdisasm.
        *(pytest.param(build, marks=pytest.mark.bench) for build in builds("sm_90")),
    ],
    ids=lambda build: build.name,
)
def test_samples_are_clean(found_in, build):
    found = found_in(build.request)
    told = {(kernel, one.rule) for kernel, findings in found.items() for one in findings}
    assert told <= _IN_SAMPLES
    if "histogram" in found:
        assert told == _IN_SAMPLES


def test_each_reason_is_of_its_case(kernels):
    assert "64 bytes apart" not in kernels["strided_blocks"][0].reason
    assert "256 bytes apart, and each goes" in kernels["strided_blocks"][0].reason
    assert "compare-and-swap" in kernels["divergent_by_retries"][0].reason


@pytest.mark.parametrize(("stack", "rules"), [(0, set()), (64, {"local"})])
def test_without_a_stack_nothing_is_local(stack, rules):
    function = facts_of("LDL R0, [R2]\nSTL [R2], R0\nEXIT").function
    needs = Resources(registers=8, stack_bytes=stack, local_bytes=0)
    assert {one.rule for one in findings(function, needs)} == rules


@pytest.mark.parametrize(
    ("file", "rules"),
    [
        ("/usr/include/cccl/cub/agent/agent_scan.cuh", set()),
        ("C:\\cuda\\include\\thrust\\sort.h", set()),
        ("/home/me/cuda/scan.cu", {"strided"}),
    ],
)
def test_what_comes_with_cuda_is_not_the_authors(file, rules):
    body = "S2R R2, SR_TID.X\nIMAD.SHL R2, R2, 0x80, RZ\nLDG.E R0, [R2]\nSTG.E [R4], R0\nEXIT"
    function = facts_of(body).function
    places = ((SourceLocation(file, 7),),)
    placed = replace(function, places=places, place_ids=array("i", [0] * len(function)))
    assert {one.rule for one in findings(placed, None)} == rules


def test_loads_and_stores_of_one_line_are_told_together(found_in):
    text = """\
extern "C" __global__ void k(float* __restrict__ a, const float* __restrict__ b) {
    int i = threadIdx.x * 4;
    a[i] = b[i]; a[i + 1] = b[i + 1]; a[i + 2] = b[i + 2]; a[i + 3] = b[i + 3];
}
"""
    (finding,) = found_in(request(cuda(text), emit="cubin"))["k"]
    assert (finding.title, len(finding.indices)) == ("No vector accesses", 8)


def test_comparisons_left_of_an_index_are_not_told_beside_its_moves(found_in):
    text = """\
extern "C" __global__ void k(const int* a, float* o) {
    float t[64];
    int i = threadIdx.x;
    for (int k = 0; k < 64; ++k) t[k] = a[k] * i;
    o[i] = t[a[i] & 63];
}
"""
    found = found_in(request(cuda(text), emit="cubin", arch="sm_120"))["k"]
    told = [one.title for one in found if one.rule == "predicated"]
    assert told == [finding_text("predicated.chain", "title")]


@pytest.mark.parametrize(
    ("count", "title", "reason"),
    [
        (
            1,
            finding_text("predicated.unread", "title"),
            finding_text("predicated.unread", "reason"),
        ),
        (2, finding_text("predicated.several_unread", "title"), "the predicates of 2 comparisons"),
    ],
)
def test_comparisons_that_nothing_reads_are_counted(count, title, reason):
    rows = "".join(
        f"        /*{16 * at:04x}*/                   ISETP.GT.AND P{at}, PT, R2, R3, PT ;\n"
        for at in range(count)
    )
    head = '\t.section\t.text.k,"ax",@progbits\n\t.type\tk,@function\nk:\n.text.k:\n'
    end = f"        /*{16 * count:04x}*/                   EXIT ;\n"
    (function,) = read_code(head + rows + end).functions
    (finding,) = findings(function, None)
    assert finding.title == title
    assert reason in finding.reason


# ---- Whatever stands in a listing, the rules come to an end


@pytest.fixture(scope="module")
def functions(tools, request_for):
    return tools.code(tools.cubin(request_for("sm_90")).content).functions


def cut(function, count):
    """Only the first instructions, with the labels and parts that lead to them."""
    return replace(
        function,
        addresses=function.addresses[:count],
        predicates=function.predicates[:count],
        opcodes=function.opcodes[:count],
        operands=function.operands[:count],
        place_ids=function.place_ids[:count],
        ptx_lines=function.ptx_lines[:count],
        labels=tuple(label for label in function.labels if label.index <= count),
        encodings=function.encodings[: count * WORD_BYTES],
        parts=tuple(
            part._replace(start=min(part.start, count), end=min(part.end, count))
            for part in function.parts
        ),
    )


def told(function):
    """The findings, which must be about instructions that are there."""
    found = findings(function, None)
    assert all(0 <= index < len(function) for one in found for index in one.indices)
    return found


def test_truncated_code(functions):
    for function in functions:
        for count in {0, 1, 2, len(function) // 3, len(function) // 2}:
            told(cut(function, count))


@pytest.mark.parametrize("seed", range(5))
def test_operands_of_other_instructions(functions, seed):
    chance = random.Random(seed)
    for function in functions:
        operands, predicates = list(function.operands), list(function.predicates)
        chance.shuffle(operands)
        chance.shuffle(predicates)
        told(replace(function, operands=tuple(operands), predicates=tuple(predicates)))


def test_unknown_opcodes(functions):
    for function in functions:
        told(replace(function, opcodes=tuple(f"X{opcode}" for opcode in function.opcodes)))


def test_code_without_lines(functions):
    for function in functions:
        bare = replace(function, place_ids=type(function.place_ids)("i", [-1] * len(function)))
        assert {one.rule for one in told(bare)} == {one.rule for one in told(function)}
