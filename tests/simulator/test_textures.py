"""Textures and surfaces, against the formulas of "Texture Fetching" in exact arithmetic."""

import math
from fractions import Fraction
from inspect import unwrap
from itertools import product

import numpy as np
import pytest

from jitstudio.core.launch.simulation import FaultKind
from jitstudio.simulator.instructions.rows import ROW_MODULES
from jitstudio.simulator.instructions.table import ROWS, row_of
from jitstudio.simulator.observers.counts import Counter
from jitstudio.simulator.observers.races import RaceDetector
from jitstudio.simulator.state.model import SimulationOutcome
from jitstudio.simulator.stepping.requests import (
    RecordingAbout,
    SimulatedThread,
    StepGoal,
    StepMove,
)
from jitstudio.simulator.stepping.session import StepSession
from tests.simulator.running import kernel_of, launch_of, program_of, run, surface, texture

assert ROW_MODULES
ONE, WARP = (1, 1, 1), (32, 1, 1)
_SEEN: set[object] = set()
EXTENTS = {1: "7", 2: "7,5", 3: "4,5,3"}
COORDINATES = {1: "{%f0}", 2: "{%f0, %f1}", 3: "{%f0, %f1, %f2, %f2}"}
HEAD = """.reg .b32 %t, %r<20>; .reg .b64 %rd<9>, %at; .reg .f32 %f<20>; .reg .b16 %h<9>;
.reg .pred %p; mov.u32 %t, %tid.x; ld.param.u64 %rd0, [k_0];
ld.param.u64 %at, [k_1]; mad.wide.u32 %at, %t, 16, %at;"""


def launched(body, image, *more, threads=32, finishes=True, **options):
    """What 32 threads store in 16 bytes each, and the run."""
    ptx = kernel_of(HEAD + body, *["u64"] * (2 + len(more)))
    _SEEN.update(unwrap(row_of(i).bind) for i in program_of(ptx).instructions)
    out = np.zeros((threads, 4), np.uint32)
    block = (threads, 1, 1)
    return run(ptx, "k", ONE, block, image, out, *more, finishes=finishes, **options)


def read(instruction, image, at, kind="f4"):
    """Four registers `%r0` to `%r3` of an instruction, for coordinates of shape (threads, 3)."""
    at = np.asarray(at)
    coordinates = np.zeros((len(at), 4), np.int32 if at.dtype.kind == "i" else np.float32)
    coordinates[:, :3] = at
    done = launched(
        """ld.param.u64 %rd1, [k_2]; mad.wide.u32 %rd1, %t, 16, %rd1;
        ld.global.v4.b32 {%f0, %f1, %f2, %f3}, [%rd1];
        ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd1];"""
        + instruction
        + "st.global.v4.b32 [%at], {%r0, %r1, %r2, %r3};",
        image,
        coordinates,
        threads=len(at),
    )
    return done.arrays[1].view(kind), done.result


# The guide's formulas, one coordinate at a time.


def addressed(x, extent, mode, normalized):
    """A coordinate within the texels; None for the border."""
    if normalized:
        x = {
            "clamp": lambda: min(max(x, 0), 1 - Fraction(1, extent)),
            "border": lambda: x,
            "wrap": lambda: x - math.floor(x),
            "mirror": lambda: x - math.floor(x) if math.floor(x) % 2 == 0
            else 1 - (x - math.floor(x)),
        }[mode]() * extent  # fmt: skip
    elif mode == "clamp":
        x = min(max(x, 0), extent - 1)
    return x if mode != "border" or 0 <= x < extent else None


def nearest(texels, at, mode, normalized):
    index = []
    for x, extent in zip(at, reversed(texels.shape), strict=True):
        x = addressed(x, extent, mode, normalized)
        if x is None:
            return 0
        index.append(min(math.floor(x), extent - 1))
    return Fraction(float(texels[tuple(reversed(index))]))


