"""Suggested layouts have no conflicts, and none is suggested where none helps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jitstudio.core.launch.simulation import AccessKind, AccessSample, StateSpace, ThreadPlace
from jitstudio.simulator.observers.counts import Counter
from jitstudio.simulator.observers.layouts import with_suggestions as of_instructions
from jitstudio.simulator.ptx.reading import read_program
from tests.simulator.running import kernel_of, ptx_of, run

PLACE = ThreadPlace("k.cu", 1, 1, (0, 0, 0), (0, 0, 0))


def sample(addresses, cost, size=4, space=StateSpace.SHARED):
    lanes = tuple(enumerate(addresses))
    return AccessSample(1, space, AccessKind.READ, size, PLACE, lanes, cost)


def with_suggestions(samples, *lines):
    """The samples with suggestions, of loads from different registers unless lines say others."""
    loads = lines or [f"ld.shared.b32 %x, [%r{n}];" for n, _ in enumerate(samples)]
    registers = ".reg .b32 %x, %y, %z, %w, %r<9>; .reg .b64 %d;"
    program = read_program(kernel_of("\n".join((registers, *loads))))
    return of_instructions(samples, program.instructions[: len(samples)])


ROW = sample((lane * 4 for lane in range(32)), 1)


def test_a_tile_of_32_columns_is_padded_or_swizzled():
    column = sample((lane * 128 for lane in range(32)), 32)
    read, written = with_suggestions((column, ROW))
    assert "[32 + 1] instead of [32]" in read.suggestion
    assert "takes 1 instead of 32." in read.suggestion
    assert "column ^ (row % 32)" in read.suggestion
    assert "takes 1 instead of 32, and needs no more memory" in read.suggestion
    assert written.suggestion == ""


@pytest.mark.parametrize(
    "lanes",
    [
        [lane * 12 for lane in range(32)],
        [(lane * lane * 40) % 4096 for lane in range(32)],
    ],
    ids=["no conflicts", "no rows"],
)
def test_nothing_is_suggested_where_nothing_helps(lanes):
    (found,) = with_suggestions((sample(lanes, 2),))
    assert found.suggestion == ""


WIDE = sample((lane * 16 for lane in range(32)), 1, size=16)
COLUMN = sample((lane * 128 for lane in range(32)), 32)


def test_no_padding_takes_wide_accesses_off_their_alignment():
    """With one word more in each row loads of 16 bytes would be misaligned, with four they are not.

    Nor could ptxas make one of neighbouring ones any more.
    """
    alone, _ = with_suggestions((COLUMN, ROW))
    assert "[32 + 1]" in alone.suggestion
    beside, _ = with_suggestions((COLUMN, WIDE))
    assert beside.suggestion == ""
    apart = sample((lane % 8 * 512 + lane // 8 * 4 for lane in range(32)), 8)
    near = sample((0 for lane in range(32)), 1)
    alone, *_ = with_suggestions((sample((lane % 8 * 512 for lane in range(32)), 8),))
    assert "[128 + 1] instead of [128]" in alone.suggestion
    lines = (
        "ld.shared.b32 %x, [%r0];",
        *(f"ld.shared.b32 %y, [%r1+{at}];" for at in (0, 4, 8, 12)),
    )
    found = with_suggestions((apart, *[near] * 4), *lines)
    assert "[128 + 4] instead of [128], it takes 1 instead of 8" in found[0].suggestion
    found = with_suggestions((sample((lane % 8 * 512 for lane in range(32)), 8), WIDE))
    assert "[128 + 4]" in found[0].suggestion


def matrix(pitch, row_of=lambda row: row):
    """The addresses of an 8 by 8 matrix of halves whose rows are so many bytes apart."""
    return [row_of(lane // 4) * pitch + lane % 4 * 4 for lane in range(32)]


def test_rows_of_ldmatrix_stay_at_multiples_of_16_bytes():
    line = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [%r0];"
    (found,) = with_suggestions((sample(matrix(256), 8),), line)
    assert "With 16 bytes more in each row of 256 bytes" in found.suggestion
    assert "takes 1 instead of 8" in found.suggestion
    assert "column ^ (row % 8)" in found.suggestion
    assert "odd" not in found.suggestion
    assert "+ 1]" not in found.suggestion


@pytest.mark.parametrize(
    ("lines", "is_merged"),
    [
        (("ld.shared.f32 %x, [%r0+4];", "ld.shared.f32 %y, [%r0+8];"), True),
        (("ld.shared.f32 %x, [%r0+4];", "ld.shared.f32 %y, [%r0+132];"), False),
        (("ld.shared.f32 %x, [%r0];", "ld.shared.f32 %y, [%r1+4];"), False),
        (("ld.volatile.shared.f32 %x, [%r0];", "ld.volatile.shared.f32 %y, [%r0+4];"), False),
        (("ld.shared.f32 %x, [%r0];", "st.shared.f32 [%r0+4], %y;"), False),
        (("ld.shared.v2.f32 {%x,%y}, [%r0];", "ld.shared.v2.f32 {%z,%w}, [%r0+8];"), True),
    ],
)
def test_nothing_is_suggested_for_what_ptxas_may_merge(lines, is_merged):
    size = 8 if "v2" in lines[0] else 4
    column = sample((lane * 128 for lane in range(32)), 32, size)
    first, second = with_suggestions((column, column), *lines)
    assert first.may_merge == second.may_merge == is_merged
    words = "ptxas may make wider accesses of these to neighbouring words (LDS.64, LDS.128)"
    merged = [words in each.advice for each in (first, second)]
    assert merged == [is_merged, is_merged]
    assert "LDS.64" not in replace(first, is_read=True).advice


@pytest.mark.parametrize(
    ("addresses", "words"),
    [
        ([lane * 8192 for lane in range(32)], "8,192 bytes apart; next to each other it takes 4"),
        ([lane * 12 for lane in range(32)], "store each field in an array of its own"),
        ([lane * 4 + 20 for lane in range(32)], ""),
        ([lane * lane * 64 for lane in range(32)], ""),
        ([20, 24, 28, 32, 36], ""),
        ([64] * 32, ""),
    ],
    ids=["column", "fields", "straddles", "gather", "row of 5", "one"],
)
def test_only_a_stride_is_advised_against(addresses, words):
    line = "ld.global.f32 %x, [%d];"
    (found,) = with_suggestions((sample(addresses, 32, space=StateSpace.GLOBAL),), line)
    assert bool(found.suggestion) == bool(words)
    assert words in found.suggestion


FOLLOWED = r"""
extern "C" __global__ void matrices(unsigned* out) {
  __shared__ __align__(128) unsigned char tile[16 * PITCH];
  for (int i = threadIdx.x; i < 4 * PITCH; i += 32) ((unsigned*)tile)[i] = i;
  __syncthreads();
  unsigned lane = threadIdx.x, row = lane & 15, column = lane >> 4, a, b, c, d;
  if (SWIZZLED) column ^= row % 8;
  unsigned at = (unsigned)__cvta_generic_to_shared(tile) + row * PITCH + column * 16;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
  out[lane] = a + b + c + d;
}
extern "C" __global__ void tile(const float* in, float* out) {
  __shared__ float s[8][PITCH / 4];
  for (int i = threadIdx.x; i < 1024; i += 256) s[i % 8][i / 8] = in[i];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x / 128][threadIdx.x % 128];
}
"""


@pytest.mark.parametrize(
    ("kernel", "pitch", "padded", "words", "swizzles", "taken"),
    [
        ("matrices", 256, 272, "With 16 bytes more", True, (32, 4, 4)),
        ("tile", 512, 528, "[128 + 4] instead of [128]", False, (8, 1, 1)),
    ],
)
def test_who_follows_a_suggestion_gets_what_it_says(
    tools, kernel, pitch, padded, words, swizzles, taken
):
    """The changed programs are compiled and run: passes of a request before and after."""
    passes, suggestions = [], []
    for width, is_swizzled in ((pitch, 0), (padded, 0), *([(pitch, 1)] if swizzles else [])):
        ptx = ptx_of(tools, FOLLOWED, "sm_90", f"-DPITCH={width}", f"-DSWIZZLED={is_swizzled}")
        data = [] if kernel == "matrices" else [np.ones(1024, np.float32)]
        block = 32 if kernel == "matrices" else 256
        out = np.zeros(block, np.float32)
        observers = [Counter()]
        done = run(ptx, kernel, (1, 1, 1), (block, 1, 1), *data, out, observers=observers).result
        worst = max(done.lines, key=lambda line: line.wavefronts / max(line.requests, 1))
        passes.append(worst.wavefronts / worst.requests)
        suggestions.append(" ".join(each.suggestion for each in done.samples))
    assert tuple(passes) == taken[: len(passes)]
    assert words in suggestions[0]
    assert ("column ^ (row % 8)" in suggestions[0]) == swizzles
    assert all("place of" not in text for text in suggestions[1:])
