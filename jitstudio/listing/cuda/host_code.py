"""Parts of a CUDA C++ text for the host only, which NVRTC need not see.

nvcc gives such a text to two compilers; NVRTC is the one for the device and refuses functions and
variables that nothing marks as the device's. What is set aside is blanked, not removed: all lines
and columns stay. What cannot be judged stays, too, and is named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from jitstudio.listing.cuda.candidates import Candidate, Weighing
from jitstudio.listing.cuda.device_facts import DeclarationFacts, is_special
from jitstudio.listing.cuda.device_marks import (
    CONSTEXPR,
    PLAIN_CONST,
    VIRTUAL,
    DeviceMarks,
    Mark,
    with_marks,
)
from jitstudio.listing.cuda.heads import ANGLES, NAMES, DeclarationHead, alias, head_of, sign_of
from jitstudio.listing.cuda.host_launches.macros import LAUNCH, defined_macros
from jitstudio.listing.cuda.host_macros import CONST, DEFINE, SURELY_HOST, TextMacros
from jitstudio.listing.cuda.outline import DEVICE, HIDDEN, Kind, OutlineItem, outline
from jitstudio.listing.cuda.spans import (
    Spans,
    blanked,
    directives_within,
    is_within,
    line_spans,
    lines_of,
)
from jitstudio.listing.cuda.words import free_words_in

if TYPE_CHECKING:
    from jitstudio.listing.cuda.host_launches.instances import Launched

LineRange = tuple[int, int]
"""The first and the last line, from 1."""

_HOST = re.compile(rb"\b__host__\b")
# That of a variable, as in `void (*table[])(int) = {…}`.
_POINTER_NAME = re.compile(rb"\(\s*+(?:(?:\w+\s*+::\s*+)+)?\*\s*+(\w++)(?=[^()]*+\)\s*+\()")
_CONTINUED = re.compile(rb"\\(\r?\n)")
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
# `Type(const Type &) = default;`
_DEFAULTED = re.compile(rb"=\s*+(?:default|delete)\s*+;\Z")
# `f(x)`, `table[i](x)`, `[] { … }`, `new Type`
_CALL = re.compile(rb"[\w>\]]\s*+\(|\]\s*+\{|\bnew\b")
_LIBRARY_HEADER = re.compile(rb"#[ \t]*+include[ \t]*+<(thrust|cub)/")
# `namespace name`, but not `using namespace name`
_NAMED = re.compile(rb"namespace(?<!\wnamespace)(?<!using namespace)\s++([A-Za-z_]\w*)")
# `[=] __device__ (int i)`: CUDA C++ Programming Guide, "Extended Lambdas".
_DEVICE_LAMBDA = re.compile(rb"\]\s*+(?:__host__\s*+)?__device__\b(?:\s*+__host__\b)?")
# A text with more braces too many is no program.
_MOST_STRAY = 50
_STAYS = re.compile(rb"[ \t]*+#[ \t]*+(?:if|el|endif|define|undef|error|line)")
_INCLUDE = re.compile(rb"#[ \t]*+include\b")
_NO_WORDS = re.compile(HIDDEN)


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
    marks: tuple[Mark, ...] = ()
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
        return with_marks(blanked(self.text, self.spans, self.directives), self.marks)

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
        self._macros = TextMacros(text, macros)
        self._outline = outline(text, self._macros.device)
        self._code = self._outline.code
        self._facts = DeclarationFacts(self._outline, self._macros, self._refused_spans)
        self._spans: list[tuple[int, int]] = []
        self._doubts: list[tuple[int, str]] = []
        self._names: dict[bytes, int] = {}
        self._candidates: list[Candidate] = []
        self._marks = DeviceMarks(text, self._code)
        self._overloads: list[OutlineItem] = []
        self._unmarked: list[OutlineItem] = []

    def judge(self) -> HostCode:
        """Returns the parts of the text for the host only."""
        others = [item for item in self._outline.items if id(item) not in self._facts.device]
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

    def _doubt_overloads(self) -> None:
        """Doubts functions that are set aside although calls in device code might choose them."""
        seen = set()
        for overload in self._overloads:
            same = self._facts.device_namesakes(overload)
            if not same or overload.head.startswith(b"template"):
                continue
            mine, own = self._facts.signature(overload), self._facts.arguments(overload)
            others = [
                self._facts.arguments(other)
                for other in same
                if b"__global__" not in other.head and self._facts.signature(other)[:2] == mine[:2]
            ]
            is_new = mine[:2] not in seen
            seen.add(mine[:2])
            if is_new and any(max(own[0], x[0]) <= min(own[-1], x[-1]) for x in others):
                name = mine.name.decode("ascii", "replace")
                if sign := sign_of(mine.name):
                    name = f"operator {sign.decode('ascii', 'replace')}"
                self._doubt(
                    overload.start,
                    f"Device code has another '{name}': its calls choose that one, and nvcc may "
                    "choose this.",
                )

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
        inside = directives_within(self._outline.directives, spans)
        stays = tuple(x for x in inside if self._stays(x))
        macros = dict(self._macros.definitions)
        headers, others = [], []
        for header in self._headers if self._with_launched else ():
            macros = defined_macros(header) | macros
            if LAUNCH.search(header) or (b"__global__" in header and b"template" in header):
                headers.append(outline(header))
            else:
                others.append(header)
        names: tuple[tuple[str, int], ...] = ()
        texts = (self._text, *self._headers)
        if self._with_launched and any(b"template" in text for text in texts):
            # It loads a reader of launches, and few texts have templates.
            from jitstudio.listing.cuda.host_launches.instances import (  # noqa: PLC0415
                launched_instances,
            )

            launched = launched_instances(self._text, self._outline, macros, headers, others)
            self._doubt_launches(launched)
            names = launched.names
        places = (*self._doubts, *((at, name) for name, at in names))
        lines = lines_of(self._text, {at for at, _ in places}.union(self._names.values()))
        doubts = tuple(Doubt(lines[at], reason) for at, reason in sorted(self._doubts))
        of_host = tuple((n.decode("utf-8", "replace"), lines[x]) for n, x in self._names.items())
        marks = self._marks.outside(spans)
        read = tuple((name, lines[at]) for name, at in names)
        return HostCode(self._text, tuple(spans), stays, marks, doubts, of_host, read)

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
        head = head_of(declaration)
        match declaration.kind:
            case Kind.TYPE:
                self._look_at_type(declaration)
            case Kind.FUNCTION:
                self._look_at_function(declaration, head)
            case Kind.OTHER:
                self._look_at_other(declaration, head)
            case Kind.UNCLEAR:
                self._look_at_call(declaration)

    def _look_at_type(self, declaration: OutlineItem) -> None:
        if declaration.parent:
            return
        start, end = declaration.start, declaration.end
        tail = self._facts.tail(declaration)
        if tail and not _NO_VARIABLE.match(declaration.head):
            self._set_aside(declaration.body_end, end - 1)
        if self._facts.is_marked(self._code[start:end]):
            return
        if name := self._facts.name_of_type(declaration):
            self._candidates.append(Candidate(declaration, name, False))

    def _look_at_function(self, declaration: OutlineItem, head: DeclarationHead) -> None:
        if head.parameters is None or self._facts.is_redeclared(declaration):
            return
        start = declaration.start
        body = self._code[declaration.body : declaration.end]
        if self._facts.is_refused(declaration):
            pass
        elif DEVICE.search(body):
            rest, lambdas = _DEVICE_LAMBDA.subn(b"]", body)
            if DEVICE.search(rest):
                self._doubt(start, "This looks like host code, but there is device code in it.")
                return
            if lambdas:
                self._doubt(start, "NVRTC takes no __device__ lambda: none of this is compiled.")
        elif (why := self._facts.why_unsure(declaration, head)) and not SURELY_HOST.search(body):
            self._doubt(start, why)
            return
        is_host = _HOST.search(declaration.head)
        if not is_host and self._marks.put(declaration, CONSTEXPR):
            if not declaration.parent:
                self._candidates.append(Candidate(declaration, head.name, False))
        elif declaration.parent and declaration.complete and self._marks.put(declaration, VIRTUAL):
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
        elif not self._facts.is_prototype(declaration, head):
            self._look_at_variable(declaration, head)
        elif _DEFAULTED.search(text):
            self._marks.put(declaration, VIRTUAL)
        elif self._facts.is_redeclared(declaration):
            pass
        elif self._marks.put(declaration, CONSTEXPR):
            self._candidates.append(Candidate(declaration, head.name, False))
        elif declaration.parent and (
            self._marks.put(declaration, VIRTUAL) or self._keeps_traits(declaration, head)
        ):
            pass
        elif b"const" in head.words and not (
            declaration.parent or self._facts.is_refused(declaration)
        ):
            self._candidates.append(Candidate(declaration, head.name, True))
        elif not self._facts.is_refused(declaration) and (
            why := self._facts.why_unsure(declaration, head)
        ):
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
            if call.kind is not Kind.UNCLEAR or not self._facts.is_refused(call):
                continue
            name = b"".join(NAMES.findall(call.head)[:1])
            if name in self._macros.device:
                self._spans += self._functions_in_macro(name)
            elif name in self._macros.known:
                self._set_aside(call.start, call.end)

    def _functions_in_macro(self, name: bytes) -> Iterator[tuple[int, int]]:
        """Yields where functions of the host are in the definition of a macro, line by line."""
        for start, end in self._outline.directives:
            match = DEFINE.match(self._text, start, end)
            if match is None or match[1] != name:
                continue
            body = _CONTINUED.sub(rb" \1", match[3])
            for item in outline(body, self._macros.device).items:
                if item.kind is Kind.FUNCTION and not self._facts.is_marked(item.head):
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
            if is_made or self._facts.is_refused(declaration):
                self._set_aside(declaration.start, declaration.end)
        elif _DECLARED_ONLY.match(text):
            pass
        elif declaration.parent:
            if b"static" in head.words and not CONST.search(text):
                self._set_aside(declaration.start, declaration.end)
        elif self._facts.is_constant(text, head):
            calls = bool(_CALL.search(ANGLES.sub(b"", text)))
            self._candidates.append(Candidate(declaration, head.name, calls, is_value=True))
            if self._has_dynamic and not calls and self._facts.is_arithmetic(text, head):
                self._marks.put(declaration, PLAIN_CONST)
        elif not self._facts.is_refused(declaration) and (
            why := self._facts.why_marked(declaration, head)
        ):
            self._doubt(declaration.start, why)
        else:
            name = head.name or (pointer[1] if pointer else b"")
            self._set_aside(declaration.start, declaration.end, name)

    def _keeps_traits(self, declaration: OutlineItem, head: DeclarationHead) -> bool:
        """Leaves a constructor, destructor or assignment for the device without a body.

        Without it the class would have other traits, such as that it may be copied as bytes.
        """
        is_assignment = bool(declaration.parent) and sign_of(head.name) == b"="
        is_kept = is_assignment or is_special(declaration, head)
        if not is_kept or b"friend" in head.words or not declaration.complete:
            return False
        body = self._marks.put_on_special(declaration, is_assignment=is_assignment)
        if body is None:
            self._unmarked.append(declaration)
            return False
        if body[0] < body[1]:
            self._spans.append(body)
        self._candidates.append(Candidate(declaration, b"", False))
        return True

    def _doubt(self, at: int, reason: str) -> None:
        self._doubts.append((at, reason))

    def _set_aside(self, start: int, end: int, name: bytes = b"") -> None:
        self._spans.append((start, end))
        if name and name not in self._names and not sign_of(name):
            self._names[name] = start

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
        own = self._facts.types.union(_NAMED.findall(self._code)) if self._candidates else set()
        weighing = Weighing(self._code, self._candidates, self._spans, self._unknown_spans, own)
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
