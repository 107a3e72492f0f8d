"""An instruction without the names of its registers and targets, and those names on their own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from jitstudio.analysis.diff.results import written_registers
from jitstudio.analysis.diff.widths import Widths, widths_of

# Numbers for registers: each kind has a range of its own.
_BASES = {"R": 0, "UR": 512, "P": 1024, "UP": 1088, "B": 1152}
_SIZES = {"R": 255, "UR": 255, "P": 7, "UP": 7, "B": 16}
_LARGEST_VECTOR = 128
STACK_POINTER = _BASES["R"] + 1
"""R1, by the convention for calls."""

REGISTERS = tuple(base + n for kind, base in _BASES.items() for n in range(_SIZES[kind]))
"""The numbers of all registers."""

Mask = int
"""A bit for each register, by its number."""


def _all(*kinds: str) -> Mask:
    return sum(((1 << _SIZES[kind]) - 1) << _BASES[kind] for kind in kinds)


UNIFORM: Mask = _all("UR", "UP")
"""Registers that the threads of a warp share."""

PREDICATES: Mask = _all("P")
BARRIERS: Mask = _all("B")

_TOKEN = re.compile(
    r"`\((?P<target>[^()]*)\)|(?P<label>(?<!\w)\.L_\w+)|(?P<reuse>\.reuse\b)"
    r"|(?P<all>(?<![\w$.])U?PR\b)|(?P<true>(?<![\w$.])U?PT\b)"
    # Behind a round bracket stands a symbol, which may be called R4.
    r"|(?P<register>(?<![\w$.(])(?P<kind>UR|UP|R|P|B)(?P<number>\d{1,3}))(?![\w$])(?P<wide>\.64)?"
    r"|(?P<open>\[)|(?P<close>\])|(?P<comma>,)"
)
_NUMBERS = {f"{kind}{n}": base + n for kind, base in _BASES.items() for n in range(_SIZES[kind])}
# What stands for a name: no listing has this sign, not even one that breaks off behind an `R`.
_NAME = "%"
_TARGET = f"{_NAME}`"
# A descriptor in front of an address is two uniform registers.
_PAIRS = re.compile(r"(?:desc|cx)\[UR\d+\]")


@dataclass(frozen=True, slots=True)
class Form:
    """An instruction in its parts.

    Attributes:
        skeleton: All but the rest; constants, modifiers and registers that mean something.
        uses: All registers, by number, in their order: of a pair both, of a vector all.
        named: Which of the uses are the registers that stand in the text, by their places.
        targets: Labels and symbols in their order.
        guard: The predicate in front, with its ``!``; empty where there is none.
        written: Which of the uses are surely and wholly written where the guard holds.
        is_known: Whether it is known what its operands take.
    """

    skeleton: str
    uses: tuple[int, ...]
    named: tuple[int, ...]
    targets: tuple[str, ...]
    guard: str
    written: range
    is_known: bool


@lru_cache(1 << 15)
def form_of(predicate: str, opcode: str, operands: str) -> Form:
    """The parts of an instruction."""
    return _Reader(widths_of(opcode)).read(predicate, opcode, operands)


def register_number(name: str) -> int | None:
    """The number of a register by its name; None for RZ, PT and all that is none."""
    return _NUMBERS.get(name)


def register_name(number: int) -> str:
    """The name of a register by its number."""
    kind = max((kind for kind in _BASES if _BASES[kind] <= number), key=_BASES.__getitem__)
    return f"{kind}{number - _BASES[kind]}"


def is_uniform(number: int) -> bool:
    """Whether the threads of a warp share a register."""
    return bool(UNIFORM >> number & 1)


class _Reader:
    def __init__(self, widths: Widths | None) -> None:
        self._widths = widths
        self._skeleton: list[str] = []
        self._named: list[int] = []
        self._uses: list[int] = []
        self._targets: list[str] = []
        self._depth = 0
        self._position = 0
        self._counts = True

    def read(self, predicate: str, opcode: str, operands: str) -> Form:
        self._take(predicate, in_head=True)
        self._skeleton.append(f" {opcode} ")
        first = len(self._uses)
        self._take(operands, in_head=False)
        return Form(
            skeleton="".join(self._skeleton),
            uses=tuple(self._uses),
            named=tuple(self._named),
            targets=tuple(self._targets),
            guard=predicate.removeprefix("@"),
            written=range(first, first + written_registers(opcode, operands)),
            is_known=self._widths is not None,
        )

    def _take(self, text: str, *, in_head: bool) -> None:
        pairs = {found.end() - 1 for found in _PAIRS.finditer(text)} if "[UR" in text else ()
        at = 0
        for token in _TOKEN.finditer(text):
            self._skeleton.append(text[at : token.start()])
            at = token.end()
            self._take_token(token, in_head=in_head, is_pair=at in pairs)
        self._skeleton.append(text[at:])

    def _take_token(self, token: re.Match[str], *, in_head: bool, is_pair: bool) -> None:
        text = token[0]
        match token.lastgroup:
            case "target" | "label":
                self._targets.append(token["target"] if token["label"] is None else text)
                text = _TARGET
            case "reuse":
                text = ""
            case "all":
                base = _BASES[text[:-1]]
                self._uses += range(base, base + _SIZES[text[:-1]])
            case "open" | "close":
                self._depth += 1 if text == "[" else -1
            case "true":
                self._counts = False
            case "comma" if not self._depth:
                self._position += self._counts
                self._counts = True
            case "register" | "wide":
                text = self._register(token, in_head=in_head, is_pair=is_pair)
        self._skeleton.append(text)

    def _register(self, token: re.Match[str], *, in_head: bool, is_pair: bool) -> str:
        kind, number = token["kind"], int(token["number"])
        if number >= _SIZES[kind]:
            return token[0]
        first = _BASES[kind] + number
        is_vector = kind in ("R", "UR")
        if not is_vector and not self._depth:
            # Predicates come and go between the operands; only the others are counted.
            self._counts = in_head
        self._named.append(len(self._uses))
        if self._widths is None and not in_head:
            last = _BASES[kind] + _SIZES[kind]
            self._uses += range(
                first, min(first + _LARGEST_VECTOR, last) if is_vector else first + 1
            )
            return token[0]
        wide = token["wide"] or ""
        is_wide = is_pair or bool(wide)
        count = self._width(is_pair=is_wide) if is_vector and not in_head else 1
        self._uses += range(first, first + count)
        return f"{_NAME}{kind}{wide}"

    def _width(self, *, is_pair: bool) -> int:
        assert self._widths is not None
        width = self._widths.address if self._depth else self._widths.of(self._position)
        return max(width, 2 if is_pair else 1)
