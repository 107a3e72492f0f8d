"""Parts of a CUDA C++ text for the host only, which NVRTC need not see.

nvcc gives such a text to two compilers; NVRTC is the one for the device and refuses functions and
variables that nothing marks as the device's. What is set aside is blanked, not removed: all lines
and columns stay. What cannot be judged stays, too, and is named.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from jitstudio.listing.cuda.candidates import Candidate, Weighing, around
from jitstudio.listing.cuda.heads import (
    ANGLES,
    BUILT_IN,
    NAMES,
    WORDS,
    DeclarationHead,
    FunctionSignature,
    alias,
    head_of,
    parameter_types,
    pointer_end,
    value_start,
)
from jitstudio.listing.cuda.host_launches.instances import Launched, launched_instances
from jitstudio.listing.cuda.host_launches.macros import LAUNCH, Macro, defined_macros
from jitstudio.listing.cuda.outline import (
    COMMENT,
    DEVICE,
    QUOTED,
    Kind,
    OutlineItem,
    close_of,
    outline,
)
from jitstudio.listing.cuda.spans import (
    Spans,
    is_within,
    line_spans,
    lines_of,
    overlaps,
    within,
    without,
)
from jitstudio.listing.cuda.words import free_words_in, words_in

LineRange = tuple[int, int]
"""The first and the last line, from 1."""

_HOST = re.compile(rb"\b__host__\b")
# `operator=` as heads have it: the sign in hexadecimal digits, as a name is a word.
_ASSIGNMENT = b"operator__" + b"=".hex().encode()
# What may be between the parameters of a constructor and its body.
_INITIAL = re.compile(rb"\btry\b|(?<!:):(?!:)")
# `(*f)`, `(&f)`, `(Class::*f)`
_POINTER = re.compile(rb"\(\s*+(?:(?:\w+\s*+::\s*+)+)?[*&^]")
# That of a variable, as in `void (*table[])(int) = {…}`.
_POINTER_NAME = re.compile(rb"\(\s*+(?:(?:\w+\s*+::\s*+)+)?\*\s*+(\w++)(?=[^()]*+\)\s*+\()")
# What may be the first parameter and may be the value of a constant.
_VALUE = re.compile(rb"\(\s*+(?!\)|\.)(?![\w:]++\s++\w)(\w*+)(\s*+[({])?")
# With brackets three deep, as in `__attribute__((aligned(16)))`.
_ATTRIBUTE = re.compile(
    rb"(?:__attribute__|__declspec)\s*+"
    rb"\([^()]*+(?>\([^()]*+(?>\([^()]*+\)[^()]*+)*+\)[^()]*+)*+\)|\[\[[^][]*+\]\]"
)
_DEFINITION = re.compile(rb"#[ \t]*+define\b(?>[^\\\n]++|\\(?:\r\n|[\s\S]))*+")
_DEFINE = re.compile(rb"#[ \t]*+define[ \t]++(\w+)(\([^)]*+\))?(.*)", re.DOTALL)
_CONTINUED = re.compile(rb"\\(\r?\n)")
# In capitals, and yet types of the host.
# Types of C, POSIX and Windows that are written as macros are.
_CAPITAL_TYPES = frozenset(b"FILE DIR BOOL DWORD HANDLE HWND LRESULT UINT LPVOID SOCKET".split())
_NAMES_OTHERS = re.compile(
    rb"(?:using|typedef|namespace|static_assert|template\s+(?:class|struct|union))\b"
)
_NO_FUNCTION = re.compile(
    rb"(?:_Static_assert|asm|__asm__|concept|goto|return|extern\s+template"
    rb"|friend\s+(?:class|struct))\b"
)
_NO_VARIABLE = re.compile(rb"(?:typedef|(?:static\s+)?const)\b")
# `struct Node` alone, or a texture reference, which CUDA had up to version 11.
_DECLARED_ONLY = re.compile(rb"(?:class|struct|union|enum)\s+\w+\Z|texture\s*+<")
_CONST = re.compile(rb"\b(?:const|constexpr)\b")
_PLAIN_CONST = re.compile(rb"\bconst\b")
_CONSTEXPR = re.compile(rb"\bconstexpr\b")
_VIRTUAL = re.compile(rb"\bvirtual\b")
# `Type(const Type &) = default;`
_DEFAULTED = re.compile(rb"=\s*+(?:default|delete)\s*+;\Z")
# `f(x)`, `table[i](x)`, `[] { … }`, `new Type`
_CALL = re.compile(rb"[\w>\]]\s*+\(|\]\s*+\{|\bnew\b")
# What no device code has. A kernel may launch others and call a few functions of the runtime.
_SURELY_HOST = re.compile(
    rb"\bstd\s*+::\s*+(?:cout|cerr|endl|vector|string|chrono|ofstream|ifstream|mt19937|thread)\b"
    rb"|\bcuda(?:Malloc|Memcpy|Free|EventCreate|EventRecord|DeviceSynchronize|SetDevice)\w*\s*+\("
    rb"|\b(?:fopen|fprintf|argv|argc|exit|getenv|scanf|atoi)\b"
)
_LIBRARY_HEADER = re.compile(rb"#[ \t]*+include[ \t]*+<(thrust|cub)/")
# `namespace name`, but not `using namespace name`
_NAMED = re.compile(rb"namespace(?<!\wnamespace)(?<!using namespace)\s++([A-Za-z_]\w*)")
# `[=] __device__ (int i)`: CUDA C++ Programming Guide, "Extended Lambdas".
_DEVICE_LAMBDA = re.compile(rb"\]\s*+(?:__host__\s*+)?__device__\b(?:\s*+__host__\b)?")
# `template <typename T, int N, class... Rest>`
_TEMPLATE_NAMES = re.compile(rb"\b(?:typename|class|int|bool|unsigned|size_t|auto)[\s.]++(\w+)")
_LONGEST_QUALIFIER = 200
# A text with more braces too many is no program.
_MOST_STRAY = 50
_STAYS = re.compile(rb"[ \t]*+#[ \t]*+(?:if|el|endif|define|undef|error|line)")
_INCLUDE = re.compile(rb"#[ \t]*+include\b")
_NO_WORDS = re.compile(QUOTED + rb"|" + COMMENT)
_WORD_BYTE = re.compile(rb"\w")
# Two bytes of a line are enough for the shortest mark.
_ROOM = re.compile(rb"[^\r\n]{2}")
_OPERATOR_WORD = re.compile(rb"\boperator\b")


MARKS = {
    b"__hd_cx__": b"__host__ __device__ constexpr",
    b"__hd_v_": b"__host__ __device__ virtual",
    b"__hd_op_": b"__host__ __device__ operator",
    b"_J": b"__host__ __device__",
    b"__cx_": b"constexpr",
}
"""Words that mark device code where no column may move, with what they are to be defined as.

