"""The names of instructions and modifiers that ptxas knows: `tests/data/reference/names.txt`.

`python -m tests.ptx.names` writes the list. Each word of the library is tried as an instruction,
and behind an instruction as a modifier, so that a later ptxas makes the list tell what is new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tests.ptx.judge import Judge
from tests.support import ROOT

NAMES = ROOT / "tests/data/reference/names.txt"
_HEAD = ".version 9.5\n.target sm_107a\n.address_size 64\n.visible .entry k()\n{\n.reg .pred p;\n"
_LINE = _HEAD.count("\n") + 1
_CHUNK = 200
# Strings end with a NUL. Of two of which one is the end of the other only the longer one is there.
_INSTRUCTION = re.compile(rb"(?<=\0)[a-z][a-z0-9]*(?:\.[a-z0-9_]+)*(?=\0)")
_MODIFIER = re.compile(rb"\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*(?=\0)")
_LONGEST = 48
_UNKNOWN = ("Not a name of any known instruction", "Parsing error", "Unknown modifier")


def _asked(judge: Judge, words: Sequence[str], form: str) -> Iterator[tuple[str, str]]:
    """Each word with the answer of ptxas to a statement with the word."""
    text = "".join(f"{form.format(word)}\n" for word in words)
    errors = judge.errors(f"{_HEAD}{text}}}\n", "sm_107a")
    whole = len(errors) == len(words) and not any("Parsing" in said for said in errors.values())
    if whole or len(words) == 1:
        yield from ((word, errors.get(_LINE + i, "")) for i, word in enumerate(words))
        return
    middle = len(words) // 2
    yield from _asked(judge, words[:middle], form)
    yield from _asked(judge, words[middle:], form)


def names(judge: Judge, library: bytes) -> tuple[list[str], list[str]]:
    """The instructions and the modifiers of ptxas, by the words of its library."""
    opcodes, modifiers = (
        sorted({match[0].decode() for match in pattern.finditer(library)} - {""})
        for pattern in (_INSTRUCTION, _MODIFIER)
    )
    # So many operands are an error for each of them, which tells that it was read.
    answers = (_asked(judge, part, "{} 1, 2, 3, 4, 5, 6, 7, 8, 9;") for part in _parts(opcodes))
    known = {word for part in answers for word, said in part if f"'{word}'" in said}
    instructions = [
        word
        for part in _parts(sorted(known))
        for word, said in _asked(judge, part, "{} 1, 2, 3, 4, 5, 6, 7, 8, 9;")
        if said and not any(words in said for words in _UNKNOWN)
    ]
    told = (_asked(judge, part, "mov{} 1, 2, 3;") for part in _parts(modifiers))
    return instructions, [
        word
        for part in told
        for word, said in part
        if said and not any(words in said for words in _UNKNOWN)
    ]


def _parts(words: Sequence[str]) -> Iterator[Sequence[str]]:
    short = [word for word in words if len(word) <= _LONGEST]
    return (short[i : i + _CHUNK] for i in range(0, len(short), _CHUNK))


def written() -> tuple[str, list[str], list[str]]:
    """The version, the instructions and the modifiers of the list."""
    version, *lines = NAMES.read_text("utf-8").splitlines()
    return version, [x for x in lines if x[0] != "."], [x for x in lines if x[0] == "."]


def measured() -> tuple[str, list[str], list[str]]:
    """The version, the instructions and the modifiers of nvJitLink in this environment."""
    from jitstudio.core.tools import Tool
    from jitstudio.toolchain import locate
    from jitstudio.toolchain.nvjitlink import version

    path, _ = locate.load(Tool.NVJITLINK)
    with Judge() as judge, open(path, "rb") as file:
        return (version(), *names(judge, file.read()))


if __name__ == "__main__":
    said, instructions, modifiers = measured()
    NAMES.write_text("\n".join([said, *instructions, *modifiers, ""]), "utf-8")
