"""The options of commands that build nothing, or only a build described in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jitstudio.command_options.build import json_word, python_word, timeout_word, toolchain_word
from jitstudio.command_options.fields import CommandOptions, flag, word
from jitstudio.command_options.values import (
    ANY_TEXT,
    ANY_TEXTS,
    ARCH,
    COUNT_OR_NONE,
    PATH,
    PATHS,
    TEXT,
    choice,
)
from jitstudio.core.arch import Arch
from jitstudio.core.options import ADDRESSES


@dataclass(frozen=True, kw_only=True)
class CheckOptions(CommandOptions):
    """The options of `jitstudio check`."""

    files: tuple[str, ...] = word(
        "FILE",
        PATHS,
        "BUDGETS.toml, or a pyproject.toml with [[tool.jitstudio.check.budget]] (default: the "
        "one that is here)",
        nargs="*",
    )
    only: str | None = word(
        "--only NAME", TEXT, "check this budget only; * and ? stand for other letters"
    )
    arch: Arch | None = word(
        "--arch ARCH", ARCH, "check for this target instead of those in the file"
    )
    sarif: str | None = word("--sarif FILE", PATH, "write what fails as SARIF 2.1.0")
    junit: str | None = word("--junit FILE", PATH, "write all verdicts as JUnit XML")
    update: bool = flag("--update", "write the cubins that equal_to names before they are compared")
    trust: bool = flag("--trust", "let the file send any option and name files outside its folder")
    timeout: float = timeout_word("each build, reading and launch")
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class ImportOptions(CommandOptions):
    """The options of `jitstudio import`."""

    link: str = word(
        "LINK|FILE", ANY_TEXT, "the link, in quotes; a file; or - for standard input", default=""
    )
    output: str = word(
        "-o, --output FOLDER", PATH, "the folder to write into", default="", is_required=True
    )


@dataclass(frozen=True, kw_only=True)
class CaptureOptions(CommandOptions):
    """The options of `jitstudio capture`."""

    output: str = word(
        "-o, --output FOLDER",
        PATH,
        "where they are saved, as .jitkernel files (default: ./captured)",
        default="captured",
    )
    json: bool = json_word()
    program: tuple[str, ...] = word("PROGRAM", ANY_TEXTS, nargs="...")


@dataclass(frozen=True, kw_only=True)
class LessonListOptions(CommandOptions):
    """The options of `jitstudio lesson list`."""

    json: bool = json_word()


def _lesson_word() -> Any:
    return word("LESSON", PATH, "its number, its name or its folder", default="")


def _output_word() -> Any:
    return word("-o, --output DIR", PATH, "copy the lesson into this folder (default: ./NAME)")


@dataclass(frozen=True, kw_only=True)
class LessonOpenOptions(CommandOptions):
    """The options of `jitstudio lesson open`."""

    lesson: str = _lesson_word()
    output: str | None = _output_word()


@dataclass(frozen=True, kw_only=True)
class LessonNextOptions(CommandOptions):
    """The options of `jitstudio lesson next`."""

    output: str | None = _output_word()


def _copy_word() -> Any:
    return word(
        "COPY", PATH, "the folder of the copy, or the number of one of our lessons", default=""
    )


def _by_word() -> Any:
    return word(
        "--by LESSON", PATH, "take this lesson's files, and not those in the pupil's folder"
    )


@dataclass(frozen=True, kw_only=True)
class LessonCheckOptions(CommandOptions):
    """The options of `jitstudio lesson check`."""

    lesson: str = _copy_word()
    by: str | None = _by_word()
    arch: Arch | None = word("--arch ARCH", ARCH, "check for this target")
    hint: int = word("--hint N", COUNT_OR_NONE, "show the first N hints", default=0)
    timeout: float = timeout_word("each build, reading and launch")
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class LessonHintOptions(CommandOptions):
    """The options of `jitstudio lesson hint`."""

    lesson: str = word("LESSON", PATH, "its number, its name or a folder", default="")
    all: bool = flag("--all", "show all hints")


@dataclass(frozen=True, kw_only=True)
class LessonWatchOptions(CommandOptions):
    """The options of `jitstudio lesson watch`."""

    lesson: str = _copy_word()
    by: str | None = _by_word()
    timeout: float = timeout_word("each build, reading and launch")


@dataclass(frozen=True, kw_only=True)
class LessonResetOptions(CommandOptions):
    """The options of `jitstudio lesson reset`."""

    lesson: str = _copy_word()
    by: str | None = _by_word()


@dataclass(frozen=True, kw_only=True)
class LessonSolutionOptions(CommandOptions):
    """The options of `jitstudio lesson solution`."""

    lesson: str = _lesson_word()
    anyway: bool = flag("--anyway", "show it although the lesson is not passed")


@dataclass(frozen=True, kw_only=True)
class LessonClassOptions(CommandOptions):
    """The options of `jitstudio lesson class`."""

    pupils: str = word("FOLDER", PATH, "a folder with a folder for each pupil", default="")
    by: str | None = _by_word()
    timeout: float = timeout_word("each build, reading and launch")
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class McpOptions(CommandOptions):
    """The options of `jitstudio mcp`."""

    folder: str = word(
        "--folder DIR",
        PATH,
        "the folder whose files may be read (default: the current one)",
        default=".",
    )
    allow_run: bool = flag("--allow-run", "let kernels be launched on the GPU, too")
    timeout: float = timeout_word("a build, a reading or a launch")


@dataclass(frozen=True, kw_only=True)
class ShowOptions(CommandOptions):
    """The options of `jitstudio show`."""

    files: tuple[str, ...] = word(
        "FILE", PATHS, "what File > Open takes, or the folder of a cache", nargs="+"
    )


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(CommandOptions):
    """The options of `jitstudio doctor`."""

    toolchain: tuple[str, ...] = toolchain_word("look at the compilers in this folder, too")
    python: str | None = python_word("look at this Python interpreter and its packages for kernels")
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class DeviceListOptions(CommandOptions):
    """The options of `jitstudio devices`."""

    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class OptionListOptions(CommandOptions):
    """The options of `jitstudio options`."""

    search: tuple[str, ...] = word("SEARCH", ANY_TEXTS, "words to look for", nargs="*")
    tool: str | None = word(
        "--tool",
        choice(sorted(ADDRESSES))._replace(read=str.lower),
        "list what this tool takes only",
    )
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class HelpOptions(CommandOptions):
    """The options of `jitstudio help`."""

    topic: tuple[str, ...] = word(
        "TOPIC", ANY_TEXTS, "a page, a GPU word, a command, or words to look for", nargs="*"
    )


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(CommandOptions):
    """The options of `jitstudio explain`."""

    text: tuple[str, ...] = word(
        "WORD",
        ANY_TEXTS,
        "such as LDG.E.128, ld.global.nc, __syncthreads, occupancy or a finding, spills; or a line "
        "of SASS or PTX, in quotes",
        nargs="+",
        takes_dash=True,
    )
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class SampleOptions(CommandOptions):
    """The options of `jitstudio sample`."""

    sample: str | None = word("NAME", ANY_TEXT, "its name; without it, all are listed", nargs="?")
    output: str | None = word(
        "-o, --output FOLDER", PATH, "the folder to write into (default: ./NAME)"
    )


@dataclass(frozen=True, kw_only=True)
class CacheOptions(CommandOptions):
    """The options of `jitstudio cache`."""

    clear: bool = flag("--clear", "empty it")
    json: bool = json_word()
