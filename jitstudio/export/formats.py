"""The forms that a build can be exported in, a row each.

To add a format: a row of `FORMATS`, made from a `Recipe`. `tests/export` runs what it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from jitstudio import __version__
from jitstudio.core.code import split_variant
from jitstudio.core.figures import QT_TRANSLATE_NOOP
from jitstudio.export import nvcc
from jitstudio.export.command import build_command, run_command
from jitstudio.export.compiler_explorer import link_of
from jitstudio.export.cpp import program_of
from jitstudio.export.frameworks import cupy_script, notebook_of, torch_script
from jitstudio.export.nvcc import toolkit_build
from jitstudio.export.project_text import pack, project_of
from jitstudio.export.python_launch import launch_notes
from jitstudio.export.python_script import script_of
from jitstudio.export.recipe import ExportError, Recipe


@dataclass(frozen=True)
class ExportedFiles:
    """The files of an export, with notes.

    Attributes:
        files: Contents by their names, the one to be looked at first.
        notes: Sentences on all that this form has no counterpart for; also in the first file.
    """

    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The first file."""
        return next(iter(self.files.values())).decode("utf-8", "replace")


@dataclass(frozen=True)
class ExportFormat:
    """A form.

    Attributes:
        name: The word of the command line.
        title: The name in the window.
        summary: A sentence on the use of the form.
        ending: Of the file; empty for a folder of files.
        language: That of the first file, for its colours: ``python``, ``cpp``, ``sh`` or ``make``.
        make: Writes it.
        reads_code: Whether it needs the machine code read, `Recipe.code`.
        compiles: Whether it builds the code anew, without jitstudio.
    """

    name: str
    title: str
    summary: str
    ending: str
    language: str
    make: Callable[[Recipe], ExportedFiles]
    reads_code: bool = False
    compiles: bool = True

    def write(self, recipe: Recipe) -> ExportedFiles:
        """Returns the files.

        Raises:
            ExportError: It cannot be written in this form.
        """
        if self.compiles and recipe.tile_part:
            raise ExportError(
                f"The form '{self.name}' cannot build the tile functions of "
                f"'{split_variant(recipe.tile_part)[0]}'. Write their cubin (--emit cubin), and "
                "export that: it is launched like any other."
            )
        return self.make(recipe)

    @property
    def is_text(self) -> bool:
        """Whether the export can be printed and copied."""
        return self.ending != ".pdf"


def _cuda_core(recipe: Recipe) -> ExportedFiles:
    return _script(recipe, core=True)


def _cuda_bindings(recipe: Recipe) -> ExportedFiles:
    return _script(recipe, core=False)


def _script(recipe: Recipe, *, core: bool) -> ExportedFiles:
    notes = (*recipe.notes, *launch_notes(recipe.launch))
    return _file(f"{recipe.stem}.py", script_of(recipe, core=core), notes)


def _file(name: str, text: str, notes: tuple[str, ...] = ()) -> ExportedFiles:
    return ExportedFiles({name: _encoded(text)}, notes)


def _encoded(text: str) -> bytes:
    """Returns the bytes of a text; a path or an option inside may have some that are no text."""
    return text.encode("utf-8", "surrogateescape")


def _cpp(recipe: Recipe) -> ExportedFiles:
    return ExportedFiles(*program_of(recipe))


def _nvcc(recipe: Recipe) -> ExportedFiles:
    built = toolkit_build(recipe)
    text = nvcc.script_of(built, _title(recipe))
    return ExportedFiles({"build.sh": _encoded(text), **built.files}, built.notes)


def _make(recipe: Recipe) -> ExportedFiles:
    built = toolkit_build(recipe)
    text = nvcc.makefile_of(built, _title(recipe))
    return ExportedFiles({"Makefile": _encoded(text), **built.files}, built.notes)


def _title(recipe: Recipe) -> str:
    return f"{recipe.title}, built for {recipe.arch.sm}: exported by jitstudio {__version__}"


def _cupy(recipe: Recipe) -> ExportedFiles:
    text, notes = cupy_script(recipe)
    return _file(f"{recipe.stem}_cupy.py", text, notes)


def _torch(recipe: Recipe) -> ExportedFiles:
    text, notes = torch_script(recipe)
    return _file(f"{recipe.stem}_torch.py", text, notes)


def _notebook(recipe: Recipe) -> ExportedFiles:
    notes = (*recipe.notes, *launch_notes(recipe.launch))
    return _file(f"{recipe.stem}.ipynb", notebook_of(recipe), notes)


def _command(recipe: Recipe) -> ExportedFiles:
    request, launch = replace(recipe.request, use_cache=True), recipe.launch
    names = [code.name for code in (*request.sources, *request.libraries)]
    names += [header.name for header in request.headers]
    paths = {name: name for name in names} | {**recipe.paths}
    command = build_command(request, paths)
    if launch is not None:
        command = run_command(request, launch.spec, paths, recipe.device, launch.form)
    return _file(f"{recipe.stem}.sh", f"{command}\n")


