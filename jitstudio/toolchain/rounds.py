"""Further rounds of a compile: parts that NVRTC has refused, tried otherwise.

NVRTC knows all macros and headers, where the text alone leaves things in doubt. It also lacks a
little that nvcc has from the compiler of the host.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from jitstudio.core.code import Header, split_variant
from jitstudio.core.diagnostics import in_folders
from jitstudio.core.options import is_within
from jitstudio.listing.cuda.host_code import NO_REFUSALS, Refusals, find_host_code
from jitstudio.listing.cuda.host_macros import device_macros
from jitstudio.listing.cuda.outline import DEVICE, code_alone
from jitstudio.system.paths import resource
from jitstudio.toolchain.device_part import (
    DevicePart,
    aside_part,
    definitions_for,
    device_part,
)
from jitstudio.toolchain.headers import line_directive, stand_in_folder, stand_in_of
from jitstudio.toolchain.host_integers import NAMES
from jitstudio.toolchain.own_texts import include_folders, place_of, text_at

# Some groups have names of `Refusals`: the kind of refusal that a line is noted for.
_ERROR = re.compile(
    r"^(?P<file>[^\n(]++)\((?P<line>\d++)\): error: (?:"
    r"(?P<host>A function (?:without|explicitly)|A namespace scope variable|A class static data)"
    r"|(?P<dynamic>dynamic initialization is not supported for a __device__ variable)"
    r"|The execution space for the lambda"
    r"|(?P<unknown>[^\n]*(?:undefined|no member)))[^\n]*",
    re.MULTILINE,
)
# A header that is missing is a catastrophic error.
_PLACE = re.compile(r"^(?P<file>[^\n(]++)\(\d++\): (?:catastrophic )?error:", re.MULTILINE)
# `identifier "ns::helper" is undefined` or `namespace "ns" has no member "helper"`
_UNKNOWN = re.compile(
    r"\): error: (?:(?!\): error: )[^\n])*?"
    r"(?:identifier \"(?>\w++::)*+(\w++)\" is undefined|has no member \"(\w++)\")"
)


class _Supply(NamedTuple):
    """A supply for a compile that has failed for the want of that supply.

    Attributes:
        error: How the error reads: a pattern.
        sentence: What the log says of it.
        options: What is sent besides.
        headers: Those of jitstudio's that go with it.
        unless: What an option begins with that says otherwise.
        in_headers: Whether errors in NVIDIA's own headers count alone, or not at all; None for
            errors anywhere.
    """

    error: str
    sentence: str
    options: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    in_headers: bool | None = None


_ASKS = "error: #error directive"
_SUPPLIES = (
    _Supply(
        'more than one instance of overloaded function "pow" matches',
        "pow of a float and a double, or of integers, is that of doubles, as with nvcc.",
        ("--pre-include=jitstudio/pow.h",),
        ("jitstudio/pow.h",),
    ),
    _Supply(
        "Including <cub/cub.cuh> is not supported",
        "NVRTC does not take <cub/cub.cuh> as a whole: its headers for blocks, warps and threads "
        "are included.",
        headers=("cub/cub.cuh",),
    ),
    _Supply(
        'use of the "register" storage class specifier is not allowed',
        "'register' is left out, as C++17 no longer has it; nvcc passes over it.",
        ("--define-macro=register=",),
    ),
    _Supply(
        r"error: expected an expression\n(?:[^\n]*[{,])?\s*\.[A-Za-z_]\w*\s*[={]",
        "Compiled as C++20 for its designated initialisers, such as {.x = 1}, which nvcc takes in "
        "C++17, too. -std=c++20 says so to any compiler.",
        ("--std=c++20",),
        unless=("-std", "--std"),
    ),
    _Supply(
        'identifier "(?:typeof|__typeof__|__typeof)" is undefined',
        "typeof is that of jitstudio: NVRTC has none, and nvcc that of the host's compiler.",
        ("--pre-include=jitstudio/typeof.h",),
        ("jitstudio/typeof.h",),
    ),
    _Supply(
        'namespace "std" has no (?:tag )?member',
        "The host's library is stood in for, which headers of NVIDIA's expect.",
        ("--pre-include=jitstudio/host.h",),
        ("jitstudio/host.h",),
        in_headers=True,
    ),
    # A text may ask for the platform or the compiler of the host, or for both.
    _Supply(
        _ASKS,
        "The macros of the host's platform are defined, such as __linux__, as nvcc has them.",
        ("--pre-include=jitstudio/platform.h",),
        ("jitstudio/platform.h",),
        in_headers=False,
    ),
    _Supply(
        _ASKS,
        "__GNUC__ is defined, as nvcc has it of its host compiler.",
        ("--pre-include=jitstudio/gnu.h",),
        ("jitstudio/gnu.h",),
        in_headers=False,
    ),
    _Supply(
        _ASKS,
        "The macros of the host's platform and compiler are defined, such as __linux__ and "
        "__GNUC__, as nvcc has them.",
        ("--pre-include=jitstudio/platform.h", "--pre-include=jitstudio/gnu.h"),
        ("jitstudio/platform.h", "jitstudio/gnu.h"),
        in_headers=False,
    ),
    _Supply(
        "128-bit integer type is only supported",
        "Compiled with --device-int128, as nvcc takes 128-bit integers if the host has them.",
        ("--device-int128",),
    ),
)


class NextRound:
    """Judges anew by the errors of NVRTC, which knows all macros and headers.

    A function that was kept in doubt and is refused as one of the host is set aside; a constant of
    which NVRTC makes a variable with dynamic initialisation becomes ``constexpr``. Both also in
    headers on disk. Such a header is given in memory under its whole path, and so is each that
    includes it, with that path in its directives: a plain name would count for headers of that
    name in all folders. Each says which file it is, so that messages and line tables do not change.

    A supply that leaves the errors for which it came as they were is withdrawn.

    Args:
        part: What NVRTC has refused.
        folders: Where it looks for headers, behind those that the options name.
    """

    def __init__(self, part: DevicePart, folders: Iterable[str] = ()) -> None:
        self._part = part
        self._whole = part.whole
        self._sent = part.job
        self._sentences = part.supplied
        self._installed = tuple(folders)
        self._folders = (*include_folders(part.job), *folders)
        self._in_memory = {header.name for header in part.job.headers}
        self._as_said: dict[str, str] = {}
        self._texts: dict[str, bytes] = {}
        self._refusals: dict[str, Refusals] = {}
        self._wanted: set[str] = set()
        self._tried: set[_Supply] = set()
        self._supplied: dict[_Supply, frozenset[str]] = {}

    def part(self, errors: str, opened: Iterable[str]) -> DevicePart | None:
        """Returns the part to compile next; None where there is nothing to be gained.

        Args:
            errors: What NVRTC said of the last compile.
            opened: The files that it has opened.
        """
        refused = {m["file"] for m in _ERROR.finditer(errors)}
        elsewhere = {m["file"] for m in _PLACE.finditer(errors)} - self._inside
        useless = {option for supply in self._supplied for option in supply.options}
        is_withdrawn = self._withdraw(errors)
        supplies = self._supplies(errors, useless)
        if not (refused or elsewhere or supplies or self._refusals or is_withdrawn):
            return None
        for name in (*sorted(refused), *sorted(opened)):
            self._read(name)
        # A header of which jitstudio has its own is of less use than that if it takes no NVRTC.
        asks = any(supply.error == _ASKS for supply in supplies)
        worse = self._worse(elsewhere)
        worse = worse if asks else {name for name in worse if stand_in_of(name) != name}
        for match in _ERROR.finditer(errors):
            if worse and in_folders(match["file"], self._installed):
                continue  # what comes by the other header is told anew
            known = self._refusals.get(match["file"], NO_REFUSALS)
            reason = match.lastgroup if match.lastgroup in Refusals._fields else ""
            self._refusals[match["file"]] = (
                known.with_line(int(match["line"]), reason) if reason else known
            )
        self._stand_in(worse)
        if not worse and any(in_folders(file, self._installed) for file in elsewhere):
            # Headers of NVIDIA's may not bear the integers of the host.
            headers = (header for header in self._whole.headers if header.name not in NAMES)
            self._whole = replace(self._whole, headers=tuple(headers))
        for supply in supplies:
            if not worse or supply.error != _ASKS:
                self._tried.add(supply)
                self._supplied[supply] = self._asking(supply, errors)
        # What was set aside may be what another text needs.
        wanted = {name for match in _UNKNOWN.finditer(errors) for name in match.groups() if name}
        if again := self._attempt():
            return again
        self._wanted |= wanted
        if again := self._attempt():
            return again
        if not elsewhere:
            return None
        self._stand_in(self._worse(elsewhere))
        return self._attempt()

    @property
    def _inside(self) -> set[str]:
        """The names of the texts that are in memory as the author wrote them."""
        headers = (header.name for header in self._part.whole.headers)
        return {split_variant(self._part.job.name)[0], *headers}

    def _worse(self, refused: Iterable[str]) -> set[str]:
        """Returns the headers on disk, as they are included, by which these errors came.

        Those that jitstudio has, too, and that lie apart from the module or, as a copy of a library
        does (``<nvtx3/nvToolsExt.h>``), in a folder that the name has.
        """
        beside = os.path.dirname(place_of(split_variant(self._part.job.name)[0]))
        culprits = self._includers({path for name in refused if (path := place_of(name))})
        named = {
            (os.fsdecode(match["name"][1:-1]), path, in_folders(includer, self._installed))
            for includer, text in self._texts_by_name()
            for match, path in self._targets(includer, text)
        }
        return {
            name
            for name, path, is_theirs in named
            if path in culprits
            and ((other := stand_in_of(name)) == name or (other and not is_theirs))
            and not is_within(path, stand_in_folder())
            and ("/" in name or not is_within(path, beside))
        }

    def _texts_by_name(self) -> Iterator[tuple[str, bytes]]:
        job = self._part.whole
        yield from ((split_variant(job.name)[0], text) for _, text in job.inputs)
        yield from ((header.name, header.content) for header in job.headers)
        yield from ((self._as_said[path], text) for path, text in self._texts.items())

    def _stand_in(self, names: Iterable[str]) -> None:
        """Puts jitstudio's own headers in the place of the headers `names`."""
        for name in sorted(names):
            text = resource(f"host_headers/{stand_in_of(name)}").read_bytes()
            self._in_memory.add(name)
            self._whole = replace(self._whole, headers=(*self._whole.headers, Header(name, text)))
            self._sentences += (f"<{name}> that was found is not for NVRTC: another stood in.",)

    @property
    def _own(self) -> set[str]:
        """The names of the headers that are in memory."""
        return self._in_memory.union(*(supply.headers for supply in self._supplied))

    def _attempt(self) -> DevicePart | None:
        """Returns the part as known now; None where NVRTC has had just that."""
        own = (content for _, content in self._whole.inputs)
        macros = frozenset[str]().union(
            *map(device_macros, self._texts.values()), *map(device_macros, own)
        )
        part = self._judged_anew(macros)
        job = part.job
        rest = b"\n".join((*(content for _, content in job.inputs), *self._wanted_words()))
        on_disk = {
            path: refusal
            for name, refusal in self._refusals.items()
            if (path := place_of(name)) in self._texts
        }
        on_disk = dict.fromkeys(self._alike(on_disk), NO_REFUSALS) | on_disk
        judged = {
            path: find_host_code(self._texts[path], macros, rest, refused=refusal)
            for path, refusal in sorted(on_disk.items())
        }
        changed = {
            path: host_code
            for path, host_code in judged.items()
            if host_code.spans or host_code.marks
        }
        in_memory = self._includers(set(changed))
        headers = [Header(h.name, self._named(h.name, h.content, in_memory)) for h in job.headers]
        for path in sorted(in_memory):
            name = self._as_said[path]
            text = changed[path].device_text if path in changed else self._texts[path]
            headers.append(Header(path, line_directive(name) + self._named(name, text, in_memory)))
        module = split_variant(job.name)[0]
        inputs = tuple((ref, self._named(module, text, in_memory)) for ref, text in job.inputs)
        more = (word for word in definitions_for(changed.values()) if word not in job.options)
        sent = replace(job, inputs=inputs, headers=tuple(headers), options=(*job.options, *more))
        if sent == self._sent:
            return None
        self._sent = sent
        aside = {
            self._as_said[path]: host_code for path, host_code in changed.items() if host_code.spans
        }
        return replace(
            part,
            job=sent,
            host_code=(
                *part.host_code,
                *(aside_part(name, host_code) for name, host_code in aside.items()),
            ),
            names={
                word: (name, at)
                for name, host_code in aside.items()
                for word, at in host_code.names
            }
            | dict(part.names),
        )

    def _alike(self, refused: Iterable[str]) -> set[str]:
        """Returns the headers without device code that lie next to refused headers.

        NVRTC stops after a hundred errors, and libraries such as NPP have thousands of functions.
        A header with templates is of a library in C++, whose headers need each other.
        """
        # Those that NVRTC brings are for it.
        others = (path for path in refused if not in_folders(path, self._installed))
        folders = {os.path.dirname(path): os.path.dirname(self._as_said[path]) for path in others}
        waiting = list(self._texts_by_name())
        while waiting:
            includer, text = waiting.pop()
            for _, target in self._targets(includer, text):
                folder, base = os.path.split(target)
                if folder in folders and target not in self._texts:
                    name = os.path.join(folders[folder], base)
                    self._read(name)
                    waiting += [(name, self._texts[target])] if target in self._texts else []
        return {
            path
            for path, text in self._texts.items()
            if os.path.dirname(path) in folders
            and not (b"template" in text or device_macros(text))
            and not DEVICE.search(code_alone(text).text)
        }

    def _wanted_words(self) -> Iterator[bytes]:
        return (name.encode() for name in sorted(self._wanted))

    def _judged_anew(self, macros: frozenset[str]) -> DevicePart:
        """Returns the part as known now, with the right name expressions."""
        options = (option for supply in self._supplied for option in supply.options)
        names = sorted(self._own - self._in_memory)
        more = (Header(name, resource(f"host_headers/{name}").read_bytes()) for name in names)
        whole = replace(
            self._whole,
            options=(*self._whole.options, *dict.fromkeys(options)),
            headers=(*self._whole.headers, *more),
        )
        part = device_part(whole, self._refusals, macros, sorted(self._wanted))
        launched = (name for name in part.launched if name not in self._part.launched)
        job = replace(part.job, name_expressions=(*self._part.job.name_expressions, *launched))
        sentences = (*self._sentences, *(supply.sentence for supply in self._supplied))
        return replace(part, job=job, supplied=sentences)

    def _supplies(self, errors: str, useless: set[str]) -> list[_Supply]:
        """Returns supplies, of which nvcc has the like, that this compile failed without.

        Args:
            errors: What NVRTC said.
            useless: The options that were supplied, and with which it failed.
        """
        options = self._whole.options
        by_error: dict[str, _Supply] = {}
        for supply in _SUPPLIES:
            is_barred = any(option.startswith(supply.unless) for option in options)
            is_same = bool(supply.options) and useless.issuperset(supply.options)
            if supply in self._tried or is_barred or is_same:
                continue
            if self._asking(supply, errors):
                by_error.setdefault(supply.error, supply)
        return list(by_error.values())

    def _asking(self, supply: _Supply, errors: str) -> frozenset[str]:
        """Returns the errors for which a supply comes, with their lines."""
        pattern = rf"^(?:(?P<file>[^\n(]++)\(\d++\): )?[^\n]*?{supply.error}"
        return frozenset(
            match[0]
            for match in re.finditer(pattern, errors, re.MULTILINE)
            if supply.in_headers in (None, in_folders(match["file"] or "", self._installed))
        )

    def _withdraw(self, errors: str) -> bool:
        """Withdraws each supply that has changed nothing; returns whether there was any."""
        idle = [s for s, asked in self._supplied.items() if self._asking(s, errors) == asked]
        for supply in idle:
            del self._supplied[supply]
        return bool(idle)

    def _read(self, name: str) -> None:
        path = place_of(name)
        is_own = name in self._own or name == split_variant(self._part.job.name)[0]
        # No directive can name the others.
        if path in self._texts or is_own or "\n" in path or {*'">'} <= {*path}:
            return
        if (text := text_at(self._part.job, name)) is not None:
            self._texts[path], self._as_said[path] = text, name

    def _includers(self, paths: set[str]) -> set[str]:
        """Returns these headers and all that include any, directly or by others."""
        targets = {
            path: {target for _, target in self._targets(self._as_said[path], text)}
            for path, text in self._texts.items()
        }
        includers = paths
        while more := {
            p for p, t in targets.items() if p not in includers and not includers.isdisjoint(t)
        }:
            includers = includers | more
        return includers

    def _targets(self, includer: str, text: bytes) -> Iterator[tuple[re.Match[bytes], str]]:
        """Yields where a text includes a file, and which."""
        for match in _INCLUDE.finditer(text):
            name = os.fsdecode(match["name"][1:-1])
            beside = (os.path.dirname(includer),) if match["name"].startswith(b'"') else ()
            places = (os.path.join(folder, name) for folder in (*beside, *self._folders))
            target = next(filter(os.path.isfile, places), None)
            if target is not None and name not in self._own:
                yield match, place_of(target)

    def _named(self, includer: str, text: bytes, paths: set[str]) -> bytes:
        """Returns a text that includes some headers by their whole paths."""
        targets = [target for target in self._targets(includer, text) if target[1] in paths]
        directives = code_alone(text).directives if targets else ()
        pieces, at = [], 0
        for match, path in targets:
            if match.start() in directives:
                name = f'"{path}"' if ">" in path else f"<{path}>"
                pieces += [text[at : match.start("name")], os.fsencode(name)]
                at = match.end()
        return b"".join((*pieces, text[at:]))


_INCLUDE = re.compile(rb'#[ \t]*+include[ \t]*+(?P<name>"[^"\n]++"|<[^<>\n]++>)')
