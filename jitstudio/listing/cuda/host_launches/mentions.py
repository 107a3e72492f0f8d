"""Where functions of the host name templates, and what their names represent there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from jitstudio.listing.cuda.host_launches.brackets import past_blanks, split
from jitstudio.listing.cuda.host_launches.levels import Level, levels, qualified
from jitstudio.listing.cuda.host_launches.templates import (
    LONGEST,
    OnlyPlaces,
    Places,
    TemplateHead,
    defined_as,
    resolved,
    template,
    type_of,
)
from jitstudio.listing.cuda.outline import Kind, Outline, OutlineItem, class_name, close_of
from jitstudio.listing.cuda.words import words_in

_CHEVRONS = b"<<<"
_COLON = re.compile(rb"(?<!:):(?!:)")
_IF_CONSTEXPR = re.compile(rb"\bif\s++constexpr\s*+\(")
_IF = re.compile(rb"if\b(?:\s++constexpr\b)?\s*+\(")
_ELSE = re.compile(rb"\s*+else\b")
# What is behind a name that gets arguments, or of which an object is made.
_GIVEN = re.compile(rb"\s*+(<<<|<(?![<=])|\(|\{|[A-Za-z_]\w*+\s*+[({])")
_STATEMENT_END = re.compile(rb"[;{}()]")
# What is behind a name that is defined as a value, and as a type.
_VALUE = re.compile(rb"\s*+[={]([^;,{}]++)[},;]")
_TYPE = re.compile(rb"\s*+=([^;]++);")
_END = re.compile(rb"\s*+;")
_BEFORE_STATEMENT = re.compile(rb"[;(){}]")
_CONSTANT = re.compile(rb"\bconst(?:expr)?\b")
_ENUM = re.compile(rb"\benum\b")
_BEFORE_TYPE = re.compile(rb"[;{}(,<]")
_INSIDE = rb"[^;{}()<>]*+"
_DECLARED = re.compile(
    rb"\s*+(?>(?:const|static|struct)\s++)*+("
    rb"(?>(?:unsigned|signed|long|short)\b\s*+)++(?>(?:int|char|double)\b)?+"
    rb"|[A-Za-z_][\w:]*+(?>\s*+<%s(?><%s(?><%s>%s)*+>%s)*+>)?+)"
    rb"((?>\*|\s|&|const\b|__restrict__)*+)"
    rb"(?>\w++\s*+(?>=[^,;]++)?+,[\s*]*+){0,8}+" % ((_INSIDE,) * 5)
)
_BEHIND_DECLARED = re.compile(rb"\s*+(?:[;,=)({]|(\[))")
_NO_TYPES = (b"return", b"auto", b"delete", b"new", b"else")
_IS_WORD = tuple(byte < 128 and (chr(byte).isalnum() or byte in b"_") for byte in range(256))
_NO_NAME = bytes(byte if _IS_WORD[byte] or byte in b":" else 32 for byte in range(256))
_MOST_GUARDS = 200
_BRACE = re.compile(rb"[{}]")
# A declaration comes before what uses it; blocks may have each their own alias.
_MOST_MENTIONS = 8
_MOST_DEFINED = 64
_MOST_OPERATIONS = 100
_LAST_WORD = re.compile(rb"(?<!\w)[A-Za-z_]\w*+\Z")
_LONGEST_WORD = 64
_AUTO = re.compile(rb"\bauto\b[\s*&]*+\Z")
_INITIAL = re.compile(rb"\s*+=([^;]++);")
_SPECIFIERS = re.compile(rb"\b(?:inline|__inline__|__forceinline__|extern|constexpr|__host__)\b")


class Mention(NamedTuple):
    """A place of host code that names a template.

    Attributes:
        at: Where, in the function's text.
        name: The name as it is written, with its qualifiers.
        template_arguments: Those between angles.
        arguments: Those of the call or launch, between parentheses.
        is_launch: Whether it is a kernel.
        owners: The classes that it is of with their template arguments, as in ``Tile<4>::run<8>``.
        holder: The variable that it is a member of, as in ``tile.run<8>``: empty where that is
            none, None where it is no member of any.
    """

    at: int
    name: bytes
    template_arguments: tuple[bytes, ...]
    arguments: tuple[bytes, ...]
    is_launch: bool
    owners: tuple[tuple[bytes, tuple[bytes, ...]], ...] = ()
    holder: bytes | None = None

    @property
    def is_sure(self) -> bool:
        """Whether it is the template, and no operator of another type."""
        return not self.name.startswith(b"operator")


class Guard(NamedTuple):
    """A condition of `if constexpr`, with where its two branches begin and end."""

    condition: bytes
    branches: tuple[tuple[int, int], tuple[int, int]]


class WrittenType(NamedTuple):
    """The type of a variable, and the number of pointers to it."""

    kind: bytes
    stars: int


class HostDefinition(NamedTuple):
    """What a name is defined as, whether that is a value, and where: behind the name."""

    meant: bytes
    is_value: bool
    at: int


@dataclass(frozen=True, eq=False)
class FollowedFunction:
    """A function of the host, or what stands outside of all functions and names kernels.

    Attributes:
        item: Its declaration.
        start: Where its text begins.
        text: It, with macros in their places.
        words: The words of it.
        program: What all texts declare.
        around: The text of the class that it is in; empty for none.
        outside: The variables outside of functions in its text.
        is_own: Whether it is of the text itself, and not of a header.
    """

    item: OutlineItem
    start: int
    text: bytes
    words: Set[bytes]
    program: ProgramTexts
    around: bytes = b""
    outside: bytes = b""
    is_own: bool = True

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The templates that it is made of, the outermost first."""
        return levels(self.item)

    @property
    def name(self) -> bytes:
        """The name by which it gets template arguments; empty for no template."""
        return self.levels[-1].name if self.levels else b""

    @cached_property
    def owner(self) -> bytes:
        """The class whose member it is; empty for none."""
        if self.item.parent is not None:
            return class_name(self.item.parent.head)
        path = qualified(self.item.head.partition(b"(")[0])
        return path[-2][0] if len(path) > 1 else b""

    @cached_property
    def guards(self) -> list[Guard]:
        """The conditions of `if constexpr`, the first ones of too many."""
        guards: list[Guard] = []
        ends: dict[int, int] = {}
        matches = _IF_CONSTEXPR.finditer(self.text) if b"constexpr" in self.text else ()
        for match in islice(matches, _MOST_GUARDS):
            # Nobody nests statements a thousand deep.
            with suppress(RecursionError):
                end = close_of(self.text, match.end() - 1, b"(", b")")
                first = _statement(self.text, end, ends)
                otherwise = _ELSE.match(self.text, first[1])
                second = (first[1], first[1])
                if otherwise:
                    second = _statement(self.text, otherwise.end(), ends)
                guards.append(Guard(self.text[match.end() : end - 1], (first, second)))
        return guards

    @cached_property
    def definitions(self) -> dict[bytes, list[HostDefinition]]:
        """What names are defined as, as far as anybody has asked."""
        return {}

    @cached_property
    def variables(self) -> dict[bytes, tuple[bytes, int] | None]:
        """The types of variables, as far as anybody has asked."""
        return {}

    def mentions(
        self, kernels: Mapping[bytes, object], templates: Mapping[bytes, bool]
    ) -> list[Mention]:
        """Returns where it names templates, each but once unless it has branches.

        Args:
            kernels: The names of those that are kernels.
            templates: Those of the host, and whether each is a class, of which objects are made.
        """
        mentions: list[Mention] = []
        own = (self.words & kernels.keys()) | (self.words & templates.keys())
        if not own:
            return mentions
        text, seen = self.text, set()
        # What is written alike is something else in other branches and beside other aliases.
        all_differ = bool(self.guards) or b"using " in text or b"typedef " in text
        own_head = text.find(b"{") if self.item.kind is Kind.FUNCTION else 0
        for start, name_end in sorted(place for name in own for place in _places_of(name, text)):
            match = _GIVEN.match(text, name_end)
            if match is None:
                continue
            name, at, behind = text[start:name_end], match.start(1), match[1]
            is_launch, is_class = name in kernels, templates.get(name, False)
            holder = _holder_before(text, start)
            if is_launch and holder is not None and name not in templates:
                continue
            listed: list[bytes] = []
            if behind == b"<":
                near = text[at : at + LONGEST]
                end = close_of(near, 0, b"<", b">")
                if not near.startswith(b">", end - 1):
                    continue  # a comparison, or longer than anybody writes
                listed, at = split(near[1 : end - 1]), at + end
            elif behind != _CHEVRONS:
                is_object = len(behind) > 1 or behind == b"{"
                if name not in templates or start < own_head:
                    continue
                if not is_class and (is_object or self._is_declared(start)):
                    continue
                at = match.end() - 1
            at = past_blanks(text, at)
            # A kernel may have the name of the function that launches it.
            is_launch = is_launch and not (name in templates and text.startswith(b"(", at))
            arguments = _arguments(text, at, is_launch=is_launch)
            whole = _name_before(text, name_end)
            owners = _owners_before(text, start)
            mention = Mention(
                start, whole, tuple(listed), tuple(arguments), is_launch, owners, holder
            )
            if all_differ or mention[1:] not in seen or self._may_differ(mention):
                seen.add(mention[1:])
                mentions.append(mention)
        return mentions

    def defined(self, word: bytes) -> list[HostDefinition]:
        """Returns what a word is defined as in it, or else in its class."""
        if word not in self.definitions:
            own = _definitions(word, self.text)
            self.definitions[word] = own or _definitions(word, self.around)[:1]
        return self.definitions[word]

    def _may_differ(self, mention: Mention) -> bool:
        """Returns whether what is written alike may be something else, as constants have blocks."""
        return any(
            len(self.defined(word)) > 1 for word in words_in(b" ".join(mention.template_arguments))
        )

    def _is_declared(self, at: int) -> bool:
        """Returns whether a name outside of functions is declared there, not used."""
        return self.item.kind is Kind.OTHER and b"=" not in self.text[:at]

    def operations(self, sign: bytes) -> Iterator[Mention]:
        """Yields where it has an operator between two variables."""
        between = re.compile(rb"(?<![\w.>])(\w++)\s*+%s\s*+(\w++)(?!\s*+\()" % re.escape(sign))
        for match in islice(between.finditer(self.text), _MOST_OPERATIONS):
            yield Mention(match.start(), b"operator" + sign, (), match.groups(), False)


