"""Programs that are a given one under other names, and ones that only look like it.

They keep their encodings, which hold what no text tells: no difference may be found by those alone.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import NamedTuple

from jitstudio.analysis.diff.form import REGISTERS, form_of
from jitstudio.analysis.diff.instructions import counted, named_places
from jitstudio.analysis.diff.webs import webs
from jitstudio.analysis.sass.model import Disassembly, SassFunction
from jitstudio.analysis.sass.operands import decode
from tests.analysis.registers import register_name

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
