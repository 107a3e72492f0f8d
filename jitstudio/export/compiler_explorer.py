"""Builds as links of Compiler Explorer, and back. Nothing here reaches a network.

A link ``/clientstate/`` has all of a state in it: JSON with all but ASCII escaped, packed by zlib
where that is shorter, in base64 (docs/API.md and lib/clientstate.ts of compiler-explorer). The
address bar has Rison, perhaps packed by lz-string, of GoldenLayout's components with letters for
frequent words (shared/url-serialization.ts). Both come from others: sizes and depths are bounded.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
import shlex
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, unquote_plus, urlsplit

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.bounds.unpacking import (
    DAMAGED_ZIP,
    Oversized,
    check_members,
    inflated,
    read_member,
)
from jitstudio.core.code import CodeKind, kind_of
from jitstudio.core.options import join_options
from jitstudio.core.project.project import Member, Project
from jitstudio.core.request import CudaCompiler, LinkMode
from jitstudio.core.tools import Tool
from jitstudio.export.compile_commands import translated
from jitstudio.export.link_codings import LzStringError, RisonError, decode_object, decompress
from jitstudio.export.nvcc import instances_text
from jitstudio.export.recipe import ExportError, Recipe

SITE = "https://godbolt.org"
LARGEST = 8 << 20
"""Bytes of a link, or of a file to import."""
_LARGEST_STATE = 16 << 20
_MOST_FILES = 200
_LONGEST_LINK = 1 << 16

_NVRTC = tuple(f"nvrtc{n}" for n in (*range(111, 119), *range(120, 130), *range(130, 134)))
_PTXAS = "ptxasnvcc_131"
_NVCC = "nvcc133"
_FILTERS = {
    "binary": True,
    "labels": True,
    "directives": True,
    "commentOnly": True,
    "demangle": True,
}
_LANGUAGES = {CodeKind.CUDA: "cuda", CodeKind.PTX: "ptx"}
_MAIN = {"cuda": "example.cu", "ptx": "example.ptx"}
_KINDS = {
    "cuda": CodeKind.CUDA,
    "c++": CodeKind.CUDA,
    "ptx": CodeKind.PTX,
    "llvm": CodeKind.LLVM_IR,
}
_COMPILERS = re.compile(r"nvcc\d|nvrtc\d|ptxas|cuclang|clang.*cuda", re.IGNORECASE)
# What jitstudio asks a tool for, and Compiler Explorer asks for by itself.
_DROPPED = frozenset(
    {
        "--ptxas-options=-v",
        "--ptxas-options=--warn-on-spills",
        "--define-macro=JITSTUDIO_ALONE",
    }
)


class ForeignStateError(ValueError):
    """A link or file cannot be imported; the message says why, and names a remedy."""


@dataclass(frozen=True)
class ImportedProject:
    """A project that holds all imported texts, with notes.

    Attributes:
        project: The project.
        notes: Sentences on settings that a project has no counterpart for.
    """

    project: Project
    notes: tuple[str, ...] = ()


def link_of(recipe: Recipe) -> tuple[str, tuple[str, ...]]:
    """Returns a link that shows the build in Compiler Explorer, and notes on all that is left out.

    Raises:
        ExportError: Compiler Explorer has no compiler for it.
    """
    state, notes = state_of(recipe)
    text = json.dumps(state, separators=(",", ":")).replace("\x7f", "\\u007f").encode()
    packed = min(text, zlib.compress(text, 9), key=len)
    link = f"{SITE}/clientstate/{base64.urlsafe_b64encode(packed).decode()}"
    if len(link) > _LONGEST_LINK:
        notes = (*notes, f"The link has {len(link):,} characters: a browser may refuse it.")
    return link, notes


def state_of(recipe: Recipe) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Returns the state of a link, and notes on all that is left out; see `link_of`."""
    main = _main_of(recipe)
    if main.kind not in _LANGUAGES:
        raise ExportError(
            f"Compiler Explorer has no libNVVM and takes no {main.kind.title} for NVIDIA's GPUs. "
            "Export the PTX of it, or a script."
        )
    notes = list(recipe.notes)
    language = _LANGUAGES[main.kind]
    compiler, source = _compiler_of(recipe, main.name, main.content, notes)
    others = [s for s in recipe.request.sources if s is not main and s.kind in _LANGUAGES]
    if others:
        names = ", ".join(other.name for other in others)
        notes.append(f"Compiler Explorer compiles {main.name} alone, without a link to {names}.")
    files = {other.name: other.content for other in others}
    files |= {header: recipe.texts[header] for header in recipe.headers}
    if not files:
        session = {
            "id": 1,
            "language": language,
            "source": source,
            "filename": PurePosixPath(main.name).name,
            "compilers": [compiler],
            "executors": [],
        }
        return {"sessions": [session], "trees": []}, tuple(notes)
    if PurePosixPath(main.name).name != _MAIN[language]:
        notes.append(f"{main.name} is called {_MAIN[language]}, as the main file of several is.")
    files_of_tree = [_file(1, _MAIN[language], source, language)]
    for number, (name, content) in enumerate(files.items(), 2):
        text = content.decode("utf-8", "replace")
        files_of_tree.append(_file(number, name, text, language))
    tree = {
        "id": 1,
        "compilerLanguageId": language,
        "buildSystem": "none",
        "isCMakeProject": False,
        "cmakeArgs": "",
        "customOutputFilename": "",
        "newFileId": len(files_of_tree) + 1,
        "files": files_of_tree,
        "compilers": [compiler],
        "executors": [],
    }
    return {"sessions": [], "trees": [tree]}, tuple(notes)