class ProgramTexts:
    """What texts declare of classes and functions.

    Args:
        outlines: The declarations of the texts.
    """

    def __init__(self, outlines: Sequence[Outline]) -> None:
        self._outlines = outlines

    @cached_property
    def _by_kind(self) -> dict[Kind, list[tuple[bytes, OutlineItem, bytes]]]:
        """The heads of classes and of functions, each with its item and the code of its text."""
        by_kind: dict[Kind, list[tuple[bytes, OutlineItem, bytes]]] = {
            Kind.TYPE: [],
            Kind.FUNCTION: [],
        }
        for outline in self._outlines:
            for item in outline.items:
                if item.kind in by_kind:
                    by_kind[item.kind].append((item.head, item, outline.code))
        return by_kind

    def _class(self, name: bytes) -> tuple[TemplateHead, bytes] | None:
        """Returns the parameters of a class and its body; None for no class of the texts."""
        for head, item, code in self._by_kind[Kind.TYPE]:
            if name in head and class_name(head) == name:
                return template(item.template), code[item.body : item.body_end]
        return None

    def plain(self, name: bytes) -> OutlineItem | None:
        """Returns the function of a name that is no template; None for none."""
        for head, item, _ in self._by_kind[Kind.FUNCTION]:
            if name in head and not levels(item):
                path = qualified(head.partition(b"(")[0])
                if path and path[-1][0] == name:
                    return item
        return None

    def member(self, holder: tuple[bytes, int] | None, name: bytes) -> WrittenType | None:
        """Returns the type of a member of a variable of some type."""
        path = qualified(holder[0]) if holder else []
        known = self._class(path[-1][0]) if path else None
        declared = _declaration(name, known[1]) if known is not None else None
        if declared is None or known is None:
            return None
        places = OnlyPlaces(known[0].places(tuple(split(path[-1][1] or b""))))
        return WrittenType(resolved(declared.kind, places), declared.stars)

    def result(self, name: bytes) -> WrittenType | None:
        """Returns what a function returns."""
        function = self.plain(name)
        return _declaration(name, _SPECIFIERS.sub(b"", function.head)) if function else None


