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
        "",
        PATHS,
        "BUDGETS.toml, or a pyproject.toml with [[tool.jitstudio.check.budget]] (default: the "
        "one that is here)",
        metavar="FILE",
        nargs="*",
    )
    only: str | None = word(
        "--only",
        TEXT,
        "check this budget only; * and ? stand for other letters",
        metavar="NAME",
    )
    arch: Arch | None = word(
        "--arch", ARCH, "check for this target in the place of those in the file", metavar="ARCH"
    )
    sarif: str | None = word("--sarif", PATH, "write what fails as SARIF 2.1.0", metavar="FILE")
    junit: str | None = word("--junit", PATH, "write all verdicts as JUnit XML", metavar="FILE")
    update: bool = flag("--update", "write the cubins that equal_to names before they are compared")
    trust: bool = flag("--trust", "let the file send any option and name files outside its folder")
    timeout: float = timeout_word("each build, reading and launch")
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class ImportOptions(CommandOptions):
    """What `jitstudio import` writes."""

    link: str = word(
        "",
        ANY_TEXT,
        "the link, in quotes; a file; or - for standard input",
        default="",
        metavar="LINK|FILE",
    )
    output: str = word(
        "-o, --output",
        PATH,
        "the folder to write into",
        default="",
        metavar="FOLDER",
        is_required=True,
    )


@dataclass(frozen=True, kw_only=True)
class CaptureOptions(CommandOptions):
    """What `jitstudio capture` runs."""

    output: str = word(
        "-o, --output",
        PATH,
        "where they are saved, as .jitkernel files (default: ./captured)",
        default="captured",
        metavar="FOLDER",
    )
    json: bool = json_word()
    program: tuple[str, ...] = word("", ANY_TEXTS, metavar="PROGRAM", nargs="...")


@dataclass(frozen=True, kw_only=True)
class LessonListOptions(CommandOptions):
    """What `jitstudio lesson list` prints."""

    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class LessonOpenOptions(CommandOptions):
    """What `jitstudio lesson open` copies."""

    lesson: str = word("", PATH, "its number, its name or its folder", default="", metavar="LESSON")
    output: str | None = word(
        "-o, --output", PATH, "copy the lesson into this folder (default: ./NAME)", metavar="DIR"
    )


@dataclass(frozen=True, kw_only=True)
class LessonCheckOptions(CommandOptions):
    """What `jitstudio lesson check` checks."""

    lesson: str = word("", PATH, "the pupil's copy", default="", metavar="FOLDER")
    by: str | None = word(
        "--by",
        PATH,
        "check by the conditions of this lesson, and not by those in the pupil's folder",
        metavar="LESSON",
    )
    arch: Arch | None = word("--arch", ARCH, "check for this target", metavar="ARCH")
    hint: int = word("--hint", COUNT_OR_NONE, "show the first N hints", default=0, metavar="N")
    timeout: float = timeout_word("each build, reading and launch")
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class McpOptions(CommandOptions):
    """What `jitstudio mcp` serves."""

    folder: str = word(
        "--folder",
        PATH,
        "the folder whose files may be read (default: the current one)",
        default=".",
        metavar="DIR",
    )
    allow_run: bool = flag("--allow-run", "let kernels be launched on the GPU, too")
    timeout: float = timeout_word("a build, a reading or a launch")


@dataclass(frozen=True, kw_only=True)
class ShowOptions(CommandOptions):
    """What `jitstudio show` opens."""

    files: tuple[str, ...] = word(
        "",
        PATHS,
        "what File > Open takes, or the folder of a cache",
        metavar="FILE",
        nargs="+",
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

    search: tuple[str, ...] = word("", ANY_TEXTS, "words to look for", metavar="SEARCH", nargs="*")
    tool: str | None = word(
        "--tool",
        choice(sorted(ADDRESSES))._replace(read=str.lower),
        "list what this tool takes only",
    )
    json: bool = json_word()


@dataclass(frozen=True, kw_only=True)
class HelpOptions(CommandOptions):
    """What `jitstudio help` prints."""

    topic: tuple[str, ...] = word("", ANY_TEXTS, "a page or a command", metavar="TOPIC", nargs="*")


@dataclass(frozen=True, kw_only=True)
class CacheOptions(CommandOptions):
    """What `jitstudio cache` does."""

    clear: bool = flag("--clear", "empty it")
    json: bool = json_word()
