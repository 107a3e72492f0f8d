"""The instances of kernel templates that host code names.

nvcc compiles them as the host needs them; NVRTC has to be asked for each by a name expression.
Every mention of a kernel with template arguments is an instance, be it launched there or handed on
(``cudaFuncSetAttribute(k<4>, …)``, ``Kernel *table[] = {k<1>, k<2>}``), also in macros, which are
put in place first. Templates of the host are followed from call to call until nothing is new
(``each<8>`` calls ``each<N / 2>``), past branches of ``if constexpr`` that are not taken.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from jitstudio.listing.cuda.host_launches.brackets import split, with_joined_chevrons
from jitstudio.listing.cuda.host_launches.generic_lambdas import GenericLambdas
from jitstudio.listing.cuda.host_launches.levels import Level, constructor, levels, qualified
from jitstudio.listing.cuda.host_launches.macros import LaunchMacros, Macro
from jitstudio.listing.cuda.host_launches.mentions import (
    FollowedFunction,
    Mention,
    ProgramTexts,
    TextKnown,
)
from jitstudio.listing.cuda.host_launches.namespace_aliases import NamespaceAliases
from jitstudio.listing.cuda.host_launches.templates import (
    Known,
    Places,
    TemplateHead,
    host_instance,
    instance,
    resolved,
    template,
    truth,
)
from jitstudio.listing.cuda.outline import DEVICE, Kind, Outline, OutlineItem, class_name
from jitstudio.listing.cuda.outline import outline as read_outline
from jitstudio.listing.cuda.words import listed_words, words_in

_ANY_NAME = re.compile(rb"[A-Za-z_]\w*")
_ARGUMENTS = re.compile(rb"<[^<>]*>")
_CHARACTER = re.compile(rb"'(?:[^'\\\n]|\\[^\n]{1,4})'")
_MOST = 64
# Launches of templates that are looked at, and calls of functions that launch them.
_MOST_LAUNCHES = 200
_MOST_CALLS = 600


class Launched(NamedTuple):
    """The instances of kernel templates that host code launches.

    Attributes:
        names: A name expression for each, with where it was read.
        rest: Where the first launch is that was not looked at, as there are too many; None if all
            were.
        without: Kernel templates of the text of which there is no instance, with where each begins.
        unknown: Kernel templates of which there are instances, and a launch of another that nobody
            knows, with where that is.
        calls: Templates of the host that launch kernels, and a call of each whose template
            arguments nobody knows, with where that is.
        uncalled: Templates of the host that launch kernels and of which no call was seen, with
            where each begins.
    """

    names: tuple[tuple[str, int], ...] = ()
    rest: int | None = None
    without: tuple[tuple[bytes, int], ...] = ()
    unknown: tuple[tuple[bytes, int], ...] = ()
    calls: tuple[tuple[bytes, int], ...] = ()
    uncalled: tuple[tuple[bytes, int], ...] = ()


def launched_instances(
    text: bytes,
    outline: Outline,
    macros: Mapping[bytes, Macro] = MappingProxyType({}),
    headers: Iterable[Outline] = (),
    others: Collection[bytes] = (),
) -> Launched:
    """Returns the instances of kernel templates that host code launches.

    Args:
        text: The text.
        outline: Its declarations.
        macros: The macros that the text knows.
        headers: The declarations of headers that it includes.
        others: The texts of headers that launch nothing, and declare what launches name.
    """
    own, headers = list(kernel_templates(outline)), list(headers)
    templates: defaultdict[bytes, list[OutlineItem]] = defaultdict(list)
    for item in (*own, *(item for each in headers for item in kernel_templates(each))):
        templates[_name(item)].append(item)
    if not templates:
        return Launched()
    reader = _Reader(templates, macros, others)
    reader.take(outline, text)
    for each in headers:
        reader.take(each, None)
    launched = reader.read()
    if launched.rest is not None:
        return launched._replace(unknown=(), calls=(), uncalled=())
    named = {name.partition("<")[0].encode() for name, _ in launched.names}
    mentions = _without_heads(outline, own)
    without = tuple(
        (_name(item), item.start)
        for item in own
        if not _is_among(named, _path(item))
        and not re.search(rb"\b%s\s*+<" % re.escape(_name(item)), mentions)
    )
    gone = {name for name, _ in without}
    unknown = tuple(each for each in launched.unknown if each[0] not in gone)
    return launched._replace(without=without, unknown=unknown)


def _is_among(named: Collection[bytes], path: bytes) -> bool:
    """Returns whether an instance is named by a path, or by one that `using namespace` ends."""
    qualifies = b"::" in path
    return path in named or (qualifies and any(each.endswith(b"::" + path) for each in named))


def kernel_templates(outline: Outline) -> Iterator[OutlineItem]:
    """Yields the kernel templates among the declarations of a text."""
    for item in outline.items:
        if b"__global__" in item.head and item.template.strip(b"<> \t\r\n"):
            yield item


def _without_heads(outline: Outline, items: Iterable[OutlineItem]) -> bytes:
    """Returns the device code of a text that may name an instance: explicit instantiations."""
    chosen = {id(item) for item in items}
    return b"\n".join(
        item.head
        for item in outline.items
        if id(item) not in chosen and item.head.startswith((b"template", b"extern template"))
    )


class _Scopes:
    """The namespaces and classes in which texts declare types and constants."""

    def __init__(self, unread: Collection[bytes]) -> None:
        self._unread = unread
        self._scopes: defaultdict[bytes, set[bytes]] = defaultdict(set)
        self._namespaces = NamespaceAliases()
        self.classes: set[bytes] = set()

    def take(self, outline: Outline) -> None:
        """Reads what a text declares."""
        self._namespaces.take(outline.code)
        for item in outline.items:
            if item.kind is Kind.TYPE:
                self.classes.add(class_name(item.head))
            if item.scope and item.kind in (Kind.TYPE, Kind.OTHER):
                for name in _declared_names(item, outline.code):
                    self._scopes[name].add(item.scope)
        for scope in {item.scope for item in outline.items}:
            outer, _, name = scope.rpartition(b"::")
            while outer:
                self._scopes[name].add(outer)
                outer, _, name = outer.rpartition(b"::")

    def meant(self, name: bytes) -> bytes:
        """Returns a name with namespaces in the places of their aliases."""
        return self._namespaces.resolved(name)

    def qualified(self, words: bytes, scope: bytes) -> bytes:
        """Returns a template argument as it is written outside of the namespaces of a function."""
        # Nothing depends on a parameter there, and `typename Plan<float>::threads` is no value.
        words = _TYPENAME.sub(b"", self.meant(words)) if b"::" in words else words
        if not scope:
            return words
        for text in self._unread:
            if b"namespace" in text:
                self.take(read_outline(text))
        self._unread = ()

        def path(match: re.Match[bytes]) -> bytes:
            around, known = scope, self._scopes.get(match[0], ())
            while around:
                if around in known:
                    return around + b"::" + match[0]
                around = around.rpartition(b"::")[0]
            return match[0]

        return _FIRST_NAME.sub(path, words)


_FIRST_NAME = re.compile(rb"(?<![\w.:])[A-Za-z_]\w*")
_ALIAS = re.compile(rb"using\s+(\w+)\s*+=")
_BASES = re.compile(rb"(?<!:):(?!:)")
_SIZE_OF_PACK = re.compile(rb"sizeof\s*+\.\.\.\s*+\([^()]*+\)")
_HOST = re.compile(rb"\b__host__\b")
# What names a template and makes no instance of it.
_NO_USE = re.compile(rb"(?:using|typedef|friend|extern\s++template)\b")
# `using X = Y;` and `typedef Y X;`.
_ALIASED = re.compile(
    rb"using\s++(?P<name>\w++)\s*+=(?P<meant>[^;]++);"
    rb"|typedef\s++(?P<type>[^;]*[\s>])(?P<alias>\w++)\s*+;"
)
_TYPENAME = re.compile(rb"\btypename\s++")
# Its enumerators are names of the scope around [dcl.enum].
_PLAIN_ENUM = re.compile(rb"\benum\b(?!\s++(?:class|struct)\b)")
_LAST_NAME = re.compile(rb"(?<!\w)(\w++)\s*+(?:[=;{]|\Z)")


def _declared_names(item: OutlineItem, code: bytes) -> Iterator[bytes]:
    if item.kind is Kind.TYPE:
        yield class_name(item.head)
        if b"enum" in item.head and _PLAIN_ENUM.search(item.head):
            for enumerator in split(code[item.body + 1 : item.body_end - 1]):
                yield enumerator.partition(b"=")[0].strip()
    elif alias := _ALIAS.match(item.head):
        yield alias[1]
    elif b"(" not in item.head and (name := _LAST_NAME.search(item.head)):
        yield name[1]


class _Reader:
    def __init__(
        self,
        kernels: Mapping[bytes, list[OutlineItem]],
        macros: Mapping[bytes, Macro],
        others: Collection[bytes],
    ) -> None:
        self._kernels = kernels
        self._macros = dict(macros)
        self._rest: int | None = None
        self._scopes = _Scopes(others)
        self._texts: list[tuple[Outline, bytes | None]] = []
        self._host: list[FollowedFunction] = []
        self._templates: defaultdict[bytes, list[FollowedFunction]] = defaultdict(list)
        self._unknown: dict[bytes, int] = {}
        self._calls_unknown: dict[bytes, int] = {}

    def take(self, outline: Outline, text: bytes | None) -> None:
        """Takes the host code of a text; that of a header where the text itself is None."""
        self._texts.append((outline, text))
        self._scopes.take(outline)

    def _begin(self) -> None:
        """Puts macros in place, and looks for what names templates."""
        leading = self._leading_templates()
        launching = LaunchMacros(self._macros, {*self._kernels, *leading})
        outlines = [outline for outline, _ in self._texts]
        program = self._program = ProgramTexts(outlines)
        self._lambdas = GenericLambdas(outlines)
        for outline, text in self._texts:
            variables = (i.head for i in outline.items if i.kind is Kind.OTHER and not i.parent)
            outside = b"\n".join(variables)
            for item, start, end, words in _host_parts(outline, launching.looked_for):
                code = outline.code[start:end]
                if text is not None:
                    code = _with_characters(code, text[start:end])
                code = with_joined_chevrons(code)
                expanded = launching.expanded(code, words)
                if expanded is not code:
                    words = words_in(expanded)
                owner = item.parent
                around = outline.code[owner.start : owner.end] if owner else b""
                function = FollowedFunction(
                    item, start, expanded, words, program, around, outside, is_own=text is not None
                )
                self._host.append(function)
                if (name := function.name) in leading:
                    self._templates[name].append(function)
        are_classes = {name: fs[0].levels[-1].is_class for name, fs in self._templates.items()}
        self._mentions = {id(f): f.mentions(self._kernels, are_classes) for f in self._host}
        for name in self._templates:
            sign = name.removeprefix(b"operator")
            for function in self._host if sign != name and sign not in (b"()", b"[]") else ():
                self._mentions[id(function)] += function.operations(sign)
        self._places = self._follow()

    def _leading_templates(self) -> set[bytes]:
        """Returns the templates of the host that name kernel templates, be it by others.

        An alias of one becomes a macro.
        """
        words: defaultdict[bytes, set[bytes]] = defaultdict(set)
        templates = set[bytes]()
        aliases: dict[bytes, bytes] = {}
        for outline, _ in self._texts:
            for item in outline.items:
                if b"__global__" in item.head:
                    continue
                if own := levels(item):
                    words[own[-1].name] |= words_in(outline.code[item.start : item.end])
                elif item.kind is Kind.OTHER and (alias := _ALIASED.match(item.head)):
                    name, meant = alias["name"] or alias["alias"], alias["meant"] or alias["type"]
                    aliases[name] = meant.strip()
        templates.update(words)
        for name, macro in self._macros.items():
            words[name] |= words_in(macro.body)
        leading = set(self._kernels)
        while more := {
            n for n, w in words.items() if n not in leading and not w.isdisjoint(leading)
        }:
            leading |= more
        for name, meant in aliases.items():
            if not words_in(meant).isdisjoint(leading):
                self._macros.setdefault(name, Macro(None, meant))
        return leading & templates

    def read(self) -> Launched:
        """Returns the instances, in the order of the launches."""
        self._begin()
        instances: dict[str, int] = {}
        launches = ((f, mention, x) for f in self._host for mention, x in self._launches(f))
        for count, (function, mention, lowered) in enumerate(launches):
            name = lowered.decode("utf-8", "replace")
            at = self._place(function, mention.at)
            if count == _MOST_LAUNCHES or (
                len(instances) == _MOST and name and name not in instances
            ):
                self._rest = at
                break
            if name:
                instances.setdefault(name, at)
            else:
                self._unknown.setdefault(_name(self._kernel(mention.name)), at)
        return Launched(
            tuple(instances.items()),
            self._rest,
            unknown=tuple(self._unknown.items()),
            calls=tuple(self._calls_unknown.items()),
            uncalled=tuple(self._uncalled()),
        )

    def _follow(self) -> dict[int, dict[tuple[tuple[bytes, bytes], ...], Places]]:
        """Returns what the parameters of each host template are, once for each of its calls."""
        followed: dict[int, dict[tuple[tuple[bytes, bytes], ...], Places]]
        followed = {id(f): {} for f in self._host}
        waiting: deque[tuple[FollowedFunction, Places]] = deque()
        for function in self._host:
            if not function.levels:
                followed[id(function)][()] = {}
                waiting.append((function, {}))
        calls = 0
        while waiting:
            function, places = waiting.popleft()
            for mention, known in self._taken(function, places):
                if mention.is_launch:
                    continue
                meant = self._meant(mention, known)
                calls += len(meant)
                if calls > _MOST_CALLS:
                    at = self._place(meant[0], 0)
                    self._rest = at if self._rest is None else self._rest
                    return followed
                scope = _scope(function.item)
                bound = [(called, self._bound(called, mention, known, scope)) for called in meant]
                is_unknown = bound and all(each is None for _, each in bound)
                if is_unknown and mention.is_sure and self._program.plain(meant[0].name) is None:
                    at = self._place(function, mention.at)
                    self._calls_unknown.setdefault(meant[0].name, at)
                for called, inner in bound:
                    key = tuple((inner or {}).items())
                    if inner is not None and key and key not in followed[id(called)]:
                        followed[id(called)][key] = inner
                        waiting.append((called, inner))
        return followed

    def _meant(self, mention: Mention, known: Known) -> list[FollowedFunction]:
        """Returns the templates of the host that a mention may be of: all parts of a class."""
        path, _, name = mention.name.rpartition(b"::")
        same = self._templates.get(name, [])
        owner = path.rpartition(b"::")[2] or (mention.owners[-1][0] if mention.owners else b"")
        if owner and owner in self._scopes.classes:
            same = [f for f in same if f.levels[-1].is_class or f.owner == owner]
        if mention.holder is None:
            return same
        same = [each for each in same if each.owner]
        kind = _class_of(mention.holder, known)
        if kind is None:
            return same
        # Of another class of the program the owner may be a base.
        return same if kind[0] in self._scopes.classes else [x for x in same if x.owner == kind[0]]

    def _place(self, function: FollowedFunction, at: int) -> int:
        """Returns a place of a function in the text; the start where that is a header's."""
        return min(function.start + at, function.item.end) if function.is_own else 0

    def _uncalled(self) -> Iterator[tuple[bytes, int]]:
        """Yields the templates of the host that name kernels and that nobody was seen to call.

        Those of headers where the text names them.
        """
        for name, functions in self._templates.items():
            is_called = name in self._calls_unknown or any(self._places[id(f)] for f in functions)
            launching = [f for f in functions if any(m.is_launch for m in self._of(f))]
            if is_called or not launching:
                continue
            if own := next((f for f in launching if f.is_own), None):
                yield name, own.item.start
                continue
            word = re.compile(rb"\b%s\b" % re.escape(name))
            used = ((f, word.search(f.text)) for f in self._host if f.is_own)
            yield from ((name, self._place(f, use.start())) for f, use in used if use)

    def _of(self, function: FollowedFunction) -> list[Mention]:
        return self._mentions[id(function)]

    def _bound(
        self, called: FollowedFunction, mention: Mention, known: Known, scope: bytes
    ) -> dict[bytes, bytes] | None:
        """Returns what the parameters of a host template are at a call, those of its class, too.

        None where an argument cannot be known; nothing where another specialisation is meant.
        """
        *around, own = called.levels
        given = dict(mention.owners)
        if mention.holder and (kind := _class_of(mention.holder, known)) is not None:
            given.setdefault(*kind)
        places: dict[bytes, bytes] = {}
        for level in around:
            arguments = None
            if level.name in given:
                arguments = self._arguments(level, given[level.name], (), known)
            if arguments is None:
                # One method calls another of its class.
                same = [known.meaning(name, 0) for name in level.head.names]
                arguments = tuple(each for each in same if each is not None)
                if len(arguments) < len(same):
                    continue
            inner = self._matched(level, arguments)
            if inner is None:
                return {}
            places |= inner
        arguments = self._arguments(own, mention.template_arguments, mention.arguments, known)
        if arguments is None:
            return None
        inner = self._matched(own, arguments)
        if inner is None:
            return {}
        places |= inner or {own.name: b""}
        return {name: self._scopes.qualified(meant, scope) for name, meant in places.items()}

    def _arguments(
        self, level: Level, given: tuple[bytes, ...], call: tuple[bytes, ...], known: Known
    ) -> tuple[bytes, ...] | None:
        """Returns the arguments that a template gets; None where one cannot be known."""
        functions = self._templates[level.name]
        same = [each for f in functions for each in f.levels if each.name == level.name]
        heads = [each.head for each in same if not each.pattern] or [level.head]
        if level.is_class and not given:
            made = (constructor(f.item, f.levels[-1]) for f in functions)
            heads = [head for head in made if head is not None] + heads
        elif not level.is_class and not level.pattern:
            heads = [level.head]
        listed = (host_instance(head, given, call, known) for head in heads)
        return next((each for each in listed if each is not None), None)

    def _matched(self, level: Level, arguments: tuple[bytes, ...]) -> dict[bytes, bytes] | None:
        """Returns what the parameters are; None where a specialisation that says more is meant."""
        places = level.matched(arguments)
        if places is None:
            return None
        for function in self._templates[level.name]:
            other = function.levels[-1]
            if other.weight > level.weight and other.matched(arguments) is not None:
                return None
        return places

    def _taken(self, function: FollowedFunction, places: Places) -> Iterator[tuple[Mention, Known]]:
        """Yields the mentions of templates that a host function compiles with these parameters."""
        gone = []
        for condition, branches in function.guards:
            known = TextKnown(function, branches[0][0], places)
            holds = truth(resolved(condition, known))
            if holds is not None:
                gone.append(branches[holds])  # of two, the second is that of `else`
        packs = [x.head.names[-1] for x in function.levels if x.head.has_pack and places]
        for mention in self._of(function):
            if any(start <= mention.at < end for start, end in gone):
                continue
            for each in _spread(places, packs[-1] if packs else b"", mention):
                yield mention, TextKnown(function, mention.at, each)

    def _launches(self, function: FollowedFunction) -> Iterator[tuple[Mention, bytes]]:
        """Yields where a function launches, and the instance; empty where it cannot be known."""
        names = {name for level in function.levels for name in level.head.names if name}
        for places in self._places[id(function)].values():
            missing = names - places.keys()
            for mention, known in self._taken(function, places):
                if not mention.is_launch:
                    continue
                kernel = self._kernel(mention.name)
                given, arguments = list(mention.template_arguments), list(mention.arguments)
                listed = instance(_template(kernel), given, arguments, known)
                if listed is None or not missing.isdisjoint(words_in(b" ".join(listed))):
                    yield mention, b""
                    continue
                scope = _scope(function.item)
                for case in self._lambdas.cases(function.text, listed):
                    words = (self._scopes.qualified(each, scope) for each in case)
                    yield mention, _path(kernel) + b"<" + b", ".join(words) + b">"

    def _kernel(self, written: bytes) -> OutlineItem:
        """Returns the kernel that a name means: of several the global one, then the first."""
        name = self._scopes.meant(written.removeprefix(b"::"))
        same = self._kernels[name.rpartition(b"::")[2]]
        return next((each for each in same if _path(each) == name), same[0])