def _main_of(recipe: Recipe) -> Any:
    sources = recipe.request.sources
    if recipe.launch is not None:
        named = recipe.launch.form.module
        return next((source for source in sources if source.name == named), sources[0])
    return sources[0]


def _compiler_of(
    recipe: Recipe, name: str, content: bytes, notes: list[str]
) -> tuple[dict[str, Any], str]:
    """Returns the compiler of a module, and the text as that compiler needs to read."""
    step = next((s for s in recipe.steps if s.name == name), recipe.steps[-1])
    text = content.decode("utf-8", "replace")
    options = [o for o in step.options if o not in _DROPPED and not o.startswith("-arch=")]
    options = [option for option in options if option not in ("-dlto", "-rdc=true")]
    if step.tool is not Tool.NVRTC:
        # Of nvJitLink's options ptxas knows hardly any.
        notes += [f"ptxas has no counterpart of '{o}' of nvJitLink." for o in options if o in _LTO]
        return _compiler(_PTXAS, (f"-arch={recipe.arch.sm}",)), text
    names = [expression for expression in step.name_expressions if "<" in expression]
    by_nvcc = bool(names) or recipe.texts[name] != content
    if by_nvcc:
        # It has a compiler for host code, and makes the instances that host code names.
        text += instances_text(names)
        if names:
            notes.append("Name expressions are lines at the end of the text: NVRTC has none there.")
        return _compiler(_NVCC, (f"-arch={recipe.arch.sm}", *options)), text
    wanted = int(recipe.versions.get(Tool.NVRTC, "13.3").replace(".", "")[:3] or 0)
    known = [version for version in _NVRTC if int(version.removeprefix("nvrtc")) <= wanted]
    chosen = known[-1] if known else _NVRTC[0]
    if int(chosen.removeprefix("nvrtc")) != wanted:
        notes.append(f"Its newest NVRTC that is known here is {chosen}: the code may be another.")
    return _compiler(chosen, (f"-arch={recipe.arch.sm}", *options)), text


_LTO = frozenset({"-lto", "-g"})


def _compiler(name: str, options: Iterable[str]) -> dict[str, Any]:
    return {
        "id": name,
        "options": shlex.join(options),
        "filters": dict(_FILTERS),
        "libs": [],
        "tools": [],
        "overrides": [],
    }


def _file(number: int, name: str, text: str, language: str) -> dict[str, Any]:
    return {
        "fileId": number,
        "isIncluded": True,
        "isOpen": False,
        "isMainSource": number == 1,
        "filename": name,
        "content": text,
        "editorId": -1,
        "langId": language,
    }


