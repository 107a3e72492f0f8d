"""The session file: what one jitstudio had open, as values and as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.spec_format import spec_from, spec_object
from jitstudio.core.request import LinkMode
from jitstudio.gui.state.build_settings import ON_AT_FIRST, Switch

VERSION = 1


class SessionFormatError(ValueError):
    """A session file cannot be understood; the message says why, in words."""


@dataclass(frozen=True)
class SavedDocument:
    """One open document.

    Attributes:
        name: What builds called it.
        path: Its file; empty while it had none.
        kind: What it held.
        content: All of it, as a file would hold it; None where its file does hold it.
        modified: Whether the text was in no file.
        name_expressions: Those whose lowered names were asked for.
        included: Whether it took part in the link.
        is_library: Whether other LLVM IR took functions from it.
    """

    name: str
    path: str
    kind: CodeKind
    content: bytes | None
    modified: bool
    name_expressions: tuple[str, ...]
    included: bool
    is_library: bool = False


@dataclass(frozen=True)
class SavedSession:
    """All open documents in their order, the place of the current one, settings and launches."""

    documents: tuple[SavedDocument, ...]
    current: int | None
    arch: Arch
    options: str
    link: LinkMode
    auto_build: bool
    switches: frozenset[Switch]
    launches: tuple[LaunchSpec, ...] = ()


def dump(session: SavedSession) -> bytes:
    """The content of a session file."""
    state = {
        "version": VERSION,
        "documents": [
            {
                "name": document.name,
                "path": document.path,
                "kind": document.kind.value,
                "text": None if document.content is None else document.content.decode(),
                "modified": document.modified,
                "name_expressions": list(document.name_expressions),
                "included": document.included,
                "is_library": document.is_library,
            }
            for document in session.documents
        ],
        "current": session.current,
        "settings": {
            "arch": session.arch.sm,
            "options": session.options,
            "link": session.link.value,
            "auto_build": session.auto_build,
            "switches": {switch.value: switch in session.switches for switch in Switch},
        },
        "launches": [spec_object(spec) for spec in session.launches],
    }
    return json.dumps(state, indent=1).encode()


def load(data: bytes) -> SavedSession:
    """Read a session file.

    Raises:
        SessionFormatError: It is damaged, or a newer jitstudio has written it.
    """
    try:
        state = json.loads(data)
        version = int(state["version"])
        if version <= VERSION:
            return _session(state)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SessionFormatError(f"its file is damaged ({error})") from error
    raise SessionFormatError(f"a newer jitstudio has written it (version {version})")


def _session(state: dict[str, Any]) -> SavedSession:
    settings, current = state["settings"], state["current"]
    return SavedSession(
        documents=tuple(_document(entry) for entry in state["documents"]),
        current=None if current is None else int(current),
        arch=Arch.parse(settings["arch"]),
        options=str(settings["options"]),
        link=LinkMode(settings["link"]),
        auto_build=bool(settings["auto_build"]),
        switches=_switches(settings.get("switches", {})),
        launches=tuple(spec_from(entry) for entry in state.get("launches", ())),
    )


def _switches(saved: dict[str, Any]) -> frozenset[Switch]:
    """A switch that the file does not know stands as at the first start."""
    return frozenset(s for s in Switch if saved.get(s.value, s in ON_AT_FIRST))


def _document(entry: dict[str, Any]) -> SavedDocument:
    text = entry["text"]
    return SavedDocument(
        name=str(entry["name"]),
        path=str(entry["path"]),
        kind=CodeKind(entry["kind"]),
        content=None if text is None else str(text).encode(),
        modified=bool(entry["modified"]),
        name_expressions=tuple(str(name) for name in entry["name_expressions"]),
        included=bool(entry["included"]),
        is_library=bool(entry.get("is_library", False)),
    )