def between(texels, at, mode, normalized):
    """A linear filter: the texels around are themselves found by their centres."""
    total, sides = Fraction(0), []
    for x, extent in zip(at, reversed(texels.shape), strict=True):
        x = (x * extent if normalized else x) - Fraction(1, 2)
        share = Fraction(math.floor((x - math.floor(x)) * 256 + Fraction(1, 2)), 256)
        low = math.floor(x) + Fraction(1, 2)
        unit = extent if normalized else 1
        sides.append(((low / unit, 1 - share), ((low + 1) / unit, share)))
    for corner in product(*sides):
        weight = math.prod(w for _, w in corner)
        total += weight * nearest(texels, [x for x, _ in corner], mode, normalized)
    return total


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("mode", ["clamp", "border", "wrap", "mirror"])
@pytest.mark.parametrize("filtering", ["point", "linear"])
def test_filters_and_address_modes(axes, mode, filtering):
    rng = np.random.default_rng(axes)
    for normalized in (False, True) if mode in ("clamp", "border") else (True,):
        words = f"{filtering},{mode}{',normalizedCoords' if normalized else ''}"
        extents = [int(extent) for extent in EXTENTS[axes].split(",")]
        content = rng.random(extents[::-1], np.float32)
        image = texture(f"float[{EXTENTS[axes]}]:{words}", content)
        # Eighths are exact in every step; of normalized ones the products with the extents.
        at = rng.integers(-16, 96, (64, 3)) / 8 + 1 / 16
        at = (at / [*extents, *[1] * (3 - axes)] if normalized else at).astype(np.float32)
        got, result = read(
            f"tex.{axes}d.v4.f32.f32 {{%r0, %r1, %r2, %r3}}, [%rd0, {COORDINATES[axes]}];",
            image,
            at,
        )
        reference = nearest if filtering == "point" else between
        wanted = [
            float(reference(content, [Fraction(float(x)) for x in row[:axes]], mode, normalized))
            for row in at
        ]
        if filtering == "point":
            assert got[:, 0].tolist() == np.float32(wanted).tolist()
        else:
            # Shares of several axes are rounded to 1/256 once more: see `test_texture_kernels`.
            assert np.allclose(got[:, 0], wanted, rtol=0, atol=2e-7 if axes == 1 else axes / 256)
        # `%r1` to `%r3` are stored, which the texels do not have.
        notes = " ".join(result.inexact_functions)
        assert "does not have" in notes
        unproved = filtering == "linear" and (normalized or axes == 3)
        assert ("weights with 8 bits" in notes) == unproved


def test_a_place_near_the_edge_of_two_texels_is_doubted():
    image = texture("float4[4]:clamp", np.arange(16))
    fetch = "tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0}];"
    for x, doubted in ((2.0, False), (2.25, False), (1.9999, True), (-0.001, False)):
        got, result = read(fetch, image, [[np.float32(x), 0, 0]])
        assert got[0, 0] == 4 * max(math.floor(x), 0)
        assert result.exact is not doubted, x
        assert ("closer than 1/512" in "".join(result.inexact_functions)) is doubted


