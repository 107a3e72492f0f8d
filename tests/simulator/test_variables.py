"""The variables of the source at a step, as the debug information of real builds tells of them."""

import io
import re
from dataclasses import replace

import numpy as np
import pytest
from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo

from jitstudio.gui.features.step.registers import lane_value
from jitstudio.simulator.ptx.debug_info import DataKind, read_debug_info
from jitstudio.simulator.ptx.linking import link_ptx
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.stepping.requests import (
    Breakpoint,
    SimulatedThread,
    StepGoal,
    StepMove,
    StopReason,
)
from jitstudio.simulator.stepping.session import StepSession
from tests.simulator.running import launch_of, ptx_of

SOURCE = """\
struct Pair { int a; float b; };
struct Deep { Pair pair; short n[3]; };
__device__ int base = 100;
__constant__ float factors[2] = {0.5f, 4.0f};
__device__ __noinline__ int helper(int n, const float* q) {
  int twice = n * 2;
  float buf[100];
  for (int j = 0; j < 100; ++j)
    buf[j] = q[0] + twice + j;
  return twice + (int)buf[n & 63];
}
extern "C" __global__ void k(const float* x, float* y, int n, Pair given) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Pair p = {i * 3, x[i] * 2.0f};
  float4 v = make_float4(1, 2, 3, x[i]);
  Deep deep = {p, {short(i), short(-i), 7}};
  float m[2][3] = {{1, 2, 3}, {4, 5, p.b}};
  double d = i * 0.25;
  unsigned char c = 250 + i;
  bool odd = i & 1;
  long long big = (1LL << 40) + i;
  tile[threadIdx.x] = p.b;
  __syncthreads();
  if (i < n) {
    float inner = tile[threadIdx.x] + v.w;
    int s = helper(i, x);
    {
      float i = inner * 2;
      inner = i + given.a;
    }
    int late = base + s;
    y[i] = inner + p.a + s + d + c + odd + big + m[1][i & 1] + deep.n[1] + factors[1] + late;
  }
}
"""


def line_of(text):
    return next(n for n, line in enumerate(SOURCE.splitlines(), 1) if text in line)


@pytest.fixture(scope="module")
def text(builder):
    return ptx_of(builder, SOURCE, "sm_90", "-G")


@pytest.fixture(scope="module")
def program(text):
    return read_program(text)


X = (np.arange(40) * 0.5 + 1).astype(np.float32)
GIVEN = (np.int32(9), np.float32(1.5))


def launch():
    return launch_of(
        "k", (1, 1, 1), (40, 1, 1), (X, np.zeros(40, np.float32), np.int32(40), *GIVEN)
    )


class Walk:
    """A session at a line of the source, and the variables there by name."""

    def __init__(self, program, lane=5):
        self.program, self.thread = program, SimulatedThread((0, 0, 0), (lane, 0, 0))
        self.session = StepSession(program, launch(), self.thread)

    def to(self, text, condition=""):
        line = line_of(text)
        files = tuple({i.source.file for i in self.program.instructions if i.source.line == line})
        points = (Breakpoint(line, files, condition),)
        self.session.begin(StepMove(StepGoal.BREAKPOINT, self.thread, breakpoints=points))
        self.state = self.session.go_on(60)
        assert self.state.reason is StopReason.BREAKPOINT
        return {row.name: row for row in self.state.variables}


def values(row, lanes=32):
    return [lane_value(row, lane) for lane in range(lanes)]


