"""Programs that are a given one under other names, and ones that only look like it.

They keep their encodings, which hold what no text tells: no difference may be found by those alone.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

from jitstudio.analysis.model import Disassembly, SassFunction

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


def with_function(code: Disassembly, function: SassFunction) -> Disassembly:
    """The same program with another function of this name."""
    changed = (function if one.name == function.name else one for one in code.functions)
    return replace(code, functions=tuple(changed))