class TextKnown:
    """What is known at a place in a function of the host, by its text.

    Args:
        function: The function.
        at: The place.
        places: What the parameters of its template represent.
    """

    def __init__(self, function: FollowedFunction, at: int, places: Places) -> None:
        self._function = function
        self._at = at
        self._places = places

    def meaning(self, word: bytes, depth: int) -> bytes | None:
        """Returns what a word represents: a parameter of a template, a constant, an alias."""
        if word in self._places:
            return self._places[word]
        definitions = self._function.defined(word)
        if not definitions:
            return None
        meant, is_value, _ = definitions[0] if len(definitions) == 1 else self._nearest(definitions)
        return defined_as(meant, self, depth, is_value=is_value)

    def _nearest(self, definitions: list[HostDefinition]) -> HostDefinition:
        """Returns the last definition whose block is open here; the first where none is."""
        before = [each for each in definitions if each.at <= self._at]
        for each in reversed(before):
            depth = 0
            for match in _BRACE.finditer(self._function.text, each.at, self._at):
                depth += 1 if match[0] == b"{" else -1
                if depth < 0:
                    break
            if depth >= 0:
                return each
        return definitions[0]

    def variable(self, name: bytes) -> tuple[bytes, int] | None:
        """Returns the type of a variable, and the number of pointers to it."""
        known = self._function.variables
        if name not in known:
            # Not again by itself.
            known[name] = None
            known[name] = self._type_of(name)
        return known[name]

    def _type_of(self, name: bytes) -> tuple[bytes, int] | None:
        own = self._function
        is_call = name.endswith(b")")
        name = name.partition(b"(")[0].rstrip()
        holder, _, member = name.replace(b"->", b".").rpartition(b".")
        if holder == b"this":
            return _declaration(member, own.around)
        if holder:
            return own.program.member(self.variable(holder), member)
        if is_call:
            return own.program.result(name.rpartition(b"::")[2])
        places = (own.text, own.around, own.outside)
        declarations = (_declaration(name, place) for place in places if place)
        declared = next(filter(None, declarations), None)
        if declared is None and (initial := _initial_value(name, own.text)):
            return type_of(initial, self)
        return declared