@pytest.mark.parametrize(
    ("element", "words", "kind", "wanted"),
    [
        ("uchar4", "", "u32", [1, 128, 255, 3]),
        ("char2", "", "s32", [1, -128, 0, 0]),
        ("ushort", "", "u32", [1, 0, 0, 0]),
        ("short4", "", "s32", [1, 128, -1, 3]),
        ("int2", "", "s32", [1, 128, 0, 0]),
        ("uint4", "", "u32", [1, 128, 2**32 - 1, 3]),
        ("half4", "", "f32", [1.0, 128.0, -1.0, 3.0]),
        ("float2", "", "f32", [1.0, 128.0, 0.0, 0.0]),
        ("uchar4", "normalizedFloat", "f32", [1 / 255, 128 / 255, 1.0, 3 / 255]),
        ("char4", "normalizedFloat", "f32", [1 / 127, -1.0, -1 / 127, 3 / 127]),
        ("short4", "normalizedFloat", "f32", [1 / 32767, 128 / 32767, -1 / 32767, 3 / 32767]),
    ],
)
def test_types_of_texels(element, words, kind, wanted):
    image = texture(f"{element}[3]:{words or 'clamp'}")
    channels = image.reshape(3, -1).shape[1]
    with np.errstate(all="ignore"):
        image.reshape(3, -1)[1] = np.array([1, 128, -1, 3])[:channels].astype(image.dtype)
    held = {"u32": "u4", "s32": "i4", "f32": "f4"}[kind]
    fetch = f"tex.1d.v4.{kind}.s32 {{%r0, %r1, %r2, %r3}}, [%rd0, {{%r10}}];"
    got, _ = read(fetch, image, np.array([[1, 0, 0], [9, 0, 0]], np.int32), held)
    assert got[0].tolist() == np.array(wanted, got.dtype).tolist()
    assert got[1].tolist() == [0] * 4  # clamped to the last


def test_halves_as_results():
    at = np.array([[1, 1, 1], [2, 0, 1]], np.int32)
    for axes, names in ((1, "{%r10}"), (2, "{%r10, %r11}"), (3, "{%r10, %r11, %r12, %r12}")):
        held = texture(f"half4[{'3,3,3'[: 2 * axes - 1]}]", np.arange(4 * 3**axes))
        want = held.reshape(*[3] * axes, 4)[tuple(at[:, axis] for axis in reversed(range(axes)))]
        packed = f"tex.{axes}d.v2.f16x2.s32 {{%r0, %r1}}, [%rd0, {names}]; mov.u32 %r2, 0;"
        got, _ = read(f"{packed} mov.u32 %r3, 0;", held, at, "f2")
        assert got[:, :4].tolist() == want.tolist()
        single = f"tex.{axes}d.v4.f16.s32 {{%h0, %h1, %h2, %h3}}, [%rd0, {names}];"
        got, _ = read(
            f"{single} mov.b32 %r0, {{%h0, %h1}}; mov.b32 %r1, {{%h2, %h3}}; mov.u32 %r2, 0;"
            "mov.u32 %r3, 0;",
            held,
            at,
            "f2",
        )
        assert got[:, :4].tolist() == want.tolist()


def test_levels_offsets_and_residency():
    image = texture("float[7,5]", np.arange(35))
    results, at = "{%r0, _, _, _}", "[%rd0, {%f0, %f1}]"
    got, _ = read(
        f"""tex.base.2d.v4.f32.f32 {results}, {at};
        tex.level.2d.v4.f32.f32 {{%r1, _, _, _}}, {at}, %f3;
        tex.grad.2d.v4.f32.f32 {{%r2, _, _, _}}, {at}, {{%f3, %f3}}, {{%f3, %f3}}, {{1, -1}};
        tex.2d.v4.f32.f32 {{%r3, _, _, _}}|%p, {at}, {{-1, 1}}; @!%p mov.u32 %r3, 0;""",
        image,
        np.array([[2.5, 3.5, 0]], np.float32),
    )
    assert got.tolist() == [[23.0, 23.0, 17.0, 29.0]]


def test_a_gather_goes_round_from_lower_left():
    image = texture("float4[7,5]:clamp", np.arange(140))
    texels = image.reshape(5, 7, 4)
    for channel, letter in enumerate("rgba"):
        got, result = read(
            f"tld4.{letter}.2d.v4.f32.f32 {{%r0, %r1, %r2, %r3}}, [%rd0, {{%f0, %f1}}];",
            image,
            np.array([[2.75, 3.25, 0], [0.25, 9, 0]], np.float32),
        )
        around = texels[[3, 3, 2, 2], [2, 3, 3, 2], channel]
        assert got[0].tolist() == around.tolist()
        assert got[1].tolist() == [texels[4, 0, channel]] * 4
        assert result.exact


