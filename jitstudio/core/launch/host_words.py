"""The parts of a launch that were taken from host code, assumed, or unknown: sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from jitstudio.core.launch.arguments import host_texts, takes_host_grid
from jitstudio.core.launch.problems import in_bytes, listing
from jitstudio.core.launch.request import FormParameter, HostBuffer, HostLaunch, KernelForm
from jitstudio.core.launch.shared import is_shared
from jitstudio.core.launch.types import Pointer, Scalar


def words_on_host_launch(form: KernelForm) -> tuple[str, ...]:
    """Returns the origin of a form's first texts in the host code; empty without a launch there.

    What was taken comes first, with the line of the launch; then what was assumed, what was not
    taken, and what the host code does not tell.
    """
    launch = form.host_launch
    if launch is None:
        return ()
    place = f"line {launch.line} of {PurePath(launch.module).name}"
    taken = [*_phrases(form, launch)]
    first = f"Begins as the launch in {place}{f': {listing(taken)}' if taken else ''}."
    return (first, *_assumed(launch), *_unused(form, launch), *_unknown(form, launch))


def _phrases(form: KernelForm, launch: HostLaunch) -> Iterator[str]:
    if launch.grid and takes_host_grid(form):
        yield f"grid {_dims(launch.grid)}"
    if launch.block:
        yield f"block {_dims(launch.block)}"
    if launch.shared:
        yield f"{launch.shared:,} bytes of shared memory"
    texts = host_texts(form)
    for parameter, value in _pairs(form, launch):
        match parameter.type, value:
            case _ if parameter.name not in texts:
                pass
            case Pointer(), HostBuffer() if is_shared(texts[parameter.name]):
                yield f"{parameter.name} = {texts[parameter.name]}"
            case Pointer(), HostBuffer(size):
                yield f"{parameter.name} of {in_bytes(size)}"
            case _:
                yield f"{parameter.name} = {texts[parameter.name]}"


def _assumed(launch: HostLaunch) -> Iterator[str]:
    if launch.assumed:
        numbers = (f"{a.name} = {a.value} (line {a.line})" for a in launch.assumed)
        yield f"Assumed, as only a run of the host code would show: {listing(numbers)}."


def _unknown(form: KernelForm, launch: HostLaunch) -> Iterator[str]:
    names = [] if launch.grid else ["the grid"]
    names += [] if launch.block else ["the block"]
    names += [p.name for p, value in _pairs(form, launch) if value is None]
    if names:
        verb = "begins" if len(names) == 1 else "begin"
        yield f"Not known from the host code, and {verb} as in any form: {listing(names)}."


def _unused(form: KernelForm, launch: HostLaunch) -> Iterator[str]:
    """Yields the host code's settings that the form does not begin with."""
    texts = host_texts(form)
    names = ["the grid"] if launch.grid and not takes_host_grid(form) else []
    names += [
        p.name
        for p, value in _pairs(form, launch)
        if value is not None
        and isinstance(p.type, Pointer | Scalar)
        and not p.default
        and p.name not in texts
    ]
    if names:
        verb = "begins" if len(names) == 1 else "begin"
        yield (
            "Not taken from the host code, as a size is unknown or a number does not fit its type, "
            f"and {verb} as in any form: {listing(names)}."
        )


def _pairs(
    form: KernelForm, launch: HostLaunch
) -> Iterator[tuple[FormParameter, float | int | HostBuffer | None]]:
    if len(launch.arguments) == len(form.parameters):
        yield from zip(form.parameters, launch.arguments, strict=True)


def _dims(sizes: Sequence[int]) -> str:
    return ",".join(map(str, sizes))