def _arguments(text: bytes, at: int, *, is_launch: bool) -> list[bytes]:
    """Returns the arguments of the call or launch whose brackets begin here, if they do."""
    if is_launch:
        if not text.startswith(_CHEVRONS, at):
            return []
        end = text.find(b">>>", at + len(_CHEVRONS))
        opening = text.find(b"(", end)
        if end < 0 or opening < 0 or text[end + 3 : opening].strip():
            return []
        at = opening
    elif text.startswith(b"{", at):
        return split(text[at + 1 : _end_of_braces(text, at) - 1])
    elif not text.startswith(b"(", at):
        return []
    return split(text[at + 1 : close_of(text, at, b"(", b")") - 1])


def _statement(text: bytes, at: int, ends: dict[int, int]) -> tuple[int, int]:
    """Returns where the next statement begins and ends.

    Args:
        text: The text of a function.
        at: Where the statement before it ends.
        ends: The ends of statements by their beginnings, as far as known. All conditions of a
            chain of `else if` have one end, so that the chain is gone through once.
    """
    start = at = past_blanks(text, at)
    chain = []
    while at not in ends and (nested := _IF.match(text, at)):
        chain.append(at)
        condition_end = close_of(text, nested.end() - 1, b"(", b")")
        end = _statement(text, condition_end, ends)[1]
        otherwise = _ELSE.match(text, end)
        if otherwise is None:
            break
        at = past_blanks(text, otherwise.end())
    else:
        end = ends[at] = ends.get(at) or _simple_end(text, at)
    ends.update(dict.fromkeys(chain, end))
    return start, end


