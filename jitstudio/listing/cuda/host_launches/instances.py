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

from jitstudio.listing.cuda.host_launches.brackets import (
    arguments_at_end,
    split,
    with_joined_chevrons,
)
from jitstudio.listing.cuda.host_launches.macros import LaunchMacros, Macro
from jitstudio.listing.cuda.host_launches.mentions import FollowedFunction, Mention, TextKnown
from jitstudio.listing.cuda.host_launches.templates import (
    Known,
    Places,
    TemplateHead,
    counted,
    host_instance,
    instance,
    resolved,
    template,
    truth,
)
from jitstudio.listing.cuda.outline import DEVICE, Kind, Outline, OutlineItem, class_name
from jitstudio.listing.cuda.outline import outline as read_outline
from jitstudio.listing.cuda.words import words_in

_ANY_NAME = re.compile(rb"[A-Za-z_]\w*")
_ARGUMENTS = re.compile(rb"<[^<>]*>")
_CHARACTER = re.compile(rb"'(?:[^'\\\n]|\\[^\n]{1,4})'")
_MOST = 64
# Launches of templates that are looked at, and calls of functions that launch them.
_MOST_LAUNCHES = 200
_MOST_CALLS = 200


class Launched(NamedTuple):
    """The instances of kernel templates that host code launches.

    Attributes:
        names: A name expression for each.
        rest: Where the first launch is that was not looked at, as there are too many; None if all
            were.
        without: Kernel templates of the text of which there is no instance, with where each begins.
        unknown: Kernel templates of which there are instances, and a launch of another that nobody
            knows, with where that is.
    """

    names: tuple[str, ...] = ()
    rest: int | None = None
    without: tuple[tuple[bytes, int], ...] = ()
    unknown: tuple[tuple[bytes, int], ...] = ()


