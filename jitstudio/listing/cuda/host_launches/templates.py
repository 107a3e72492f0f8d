"""Template parameters of kernels and of host code, and what they represent at a launch or call.

Arguments are texts, taken as they are written. What is known in a function of the host only is put
in its place: its constants and types, the types of the call's arguments, as far as their
declarations are plain, and its own template arguments. Who knows them is handed in as `Known`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from jitstudio.core.launch.problems import TextError
from jitstudio.core.launch.values import integer
from jitstudio.listing.cuda.heads import BUILT_IN
from jitstudio.listing.cuda.host_launches.brackets import split
from jitstudio.listing.cuda.outline import CACHED, close_of

LONGEST = 300
"""What is longer is no template argument that anybody writes."""

Places = Mapping[bytes, bytes]
"""What the parameters of a template represent, by their names; of a pack all, with commas."""

_SAME_TYPE = re.compile(
    rb"(?:std::)?is_same_v\s*+<([^<>]*+)>|(?:std::)?is_same\s*+<([^<>]*+)>::value"
)
# `!a`, `!(a + b)`, `!!a`, `!std::is_same_v<T, int>`, but in `!a < b` it is of `a` alone.
_NEGATED = re.compile(rb"!.*+|\w++|\([^()]*+\)|" + _SAME_TYPE.pattern, re.DOTALL)
_COMPARED = re.compile(rb"([^<>=!]++)(==|!=|<=|>=|<|>)([^<>=!]++)")
_COMPARE: Mapping[bytes, Callable[[int, int], bool]] = {
    b"==": operator.eq,
    b"!=": operator.ne,
    b"<=": operator.le,
    b">=": operator.ge,
    b"<": operator.lt,
    b">": operator.gt,
}
_QUALIFIERS = re.compile(rb"\b(?:const|__restrict__|restrict)\b|&")
_INSIDE = re.compile(rb"\s*+[\w:]+\s*+<([^<>]*+)>")
_CAST = re.compile(rb"\(\s*+(?:const\s+)?([\w:]+)\s*+(\*+)\s*+\)")
_CAST_CXX = re.compile(
    rb"(?:static|reinterpret|const)_cast\s*+<\s*+(?>const\b)?+\s*+([^<>*\s][^<>*]*+)(\**+)\s*+>"
)
_MADE = re.compile(rb"([A-Z_a-z][\w:]*(?:<[\w:, ]+>)?)\s*+(?:\(\s*+\)|\{[^{}]*+\})")
_NEW = re.compile(rb"new\s++([A-Z_a-z][\w:]*+(?><[\w:, ]++>)?+)")
# `std::span<float>(p, n)`, `std::span{p, n}`.
_OBJECT = re.compile(rb"((?:std::)?\w++)\s*+(?><[^<>()]*+>)?+\s*+[({](?=.*[)}]\Z)", re.DOTALL)
_HOLDING = frozenset({b"std::span", b"span", b"std::vector", b"vector"})
# A word, or several that are a type: what needs no brackets in an expression.
_NAME = re.compile(rb"[\w:]++(?>\s++[\w:]++)*+(?><[\w:,\s]*+>)?+[\s*&]*+")
_NUMBER = re.compile(rb"(?:\d[\d']*+(u?)|[\d.]+(?:[eE][-+]?\d+)?(f?))", re.IGNORECASE)
# `v.data()`, `raw_pointer_cast(v.data())`, `raw_pointer_cast(&v[0])`.
_CONTENT = re.compile(
    rb"(?:(?:thrust::)?raw_pointer_cast\s*+\(\s*+)?(?:([A-Za-z_]\w*+)\s*+\.\s*+(?:data|get)\s*+\(\s*+\)"
    rb"|(?<=\()&\s*+([A-Za-z_]\w*+)\s*+\[\s*+0\s*+\])\s*+\)?"
)
# `p`, `&p[2]`, `s.p + n`, `this->p`, `b.begin()`.
_VARIABLE = re.compile(
    rb"(&?)\s*+([A-Za-z_]\w*+(?>(?:\.|->)\w++){0,3}+(?>(?<=\w)\(\s*+\))?+)\s*+(?>(\[[^\[\]]*+\]))?+"
    rb"\s*+(?>[+-][\w*\s]++)?+"
)
_CALL = re.compile(rb"((?>\w++::)*+[A-Za-z_]\w*+)\s*+(?=\()")
_DECLTYPE = re.compile(rb"\bdecltype\s*+(?=\()")
_TRAIT = re.compile(
    rb"(?:typename\s++)?(?:std::)?(remove_pointer|remove_reference|remove_const|remove_cv|decay"
    rb"|remove_cvref)(?:_t\s*+<([^<>]*+)>|\s*+<([^<>]*+)>\s*+::\s*+type)"
)
_WORD = re.compile(rb"(?<![\w.:])[A-Za-z_]\w*")
_PACK = re.compile(rb"(?<!\w)([A-Za-z_]\w*+)\s*+\.\.\.")
_SIZE_OF_PACK = re.compile(rb"sizeof\s*+\.\.\.\s*+\(\s*+(\w++)\s*+\)")
# That of a parameter which is a function, as in `void (*K)(float *)`.
_FUNCTION = re.compile(rb"\(\s*+[*&]\s*+(\w++)\s*+\)\s*+\(")
_SEQUENCE = re.compile(rb"\b(make_)?(integer|index)_sequence\s*+<([^<>]*+)>")
_MOST_NUMBERS = 64
_DEEPEST = 8


@dataclass(frozen=True)
class TemplateHead:
    """A template: its parameters and the function's.

    Attributes:
        names: The names of its parameters.
        are_types: Whether each is a type.
        defaults: The default of each; empty for none.
        parameters: The function's parameters, as written.
        has_pack: Whether the last parameter represents all arguments that are left.
    """

    names: tuple[bytes, ...] = ()
    are_types: tuple[bool, ...] = ()
    defaults: tuple[bytes, ...] = ()
    parameters: tuple[bytes, ...] = ()
    has_pack: bool = False

    def places(self, given: tuple[bytes, ...]) -> dict[bytes, bytes]:
        """Returns what its parameters represent with these arguments."""
        places = dict(zip(self.names, given, strict=False))
        if self.has_pack:
            places[self.names[-1]] = b", ".join(given[len(self.names) - 1 :])
        return places


@lru_cache(CACHED)
def template(text: bytes, head: bytes = b"") -> TemplateHead:
    """Returns a template.

    Args:
        text: Its parameters in angle brackets.
        head: The function from its type to its parameters; empty for a class.
    """
    inside = text.strip()
    names, are_types, defaults, has_pack = [], [], [], False
    for part in split(inside[1:-1]) if inside.startswith(b"<") else ():
        declared, _, default = part.partition(b"=")
        defaults.append(default.strip())
        words = re.findall(rb"\w+", declared)
        if pointer := _FUNCTION.search(declared):
            words = [b"", pointer[1]]
        # `template <class> class C` is a type, too.
        is_type = words[:1] in ([b"typename"], [b"class"], [b"template"])
        has_pack = b"..." in declared
        names.append(words[-1] if len(words) > 1 else b"")
        are_types.append(is_type)
    start = head.find(b"(")
    parameters = split(head[start + 1 : close_of(head, start, b"(", b")") - 1])
    return TemplateHead(
        tuple(names),
        tuple(are_types),
        tuple(defaults),
        tuple(parameters) if start >= 0 else (),
        has_pack,
    )


class Known(Protocol):
    """What is known where a template is named."""

    def meaning(self, word: bytes, depth: int) -> bytes | None:
        """Returns what a word represents, without names that are known here only; None for itself.

        Args:
            word: A name.
            depth: How many definitions lead to it: what is defined by itself has no end.
        """

    def variable(self, name: bytes) -> tuple[bytes, int] | None:
        """Returns the type of a variable, and the number of pointers to it; None if unknown.

        Args:
            name: The variable, a member as ``a.b`` or ``a->b``, or a call as ``f()``.
        """


class OnlyPlaces:
    """Knows nothing but template parameters."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def meaning(self, word: bytes, depth: int) -> bytes | None:
        """Returns what a parameter represents."""
        return self._places.get(word)

    def variable(self, name: bytes) -> tuple[bytes, int] | None:
        """Returns None: there are no variables."""
        return None