def _simple_end(text: bytes, at: int) -> int:
    """Returns where the statement that begins at a place ends, unless it is an `if`."""
    depth = 0
    for match in _STATEMENT_END.finditer(text, at):
        depth += {b"{": 1, b"(": 1, b"}": -1, b")": -1}.get(match[0], 0)
        if depth <= 0 and match[0] in b";}":
            return match.end()
    return len(text)


def _places_of(name: bytes, text: bytes) -> Iterator[tuple[int, int]]:
    """Yields where a word is in a text."""
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if (
            not _IS_WORD[text[at - 1] if at else 0]
            and not _IS_WORD[text[end] if end < len(text) else 0]
        ):
            yield at, end
        at = text.find(name, end)


def _definitions(name: bytes, text: bytes) -> list[HostDefinition]:
    """Returns what a name is defined as in a text."""
    definitions = []
    for start, end in islice(_places_of(name, text), _MOST_DEFINED):
        before = _BEFORE_STATEMENT.split(text[max(0, start - LONGEST) : start])
        statement, around = before[-1].strip(), b"".join(before[-2:-1])
        value, kind = _VALUE.match(text, end), _TYPE.match(text, end)
        if value and (_CONSTANT.search(statement) or _ENUM.search(around)):
            definitions.append(HostDefinition(value[1].strip(), True, end))
        elif kind and statement == b"using":
            definitions.append(HostDefinition(kind[1].strip(), False, end))
        elif statement.startswith(b"typedef ") and _END.match(text, end):
            definitions.append(
                HostDefinition(statement.removeprefix(b"typedef ").strip(), False, end)
            )
    return definitions


def _declaration(name: bytes, text: bytes) -> WrittenType | None:
    """Returns the type in what looks like a declaration of a variable, and its pointers."""
    for start, end in islice(_places_of(name, text), _MOST_MENTIONS):
        first = max(0, start - LONGEST)
        behind = _BEHIND_DECLARED.match(text, end)
        begins = (m.end() for m in _BEFORE_TYPE.finditer(text, first, start) if behind)
        matches = (
            _DECLARED.fullmatch(text, at, start) for at in (*([] if first else [0]), *begins)
        )
        if behind and (declared := next(filter(None, matches), None)):
            if declared[1] in _NO_TYPES:
                return None
            return WrittenType(
                declared[1].strip(), declared[2].count(b"*") + (behind[1] is not None)
            )
    return None


def _end_of_braces(text: bytes, at: int) -> int:
    """Returns the place behind the brace that closes the one at a place."""
    depth = 0
    for match in _BRACE.finditer(text, at, at + LONGEST):
        depth += 1 if match[0] == b"{" else -1
        if depth == 0:
            return match.end()
    return at + 1


def _initial_value(name: bytes, text: bytes) -> bytes | None:
    """Returns what a variable that is declared as `auto` begins with."""
    for start, end in islice(_places_of(name, text), _MOST_MENTIONS):
        value = _INITIAL.match(text, end)
        if value and _AUTO.search(text, max(0, start - _LONGEST_WORD), start):
            return value[1].strip()
    return None


def _owners_before(text: bytes, at: int) -> tuple[tuple[bytes, tuple[bytes, ...]], ...]:
    """Returns the classes before a name that have template arguments, the outermost first."""
    before = text[max(0, at - LONGEST) : at].rstrip()
    before = before.removesuffix(b"template").rstrip()
    if not before.endswith(b"::"):
        return ()
    path = qualified(before[:-2])
    return tuple((name, tuple(split(given))) for name, given in path if given is not None)


def _holder_before(text: bytes, at: int) -> bytes | None:
    """Returns the variable whose member is named here; empty for none, None for no member."""
    before = text[max(0, at - LONGEST) : at].rstrip()
    before = before.removesuffix(b"template").rstrip()
    if not before.endswith((b".", b"->")):
        return None
    variable = _LAST_WORD.search(before.rstrip(b".->").rstrip()[-_LONGEST_WORD:])
    return variable[0] if variable else b""


def _name_before(text: bytes, at: int) -> bytes:
    """Returns the name, with its qualifiers, that ends here; a label or ``?:`` is no part of it."""
    words = text[max(0, at - LONGEST) : at].translate(_NO_NAME).rpartition(b" ")[2]
    return _COLON.split(words)[-1]
