"""Options that may do harm: load native code, write files, or read files of others.

Two questions, as two people ask them. `hazard` is about what the user has typed himself: he may
write files, and only what loads native code into a tool, or makes LLVM write, needs a word more.
`refused` is about what others have written: there an option has to be known as harmless.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from jitstudio.core.options.parsing import GivenOption, did_you_mean_option, read
from jitstudio.core.options.spec import OptionEffect, ValueKind

# libNVVM hands the next word to LLVM, nvJitLink to libNVVM, which hands it on in turn.
_TO_LLVM = frozenset(("Xopt", "Xllc", "Xlnk", "Xlto", "Xnvvm"))
_LOADERS = re.compile(r"load|load[-_].*plugin.*|.*pass[-_]plugin.*|plugin")
_BREAK = re.compile(r"[\s=,:\"'\\]+")
_HYPHEN = re.compile(r"[-_.]+")
# Parts of the names of LLVM's options that write files or start other programs
# (`-dot-cfg`, `-view-dag`, `-info-output-file`, `-pass-remarks-output`, `-time-trace-file`).
_WRITERS = re.compile(
    r"dot|view|output|outfile|dump|export|trace|save|writes?|files?|filename|log|dir|directory"
    r"|prefix|path|record|profile|gcov|graph"
)
_PLAIN = re.compile(r"[\w.+,-]*")
_LONGEST_SHOWN = 100
_SET = frozenset((ValueKind.TRUTH, ValueKind.NUMBER, ValueKind.CHOICE))


def hazard(options: Iterable[str]) -> str:
    """Returns the danger of these options, whatever their origin; empty if there is none.

    LLVM opens any library that `-load=FILE` names, takes more options out of `@FILE`, and has
    options that write files.
    """
    handed_on = [option for option in read(options) if _may_reach_llvm(option)]
    tokens = [
        (option, token) for option in handed_on for token in _BREAK.split(option.option) if token
    ]
    reaches_llvm = any(token.startswith("-") and _name(token) in _TO_LLVM for _, token in tokens)
    for option, token in tokens:
        word = shown(" ".join(option.words))
        if token.startswith("-") and _LOADERS.fullmatch(_name(token)):
            return f"'{word}' loads native code into the compiler."
        if reaches_llvm and token.startswith("@"):
            return f"'{word}' takes options for LLVM out of a file, and they may load native code."
        parts = _HYPHEN.split(_name(token).lower())
        if reaches_llvm and any(map(_WRITERS.fullmatch, parts)):
            return f"'{word}' may make LLVM write files or start programs."
    return ""


def refused(options: Iterable[str], folders: Sequence[str], folder: str) -> Iterator[str]:
    """Yields why options without trust are not sent, a sentence each.

    Args:
        options: The words.
        folders: Where files may be read.
        folder: Where relative paths begin.
    """
    for option in read(options):
        if reason := _objection(option, folders, folder):
            meant = "" if option.spec else did_you_mean_option(option.words[0])
            yield f"'{shown(' '.join(option.words))}' {reason}.{meant}"


def shown(word: str) -> str:
    """Returns a word from elsewhere for a sentence: short, without invisible characters.

    A line break in it could look like the end of the list that it is in.
    """
    cut = word if len(word) <= _LONGEST_SHOWN else f"{word[:_LONGEST_SHOWN]}…"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in cut)


def lies_in(folders: Iterable[str], path: str) -> bool:
    """Returns whether a file or folder lies in a folder of `folders`, links followed."""
    try:
        real = os.path.realpath(path)
        return any(is_within(real, root) for root in map(os.path.realpath, folders))
    except (OSError, ValueError):
        # A name that no file can have.
        return False


def is_within(path: str, root: str) -> bool:
    """Returns whether a path is `root` or lies below; both are paths without links."""
    return path == root or path.startswith(os.path.join(root, ""))


def _objection(option: GivenOption, folders: Sequence[str], folder: str) -> str:
    spec, value = option.spec, option.value or ""
    if spec is None or not _is_its_own(option):
        return "is not an option that jitstudio knows, so nobody can tell what it does"
    if spec.effect is not OptionEffect.NOTHING and spec.value.harmless:
        if re.fullmatch(spec.value.harmless, value):
            return ""
        if spec.value.kind is ValueKind.OPTION:
            return "hands on an option that is not known to be harmless"
    if spec.value.kind in _SET and not _PLAIN.fullmatch(value):
        return "has a value that the option cannot take"
    return _objection_to_effect(spec.effect, value, folders, folder)


def _objection_to_effect(
    effect: OptionEffect, value: str, folders: Sequence[str], folder: str
) -> str:
    match effect:
        case OptionEffect.NOTHING:
            return ""
        case OptionEffect.INCLUDES if not os.path.isabs(value):
            leaves = os.path.normpath(value).split(os.sep)[0] == os.pardir
            return "includes a file outside the project's folder" if leaves else ""
        case OptionEffect.READS | OptionEffect.INCLUDES:
            inside = lies_in(folders, os.path.join(folder, value))
            return "" if inside else "reads outside the project's folder"
        case OptionEffect.WRITES:
            return "writes a file"
        case OptionEffect.RUNS:
            return "may load native code into the compiler"


def _may_reach_llvm(option: GivenOption) -> bool:
    spec = option.spec
    return spec is None or spec.value.kind is ValueKind.OPTION or not _is_its_own(option)


def _is_its_own(option: GivenOption) -> bool:
    """Returns whether the option's tool takes the option as the row says; see `options_for`."""
    spec, tool = option.spec, option.tool
    return spec is None or tool is None or tool in spec.spellings


def _name(token: str) -> str:
    return token.lstrip("-")
