"""`jitstudio sample`: lists the samples, or writes a sample into a folder."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from jitstudio.command_options.other import SampleOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.commands.files import made_folder, write_new
from jitstudio.core.alike import did_you_mean
from jitstudio.core.code import PROJECT_ENDING
from jitstudio.core.project.format import dump
from jitstudio.help.samples import Sample, find_sample, project_of, samples
from jitstudio.system.terminal import print_error, say


def run(options: SampleOptions) -> int:
    """Lists all samples or writes a sample, and returns the exit status.

    Raises:
        UsageError: There is no such sample, or it cannot be written.
    """
    if options.sample is None:
        return _list()
    sample = find_sample(options.sample)
    if sample is None:
        near = did_you_mean(options.sample, (sample.name for sample in samples()))
        raise UsageError(
            f"There is no sample '{options.sample}'.{near} 'jitstudio sample' lists all."
        )
    folder = made_folder(options.output or sample.name, "-o")
    assert folder is not None
    contents = list(_contents(sample, folder).items())
    write_new(contents, folder)
    for path, _ in contents:
        say(str(path))
    _say_next_steps(sample, contents[-1][0])
    return exit_codes.BUILT


def _list() -> int:
    width = max(len(sample.name) for sample in samples())
    for sample in samples():
        say(f"{sample.name:<{width}}  {sample.summary}")
    print_error("'jitstudio sample NAME' writes one into a folder of its name.")
    return exit_codes.BUILT


def _contents(sample: Sample, folder: Path) -> dict[Path, bytes]:
    """Returns the files of a sample by their new paths, the one to be opened last."""
    scripts = [sample.script] if sample.script else []
    paths = [*scripts, *(file.path for file in sample.files)]
    contents = {folder / path.name: path.read_bytes() for path in paths}
    project = project_of(sample)
    if project is not None:
        contents[folder / f"{sample.name}{PROJECT_ENDING}"] = dump(project)
    return contents


def _say_next_steps(sample: Sample, path: Path) -> None:
    word = quote(str(path))
    print_error(f"'jitstudio {word}' opens it in the window,")
    if sample.launches:
        print_error(f"'jitstudio run {word} --device sim' runs it in the simulator,")
    print_error(f"'jitstudio inspect {word}' reads its machine code.")