def test_queries():
    at = [[0, 0, 0]]
    got, _ = read(
        """txq.width.b32 %r0, [%rd0]; txq.level.height.b32 %r1, [%rd0], 0;
        txq.depth.b32 %r2, [%rd0]; txq.normalized_coords.b32 %r3, [%rd0];""",
        texture("float[4,5,3]:normalizedCoords"),
        at,
        "u4",
    )
    assert got.tolist() == [[4, 5, 3, 1]]
    got, _ = read(
        """suq.width.b32 %r0, [%rd0]; suq.height.b32 %r1, [%rd0]; suq.depth.b32 %r2, [%rd0];
        mov.u32 %r3, 0;""",
        surface("float[4,5,3]"),
        at,
        "u4",
    )
    assert got.tolist() == [[4, 5, 3, 0]]


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_surfaces_on_each_axis(axes):
    """Each thread turns round one texel, by byte, half, word and pair."""
    extents = (8, 4, 1)[:axes] if axes < 3 else (4, 4, 2)
    count = math.prod(extents)
    x, y, _z = (*extents, 1, 1)[:3]
    names = ("{%r1}", "{%r1, %r2}", "{%r1, %r2, %r3, %r3}")[axes - 1]
    place = f"""rem.u32 %r1, %t, {x}; mul.lo.u32 %r1, %r1, 8; div.u32 %r2, %t, {x};
    rem.u32 %r2, %r2, {y}; div.u32 %r3, %t, {x * y};"""
    content = np.arange(count * 4, dtype=np.uint16)
    for moves, turned in (
        ((f"suld.b.{axes}d.v4.b16.trap {{%h0,%h1,%h2,%h3}}, [%rd0, {names}];"
         f"sust.b.{axes}d.v4.b16.trap [%rd0, {names}], {{%h3,%h2,%h1,%h0}};"),
         content.reshape(-1, 4)[:, ::-1]),
        ((f"suld.b.{axes}d.v2.b32.clamp {{%r4,%r5}}, [%rd0, {names}];"
         f"sust.b.{axes}d.v2.b32.zero [%rd0, {names}], {{%r5,%r4}};"),
         content.reshape(-1, 2, 2)[:, ::-1]),
        ((f"suld.b.{axes}d.b64.zero {{%rd3}}, [%rd0, {names}]; not.b64 %rd3, %rd3;"
         f"sust.b.{axes}d.b64.clamp [%rd0, {names}], {{%rd3}};"), ~content),
        ((f"suld.b.{axes}d.b8.trap %h0, [%rd0, {names}]; xor.b16 %h0, %h0, 255;"
         f"sust.b.{axes}d.b8.trap [%rd0, {names}], %h0;"),
         content ^ np.tile([255, 0, 0, 0], count).astype(np.uint16)),
    ):  # fmt: skip
        image = surface(f"ushort4[{','.join(map(str, extents))}]", content)
        done = launched(place + moves, image, threads=count)
        assert done.arrays[0].reshape(-1).tolist() == turned.reshape(-1).tolist()
    formatted = f"""{place} div.u32 %r1, %r1, 8; mov.u32 %r5, 70000; mov.u32 %r6, 0;
    sust.p.{axes}d.v4.b32.trap [%rd0, {names}], {{%t, %r5, %r6, %r6}};"""
    image = surface(f"ushort2[{','.join(map(str, extents))}]")
    done = launched(formatted, image, threads=count)
    assert done.arrays[0].reshape(-1, 2).tolist() == [[t, 65535] for t in range(count)]
    assert "nearest that does" in done.result.inexact_functions[0]
    image = surface(f"half[{','.join(map(str, extents))}]")
    floats = place + "div.u32 %r1, %r1, 8; cvt.rn.f32.u32 %f1, %t;"
    done = launched(
        f"{floats} sust.p.{axes}d.b32.trap [%rd0, {names}], {{%f1}};", image, threads=count
    )
    assert done.arrays[0].tolist() == list(range(count))
    assert done.result.exact