def _host_parts(
    outline: Outline, names: frozenset[bytes]
) -> Iterator[tuple[OutlineItem, int, int, set[bytes]]]:
    """Yields what of a text may name templates for the host, where it is, and its words.

    That is functions, tables of kernels, objects, calls of macros, the bases of classes, and the
    variables behind them.
    """
    code = outline.code
    for item in outline.items:
        is_function = item.kind is Kind.FUNCTION
        if DEVICE.search(item.head) and not (is_function and _HOST.search(item.head)):
            continue
        if item.kind is Kind.TYPE:
            bases = _BASES.search(code, item.start, item.body)
            parts = [(bases.end() if bases else item.body, item.body), (item.body_end, item.end)]
        elif is_function or (b"=" in item.head if item.template else not _NO_USE.match(item.head)):
            parts = [(item.start, item.end)]
        else:
            continue
        own = levels(item)
        # A specialisation stands in the place of the template, whatever is in it.
        is_special = bool(own) and bool(own[-1].pattern) and own[-1].name in names
        for start, end in parts:
            words = listed_words(code[start:end])
            if is_special or not names.isdisjoint(words):
                yield item, start, end, set(words)


def _class_of(variable: bytes, known: Known) -> tuple[bytes, tuple[bytes, ...]] | None:
    """Returns the class of a variable and its template arguments; None where it is not known."""
    declared = known.variable(variable) if variable else None
    path = qualified(declared[0]) if declared else []
    return (path[-1][0], tuple(split(path[-1][1] or b""))) if path else None