def resolved(words: bytes, known: Known, depth: int = 0) -> bytes:
    """Returns a template argument without names that only a function of the host knows."""

    def meaning(match: re.Match[bytes]) -> bytes:
        meant = known.meaning(match[0], depth)
        return match[0] if meant is None else meant

    def all_of(match: re.Match[bytes]) -> bytes:
        pack = known.meaning(match[1], depth)
        return match[0] if pack is None else pack

    def size(match: re.Match[bytes]) -> bytes:
        pack = known.meaning(match[1], depth)
        return match[0] if pack is None else str(len(split(pack))).encode()

    if len(words) >= LONGEST or depth >= _DEEPEST:
        return words
    if b"..." in words:
        words = _SIZE_OF_PACK.sub(size, words)
        words = _PACK.sub(all_of, words)
    if b"decltype" in words:
        words = _with_types(words, known)
    words = _WORD.sub(meaning, words)
    return (
        _TRAIT.sub(_without_qualifiers, words)
        if b"remove_" in words or b"decay" in words
        else words
    )


def _with_types(words: bytes, known: Known) -> bytes:
    """Returns a template argument with types in the place of `decltype`, as far as known."""
    pieces, done = [], 0
    for match in _DECLTYPE.finditer(words):
        end = close_of(words, match.end(), b"(", b")")
        declared = type_of(words[match.end() + 1 : end - 1].strip(), known)
        if declared is not None and match.start() >= done:
            written = declared[0] + b"*" * declared[1]
            is_place = words[match.end() + 1 : end - 1].strip()[:1] == b"*"
            pieces += [words[done : match.start()], written + b"&" * is_place]
            done = end
    return b"".join((*pieces, words[done:]))