def project_from_link(text: str) -> ImportedProject:
    """Returns the project in a link of Compiler Explorer.

    Args:
        text: A link ``/clientstate/...``, or one with the state behind its ``#``.

    Raises:
        ForeignStateError: It is none, is damaged, or has nothing for these compilers.
    """
    text = text.strip()
    if len(text) > LARGEST:
        raise ForeignStateError(f"The link has more than {LARGEST:,} characters.")
    try:
        parts = urlsplit(text) if "://" in text else None
    except ValueError as error:
        raise ForeignStateError(f"This is not a link: {error}. Copy all of it.") from None
    if parts is None and not text.startswith(("#", "g:", "z:")):
        raise ForeignStateError(
            "This is not a link of Compiler Explorer: it begins with https:// and has "
            "/clientstate/ or a # in it."
        )
    path, fragment = (parts.path, parts.fragment) if parts else ("", text.removeprefix("#"))
    if "/clientstate/" in path:
        return _from_state(_client_state(unquote(path.partition("/clientstate/")[2])))
    if fragment:
        return _from_state(_address_state(fragment))
    raise ForeignStateError(
        f"'{text[:60]}' is a short link: it has a number only, and the program is on the server, "
        "which jitstudio does not ask. Open it in a browser, choose Share > Full link there, and "
        "import that link."
    )


def project_from_file(name: str, content: bytes) -> ImportedProject:
    """Returns the project in a file that was downloaded from Compiler Explorer.

    Args:
        name: The file.
        content: A text, a zip of a tree's files, or a state in JSON.

    Raises:
        ForeignStateError: It holds nothing for these compilers.
    """
    if len(content) > LARGEST:
        raise ForeignStateError(f"'{name}' has more than {LARGEST:,} bytes.")
    if content.startswith(b"PK\x03\x04"):
        return _assembled([(n, t, "") for n, t in _unzipped(name, content)], [], [])
    if content.lstrip()[:1] == b"{":
        try:
            state = json.loads(content)
        except (ValueError, RecursionError):
            raise ForeignStateError(
                f"'{name}' is not a state of Compiler Explorer: no JSON."
            ) from None
        state = state.get("config", state) if isinstance(state, dict) else state
        return _from_state(state)
    if kind_of(name) is None:
        raise ForeignStateError(
            f"'{name}' has no file extension that shows what it is: .cu, .ptx, .ll, .zip or .json."
        )
    return _assembled([(Path(name).name, content.decode("utf-8", "replace"), "")], [], [])


def _client_state(text: str) -> Any:
    try:
        padded = text.strip().rstrip("=")
        padded += "=" * (-len(padded) % 4)
        data = base64.b64decode(padded.replace("-", "+").replace("_", "/"), validate=True)
        # As Compiler Explorer tells them apart: no JSON begins so.
        if data[:1] and data[0] & 0xF == _ZLIB:
            data = inflated(data, _LARGEST_STATE)
        return json.loads(data)
    except Oversized as error:
        raise ForeignStateError(f"The link is too large: {error}.") from None
    except (ValueError, zlib.error, binascii.Error, RecursionError):
        raise ForeignStateError(
            "The link is damaged: what follows /clientstate/ cannot be unpacked. Copy all of it."
        ) from None


_ZLIB = 8


def _address_state(fragment: str) -> Any:
    try:
        state = decode_object(unquote_plus(fragment))
        if isinstance(state.get("z"), str):
            state = decode_object(unquote_plus(decompress(state["z"], _LARGEST_STATE)))
    except (RisonError, LzStringError) as error:
        raise ForeignStateError(f"The link is damaged. {error} Copy all of it.") from None
    if "g" in state:
        state = _unminified(state, 0)
    return state


_KEYS = (
    *("settings", "hasHeaders", "constrainDragToContainer", "selectionEnabled", "dimensions"),
    *("borderWidth", "minItemHeight", "minItemWidth", "headerHeight", "dragProxyWidth"),
    *("dragProxyHeight", "labels", "close", "maximise", "minimise", "popout", "content"),
    *("componentName", "componentState", "id", "width", "type", "height", "isClosable", "title"),
    *("popoutWholeStack", "openPopouts", "parentId", "activeItemIndex", "reorderEnabled"),
    "borderGrabWidth",
)
_VALUES = (
    *(True, False, "row", "column", "stack", "component", "close", "maximise", "minimise"),
    "open in new window",
)
"""The words that a letter stands for, by its value to the base of 36: GoldenLayout's
ConfigMinifier."""