def test_what_is_outside_a_surface():
    image = surface("uint[8,2]", np.arange(16))
    beyond = "sub.u32 %r1, %t, 1; shl.b32 %r1, %r1, 2; mov.u32 %r2, 1;"
    done = launched(
        beyond
        + """suld.b.2d.b32.clamp {%r4}, [%rd0, {%r1, %r2}]; mov.u32 %r3, -5;
        suld.b.2d.b32.zero {%r5}, [%rd0, {%r1, %r2}]; mov.u32 %r7, 100;
        suld.b.2d.b32.clamp {%r6}, [%rd0, {%r1, %r3}]; st.global.v4.b32 [%at], {%r4,%r5,%r6,%r7};
        sust.b.2d.b32.zero [%rd0, {%r1, %r3}], {%r7};""",
        image,
        threads=10,
    )
    inner = [0, *range(8), 7]
    assert done.arrays[1][:, 0].tolist() == [8 + x for x in inner]
    assert done.arrays[1][:, 1].tolist() == [0, *range(8, 16), 0]
    assert done.arrays[1][:, 2].tolist() == inner
    assert done.arrays[0].tolist() == list(range(16))  # what is dropped changes nothing


OUT = FaultKind.OUT_OF_BOUNDS


@pytest.mark.parametrize(
    ("body", "image", "kind", "words"),
    [
        ("mul.lo.u32 %r1, %t, 4; suld.b.1d.b32.trap {%r2}, [%rd0, {%r1}];", surface("int[8]"), OUT,
         ("Thread (8, 0, 0) of block (0, 0, 0) reads at (32) 4 bytes outside of the surface "
          "'image' (8 texels of int), whose rows have 32 bytes, at line 10 of the PTX. 23 more")),
        ("sust.b.1d.b32.trap [%rd0, {%t}], {%t};", surface("int[80]"), FaultKind.MISALIGNED,
         "Thread (1, 0, 0) of block (0, 0, 0) writes at (1) 4 bytes of 'image' (80 texels of int)"),
        ("mov.u64 %rd0, 0; suld.b.1d.b32.zero {%r2}, [%rd0, {%t}];", surface("int[8]"), OUT,
         "takes a null handle for a surface"),
        ("suld.b.1d.b32.zero {%r2}, [%rd0, {%t}];", texture("int[8]"), OUT,
         "takes 0x1 for a surface, which is the texture 'image' (8 texels of int)"),
        ("tex.1d.v4.f32.s32 {%f0,_,_,_}, [%at, {%t}];", texture("float[8]"), OUT,
         "for a texture"),
    ],
)  # fmt: skip
def test_faults(body, image, kind, words):
    done = launched("\n" + body, image, finishes=False)
    assert done.result.outcome is SimulationOutcome.FAULTED
    assert done.result.faults[-1].kind is kind
    assert words in done.messages[-1], done.messages


@pytest.mark.parametrize(
    ("body", "image", "words"),
    [
        ("tex.2d.v4.f32.f32 {%f0,_,_,_}, [%rd0, {%f1,%f1}];", texture("float[8]"),
         "it reaches texels by 2 coordinates, and the texture 'image' (8 texels of float) has 1"),
        ("tex.1d.v4.f32.f32 {%f0,_,_,_}, [%rd0, {%f1}];", texture("uchar[8]"),
         "gives integers. Bind it with normalizedFloat, or read integers"),
        ("tex.1d.v4.u32.f32 {%r0,_,_,_}, [%rd0, {%f1}];", texture("uchar[8]:normalizedFloat"),
         "gives floats. Bind it without normalizedFloat"),
        ("tld4.g.2d.v4.f32.f32 {%f0,_,_,_}, [%rd0, {%f1,%f1}];", texture("float[8,8]"),
         "it gathers channel 1, and the texture 'image' (8 x 8 texels of float) has 1"),
        ("txq.depth.b32 %r0, [%rd0];", texture("float[8,8]"), "which has none"),
        ("sust.p.1d.b32.trap [%rd0, {%t}], {%t};", surface("int2[80]"), "1 of the 2 channels"),
    ],
)  # fmt: skip
def test_what_is_left_open_is_refused(body, image, words):
    done = launched("mov.f32 %f1, 0f00000000;" + body, image, finishes=False)
    assert done.result.outcome is SimulationOutcome.REFUSED
    assert words in done.result.message, done.result.message


