"""A build as the command lines of a CUDA toolkit: nvcc, ptxas and nvlink, and as a Makefile."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.options import nvcc_objection, nvcc_spelling
from jitstudio.core.tools import Tool
from jitstudio.export.recipe import ExportError, Recipe, RecipeStep, comment


@dataclass(frozen=True)
class ToolkitCommand:
    """A command of a CUDA toolkit.

    Attributes:
        words: The program and what it is given.
        reads: The files that it reads.
        makes: The file that it makes.
    """

    words: tuple[str, ...]
    reads: tuple[str, ...]
    makes: str


@dataclass(frozen=True)
class ToolkitBuild:
    """All commands of a build, with the files that they need and notes on all that is left out."""

    commands: tuple[ToolkitCommand, ...]
    files: dict[str, bytes]
    notes: tuple[str, ...]


def toolkit_build(recipe: Recipe) -> ToolkitBuild:
    """Returns the commands that make the cubin by a CUDA toolkit.

    nvcc compiles the texts as they are, host code and all: it has a compiler for that.

    Raises:
        ExportError: The toolkit has no program for a step.
    """
    notes = list(recipe.notes)
    headers = {header.name: header.content for header in recipe.request.headers}
    headers |= {name: recipe.texts[name] for name in recipe.headers if name in recipe.texts}
    left_out = [name for name in headers if _is_reserved(name)]
    notes += [f"The header '{comment(name)}', by its name." for name in left_out]
    files = {_plain(name): text for name, text in headers.items() if name not in left_out}
    names = _file_names(recipe)
    commands: list[ToolkitCommand] = []
    outputs: dict[tuple[CodeKind, str], str] = {}
    for step in recipe.steps:
        if step.tool is Tool.NVVM:
            raise ExportError(
                "A CUDA toolkit has no program that compiles LLVM IR: export it as cuda-bindings "
                "or cpp, or save its PTX and export that."
            )
        files |= _files(recipe, step, names, outputs)
        command = _command(recipe, step, names, outputs, notes, files)
        commands.append(command)
        outputs[step.makes, step.name] = command.makes
    return ToolkitBuild(tuple(commands), files, tuple(notes))


def _plain(name: str) -> str:
    """Returns the name of a text as a file in the folder of the export."""
    path = PurePath(name.replace("\\", "/"))
    outside = path.is_absolute() or ".." in path.parts
    return path.name if outside else str(path)


def _is_reserved(name: str) -> bool:
    """Returns whether a header may not be written by a name that another person has chosen.

    It is hidden, or that of what runs the commands.
    """
    parts = _plain(name).split("/")
    hidden = any(part.startswith(".") for part in parts)
    return hidden or "\0" in name or parts[-1].lower() in ("build.sh", "makefile", "gnumakefile")


def _file_names(recipe: Recipe) -> dict[str, str]:
    """Returns the file names of modules, by the modules' names in the build.

    What one makes has its stem, which no other has; no name is an option, or means anything to a
    shell or to make.
    """
    files: dict[str, str] = {}
    stems = {LINKED}
    for source in recipe.request.sources:
        path = PurePath(re.sub(r"[^\w./+-]", "_", _plain(source.name)).lstrip("-") or "module")
        stem, number = path.stem, 1
        while stem.casefold() in stems:
            number += 1
            stem = f"{path.stem}_{number}"
        stems.add(stem.casefold())
        files[source.name] = str(path.with_name(f"{stem}{path.suffix}"))
    return files


def _files(
    recipe: Recipe,
    step: RecipeStep,
    names: dict[str, str],
    outputs: dict[tuple[CodeKind, str], str],
) -> dict[str, bytes]:
    contents = {source.name: source.content for source in recipe.request.sources}
    return {
        names[name]: contents[name]
        for kind, name in step.inputs
        if (kind, name) not in outputs and name in contents
    }


def _command(
    recipe: Recipe,
    step: RecipeStep,
    names: dict[str, str],
    outputs: dict[tuple[CodeKind, str], str],
    notes: list[str],
    files: dict[str, bytes],
) -> ToolkitCommand:
    reads = tuple(outputs.get((kind, name)) or names[name] for kind, name in step.inputs)
    stem = PurePath(names.get(step.name, step.name)).stem
    if step.tool is Tool.NVRTC:
        if step.name_expressions:
            reads = (_instances(step, reads[0], files),)
        return _compile(recipe, step, reads, stem, notes)
    options, arch = list[str](), recipe.arch.sm
    for option in step.options:
        word = _LINKER.get(option.partition("=")[0])
        if option.startswith("-arch="):
            continue
        if word is None:
            notes.append(f"nvlink and ptxas have no counterpart of '{option}' of nvJitLink.")
        elif word:
            options.append(word + option.partition("=")[2])
    linked = f"{stem}.cubin"
    kinds = {kind for kind, _ in step.inputs}
    if len(reads) == 1 and kinds == {CodeKind.PTX}:
        words = ("ptxas", f"-arch={arch}", *options, "-o", linked, *reads)
        return ToolkitCommand(words, reads, linked)
    words = ("nvlink", f"-arch={arch}", *options, "-o", linked, *reads)
    if "-lto" in step.options:
        # nvlink by itself would have to be told where libNVVM is.
        words = ("nvcc", "-dlto", "-dlink", "-cubin", f"-arch={arch}", "-o", linked, *reads)
    return ToolkitCommand(words, reads, linked)


_LINKER = {"-lto": "", "-lineinfo": "", "-Xptxas": "", "-g": "-g", "-O3": ""}


def _instances(step: RecipeStep, read: str, files: dict[str, bytes]) -> str:
    """Adds a file that has nvcc make the instances of templates, and returns the name."""
    path = PurePath(read)
    instances = instances_text(name for name in step.name_expressions if "<" in name)
    if not instances:
        return read
    name = str(path.with_name(f"{path.stem}_instances.cu"))
    files[name] = f'#include "{path.name}"\n{instances}'.encode()
    return name


def instances_text(expressions: Iterable[str]) -> str:
    """Returns lines of host code that have nvcc make these instances; empty for none."""
    lines = [
        f"auto jitstudio_instance_{n} = &{expression.strip().removeprefix('&')};"
        for n, expression in enumerate(expressions)
    ]
    return "\n".join(("", *lines, "")) if lines else ""


_HEAD = re.compile(r"-arch=(?:sm|compute)_\w+|-dlto|-rdc=true|--include-path=.*host_headers.*")


def _compile(
    recipe: Recipe, step: RecipeStep, reads: tuple[str, ...], stem: str, notes: list[str]
) -> ToolkitCommand:
    arch, options = recipe.arch, []
    for option in step.options:
        if _HEAD.fullmatch(option) or option == "--define-macro=JITSTUDIO_ALONE":
            continue
        if why := nvcc_objection([option]):
            notes.append(why)
        else:
            options.append(nvcc_spelling(option))
    how: tuple[str, ...]
    relocatable = "-rdc=true" in step.options
    match step.makes:
        case CodeKind.LTOIR:
            code = f"arch={arch.compute},code=lto_{arch.compute.partition('_')[2]}"
            how, target = ("-fatbin", "-rdc=true", "-gencode", code), f"{stem}.fatbin"
        case CodeKind.PTX if relocatable:
            how, target = ("-cubin", "-rdc=true", f"-arch={arch.sm}"), f"{stem}.o.cubin"
        case CodeKind.PTX:
            how, target = ("-ptx", f"-arch={arch.compute}"), f"{stem}.ptx"
        case _:
            how, target = ("-cubin", f"-arch={arch.sm}"), f"{stem}.cubin"
    words = ("nvcc", *how, "-I.", *options, "-o", target, *reads)
    return ToolkitCommand(words, reads, target)


def script_of(built: ToolkitBuild, title: str) -> str:
    """Returns the commands as a shell script."""
    lines = ["#!/bin/sh", *_comments(built, title), "set -e", 'cd "$(dirname "$0")"']
    lines += [shlex.join(command.words) for command in built.commands]
    return "\n".join(lines) + "\n"


def makefile_of(built: ToolkitBuild, title: str) -> str:
    """Returns the commands as a Makefile."""
    last = built.commands[-1].makes if built.commands else ""
    lines = [*_comments(built, title), "NVCC ?= nvcc", "PTXAS ?= ptxas", "NVLINK ?= nvlink"]
    lines += ["", f"all: {last}", ""]
    for command in built.commands:
        program, *words = command.words
        arguments = " ".join(map(_make_word, words))
        lines += [f"{command.makes}: {' '.join(command.reads)}"]
        lines += [f"\t$({program.upper()}) {arguments}", ""]
    outputs = " ".join(command.makes for command in built.commands)
    lines += ["clean:", f"\trm -f {outputs}", "", ".PHONY: all clean"]
    return "\n".join(lines) + "\n"


def _make_word(word: str) -> str:
    """Returns a word for the shell in a line of a Makefile, without line breaks."""
    if "\n" not in word:
        return shlex.quote(word).replace("$", "$$")
    octal = "".join(f"\\{byte:03o}" for byte in os.fsencode(word))
    return f"\"$$(printf '{octal}')\""


def _comments(built: ToolkitBuild, title: str) -> Iterator[str]:
    for text in (title, *(f"Not exported: {note}" for note in built.notes)):
        yield f"# {comment(text)}"
