"""The options of `jitstudio export`: apart from others, as the table of its formats loads much."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.command_options.fields import CommandOptions, flag, word
from jitstudio.command_options.launch import LaunchOptions, ordinal_of
from jitstudio.command_options.values import DEVICE, PATH, WrongValueError, choice
from jitstudio.export.formats import BY_NAME

DESCRIPTION = (
    "Write a build and its launch in a form that others run, read and check. What "
    "has no counterpart in it is named on stderr. Formats:\n"
    + "\n".join(f"  {name:<18}{made.title}" for name, made in BY_NAME.items())
)


@dataclass(frozen=True, kw_only=True)
class _Form(CommandOptions):
    """The form of an export; this word stands in front of the modules."""

    format: str = word("FORMAT", choice(tuple(BY_NAME)), default="")


@dataclass(frozen=True, kw_only=True)
class ExportOptions(LaunchOptions, _Form):
    """The options of `jitstudio export`."""

    device: int | str = word(
        "--device N",
        DEVICE,
        "the GPU on which the command of the format 'command' launches (default 0), or 'sim' for "
        "the simulator",
        default=0,
    )
    output: str | None = word(
        "-o, --output PATH",
        PATH,
        "the file, or the folder of a format with several; without it, it is printed",
    )
    passes: bool = flag(
        "--passes", "show in a report (html) what each pass of the optimiser changes, too"
    )

    def check_together(self) -> None:
        """Refuses passes where no report is written."""
        super().check_together()
        if self.passes and self.format != "html":
            raise WrongValueError("passes", self.passes, "is for the format html. Leave it out.")

    @property
    def ordinal(self) -> int:
        """The number of the GPU, or `SIMULATOR`."""
        return ordinal_of(self.device)
