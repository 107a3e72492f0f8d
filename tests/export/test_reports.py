"""A report ties the same lines as the window, has the figures of `inspect`, and loads nothing."""

import re
import zlib
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import PurePath

import pytest

from tests.support import SAMPLES

HISTOGRAM = (
    SAMPLES / "histogram.cu",
    *("--header", f"atomic_ops.cuh={SAMPLES / 'atomic_ops.cuh'}"),
)
_EMPTY = {"meta", "path", "rect", "br"}


class Page(HTMLParser):
    """What of a page counts here: that it is well-formed, its lines, ids and links."""

    def __init__(self, text):
        super().__init__()
        self.open, self.lines, self.ids, self.links, self.cells = [], [], set(), [], []
        self.pane, self.words = -1, ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in _EMPTY:
            self.open.append(tag)
        assert "src" not in given
        self.ids |= {given["id"]} if "id" in given else set()
        if tag == "a":
            self.links.append(given["href"])
        self.pane += given.get("class") == "pane"
        if "l" in given.get("class", "").split():
            hue = re.search(r"h(\d)", given["class"])
            self.lines.append([self.pane, hue and hue[1], given.get("data-g"), ""])
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag):
        if tag not in _EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "pre" in self.open and self.lines:
            self.lines[-1][3] += data
        if self.open and self.open[-1] == "td":
            self.cells[-1] += data


@pytest.fixture(scope="module")
def tmp_path(one_folder):
    return one_folder


@pytest.mark.usefixtures("shared_cache")
def test_a_page_ties_the_lines_that_belong_together(run, tmp_path):
    assert run("export", "html", *HISTOGRAM, "-o", "report.html").code == 0
    text = (tmp_path / "report.html").read_text()
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    page = Page(text)
    groups = defaultdict(set)
    for pane, hue, group, _ in page.lines:
        if group:
            groups[group].add((pane, hue))
    # A line of the source has its colour in PTX and in machine code, too.
    whole = [found for found in groups.values() if {pane for pane, _ in found} == {0, 1, 2}]
    assert len(whole) > 6
    assert all(len({hue for _, hue in found}) == 1 for found in whole)
    (barrier, *_) = [line for line in page.lines if "__syncthreads" in line[3]]
    same = [line[3] for line in page.lines if line[2] == barrier[2] and line[0] > 0]
    assert any("bar.sync" in line for line in same)
    assert any("BAR.SYNC" in line for line in same)
    assert page.links
    assert {link.removeprefix("#") for link in page.links} <= page.ids
    read = run("inspect", *HISTOGRAM, "--json").json
    (kernel,) = read["kernels"]
    assert page.cells[0] == kernel["demangled"]
    assert page.cells[1] == str(kernel["report"]["registers"])
    # Columns without a value in any row are left out, and the summary is a page of its own.
    assert str(kernel["report"]["instructions"]) in page.cells
    assert "-" not in page.cells
    assert text.count("<svg") == 1
    assert "ptxas info" in text


# The division and the root call functions that ptxas brings along, which have no line.
_SOURCES = {
    "divide.cu": """#include "root.cuh"
__device__ double third(double x) { return x / 3.0; }
extern "C" __global__ void divide(double *p, const double *q) {
    p[0] = third(q[0]) / q[1]
        + root(q[2]);
}
""",
    "root.cuh": "__device__ double root(double x) {\n    return sqrt(x);\n}\n",
    "divide.ptx": """.version 7.5
.target sm_75
.address_size 64
.visible .entry divide(.param .u64 p) {
    .reg .f64 %d<3>;
    .reg .b64 %r;
    ld.param.u64 %r, [p];
    ld.global.f64 %d0, [%r];
    ld.global.f64 %d1, [%r+8];
    div.rn.f64 %d2, %d0, %d1;
    st.global.f64 [%r], %d2;
    ret;
}
""",
}


