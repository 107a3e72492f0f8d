"""The file of a project: JSON that people read and that differs line by line.

`version` rises when an older jitstudio would misread the file; a key that is only added leaves it,
as keys that are not known are kept and written back. Anybody may have written such a file: a value
that does not fit is reported with its place.

To add a key: here, in `resources/schema/project.json`, and an old file in `tests/data/projects`
that still opens.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, NoReturn, TypeVar

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.axes import AxisKind, AxisText, VariantDraft
from jitstudio.core.code import TEXT_KINDS, CodeKind
from jitstudio.core.launch.device import Dim3
from jitstudio.core.launch.spec import LaunchSpec, RunSettings, spec_from, spec_object
from jitstudio.core.project.project import (
    BreakLine,
    Member,
    Project,
    RunRecording,
    StepRecording,
)
from jitstudio.core.request import CudaCompiler, LinkMode

LARGEST = 64 * 2**20
"""Bytes of the largest project that is read."""

_DEEPEST = 32
_LARGEST_NUMBER = 2**63
_LONGEST_SHOWN = 40
_TITLES = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}
_Kind = TypeVar("_Kind", bound=Enum)
_Value = TypeVar("_Value")


class ProjectFormatError(ValueError):
    """A project cannot be understood; the message says where and why."""


class JsonRecord:
    """A JSON object whose values are taken by key.

    Args:
        value: The value at the place.
        place: Where it is, such as ``modules[1]``; empty for the whole.

    Raises:
        ProjectFormatError: It is no object.
    """

    def __init__(self, value: Any, place: str = "") -> None:
        self._place = place
        if type(value) is not dict:
            raise ProjectFormatError(_wrong(place, dict, value))
        self._values: dict[str, Any] = value

    def fail(self, key: str, message: str) -> NoReturn:
        """Raises the error about the value of this key.

        Raises:
            ProjectFormatError: Always.
        """
        raise ProjectFormatError(f"{self._at(key)}: {message}")

    def value(self, key: str, default: _Value) -> _Value:
        """Returns the value, of the type of the default; the default where there is none."""
        value = self._values.get(key, default)
        # Not `isinstance`, to which True is a number.
        if type(value) is not type(default):
            raise ProjectFormatError(_wrong(self._at(key), type(default), value))
        return value

    def name(self, key: str) -> str:
        """Returns a text that must be there and not be empty."""
        name = self.value(key, "")
        if not name or "\0" in name:
            self.fail(key, "a name belongs here.")
        return name

    def choice(self, key: str, default: _Kind) -> _Kind:
        """Returns a member of an enumeration by the word."""
        word = self.value(key, str(default.value))
        known = {str(kind.value): kind for kind in type(default)}
        if word not in known:
            self.fail(key, f"'{_short(word)}' is unknown here. Known: {', '.join(known)}.")
        return known[word]

    def parsed(self, key: str, parse: Callable[[str], _Value], default: _Value) -> _Value:
        """Returns the value that `parse` makes of a text; a `ValueError` there says the fault."""
        if key not in self._values:
            return default
        try:
            return parse(self.value(key, ""))
        except ProjectFormatError:
            raise
        except ValueError as error:
            self.fail(key, str(error))

    def texts(self, key: str) -> tuple[str, ...]:
        """Returns a list of texts; empty where there is none."""
        texts: list[Any] = self.value(key, [])
        for index, text in enumerate(texts):
            if type(text) is not str:
                raise ProjectFormatError(_wrong(f"{self._at(key)}[{index}]", str, text))
        return tuple(texts)

    def count(self, key: str, least: int) -> int:
        """Returns a whole number that is at least `least`, the value where there is none."""
        number = self.value(key, least)
        if number < least:
            self.fail(key, f"{number} is below {least}.")
        return number

    def index(self, key: str) -> Dim3:
        """Returns an index along x, y and z; zeros where there is none."""
        numbers: list[Any] = self.value(key, [0, 0, 0])
        if len(numbers) != len("xyz") or not all(type(n) is int and n >= 0 for n in numbers):
            self.fail(key, "three whole numbers from 0 on belong here.")
        return numbers[0], numbers[1], numbers[2]

    def records(self, key: str, most: int) -> Iterator[JsonRecord]:
        """Yields the objects of a list; none where there is no list."""
        entries: list[Any] = self.value(key, [])
        if len(entries) > most:
            self.fail(key, f"{len(entries)} entries are more than the {most} that are read.")
        for index, entry in enumerate(entries):
            yield JsonRecord(entry, f"{self._at(key)}[{index}]")

    def record(self, key: str) -> JsonRecord:
        """Returns the object of this key; an empty object where there is none."""
        return JsonRecord(self._values.get(key, {}), self._at(key))

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yields all keys and values."""
        yield from self._values.items()

    def has(self, key: str) -> bool:
        """Returns whether there is a value of this key."""
        return key in self._values

    def _at(self, key: str) -> str:
        return ".".join(filter(None, (self._place, key)))


