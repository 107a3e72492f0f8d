"""An assembler knows which version and target brought an instruction: ours must not tell another.

It takes PTX of any age, and says of each line what that would need.
"""

import re
from collections import defaultdict
from itertools import groupby

import pytest

from jitstudio.analysis.reference import Topic, reference
from jitstudio.core.code import CodeKind, Source
from tests.support import ROOT, request

pytestmark = pytest.mark.tools

LINES = (ROOT / "tests/data/reference/instructions.txt").read_text("utf-8").splitlines()
# What all of them may use.
HEAD = """\
.version {version}
.target {target}
.address_size 64
.visible .entry k() {{ .reg .pred %p<8>; .reg .b16 %h<8>; .reg .f32 %f<16>;
.reg .b32 %r<16>; .reg .b64 %rd<8>;
"""
DIRECTIVES = """\
.version 1.0
.target sm_10
.address_size 64
.weak .func w() { ret; }
.common .global .u32 c;
.global .attribute(.unified(1,2)) .u32 u;
.func never() .noreturn { trap; }
.func keeps() .abi_preserve 4 .abi_preserve_control 4 { ret; }
.alias other, w;
.visible .entry a() .maxntid 32 .minnctapersm 2 .maxnreg 32 { ret; }
.visible .entry b() .reqntid 32 .maxnctapersm 2 { ret; }
.visible .entry d() .reqnctapercluster 2 .explicitcluster .blocksareclusters { ret; }
.visible .entry e() .maxclusterrank 2 { ret; }
.visible .entry h() .minperctamemory 64 { ret; }
.visible .entry f() { to: .branchtargets L, L; L: ret; }
.visible .entry g() { shape: .callprototype _ (); may: .calltargets w; ret; }
.pragma "nounroll";
.section .debug_x { .b8 1 }
"""
# The first version for each target, which its own instructions need not be.
FIRST = {"sm_75": "6.3", "sm_80": "7.0", "sm_90": "7.8", "sm_90a": "8.0"}
FIRST |= {"sm_100": "8.6", "sm_100a": "8.6", "sm_103a": "8.8", "sm_107a": "9.4", "sm_120a": "8.7"}
OLDEST = "sm_75"


def entry(line):
    """What is told of a line: of its special register if it copies one."""
    opcode, _, operands = line.partition(" ")
    words = re.findall(r"%[a-z]\w*[a-z_]\w*(?:\.x)?", operands) if opcode[:4] == "mov." else []
    told = reference(CodeKind.PTX)
    registers = (told.explain(word) for word in words)
    special = next((found for found in registers if found and found.entry.version), None)
    return (special or told.explain(opcode.rstrip(";"), opens=True)).entry


def assemble(builder, lines, version, target, arch):
    text = HEAD.format(version=version, target=target) + "\n".join((*lines, "ret;", "}", ""))
    source = Source("k.ptx", CodeKind.PTX, text.encode())
    return builder.build(request(source, emit="cubin", arch=arch))


def number(version):
    return tuple(map(int, version.split(".")))


def test_no_instruction_is_told_to_be_older_or_newer_than_it_is(builder):
    result = assemble(builder, LINES, "1.0", "sm_10", OLDEST)
    asked = defaultdict(list)
    for found in result.diagnostics:
        asked[found.line].append(found.message)
    wrong, checked = [], 0
    for place, line in enumerate(LINES, HEAD.count("\n") + 1):
        told, said = entry(line), " ".join(asked[place])
        versions = {number(found) for found in re.findall(r"\.version (\d+\.\d+)", said)}
        targets = {int(found) for found in re.findall(r"\.target sm_(\d+) or higher", said)}
        checked += bool(versions or targets)
        if versions and number(told.version) != max(versions):
            wrong.append((line, told.version, said))
        # Some are there on certain targets only, and no least one is said.
        is_particular = "not supported on" in said
        if targets and not is_particular and told.target != f"sm_{max(targets)}":
            wrong.append((line, told.target, said))
    assert wrong == []
    assert checked > 150


def test_the_same_holds_for_directives(builder):
    source = Source("k.ptx", CodeKind.PTX, DIRECTIVES.encode())
    result = builder.build(request(source, emit="cubin", arch=OLDEST))
    said = "\n".join(found.message for found in result.diagnostics)
    told = {e.name: e for e in reference(CodeKind.PTX).entries if e.topic is Topic.DIRECTIVE}
    versions = dict(re.findall(r"'(\.\w+)[^']*' requires PTX ISA \.version (\S+) or", said))
    targets = dict(re.findall(r"'(\.\w+)[^']*' requires \.target (\w+) or higher", said))
    # Of a text that says an older version nvJitLink gets a copy with 3.1.
    assert len(versions) >= 11
    assert {name: told[name].version for name in versions} == versions
    assert {name: told[name].target for name in targets} == targets


def origin(line):
    told = entry(line)
    # The first of those that are named: sm_100a of "sm_100a/f, sm_103a/f".
    first = re.match(r"\w*", told.target)[0]
    target = first if first in FIRST else OLDEST
    return max(told.version, FIRST[target], key=number), target


@pytest.mark.parametrize(
    ("version", "target", "lines"),
    [
        pytest.param(*key, tuple(lines), id="-".join(key))
        for key, lines in groupby(sorted(LINES, key=origin), key=origin)
    ],
)
def test_what_is_told_to_be_enough_is(builder, version, target, lines):
    result = assemble(builder, lines, version, target, target)
    needs = [found.message for found in result.diagnostics if "requires" in found.message]
    assert needs == []
    assert not any("not supported on" in found.message for found in result.diagnostics)