def _without_qualifiers(match: re.Match[bytes]) -> bytes:
    """Returns what a trait makes of a plain type; the trait itself of any other."""
    trait, written = match[1], (match[2] or match[3]).strip()
    if trait == b"remove_pointer":
        return written[:-1].rstrip() if written.endswith(b"*") else match[0]
    is_plain = written.endswith((b"&", b"*")) or all(w in BUILT_IN for w in written.split())
    if not is_plain:
        return match[0]
    if trait in (b"remove_reference", b"decay", b"remove_cvref"):
        written = written.rstrip(b"& ")
    if trait != b"remove_reference" and not written.endswith(b"*"):
        written = written.removeprefix(b"const").strip()
    return written


def defined_as(meant: bytes, known: Known, depth: int, *, is_value: bool) -> bytes:
    """Returns what a name is defined as, without names that only a function of the host knows."""
    inner = resolved(meant, known, depth + 1)
    return b"(" + inner + b")" if is_value and not inner.isalnum() else inner


def instance(
    kernel: TemplateHead, given: list[bytes], arguments: list[bytes], known: Known
) -> tuple[bytes, ...] | None:
    """Returns the template arguments of a launch; None where one cannot be known.

    Args:
        kernel: The template.
        given: The template arguments that are written.
        arguments: Those of the function.
        known: What is known there.
    """
    listed = [part for each in given for part in split(resolved(each, known))]
    by_default: list[bytes] = []
    for at in range(len(listed), len(kernel.names)):
        deduced = _deduced(kernel, kernel.names[at], arguments, known)
        if deduced is None and kernel.defaults[at]:
            # Needed where another follows that is no default.
            before = dict(zip(kernel.names, [*listed, *by_default], strict=False))
            by_default.append(resolved(kernel.defaults[at], OnlyPlaces(before)))
            continue
        pack = [deduced] if deduced is not None else None
        if kernel.has_pack and at == len(kernel.names) - 1:
            pack = _pack(kernel, tuple(arguments), known)
        if pack is None:
            return None
        listed += [*by_default, *pack] if pack else []
        by_default.clear()
    return tuple(listed) if all(listed) else None


