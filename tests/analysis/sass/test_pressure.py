from array import array
from pathlib import PurePath

import pytest

from jitstudio.analysis.sass.model import FunctionPart, SassFunction, SourceLocation
from jitstudio.analysis.sass.pressure import LinePressure, by_place, highest, live_gprs, peaks
from jitstudio.listing.lines import NOWHERE
from tests.sample_builds import TARGETS, builds


@pytest.fixture(scope="module", params=TARGETS)
def histogram(tools, request) -> SassFunction:
    """A kernel of the samples with what it inlines."""
    wanted = next(one for one in builds(request.param) if one.name.endswith("histogram.cu"))
    (function,) = tools.read(tools.cubin(wanted.request).content).functions
    return function


def function(*heights, parts=(), place_ids=(), places=()):
    """Code that is nothing but its live registers."""
    count = len(heights)
    ends = (*parts[1:], count)
    return SassFunction(
        name="k",
        is_kernel=True,
        addresses=array("Q", range(0, 16 * count, 16)),
        predicates=("",) * count,
        opcodes=("IADD3",) * count,
        operands=("",) * count,
        encodings=b"",
        place_ids=array("i", place_ids or [NOWHERE] * count),
        places=places,
        ptx_lines=array("i", [0] * count),
        ptx_name="",
        labels=(),
        parts=tuple(FunctionPart("p", start, end) for start, end in zip(parts, ends, strict=False)),
        live=array("H", [n for height in heights for n in (height, 9, 9, 9)]),
    )


@pytest.mark.parametrize(
    ("heights", "expected"),
    [
        ((), ()),
        ((0, 0), ()),
        ((1, 1, 1), (0,)),
        ((1, 5, 5, 5, 2), (1,)),
        ((1, 8, 7, 8, 1), (1,)),
        ((1, 8, 4, 8, 1), (1, 3)),
        # The rise from 6 to 7 is no peak of its own, the later height is the summit.
        ((1, 6, 5, 7, 2), (3,)),
        ((1, 20, 2, 9, 2, 10, 2), (1, 5)),
        ((9, 5, 1, 1, 9), (0, 4)),
        ((3, 4, 5), (2,)),
    ],
)
def test_peaks_rise_out_of_what_is_around_them(heights, expected):
    assert peaks(function(*heights)) == expected


def test_a_function_that_is_called_begins_at_nothing():
    assert peaks(function(1, 8, 8, 8, 1)) == (1,)
    assert peaks(function(1, 8, 8, 8, 1, parts=(0, 2))) == (1, 2)


def test_without_live_registers_there_is_no_peak():
    bare = function()
    assert (live_gprs(bare).tolist(), highest(bare), peaks(bare), by_place(bare)) == (
        [],
        NOWHERE,
        (),
        {},
    )


def test_an_inlined_instruction_counts_on_each_line_of_its_chain_once():
    header, call, other = (
        SourceLocation("h.cuh", 3),
        SourceLocation("k.cu", 7),
        SourceLocation("k.cu", 8),
    )
    places = ((header, call), (call,), (other, other))
    found = by_place(function(4, 6, 2, 5, 1, place_ids=(0, 0, 1, 2, NOWHERE), places=places))
    assert found == {
        header: LinePressure(6, 10, 2),
        call: LinePressure(6, 12, 3),
        other: LinePressure(5, 5, 1),
    }


def test_several_functions_are_counted_together():
    place = SourceLocation("k.cu", 1)
    one = function(4, place_ids=(0,), places=((place,),))
    two = function(7, 7, place_ids=(0, 0), places=((place,),))
    assert by_place(one, two) == {place: LinePressure(7, 18, 3)}
    assert by_place(one, two, spills={"k": 6}) == {place: LinePressure(7, 18, 3, spills=True)}
    assert by_place(one, spills={"k": 6}) == {place: LinePressure(4, 4, 1)}


def test_the_highest_of_a_kernel_is_one_of_its_peaks(histogram):
    heights, found = live_gprs(histogram), peaks(histogram)
    top = highest(histogram)
    assert heights[top] == max(heights) > 0
    assert top in found
    assert list(found) == sorted(set(found))
    # Worth going to: half as high as the highest, and no higher neighbour.
    for at in found:
        assert 2 * heights[at] >= heights[top]
        assert heights[at] >= max(heights[max(0, at - 1) : at + 2])


def test_peaks_of_a_kernel_are_few(histogram):
    assert 1 <= len(peaks(histogram)) <= 8


def test_the_lines_of_a_kernel_hold_all_that_is_alive(histogram):
    heights = live_gprs(histogram)
    lines = by_place(histogram)
    named = {(PurePath(place.file).name, place.line) for place in lines}
    # The call and what it inlines.
    assert {("histogram.cu", 21), ("atomic_ops.cuh", 13)} <= named
    assert max(line.highest for line in lines.values()) == max(heights)
    innermost: dict[SourceLocation, int] = {}
    for index, instruction in enumerate(histogram):
        if instruction.places and index < histogram.code_length:
            for place in set(instruction.places):
                innermost[place] = innermost.get(place, 0) + heights[index]
    assert {place: line.total for place, line in lines.items()} == innermost