def _unminified(value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        return {_word(key, _KEYS): _unminified(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_unminified(inner, depth + 1) for inner in value]
    return _word(value, _VALUES)


def _word(value: Any, words: tuple[Any, ...]) -> Any:
    if isinstance(value, str) and len(value) == 1:
        number = int(value, 36) if value.isalnum() and value.isascii() else len(words)
        return words[number] if number < len(words) else value
    if isinstance(value, str) and value.startswith("___"):
        return value[3:4]
    return value


@dataclass(frozen=True)
class _Compiler:
    name: str
    options: str


def _from_state(state: Any) -> ImportedProject:
    """Returns the project of a state: of sessions and trees, or of components."""
    if not isinstance(state, Mapping):
        raise ForeignStateError("This is not a state of Compiler Explorer: it has no sessions.")
    if "content" in state:
        state = _sessions_of(state["content"])
    files: list[tuple[str, str, str]] = []
    compilers: list[_Compiler] = []
    notes: list[str] = []
    for number, session in enumerate(_maps(state.get("sessions"))):
        language, source = str(session.get("language", "")), session.get("source")
        if not isinstance(source, str):
            continue
        usual = _MAIN.get(language, "example.ll" if language == "llvm" else "example.cu")
        name = session.get("filename")
        name = name if isinstance(name, str) and name.strip() else _numbered(usual, number)
        files.append((name, source, language))
        compilers += _compilers(session.get("compilers"))
    for tree in _maps(state.get("trees")):
        for file in _maps(tree.get("files")):
            content, name = file.get("content"), file.get("filename")
            if isinstance(content, str) and isinstance(name, str) and name:
                files.append((name, content, str(file.get("langId", ""))))
        compilers += _compilers(tree.get("compilers"))
        if tree.get("isCMakeProject"):
            notes.append("It is built by CMake there: its CMakeLists.txt is not taken.")
    return _assembled(files, compilers, notes)


def _maps(value: Any) -> Iterator[Mapping[str, Any]]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, Mapping):
            yield item


def _compilers(value: Any) -> Iterator[_Compiler]:
    for row in _maps(value):
        name = row.get("id") or row.get("compilerId") or ""
        yield _Compiler(str(name), str(row.get("options") or ""))


def _sessions_of(content: Any) -> dict[str, Any]:
    """Returns the components of a layout as sessions and trees."""
    sessions: dict[str, dict[str, Any]] = {}
    trees: dict[str, dict[str, Any]] = {}
    compilers: list[Mapping[str, Any]] = []
    waiting = [content]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, Mapping):
            component = value.get("componentState")
            kind = value.get("componentName")
            if isinstance(component, Mapping):
                number = str(component.get("id", component.get("j", len(sessions) + 1)))
                if kind == "codeEditor":
                    sessions[number] = {
                        **component,
                        "language": component.get("lang", "cuda"),
                        "compilers": [],
                    }
                elif kind == "tree":
                    trees[number] = {**component, "compilers": []}
                elif kind in ("compiler", "executor"):
                    compilers.append({**component, "id": component.get("compiler")})
            waiting.append(value.get("content"))
    for component in compilers:
        owner = trees.get(str(component.get("tree"))) or sessions.get(str(component.get("source")))
        owner = owner or next(iter((*sessions.values(), *trees.values())), None)
        if owner is not None:
            owner["compilers"].append(component)
    opened = {str(f.get("editorId")) for t in trees.values() for f in _maps(t.get("files"))}
    for tree in trees.values():
        files = [dict(file) for file in _maps(tree.get("files"))]
        for file in files:
            editor = sessions.get(str(file.get("editorId")))
            if editor is not None:
                file["content"] = editor.get("source", "")
        tree["files"] = files
    alone = [session for number, session in sessions.items() if number not in opened]
    return {"sessions": alone, "trees": list(trees.values())}


