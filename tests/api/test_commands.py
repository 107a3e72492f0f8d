"""`jitstudio.inspect`, `build`, `diff` and `run`: the same as the commands, as typed reports."""

import json
import re
import subprocess
import sys
import textwrap
import time
from html.parser import HTMLParser
from inspect import get_annotations, signature
from pathlib import Path

import pytest

import jitstudio
from jitstudio.api.arguments import (
    BuildArguments,
    DiffArguments,
    InspectArguments,
    PassesArguments,
    RunArguments,
)
from jitstudio.command_options.build import BuildOptions, DiffOptions, InspectOptions, PassesOptions
from jitstudio.command_options.launch import RunOptions
from jitstudio.core.captured import KernelLanguage as L
from jitstudio.core.captured import unpack
from jitstudio.help.manual import pages
from tests.schemas import violations

RECORDED = Path(__file__).parents[1] / "data/captured/add_kernel.jitkernel"
KERNEL = unpack(RECORDED.read_bytes())
CUBIN = KERNEL.representation(L.CUBIN).content
SCALE = 'extern "C" __global__ void scale(float *x) { x[threadIdx.x] *= 2; }\n'
NO_SUCH = "__global__ void f() { <b>x</b>; }\n"

pytestmark = pytest.mark.tools


class _Checked(HTMLParser):
    """Fails on anything that is not closed in order, or that could run."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.words = ""
        self.rows = []

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            align = re.search(r"text-align: (\w+)", dict(attributes)["style"])
            self.rows[-1].append(["", align[1]])
        assert tag not in ("script", "iframe", "img", "link", "object")
        assert all(name in ("style", "class") for name, _ in attributes)
        self.open += [tag] if tag != "br" else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data
        if self.open and self.open[-1] in ("th", "td"):
            self.rows[-1][-1][0] += data


def _parsed(report):
    parser = _Checked()
    parser.feed(report._repr_html_())
    assert parser.open == []
    return parser


def words_of(report):
    return _parsed(report).words


def test_a_report_is_the_object_of_the_command(run, tmp_path):
    path = tmp_path / RECORDED.name
    path.write_bytes(RECORDED.read_bytes())
    report = jitstudio.inspect(path)
    assert violations("inspect", report.to_dict()) == []
    assert report.to_dict() == json.loads(run("inspect", path, "--json").out)
    (kernel,) = report.kernels
    assert (report.ok, report.outcome, kernel.name, kernel.target) == (
        *(True, "built"),
        *("add_kernel", "sm_90a"),
    )
    assert kernel.registers == report.to_dict()["kernels"][0]["report"]["registers"]
    code = kernel.sass.splitlines()
    assert len(code) == kernel.instructions
    assert code[0].startswith("/*0000*/")
    assert re.search(r"add_kernel +sm_90a +\d+ .* 100%\nbuilt$", str(report))
    shown = words_of(report)
    assert "sharedinstructionsoccupancy" in shown
    assert f"{kernel.registers}" in shown
    assert code[-1] in shown


def test_a_kernel_of_python_is_read_like_its_file():
    report = jitstudio.inspect([KERNEL.representation(L.PTX).text, CUBIN], name="add")
    assert [kernel.module for kernel in report.kernels] == ["add.ptx", "add.cubin"]
    assert jitstudio.inspect(CUBIN, kernel="add_kernel").kernels[0].code_bytes == 512
    with pytest.raises(ValueError, match=r"'other'\. There are: add_kernel"):
        jitstudio.inspect(CUBIN, kernel="other")


def test_a_table_has_names_on_the_left_and_figures_on_the_right_below_their_headings():
    report = jitstudio.inspect([KERNEL.representation(L.PTX).text, CUBIN], name="add")
    heading, *rows = _parsed(report).rows
    assert len(rows) == len(report.kernels) == 2
    for row, kernel in zip(rows, report.kernels, strict=True):
        assert [align for _, align in row] == [align for _, align in heading]
        for word, align in row:
            assert align == ("right" if re.fullmatch(r"[\d,]+ ?%?|-", word) else "left"), word
        figures = {title: word for (title, _), (word, _) in zip(heading, row, strict=True)}
        assert figures["kernel"] == kernel.demangled
        assert figures["registers"] == str(kernel.registers)
        assert figures["instructions"] == f"{kernel.instructions:,}"


def test_a_build_has_its_bytes_and_a_failed_one_its_log():
    made = jitstudio.build(SCALE, arch="sm_90", options=["-lineinfo"], emit=["ptx", "cubin"])
    assert (made.ok, made.arch, made.kernels[0].name) == (True, "sm_90", "scale")
    assert ".entry scale(" in made.ptx
    assert made.artifacts("cubin") == {"kernel.cu": made.cubin}
    assert "-lineinfo" in made.to_dict()["stages"][0]["options"]
    assert "scale" in words_of(made)
    failed = jitstudio.build(NO_SUCH, name="mine")
    assert (failed.ok, failed.outcome, failed.cubin) == (False, "failed", None)
    assert failed.messages[0].startswith("mine.cu:1: error: ")
    assert "mine.cu(1): error" in failed.log
    assert failed.messages[0] in words_of(failed)
    assert "failed" in words_of(jitstudio.inspect(NO_SUCH))


def test_a_difference_has_its_lines_and_figures():
    made = jitstudio.build(SCALE, arch="sm_90", emit=["ptx", "cubin"])
    other = jitstudio.build(SCALE.replace("2", "3"), arch="sm_90", emit=["ptx", "cubin"])
    equal = jitstudio.diff(made.cubin, SCALE, arch="sm_90")
    assert (equal.equal, equal.lines, equal.deltas, str(equal)) == (True, (), {}, "equal")
    found = jitstudio.diff(made.ptx, other.ptx, what="ptx")
    assert (found.equal, len(found.lines)) == (False, 2)
    assert violations("diff", found.to_dict()) == []
    assert found.lines[0] in words_of(found)
    with pytest.raises(ValueError, match=r"'b' holds several modules: b\.cubin, b-2"):
        jitstudio.diff(made.cubin, [made.cubin, made.cubin])


def test_a_launch_without_a_driver_says_so():
    found = jitstudio.run(SCALE, arguments={"x": "32:range:inout"}, grid=1, block=(32, 1))
    assert violations("run", found.to_dict()) == []
    if found.outcome == "missing":
        assert "driver" in found.messages[0]
        assert found.median_ms is None
    else:
        assert found.ok
        assert found.median_ms > 0
    failed = jitstudio.run(NO_SUCH, grid=1)
    assert (failed.outcome, failed.ok) == ("failed", False)


def test_a_launch_in_the_simulator_has_counts():
    found = jitstudio.run(
        SCALE, arguments={"x": "32:range:inout"}, grid=1, block=(32, 1), device="sim", seed=2
    )
    assert violations("run", found.to_dict()) == []
    assert (found.outcome, found.device, found.median_ms) == ("ran", "Simulator (no GPU)", None)
    assert (found.simulation["blocks"], found.simulation["seed"]) == (1, 2)


def test_wrong_arguments_are_sentences(tmp_path):
    for call, error, words in (
        (lambda: jitstudio.inspect(3.5), TypeError, "Taken are PTX"),
        (lambda: jitstudio.inspect([]), TypeError, "a list of kernels is empty"),
        (lambda: jitstudio.inspect(tmp_path / "no.cubin"), ValueError, "cannot be read: No such"),
        (lambda: jitstudio.inspect(CUBIN, arch="sm_7"), ValueError, "sm_7"),
        (lambda: jitstudio.build(SCALE, link="both"), ValueError, "'ptx', 'lto' or None"),
        (lambda: jitstudio.build(SCALE, emit=["gif"]), ValueError, "does not know 'gif'"),
        (lambda: jitstudio.diff(CUBIN, CUBIN, what="age"), ValueError, "'sass', 'ptx'"),
    ):
        with pytest.raises(error, match=words):
            call()


ONES = 'extern "C" __global__ void k(float* x, int n) { x[threadIdx.x] = threadIdx.x * 2.f; }'
LAUNCH = {"arguments": {"x": "32:out", "n": 32}, "grid": 1, "block": 32, "device": "sim"}


@pytest.mark.parametrize("expect", ["x = i * 2", ["x = i * 2"], ("x = i*2",), iter(["x = 2*i"])])
def test_one_text_is_one_expectation(expect):
    found = jitstudio.run(ONES, expect=expect, **LAUNCH)
    assert (found.ok, found.checks_passed, len(found.to_dict()["checks"])) == (True, True, 1)


def test_no_check_has_passed_of_a_launch_that_did_not_run():
    found = jitstudio.run(ONES.replace("threadIdx", "thread"), expect="x = 0", **LAUNCH)
    assert (found.ok, found.checks_passed) == (False, False)


def test_one_text_is_one_option_and_one_thing_to_make():
    assert jitstudio.build(ONES, options="-lineinfo").ok
    assert jitstudio.build(ONES, emit="ptx").ptx


@pytest.mark.parametrize(
    ("call", "wrong", "words"),
    [
        (jitstudio.build, {"arch": 90}, "arch=90: takes a target such as 'sm_90'"),
        (jitstudio.build, {"options": 3}, "options=3: a text or several belong here, not 3"),
        (jitstudio.build, {"options": ["-G", 3]}, r"options=\['-G', 3\]: .* not 3"),
        (jitstudio.build, {"emit": [None]}, r"emit=\[None\]: "),
        (jitstudio.build, {"timeout": -1}, "timeout=-1: must be more than 0 seconds"),
        (jitstudio.inspect, {"block": "abc"}, "block='abc': 'abc' is not a number"),
        (jitstudio.inspect, {"shared": -5}, "shared=-5: must be at least 0"),
        (jitstudio.inspect, {"kernel": 3}, "kernel=3: a text belongs"),
        (jitstudio.run, {"repeats": -3}, "repeats=-3: .* at least 0"),
        (jitstudio.run, {"seeds": 0}, "seeds=0: .* at least 1"),
        (jitstudio.run, {"seed": -1}, "seed=-1: .* at least 0"),
        (jitstudio.run, {"timeout": 0}, "timeout=0: must be more"),
        (jitstudio.run, {"timeout": float("nan")}, "timeout=nan: must be more"),
        (jitstudio.run, {"device": "gpu"}, "device='gpu': 'gpu' is not a number"),
        (jitstudio.run, {"expect": 5}, "expect=5: "),
        (jitstudio.run, {"arguments": "x"}, "arguments='x': names and values"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_its_argument(call, wrong, words):
    given = LAUNCH if call is jitstudio.run else {}
    with pytest.raises(ValueError, match=words):
        call(ONES, **(given | wrong))


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (InspectArguments, InspectOptions),
        (BuildArguments, BuildOptions),
        (RunArguments, RunOptions),
        (DiffArguments, DiffOptions),
        (PassesArguments, PassesOptions),
    ],
)
def test_python_takes_all_that_the_command_takes(arguments, options):
    """But for what a command prints or writes, and for what Python says in another way."""
    printed = {"json", "lists", "code", "output", "save", "repeat", "no_pch", "compare_links"}
    printed |= {"interleave", "compare_targets", "number", "diffs", "lines"}
    printed |= {"compare_options", "time"} if options is BuildOptions else set()
    own = {"sources", "a", "b", "arguments", "set", "expect"}
    own |= {"kernel"} if options is RunOptions else set()
    fields = {field.name for field, _ in options.words()}
    assert get_annotations(arguments).keys() == fields - printed - own | {"name", "session"}


def test_help_and_notebooks_see_each_argument():
    for call in (
        *(jitstudio.inspect, jitstudio.build, jitstudio.run, jitstudio.diff, jitstudio.passes),
    ):
        names = list(signature(call).parameters)
        arguments = call.__doc__.partition("Args:\n")[2].partition("Raises:")[0]
        documented = re.findall(r"^    (\w+): ", arguments, re.M)
        assert sorted(names) == sorted(documented)
    assert signature(jitstudio.build).parameters["timeout"].default == 120
    with pytest.raises(TypeError, match=r"no argument 'opitons'\. Did you mean 'options'\?"):
        jitstudio.build(SCALE, opitons="-G")


TEMPLATE = """#include "factor.h"
template <typename T> __global__ void scale(T* x) { x[threadIdx.x] *= FACTOR; }
"""


@pytest.mark.parametrize("form", [str, str.encode, Path])
def test_a_template_is_instantiated_with_a_header_in_memory(form, tmp_path):
    text = "#define FACTOR 3\n"
    header = tmp_path / "f.h" if form is Path else form(text)
    (tmp_path / "f.h").write_text(text)
    built = jitstudio.build(
        TEMPLATE, name_expressions=["scale<int>", "scale<double>"], headers={"factor.h": header}
    )
    assert {kernel.demangled for kernel in built.kernels} == {
        "void scale<int>(int*)",
        "void scale<double>(double*)",
    }
    ran = jitstudio.run(
        TEMPLATE,
        "scale<int>",
        headers={"factor.h": header},
        arguments={"x": "32:range"},
        expect="x = i * 3",
        grid=1,
        block=32,
        device="sim",
        options="-DOTHER='a b' -lineinfo",
        seeds=2,
    )
    assert ran.ok, ran.messages
    assert (ran.simulation["seed"], ran.simulation["compared_seeds"]) == (0, [1])
    for wrong in ({"factor.h": 3}, {"": "x"}, "factor.h"):
        with pytest.raises(ValueError, match=r"^headers="):
            jitstudio.build(TEMPLATE, headers=wrong)


def test_options_are_a_list_or_a_text_as_in_a_shell():
    report = jitstudio.build(SCALE, options="-lineinfo --maxrregcount 32 -DA='x y'", emit="ptx")
    assert {"-lineinfo", "-DA=x y"} <= {*report.to_dict()["stages"][0]["options"]}
    with pytest.raises(ValueError, match=r"^options=.*Check the quotes"):
        jitstudio.build(SCALE, options="-DA='x")


@pytest.mark.parametrize("link", ["lto", "ptx"])
def test_several_sources_are_linked(link):
    called = "twice(x[threadIdx.x])"
    caller = f"__device__ float twice(float x);\n{SCALE.replace('*= 2', f'= {called}')}"
    callee = "__device__ float twice(float x) { return x * 2; }\n"
    launch = LAUNCH | {"arguments": {"x": "32:range"}, "expect": "x = i * 2"}
    report = jitstudio.run({"a.cu": caller, "b.cu": callee}, link=link, **launch)
    assert report.ok, report.messages


def test_host_code_is_set_aside_unless_it_is_kept():
    with_host = f"int of_the_host() {{ return 0; }}\n{SCALE}"
    assert jitstudio.build(with_host).ok
    kept = jitstudio.build(with_host, host_code="keep")
    assert not kept.ok
    assert "host function" in kept.messages[0]


def test_failures_have_their_message():
    endless = 'extern "C" __global__ void k(volatile int *x) { for (;;) *x += 1; }'
    launch = {"arguments": {"x": "1:zeros"}, "grid": 1, "block": 1, "device": "sim"}
    late = jitstudio.run(endless, timeout=1, **launch)
    assert late.outcome == "timed-out"
    assert "time limit" in late.messages[0]
    slow = f"#include <cuda/std/complex>\n{SCALE}// {time.time_ns()}\n"
    built = jitstudio.build(slow, timeout=0.01)
    assert built.outcome == "timed-out"
    assert "0.01 s" in built.messages[0]
    nowhere = jitstudio.run(endless, **launch | {"device": 77})
    assert nowhere.outcome == "missing"
    assert nowhere.messages[0].startswith("error: ")
    wrong = jitstudio.run(ONES, expect="x = i * 3", **LAUNCH)
    assert wrong.messages[0].startswith("31 of 32 elements of 'x' are wrong. x[1] is 2.0, expected")


def test_reports_are_types_of_the_package():
    from jitstudio import BuildReport, DiffReport, InspectReport, LaunchReport, Session

    assert isinstance(jitstudio.build(SCALE), BuildReport)
    kinds = (DiffReport, InspectReport, LaunchReport, Session)
    assert all(isinstance(kind, type) for kind in kinds)


def test_the_examples_of_the_manual_run(tmp_path):
    text = pages()["api"].text
    examples = re.findall(r"\n(    import [\w, ]*jitstudio\n.*?)\n(?=\S)", text, re.S)
    assert len(examples) == 2
    for example in examples:
        exec(compile(textwrap.dedent(example), "api.md", "exec"), {})
    for name in re.findall(r"jitstudio\.(\w+)\(", text):
        assert callable(getattr(jitstudio, name))


def test_importing_it_loads_neither_qt_nor_a_native_library():
    code = (
        "import sys, jitstudio; dir(jitstudio)\n"
        "assert not any(name.startswith('jitstudio.') for name in sys.modules)\n"
        "jitstudio.inspect, jitstudio.build, jitstudio.run, jitstudio.diff\n"
        "print({'PySide6', 'numpy', 'cuda'} & set(sys.modules) or 'none')\n"
        "jitstudio.colour"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.returncode) == ("none\n", 1)
    assert "module 'jitstudio' has no attribute 'colour'" in ran.stderr