def host_instance(
    called: TemplateHead, given: tuple[bytes, ...], arguments: tuple[bytes, ...], known: Known
) -> tuple[bytes, ...] | None:
    """Returns the arguments of a template of the host at a call; None if one cannot be known."""
    listed = [counted(part) for each in given for part in split(resolved(each, known))]
    for at in range(len(listed), len(called.names)):
        if called.has_pack and at == len(called.names) - 1:
            pack = _pack(called, arguments, known)
            if pack is None:
                return None
            listed += pack
            break
        deduced = _deduced(called, called.names[at], list(arguments), known)
        if deduced is None and called.defaults[at]:
            before = OnlyPlaces(dict(zip(called.names, listed, strict=False)))
            deduced = counted(resolved(called.defaults[at], before))
        if deduced is None:
            return None
        listed.append(deduced)
    kinds = list(called.are_types)
    kinds += kinds[-1:] * (len(listed) - len(kinds))
    listed = [
        x if is_type or _NAME.fullmatch(x) else b"(" + x + b")"
        for x, is_type in zip(listed, kinds, strict=False)
    ]
    # What grows from call to call has no end.
    return tuple(listed) if all(len(each) < LONGEST for each in listed) else None


def _pack(called: TemplateHead, arguments: tuple[bytes, ...], known: Known) -> list[bytes] | None:
    """Returns what a pack represents by the arguments of a call; None where it is not known."""
    name = re.escape(called.names[-1])
    form = re.compile(
        rb"\s*+(?>const\s++)?+%s(?>\s*+const\b)?+\s*+(\**+)\s*+(?>&&?)?+\s*+\.\.\." % name
    )
    mention = re.compile(rb"\b%s\b" % name)
    for at, parameter in enumerate(called.parameters):
        if match := form.match(parameter):
            types = [type_of(argument, known) for argument in arguments[at:]]
            listed = [
                resolved(kind[0], known) + b"*" * (kind[1] - len(match[1]))
                for kind in types
                if kind is not None and kind[1] >= len(match[1])
            ]
            return listed if len(listed) == len(types) else None
    if sequence := _sequence(called, arguments, known):
        return sequence
    is_deduced = arguments and any(mention.search(each) for each in called.parameters)
    return None if is_deduced else []


def _sequence(called: TemplateHead, arguments: tuple[bytes, ...], known: Known) -> list[bytes]:
    """Returns the numbers of a pack by a `std::integer_sequence` or `std::index_sequence`."""
    form = re.compile(rb"_sequence\s*+<[^<>]*\b%s\s*+\.\.\.\s*+>" % re.escape(called.names[-1]))
    for parameter, argument in zip(called.parameters, arguments, strict=False):
        if form.search(parameter):
            variable = known.variable(argument)
            sequence = _SEQUENCE.search(resolved(variable[0] if variable else argument, known))
            if sequence is None:
                continue
            # The first argument of a `std::integer_sequence` is its type.
            numbers = [counted(each) for each in split(sequence[3])][sequence[2] == b"integer" :]
            if not sequence[1]:
                return numbers
            if len(numbers) == 1 and numbers[0].isdigit():
                return [str(n).encode() for n in range(min(int(numbers[0]), _MOST_NUMBERS))]
    return []


def _deduced(
    called: TemplateHead, name: bytes, arguments: list[bytes], known: Known
) -> bytes | None:
    """Returns what a parameter of a template is by the arguments of a call."""
    for parameter, argument in zip(called.parameters, arguments, strict=False):
        form = _QUALIFIERS.sub(b" ", parameter.partition(b"=")[0])
        plain = re.match(rb"\s*+%s\s*+(\**)" % re.escape(name), form)
        inside = _INSIDE.match(form)
        if plain and not form[plain.end() - 1 : plain.end() + 1].isalnum():
            place = None
        elif inside and name in (parts := split(inside[1])):
            place = parts.index(name)
        else:
            continue
        declared = type_of(argument, known)
        if declared is None:
            continue
        kind, stars = declared
        if place is None and plain and stars >= len(plain[1]):
            return resolved(kind, known) + b"*" * (stars - len(plain[1]))
        listed = _listed(kind)
        if place is not None and len(listed) > place:
            return resolved(listed[place], known)
    return None