def test_texels_that_nobody_has_written_and_those_raced_for():
    swap = """shl.b32 %r1, %t, 2; sust.b.1d.b32.trap [%rd0, {%r1}], {%t};
    xor.b32 %r1, %r1, 128; suld.b.1d.b32.trap {%r2}, [%rd0, {%r1}];"""
    races = RaceDetector("k")
    done = launched(
        swap, surface("int[64]"), threads=64, finishes=False, unwritten=[0], observers=[races]
    )
    assert [race.space.value for race in done.result.races] == ["surface"]
    barrier = swap.replace("xor", "bar.sync 0; xor")
    done = launched(barrier, surface("int[64]"), threads=64, observers=[RaceDetector("k")])
    assert done.result.races == ()
    done = launched(swap, surface("int[64]"), threads=32, finishes=False, unwritten=[0])
    assert [fault.kind for fault in done.result.faults] == [FaultKind.NEVER_WRITTEN]
    assert "reads 4 bytes of texel (32) of 'image' that nobody" in done.messages[0]


def test_requests_are_counted_and_sectors_are_not():
    body = """cvt.rn.f32.u32 %f0, %t; tex.1d.v4.f32.f32 {%f1,_,_,_}, [%rd0, {%f0}];
    add.u64 %rd0, %rd0, 2; shl.b32 %r1, %t, 2; suld.b.1d.b32.trap {%r2}, [%rd0, {%r1}];"""
    texels = texture("float[64]", np.arange(64))
    counter = Counter()
    done = launched(body, texels, surface("int[64]"), threads=64, observers=[counter])
    counted = [line for line in done.result.lines if line.requests]
    assert [(line.requests, line.sectors, line.sector_requests) for line in counted] == [
        (2, 0, 0),
        (2, 0, 0),
    ]
    assert done.result.samples == ()


def test_threads_of_a_warp_may_take_several_textures():
    odd = texture("float[32]", np.arange(32))
    even = texture("float[32]", np.arange(32) + 100)
    got = launched(
        """ld.param.u64 %rd1, [k_2]; and.b32 %r0, %t, 1; setp.eq.u32 %p, %r0, 1;
        selp.b64 %rd1, %rd0, %rd1, %p; tex.1d.v4.f32.s32 {%f0,_,_,_}, [%rd1, {%t}];
        st.global.f32 [%at], %f0;""",
        odd,
        even,
    ).arrays[1].view("f4")[:, 0]  # fmt: skip
    assert got.tolist() == [t if t % 2 else t + 100 for t in range(32)]


def test_an_index_outside_of_linear_memory_reads_zero():
    got, result = read(
        "tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%rd0, {%r10}];",
        texture("float4[4]:linearMemory", np.arange(1, 17)),
        np.array([[3, 0, 0], [4, 0, 0], [-1, 0, 0]], np.int32),
    )
    assert got.tolist() == [[13, 14, 15, 16], [0] * 4, [0] * 4]
    assert "outside of linear memory" in result.inexact_functions[0]


