"""Spellings of programs in PTX: the same words with other things between them.

The words are told apart here by rules of their own, not by those of `jitstudio.ptx`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

_WORDS = re.compile(
    r"""(?P<gap>(?:\s+|//[^\n]*|/\*.*?\*/)+)|"[^"]*"
    |\.version[ \t]+\d+\.\d+|\.[\w]+(?:::\w+)*|0[fFdDxXbB][0-9a-fA-F]+U?|\d+\.\d*|\d+U?
    |[A-Za-z_$%][\w$]*|<<|>>|<=|>=|==|!=|&&|\|\||.""",
    re.VERBOSE | re.DOTALL,
)
GAPS = (
    "", " ", "\t", "\n", "\r\n", "  \n\t", "/**/", "/* x */", "\n\n", "// x\n", "/*\n*/",
    "/* .target sm_50 */", "// was: .entry old(\n", "/* { */", "// }\n", '/* " */', '// "\n',
    "/* ; */", "// ; .loc 9 9 9\n",
    "/* .version 3.2\n.target sm_50\n.visible .entry no() { ret; } */",
    '\n# 7 "x // y.cu"\n', "/* // */", "// /*\n", "/***/", "/*/ .func f() {} */", "//\n",
    "/* .file 1 \"z.cu\" */", "// begin inline asm\n", "/* é */", "/* #\n@@ */",
)  # fmt: skip
"""What may be between two words."""


@dataclass(frozen=True)
class Spelling:
    """A text as words and what is in front of each; the last has nothing behind it."""

    words: tuple[str, ...]
    gaps: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Spelling:
        words, gaps, gap = [], [], ""
        for match in _WORDS.finditer(text):
            if match["gap"] is not None:
                gap = match[0]
            else:
                words.append(match[0])
                gaps.append(gap)
                gap = ""
        return cls((*words, ""), (*gaps, gap))

    @property
    def text(self) -> str:
        return "".join(part for pair in zip(self.gaps, self.words, strict=True) for part in pair)

    def lines(self) -> list[int]:
        """The line that each word begins on, from 1."""
        line, lines = 1, []
        for gap, word in zip(self.gaps, self.words, strict=True):
            line += gap.count("\n")
            lines.append(line)
            line += word.count("\n")
        return lines

    def respelt(self, random: Random) -> Spelling:
        """The same words with other gaps: a few, or all of a stretch, or in one style."""
        gaps = list(self.gaps)
        match random.randrange(8):
            case 0:  # all on as few lines as can be
                gaps = [" " if "\n" in gap and gap.isspace() else gap for gap in gaps]
            case 1:
                gaps = [gap.replace("\n", "\r\n") for gap in gaps]
            case 2:  # as tight as can be
                gaps = ["" if gap and _may_touch(a, b) else gap for gap, a, b in self._between()]
            case 3:
                gaps = [gap or random.choice((" ", "\n", "\t")) for gap in gaps]
            case 4:
                gaps = ["\n" if gap == " " else gap for gap in gaps]
            case 5:
                start = random.randrange(len(gaps))
                for at in range(start, min(start + 12, len(gaps))):
                    gaps[at] = random.choice(GAPS)
        for _ in range(random.choice((0, 1, 1, 2, 3, 6))):
            gaps[random.randrange(len(gaps))] = random.choice(GAPS)
        return Spelling(self.words, tuple(gaps))

    def _between(self) -> list[tuple[str, str, str]]:
        return list(zip(self.gaps, ("", *self.words), self.words, strict=False))


def _may_touch(before: str, behind: str) -> bool:
    is_word = re.compile(r"[\w$%]")
    return not (before and behind and is_word.match(before[-1]) and is_word.match(behind[0]))


EVERYTHING = """.version 8.3
.target sm_90a, texmode_unified
.address_size 64
.file 1 "x.cu", 12, 0x10
.file 2 "dir//y{.h"
.visible .global .align 8 .b32 g[4] = {1, 2, 3, 0x10};
.const .align 8 .f32 c[2] = {0f3F800000, 2.0};
.global .u64 ptr = generic(g)+8;
.global .attribute(.managed) .align 4 .b8 bytes[8] = {1, 0b10, 3, 4};
.extern .shared .align 16 .b8 dyn[];
.extern .func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 s[8])
;
.weak .func (.param .b32 r) triple(.param .b32 a, .param .align 8 .b8 s[8])
{
.reg .b32 x;
.loc 2 7 3
ld.param.b32 x, [a+0];
mul.lo.u32 x, x, 3;
st.param.b32 [r], x;
ret;
}
.func (.reg .f32 r) h(.reg .f32 a)
{
mul.f32 r, a, 0f40000000;
ret;
}
.visible .entry k(.param .u64 .ptr .global .align 8 k_0, .param .u32 n)
.maxntid 64, 1, 1
.pragma "nounroll; {";
.minnctapersm 1
{
.shared .align 4 .u32 s[32];
.local .align 8 .b8 l[16];
.reg .b32 %r<9>, t, d;
.reg .v2 .b32 v;
.reg .b64 a, b;
.reg .pred p, q;
.reg .f32 x, y;
.pragma "nounroll; } // {";
.loc 1 3 4
mov.u32 t, %tid.x;
mov.b32 d, 0;
setp.ne.u32 q, t, t;
.loc 1 5 4
.loc 2 9 1, function_name info, inlined_at 1 5 4
ld.param.u64 a, [k_0];
cvta.to.global.u64 a, a;
mad.wide.u32 a, t, 4, a;
setp.lt.and.s32 p|q, t, 5, !q;
setp.eq.s32 p, t, 7;
@p add.s32 d, d, 1;
@!p add.s32 d, d, 2;
.loc 1 6 4
mov.b64 b, {t, d};
mov.b64 {v.x, v.y}, b;
add.u32 d, d, v.x;
st.local.v2.b32 [l+8], {d, t};
ld.local.b32 %r1, [l+0x8];
mov.u32 %r2, s;
mad.lo.s32 %r2, t, 4, %r2;
st.shared::cta.u32 [%r2+-0], %r1;
bar.sync 0;
ld.shared.u32 %r3, [s+4];
add.u32 d, d, %r3;
{
.reg .b32 d2;
.param .b32 pa;
.param .b32 pr;
.param .align 8 .b8 ps[8];
st.param.b32 [pa+0], d;
st.param.b32 [ps], d;
call.uni (pr), triple, (pa, ps);
ld.param.b32 d2, [pr+0];
add.u32 d, d, d2;
}
cvt.rn.f32.u32 x, t;
call (y), h, (x);
cvt.rzi.u32.f32 %r4, y;
add.u32 d, d, %r4;
ld.const.f32 y, [c+4];
cvt.rzi.u32.f32 %r4, y;
sub.u32 d, d, %r4;
ld.global.u64 b, [ptr];
ld.u32 %r5, [b];
add.u32 d, d, %r5;
mov.u32 %r8, 3;
again:
add.u32 d, d, %r8;
sub.u32 %r8, %r8, 1;
setp.ne.u32 p, %r8, 0;
@p bra again;
and.b32 %r6, t, (1<<1)|1;
T:
.branchtargets L0, L1, L2, L3;
brx.idx %r6, T;
L0:
add.u32 d, d, WARP_SZ;
L1:
add.u32 d, d, 0b101U;
bra.uni L3;
L2:
add.u32 d, d, 017;
L3:
ld.global.v2.u32 {_, %r7}, [g];
xor.b32 d, d, %r7;
shfl.sync.idx.b32 %r7|p, d, 1, 31, -1;
st.global.u32 [a], d;
ret;
}
.visible .entry empty()
{
}
.section .debug_str
{
info:
.b8 102, 0x5f, 0
.b8 0
}
"""

MATRICES = """.version 8.3
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
.reqntid 32
{
.reg .b32 %r<8>;
.reg .f32 %f<5>;
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %laneid;
cvt.rn.f16x2.f32 %r2, 1.5, 0f3F800000;
mov.f32 %f1, 0d3FF0000000000000;
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
{%f1, %f2, %f3, %f4}, {%r2, %r2}, {%r2}, {%f1, %f1, %f1, %f1};
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd1, %rd1, %rd2;
cvt.rni.u32.f32 %r3, %f3;
tex:
ldmatrix:
st.global.b32 [%rd1+0], %r3;
bar.warp.sync 0xFFFFFFFF;
ret;
}
"""

CUDA = """
__device__ __noinline__ float away(float a, int b) {
    float s = 0;
    for (int i = 0; i < b; i++) s += a * i + __shfl_xor_sync(-1, s, i & 3);
    return s;
}
__device__ __forceinline__ float near(float a) { return a > 2 ? a * 3 : a - 1; }
struct Pair { int a; float b; };
__constant__ int table[3] = {1, 2, 3};
extern "C" __global__ void k(float* p, Pair pair) {
    __shared__ float t[32];
    int i = threadIdx.x;
    t[i] = near(pair.b + i);
    __syncthreads();
    float4 f = make_float4(i, 1, 2, 3);
    switch (i & 7) {
        case 1: p[i] = 1; break;
        case 2: p[i] = 2 + table[i & 1]; break;
        case 3: p[i] = near(t[31 - i]); break;
        case 4: p[i] = 6; break;
        case 5: p[i] = 9; break;
        default: p[i] = f.x;
    }
    asm volatile("{ .reg.b32 x; mov.b32 x, %1; add.f32 %0, x, %1; }" : "=f"(t[i]) : "f"(p[i]));
    p[i] += away(t[i], 3);
}
"""
