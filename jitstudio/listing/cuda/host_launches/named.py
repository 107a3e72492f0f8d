"""Functions that expressions of host code name, and the instances of templates that these are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from jitstudio.core.launch.types import Pointer, Scalar, Struct, Type
from jitstudio.listing.cuda.declarations import Scope
from jitstudio.listing.cuda.host_launches.brackets import split
from jitstudio.listing.cuda.host_launches.declared import HostDeclarations
from jitstudio.listing.cuda.host_launches.templates import (
    OnlyPlaces,
    TemplateHead,
    counted,
    host_instance,
    instance,
    resolved,
    type_of,
)
from jitstudio.listing.cuda.host_launches.values import FunctionName, Names
from jitstudio.listing.cuda.syntax import stripped, text_of
from jitstudio.listing.cuda.types import Argument

# `Mode::fast`, `kThreads`
_NAME = re.compile(rb"[A-Za-z_][\w:]*+")


@dataclass(frozen=True)
class LaunchedKernel:
    """A kernel as it is named at a launch, and its template arguments; empty for none known."""

    name: str
    template: str


class NamesKnown:
    """What is known of names where code is followed, for arguments of templates."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def meaning(self, word: bytes, depth: int) -> bytes | None:
        """Returns what a word represents: a parameter of a template, an alias, a number."""
        name = word.decode("utf-8", "replace")
        written = self._names.written.get(name)
        if written is None:
            number = self._names.values.get(name)
            written = str(int(number)) if isinstance(number, int) else None
        return None if written is None else written.encode()

    def variable(self, name: bytes) -> tuple[bytes, int] | None:
        """Returns the type of a variable, and the number of pointers to it."""
        word = name.decode("utf-8", "replace")
        if found := self._names.kinds.get(word):
            return found[0].encode(), found[1]
        return _spelled(self._names.types.get(word))


def written_bindings(bindings: Mapping[str, Argument]) -> dict[str, str]:
    """Returns what parameters of templates represent, as it can be written."""
    written = {}
    for name, known in bindings.items():
        spelled = (str(known).encode(), 0) if isinstance(known, int) else _spelled(known)
        if spelled is not None:
            written[name] = spelled[0].decode() + "*" * spelled[1]
    return written


def _spelled(kind: Type | None) -> tuple[bytes, int] | None:
    stars = 0
    while isinstance(kind, Pointer):
        kind, stars = kind.target, stars + 1
    return (kind.name.encode(), stars) if isinstance(kind, Scalar | Struct) else None


def written_in(text: str, names: Names) -> str:
    """Returns an argument of a template without names that are known here only."""
    return resolved(text.encode(), NamesKnown(names)).decode("utf-8", "replace")


def instance_in(text: str, names: Names) -> str:
    """Returns the name of an instance of a template, with arguments that are known here."""
    before, opened, inside = text.partition("<")
    if not opened:
        return text
    known = NamesKnown(names)
    arguments = (
        counted(resolved(each, known)) for each in split(inside.rpartition(">")[0].encode())
    )
    listed = b",".join(part for each in arguments for part in split(each))
    return f"{before.strip()}<{listed.decode('utf-8', 'replace')}>"


class NamedFunctions:
    """Knows the functions of a text by what expressions call them."""

    def __init__(self, code: HostDeclarations) -> None:
        self._code = code

    def function(self, node: Node, names: Names) -> FunctionName | None:
        """Returns the function that an expression names; None where it names none."""
        text = text_of(stripped(node)).lstrip("&").strip()
        text = names.written.get(text, text)
        path, _, inside = text.partition("<")
        last = path.strip().rpartition("::")[2]
        if last not in self._code.kernels and last not in self._code.functions:
            return None
        if not inside:
            return FunctionName(text)
        arguments = split(inside.rpartition(">")[0].encode())
        known = NamesKnown(names)
        listed = b", ".join(resolved(each, known) for each in arguments).decode("utf-8", "replace")
        return FunctionName(f"{path.strip()}<{listed}>")

    def launched(self, name: str, arguments: Sequence[str], names: Names) -> LaunchedKernel:
        """Returns the kernel that is launched by a name.

        Args:
            name: The name, with template arguments or without.
            arguments: What it is given, as written.
            names: What is known there.
        """
        path, _, inside = names.written.get(name, name).strip("()").partition("<")
        path = path.strip()
        written = split(inside.rpartition(">")[0].encode())
        kernel = self._code.kernel_template(path)
        known = NamesKnown(names)
        listed: Sequence[bytes] | None = None
        if kernel is not None and kernel.names:
            listed = instance(kernel, written, [each.encode() for each in arguments], known)
        listed = [*(listed or [resolved(each, known) for each in written])]
        same = self._code.kernels.get(path.rpartition("::")[2], ())
        if kernel is not None and len(same) == 1:
            # What names it without its namespace is in there itself.
            scope = () if "::" in path else same[0].scope
            listed = self._completed(kernel, [self._counted(x, scope, names) for x in listed])
        arguments_text = b", ".join(listed).decode("utf-8", "replace")
        return LaunchedKernel(path, self._code.without_aliases(arguments_text))

    def _completed(self, kernel: TemplateHead, listed: list[bytes]) -> list[bytes]:
        """Returns the arguments of a template with the defaults behind them that are known."""
        for at in range(len(listed), 0 if kernel.has_pack else len(kernel.names)):
            before = OnlyPlaces(dict(zip(kernel.names, listed, strict=False)))
            default = resolved(kernel.defaults[at], before)
            known = self._code.types.argument_in(default.decode("utf-8", "replace"), ())
            if known is None:
                break
            listed.append(str(known).encode() if isinstance(known, int) else default)
        return listed

    def _counted(self, argument: bytes, scope: Scope, names: Names) -> bytes:
        """Returns an argument of a template as a number where it is the name of one."""
        if not _NAME.fullmatch(argument):
            return argument
        text = argument.decode("utf-8", "replace")
        known = self._code.types.argument_in(text, scope, names.bindings)
        return str(known).encode() if isinstance(known, int) else argument

    def types(self, arguments: Sequence[str], names: Names) -> tuple[str, ...]:
        """Returns what arguments are, as far as their text says; empty for what it does not."""
        known = NamesKnown(names)
        types = (type_of(argument.encode(), known) for argument in arguments)
        return tuple(kind[0].decode() + "*" * kind[1] if kind else "" for kind in types)

    def places(
        self, called: TemplateHead, given: Sequence[str], arguments: Sequence[str], names: Names
    ) -> dict[str, str]:
        """Returns what the parameters of a host template represent at a call, as far as known."""
        known = NamesKnown(names)
        texts = tuple(each.encode() for each in given)
        listed = host_instance(called, texts, tuple(each.encode() for each in arguments), known)
        if listed is None:
            listed = tuple(resolved(each, known) for each in texts)
        places = called.places(listed)
        return {
            name.decode(): written.decode("utf-8", "replace") for name, written in places.items()
        }
