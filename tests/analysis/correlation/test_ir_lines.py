"""Where the lines of MLIR and LLVM IR come from, against the same texts read in another way."""

import re
import subprocess
from random import Random
from time import process_time

import pytest

from jitstudio.analysis.correlation.index import Correlation
from jitstudio.analysis.correlation.ir_lines import read_stage_lines
from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.sass.model import Disassembly, SourceLocation
from jitstudio.core.captured import KernelLanguage, Representation, unpack
from jitstudio.listing.lines import shown_lines
from jitstudio.toolchain import locate
from tests.support import SAMPLES

TRITON = unpack((SAMPLES / "triton_swiglu.jitkernel").read_bytes())
NUMBA = unpack((SAMPLES / "numba_smooth.jitkernel").read_bytes())
L = KernelLanguage


def chains(language, text):
    """What is read of each line, each place as `file:line`."""
    lines = text.split("\n")
    read = read_stage_lines(Representation(language, text.encode()), lines)
    assert read.count == len(lines)
    numbers = range(1, len(lines) + 1)
    return [" ".join(f"{p.file}:{p.line}" for p in read.places_of(number)) for number in numbers]


def of_kernel(kernel, language):
    text = kernel.representation(language).text.rstrip("\n")
    return text.split("\n"), chains(language, text)


@pytest.mark.parametrize("language", [L.TTIR, L.TTGIR])
def test_operations_of_triton_come_from_what_their_locations_say(language):
    lines, found = of_kernel(TRITON, language)
    file = TRITON.source.file
    text = "\n".join(lines)
    # Aliases replaced by what they mean until none is left, by search and replace alone.
    meanings = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.MULTILINE))
    expected = []
    for line in lines:
        match = re.search(r" loc\(([^()]*)\)$", line)
        of_line = match[1] if match and not line.startswith("#") else ""
        while (alias := re.search(r"#loc\d*", of_line)) is not None:
            of_line = of_line.replace(alias[0], meanings[alias[0]])
        place = re.search(r'"([^"]+)":(\d+):\d+', of_line)
        expected.append(f"{place[1]}:{place[2]}" if place else "")
    heads = [n for n, line in enumerate(lines) if re.match(r"module|\s+tt\.func", line)]
    for head in heads:
        expected[head] = f"{file}:{definition_line()}"
    assert found == expected
    assert len(set(found)) > 6


def definition_line():
    source = TRITON.source.text.split("\n")
    return next(n for n, line in enumerate(source, 1) if line.startswith("def "))


@pytest.mark.parametrize("kernel", [TRITON, NUMBA], ids=["triton", "numba"])
def test_instructions_come_from_what_their_metadata_says(kernel):
    lines, found = of_kernel(kernel, L.LLVM_IR)
    text, file = "\n".join(lines), kernel.source.file
    numbers = {
        match[1]: match[2]
        for match in re.finditer(r"^!(\d+) = [^\n]*?DI(?:Location|Subprogram)\([^\n]*?\bline: (\d+)"
                                 , text, re.MULTILINE)
    }  # fmt: skip
    expected = [
        f"{file}:{numbers[match[1]]}" if (match := re.search(r"!dbg !(\d+)", line)) else ""
        for line in lines
    ]
    assert found == expected
    assert len(set(found)) > 4


def test_a_line_of_ir_leads_to_the_ptx_of_the_same_line_of_source():
    ptx = shown_lines(TRITON.representation(L.PTX).text)
    stages = {
        ("k", one.language): read
        for one in TRITON.representations
        if (read := read_stage_lines(one, shown_lines(one.text))) is not None
    }
    assert [language for _, language in stages] == [L.TTIR, L.TTGIR, L.LLVM_IR]
    tied = Correlation(Disassembly("", ()), {"k": read_ptx_lines(ptx)}, stages)
    lines = shown_lines(TRITON.representation(L.TTGIR).text)
    (store,) = (n for n, line in enumerate(lines, 1) if "tt.store" in line)
    found = tied.of_stage(("k", L.TTGIR), store)
    source = TRITON.source.text.split("\n")
    (place,) = found.places
    assert "tl.store" in source[place.line - 1]
    # Below a `.loc` of that line, up to the next one.
    under, expected = 0, []
    for number, line in enumerate(ptx, 1):
        if loc := re.match(r"\s*\.loc\s+1 (\d+)", line):
            under = int(loc[1])
        elif under == place.line and re.match(r"\s+@?%?[a-z].*;", line):
            expected.append(number)
    assert list(found.ptx["k"]) == expected
    assert any("st.global" in ptx[number - 1] for number in expected)
    assert set(found.stages) == set(stages)
    back = tied.of_ptx("k", expected[0])
    assert store in back.stages["k", L.TTGIR]
    assert back.places == tied.of_place(place).places == (place,)


def test_a_line_of_ir_leads_to_the_instructions_that_nvdisasm_prints_below_it(tools, tmp_path):
    cubin, file = TRITON.representation(L.CUBIN).content, tmp_path / "k.cubin"
    file.write_bytes(cubin)
    command = [locate.nvdisasm(), "-g", file]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    under, expected = 0, []
    for line in printed.split(".text.swiglu:", 1)[1].split("\n"):
        if place := re.match(r"\s*//## File \"([^\"]+)\", line (\d+)$", line):
            assert place[1] == TRITON.source.file
            under = int(place[2])
        elif code := re.match(r"\s+/\*[\da-f]{4,}\*/\s+(\S.*?)\s*;", line):
            expected.append((under, " ".join(code[1].split())))
    lines = shown_lines(TRITON.representation(L.TTGIR).text)
    stage = read_stage_lines(TRITON.representation(L.TTGIR), lines)
    tied = Correlation(tools.code(cubin), {}, {("k", L.TTGIR): stage})
    (load,) = (n for n, line in enumerate(lines, 1) if "%up_9 = tt.load" in line)
    found = tied.of_stage(("k", L.TTGIR), load)
    (place,) = found.places
    ((function, indices),) = found.code.items()
    here = [index for index, (line, _) in enumerate(expected) if line == place.line]
    assert list(indices) == here
    assert [" ".join(function[n].text.split()) for n in here] == [expected[n][1] for n in here]
    assert sum("LDG" in expected[n][1] for n in here) == 2


