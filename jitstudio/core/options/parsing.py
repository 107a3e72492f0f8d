"""The table of options, the reader of typed options, and the way of each option to its tools.

The user writes options as one list, in any tool's spelling. Each option in the table reaches
every tool of the build that takes it, in that tool's spelling. An option that the table does not
know goes to the compilers of the modules (or to nvJitLink where there is none), so that the tool
itself can accept or refuse it. `nvjitlink:-O0` addresses one tool.
"""

from __future__ import annotations

import os
import re
import shlex
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from jitstudio.core.alike import did_you_mean
from jitstudio.core.options.rows import code, elsewhere, language, link, reading, tile
from jitstudio.core.options.spec import OptionGroup, OptionSpec, ValueKind
from jitstudio.core.tools import Tool

_ORDER = {group: place for place, group in enumerate(OptionGroup)}
OPTIONS: tuple[OptionSpec, ...] = tuple(
    sorted(
        (*code.ROWS, *language.ROWS, *link.ROWS, *reading.ROWS, *tile.ROWS, *elsewhere.ROWS),
        key=lambda spec: _ORDER[spec.group],
    )
)
"""Every option, group by group."""

_BY_FLAG = {flag: spec for spec in OPTIONS for flag in spec.flags}
_GLUED = {flag: spec for flag, spec in _BY_FLAG.items() if spec.glued and not flag.startswith("--")}


ALL_DEVICE = ("--device-as-default-execution-space", "-default-device")
"""How NVRTC is told that functions are for the device unless they say otherwise."""


def find(text: str) -> tuple[OptionSpec | None, str | None]:
    """Returns the row of an option, as of ``--std=c++20``, and the value in the text."""
    flag, equals, value = text.partition("=")
    if flag in _BY_FLAG:
        return _BY_FLAG[flag], value if equals else None
    for flag, spec in _GLUED.items():
        value = text.removeprefix(flag).lstrip(" ")
        if value != text and (spec.value.kind is not ValueKind.CHOICE or value.isdigit()):
            return spec, value
    return None, None


def did_you_mean_option(text: str) -> str:
    """Returns a question with the option most like a mistyped option, or empty."""
    # A spelling of one tool, as `--lineinfo` of tileiras, is refused by the others.
    flags = {flag for spec in OPTIONS for flag in (spec.flag, *spec.aliases)}
    return did_you_mean(text.partition("=")[0], sorted(flags))


# These have no spellings of their own: the compiler in the driver is sent what nvJitLink would be,
# nvcc what NVRTC would be.
_SPELLED_LIKE_OTHERS = (Tool.DRIVER, Tool.NVCC)
ADDRESSES = {tool.value.lower(): tool for tool in Tool if tool not in _SPELLED_LIKE_OTHERS} | {
    "nvvm": Tool.NVVM
}
"""What may come before the colon of an option, in small letters."""

# Splitting takes the square of the longest word.
_LONGEST = 1 << 16


@dataclass(frozen=True)
class GivenOption:
    """An option that the user wrote.

    Attributes:
        words: The words as typed: a single word, or a flag and a value.
        option: The words without the address of a tool.
        tool: The tool in the address, as in ``nvjitlink:-O0``.
        spec: The row; None for an option that the table does not know.
        value: The value of the option; None without a value.
    """

    words: tuple[str, ...]
    option: str
    tool: Tool | None = None
    spec: OptionSpec | None = None
    value: str | None = None