def type_of(argument: bytes, known: Known) -> tuple[bytes, int] | None:
    """Returns the type of a plain argument, and the number of pointers to it."""
    if cast := _CAST.match(argument) or _CAST_CXX.match(argument):
        return cast[1].strip(), len(cast[2])
    if made := _NEW.match(argument):
        return made[1], 1
    if (made := _OBJECT.match(argument)) and (kind := _object(made, argument, known)):
        return kind, 0
    if made := _MADE.fullmatch(argument):
        return made[1], 0
    if number := _NUMBER.fullmatch(argument):
        if number[1] is not None:
            return (b"unsigned" if number[1] else b"int"), 0
        return (b"float" if number[2] else b"double"), 0
    if content := _CONTENT.fullmatch(argument):
        declared = known.variable(content[1] or content[2])
        listed = _listed(declared[0]) if declared else []
        return (listed[0], 1) if listed else None
    if argument.startswith(b"*"):
        pointer = argument.lstrip(b"* \t\n\r\v\f")
        declared = type_of(pointer.rstrip(), known)
        for _ in range(argument.count(b"*", 0, len(argument) - len(pointer))):
            declared = _behind(declared)
        return declared
    match = _VARIABLE.fullmatch(argument)
    if match is None:
        call = _CALL.match(argument)
        is_whole = call and close_of(argument, call.end(), b"(", b")") == len(argument)
        return known.variable(call[1] + b"()") if call and is_whole else None
    declared = known.variable(match[2])
    if match[3] is not None:
        declared = _behind(declared)
    if declared is None:
        return None
    return declared[0], declared[1] + bool(match[1])


def _object(made: re.Match[bytes], argument: bytes, known: Known) -> bytes | None:
    """Returns the type of an object that is made in place, as ``std::span{p, 4}``."""
    if b"<" in made[0]:
        return argument[: made.end() - 1].strip()
    given = split(argument[made.end() : -1])
    element = _behind(type_of(given[0], known)) if given and made[1] in _HOLDING else None
    return None if element is None else made[1] + b"<" + element[0] + b"*" * element[1] + b">"


def _behind(declared: tuple[bytes, int] | None) -> tuple[bytes, int] | None:
    """Returns what is behind a pointer, an iterator, or an object that holds what it is made of."""
    if declared is None:
        return None
    kind, stars = declared
    if stars:
        return kind, stars - 1
    listed = _listed(kind)
    inner = listed[0].rstrip() if listed else b""
    pointed = inner.rstrip(b"* ")
    return (pointed, inner.count(b"*", len(pointed))) if inner else None


def _listed(kind: bytes) -> list[bytes]:
    """Returns the arguments of a type that is an instance of a template."""
    inside = re.search(rb"<(.*)>", kind, re.DOTALL)
    return split(inside[1]) if inside else []


@lru_cache(CACHED)
def counted(words: bytes) -> bytes:
    """Returns a template argument as one number where it comes to a whole one."""
    if words.isalnum():
        return words
    with suppress(TextError, ZeroDivisionError):
        return str(integer(words.decode("utf-8", "replace"))).encode()
    return words


def truth(condition: bytes) -> bool | None:
    """Returns whether a condition holds; None where that cannot be known."""
    if b"?" in condition:
        return None
    if b"||" in condition and b"(" not in condition:
        sides = [truth(side) for side in condition.split(b"||")]
        return True if True in sides else None if None in sides else False
    if b"||" in condition:
        return None
    parts = [_holds(part.strip()) for part in condition.split(b"&&")]
    if False in parts:
        return False
    return None if None in parts else True


def _holds(condition: bytes) -> bool | None:
    if same := _SAME_TYPE.fullmatch(condition):
        types = [each.strip() for each in (same[1] or same[2]).split(b",")]
        are_plain = all(each in BUILT_IN for each in types)
        return types[0] == types[1] if len(types) == 2 and are_plain else None
    if condition.startswith(b"!"):
        operand = condition[1:].strip()
        inner = _holds(operand) if _NEGATED.fullmatch(operand) else None
        return None if inner is None else not inner
    left, relation, right = condition, b"!=", b"0"
    if compared := _COMPARED.fullmatch(condition):
        left, relation, right = compared.groups()
    with suppress(TextError, ZeroDivisionError):
        sides = (integer(side.decode("utf-8", "replace")) for side in (left, right))
        return _COMPARE[relation](next(sides), next(sides))
    return None
