"""NVRTC as the judge: a program in which every name has been changed is still the same program."""

import re
from itertools import product
from string import ascii_letters

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.listing.scopes.renaming import RenameError, renaming
from tests.support import cuda, request, sample

_WORD = re.compile(r"[A-Za-z_]\w*")
# Each name has namesakes that mean something else.
_NAMESAKES = """\
#define VALUE(value) ((value) + OFFSET)
#define OFFSET 3
namespace geometry {
struct Point {
    float value;
    int count;
    __device__ float size() const { return value * count; }
};
namespace inner { __device__ int value = 7; }
enum Shape { ROUND, FLAT }; enum class Color { ROUND, FLAT };
template <typename Value> __device__ Value size(Value value) { return value * Value(2); }
}
struct Base {
    int value;
    static const int count = 4;
    __device__ int total() { return value + count; }
};
struct Derived : Base {
    float count;
    __device__ Derived(float value) : count(value) { this->value = 1; }
};
__device__ int value(int count) { return count + geometry::inner::value; }
__constant__ float table[OFFSET];
__device__ float geometry_size(const geometry::Point *point, float4 other)
{
    using namespace geometry;
    Point local = *point;
    const auto &same = local;
    float count = local.value + point->count + other.x + same.size() + (*point).value;
    for (int value = 0; value < same.count; ++value) {
        count += table[value] + VALUE(count);
        { int count = value; local.count += count; }
    }
    auto sum = [&local, scale = count](float value) { return value * scale + local.value; };
    return sum(count) + size(count) + size<float>(ROUND) + int(Color::FLAT);
}
extern "C" __global__ void __launch_bounds__(128, OFFSET) runs(
    float *result, const geometry::Point *points, int count)
{
    extern __shared__ float shared[];
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) goto finished;
    shared[threadIdx.x] = geometry_size(points + index, make_float4(1, 2, 3, 4));
    {
        Derived derived(shared[0]);
        result[index] = derived.total() + derived.count + value(OFFSET) + derived.value;
    }
finished:
    ;
}
"""


TEXTS = {"saxpy.cu": sample("saxpy.cu").content.decode(), "namesakes": _NAMESAKES}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_program_with_other_names_is_the_same(tools, text):
    anew, names = everything_renamed(text)
    assert len(names) >= 3
    assert text != anew
    before, after = (
        tools.build(request(cuda(one))).artifacts[0].text.partition("\t.section")[0]
        for one in (text, anew)
    )
    # Names of the same length: those that PTX has are mangled as long as before.
    longest_first = sorted((name for name in names if len(name) > 3), key=len, reverse=True)
    spelt = re.compile("|".join(longest_first))
    assert spelt.sub(lambda match: names[match[0]], after) == before


def everything_renamed(text):
    """The text with all names changed that can be, and the old ones by the new."""
    taken, done, names = set(_WORD.findall(text)), set(), {}
    lines = text.split("\n")
    for number, line in enumerate(lines):
        for match in _WORD.finditer(line):
            if (number, match.start()) in done:
                continue
            try:
                found = renaming(CodeKind.CUDA, "\n".join(lines), number, match.start())
            except RenameError:
                continue
            new = unused(len(found.name), taken)
            if new is None:
                continue
            assert found.refusal(new) == ""
            for at, (start, end) in found.places:
                lines[at] = lines[at][:start] + new + lines[at][end:]
                done.add((at, start))
            names[new] = found.name
    return "\n".join(lines), names


def unused(length, taken):
    letters = product(*["Z" if n == 0 and length > 3 else ascii_letters for n in range(length)])
    new = next((word for word in map("".join, letters) if word not in taken), None)
    taken.add(new)
    return new
