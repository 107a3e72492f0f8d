"""The session file: the open work of one jitstudio, as values and as JSON."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.gui.state.build_settings import USERS_SWITCHES, CodeTrust, Switch
from jitstudio.gui.state.file_text import Encoding, FileText

if TYPE_CHECKING:
    # Most windows come up without any.
    from jitstudio.core.launch.spec import LaunchSpec
    from jitstudio.core.project.project import BreakLine

VERSION = 2
MOST_DOCUMENTS = 1000
"""More tabs than anybody works with: each takes a window some milliseconds to open."""
_DAMAGE = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)


class SessionFormatError(ValueError):
    """A session file cannot be understood; the message says why."""


class SavedDocument(NamedTuple):
    """An open document.

    Attributes:
        name: The name in builds.
        path: Its file; empty while it had none.
        kind: The kind of code.
        content: All of it, as a file would hold it; None where its file does hold it.
        modified: Whether the text was in no file.
        name_expressions: Those whose lowered names were asked for.
        included: Whether it took part in the link.
        is_library: Whether other LLVM IR took functions from it.
        cursor: Where the cursor was in the text.
        on_disk: A digest of the content of its file, as it was known.
        confined_to: See `Document.confined_to`.
        program: Whose link it belonged to.
        stages: See `Document.stages`.
        options: See `Document.options`.
    """

    name: str
    path: str
    kind: CodeKind
    content: FileText | None
    modified: bool
    name_expressions: tuple[str, ...]
    included: bool
    is_library: bool = False
    cursor: int = 0
    on_disk: str | None = None
    confined_to: str = ""
    program: str = ""
    stages: tuple[str, ...] = ()
    options: str | None = None


class SavedProject(NamedTuple):
    """The project that was open.

    Attributes:
        path: Its file.
        modified: Whether something of it was not in its file.
        carried: The parts of the file that the window lacks, in the form of a project file.
        sweeps: The typed drafts of variants, in the same form.
        on_disk: A digest of the content of its file, as it was known.
        trusted: Whether the user has said that he trusts it.
        concerns: The requests of the project beyond an ordinary project's.
        own: The settings that the user had before it, in the form of a project file; empty where
            that was not written down.
        program: Which of the programs that were open it held.
    """

    path: str
    modified: bool
    carried: str
    sweeps: str
    on_disk: str | None = None
    trusted: bool = False
    concerns: tuple[str, ...] = ()
    own: str = ""
    program: str = ""

    @property
    def code_trust(self) -> CodeTrust:
        """The trust in the code of the project, and its folder."""
        return CodeTrust(str(Path(self.path).parent), self.trusted)


class SavedSession(NamedTuple):
    """All documents in their order, the index of the current, settings and launches.

    Attributes:
        link: Of the user's own program.
        closed: Whether jitstudio had come to its end when this was written.
        project: The project that was open; None for none.
        links: Of the other programs that were linked.
        toolchain: The name of the compilers; empty for our own.
        breakpoints: The lines with their conditions, which are empty for none.
        library: The file or folder whose kernels were listed; empty for none.
    """

    documents: tuple[SavedDocument, ...]
    current: int | None
    arch: Arch
    options: str
    link: LinkMode
    switches: frozenset[Switch]
    launches: tuple[LaunchSpec, ...] = ()
    closed: bool = True
    project: SavedProject | None = None
    links: Mapping[str, LinkMode] = MappingProxyType({})
    toolchain: str = ""
    breakpoints: tuple[tuple[BreakLine, str], ...] = ()
    library: str = ""


def dump(session: SavedSession) -> bytes:
    """Returns the content of a session file."""
    state = {
        "version": VERSION,
        "closed": session.closed,
        "documents": [
            {
                "name": document.name,
                "path": document.path,
                "kind": document.kind.value,
                **_text_object(document.content),
                "modified": document.modified,
                "name_expressions": list(document.name_expressions),
                "included": document.included,
                "is_library": document.is_library,
                "cursor": document.cursor,
                "on_disk": document.on_disk,
                "confined_to": document.confined_to,
                "program": document.program,
                "stages": list(document.stages),
                "options": document.options,
            }
            for document in session.documents
        ],
        "current": session.current,
        "settings": {
            "arch": session.arch.sm,
            "options": session.options,
            "link": session.link.value,
            "links": {program: link.value for program, link in session.links.items()},
            "toolchain": session.toolchain,
            "switches": {s.value: True for s in Switch if s in session.switches},
        },
        "launches": _launch_objects(session.launches),
        "project": session.project and session.project._asdict(),
        "breakpoints": [
            {"name": at.name, "line": at.line, "ptx": at.is_ptx, "condition": condition}
            for at, condition in session.breakpoints
        ],
        "library": session.library,
    }
    return json.dumps(state, indent=1).encode()


def load(data: bytes) -> SavedSession:
    """Reads a session file.

    Raises:
        SessionFormatError: It is damaged, or a newer jitstudio has written it.
    """
    try:
        state = json.loads(data)
        version = int(state["version"])
        if version <= VERSION:
            return _session(state)
    except SessionFormatError:
        raise
    except _DAMAGE as error:
        raise SessionFormatError(f"its file is damaged ({error})") from error
    raise SessionFormatError(f"a newer jitstudio has written it (version {version})")


def _session(state: dict[str, Any]) -> SavedSession:
    settings, current = state["settings"], state["current"]
    if (count := len(state["documents"])) > MOST_DOCUMENTS:
        raise SessionFormatError(f"it names {count:,} tabs, of which {MOST_DOCUMENTS:,} are opened")
    return SavedSession(
        documents=tuple(_document(entry) for entry in state["documents"]),
        current=None if current is None else int(current),
        arch=Arch.parse(settings["arch"]),
        options=str(settings["options"]),
        link=LinkMode(settings["link"]),
        switches=_switches(settings.get("switches", {})),
        launches=_launches(state.get("launches", ())),
        closed=bool(state.get("closed", True)),
        project=_project(state.get("project")),
        toolchain=str(settings.get("toolchain", "")),
        links={str(program): LinkMode(link) for program, link in settings.get("links", {}).items()},
        breakpoints=_breakpoints(state.get("breakpoints", ())),
        library=str(state.get("library", "")),
    )


def _launch_objects(launches: Collection[LaunchSpec]) -> list[dict[str, Any]]:
    if not launches:
        return []
    from jitstudio.core.launch.spec import spec_object  # noqa: PLC0415

    return [spec_object(spec) for spec in launches]


def _launches(entries: Collection[Any]) -> tuple[LaunchSpec, ...]:
    if not entries:
        return ()
    from jitstudio.core.launch.spec import spec_from  # noqa: PLC0415

    return tuple(map(spec_from, entries))


def _breakpoints(entries: Collection[Any]) -> tuple[tuple[BreakLine, str], ...]:
    if not entries:
        return ()
    from jitstudio.core.project.project import BreakLine  # noqa: PLC0415

    return tuple(
        (
            BreakLine(str(at["name"]), max(1, int(at["line"])), at.get("ptx") is True),
            str(at.get("condition", "")),
        )
        for at in entries
    )


def _project(entry: dict[str, Any] | None) -> SavedProject | None:
    if entry is None:
        return None
    carried = str(entry["carried"])
    # An older session has them in there.
    sweeps = str(entry.get("sweeps", carried))
    return SavedProject(
        path=str(entry["path"]),
        modified=bool(entry["modified"]),
        carried=carried,
        sweeps=sweeps,
        on_disk=_text_or_none(entry, "on_disk"),
        # An older session does not have it.
        trusted=entry.get("trusted") is True,
        concerns=tuple(str(concern) for concern in entry.get("concerns", ())),
        own=str(entry.get("own", "")),
        program=str(entry.get("program", "")),
    )


def _switches(saved: dict[str, Any]) -> frozenset[Switch]:
    """Returns the switches; older sessions have the user's switches here, too."""
    return frozenset(s for s in Switch if s not in USERS_SWITCHES and saved.get(s.value))


