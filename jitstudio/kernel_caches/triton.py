"""The cache of Triton: a folder for each compilation, with a file for each stage.

The cache, ``~/.triton/cache``, has in the folder of a hash ``NAME.json`` with the options, and
``NAME.ttir``, ``.ttgir``, ``.llir``, ``.ptx`` and ``.cubin``; since 3.4 also ``NAME.source``, which
is the IR before the first pass. `TRITON_KERNEL_DUMP` writes the same without the JSON.
TorchInductor keeps its kernels so, too, next to the Python files that it generates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jitstudio.core.captured import CapturedKernel, KernelLanguage
from jitstudio.kernel_caches.entry import CacheEntry, Folder, Incomplete, facts_of, name_of
from jitstudio.ptx.scanner import bare_ptx
from jitstudio.ptx.skimming import file_names, places_in
from jitstudio.python.things import TRITON_STAGES

_LANGUAGES = {".source": KernelLanguage.MLIR} | {
    f".{word}": language for word, language in TRITON_STAGES.items()
}
# Endings that only Triton writes.
_OWN = (".ttir", ".ttgir", ".llir")
_CODES = (".cubin", ".ptx")
_LOCATED = (".source", ".ttir", ".ttgir")
_OTHERS = (".amdgcn", ".hsaco", ".spv", ".zebin")
_OPTIONS = ".json"
_GROUP = "__grp__"
_HEAD = 4096
_LOCATION = re.compile(rb'loc\("([^"\n]{1,1024})":(\d{1,9}):')
_VERSION = re.compile(r"[\w.+-]{1,40}")


def entries(folder: Folder) -> Iterator[CacheEntry]:
    """Yields the entries of a folder of Triton's cache; nothing for another folder."""
    stems = {
        name.removesuffix(ending): None
        for ending in (*_OWN, _OPTIONS)
        for name in folder.names
        if name.endswith(ending) and not name.startswith(_GROUP)
    }
    for stem in stems:
        stages = [ending for ending in _LANGUAGES if stem + ending in folder.names]
        others = [ending for ending in _OTHERS if stem + ending in folder.names]
        if not stages and not others:
            continue
        names = [stem + ending for ending in (*_LANGUAGES, *_OTHERS, _OPTIONS)]
        with folder.noting(stem):
            yield _entry(folder, stem, stages, others)
        folder.take(*names, f"{_GROUP}{stem}{_OPTIONS}")


def _entry(folder: Folder, stem: str, stages: list[str], others: list[str]) -> CacheEntry:
    code = next((ending for ending in _CODES if ending in stages), None)
    if code is None and others:
        raise Incomplete(f"it is for GPUs of others ({others[0]})")
    if code is None:
        raise Incomplete("it has neither PTX nor machine code: it is half-written, or failed")
    options: dict[str, object] = {}
    if stem + _OPTIONS in folder.names:
        with folder.noting(stem + _OPTIONS):
            options = folder.json(stem + _OPTIONS)
    name, version = name_of(options.get("name"), stem), options.get("triton_version")
    is_version = isinstance(version, str) and _VERSION.fullmatch(version)
    origin = f"Triton {version}" if is_version else "Triton"
    source = _source(folder, stem, stages)
    return CacheEntry(
        member=folder.member(stem + code),
        origin=origin,
        date=folder.date(stem + code),
        source=source,
        code=folder.representation(_LANGUAGES[code], stem + code),
        captured=lambda: CapturedKernel(
            name,
            origin,
            tuple(folder.representation(_LANGUAGES[stage], stem + stage) for stage in stages),
            facts_of(options),
        ),
        function=stem,
    )


def _source(folder: Folder, stem: str, stages: list[str]) -> str:
    """Returns the first place in the IR, which is that of the function."""
    for ending in _LOCATED:
        if ending in stages and (match := _LOCATION.search(folder.head(stem + ending, _HEAD))):
            return f"{match[1].decode('utf-8', 'replace')}:{match[2].decode()}"
    # Up to 2.1 only the PTX has lines, the first of them that of the function.
    text = folder.read(f"{stem}.ptx") if ".ptx" in stages else b""
    ptx = text.decode("utf-8", "replace")
    bare = bare_ptx(ptx)
    path = file_names(ptx, bare).get(1, "")
    line = next((line for file, line, _ in places_in(bare) if file == 1), 0)
    return f"{path}:{line}" if path and line else ""
