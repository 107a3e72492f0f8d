"""The macros of a text, by what their bodies tell: marks of device code, constants, host code."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from functools import cached_property

from jitstudio.listing.cuda.heads import NAMES, WORDS
from jitstudio.listing.cuda.host_launches.macros import Macro
from jitstudio.listing.cuda.outline import DEVICE

_DEFINITION = re.compile(rb"#[ \t]*+define\b(?>[^\\\n]++|\\(?:\r\n|[\s\S]))*+")
DEFINE = re.compile(rb"#[ \t]*+define[ \t]++(\w+)(\([^)]*+\))?(.*)", re.DOTALL)
# With brackets three deep, as in `__attribute__((aligned(16)))`.
_ATTRIBUTE = re.compile(
    rb"(?:__attribute__|__declspec)\s*+"
    rb"\([^()]*+(?>\([^()]*+(?>\([^()]*+\)[^()]*+)*+\)[^()]*+)*+\)|\[\[[^][]*+\]\]"
)
CONST = re.compile(rb"\b(?:const|constexpr)\b")
# What no device code has. A kernel may launch others and call a few functions of the runtime.
SURELY_HOST = re.compile(
    rb"\bstd\s*+::\s*+(?:cout|cerr|endl|vector|string|chrono|ofstream|ifstream|mt19937|thread)\b"
    rb"|\bcuda(?:Malloc|Memcpy|Free|EventCreate|EventRecord|DeviceSynchronize|SetDevice)\w*\s*+\("
    rb"|\b(?:fopen|fprintf|argv|argc|exit|getenv|scanf|atoi)\b"
)
_LONGEST_QUALIFIER = 200


class TextMacros:
    """The macros that a text defines.

    Args:
        text: The text.
        others: Macros of headers that mark device code.

    Attributes:
        known: The names of all of them.
        device: Those that mark device code.
        constants: Those that mark constants.
        makers: Those that can only make functions of the host.
        definitions: Each as it is defined last.
    """

    def __init__(self, text: bytes, others: Collection[str] = ()) -> None:
        bodies: defaultdict[bytes, bytes] = defaultdict(bytes)
        self.definitions: dict[bytes, Macro] = {}
        for directive in _DEFINITION.finditer(text):
            if match := DEFINE.match(directive[0]):
                bodies[match[1]] += b" " + match[3]
                self.definitions |= [definition] if (definition := Macro.of(directive[0])) else []
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
            name for name, body in bodies.items() if CONST.search(body)
        }
        self.makers = {
            name
            for name, body in bodies.items()
            if name not in self.device and (SURELY_HOST.search(body) or b"<<<" in body)
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


def device_macros(text: bytes) -> frozenset[str]:
    """Returns the macros of a text that mark device code."""
    if not DEVICE.search(text):
        return frozenset()
    marks = TextMacros(text).device
    return frozenset(name.decode("ascii", "replace") for name in marks)