def _numbered(name: str, number: int) -> str:
    path = PurePosixPath(name)
    return f"{path.stem}_{number + 1}{path.suffix}" if number else name


def _unzipped(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    try:
        check_members(content)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if len(infos) > _MOST_FILES:
                raise Oversized(f"it holds more than {_MOST_FILES} files")
            left = _LARGEST_STATE
            for info in infos:
                data = read_member(archive, info, left)
                left -= len(data)
                yield info.filename, data.decode("utf-8", "replace")
    except Oversized as error:
        raise ForeignStateError(f"'{name}' is too large: {error}.") from None
    except DAMAGED_ZIP as error:
        raise ForeignStateError(f"'{name}' is not a sound zip file: {error}") from None


def _assembled(
    files: list[tuple[str, str, str]], compilers: list[_Compiler], notes: list[str]
) -> ImportedProject:
    """Returns the project of texts and the compilers that they are for."""
    if not files:
        raise ForeignStateError("There is no source in it.")
    if len(files) > _MOST_FILES:
        raise ForeignStateError(f"It has more than {_MOST_FILES} files.")
    modules: dict[str, Member] = {}
    headers: dict[str, Member] = {}
    languages = set()
    for name, text, language in files:
        # JSON may hold halves of characters, which no file does.
        name, text = (word.encode("utf-8", "replace").decode() for word in (_safe(name), text))
        kind = kind_of(name)
        if kind is CodeKind.HEADER or name.lower().endswith((".cuh", ".hpp", ".h")):
            headers.setdefault(name, Member(name, CodeKind.HEADER, text))
            continue
        if kind not in _KINDS.values():
            kind = _KINDS.get(language) if kind is None else None
            name = f"{PurePosixPath(name).stem}{kind.ending}" if kind else name
        if kind is None:
            languages.add(language or name)
            continue
        while name in modules:
            name = _numbered(name, len(modules))
        modules[name] = Member(name, kind, text)
    if not modules:
        raise ForeignStateError(
            f"There is no CUDA C++, PTX or LLVM IR in it, but {', '.join(sorted(languages))}."
        )
    if languages:
        notes.append(f"Not taken, as no compiler here takes it: {', '.join(sorted(languages))}.")
    project = Project(
        modules=tuple(modules.values()),
        headers=tuple(headers.values()),
        current=next(iter(modules)),
    )
    return ImportedProject(*_built(project, compilers, notes))


def _safe(name: str) -> str:
    """Returns the name of a file that lies in the folder of the project."""
    parts = [p for p in name.replace("\\", "/").split("/") if p not in ("", ".", "..")]
    cleaned = "/".join(re.sub(r"[\x00-\x1f:*?\"<>|]", "_", part)[:100] for part in parts[-4:])
    return cleaned or "example.cu"


def _built(
    project: Project, compilers: list[_Compiler], notes: list[str]
) -> tuple[Project, tuple[str, ...]]:
    """Returns a project with the first compiler's options, and notes on all that is left out."""
    if not compilers:
        return project, tuple(notes)
    first, *others = compilers
    if not _COMPILERS.match(first.name):
        notes.append(
            f"Its compiler '{first.name[:40]}' is none that jitstudio knows: NVRTC compiles it."
        )
    if others:
        left = ", ".join(other.name[:40] for other in others)
        notes.append(f"It has several compilers; those besides the first are left out: {left}.")
    try:
        words = shlex.split(first.options)
    except ValueError:
        words = first.options.split()
    flags = translated(words, Path("options"), Path(), reads_files=False)
    notes += [f"Not taken for NVRTC: '{word}'." for word in flags.left_out]
    built = replace(
        project,
        options=join_options(flags.options),
        arch=flags.arch or _arch_of(words) or DEFAULT_ARCH,
        compiler=CudaCompiler.NVRTC,
        link=LinkMode.NONE,
    )
    return built, tuple(notes)


def _arch_of(words: list[str]) -> Arch | None:
    for word in words:
        if match := re.search(r"(?:sm|compute)_\d+[af]?", word):
            try:
                return Arch.parse(match[0])
            except ValueError:
                return None
    return None
