"""`jitstudio export`: a build and its launch in forms that others run, read and check."""

from __future__ import annotations

from pathlib import Path

from jitstudio.cli import build
from jitstudio.commands import exit_codes
from jitstudio.commands.export import export
from jitstudio.commands.export_options import ExportOptions
from jitstudio.commands.files import made_folder, unwritable, without_waiting
from jitstudio.commands.values import UsageError
from jitstudio.core.result import BuildResult
from jitstudio.export.formats import BY_NAME, ExportedFiles
from jitstudio.system.terminal import print_error, say


def run(options: ExportOptions) -> int:
    """Exports what the options say and returns the exit status.

    Raises:
        UsageError: An argument is wrong, a file cannot be read or written, or what is asked for
            cannot be exported so.
        WorkerError: The worker itself failed.
    """
    chosen = BY_NAME[options.format]
    if options.output is None and not chosen.ending:
        raise UsageError(f"'{chosen.name}' is several files: name a folder for them with -o.")
    if options.output is None and not chosen.is_text:
        raise UsageError(f"'{chosen.name}' is no text: name a file for it with -o.")
    folder = None if chosen.ending else made_folder(options.output, "-o")
    made = export(options)
    if isinstance(made, BuildResult):
        build.show(made)
        return exit_codes.OF_OUTCOME[made.outcome]
    for note in made.notes:
        print_error(f"not exported: {note}")
    _write(made, folder, options.output)
    return exit_codes.BUILT


def _write(made: ExportedFiles, folder: Path | None, output: str | None) -> None:
    if output is None:
        say(made.text.rstrip("\n"))
        return
    for name, content in made.files.items():
        path = folder / name if folder else Path(output)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "wb", opener=without_waiting) as file:
                file.write(content)
        except OSError as error:
            raise unwritable(path, error, "-o") from None
        say(str(path))