def split_options(text: str) -> tuple[str, ...]:
    """Splits the text of an options field, with the quoting of a shell.

    Raises:
        ValueError: A quote is not closed, or there is too much; the message is fit for a person.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"The options are longer than {_LONGEST:,} characters.")
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f"The options cannot be read: {error}. Check the quotes.") from None


def join_options(words: Iterable[str]) -> str:
    """Returns the text of an options field for these words."""
    return shlex.join(words)


def read(words: Iterable[str]) -> tuple[GivenOption, ...]:
    """Returns the options that these words are."""
    return _read(tuple(words))


# A build asks for the same ones in each of its steps and processes.
@lru_cache(256)
def _read(words: tuple[str, ...]) -> tuple[GivenOption, ...]:
    rest = deque(words)
    options: list[GivenOption] = []
    while rest:
        word = rest.popleft()
        tool, option = addressed(word)
        spec, value = find(option)
        if spec and tool is None and value is None and _begins_with_value(spec, rest):
            value = rest.popleft()
            options.append(GivenOption((word, value), spec.written(value), None, spec, value))
        else:
            options.append(GivenOption((word,), option, tool, spec, value))
    return tuple(options)


def rooted(words: Iterable[str], folder: str) -> tuple[str, ...]:
    """Returns words with paths of files and folders from a folder on; as they are for ''."""
    if not folder:
        return tuple(words)
    return tuple(word for option in read(words) for word in _rooted(option, folder))


def without(words: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Returns these words less the options that the others give another value."""
    replaced = {_place(option) for option in read(others)} - {None}
    options = (option for option in read(words) if _place(option) not in replaced)
    return tuple(word for option in options for word in option.words)


def without_option(options: Iterable[str], unwanted: str) -> tuple[str, ...]:
    """Returns the words of all options but `unwanted`, whatever tool the option addresses.

    An option that is named without a value goes with any value.
    """
    remaining = (option for option in read(options) if not _is_meant(option, unwanted))
    return tuple(word for option in remaining for word in option.words)


def addressed(word: str) -> tuple[Tool | None, str]:
    """Returns the tool that a word addresses, as ``nvjitlink:-O0`` does, and the rest."""
    address, _, option = word.partition(":")
    tool = ADDRESSES.get(address.lower())
    return (tool, option) if tool else (None, word)


def _rooted(option: GivenOption, folder: str) -> tuple[str, ...]:
    spec, value, tool = option.spec, option.value, option.tool
    if not (spec and value and spec.names_file) or value == spec.value.harmless:
        return option.words
    path = os.path.join(folder, value)
    if tool is None:
        return (spec.written(path),)
    return (f"{tool.value}:{spec.sent(tool, path)}",) if tool in spec.spellings else option.words


def _is_meant(option: GivenOption, unwanted: str) -> bool:
    flag = option.option.partition("=")[0]
    spec = option.spec
    # A tool complains of the option as it was sent, in that tool's spelling.
    sent = [spec.sent(tool, option.value) for tool in spec.spellings] if spec else []
    return unwanted in (" ".join(option.words), option.option, flag, *sent)


def _place(option: GivenOption) -> tuple[str, Tool | None] | None:
    """Returns the setting of an option, for the options of which only the last can count."""
    spec = option.spec
    return None if spec is None or spec.repeated else (spec.name, option.tool)


def _begins_with_value(spec: OptionSpec, rest: deque[str]) -> bool:
    """Returns whether the next word is the value of a flag that is alone, as in ``-I include``."""
    if not (rest and spec.takes_value):
        return False
    if spec.value.kind is ValueKind.OPTION:
        return True
    return not rest[0].startswith("-") and addressed(rest[0])[0] is None


_HEADERS = {"-I", "--pre-include"}
# They report times, keep precompiled headers, or ask for no cache at all.
_MORE = {"--time", "-time", "--pch", "--no-cache", "-no-cache"}
# What ptxas forgets after a build: each program of the libraries starts it anew.
_HARMLESS = re.compile(
    r"--?(?:v|verbose|O[0-4]|opt-level=[0-4]|warn-[a-z-]+|w|disable-warnings|lineinfo|g"
    r"|maxrregcount=\d+|(?:d|f)(?:l|s)cm=[a-z]{2}|fmad=(?:true|false))"
)


def options_for(tool: Tool, options: Iterable[str], front_end: Tool) -> tuple[str, ...]:
    """Returns the options that `tool` gets out of the user's options.

    Args:
        tool: The tool to be run.
        options: The words: an entry for each option, or a flag and a value in two.
        front_end: The tool that unknown options are meant for in this chain of tools.
    """
    sent = (_sent(tool, option, front_end) for option in read(options))
    return tuple(word for word in sent if word is not None)


def refusal(options: Iterable[str]) -> str:
    """Returns why options cannot be sent, as jitstudio sends the option; empty if they can."""
    for option in read(options):
        spec = option.spec
        if spec and spec.managed and (option.tool is None or option.tool in spec.spellings):
            word = " ".join(option.words)
            return f"Take '{word}' out of the options: {spec.managed}."
    return ""