A function that nothing marks is of the host, though its result may be needed to compile, its
place in a table of virtual functions, or a constructor to tell what the class is.
"""
# Where there may be no room for more. No header of NVIDIA's has this word.
_SHORT = b"_J"
# Where nothing but the end of a line is behind it.
_INSERTED = b" _J"
_MARKED = {
    b"constexpr": b"__hd_cx__",
    b"virtual": b"__hd_v_",
    b"operator": b"__hd_op_",
    b"const": b"__cx_",
}


class Refusals(NamedTuple):
    """Lines of a text, from 1, that NVRTC has refused.

    Attributes:
        host: Those with functions or variables of the host.
        dynamic: Those with constants of which it has made variables that are set at run time.
        unknown: Those with names that it does not know.
    """

    host: frozenset[int] = frozenset()
    dynamic: frozenset[int] = frozenset()
    unknown: frozenset[int] = frozenset()

    def with_line(self, line: int, reason: str) -> Refusals:
        """Returns the refusals with a further line; the reason is the name of an attribute."""
        return self._replace(**{reason: getattr(self, reason) | {line}})


NO_REFUSALS = Refusals()


@dataclass(frozen=True)
class Doubt:
    """Text that is kept though perhaps host code, or set aside though more was meant.

    Attributes:
        line: Where it begins, from 1.
        reason: What could not be judged: a sentence.
    """

    line: int
    reason: str


@dataclass(frozen=True)
class HostCode:
    """The parts of a text for the host only.

    Attributes:
        text: The text.
        spans: Where host code is, in bytes, in order and apart from each other.
        directives: The preprocessor's lines that stay within them.
        marks: What the compiler gets at some places instead: words of ``MARKS``, and ``;``.
        doubts: What could not be judged.
        names: The functions and variables in it with the line of each.
        instances: Name expressions for the templates that it launches, with the line of each.
    """

    text: bytes
    spans: tuple[tuple[int, int], ...] = ()
    directives: tuple[tuple[int, int], ...] = ()
    marks: tuple[tuple[int, bytes], ...] = ()
    doubts: tuple[Doubt, ...] = ()
    names: tuple[tuple[str, int], ...] = ()
    instances: tuple[tuple[str, int], ...] = ()

    @property
    def launched(self) -> tuple[str, ...]:
        """Name expressions for the templates that host code launches."""
        return tuple(name for name, _ in self.instances)

    @cached_property
    def device_text(self) -> bytes:
        """The text with blanks for host code: the rest keeps lines and columns."""
        text = bytearray(without(self.text, self.spans, self.directives))
        for start, word in reversed(self.marks):
            text[start : start + (len(word) if word != _INSERTED else 0)] = word
        return bytes(text)

    @cached_property
    def ranges(self) -> tuple[LineRange, ...]:
        """The lines with host code; lines next to each other are a single range."""
        ranges: list[LineRange] = []
        line, at = 1, 0
        for start, end in self.spans:
            line += self.text.count(b"\n", at, start)
            first = line
            line += self.text.count(b"\n", start, end)
            at = end
            if ranges and first <= ranges[-1][1] + 1:
                ranges[-1] = (ranges[-1][0], line)
            else:
                ranges.append((first, line))
        return tuple(ranges)

    @property
    def lines(self) -> int:
        """The number of lines with host code."""
        return sum(last - first + 1 for first, last in self.ranges)


def find_host_code(
    text: bytes,
    device_macros: Collection[str] = (),
    mentioned: bytes = b"",
    with_launched: bool = True,
    refused: Refusals = NO_REFUSALS,
    headers: Iterable[bytes] = (),
) -> HostCode:
    """Returns the parts of a text for the host only; raises nothing, whatever the text is.

    Args:
        text: CUDA C++, complete or not.
        device_macros: Macros of headers that mark device code.
        mentioned: What else needs declarations of the text, such as name expressions.
        with_launched: Whether `HostCode.launched` is wanted.
        refused: What NVRTC has refused of it: there is no doubt about that.
        headers: The texts of the program's own headers, whose kernels and macros it may launch by.
    """
    return _Judge(text, device_macros, mentioned, with_launched, refused, headers).judge()


def device_macros(text: bytes) -> frozenset[str]:
    """Returns the macros of a text that mark device code."""
    if not DEVICE.search(text):
        return frozenset()
    marks = _Macros((m[0] for m in _DEFINITION.finditer(text)), ()).device
    return frozenset(name.decode("ascii", "replace") for name in marks)


class _Macros:
    """The macros that a text defines.

    Attributes:
        known: The names of all of them.
        device: Those that mark device code.
        constants: Those that mark constants.
        makers: Those that can only make functions of the host.
        definitions: Each as it is defined last.
    """

    def __init__(self, directives: Iterable[bytes], others: Collection[str]) -> None:
        bodies: defaultdict[bytes, bytes] = defaultdict(bytes)
        self.definitions: dict[bytes, Macro] = {}
        for directive in directives:
            if match := _DEFINE.match(directive):
                bodies[match[1]] += b" " + match[3]
                self.definitions |= [definition] if (definition := Macro.of(directive)) else []
        self._bodies = bodies
        self.known = frozenset(bodies)
        self.device = {name.encode() for name in others}
        self.device |= {name for name, body in bodies.items() if DEVICE.search(body)}
        users: defaultdict[bytes, list[bytes]] = defaultdict(list)
        for name, body in bodies.items():
            for used in NAMES.findall(body):
                users[used].append(name)
        waiting = list(self.device)
        while waiting:
            more = [name for name in users[waiting.pop()] if name not in self.device]
            self.device.update(more)
            waiting += more
        self.constants = {b"constexpr"} | {
            name for name, body in bodies.items() if _CONST.search(body)
        }
        self.makers = {
            name
            for name, body in bodies.items()
            if name not in self.device and (_SURELY_HOST.search(body) or b"<<<" in body)
        }

    @cached_property
    def qualifiers(self) -> set[bytes]:
        """Returns the macros that may stand before a function's type, and are no type."""
        return {
            name
            for name, body in self._bodies.items()
            if len(body) < _LONGEST_QUALIFIER
            and WORDS.issuperset(NAMES.findall(_ATTRIBUTE.sub(b"", body)))
        }