def _html(recipe: Recipe) -> ExportedFiles:
    # It loads NumPy and Pygments, which few exports need.
    from jitstudio.export.report_html import html_report  # noqa: PLC0415

    return _file(f"{recipe.stem}.html", html_report(recipe))


def _pdf(recipe: Recipe) -> ExportedFiles:
    from jitstudio.export.report_pdf import pdf_report  # noqa: PLC0415

    return ExportedFiles({f"{recipe.stem}.pdf": pdf_report(recipe)})


def _compiler_explorer(recipe: Recipe) -> ExportedFiles:
    link, notes = link_of(recipe)
    return _file(f"{recipe.stem}.url", f"{link}\n", notes)


def _text(recipe: Recipe) -> ExportedFiles:
    return _file(f"{recipe.stem}.txt", f"{pack(project_of(recipe))}\n", recipe.notes)


FORMATS = (
    ExportFormat(
        "cuda-core",
        QT_TRANSLATE_NOOP("Exports", "Python script on cuda.core"),
        QT_TRANSLATE_NOOP("Exports", "Builds, launches, checks and times the kernel."),
        ".py",
        "python",
        _cuda_core,
    ),
    ExportFormat(
        "cuda-bindings",
        QT_TRANSLATE_NOOP("Exports", "Python script on cuda.bindings"),
        QT_TRANSLATE_NOOP(
            "Exports", "The same by the driver's own calls, which take structs by value."
        ),
        ".py",
        "python",
        _cuda_bindings,
    ),
    ExportFormat(
        "cpp",
        QT_TRANSLATE_NOOP("Exports", "C++ program on the driver API"),
        QT_TRANSLATE_NOOP(
            "Exports",
            "Builds by NVRTC and nvJitLink, launches by cuLaunchKernelEx; with a CMakeLists.txt.",
        ),
        "",
        "cpp",
        _cpp,
    ),
    ExportFormat(
        "nvcc",
        QT_TRANSLATE_NOOP("Exports", "nvcc, ptxas and nvlink commands"),
        QT_TRANSLATE_NOOP(
            "Exports", "A shell script that builds the cubin by a CUDA toolkit, with all files."
        ),
        "",
        "sh",
        _nvcc,
    ),
    ExportFormat(
        "make",
        QT_TRANSLATE_NOOP("Exports", "Makefile"),
        QT_TRANSLATE_NOOP("Exports", "The same commands for make, with all files."),
        "",
        "make",
        _make,
    ),
    ExportFormat(
        "cupy",
        QT_TRANSLATE_NOOP("Exports", "CuPy RawModule"),
        QT_TRANSLATE_NOOP("Exports", "A Python script that launches and checks by CuPy."),
        ".py",
        "python",
        _cupy,
    ),
    ExportFormat(
        "torch",
        QT_TRANSLATE_NOOP("Exports", "PyTorch load_inline"),
        QT_TRANSLATE_NOOP(
            "Exports", "A Python script that compiles by nvcc and launches by PyTorch."
        ),
        ".py",
        "python",
        _torch,
    ),
    ExportFormat(
        "notebook",
        QT_TRANSLATE_NOOP("Exports", "Jupyter notebook"),
        QT_TRANSLATE_NOOP("Exports", "The script on cuda.bindings, a cell for each part."),
        ".ipynb",
        "json",
        _notebook,
    ),
    ExportFormat(
        "command",
        QT_TRANSLATE_NOOP("Exports", "jitstudio command"),
        QT_TRANSLATE_NOOP(
            "Exports",
            "The words of jitstudio build or run that do the same with the files as they are.",
        ),
        ".sh",
        "sh",
        _command,
        compiles=False,
    ),
    ExportFormat(
        "html",
        QT_TRANSLATE_NOOP("Exports", "Report (HTML)"),
        QT_TRANSLATE_NOOP(
            "Exports",
            "One page: source, PTX and SASS side by side, figures, findings, graph, logs.",
        ),
        ".html",
        "",
        _html,
        reads_code=True,
        compiles=False,
    ),
    ExportFormat(
        "pdf",
        QT_TRANSLATE_NOOP("Exports", "Report (PDF)"),
        QT_TRANSLATE_NOOP("Exports", "The same report for print."),
        ".pdf",
        "",
        _pdf,
        reads_code=True,
        compiles=False,
    ),
    ExportFormat(
        "compiler-explorer",
        QT_TRANSLATE_NOOP("Exports", "Compiler Explorer link"),
        QT_TRANSLATE_NOOP(
            "Exports", "A link that has all of it in itself; nothing is sent before you open it."
        ),
        ".url",
        "",
        _compiler_explorer,
    ),
    ExportFormat(
        "text",
        QT_TRANSLATE_NOOP("Exports", "Project as text"),
        QT_TRANSLATE_NOOP(
            "Exports", "One line for a message, which File > Open from Clipboard takes."
        ),
        ".txt",
        "",
        _text,
        compiles=False,
    ),
)
"""All forms, in the order of menus and help."""

BY_NAME = {one.name: one for one in FORMATS}
"""The same by their words."""