def test_a_surface_is_stepped_back_and_recorded():
    body = """shl.b32 %r1, %t, 2; suld.b.1d.b32.trap {%r2}, [%rd0, {%r1}]; not.b32 %r2, %r2;
    sust.b.1d.b32.trap [%rd0, {%r1}], {%r2}; st.global.u32 [%at], %r2;"""
    image = surface("int[32]", np.arange(32))
    program = program_of(kernel_of(HEAD + body, "u64", "u64"))
    launch = launch_of("k", ONE, WARP, (image, np.zeros((32, 4), np.uint32)))
    thread = SimulatedThread()
    session = StepSession(program, launch, thread)

    def texels(of, step):
        of.begin(StepMove(StepGoal.STEP, thread, step=step))
        (area,) = (area for area in of.go_on(60).areas if area.name == "array 0")
        return np.frombuffer(of.read(area, thread, 0, 128).data, np.int32).tolist()

    before, after = list(range(32)), [~t for t in range(32)]
    end = 9
    assert [texels(session, step) for step in (end, 3, end, 0)] == [after, before, after, before]
    session.record(RecordingAbout("k", "k.cu", (), ()))
    replayed, _ = StepSession.replaying(session.go_on_recording(60))
    assert [texels(replayed, step) for step in (end, 3)] == [after, before]


SURED = {
    "u32": ("add", np.uint32, "%r5"), "s32": ("min", np.int32, "%r5"),
    "u64": ("max", np.uint64, "%rd3"), "b32": ("and", np.uint32, "%r5"),
}  # fmt: skip


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize(
    ("kind", "formatted"),
    # No texels have 64 bits.
    [*((kind, False) for kind in SURED), *((kind, True) for kind in SURED if kind != "u64")],
)
def test_reductions_of_surfaces(axes, kind, formatted):
    """32 threads meet in four places of a row; the last three texels are left alone."""
    operation, dtype, value = SURED[kind]
    size = np.dtype(dtype).itemsize
    per_row = 8 * size // 4 if size == 8 else 8
    content = (np.arange(per_row * 2 ** (axes - 1), dtype=np.uint32) * 77 + 5).astype(
        np.int32 if kind == "s32" else np.uint32
    )
    extent = ",".join([str(per_row), *["2"] * (axes - 1)])
    image = surface(f"{'int' if kind == 's32' else 'unsigned'}[{extent}]", content)
    names = {1: "{%r1}", 2: "{%r1, %r2}", 3: "{%r1, %r2, %r2, %r2}"}[axes]
    shift = 0 if formatted else size.bit_length() - 1
    form = f"p.{operation}.{axes}d.b32" if formatted else f"b.{operation}.{axes}d.{kind}"
    done = launched(
        f"""and.b32 %r1, %t, 3; shl.b32 %r1, %r1, {shift}; mov.u32 %r2, 1;
        mad.lo.u32 %r5, %t, 1234567, 89; cvt.u64.u32 %rd3, %r5; shl.b64 %rd3, %rd3, 7;
        sured.{form}.trap [%rd0, {names}], {value}; mov.u32 %r1, 1000;
        sured.{form}.zero [%rd0, {names}], {value};""",
        image,
    )
    wanted = np.ascontiguousarray(image).reshape(-1).view(dtype).copy()
    start = len(wanted) - len(wanted) // 2 ** (axes - 1)
    function = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and}
    for t in range(32):
        given = np.uint32(t * 1234567 + 89)
        given = np.uint64(given) << np.uint64(7) if size == 8 else given.astype(dtype)
        at = start + t % 4
        wanted[at] = function[operation](wanted[at], given)
    assert (done.arrays[0].reshape(-1).view(dtype) == wanted).all()


def test_every_row_of_texels_has_a_case():
    missing = [
        (opcode, row.name, row.needs)
        for opcode in ("tex", "tld4", "txq", "suld", "sust", "sured", "suq")
        for row in ROWS[opcode]
        if unwrap(row.bind) not in _SEEN and "refused" not in row.bind.__name__
    ]
    assert missing == []
