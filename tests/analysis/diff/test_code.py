"""Real machine code against itself: under other names, and changed in one place."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from jitstudio.analysis.diff.code import compare_programs
from jitstudio.analysis.diff.data import data_sections
from jitstudio.analysis.diff.form import REGISTERS, form_of
from jitstudio.analysis.diff.instructions import counted, named_places
from jitstudio.analysis.diff.model import Change
from jitstudio.analysis.diff.program import CubinProgram
from jitstudio.analysis.diff.webs import webs
from jitstudio.analysis.sass.model import Disassembly, SassFunction
from jitstudio.analysis.sass.operands import decode
from tests.analysis.registers import register_name
from tests.support import cuda, request

# ---- Programs that are a given one under other names, and ones that only look like it
#
# They keep their encodings, which hold what no text tells: no difference may be found by those
# alone.

_REGISTER = re.compile(r"(?<![\w$.])(UR|UP|R|P|B)(\d+)(?![\w$])")
_NUMBER = re.compile(r"(?<![\w.$`])(?:0x[0-9a-f]+|\d+)(?![\w.$x])")
_SOURCES = re.compile(r"(?P<first>R\d+), (?P<second>-R\d+)$")


def renamed(function: SassFunction, seed: int) -> SassFunction:
    """The same with other names for registers and labels, at other addresses.

    Vectors of four stay together, and the first four stay what they are: one points to the stack.
    """
    random = Random(seed)
    names: dict[str, str] = {}
    for kind, count, vector in (("R", 128, 4), ("UR", 60, 4), ("P", 7, 1), ("UP", 7, 1)):
        blocks = list(range(count // vector))
        kept, moved = (blocks[:1], blocks[1:]) if kind == "R" else ([], blocks)
        random.shuffle(shuffled := moved.copy())
        for old, new in zip(blocks, kept + shuffled, strict=True):
            for at in range(vector):
                names[f"{kind}{old * vector + at}"] = f"{kind}{new * vector + at}"
    labels = {label.name: f".L_x_{900 - n}" for n, label in enumerate(function.labels)}

    def rename(text: str) -> str:
        text = _REGISTER.sub(lambda found: names.get(found[0], found[0]), text)
        return re.sub(r"\.L_x_\d+", lambda found: labels.get(found[0], found[0]), text)

    return replace(
        function,
        addresses=type(function.addresses)("Q", (at + 0x400 for at in function.addresses)),
        predicates=tuple(map(rename, function.predicates)),
        operands=tuple(map(rename, function.operands)),
        labels=tuple(replace(label, name=labels[label.name]) for label in function.labels),
    )


def _operands(function: SassFunction, index: int, text: str) -> SassFunction:
    changed = list(function.operands)
    changed[index] = text
    return replace(function, operands=tuple(changed))


def _choose(
    random: Random, function: SassFunction, pattern: re.Pattern[str]
) -> tuple[int, re.Match]:
    found = [
        (index, match)
        for index in range(function.code_length)
        for match in pattern.finditer(function.operands[index])
    ]
    return random.choice(found)


def _with(match: re.Match, text: str) -> str:
    return match.string[: match.start()] + text + match.string[match.end() :]


def other_constant(function: SassFunction, random: Random) -> SassFunction:
    index, found = _choose(random, function, _NUMBER)
    number = int(found[0], 0) ^ 1 << random.randrange(8)
    return _operands(function, index, _with(found, f"{number:#x}"))


def other_offset(function: SassFunction, random: Random) -> SassFunction:
    index, found = _choose(random, function, re.compile(r"(?<=\+)0x[0-9a-f]+(?=\])"))
    return _operands(function, index, _with(found, f"{int(found[0], 16) + 4:#x}"))


def other_parameter(function: SassFunction, random: Random) -> SassFunction:
    index, found = _choose(random, function, re.compile(r"(?<=c\[0x0\]\[)0x[0-9a-f]+"))
    return _operands(function, index, _with(found, f"{int(found[0], 16) + 8:#x}"))


def swapped_subtraction(function: SassFunction, random: Random) -> SassFunction:
    index, found = _choose(random, function, _SOURCES)
    first, second = found["first"], found["second"].lstrip("-")
    return _operands(function, index, _with(found, f"{second}, -{first}"))


def other_sense(function: SassFunction, random: Random) -> SassFunction:
    """A predicate in front of an instruction the other way round."""
    index = random.choice([at for at, word in enumerate(function.predicates) if word])
    changed = list(function.predicates)
    word = changed[index]
    changed[index] = word.replace("@!", "@") if "!" in word else word.replace("@", "@!")
    return replace(function, predicates=tuple(changed))


def other_modifier(function: SassFunction, random: Random) -> SassFunction:
    words = {".GE": ".GT", ".U32": ".S32", ".AND": ".OR", ".E": ".E.CONSTANT", ".WIDE": ".HI"}
    found = [
        (index, old)
        for index in range(function.code_length)
        for old in words
        if re.search(re.escape(old) + r"\b", function.opcodes[index])
    ]
    index, old = random.choice(found)
    changed = list(function.opcodes)
    changed[index] = re.sub(re.escape(old) + r"\b", words[old], changed[index], count=1)
    return replace(function, opcodes=tuple(changed))


def other_target(function: SassFunction, random: Random) -> SassFunction:
    index, found = _choose(random, function, re.compile(r"\.L_x_\d+"))
    places = {label.name: label.index for label in function.labels}
    others = [
        name for name, at in places.items() if at != places[found[0]] and at < function.code_length
    ]
    return _operands(function, index, _with(found, random.choice(others)))


def other_register(function: SassFunction, random: Random) -> SassFunction:
    """One register in one place in the part of another one."""
    used = Counter(
        found[0]
        for index in range(function.code_length)
        for found in _REGISTER.finditer(function.operands[index])
    )
    common = re.compile(
        rf"(?<![\w$.])(?:{'|'.join(name for name, n in used.items() if n > 2 and name[0] == 'R')})"
        r"(?![\w$])"
    )
    index, found = _choose(random, function, common)
    others = [name for name in used if name[0] == "R" and name != found[0]]
    return _operands(function, index, _with(found, random.choice(others)))


def other_order(function: SassFunction, random: Random) -> SassFunction:
    """Two instructions in the order of the other."""
    opcodes, operands, predicates = map(
        list, (function.opcodes, function.operands, function.predicates)
    )
    at = random.choice([n for n in range(function.code_length - 1) if opcodes[n] != opcodes[n + 1]])
    for column in (opcodes, operands, predicates):
        column[at], column[at + 1] = column[at + 1], column[at]
    return replace(
        function,
        opcodes=tuple(opcodes),
        operands=tuple(operands),
        predicates=tuple(predicates),
    )


NEAR_MISSES: tuple[Callable[[SassFunction, Random], SassFunction], ...] = (
    other_constant,
    other_offset,
    other_parameter,
    swapped_subtraction,
    other_sense,
    other_modifier,
    other_target,
    other_register,
    other_order,
)


class Web(NamedTuple):
    """A value in a general register that is no part of a vector.

    Attributes:
        register: Its number.
        uses: Instructions, and which of the registers in the text of each.
    """

    register: int
    uses: tuple[tuple[int, int], ...]


def single_webs(function: SassFunction) -> list[Web]:
    """Those that some instruction surely starts."""
    columns = (function.predicates, function.opcodes, function.operands)
    forms = [form_of(*(column[at] for column in columns)) for at in counted(function)]
    found = webs(function, forms, named_places(function))
    assert found is not None
    uses: dict[int, list[tuple[int, int]]] = {}
    registers: dict[int, int] = {}
    others: set[int] = {*REGISTERS}
    for at, (form, names) in enumerate(zip(forms, found, strict=True)):
        starts = {*form.named, len(names)}
        for slot, web in enumerate(names):
            registers[web] = form.uses[slot]
            if {slot, slot + 1} <= starts and register_name(form.uses[slot])[0] == "R":
                uses.setdefault(web, []).append((at, form.named.index(slot)))
            else:
                others.add(web)
    return [Web(registers[web], tuple(uses[web])) for web in uses if web not in others]


def with_web_in(function: SassFunction, web: Web, register: int) -> SassFunction:
    """The same function with a value in another register."""
    operands = list(function.operands)
    for at, place in web.uses:
        found = [*_REGISTER.finditer(operands[at])]
        # The first may be in front of the instruction.
        name = found[place - len(_REGISTER.findall(function.predicates[at]))]
        operands[at] = _with(name, f"R{register}")
    return replace(function, operands=tuple(operands))


def with_swapped_sources(function: SassFunction, random: Random) -> SassFunction:
    """Two registers that an instruction reads, each in the place of the other."""
    index, found = _choose(random, function, re.compile(r"(?<=, )(R\d+), (R\d+)(?![\w.])(?=,|$)"))
    first, second = found.groups()
    if first == second:
        return with_swapped_sources(function, random)
    return _operands(function, index, _with(found, f"{second}, {first}"))


def touched_next(function: SassFunction, start: int) -> tuple[dict[int, int], dict[int, int]]:
    """The general registers that are read, and those that are written, first behind an instruction.

    With where that is; as far as the code goes straight on.
    """
    read: dict[int, int] = {}
    written: dict[int, int] = {}
    labels = {label.index for label in function.labels}
    for at in range(start + 1, function.code_length):
        opcode, form = (
            function.opcodes[at],
            decode(function.opcodes[at], function.operands[at]),
        )
        if (
            at in labels
            or function.predicates[at]
            or opcode.startswith(("B", "CALL", "EXIT", "J", "RET"))
        ):
            break
        for number in range(255):
            if form.reads >> number & 1 and number not in written:
                read.setdefault(number, at)
        for number in form.written:
            if number not in read:
                written.setdefault(number, at)
    return read, written


def with_function(code: Disassembly, function: SassFunction) -> Disassembly:
    """The same program with another function of this name."""
    changed = (function if one.name == function.name else one for one in code.functions)
    return replace(code, functions=tuple(changed))


SOURCE = r"""
__constant__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void work(float* p, const double* q, float4* v, int n) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = p[i] - p[i + 1];
    __syncthreads();
    double d = q[i] * 2.5 + q[i + 3];
    float4 four = v[i];
    for (int k = 0; k < n; ++k) {
        d = d * q[k] - table[k & 3];
        four.x -= s[(threadIdx.x + k) & 255] / (four.y + 1.5f);
        if (four.x > four.z) four.w += k; else four.z -= four.w;
    }
    v[i + 2] = four;
    p[i] = (float)d + (n - i) + __int_as_float(0x7fc00123 + 0 * n);
    p[i + 7] = p[i + 8] + __int_as_float(0x7fc00123);
}
extern "C" __global__ void other(int* p, int n) { p[n] = p[0] / n; }
"""
TARGETS = ("sm_75", "sm_90", "sm_120")


@pytest.fixture(scope="session")
def built(tools):
    """Builds a program and reads it."""

    @cache
    def build(
        target: str, source: str = SOURCE, name: str = "kernel.cu", *options: str
    ) -> CubinProgram:
        asked = request(cuda(source, name), emit="cubin", arch=target, options=options)
        content = tools.cubin(asked).content
        return CubinProgram(tools.code(content), data_sections(content))

    return build


@pytest.fixture(scope="session", params=TARGETS)
def program(built, request):
    """The kernels for one target after the other."""
    return built(request.param)


@pytest.fixture(scope="session")
def quick(built):
    """The same for the target whose code is read in the shortest time."""
    return built(TARGETS[0])


def variant(program: CubinProgram, function) -> CubinProgram:
    return CubinProgram(with_function(program.code, function), program.data)


@pytest.mark.parametrize("normalised", [False, True])
def test_a_program_is_equal_to_itself(program, normalised):
    compared = compare_programs(program, program, normalised=normalised)
    assert compared.equal
    assert compared.control_changes == 0
    assert compared.left == compared.right
    # Labels, too, are shown once each.
    lines = list(range(len(compared.left)))
    assert [row.left for row in compared.rows] == [row.right for row in compared.rows] == lines


@pytest.mark.parametrize("seed", range(12))
def test_other_names_are_no_difference(program, seed):
    changed = variant(program, renamed(program.code.function("work"), seed))
    assert compare_programs(program, changed, normalised=True).equal
    assert compare_programs(changed, program, normalised=True).equal
    assert not compare_programs(program, changed).equal


@pytest.mark.parametrize("change", NEAR_MISSES, ids=lambda change: change.__name__)
def test_a_near_miss_is_a_difference(program, change):
    function = program.code.function("work")
    for seed in range(5):
        changed = change(function, Random(seed))
        for one in (changed, renamed(changed, seed)):
            other = variant(program, one)
            assert not compare_programs(program, other, normalised=True).equal, seed


def test_a_value_in_a_free_register_is_no_difference(program):
    function = program.code.function("work")
    free = []
    for web in single_webs(function):
        free.append((web, 200))
        first, last = web.uses[0][0], web.uses[-1][0]
        _, written = touched_next(function, first)
        free += ((web, one) for one, at in written.items() if one < 255 and at > last)
    assert len(free) > 40
    for web, register in Random(7).sample(free, 12):
        changed = variant(program, with_web_in(function, web, register))
        assert compare_programs(program, changed, normalised=True).equal, (web, register)


def test_a_value_in_a_register_that_holds_another_one_is_a_difference(program):
    function = program.code.function("work")
    lost = [
        (web, register)
        for web in single_webs(function)
        for register in touched_next(function, web.uses[0][0])[0].keys() - {web.register}
    ]
    for web, register in Random(5).sample(lost, 12):
        changed = variant(program, with_web_in(function, web, register))
        assert not compare_programs(program, changed, normalised=True).equal, (web, register)


def test_two_sources_in_each_others_place_are_a_difference(program):
    for seed in range(8):
        function = with_swapped_sources(program.code.function("work"), Random(seed))
        changed = variant(program, function)
        assert not compare_programs(program, changed, normalised=True).equal, seed


def test_what_differs_is_marked_and_little_else(program):
    function = program.code.function("work")
    changed = renamed(NEAR_MISSES[0](function, Random(3)), 3)
    compared = compare_programs(program, variant(program, changed), normalised=True)
    (hunk,) = compared.hunks
    assert hunk.end - hunk.start == 1
    row = compared.rows[hunk.start]
    assert row.change is Change.CHANGED
    ((start, end),), ((other_start, other_end),) = compared.marks(hunk.start)
    assert compared.left[row.left][start:end] != compared.right[row.right][other_start:other_end]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("* 2.5", "* 3.5"),
        ("p[i] - p[i + 1]", "p[i + 1] - p[i]"),
        ("i >= n", "i > n"),
        ("four.x > four.z", "four.x >= four.z"),
        ("v[i + 2]", "v[i + 3]"),
        ("p[0] / n", "n / p[0]"),
        ("q[i + 3]", "q[i + 4]"),
        ("p[i + 8] + __int_as_float(0x7fc00123)", "p[i + 8] + __int_as_float(0x7fc00124)"),
        ("{1, 2, 3, 4}", "{1, 2, 3, 5}"),
        ("int* p, int n", "int* p, int n, int unused"),
        ("s[256]", "s[257]"),
        ("void work(", "void __launch_bounds__(64) work("),
    ],
)
def test_another_source_is_another_program(built, quick, old, new):
    assert old in SOURCE
    other = built(TARGETS[0], SOURCE.replace(old, new))
    assert not compare_programs(quick, other, normalised=True).equal


def test_another_way_to_write_the_same_source_is_the_same_program(built, quick):
    other = built(TARGETS[0], SOURCE.replace("four", "vector").replace("\n", "\n\n"))
    assert compare_programs(quick, other, normalised=True).equal
    assert compare_programs(quick, other).equal


def test_other_control_bits_count_only_where_all_counts(quick):
    function = quick.code.function("work")
    encodings = bytearray(function.encodings)
    encodings[16 * 3 + 13] ^= 2  # the stall count of the fourth instruction
    changed = variant(quick, replace(function, encodings=bytes(encodings)))
    normalised = compare_programs(quick, changed, normalised=True)
    assert normalised.equal
    assert normalised.control_changes == 1
    written = compare_programs(quick, changed)
    assert not written.equal
    ((start, end),), _ = written.marks(written.hunks[0].start)
    row = written.rows[written.hunks[0].start]
    assert "stall" in written.left[row.left]
    assert written.left[row.left][start:end].isdigit()


def test_what_no_text_shows_is_a_difference_still(quick):
    function = quick.code.function("work")
    encodings = bytearray(function.encodings)
    encodings[16 * 3 + 9] ^= 2
    changed = replace(function, encodings=bytes(encodings))
    for one in (changed, renamed(changed, 1)):
        assert not compare_programs(quick, variant(quick, one), normalised=True).equal


STATIC = r"""
static __device__ int v = 3;
static __device__ int w = 4;
static __device__ __noinline__ int f(int a) { v = a; return a * a + blockIdx.x; }
static __device__ __noinline__ int g(int a) { w = a; return a * a + blockIdx.x; }
extern "C" __global__ void k(int* p) { p[0] = f(p[0]); p[1] = g(p[1]) + f(p[2]); }
"""


@pytest.fixture
def static(built):
    """Builds a module with names that no other module sees."""
    return lambda name, source=STATIC: built(TARGETS[0], source, name, "-rdc=true")


def test_normalised_a_source_may_be_moved(static):
    left, right = static("a.cu"), static("folder/moved.cu")
    assert any("_INTERNAL_" in one.name for one in left.code.functions)
    assert compare_programs(left, right, normalised=True).equal
    assert not compare_programs(left, right).equal


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("+ f(p[2])", "+ g(p[2])"),
        ("{ v = a;", "{ w = a;"),
        # The same bytes, under each other's names.
        ("v = 3;\nstatic __device__ int w", "w = 3;\nstatic __device__ int v"),
    ],
)
@pytest.mark.parametrize("name", ["a.cu", "folder/moved.cu"])
def test_another_static_function_or_variable_is_a_difference(static, old, new, name):
    changed = STATIC.replace(old, new)
    assert changed != STATIC
    assert not compare_programs(static("a.cu"), static(name, changed), normalised=True).equal