class _Judge:
    def __init__(
        self,
        text: bytes,
        macros: Collection[str],
        mentioned: bytes,
        with_launched: bool,
        refused: Refusals,
        headers: Iterable[bytes],
    ) -> None:
        self._text = text
        self._mentioned = mentioned
        self._with_launched = with_launched
        self._refused_spans = line_spans(text, refused.host)
        self._unknown_spans = line_spans(text, refused.unknown)
        self._headers = tuple(headers)
        self._has_dynamic = bool(refused.dynamic)
        self._macros = _Macros((m[0] for m in _DEFINITION.finditer(text)), macros)
        self._outline = outline(text, self._macros.device)
        self._code = self._outline.code
        self._device = {id(d) for d in self._outline.items if self._is_marked(d.head)}
        self._spans: list[tuple[int, int]] = []
        self._doubts: list[tuple[int, str]] = []
        self._names: dict[bytes, int] = {}
        self._candidates: list[Candidate] = []
        # With the place that has to stay, too.
        self._marks: list[tuple[int, bytes, int]] = []
        self._overloads: list[OutlineItem] = []
        self._unmarked: list[OutlineItem] = []
        self._heads: dict[int, DeclarationHead] = {}
        self._of_functions: dict[int, FunctionSignature] = {}

    def judge(self) -> HostCode:
        """Returns the parts of the text for the host only."""
        others = [item for item in self._outline.items if id(item) not in self._device]
        libraries = any(_LIBRARY_HEADER.match(self._text, *at) for at in self._outline.directives)
        if not (others or libraries):
            return HostCode(self._text)
        for declaration in others:
            self._look_at(declaration)
        self._spare_bodies_of_macros()
        if self._refused_spans:
            self._look_at_macros()
        if self._spans or self._unknown_spans or libraries:
            self._look_at_includes(self._weigh())
        return self._result()

    def _head(self, declaration: OutlineItem) -> DeclarationHead:
        key = id(declaration)
        if key not in self._heads:
            self._heads[key] = head_of(declaration)
        return self._heads[key]

    @cached_property
    def _types(self) -> set[bytes]:
        """The types that the text makes known."""
        declarations = self._outline.items
        types = {self._name_of_type(d) for d in declarations if d.kind is Kind.TYPE}
        return types.union(alias(d.head) for d in declarations if d.kind is Kind.OTHER)

    def _tail(self, declaration: OutlineItem) -> bytes:
        """Returns the text behind the body of a type."""
        return self._code[declaration.body_end : declaration.end].strip(b"; \t\r\n")

    def _name_of_type(self, declaration: OutlineItem) -> bytes:
        """Returns the name of a type, also by a ``typedef``; empty for none."""
        name = self._head(declaration).name
        if name or not declaration.head.startswith(b"typedef"):
            return name
        return alias(b"typedef " + self._tail(declaration))

    @cached_property
    def _known(self) -> frozenset[bytes]:
        """The words before a name that are no macros for device code."""
        return self._macros.known | self._types | _CAPITAL_TYPES | self._of_refused

    @cached_property
    def _of_refused(self) -> set[bytes]:
        """The words before functions that NVRTC has refused, none of which marks device code.

        As of ``LIBRARY_API`` in ``status_t LIBRARY_API create();``, alone in its line.
        """
        spans = self._refused_spans
        inside: defaultdict[int, list[OutlineItem]] = defaultdict(list)
        for item in self._outline.items if spans else ():
            at = bisect_left(spans, item.start, key=lambda span: span[1])
            if item.kind is not Kind.TYPE and at < len(spans) and spans[at][0] < item.end:
                inside[at].append(item)
        alone = (items[0] for items in inside.values() if len(items) == 1)
        return {word for item in alone for word in self._head(item).words}

    @cached_property
    def _of_the_device(self) -> defaultdict[bytes, list[OutlineItem]]:
        """The functions of the device, by their names without scopes."""
        by_name: defaultdict[bytes, list[OutlineItem]] = defaultdict(list)
        for item in self._outline.items:
            if id(item) in self._device and b"(" in item.head:
                by_name[self._last_name(item)].append(item)
        return by_name

    def _last_name(self, declaration: OutlineItem) -> bytes:
        return self._head(declaration).name.rpartition(b"::")[2]

    def _doubt_overloads(self) -> None:
        """Doubts functions that are set aside although calls in device code might choose them."""
        seen = set()
        for overload in self._overloads:
            same = self._of_the_device.get(self._last_name(overload), ())
            if not same or overload.head.startswith(b"template"):
                continue
            mine, own = self._signature(overload), self._arguments(overload)
            others = [
                self._arguments(other)
                for other in same
                if b"__global__" not in other.head and self._signature(other)[:2] == mine[:2]
            ]
            is_new = mine[:2] not in seen
            seen.add(mine[:2])
            if is_new and any(max(own[0], x[0]) <= min(own[-1], x[-1]) for x in others):
                name = mine.name.decode("ascii", "replace")
                if name.startswith("operator__"):
                    symbol = bytes.fromhex(name.removeprefix("operator__"))
                    name = f"operator {symbol.decode('ascii', 'replace')}"
                self._doubt(
                    overload.start,
                    f"Device code has another '{name}': its calls choose that one, and nvcc may "
                    "choose this.",
                )

    def _arguments(self, function: OutlineItem) -> range:
        """Returns how many arguments a function may get."""
        parameters = self._head(function).parameters or b""
        most = len(self._signature(function).types)
        inside = parameters[: close_of(parameters, 0, b"(", b")")]
        return range(most - inside.count(b"="), 100 if b"..." in inside else most + 1)

    def _look_at_includes(self, mentions: Collection[bytes]) -> None:
        """Sets aside headers of libraries for the host that no device code mentions."""
        for start, end in self._outline.directives:
            library = _LIBRARY_HEADER.match(self._text, start, end)
            if library and library[1] not in mentions:
                self._spans.append((start, end))

    def _result(self) -> HostCode:
        spans: list[tuple[int, int]] = []
        for start, end in sorted(self._spans):
            if spans and start < spans[-1][1]:
                spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            elif start < end:
                spans.append((start, end))
        self._doubt_overloads()
        for declaration in self._unmarked:
            if declaration.parent and not is_within(declaration.parent.start, spans):
                self._doubt(declaration.start, "Without this the class may have other traits.")
        inside = within(self._outline.directives, spans)
        stays = tuple(x for x in inside if self._stays(x))
        macros = dict(self._macros.definitions)
        headers, others = [], []
        for header in self._headers if self._with_launched else ():
            macros = defined_macros(header) | macros
            if LAUNCH.search(header) or (b"__global__" in header and b"template" in header):
                headers.append(outline(header))
            else:
                others.append(header)
        launched = Launched()
        if self._with_launched:
            launched = launched_instances(self._text, self._outline, macros, headers, others)
            self._doubt_launches(launched)
        places = (*self._doubts, *((at, name) for name, at in launched.names))
        lines = lines_of(self._text, {at for at, _ in places}.union(self._names.values()))
        doubts = tuple(Doubt(lines[at], reason) for at, reason in sorted(self._doubts))
        names = tuple((n.decode("utf-8", "replace"), lines[x]) for n, x in self._names.items())
        aside = bytearray(len(self._text) if self._marks else 0)
        for start, end in spans if self._marks else ():
            aside[start:end] = b"\1" * (end - start)
        marks = tuple(sorted({(at, word) for at, word, needed in self._marks if not aside[needed]}))
        read = tuple((name, lines[at]) for name, at in launched.names)
        return HostCode(self._text, tuple(spans), stays, marks, doubts, names, read)

    def _doubt_launches(self, launched: Launched) -> None:
        """Names each kernel template and call of which no instance could be found."""
        add = "add a name expression for each"
        for name, at in launched.without:
            if not self._is_mentioned(name):
                self._doubt(
                    at,
                    f"No launch with known template arguments was found for {name.decode()}, so "
                    f"that there is none of its kernels: {add} that you need.",
                )
        for name, at in launched.unknown:
            self._doubt(
                at,
                f"The template arguments of {name.decode()} could not be found out here: {add} "
                "instance that you need.",
            )
        for name, at in launched.calls:
            self._doubt(
                at,
                f"The template arguments of {name.decode()}, which launches kernels, could not be "
                f"found out here: {add} kernel that you need.",
            )
        for name, at in launched.uncalled:
            if not self._is_mentioned(name):
                self._doubt(
                    at,
                    f"No call with known template arguments was found for {name.decode()}, which "
                    f"launches kernels: {add} kernel that you need.",
                )
        if launched.rest is not None:
            self._doubt(
                launched.rest,
                "From here on launches of kernel templates are not followed, as there are too "
                f"many: {add} instance that you need.",
            )

    def _is_mentioned(self, name: bytes) -> bool:
        """Returns whether a name expression or another text names a template."""
        return re.search(rb"\b%s\b" % re.escape(name), self._mentioned) is not None

    def _look_at(self, declaration: OutlineItem) -> None:
        head = self._head(declaration)
        match declaration.kind:
            case Kind.TYPE:
                self._look_at_type(declaration)
            case Kind.FUNCTION:
                self._look_at_function(declaration, head)
            case Kind.OTHER:
                self._look_at_other(declaration, head)
            case Kind.UNCLEAR:
                self._look_at_call(declaration)

    def _is_marked(self, text: bytes) -> bool:
        """Returns whether something in a text is of the device."""
        marks = self._macros.device
        return bool(DEVICE.search(text)) or bool(marks and not marks.isdisjoint(words_in(text)))

    def _look_at_type(self, declaration: OutlineItem) -> None:
        if declaration.parent:
            return
        start, end = declaration.start, declaration.end
        tail = self._tail(declaration)
        if tail and not _NO_VARIABLE.match(declaration.head):
            self._set_aside(declaration.body_end, end - 1)
        if self._is_marked(self._code[start:end]):
            return
        if name := self._name_of_type(declaration):
            self._candidates.append(Candidate(declaration, name, False))

    def _look_at_function(self, declaration: OutlineItem, head: DeclarationHead) -> None:
        if head.parameters is None or self._is_redeclared(declaration):
            return
        start = declaration.start
        body = self._code[declaration.body : declaration.end]
        if self._is_refused(declaration):
            pass
        elif DEVICE.search(body):
            rest, lambdas = _DEVICE_LAMBDA.subn(b"]", body)
            if DEVICE.search(rest):
                self._doubt(start, "This looks like host code, but there is device code in it.")
                return
            if lambdas:
                self._doubt(start, "NVRTC takes no __device__ lambda: none of this is compiled.")
        elif (why := self._why_unsure(declaration, head)) and not _SURELY_HOST.search(body):
            self._doubt(start, why)
            return
        is_host = _HOST.search(declaration.head)
        if not is_host and self._mark(declaration, _CONSTEXPR):
            if not declaration.parent:
                self._candidates.append(Candidate(declaration, head.name, False))
        elif declaration.parent and declaration.complete and self._mark(declaration, _VIRTUAL):
            # Without it the objects would be laid out otherwise.
            self._set_aside(declaration.body + 1, declaration.end - 1)
        elif self._keeps_traits(declaration, head):
            pass
        else:
            if not declaration.complete:
                self._doubt(start, "The closing brace of this function is missing.")
            self._set_aside(start, declaration.end, head.name)
            self._overloads.append(declaration)

    def _look_at_other(self, declaration: OutlineItem, head: DeclarationHead) -> None:
        text = declaration.head
        if _NAMES_OTHERS.match(text):
            if not declaration.parent:
                self._candidates.append(Candidate(declaration, alias(text), False))
        elif _NO_FUNCTION.match(text):
            pass
        elif not self._is_prototype(declaration, head):
            self._look_at_variable(declaration, head)
        elif _DEFAULTED.search(text):
            self._mark(declaration, _VIRTUAL)
        elif self._is_redeclared(declaration):
            pass
        elif self._mark(declaration, _CONSTEXPR):
            self._candidates.append(Candidate(declaration, head.name, False))
        elif declaration.parent and (
            self._mark(declaration, _VIRTUAL) or self._keeps_traits(declaration, head)
        ):
            pass
        elif b"const" in head.words and not (declaration.parent or self._is_refused(declaration)):
            self._candidates.append(Candidate(declaration, head.name, True))
        elif not self._is_refused(declaration) and (why := self._why_unsure(declaration, head)):
            self._doubt(declaration.start, why)
        else:
            self._set_aside(declaration.start, declaration.end)
            self._overloads.append(declaration)

    def _look_at_call(self, declaration: OutlineItem) -> None:
        """Sets the call of a macro aside that can only make functions of the host."""
        if self._macros.makers.intersection(NAMES.findall(declaration.head)[:1]):
            self._set_aside(declaration.start, declaration.end)

    def _look_at_macros(self) -> None:
        """Sets aside refused host code out of macros: calls, or parts of macros."""
        for call in self._outline.items:
            if call.kind is not Kind.UNCLEAR or not self._is_refused(call):
                continue
            name = b"".join(NAMES.findall(call.head)[:1])
            if name in self._macros.device:
                self._spans += self._functions_in_macro(name)
            elif name in self._macros.known:
                self._set_aside(call.start, call.end)

    def _functions_in_macro(self, name: bytes) -> Iterator[tuple[int, int]]:
        """Yields where functions of the host are in the definition of a macro, line by line."""
        for start, end in self._outline.directives:
            match = _DEFINE.match(self._text, start, end)
            if match is None or match[1] != name:
                continue
            body = _CONTINUED.sub(rb" \1", match[3])
            for item in outline(body, self._macros.device).items:
                if item.kind is Kind.FUNCTION and not self._is_marked(item.head):
                    at = match.start(3) + item.start
                    for line in body[item.start : item.end].splitlines(keepends=True):
                        # Without what goes on in the next line.
                        yield at, at + len(line.rstrip())
                        at += len(line)

    def _look_at_variable(self, declaration: OutlineItem, head: DeclarationHead) -> None:
        text = declaration.head.rstrip(b"; \t\r\n")
        pointer = _POINTER_NAME.match(head.parameters or b"")
        if not head.words or not (head.name or pointer):
            # Its words may be behind a macro, as in `LIBRARY_DEPRECATED(since) int create();`.
            is_made = self._macros.makers.intersection(NAMES.findall(text)[:1])
            if is_made or self._is_refused(declaration):
                self._set_aside(declaration.start, declaration.end)
        elif _DECLARED_ONLY.match(text):
            pass
        elif declaration.parent:
            if b"static" in head.words and not _CONST.search(text):
                self._set_aside(declaration.start, declaration.end)
        elif self._is_constant(text, head):
            calls = bool(_CALL.search(ANGLES.sub(b"", text)))
            self._candidates.append(Candidate(declaration, head.name, calls, is_value=True))
            if self._has_dynamic and not calls and self._is_arithmetic(text, head):
                self._mark(declaration, _PLAIN_CONST)
        elif not self._is_refused(declaration) and (why := self._why_marked(declaration, head)):
            self._doubt(declaration.start, why)
        else:
            name = head.name or (pointer[1] if pointer else b"")
            self._set_aside(declaration.start, declaration.end, name)

    def _is_constant(self, text: bytes, head: DeclarationHead) -> bool:
        by_word = not self._macros.constants.isdisjoint(head.words)
        return by_word or bool(_CONST.search(text, pointer_end(text), value_start(text)))

    def _is_arithmetic(self, text: bytes, head: DeclarationHead) -> bool:
        """Returns whether a constant has a type of numbers, and is no pointer or reference."""
        types = BUILT_IN - {b"half2"} | {b"const", b"static"}
        return types.issuperset(head.words) and not {*b"*&"} & {*text[: value_start(text)]}

    def _is_prototype(self, declaration: OutlineItem, head: DeclarationHead) -> bool:
        if head.parameters is None or not head.name or _POINTER.match(head.parameters):
            return False
        if self._is_special(declaration, head) or b"operator" in head.name:
            return True
        if declaration.parent:
            is_attribute = head.name in self._macros.qualifiers
            return head.is_plain and not is_attribute and not WORDS.issuperset(head.words)
        if b"constexpr" in head.words and (value := _VALUE.match(head.parameters)):
            types = WORDS | BUILT_IN | self._types
            return value[1] in types and not value[2]
        return bool(head.words)

    def _is_special(self, declaration: OutlineItem, head: DeclarationHead) -> bool:
        """Returns whether this is a constructor or a destructor within the class."""
        owner = self._head(declaration.parent).name if declaration.parent else b""
        return head.name.removeprefix(b"~") == owner != b""

    def _why_unsure(self, declaration: OutlineItem, head: DeclarationHead) -> str:
        """Returns why this may be no function of the host: a sentence; empty if certain."""
        if declaration.kind is Kind.FUNCTION:
            return self._why_marked(declaration, head) or self._why_data(declaration, head)
        return self._why_data(declaration, head) or self._why_marked(declaration, head)

    def _why_data(self, declaration: OutlineItem, head: DeclarationHead) -> str:
        """Returns why a member may be a type, a name and a macro, and no function."""
        if not declaration.parent or self._is_special(declaration, head):
            return ""
        if b"operator" in head.name:
            return ""
        words = [w for w in head.words if w not in WORDS and w not in self._macros.qualifiers]
        two = len(words) > 1 and not BUILT_IN.issuperset(words)
        unsure = two or not head.is_plain or head.name in self._macros.known
        return "This may be a data member with a macro behind its name." if unsure else ""

    def _signature(self, declaration: OutlineItem) -> FunctionSignature:
        key = id(declaration)
        if key not in self._of_functions:
            head = self._head(declaration)
            owner, _, name = head.name.rpartition(b"::")
            scopes = (scope for scope in (declaration.scope, owner) if scope)
            types = parameter_types(head.parameters or b"")
            self._of_functions[key] = FunctionSignature(b"::".join(scopes), name, types)
        return self._of_functions[key]

    def _is_redeclared(self, declaration: OutlineItem) -> bool:
        """Returns whether the text declares the same function for the device elsewhere."""
        same = self._of_the_device.get(self._last_name(declaration), ())
        if not same:
            return False
        mine, others = (
            self._signature(declaration),
            [self._signature(overload) for overload in same],
        )
        is_member = declaration.parent or b"::" in self._head(declaration).name
        if is_member or declaration.template.strip() == b"<>":
            return any(o[:2] == mine[:2] and len(o.types) == len(mine.types) for o in others)
        return mine in others

    def _mark(self, declaration: OutlineItem, word: re.Pattern[bytes]) -> bool:
        """Makes a declaration the device's, by a macro in the place of a word."""
        match = word.search(self._text, declaration.start, declaration.body)
        if match is None or not word.search(declaration.head):
            return False
        self._marks.append((match.start(), _MARKED[match[0]], declaration.start))
        return True

    def _keeps_traits(self, declaration: OutlineItem, head: DeclarationHead) -> bool:
        """Leaves a constructor, destructor or assignment for the device without a body.

        Without it the class would have other traits, such as that it may be copied as bytes.
        """
        is_assignment = declaration.parent and head.name == _ASSIGNMENT
        is_special = is_assignment or self._is_special(declaration, head)
        if not is_special or b"friend" in head.words or not declaration.complete:
            return False
        start, end = declaration.start, declaration.end
        is_definition = declaration.kind is Kind.FUNCTION
        at = self._end_of_parameters(declaration) if is_definition else start
        if is_assignment:
            is_marked = self._mark(declaration, _OPERATOR_WORD)
        elif is_definition:
            room = _ROOM.search(self._text, at, end - 1) if at else None
            if room:
                self._marks.append((room.start(), _SHORT, start))
            is_marked = room is not None or self._mark_at_end(declaration, at)
        else:
            is_marked = self._mark_before(declaration) or self._mark_at_end(declaration, end - 1)
        if not (is_marked and at):
            self._unmarked.append(declaration)
            return False
        if is_definition:
            self._spans.append((at, end))
            self._marks.append((end - 1, b";", start))
        self._candidates.append(Candidate(declaration, b"", False))
        return True

    def _mark_before(self, declaration: OutlineItem) -> bool:
        """Marks a declaration in the blanks before, if there is room."""
        start = declaration.start
        at = start - len(_SHORT) - (0 if self._text.startswith(b"~", start) else 1)
        around = self._text[max(0, at - 1) : start]
        is_free = at > 0 and not around[1:].strip(b" \t") and not _WORD_BYTE.match(around)
        if is_free and not declaration.template:
            self._marks.append((at, _SHORT, start))
            return True
        return False

    def _mark_at_end(self, declaration: OutlineItem, at: int) -> bool:
        """Marks a declaration at a place, if no code behind in the same line would move."""
        code, end = self._code, declaration.end
        line_end = code.find(b"\n", end)
        rest = code[end : line_end if line_end >= 0 else len(code)]
        is_last = at > 0 and not rest.strip() and code[end - 1] in b";}"
        if is_last:
            self._marks.append((at, _INSERTED, declaration.start))
        return is_last

    def _end_of_parameters(self, declaration: OutlineItem) -> int:
        """Returns the end of the parameters with their qualifiers; 0 if unclear."""
        start, body = declaration.start, declaration.body
        text = self._code[start:body]
        owner = self._head(declaration.parent).name if declaration.parent else b""
        match = re.search(rb"(?:\boperator\s*+=|\b%s)\s*+(?=\()" % re.escape(owner), text)
        if match is None:
            return 0
        initial = _INITIAL.search(text, close_of(text, match.end(), b"(", b")"))
        end = len(text[: initial.start() if initial else None].rstrip())
        return start + end + bool(_WORD_BYTE.match(text, end - 1))

    def _why_marked(self, declaration: OutlineItem, head: DeclarationHead) -> str:
        """Returns why a word before the name may be a macro that marks device code."""
        name = self._unknown_word(declaration, head).decode("utf-8", "replace")
        return f"'{name}' may be a macro that marks device code." if name else ""

    def _is_refused(self, declaration: OutlineItem) -> bool:
        """Returns whether NVRTC has refused this as code of the host."""
        return overlaps(declaration, self._refused_spans)

    def _doubt(self, at: int, reason: str) -> None:
        self._doubts.append((at, reason))

    def _unknown_word(self, declaration: OutlineItem, head: DeclarationHead) -> bytes:
        """Returns a word that may be a macro which makes this device code; empty for none."""
        words = [word for word in head.words if word not in WORDS]
        others = [word for word in words if word not in BUILT_IN]
        own: set[bytes] = set()
        for scope in around(declaration):
            own.update(_TEMPLATE_NAMES.findall(scope.template))

        def is_known(word: bytes) -> bool:
            return b"::" in word or word in self._known or word in own

        if len(others) == len(words) and others:
            kind = others.pop()
            is_host = b"__host__" in head.words
            if not is_host and kind.isupper() and len(kind) > 1 and not is_known(kind):
                return kind
        elif not words and head.name.isupper() and not self._is_special(declaration, head):
            return b"" if is_known(head.name) else head.name
        return next((word for word in others if not is_known(word)), b"")

    def _set_aside(self, start: int, end: int, name: bytes = b"") -> None:
        self._spans.append((start, end))
        if name and name not in self._names and b"operator" not in name:
            self._names[name.replace(b" ", b"")] = start

    def _spare_bodies_of_macros(self) -> None:
        """Keeps the code before a brace that closes nothing, which a macro may have opened."""
        for stray in self._outline.stray[:_MOST_STRAY]:
            last = max(
                (
                    d.end
                    for d in self._outline.items
                    if d.end <= stray and d.kind in (Kind.FUNCTION, Kind.TYPE)
                ),
                default=0,
            )
            doubtful = [(s, e) for s, e in self._spans if last <= s < stray]
            for start, _ in doubtful[:1]:
                self._doubt(
                    start, "A brace that closes nothing follows: a macro may have opened it."
                )
            self._spans = [span for span in self._spans if span not in doubtful]

    def _weigh(self) -> set[bytes]:
        """Sets aside declarations that need the host; returns the words of the rest."""
        own = self._types.union(_NAMED.findall(self._code)) if self._candidates else set()
        weighing = Weighing(
            self._code, self._candidates, self._spans, self._unknown_spans, own, self._head
        )
        gone, words = weighing.weigh(set(self._names), self._words_outside(weighing.apart))
        self._spans += [(declaration.start, declaration.end) for declaration in gone]
        return words

    def _words_outside(self, spans: Spans) -> set[bytes]:
        """Returns the words of code outside of some spans, of macros, and of name expressions."""
        directives = (self._text[start:end] for start, end in self._outline.directives)
        macros = b"\n".join(directive for directive in directives if not _INCLUDE.match(directive))
        return free_words_in(
            b"\n".join((spans.outside(self._code), _NO_WORDS.sub(b" ", macros), self._mentioned))
        )

    def _stays(self, directive: tuple[int, int]) -> bool:
        return bool(_STAYS.match(self._text, *directive))