MLIR = """\
#loc = loc("a.py":1:0)
module {
  %0 = x.inlined loc(callsite("b.py":2:3 at #loc4))
  %1 = x.fused loc(fused<"meta">[unknown, "c.py":7:1 to :9])
  scf.for %i = %a to %b {
    %2 = "x.quoted"() {text = " loc(\\22"} : () -> i32 loc("name"(#loc))
  } else {
  } loc("d\\\\e.py":5:0)
  %3 = x.unknown loc(unknown)
  %4 = x.half loc(callsite(#loc1 at #loc))
  %5 = x.circle loc(#loc2)
  %6 = x.none
} loc(#loc)
#loc1 = loc(unknown)
#loc2 = loc(callsite(#loc3 at #loc2))
#loc3 = loc("x"(#loc2))
#loc4 = loc(callsite("b.py":9:1 at #loc))"""


def test_all_forms_of_locations_are_read():
    assert chains(L.MLIR, MLIR) == [
        "",
        "a.py:1",
        "b.py:2 b.py:9 a.py:1",
        "c.py:7",
        "d\\e.py:5",
        "a.py:1",
        "d\\e.py:5",
        "d\\e.py:5",
        "",
        "a.py:1",
        "",
        "",
        "a.py:1",
        *[""] * 4,
    ]


def _location(chance, depth):
    """A location as MLIR writes it, and the places that it stands for, innermost first."""
    forms = ("place", "named", "call", "call", "fused", "unknown")
    match chance.choice(forms) if depth else "place":
        case "place":
            line = chance.randrange(1, 99)
            return f'"f.py":{line}:3', [f"f.py:{line}"]
        case "named":
            inside, places = _location(chance, depth - 1)
            return f'"x"({inside})', places
        case "call":
            (callee, places), (caller, around) = (_location(chance, depth - 1) for _ in "ab")
            return f"callsite({callee} at {caller})", places + around
        case "fused":
            parts = [_location(chance, depth - 1) for _ in range(chance.randrange(1, 4))]
            known = next((places for _, places in parts if places), [])
            return f"fused[{', '.join(text for text, _ in parts)}]", known
    return "unknown", []


def test_locations_within_each_other_are_those_that_they_were_made_of():
    chance = Random(26)
    made = [_location(chance, depth) for depth in range(5) for _ in range(40)]
    text = "\n".join(f"%{n} = x.y loc({location})" for n, (location, _) in enumerate(made))
    assert chains(L.MLIR, text) == [" ".join(places) for _, places in made]


LLVM = """\
define void @k() !dbg !3 {
  call void @f(), !dbg !5
  ret void, !dbg !DILocation(line: 8, scope: !3)
  store i32 0, ptr %p, !dbg !8
}
!1 = !DIFile(filename: "a.py", directory: "/s")
!2 = !DIFile(filename: "/lib/b.py", directory: "/s")
!3 = distinct !DISubprogram(name: "k, line: 7", scope: !1, file: !1, line: 4)
!4 = distinct !DILexicalBlockFile(scope: !3, file: !2, discriminator: 0)
!5 = !DILocation(line: 20, column: 1, scope: !9, inlinedAt: !6)
!6 = distinct !DILocation(line: 5, column: 1, scope: !3)
!8 = !DILocation(line: 0, scope: !3)
!9 = distinct !DILexicalBlock(scope: !4, line: 3)"""


def test_inlined_instructions_name_their_calls():
    assert chains(L.LLVM_IR, LLVM)[:5] == [
        "/s/a.py:4",
        "/lib/b.py:20 /s/a.py:5",
        "/s/a.py:8",
        "",
        "",
    ]


def test_circles_and_towers_of_locations_end():
    tower = ['#loc0 = loc("a.py":1:1)']
    tower += [f"#loc{n} = loc(callsite(#loc{n - 1} at #loc{n - 1}))" for n in range(1, 3000)]
    metadata = [f"!{n} = !DILocation(line: 1, scope: !0, inlinedAt: !{n})" for n in range(1, 3000)]
    start = process_time()
    top = chains(L.TTIR, "\n".join([*tower, *["  x.op loc(#loc40)"] * 3000]))[-1]
    assert top.startswith("a.py:1 a.py:1")
    assert len(top.split()) <= 64
    assert "" in chains(L.TTIR, "\n".join(["  x.op loc(#loc2999)", *tower]))
    chains(L.LLVM_IR, "\n".join([*metadata, "  ret void, !dbg !7"]))
    chains(L.TTIR, "  x.op loc(" + "callsite(" * 50_000 + ")" * 50_000)
    assert process_time() - start < 5


def test_what_is_no_ir_has_no_lines_of_its_own():
    assert read_stage_lines(Representation(L.PYTHON, b"x = 1"), ["x = 1"]) is None
    assert chains(L.TTIR, "")[0] == ""
    assert SourceLocation("a", 1) == ("a", 1)
