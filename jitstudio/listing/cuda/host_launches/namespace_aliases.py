"""Short names of namespaces: `namespace img = company::imaging;` [namespace.alias]."""

from __future__ import annotations

import re

_ALIAS = re.compile(
    rb"namespace(?<!\wnamespace)\s++(?P<name>\w++)\s*+=\s*+(?P<meant>(?:::\s*+)?\w++(?>\s*+::\s*+\w++)*+)\s*+;"
)
# Nobody gives a namespace more names after each other.
_DEEPEST = 8


class NamespaceAliases:
    """The namespace aliases of the texts that are taken, each the last one of its name."""

    def __init__(self) -> None:
        self._meant: dict[bytes, bytes] = {}
        self._use: re.Pattern[bytes] | None = None

    def take(self, code: bytes) -> None:
        """Reads the aliases of a text without comments and quoted texts."""
        for match in _ALIAS.finditer(code) if b"namespace" in code else ():
            self._meant[match["name"]] = b"".join(match["meant"].split())
            self._use = None

    def resolved(self, name: bytes) -> bytes:
        """Returns a name, or an expression, with the namespaces in the places of their aliases."""
        if not self._meant or b"::" not in name:
            return name
        if self._use is None:
            listed = b"|".join(map(re.escape, self._meant))
            # A variable may have the name, too.
            self._use = re.compile(rb"(?<![\w:.>])(?:%s)(?=\s*+::)" % listed)
        for _ in range(_DEEPEST):
            before, name = name, self._use.sub(lambda use: self._meant[use[0]], name)
            if name == before:
                break
        return name
