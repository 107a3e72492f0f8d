"""From the options of a command to the build that is asked for, over that of a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jitstudio.command_options.build import CompileOptions
from jitstudio.command_options.values import ModuleInput
from jitstudio.commands.module_request import projects_in, request_with_flags, with_options
from jitstudio.core.request import BuildRequest

if TYPE_CHECKING:
    from jitstudio.commands.project_files import OpenProject


def request_of(
    options: CompileOptions, inputs: Sequence[ModuleInput], project: OpenProject | None = None
) -> BuildRequest:
    """Returns the build of modules or of a project, with all files read that the options name.

    Args:
        options: How it is built.
        inputs: The modules, or a project alone.
        project: That project, if it has been read.

    Raises:
        UsageError: An option makes no sense here, or a file cannot be read.
    """
    if project is None and not projects_in(inputs):
        return with_options(request_with_flags(options, inputs), options)
    # It loads all that projects hold.
    from jitstudio.commands.project_request import project_of, project_request  # noqa: PLC0415

    opened = project or project_of(inputs)
    assert opened is not None
    return with_options(project_request(opened, options), options)
