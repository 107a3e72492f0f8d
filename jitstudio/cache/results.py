"""Takes the place of a tool that has done the very same before."""

from __future__ import annotations

import os
from dataclasses import replace

from jitstudio.cache.fingerprint import Fingerprinter, key, surroundings
from jitstudio.cache.store import Store
from jitstudio.core.events import StageFinished
from jitstudio.core.job import Job
from jitstudio.core.tools import Tool, ToolFile


class Cache:
    """What to look up in the store and what to keep there.

    Which file a tool is loaded from only a worker can tell, and it does so after each job. What
    it told once is remembered, so that a build whose results are all here starts no worker.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._fingerprinter = Fingerprinter()
        self._files: dict[Tool, ToolFile] = {}

    def fingerprint(self, job: Job) -> bytes | None:
        """What tells the job from others, now; None where its result is not to be kept."""
        return self._fingerprinter.fingerprint(job)

    def find(self, tool: Tool, fingerprint: bytes) -> StageFinished | None:
        """What the tool made of this before, as the result of a tool that has not run."""
        # Searching for a tool takes the same way in the same surroundings.
        file = self._files.get(tool) or self._store.recall(surroundings(tool))
        if file is None or not _is_there(file):
            return None
        self._files[tool] = file
        found = self._store.get(key(fingerprint, file))
        if found is None:
            return None
        return replace(found, stage=replace(found.stage, ms=0.0, phases=(), cached=True))

    def keep(self, tool: Tool, fingerprint: bytes, file: ToolFile, finished: StageFinished) -> None:
        """Keep what the tool, loaded from this file, has made."""
        if self._files.get(tool) != file:
            self._files[tool] = file
            self._store.remember(surroundings(tool), file)
        if finished.stage.ok:
            self._store.put(key(fingerprint, file), finished)


def _is_there(file: ToolFile) -> bool:
    """Whether the file, and what it reads, is still as it was."""
    try:
        status = os.stat(file.path)
        folders = all(os.stat(folder).st_mtime_ns == then for folder, then in file.folders)
    except OSError:
        return False
    return folders and (status.st_size, status.st_mtime_ns) == (file.size, file.mtime_ns)
