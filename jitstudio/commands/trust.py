"""Trust in projects of other people: unusual requests, and the store of trusted projects.

A project that nobody has vouched for is built all the same, with the files of its own folder and
options that do no harm. What goes beyond that is described in sentences, which the user may accept.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jitstudio.commands.project_files import OpenProject
from jitstudio.core.axes import AxisKind, parse_values
from jitstudio.core.options import lies_in, refused, shown, split_options
from jitstudio.core.plan import misnamed
from jitstudio.listing.includes import includes
from jitstudio.system.paths import settings_folder
from jitstudio.system.private import read_private, write_private

_VERSION = 1
_LARGEST = 4 << 20
_MOST = 1000
# Characters of options that are looked at one by one.
_LONGEST = 1 << 17


@dataclass(frozen=True)
class TrustLevel:
    """How far a project is trusted.

    Attributes:
        trusted: Whether the user trusts it, as it is.
        concerns: What it asks for beyond an ordinary project, a sentence each.
    """

    trusted: bool = False
    concerns: tuple[str, ...] = ()


RESTRICTED, OWN = TrustLevel(), TrustLevel(trusted=True)
"""The trust in a project that the user has not been asked about, and in the user's own texts."""


class TrustError(RuntimeError):
    """Trust cannot be written down; the message is fit for a person."""


def concerns(opened: OpenProject) -> tuple[str, ...]:
    """Returns the requests of a project beyond an ordinary project, sentences with places."""
    sentences = list(
        dict.fromkeys((*_of_options(opened), *_of_names(opened), *_of_texts(opened))),
    )
    if more := sentences[_MOST:]:
        # Identified by what they are, so that others in their place ask anew.
        message = _digest("\n".join(more).encode("utf-8", "surrogateescape"))
        sentences[_MOST:] = [f"There are {len(more)} more ({message[:16]})."]
    return tuple(sentences)


def _of_options(opened: OpenProject) -> Iterator[str]:
    folder = str(opened.path.parent)
    sets = [("options", opened.project.options)]
    own = ((m.name, m.options) for m in opened.project.modules if m.options is not None)
    sets += [(f"options of '{shown(name)}'", options) for name, options in own]
    for draft in opened.project.sweeps:
        for axis in draft.axes:
            if axis.kind is AxisKind.OPTIONS:
                values = parse_values(axis.kind, axis.values)
                sets += [(f"sweep of '{shown(draft.kernel)}'", value) for value in values]
    for place, text in sets:
        if len(text) > _LONGEST:
            yield f"{place}: more than anybody can read."
            continue
        # Options that cannot be read are not sent either.
        with suppress(ValueError):
            for sentence in refused(split_options(text), (folder,), folder):
                yield f"{place}: {sentence}"


def _of_names(opened: OpenProject) -> Iterator[str]:
    for member in opened.project.members:
        if reason := misnamed(member.name):
            yield f"modules: {reason}."


def _of_texts(opened: OpenProject) -> Iterator[str]:
    """Yields files that the texts include by a path, apart from those in the project's folder."""
    folder = opened.path.parent
    for member_file in opened.members:
        beside = member_file.path.parent if member_file.path else folder
        scan = includes(member_file.content or b"")
        paths = sorted(n for n in scan.names if os.path.isabs(n) or ".." in Path(n).parts)
        member = shown(member_file.member.name)
        if scan.computed:
            yield f"{member}: a macro names a file that it includes, so that it may be any file."
        for path in paths[:_MOST]:
            if not lies_in((str(folder),), os.path.join(beside, path)):
                yield f"{member}: includes '{shown(path)}', outside the project's folder."
        if len(paths) > _MOST:
            yield f"{member}: includes {len(paths):,} files by paths that may lead anywhere."


class TrustStore:
    """The projects that the user trusts, in a file that no other user can write.

    A project is trusted with the concerns that it had then, and as the user has saved it.
    One that has others since is not, until the user says so again.

    Args:
        path: The file; that in the user's own folder of settings where not given.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = settings_folder() / "trusted.json" if path is None else path

    def standing(self, opened: OpenProject) -> TrustLevel:
        """Returns how far the user trusts a project in the present state."""
        sentences = concerns(opened)
        entry = self._read().get(str(opened.path))
        trusted = entry is not None and (
            entry["content"] == _digest(opened.content)
            or (bool(sentences) and _digests(sentences).issubset(entry["concerns"]))
        )
        return TrustLevel(trusted, sentences)

    def trust(self, project: Path, content: bytes | None, sentences: Iterable[str]) -> None:
        """Remembers that the user trusts a project.

        Args:
            project: Its file.
            content: The content that the user has just saved; None where others have written it.
            sentences: The concerns that were shown.

        Raises:
            TrustError: It cannot be written down.
        """
        entries = self._read()
        entry = entries.pop(str(project), {"content": "", "concerns": []})
        own = entry["content"] if content is None else _digest(content)
        concerns = sorted({*entry["concerns"], *_digests(sentences)})
        entries[str(project)] = {"content": own, "concerns": concerns}
        self._write(dict(list(entries.items())[-_MOST:]))

    def distrust(self, project: Path) -> None:
        """Forgets that the user has trusted a project.

        Raises:
            TrustError: It cannot be written down.
        """
        entries = self._read()
        if entries.pop(str(project), None) is not None:
            self._write(entries)

    def _read(self) -> dict[str, Any]:
        """Returns all entries; none where the file is damaged, or others may have written it."""
        try:
            content = json.loads(read_private(self._path, _LARGEST) or b"null")
            entries = content["trusted"] if content["version"] == _VERSION else {}
            return {
                str(path): {
                    "content": str(entry["content"]),
                    "concerns": [str(concern) for concern in entry["concerns"]],
                }
                for path, entry in entries.items()
            }
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}

    def _write(self, entries: dict[str, Any]) -> None:
        text = json.dumps({"version": _VERSION, "trusted": entries}, indent=1)
        try:
            write_private(self._path, text)
        except OSError as error:
            raise TrustError(
                f"It cannot be written down that the project is trusted ('{self._path}': "
                f"{error.strerror or error}). It is trusted until it is closed."
            ) from None


def _digests(sentences: Iterable[str]) -> set[str]:
    return {_digest(sentence.encode("utf-8", "surrogateescape")) for sentence in sentences}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
