"""The instructions of two functions side by side, as they are or without the names in them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from jitstudio.analysis.comparing.align import Keys, align, align_by, merged
from jitstudio.analysis.comparing.form import (
    REGISTERS,
    STACK_POINTER,
    Form,
    form_of,
    register_name,
    register_number,
)
from jitstudio.analysis.comparing.inline import ASIDE, TOKEN
from jitstudio.analysis.comparing.model import Change
from jitstudio.analysis.comparing.names import PublicNames
from jitstudio.analysis.comparing.renaming import Renaming
from jitstudio.analysis.comparing.text import change_of
from jitstudio.analysis.model import SassFunction

_CONTROL_BITS = 105
_CODE_MASK = (1 << _CONTROL_BITS) - 1
_CONTROL_MASK = (1 << 21) - 1 << _CONTROL_BITS
_REUSE = ".reuse"


class Pair(NamedTuple):
    """Instructions by their indices, `NOWHERE` for none, and what became of them."""

    left: int
    right: int
    change: Change


class Spelling(NamedTuple):
    """How the tokens of instructions that differ are compared, by index."""

    left: Mapping[int, tuple[str, ...]]
    right: Mapping[int, tuple[str, ...]]


def counted(function: SassFunction) -> range:
    """The indices of what is compared: all but the NOPs that fill the last cache line."""
    return range(min(function.code_length + 1, len(function)))


def compare_as_written(left: SassFunction, right: SassFunction) -> list[Pair]:
    """All that the listing tells counts but the address of an instruction itself."""
    ours, theirs = ([function[at].text for at in counted(function)] for function in (left, right))
    pairs = align_by([(ours, theirs), _opcodes(left, right, str), _opcodes(left, right, _base)])
    same = {one for one, other in pairs if ours[one] == theirs[other]}
    return [
        Pair(one, other, _change(left, right, one, other, same=one in same))
        for one, other in merged(pairs, len(ours), len(theirs))
    ]


def compare_normalised(
    left: SassFunction, right: SassFunction, public: tuple[PublicNames, PublicNames]
) -> tuple[list[Pair], Spelling]:
    """Names of registers and labels do not count as long as one renaming fits all of them.

    Args:
        left: A function of one program.
        right: Its counterpart.
        public: How the names of other functions and of variables are compared, in both programs.
    """
    both = _Normalised(left, right, public)
    free = both.compare((STACK_POINTER,))
    if _differ(free[0]) or not (_has_callers(left) or _has_callers(right)):
        return free
    # Others know their registers. Where nothing else differs, their names do.
    return both.compare(REGISTERS)


def _differ(pairs: Iterable[Pair]) -> bool:
    return any(pair.change not in (Change.EQUAL, Change.CONTROL) for pair in pairs)


class _Normalised:
    def __init__(
        self, left: SassFunction, right: SassFunction, public: tuple[PublicNames, PublicNames]
    ) -> None:
        self._left, self._right = left, right
        self._public = public
        cache: dict[tuple[str, str, str], Form] = {}
        self._forms = [
            _forms(function, names, cache)
            for function, names in zip((left, right), public, strict=True)
        ]
        encoded = bool(left.encodings and right.encodings)
        self._skeletons = [
            _skeletons(function, forms) if encoded else [form.skeleton for form in forms]
            for function, forms in zip((left, right), self._forms, strict=True)
        ]
        self._places = [
            {names.within(name): place for name, place in _named_places(function).items()}
            for function, names in zip((left, right), public, strict=True)
        ]

    def compare(self, fixed: Iterable[int]) -> tuple[list[Pair], Spelling]:
        """Both side by side.

        Args:
            fixed: Registers that keep their names.
        """
        one, other = self._skeletons
        pairs = align(one, other)
        renaming = self._renaming(pairs, fixed)
        if not len(pairs) == len(one) == len(other):
            pairs = align_by(
                [self._spelt(renaming), (one, other), _opcodes(self._left, self._right, _base)]
            )
            alike = (pair for pair in pairs if one[pair[0]] == other[pair[1]])
            renaming = self._renaming(alike, fixed)
        # What fills the last cache line is not compared, and could be branched to.
        behind = min(len(self._left) - len(one), len(self._right) - len(other)) + 1
        partners = dict([*pairs, *((len(one) + n, len(other) + n) for n in range(behind))])
        found = [
            Pair(a, b, self._change(a, b, renaming, partners))
            for a, b in merged(pairs, len(one), len(other))
        ]
        return found, self._spelling(found, renaming, partners)

    def _renaming(self, pairs: Iterable[tuple[int, int]], fixed: Iterable[int]) -> Renaming:
        left, right = self._forms
        return Renaming(((left[a], right[b]) for a, b in pairs), fixed)

    def _spelt(self, renaming: Renaming) -> tuple[Keys, Keys]:
        """The instructions of both with the registers of the first function."""
        left, right = self._forms
        ours: list[Hashable] = [
            (key, form.named) for key, form in zip(self._skeletons[0], left, strict=True)
        ]
        theirs: list[Hashable] = [
            (key, tuple(map(renaming.to_left, form.named)))
            for key, form in zip(self._skeletons[1], right, strict=True)
        ]
        return ours, theirs

    def _change(
        self, left: int, right: int, renaming: Renaming, partners: Mapping[int, int]
    ) -> Change:
        if left < 0 or right < 0:
            return change_of(left, right, same=False)
        one, other = self._forms[0][left], self._forms[1][right]
        same = (
            self._skeletons[0][left] == self._skeletons[1][right]
            and renaming.holds(one, other)
            and self._lead_to_the_same(one, other, partners)
        )
        return _change(self._left, self._right, left, right, same=same)

    def _lead_to_the_same(self, left: Form, right: Form, partners: Mapping[int, int]) -> bool:
        if not left.targets:
            return True
        ours = (self._places[0].get(name, name) for name in left.targets)
        theirs = (self._places[1].get(name, name) for name in right.targets)
        return all(
            partners.get(a) == b if isinstance(a, int) else a == b
            for a, b in zip(ours, theirs, strict=True)
        )

    def _spelling(
        self, pairs: Sequence[Pair], renaming: Renaming, partners: Mapping[int, int]
    ) -> Spelling:
        left: dict[int, tuple[str, ...]] = {}
        right: dict[int, tuple[str, ...]] = {}
        labels = {place: name for name, place in self._places[0].items()}
        ours = {b: labels[a] for a, b in partners.items() if a in labels}
        for one, other, change in pairs:
            if change in (Change.CHANGED, Change.CONTROL):
                left[one] = tuple(map(_plain, self._tokens(0, one)))
                right[other] = tuple(
                    self._as_left(token, renaming, ours) for token in self._tokens(1, other)
                )
        return Spelling(left, right)

    def _tokens(self, side: int, at: int) -> Iterator[str]:
        """Those of an instruction, as its line has them but for private names."""
        function = (self._left, self._right)[side]
        return map(self._public[side].within, TOKEN.findall(function[at].text))

    def _as_left(self, token: str, renaming: Renaming, labels: Mapping[int, str]) -> str:
        if (number := register_number(token)) is not None:
            renamed = renaming.to_left(number)
            # A register that has no counterpart must not look like one that has.
            return register_name(renamed) if renamed is not None else f"?{token}"
        if (place := self._places[1].get(token)) is not None:
            return labels.get(place, f"?{token}")
        return _plain(token)


def _plain(token: str) -> str:
    return ASIDE if token == _REUSE else token


def _forms(
    function: SassFunction, public: PublicNames, cache: dict[tuple[str, str, str], Form]
) -> list[Form]:
    found = []
    for at in counted(function):
        operands = public.within(function.operands[at])
        key = function.predicates[at], function.opcodes[at], operands
        form = cache.get(key)
        if form is None:
            form = cache[key] = form_of(*key)
        found.append(form)
    return found


def _skeletons(function: SassFunction, forms: Sequence[Form]) -> list[str]:
    """What has to be the same letter by letter."""
    return [
        # The listing does not tell which NaN of many: the upper half of the first word does.
        f"{form.skeleton} {function.encoding(at) >> 32 & 0xFFFFFFFF:x}"
        if "NAN" in form.skeleton
        else form.skeleton
        for at, form in enumerate(forms)
    ]


def _named_places(function: SassFunction) -> dict[str, int]:
    """What can be branched to in a function, by its names."""
    return {
        **{label.name: label.index for label in function.labels},
        **{part.name: part.start for part in function.parts},
        function.name: 0,
    }


def _has_callers(function: SassFunction) -> bool:
    """Whether other functions rely on its registers: it is called, or calls one of them."""
    if not function.is_kernel:
        return True
    inside = {part.name for part in function.parts}
    return any(
        opcode.startswith("CALL") and operands.strip("`() ") not in inside
        for opcode, operands in zip(function.opcodes, function.operands, strict=True)
    )


def _change(left: SassFunction, right: SassFunction, one: int, other: int, *, same: bool) -> Change:
    if one < 0 or other < 0 or not same:
        return change_of(one, other, same=same)
    differing = _differing_bits(left, right, one, other)
    if not differing:
        return Change.EQUAL
    if hides_a_difference(left, right, one, other):
        return Change.CHANGED
    return Change.CONTROL if differing & _CONTROL_MASK else Change.EQUAL


def _differing_bits(left: SassFunction, right: SassFunction, one: int, other: int) -> int:
    """Of the encodings; none where one listing has no encodings."""
    if not (left.encodings and right.encodings):
        return 0
    return left.encoding(one) ^ right.encoding(other)


def hides_a_difference(left: SassFunction, right: SassFunction, one: int, other: int) -> bool:
    """Whether two instructions read the same and are not.

    The same text has the same encoding where neither a name nor a place is in it.
    """
    text = left.operands[one]
    return bool(
        _differing_bits(left, right, one, other) & _CODE_MASK
        and text == right.operands[other]
        and left.opcodes[one] == right.opcodes[other]
        and left.predicates[one] == right.predicates[other]
        and "`" not in text
        and "@" not in text
    )


def _opcodes(
    left: SassFunction, right: SassFunction, read: Callable[[str], str]
) -> tuple[Keys, Keys]:
    ours, theirs = ([read(one.opcodes[at]) for at in counted(one)] for one in (left, right))
    return ours, theirs


def _base(opcode: str) -> str:
    return opcode.partition(".")[0]
