"""Statements of PTX that ptxas takes, and their neighbours, most of which it refuses.

A neighbour has one part changed: a modifier, a type, a vector, an operand. What ptxas refuses of
them for its grammar the simulator must not take: see `test_grammar`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from jitstudio.ptx.tokens import PtxReadError
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.ptx.types import TYPES
from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.state.model import SimulatedLaunch
from tests.ptx.judge import Judge
from tests.simulator.forms import FORMS, MATRIX_FORMS, expanded
from tests.simulator.running import BITS, HEAD

# What computes by registers alone is in `FORMS`. `$0` stands for a register of the type `.T`.
FAMILIES = Path(__file__).with_name("statements.txt").read_text("utf-8")
_OWN = {"f32": "f", "f64": "d", "pred": "p", "b128": "w"}
_BY_BITS = {8: "h", 16: "h", 32: "r", 64: "q"}
DECLARED = """.reg .pred p<9>; .reg .b8 c<4>; .reg .b16 h<9>; .reg .b32 r<32>; .reg .b64 q<9>;
.reg .b128 w<4>; .reg .f32 f<32>; .reg .f64 d<32>; .reg .u16 hu; .reg .u32 ru; .reg .s32 rs;
.reg .u64 qu; .reg .s64 qs; .reg .f16 hf; .reg .f16x2 rf;
.shared .align 128 .b8 s[4096]; .local .align 16 .b8 l[256]; .param .align 16 .b8 passed[64];
N: .branchtargets L; L:
"""
BEFORE = """.global .align 16 .b8 g[4096]; .const .align 16 .b8 cc[256]; .global .texref t;
.func (.param .b32 out) callee(.param .b32 in) { ret; }
"""
_OPERANDS = (
    "p1", "!p1", "c1", "h1", "r1", "q1", "w1", "f1", "d1", "hu", "ru", "rs", "qu", "qs", "hf", "rf",
    "_", "1", "-1", "0f3F800000", "0d3FF0000000000000", "1.0", "{r0}", "{r0,r1}", "{r0,r1,r2,r3}",
    "{f0,f1}", "{q0,q1}", "{h0,h1}", "r0|p0", "p0|p1", "[q0]", "[r0]", "[s]", "[q0+8]", "s", "g",
    "l", "t", "L", "%tid.x", "%laneid", "%clock64", "[q0, {r0}]",
)  # fmt: skip
_GENERAL = Path(__file__).with_name("modifiers.txt").read_text("utf-8").split()
"""Modifiers of any instructions."""


@dataclass(frozen=True)
class Statement:
    """An instruction.

    Attributes:
        words: The opcode, its modifiers and types, in order.
        operands: In order, as written.
    """

    words: tuple[str, ...]
    operands: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"{'.'.join(self.words)} {', '.join(self.operands)}".strip() + ";"

    def neighbours(self, vocabulary: tuple[str, ...], random: Random) -> Iterator[Statement]:
        """Yields statements with one part changed.

        Args:
            vocabulary: Words that other statements of the opcode have.
            random: Chooses some of all other words and operands.
        """
        opcode, *words = self.words
        others = (*vocabulary, *random.sample(_GENERAL, 6), *random.sample([*TYPES], 4))
        for at, word in enumerate(words):
            rest = (*words[:at], *words[at + 1 :])
            yield Statement((opcode, *rest), self.operands)
            yield Statement((opcode, *words[: at + 1], *words[at:]), self.operands)
            near = [*TYPES] if word in TYPES else others
            for other in near:
                yield Statement((opcode, *words[:at], other, *words[at + 1 :]), self.operands)
        for at in range(len(words) - 1):
            swapped = (*words[:at], words[at + 1], words[at], *words[at + 2 :])
            yield Statement((opcode, *swapped), self.operands)
        for other in others:
            at = random.randint(0, len(words))
            yield Statement((opcode, *words[:at], other, *words[at:]), self.operands)
        operands = self.operands
        for at in range(len(operands)):
            yield Statement(self.words, (*operands[:at], *operands[at + 1 :]))
            for other in random.sample(_OPERANDS, 16):
                yield Statement(self.words, (*operands[:at], other, *operands[at + 1 :]))
        yield Statement(self.words, (*operands, *operands[-1:]))
        yield Statement(self.words, (*operands, random.choice(_OPERANDS)))


def _operands(text: str) -> tuple[str, ...]:
    """Returns the operands of a text, at the commas outside of brackets."""
    operands, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "{[(") - (letter in "}])")
        if letter == "," and depth == 0:
            operands.append(text[start:at].strip())
            start = at + 1
    return (*operands, text[start:].strip()) if text.strip() else ()


def _register(kind: str, number: int) -> str:
    width = BITS.get(kind, 32)
    return f"{_OWN.get(kind) or _BY_BITS[width]}{number}"


def seeds() -> dict[Statement, None]:
    """Statements that ptxas takes."""
    statements: dict[Statement, None] = {}
    for form in FORMS:
        kinds = (form.result, *(kind.split("-")[-1] for kind in form.sources))
        operands = tuple(_register(kind, number) for number, kind in enumerate(kinds))
        statements[Statement(tuple(form.text.split(".")), operands)] = None
    for matrix in MATRIX_FORMS:
        lists = []
        for letter, count in zip("dabc", matrix.words(), strict=True):
            kind = matrix.types["dabc".index(letter)]
            base = "d" if kind == "f64" else "f" if kind == "f32" and letter in "dc" else "r"
            lists.append("{" + ",".join(f"{base}{i}" for i in range(count)) + "}")
        statements[Statement(tuple(matrix.text.split(".")), tuple(lists))] = None
    for line in FAMILIES.strip().splitlines():
        opcode, operands, *types = (*line.split(" : "), "")[: max(line.count(" : ") + 1, 2)]
        for kind in types[0].split() if types else [""]:
            text = re.sub(r"\$(\d)", lambda m: _register(kind, int(m[1])), operands)  # noqa: B023
            for full_opcode in expanded(opcode):
                words = re.sub(r"\.T\b", f".{kind}", full_opcode).split(".")
                statements[Statement(tuple(words), _operands(text))] = None
    return statements


def vocabularies(statements: dict[Statement, None]) -> dict[str, tuple[str, ...]]:
    """The modifiers of the statements of each opcode."""
    words: dict[str, dict[str, None]] = {}
    for statement in statements:
        known = words.setdefault(statement.words[0], {})
        known.update(dict.fromkeys(w for w in statement.words[1:] if w not in TYPES))
    return {opcode: tuple(known) for opcode, known in words.items()}


def module(statements: list[str]) -> str:
    """A module with a kernel of these statements, the first in line `FIRST`, one in each line."""
    body = "\n".join(statements)
    return f"{HEAD}{BEFORE}.visible .entry k(.param .u64 k_0)\n{{\n{DECLARED}{body}\nret;\n}}\n"


FIRST = module(["@@"]).split("@@")[0].count("\n") + 1


def refused_by_ptxas(judge: Judge, statements: list[str]) -> dict[str, str]:
    """What ptxas says against each of some statements that it refuses."""
    refusals: dict[str, str] = {}
    while rest := [text for text in statements if text not in refusals]:
        errors = judge.errors(module(rest))
        at_lines = {
            rest[n - FIRST]: said for n, said in errors.items() if 0 <= n - FIRST < len(rest)
        }
        refusals |= at_lines
        if at_lines:
            continue
        # Without a line it has died, or gives up behind its grammar: by one of them or several.
        if errors and len(rest) > 1:
            half = len(rest) // 2
            for part in (rest[:half], rest[half:]):
                refusals |= refused_by_ptxas(judge, part)
        elif errors:
            refusals[rest[0]] = next(iter(errors.values()))
        break
    return refusals


def refused_by_simulator(statements: list[str]) -> dict[str, str]:
    """What the simulator says against each of some statements that it refuses."""
    refusals: dict[str, str] = {}
    while rest := [text for text in statements if text not in refusals]:
        try:
            program = read_program(module(rest))
        except PtxReadError as error:
            refusals[rest[min(max(error.line - FIRST, 0), len(rest) - 1)]] = str(error)
            continue
        launch = SimulatedLaunch("k", (1, 1, 1), (32, 1, 1), bytes(8), ())
        for bound in Machine(launch, program).code.values():
            at = bound.instruction.line - FIRST
            if bound.problem and 0 <= at < len(rest):
                refusals[rest[at]] = bound.problem
        break
    return refusals