def launched_instances(
    text: bytes,
    outline: Outline,
    host: list[OutlineItem],
    macros: Mapping[bytes, Macro] = MappingProxyType({}),
    headers: Iterable[Outline] = (),
    others: Collection[bytes] = (),
) -> Launched:
    """Returns the instances of kernel templates that host code launches.

    Args:
        text: The text.
        outline: Its declarations.
        host: Those of them that are functions of the host, or make instances of some.
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
    reader.take(outline, host, text)
    for each in headers:
        reader.take(each, _host_functions(each), None)
    launched = reader.read()
    if launched.rest is not None:
        return launched._replace(unknown=())
    named = {name.partition("<")[0].encode() for name in launched.names}
    mentions = _without_heads(outline, own)
    without = tuple(
        (_name(item), item.start)
        for item in own
        if _path(item) not in named
        and not re.search(rb"\b%s\s*+<" % re.escape(_name(item)), mentions)
    )
    gone = {name for name, _ in without}
    unknown = tuple(each for each in launched.unknown if each[0] not in gone)
    return launched._replace(without=without, unknown=unknown)


def _host_functions(outline: Outline) -> list[OutlineItem]:
    """Returns the functions of a header that nothing marks as those of the device."""
    return [
        item
        for item in outline.items
        if item.kind is Kind.FUNCTION and not DEVICE.search(item.head)
    ]


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

    def take(self, outline: Outline) -> None:
        """Reads what a text declares."""
        for item in outline.items:
            if item.scope and item.kind in (Kind.TYPE, Kind.OTHER):
                for name in _declared_names(item):
                    self._scopes[name].add(item.scope)

    def qualified(self, words: bytes, scope: bytes) -> bytes:
        """Returns a template argument as it is written outside of the namespaces of a function."""
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
_LAST_NAME = re.compile(rb"(?<!\w)(\w++)\s*+(?:[=;{]|\Z)")


def _declared_names(item: OutlineItem) -> Iterator[bytes]:
    if item.kind is Kind.TYPE:
        yield class_name(item.head)
    elif alias := _ALIAS.match(item.head):
        yield alias[1]
    elif b"(" not in item.head and (name := _LAST_NAME.search(item.head)):
        yield name[1]


class _SameName:
    """The functions of the host that get template arguments by one name.

    Attributes:
        functions: All of them.
        general: The template of the first that is for any arguments; None without one.
        special: Those that are for some arguments alone, by these.
    """

    def __init__(self) -> None:
        self.functions: list[FollowedFunction] = []
        self.general: TemplateHead | None = None
        self.special: dict[tuple[bytes, ...], FollowedFunction] = {}

    def take(self, function: FollowedFunction) -> None:
        """Takes one of them."""
        self.functions.append(function)
        if listed := _specialised(function.item):
            self.special[tuple(map(counted, listed))] = function
        elif self.general is None:
            self.general = _template_around(function.item)


class _Reader:
    def __init__(
        self,
        kernels: Mapping[bytes, list[OutlineItem]],
        macros: Mapping[bytes, Macro],
        others: Collection[bytes],
    ) -> None:
        self._kernels = kernels
        self._macros = macros
        self._rest: int | None = None
        self._scopes = _Scopes(others)
        self._texts: list[tuple[Outline, list[OutlineItem], bytes | None]] = []
        self._host: list[FollowedFunction] = []
        self._templates: defaultdict[bytes, _SameName] = defaultdict(_SameName)

    def take(self, outline: Outline, host: list[OutlineItem], text: bytes | None) -> None:
        """Takes the host code of a text; that of a header where the text itself is None."""
        self._texts.append((outline, host, text))
        self._scopes.take(outline)

    def _begin(self) -> None:
        """Puts macros in place, and looks for what names templates."""
        host = [item for _, listed, _ in self._texts for item in listed]
        names = {*self._kernels, *(name for item in host if (name := _name_of_template(item)))}
        launching = LaunchMacros(self._macros, names)
        wanted = {*self._kernels, *launching.leading}
        for outline, listed, text in self._texts:
            others = _others(outline, listed, wanted)
            variables = (i.head for i in outline.items if i.kind is Kind.OTHER and not i.parent)
            outside = b"\n".join(variables)
            for item in (*listed, *others):
                code = outline.code[item.start : item.end]
                words = words_in(code)
                name = _name_of_template(item) or _name_of_specialised(item)
                if not name and words.isdisjoint(launching.looked_for):
                    continue
                if text is not None:
                    code = _with_characters(code, text[item.start : item.end])
                code = with_joined_chevrons(code)
                expanded = launching.expanded(code, words)
                if expanded is not code:
                    words = words_in(expanded)
                owner = item.parent
                around = outline.code[owner.start : owner.end] if owner else b""
                function = FollowedFunction(
                    item, name, expanded, words, around, outside, text is not None
                )
                self._host.append(function)
                if name:
                    self._templates[name].take(function)
        self._mentions = {id(f): f.mentions(names, self._kernels) for f in self._host}
        self._places = self._follow()

    def read(self) -> Launched:
        """Returns the instances, in the order of the launches."""
        self._begin()
        instances: dict[str, None] = {}
        unknown: dict[bytes, int] = {}
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
                instances[name] = None
            else:
                unknown.setdefault(_name(self._kernel(mention.name)), at)
        return Launched(tuple(instances), self._rest, unknown=tuple(unknown.items()))

    def _follow(self) -> dict[int, dict[tuple[bytes, ...], Places]]:
        """Returns what the parameters of each host template are, once for each of its calls."""
        followed: dict[int, dict[tuple[bytes, ...], Places]] = {id(f): {} for f in self._host}
        waiting: deque[tuple[FollowedFunction, Places]] = deque()
        for function in self._host:
            if not function.name:
                followed[id(function)][()] = {}
                waiting.append((function, {}))
        calls = 0
        while waiting:
            function, places = waiting.popleft()
            for mention, known in self._taken(function, places):
                same = self._templates.get(_last(mention.name))
                for called in same.functions if same else ():
                    calls += 1
                    if calls > _MOST_CALLS:
                        self._rest = self._place(called, 0) if self._rest is None else self._rest
                        return followed
                    bound = self._given_to(called, mention, known)
                    if bound is not None and bound[0] not in followed[id(called)]:
                        followed[id(called)][bound[0]] = bound[1]
                        waiting.append((called, bound[1]))
        return followed

    def _place(self, function: FollowedFunction, at: int) -> int:
        """Returns a place of a function in the text; the start where that is a header's."""
        return min(function.item.start + at, function.item.end) if function.is_own else 0

    def _given_to(
        self, called: FollowedFunction, mention: Mention, known: Known
    ) -> tuple[tuple[bytes, ...], Places] | None:
        """Returns the arguments that a host template gets at a call, and what its parameters are.

        None for what is another's, and where an argument cannot be known.
        """
        own, same_name = _template_around(called.item), self._templates[_last(mention.name)]
        is_special = bool(_specialised(called.item))
        if is_special:
            own = same_name.general or own
        arguments = host_instance(own, mention.given, mention.arguments, known)
        if arguments is None:
            return None
        chosen = same_name.special.get(tuple(counted(each.strip(b"()")) for each in arguments))
        if chosen is not (called if is_special else None):
            return None
        around = _class_around(called.item)
        outer = host_instance(around, mention.owner, (), known) if mention.owner else None
        if outer is None and around.names:
            # One method calls another of its class.
            same = [known.meaning(name, 0) for name in around.names]
            outer = tuple(each for each in same if each is not None)
        outer = outer if outer and len(outer) >= len(around.names) else ()
        places = (around.places(outer) if outer else {}) | own.places(arguments)
        return (*outer, *arguments), places

    def _taken(self, function: FollowedFunction, places: Places) -> Iterator[tuple[Mention, Known]]:
        """Yields the mentions of templates that a host function compiles with these parameters."""
        gone = []
        for condition, branches in function.guards:
            known = TextKnown(function, branches[0][0], places)
            holds = truth(resolved(condition, known))
            if holds is not None:
                gone.append(branches[holds])  # of two, the second is that of `else`
        own = _template_around(function.item) if places else TemplateHead()
        pack = own.names[-1] if own.has_pack else b""
        for mention in self._mentions[id(function)]:
            if any(start <= mention.at < end for start, end in gone):
                continue
            for each in _spread(places, pack, mention) if pack else (places,):
                yield mention, TextKnown(function, mention.at, each)

    def _launches(self, function: FollowedFunction) -> Iterator[tuple[Mention, bytes]]:
        """Yields where a function launches, and the instance; empty where it cannot be known."""
        for places in self._places[id(function)].values():
            for mention, known in self._taken(function, places):
                if not mention.is_launch:
                    continue
                kernel = self._kernel(mention.name)
                given, arguments = list(mention.given), list(mention.arguments)
                listed = instance(_template(kernel), given, arguments, known) or ()
                scope = function.item.scope
                words = (self._scopes.qualified(each, scope) for each in listed)
                name = _path(kernel) + b"<" + b", ".join(words) + b">"
                yield mention, name if listed else b""

    def _kernel(self, written: bytes) -> OutlineItem:
        """Returns the kernel that a name means: of several the global one, then the first."""
        name = written.removeprefix(b"::")
        same = self._kernels[_last(name)]
        return next((each for each in same if _path(each) == name), same[0])