def leave_traces(options: Iterable[str]) -> bool:
    """Returns whether an option may change later builds in the same process.

    Options without a row in the table may, and options handed on to a tool further on: LLVM keeps
    the values of options as long as the process lives.
    """
    return any(option.spec is None or _stays(option.spec, option.value) for option in read(options))


def have_effects(options: Iterable[str]) -> bool:
    """Returns whether the options have effects beyond a result and the text of a result.

    They leave traces, read or write files other than headers, or measure times.
    """
    return leave_traces(options) or any(
        (option.spec.value.kind is ValueKind.PATH and not option.spec.flags & _HEADERS)
        or option.spec.flags & _MORE
        for option in read(options)
        if option.spec
    )


def _stays(spec: OptionSpec, value: str | None) -> bool:
    handed_on = spec.value.kind is ValueKind.OPTION and not _HARMLESS.fullmatch(value or "")
    return spec.outlasts_build or handed_on


def takers(option: GivenOption, front_end: Tool) -> tuple[Tool, ...]:
    """Returns the tools that an option is for; see `options_for`."""
    if option.tool is not None:
        return (option.tool,)
    return tuple(option.spec.spellings) if option.spec else (front_end,)


def _sent(tool: Tool, option: GivenOption, front_end: Tool) -> str | None:
    if tool not in takers(option, front_end):
        return None
    if option.tool is not None or option.spec is None:
        return option.option
    return option.spec.sent(tool, option.value)


# ---- Which options nvcc takes: those of NVRTC and those of its own that the table lacks
#
# The front end and the optimiser are the same, and so are the names of nearly all options. Here are
# the others; found by sending every row of the table to nvcc 13.0.

_RENAMED = {
    "--warning-as-error": "-Werror",
    "--device-c": "-rdc=true",
    "--device-w": "-rdc=false",
}
_UNKNOWN = frozenset(
    (
        "--builtin-initializer-list",
        "--builtin-move-forward",
        "--device-as-default-execution-space",
        "--device-float128",
        "--device-int128",
        "--fdevice-time-trace",
        "--fmax-errors",
        "--instantiate-templates-in-pch",
        "--minimal",
        "--modify-stack-limit",
        "--no-cache",
        "--no-source-include",
        "--numba-debug",
        "--pch-messages",
        "--pch-verbose",
        "--time",
        "--use-bundled-headers",
        "--Wconversion",
    )
)
# What it makes, where, and with which programs.
_DECIDED = re.compile(
    r"--?(?:cuda|cubin|fatbin|ptx|optix-ir|ltoir|preprocess|E|M{1,2}D?|MF|generate-[\w-]*depend\w*"
    r"|compile|c|device-link|dlink|link|lib|run|output-file|o|objdir-as-tempdir|objtemp"
    r"|output-directory|odir|compiler-bindir|ccbin|dryrun|keep|keep-dir|save-temps|clean-targets"
    r"|clean|gpu-code|code|generate-code|gencode|options-file|optf|run-args|help|h|version|V|x)"
    r"(?:=.*)?"
)


def nvcc_objection(options: Iterable[str]) -> str:
    """Returns why nvcc cannot be sent these options of a user's, a sentence; empty if nvcc can."""
    for option in read(options):
        word = " ".join(option.words)
        if option.spec is not None and option.spec.flag in _UNKNOWN:
            return (
                f"nvcc has no counterpart of '{word}', an option of NVRTC. Take it out, or compile "
                "with NVRTC."
            )
        if option.spec is None and _DECIDED.fullmatch(option.option):
            return f"Take '{word}' out of the options: jitstudio says what nvcc makes, and where."
    return ""


def nvcc_spelling(option: str) -> str:
    """Returns an option for NVRTC in the spelling of nvcc."""
    spec, value = find(option)
    renamed = _RENAMED.get(spec.flag) if spec else None
    if renamed:
        return f"{renamed}={value}" if value is not None else renamed
    if spec and spec.repeated and value is not None:
        # To nvcc a comma begins another value.
        head = option.removesuffix(value)
        return head + value.replace(",", "\\,")
    return option
