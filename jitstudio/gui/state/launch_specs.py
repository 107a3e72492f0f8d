"""What was typed for each kernel, kept while others are launched and signatures change."""

from __future__ import annotations

import re
from dataclasses import replace

from jitstudio.core.launch.argument_text import parse_buffer
from jitstudio.core.launch.defaults import default_arguments
from jitstudio.core.launch.signature import KernelForm
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.types import Pointer

_NAME = re.compile(r"[^<(]*")
_USUAL_BLOCK = 256


class LaunchSpecs:
    """The launches by kernel title; the one used last is the last."""

    def __init__(self) -> None:
        self._specs: dict[str, LaunchSpec] = {}

    @property
    def titles(self) -> tuple[str, ...]:
        """The kernels something is remembered of, in the order of their last use."""
        return tuple(self._specs)

    @property
    def specs(self) -> tuple[LaunchSpec, ...]:
        """All of them, in the order of their last use."""
        return tuple(self._specs.values())

    def remember(self, spec: LaunchSpec) -> None:
        """Keep a launch under its kernel, with the texts of parameters that it has lost."""
        known = self._specs.pop(spec.kernel, spec)
        arguments = dict(known.arguments) | dict(spec.arguments)
        self._specs[spec.kernel] = replace(spec, arguments=tuple(arguments.items()))

    def suggest(self, spec: LaunchSpec) -> None:
        """Keep a launch unless the user has typed one for this kernel."""
        self._specs.setdefault(spec.kernel, spec)

    def fitted(self, form: KernelForm) -> LaunchSpec:
        """The launch of a kernel, for the parameters it has now.

        A kernel that is new takes what was typed for another instance of its template.
        """
        defaults = default_arguments(form)
        known = self._specs.get(form.title) or self._sibling(form.title)
        if known is None:
            return _fresh(form, defaults)
        texts = dict(known.arguments)
        arguments = tuple((name, texts.get(name, default)) for name, default in defaults)
        return replace(known, kernel=form.title, arguments=arguments)

    def _sibling(self, title: str) -> LaunchSpec | None:
        name = _base(title)
        return next((s for t, s in reversed(self._specs.items()) if _base(t) == name), None)


def _fresh(form: KernelForm, arguments: tuple[tuple[str, str], ...]) -> LaunchSpec:
    """A launch that covers the first buffer with one thread for each element."""
    texts = dict(arguments)
    buffers = (p.name for p in form.parameters if isinstance(p.type, Pointer))
    cover = next((buffer.length for name in buffers if (buffer := parse_buffer(texts[name]))), "")
    return LaunchSpec(
        kernel=form.title,
        arguments=arguments,
        grid="" if cover else "1",
        cover=cover,
        block=str(min(form.block_hint or _USUAL_BLOCK, _USUAL_BLOCK)),
        cluster=",".join(map(str, form.cluster or ())),
    )


def _base(title: str) -> str:
    """The name without template arguments and parameters."""
    found = _NAME.match(title)
    return found.group().strip() if found else title
