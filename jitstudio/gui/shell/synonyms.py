"""Synonyms of the window's titles: the words of users of other programs.

To add a word by which commands and settings are found: a row here.
"""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QCoreApplication

from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_CONTEXT = "Synonyms"

# What a title says, and other words for it; both as lists with commas.
SYNONYMS: tuple[tuple[str, str], ...] = (
    (
        QT_TRANSLATE_NOOP("Synonyms", "settings"),
        QT_TRANSLATE_NOOP("Synonyms", "preferences, configuration, customize"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "demangled names"),
        QT_TRANSLATE_NOOP("Synonyms", "demangle, unmangle, names in c++, c++filt"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "host code"),
        QT_TRANSLATE_NOOP("Synonyms", "main, cpu code, whole program, nvcc"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "use this ptx in python"),
        QT_TRANSLATE_NOOP("Synonyms", "override, triton, cupy, numba, cuda.core, load, replace"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "edit a copy of the ptx"),
        QT_TRANSLATE_NOOP("Synonyms", "modify, patch, override"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "lowered names"),
        QT_TRANSLATE_NOOP("Synonyms", "mangled names, name expressions"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "size of code, zoom"),
        QT_TRANSLATE_NOOP("Synonyms", "font size, text size, larger, smaller"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "usual size"),
        QT_TRANSLATE_NOOP("Synonyms", "reset zoom, font size, text size"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "compiler explorer"),
        QT_TRANSLATE_NOOP("Synonyms", "godbolt"),
    ),
    (
        QT_TRANSLATE_NOOP(
            "Synonyms",
            "copy compiler explorer link, copy project as text, copy as command, html or pdf",
        ),
        QT_TRANSLATE_NOOP("Synonyms", "share, send"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "html or pdf"),
        QT_TRANSLATE_NOOP("Synonyms", "export as, report, print, pdf, web page"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "go to step, step line, step instruction, begin, breakpoint"),
        QT_TRANSLATE_NOOP("Synonyms", "debug, debugger"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "all results to a folder"),
        QT_TRANSLATE_NOOP("Synonyms", "save results, export, write to a file, download"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "listing that is shown"),
        QT_TRANSLATE_NOOP("Synonyms", "save this listing, export, write to a file, download"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "lto-ir or fatbin"),
        QT_TRANSLATE_NOOP("Synonyms", "build and save, export, optix ir, write to a file"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "save the graph"),
        QT_TRANSLATE_NOOP("Synonyms", "export, picture, image"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "report"),
        QT_TRANSLATE_NOOP("Synonyms", "occupancy, findings, instruction mix, statistics"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "kernels"),
        QT_TRANSLATE_NOOP("Synonyms", "registers, spills, shared memory, resource usage"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "key figures"),
        QT_TRANSLATE_NOOP("Synonyms", "registers, spills, occupancy, resource usage"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "graph"),
        QT_TRANSLATE_NOOP("Synonyms", "control flow, cfg, basic blocks"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "sass"),
        QT_TRANSLATE_NOOP("Synonyms", "assembly, machine code, disassembly"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "problems, next problem, previous problem"),
        QT_TRANSLATE_NOOP("Synonyms", "errors, warnings, diagnostics"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "log"),
        QT_TRANSLATE_NOOP("Synonyms", "output, console, messages"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "pipeline"),
        QT_TRANSLATE_NOOP("Synonyms", "build steps, stages, toolchain diagram"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "compare, pin as baseline"),
        QT_TRANSLATE_NOOP("Synonyms", "diff, difference"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "options"),
        QT_TRANSLATE_NOOP("Synonyms", "flags, arguments, macros, defines, include folders, ptxas"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "maximise pane"),
        QT_TRANSLATE_NOOP("Synonyms", "full screen, zen mode, maximize"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "full screen"),
        QT_TRANSLATE_NOOP("Synonyms", "presentation, distraction free"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "theme, light, dark"),
        QT_TRANSLATE_NOOP(
            "Synonyms", "color scheme, colour scheme, appearance, dark mode, night mode"
        ),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "reading"),
        QT_TRANSLATE_NOOP("Synonyms", "side by side, three columns, split view"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "teaching"),
        QT_TRANSLATE_NOOP("Synonyms", "projector, presentation, lecture"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "layout"),
        QT_TRANSLATE_NOOP("Synonyms", "workspace, perspective, arrange panes"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "keyboard shortcuts"),
        QT_TRANSLATE_NOOP("Synonyms", "key bindings, hotkeys, keymap"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "run the kernel"),
        QT_TRANSLATE_NOOP(
            "Synonyms",
            "launch, execute, start, simulate, profile, time, counts, bank conflicts, races",
        ),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "sweep"),
        QT_TRANSLATE_NOOP("Synonyms", "tune, profile, benchmark, autotune"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "look for gpus"),
        QT_TRANSLATE_NOOP("Synonyms", "devices, graphics card"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "build now, build on change"),
        QT_TRANSLATE_NOOP("Synonyms", "compile, make, automatic"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "cache"),
        QT_TRANSLATE_NOOP("Synonyms", "stored results, clear, clean"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "go to symbol"),
        QT_TRANSLATE_NOOP("Synonyms", "outline, find function, find kernel"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "go to definition"),
        QT_TRANSLATE_NOOP("Synonyms", "jump to declaration, follow include"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "rename symbol"),
        QT_TRANSLATE_NOOP("Synonyms", "refactor, change all occurrences"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "select next occurrence, select all occurrences, add caret"),
        QT_TRANSLATE_NOOP("Synonyms", "multiple cursors, multi-cursor"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "format with clang-format"),
        QT_TRANSLATE_NOOP("Synonyms", "reformat, beautify, pretty print"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "the window's text"),
        QT_TRANSLATE_NOOP("Synonyms", "zoom, font size, presentation, projector"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "font of code"),
        QT_TRANSLATE_NOOP("Synonyms", "typeface, font family"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "go to tab"),
        QT_TRANSLATE_NOOP("Synonyms", "switch tab, open editors, quick open, list of tabs"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "close other tabs, close tabs to the right, close all tabs"),
        QT_TRANSLATE_NOOP("Synonyms", "close many"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "reopen closed tab"),
        QT_TRANSLATE_NOOP("Synonyms", "undo close, restore tab"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "duplicate lines, delete lines"),
        QT_TRANSLATE_NOOP("Synonyms", "copy line, remove line"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "replace"),
        QT_TRANSLATE_NOOP("Synonyms", "substitute, find and replace"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "complete the word, complete while typing"),
        QT_TRANSLATE_NOOP("Synonyms", "autocomplete, suggestions, intellisense"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "close brackets and quotes"),
        QT_TRANSLATE_NOOP("Synonyms", "auto close, parentheses"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "tab width"),
        QT_TRANSLATE_NOOP("Synonyms", "indentation, spaces"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "keep unsaved text after"),
        QT_TRANSLATE_NOOP("Synonyms", "autosave, auto save, backup"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "about jitstudio"),
        QT_TRANSLATE_NOOP("Synonyms", "version"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "explain"),
        QT_TRANSLATE_NOOP("Synonyms", "help on an instruction, documentation, meaning"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "colour matching lines"),
        QT_TRANSLATE_NOOP("Synonyms", "color bands, highlight, correlation"),
    ),
    (
        QT_TRANSLATE_NOOP("Synonyms", "find in, find…"),
        QT_TRANSLATE_NOOP("Synonyms", "search, grep"),
    ),
)


# The palette asks for hundreds of titles each time that it comes up.
@lru_cache(maxsize=4096)
def also_called(title: str) -> str:
    """Returns synonyms of a title, as a list with commas; empty where there are none."""
    plain = title.casefold()
    return ", ".join(others for said, others in _rows() if said.search(plain))


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Returns the table in the language of the user: patterns of whole words, and synonyms."""
    translate = QCoreApplication.translate
    rows = []
    for said, others in SYNONYMS:
        phrases = (phrase.strip() for phrase in translate(_CONTEXT, said).casefold().split(","))
        either = "|".join(map(re.escape, phrases))
        pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)")
        rows.append((pattern, translate(_CONTEXT, others)))
    return tuple(rows)
