"""One finding for each cause, however many lines and instructions show it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

import pytest

from jitstudio.analysis.findings.find import RULES
from jitstudio.analysis.findings.model import (
    Finding,
    RuleHit,
    grouped,
    nothing_found,
    once_a_line,
    text_of,
)
from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.core.diagnostics import Severity
from jitstudio.system.paths import resource
from tests.support import cuda, request

_MOST = 4


def finding(rule="strided", line=1, reason="So.", indices=(0,), severity=Severity.INFO):
    place = SourceLocation("k.cu", line)
    return Finding(rule, severity, rule, reason, "Do.", (place,), line, indices, (place,))


def test_kernels_have_a_handful_at_most(kernels):
    counts = {kernel: len(found) for kernel, found in kernels.items() if len(found) > _MOST}
    assert counts == {}


def test_a_habit_of_many_lines_is_one_finding_with_all_of_them(found_in):
    lines = "".join(
        f"    b[i * 32 + {k}] = __fadd_rn(__fmul_rn(a[i * 64 + {7 * k}], s), {k}.5f);\n"
        for k in range(1, 61)
    )
    head = (
        'extern "C" __global__ void k(float* __restrict__ b, const float* __restrict__ a, float s'
    )
    text = f"{head})\n{{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n{lines}}}\n"
    found = found_in(request(cuda(text), emit="cubin"))["k"]
    assert len(found) <= _MOST
    (unfused,) = (one for one in found if one.rule == "unfused")
    assert sorted(line.line for line in unfused.lines) == [*range(4, 64)]
    assert len(unfused.indices) == 120
    assert unfused.more_lines.endswith(" and 55 more lines")


def test_what_is_said_in_the_same_words_is_one_finding():
    (one,) = grouped([finding(line=3), finding(line=5, indices=(4, 5)), finding(line=9)])
    assert [line.line for line in one.lines] == [5, 3, 9]
    assert one.indices == (4, 5, 0)
    assert one.more_lines == "3 and 9"


def test_other_figures_are_other_findings_until_there_are_too_many():
    few = [finding(line=n, reason=f"{n} bytes.") for n in range(1, 5)]
    assert grouped(few) == tuple(few)
    many = [finding(line=n, reason=f"{n} bytes.", indices=tuple(range(n))) for n in range(1, 9)]
    found = grouped(many)
    assert [one.places[0].line for one in found] == [5, 6, 7, 8]
    assert found[0].reason == "5 bytes. In the other lines the figures are others."
    assert [line.line for line in found[0].lines] == [5, 1, 2, 3, 4]
    assert grouped(found) == found


def test_of_a_line_the_gravest_is_told():
    one, other = finding(indices=(1,)), finding(indices=(2, 3), reason="Worse.")
    (told,) = once_a_line([one, other])
    assert (told.reason, told.indices) == ("Worse.", (2, 3, 1))


def test_a_line_of_another_file_has_its_name():
    place = SourceLocation("/a/util.h", 3)
    other = replace(finding(), places=(place,), lines=(place,))
    (one,) = grouped([finding(), other])
    assert one.more_lines == "util.h:3"


def test_what_was_looked_for_is_what_the_rules_are():
    content = tomllib.loads(resource("analysis/findings.toml").read_text("utf-8"))
    looked_for = content["looked for"]
    assert list(looked_for) == list(RULES)
    assert all(phrase in nothing_found() for phrase in looked_for.values())
    assert "jitstudio run FILE --device sim" in nothing_found()
    assert "--device sim" not in nothing_found(is_simulated=True)
    assert "ncu" in nothing_found(is_simulated=True)


CPP_WORDS = re.compile(
    r"__\w+|\b(?:threadIdx|blockIdx|blockDim|template|u?int4|float[24]|long long|r?sqrtf|sinf|fmodf"
    r"|fmaf|atomic[A-Z]\w+)\b|#pragma|\[32\]\[|\? a : b"
)


def test_words_of_cpp_are_for_authors_of_cpp():
    content = tomllib.loads(resource("analysis/findings.toml").read_text("utf-8"))
    del content["looked for"]
    for name, row in content.items():
        if CPP_WORDS.search(row["remedy"]):
            assert row["remedy_in"].keys() == {"ptx", "llvm-ir"}, name
        for part in ("reason_in", "remedy_in"):
            for language, text in row.get(part, {}).items():
                # The functions of libdevice begin so, too.
                assert not CPP_WORDS.search(re.sub(r"__nv_\w+", "", text)), (name, language)
                braces = set(re.findall(r"\{\w+\}", text))
                assert braces <= set(re.findall(r"\{\w+\}", row[part.removesuffix("_in")])), name


@pytest.mark.parametrize(
    ("file", "remedy"),
    [
        ("k.cu", "mark the pointers __restrict__"),
        ("k.ll", "mark the parameters noalias"),
        ("k.ptx", "Load it into a register before."),
        ("k.cuh", "mark the pointers __restrict__"),
        ("k.py", ""),
    ],
)
def test_a_remedy_is_in_the_language_of_the_place(file, remedy):
    hit = RuleHit((), {}, "load")
    by_place = text_of("aliased", hit, (SourceLocation(file, 3),), "other.cu").remedy
    by_module = text_of("aliased", hit, (), file).remedy
    assert by_place == by_module
    assert (remedy in by_place) if remedy else not by_place
    # What is said in no language's words is said to all.
    assert text_of("divergent", RuleHit((), {}), (), file).remedy.startswith("Sort or group")