def _document(entry: dict[str, Any]) -> SavedDocument:
    return SavedDocument(
        name=str(entry["name"]),
        path=str(entry["path"]),
        kind=CodeKind(entry["kind"]),
        content=_text_from(entry),
        modified=bool(entry["modified"]),
        name_expressions=tuple(str(name) for name in entry["name_expressions"]),
        included=bool(entry["included"]),
        is_library=bool(entry.get("is_library", False)),
        cursor=int(entry.get("cursor", 0)),
        on_disk=_text_or_none(entry, "on_disk"),
        confined_to=str(entry.get("confined_to", "")),
        program=str(entry.get("program", "")),
        stages=tuple(str(stage) for stage in entry.get("stages", ())),
        options=_text_or_none(entry, "options"),
    )


def _text_or_none(entry: dict[str, Any], key: str) -> str | None:
    text = entry.get(key)
    return None if text is None else str(text)


def _text_object(content: FileText | None) -> dict[str, str | None]:
    if content is None:
        return {"text": None}
    return {"text": content.joined, "encoding": content.form.encoding.value}


def _text_from(entry: dict[str, Any]) -> FileText | None:
    text = entry["text"]
    if text is None:
        return None
    if "encoding" in entry:
        return FileText.split(str(text), Encoding(entry["encoding"]))
    # Early versions knew UTF-8 only, and kept its mark with the text.
    bare = str(text).removeprefix("\ufeff")
    return FileText.split(bare, Encoding.UTF_8 if bare == text else Encoding.UTF_8_BOM)
