"""The options of commands that build nothing, or what others have described."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.commands.build_options import json_word, python_word, timeout_word, toolchain_word
from jitstudio.commands.fields import CommandOptions, flag, word
from jitstudio.commands.values import (
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
    """What `jitstudio check` checks."""

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
        "--arch ARCH", ARCH, "check for this target in the place of those in the file"
    )
    sarif: str | None = word("--sarif FILE", PATH, "write what fails as SARIF 2.1.0")
    junit: str | None = word("--junit FILE", PATH, "write all verdicts as JUnit XML")
    update: bool = flag("--update", "write the cubins that equal_to names before they are compared")
    trust: bool = flag("--trust", "let the file send any option and name files outside its folder")
    timeout: float = timeout_word("each build, reading and launch")
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class ImportOptions(CommandOptions):
    """What `jitstudio import` writes."""

    link: str = word(
        "LINK|FILE", ANY_TEXT, "the link, in quotes; a file; or - for standard input", default=""
    )
    output: str = word(
        "-o, --output FOLDER", PATH, "the folder to write into", default="", is_required=True
    )


@dataclass(frozen=True, kw_only=True)
class CaptureOptions(CommandOptions):
    """What `jitstudio capture` runs."""

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
    """What `jitstudio lesson list` prints."""

    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class LessonOpenOptions(CommandOptions):
    """What `jitstudio lesson open` copies."""

    lesson: str = word("LESSON", PATH, "its number, its name or its folder", default="")
    output: str | None = word(
        "-o, --output DIR", PATH, "copy the lesson into this folder (default: ./NAME)"
    )


@dataclass(frozen=True, kw_only=True)
class LessonCheckOptions(CommandOptions):
    """What `jitstudio lesson check` checks."""

    lesson: str = word("FOLDER", PATH, "the pupil's copy", default="")
    by: str | None = word(
        "--by LESSON",
        PATH,
        "check by the conditions of this lesson, and not by those in the pupil's folder",
    )
    arch: Arch | None = word("--arch ARCH", ARCH, "check for this target")
    hint: int = word("--hint N", COUNT_OR_NONE, "show the first N hints", default=0)
    timeout: float = timeout_word("each build, reading and launch")
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class McpOptions(CommandOptions):
    """What `jitstudio mcp` serves."""

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
    """What `jitstudio show` opens."""

    files: tuple[str, ...] = word(
        "FILE", PATHS, "what File > Open takes, or the folder of a cache", nargs="+"
    )


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(CommandOptions):
    """What `jitstudio doctor` looks at."""

    toolchain: tuple[str, ...] = toolchain_word("look at the compilers in this folder, too")
    python: str | None = python_word("look at this Python interpreter and its packages for kernels")
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class DeviceListOptions(CommandOptions):
    """What `jitstudio devices` prints."""

    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class OptionListOptions(CommandOptions):
    """What `jitstudio options` lists."""

    search: tuple[str, ...] = word("SEARCH", ANY_TEXTS, "words to look for", nargs="*")
    tool: str | None = word(
        "--tool",
        choice(sorted(ADDRESSES))._replace(read=str.lower),
        "list what this tool takes only",
    )
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class HelpOptions(CommandOptions):
    """What `jitstudio help` prints."""

    topic: tuple[str, ...] = word("TOPIC", ANY_TEXTS, "a page or a command", nargs="*")


@dataclass(frozen=True, kw_only=True)
class CacheOptions(CommandOptions):
    """What `jitstudio cache` does."""

    clear: bool = flag("--clear", "empty it")
    json: bool = json_word()
