"""Opens files that builds find by themselves, to be looked at: in a tab that takes no part.

A header in a tab is given to the compiler under its bare name, and found before any file. That of
one folder would take the place of its namesake in another, so a build would change when somebody
looks at one of its headers.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

from jitstudio.core.code import TEXT_KINDS, CodeKind, kind_of
from jitstudio.gui.state.document_files import read_file, resolved
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.file_text import FileContent, ReadOnlyReason, compare
from jitstudio.system.paths import header_places

# Where Python keeps what is installed, NVIDIA's headers among it.
_INSTALLED = frozenset({"site-packages", "dist-packages"})


class _Looked(NamedTuple):
    """A file as the disk has it; `content` is None where a tab has the file already."""

    path: Path
    kind: CodeKind
    content: FileContent | None
    is_ours: bool


def _look(path: Path, known: frozenset[Path]) -> _Looked:
    path = resolved(path)
    kind = kind_of(path.name)
    is_ours = kind in TEXT_KINDS and os.access(path, os.W_OK) and not is_installed(path)
    if kind not in TEXT_KINDS:
        kind = CodeKind.HEADER
    content = None if path in known else compare(kind, read_file(path), None)
    return _Looked(path, kind, content, is_ours)


def open_preview(documents: Documents, path: Path, reader: FileReader) -> Document:
    """Turns to the tab of a file, opened for that if there is none.

    Args:
        documents: All that are open.
        path: The file.
        reader: Reads it.

    Raises:
        DocumentError: It cannot be read.
    """
    known = frozenset(document.path for document in documents if document.path is not None)
    looked = reader.outcome(partial(_look, path, known))
    document = documents.at_path(looked.path)
    if document is None:
        if looked.content is None:
            # Its tab was closed while we waited.
            return open_preview(documents, path, reader)
        document = Document(
            documents.unique_name(looked.path.name, looked.path),
            looked.kind,
            looked.content,
            looked.path,
            read_only=None if looked.is_ours else ReadOnlyReason.FOUND,
        )
        document.is_preview, document.included = True, False
        documents.add(document)
    documents.current = document
    return document


def is_installed(path: Path) -> bool:
    """Returns whether a file came with a package: NVRTC unpacks bundled headers into our cache."""
    return not _INSTALLED.isdisjoint(path.parts) or any(
        path.is_relative_to(place.resolve()) for place in header_places()
    )