def test_values_are_those_that_the_kernel_has_stored(program):
    found = Walk(program).to("y[i] = inner")
    i = np.arange(32)
    twos = X[:32] * 2
    expected = {
        "i": i,
        "p.a": i * 3,
        "p.b": twos,
        "v.x": np.full(32, 1.0),
        "v.w": X[:32],
        "deep.pair.a": i * 3,
        "deep.n[1]": -i,
        "m[1][2]": twos,
        "d": i * 0.25,
        "c": (250 + i) % 256,
        "big": (1 << 40) + i,
        "n": np.full(32, 40),
        "given.a": np.full(32, 9),
        "given.b": np.full(32, 1.5),
        "base": np.full(32, 100),
        "factors[1]": np.full(32, 4.0),
        "inner": 2 * (twos + X[:32]) + 9,
        "s": 2 * i + (1 + 2 * i + i).astype(np.int32),
    }
    for name, wanted in expected.items():
        assert [float(value) for value in values(found[name])] == wanted.tolist(), name
    assert values(found["odd"]) == ["false", "true"] * 16 or found["odd"].absent == 2**32 - 1
    assert (found["p.a"].spelling, found["v.x"].spelling) == ("int", "float")
    assert found["x"].spelling == "const float*"
    assert values(found["x"])[0].startswith("0x")
    late = Walk(program).to("int late")
    assert "late" not in late or late["late"].absent == 2**32 - 1


def test_scopes_hide_and_calls_have_their_own(program):
    walk = Walk(program)
    inside = walk.to("return twice")
    assert values(inside["n"]) == values(inside["n"]) == [str(n) for n in range(32)]
    assert float(values(inside["buf[63]"])[3]) == 1 + 6 + 63
    assert "buf[64]" not in inside
    assert inside["buf…"].spelling == "float[100]"
    assert "i" not in inside
    assert "inner" not in inside
    hidden = walk.to("inner = i + given.a")
    assert float(values(hidden["i"])[5]) == 2 * (2 * X[5] + X[5])
    before = Walk(program).to("tile[threadIdx.x] = p.b")
    assert "inner" not in before


def test_conditions_name_variables(program):
    walk = Walk(program)
    walk.to("y[i] = inner", "i == 33 && p.b > 30 && deep.n[1] == -33 && s > 3")
    assert walk.state.thread.thread == (33, 0, 0)
    wrong = Walk(program)
    with pytest.raises(ValueError, match="nothing_of_it"):
        wrong.to("y[i] = inner", "nothing_of_it == 1")


def test_without_debug_information_there_are_none(builder):
    session = StepSession(read_program(ptx_of(builder, SOURCE)), launch(), SimulatedThread())
    state = session.look_at(SimulatedThread())
    assert (state.variables, state.has_names) == ((), False)


def test_each_module_of_a_link_has_its_own(builder):
    static = SOURCE.replace("__device__ __noinline__", "static __device__ __noinline__")
    other = static.replace("void k(", "void other(").replace("twice", "thrice")
    texts = [ptx_of(builder, each, "sm_90", "-G") for each in (static, other)]
    program = read_program(link_ptx(texts))
    info = read_debug_info(program.text)
    for name in program.functions:
        if "helper" in name:
            names = {v.name for scope in info.functions[name].inner for v in scope.variables}
            assert ("twice" in names) == ("module0" in name)
            assert ("thrice" in names) == ("module1" in name)
    assert {"k", "other"} <= info.functions.keys()
    assert sum("helper" in name for name in program.functions) == 2