def parse(data: bytes) -> Any:
    """Returns the JSON in these bytes, without anything that cannot be written back unchanged.

    Raises:
        ProjectFormatError: It is damaged, too large, nested too deeply, or holds numbers or texts
            that JSON has no place for.
    """
    if len(data) > LARGEST:
        raise ProjectFormatError(f"It is larger than the {LARGEST >> 20} MiB that are read.")
    try:
        value = json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=_object,
            parse_constant=_no_number,
            parse_float=_number,
        )
    except UnicodeDecodeError as error:
        raise ProjectFormatError(f"It is damaged: byte {error.start} is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise ProjectFormatError(
            f"It is damaged in line {error.lineno}, column {error.colno}: {error.msg}."
        ) from None
    except RecursionError:
        raise ProjectFormatError("It is nested too deeply.") from None
    except ProjectFormatError:
        raise
    except ValueError:
        raise ProjectFormatError("It holds a number that is too large.") from None
    _check(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ProjectFormatError(f"The key '{_short(twice)}' stands twice in one object.")
    return record


def _number(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise ProjectFormatError(f"'{_short(text)}' is not a number that a project can hold.")


def _check(value: Any) -> None:
    """Checks every value, without recursion: nesting may be as deep as Python goes."""
    level = [value]
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for entry in level:
            if isinstance(entry, dict):
                below += [*entry, *entry.values()]
            elif isinstance(entry, list):
                below += entry
            else:
                _check_plain(entry)
        if not below:
            return
        level = below
    raise ProjectFormatError("It is nested too deeply.")


def _check_plain(value: Any) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ProjectFormatError("A text holds half of a character (a surrogate).") from None
    elif isinstance(value, int) and abs(value) >= _LARGEST_NUMBER:
        raise ProjectFormatError("It holds a number that is too large.")


def _wrong(place: str, wanted: type, value: Any) -> str:
    return f"{place or 'The file'}: {_TITLES[wanted]} belongs here, not {_TITLES[type(value)]}."


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


VERSION = 1

_Json = dict[str, Any]
_Entry = TypeVar("_Entry")
_Unknown = dict[tuple[str, str], Mapping[str, Any]]
_ITSELF = ("", "")
MOST = 1000
"""Entries of a list: each module is a tab."""

_KEYS = (
    frozenset(
        ("version", "target", "options", "link", "links", "libdevice", "join_ir", "driver_jit")
    )
    | {"compiler", "toolchain", "keep_host_code", "modules", "headers", "launches", "kernel"}
    | {
        *("sweeps", "steps", "recordings", "layout", "current"),
    }
)
_HEADER_KEYS = frozenset(("name", "kind", "path", "text"))
_MODULE_KEYS = _HEADER_KEYS | {
    *("options", "name_expressions", "included", "library", "program"),
}
_LAUNCH_KEYS = frozenset(spec_object(LaunchSpec()))
_RUN_KEYS = tuple(field.name for field in fields(RunSettings))
_SELDOM_KEYS = ("integer_tolerance", "blocks", "seed", "seeds", "both")
_STEP_KEYS = frozenset(("kernel", "step", "block", "thread", "breakpoints"))
_RECORDING_KEYS = frozenset(("kernel", "data"))
_SWEEP_KEYS = frozenset(("kernel", "axes"))


def dump(project: Project) -> bytes:
    """Returns the content of a project's file."""

    def listed(
        key: str,
        entries: Iterable[_Entry],
        as_object: Callable[[_Entry], _Json],
        name: str = "name",
    ) -> list[_Json]:
        records = map(as_object, entries)
        return [record | dict(project.unknown.get((key, record[name]), {})) for record in records]

    links = {program: link.value for program, link in project.links.items()}
    steps = listed("steps", project.steps, _step_object, "kernel")
    recordings = listed("recordings", project.recordings, _recording_object, "kernel")
    state = {
        "version": VERSION,
        "target": project.arch.sm,
        "options": project.options,
        "link": project.link.value,
        **({"links": links} if links else {}),
        "libdevice": project.libdevice,
        "join_ir": project.join_ir,
        "driver_jit": project.driver_jit,
        **({} if project.compiler is CudaCompiler.NVRTC else {"compiler": project.compiler.value}),
        **({"toolchain": project.toolchain} if project.toolchain else {}),
        **({"keep_host_code": True} if project.keep_host_code else {}),
        "modules": listed("modules", project.modules, _module_object),
        "headers": listed("headers", project.headers, _header_object),
        "launches": listed("launches", project.launches, _launch_object, "kernel"),
        "kernel": project.kernel,
        "sweeps": listed("sweeps", project.sweeps, _sweep_object, "kernel"),
        **({"steps": steps} if steps else {}),
        **({"recordings": recordings} if recordings else {}),
        "layout": project.layout,
        "current": project.current,
        **project.unknown.get(_ITSELF, {}),
    }
    text = json.dumps(state, indent=2, ensure_ascii=False)
    # Half a character, which a text field can hold, has no place in a file.
    return f"{text}\n".encode("utf-8", "replace")


def load(data: bytes) -> Project:
    """Reads the content of a project's file.

    Raises:
        ProjectFormatError: It is damaged, or a newer jitstudio has written it.
    """
    state = JsonRecord(parse(data))
    _check_version(state)
    unknown: _Unknown = {}

    def listed(
        key: str, read: Callable[[JsonRecord], _Entry], keys: frozenset[str], name: str = "name"
    ) -> tuple[_Entry, ...]:
        entries, seen = [], set[str]()
        for record in state.records(key, MOST):
            entries.append(read(record))
            called = record.value(name, "")
            if called in seen:
                record.fail(name, f"'{called}' stands in this list already.")
            seen.add(called)
            _keep(unknown, (key, called), record, keys)
        return tuple(entries)

    project = Project(
        modules=listed("modules", _module, _MODULE_KEYS),
        headers=listed("headers", _header, _HEADER_KEYS),
        arch=state.parsed("target", Arch.parse, DEFAULT_ARCH),
        options=state.value("options", ""),
        link=state.choice("link", LinkMode.NONE),
        links=_links(state.record("links")),
        libdevice=state.value("libdevice", False),
        join_ir=state.value("join_ir", False),
        driver_jit=state.value("driver_jit", False),
        compiler=state.choice("compiler", CudaCompiler.NVRTC),
        toolchain=state.value("toolchain", ""),
        keep_host_code=state.value("keep_host_code", False),
        launches=listed("launches", _launch, _LAUNCH_KEYS, "kernel"),
        kernel=state.value("kernel", ""),
        sweeps=listed("sweeps", _sweep, _SWEEP_KEYS, "kernel"),
        steps=listed("steps", _step, _STEP_KEYS, "kernel"),
        recordings=listed("recordings", _recording, _RECORDING_KEYS, "kernel"),
        layout=state.value("layout", ""),
        current=state.value("current", ""),
        unknown=unknown,
    )
    _keep(unknown, _ITSELF, state, _KEYS)
    _check_names(project)
    return project


def _check_version(state: JsonRecord) -> None:
    if not state.has("version"):
        raise ProjectFormatError(
            "It does not say its version, so it is not a project of jitstudio."
        )
    version = state.value("version", 0)
    if version < 1:
        state.fail("version", f"there is no version {version}.")
    if version > VERSION:
        raise ProjectFormatError(
            f"A newer jitstudio has written it: its format is version {version}, and version "
            f"{VERSION} is the newest that this one reads. Update jitstudio to open it."
        )


def _check_names(project: Project) -> None:
    modules = {module.name for module in project.modules}
    for index, header in enumerate(project.headers):
        if header.name in modules:
            raise ProjectFormatError(
                f"headers[{index}].name: a module is called '{header.name}' already."
            )


def _keep(
    unknown: _Unknown, place: tuple[str, str], record: JsonRecord, keys: frozenset[str]
) -> None:
    if others := {key: value for key, value in record.items() if key not in keys}:
        unknown[place] = others


def _module_object(module: Member) -> _Json:
    settings = {
        **({} if module.options is None else {"options": module.options}),
        "name_expressions": list(module.name_expressions),
        # Versions without other programs leave their modules out of the link.
        "included": module.is_linked,
        "library": module.is_library,
    }
    if module.program:
        settings["program"] = {"name": module.program, "included": module.included}
    # The text last: it is long.
    record = _header_object(module)
    content = {key: record.pop(key) for key in ("path", "text") if key in record}
    return record | settings | content


def _header_object(member: Member) -> _Json:
    content: _Json = {"name": member.name, "kind": member.kind.value}
    # A newline ends a line, so a text whose last line has its end gives an empty one behind it.
    lines = {"path": member.path} if member.text is None else {"text": member.text.split("\n")}
    return content | lines


def _links(record: JsonRecord) -> dict[str, LinkMode]:
    links = {program: record.choice(program, LinkMode.NONE) for program, _ in record.items()}
    return {program: link for program, link in links.items() if link is not LinkMode.NONE}


def _module(record: JsonRecord) -> Member:
    included, program = record.value("included", True), ""
    if record.has("program"):
        other = record.record("program")
        included, program = other.value("included", True), other.name("name")
    return Member(
        **_content(record),
        name_expressions=record.texts("name_expressions"),
        included=included,
        is_library=record.value("library", False),
        program=program,
        options=record.value("options", "") if record.has("options") else None,
    )


def _header(record: JsonRecord) -> Member:
    return Member(**_content(record))


def _content(record: JsonRecord) -> _Json:
    name, kind = record.name("name"), record.choice("kind", CodeKind.CUDA)
    if record.has("text") == record.has("path"):
        record.fail("text", "either a text or a path belongs here, and one of them only.")
    if record.has("path"):
        return {"name": name, "kind": kind, "path": record.name("path")}
    if kind not in TEXT_KINDS:
        record.fail("text", f"{kind.title} is kept in a file of its own, named by a path.")
    return {"name": name, "kind": kind, "text": "\n".join(record.texts("text"))}


def _launch_object(spec: LaunchSpec) -> _Json:
    """Returns the keys of the launch, then the keys of the measurement."""
    content = spec_object(spec)
    measured = {key: content.pop(key) for key in _RUN_KEYS}
    # Most launches are simulated whole and once, if at all, and their integers are exact.
    usual = {key for key in _SELDOM_KEYS if measured[key] == getattr(LaunchSpec, key)}
    return content | {key: value for key, value in measured.items() if key not in usual}


def _launch(record: JsonRecord) -> LaunchSpec:
    for key, value in record.items():
        try:
            spec_from({key: value})
        except (ValueError, TypeError, AttributeError):
            record.fail(key, "this cannot be what it says about a launch.")
    return spec_from(dict(record.items()))


def _sweep(record: JsonRecord) -> VariantDraft:
    axes = (
        AxisText(
            axis.choice("kind", AxisKind.BLOCK), axis.value("name", ""), axis.value("values", "")
        )
        for axis in record.records("axes", MOST)
    )
    return VariantDraft(record.value("kernel", ""), tuple(axes))


def _step_object(recording: StepRecording) -> _Json:
    points = [
        {"name": p.name, "line": p.line, "ptx": p.is_ptx, "condition": condition}
        for p, condition in recording.breakpoints
    ]
    return {
        "kernel": recording.kernel,
        "step": recording.step,
        "block": list(recording.block),
        "thread": list(recording.thread),
        "breakpoints": points,
    }


def _step(record: JsonRecord) -> StepRecording:
    points = [
        (
            BreakLine(point.name("name"), point.count("line", 1), point.value("ptx", False)),
            point.value("condition", ""),
        )
        for point in record.records("breakpoints", MOST)
    ]
    return StepRecording(
        record.value("kernel", ""),
        record.count("step", 0),
        record.index("block"),
        record.index("thread"),
        tuple(points),
    )


def _recording_object(recording: RunRecording) -> _Json:
    data = base64.b64encode(recording.data).decode("ascii")
    return {"kernel": recording.kernel, "data": data}


def _recording(record: JsonRecord) -> RunRecording:
    try:
        data = base64.b64decode(record.value("data", ""), validate=True)
    except (binascii.Error, ValueError):
        record.fail("data", "this is not text in base64.")
    return RunRecording(record.value("kernel", ""), data)


def _sweep_object(draft: VariantDraft) -> _Json:
    axes = [{"kind": a.kind.value, "name": a.name, "values": a.values} for a in draft.axes]
    return {"kernel": draft.kernel, "axes": axes}