def _with_characters(code: bytes, text: bytes) -> bytes:
    """Returns code whose characters are no blanks: they may be arguments of templates."""
    if b"'" not in text:
        return code
    pieces, done = [], 0
    for match in _CHARACTER.finditer(text):
        if code[match.start() : match.start() + 2] == b'""':
            pieces += [code[done : match.start()], match[0]]
            done = match.end()
    return b"".join((*pieces, code[done:]))


def _spread(places: Places, pack: bytes, mention: Mention) -> Iterator[Places]:
    """Yields what the parameters are at a mention, once for each argument of a pack in it."""
    written = _SIZE_OF_PACK.sub(b"", b", ".join(mention.template_arguments))
    alone = re.search(rb"\b%s\b(?!\s*+\.\.\.)" % re.escape(pack), written) if pack else None
    if alone is None:
        yield places
        return
    for each in split(places.get(pack, b"")):
        yield {**places, pack: each}


def _path(item: OutlineItem) -> bytes:
    """Returns the name of a function with the namespaces that it is in."""
    return b"::".join(part for part in (_scope(item), _name(item)) if part)


def _scope(item: OutlineItem) -> bytes:
    """Returns what a function is in, be it defined outside of that: ``void math::scale()``."""
    if item.kind is Kind.TYPE or b"::" not in item.head:
        return item.scope
    written = qualified(item.head.partition(b"(")[0])
    return b"::".join(part for part in (item.scope, *(name for name, _ in written[:-1])) if part)


def _name(item: OutlineItem) -> bytes:
    before = item.head.partition(b"(")[0] if item.kind is not Kind.TYPE else b""
    words = _ANY_NAME.findall(_ARGUMENTS.sub(b"", before))
    return words[-1] if words else b""


def _template(item: OutlineItem) -> TemplateHead:
    return template(item.template, item.head)