def test_it_is_what_pyelftools_reads(text):
    """Names, lines and places of all variables, by another reader."""
    sections = {}
    for name, body in re.findall(r"\.section\s+(\.debug_\w+)\s*\{([^}]*)\}", text):
        data = bytearray()
        for size, items in re.findall(r"^\.b(8|32|64) (.*)$", body, re.MULTILINE):
            for item in items.split(","):
                number = int(item) if item.strip().isdigit() else 0
                data += number.to_bytes(int(size) // 8, "little")
        sections[name] = bytes(data)

    def described(name):
        data = sections.get(name)
        return data and DebugSectionDescriptor(io.BytesIO(data), name, None, len(data), 0)

    names = [None] * 19
    names[0], names[2], names[6] = map(described, (".debug_info", ".debug_abbrev", ".debug_loc"))
    dwarf = DWARFInfo(DwarfConfig(True, "PTX", 8), *names)
    theirs = set()
    for unit in dwarf.iter_CUs():
        for entry in unit.iter_DIEs():
            if entry.tag in ("DW_TAG_variable", "DW_TAG_formal_parameter"):
                known = entry.attributes
                name = known["DW_AT_name"].value.decode()
                theirs.add((name, known["DW_AT_decl_line"].value, "DW_AT_location" in known))
    info = read_debug_info(text)
    ours, waiting = set(), list(info.functions.values())
    while waiting:
        scope = waiting.pop()
        waiting += scope.inner
        ours |= {(v.name, v.line, bool(v.places)) for v in scope.variables}
    ours |= {(v.name, v.line, bool(v.places)) for v in info.variables}
    assert ours == theirs
    assert len(ours) > 20


def test_damaged_debug_information_is_left_out(program, text):
    """Numbers that are changed anywhere end in fewer variables or others, never in an error."""
    chosen = np.random.default_rng(1)
    numbers = [n for n, line in enumerate(text.splitlines()) if line.startswith(".b")]
    for _ in range(25):
        lines = text.splitlines()
        for at in chosen.choice(numbers, 3):
            lines[at] = f".b8 {chosen.integers(256)}"
        damaged = replace(program, text="\n".join(lines))
        session = StepSession(damaged, launch(), SimulatedThread())
        session.begin(StepMove(StepGoal.STEP, SimulatedThread(), step=60))
        assert session.go_on(60).step == 60


def leb(value):
    last = bytes([value & 0x7F | (0x80 if value > 0x7F else 0)])
    return last + leb(value >> 7) if value > 0x7F else last


def dwarf(abbreviations, entries):
    """Sections as PTX writes them: forms of attributes by code, and the bytes of entries."""
    codes = b"".join(
        leb(code) + leb(tag) + bytes([children]) + b"".join(map(leb, forms)) + b"\0\0"
        for code, tag, children, *forms in abbreviations
    )
    unit = b"\2\0" + bytes(4) + b"\x08" + entries
    sections = {"abbrev": codes + b"\0", "info": len(unit).to_bytes(4, "little") + unit}
    return "".join(
        f".section .debug_{name} {{\n.b8 {','.join(map(str, data))}\n}}\n"
        for name, data in sections.items()
    )


UNIT, KERNEL = (1, 0x11, 1), (4, 0x2E, 1, 0x03, 0x08, 0x11, 0x01)
BASE = (3, 0x24, 0, 0x03, 0x08, 0x0B, 0x07, 0x3E, 0x0B)
BEGIN = b"\4k\0" + bytes(8)


def test_entries_that_cost_more_than_their_bytes_are_left_out():
    many = 3000
    forms = [part for number in range(many) for part in (1000 + number, 0x19)]
    entries = b"\1" + BEGIN + b"\2" * many + b"\0\0"
    text = dwarf([UNIT, KERNEL, (2, 0x34, 0, *forms)], entries)
    assert not read_debug_info(text).functions
    few = dwarf([UNIT, KERNEL, (2, 0x34, 0, *forms)], b"\1" + BEGIN + b"\2" * 9 + b"\0\0")
    assert list(read_debug_info(few).functions) == ["k", "k$module0"]


@pytest.mark.parametrize(
    ("forms", "attributes"),
    [((0x03, 0x0B, 0x49, 0x13), b"\7\x0c\0\0\0"), ((0x03, 0x08, 0x49, 0x0A), b"x\0\1\0")],
)
def test_attributes_of_wrong_forms_are_as_none(forms, attributes):
    base = b"\3T\0" + (4).to_bytes(8, "little") + b"\5"
    entries = b"\1" + base + BEGIN + b"\2" + attributes + b"\0\0"
    found = read_debug_info(dwarf([UNIT, (2, 0x34, 0, *forms), BASE, KERNEL], entries))
    assert found.functions["k"].variables == []


def test_scalars_have_sizes_of_numbers():
    for size, is_number in ((4, True), (16, True), (3, False), (2_000_000_000, False)):
        base = b"\3T\0" + size.to_bytes(8, "little") + b"\5"
        entries = b"\1" + base + BEGIN + b"\2x\0\x0c\0\0\0\0\0"
        variable = (2, 0x34, 0, 0x03, 0x08, 0x49, 0x13)
        found = read_debug_info(dwarf([UNIT, variable, BASE, KERNEL], entries))
        (made,) = found.functions["k"].variables
        assert (made.name, made.type.kind is DataKind.SIGNED) == ("x", is_number)
