"""The samples in the program, as listed in `resources/samples/samples.toml`.

To add a sample: files in `resources/samples` and an entry in `samples.toml`, with the launch that
the panel offers and what it shall give. `tests/captured_samples.py` makes those of Python packages.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.code import HEADER_ENDINGS, kind_of
from jitstudio.core.launch.spec import LaunchSpec, spec_from
from jitstudio.core.request import LinkMode
from jitstudio.system.paths import resource

if TYPE_CHECKING:
    # It takes longer to import than all else here, and the first start shows a sample.
    from jitstudio.core.project.project import Member, Project


class SampleFile(NamedTuple):
    """A file of a sample, with the name expressions for the build."""

    path: Path
    name_expressions: tuple[str, ...]


@dataclass(frozen=True)
class Sample:
    """A sample; the fields are described in `samples.toml`."""

    title: str
    summary: str
    files: tuple[SampleFile, ...]
    link: LinkMode
    arch: Arch | None
    script: Path | None = None
    launch_objects: tuple[dict[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """The name of the first file, without its ending."""
        return self.files[0].path.stem

    @cached_property
    def launches(self) -> tuple[LaunchSpec, ...]:
        """The launches that a sample offers; read only when asked for, as a start need not wait."""
        return tuple(map(spec_from, self.launch_objects))


@cache
def samples() -> tuple[Sample, ...]:
    """Returns all samples, in the order of the menu."""
    folder = resource("samples")
    listed = tomllib.loads((folder / "samples.toml").read_text(encoding="utf-8"))
    return tuple(_sample(folder, entry) for entry in listed["sample"])


def _sample(folder: Path, entry: dict[str, Any]) -> Sample:
    expressions = entry.get("name_expressions", {})
    return Sample(
        title=entry["title"],
        summary=entry["summary"],
        files=tuple(
            SampleFile(folder / name, tuple(expressions.get(name, ()))) for name in entry["files"]
        ),
        link=LinkMode(entry.get("link", "none")),
        arch=Arch.parse(entry["arch"]) if "arch" in entry else None,
        script=folder / entry["script"] if "script" in entry else None,
        launch_objects=tuple(entry.get("launches", ())),
    )


def find_sample(name: str) -> Sample | None:
    """Returns the sample of a name; None if there is none."""
    return next((sample for sample in samples() if sample.name == name), None)


def project_of(sample: Sample) -> Project | None:
    """Returns the project of a sample, whose files are next to it; None for a captured kernel."""
    from jitstudio.core.project.project import Member, Project  # noqa: PLC0415

    if sample.script is not None:
        return None
    headers: list[Member] = []
    modules: list[Member] = []
    for path, name_expressions in sample.files:
        kind = kind_of(path.name)
        assert kind is not None
        members = headers if path.suffix in HEADER_ENDINGS else modules
        members.append(Member(path.name, kind, path=path.name, name_expressions=name_expressions))
    return Project(
        modules=tuple(modules),
        headers=tuple(headers),
        arch=sample.arch or DEFAULT_ARCH,
        link=sample.link,
        launches=sample.launches,
        kernel=sample.launches[0].kernel if sample.launches else "",
    )