@pytest.mark.parametrize("sources", [["divide.cu", "root.cuh"], ["divide.ptx"]])
def test_an_instruction_belongs_to_the_line_that_inspect_names(run, tmp_path, sources):
    for name in sources:
        (tmp_path / name).write_text(_SOURCES[name])
    words = [sources[0], *(f"--header={name}={name}" for name in sources[1:])]
    assert run("export", "html", *words, "-o", "divide.html").code == 0
    lines = Page((tmp_path / "divide.html").read_text()).lines
    places = [(name, at) for name in sources for at in range(len(_SOURCES[name].splitlines()))]
    groups = dict(zip(places, (group for pane, _, group, _ in lines if pane == 0), strict=True))
    instructions, ordinal = {}, -1
    for pane, _, group, text in lines:
        if pane > 0 and (match := re.match(r"/\*([0-9a-f]{4})\*/", text)):
            address = int(match[1], 16)
            ordinal += address == 0
            instructions[ordinal, address] = group
    read = run("inspect", *words, "--json").json
    expected = {}
    for at, function in enumerate(read["kernels"] + read["functions"]):
        for instruction in function["instructions"]:
            file, line = instruction["source_file"], instruction["source_line"]
            place = (PurePath(file or "").name, (line or 0) - 1)
            expected[at, instruction["address"]] = groups[place] if line else None
    assert None in expected.values()
    assert len({*expected.values()}) > 4
    assert instructions == {place: expected[place] for place in instructions}


def test_ptx_that_was_written_by_hand_is_tied_by_its_own_lines(run, tmp_path):
    files = [SAMPLES / name for name in ("scale.ptx", "multiply.ptx")]
    assert run("export", "html", *files, "--link", "-o", "ptx.html").code == 0
    page = Page((tmp_path / "ptx.html").read_text())
    assert {pane for pane, *_ in page.lines} == {0, 1}
    store = next(line for line in page.lines if "st.global" in line[3])
    assert any("STG" in line[3] for line in page.lines if line[2] == store[2])


def test_the_pdf_is_one_that_readers_can_read(run, tmp_path):
    assert run("export", "pdf", *HISTOGRAM).code == 2
    assert run("export", "pdf", *HISTOGRAM, "-o", "report.pdf").code == 0
    data = (tmp_path / "report.pdf").read_bytes()
    assert data.startswith(b"%PDF-1.4")
    table = int(re.search(rb"startxref\n(\d+)\n%%EOF\n\Z", data)[1])
    count = int(re.match(rb"xref\n0 (\d+)\n", data[table:])[1])
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n ", data[table:])]
    assert len(places) == count - 1
    for number, place in enumerate(places, 1):
        assert data[place:].startswith(b"%d 0 obj\n" % number)
    drawn = []
    for match in re.finditer(rb"/Length (\d+)[^>]*>>\nstream\n", data):
        length, start = int(match[1]), match.end()
        drawn.append(zlib.decompress(data[start : start + length]).decode("latin-1"))
        assert data[start + length :].startswith(b"\nendstream")
    assert len(drawn) == int(re.search(rb"/Count (\d+)", data)[1])
    # The first page has the figures and no code; logs of tools come behind it.
    assert "instructions" in drawn[0]
    assert "bar.sync" not in drawn[0]
    assert "kernel" in drawn[0]
    text = "\n".join(drawn)
    for words in ("__syncthreads", "bar.sync", "BAR.SYNC", "Control flow of histogram", "NVRTC"):
        assert words in text
    assert text.count(" rg BT /F") == text.count(" Td (") == text.count(") Tj ET")


@pytest.mark.slow
def test_passes_are_in_a_report_that_asks_for_them(run, tmp_path):
    (tmp_path / "loop.cu").write_text(
        'extern "C" __global__ void k(float *x) {\n'
        "    for (int i = 0; i < 4; ++i) x[threadIdx.x * 4 + i] *= x[i];\n}\n"
    )
    words = ("loop.cu", "--arch", "sm_100", "--passes")
    assert run("export", "html", *words, "-o", "passes.html").code == 0
    page = (tmp_path / "passes.html").read_text()
    assert "<h2>Passes of loop.cu</h2>" in page
    assert re.search(r"<summary>\d+ [\w -]+ on function \(k\)</summary><pre>@@", page)
    assert re.search(r"<ins>\+\s*\w", page)
    assert "loop.cu:2:5: info: completely unrolled loop with 4 iterations" in page
    refused = run("export", "cuda-core", *words)
    assert (refused.code, "--passes" in refused.err) == (2, True)