def _last(name: bytes) -> bytes:
    return name.rpartition(b"::")[2]


def _others(
    outline: Outline, host: Collection[OutlineItem], names: Collection[bytes]
) -> Iterator[OutlineItem]:
    """Yields what names kernels outside of functions: tables of them, and calls of macros."""
    chosen = {id(item) for item in host}
    for item in outline.items:
        if item.kind not in (Kind.OTHER, Kind.UNCLEAR) or id(item) in chosen:
            continue
        words = words_in(outline.code[item.start : item.end])
        if not (words.isdisjoint(names) or DEVICE.search(item.head)):
            yield item


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
    written = b", ".join(mention.given)
    if not re.search(rb"\b%s\b(?!\s*+(?:\.\.\.|\)))" % re.escape(pack), written):
        yield places
        return
    for each in split(places.get(pack, b"")):
        yield {**places, pack: each}


def _path(item: OutlineItem) -> bytes:
    """Returns the name of a function with the namespaces that it is in."""
    return b"::".join(part for part in (item.scope, _name(item)) if part)


def _name_of_template(function: OutlineItem) -> bytes:
    """Returns the name by which a function of the host gets template arguments; empty for none.

    That of a method of a class template is the class's.
    """
    if _template(function).names:
        return _name(function)
    owner = function.parent
    return class_name(owner.head) if owner is not None and _template(owner).names else b""


def _name_of_specialised(function: OutlineItem) -> bytes:
    """Returns the name of a host template of which a function is for some arguments alone."""
    if not _specialised(function):
        return b""
    owner = function.parent
    if owner is not None and _specialised(owner):
        return class_name(owner.head)
    return _name(function)


def _specialised(item: OutlineItem) -> list[bytes]:
    """Returns the arguments for which ``template <>`` says what a function or class is."""
    if item.template.strip().replace(b" ", b"") == b"<>":
        before = item.head.partition(b"(")[0] if item.kind is not Kind.TYPE else item.head
        before = _BASES.split(before, maxsplit=1)[0] if item.kind is Kind.TYPE else before
        if listed := arguments_at_end(before.rstrip(b"{ \t\r\n")):
            return split(listed)
    return _specialised(item.parent) if item.parent is not None else []


def _class_around(function: OutlineItem) -> TemplateHead:
    """Returns the class template whose member a template of its own is."""
    is_member = bool(_template(function).names) and function.parent is not None
    return template(function.parent.template) if is_member and function.parent else TemplateHead()


def _template_around(function: OutlineItem) -> TemplateHead:
    """Returns the template whose arguments a function of the host gets."""
    own = _template(function)
    if own.names or function.parent is None:
        return own
    return template(function.parent.template)


def _name(item: OutlineItem) -> bytes:
    before = item.head.partition(b"(")[0] if item.kind is not Kind.TYPE else b""
    words = _ANY_NAME.findall(_ARGUMENTS.sub(b"", before))
    return words[-1] if words else b""


def _template(item: OutlineItem) -> TemplateHead:
    return template(item.template, item.head)
