"""The instructions of two functions side by side, with or without their names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from jitstudio.analysis.diff.align import Keys, align, align_by, merged
from jitstudio.analysis.diff.form import REGISTERS, InstructionForm, RegisterRenaming, Uses, form_of
from jitstudio.analysis.diff.model import ASIDE, TOKEN, Change, change_of
from jitstudio.analysis.diff.names import PublicNames
from jitstudio.analysis.diff.webs import webs
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.analysis.sass.operands import NONE, STACK_POINTER, register_number

_CONTROL_BITS = 105
_CODE_MASK = (1 << _CONTROL_BITS) - 1
_CONTROL_MASK = (1 << 21) - 1 << _CONTROL_BITS
# Where the encoding may hold a register: guard, result and sources; predicates that are operands.
_NAME_BITS = sum(1 << bit for bit in (*range(12, 40), *range(64, 72), *range(77, 91)))
_REUSE = ".reuse"


class InstructionPair(NamedTuple):
    """Instructions by their indices, `NOWHERE` for none, and the change between them."""

    left: int
    right: int
    change: Change


class TokenSpelling(NamedTuple):
    """How the tokens of instructions that differ are compared, by index."""

    left: Mapping[int, tuple[str, ...]]
    right: Mapping[int, tuple[str, ...]]


def counted(function: SassFunction) -> range:
    """Returns the indices of the instructions to compare, without the NOPs at the end."""
    return range(min(function.code_length + 1, len(function)))


def compare_as_written(left: SassFunction, right: SassFunction) -> list[InstructionPair]:
    """Compares the text of all instructions, without their own addresses."""
    ours, theirs = ([function[at].text for at in counted(function)] for function in (left, right))
    pairs = align_by([(ours, theirs), _opcodes(left, right, str), _opcodes(left, right, _base)])
    same = {a for a, b in pairs if ours[a] == theirs[b]}
    return [
        InstructionPair(a, b, _change(left, right, a, b, same=a in same))
        for a, b in merged(pairs, len(ours), len(theirs))
    ]


def compare_normalised(
    left: SassFunction, right: SassFunction, public: tuple[PublicNames, PublicNames]
) -> tuple[list[InstructionPair], TokenSpelling]:
    """Compares two functions, whose registers and labels may differ by a renaming.

    At first a register is the same thing all over a function. Where that leaves differences, each
    of its webs is renamed alone: code that differs only in the choice of the allocator differs by
    less then.

    Args:
        left: A function of one program.
        right: The counterpart in the other program.
        public: How the names of other functions and of variables are compared, in both programs.
    """
    both = _Normalised(left, right, public)
    has_callers = _has_callers(left) or _has_callers(right)
    comparison = (
        both.compare(both.registers(), has_callers=has_callers) if both.is_aligned else None
    )
    if comparison is None or comparison.differs:
        names = both.webs()
        if names or not comparison:
            comparison = both.compare(names or both.registers(), has_callers=has_callers)
    return comparison.pairs, both.spelling(comparison)


_Names = tuple[Sequence[Uses], Sequence[Uses]]
"""The registers, or webs, that the instructions of both functions use."""


@dataclass(frozen=True, eq=False)
class _Compared:
    """Two functions side by side, with the renaming under which they were compared."""

    pairs: list[InstructionPair]
    names: _Names
    renaming: RegisterRenaming
    partners: Mapping[int, int]

    @cached_property
    def differs(self) -> bool:
        """Whether any instruction differs in more than control bits."""
        return any(pair.change not in (Change.EQUAL, Change.CONTROL) for pair in self.pairs)


class _Normalised:
    def __init__(
        self, left: SassFunction, right: SassFunction, public: tuple[PublicNames, PublicNames]
    ) -> None:
        self._left, self._right = left, right
        self._public = public
        self._forms = [
            _forms(function, names) for function, names in zip((left, right), public, strict=True)
        ]
        encoded = bool(left.encodings and right.encodings)
        self._skeletons = [
            _skeletons(function, forms) if encoded else [form.skeleton for form in forms]
            for function, forms in zip((left, right), self._forms, strict=True)
        ]
        self._aligned = align(*self._skeletons)
        self._places = [
            {names.within(name): place for name, place in named_places(function).items()}
            for function, names in zip((left, right), public, strict=True)
        ]

    @property
    def is_aligned(self) -> bool:
        """Whether both functions have the same instructions but for names."""
        ours, theirs = self._skeletons
        return len(self._aligned) == len(ours) == len(theirs)

    def registers(self) -> _Names:
        """Treats each register as a single web all over a function."""
        left, right = ([form.uses for form in forms] for forms in self._forms)
        return left, right

    def webs(self) -> _Names | None:
        """Returns the webs of both functions, or None where either has unknown ones."""
        left = webs(self._left, self._forms[0], self._places[0])
        right = webs(self._right, self._forms[1], self._places[1])
        return (left, right) if left is not None and right is not None else None

    def compare(self, names: _Names, *, has_callers: bool) -> _Compared:
        """Compares the functions under a renaming of `names`.

        Args:
            names: The registers or webs that correspond one to one.
            has_callers: Whether other functions rely on the registers.
        """
        free = self._compare(names, (STACK_POINTER,))
        # Where nothing else differs, registers that callers know must be the same.
        return self._compare(names, REGISTERS) if has_callers and not free.differs else free

    def _compare(self, names: _Names, fixed: Iterable[int]) -> _Compared:
        ours, theirs = self._skeletons
        pairs = self._aligned
        renaming = _renaming(names, pairs, fixed)
        if not self.is_aligned:
            pairs = align_by(
                [
                    self._spelt(names, renaming),
                    (ours, theirs),
                    _opcodes(self._left, self._right, _base),
                ]
            )
            alike = (pair for pair in pairs if ours[pair[0]] == theirs[pair[1]])
            renaming = _renaming(names, alike, fixed)
        # The filling of the last cache line is not compared, and could be branched to.
        behind = min(len(self._left) - len(ours), len(self._right) - len(theirs)) + 1
        partners = dict([*pairs, *((len(ours) + n, len(theirs) + n) for n in range(behind))])
        compared_pairs = [
            InstructionPair(a, b, self._change(a, b, names, renaming, partners))
            for a, b in merged(pairs, len(ours), len(theirs))
        ]
        return _Compared(compared_pairs, names, renaming, partners)

    def _spelt(self, names: _Names, renaming: RegisterRenaming) -> tuple[Keys, Keys]:
        """Returns the instructions of both with the names of the first function."""
        ours: list[Hashable] = list(zip(self._skeletons[0], names[0], strict=True))
        theirs: list[Hashable] = [
            (key, tuple(map(renaming.to_left, uses)))
            for key, uses in zip(self._skeletons[1], names[1], strict=True)
        ]
        return ours, theirs

    def _change(
        self,
        left: int,
        right: int,
        names: _Names,
        renaming: RegisterRenaming,
        partners: Mapping[int, int],
    ) -> Change:
        if left < 0 or right < 0:
            return change_of(left, right, same=False)
        same = (
            self._skeletons[0][left] == self._skeletons[1][right]
            and renaming.holds(names[0][left], names[1][right])
            and self._lead_to_the_same(self._forms[0][left], self._forms[1][right], partners)
        )
        return _change(self._left, self._right, left, right, same=same)

    def _lead_to_the_same(
        self, left: InstructionForm, right: InstructionForm, partners: Mapping[int, int]
    ) -> bool:
        if not left.targets:
            return True
        ours = (_place(name, self._places[0]) for name in left.targets)
        theirs = (_place(name, self._places[1]) for name in right.targets)
        return all(
            our_offset == their_offset and (partners.get(a) == b if isinstance(a, int) else a == b)
            for (a, our_offset), (b, their_offset) in zip(ours, theirs, strict=True)
        )

    def spelling(self, compared: _Compared) -> TokenSpelling:
        """Returns the tokens by which instructions that differ are compared."""
        left: dict[int, tuple[str, ...]] = {}
        right: dict[int, tuple[str, ...]] = {}
        (ours, theirs), to_left = compared.names, compared.renaming.to_left
        labels = {place: name for name, place in self._places[0].items()}
        partner_labels = {b: labels[a] for a, b in compared.partners.items() if a in labels}
        # By its name in the second function, a place gets the name from the first.
        left_names = {
            name: partner_labels.get(b, f"?{name}") for name, b in self._places[1].items()
        }
        for left_at, right_at, change in compared.pairs:
            if change in (Change.CHANGED, Change.CONTROL):
                left[left_at] = tuple(self._tokens(0, left_at, ours[left_at]))
                words = self._tokens(1, right_at, [*map(to_left, theirs[right_at])])
                right[right_at] = tuple([left_names.get(word, word) for word in words])
        return TokenSpelling(left, right)

    def _tokens(self, side: int, at: int, uses: Sequence[int | None]) -> list[str]:
        """Returns the tokens of an instruction, as its line has them but for private names.

        A register is replaced by the use that it stands for.
        """
        function, named = (self._left, self._right)[side], self._forms[side][at].named
        tokens = [_plain(token) for token in TOKEN.findall(_text(function, at))]
        registers = [n for n, token in enumerate(tokens) if register_number(token) != NONE]
        # A symbol may look like a register.
        if len(registers) == len(named):
            for place, slot in zip(registers, named, strict=True):
                used = uses[slot]
                # A use without a counterpart must not look like one with a counterpart.
                tokens[place] = f"?{tokens[place]}" if used is None else f"use {used}"
        return [*map(self._public[side].within, tokens)]


def _renaming(
    names: _Names, pairs: Iterable[tuple[int, int]], fixed: Iterable[int]
) -> RegisterRenaming:
    left, right = names
    return RegisterRenaming(((left[a], right[b]) for a, b in pairs), fixed)


def _text(function: SassFunction, at: int) -> str:
    columns = (function.predicates, function.opcodes, function.operands)
    return " ".join(column[at] for column in columns)


def _plain(token: str) -> str:
    return ASIDE if token == _REUSE else token


def _forms(function: SassFunction, public: PublicNames) -> list[InstructionForm]:
    return [
        form_of(function.predicates[at], function.opcodes[at], public.within(function.operands[at]))
        for at in counted(function)
    ]


def _skeletons(function: SassFunction, forms: Sequence[InstructionForm]) -> list[str]:
    """Returns the texts that must be equal letter by letter for instructions to correspond."""
    return [
        # The listing does not say which NaN of many: the upper half of the first word does.
        f"{form.skeleton} {function.encoding(at) >> 32 & 0xFFFFFFFF:x}"
        if "NAN" in form.skeleton
        else form.skeleton
        for at, form in enumerate(forms)
    ]


def named_places(function: SassFunction) -> dict[str, int]:
    """Returns the places of a function that can be branched to, by their names."""
    return {
        **{label.name: label.index for label in function.labels},
        **{part.name: part.start for part in function.parts},
        function.name: 0,
    }


def _place(name: str, places: Mapping[str, int]) -> tuple[int | str, str]:
    """Returns where a name leads, or the name itself; and the offset behind that, as written."""
    label, _, offset = name.partition("+")
    return (places[label], offset) if label in places else (name, "")


def _has_callers(function: SassFunction) -> bool:
    """Returns whether other functions rely on the registers: by a call in either direction."""
    if not function.is_kernel:
        return True
    inside = {part.name for part in function.parts}
    return any(
        opcode.startswith("CALL") and operands.strip("`() ") not in inside
        for opcode, operands in zip(function.opcodes, function.operands, strict=True)
    )


def _change(
    left: SassFunction, right: SassFunction, left_at: int, right_at: int, *, same: bool
) -> Change:
    if left_at < 0 or right_at < 0 or not same:
        return change_of(left_at, right_at, same=same)
    differing = _differing_bits(left, right, left_at, right_at)
    if not differing:
        return Change.EQUAL
    if hides_a_difference(left, right, left_at, right_at, names_count=False):
        return Change.CHANGED
    return Change.CONTROL if differing & _CONTROL_MASK else Change.EQUAL


def _differing_bits(left: SassFunction, right: SassFunction, left_at: int, right_at: int) -> int:
    """Returns the bits in which two encodings differ; 0 where either listing has no encodings."""
    if not (left.encodings and right.encodings):
        return 0
    return left.encoding(left_at) ^ right.encoding(right_at)


def hides_a_difference(
    left: SassFunction,
    right: SassFunction,
    left_at: int,
    right_at: int,
    *,
    names_count: bool = True,
) -> bool:
    """Returns whether two instructions read the same but are encoded differently.

    The same text has the same encoding unless it holds a symbol or a place. Texts that are the same
    but for registers have the same encoding outside of these; `names_count` is false for them.
    """
    is_same = _text(left, left_at) == _text(right, right_at)
    mask = _CODE_MASK if is_same else _CODE_MASK & ~_NAME_BITS
    return bool(
        (is_same or not names_count)
        and _differing_bits(left, right, left_at, right_at) & mask
        and not any(
            sign in text
            for text in (left.operands[left_at], right.operands[right_at])
            for sign in "`@"
        )
    )


def _opcodes(
    left: SassFunction, right: SassFunction, read: Callable[[str], str]
) -> tuple[Keys, Keys]:
    ours, theirs = (
        [read(function.opcodes[at]) for at in counted(function)] for function in (left, right)
    )
    return ours, theirs


def _base(opcode: str) -> str:
    return opcode.partition(".")[0]
