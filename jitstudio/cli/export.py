"""`jitstudio export`: a build and its launch in forms that others run, read and check."""

from __future__ import annotations

from pathlib import Path

from jitstudio.cli import build
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.commands.export import export
from jitstudio.commands.export_options import ExportOptions
from jitstudio.commands.files import made_folder, unwritable, write_named
from jitstudio.core.result import BuildResult
from jitstudio.export.formats import BY_NAME, ExportedFiles
from jitstudio.system.terminal import print_error, say


def run(options: ExportOptions) -> int:
    """Exports a build, and returns the exit status.

    Raises:
        UsageError: An argument is wrong, a file cannot be read or written, or what is asked for
            cannot be exported so.
        WorkerError: The worker itself failed.
    """
    form = BY_NAME[options.format]
    if options.output is None and not form.ending:
        raise UsageError(f"'{form.name}' is several files: name a folder for them with -o.")
    if options.output is None and not form.is_text:
        raise UsageError(f"'{form.name}' is not text: name a file for it with -o.")
    folder = None if form.ending else made_folder(options.output, "-o")
    files = export(options)
    if isinstance(files, BuildResult):
        build.show(files)
        return exit_codes.OF_OUTCOME[files.outcome]
    for note in files.notes:
        print_error(f"not exported: {note}")
    _write(files, folder, options.output)
    return exit_codes.BUILT


def _write(files: ExportedFiles, folder: Path | None, output: str | None) -> None:
    if output is None:
        say(files.text.rstrip("\n"))
        return
    for name, content in files.files.items():
        path = folder / name if folder else Path(output)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(path, error, "-o") from None
        write_named(path, content, "-o")
        say(str(path))
