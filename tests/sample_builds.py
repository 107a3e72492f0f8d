"""Builds of the samples: every one that compiles, alone or linked both ways."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from jitstudio.core.code import CodeKind
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.help.samples import samples
from tests.support import request, sample, sample_header

TARGETS = ("sm_75", "sm_90", "sm_120")
"""The architectures with different encodings; each build costs several starts of nvdisasm."""

_FIRST_OPAQUE = "sm_100"
_BROKEN = "broken.cu"
_HEADERS = (".cuh",)


@dataclass(frozen=True)
class SampleBuild:
    """A sample with what is read of it: PTX and cubin."""

    name: str
    request: BuildRequest


def builds(*targets: str) -> tuple[SampleBuild, ...]:
    """All of them for each of these targets."""
    return tuple(chain.from_iterable(map(_for_target, targets)))


def _for_target(target: str) -> Iterator[SampleBuild]:
    for found in samples():
        names = [file.path.name for file in found.files]
        wants_opaque = names[0] == "fill_opaque.ll"
        fits = names[0] not in ("fill_typed.ll", "fill_opaque.ll") or wants_opaque == (
            int(target.removeprefix("sm_")) >= int(_FIRST_OPAQUE.removeprefix("sm_"))
        )
        if names[0] == _BROKEN or not fits or found.script is not None:
            continue
        modules = [file for file in found.files if file.path.suffix not in _HEADERS]
        wanted = request(
            *(sample(file.path.name, *file.name_expressions) for file in modules),
            headers=tuple(sample_header(name) for name in names if name.endswith(_HEADERS)),
            emit="ptx,cubin",
            arch=target,
        )
        links = [LinkMode.NONE]
        if found.link is not LinkMode.NONE:
            is_cuda = modules[0].path.suffix == CodeKind.CUDA.ending
            links = [LinkMode.PTX, LinkMode.LTO] if is_cuda else [LinkMode.PTX]
        for link in links:
            how = f"-{link.value}" if link is not LinkMode.NONE else ""
            yield SampleBuild(f"{target}-{names[0]}{how}", replace(wanted, link=link))
